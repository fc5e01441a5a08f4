/* packing.c - writes a trace as a packed one
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Kernels are read as for a run.  Each is written behind its blocks, the list behind the kernels, and the
 * head, which has the place of the list, last.  Items of the list that name the same bytes share a kernel.
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
	FILE *to;
	uint64_t at; /* bytes written */
	struct hd_bytes items, refs, names;
	struct hd_bytes head;      /* of the present kernel: what is behind struct packed_kernel */
	struct hd_bytes listing;
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

/* The caller of hd__trace_packing() looks for errors of the stream. */
static void put(struct packing *p, const void *v, size_t n)
{
	if (n)
		fwrite(v, 1, n, p->to);
	p->at += n;
}

static void align(struct packing *p)
{
	static const char zeros[8];

	put(p, zeros, -p->at & 7);
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

/* Order of the warps in the text: those without a line come last. */
static void set_order(struct packed_warp *v, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		uint32_t place = 0;

		for (uint32_t j = 0; j < n; j++)
			place += v[j].line - 1 < v[i].line - 1 || (j < i && v[j].line == v[i].line);
		v[place].order = i;
	}
}

static void write_block(struct packing *p, struct packed_block *h)
{
	struct packed_warp warp[TRACE_WARPS] = { { .from = 0 } };
	const struct trace_cta *cta = p->k.blocks.slot[0].cta;
	uint32_t warps = p->k.header.launch.warps;
	static const char zeros[8];
	XXH3_state_t *hash = new_hash();
	size_t gap = -cta->n & 7;

	for (uint32_t i = 0; i < warps; i++) {
		const struct trace_cursor *w = &p->k.blocks.slot[i];

		warp[i].from = (size_t)(w->pos - cta->data);
		warp[i].to = (size_t)(w->end - cta->data);
		warp[i].line = p->lines[i] ? p->lines[i] + 1 : 0;
		warp[i].kept = warp[i].from + walk(p, *w, warp[i].line);
	}
	set_order(warp, warps);
	h->data = cta->n;
	h->bytes = sizeof *h + warps * sizeof *warp + cta->n + gap;
	XXH3_64bits_update(hash, &h->bytes, sizeof *h - offsetof(struct packed_block, bytes));
	XXH3_64bits_update(hash, warp, warps * sizeof *warp);
	XXH3_64bits_update(hash, cta->data, cta->n);
	XXH3_64bits_update(hash, zeros, gap);
	h->hash = end_hash(hash);
	put(p, h, sizeof *h);
	put(p, warp, warps * sizeof *warp);
	put(p, cta->data, cta->n);
	put(p, zeros, gap);
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

/* The static instructions and their texts.  Returns the bytes of these. */
static uint64_t put_statics(struct packing *p)
{
	const struct trace_code *code = &p->k.code;
	uint64_t texts = 0;

	for (uint32_t i = 0; i < code->n; i++) {
		const struct trace_static *from = &code->v[i];
		struct packed_static s = {
			.text = texts, .line = p->first[i].line, .lanes_line = p->first[i].lanes_line,
			.len = from->len, .imm = from->imm,
			.flags = (from->exits ? PACKED_EXITS : 0)
			         | (!from->exact && !from->payload ? PACKED_TAIL : 0),
		};

		texts += from->len + 1;
		hd__bytes_append(&p->head, &s, sizeof s);
	}
	for (uint32_t i = 0; i < code->n; i++) {
		hd__bytes_append(&p->head, code->v[i].text, code->v[i].len);
		hd__bytes_append(&p->head, "\n", 1);
	}
	return texts;
}

static void take_header(struct packed_kernel *h, const struct trace_kernel *k)
{
	const struct hd_launch *l = &k->header.launch;

	h->id = l->id;
	h->stream = l->stream;
	h->shared_base = l->shared_base;
	h->local_base = l->local_base;
	memcpy(h->grid, l->grid, sizeof h->grid);
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

static void put_kernel(struct packing *p, struct packed_kernel *h, struct packed_ref *ref)
{
	const char *name = p->k.header.launch.name;
	XXH3_state_t *hash = new_hash();

	p->head.n = 0;
	h->statics = p->k.code.n;
	h->name = strlen(name) + 1;
	h->listing = p->listing.n;
	h->texts = put_statics(p);
	hd__bytes_append(&p->head, name, h->name);
	hd__bytes_append(&p->head, p->listing.v, p->listing.n);
	XXH3_64bits_update(hash, h, sizeof *h);
	XXH3_64bits_update(hash, p->head.v, p->head.n);
	ref->hash = end_hash(hash);
	ref->kernel = p->at;
	ref->bytes = sizeof *h + p->head.n;
	put(p, h, sizeof *h);
	put(p, p->head.v, p->head.n);
	align(p);
}

static int pack_kernel(struct packing *p, size_t i, struct packed_ref *ref)
{
	struct trace_kernel *k = &p->k;
	struct packed_kernel h = { .blocks = p->at };

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
	h.blocks_bytes = p->at - h.blocks;
	if (finish_kernel(&h, k))
		return -1;
	put_kernel(p, &h, ref);
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
	struct packed_item it = { .name = p->names.n, .line = from->line, .copies = from->copies };
	struct packed_ref ref = { .source = 0 };
	uint64_t both = 0;

	if (hash_sources(p, i, &ref, &both))
		return -1;
	it.ref = find_ref(known, both);
	if (it.ref == known->n / sizeof both) {
		if (pack_kernel(p, i, &ref))
			return -1;
		hd__bytes_append(known, &both, sizeof both);
		hd__bytes_append(&p->refs, &ref, sizeof ref);
	}
	hd__bytes_append(&p->names, from->path + folder, strlen(from->path + folder) + 1);
	hd__bytes_append(&p->items, &it, sizeof it);
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
	const struct packed_index x = {
		.items = l->n, .copies = l->ncopy, .refs = p->refs.n / sizeof(struct packed_ref),
		.names = p->names.n, .list_copies = l->copies, .list_copied = l->copied,
		.list_others = l->others,
	};
	struct packed_head h = { .magic = PACKED_MAGIC, .order = PACKED_ORDER, .version = PACKED_VERSION };
	struct hd_bytes *all = &p->head;

	all->n = 0;
	hd__bytes_append(all, &x, sizeof x);
	hd__bytes_append(all, p->items.v, p->items.n);
	for (size_t i = 0; i < l->ncopy; i++) {
		struct packed_copy c = { l->copy[i].addr, l->copy[i].bytes };

		hd__bytes_append(all, &c, sizeof c);
	}
	hd__bytes_append(all, p->refs.v, p->refs.n);
	hd__bytes_append(all, p->names.v, p->names.n);
	h.index = p->at;
	h.index_bytes = all->n;
	h.index_hash = XXH3_64bits(all->v, all->n);
	put(p, all->v, all->n);
	h.bytes = p->at;
	h.hash = XXH3_64bits(&h, offsetof(struct packed_head, hash));
	rewind(p->to);
	put(p, &h, sizeof h);
}

static int pack(struct packing *p)
{
	static const struct packed_head space;
	struct hd_bytes known = { 0 };
	size_t folder = folder_of(p->r);
	int bad = 0;

	put(p, &space, sizeof space);
	for (size_t i = 0; i < p->r->list.n && !bad; i++)
		bad = pack_item(p, i, folder, &known);
	free(known.v);
	if (!bad)
		put_index(p);
	return bad;
}

int hd__trace_packing(struct trace_reader *r, FILE *to)
{
	struct packing p = { .r = r, .to = to };
	int bad;

	if (r->packed.map)
		return hd__trace_error(r->host, "%s: is a packed trace; expected a text to pack", r->packed.name);
	if (r->list.pipe.host)
		return hd__trace_text_twice(r->host, r->list.pipe.name);
	if (fseek(to, 0, SEEK_SET) != 0)
		return hd__trace_error(r->host, "a packed trace cannot be written into a pipe; expected a file");
	bad = pack(&p);
	hd__trace_kernel_free(r, &p.k);
	free(p.items.v);
	free(p.refs.v);
	free(p.names.v);
	free(p.head.v);
	free(p.listing.v);
	free(p.first);
	return bad;
}
