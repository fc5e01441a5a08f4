/* result_queue.c - results of fixed latency on their way to the register file
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/modern.md, Results: one leaves per cycle, when the write port of its bank is free.  Instructions
 * without a result pass in the same way, but need no port.
 */
#include <heddle/gpu/control.h>
#include <heddle/gpu/regfile.h>

struct state {
	struct hd_credits credits;
	struct hd_end in, out;
	const struct hd_regfile_if *regfile;
	struct hd_pool *pool;
	uint64_t classes;
	uint32_t entries;
	uint32_t held; /* results that were put and have not left */
	hd_inst_ref queue[256];
	uint32_t head;
	uint64_t passed, port_waits, full;
};

static void set_free(struct state *st)
{
	uint32_t free = st->held < st->entries ? st->entries - st->held : 0;

	st->full += free == 0;
	hd_credits_set(&st->credits, free);
}

static uint64_t eval(void *state)
{
	struct state *st = state;
	const hd_inst_ref *front = hd_front(&st->in);
	const struct hd_inst *inst;
	hd_inst_ref ref;

	for (; front && st->held < 256; front = hd_front(&st->in)) {
		st->queue[(st->head + st->held++) % 256] = *front;
		hd_take(&st->in);
	}
	if (st->held == 0)
		return HD_SLEEP;
	ref = st->queue[st->head];
	inst = hd_inst(st->pool, ref);
	if (!hd_room(&st->out)
	    || (inst->dst && !st->regfile->write(st->regfile->self, inst->warp, inst->dst))) {
		st->port_waits++;
	} else {
		hd_put(&st->out, &ref, sizeof ref);
		st->head = (st->head + 1) % 256;
		st->held--;
		st->passed++;
	}
	if (st->held || st->credits.free != st->entries)
		set_free(st);
	return st->held ? HD_NEXT : HD_SLEEP;
}

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	st->pool = hd_pool(ctx, &hd_type_inst);
	st->credits.classes = st->classes;
	st->credits.free = st->entries;
	return 0;
}

static void report_pending(const void *state, struct hd_pending *h)
{
	const struct state *st = state;

	if (st->held)
		hd_report_pending(h, "%u results wait for a write port", st->held);
}

static void checkpoint(void *state, struct hd_checkpoint *k)
{
	struct state *st = state;

	HD_SAVED(k, st->credits.free);
	HD_SAVED_FROM(k, st, held, head);
}

#define P(f) offsetof(struct state, f)

static const struct hd_param params[] = {
	{ .name = "entries", .unit = "results", .doc = "results that it holds; if it is full no instruction "
	  "of the classes is issued", .type = HD_U32, .offset = P(entries), .def = "8", .min = 1,
	  .max = 128 },
	{ .name = "classes", .unit = "", .doc = "classes of the instructions whose results come here",
	  .type = HD_SYMBOLS, .kind = "class", .offset = P(classes), .min = 1, .max = 64 },
	{ .name = NULL },
};

static const struct hd_port ports[] = {
	{ .name = "credits", .doc = "free entries, for the issue stage", .kind = HD_PROVIDES,
	  .flags = HD_PROVIDER_FIRST | HD_ORDERED, .type = &hd_type_credits, .offset = P(credits) },
	{ .name = "in", .doc = "results of the units", .kind = HD_IN, .type = &hd_type_inst,
	  .offset = P(in) },
	{ .name = "out", .doc = "to writeback", .kind = HD_OUT, .type = &hd_type_inst,
	  .offset = P(out) },
	{ .name = "regfile", .doc = "write ports", .kind = HD_USES, .type = &hd_type_regfile_if,
	  .offset = P(regfile) },
	{ .name = NULL },
};

static const struct hd_stat stats[] = {
	{ .name = "passed", .unit = "warp instructions", .doc = "instructions that left", .offset = P(passed) },
	{ .name = "port_waits", .unit = "cycles", .doc = "cycles in which the first one waited for a write "
	  "port", .offset = P(port_waits) },
	{ .name = "full", .unit = "cycles", .doc = "cycles at whose end it was full", .offset = P(full) },
	{ .name = NULL },
};

const struct hd_module hd_module_result_queue = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "result_queue",
	.doc = "results of fixed latency on their way to the register file, one per cycle",
	.params = params,
	.ports = ports,
	.stats = stats,
	.state_size = sizeof(struct state),
	.init = init,
	.eval = eval,
	.report_pending = report_pending,
	.checkpoint = checkpoint,
};
