/* listing_find.c - reads the listing beside a trace, and finds instructions of the trace in it
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "listing.h"

#include "traces/sass/sass_inst.h"
#include "base/output.h"
#include "hasm_lines.h"

#include <errno.h>
#include <unistd.h>

#define VERSION 1

/* ---- reading ---- */

/* "kernel-1.traceg.xz", "kernel-1.tracez" -> "kernel-1.sass.json" */
static char *listing_name(const char *kernel_file)
{
	size_t n = strlen(kernel_file);

	if (n > 3 && strcmp(kernel_file + n - 3, ".xz") == 0)
		n -= 3;
	if (n > 7 && (strncmp(kernel_file + n - 7, ".traceg", 7) == 0 || strncmp(kernel_file + n - 7, ".tracez", 7) == 0))
		n -= 7;
	return hd__format("%.*s.sass.json", (int)n, kernel_file);
}

static bool counter_of(const json_t *control, const char *name, char *to)
{
	const json_t *v = json_object_get(control, name);

	*to = '-';
	if (!v)
		return true;
	if (!json_is_integer(v) || json_integer_value(v) < 0 || json_integer_value(v) > 5)
		return false;
	*to = (char)('0' + json_integer_value(v));
	return true;
}

/* "[B0-----:R-:W2:-:S04]"; NULL if the object is not a control field. */
static char *control_text(const json_t *control)
{
	const json_t *wait = json_object_get(control, "wait"), *v;
	const json_t *yield = json_object_get(control, "yield"), *stall = json_object_get(control, "stall");
	char places[] = "------", read, write;
	size_t i;

	json_array_foreach(wait, i, v) {
		if (!json_is_integer(v) || json_integer_value(v) < 0 || json_integer_value(v) > 5)
			return NULL;
		places[json_integer_value(v)] = (char)('0' + json_integer_value(v));
	}
	if (!json_is_array(wait) || !json_is_boolean(yield) || !json_is_integer(stall)
	    || json_integer_value(stall) < 0 || json_integer_value(stall) > 15
	    || !counter_of(control, "read", &read) || !counter_of(control, "write", &write))
		return NULL;
	return hd__format("[B%s:R%c:W%c:%c:S%02d]", places, read, write, json_is_true(yield) ? 'Y' : '-',
	                  (int)json_integer_value(stall));
}

/* The text of an instruction must be one, and nothing else. */
static bool parse(struct listing_entry *e, const char *file, size_t i, struct hd_diags *d)
{
	char *place = hd__format("%s: instruction %zu", file, i);
	struct hasm_scan s = { .file = place, .p = e->text, .end = e->text + strlen(e->text),
	                       .start = e->text, .d = d };
	bool good = hd__hasm_inst(&s, &e->inst)
	            && (hd__hasm_at_end(&s) || hd__hasm_expected(&s, "the end of the instruction"));

	free(place);
	return good;
}

static bool read_entry(struct listing_entry *e, const json_t *v, const char *file, size_t i,
                       struct hd_diags *d)
{
	const json_t *pc = json_object_get(v, "pc"), *control = json_object_get(v, "control");
	const char *text = json_string_value(json_object_get(v, "text"));

	if (!json_is_integer(pc) || json_integer_value(pc) < 0 || json_integer_value(pc) > UINT32_MAX
	    || !text) {
		hd__diag(d, HD_DIAG_ERROR, file, 0, 0, "instruction %zu: expected 'pc', a number, and 'text', a "
		         "string", i);
		return false;
	}
	e->pc = (uint32_t)json_integer_value(pc);
	e->text = hd__xstrdup(text);
	e->control = control ? control_text(control) : NULL;
	if (control && !e->control) {
		hd__diag(d, HD_DIAG_ERROR, file, 0, 0, "instruction %zu: 'control' is not a control field; "
		         "expected wait, yield, stall, and read or write from 0 to 5", i);
		return false;
	}
	return parse(e, file, i, d);
}

static int by_pc(const void *a, const void *b)
{
	const struct listing_entry *x = a, *y = b;

	return x->pc < y->pc ? -1 : x->pc > y->pc;
}

static struct listing *read_root(const json_t *root, const char *file, struct hd_diags *d)
{
	const json_t *list = json_object_get(root, "instructions"), *v;
	struct listing *l = hd__xcalloc(1, sizeof *l);
	size_t i;

	l->file = hd__xstrdup(file);
	if (json_integer_value(json_object_get(root, "heddle_sass")) != VERSION || !json_is_array(list)) {
		hd__diag(d, HD_DIAG_ERROR, file, 0, 0, "expected \"heddle_sass\": %d and a list of "
		         "'instructions'", VERSION);
		return l;
	}
	l->v = hd__xcalloc(json_array_size(list), sizeof *l->v);
	json_array_foreach(list, i, v) {
		l->n++;
		if (!read_entry(&l->v[i], v, file, i + 1, d))
			return l;
	}
	qsort(l->v, l->n, sizeof *l->v, by_pc);
	return l;
}

/* root: NULL after the error. */
static struct listing *take_root(json_t *root, const json_error_t *error, const char *file,
                                 struct hd_diags *d)
{
	struct listing *l = NULL;

	if (root)
		l = read_root(root, file, d);
	else
		hd__diag(d, HD_DIAG_ERROR, file, error->line, error->column, "%s", error->text);
	json_decref(root);
	return l;
}

struct listing *hd__listing_read(const char *kernel_file, struct hd_diags *d)
{
	char *file = listing_name(kernel_file);
	struct listing *l = NULL;
	json_error_t error;
	FILE *f = fopen(file, "r");

	if (!f && errno != ENOENT)
		hd__diag(d, HD_DIAG_ERROR, file, 0, 0, "%s", strerror(errno));
	if (f) {
		if (!hd__input_note(fileno(f)))
			hd__diag(d, HD_DIAG_ERROR, file, 0, 0, "the output would replace it; expected another "
			         "name for what is written");
		l = take_root(json_loadf(f, JSON_REJECT_DUPLICATES, &error), &error, file, d);
		fclose(f);
	}
	free(file);
	return l;
}

struct listing *hd__listing_packed(const char *kernel_file, const char *text, size_t size,
                                   struct hd_diags *d)
{
	char *file = listing_name(kernel_file);
	json_error_t error;
	struct listing *l = take_root(json_loadb(text, size, JSON_REJECT_DUPLICATES, &error), &error, file, d);

	free(file);
	return l;
}

void hd__listing_free(struct listing *l)
{
	if (!l)
		return;
	for (size_t i = 0; i < l->n; i++) {
		free(l->v[i].control);
		free(l->v[i].text);
		hd__hasm_inst_free(&l->v[i].inst);
	}
	free(l->file);
	free(l->v);
	free(l);
}

/* ---- finding ---- */

bool hd__listing_same_registers(const struct hasm_inst *x, const struct hd_inst *i)
{
	uint16_t src[HD_MAX_SRC] = { 0 }, dst = 0, first[HASM_OPERANDS];
	unsigned n = hd__hasm_registers(x, &dst, first), distinct = 0;

	for (unsigned k = 0; k < n; k++) {
		unsigned j = 0;

		while (j < distinct && src[j] != first[k])
			j++;
		if (j == distinct && distinct < HD_MAX_SRC)
			src[distinct++] = first[k];
	}
	return distinct == i->nsrc && memcmp(src, i->src, distinct * sizeof *src) == 0
	       && (dst == i->dst || !i->dst);
}

/* Would the tracer write the instruction as this one is? */
static bool fits(const struct hasm_inst *x, const struct hd_inst *i, const char *opcode)
{
	return strcmp(x->opcode, opcode) == 0 && hd__hasm_accesses(x) == (i->width > 0)
	       && hd__hasm_immediate(x) == i->imm && hd__listing_same_registers(x, i);
}

const struct listing_entry *hd__listing_find(const struct listing *l, const struct hd_inst *i,
                                             const char *opcode)
{
	size_t low = 0, high = l->n;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (l->v[middle].pc < i->pc)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < l->n && l->v[low].pc == i->pc; low++)
		if (fits(&l->v[low].inst, i, opcode))
			return &l->v[low];
	return NULL;
}
