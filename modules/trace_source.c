/* trace_source.c - source of the kernels, thread blocks and instructions of a recorded trace
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Replays the input: a list of kernels (kernelslist.g) or one kernel's file (.traceg,
 * .traceg.xz, .tracez), tracer versions 1 to 6, or a packed trace (.hpack), which packing.c writes,
 * packed.c maps and packed_kernel.c checks.  In modules/trace/, text.c reads lines (tracez.c those of
 * containers), list.c the kernels to replay, header.c the head of a kernel's file, op_table.c and
 * archs.c the opcode tables, code.c the static instructions of a kernel, line.c and line6.c one dynamic
 * instruction, pack.c its packed form, exits.c what an EXIT ends, blocks.c thread blocks, ahead.c those
 * that are read before their launch, survey.c, program.c and meet.c a kernel's program, lanes.c the
 * lanes of a warp on their ways, kernels.c kernels, left.c what is left of warps, saved.c checkpoints.
 * Each builds on those before it only.
 */
#include "traces/source_kernels.h"

#include <inttypes.h>
#include <stdlib.h>

#define KERNEL_SHARE 1000u /* of the progress; how long each kernel will be is not known */

/* ---- the interface -------------------------------------------------------------------------- */

static int next_kernel(void *self, struct hd_launch *launch)
{
	struct source *s = self;
	int got;

	hd__trace_called(s, TRACE_CALL_NEXT, 0, 0);
	hd__trace_kernel_close(s, s->all);
	while (s->next < s->list.n
	       && !hd_next_item(s->ctx, s->first + s->next, s->list.v[s->next].path))
		s->next++;
	if (s->next == s->list.n)
		return 0;
	got = hd__trace_kernel_begin(s, s->all, s->next, launch);
	s->next += got > 0;
	return got;
}

static uint32_t kernels(void *self)
{
	return (uint32_t)((struct source *)self)->list.n;
}

static int peek(void *self, uint32_t i, struct hd_launch *launch)
{
	struct source *s = self;
	struct trace_text text = { 0 };
	int bad = 0;

	if (hd_keep_going(s->ctx))
		return hd_error(s->ctx, "--keep-going expects kernels that run one after another; this "
		                "netlist's dispatcher runs several at a time");
	if (!s->peeked)
		s->peeked = calloc(s->list.n, sizeof *s->peeked);
	if (!s->peeked)
		return hd_error(s->ctx, "out of memory");
	if (s->peeked[i].version == 0 && s->packed.map) {
		struct trace_packed_kernel k = { .cap = 0 };

		bad = hd__trace_packed_kernel(&k, &s->packed, i, &s->peeked[i], &text);
		free(k.kind);
		hd__trace_text_close(&text);
	} else if (s->peeked[i].version == 0) {
		bad = hd__trace_text_open(&text, s->ctx, s->list.v[i].path,
		                          (uint64_t)s->xz_memory << 20)
		      || hd__trace_header_read(&s->peeked[i], &text);
		hd__trace_text_close(&text);
	}
	*launch = s->peeked[i].launch;
	launch->number = (uint32_t)(s->first + i);
	launch->file = s->list.v[i].path;
	return bad ? -1 : 1;
}

static int open_any(void *self, uint32_t i, struct hd_launch *launch)
{
	struct source *s = self;
	struct kernel *k = hd__trace_kernel_spare(s);

	if (k)
		hd__trace_called(s, TRACE_CALL_OPEN, k->number, i);
	return k ? hd__trace_kernel_begin(s, k, i, launch) : -1;
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

	while ((i = tally_of(s, first, i)) < s->tallies)
		s->tally[i++].to->instructions += instructions;
}

static int next_cta(void *self, uint32_t first)
{
	struct source *s = self;
	struct kernel *k = s->present;
	struct trace_mark was = hd__trace_mark(s);
	uint64_t loaded = k->blocks.instructions;
	size_t tally;
	bool last;
	int got;

	if (!k->open)
		return 0;
	tally = tally_of(s, first, 0);
	k->blocks.counts = tally < s->tallies ? s->tally[tally].to : &s->uncounted;
	got = hd__trace_blocks_load(&k->blocks, first);
	if (got == 0)
		hd_error(s->ctx, "%s:%" PRIu64 ": the file ends after %" PRIu64 " of the %" PRIu64
		         " thread blocks of its grid; expected all of them", k->code.text->name,
		         k->code.text->line, k->blocks.ctas, k->header.launch.ctas);
	for (uint32_t i = 0; got > 0 && i < k->header.launch.warps; i++) {
		s->of_slot[first + i] = k;
		if (s->walks)
			s->lanes[first + i].fresh = true;
	}
	if (got > 0)
		count_loaded(s, first, k->blocks.instructions - loaded);
	if (got > 0 && HD_UNLIKELY(s->saves))
		hd__trace_called_block(s, first);
	/* No more blocks than the grid has are requested, so warn about the kernel here. */
	last = got == 0 || k->blocks.ctas == k->header.launch.ctas;
	if (got > 0 && last && hd__trace_blocks_finish(&k->blocks))
		got = -1;
	hd__trace_count(s, was);
	s->ctas += got > 0;
	if (got > 0) {
		k->blocks.slot[first].cta->first = first;
		k->blocks.slot[first].cta->serial = s->ctas;
	}
	s->block = k->blocks.number;
	if (last)
		hd__trace_kernel_close(s, k);
	return got == 0 ? -1 : got;
}

static uint64_t block(void *self)
{
	return ((struct source *)self)->block;
}

/* Of an instruction that has been taken. */
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
	w = &k->blocks.slot[warp];
	code = __atomic_load_n(&k->code.v, __ATOMIC_ACQUIRE);
	if (HD_LIKELY(trace_unpack_plain(w, code, inst)))
		return taken(w, warp, inst);
	return next_with_parts(w, code, &k->windows, warp, inst);
}

static bool ended(void *self, uint32_t warp)
{
	const struct kernel *k = ((const struct source *)self)->of_slot[warp];

	return !k || k->blocks.slot[warp].pos == k->blocks.slot[warp].end;
}

static uint32_t pc(void *self, uint32_t warp)
{
	const struct kernel *k = ((const struct source *)self)->of_slot[warp];
	const struct trace_cursor *w;

	if (!k)
		return 0;
	w = &k->blocks.slot[warp];
	return w->pos == w->end ? 0 : __atomic_load_n(&k->code.v, __ATOMIC_ACQUIRE)[trace_peek(w)].pc;
}

static const char *opcode_text(void *self, uint32_t opcode)
{
	const struct source *s = self;

	if (opcode >= __atomic_load_n(&s->names.n, __ATOMIC_ACQUIRE))
		return "";
	return __atomic_load_n(&s->names.v, __ATOMIC_ACQUIRE)[opcode];
}

static bool known(void *self, uint32_t opcode)
{
	const struct source *s = self;
	const char *text = opcode_text(self, opcode);
	struct trace_op op;
	uint32_t unknown;

	return hd__trace_opcode(s->present->code.opcodes, text, strlen(text), &op, &unknown) == 0 && !unknown;
}

static void position(void *self, uint64_t *done, uint64_t *total)
{
	const struct source *s = self;

	uint64_t share = s->total ? s->done * KERNEL_SHARE / s->total : 0;

	*done = (s->next ? s->next - 1 : 0) * KERNEL_SHARE + share;
	*total = s->list.n * KERNEL_SHARE;
}

static uint32_t copies(void *self, uint32_t i, const struct hd_trace_copy **v)
{
	const struct source *s = self;
	size_t end = s->list.v[i].copies, begin = i ? s->list.v[i - 1].copies : 0;

	*v = s->list.copy + begin;
	return (uint32_t)(end - begin);
}

static const char *listing(void *self, size_t *size)
{
	const struct kernel *k = ((const struct source *)self)->present;

	*size = k->code.packed ? k->packed.head->listing : 0;
	return *size ? k->packed.listing : NULL;
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
		k->blocks.slots = slots;
	return true;
}

/* ---- callbacks ------------------------------------------------------------------------------ */

static int init(void *state, struct hd_ctx *ctx)
{
	struct source *s = state;

	s->ctx = ctx;
	s->saves = hd_may_save(ctx);
	s->face = (struct hd_trace_if){
		.self = s, .claim = claim, .next_kernel = next_kernel, .next_cta = next_cta, .block = block,
		.next = next, .pc = pc, .left = hd__trace_left_of, .stores = hd__trace_stores_of,
		.ended = ended, .opcode_text = opcode_text, .known = known, .position = position,
		.kernels = kernels, .peek = peek, .open = open_any, .copies = copies,
		.pack = hd__trace_packing, .listing = listing,
		.paths = &s->paths,
	};
	hd__trace_paths_init(s);
	s->slots = TRACE_SLOTS;
	if (!room(s, s->slots))
		return hd_error(ctx, "out of memory");
	s->present = hd__trace_kernel_spare(s);
	if (!s->present)
		return -1;
	s->reclass.ctx = ctx;
	if (hd__trace_reclass_check(&s->reclass))
		return -1;
	if (!s->own_folder[0])
		return hd__trace_archs_open(&s->archs, ctx, s->folder);
	if (hd__trace_archs_open(&s->archs, ctx, s->own_folder))
		return -1;
	return hd__trace_archs_add(&s->archs, ctx, s->folder);
}

static int start(void *state)
{
	struct source *s = state;
	const char *input = hd_input(s->ctx);
	uint64_t first = 1, last = UINT64_MAX;
	int got;

	if (!input)
		return -1;
	hd_input_range(s->ctx, &first, &last);
	s->first = first;
	got = hd__trace_packed_open(&s->packed, s->ctx, input);
	if (got > 0)
		got = hd__trace_packed_list(&s->packed, &s->list, first, last);
	else if (got == 0)
		got = hd__trace_list_read(&s->list, s->ctx, input, first, last,
		                          (uint64_t)s->xz_memory << 20);
	if (got)
		return -1;
	if (hd_skips(s->ctx, first + s->list.n - 1))
		return hd_error(s->ctx, "%s: all kernels that were requested are skipped; expected fewer than %zu",
		                input, s->list.n);
	s->copies = s->list.copies;
	s->copied = s->list.copied;
	s->ignored = s->list.others;
	return 0;
}

/* Not for each kernel: programs repeat the same few kernels thousands of times. */
static void warn_mended(const struct source *s)
{
	if (s->mended)
		hd_warn(s->ctx, "%s:%" PRIu64 ": a lane goes on after an EXIT that has it; %" PRIu64
		        " EXIT%s in %" PRIu64 " kernel%s taken without the lanes that appear in later "
		        "lines", s->mended_file, s->mended_line, s->mended,
		        s->mended == 1 ? "" : "s", s->mended_kernels,
		        s->mended_kernels == 1 ? "" : "s");
}

static void fini(void *state)
{
	struct source *s = state;

	hd__trace_kernels_free(s);
	warn_mended(s);
	for (size_t i = 0; s->peeked && i < s->list.n; i++)
		hd__trace_header_free(&s->peeked[i]);
	free(s->peeked);
	for (uint32_t i = 0; s->lanes && i < s->slots; i++)
		free(s->lanes[i].v);
	free(s->tally);
	free(s->calls);
	hd__trace_names_free(&s->names);
	hd__trace_list_free(&s->list);
	free(s->latency_beside);
	hd__trace_archs_free(&s->archs);
	hd__trace_latencies_free(&s->latencies);
	hd__trace_packed_close(&s->packed);
}

static void checkpoint(void *state, struct hd_checkpoint *k)
{
	struct source *s = state;

	hd__trace_saved(s, k);
}

static const char *const unknown_choices[] = { "warn", "error", NULL };

static const char *const control_choices[] = { [CONTROL_NONE] = "none",
	[CONTROL_TRACED] = "traced", [CONTROL_SYNTHESISED] = "synthesised",
	[CONTROL_AVAILABLE] = "available", NULL };

static const struct hd_param reclass_columns[] = {
	{ .name = "class", .unit = "", .type = HD_SYMBOL, .kind = "class",
	  .offset = offsetof(struct trace_reclass_row, cls), .doc = "class of these opcodes" },
	{ .name = "opcodes", .unit = "", .type = HD_SYMBOLS, .kind = "opcode",
	  .offset = offsetof(struct trace_reclass_row, opcodes), .min = 1, .max = 64,
	  .doc = "opcodes, \"MUFU\", or with suffixes, \"MUFU.RSQ\", for only those" },
	{ 0 },
};

static const struct hd_param params[] = {
	{ .name = "opcodes", .unit = "", .type = HD_PATH, .offset = offsetof(struct source, folder),
	  .def = "\"opcodes\"",
	  .doc = "folder with index.json and the opcode tables" },
	{ .name = "own_opcodes", .unit = "", .type = HD_PATH,
	  .offset = offsetof(struct source, own_folder), .def = "\"\"",
	  .doc = "another such folder, whose tables come before those; \"\": none" },
	{ .name = "classes", .unit = "", .type = HD_TABLE,
	  .offset = offsetof(struct source, reclass.table), .def = "[]",
	  .columns = reclass_columns, .row_size = sizeof(struct trace_reclass_row),
	  .doc = "opcodes with another class than in their table, or without a table entry" },
	{ .name = "newest", .unit = "", .type = HD_U32, .offset = offsetof(struct source, newest), .def = "0",
	  .min = 0, .max = 9999, .doc = "most recent binary version of code that the core is made for: later "
	  "code gets a warning; 0: any" },
	{ .name = "unknown", .unit = "", .type = HD_CHOICE,
	  .offset = offsetof(struct source, unknown), .def = "\"warn\"",
	  .choices = unknown_choices,
	  .doc = "what to do with an opcode that its table does not name: use the class of the "
	         "table's prefixes or default and warn, or stop" },
	{ .name = "control", .unit = "", .type = HD_CHOICE,
	  .offset = offsetof(struct source, control), .def = "\"none\"", .choices = control_choices,
	  .doc = "control words of the instructions, for cores that follow them: none; traced, from "
	         "the listing beside each kernel; synthesised, made for the run; available, traced "
	         "where a kernel's listing has any, else synthesised" },
	{ .name = "latencies", .unit = "", .type = HD_PATH,
	  .offset = offsetof(struct source, latency_file), .def = "\"\"",
	  .doc = "table of latencies from which control words are synthesised; \"\": latencies.json "
	         "in the folder of 'opcodes'" },
	{ .name = "local_window", .unit = "bytes", .type = HD_U32,
	  .offset = offsetof(struct source, local_window), .def = "16384", .min = 0,
	  .max = UINT32_MAX,
	  .doc = "generic addresses from the trace's local base on that are local memory" },
	{ .name = "shared_window", .unit = "bytes", .type = HD_U32,
	  .offset = offsetof(struct source, shared_window), .def = "0", .min = 0,
	  .max = UINT32_MAX,
	  .doc = "generic addresses from the trace's shared base on that are shared memory; "
	         "0: all up to the local base, as in Accel-Sim" },
	{ .name = "xz_memory", .unit = "MiB", .type = HD_U32,
	  .offset = offsetof(struct source, xz_memory), .def = "256", .min = 1, .max = 16384,
	  .doc = "most memory of the decoder of a compressed trace" },
	{ .name = "text_memory", .unit = "MiB", .type = HD_U32,
	  .offset = offsetof(struct source, text_memory), .def = "8", .min = 0, .max = 16384,
	  .doc = "longest text of a kernel that is read once although its program is needed before its "
	         "first block, and most memory of its packed blocks, which are held then; 0: none" },
	{ .name = "block_memory", .unit = "MiB", .type = HD_U32,
	  .offset = offsetof(struct source, block_memory), .def = "64", .min = 1, .max = 16384,
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
	  .offset = offsetof(struct source, mended),
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
