/* hasm_printer.h - the module that prints the trace of a trace source as a text of kernels
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TRACES_HASM_HASM_PRINTER_H
#define TRACES_HASM_HASM_PRINTER_H

#include "listing.h"
#include "trace_run.h"
#include "hasm_steps.h"

/* Prints a thread block in each cycle. */
struct printer {
	struct trace_taker in;
	FILE *out;               /* set before the run */
	struct hd_diags *d;      /* gets mistakes in listings */
	uint32_t kernels;        /* printed so far */
	struct hd_launch launch; /* the present kernel, */
	uint64_t block;          /* and its blocks so far */
	struct listing *listing;
	char **text;             /* of its instructions, by code - first_code */
	size_t ntext;
	uint32_t first_code;
	size_t unlisted;         /* instructions that the listing does not have */
	struct steps_block run, next;
};

extern const struct hd_module hd_module_hasm_printer;

#endif
