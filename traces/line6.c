/* line6.c - what an instruction line has in tracer version 6 alone
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * [cta x y z warp] ... OPCODE NS [src] [last of a group] WIDTH [addresses] [MBAR ... addresses] [IMM [IMM]] [VALUES]
 *
 * Bulk copies of the tensor memory accelerator have operands of their own behind the width:
 *	MBAR MULTICAST [CTAS] BYTES BEYOND MODE: 3 COUNT ADDRESS..., 4 BASE COUNT DIFFERENCE...
 * An early tracer printed MODE and what follows alone.  The values of registers, if they were recorded, end the line.
 */
#include "code.h"

#include <inttypes.h>

#define MOST_ADDRESSES 65536u

static bool contains(const char *text, size_t len, const char *part)
{
	return memmem(text, len, part, strlen(part)) != NULL;
}

bool hd__trace_in_groups(const char *opcode, size_t len)
{
	return contains(opcode, len, "GMMA");
}

bool hd__trace_copies_tensor(const char *opcode, size_t len)
{
	static const char *const names[] = { "UTMALDG", "UTMASTG", "UTMAPF", "UTMAREDG", "UBLKCP", "UBLKPF", "UBLKRED" };

	if (*opcode != 'U')
		return false;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (contains(opcode, len, names[i]))
			return true;
	return false;
}

/* Each takes the word at *p, skips it and returns true if it is what is expected. */

static bool take_number(const char **p, uint64_t limit, uint64_t *v)
{
	const char *end = hd__trace_dec(trace_skip(*p), v);

	if (!end || !trace_gap(*end) || *v > limit)
		return false;
	*p = end;
	return true;
}

static bool take_hex(const char **p)
{
	uint64_t v;
	const char *end = hd__trace_hex(trace_skip(*p), &v);

	if (!end || !trace_gap(*end))
		return false;
	*p = end;
	return true;
}

static bool take_difference(const char **p)
{
	const char *at = trace_skip(*p);
	uint64_t v;

	at += *at == '-';
	if (!take_number(&at, UINT64_MAX, &v))
		return false;
	*p = at;
	return true;
}

/* MODE and the addresses. */
static bool take_list(const char **p)
{
	uint64_t mode, count;

	if (!take_number(p, 4, &mode) || mode < 3)
		return false;
	if (mode == 3) {
		if (!take_number(p, MOST_ADDRESSES, &count))
			return false;
		while (count-- > 0)
			if (!take_hex(p))
				return false;
		return true;
	}
	if (!take_hex(p) || !take_number(p, MOST_ADDRESSES, &count))
		return false;
	while (count-- > 1)
		if (!take_difference(p))
			return false;
	return true;
}

static bool take_all(const char **p)
{
	uint64_t multicast, v;

	return take_hex(p) && take_number(p, 1, &multicast) && (!multicast || take_hex(p))
	       && take_number(p, UINT64_MAX, &v) && take_number(p, UINT64_MAX, &v) && take_list(p);
}

const char *hd__trace_skip_tensor(const char *p)
{
	const char *at = p;

	if (take_all(&at))
		return at;
	at = p;
	return take_list(&at) ? at : NULL;
}

/* Values of one register: one for all lanes, or one for each. */
static bool take_values(const char **p)
{
	uint64_t n;

	if (!take_number(p, HD_LANES, &n) || (n != 1 && n != HD_LANES))
		return false;
	while (n-- > 0)
		if (!take_hex(p))
			return false;
	return true;
}

const char *hd__trace_skip_values(const char *p, const char *end, bool *values)
{
	const char *at;
	uint64_t second;

	at = p = trace_skip(p);
	if (p < end && take_number(&at, UINT64_MAX, &second)) /* a barrier's second immediate */
		p = trace_skip(at);
	*values = end - p >= 3 && memcmp(p, "Val", 3) == 0 && trace_gap(p[3]);
	if (*values)
		for (p = trace_skip(p + 3); p < end && take_values(&p); p = trace_skip(p))
			;
	else if (end - p >= 5 && memcmp(p, "NoVal", 5) == 0 && trace_gap(p[5]))
		p = trace_skip(p + 5);
	return p;
}
