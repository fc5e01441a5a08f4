/* exec_record.c - records what kernels do, as a packed trace or as texts
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Texts of instructions are those of the decoder of listings, lines those of the tracer, version 5, or 6 if there is
 * code for asynchronous units; control words come from the cubin.  Line numbers of a packed trace are those
 * that the texts would have.
 */
#include "exec_parts.h"
#include "exec_record.h"

#include "base/exit.h"
#include "base/output.h"
#include "traces/hasm/hasm_lines.h"
#include "traces/hasm/listing.h"
#include "traces/hasm/trace_folder.h"
#include "traces/packed.h"
#include "traces/sass/sass.h"

#include <errno.h>
#include <inttypes.h>
#include <unistd.h>

#define HEADER_LINES 18u /* of the text of a kernel; one more with clusters */
#define CLUSTER_LINES 3u /* of a block */

/* What a bulk copy moves. */
struct form {
	struct hasm_box box;
	uint32_t bytes;             /* that it reports */
};

/* The kernel that is being recorded. */
struct recorded {
	struct hasm_kernel k;       /* .code: in the order in which instructions were met */
	struct hasm_line *line;     /* of each */
	size_t cap_lines;
	struct form *form;          /* of each, if it is a bulk copy */
	size_t cap_forms;
	bool all;                   /* lines of version 6 */
	struct packed_static *first; /* of each: where it is met first */
	size_t cap_first;
	uint64_t lines, blocks, instructions; /* so far */
	uint64_t at;                /* where the blocks of the packed file, or part, begin */
	uint64_t list_line;
	uint32_t parts, listed;     /* handed on so far; static instructions that the latest listing has */
	FILE *f;                    /* its text */
	char *why;                  /* an instruction that cannot be recorded */
};

struct hd_record {
	bool text, parts;           /* neither: one packed file */
	bool failed;                /* it could not be written, which was printed */
	struct hd_output out;       /* the packed file, or the folder */
	struct packed_writer w;
	struct exec_parts to;       /* of a trace in parts; the present one is .w.to, NULL between kernels */
	FILE *list;
	uint64_t stream, launches, copies, copied, list_lines;
	struct recorded r;
	struct hd_bytes block, texts, listing;
	struct hd_bytes pending;    /* copies in front of the next kernel of a trace in parts */
};

/* ---- instructions ---- */

/* Control words say how an instruction waits; a word that cannot be is left out. */
static struct hasm_control control_of(struct sass_word w)
{
	struct hasm_control c = { 0 };
	char *wrong = hd__sass_control(w, &c);

	if (wrong)
		c.given = false;
	free(wrong);
	return c;
}

static struct form form_of(const struct exec_bulk *b)
{
	struct form f = { .bytes = b ? b->all : 0 };

	if (!b)
		return f;
	f.box.bytes = b->bytes;
	f.box.dimensions = b->dimensions;
	memcpy(f.box.count, b->count, sizeof b->count);
	memcpy(f.box.stride, b->stride, sizeof b->stride);
	return f;
}

static bool meet(void *arg, const struct hd_exec_met *met)
{
	struct recorded *r = &((struct hd_record *)arg)->r;
	struct sass_word w = { .lo = met->lo, .hi = met->hi };
	char *text = hd__sass_decode(w, r->k.sm, met->pc);
	struct hd_diags d = { 0 };
	struct hasm_inst *i;
	struct hd_scan s;

	if (!text)
		return false;
	r->k.code = hd__xgrow(r->k.code, r->k.n, &r->k.cap, sizeof *r->k.code);
	r->line = hd__xgrow(r->line, r->k.n, &r->cap_lines, sizeof *r->line);
	r->first = hd__xgrow(r->first, r->k.n, &r->cap_first, sizeof *r->first);
	r->form = hd__xgrow(r->form, r->k.n, &r->cap_forms, sizeof *r->form);
	i = &r->k.code[r->k.n];
	*i = (struct hasm_inst){ .pc = met->pc, .control = control_of(w) };
	s = (struct hd_scan){
		.file = r->k.name, .p = text, .end = text + strlen(text), .start = text, .line = 1, .d = &d
	};
	if (!hd__hasm_inst(&s, i)) { /* what the decoder prints is parsed: a test has all of it */
		hd__hasm_inst_free(i);
		hd__diags_free(&d);
		free(text);
		return false;
	}
	if (met->file)
		i->where = hd__format("%s:%" PRIu32, met->file, met->line);
	r->line[r->k.n] = hd__hasm_line(i, r->all);
	r->first[r->k.n] = (struct packed_static){ .imm = r->line[r->k.n].imm };
	if (r->all && hd__hasm_names_barrier(i))
		r->first[r->k.n].extra = TRACE_NAMED((uint32_t)r->line[r->k.n].imm, (uint32_t)r->line[r->k.n].second);
	r->form[r->k.n] = form_of(met->bulk);
	r->k.n++;
	hd__diags_free(&d);
	free(text);
	return true;
}

static void forget(struct recorded *r)
{
	for (size_t i = 0; i < r->k.n; i++) {
		hd__hasm_inst_free(&r->k.code[i]);
		free(r->line[i].middle);
	}
	free(r->k.code);
	free(r->line);
	free(r->first);
	free(r->form);
	*r = (struct recorded){ .f = NULL };
}

/* ---- warps as texts ---- */

/* Values of its lanes at *p: one of all, or one for each. */
static const unsigned char *unpack_values(const unsigned char *p, unsigned tag, uint32_t mask, struct hasm_more *more)
{
	uint64_t all = tag & TRACE_TAG_VALUE ? trace_get(&p) : 0;

	for (uint32_t i = 0; i < HD_LANES; i++)
		more->value[i] = tag & TRACE_TAG_VALUES && mask >> i & 1 ? trace_get(&p) : all;
	more->valued = tag & (TRACE_TAG_VALUE | TRACE_TAG_VALUES);
	return p;
}

/* The instruction at *p: its number, mask, and the addresses of its lanes in their order. */
static const unsigned char *unpack(const unsigned char *p, struct trace_cursor *w, uint64_t address[HD_LANES],
                                   struct hasm_more *more)
{
	unsigned tag = *p++, form = trace_tag_form(tag);
	uint32_t n, given;
	int64_t delta = 0;

	if (tag & TRACE_TAG_MASK)
		p = trace_get_mask(p, w);
	p = trace_get_index(p, tag, &w->index);
	if (form == TRACE_NONE)
		return unpack_values(p, tag, w->mask, more);
	n = hd_bits_count32(w->mask);
	given = form == TRACE_LIST ? n - 1 : 1;
	w->base += trace_get(&p);
	address[0] = w->base;
	for (uint32_t i = 0; i < given || i + 1 < n; i++) {
		if (i < given)
			delta = (int64_t)trace_get(&p);
		if (i + 1 < n)
			address[i + 1] = address[i] + (uint64_t)delta;
	}
	return unpack_values(p, tag, w->mask, more);
}

static struct trace_cursor start_of(const struct recorded *r, uint32_t warp)
{
	uint32_t left = r->k.threads - warp * HD_LANES;

	return (struct trace_cursor){ .index = TRACE_NOWHERE,
				      .mask = left >= HD_LANES ? UINT32_MAX : (1u << left) - 1 };
}

static void text_block(struct hd_record *rec, const struct hd_exec_block *b)
{
	struct recorded *r = &rec->r;
	uint64_t row = b->number / r->k.grid[0];
	uint64_t at[3] = { b->number % r->k.grid[0], row % r->k.grid[1], row / r->k.grid[1] };

	rec->block.n = 0;
	fprintf(r->f, "%s#BEGIN_TB\n\nthread block = %" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n", r->blocks ? "\n" : "",
	        at[0], at[1], at[2]);
	if (r->k.cluster[0])
		hd__hasm_put_cluster(r->f, r->k.cluster, at);
	fputc('\n', r->f);
	for (uint32_t i = 0; i < b->warps; i++) {
		const struct hd_exec_stream *s = &b->warp[i];
		struct trace_cursor w = start_of(r, i);
		uint64_t address[HD_LANES] = { 0 };

		fprintf(r->f, "warp = %" PRIu32 "\ninsts = %" PRIu64 "\n", i, s->instructions);
		rec->block.n = 0;
		for (const unsigned char *p = s->packed; p < s->packed + s->bytes;) {
			struct hasm_more more = { .valued = false };

			p = unpack(p, &w, address, &more);
			more.bar = (uint32_t)more.value[0];
			more.ctas = r->line[w.index].bulk ? more.value[0] >> 32 : 0;
			more.tx = r->form[w.index].bytes;
			more.box = &r->form[w.index].box;
			hd__hasm_put(&rec->block, r->k.code[w.index].pc, w.mask, &r->line[w.index], address,
			             r->all ? &more : NULL);
		}
		if (rec->block.n)
			fwrite(rec->block.v, 1, rec->block.n, r->f);
		fputc('\n', r->f);
	}
	fputs("#END_TB\n", r->f);
}

/* ---- warps, packed ---- */

/* Notes where instructions are met.  Returns the end without those that no lane executes. */
static size_t walk(struct recorded *r, const struct hd_exec_stream *s, uint32_t warp, uint64_t line)
{
	struct trace_cursor at = start_of(r, warp);
	size_t kept = 0;

	at.pos = s->packed;
	at.end = s->packed + s->bytes;
	for (; at.pos != at.end; line++) {
		struct packed_static *f;

		trace_pass(&at);
		f = &r->first[at.index];
		if (!f->line || line < f->line)
			f->line = line;
		if (at.mask && (!f->lanes_line || line < f->lanes_line))
			f->lanes_line = line;
		if (at.mask)
			kept = (size_t)(at.pos - s->packed);
	}
	return kept;
}

static void packed_block(struct hd_record *rec, const struct hd_exec_block *b)
{
	struct recorded *r = &rec->r;
	struct packed_warp warp[TRACE_WARPS] = { { .from = 0 } };
	struct packed_block h = { .ordinal = r->blocks, .number = b->number, .statics = b->met };

	rec->block.n = 0;
	r->lines += r->k.cluster[0] ? 4 + CLUSTER_LINES : 4;
	for (uint32_t i = 0; i < b->warps; i++) {
		const struct hd_exec_stream *s = &b->warp[i];

		r->lines += 2;
		warp[i].line = s->instructions ? r->lines + 1 : 0;
		warp[i].from = rec->block.n;
		warp[i].kept = warp[i].from + walk(r, s, i, r->lines + 1);
		hd__bytes_append(&rec->block, s->packed, s->bytes);
		warp[i].to = rec->block.n;
		h.instructions += s->instructions;
		r->lines += s->instructions + 1;
	}
	r->lines += 2;
	h.line = r->lines - 1;
	h.data = rec->block.n;
	r->instructions += h.instructions;
	hd__packed_block(&rec->w, &h, warp, b->warps, rec->block.v);
}

static bool is_written(struct hd_record *rec)
{
	if (!ferror(rec->text ? rec->r.f : rec->w.to))
		return true;
	fprintf(stderr, "heddle: %s: could not be written: %s\n", rec->parts ? "a part of the trace" : rec->out.path,
	        strerror(errno ? errno : EIO));
	rec->failed = true;
	return false;
}


/* ---- kernels ---- */

static void begin_kernel(struct hd_record *rec, const struct hd_exec_launch *l)
{
	struct hasm_kernel *k = &rec->r.k;
	const struct hd_exec_kernel *from = l->kernel;

	rec->r = (struct recorded){ .at = rec->w.at, .list_line = ++rec->list_lines };
	*k = (struct hasm_kernel){ .name = (char *)from->name, .sm = from->sm, .shared = from->shared + l->shared,
		.regs = from->registers, .id = rec->launches, .stream = rec->stream, .shared_base = HD_EXEC_SHARED,
		.local_base = HD_EXEC_LOCAL, .threads = l->block[0] * l->block[1] * l->block[2] };
	if (!hd__exec_clusters(l, k->cluster))
		memset(k->cluster, 0, sizeof k->cluster);
	rec->r.lines = HEADER_LINES + (k->cluster[0] != 0);
	rec->r.all = from->async || k->cluster[0];
	memcpy(k->grid, l->grid, sizeof k->grid);
	memcpy(k->block, l->block, sizeof k->block);
}

static void put_header(const struct hasm_kernel *k, int version, FILE *f)
{
	fprintf(f, "-kernel name = %s\n-kernel id = %" PRIu64 "\n-grid dim = (%u,%u,%u)\n-block dim = (%u,%u,%u)\n"
	        "-shmem = %u\n-nregs = %u\n-binary version = %u\n-cuda stream id = %" PRIu64 "\n"
	        "-shmem base_addr = 0x%016" PRIx64 "\n-local mem base_addr = 0x%016" PRIx64 "\n",
	        k->name, k->id, k->grid[0], k->grid[1], k->grid[2], k->block[0], k->block[1], k->block[2], k->shared,
	        k->regs, k->sm, k->stream, k->shared_base, k->local_base);
	if (k->cluster[0])
		fprintf(f, "-cluster dim = (%u,%u,%u)\n", k->cluster[0], k->cluster[1], k->cluster[2]);
	fprintf(f, "-nvbit version = none\n-accelsim tracer version = %d\n-enable lineinfo = 0\n\n"
	        "#traces format = [line_num] PC mask dest_num "
	        "[reg_dests] opcode src_num [reg_srcs] mem_width [adrrescompress?] [mem_addresses] immediate\n\n\n\n",
	        version);
}

static int by_pc(const void *a, const void *b)
{
	const struct hasm_inst *x = a, *y = b;

	return x->pc < y->pc ? -1 : x->pc > y->pc;
}

/* The listing, in order of pc, without further forms of one; the instructions stay in theirs. */
static json_t *listing_of(const struct recorded *r)
{
	struct hasm_kernel k = r->k;
	json_t *listing;

	k.code = hd__xcalloc(k.n, sizeof *k.code);
	if (k.n) {
		memcpy(k.code, r->k.code, k.n * sizeof *k.code);
		qsort(k.code, k.n, sizeof *k.code, by_pc);
		k.n = 1;
		for (size_t i = 1; i < r->k.n; i++)
			if (k.code[i].pc != k.code[k.n - 1].pc)
				k.code[k.n++] = k.code[i];
	}
	listing = hd__listing(&k);
	free(k.code);
	return listing;
}

static void put_listing(const struct recorded *r, FILE *f)
{
	json_t *listing = listing_of(r);

	hd__listing_put(listing, f);
	json_decref(listing);
}

/* The whole line of a bulk copy. */
static char *bulk_text(struct hd_record *rec, size_t i)
{
	struct recorded *r = &rec->r;
	const struct hasm_more more = { .tx = r->form[i].bytes, .box = &r->form[i].box };
	char *text;

	rec->block.n = 0;
	hd__hasm_put(&rec->block, r->k.code[i].pc, UINT32_MAX, &r->line[i], (const uint64_t[HD_LANES]){ 0 }, &more);
	text = hd__format("%.*s", (int)rec->block.n - 1, (const char *)rec->block.v);
	rec->block.n = 0;
	return text;
}

/* The static instructions with their texts: up to the width, if addresses follow, else the whole line. */
static void take_statics(struct hd_record *rec)
{
	struct recorded *r = &rec->r;

	rec->texts.n = 0;
	for (size_t i = 0; i < r->k.n; i++) {
		struct packed_static *s = &r->first[i];
		const struct hasm_line *line = &r->line[i];
		char *text = line->bulk     ? bulk_text(rec, i)
		             : line->memory ? hd__format("%04x ffffffff %s", r->k.code[i].pc, line->middle)
		             : hd__format("%04x ffffffff %s%d ", r->k.code[i].pc, line->middle, line->imm);

		s->text = rec->texts.n;
		s->len = (uint32_t)strlen(text);
		s->flags = strcmp(r->k.code[i].opcode, "EXIT") == 0 ? PACKED_EXITS : 0;
		hd__bytes_append(&rec->texts, text, s->len);
		hd__bytes_append(&rec->texts, "\n", 1);
		free(text);
	}
}

static void take_listing(struct hd_record *rec)
{
	char *text;
	size_t size;
	FILE *f = hd__xcheck(open_memstream(&text, &size));

	put_listing(&rec->r, f);
	fclose(f);
	hd__bytes_append(&rec->listing, text, size);
	free(text);
}

static void packed_kernel(struct hd_record *rec)
{
	struct recorded *r = &rec->r;
	struct packed_ref ref = { .source = 0 };
	struct packed_item it = { .line = r->list_line, .copies = rec->parts ? 0 : rec->copies,
				  .ref = rec->w.refs.n / sizeof ref };
	struct packed_kernel h = { .id = r->k.id,
				   .stream = r->k.stream,
				   .shared_base = r->k.shared_base,
				   .local_base = r->k.local_base,
				   .shmem = r->k.shared,
				   .nregs = r->k.regs,
				   .binary = r->k.sm,
				   .version = r->all ? 6 : 5,
				   .begin_line = HEADER_LINES + (r->k.cluster[0] != 0),
				   .end_line = r->lines - 1,
				   .blocks = r->at,
				   .blocks_bytes = rec->w.at - r->at,
				   .statics = r->k.n,
				   .instructions = r->instructions };
	char *name = hd__format("kernel-%" PRIu64 ".traceg", rec->launches);

	memcpy(h.grid, r->k.grid, sizeof h.grid);
	memcpy(h.block, r->k.block, sizeof h.block);
	memcpy(h.cluster, r->k.cluster, sizeof h.cluster);
	take_statics(rec);
	rec->listing.n = 0;
	if (r->k.n > r->listed || !rec->parts)
		take_listing(rec);
	r->listed = (uint32_t)r->k.n;
	hd__packed_kernel(&rec->w, &h, r->first, &rec->texts, r->k.name, &rec->listing, &ref);
	hd__packed_item(&rec->w, &it, name);
	free(name);
}

/* ---- parts ---- */

static bool begin_part(struct hd_record *rec)
{
	FILE *f = hd__parts_file(&rec->to);

	if (!f)
		return false;
	hd__packed_free(&rec->w);
	hd__packed_begin(&rec->w, f);
	rec->r.at = rec->w.at;
	return true;
}

static void drop_part(struct hd_record *rec)
{
	if (rec->w.to)
		fclose(rec->w.to);
	rec->w.to = NULL;
}

/* Copies come in front of the kernel, or at the end.  Returns false if the reader has ended. */
static bool say_copies(struct hd_record *rec)
{
	const struct packed_copy *c = (const struct packed_copy *)rec->pending.v;
	size_t n = rec->pending.n / sizeof *c;
	bool good = true;

	for (size_t i = 0; i < n && good; i++)
		good = hd__parts_say(&rec->to, (struct part_message){ .kind = PART_COPY, .addr = c[i].addr,
		                                                     .bytes = c[i].bytes });
	rec->pending.n = 0;
	return good;
}

/* Hands on the kernel as far as it is. */
static bool end_part(struct hd_record *rec, bool last)
{
	struct packed_index x = { .items = 0 };
	FILE *f = rec->w.to;
	bool good;

	packed_kernel(rec);
	hd__packed_end(&rec->w, &x);
	rec->w.to = NULL;
	good = rec->r.parts > 0 || say_copies(rec);
	good = hd__parts_put(&rec->to, f, rec->r.parts++ == 0, last) && good;
	rec->failed |= !good;
	return good;
}

static bool block(void *arg, const struct hd_exec_block *b)
{
	struct hd_record *rec = arg;

	if (rec->text)
		text_block(rec, b);
	else
		packed_block(rec, b);
	rec->r.blocks++;
	if (rec->parts && rec->w.at - rec->r.at > PART_BYTES)
		return end_part(rec, false) && begin_part(rec);
	return is_written(rec);
}

/* ---- launches ---- */

/* The trace could not be written, which was printed. */
static enum hd_exec_status write_failed(struct hd_record *rec, struct hd_exec_fault *fault)
{
	*fault = (struct hd_exec_fault){ .status = HD_EXEC_STOPPED };
	snprintf(fault->words, sizeof fault->words, "the trace '%s' cannot be written",
	         rec->parts ? "in parts" : rec->out.path);
	rec->failed = true;
	return HD_EXEC_STOPPED;
}

/* Of a text, the kernel's file and its listing are opened here. */
static bool text_begin(struct hd_record *rec)
{
	char *name = hd__format("kernel-%" PRIu64 ".traceg", rec->launches);

	rec->r.f = hd__folder_file(&rec->out, name);
	free(name);
	if (rec->r.f)
		put_header(&rec->r.k, rec->r.all ? 6 : 5, rec->r.f);
	return rec->r.f != NULL;
}

/* The launch has failed: there is nothing of it. */
static void text_dropped(struct hd_record *rec)
{
	char *name = hd__format("%s/kernel-%" PRIu64 ".traceg", rec->out.name, rec->launches);

	fclose(rec->r.f);
	unlink(name);
	free(name);
}

static bool text_end(struct hd_record *rec)
{
	char *name = hd__format("kernel-%" PRIu64 ".sass.json", rec->launches);
	FILE *f = hd__folder_file(&rec->out, name);
	bool good = hd__folder_close(&rec->out, rec->r.f) && f;

	free(name);
	if (!f)
		return false;
	put_listing(&rec->r, f);
	fprintf(rec->list, "kernel-%" PRIu64 ".traceg\n", rec->launches);
	return hd__folder_close(&rec->out, f) && good;
}

enum hd_exec_status hd__record_run(struct hd_record *rec, struct hd_exec *x, const struct hd_exec_launch *l,
                                   struct hd_exec_counts *counts, struct hd_exec_fault *fault)
{
	const struct hd_exec_sink sink = { .arg = rec, .meet = meet, .block = block };
	enum hd_exec_status status;

	rec->launches++;
	begin_kernel(rec, l);
	if ((rec->text && !text_begin(rec)) || (rec->parts && (rec->failed || !begin_part(rec))))
		return write_failed(rec, fault);
	status = hd__exec_run(x, l, &sink, counts, fault);
	if (status != HD_EXEC_DONE && rec->text) {
		text_dropped(rec);
	} else if (status == HD_EXEC_DONE && rec->text) {
		if (!text_end(rec))
			status = write_failed(rec, fault);
	} else if (rec->parts && status == HD_EXEC_DONE) {
		if (!end_part(rec, true))
			status = write_failed(rec, fault);
	} else if (status == HD_EXEC_DONE) {
		packed_kernel(rec);
	} else if (rec->parts) {
		drop_part(rec);
		if (rec->r.parts > 0)
			hd__parts_say(&rec->to, (struct part_message){ .kind = PART_FAILED });
	} else if (rec->w.at != rec->r.at && !rec->failed
	           && !hd__packed_back(&rec->w, rec->r.at)) { /* blocks of what failed */
		fprintf(stderr, "heddle: %s: could not be written: %s\n", rec->out.path, strerror(errno));
		status = write_failed(rec, fault);
	}
	forget(&rec->r);
	return status;
}

/* ---- the trace ---- */

void hd__record_copy(struct hd_record *rec, uint64_t address, uint64_t bytes)
{
	struct packed_copy c = { .addr = address, .bytes = bytes };

	if (bytes == 0)
		return;
	rec->copies++;
	rec->copied += bytes;
	rec->list_lines++;
	if (rec->text)
		fprintf(rec->list, "MemcpyHtoD,0x%016" PRIx64 ",%" PRIu64 "\n", address, bytes);
	else
		hd__bytes_append(rec->parts ? &rec->pending : &rec->w.copies, &c, sizeof c);
}

void hd__record_stream(struct hd_record *rec, uint64_t stream)
{
	rec->stream = stream;
}

int hd__record_open(struct hd_record **to, const char *path, bool text)
{
	struct hd_record *rec = hd__xcalloc(1, sizeof *rec);
	int status;

	*to = rec;
	rec->text = text;
	status = text ? hd__folder_open(&rec->out, path) : hd__output_open(&rec->out, path, NULL);
	if (status == HD_EXIT_OK && text) {
		rec->list = hd__folder_file(&rec->out, "kernelslist.g");
		status = rec->list ? HD_EXIT_OK : HD_EXIT_FAILED;
	} else if (status == HD_EXIT_OK) {
		hd__packed_begin(&rec->w, rec->out.f);
		if (fseek(rec->out.f, 0, SEEK_CUR) != 0) {
			fprintf(stderr, "heddle: a packed trace cannot be written into a pipe; expected a file\n");
			hd__output_close(&rec->out, false);
			status = HD_EXIT_USAGE;
		}
	}
	if (status != HD_EXIT_OK) {
		free(rec);
		*to = NULL;
	}
	return status;
}

int hd__record_open_parts(struct hd_record **to, const char *folder, const char *name)
{
	struct hd_record *rec = hd__xcalloc(1, sizeof *rec);

	*to = rec;
	rec->parts = true;
	if (hd__parts_connect(&rec->to, folder, name))
		return HD_EXIT_OK;
	free(rec);
	*to = NULL;
	return HD_EXIT_FAILED;
}

void hd__record_flush(struct hd_record *rec)
{
	if (!rec->parts)
		fflush(rec->text ? rec->list : rec->out.f);
	else if (rec->w.to)
		fflush(rec->w.to);
}

bool hd__record_time(struct hd_record *rec, uint64_t *ns)
{
	return rec->parts && !rec->failed && hd__parts_time(&rec->to, ns);
}

void hd__record_leave(struct hd_record *rec)
{
	if (rec->parts)
		hd__parts_close(&rec->to);
}

int hd__record_close(struct hd_record *rec, bool good)
{
	struct packed_index x = { .list_copies = rec->copies, .list_copied = rec->copied };

	good = good && !rec->failed;
	if (rec->parts) {
		good = good && say_copies(rec) && hd__parts_say(&rec->to, (struct part_message){ .kind = PART_END });
		drop_part(rec);
		hd__parts_close(&rec->to);
	} else if (rec->text && good) {
		good = hd__folder_close(&rec->out, rec->list);
	} else if (rec->text) {
		fclose(rec->list);
	} else if (good) {
		hd__packed_end(&rec->w, &x);
	}
	if (!rec->parts)
		good = hd__output_close(&rec->out, good) && good;
	hd__packed_free(&rec->w);
	free(rec->block.v);
	free(rec->texts.v);
	free(rec->listing.v);
	free(rec->pending.v);
	free(rec);
	return good ? HD_EXIT_OK : HD_EXIT_FAILED;
}
