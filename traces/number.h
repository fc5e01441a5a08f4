/* number.h - private to the trace source: numbers in an instruction line
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * One with more digits than fit is refused.
 */
#ifndef TRACES_NUMBER_H
#define TRACES_NUMBER_H

#include "code.h"

/* Scanners return the byte after what they read, which is the end of a word, or NULL.  `end`: of the line. */

static inline const char *trace_scan_hex(const char *p, uint64_t *v)
{
	const char *start;
	uint64_t n = 0;
	int d;

	if (p[0] == '0' && p[1] == 'x')
		p += 2;
	for (start = p; (d = trace_digit(*p)) >= 0; p++)
		n = n << 4 | (unsigned)d;
	*v = n;
	return p > start && p - start <= 16 && trace_gap(*p) ? p : NULL;
}

/* The 0x is required: else the immediate after a list that is too short could be taken for an
 * address.  Most have 12 digits; the first 8 are read at once. */
static inline const char *trace_scan_address(const char *p, const char *end, uint64_t *v)
{
	const char *start = p + 2;
	uint32_t high;
	uint64_t n;
	int d;

	if (p[0] != '0' || p[1] != 'x')
		return NULL;
	if (end - p < 10 || !trace_mask(start, &high))
		return trace_scan_hex(p, v);
	n = high;
	for (p += 10; (d = trace_digit(*p)) >= 0; p++)
		n = n << 4 | (unsigned)d;
	*v = n;
	return p - start <= 16 && trace_gap(*p) ? p : NULL;
}

static inline const char *trace_scan_dec(const char *p, int64_t *v)
{
	bool minus = *p == '-';
	const char *start = p += minus;
	uint64_t n = 0;

	for (; (unsigned char)(*p - '0') < 10; p++)
		n = n * 10 + (unsigned char)(*p - '0');
	*v = (int64_t)(minus ? 0 - n : n);
	return p > start && p - start <= 19 && trace_gap(*p) ? p : NULL;
}

#endif
