/* source_kernels.c - the kernels that are being replayed: opened, reused, closed
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "source_kernels.h"

#include <stdio.h>
#include <stdlib.h>

struct trace_mark hd__trace_mark(const struct source *s)
{
	const struct kernel *k = s->present;

	return (struct trace_mark){ .lines = k->text.line, .bytes = k->text.bytes,
	                      .statics = k->code.n, .unknowns = k->code.unknown };
}

void hd__trace_count(struct source *s, struct trace_mark was)
{
	const struct kernel *k = s->present;

	s->lines += k->text.line - was.lines;
	s->bytes += k->text.bytes - was.bytes;
	s->statics += k->code.n - was.statics;
	s->synthetic += k->controls.synthetic ? k->code.n - was.statics : 0;
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

void hd__trace_kernel_close(struct source *s, struct kernel *k)
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

/* Looks at all blocks a first time: of a packed kernel, or those that were read ahead. */
static int survey_blocks(struct kernel *k, struct trace_ways *ways)
{
	uint64_t line = k->text.line;
	int bad = hd__trace_survey(&k->program, &k->code, &k->header, k->blocks.ahead, ways);

	k->text.line = line;
	hd__trace_ahead_ready(&k->blocks);
	return bad;
}

/* Reads the blocks of the text and keeps them, if that is possible.  Returns 1: they were; 0: the text is
 * at the end of its header again; or -1. */
static int read_ahead(struct source *s, struct kernel *k, const char *path)
{
	struct trace_header header = { 0 };
	uint64_t line = k->text.line, bytes = k->text.bytes, done = k->text.done, total = k->text.total;
	size_t most = (size_t)s->text_memory << 20;
	int bad, got;

	if (k->blocks.lines || total > most)
		return 0;
	got = hd__trace_ahead_read(&k->blocks, most);
	if (got < 0)
		return -1;
	if (got) {
		k->text.line = line;
		k->text.bytes = bytes;
		k->text.done = done;
		return 1;
	}
	hd__trace_text_close(&k->text);
	bad = hd__trace_text_open(&k->text, s->ctx, path, (uint64_t)s->xz_memory << 20)
	      || hd__trace_header_read(&header, &k->text);
	hd__trace_header_free(&header);
	return bad ? -1 : 0;
}

/* Looks at the whole text a first time. */
static int survey_text(struct source *s, struct kernel *k, const char *path, struct trace_ways *ways)
{
	struct trace_header header = { 0 };
	struct trace_text text;
	int bad = hd__trace_text_open(&text, s->ctx, path, (uint64_t)s->xz_memory << 20)
	          || hd__trace_header_read(&header, &text);

	if (!bad) {
		k->code.text = &text;
		bad = hd__trace_survey(&k->program, &k->code, &k->header, NULL, ways);
		k->code.text = &k->text;
	}
	hd__trace_header_free(&header);
	hd__trace_text_close(&text);
	return bad;
}

/* Makes the program of the kernel. */
static int survey(struct source *s, struct kernel *k, const char *path, struct trace_ways *ways)
{
	int got;

	if (k->text.pipe)
		return hd__trace_text_twice(s->ctx, path);
	got = k->code.packed ? 1 : read_ahead(s, k, path);
	if (got < 0)
		return -1;
	return got ? survey_blocks(k, ways) : survey_text(s, k, path, ways);
}

/* Has any instruction a control word?  A listing of a text without control fields has operands only. */
static bool any_control(const struct trace_controls *c)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->v[i].control.flags & HD_CONTROL_GIVEN)
			return true;
	return false;
}

/* Reads the listing of the kernel, if it is requested.  Returns 1: there is one, or none is needed. */
static int read_controls(struct source *s, struct kernel *k, const char *path)
{
	int got;

	hd__trace_controls_free(&k->controls);
	if (s->control == CONTROL_NONE || s->control == CONTROL_SYNTHESISED)
		return s->control == CONTROL_NONE;
	got = k->code.packed ? hd__trace_listing_memory(&k->controls, s->ctx, path, k->packed.listing,
	                                                k->packed.head->listing)
	                     : hd__trace_listing(&k->controls, s->ctx, path);
	if (s->control == CONTROL_AVAILABLE && got >= 0 && !any_control(&k->controls)) {
		hd__trace_controls_free(&k->controls);
		return 0;
	}
	if (got == 0)
		return hd_error(s->ctx, "%s: the trace has no control words: there is no listing '%s'; "
		                "expected one, from 'heddle trace assemble' or 'heddle trace control'",
		                path, k->controls.file);
	k->code.controls = &k->controls;
	return got;
}

/* Reads the table of latencies: that of the parameter, else the one beside the tables of opcodes. */
static int read_latencies(struct source *s)
{
	const char *file = s->latency_file;
	size_t n = strlen(s->folder) + sizeof "/latencies.json";

	if (s->latencies.file)
		return 0;
	if (!*file) {
		s->latency_beside = malloc(n);
		if (!s->latency_beside)
			return hd_error(s->ctx, "out of memory");
		snprintf(s->latency_beside, n, "%s/latencies.json", s->folder);
		file = s->latency_beside;
	}
	return hd__trace_latencies_read(&s->latencies, s->ctx, file);
}

/* Surveys the kernel and makes its control words. */
static int synthesise(struct source *s, struct kernel *k, const char *path)
{
	struct trace_ways ways = { 0 };
	int bad = read_latencies(s);

	bad = bad || survey(s, k, path, &ways)
	      || hd__trace_synthesise(&k->controls, &k->code, &k->program, &ways, &s->latencies);
	k->code.controls = &k->controls;
	free(ways.v);
	return bad;
}

static int open_file(struct source *s, struct kernel *k, size_t i)
{
	if (s->packed.map)
		return hd__trace_packed_kernel(&k->packed, &s->packed, i, &k->header, &k->text);
	if (s->list.pipe.ctx) { /* the only kernel */
		k->text = s->list.pipe;
		s->list.pipe = (struct trace_text){ .fd = -1 };
		return hd__trace_header_read(&k->header, &k->text);
	}
	return hd__trace_text_open(&k->text, s->ctx, s->list.v[i].path, (uint64_t)s->xz_memory << 20)
	       || hd__trace_header_read(&k->header, &k->text) ? -1 : 0;
}

/* Code for a later GPU than the core is: its opcodes and their latencies are other ones. */
static void compare_version(struct source *s, uint32_t binary, const char *path)
{
	if (s->newest == 0 || binary <= s->newest || s->told_version)
		return;
	s->told_version = true;
	hd_warn(s->ctx, "%s has code of binary version %u, and this core runs code up to version %u; its "
	        "figures are not those of a GPU that exists", path, binary, s->newest);
}

static int open_kernel(struct source *s, struct kernel *k, size_t i)
{
	const char *path = s->list.v[i].path;
	struct trace_opcodes *opcodes;
	int listed;

	if (open_file(s, k, i))
		return -1;
	opcodes = hd__trace_archs_get(&s->archs, k->header.launch.binary);
	if (!opcodes)
		return -1;
	compare_version(s, k->header.launch.binary, path);
	hd__trace_code_start(&k->code, &k->text, opcodes, &s->names, &k->header);
	if (s->packed.map) {
		k->code.packed = &k->packed;
		k->blocks.at = hd__trace_packed_begin(&k->packed);
	}
	k->code.strict = s->unknown == UNKNOWN_ERROR;
	k->code.reclass = &s->reclass;
	k->header.launch.number = k->code.kernel = (uint32_t)(s->first + i);
	k->blocks.code = &k->code;
	k->blocks.header = &k->header;
	k->blocks.most = (size_t)s->block_memory << 20;
	k->blocks.strict = hd_strict(s->ctx);
	k->blocks.trims = s->walks;
	k->blocks.mended = 0;
	k->windows = (struct trace_windows){
		.shmem_base = k->header.launch.shared_base,
		.local_base = k->header.launch.local_base,
		.shared = s->shared_window, .local = s->local_window,
	};
	s->ignored += k->header.unknown;
	listed = read_controls(s, k, path);
	if (listed < 0 || (!listed && synthesise(s, k, path))
	    || (listed && s->surveys && survey(s, k, path, NULL)))
		return -1;
	if (s->ctx->observable)
		describe(s, k);
	return 0;
}

void hd__trace_kernel_drop(struct source *s, struct kernel *k)
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

struct kernel *hd__trace_kernel_spare(struct source *s)
{
	struct kernel *k = s->all;

	while (k && resident(s, k))
		k = k->next;
	return k ? k : hd__trace_kernel_new(s);
}

struct kernel *hd__trace_kernel_new(struct source *s)
{
	struct kernel *k = calloc(1, sizeof *k);

	if (!k) {
		hd_error(s->ctx, "out of memory");
		return NULL;
	}
	k->blocks.slots = s->slots;
	k->number = s->all ? s->all->number + 1 : 0;
	k->next = s->all;
	return s->all = k;
}

int hd__trace_kernel_begin(struct source *s, struct kernel *k, size_t i, struct hd_launch *launch)
{
	hd__trace_kernel_close(s, k);
	hd__trace_kernel_drop(s, k);
	if (open_kernel(s, k, i)) {
		hd__trace_text_close(&k->text);
		return -1;
	}
	s->present = k;
	k->open = true;
	k->blocks.ctas = 0;
	s->kernels++;
	hd__trace_count(s, (struct trace_mark){ 0 });
	*launch = k->header.launch;
	launch->file = s->list.v[i].path;
	return 1;
}

void hd__trace_kernels_free(struct source *s)
{
	while (s->all) {
		struct kernel *k = s->all;

		s->all = k->next;
		hd__trace_kernel_close(s, k); /* a run that was stopped has warnings, too */
		hd__trace_blocks_free(&k->blocks);
		hd__trace_program_free(&k->program);
		hd__trace_code_free(&k->code);
		hd__trace_controls_free(&k->controls);
		hd__trace_header_free(&k->header);
		hd__trace_text_close(&k->text);
		free(k->packed.kind);
		free(k);
	}
}
