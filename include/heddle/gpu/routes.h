/* routes.h - which link of a port takes the instructions of which class
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef HEDDLE_GPU_ROUTES_H
#define HEDDLE_GPU_ROUTES_H

#include <heddle/module.h>

#define HD_MAX_ROUTES 32u
#define HD_NO_ROUTE HD_MAX_ROUTES

/* By class: the link of port `out` that takes it, or HD_NO_ROUTE.  The attributes of a link begin with
 * the set of its classes, a uint64_t.  Returns not 0 after an error. */
static inline int hd_routes(const struct hd_ctx *ctx, const struct hd_ends *out, uint8_t route[64])
{
	memset(route, HD_NO_ROUTE, 64);
	if (out->n > HD_MAX_ROUTES)
		return hd_error(ctx, "%u links at port 'out'; expected at most %u", out->n, HD_MAX_ROUTES);
	for (uint32_t i = 0; i < out->n; i++) {
		for (uint64_t m = *(const uint64_t *)out->v[i].attr; m;) {
			unsigned c = hd_bits_pop(&m);

			if (route[c] != HD_NO_ROUTE)
				return hd_error(ctx, "two links of port 'out' take class '%s'; expected one",
				                hd_symbol_name(ctx, "class", c));
			route[c] = (uint8_t)i;
		}
	}
	return 0;
}

#endif
