/* replacement_ship.c - replacement of cache lines by predicted distance of their next use, learned by pc (SHiP)
 * SPDX-License-Identifier: BSD-2-Clause
 *
 *	cc -O2 -fPIC -shared $(pkg-config --cflags heddle) -o replacement_ship.so replacement_ship.c
 *
 * A counter for each line predicts how far its next use is: 0 when it was used again, one less than the greatest when
 * it came (SRRIP).  A line with the greatest goes.  Where the lines that an instruction brought went without another
 * use, those that it brings next begin with the greatest: a stream does not push out what is used again.
 * Wu and others, SHiP: Signature-based hit predictor for high performance caching, MICRO 2011.
 */
#include <heddle/gpu/replacement.h>

#include <stdlib.h>

#define MOST_REUSED 7u /* of a counter of an instruction */

struct line {
	uint64_t by;        /* instruction that brought it */
	uint32_t signature; /* entry of that */
	uint16_t used;      /* 1: again, by another one */
	uint16_t distance;
};

struct state {
	struct hd_replacement_if policy;
	struct hd_ctx *ctx;
	uint32_t bits, far; /* far: the greatest distance */
	uint32_t entries;
	uint8_t *reused;    /* by entry: 0: lines are not used again */
	uint32_t ways;
	struct line *line;  /* by set and way */
	size_t lines;
	uint64_t brought, distant;
};

static int resize(void *self, uint32_t sets, uint32_t ways)
{
	struct state *st = self;

	free(st->line);
	st->ways = ways;
	st->lines = (size_t)sets * ways;
	st->line = calloc(st->lines, sizeof *st->line);
	if (!st->line)
		return hd_error(st->ctx, "out of memory for %u sets of %u ways", sets, ways);
	for (size_t i = 0; i < st->lines; i++)
		st->line[i] = (struct line){ .used = 1, .distance = (uint16_t)st->far };
	return 0;
}

/* Kernels have the same pcs, so both say which instruction it is.  What comes from none has an entry as well. */
static uint32_t signature_of(const struct state *st, const struct hd_mem_req *req)
{
	uint64_t hash = ((uint64_t)req->kernel << 32 | req->pc) * UINT64_C(0x9e3779b97f4a7c15);

	return st->entries ? (uint32_t)(hash >> 40) % st->entries : 0;
}

/* Sectors of a line come one by one: those for one instruction of a warp are one use. */
static uint64_t use_of(const struct hd_mem_req *req)
{
	return (uint64_t)req->core << 32 | req->uid;
}

/* All lines age by what the replaced line lacked to the greatest distance. */
static void allocated(void *self, uint32_t set, uint32_t way, const struct hd_mem_req *req)
{
	struct state *st = self;
	struct line *line = &st->line[(size_t)set * st->ways], *l = &line[way];
	uint32_t older = st->far - l->distance;

	for (uint32_t i = 0; older && i < st->ways; i++)
		line[i].distance = (uint16_t)(line[i].distance + older < st->far ? line[i].distance + older : st->far);
	if (st->entries && !l->used && st->reused[l->signature] > 0)
		st->reused[l->signature]--;
	st->brought++;
	*l = (struct line){ .by = use_of(req), .signature = signature_of(st, req),
		            .distance = (uint16_t)(st->far - 1) };
	if (st->entries && !st->reused[l->signature]) {
		l->distance = (uint16_t)st->far;
		st->distant++;
	}
}

static void used(void *self, uint32_t set, uint32_t way, const struct hd_mem_req *req)
{
	struct state *st = self;
	struct line *l = &st->line[(size_t)set * st->ways + way];

	if (l->by == use_of(req))
		return;
	l->by = use_of(req);
	l->used = 1;
	l->distance = 0;
	if (st->entries && st->reused[l->signature] < MOST_REUSED)
		st->reused[l->signature]++;
}

static uint32_t victim(void *self, uint32_t set, const uint32_t *ways, uint32_t n, const struct hd_mem_req *req)
{
	const struct state *st = self;
	const struct line *line = &st->line[(size_t)set * st->ways];
	uint32_t best = 0;

	(void)req;
	for (uint32_t i = 1; i < n; i++)
		if (line[ways[i]].distance > line[ways[best]].distance)
			best = i;
	return best;
}

/* Lines of an instruction that nothing is known of yet are taken to be used again. */
static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	st->ctx = ctx;
	st->far = (1u << st->bits) - 1;
	st->reused = hd_memory(ctx, st->entries + (size_t)1, sizeof *st->reused);
	if (!st->reused)
		return hd_error(ctx, "out of memory for %u entries", st->entries);
	memset(st->reused, 1, st->entries);
	st->policy = (struct hd_replacement_if){ .self = st, .resize = resize, .allocated = allocated,
		                                 .used = used, .victim = victim };
	return 0;
}

static void fini(void *state)
{
	free(((struct state *)state)->line);
}

/* The number of ways may be another than at the start. */
static void checkpoint(void *state, struct hd_checkpoint *k)
{
	struct state *st = state;
	uint32_t ways = (uint32_t)hd_saved_number(k, st->ways, 65536);
	size_t lines = st->ways ? st->lines / st->ways * ways : 0;

	if (lines > 0 && lines != st->lines) {
		struct line *line = realloc(st->line, lines * sizeof *line);

		if (!line) {
			hd_refuse(k, "out of memory for %zu lines", lines);
			return;
		}
		st->line = line;
		st->lines = lines;
	}
	st->ways = ways;
	hd_saved(k, st->line, st->lines * sizeof *st->line);
	hd_saved(k, st->reused, st->entries * sizeof *st->reused);
}

static const struct hd_param params[] = {
	{ .name = "bits", .unit = "bits", .doc = "of the counter of each line", .type = HD_U32,
	  .offset = offsetof(struct state, bits), .def = "2", .min = 1, .max = 7 },
	{ .name = "entries", .unit = "entries", .doc = "of the table in which it is learned whether the lines of an "
	  "instruction are used again; 0: it is not learned, which is SRRIP", .type = HD_U32,
	  .offset = offsetof(struct state, entries), .def = "16384", .min = 0, .max = 1048576 },
	{ .name = NULL },
};

static const struct hd_port ports[] = {
	{ .name = "policy", .doc = "for one cache", .kind = HD_PROVIDES,
	  .type = &hd_type_replacement_if, .offset = offsetof(struct state, policy) },
	{ .name = NULL },
};

static const struct hd_stat stats[] = {
	{ .name = "brought", .unit = "lines", .doc = "that came into the cache",
	  .offset = offsetof(struct state, brought) },
	{ .name = "distant", .unit = "lines", .doc = "of these those of instructions whose lines are not used again",
	  .offset = offsetof(struct state, distant) },
	{ .name = NULL },
};

const struct hd_module hd_module_replacement_ship = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "replacement_ship",
	.doc = "replacement of cache lines by the distance of their next use, predicted by pc",
	.params = params,
	.ports = ports,
	.stats = stats,
	.state_size = sizeof(struct state),
	.init = init,
	.fini = fini,
	.checkpoint = checkpoint,
};
