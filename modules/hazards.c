/* hazards.c - checks that no instruction comes too early for its operands
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/modern.md, Hazards.  A core that follows control words executes an instruction when they say so,
 * whether its operands are there or not.  Results of fixed latency are there some unfrozen cycles after
 * their issue, others when the instance that writes them tells the counters so.
 *
 * Sets of registers are words in which register r is bit r % 64: an intersection that is not empty is
 * looked at again.
 */
#include <heddle/gpu/control.h>
#include <heddle/gpu/routes.h>
#include <heddle/gpu/trace.h>
#include <heddle/gpu/warps.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- what was found, each static instruction, register and kind once ---- */

enum kind { RAW, WAW, WAR };

/* Field of a control word that would have prevented it. */
enum mend { STALL, YIELD, WAIT, WRITE, READ };

/* Instruction `code` came too early for what `other` does. */
struct found {
	uint32_t code, kernel, pc, opcode;
	uint32_t reg;      /* as in hd_inst, or */
	uint8_t predicate; /* 1 + that in hd_control.reads_p */
	uint8_t kind, mend;
	uint8_t counter;   /* that the field would name, or HD_NO_COUNTER */
	uint32_t other;    /* pc */
	uint32_t at;       /* pc whose control word it is */
	uint64_t cycles;   /* too early, most of them */
	uint64_t count;
	uint32_t next;     /* 1 + the next of the same code */
};

struct findings {
	struct found *v;
	uint32_t n, cap;
	uint32_t *of_code; /* 1 + the first */
	uint32_t codes;
};

static inline struct found found_at(const struct hd_inst *inst, enum kind kind, uint32_t reg, uint32_t other)
{
	return (struct found){ .code = inst->code, .kernel = inst->kernel, .pc = inst->pc,
		.opcode = inst->opcode, .reg = reg, .kind = (uint8_t)kind, .other = other, .at = inst->pc,
		.counter = HD_NO_COUNTER };
}

static bool same(const struct found *a, const struct found *b)
{
	return a->reg == b->reg && a->predicate == b->predicate && a->kind == b->kind
	       && a->other == b->other && a->kernel == b->kernel;
}

/* The room is doubled.  Returns false without memory. */
static bool findings_room(struct findings *f, uint32_t code)
{
	if (code >= f->codes) {
		uint32_t n = code + 256;
		uint32_t *v = realloc(f->of_code, n * sizeof *v);

		if (!v)
			return false;
		memset(v + f->codes, 0, (n - f->codes) * sizeof *v);
		f->of_code = v;
		f->codes = n;
	}
	if (f->n == f->cap) {
		uint32_t cap = f->cap ? 2 * f->cap : 64;
		struct found *v = realloc(f->v, cap * sizeof *v);

		if (!v)
			return false;
		f->v = v;
		f->cap = cap;
	}
	return true;
}

/* Counts it.  Returns 1 + its place; 0 without memory. */
static uint32_t findings_add(struct findings *f, const struct found *like)
{
	uint32_t i;

	if (!findings_room(f, like->code))
		return 0;
	for (i = f->of_code[like->code]; i && !same(&f->v[i - 1], like);)
		i = f->v[i - 1].next;
	if (!i) {
		f->v[f->n] = *like;
		f->v[f->n].next = f->of_code[like->code];
		i = f->of_code[like->code] = ++f->n;
	}
	f->v[i - 1].count++;
	if (f->v[i - 1].cycles < like->cycles)
		f->v[i - 1].cycles = like->cycles;
	return i;
}

static int found_order(const void *a, const void *b)
{
	const struct found *x = a, *y = b;

#define BY(m) if (x->m != y->m) return x->m < y->m ? -1 : 1
	BY(kernel);
	BY(pc);
	BY(code);
	BY(kind);
	BY(reg);
	BY(predicate);
	BY(other);
#undef BY
	return 0;
}

/* ---- as text -------------------------------------------------------------------------------------- */

static const char *kind_text(const struct found *f)
{
	static const char *const text[] = { [RAW] = "raw", [WAW] = "waw", [WAR] = "war" };

	return text[f->kind];
}

static void name_text(const struct found *f, char *to, size_t size)
{
	if (f->predicate)
		snprintf(to, size, "%sP%d", f->predicate > 8 ? "U" : "", (f->predicate - 1) % 8);
	else
		snprintf(to, size, "R%u", f->reg - 1);
}

static void mend_text(const struct found *f, char *to, size_t size)
{
	static const char *const text[] = { [STALL] = "stall", [YIELD] = "yield", [WAIT] = "wait",
		[WRITE] = "write", [READ] = "read" };

	if (f->mend == WAIT && f->counter != HD_NO_COUNTER)
		snprintf(to, size, "wait for SB%u", f->counter);
	else
		snprintf(to, size, "%s", text[f->mend]);
}

static void findings_free(struct findings *f)
{
	free(f->v);
	free(f->of_code);
}

static void findings_saved(struct findings *f, struct hd_checkpoint *k)
{
	uint32_t n = (uint32_t)hd_saved_number(k, f->n, 1u << 24);
	uint32_t codes = (uint32_t)hd_saved_number(k, f->codes, 1u << 28);

	if (hd_loads(k)) {
		findings_free(f);
		*f = (struct findings){ .v = calloc(n + 1, sizeof *f->v),
			                .of_code = calloc(codes + 1, sizeof *f->of_code) };
		if (!f->v || !f->of_code) {
			hd_refuse(k, "out of memory for %u findings", n);
			return;
		}
		f->n = f->cap = n;
		f->codes = codes;
	}
	if (n)
		hd_saved(k, f->v, n * sizeof *f->v);
	if (codes)
		hd_saved(k, f->of_code, codes * sizeof *f->of_code);
}

/* ---- results and reads of a warp that are under way ---- */

#define RECENT 16u  /* cycles and instructions for which results of fixed latency are kept */
#define FLIGHTS 64u /* of a warp */
#define RZ 256u

/* A result of fixed latency. */
struct result {
	uint64_t time; /* of the issue */
	uint64_t regs;
	uint32_t mask, pc;
	uint16_t dst, preds;
	uint8_t n, row, stall;
	bool yield;
};

/* An instruction of another latency. */
struct flight {
	uint64_t uid, writes, reads; /* reads: until they are done */
	uint64_t waw, war;           /* edge at which a later result is there, 0: there is none */
	uint64_t war_uid;            /* or the flight that will write it */
	struct found waw_by, war_by;
	uint64_t since;              /* edge of the first reader that came too early, */
	uint32_t early;              /* and 1 + its place among what was found */
	uint32_t mask, pc;
	uint16_t dst, preds, src[HD_MAX_SRC];
	uint8_t n, nsrc[HD_MAX_SRC], write, read;
	uint8_t line;                /* as that of its instruction */
	bool writing;                /* its result is not there */
};

/* Which results of an instruction are followed. */
enum follow { NONE, FIXED, FLIGHT };

/* What is known of a static instruction. */
struct code_sets {
	uint64_t reads, writes;
	struct result result;        /* of fixed latency: without time and mask, as it is issued */
	uint32_t late;               /* cycles by which its sources have to be there later */
	uint8_t follow;
	uint8_t line;                /* results of one line are written in their order; 0: of none */
	bool known;
	uint8_t nsrc[HD_MAX_SRC];
	uint16_t src[HD_MAX_SRC];    /* as of a flight */
};

struct track {
	uint64_t age;                /* 1 + that of the warp */
	uint64_t writes, reads;      /* of all flights, at least */
	uint32_t head, n;            /* results so far; flights */
	uint32_t depbar;             /* pc of the last DEPBAR, */
	uint64_t depbar_uid;         /* its uid, 0: none */
	uint8_t depbar_counters;
	uint16_t preds;              /* of flights, at least */
	bool wars;                   /* some flight has .war_uid, or had */
	struct result result[RECENT];
	struct flight flight[FLIGHTS];
};

static inline uint64_t span(uint32_t reg, uint32_t n)
{
	uint64_t set = n > 1 ? (UINT64_C(1) << n) - 1 : 1;
	uint32_t by = reg % 64;

	return by ? set << by | set >> (64 - by) : set;
}

/* First register and number of source i; 0: it is none. */
static inline uint32_t source(const struct hd_inst *inst, uint32_t i, uint32_t *n)
{
	const struct hd_control *c = &inst->control;
	uint32_t reg;

	if (c->flags & HD_CONTROL_OPERANDS) {
		*n = i < HD_OPERAND_SLOTS ? c->nslot[i] : 0;
		return *n ? c->slot[i] : 0;
	}
	reg = i < inst->nsrc ? inst->src[i] : 0;
	*n = 1;
	for (uint32_t k = 0; k < HD_OPERAND_SLOTS; k++)
		if (reg && c->slot[k] == reg && c->nslot[k] > 1)
			*n = c->nslot[k];
	return reg == RZ ? 0 : reg;
}

static inline uint32_t sources(const struct hd_inst *inst)
{
	return inst->control.flags & HD_CONTROL_OPERANDS ? HD_OPERAND_SLOTS : inst->nsrc;
}

static inline uint64_t read_set(const struct hd_inst *inst)
{
	uint64_t set = 0;
	uint32_t n;

	for (uint32_t i = 0; i < sources(inst); i++) {
		uint32_t reg = source(inst, i, &n);

		if (reg)
			set |= span(reg, n);
	}
	return set;
}

static inline uint32_t written(const struct hd_inst *inst)
{
	return inst->control.ndst > 1 ? inst->control.ndst : 1;
}

static inline uint64_t write_set(const struct hd_inst *inst)
{
	return inst->dst && inst->dst != RZ ? span(inst->dst, written(inst)) : 0;
}

/* The first register that both have, 0: none. */
static inline uint32_t common(uint32_t a, uint32_t na, uint32_t b, uint32_t nb)
{
	uint32_t first = a > b ? a : b;

	return a && b && first < a + na && first < b + nb ? first : 0;
}

/* A register that the instruction reads of n from reg on, 0: none. */
static inline uint32_t reads_of(const struct hd_inst *inst, uint32_t reg, uint32_t n)
{
	uint32_t got = 0, ns;

	for (uint32_t i = 0; i < sources(inst) && !got; i++) {
		uint32_t src = source(inst, i, &ns);

		got = common(src, ns, reg, n);
	}
	return got;
}

static inline uint32_t writes_of(const struct hd_inst *inst, uint32_t reg, uint32_t n)
{
	return inst->dst == RZ ? 0 : common(inst->dst, written(inst), reg, n);
}

/* A register that is still to be read by the flight and that the instruction writes, 0: none. */
static inline uint32_t unread_of(const struct flight *f, uint32_t reg, uint32_t n)
{
	uint32_t got = 0;

	for (uint32_t i = 0; i < HD_MAX_SRC && f->reads && !got; i++)
		got = common(f->src[i], f->nsrc[i], reg, n);
	return got;
}

/* The sets may have what is over: they are made again when they were looked at in vain. */
static inline void count_sets(struct track *t)
{
	t->writes = t->reads = 0;
	t->preds = 0;
	for (uint32_t i = 0; i < t->n; i++) {
		const struct flight *f = &t->flight[i];

		t->writes |= f->writing ? f->writes : 0;
		t->preds |= f->writing ? f->preds : 0;
		t->reads |= f->reads;
	}
}

/* Drops a flight of which nothing is under way. */
static inline void drop(struct track *t, uint32_t i)
{
	if (--t->n != i)
		t->flight[i] = t->flight[t->n];
	if (t->n == 0)
		count_sets(t);
}

static inline void drop_done(struct track *t)
{
	for (uint32_t i = t->n; i-- > 0;)
		if (!t->flight[i].writing && !t->flight[i].reads)
			drop(t, i);
}

/* Makes room: the oldest is taken as done. */
static inline void drop_oldest(struct track *t)
{
	uint32_t oldest = 0;

	for (uint32_t i = 1; i < t->n; i++)
		if (t->flight[i].uid < t->flight[oldest].uid)
			oldest = i;
	t->flight[oldest].writing = false;
	t->flight[oldest].reads = 0;
	drop_done(t);
}

static inline void take_off(struct track *t, const struct hd_inst *inst, const struct code_sets *sets)
{
	uint64_t reads = sets->reads, writes = sets->writes;
	struct flight *f;

	if (t->n == FLIGHTS)
		drop_oldest(t);
	f = &t->flight[t->n++];
	/* not `waw_by`, `war_by` and `since`, which waw, war, war_uid and early make valid */
	f->uid = inst->uid;
	f->writes = writes;
	f->reads = reads;
	f->waw = f->war = f->war_uid = 0;
	f->early = 0;
	f->mask = inst->mask;
	f->pc = inst->pc;
	f->dst = writes ? inst->dst : 0;
	f->preds = inst->control.writes_p;
	memcpy(f->src, sets->src, sizeof f->src);
	memcpy(f->nsrc, sets->nsrc, sizeof f->nsrc);
	f->n = (uint8_t)written(inst);
	f->write = inst->control.write;
	f->read = inst->control.read;
	f->line = sets->line;
	f->writing = writes || inst->control.writes_p;
	t->writes |= writes;
	t->reads |= reads;
	t->preds |= inst->control.writes_p;
}

/* Why did the instruction not wait for this counter of the flight? */
static inline void find_mend(const struct track *t, const struct hd_inst *inst, const struct flight *f,
                      uint8_t counter, enum mend without, struct found *found)
{
	found->counter = counter;
	if (counter == HD_NO_COUNTER) {
		found->mend = (uint8_t)without;
		found->at = f->pc;
	} else if (inst->control.wait >> counter & 1) {
		found->mend = STALL; /* it did, before the counter had risen */
		found->at = f->pc;
	} else if (t->depbar_uid > f->uid && (t->depbar_counters >> counter & 1)) {
		found->mend = STALL; /* it was not held yet */
		found->at = t->depbar;
	} else {
		found->mend = WAIT;
	}
}

/* ---- what is known of each static instruction, its registers as sets ---- */

#define MAX_ROWS 16u
#define NO_ROW MAX_ROWS

struct sets {
	struct code_sets *v; /* by code */
	uint32_t n;
	uint32_t late_by;
	uint64_t late, unchecked; /* classes */
	uint8_t row[64];     /* of the parameter "fixed", by class */
};

static inline enum follow followed(const struct sets *s, const struct hd_inst *inst, const struct code_sets *of)
{
	bool writes = of->writes || inst->control.writes_p;

	if (s->row[inst->cls] != NO_ROW)
		return writes ? FIXED : NONE;
	return (of->reads || writes) && !hd_bits_has(s->unchecked, inst->cls) ? FLIGHT : NONE;
}

/* A unit writes its results in their order, but memory does so with shared memory only. */
static inline uint8_t line_of(const struct sets *s, const struct hd_inst *inst)
{
	if (hd_bits_has(s->late, inst->cls))
		return inst->space == HD_SPACE_SHARED ? UINT8_MAX : 0;
	return (uint8_t)(1 + inst->cls);
}

static inline struct result result_of(const struct sets *s, const struct hd_inst *inst, uint64_t writes)
{
	const struct hd_control *c = &inst->control;

	return (struct result){ .regs = writes, .pc = inst->pc, .dst = writes ? inst->dst : 0, .preds = c->writes_p,
		.n = (uint8_t)written(inst), .row = s->row[inst->cls], .stall = c->stall,
		.yield = c->flags & HD_CONTROL_YIELD };
}

/* Finds the sets of an instruction that comes first.  *own: room for those of one without a number, or without
 * memory. */
static __attribute__((noinline)) const struct code_sets *
make_sets(struct sets *s, const struct hd_inst *inst, struct code_sets *own)
{
	struct code_sets *to = own;

	if (inst->code >= s->n) {
		uint32_t n = 2 * inst->code + 64;
		struct code_sets *v = realloc(s->v, n * sizeof *v);

		if (v) {
			memset(v + s->n, 0, (n - s->n) * sizeof *v);
			s->v = v;
			s->n = n;
		}
	}
	if (inst->code && inst->code < s->n)
		to = &s->v[inst->code];
	*to = (struct code_sets){ .reads = read_set(inst), .writes = write_set(inst), .known = true,
		                  .late = hd_bits_has(s->late, inst->cls) ? s->late_by : 0 };
	to->result = result_of(s, inst, to->writes);
	to->follow = (uint8_t)followed(s, inst, to);
	to->line = line_of(s, inst);
	for (uint32_t i = 0; i < sources(inst); i++) {
		uint32_t n;

		to->src[i] = (uint16_t)source(inst, i, &n);
		to->nsrc[i] = (uint8_t)n;
	}
	return to;
}

static inline const struct code_sets *sets_of(struct sets *s, const struct hd_inst *inst,
                                              struct code_sets *own)
{
	if (HD_LIKELY(inst->code < s->n && s->v[inst->code].known))
		return &s->v[inst->code];
	return make_sets(s, inst, own);
}

/* ---- the module ---- */

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
static void overwrite(struct state *st, struct track *t, const struct hd_inst *inst, uint8_t line, struct flight *f)
{
	uint32_t row = st->sets.row[inst->cls], reg;
	uint64_t there = hd_now(st->ctx) + (row == NO_ROW ? 0 : row_of(st, row)->write);

	if (!(f->mask & inst->mask))
		return;
	reg = f->writing ? writes_of(inst, f->dst, f->n) : 0;
	if (reg && !f->waw && (row != NO_ROW || !line || line != f->line)) {
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
                                                    uint64_t reads, uint64_t writes, uint8_t line)
{
	for (uint32_t i = 0; i < t->n; i++) {
		struct flight *f = &t->flight[i];

		if (f->writing && ((f->writes & reads) || (f->preds & inst->control.reads_p)))
			read_flight(st, t, inst, f);
		if (writes & (f->reads | (f->writing ? f->writes : 0)))
			overwrite(st, t, inst, line, f);
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
		check_flights(st, t, inst, reads, writes, sets->line);
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

		if (hd_class_note(ctx, st->sets.row, NO_ROW, r->classes, i, "rows of \"fixed\" name") != 0)
			return -1;
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
	{ .name = "warnings", .unit = "", .doc = "places of which the run warns at its end; 0: it does not",
	  .type = HD_U32, .offset = P(warnings), .def = "3", .max = 1000000 },
	{ .name = NULL },
};

static const struct hd_port ports[] = {
	{ .name = "hazards", .doc = "for the issue stages and the counters", .kind = HD_PROVIDES,
	  .type = &hd_type_hazards_if, .offset = P(hazards) },
	{ .name = "warps", .doc = "which warp is in a slot", .kind = HD_USES,
	  .type = &hd_type_warps, .offset = P(warps) },
	{ .name = "trace", .doc = "texts of opcodes; open: the list has none", .kind = HD_USES,
	  .flags = HD_OPTIONAL | HD_NO_WORK, .type = &hd_type_trace_if, .offset = P(trace) },
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
