/* systolic_group.c - a systolic array that calculates products of warpgroups, in the place of Hopper's tensor units
 * SPDX-License-Identifier: BSD-2-Clause
 *
 *	cc -O2 -fPIC -shared $(pkg-config --cflags heddle) -o systolic_group.so systolic_group.c
 *
 * The array has rows x columns cells, each with a weight of the second matrix.  A product takes as many passes as it
 * has tiles of that size.  In a pass the rows of the first matrix, 64 or 128, flow through, one in a cycle.  Meanwhile
 * the weights of the next pass are shifted in, a row in a cycle.
 */
#include <heddle/gpu/matrix.h>

struct state {
	struct hd_products_if face;
	uint32_t rows, columns;
	uint64_t passes;
};

static uint32_t cycles(void *self, const struct hd_inst *inst)
{
	struct state *st = self;
	uint32_t k = inst->async.more, n = inst->async.n, m = inst->async.how & HD_MMA_TALL ? 128 : 64;
	uint32_t passes = ((k + st->rows - 1) / st->rows) * ((n + st->columns - 1) / st->columns);

	st->passes += passes;
	return passes * (st->rows > m ? st->rows : m);
}

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	(void)ctx;
	st->face = (struct hd_products_if){ .self = st, .cycles = cycles };
	return 0;
}

#define AT(member) .offset = offsetof(struct state, member)

const struct hd_module hd_module_systolic_group = {
	.abi = HD_ABI, .size = sizeof(struct hd_module), .name = "systolic_group",
	.doc = "a systolic array that keeps the weights of a tile of the second matrix",
	.params = (const struct hd_param[]){
		{ .name = "rows", .unit = "cells", .doc = "of a column: elements of K in a pass",
		  .type = HD_U32, AT(rows), .def = "16", .min = 1, .max = 1024 },
		{ .name = "columns", .unit = "cells", .doc = "of a row: columns of the product in a pass",
		  .type = HD_U32, AT(columns), .def = "128", .min = 1, .max = 1024 },
		{ 0 } },
	.ports = (const struct hd_port[]){
		{ .name = "products", .doc = "for the unit that collects the warps", .kind = HD_PROVIDES,
		  .type = &hd_type_products_if, AT(face) },
		{ 0 } },
	.stats = (const struct hd_stat[]){
		{ .name = "passes", .unit = "passes", .doc = "of rows of the first matrix", AT(passes) },
		{ 0 } },
	.state_size = sizeof(struct state),
	.init = init,
	.checkpoint = hd_nothing_saved,
	.confined = true,
};
