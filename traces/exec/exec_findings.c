/* exec_findings.c - prints what was found in kernels that were executed
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "exec_findings.h"

#include "base/exit.h"
#include "base/json_write.h"
#include "base/output.h"
#include "base/xalloc.h"

#include <inttypes.h>

#define COLUMNS 120

static void print_place(const struct hd_exec_place *p)
{
	if (p->file)
		fprintf(stderr, "%s:%" PRIu32 ": ", p->file, p->line);
	fprintf(stderr, "%s, pc 0x%" PRIx32 ", '%s', block (%u,%u,%u), thread (%u,%u,%u)", p->function, p->pc, p->text,
	        p->block[0], p->block[1], p->block[2], p->thread[0], p->thread[1], p->thread[2]);
}

static void print(const struct hd_exec_finding *f)
{
	fprintf(stderr, "heddle: %s: kernel '%s': %s", hd__exec_kind(f->kind), f->kernel, f->words);
	if (f->times > 1)
		fprintf(stderr, " (%" PRIu64 " times)", f->times);
	fputs("\n    at ", stderr);
	print_place(&f->at);
	if (f->other.text) {
		fputs(f->kind == HD_EXEC_RACE ? "\n    and " : f->kind == HD_EXEC_UNWRITTEN ? "\n    loaded at "
		      : "\n    others at ", stderr);
		print_place(&f->other);
	}
	fputc('\n', stderr);
}

/* Texts of programs need not be UTF-8. */
static json_t *text(const char *v)
{
	json_t *s = json_string(v);

	return s ? s : json_string("?");
}

static json_t *place(const struct hd_exec_place *p)
{
	json_t *v = json_pack("{s:o, s:I, s:o, s:[I,I,I], s:[I,I,I]}", "function", text(p->function), "pc",
			      (json_int_t)p->pc, "instruction", text(p->text), "block", (json_int_t)p->block[0],
			      (json_int_t)p->block[1], (json_int_t)p->block[2], "thread", (json_int_t)p->thread[0],
			      (json_int_t)p->thread[1], (json_int_t)p->thread[2]);

	if (p->file) {
		json_object_set_new(v, "file", text(p->file));
		json_object_set_new(v, "line", json_integer(p->line));
	}
	return v;
}

static json_t *finding(const struct hd_exec_finding *f)
{
	json_t *v = json_pack("{s:s, s:o, s:o, s:I, s:o}", "kind", hd__exec_kind(f->kind), "kernel", text(f->kernel),
			      "words", text(f->words), "times", (json_int_t)f->times, "at", place(&f->at));

	if (f->address)
		json_object_set_new(v, "address", json_integer((json_int_t)f->address));
	if (f->other.text)
		json_object_set_new(v, "other", place(&f->other));
	return v;
}

static int write_findings(const struct hd_exec_finding *f, size_t n, const char *file)
{
	struct hd_output out;
	json_t *all, *list;
	int status = hd__output_open(&out, file, "--findings");
	bool good;

	if (status != HD_EXIT_OK)
		return status;
	all = json_pack("{s:[]}", "findings");
	list = json_object_get(all, "findings");
	for (size_t i = 0; i < n; i++)
		json_array_append_new(list, finding(&f[i]));
	good = hd__json_pretty(all, COLUMNS, NULL, out.f);
	json_decref(all);
	return hd__output_close(&out, good) ? HD_EXIT_OK : HD_EXIT_FAILED;
}

int hd__findings_put(const struct hd_exec *x, const char *file)
{
	size_t n;
	const struct hd_exec_finding *f = hd__exec_findings(x, &n);
	int status = file ? write_findings(f, n, file) : HD_EXIT_OK;

	for (size_t i = 0; i < n; i++)
		print(&f[i]);
	return status != HD_EXIT_OK ? status : n ? HD_EXIT_FAILED : HD_EXIT_OK;
}
