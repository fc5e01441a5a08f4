/* scope.h - the parameters of a netlist while its "$" strings are replaced
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef KERNEL_NETLIST_SCOPE_H
#define KERNEL_NETLIST_SCOPE_H

#include "composition.h"

enum hd_param_state { HD_UNSEEN, HD_VISITING, HD_KNOWN };

struct hd_scope_param {
	const char *name;
	json_t *raw;            /* as in the file */
	json_t *value;          /* once known; null after a reported error */
	uint64_t nodes;         /* of the value */
	unsigned depth;
	enum hd_param_state state;
	bool long_form;         /* {"value": ...} */
	bool read;
	struct hd_scope_param *asked_by; /* while visiting */
};

/* A variable of a "for". */
struct hd_loop_var {
	const char *name;
	int64_t value;
};

enum { HD_MAX_LOOPS = 4 }; /* "for" variables of one link */

struct hd_scope {
	struct hd_netlist *n;
	const struct hd_part *part;
	struct hd_diags *d;
	struct hd_scope_param *v;
	size_t nv, unread;
	const char **names;     /* of v */
	json_t *index;          /* name -> position in v */
	struct hd_scope_param *visiting; /* innermost */
	struct hd_loop_var loop[HD_MAX_LOOPS];
	size_t nloop;
	char *params_at;        /* pointer of "params" */
	unsigned depth;         /* of the recursion of resolve() */
};

/* The value of the expression text[0..n), a part of `whole`.  Returns false after reporting an
 * error. */
bool hd__scope_expr(struct hd_scope *s, const char *text, size_t n, const char *whole,
                    const struct hd_place *place, int64_t *value);
/* The parameter, or NULL. */
struct hd_scope_param *hd__scope_find(const struct hd_scope *s, const char *name);
void hd__scope_report(struct hd_scope *s, const struct hd_place *place, const char *fmt, ...)
	HD_PRINTF(3, 4);

#endif
