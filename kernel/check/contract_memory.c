/* contract_memory.c - nothing is written behind a state, or behind what hd_memory() gave (--check-modules)
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "contract.h"

#define BEHIND 64u /* bytes that are looked at */

/* The first byte from `at` on that was written, below `end`; else `end`. */
static size_t written(const unsigned char *v, size_t at, size_t end)
{
	while (at < end && v[at] == HD_GUARD)
		at++;
	return at;
}

static void HD_PRINTF(2, 3) overran(const struct hd_instance *in, const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = hd__xvprintf(fmt, ap);
	va_end(ap);
	hd__fail_of(in, text);
	free(text);
}

void hd__look_behind(struct hd_sim *s, const struct hd_instance *in)
{
	const struct hd_contract *k = s->contract;
	size_t size = in->module->state_size, end = hd__state_room(in->module, true), n = written(in->state, size, end);

	if (n < end)
		overran(in, "has written behind the %zu bytes of its state, at offset %zu; expected that 'state_size' "
		        "includes all that it uses", size, n);
	for (size_t i = 0; i < k->guarded[in->number].n; i++) {
		const struct hd_piece *p = &k->guarded[in->number].piece[i];

		n = written(p->v, p->bytes, p->bytes + BEHIND);
		if (n < p->bytes + BEHIND)
			overran(in, "has written behind the %zu bytes that it got from hd_memory(), at offset %zu; "
			        "expected an index within them", p->bytes, n);
	}
}

void *hd__guarded_memory(const struct hd_ctx *c, size_t n, size_t size)
{
	struct hd_guarded *g = &c->sim->contract->guarded[c->instance->number];
	size_t bytes;
	unsigned char *v;

	if (__builtin_mul_overflow(n, size, &bytes) || bytes > SIZE_MAX / 4)
		return NULL;
	v = hd__maybe_zeroed(c->sim, bytes + BEHIND, 1);
	if (v == NULL)
		return NULL;
	memset(v + bytes, HD_GUARD, BEHIND);
	g->piece = hd__xappend(g->piece, g->n, sizeof *g->piece);
	g->piece[g->n++] = (struct hd_piece){ v, bytes };
	return v;
}
