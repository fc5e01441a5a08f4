/* hasm_print.c - prints a trace as a text of kernels
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "hasm_print.h"

#include "hasm_printer.h"
#include "trace_run.h"

/* arg: where to print, or NULL. */
static int print(void *arg, struct hd_sim *s, void *state, struct hd_diags *d)
{
	struct printer *p = state;

	p->d = d;
	return hd__trace_run_output(s, d, arg, NULL, &p->out);
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
