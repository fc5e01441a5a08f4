/* invariant.c - what each lane executes is the same under every divergence policy
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * usage: invariant [folder with the opcode tables [kernelslist.g...]]
 *
 * For each trace the instructions and addresses of every lane are compared between the policies.  A
 * line for each policy has the instructions, the deepest stack, and a digest of the groups in their
 * order.  Without lists: traces of programs drawn at random (drawn.h), of which the groups of a stack
 * are known, too.
 */
#include "policy.h"

#include "drawn.h"

#include <inttypes.h>

#define FIRST_SLOT 2u

static const struct {
	const char *name;
	const struct hd_module *module;
	uint32_t first;
} policies[] = {
	{ "as_traced", &hd_module_as_traced, 0 },
	{ "simt_stack", &hd_module_simt_stack, 0 },
	{ "simt_stack target", &hd_module_simt_stack, 1 },
	{ "simt_stack most_lanes", &hd_module_simt_stack, 2 },
	{ "simt_stack fewest_lanes", &hd_module_simt_stack, 3 },
	{ "min_pc", &hd_module_min_pc, 0 },
	{ "lanes_apart", &hd_module_lanes_apart, 0 },
};

enum { POLICIES = sizeof policies / sizeof policies[0] };

/* What a policy made of a trace. */
struct result {
	uint64_t lanes;  /* digest of what the lanes executed */
	uint64_t groups; /* and of the groups, in order for each warp */
	uint64_t instructions, deepest;
};

static void mix_in(uint64_t *h, uint64_t v)
{
	*h = (*h ^ v) * UINT64_C(0x9e3779b97f4a7c15);
	*h ^= *h >> 29;
}

/* The warps of a block, one instruction of each at a time. */
static void run_block(const struct policy *p, const struct hd_launch *l, struct result *r)
{
	uint64_t lanes[HD_MAX_WARPS][HD_LANES] = { 0 }, groups[HD_MAX_WARPS] = { 0 };
	uint32_t left = l->threads, ended[HD_MAX_WARPS] = { 0 };
	bool last[HD_MAX_WARPS] = { 0 }, more = true;

	while (more) {
		more = false;
		for (uint32_t w = 0; w < l->warps; w++) {
			struct hd_inst i;

			if (!p->face->next(p->face->self, FIRST_SLOT + w, &i))
				continue;
			more = true;
			if (last[w] || (ended[w] & i.mask))
				log_add("an instruction behind the end of its lanes\n");
			last[w] = i.flags & HD_INST_LAST;
			ended[w] |= i.exits;
			mix_in(&groups[w], (uint64_t)i.pc << 32 | i.mask);
			for (unsigned k = 0; k < HD_LANES; k++) {
				if (!(i.mask >> k & 1))
					continue;
				mix_in(&lanes[w][k], (uint64_t)i.pc << 32 | i.cls);
				mix_in(&lanes[w][k], (uint64_t)(uint32_t)i.imm);
				if (i.flags & (HD_INST_LOAD | HD_INST_STORE))
					mix_in(&lanes[w][k], hd_inst_addr(&i, k));
			}
		}
	}
	for (uint32_t w = 0; w < l->warps; w++) {
		uint32_t here = left < HD_LANES ? left : HD_LANES;

		left -= here;
		if (ended[w] && ended[w] != (uint32_t)hd_bits_below(here))
			log_add("lanes of warp %u do not end\n", w);
		mix_in(&r->groups, groups[w]);
		for (unsigned k = 0; k < HD_LANES; k++)
			mix_in(&r->lanes, lanes[w][k]);
	}
}

static struct result run(const char *list, unsigned policy)
{
	const struct hd_module *m = &hd_module_trace_source;
	struct result r = { 0 };
	struct hd_ctx ctx = { 0 };
	struct hd_launch l;
	struct hd_trace_if *t;
	struct policy p;
	int got = -1;
	void *s = new_source(list, NULL, 0);

	t = (void *)((char *)s + m->ports[0].offset);
	if (m->init(s, &ctx) || m->start(s)
	    || !policy_start(&p, policies[policy].module, t, policies[policy].first, 0))
		log_add("no source, or no policy\n");
	while (!strstr(log_text, "error:") && (got = t->next_kernel(t->self, &l)) > 0)
		for (uint64_t b = 0; b < l.ctas; b++)
			if (t->next_cta(t->self, FIRST_SLOT) > 0)
				run_block(&p, &l, &r);
	r.instructions = p.state->executed.instructions;
	r.deepest = p.state->deepest;
	policy_end(&p);
	m->fini(s);
	free(s);
	if (got < 0 || strstr(log_text, "error:") || strstr(log_text, "failure:")
	    || strstr(log_text, "lanes of warp") || strstr(log_text, "an instruction behind")) {
		printf("FAIL %s: %s: %s", list, policies[policy].name, log_text);
		failures++;
	}
	return r;
}

static void compare(const char *list, bool print, struct result r[POLICIES])
{
	for (unsigned i = 0; i < POLICIES; i++) {
		r[i] = run(list, i);
		if (print)
			printf("%s: %s: %" PRIu64 " instructions, deepest %" PRIu64 ", %016" PRIx64 "\n",
			       list, policies[i].name, r[i].instructions, r[i].deepest, r[i].groups);
		if (r[i].lanes != r[0].lanes) {
			printf("FAIL %s: lanes under %s do not execute what they do as traced\n", list,
			       policies[i].name);
			failures++;
		}
	}
}

/* A program's trace in two groupings: the stack's groups are those of the first from both. */
static void drawn(uint32_t seed)
{
	struct result stack[POLICIES], apart[POLICIES];

	drawn_program(seed);
	drawn_trace("stack.traceg", true);
	drawn_trace("apart.traceg", false);
	compare("stack.traceg", false, stack);
	compare("apart.traceg", false, apart);
	if (stack[0].lanes != apart[0].lanes)
		printf("FAIL seed %" PRIu32 ": the traces differ\n", seed), failures++;
	if (stack[1].groups != stack[0].groups || apart[1].groups != stack[0].groups)
		printf("FAIL seed %" PRIu32 ": groups of a stack: %" PRIu64 " and %" PRIu64 " instructions "
		       "instead of %" PRIu64 "\n", seed, stack[1].instructions, apart[1].instructions,
		       stack[0].instructions), failures++;
	if (stack[6].groups != apart[0].groups || apart[6].groups != apart[0].groups)
		printf("FAIL seed %" PRIu32 ": groups apart\n", seed), failures++;
}

int main(int argc, char **argv)
{
	const uint32_t seeds = getenv("HEDDLE_ALL") ? 1000 : 80;
	struct result r[POLICIES];

	begin(argc, argv);
	for (int i = 2; i < argc; i++)
		compare(argv[i], true, r);
	for (uint32_t seed = 1; argc <= 2 && failures == 0 && seed <= seeds; seed++)
		drawn(seed);
	return finish();
}
