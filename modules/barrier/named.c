/* named.c - barriers of CTAs: who has arrived at which, and which of them open
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "named.h"

#include <inttypes.h>

enum { EVENT_ARRIVE, EVENT_OPEN };

/* Opens the barrier of the warp's CTA if all its warps that have not ended have arrived, or as many as it is for. */
static void settle(struct named *n, uint32_t warp, uint32_t id)
{
	const struct hd_warps *w = n->warps;
	hd_warp_set cta = w->cta_warps[w->cta[warp]];
	hd_warp_set here = n->joined[id] & cta, all = here | (n->arrived[id] & cta);
	uint32_t threads = n->threads[w->cta[warp]][id];

	if (all == 0 || (threads ? hd_warp_count(all) * HD_LANES < threads : (cta & ~w->exited & ~all) != 0))
		return;
	n->joined[id] &= ~here;
	n->arrived[id] &= ~all;
	n->releases++;
	hd_emit(n->ctx, EVENT_OPEN, w->cta[warp], hd_warp_count(here));
	n->open(n, here);
}

uint32_t hd__named_come(struct named *n, const struct hd_inst *inst)
{
	uint32_t cta = n->warps->cta[inst->warp], id = inst->async.n % HD_NAMED_BARRIERS;

	n->used[cta] |= (uint16_t)(1u << id);
	n->threads[cta][id] = (uint16_t)inst->async.more;
	n->arrivals++;
	hd_emit(n->ctx, EVENT_ARRIVE, cta, inst->warp);
	return id;
}

void hd__named_join(struct named *n, uint32_t warp, uint32_t id)
{
	n->joined[id] |= hd_warp_bit(warp);
	settle(n, warp, id);
}

void hd__named_arrive(struct named *n, uint32_t warp, uint32_t id)
{
	n->arrived[id] |= hd_warp_bit(warp);
	settle(n, warp, id);
}

void hd__named_leave(struct named *n, uint32_t warp)
{
	uint32_t cta = n->warps->cta[warp];
	hd_warp_set warps = n->warps->cta_warps[cta];
	bool over = !(warps & ~n->warps->exited);

	for (uint64_t used = n->used[cta]; used;) {
		uint32_t id = hd_bits_pop(&used);

		n->joined[id] &= ~hd_warp_bit(warp);
		if (!n->threads[cta][id])
			n->arrived[id] &= ~hd_warp_bit(warp);
		settle(n, warp, id);
		if (over) {
			n->arrived[id] &= ~warps;
			n->threads[cta][id] = 0;
		}
	}
	if (over)
		n->used[cta] = 0;
}

void hd__named_report(const void *state, struct hd_pending *h)
{
	const struct named *n = state;
	const struct hd_warps *w = n->warps;

	for (uint32_t cta = 0; cta < w->count; cta++)
		for (uint64_t used = n->used[cta]; used;) {
			uint32_t id = hd_bits_pop(&used);
			hd_warp_set warps = w->cta_warps[cta], here = n->joined[id] & warps;
			uint32_t come = hd_warp_count(here | (n->arrived[id] & warps)) * HD_LANES;
			uint32_t threads = n->threads[cta][id];

			if (!threads)
				threads = hd_warp_count(warps & ~w->exited) * HD_LANES;
			if (here)
				hd_report_pending(h, "kernel %" PRIu32 ", block %" PRIu64 ": %u warps wait at barrier "
				                  "%u for %u threads, of which %u have come",
				                  w->kernel[hd_warp_first(here)], w->block[cta],
				                  hd_warp_count(here), id, threads, come);
		}
}

const struct hd_event hd__named_events[] = {
	[EVENT_ARRIVE] = { .name = "arrive", .doc = "a warp arrived at its barrier", .fields = {
		{ "cta", "", "CTA slot" },
		{ "warp", "", "hardware warp slot", NULL, HD_FIELD_KEY },
	} },
	[EVENT_OPEN] = { .name = "open", .doc = "all warps have arrived, or ended", .fields = {
		{ "cta", "", "CTA slot" },
		{ "warps", "warps", "that waited" },
	} },
	{ .name = NULL },
};
