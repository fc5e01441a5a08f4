/* ring_stage.c - the modules of the ring benchmark, and netlists that place them
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "ring.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- a stage: takes its input, puts its output, sleeps until the next token; with FIFOs, and with registers ---- */

struct stage {
	struct hd_end in, out;
	uint32_t sum, index, works;
	uint32_t tokens; /* of the array; 0 after the first edge: so all is one cache line */
};

static const struct hd_type token = { .name = "ring_token", .size = sizeof(uint32_t),
	                              .version = 1 };

enum { WITH_TOKEN = 1, WITHOUT = 2 };

static int stage_init(void *state, struct hd_ctx *ctx)
{
	struct stage *st = state;

	st->index = ctx->index;
	st->tokens = ring_seeded(st->index, ctx->count, st->tokens) ? WITH_TOKEN : WITHOUT;
	return 0;
}

/* The token that the stage holds when the first edge comes. */
static uint64_t stage_begin(struct stage *st)
{
	uint32_t v = ring_seed(st->index);

	if (st->tokens == WITH_TOKEN)
		hd_put(&st->out, &v, sizeof v);
	st->tokens = 0;
	return HD_SLEEP;
}

static uint64_t stage_eval(void *state)
{
	struct stage *st = state;
	const uint32_t *front;
	uint32_t v;

	if (HD_UNLIKELY(st->tokens))
		return stage_begin(st);
	front = hd_front(&st->in);
	if (!front || hd_room(&st->out) == 0)
		return HD_SLEEP;
	v = ring_work(*front, st->index);
	st->sum += v;
	st->works++;
	hd_pass(&st->in, &st->out, &v, sizeof v);
	return HD_SLEEP;
}

/* A stage between registers. */
static uint64_t stage_reg_eval(void *state)
{
	struct stage *st = state;
	const uint32_t *front;
	uint32_t v;

	if (HD_UNLIKELY(st->tokens))
		return stage_begin(st);
	front = hd_reg_front(&st->in, sizeof *front);
	if (!front || !hd_reg_free(&st->out))
		return HD_SLEEP;
	v = ring_work(*front, st->index);
	st->sum += v;
	st->works++;
	hd_reg_pass(&st->in, &st->out, &v, sizeof v);
	return HD_SLEEP;
}

static const struct hd_param stage_params[] = {
	{ .name = "tokens", .unit = "tokens", .doc = "spread over the array at the first edge",
	  .type = HD_U32, .offset = offsetof(struct stage, tokens), .def = "1", .min = 0,
	  .max = 65536 },
	{ .name = NULL },
};

static const struct hd_port stage_ports[] = {
	{ .name = "in", .doc = "tokens", .kind = HD_IN, .type = &token,
	  .offset = offsetof(struct stage, in) },
	{ .name = "out", .doc = "tokens", .kind = HD_OUT, .type = &token,
	  .offset = offsetof(struct stage, out) },
	{ .name = NULL },
};

static const struct hd_port stage_reg_ports[] = {
	{ .name = "in", .doc = "tokens", .kind = HD_IN, .flags = HD_REG, .type = &token,
	  .offset = offsetof(struct stage, in) },
	{ .name = "out", .doc = "tokens", .kind = HD_OUT, .flags = HD_REG, .type = &token,
	  .offset = offsetof(struct stage, out) },
	{ .name = NULL },
};

static const struct hd_module module_stage = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "stage",
	.doc = "a stage of a ring",
	.params = stage_params,
	.ports = stage_ports,
	.state_size = sizeof(struct stage),
	.init = stage_init,
	.eval = stage_eval,
};

static const struct hd_module module_stage_reg = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "stage_reg",
	.doc = "a stage of a ring of registers",
	.params = stage_params,
	.ports = stage_reg_ports,
	.state_size = sizeof(struct stage),
	.init = stage_init,
	.eval = stage_reg_eval,
};

/* ---- a sleeper: is evaluated once in a long time ---- */

struct sleeper {
	uint32_t edges;
	uint64_t times;
};

static uint64_t sleeper_eval(void *state)
{
	struct sleeper *sl = state;

	sl->times++;
	return sl->edges;
}

static const struct hd_param sleeper_params[] = {
	{ .name = "edges", .unit = "edges", .doc = "from one evaluation to the next",
	  .type = HD_U32, .offset = offsetof(struct sleeper, edges), .def = "10000", .min = 1,
	  .max = 1000000000 },
	{ .name = NULL },
};

static const struct hd_module module_sleeper = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "sleeper",
	.doc = "wakes by itself, seldom",
	.params = sleeper_params,
	.state_size = sizeof(struct sleeper),
	.eval = sleeper_eval,
};

/* The kernel finds built-in modules here; the benchmark has no others. */
const struct hd_module *const hd__builtin_wide[] = { NULL };
const struct hd_module *const hd__builtin_modules[] = { &module_stage, &module_stage_reg, &module_sleeper, NULL };

/* ---- netlists ---- */

/* Text that grows. */
struct text {
	char *v;
	size_t n, cap;
};

static void add(struct text *t, const char *fmt, ...) HD_PRINTF(2, 3);

static void add(struct text *t, const char *fmt, ...)
{
	va_list ap;

	if (t->n + 512 > t->cap) {
		t->cap = 2 * t->cap + 4096;
		t->v = hd__xrealloc(t->v, t->cap);
	}
	va_start(ap, fmt);
	t->n += (size_t)vsnprintf(t->v + t->n, 512, fmt, ap);
	va_end(ap);
}

/* A loop of registers has no order of evaluation unless one link of it is staged. */
char *ring_one_clock(const char *module, uint32_t stages, uint32_t tokens)
{
	struct text t = { .n = 0 };

	add(&t, "{\"heddle\": 1, \"clocks\": {\"core\": {\"mhz\": 1000}},\n");
	add(&t, "\"instances\": {\"s\": {\"module\": \"%s\", \"count\": %u, \"params\": "
	    "{\"tokens\": %u}}},\n\"links\": [\n", module, stages, tokens);
	for (uint32_t i = 0; i + 1 < stages; i++)
		add(&t, "{\"from\": \"s[%u].out\", \"to\": \"s[%u].in\"},\n", i, i + 1);
	add(&t, "{\"from\": \"s[%u].out\", \"to\": \"s[0].in\", \"staged\": true}]}\n", stages - 1);
	return t.v;
}

char *ring_named(uint32_t stages)
{
	struct text t = { .n = 0 };

	add(&t, "{\"heddle\": 1, \"clocks\": {\"core\": {\"mhz\": 1000}},\n\"instances\": {\n");
	for (uint32_t i = 0; i < stages; i++)
		add(&t, "\"stage_%u\": {\"module\": \"stage\", \"clock\": \"core\", \"params\": "
		    "{\"tokens\": 1}}%s\n", i, i + 1 < stages ? "," : "},");
	add(&t, "\"links\": [\n");
	for (uint32_t i = 0; i + 1 < stages; i++)
		add(&t, "{\"from\": \"stage_%u.out\", \"to\": \"stage_%u.in\", \"latency\": 1},\n",
		    i, i + 1);
	add(&t, "{\"from\": \"stage_%u.out\", \"to\": \"stage_0.in\", \"staged\": true}]}\n",
	    stages - 1);
	return t.v;
}

char *ring_domains(const char *module, uint32_t stages, uint32_t tokens)
{
	struct text t = { .n = 0 };

	add(&t, "{\"heddle\": 1, \"clocks\": {\n");
	for (uint32_t d = 0; d < RING_DOMAINS; d++)
		add(&t, "\"c%u\": {\"mhz\": %u}%s\n", d, ring_mhz[d],
		    d + 1 < RING_DOMAINS ? "," : "},");
	add(&t, "\"instances\": {\n");
	for (uint32_t d = 0; d < RING_DOMAINS; d++)
		add(&t, "\"d%u\": {\"module\": \"%s\", \"clock\": \"c%u\", \"count\": %u, "
		    "\"params\": {\"tokens\": %u}}%s\n", d, module, d, stages, tokens,
		    d + 1 < RING_DOMAINS ? "," : "},");
	add(&t, "\"links\": [\n");
	for (uint32_t d = 0; d < RING_DOMAINS; d++) {
		for (uint32_t i = 0; i + 1 < stages; i++)
			add(&t, "{\"from\": \"d%u[%u].out\", \"to\": \"d%u[%u].in\"},\n", d, i, d,
			    i + 1);
		add(&t, "{\"from\": \"d%u[%u].out\", \"to\": \"d%u[0].in\", \"capacity\": %u%s\n",
		    d, stages - 1, (d + 1) % RING_DOMAINS, RING_CROSSING,
		    d + 1 < RING_DOMAINS ? "}," : ", \"staged\": true}]}");
	}
	return t.v;
}

char *ring_sleeper(uint32_t edges)
{
	struct text t = { .n = 0 };

	add(&t, "{\"heddle\": 1, \"clocks\": {\"core\": {\"mhz\": 1000}}, \"instances\": "
	    "{\"s\": {\"module\": \"sleeper\", \"params\": {\"edges\": %u}}}, \"links\": []}\n",
	    edges);
	return t.v;
}

/* ---- simulations ---- */

struct hd_sim *ring_load(const char *name, const char *text)
{
	static struct hd_registry registry; /* a simulation points to it, and to the next */
	static struct hd_diags diags;
	static const struct hd_options opt;
	struct hd_netlist *n;
	struct hd_sim *s = NULL;

	if (registry.n == 0)
		hd__registry_init(&registry, &diags);
	n = hd__netlist_parse(name, text, strlen(text), &diags);
	if (n)
		s = hd__sim_new(n, &registry, &opt, false, &diags);
	if (!s) {
		hd__diags_print(&diags, stderr);
		exit(1);
	}
	return s;
}

uint32_t ring_checksum(const struct hd_sim *s, uint64_t *works)
{
	uint32_t sum = 0;

	*works = 0;
	for (size_t i = 0; i < s->ninstances; i++) {
		const struct stage *st = s->instances[i].state;

		sum = ring_fold(sum, st->sum);
		*works += st->works;
	}
	return sum;
}
