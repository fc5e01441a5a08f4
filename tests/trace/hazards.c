/* hazards.c - synthesised control words protect every register, on every trace and under every policy
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * usage: hazards [folder of the source [kernelslist.g...]]
 *
 * Prints a line for each trace and policy.  Then mistakes are planted in the words, which must be found.
 * Without lists: the bundled traces, and one that jumps from anywhere to anywhere.
 */
#include "policy.h"

#include "hazards.h"

#include <inttypes.h>

#define FIRST_SLOT 2u

static const struct {
	const char *name;
	const struct hd_module *module;
	bool apart; /* only what the same lane does counts: groups of lanes take turns */
} policies[] = {
	{ "as_traced", &hd_module_as_traced, false },
	{ "as_traced", &hd_module_as_traced, true },
	{ "simt_stack", &hd_module_simt_stack, true },
	{ "min_pc", &hd_module_min_pc, true },
	{ "lanes_apart", &hd_module_lanes_apart, true },
};

enum plant { PLANT_NOTHING, PLANT_STALL, PLANT_WAIT, PLANT_READ, PLANT_YIELD, PLANTS };

struct result {
	uint64_t instructions, cycles, hazards, count[HAZARD_KINDS];
};

/* A mistake in the word. */
static void spoil(struct hd_control *c, enum plant plant)
{
	if (plant == PLANT_STALL && c->stall > 1)
		c->stall--;
	if (plant == PLANT_WAIT)
		c->wait &= (uint8_t)(c->wait - 1);
	if (plant == PLANT_READ)
		c->read = HD_NO_COUNTER;
	if (plant == PLANT_YIELD)
		c->flags &= (uint8_t)~HD_CONTROL_YIELD;
}

static void run_warp(const struct policy *p, const struct hd_trace_if *t, uint32_t slot, bool apart,
                     enum plant plant, struct result *r)
{
	static struct hazard_warp w;
	struct hd_inst i;
	uint64_t n = 0;

	hazard_begin(&w, apart);
	memset(w.count, 0, sizeof w.count);
	for (; p->face->next(p->face->self, slot, &i); n++) {
		spoil(&i.control, plant);
		hazard_step(&w, &i, t->opcode_text(t->self, i.opcode));
		if (i.flags & HD_INST_LAST)
			break;
	}
	r->instructions += n;
	r->cycles += (uint64_t)w.now;
	for (unsigned k = 1; k < HAZARD_KINDS; k++) {
		r->count[k] += w.count[k];
		r->hazards += w.count[k];
	}
}

static const char *latencies;

/* Returns false if the trace cannot be replayed. */
static bool run(const char *file, unsigned policy, enum plant plant, struct result *r)
{
	const struct hd_module *m = &hd_module_trace_source;
	void *source = new_source(file, "control", 2);
	const struct hd_trace_if *t = (void *)((char *)source + m->ports[0].offset);
	struct policy p = { 0 };
	struct hd_launch l;
	int got = -1;

	*r = (struct result){ 0 };
	for (const struct hd_param *q = m->params; q->name; q++)
		if (strcmp(q->name, "latencies") == 0)
			*(const char **)((char *)source + q->offset) = latencies;
	if (m->init(source, &policy_ctx) == 0 && m->start(source) == 0
	    && policy_start(&p, policies[policy].module, t, 0, 0)) {
		while ((got = t->next_kernel(t->self, &l)) > 0)
			for (uint64_t c = 0; c < l.ctas && (got = t->next_cta(t->self, FIRST_SLOT)) > 0; c++)
				for (uint32_t w = 0; w < l.warps; w++)
					if (!t->ended(t->self, FIRST_SLOT + w))
						run_warp(&p, t, FIRST_SLOT + w, policies[policy].apart,
						         plant, r);
		policy_end(&p);
	}
	m->fini(source);
	free(source);
	return got == 0;
}

static void check(const char *file)
{
	for (unsigned k = 0; k < sizeof policies / sizeof *policies; k++) {
		struct result r;

		if (!run(file, k, PLANT_NOTHING, &r)) {
			printf("FAIL %s: not replayed\n%s\n", file, log_text);
			failures++;
			return;
		}
		printf("%s %s %s: %" PRIu64 " instructions, %" PRIu64 " cycles, %" PRIu64 " hazards\n", file,
		       policies[k].name, policies[k].apart ? "by lane" : "by warp", r.instructions,
		       r.cycles, r.hazards);
		if (r.hazards == 0 && r.instructions > 0)
			continue;
		failures++;
		for (unsigned i = 1; i < HAZARD_KINDS; i++)
			printf("\t%s: %" PRIu64 "\n", hazard_names[i], r.count[i]);
	}
}

/* The checker finds what is not there. */
static void check_planted(const char *file)
{
	static const enum hazard expected[PLANTS] = { HAZARD_NONE, HAZARD_READ, HAZARD_UNWAITED,
		HAZARD_UNREAD, HAZARD_WORD };

	for (unsigned plant = 1; plant < PLANTS; plant++) {
		struct result r;

		if (run(file, 0, (enum plant)plant, &r) && r.count[expected[plant]])
			continue;
		printf("FAIL %s: mistake %u was planted and not found\n", file, plant);
		failures++;
	}
}

/* A warp that jumps between stretches of three instructions, from anywhere to anywhere. */
static void write_jumps(const char *file)
{
	enum { STRETCHES = 400, JUMPS = 4000 };
	static char body[JUMPS * 3 * 80];
	uint32_t seed = 1, at = 0;
	size_t n = (size_t)sprintf(body, "#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = %d\n",
	                           JUMPS * 3);

	for (unsigned i = 0; i < JUMPS; i++) {
		for (uint32_t k = 0; k < 2; k++) {
			uint32_t pc = at * 48 + k * 16, r = (at * 2 + k) * 2654435761u >> 8;

			n += (size_t)sprintf(body + n, r & 1 ? "%04x ffffffff 1 R%u LDG.E 1 R%u 4 1 "
			                     "0x7f0000000000 4 0\n" : r & 2 ? "%04x ffffffff 0 STG.E 2 "
			                     "R%u R%u 4 1 0x7f0000000000 4 0\n" : "%04x ffffffff 1 R%u "
			                     "FFMA 1 R%u 0 0\n", pc, r / 4 % 250, r / 1000 % 250);
		}
		n += (size_t)sprintf(body + n, "%04x ffffffff 0 BRA 0 0 0\n", at * 48 + 32);
		seed = seed * 1664525u + 1013904223u;
		at = (seed >> 8) % STRETCHES;
	}
	sprintf(body + n, "#END_TB\n");
	write_kernel(file, "5", "32,1,1", body);
}

static void check_jumps(void)
{
	char name[] = "/tmp/test_hazards.XXXXXX", file[64];

	if (!mkdtemp(name)) {
		perror(name);
		failures++;
		return;
	}
	snprintf(file, sizeof file, "%s/jumps.traceg", name);
	write_jumps(file);
	check(file);
	unlink(file);
	rmdir(name);
}

int main(int argc, char **argv)
{
	static const char *const bundled[] = { "vecadd", "hist", "matmul", "reduce", "saxpy_xz", "gather",
		"softcopy", "tiny" };
	const char *src = getenv("srcdir");
	char folder[4096], table[4096 + 64], file[4096 + 64];

	snprintf(folder, sizeof folder, "%s/netlists", argc > 1 ? argv[1] : src ? src : ".");
	snprintf(table, sizeof table, "%s/opcodes", folder);
	tables = table;
	snprintf(file, sizeof file, "%s/opcodes/latencies.json", folder);
	latencies = strdup(file);
	for (int i = 2; i < argc; i++)
		check(argv[i]);
	for (size_t i = 0; argc <= 2 && i < sizeof bundled / sizeof *bundled; i++) {
		snprintf(file, sizeof file, "%s/traces/samples/%s/kernelslist.g", argc > 1 ? argv[1] : src ? src : ".",
		         bundled[i]);
		check(file);
		if (strcmp(bundled[i], "hist") == 0)
			check_planted(file);
	}
	if (argc <= 2)
		check_jumps();
	if (failures)
		printf("%u failed\n", failures);
	return failures != 0;
}
