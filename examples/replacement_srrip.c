/* replacement_srrip.c - replacement of cache lines by predicted distance of their next use (SRRIP)
 * SPDX-License-Identifier: BSD-2-Clause
 *
 *	cc -O2 -fPIC -shared $(pkg-config --cflags heddle) -o replacement_srrip.so replacement_srrip.c
 *
 * A counter for each line predicts how far its next use is: 0 when it was used again, one
 * less than the greatest when it came.  A line with the greatest goes.  Lines that are only used once
 * (a stream) do not push out those that are used again.
 */
#include <heddle/gpu/replacement.h>

#include <stdlib.h>

struct state {
	struct hd_replacement_if policy;
	struct hd_ctx *ctx;
	uint32_t bits, far; /* far: the greatest distance */
	uint32_t ways;
	uint8_t *distance;  /* by set and way */
	size_t lines;
	uint64_t chosen, aged;
};

static int resize(void *self, uint32_t sets, uint32_t ways)
{
	struct state *st = self;

	free(st->distance);
	st->ways = ways;
	st->lines = (size_t)sets * ways;
	st->distance = malloc(st->lines);
	if (!st->distance)
		return hd_error(st->ctx, "out of memory for %u sets of %u ways", sets, ways);
	memset(st->distance, (int)st->far, st->lines);
	return 0;
}

/* All lines age by what the replaced line lacked to the greatest distance. */
static void allocated(void *self, uint32_t set, uint32_t way, const struct hd_mem_req *req)
{
	struct state *st = self;
	uint8_t *line = &st->distance[(size_t)set * st->ways], older = (uint8_t)st->far - line[way];

	for (uint32_t i = 0; older && i < st->ways; i++)
		line[i] = (uint8_t)(line[i] + older < st->far ? line[i] + older : st->far);
	st->aged += older;
	line[way] = (uint8_t)st->far - 1;
}

static void used(void *self, uint32_t set, uint32_t way, const struct hd_mem_req *req)
{
	struct state *st = self;

	st->distance[(size_t)set * st->ways + way] = 0;
}

static uint32_t victim(void *self, uint32_t set, const uint32_t *ways, uint32_t n, const struct hd_mem_req *req)
{
	struct state *st = self;
	const uint8_t *line = &st->distance[(size_t)set * st->ways];
	uint32_t best = 0;

	for (uint32_t i = 1; i < n; i++)
		if (line[ways[i]] > line[ways[best]])
			best = i;
	st->chosen++;
	return best;
}

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	st->ctx = ctx;
	st->far = (1u << st->bits) - 1;
	st->policy = (struct hd_replacement_if){ .self = st, .resize = resize, .allocated = allocated,
		                                 .used = used, .victim = victim };
	return 0;
}

static void fini(void *state)
{
	free(((struct state *)state)->distance);
}

/* The number of ways may be another than at the start. */
static void checkpoint(void *state, struct hd_checkpoint *k)
{
	struct state *st = state;
	uint32_t ways = (uint32_t)hd_saved_number(k, st->ways, 65536);
	size_t lines = st->ways ? st->lines / st->ways * ways : 0;

	if (lines > 0 && lines != st->lines) {
		uint8_t *distance = realloc(st->distance, lines);

		if (!distance) {
			hd_refuse(k, "out of memory for %zu lines", lines);
			return;
		}
		st->distance = distance;
		st->lines = lines;
	}
	st->ways = ways;
	hd_saved(k, st->distance, st->lines);
}

static const struct hd_param params[] = {
	{ .name = "bits", .unit = "bits", .doc = "of the counter of each line", .type = HD_U32,
	  .offset = offsetof(struct state, bits), .def = "2", .min = 1, .max = 7 },
	{ .name = NULL },
};

static const struct hd_port ports[] = {
	{ .name = "policy", .doc = "for one cache", .kind = HD_PROVIDES,
	  .type = &hd_type_replacement_if, .offset = offsetof(struct state, policy) },
	{ .name = NULL },
};

static const struct hd_stat stats[] = {
	{ .name = "chosen", .unit = "lines", .doc = "times that it chose a line",
	  .offset = offsetof(struct state, chosen) },
	{ .name = "aged", .unit = "steps", .doc = "by which all lines of a set became older",
	  .offset = offsetof(struct state, aged) },
	{ .name = NULL },
};

const struct hd_module hd_module_replacement_srrip = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "replacement_srrip",
	.doc = "replacement of cache lines by predicted distance of their next use",
	.params = params,
	.ports = ports,
	.stats = stats,
	.state_size = sizeof(struct state),
	.init = init,
	.fini = fini,
	.checkpoint = checkpoint, .confined = true,
};
