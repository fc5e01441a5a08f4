/* param_call.h - shared by the files that store parameters
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef KERNEL_PARAM_CALL_H
#define KERNEL_PARAM_CALL_H

#include "base/pointer.h"
#include "param.h"

/* One call of hd__params_store or hd__params_defaults. */
struct hd_param_call {
	struct hd_param_store *s;
	const char *const *who;
	char *who_text;     /* the same as one word, once a message has needed it */
	size_t errors;
	bool defaults;      /* the value being stored is from a descriptor */
	bool only_defaults; /* hd__params_defaults: a parameter without default is not an error */
};

/* Counts an error and reports it at the place, or at its key. */
void hd__param_report(struct hd_param_call *c, const struct hd_place *place, bool key,
                      const char *fmt, ...) HD_PRINTF(4, 5);
/* "parameter 'depth' of WHO: expected EXPECTED, found ...", and `hint` unless NULL. */
void hd__param_wrong(struct hd_param_call *c, const struct hd_place *place, const char *expected,
                     const json_t *found, const char *hint);
/* The owner of the parameters, for a message. */
const char *hd__param_who(struct hd_param_call *c);
/* "ops[2].latency": the place below the object that holds the parameters.  The caller frees it. */
char *hd__param_name(const struct hd_place *p);
/* Gives `p` the lifetime of the store. */
void *hd__param_own(struct hd_param_store *s, void *p);
/* Is n in the range of p: of its value, or of its number of entries? */
bool hd__param_range(const struct hd_param *p, uint64_t n);

/* Stores a value of any type but HD_TABLE at dst. */
void hd__param_value(struct hd_param_call *c, const struct hd_param *p, void *dst, const json_t *v,
                     const struct hd_place *place);

#endif
