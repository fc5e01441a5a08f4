/* hasm_kernel.c - parses the head of a kernel, and whom lines are for
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "hasm_kernel.h"

#include "base/words.h"

#include <inttypes.h>

#define MAX_NAME 1000u

/* How the members of a head are written. */
enum form { SIZES, COUNT, WIDE, OPCODES, EXITS };

static const struct member {
	const char *name;
	enum form form;
	size_t offset;
} members[] = {
	{ "grid", SIZES, offsetof(struct hasm_kernel, grid) },
	{ "block", SIZES, offsetof(struct hasm_kernel, block) },
	{ "sm", COUNT, offsetof(struct hasm_kernel, sm) },
	{ "shared", COUNT, offsetof(struct hasm_kernel, shared) },
	{ "regs", COUNT, offsetof(struct hasm_kernel, regs) },
	{ "id", WIDE, offsetof(struct hasm_kernel, id) },
	{ "stream", WIDE, offsetof(struct hasm_kernel, stream) },
	{ "shared_base", WIDE, offsetof(struct hasm_kernel, shared_base) },
	{ "local_base", WIDE, offsetof(struct hasm_kernel, local_base) },
	{ "opcodes", OPCODES, offsetof(struct hasm_kernel, any_opcode) },
	{ "exit", EXITS, offsetof(struct hasm_kernel, exits_written) },
};

#define NMEMBERS (sizeof members / sizeof *members)

/* "X,Y,Z"; what is left out is 1. */
static bool sizes(struct hasm_scan *s, uint32_t to[3])
{
	uint32_t v[3] = { 1, 1, 1 };
	uint64_t n;

	for (int i = 0; i < 3; i++) {
		const char *at = s->p;

		if (!hd__hasm_number(s, &n) || n == 0 || n > UINT32_MAX) {
			s->p = at;
			return hd__hasm_expected(s, "X,Y,Z, each from 1 to 4294967295");
		}
		v[i] = (uint32_t)n;
		if (*s->p != ',')
			break;
		if (i < 2)
			s->p++;
	}
	memcpy(to, v, sizeof v);
	return true;
}

/* One of two words. */
static bool choice(struct hasm_scan *s, const char *yes, const char *no, bool *to)
{
	char what[60];

	*to = hd__hasm_word(s, yes);
	if (*to || hd__hasm_word(s, no))
		return true;
	snprintf(what, sizeof what, "%s or %s", yes, no);
	return hd__hasm_expected(s, what);
}

static bool value(struct hasm_scan *s, struct hasm_kernel *k, const struct member *m)
{
	void *to = (char *)k + m->offset;
	uint64_t v;

	switch (m->form) {
	case SIZES:
		return sizes(s, to);
	case COUNT:
		if (!hd__hasm_number(s, &v) || v > UINT32_MAX)
			return hd__hasm_expected(s, "a number of at most 32 bits");
		*(uint32_t *)to = (uint32_t)v;
		return true;
	case WIDE:
		if (!hd__hasm_number(s, &v))
			return hd__hasm_expected(s, "a number of at most 64 bits");
		*(uint64_t *)to = v;
		return true;
	case OPCODES:
		return choice(s, "any", "known", to);
	case EXITS:
		return choice(s, "written", "added", to);
	}
	return false;
}

static bool member(struct hasm_scan *s, struct hasm_kernel *k, uint32_t *seen)
{
	const char *names[NMEMBERS], *at = s->p;
	size_t n = hd__hasm_name(s);
	char *word, suggestion[200];

	if (n == 0 || s->p[n] != '=')
		return hd__hasm_expected(s, "grid=, block=, sm=, shared=, regs= or another member of a kernel");
	for (size_t i = 0; i < NMEMBERS; i++) {
		names[i] = members[i].name;
		if (strlen(names[i]) != n || memcmp(names[i], s->p, n) != 0)
			continue;
		if (*seen >> i & 1)
			return hd__hasm_bad(s, at, "'%s' is given twice", names[i]);
		*seen |= 1u << i;
		s->p += n + 1;
		return value(s, k, &members[i]);
	}
	word = hd__xstrndup(s->p, n);
	hd__hasm_bad(s, at, "a kernel has no '%s'%s", word,
	             hd__suggest(word, names, NMEMBERS, "it has", suggestion, sizeof suggestion));
	free(word);
	return false;
}

/* Figures that follow from others, and their limits. */
static void derive(struct hasm_scan *s, struct hasm_kernel *k, const char *at)
{
	uint64_t threads = (uint64_t)k->block[0] * k->block[1];

	if (threads <= HASM_THREADS)
		threads *= k->block[2];
	if (threads > HASM_THREADS) {
		hd__hasm_bad(s, at, "block=%" PRIu32 ",%" PRIu32 ",%" PRIu32 " has more than %u threads",
		             k->block[0], k->block[1], k->block[2], HASM_THREADS);
		threads = 1;
	}
	if (__builtin_mul_overflow((uint64_t)k->grid[0] * k->grid[1], k->grid[2], &k->blocks)) {
		hd__hasm_bad(s, at, "grid=%" PRIu32 ",%" PRIu32 ",%" PRIu32 " has more than 2^64 blocks",
		             k->grid[0], k->grid[1], k->grid[2]);
		k->blocks = 1;
	}
	k->threads = (uint32_t)threads;
	k->warps = (k->threads + HASM_LANES - 1) / HASM_LANES;
}

/* A word, or anything in quotes. */
static char *name(struct hasm_scan *s)
{
	bool quoted = *s->p == '"';
	const char *from = s->p + quoted;
	size_t n = 0;
	bool good;

	while (quoted ? from + n < s->end && from[n] != '"' && from[n] != '\n'
	              : from + n < s->end && (unsigned char)from[n] > ' ' && !strchr("=#\"", from[n]))
		n++;
	good = quoted ? from[n] == '"' : n > 0 && from[n] != '=';
	if (!good || n > MAX_NAME) {
		hd__hasm_expected(s, "the name of the kernel");
		return hd__xstrdup("");
	}
	s->p = from + n + quoted;
	return hd__xstrndup(from, n);
}

void hd__hasm_kernel(struct hasm_scan *s, struct hasm_kernel *k)
{
	const char *at;
	uint32_t seen = 0;

	k->line = s->line;
	k->sm = 80;
	k->regs = 32;
	for (int i = 0; i < 3; i++)
		k->grid[i] = k->block[i] = 1;
	k->block[0] = HASM_LANES;
	hd__hasm_blanks(s);
	at = s->p;
	k->name = name(s);
	while (!hd__hasm_at_end(s)) {
		if (!member(s, k, &seen)) {
			hd__hasm_skip(s, s->p);
			break;
		}
	}
	derive(s, k, at);
}

void hd__hasm_copy(struct hasm_scan *s, struct hasm_kernel *k)
{
	struct hasm_copy c;

	hd__hasm_blanks(s);
	if (!hd__hasm_number(s, &c.address)) {
		hd__hasm_expected(s, "an address of the device");
		hd__hasm_skip(s, s->p);
		return;
	}
	hd__hasm_blanks(s);
	if (!hd__hasm_number(s, &c.bytes)) {
		hd__hasm_expected(s, "a number of bytes");
		hd__hasm_skip(s, s->p);
		return;
	}
	k->copy = hd__xappend(k->copy, k->ncopies, sizeof c);
	k->copy[k->ncopies++] = c;
}

/* "3" or "0-3", below `limit`.  `what`: "warp" or "block". */
static bool range(struct hasm_scan *s, uint64_t limit, const char *what, struct hasm_range *r)
{
	const char *at;

	hd__hasm_blanks(s);
	at = s->p;
	if (!hd__hasm_number(s, &r->first))
		return hd__hasm_expected(s, "'*', a number, or a range as 0-3");
	r->last = r->first;
	if (hd__hasm_take(s, '-') && (hd__hasm_blanks(s), !hd__hasm_number(s, &r->last)))
		return hd__hasm_expected(s, "the last number of a range");
	if (r->last < r->first)
		return hd__hasm_bad(s, at, "the range %" PRIu64 "-%" PRIu64 " is empty", r->first, r->last);
	if (r->last >= limit)
		return hd__hasm_bad(s, at, "no %s %" PRIu64 "; the kernel has %ss 0 to %" PRIu64, what,
		                    r->last, what, limit - 1);
	return true;
}

void hd__hasm_warps(struct hasm_scan *s, const struct hasm_kernel *k, uint64_t *warps)
{
	struct hasm_range r;

	*warps = UINT64_MAX >> (64 - k->warps);
	if (hd__hasm_take(s, '*'))
		return;
	*warps = 0;
	do {
		if (!range(s, k->warps, "warp", &r)) {
			hd__hasm_skip(s, s->p);
			return;
		}
		*warps |= UINT64_MAX >> (63 - (r.last - r.first)) << r.first;
	} while (hd__hasm_take(s, ','));
}

void hd__hasm_blocks(struct hasm_scan *s, const struct hasm_kernel *k, struct hasm_section *section)
{
	struct hasm_range r = { 0, k->blocks - 1 };
	bool all = hd__hasm_take(s, '*');

	do {
		if (!all && !range(s, k->blocks, "block", &r)) {
			hd__hasm_skip(s, s->p);
			return;
		}
		section->blocks = hd__xappend(section->blocks, section->nblocks, sizeof r);
		section->blocks[section->nblocks++] = r;
	} while (!all && hd__hasm_take(s, ','));
}
