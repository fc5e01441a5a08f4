/* hazards.c - checks that no instruction comes too early for its operands
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/modern.md, Hazards.  A core that follows control words executes an instruction when they say so,
 * whether its operands are there or not.  Results of fixed latency are there some unfrozen cycles after
 * their issue, others when the instance that writes them tells the counters so.
 */
#include "hazards/hazard_sets.h"

#include <heddle/gpu/control.h>

#include <inttypes.h>

/* Row of the parameter "fixed". */
struct row {
	uint64_t classes;
	uint32_t latency, predicate, guard, write;
};

struct state {
	struct hd_hazards_if hazards;
	struct hd_ctx *ctx;
	const struct hd_warps *warps;
	const struct hd_trace_if *trace;
	struct hd_table fixed;
	uint32_t rows, warnings;
	uint32_t window;             /* cycles in which a result may come too late for a register, */
	uint32_t window_predicate;   /* for a predicate */
	struct findings found;
	struct sets sets;
	uint64_t all, kind[3];
	struct track track[HD_MAX_WARPS];
};

enum { PORT_HAZARDS, PORT_WARPS, PORT_TRACE };

static const struct row *row_of(const struct state *st, uint32_t i)
{
	return (const struct row *)st->fixed.rows + i;
}

/* What a new warp finds: nothing. */
static __attribute__((noinline)) void begin_track(struct track *t, uint64_t age)
{
	t->age = age;
	t->head = t->n = 0;
	t->depbar_uid = 0;
	t->wars = false;
	count_sets(t);
}

static inline struct track *track_of(struct state *st, uint32_t warp)
{
	struct track *t = &st->track[warp];
	uint64_t age = st->warps->age[warp] + 1;

	if (HD_UNLIKELY(t->age != age))
		begin_track(t, age);
	return t;
}

static uint32_t add(struct state *st, const struct found *f)
{
	st->all++;
	st->kind[f->kind]++;
	return findings_add(&st->found, f);
}

/* ---- results of fixed latency ----------------------------------------------------------------- */

/* `need` cycles were needed, `had` of them were there. */
static void too_early(struct state *st, const struct hd_inst *inst, const struct result *r, uint32_t reg,
                      uint32_t predicate, uint32_t need, uint64_t had)
{
	struct found f = found_at(inst, RAW, reg, r->pc);

	f.predicate = (uint8_t)predicate;
	f.cycles = need - had;
	f.at = r->pc;
	/* a stall that was long enough and not kept */
	f.mend = r->stall > had && !r->yield ? YIELD : STALL;
	add(st, &f);
}

/* Is any result of these registers too new? */
static inline bool some_too_new(const struct state *st, const struct track *t, uint64_t time, uint64_t reads,
                                uint32_t late)
{
	for (uint32_t i = t->head; i > 0 && t->head - i < RECENT; i--) {
		const struct result *r = &t->result[(i - 1) % RECENT];
		uint64_t had = time - r->time;

		if (had >= st->window)
			return false;
		if ((r->regs & reads) && had < row_of(st, r->row)->latency + late)
			return true;
	}
	return false;
}

/* Some may be: registers whose numbers differ by 64 are one in a set, and a later result may replace it. */
static __attribute__((noinline)) void check_results(struct state *st, const struct track *t,
                                                    const struct hd_inst *inst, uint64_t time, uint64_t reads,
                                                    uint32_t late)
{
	for (uint32_t i = t->head; i > 0 && t->head - i < RECENT && reads; i--) {
		const struct result *r = &t->result[(i - 1) % RECENT];
		uint64_t had = time - r->time;
		uint32_t need, reg;

		if (had >= st->window)
			return;
		if (!(r->regs & reads) || !(r->mask & inst->mask))
			continue;
		need = row_of(st, r->row)->latency + late;
		reg = reads_of(inst, r->dst, r->n);
		if (!reg)
			continue;
		if (had < need)
			too_early(st, inst, r, reg, 0, need, had);
		if (!(inst->mask & ~r->mask))
			reads &= ~r->regs; /* nothing is left of older results */
	}
}

static __attribute__((noinline)) void check_predicates(struct state *st, const struct track *t,
                                                       const struct hd_inst *inst, uint64_t time)
{
	uint16_t reads = inst->control.reads_p;
	uint16_t guard = inst->control.guard ? (uint16_t)(1u << (inst->control.guard - 1)) : 0;

	for (uint32_t i = t->head; i > 0 && t->head - i < RECENT && reads; i--) {
		const struct result *r = &t->result[(i - 1) % RECENT];
		uint64_t had = time - r->time;
		uint16_t both = r->preds & reads;
		uint32_t need;

		if (had >= st->window_predicate)
			return;
		if (!both)
			continue;
		need = both & guard ? row_of(st, r->row)->guard : row_of(st, r->row)->predicate;
		if (had < need)
			too_early(st, inst, r, 0, 1 + hd_bits_first(both & guard ? both & guard : both), need,
			          had);
		reads &= (uint16_t)~both;
	}
}

/* ---- results of other latencies --------------------------------------------------------------- */

static void read_flight(struct state *st, const struct track *t, const struct hd_inst *inst,
                        struct flight *f)
{
	uint16_t preds = f->preds & inst->control.reads_p;
	uint32_t reg = f->mask & inst->mask ? reads_of(inst, f->dst, f->n) : 0, line;
	struct found found;

	if (!reg && !preds)
		return;
	found = found_at(inst, RAW, reg, f->pc);
	found.predicate = reg ? 0 : (uint8_t)(1 + hd_bits_first(preds));
	find_mend(t, inst, f, f->write, WRITE, &found);
	line = add(st, &found);
	if (!f->early) {
		f->early = line;
		f->since = hd_now(st->ctx);
	}
}

/* The instruction writes what the flight writes or reads. */
static void overwrite(struct state *st, struct track *t, const struct hd_inst *inst, struct flight *f)
{
	uint32_t row = st->sets.row[inst->cls], reg;
	uint64_t there = hd_now(st->ctx) + (row == NO_ROW ? 0 : row_of(st, row)->write);

	if (!(f->mask & inst->mask))
		return;
	reg = f->writing ? writes_of(inst, f->dst, f->n) : 0;
	if (reg && !f->waw) {
		f->waw_by = found_at(inst, WAW, reg, f->pc);
		find_mend(t, inst, f, f->write, WRITE, &f->waw_by);
		if (row == NO_ROW)
			add(st, &f->waw_by); /* which one is written first is open */
		else
			f->waw = there;
	}
	reg = unread_of(f, inst->dst, written(inst));
	if (reg && !f->war && !f->war_uid) {
		f->war_by = found_at(inst, WAR, reg, f->pc);
		find_mend(t, inst, f, f->read, READ, &f->war_by);
		if (row == NO_ROW) {
			f->war_uid = inst->uid;
			t->wars = true;
		} else {
			f->war = there;
		}
	}
}

static __attribute__((noinline)) void check_flights(struct state *st, struct track *t, const struct hd_inst *inst,
                                                    uint64_t reads, uint64_t writes)
{
	for (uint32_t i = 0; i < t->n; i++) {
		struct flight *f = &t->flight[i];

		if (f->writing && ((f->writes & reads) || (f->preds & inst->control.reads_p)))
			read_flight(st, t, inst, f);
		if (writes & (f->reads | (f->writing ? f->writes : 0)))
			overwrite(st, t, inst, f);
	}
	count_sets(t);
}

/* ---- the interface ---------------------------------------------------------------------------- */

static void issued(void *self, const struct hd_inst *inst, uint64_t time)
{
	struct state *st = self;
	struct track *t = track_of(st, inst->warp);
	const struct hd_control *c = &inst->control;
	struct code_sets own;
	const struct code_sets *sets = sets_of(&st->sets, inst, &own);
	uint64_t reads = sets->reads, writes = sets->writes;

	if (reads && HD_UNLIKELY(some_too_new(st, t, time, reads, sets->late)))
		check_results(st, t, inst, time, reads, sets->late);
	if (c->reads_p)
		check_predicates(st, t, inst, time);
	if (t->n && (((reads | writes) & t->writes) || (writes & t->reads) || (c->reads_p & t->preds)))
		check_flights(st, t, inst, reads, writes);
	if (HD_UNLIKELY(c->flags & HD_CONTROL_DEPBAR)) {
		t->depbar = inst->pc;
		t->depbar_uid = inst->uid;
		t->depbar_counters = (uint8_t)(c->list | 1u << c->depbar);
	}
	if (sets->follow == FIXED) {
		struct result *r = &t->result[t->head++ % RECENT];

		*r = sets->result;
		r->time = time;
		r->mask = inst->mask;
	} else if (sets->follow == FLIGHT) {
		take_off(t, inst, sets);
	}
}

/* The flight's result is there. */
static void land(struct state *st, struct track *t, struct flight *f)
{
	uint64_t now = hd_now(st->ctx);

	f->writing = false;
	for (uint32_t i = 0; t->wars && i < t->n; i++)
		if (t->flight[i].war_uid == f->uid && t->flight[i].reads)
			t->flight[i].war = now;
	if (f->early) {
		struct found *line = &st->found.v[f->early - 1];

		if (line->cycles < now - f->since)
			line->cycles = now - f->since;
	}
	if (f->waw && now >= f->waw) {
		f->waw_by.cycles = now - f->waw + 1;
		add(st, &f->waw_by);
	}
}

static void register_written(void *self, uint32_t warp, uint32_t reg)
{
	struct state *st = self;
	struct track *t = track_of(st, warp);
	uint32_t landed = 0, at = 0;

	for (uint32_t i = 0; i < t->n; i++)
		if (t->flight[i].writing && t->flight[i].dst == reg) {
			land(st, t, &t->flight[i]);
			at = i;
			landed++;
		}
	if (HD_UNLIKELY(landed > 1))
		drop_done(t);
	else if (landed && !t->flight[at].reads)
		drop(t, at);
}

static void sources_read(void *self, uint32_t warp, uint64_t uid)
{
	struct state *st = self;
	struct track *t = track_of(st, warp);

	for (uint32_t i = 0; i < t->n; i++) {
		struct flight *f = &t->flight[i];

		if (f->uid != uid)
			continue;
		f->reads = 0;
		if (f->war && hd_now(st->ctx) >= f->war) {
			f->war_by.cycles = hd_now(st->ctx) - f->war + 1;
			add(st, &f->war_by);
		}
		if (!f->writing)
			drop(t, i);
		return;
	}
}

static void completed(void *self, uint32_t warp, uint64_t uid)
{
	struct state *st = self;
	struct track *t = track_of(st, warp);

	for (uint32_t i = 0; i < t->n; i++)
		if (t->flight[i].uid == uid) {
			land(st, t, &t->flight[i]);
			t->flight[i].reads = 0;
			drop(t, i);
			return;
		}
}

/* ---- callbacks -------------------------------------------------------------------------------- */

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;
	uint32_t window = 0;

	st->ctx = ctx;
	st->hazards = (struct hd_hazards_if){ .self = st, .issued = issued, .written = register_written,
		.read = sources_read, .completed = completed };
	memset(st->sets.row, NO_ROW, sizeof st->sets.row);
	for (uint32_t i = 0; i < st->fixed.n; i++) {
		const struct row *r = row_of(st, i);

		for (uint64_t m = r->classes; m;) {
			unsigned c = hd_bits_pop(&m);

			if (st->sets.row[c] != NO_ROW)
				return hd_error(ctx, "two rows of \"fixed\" name class '%s'; expected one",
				                hd_symbol_name(ctx, "class", c));
			st->sets.row[c] = (uint8_t)i;
		}
		window = window > r->latency ? window : r->latency;
		st->window_predicate = st->window_predicate > r->guard ? st->window_predicate : r->guard;
		if (r->predicate > st->window_predicate)
			st->window_predicate = r->predicate;
	}
	st->window = window + st->sets.late_by;
	return 0;
}

static void report(const struct state *st, const struct found *f, bool warn)
{
	const char *text = st->trace ? st->trace->opcode_text(st->trace->self, f->opcode) : NULL;
	char name[16], mend[32];
	const struct hd_cell row[] = {
		{ "kernel", NULL, f->kernel }, { "pc", NULL, f->pc }, { "opcode", text ? text : "", 0 },
		{ "kind", kind_text(f), 0 }, { "register", name, 0 }, { "other_pc", NULL, f->other },
		{ "cycles", NULL, f->cycles }, { "mend", mend, 0 }, { "mend_pc", NULL, f->at },
		{ "count", NULL, f->count },
	};
	static const char *const more[] = { [STALL] = "a longer ", [YIELD] = "a ", [WAIT] = "a ",
		[WRITE] = "a counter to ", [READ] = "a counter to " };
	static const char *const does[] = { [RAW] = "reads", [WAW] = "writes", [WAR] = "overwrites" };
	static const char *const what[] = { [RAW] = "writes it", [WAW] = "has written it",
		[WAR] = "has read it" };

	name_text(f, name, sizeof name);
	mend_text(f, mend, sizeof mend);
	hd_row(st->ctx, "hazard_list", row, sizeof row / sizeof *row);
	if (warn)
		hd_warn(st->ctx, "kernel %u, pc 0x%x: %s%s%s %s %" PRIu64 " cycles before pc 0x%x %s; expected "
		        "%s%s at pc 0x%x", f->kernel, f->pc, text ? text : "", text ? " " : "", does[f->kind],
		        name, f->cycles, f->other, what[f->kind], more[f->mend], mend, f->at);
}

static void end(void *state)
{
	struct state *st = state;
	uint32_t n = st->found.n;

	if (n > 1)
		qsort(st->found.v, n, sizeof *st->found.v, found_order);
	for (uint32_t i = 0; i < n && i < st->rows; i++)
		report(st, &st->found.v[i], i < st->warnings);
	if (st->warnings && n > st->warnings)
		hd_warn(st->ctx, "%u more places where an instruction comes too early", n - st->warnings);
}

static void fini(void *state)
{
	struct state *st = state;

	findings_free(&st->found);
	free(st->sets.v);
}

#define P(f) offsetof(struct state, f)
#define ROW(f) offsetof(struct row, f)

static const struct hd_param fixed_columns[] = {
	{ .name = "classes", .unit = "", .doc = "classes of instructions of a fixed latency",
	  .type = HD_SYMBOLS, .kind = "class", .offset = ROW(classes), .min = 1, .max = 64 },
	{ .name = "latency", .unit = "cycles", .doc = "from issue to issue of an instruction that reads the "
	  "result", .type = HD_U32, .def = "4", .offset = ROW(latency), .min = 1, .max = RECENT - 2 },
	{ .name = "predicate", .unit = "cycles", .doc = "the same for a predicate that is an operand",
	  .type = HD_U32, .def = "4", .offset = ROW(predicate), .min = 1, .max = RECENT },
	{ .name = "guard", .unit = "cycles", .doc = "the same for a predicate that is a guard",
	  .type = HD_U32, .def = "13", .offset = ROW(guard), .min = 1, .max = RECENT },
	{ .name = "write", .unit = "cycles", .doc = "from the issue until the register is written, for those that "
	  "read or write it at any time", .type = HD_U32, .def = "9", .offset = ROW(write), .min = 1,
	  .max = 1024 },
	{ .name = NULL },
};

static const struct hd_param params[] = {
	{ .name = "fixed", .unit = "", .doc = "classes of fixed latency; results of others are there when they are "
	  "written", .type = HD_TABLE, .offset = P(fixed), .def = "[]", .max = MAX_ROWS,
	  .columns = fixed_columns, .row_size = sizeof(struct row) },
	{ .name = "late", .unit = "", .doc = "classes of instructions that see registers later",
	  .type = HD_SYMBOLS, .kind = "class", .offset = P(sets.late), .def = "[]", .max = 64 },
	{ .name = "late_by", .unit = "cycles", .doc = "so much later", .type = HD_U32, .offset = P(sets.late_by),
	  .def = "1", .max = 2 },
	{ .name = "unchecked", .unit = "", .doc = "classes whose results and reads are not followed",
	  .type = HD_SYMBOLS, .kind = "class", .offset = P(sets.unchecked), .def = "[]", .max = 64 },
	{ .name = "rows", .unit = "", .doc = "places that the statistics list, the first ones", .type = HD_U32,
	  .offset = P(rows), .def = "1000", .max = 1000000 },
	{ .name = "warnings", .unit = "", .doc = "places of which the run warns at its end; 0: it does not", .type = HD_U32,
	  .offset = P(warnings), .def = "3", .max = 1000000 },
	{ .name = NULL },
};

static const struct hd_port ports[] = {
	[PORT_HAZARDS] = { .name = "hazards", .doc = "for the issue stages and the counters",
	                   .kind = HD_PROVIDES, .type = &hd_type_hazards_if, .offset = P(hazards) },
	[PORT_WARPS] = { .name = "warps", .doc = "which warp is in a slot", .kind = HD_USES,
	                 .type = &hd_type_warps, .offset = P(warps) },
	[PORT_TRACE] = { .name = "trace", .doc = "texts of opcodes; open: the list has none",
	                 .kind = HD_USES, .flags = HD_OPTIONAL | HD_NO_WORK, .type = &hd_type_trace_if,
	                 .offset = P(trace) },
	{ .name = NULL },
};

static const struct hd_stat stats[] = {
	{ .name = "hazards", .unit = "warp instructions", .doc = "times that an instruction came too early for an "
	  "operand", .offset = P(all), .total = "hazards" },
	{ .name = "raw", .unit = "warp instructions", .doc = "of these, before what it reads was written",
	  .offset = P(kind[RAW]) },
	{ .name = "waw", .unit = "warp instructions", .doc = "before an earlier result was written that then "
	  "replaces its own", .offset = P(kind[WAW]) },
	{ .name = "war", .unit = "warp instructions", .doc = "before what it overwrites was read",
	  .offset = P(kind[WAR]) },
	{ .name = NULL },
};

static void checkpoint(void *state, struct hd_checkpoint *k)
{
	struct state *st = state;

	findings_saved(&st->found, k);
	HD_SAVED(k, st->track);
}

const struct hd_module hd_module_hazards = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "hazards",
	.doc = "checks that no instruction comes too early for its operands",
	.params = params,
	.ports = ports,
	.stats = stats,
	.state_size = sizeof(struct state),
	.init = init,
	.end = end,
	.checkpoint = checkpoint,
	.fini = fini,
};
