/* trace_read.c - opens a trace, and its kernels
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "trace_read.h"

#include <inttypes.h>
#include <stdlib.h>

struct trace_options hd__trace_options(const char *opcodes)
{
	return (struct trace_options){ .opcodes = opcodes, .own_opcodes = "", .latencies = "",
		.local_window = 16384, .xz_memory = 1024, .block_memory = 64 };
}

static uint64_t xz_memory(const struct trace_reader *r)
{
	return (uint64_t)r->opt.xz_memory << 20;
}

int hd__trace_open(struct trace_reader *r)
{
	if (!*r->opt.own_opcodes)
		return hd__trace_archs_open(&r->archs, r->host, r->opt.opcodes);
	if (hd__trace_archs_open(&r->archs, r->host, r->opt.own_opcodes))
		return -1;
	return hd__trace_archs_add(&r->archs, r->host, r->opt.opcodes);
}

int hd__trace_open_list(struct trace_reader *r, const char *input, uint64_t first, uint64_t last)
{
	int got;

	r->input = input;
	r->first = first;
	if (hd__trace_parts_open(&r->parts, r->host, input)) /* which are those that were requested */
		return 0;
	got = hd__trace_packed_open(&r->packed, r->host, input);
	if (got > 0)
		return hd__trace_packed_list(&r->packed, &r->list, first, last);
	if (got < 0)
		return -1;
	r->list.late = r->opt.late;
	return hd__trace_list_read(&r->list, r->host, input, first, last, xz_memory(r));
}

int hd__trace_item(struct trace_reader *r, size_t i, bool whole)
{
	if (!r->parts.on)
		return i < r->list.n;
	whole = whole || r->surveys || r->opt.control == CONTROL_SYNTHESISED;
	return hd__trace_parts_item(&r->parts, &r->list, i, whole);
}

static void warn_mended(const struct trace_reader *r)
{
	if (r->mended)
		hd__trace_warn(r->host, "%s:%" PRIu64 ": a lane goes on after an EXIT that has it; %" PRIu64
		               " EXIT%s in %" PRIu64 " kernel%s taken without the lanes that appear in later "
		               "lines", r->mended_file, r->mended_line, r->mended, r->mended == 1 ? "" : "s",
		               r->mended_kernels, r->mended_kernels == 1 ? "" : "s");
}

void hd__trace_close(struct trace_reader *r)
{
	warn_mended(r);
	hd__trace_names_free(&r->names);
	hd__trace_parts_free(&r->parts, &r->list);
	hd__trace_list_free(&r->list);
	free(r->latency_file);
	hd__trace_archs_free(&r->archs);
	hd__trace_latencies_free(&r->latencies);
	hd__trace_packed_close(&r->packed);
}

/* How large the clusters of a kernel are, which its header does not say. */
static int find_clusters(const struct trace_reader *r, struct trace_header *h, size_t i)
{
	struct trace_text text = { 0 };
	int bad;

	if (h->version < TRACE_CLUSTERS_FROM || h->launch.cluster[0])
		return 0;
	bad = hd__trace_text_open(&text, r->host, r->list.v[i].path, xz_memory(r));
	if (!bad && !text.pipe)
		bad = hd__trace_header_clusters(h, &text);
	hd__trace_text_close(&text);
	return bad;
}

static int open_text(const struct trace_reader *r, struct trace_kernel *k, size_t i)
{
	return hd__trace_text_open(&k->text, r->host, r->list.v[i].path, xz_memory(r))
	       || hd__trace_header_read(&k->header, &k->text) || find_clusters(r, &k->header, i) ? -1 : 0;
}

/* Makes the program of the kernel: its blocks are read a first time. */
static int survey(struct trace_reader *r, struct trace_kernel *k, size_t i, struct trace_ways *ways)
{
	if (k->text.pipe)
		return hd__trace_text_twice(r->host, r->list.v[i].path);
	k->packed.keeps = true;
	if (hd__trace_survey(&k->program, &k->blocks, ways))
		return -1;
	if (k->code.packed)
		return 0;
	hd__trace_text_close(&k->text);
	if (open_text(r, k, i))
		return -1;
	k->header.launch.number = k->code.kernel;
	return 0;
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
static int read_controls(struct trace_reader *r, struct trace_kernel *k, const char *path)
{
	int got;

	hd__trace_controls_free(&k->controls);
	if (r->opt.control == CONTROL_NONE || r->opt.control == CONTROL_SYNTHESISED)
		return r->opt.control == CONTROL_NONE;
	got = k->code.packed ? hd__trace_listing_memory(&k->controls, r->host, path, k->packed.listing,
	                                                k->packed.head->listing)
	                     : hd__trace_listing(&k->controls, r->host, path);
	if (r->opt.control == CONTROL_AVAILABLE && got >= 0 && !any_control(&k->controls)) {
		hd__trace_controls_free(&k->controls);
		return 0;
	}
	if (got == 0)
		return hd__trace_error(r->host, "%s: the trace has no control words: there is no listing '%s'; "
		                       "expected one, from 'heddle trace assemble' or 'heddle trace control'",
		                       path, k->controls.file);
	k->code.controls = &k->controls;
	k->packed.controls = k->code.packed ? &k->controls : NULL;
	return got;
}

/* Reads the listing for lines of the source, which a dump has; a core without control words needs nothing else of it.
 * One that has none is not looked at any further. */
static int read_lines(struct trace_reader *r, struct trace_kernel *k, const char *path)
{
	static const char member[] = "\"source\"";
	const char *text;
	char *own = NULL;
	size_t n;
	int got = 1;

	hd__trace_controls_free(&k->lines);
	if (!r->host->met)
		return 0;
	if (k->controls.json) {
		k->code.lines = &k->controls;
		return 0;
	}
	if (k->code.packed) {
		text = hd__trace_kernel_listing(k, &n);
		k->lines.file = hd__listing_name(path);
	} else {
		got = hd__trace_listing_text(r->host, path, &k->lines.file, &own, &n);
		text = own;
	}
	if (got > 0 && text && memmem(text, n, member, sizeof member - 1)) {
		got = hd__trace_listing_parse(&k->lines, r->host, text, n);
		k->code.lines = &k->lines;
	}
	free(own);
	return got < 0 ? -1 : 0;
}

/* Reads the table of latencies: that of the parameter, else the one beside the tables of opcodes. */
static int read_latencies(struct trace_reader *r)
{
	const char *file = r->opt.latencies;
	size_t n = strlen(r->opt.opcodes) + sizeof "/latencies.json";

	if (r->latencies.file)
		return 0;
	if (!*file) {
		r->latency_file = malloc(n);
		if (!r->latency_file)
			return hd__trace_error(r->host, "out of memory");
		snprintf(r->latency_file, n, "%s/latencies.json", r->opt.opcodes);
		file = r->latency_file;
	}
	return hd__trace_latencies_read(&r->latencies, r->host, file);
}

/* Surveys the kernel and makes its control words. */
static int synthesise(struct trace_reader *r, struct trace_kernel *k, size_t i)
{
	struct trace_ways ways = { 0 };
	int bad = read_latencies(r);

	k->code.wordless = true;
	bad = bad || survey(r, k, i, &ways)
	      || hd__trace_synthesise(&k->controls, &k->code, &k->program, &ways, &r->latencies);
	k->code.controls = &k->controls;
	free(ways.v);
	return bad;
}

/* The packed trace that has item i of the list, as its item *at; NULL: it is a text. */
static const struct trace_packed *packed_of(const struct trace_reader *r, size_t i, size_t *at)
{
	*at = r->parts.on ? 0 : i;
	if (r->parts.on)
		return r->list.v[i].part ? &r->list.v[i].part->file : NULL;
	return r->packed.map ? &r->packed : NULL;
}

static int open_packed(struct trace_reader *r, struct trace_kernel *k, const struct trace_packed *p, size_t i,
                       size_t at)
{
	if (hd__trace_packed_kernel(&k->packed, p, at, r->list.v[i].path, &k->header, &k->text))
		return -1;
	if (r->parts.on)
		hd__trace_parts_begin(&r->parts, &r->list, i, false, &k->packed);
	return 0;
}

static int open_file(struct trace_reader *r, struct trace_kernel *k, size_t i)
{
	size_t at;
	const struct trace_packed *packed = packed_of(r, i, &at);

	if (r->parts.on && !r->list.v[i].part)
		return hd__trace_text_twice(r->host, r->list.v[i].path);
	if (packed)
		return open_packed(r, k, packed, i, at);
	if (r->list.pipe.host) { /* the only kernel */
		k->text = r->list.pipe;
		r->list.pipe = (struct trace_text){ .fd = -1 };
		return hd__trace_header_read(&k->header, &k->text);
	}
	return open_text(r, k, i);
}

/* Code for a later GPU than the core is: its opcodes and their latencies are other ones. */
static void compare_version(struct trace_reader *r, uint32_t binary, const char *path)
{
	if (r->opt.newest == 0 || binary <= r->opt.newest || r->told_version)
		return;
	r->told_version = true;
	hd__trace_warn(r->host, "%s has code of binary version %u, and this core runs code up to version %u; its "
	               "figures are not those of a GPU that exists", path, binary, r->opt.newest);
}

static void start_kernel(struct trace_reader *r, struct trace_kernel *k, struct trace_opcodes *opcodes, size_t i)
{
	const struct hd_launch *l = &k->header.launch;

	hd__trace_code_start(&k->code, &k->text, opcodes, &r->names, &k->header);
	if (r->packed.map || r->parts.on) {
		k->code.packed = &k->packed;
		k->blocks.at = hd__trace_packed_begin(&k->packed);
	}
	k->code.file = r->list.v[i].path;
	k->code.strict = r->opt.unknown == UNKNOWN_ERROR;
	k->code.reclass = &r->reclass;
	k->header.launch.number = k->code.kernel = (uint32_t)(r->first + i);
	k->blocks.code = &k->code;
	k->blocks.header = &k->header;
	k->blocks.most = (size_t)r->opt.block_memory << 20;
	k->blocks.strict = r->opt.strict;
	k->blocks.trims = r->walks;
	k->windows = (struct trace_windows){ .shmem_base = l->shared_base, .local_base = l->local_base,
		                             .shared = r->opt.shared_window, .local = r->opt.local_window,
		                             .clusters = l->cluster[0] * l->cluster[1] * l->cluster[2] > 1 };
}

static int open_kernel(struct trace_reader *r, struct trace_kernel *k, size_t i)
{
	const char *path = r->list.v[i].path;
	struct trace_opcodes *opcodes;
	int listed;

	if (open_file(r, k, i))
		return -1;
	opcodes = hd__trace_archs_get(&r->archs, k->header.launch.binary);
	if (!opcodes)
		return -1;
	compare_version(r, k->header.launch.binary, path);
	start_kernel(r, k, opcodes, i);
	listed = read_controls(r, k, path);
	if (listed < 0 || read_lines(r, k, path))
		return -1;
	if (!listed)
		return synthesise(r, k, i);
	return r->surveys ? survey(r, k, i, NULL) : 0;
}

int hd__trace_kernel_open(struct trace_reader *r, struct trace_kernel *k, size_t i)
{
	hd__trace_kernel_close(r, k);
	hd__trace_blocks_drop(&k->blocks);
	if (open_kernel(r, k, i)) {
		hd__trace_text_close(&k->text);
		return -1;
	}
	k->open = true;
	k->blocks.ctas = 0;
	return 0;
}

int hd__trace_kernel_header(struct trace_reader *r, struct trace_header *h, size_t i)
{
	struct trace_packed_kernel k = { .cap = 0 };
	struct trace_text text = { 0 };
	size_t at;
	const struct trace_packed *packed = packed_of(r, i, &at);
	int bad;

	if (packed)
		bad = hd__trace_packed_kernel(&k, packed, at, r->list.v[i].path, h, &text);
	else
		bad = hd__trace_text_open(&text, r->host, r->list.v[i].path, xz_memory(r))
		      || hd__trace_header_read(h, &text) || find_clusters(r, h, i);
	free(k.kind);
	hd__trace_text_close(&text);
	return bad ? -1 : 0;
}

int hd__trace_kernel_block(struct trace_kernel *k, uint32_t first)
{
	const struct trace_blocks *b = &k->blocks;
	const uint32_t *grid = k->header.launch.grid;
	int got = hd__trace_blocks_load(&k->blocks, first);

	if (got == 0 && k->code.packed && k->packed.ended) {
		hd__trace_warn(k->text.host, "%s: the launch failed: of the %" PRIu64 " thread blocks of its grid, "
		               "the first %" PRIu64 " are simulated", k->text.name,
		               k->header.launch.ctas, b->ctas);
		return 1;
	}
	if (got == 0)
		hd__trace_error(k->text.host, "%s:%" PRIu64 ": the file ends after %" PRIu64 " of the %" PRIu64
		                " thread blocks of its grid; expected all of them; %" PRIu64 ",%" PRIu64 ",%" PRIu64
		                " is missing", k->text.name, k->text.line, b->ctas, k->header.launch.ctas,
		                b->met % grid[0], b->met / grid[0] % grid[1], b->met / grid[0] / grid[1]);
	return got > 0 ? 0 : -1;
}

int hd__trace_kernel_finish(struct trace_reader *r, struct trace_kernel *k)
{
	int bad = hd__trace_blocks_finish(&k->blocks);

	hd__trace_kernel_close(r, k);
	return bad;
}

static void count_mended(struct trace_reader *r, const struct trace_kernel *k)
{
	struct trace_counted mended = k->code.counted[TRACE_MENDED];

	if (!mended.n)
		return;
	if (r->mended_kernels++ == 0) {
		r->mended_file = r->list.v[k->code.kernel - r->first].path;
		r->mended_line = mended.line;
	}
	r->mended += mended.n;
}

void hd__trace_kernel_close(struct trace_reader *r, struct trace_kernel *k)
{
	if (!k->open)
		return;
	k->open = false;
	count_mended(r, k);
	hd__trace_code_warn(&k->code);
	hd__trace_text_close(&k->text);
	if (r->parts.on)
		hd__trace_parts_drop(&r->list.v[k->code.kernel - r->first]);
}

void hd__trace_kernel_free(struct trace_reader *r, struct trace_kernel *k)
{
	hd__trace_kernel_close(r, k); /* one that was not read to its end has warnings, too */
	hd__trace_blocks_free(&k->blocks);
	hd__trace_program_free(&k->program);
	hd__trace_code_free(&k->code);
	hd__trace_controls_free(&k->controls);
	hd__trace_controls_free(&k->lines);
	hd__trace_header_free(&k->header);
	hd__trace_text_close(&k->text);
	free(k->packed.kind);
}

bool hd__trace_kernel_knows(const struct trace_kernel *k, const char *opcode)
{
	struct trace_op op;
	uint32_t unknown;

	return hd__trace_opcode(k->code.opcodes, opcode, strlen(opcode), &op, &unknown) == 0 && !unknown;
}

const char *hd__trace_kernel_listing(const struct trace_kernel *k, size_t *size)
{
	*size = k->code.packed ? k->packed.head->listing : 0;
	return *size ? k->packed.listing : NULL;
}
