/* replacement_dead.c - replacement of cache lines that will not be used again, as the pc of their last use tells
 * SPDX-License-Identifier: BSD-2-Clause
 *
 *	cc -O2 -fPIC -shared $(pkg-config --cflags heddle) -o replacement_dead.so replacement_dead.c
 *
 * A sampler has a place for more lines than the cache, with the instruction that used each last.  If a line is used
 * again while it is there, that use was not the last one; if another line takes its place, it was.  A counter for each
 * instruction follows that.  A line is dead whose last use is by an instruction with a high counter: dead lines are
 * replaced first, then the least recently used one.
 * Khan, Tian and Jimenez, Sampling dead block prediction for last-level caches, MICRO 2010; here all sets are sampled.
 */
#include <heddle/gpu/replacement.h>

#include <stdlib.h>

#define SURE 3u /* most of a counter */
#define DEAD 2u /* from here on */

/* The last use of a line of the cache, and of a line that is sampled; without padding, as it is saved. */
struct last {
	uint64_t of; /* line: instruction that used it; sample: 1 + number of the line, 0: the place is free */
	uint64_t pc; /* entry of that instruction */
	uint64_t time;
};

struct state {
	struct hd_replacement_if policy;
	struct hd_ctx *ctx;
	uint32_t entries, samples, bytes, ways;
	uint8_t *dead;       /* by entry: 0 to SURE */
	struct last *sample;
	struct last *line;   /* by set and way */
	size_t lines;
	uint64_t time, died; /* uses so far, and a statistic */
};

static int resize(void *self, uint32_t sets, uint32_t ways)
{
	struct state *st = self;

	free(st->line);
	st->ways = ways;
	st->lines = (size_t)sets * ways;
	st->line = calloc(st->lines, sizeof *st->line);
	return st->line ? 0 : hd_error(st->ctx, "out of memory for %u sets of %u ways", sets, ways);
}

static uint32_t place(uint64_t what, uint32_t n)
{
	return (uint32_t)(what * UINT64_C(0x9e3779b97f4a7c15) >> 32) % n;
}

/* Sectors of a line come one by one: those for one instruction of a warp are one use.  Kernels have the same pcs. */
static void use(struct state *st, struct last *l, const struct hd_mem_req *req, bool first)
{
	uint64_t by = (uint64_t)req->core << 32 | req->uid, number = 1 + req->addr / st->bytes;
	struct last *s = &st->sample[place(number, st->samples)];

	l->time = ++st->time;
	if (!first && l->of == by)
		return;
	l->of = by;
	l->pc = place((uint64_t)req->kernel << 32 | req->pc, st->entries);
	if (s->of == number)
		st->dead[s->pc] -= st->dead[s->pc] > 0;
	else if (s->of)
		st->dead[s->pc] += st->dead[s->pc] < SURE;
	*s = (struct last){ number, l->pc, l->time };
}

static void allocated(void *self, uint32_t set, uint32_t way, const struct hd_mem_req *req)
{
	struct state *st = self;
	struct last *l = &st->line[(size_t)set * st->ways + way];

	st->died += l->time && st->dead[l->pc] >= DEAD;
	use(st, l, req, true);
}

static void used(void *self, uint32_t set, uint32_t way, const struct hd_mem_req *req)
{
	struct state *st = self;

	use(st, &st->line[(size_t)set * st->ways + way], req, false);
}

static uint32_t victim(void *self, uint32_t set, const uint32_t *ways, uint32_t n, const struct hd_mem_req *req)
{
	const struct state *st = self;
	const struct last *line = &st->line[(size_t)set * st->ways];
	uint32_t best = 0;

	(void)req;
	for (uint32_t i = 1; i < n; i++) {
		const struct last *a = &line[ways[i]], *b = &line[ways[best]];
		bool dead = st->dead[a->pc] >= DEAD, other = st->dead[b->pc] >= DEAD;

		if (dead != other ? dead : a->time < b->time)
			best = i;
	}
	return best;
}

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	st->ctx = ctx;
	st->dead = hd_memory(ctx, st->entries, sizeof *st->dead);
	st->sample = hd_memory(ctx, st->samples, sizeof *st->sample);
	st->policy = (struct hd_replacement_if){ st, resize, allocated, used, victim };
	return st->dead && st->sample ? 0 : hd_error(ctx, "out of memory for %u entries", st->entries);
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

	if (ways != st->ways && st->ways && resize(st, (uint32_t)(st->lines / st->ways), ways))
		return;
	hd_saved(k, st->line, st->lines * sizeof *st->line);
	hd_saved(k, st->dead, st->entries * sizeof *st->dead);
	hd_saved(k, st->sample, st->samples * sizeof *st->sample);
	hd_saved(k, &st->time, sizeof st->time);
}

#define AT(member) .offset = offsetof(struct state, member)

const struct hd_module hd_module_replacement_dead = {
	.abi = HD_ABI, .size = sizeof(struct hd_module), .state_size = sizeof(struct state), .name = "replacement_dead",
	.doc = "replaces cache lines first that will not be used again, as predicted by pc", .init = init, .fini = fini,
	.checkpoint = checkpoint, .confined = true,
	.params = (const struct hd_param[]){
		{ .name = "entries", .unit = "entries", .doc = "of the table of counters, for which pcs are hashed",
		  AT(entries), .def = "4096", .min = 1, .max = 1048576 },
		{ .name = "samples", .unit = "lines", .doc = "that the sampler has places for", AT(samples),
		  .def = "4096", .min = 1, .max = 1048576 },
		{ .name = "line", .unit = "bytes", .doc = "of the cache", AT(bytes), .def = "128", .min = 32,
		  .max = 4096 },
		{ .name = NULL } },
	.ports = (const struct hd_port[]){
		{ .name = "policy", .doc = "of one cache", .kind = HD_PROVIDES, .type = &hd_type_replacement_if,
		  AT(policy) },
		{ .name = NULL } },
	.stats = (const struct hd_stat[]){
		{ .name = "died", .unit = "lines", .doc = "that were replaced as they were dead", AT(died) },
		{ .name = NULL } },
};
