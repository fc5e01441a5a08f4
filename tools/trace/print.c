/* print.c - prints a trace as a text of kernels
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "print.h"

#include "kernel/base/exit.h"
#include "kernel/base/output.h"
#include "printer.h"
#include "run.h"

/* arg: where to print, or NULL. */
static int print(void *arg, struct hd_sim *s, void *state, struct hd_diags *d)
{
	struct printer *p = state;
	struct hd_output o;
	int status = hd__output_open(&o, arg, NULL);

	if (status != HD_EXIT_OK)
		return status;
	p->out = o.f;
	p->d = d;
	if (!hd__trace_run_all(s, d)) {
		hd__output_close(&o, false);
		return HD_EXIT_USAGE;
	}
	return hd__output_close(&o, true) ? HD_EXIT_OK : HD_EXIT_FAILED;
}

int hd__hasm_print(const char *trace, const char *output, bool strict)
{
	return hd__trace_run(&(struct trace_run){
		.command = "heddle trace print",
		.module = &hd_module_hasm_printer,
		.trace = trace,
		.strict = strict,
		.use = print,
		.arg = (void *)output,
	});
}
