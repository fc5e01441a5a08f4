/* trace_source.c - source of the kernels, thread blocks and instructions of a recorded trace
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Replays the input: a list of kernels (kernelslist.g) or one kernel's file (.traceg,
 * .traceg.xz), tracer versions 1 to 5.  The work is in modules/trace/.
 */
#include "trace/trace.h"

#include <inttypes.h>
#include <stdlib.h>

#define KERNEL_SHARE 1000u /* of the progress; how long each kernel will be is not known */

enum { UNKNOWN_WARN, UNKNOWN_ERROR };

/* A kernel whose file is being read, or of which thread blocks are resident. */
struct kernel {
	struct kernel *next;
	struct trace_text text;
	struct trace_header header;
	struct trace_windows windows;
	struct trace_code code;
	struct trace_blocks blocks;
	bool open;   /* its file may have further blocks */
};

struct source {
	const char *folder, *own_folder;
	uint32_t unknown, local_window, shared_window, xz_memory;

	struct hd_ctx *ctx;
	struct hd_trace_if face;
	struct trace_archs archs;
	struct trace_list list;
	size_t next; /* item of the list that is read next */
	uint64_t first; /* position of its item 0, from 1 */
	struct trace_names names;
	struct trace_reclass reclass;
	uint32_t slots;                       /* of all SMs */
	bool claimed;                         /* by a dispatcher */
	struct kernel *all, *present;         /* present: next_cta() returns its thread blocks */
	struct kernel **of_slot;               /* whose block is on the warp slot; NULL: none */
	struct trace_header *peeked;          /* by item of the list; made by the first peek() */
	uint64_t done, total; /* bytes of it */

	uint64_t kernels, ctas, lines, bytes, statics, unknowns, copies, copied, ignored;
	/* EXITs that lost lanes, for one warning at the end of the run */
	uint64_t mended, mended_kernels, mended_line;
	const char *mended_file;
};

/* Adds what the readers have read since the last call to progress and statistics; `was` is their
 * position then. */
struct mark {
	uint64_t lines, bytes, statics, unknowns;
};

static struct mark mark(const struct source *s)
{
	const struct kernel *k = s->present;

	return (struct mark){ .lines = k->text.line, .bytes = k->text.bytes,
	                      .statics = k->code.n, .unknowns = k->code.unknown };
}

static void count(struct source *s, struct mark was)
{
	const struct kernel *k = s->present;

	s->lines += k->text.line - was.lines;
	s->bytes += k->text.bytes - was.bytes;
	s->statics += k->code.n - was.statics;
	s->unknowns += k->code.unknown - was.unknowns;
	s->done = k->text.done;
	s->total = k->text.total;
}

static void count_mended(struct source *s, const struct kernel *k)
{
	if (!k->blocks.mended)
		return;
	if (s->mended_kernels++ == 0) {
		s->mended_file = s->list.v[k->code.kernel - s->first].path;
		s->mended_line = k->blocks.mended_line;
	}
	s->mended += k->blocks.mended;
}

/* Prints the warnings about the kernel.  Its instructions are kept: blocks of it may be
 * resident. */
static void close_kernel(struct source *s, struct kernel *k)
{
	if (!k->open)
		return;
	k->open = false;
	count_mended(s, k);
	hd__trace_blocks_warn(&k->blocks);
	hd__trace_code_warn(&k->code);
	hd__trace_text_close(&k->text);
}

/* Defines the kernel for dumps. */
static void describe(const struct source *s, const struct kernel *k)
{
	const struct hd_launch *l = &k->header.launch;
	const struct hd_cell cells[] = {
		{ "launch", NULL, l->id }, { "name", l->name, 0 }, { "stream", NULL, l->stream },
		{ "grid_x", NULL, l->grid[0] }, { "grid_y", NULL, l->grid[1] },
		{ "grid_z", NULL, l->grid[2] }, { "block_x", NULL, l->block[0] },
		{ "block_y", NULL, l->block[1] }, { "block_z", NULL, l->block[2] },
		{ "shared", NULL, l->shmem }, { "registers", NULL, l->nregs },
		{ "sm", NULL, l->binary },
	};

	hd_define(s->ctx, "kernel", k->code.kernel, cells, sizeof cells / sizeof *cells);
}

static int open_kernel(struct source *s, struct kernel *k, size_t i)
{
	const char *path = s->list.v[i].path;
	struct trace_opcodes *opcodes;

	if (hd__trace_text_open(&k->text, s->ctx, path, (uint64_t)s->xz_memory << 20) ||
	    hd__trace_header_read(&k->header, &k->text))
		return -1;
	opcodes = hd__trace_archs_get(&s->archs, k->header.launch.binary);
	if (!opcodes)
		return -1;
	hd__trace_code_start(&k->code, &k->text, opcodes, &s->names, &k->header);
	k->code.strict = s->unknown == UNKNOWN_ERROR;
	k->code.reclass = &s->reclass;
	k->header.launch.number = k->code.kernel = (uint32_t)(s->first + i);
	k->blocks.code = &k->code;
	k->blocks.header = &k->header;
	k->blocks.strict = hd_strict(s->ctx);
	k->blocks.mended = 0;
	k->windows = (struct trace_windows){
		.shmem_base = k->header.shmem_base, .local_base = k->header.local_base,
		.shared = s->shared_window, .local = s->local_window,
	};
	s->ignored += k->header.unknown;
	if (s->ctx->observable)
		describe(s, k);
	return 0;
}

/* The blocks on its slots are no longer needed. */
static void drop_blocks(struct source *s, struct kernel *k)
{
	for (uint32_t i = 0; i < s->slots; i++)
		if (s->of_slot[i] == k)
			s->of_slot[i] = NULL;
	hd__trace_blocks_drop(&k->blocks);
}

static bool resident(const struct source *s, const struct kernel *k)
{
	for (uint32_t i = 0; i < s->slots; i++)
		if (s->of_slot[i] == k && k->blocks.slot[i].pos != k->blocks.slot[i].end)
			return true;
	return false;
}

/* A kernel that may be reused, or NULL after a message. */
static struct kernel *spare_kernel(struct source *s)
{
	struct kernel *k = s->all;

	while (k && resident(s, k))
		k = k->next;
	if (k)
		return k;
	k = calloc(1, sizeof *k);
	if (!k) {
		hd_error(s->ctx, "out of memory");
		return NULL;
	}
	k->blocks.slots = s->slots;
	k->next = s->all;
	return s->all = k;
}

/* Makes item i of the list the present kernel, in the memory of `k`. */
static int begin_kernel(struct source *s, struct kernel *k, size_t i, struct hd_launch *launch)
{
	close_kernel(s, k);
	drop_blocks(s, k);
	if (open_kernel(s, k, i)) {
		hd__trace_text_close(&k->text);
		return -1;
	}
	s->present = k;
	k->open = true;
	k->blocks.ctas = 0;
	s->kernels++;
	count(s, (struct mark){ 0 });
	*launch = k->header.launch;
	return 1;
}

/* ---- the interface -------------------------------------------------------------------------- */

static int next_kernel(void *self, struct hd_launch *launch)
{
	struct source *s = self;
	int got;

	close_kernel(s, s->all);
	drop_blocks(s, s->all);
	if (s->next == s->list.n)
		return 0;
	got = begin_kernel(s, s->all, s->next, launch);
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

	if (!s->peeked)
		s->peeked = calloc(s->list.n, sizeof *s->peeked);
	if (!s->peeked)
		return hd_error(s->ctx, "out of memory");
	if (s->peeked[i].version == 0) {
		bad = hd__trace_text_open(&text, s->ctx, s->list.v[i].path,
		                          (uint64_t)s->xz_memory << 20)
		      || hd__trace_header_read(&s->peeked[i], &text);
		hd__trace_text_close(&text);
	}
	*launch = s->peeked[i].launch;
	launch->number = (uint32_t)(s->first + i);
	return bad ? -1 : 1;
}

static int open_any(void *self, uint32_t i, struct hd_launch *launch)
{
	struct source *s = self;
	struct kernel *k = spare_kernel(s);

	return k ? begin_kernel(s, k, i, launch) : -1;
}

static int next_cta(void *self, uint32_t first)
{
	struct source *s = self;
	struct kernel *k = s->present;
	struct mark was = mark(s);
	bool last;
	int got;

	if (!k->open)
		return 0;
	got = hd__trace_blocks_load(&k->blocks, first);
	if (got == 0)
		hd_error(s->ctx, "%s:%" PRIu64 ": the file ends after %" PRIu64 " of the %" PRIu64
		         " thread blocks of its grid; expected all of them", k->code.text->name,
		         k->code.text->line, k->blocks.ctas, k->header.launch.ctas);
	for (uint32_t i = 0; got > 0 && i < k->header.launch.warps; i++)
		s->of_slot[first + i] = k;
	/* No more blocks than the grid has are requested, so warn about the kernel here. */
	last = got == 0 || k->blocks.ctas == k->header.launch.ctas;
	if (got > 0 && last && hd__trace_blocks_finish(&k->blocks))
		got = -1;
	count(s, was);
	s->ctas += got > 0;
	if (last)
		close_kernel(s, k);
	return got == 0 ? -1 : got;
}

static bool next(void *self, uint32_t warp, struct hd_inst *inst)
{
	struct source *s = self;
	struct kernel *k = s->of_slot[warp];

	if (!k || !hd__trace_unpack(&k->blocks.slot[warp], k->code.v, &k->windows, inst))
		return false;
	inst->warp = (uint8_t)warp;
	return true;
}

static bool ended(void *self, uint32_t warp)
{
	const struct kernel *k = ((const struct source *)self)->of_slot[warp];

	return !k || k->blocks.slot[warp].pos == k->blocks.slot[warp].end;
}

static uint32_t pc(void *self, uint32_t warp)
{
	const struct kernel *k = ((const struct source *)self)->of_slot[warp];

	return ended(self, warp) ? 0 : k->code.v[hd__trace_peek(&k->blocks.slot[warp])].pc;
}

static const char *opcode_text(void *self, uint32_t opcode)
{
	const struct source *s = self;

	return opcode < s->names.n ? s->names.v[opcode] : "";
}

static void position(void *self, uint64_t *done, uint64_t *total)
{
	const struct source *s = self;

	uint64_t share = s->total ? s->done * KERNEL_SHARE / s->total : 0;

	*done = (s->next ? s->next - 1 : 0) * KERNEL_SHARE + share;
	*total = s->list.n * KERNEL_SHARE;
}

static uint32_t copies(void *self, const struct hd_trace_copy **v)
{
	const struct source *s = self;
	size_t end = s->next ? s->list.v[s->next - 1].copies : 0;
	size_t begin = s->next > 1 ? s->list.v[s->next - 2].copies : 0;

	*v = s->list.copy + begin;
	return (uint32_t)(end - begin);
}

static bool claim(void *self, uint32_t sms)
{
	struct source *s = self;
	uint32_t slots = sms * TRACE_SLOTS;
	struct kernel **v;

	if (s->claimed)
		return false;
	s->claimed = true;
	v = realloc(s->of_slot, slots * sizeof(struct kernel *));
	if (!v) {
		hd_error(s->ctx, "out of memory for the warps of %u SMs", sms);
		return false;
	}
	memset(v, 0, slots * sizeof(struct kernel *));
	s->of_slot = v;
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
	s->face = (struct hd_trace_if){
		.self = s, .claim = claim, .next_kernel = next_kernel, .next_cta = next_cta, .next = next, .pc = pc,
		.ended = ended, .opcode_text = opcode_text, .position = position,
		.kernels = kernels, .peek = peek, .open = open_any, .copies = copies,
	};
	s->slots = TRACE_SLOTS;
	s->of_slot = calloc(s->slots, sizeof(struct kernel *));
	s->present = spare_kernel(s);
	if (!s->of_slot)
		return hd_error(ctx, "out of memory");
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

	if (!input)
		return hd_error(s->ctx, "no trace to replay");
	hd_input_range(s->ctx, &first, &last);
	s->first = first;
	if (hd__trace_list_read(&s->list, s->ctx, input, first, last, (uint64_t)s->xz_memory << 20))
		return -1;
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

	while (s->all) {
		struct kernel *k = s->all;

		s->all = k->next;
		close_kernel(s, k); /* a run that was stopped has warnings, too */
		hd__trace_blocks_free(&k->blocks);
		hd__trace_code_free(&k->code);
		hd__trace_header_free(&k->header);
		hd__trace_text_close(&k->text);
		free(k);
	}
	warn_mended(s);
	for (size_t i = 0; s->peeked && i < s->list.n; i++)
		hd__trace_header_free(&s->peeked[i]);
	free(s->peeked);
	free(s->of_slot);
	hd__trace_names_free(&s->names);
	hd__trace_list_free(&s->list);
	hd__trace_archs_free(&s->archs);
}

static const char *const unknown_choices[] = { "warn", "error", NULL };

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
	{ .name = "unknown", .unit = "", .type = HD_CHOICE,
	  .offset = offsetof(struct source, unknown), .def = "\"warn\"",
	  .choices = unknown_choices,
	  .doc = "what to do with an opcode that its table does not name: use the class of the "
	         "table's prefixes or default and warn, or stop" },
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
	{ 0 },
};

static const struct hd_port ports[] = {
	{ .name = "trace", .doc = "kernels, thread blocks, instructions of a warp",
	  .kind = HD_PROVIDES, .type = &hd_type_trace_if, .offset = offsetof(struct source, face) },
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
};
