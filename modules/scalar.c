/* scalar.c - marks instructions that have one result for all lanes of their warp
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/sm.md, Scalar instructions.  Stands between decode and a divergence policy: it passes the
 * policy's instructions on, scalar ones with another class.
 */
#include <heddle/gpu/divergence.h>
#include <heddle/gpu/scoreboard.h>
#include <heddle/gpu/trace.h>
#include <heddle/gpu/warps.h>

#include <stdlib.h>

#define RZ 256u /* hd_inst.src, .dst */

enum kind { ORDINARY, LANES, VOTES };

struct opcode {
	const char *text; /* NULL: not met yet */
	enum kind kind;
	uint32_t wide; /* registers of a result, if it is not loaded */
	uint64_t decoded, scalar;
};

struct state {
	struct hd_ctx *ctx;
	struct hd_divergence_if divergence;
	const struct hd_divergence_if *policy;
	const struct hd_trace_if *trace;
	const struct hd_warps *warps;
	uint64_t classes, lanes, votes;
	uint32_t cls, load_cls, double_cls;
	struct opcode *v; /* by hd_inst.opcode */
	uint32_t n;
	uint64_t decoded, scalar, operations, saved;
	/* by warp */
	uint64_t age[HD_MAX_WARPS]; /* plus one, of the warp that the other two are of */
	uint32_t live[HD_MAX_WARPS]; /* lanes that have not ended */
	uint64_t uniform[HD_MAX_WARPS][HD_REG_WORDS]; /* registers with one value in all of them */
};

/* ---- opcodes --------------------------------------------------------------------------------- */

/* Is the opcode, or its beginning up to a dot, one of the symbols? */
static bool listed(const struct state *st, uint64_t symbols, const char *text)
{
	while (symbols) {
		const char *name = hd_symbol_name(st->ctx, "opcode", hd_bits_pop(&symbols));
		size_t n = strlen(name);

		if (strncmp(text, name, n) == 0 && (text[n] == '\0' || text[n] == '.'))
			return true;
	}
	return false;
}

/* Registers of the result: two if it says so, as "IMAD.WIDE.U32", "I2F.F64.S32"; four at most. */
static uint32_t registers(const struct state *st, const char *text, uint32_t cls)
{
	static const char *const first[] = { ".64", ".F64", ".S64", ".U64" };
	const char *dot = strchr(text, '.');

	if (strstr(text, "MMA"))
		return 4;
	if (cls == st->double_cls || (dot && strstr(dot, ".WIDE")))
		return 2;
	for (size_t i = 0; dot && i < sizeof first / sizeof *first; i++) {
		size_t n = strlen(first[i]);

		if (strncmp(dot, first[i], n) == 0 && (dot[n] == '\0' || dot[n] == '.'))
			return 2;
	}
	return 1;
}

/* The entry of an instruction's opcode; NULL after an error. */
static struct opcode *opcode_of(struct state *st, const struct hd_inst *inst)
{
	struct opcode *o;

	if (HD_UNLIKELY(inst->opcode >= st->n)) {
		uint32_t n = inst->opcode * 2 + 64;
		struct opcode *v = realloc(st->v, n * sizeof *v);

		if (!v) {
			hd_error(st->ctx, "out of memory");
			return NULL;
		}
		memset(v + st->n, 0, (n - st->n) * sizeof *v);
		st->v = v;
		st->n = n;
	}
	o = &st->v[inst->opcode];
	if (HD_UNLIKELY(!o->text)) {
		o->text = st->trace->opcode_text(st->trace->self, inst->opcode);
		o->kind = listed(st, st->lanes, o->text)   ? LANES
		          : listed(st, st->votes, o->text) ? VOTES : ORDINARY;
		o->wide = registers(st, o->text, inst->cls);
	}
	return o;
}

/* ---- instructions ---------------------------------------------------------------------------- */

static bool one_address(const struct hd_inst *inst)
{
	uint32_t mask = inst->mask;
	uint64_t addr = mask ? hd_inst_addr(inst, hd_bits_first(mask)) : 0;

	for (uint32_t i = 0; i < HD_LANES; i++)
		if ((mask >> i & 1) && hd_inst_addr(inst, i) != addr)
			return false;
	return true;
}

/* Does a load get the same from all lanes' addresses?  True for what is not a load. */
static bool loads_one(const struct hd_inst *inst)
{
	switch (inst->space) {
	case HD_SPACE_NONE: return !(inst->flags & HD_INST_LOAD);
	case HD_SPACE_CONST: return true; /* from its sources */
	case HD_SPACE_GLOBAL:
	case HD_SPACE_SHARED: return (inst->flags & HD_INST_LOAD) && one_address(inst);
	default: return false; /* lanes have local memories of their own */
	}
}

static bool sources_uniform(const uint64_t *uniform, const struct hd_inst *inst)
{
	for (uint32_t i = 0; i < inst->nsrc; i++)
		if (inst->src[i] != RZ && !hd_scoreboard_has(uniform, inst->src[i]))
			return false;
	return true;
}

/* The result is, or is not, the same in all lanes. */
static void write_result(uint64_t *uniform, const struct hd_inst *inst, const struct opcode *o,
                         bool same)
{
	uint32_t n = inst->flags & HD_INST_LOAD ? inst->width / 4 : o->wide;

	if (inst->dst == 0 || inst->dst == RZ)
		return;
	n = n == 0 ? 1 : n;
	for (uint32_t r = inst->dst; r < inst->dst + n && r < RZ; r++) {
		if (same)
			uniform[r / 64] |= hd_bit(r % 64);
		else
			uniform[r / 64] &= ~hd_bit(r % 64);
	}
}

/* Is the instruction scalar?  Keeps the state of its warp. */
static bool decide(struct state *st, const struct hd_inst *inst, const struct opcode *o)
{
	static const uint32_t plain = HD_INST_LOAD | HD_INST_BYPASS | HD_INST_LAST | HD_INST_ROW | HD_INST_FAR;
	uint32_t warp = inst->warp;
	uint64_t *uniform = st->uniform[warp];
	bool whole, same, scalar;

	if (HD_UNLIKELY(st->age[warp] != st->warps->age[warp] + 1)) {
		st->age[warp] = st->warps->age[warp] + 1;
		st->live[warp] = st->warps->lanes[warp];
		memset(uniform, 0, sizeof st->uniform[warp]);
	}
	whole = inst->mask == st->live[warp];
	same = whole && !(inst->flags & ~plain) && sources_uniform(uniform, inst);
	scalar = same && o->kind == ORDINARY && (st->classes >> inst->cls & 1) && loads_one(inst);
	write_result(uniform, inst, o, scalar || (whole && o->kind == VOTES));
	st->live[warp] &= ~inst->exits;
	return scalar;
}

static bool next(void *self, uint32_t number, struct hd_inst *inst)
{
	struct state *st = self;
	struct opcode *o;

	if (!st->policy->next(st->policy->self, number, inst))
		return false;
	o = opcode_of(st, inst);
	if (!o)
		return true; /* the run ends */
	o->decoded++;
	st->decoded++;
	st->operations += inst->nlanes;
	if (!decide(st, inst, o))
		return true;
	o->scalar++;
	st->scalar++;
	st->saved += inst->nlanes - (inst->nlanes > 0);
	inst->cls = (uint8_t)(inst->flags & HD_INST_LOAD ? st->load_cls : st->cls);
	return true;
}

static uint32_t pc(void *self, uint32_t number)
{
	const struct state *st = self;

	return st->policy->pc(st->policy->self, number);
}

/* ---- statistics ------------------------------------------------------------------------------ */

/* Opcodes by their text in front of the first dot. */
static int compare(const void *a, const void *b)
{
	const char *x = ((const struct opcode *)a)->text, *y = ((const struct opcode *)b)->text;
	size_t nx = strcspn(x, "."), ny = strcspn(y, ".");
	int order = strncmp(x, y, nx < ny ? nx : ny);

	return order != 0 ? order : (nx > ny) - (nx < ny);
}

static void report(const struct state *st, const struct opcode *o)
{
	char name[64];
	size_t n = strcspn(o->text, ".");
	const struct hd_cell row[] = { { .name = "opcode", .text = name },
		{ .name = "warp_instructions", .number = o->decoded },
		{ .name = "scalar", .number = o->scalar } };

	n = n < sizeof name ? n : sizeof name - 1;
	memcpy(name, o->text, n);
	name[n] = '\0';
	hd_row(st->ctx, "scalar_opcodes", row, sizeof row / sizeof *row);
}

static void end(void *state)
{
	struct state *st = state;
	struct opcode sum = { 0 };
	uint32_t n = 0;

	for (uint32_t i = 0; i < st->n; i++)
		if (st->v[i].text)
			st->v[n++] = st->v[i];
	if (n > 1)
		qsort(st->v, n, sizeof *st->v, compare);
	for (uint32_t i = 0; i < n; i++) {
		if (sum.text && compare(&sum, &st->v[i]) != 0) {
			report(st, &sum);
			sum = (struct opcode){ 0 };
		}
		sum.text = st->v[i].text;
		sum.decoded += st->v[i].decoded;
		sum.scalar += st->v[i].scalar;
	}
	if (sum.text)
		report(st, &sum);
}

/* ---- the module ------------------------------------------------------------------------------ */

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;
	uint64_t twice = st->lanes & st->votes;

	st->ctx = ctx;
	st->double_cls = hd_symbol(ctx, "class", "DP");
	if (twice)
		return hd_error(ctx, "'lanes' and 'votes' both name opcode '%s'; expected it in "
		                "one of them", hd_symbol_name(ctx, "opcode", hd_bits_first(twice)));
	return 0;
}

static int start(void *state)
{
	struct state *st = state;

	st->divergence = *st->policy;
	st->divergence.self = st;
	st->divergence.next = next;
	st->divergence.pc = pc;
	return 0;
}

static void fini(void *state)
{
	free(((struct state *)state)->v);
}

/* By number, which the trace source gives again; what follows from the text is decided again. */
static void opcodes_saved(struct state *st, struct hd_checkpoint *k)
{
	uint32_t n = (uint32_t)hd_saved_number(k, st->n, 1u << 24);
	struct opcode *v = hd_loads(k) && n > 0 ? calloc(n, sizeof *v) : st->v;

	if (n > 0 && !v) {
		hd_refuse(k, "out of memory for %u opcodes", n);
		return;
	}
	st->v = v;
	st->n = n;
	for (uint32_t i = 0; i < n; i++) {
		bool met = hd_saved_number(k, v[i].text != NULL, 1);

		HD_SAVED_FROM(k, &v[i], kind, scalar);
		if (met && hd_loads(k))
			v[i].text = st->trace->opcode_text(st->trace->self, i);
	}
}

static void checkpoint(void *state, struct hd_checkpoint *k)
{
	struct state *st = state;

	HD_SAVED_FROM(k, st, age, uniform);
	opcodes_saved(st, k);
}

#define P(f) offsetof(struct state, f)

static const struct hd_param params[] = {
	{ .name = "class", .unit = "", .doc = "class of scalar instructions that compute",
	  .type = HD_SYMBOL, .kind = "class", .offset = P(cls), .def = "\"SCALAR\"" },
	{ .name = "load_class", .unit = "", .doc = "class of scalar loads", .type = HD_SYMBOL,
	  .kind = "class", .offset = P(load_cls), .def = "\"SCALAR_LOAD\"" },
	{ .name = "classes", .unit = "", .doc = "classes that may become scalar: of arithmetic, "
	  "moves, comparisons and loads", .type = HD_SYMBOLS, .kind = "class", .offset = P(classes),
	  .def = "[\"SP\", \"INTP\", \"ALU\", \"DP\", \"SFU\", \"SPECIALIZED_UNIT_4\", \"LOAD\"]",
	  .min = 1, .max = 64 },
	{ .name = "lanes", .unit = "", .doc = "opcodes that are not scalar and whose results differ "
	  "between lanes: they read the lane, or what the trace does not show, such as "
	  "predicates, or do not compute", .type = HD_SYMBOLS, .kind = "opcode",
	  .offset = P(lanes), .def = "[\"S2R\", \"CS2R\", \"SHFL\", \"MATCH\", \"FSWZADD\", "
	  "\"MOVM\", \"LDSM\", \"HMMA\", \"IMMA\", \"BMMA\", \"DMMA\", \"SEL\", \"FSEL\", "
	  "\"P2R\", \"R2P\", \"PLOP3\", \"PSETP\", \"CSMTEST\", \"IADD.X\", \"IADD3.X\", "
	  "\"LEA.HI.X\", \"B2R\", \"R2B\", \"LEPC\", \"NOP\", \"DEPBAR\", \"CCTL\", "
	  "\"CCTLL\", \"CCTLT\", \"ERRBAR\", \"PMTRIG\"]" },
	{ .name = "votes", .unit = "", .doc = "opcodes that are not scalar and whose results are "
	  "the same in all lanes", .type = HD_SYMBOLS, .kind = "opcode", .offset = P(votes),
	  .def = "[\"VOTE\", \"VOTE_VTG\", \"VOTEU\", \"REDUX\"]" },
	{ .name = NULL },
};

static const struct hd_port ports[] = {
	{ .name = "divergence", .doc = "for decode: the policy's instructions", .kind = HD_PROVIDES,
	  .type = &hd_type_divergence_if, .offset = P(divergence) },
	{ .name = "policy", .doc = "the policy that groups lanes", .kind = HD_USES,
	  .type = &hd_type_divergence_if, .offset = P(policy) },
	{ .name = "trace", .doc = "names of opcodes", .kind = HD_USES, .flags = HD_NO_WORK,
	  .type = &hd_type_trace_if, .offset = P(trace) },
	{ .name = "warps", .doc = "which warp has the slot, and its lanes", .kind = HD_USES,
	  .type = &hd_type_warps, .offset = P(warps) },
	{ .name = NULL },
};

static const struct hd_stat stats[] = {
	{ .name = "decoded", .unit = "warp instructions", .doc = "instructions of the policy",
	  .offset = P(decoded) },
	{ .name = "scalar", .unit = "warp instructions", .doc = "of them: scalar",
	  .offset = P(scalar), .rate = "scalar instructions", .of = "decoded" },
	{ .name = "lane_operations", .unit = "operations",
	  .doc = "active lanes of all instructions", .offset = P(operations) },
	{ .name = "lane_operations_saved", .unit = "operations",
	  .doc = "active lanes of scalar instructions, but one of each", .offset = P(saved) },
	{ .name = NULL },
};

const struct hd_module hd_module_scalar = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "scalar",
	.doc = "marks instructions with one result for all lanes of a warp, for scalar units",
	.params = params,
	.ports = ports,
	.stats = stats,
	.state_size = sizeof(struct state),
	.init = init,
	.start = start,
	.end = end,
	.fini = fini,
	.checkpoint = checkpoint,
};
