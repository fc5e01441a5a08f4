/* hasm_expr.h - addresses as expressions over lane, warp, block and counters of loops
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TRACES_HASM_HASM_EXPR_H
#define TRACES_HASM_HASM_EXPR_H

#include "hasm.h"

/* Names of the loops around the present line, outermost first; NULL: without a name. */
struct hasm_loops {
	char *name[HASM_DEPTH];
	unsigned n;
};

/* What the names stand for. */
struct hasm_values {
	uint64_t lane, warp, block;
	uint64_t loop[HASM_DEPTH]; /* iteration, from 0; outermost first */
};

/* NULL after reporting a mistake. */
struct hasm_expr *hd__hasm_expr(struct hd_scan *s, const struct hasm_loops *loops);
/* Modulo 2^64.  Returns false if something is divided by zero. */
bool hd__hasm_evaluate(const struct hasm_expr *e, const struct hasm_values *of, uint64_t *v);
void hd__hasm_expr_free(struct hasm_expr *e);

#endif
