/* routes.h - which link of a port takes the instructions of which class
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef HEDDLE_GPU_ROUTES_H
#define HEDDLE_GPU_ROUTES_H

#include <heddle/module.h>

#define HD_MAX_ROUTES 32u
#define HD_NO_ROUTE HD_MAX_ROUTES

/* Notes a value for some classes that have `none` so far.  what: two of them have the class, for a message.
 * Returns not 0 after an error. */
static inline int hd_class_note(const struct hd_ctx *ctx, uint8_t of[64], uint8_t none, uint64_t classes,
                                uint32_t value, const char *what)
{
	while (classes) {
		unsigned c = hd_bits_pop(&classes);

		if (of[c] != none)
			return hd_error(ctx, "two %s class '%s'; expected one", what, hd_symbol_name(ctx, "class", c));
		of[c] = (uint8_t)value;
	}
	return 0;
}

/* By class: the link of port `out` that takes it, or HD_NO_ROUTE.  The attributes of a link begin with
 * the set of its classes, a uint64_t.  Returns not 0 after an error. */
static inline int hd_routes(const struct hd_ctx *ctx, const struct hd_ends *out, uint8_t route[64])
{
	memset(route, HD_NO_ROUTE, 64);
	if (out->n > HD_MAX_ROUTES)
		return hd_error(ctx, "%u links at port 'out'; expected at most %u", out->n, HD_MAX_ROUTES);
	for (uint32_t i = 0; i < out->n; i++)
		if (hd_class_note(ctx, route, HD_NO_ROUTE, *(const uint64_t *)out->v[i].attr, i,
		                  "links of port 'out' take") != 0)
			return -1;
	return 0;
}

#endif
