/* trace_source.c - source of the kernels, thread blocks and instructions of a recorded trace
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Replays the input for a simulation: traces/trace_read.h reads it.  Several kernels may be read at a time, and
 * each warp slot has a block of one of them.
 */
#include "trace_source/source_parts.h"

#include <heddle/ahead.h>

#include <inttypes.h>
#include <stdlib.h>

#define KERNEL_SHARE 1000u /* of the progress; how long each kernel will be is not known */

/* ---- the simulation as the host of the readers ---------------------------------------------- */

static void say(void *self, enum hd_severity severity, const char *fmt, va_list ap)
{
	struct source *s = self;
	char *text;

	s->failed |= severity == HD_DIAG_ERROR;
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	if (severity == HD_DIAG_ERROR)
		hd_error(s->ctx, "%s", text ? text : "out of memory");
	else
		hd_warn(s->ctx, "%s", text ? text : "out of memory");
	free(text);
}

static int open_file(void *self, const char *path, const char **why)
{
	return hd_open(((const struct source *)self)->ctx, path, why);
}

static uint32_t class_number(void *self, const char *name)
{
	return hd_symbol(((const struct source *)self)->ctx, "class", name);
}

static uint32_t power_number(void *self, const char *name)
{
	return hd_symbol(((const struct source *)self)->ctx, "power", name);
}

static const char *class_name(void *self, uint32_t number)
{
	return hd_symbol_name(((const struct source *)self)->ctx, "class", number);
}

/* ---- the list ---- */

/* Is there none to simulate? */
static bool skips_all(const struct source *s)
{
	size_t n = s->reader.list.n;

	while (n > 0 && hd_skips(s->ctx, s->reader.first + n - 1))
		n--;
	return n == 0;
}

/* Waits for item i; whole: for all of its kernel.  Returns 1; 0: there is no such item; -1 after a message. */
static int wait_for(struct source *s, size_t i, bool whole)
{
	const struct trace_list *list = &s->reader.list;
	int got = hd__trace_item(&s->reader, i, whole);

	if (got == 0 && i == list->n && list->n > 0 && skips_all(s))
		return hd_error(s->ctx, "%s: all kernels that were requested are skipped; expected fewer than %zu",
		                s->reader.input, list->n);
	return got;
}

/* Copies count when the kernel is reached that they precede, or the end. */
static void count_copies(struct source *s, size_t i)
{
	const struct trace_list *list = &s->reader.list;
	size_t end = i < list->n ? list->v[i].copies : list->ncopy;

	while (s->copies < end)
		s->copied += list->copy[s->copies++].bytes;
}

/* ---- the interface -------------------------------------------------------------------------- */

static void ended_at(void *self, uint64_t ns)
{
	((struct source *)self)->reader.parts.ns = ns;
}

static int next_kernel(void *self, struct hd_launch *launch)
{
	struct source *s = self;
	const struct trace_list *list = &s->reader.list;
	int got;

	if (s->failed)
		return -1;
	hd__source_called(s, TRACE_CALL_NEXT, 0, 0);
	hd__trace_kernel_close(&s->reader, &s->all->k);
	while ((got = wait_for(s, s->next, false)) > 0
	       && !hd_next_item(s->ctx, s->reader.first + s->next, list->v[s->next].path))
		s->next++;
	if (got >= 0)
		count_copies(s, s->next);
	if (got <= 0)
		return got;
	got = hd__source_begin(s, s->all, s->next, launch);
	s->skipped = hd_skips(s->ctx, s->reader.first + s->next);
	s->next += got > 0;
	return got;
}

static const struct hd_bulk *bulk(void *self, uint32_t number)
{
	const struct trace_names *n = &((const struct source *)self)->reader.names;

	if (number == 0 || number > __atomic_load_n(&n->nbulk, __ATOMIC_ACQUIRE))
		return NULL;
	return &__atomic_load_n(&n->bulk, __ATOMIC_ACQUIRE)[number - 1]->form;
}

static uint32_t kernels(void *self)
{
	return (uint32_t)((struct source *)self)->reader.list.n;
}

static int peek(void *self, uint32_t i, struct hd_launch *launch)
{
	struct source *s = self;
	struct trace_header *v;
	int bad = 0, got;

	if (s->failed)
		return -1;
	if (hd_keep_going(s->ctx))
		return hd_error(s->ctx, "--keep-going expects kernels that run one after another; this "
		                "netlist's dispatcher runs several at a time");
	s->reader.parts.ns = UINT64_MAX;
	got = wait_for(s, i, true);
	if (got >= 0)
		count_copies(s, i);
	if (got <= 0)
		return got;
	v = trace_reserve(s->peeked, s->reader.list.n, &s->peeked_cap, sizeof *v);
	if (!v)
		return hd_error(s->ctx, "out of memory");
	s->peeked = v;
	while (s->npeeked < s->reader.list.n)
		v[s->npeeked++] = (struct trace_header){ 0 };
	if (s->peeked[i].version == 0)
		bad = hd__trace_kernel_header(&s->reader, &s->peeked[i], i);
	*launch = s->peeked[i].launch;
	launch->number = (uint32_t)(s->reader.first + i);
	launch->file = s->reader.list.v[i].path;
	return bad ? -1 : 1;
}

static int open_any(void *self, uint32_t i, struct hd_launch *launch)
{
	struct source *s = self;
	struct kernel *k = s->failed ? NULL : hd__source_spare(s);

	if (k)
		hd__source_called(s, TRACE_CALL_OPEN, k->number, i);
	return k ? hd__source_begin(s, k, i, launch) : -1;
}

/* The counts of the SM that has these slots, from element i on; n: none. */
static size_t tally_of(const struct source *s, uint32_t first, size_t i)
{
	while (i < s->tallies && first - *s->tally[i].base >= HD_TRACE_SM)
		i++;
	return i;
}

static void count_loaded(const struct source *s, uint32_t first, uint64_t instructions)
{
	size_t i = 0;

	while (!s->skipped && (i = tally_of(s, first, i)) < s->tallies)
		s->tally[i++].to->instructions += instructions;
}

/* A block of the present kernel is on the slots. */
static void take_block(struct source *s, uint32_t first, uint64_t instructions)
{
	struct kernel *k = s->present;

	for (uint32_t i = 0; i < k->k.header.launch.warps; i++) {
		s->of_slot[first + i] = k;
		if (s->reader.walks)
			s->lanes[first + i].fresh = true;
	}
	count_loaded(s, first, instructions);
	if (HD_UNLIKELY(s->saves))
		hd__source_called_block(s, first);
}

static int next_cta(void *self, uint32_t first)
{
	struct source *s = self;
	struct trace_kernel *k = &s->present->k;
	struct source_mark was = hd__source_mark(s);
	uint64_t loaded = k->blocks.instructions;
	size_t tally;
	bool last;
	int bad;

	if (s->failed || !k->open)
		return s->failed ? -1 : 0;
	tally = s->skipped ? s->tallies : tally_of(s, first, 0);
	k->blocks.counts = tally < s->tallies ? s->tally[tally].to : &s->uncounted;
	bad = hd__trace_kernel_block(k, first);
	if (bad > 0) { /* its launch failed */
		hd__trace_kernel_close(&s->reader, k);
		return 0;
	}
	if (!bad)
		take_block(s, first, k->blocks.instructions - loaded);
	/* No more blocks than the grid has are requested, so warn about the kernel here. */
	last = bad || k->blocks.ctas == k->header.launch.ctas;
	if (!bad && last)
		bad = hd__trace_blocks_finish(&k->blocks);
	hd__source_count(s, was);
	if (!bad) {
		s->ctas++;
		k->blocks.slot[first].cta->first = first;
		k->blocks.slot[first].cta->serial = s->ctas;
	}
	s->block = k->blocks.number;
	if (last)
		hd__trace_kernel_close(&s->reader, k);
	return bad ? -1 : 1;
}

static uint64_t block(void *self)
{
	return ((struct source *)self)->block;
}

/* Completes an instruction that has been taken. */
static inline bool taken(const struct trace_cursor *w, uint32_t warp, struct hd_inst *inst)
{
	w->counts->lanes += inst->nlanes;
	inst->warp = (uint8_t)warp;
	return true;
}

static __attribute__((noinline)) bool next_with_parts(struct trace_cursor *w, const struct trace_static *code,
                                                      const struct trace_windows *windows, uint32_t warp,
                                                      struct hd_inst *inst)
{
	return trace_unpack(w, code, windows, inst) && taken(w, warp, inst);
}

static bool next(void *self, uint32_t warp, struct hd_inst *inst)
{
	struct source *s = self;
	struct kernel *k = s->of_slot[warp];
	const struct trace_static *code;
	struct trace_cursor *w;

	if (!k)
		return false;
	w = &k->k.blocks.slot[warp];
	code = __atomic_load_n(&k->k.code.v, __ATOMIC_ACQUIRE);
	if (HD_LIKELY(trace_unpack_plain(w, code, inst)))
		return taken(w, warp, inst);
	return next_with_parts(w, code, &k->k.windows, warp, inst);
}

static bool ended(void *self, uint32_t warp)
{
	const struct kernel *k = ((const struct source *)self)->of_slot[warp];

	return !k || k->k.blocks.slot[warp].pos == k->k.blocks.slot[warp].end;
}

static uint32_t pc(void *self, uint32_t warp)
{
	const struct kernel *k = ((const struct source *)self)->of_slot[warp];
	const struct trace_cursor *w;

	if (!k)
		return 0;
	w = &k->k.blocks.slot[warp];
	return w->pos == w->end ? 0 : __atomic_load_n(&k->k.code.v, __ATOMIC_ACQUIRE)[trace_peek(w)].pc;
}

static const char *opcode_text(void *self, uint32_t opcode)
{
	const struct source *s = self;

	if (opcode >= __atomic_load_n(&s->reader.names.n, __ATOMIC_ACQUIRE))
		return "";
	return __atomic_load_n(&s->reader.names.v, __ATOMIC_ACQUIRE)[opcode];
}

static void position(void *self, uint64_t *done, uint64_t *total)
{
	const struct source *s = self;

	uint64_t share = s->total ? s->done * KERNEL_SHARE / s->total : 0;

	*done = (s->next ? s->next - 1 : 0) * KERNEL_SHARE + share;
	*total = s->reader.list.n * KERNEL_SHARE;
}

static uint32_t copies(void *self, uint32_t i, const struct hd_trace_copy **v)
{
	const struct source *s = self;
	size_t end = i < s->reader.list.n ? s->reader.list.v[i].copies : s->reader.list.ncopy;
	size_t begin = i ? s->reader.list.v[i - 1].copies : 0;

	*v = s->reader.list.copy + begin;
	return (uint32_t)(end - begin);
}

/* What the warp has still to take and to store; NULL: nothing can be foreseen. */
static struct trace_left *foreseen(struct source *s, uint32_t warp)
{
	const struct kernel *k = s->of_slot[warp];
	const struct trace_cursor *w = k ? &k->k.blocks.slot[warp] : NULL;
	struct trace_left *l = &s->left[warp];

	if (!w || s->reader.walks || !w->cta)
		return NULL;
	if (l->serial == w->cta->serial)
		return l;
	l->serial = w->cta->serial;
	l->at = (struct trace_cursor){
		.pos = w->start, .end = w->end, .mask = trace_threads(&k->k.header.launch, warp - w->cta->first),
		.index = TRACE_NOWHERE,
	};
	hd__trace_left_count(l, k->k.code.v, &k->k.windows);
	return l;
}

static uint32_t left_of(void *self, uint32_t warp)
{
	struct source *s = self;
	struct trace_left *l = foreseen(s, warp);

	return l ? hd__trace_left(l, &s->of_slot[warp]->k.blocks.slot[warp]) : 0;
}

static uint32_t stores_of(void *self, uint32_t warp)
{
	const struct trace_left *l = foreseen(self, warp);

	return l ? l->stores : 0;
}

/* Makes what is kept by warp slot.  Returns false without memory. */
static bool room(struct source *s, uint32_t slots)
{
	s->of_slot = hd_memory(s->ctx, slots, sizeof(struct kernel *));
	s->near = hd_memory(s->ctx, slots, sizeof *s->near);
	s->lanes = hd_memory(s->ctx, slots, sizeof *s->lanes);
	s->left = hd_memory(s->ctx, slots, sizeof *s->left);
	return s->of_slot && s->near && s->lanes && s->left;
}

static bool claim(void *self, uint32_t sms)
{
	struct source *s = self;
	uint32_t slots = sms * TRACE_SLOTS;
	if (s->claimed)
		return false;
	s->claimed = true;
	if (slots != s->slots && !room(s, slots)) {
		hd_error(s->ctx, "out of memory for the warps of %u SMs", sms);
		return false;
	}
	s->slots = slots;
	for (struct kernel *k = s->all; k; k = k->next)
		k->k.blocks.slots = slots;
	return true;
}

/* ---- callbacks ------------------------------------------------------------------------------ */

/* Opcodes that a netlist moves to another class, from the rows of "classes". */
static int read_classes(struct source *s)
{
	const struct source_class *row = s->classes.rows;
	struct trace_reclass *to = &s->reader.reclass;
	uint64_t seen = 0, twice;

	to->v = hd_memory(s->ctx, HD_LANES * 2, sizeof *to->v); /* a kind has no more symbols */
	if (!to->v)
		return hd_error(s->ctx, "out of memory");
	for (uint32_t i = 0; i < s->classes.n; i++) {
		twice = seen & row[i].opcodes;
		if (twice)
			return hd_error(s->ctx, "two rows of 'classes' name opcode '%s'; expected one",
			                hd_symbol_name(s->ctx, "opcode", hd_bits_first(twice)));
		seen |= row[i].opcodes;
		for (uint64_t set = row[i].opcodes; set;)
			to->v[to->n++] = (struct trace_moved){
				hd_symbol_name(s->ctx, "opcode", hd_bits_pop(&set)), (uint8_t)row[i].cls,
			};
	}
	return 0;
}

static int init(void *state, struct hd_ctx *ctx)
{
	struct source *s = state;

	s->ctx = ctx;
	s->saves = hd_may_save(ctx);
	s->host = (struct trace_host){ .self = s, .say = say, .open = open_file, .class_number = class_number,
		.class_name = class_name, .power_number = ctx->active ? power_number : NULL,
		.met = ctx->observable ? hd__source_met : NULL };
	s->reader.host = &s->host;
	s->reader.opt.strict = hd_strict(ctx);
	s->reader.opt.late = hd_keep_going(ctx);
	s->face = (struct hd_trace_if){
		.self = s, .claim = claim, .ended_at = ended_at, .next_kernel = next_kernel, .next_cta = next_cta,
		.block = block, .next = next, .pc = pc, .left = left_of, .stores = stores_of,
		.bulk = bulk,
		.ended = ended, .opcode_text = opcode_text, .position = position,
		.kernels = kernels, .peek = peek, .open = open_any, .copies = copies,
		.paths = &s->paths,
	};
	hd__source_paths_init(s);
	s->slots = TRACE_SLOTS;
	if (!room(s, s->slots))
		return hd_error(ctx, "out of memory");
	s->present = hd__source_spare(s);
	return !s->present || read_classes(s) || hd__trace_open(&s->reader) ? -1 : 0;
}

static int start(void *state)
{
	struct source *s = state;
	const struct trace_list *list = &s->reader.list;
	const char *input = hd_input(s->ctx);
	uint64_t first = 1, last = UINT64_MAX;

	if (!input)
		return -1;
	hd_input_range(s->ctx, &first, &last);
	if (hd__trace_open_list(&s->reader, input, first, last))
		return -1;
	if (s->reader.parts.on && (s->saves || hd_keep_going(s->ctx)))
		return hd_error(s->ctx, "%s: a trace that comes while it is made cannot be read again", input);
	if (!s->reader.parts.on && wait_for(s, list->n, false) < 0)
		return -1;
	s->ignored = list->others;
	return 0;
}

static void fini(void *state)
{
	struct source *s = state;

	while (s->all) {
		struct kernel *k = s->all;

		s->all = k->next;
		hd__trace_kernel_free(&s->reader, &k->k);
		free(k->hole);
		free(k);
	}
	for (size_t i = 0; i < s->npeeked; i++)
		hd__trace_header_free(&s->peeked[i]);
	free(s->peeked);
	for (uint32_t i = 0; s->lanes && i < s->slots; i++)
		free(s->lanes[i].v);
	free(s->tally);
	free(s->calls);
	hd__trace_close(&s->reader);
}

static void checkpoint(void *state, struct hd_checkpoint *k)
{
	hd__source_saved(state, k);
}

static const char *const unknown_choices[] = { "warn", "error", NULL };

static const char *const control_choices[] = { [CONTROL_NONE] = "none",
	[CONTROL_TRACED] = "traced", [CONTROL_SYNTHESISED] = "synthesised",
	[CONTROL_AVAILABLE] = "available", NULL };

static const struct hd_param reclass_columns[] = {
	{ .name = "class", .unit = "", .type = HD_SYMBOL, .kind = "class",
	  .offset = offsetof(struct source_class, cls), .doc = "class of these opcodes" },
	{ .name = "opcodes", .unit = "", .type = HD_SYMBOLS, .kind = "opcode",
	  .offset = offsetof(struct source_class, opcodes), .min = 1, .max = 64,
	  .doc = "opcodes, \"MUFU\", or with suffixes, \"MUFU.RSQ\", for only those" },
	{ 0 },
};

static const struct hd_param params[] = {
	{ .name = "opcodes", .unit = "", .type = HD_PATH, .offset = offsetof(struct source, reader.opt.opcodes),
	  .def = "\"opcodes\"",
	  .doc = "folder with index.json and the opcode tables" },
	{ .name = "own_opcodes", .unit = "", .type = HD_PATH,
	  .offset = offsetof(struct source, reader.opt.own_opcodes), .def = "\"\"",
	  .doc = "another such folder, whose tables come before those; \"\": none" },
	{ .name = "classes", .unit = "", .type = HD_TABLE,
	  .offset = offsetof(struct source, classes), .def = "[]",
	  .columns = reclass_columns, .row_size = sizeof(struct source_class),
	  .doc = "opcodes with another class than in their table, or without a table entry" },
	{ .name = "newest", .unit = "", .type = HD_U32,
	  .offset = offsetof(struct source, reader.opt.newest), .def = "0",
	  .min = 0, .max = 9999, .doc = "most recent binary version of code that the core is made for: later "
	  "code gets a warning; 0: any" },
	{ .name = "unknown", .unit = "", .type = HD_CHOICE,
	  .offset = offsetof(struct source, reader.opt.unknown), .def = "\"warn\"",
	  .choices = unknown_choices,
	  .doc = "what to do with an opcode that its table does not name: use the class of the "
	         "table's prefixes or default and warn, or stop" },
	{ .name = "control", .unit = "", .type = HD_CHOICE,
	  .offset = offsetof(struct source, reader.opt.control), .def = "\"none\"", .choices = control_choices,
	  .doc = "control words of the instructions, for cores that follow them: none; traced, from "
	         "the listing beside each kernel; synthesised, made for the run; available, traced "
	         "where a kernel's listing has any, else synthesised" },
	{ .name = "latencies", .unit = "", .type = HD_PATH,
	  .offset = offsetof(struct source, reader.opt.latencies), .def = "\"\"",
	  .doc = "table of latencies from which control words are synthesised; \"\": latencies.json "
	         "in the folder of 'opcodes'" },
	{ .name = "local_window", .unit = "bytes", .type = HD_U32,
	  .offset = offsetof(struct source, reader.opt.local_window), .def = "16384", .min = 0,
	  .max = UINT32_MAX,
	  .doc = "generic addresses from the trace's local base on that are local memory" },
	{ .name = "shared_window", .unit = "bytes", .type = HD_U32,
	  .offset = offsetof(struct source, reader.opt.shared_window), .def = "0", .min = 0,
	  .max = UINT32_MAX,
	  .doc = "generic addresses from the trace's shared base on that are shared memory; "
	         "0: all up to the local base, as in Accel-Sim" },
	{ .name = "xz_memory", .unit = "MiB", .type = HD_U32,
	  .offset = offsetof(struct source, reader.opt.xz_memory), .def = "256", .min = 1, .max = 16384,
	  .doc = "most memory of the decoder of a compressed trace" },
	{ .name = "block_memory", .unit = "MiB", .type = HD_U32,
	  .offset = offsetof(struct source, reader.opt.block_memory), .def = "64", .min = 1, .max = 16384,
	  .doc = "most memory of one thread block, whose instructions take some bytes each; those of "
	         "all resident blocks are held" },
	{ 0 },
};

static const struct hd_port ports[] = {
	{ .name = "trace", .doc = "kernels, thread blocks, instructions of a warp",
	  .kind = HD_PROVIDES, .flags = HD_APART, .type = &hd_type_trace_if,
	  .offset = offsetof(struct source, face) },
	{ 0 },
};

static const struct hd_stat stats[] = {
	{ .name = "kernels", .unit = "kernels",
	  .offset = offsetof(struct source, kernels),
	  .doc = "kernels opened" },
	{ .name = "blocks", .unit = "blocks",
	  .offset = offsetof(struct source, ctas),
	  .doc = "thread blocks read" },
	{ .name = "lines", .unit = "lines",
	  .offset = offsetof(struct source, lines),
	  .doc = "lines of kernel files read" },
	{ .name = "bytes", .unit = "bytes",
	  .offset = offsetof(struct source, bytes),
	  .doc = "text of kernel files read, decompressed" },
	{ .name = "static", .unit = "instructions",
	  .offset = offsetof(struct source, statics),
	  .doc = "different instructions, summed over kernels" },
	{ .name = "unknown", .unit = "instructions",
	  .offset = offsetof(struct source, unknowns),
	  .doc = "instructions whose opcode no table entry names" },
	{ .name = "synthetic", .unit = "instructions",
	  .offset = offsetof(struct source, synthetic),
	  .doc = "different instructions whose control word is synthesised" },
	{ .name = "mended", .unit = "instructions",
	  .offset = offsetof(struct source, reader.mended),
	  .doc = "EXITs that lost lanes which a later line of their warp has" },
	{ .name = "copies", .unit = "commands",
	  .offset = offsetof(struct source, copies),
	  .doc = "copies from host to device in the list of kernels" },
	{ .name = "copied", .unit = "bytes",
	  .offset = offsetof(struct source, copied),
	  .doc = "bytes of these copies" },
	{ .name = "ignored", .unit = "lines",
	  .offset = offsetof(struct source, ignored),
	  .doc = "unknown lines of the list and of headers" },
	{ 0 },
};

const struct hd_module hd_module_trace_source = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "trace_source",
	.doc = "reads an Accel-Sim SASS trace and gives each warp its instructions",
	.params = params,
	.ports = ports,
	.stats = stats,
	.state_size = sizeof(struct source),
	.init = init,
	.start = start,
	.fini = fini,
	.checkpoint = checkpoint,
};
