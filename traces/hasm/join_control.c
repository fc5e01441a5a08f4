/* join_control.c - joins the control fields and operands of machine code with a trace
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "join_control.h"

#include "listing_fit.h"
#include "trace_folder.h"
#include "base/exit.h"
#include "trace_run.h"

#include <inttypes.h>
#include <unistd.h>

struct join {
	const struct control_args *args;
	struct sass_code code;
	struct hd_output folder;
	FILE *list; /* kernelslist.g */
	struct hd_diags *d;
	bool failed; /* the output could not be written */
};

/* ---- one kernel ---- */

static bool is_compressed(const char *file)
{
	size_t n = strlen(file);

	return n > 3 && strcmp(file + n - 3, ".xz") == 0;
}

/* Its file under a new name, and what precedes it in the list of kernels. */
static bool take_kernel(struct join *j, const struct statics *s)
{
	const struct hd_trace_copy *copy;
	uint32_t n = s->in.trace->copies(s->in.trace->self, s->kernels - 1, &copy);
	char *name = hd__format("kernel-%" PRIu32 ".traceg%s", s->kernels,
	                        is_compressed(s->launch.file) ? ".xz" : "");
	bool good = hd__folder_link(&j->folder, name, s->launch.file);

	for (uint32_t i = 0; i < n; i++)
		fprintf(j->list, "MemcpyHtoD,0x%016" PRIx64 ",%" PRIu64 "\n", copy[i].addr, copy[i].bytes);
	fprintf(j->list, "%s\n", name);
	free(name);
	return good;
}

static void print_coverage(const struct fit *fit, size_t unknown)
{
	const struct statics *s = fit->kernel;

	printf("kernel %" PRIu32 " '%s': ", s->kernels, s->launch.name);
	if (!fit->f) {
		printf("no listing of %zu instructions, %" PRIu64 " executed\n", s->n, fit->all);
		return;
	}
	printf("%zu of %zu instructions, %" PRIu64 " of %" PRIu64 " executed, from %s", fit->covered, s->n,
	       fit->executed, fit->all, fit->f->file);
	if (unknown)
		printf(", %zu encoding%s unknown", unknown, unknown == 1 ? "" : "s");
	putchar('\n');
}

static bool write_listing(struct join *j, const struct fit *fit, size_t *unknown)
{
	size_t differs;
	uint32_t first = 0;
	struct hasm_kernel k = hd__fit_listing(fit, unknown, &differs, &first);
	bool good = hd__folder_listing(&j->folder, &k, fit->kernel->kernels);

	hd__fit_listing_free(&k);
	if (differs)
		hd__diag(j->d, HD_DIAG_WARNING, fit->f->file, 0, 0, "kernel %" PRIu32 " '%s': %zu instruction%s "
		         "other registers than the trace has, first at pc 0x%" PRIx32, fit->kernel->kernels,
		         fit->kernel->launch.name, differs, differs == 1 ? " has" : "s have", first);
	return good;
}

static bool kernel_done(void *arg, struct statics *s)
{
	struct join *j = arg;
	struct fit fit = hd__fit(&j->code, s, j->args->partial);
	size_t unknown = 0;

	if (fit.f ? fit.mistakes > 0 : !fit.partial) {
		hd__fit_report(&fit, &j->code, j->d);
		return true; /* further kernels may have more */
	}
	if (access(s->launch.file, F_OK) != 0) {
		hd__diag(j->d, HD_DIAG_ERROR, s->launch.file, 0, 0, "is in a packed trace; expected the trace "
		         "as a text, which can be copied");
		return false;
	}
	if (j->d->errors)
		return true;
	if ((fit.f && !write_listing(j, &fit, &unknown)) || !take_kernel(j, s))
		j->failed = true;
	else
		print_coverage(&fit, unknown);
	return !j->failed;
}

/* ---- all of them ---- */

static int read_trace(void *arg, struct hd_sim *sim, void *state, struct hd_diags *d)
{
	struct join *j = arg;
	struct statics *s = state;
	int status = hd__folder_open(&j->folder, j->args->folder);
	bool good;

	if (status != HD_EXIT_OK)
		return status;
	j->d = d;
	j->list = hd__folder_file(&j->folder, "kernelslist.g");
	s->done = kernel_done;
	s->arg = j;
	good = j->list && hd__trace_run_all(sim, d);
	if (j->list && !hd__folder_close(&j->folder, j->list))
		j->failed = true;
	if (!good && !j->failed)
		status = j->list ? HD_EXIT_USAGE : HD_EXIT_FAILED;
	if (j->failed)
		status = HD_EXIT_FAILED;
	if (j->args->strict && d->warnings)
		status = HD_EXIT_USAGE;
	if (!hd__output_close(&j->folder, status == HD_EXIT_OK) && status == HD_EXIT_OK)
		status = HD_EXIT_FAILED;
	return status;
}

/* Returns whether all could be read. */
static bool read_listings(struct sass_code *code, char **listing, size_t n)
{
	struct hd_diags d = { 0 };
	bool good;

	for (size_t i = 0; i < n; i++)
		hd__sass_read(code, listing[i], &d);
	hd__diags_print(&d, stderr);
	good = d.errors == 0;
	hd__diags_free(&d);
	return good;
}

int hd__control_join(const struct control_args *a)
{
	struct join j = { .args = a };
	int status = HD_EXIT_USAGE;

	if (read_listings(&j.code, a->listing, a->n))
		status = hd__trace_run(&(struct trace_run){
			.command = "heddle trace control",
			.module = &hd_module_hasm_statics,
			.trace = a->trace,
			.strict = a->strict,
			.use = read_trace,
			.arg = &j,
		});
	hd__sass_free(&j.code);
	return status;
}

/* ---- printing functions ---- */

int hd__control_list(char **listing, size_t n, const char *output)
{
	struct sass_code code = { 0 };
	struct hd_output o;
	int status = HD_EXIT_USAGE;

	if (read_listings(&code, listing, n))
		status = hd__output_open(&o, output, NULL);
	if (status == HD_EXIT_OK) {
		hd__sass_print(&code, o.f);
		if (!hd__output_close(&o, true))
			status = HD_EXIT_FAILED;
	}
	hd__sass_free(&code);
	return status;
}
