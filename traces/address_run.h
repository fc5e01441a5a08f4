/* address_run.h - private to the trace source: what lines with a run of addresses repeat
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A run is the address of the first lane and a stride.  Kept is one of two: all of it, if it is short, for
 * trace_repeats(); or what follows the first address, which mostly is the same where that is not.
 */
#ifndef TRACES_ADDRESS_RUN_H
#define TRACES_ADDRESS_RUN_H

#include "number.h"

/* Behind mode 1 and the first address, NULL: something else is at p. */
static inline const char *trace_run_first(const char *p, const char *end, uint64_t *base)
{
	p = trace_skip(p);
	return p[0] == '1' && trace_gap(p[1]) ? trace_scan_address(trace_skip(p + 1), end, base) : NULL;
}

/* Takes the addresses at p and the rest of the line, if all but the first one is as before. */
static inline bool trace_run_again(const struct trace_static *s, const char *p, const char *end,
                                   struct trace_line *out)
{
	if (!s->after)
		return false;
	p = trace_run_first(p, end, &out->base);
	if (!p || end - p != s->after || memcmp(p, s->run_text, s->after) != 0)
		return false;
	out->form = TRACE_RUN;
	out->delta[0] = s->run_stride;
	return true;
}

/* Keeps the addresses at p of a line of s that has nothing uncommon behind them.  as_before: trace_run_again()
 * took it. */
static inline void trace_run_keep(struct trace_static *s, const char *p, const char *end,
                                  const struct trace_line *out, bool as_before)
{
	size_t n = (size_t)(end - p) + 1;
	uint64_t base;

	if (n <= TRACE_SAME && out->mask == s->mask && *end == '\n' && !s->odd) {
		memcpy(s->run_text, p, n);
		s->again = (uint8_t)n;
		s->after = 0;
		s->run_base = out->base;
		s->run_stride = out->delta[0];
	} else if (!as_before && !s->again && (p = trace_run_first(p, end, &base)) && end - p <= TRACE_SAME) {
		s->after = (uint8_t)(end - p);
		memcpy(s->run_text, p, s->after);
		s->run_stride = out->delta[0];
	}
}

#endif
