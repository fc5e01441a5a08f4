/* smem_port.c - the port of shared memory, or of an L1D, that several units share
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/hopper.md, SP1 and SP2.  Operands of matrices are read in a pattern that is known when it begins; others take a
 * cycle at a time, in the order of their links.
 */
#include <heddle/gpu/matrix.h>

struct state {
	struct hd_smem_port_if port;
	struct hd_ctx *ctx;
	uint32_t width;
	uint64_t from, taken_at; /* first edge of the stream; 1 + the last edge that another one has taken */
	uint32_t cycles, interval;
	uint64_t by[HD_SMEM_CLIENTS], refused;
};

/* Does the stream use this edge?  So many of the first edges of the interval as is its share of them. */
static bool streams(const struct state *st, uint64_t now)
{
	uint64_t k = now - st->from;

	return k < st->interval && (k + 1) * st->cycles / st->interval != k * st->cycles / st->interval;
}

static void stream(void *self, uint32_t cycles, uint32_t interval)
{
	struct state *st = self;

	st->from = hd_now(st->ctx);
	st->cycles = cycles < interval ? cycles : interval;
	st->interval = interval;
	st->by[HD_SMEM_MMA] += st->cycles;
}

static bool take(void *self, enum hd_smem_client client)
{
	struct state *st = self;
	uint64_t now = hd_now(st->ctx);

	if (st->taken_at == now + 1 || streams(st, now)) {
		st->refused++;
		return false;
	}
	st->taken_at = now + 1;
	st->by[client]++;
	return true;
}

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	st->ctx = ctx;
	st->port = (struct hd_smem_port_if){ .self = st, .width = st->width, .stream = stream, .take = take };
	return 0;
}

/* The instance has a clock for the time, and nothing to do at an edge. */
static uint64_t eval(void *state)
{
	(void)state;
	return HD_SLEEP;
}

static void checkpoint(void *state, struct hd_checkpoint *k)
{
	struct state *st = state;

	HD_SAVED_FROM(k, st, from, interval);
}

#define P(f) offsetof(struct state, f)

static const struct hd_param params[] = {
	{ .name = "width", .unit = "bytes", .doc = "that pass in a cycle", .type = HD_U32, .offset = P(width),
	  .def = "128", .min = 1, .max = 4096 },
	{ .name = NULL },
};

static const struct hd_port ports[] = {
	{ .name = "port", .doc = "for those that share it, the first link first", .kind = HD_PROVIDES,
	  .flags = HD_ORDERED | HD_PROVIDER_FIRST, .type = &hd_type_smem_port_if, .offset = P(port) },
	{ .name = NULL },
};

static const struct hd_stat stats[] = {
	{ .name = "mma", .unit = "cycles", .doc = "for operands of matrices", .offset = P(by[HD_SMEM_MMA]),
	  .rate = "port utilisation" },
	{ .name = "load_store", .unit = "cycles", .doc = "for loads and stores", .offset = P(by[HD_SMEM_LOAD_STORE]) },
	{ .name = "bulk", .unit = "cycles", .doc = "for bulk copies", .offset = P(by[HD_SMEM_BULK]) },
	{ .name = "remote", .unit = "cycles", .doc = "for other CTAs of the cluster", .offset = P(by[HD_SMEM_REMOTE]) },
	{ .name = "refused", .unit = "cycles", .doc = "in which one wanted the port and another had it",
	  .offset = P(refused) },
	{ .name = NULL },
};

const struct hd_module hd_module_smem_port = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "smem_port",
	.doc = "port of shared memory that matrix units, loads and stores, and bulk copies share",
	.params = params,
	.ports = ports,
	.stats = stats,
	.state_size = sizeof(struct state),
	.init = init,
	.eval = eval,
	.checkpoint = checkpoint,
};
