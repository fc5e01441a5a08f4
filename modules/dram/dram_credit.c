/* dram_credit.c - how many requests a slice may have in the channel
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Each slice has a credit of its own, and all share the others.
 */
#include "dram_parts.h"

bool hd__dram_has_credit(const struct dram *d, uint32_t slice)
{
	return !d->own_used[slice] || d->shared_used < d->shared_credits;
}

void hd__dram_take_credit(struct dram *d, uint32_t slice)
{
	if (d->own_used[slice])
		d->shared_used++;
	d->own_used[slice] = true;
}

/* The reference gives back the slice's own first, whichever the request had. */
void hd__dram_give_credit(struct dram *d, hd_mem_ref ref)
{
	uint32_t slice = hd_mem(d->pool, ref)->slice;

	if (d->own_used[slice])
		d->own_used[slice] = false;
	else
		d->shared_used--;
}
