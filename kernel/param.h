/* param.h - values of parameters, from JSON to the member of a module's state
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef KERNEL_PARAM_H
#define KERNEL_PARAM_H

#include "kernel/netlist/netlist.h"

#include <heddle/module.h>

/* Resolves names to numbers while parameters are stored; owns the strings, lists and tables. */
struct hd_param_store {
	uint32_t (*symbol)(void *arg, const char *kind, const char *name); /* UINT32_MAX: too many */
	void *arg;
	const struct hd_netlist *netlist;
	struct hd_diags *diags;
	void **owned;          /* freed by hd__params_free */
	size_t nowned, cap;
};

/* Stores the values of object `values` (may be NULL) at their offsets in `base`, defaults where it
 * has none.  Checks names, types and ranges; `at` is the object's JSON pointer, `who` names the
 * owner in messages, words that follow each other and a NULL ("instance '", "sp", "'").  Returns the number of errors.
 * `skip` (NULL-terminated, may be NULL): member names that are not parameters.  `beside` (the same): names that may
 * stand beside these values, not among them, for suggestions. */
size_t hd__params_store(struct hd_param_store *s, const struct hd_param *params, void *base,
                        const json_t *values, const char *at, const char *const *who,
                        const char *const *skip, const char *const *beside);
/* Stores the defaults alone, including those of table columns, which go to scratch memory; for
 * hd__module_check.  Returns the number of errors. */
size_t hd__params_defaults(struct hd_param_store *s, const struct hd_param *params, void *base,
                           const char *const *who);
void hd__params_free(struct hd_param_store *s);
/* Bytes that a parameter occupies at its offset. */
size_t hd__param_size(enum hd_param_type type);
/* "integer 1..64", "one of lrr, gto", for messages and for `heddle modules`.  In buf. */
const char *hd__param_form(const struct hd_param *p, char *buf, size_t size);

#endif
