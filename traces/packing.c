/* packing.c - writes a trace as a packed one
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Kernels are read as for a run.  Items of the list that name the same bytes share a kernel.
 */
#include "trace_read.h"

#include "base/bytes.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#define AT_ONCE (64u << 10) /* bytes of a file that are read at a time */

/* Where a static instruction is met first, and first with lanes; 0: nowhere yet. */
struct first {
	uint64_t line, lanes_line;
};

struct packing {
	struct trace_reader *r;
	struct trace_kernel k; /* that is being written */
	struct packed_writer w;
	struct hd_bytes statics, texts, listing; /* of the present kernel */
	struct first *first;    /* by static instruction */
	size_t firsts;
	uint64_t lines[TRACE_WARPS]; /* of struct trace_blocks */
};

static XXH3_state_t *new_hash(void)
{
	XXH3_state_t *hash = hd__xcheck(XXH3_createState());

	XXH3_64bits_reset(hash);
	return hash;
}

static uint64_t end_hash(XXH3_state_t *hash)
{
	uint64_t v = XXH3_64bits_digest(hash);

	XXH3_freeState(hash);
	return v;
}

/* ---- blocks --------------------------------------------------------------------------------- */

/* Notes where the instructions of a warp are met, and finds its end without lines that no lane
 * executes. */
static size_t walk(struct packing *p, struct trace_cursor at, uint64_t line)
{
	const unsigned char *start = at.pos, *kept = at.pos;

	for (; at.pos != at.end; line++) {
		struct first *f;

		trace_pass(&at);
		f = &p->first[at.index];
		if (!f->line || line < f->line)
			f->line = line;
		if (at.mask && (!f->lanes_line || line < f->lanes_line))
			f->lanes_line = line;
		if (at.mask)
			kept = at.pos;
	}
	return (size_t)(kept - start);
}

static void write_block(struct packing *p, struct packed_block *h)
{
	struct packed_warp warp[TRACE_WARPS] = { { .from = 0 } };
	const struct trace_cta *cta = p->k.blocks.slot[0].cta;
	uint32_t warps = p->k.header.launch.warps;

	for (uint32_t i = 0; i < warps; i++) {
		const struct trace_cursor *w = &p->k.blocks.slot[i];

		warp[i].from = (size_t)(w->pos - cta->data);
		warp[i].to = (size_t)(w->end - cta->data);
		warp[i].line = p->lines[i] ? p->lines[i] + 1 : 0;
		warp[i].kept = warp[i].from + walk(p, *w, warp[i].line);
	}
	h->data = cta->n;
	hd__packed_block(&p->w, h, warp, warps, cta->data);
}

/* The next block of the grid. */
static int block(struct packing *p, uint64_t ordinal)
{
	struct trace_kernel *k = &p->k;
	struct packed_block h = { .ordinal = ordinal };
	uint64_t instructions = k->blocks.instructions;
	struct trace_counted was[PACKED_ODDITIES];

	memcpy(was, k->code.counted, sizeof was);
	memset(p->lines, 0, sizeof p->lines);
	if (hd__trace_kernel_block(k, 0))
		return -1;
	h.number = k->blocks.number;
	h.line = k->text.line;
	h.text = k->text.bytes;
	h.statics = k->code.n;
	h.instructions = k->blocks.instructions - instructions;
	for (int i = 0; i < PACKED_ODDITIES; i++)
		h.counted[i] = k->code.counted[i].n - was[i].n;
	if (k->code.n)
		p->first = hd__xgrow_zero(p->first, &p->firsts, k->code.n - 1, sizeof *p->first);
	write_block(p, &h);
	return 0;
}

/* ---- kernels -------------------------------------------------------------------------------- */

static void take_statics(struct packing *p)
{
	const struct trace_code *code = &p->k.code;

	p->statics.n = p->texts.n = 0;
	for (uint32_t i = 0; i < code->n; i++) {
		const struct trace_static *from = &code->v[i];
		struct packed_static s = {
			.text = p->texts.n, .line = p->first[i].line, .lanes_line = p->first[i].lanes_line,
			.len = from->all, .imm = from->imm, .extra = from->tensor ? 0 : from->extra,
			.flags = (from->exits ? PACKED_EXITS : 0)
			         | (!from->exact && !from->payload ? PACKED_TAIL : 0),
		};

		hd__bytes_append(&p->statics, &s, sizeof s);
		hd__bytes_append(&p->texts, from->text, from->all);
		hd__bytes_append(&p->texts, "\n", 1);
	}
}

static void take_header(struct packed_kernel *h, const struct trace_kernel *k)
{
	const struct hd_launch *l = &k->header.launch;

	h->id = l->id;
	h->stream = l->stream;
	h->shared_base = l->shared_base;
	h->local_base = l->local_base;
	memcpy(h->grid, l->grid, sizeof h->grid);
	memcpy(h->cluster, l->cluster, sizeof h->cluster);
	memcpy(h->block, l->block, sizeof h->block);
	h->shmem = l->shmem;
	h->nregs = l->nregs;
	h->binary = l->binary;
	h->version = k->header.version;
	h->lineinfo = k->header.lineinfo;
	h->unknown = k->header.unknown;
	h->begin_line = k->text.line;
	h->begin_text = k->text.bytes;
}

/* What is met first somewhere, and where the file ends. */
static int finish_kernel(struct packed_kernel *h, struct trace_kernel *k)
{
	const struct trace_blocks *b = &k->blocks;

	for (int i = 0; i < PACKED_ODDITIES; i++)
		h->first_line[i] = k->code.counted[i].line;
	memcpy(h->tail, k->code.tail, sizeof h->tail);
	h->instructions = b->instructions;
	if (hd__trace_blocks_finish(&k->blocks))
		return -1;
	h->more = b->more;
	h->end_line = k->text.line;
	h->end_text = k->text.bytes;
	return 0;
}

static int pack_kernel(struct packing *p, size_t i, struct packed_ref *ref)
{
	struct trace_kernel *k = &p->k;
	struct packed_kernel h = { .blocks = p->w.at };

	if (hd__trace_kernel_open(p->r, k, i))
		return -1;
	k->blocks.lines = p->lines;
	take_header(&h, k);
	k->blocks.instructions = 0;
	if (p->first)
		memset(p->first, 0, p->firsts * sizeof *p->first);
	for (uint64_t n = 0; n < k->header.launch.ctas; n++)
		if (block(p, n))
			return -1;
	h.blocks_bytes = p->w.at - h.blocks;
	if (finish_kernel(&h, k))
		return -1;
	take_statics(p);
	h.statics = k->code.n;
	hd__packed_kernel(&p->w, &h, (const struct packed_static *)p->statics.v, &p->texts, k->header.launch.name,
	                  &p->listing, ref);
	hd__trace_kernel_close(p->r, k);
	return 0;
}

/* ---- the list ------------------------------------------------------------------------------- */

/* Adds a file to the hash.  Closes it. */
static int hash_file(struct packing *p, int fd, const char *path, XXH3_state_t *hash, uint64_t *bytes)
{
	char *part = hd__xcheck(malloc(AT_ONCE));
	ssize_t n;
	int error;

	while ((n = read(fd, part, AT_ONCE)) > 0 || (n < 0 && errno == EINTR))
		if (n > 0) {
			XXH3_64bits_update(hash, part, (size_t)n);
			*bytes += (uint64_t)n;
		}
	error = errno;
	free(part);
	close(fd);
	return n < 0 ? hd__trace_error(p->r->host, "%s: cannot read: %s", path, strerror(error)) : 0;
}

/* The listing beside the kernel's file, if there is one.  One that a run refuses is not packed. */
static int read_listing(struct packing *p, const char *path)
{
	const struct trace_host *host = p->r->host;
	struct trace_controls c = { 0 };
	char *text;
	size_t n;
	int got = hd__trace_listing_text(host, path, &c.file, &text, &n);

	p->listing.n = 0;
	if (got > 0 && hd__trace_listing_parse(&c, host, text, n))
		got = -1;
	if (got > 0)
		hd__bytes_append(&p->listing, text, n);
	free(text);
	hd__trace_controls_free(&c);
	return got < 0 ? -1 : 0;
}

/* The hash and size of the kernel's file, then the hash of both it and its listing, which is read.  What has no header
 * of a kernel is not read to its end, which may be far. */
static int hash_sources(struct packing *p, size_t i, struct packed_ref *ref, uint64_t *both)
{
	const char *path = p->r->list.v[i].path;
	struct trace_header header = { 0 };
	XXH3_state_t *hash;
	int bad = hd__trace_kernel_header(p->r, &header, i), fd;

	hd__trace_header_free(&header);
	fd = bad || read_listing(p, path) ? -1 : hd__trace_file(p->r->host, path, 0);
	if (fd < 0)
		return -1;
	hash = new_hash();
	bad = hash_file(p, fd, path, hash, &ref->source);
	ref->source_hash = XXH3_64bits_digest(hash);
	XXH3_64bits_update(hash, p->listing.v, p->listing.n);
	*both = end_hash(hash);
	return bad;
}

/* The number of a kernel that was made of the same bytes, or that of the next one. */
static uint64_t find_ref(const struct hd_bytes *known, uint64_t both)
{
	const uint64_t *v = (const uint64_t *)known->v;
	uint64_t n = known->n / sizeof *v, i = 0;

	while (i < n && v[i] != both)
		i++;
	return i;
}

static int pack_item(struct packing *p, size_t i, size_t folder, struct hd_bytes *known)
{
	const struct trace_item *from = &p->r->list.v[i];
	struct packed_item it = { .line = from->line, .copies = from->copies };
	struct packed_ref ref = { .source = 0 };
	uint64_t both = 0;

	if (hash_sources(p, i, &ref, &both))
		return -1;
	it.ref = find_ref(known, both);
	if (it.ref == known->n / sizeof both) {
		if (pack_kernel(p, i, &ref))
			return -1;
		hd__bytes_append(known, &both, sizeof both);
	}
	hd__packed_item(&p->w, &it, from->path + folder);
	return 0;
}

/* How much of the files' names is the folder of the list: it is not written. */
static size_t folder_of(const struct trace_reader *r)
{
	const char *slash = strrchr(r->input, '/');
	size_t n = slash ? (size_t)(slash - r->input) + 1 : 0;

	for (size_t i = 0; i < r->list.n; i++)
		if (strncmp(r->list.v[i].path, r->input, n) != 0)
			return 0;
	return n;
}

static void put_index(struct packing *p)
{
	const struct trace_list *l = &p->r->list;
	struct packed_index x = { .list_copies = l->copies, .list_copied = l->copied, .list_others = l->others };

	for (size_t i = 0; i < l->ncopy; i++) {
		struct packed_copy c = { l->copy[i].addr, l->copy[i].bytes };

		hd__bytes_append(&p->w.copies, &c, sizeof c);
	}
	hd__packed_end(&p->w, &x);
}

static int pack(struct packing *p)
{
	struct hd_bytes known = { 0 };
	size_t folder = folder_of(p->r);
	int bad = 0;

	for (size_t i = 0; i < p->r->list.n && !bad; i++)
		bad = pack_item(p, i, folder, &known);
	free(known.v);
	if (!bad)
		put_index(p);
	return bad;
}

int hd__trace_packing(struct trace_reader *r, FILE *to)
{
	struct packing p = { .r = r };
	int bad;

	if (r->packed.map)
		return hd__trace_error(r->host, "%s: is a packed trace; expected a text to pack", r->packed.name);
	if (r->list.pipe.host)
		return hd__trace_text_twice(r->host, r->list.pipe.name);
	if (fseek(to, 0, SEEK_SET) != 0)
		return hd__trace_error(r->host, "a packed trace cannot be written into a pipe; expected a file");
	hd__packed_begin(&p.w, to);
	bad = pack(&p);
	hd__trace_kernel_free(r, &p.k);
	hd__packed_free(&p.w);
	free(p.statics.v);
	free(p.texts.v);
	free(p.listing.v);
	free(p.first);
	return bad;
}
