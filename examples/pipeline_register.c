/* pipeline_register.c - a register for memory requests: each passes it in one cycle, and it holds one
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include <heddle/gpu/mem.h>

struct state {
	struct hd_end in, out;
	uint64_t passed;
};

static uint64_t eval(void *state)
{
	struct state *st = state;
	const hd_mem_ref *front = hd_reg_front(&st->in, sizeof *front);

	if (front == NULL || !hd_reg_free(&st->out))
		return HD_SLEEP; /* until something is put into `in`, or taken from `out` */
	hd_reg_pass(&st->in, &st->out, front, sizeof *front);
	st->passed++;
	return HD_SLEEP;
}

#define AT(member) .offset = offsetof(struct state, member)
const struct hd_module hd_module_pipeline_register = {
	.abi = HD_ABI, .size = sizeof(struct hd_module), .state_size = sizeof(struct state),
	.name = "pipeline_register", .doc = "register for memory requests", .eval = eval,
	.checkpoint = hd_nothing_saved, /* what is in it is in its channel */
	.ports = (const struct hd_port[]){
		{ .name = "in", .doc = "requests", .kind = HD_IN, .flags = HD_REG,
		  .type = &hd_type_mem, AT(in), .users = 1 },
		{ .name = "out", .doc = "the same, a cycle later", .kind = HD_OUT, .flags = HD_REG,
		  .type = &hd_type_mem,
		  AT(out), .most = 1 }, { 0 } },
	.stats = (const struct hd_stat[]){ { .name = "passed", .unit = "requests", .doc = "requests that passed",
		AT(passed) }, { 0 } },
};
