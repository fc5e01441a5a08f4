/* handle.c - what all calls of libheddle have in common: the end of memory, messages, results that are up to date
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "handle.h"

int hd__guarded(struct heddle *h, hd_step *step, const void *arg)
{
	jmp_buf here, *before = hd__memory_escape;
	int result;

	if (!h || h->lost)
		return HEDDLE_NO_MEMORY;
	if (setjmp(here) != 0) {
		hd__memory_escape = before;
		h->lost = true; /* whatever was changed is in an unknown state */
		return HEDDLE_NO_MEMORY;
	}
	hd__memory_escape = &here;
	result = step(h, arg);
	hd__memory_escape = before;
	return result;
}

int hd__bad_call(struct heddle *h, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	hd__diagv(&h->diags, HD_DIAG_ERROR, NULL, 0, 0, fmt, ap);
	va_end(ap);
	return HEDDLE_BAD_CALL;
}

bool hd__has_results(struct heddle *h)
{
	if (!h->sim) {
		hd__bad_call(h, "results without a netlist; expected heddle_load() before");
		return false;
	}
	if (h->result == HEDDLE_OK) /* else that is done */
		hd__sim_settle(h->sim);
	return true;
}
