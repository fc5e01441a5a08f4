/* packing.c - private to the trace source: writes its input as a packed trace
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Kernels are read as for a run.  Each is written behind its blocks, the list behind the kernels, and the
 * head, which has the place of the list, last.  Items of the list that name the same bytes share a kernel.
 */
#include "source_kernels.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#define AT_ONCE (64u << 10) /* bytes of a file that are read at a time */

/* Bytes that grow. */
struct bytes {
	unsigned char *v;
	size_t n, cap;
};

/* Where a static instruction is met first, and first with lanes; 0: nowhere yet. */
struct first {
	uint64_t line, lanes_line;
};

struct packing {
	struct source *s;
	FILE *to;
	uint64_t at; /* bytes written */
	struct bytes items, refs, names;
	struct bytes head;      /* of the present kernel: what is behind struct packed_kernel */
	struct bytes listing;
	struct first *first;    /* by static instruction */
	size_t firsts;
	uint64_t lines[HD_MAX_WARPS]; /* of struct trace_blocks */
};

static int no_memory(const struct packing *p)
{
	return hd_error(p->s->ctx, "out of memory for a packed trace");
}

static int append(const struct packing *p, struct bytes *b, const void *v, size_t n)
{
	unsigned char *moved = n ? trace_reserve(b->v, b->n + n, &b->cap, 1) : NULL;

	if (!n)
		return 0;
	if (!moved)
		return no_memory(p);
	b->v = moved;
	memcpy(moved + b->n, v, n);
	b->n += n;
	return 0;
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

/* What the readers have counted so far. */
struct counted {
	uint64_t instructions, dropped, tails, truncated, absent, mended;
};

static struct counted counted(const struct kernel *k)
{
	const struct trace_blocks *b = &k->blocks;

	return (struct counted){ b->instructions, k->code.dropped, k->code.tails, b->truncated, b->absent,
		                 b->mended };
}

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

/* Elements for the static instructions that there are. */
static int more_firsts(struct packing *p, const struct kernel *k)
{
	struct first *v;
	size_t n = k->code.cap;

	if (n <= p->firsts)
		return 0;
	v = realloc(p->first, n * sizeof *v);
	if (!v)
		return no_memory(p);
	memset(v + p->firsts, 0, (n - p->firsts) * sizeof *v);
	p->first = v;
	p->firsts = n;
	return 0;
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

static int write_block(struct packing *p, struct kernel *k, struct packed_block *h, uint32_t warps)
{
	struct packed_warp warp[HD_MAX_WARPS] = { { .from = 0 } };
	const struct trace_cta *cta = k->blocks.slot[0].cta;
	static const char zeros[8];
	XXH3_state_t *hash = XXH3_createState();
	size_t gap = -cta->n & 7;

	if (!hash)
		return no_memory(p);
	for (uint32_t i = 0; i < warps; i++) {
		const struct trace_cursor *w = &k->blocks.slot[i];

		warp[i].from = (size_t)(w->pos - cta->data);
		warp[i].to = (size_t)(w->end - cta->data);
		warp[i].line = p->lines[i] ? p->lines[i] + 1 : 0;
		warp[i].kept = warp[i].from + walk(p, *w, warp[i].line);
	}
	set_order(warp, warps);
	h->data = cta->n;
	h->bytes = sizeof *h + warps * sizeof *warp + cta->n + gap;
	XXH3_64bits_reset(hash);
	XXH3_64bits_update(hash, &h->bytes, sizeof *h - offsetof(struct packed_block, bytes));
	XXH3_64bits_update(hash, warp, warps * sizeof *warp);
	XXH3_64bits_update(hash, cta->data, cta->n);
	XXH3_64bits_update(hash, zeros, gap);
	h->hash = XXH3_64bits_digest(hash);
	XXH3_freeState(hash);
	put(p, h, sizeof *h);
	put(p, warp, warps * sizeof *warp);
	put(p, cta->data, cta->n);
	put(p, zeros, gap);
	return 0;
}

/* The next block of the grid. */
static int block(struct packing *p, struct kernel *k, uint64_t ordinal)
{
	struct counted was = counted(k), is;
	struct packed_block h = { .ordinal = ordinal };
	int got;

	memset(p->lines, 0, sizeof p->lines);
	got = hd__trace_blocks_load(&k->blocks, 0);
	if (got < 0)
		return -1;
	if (got == 0)
		return hd_error(p->s->ctx, "%s:%" PRIu64 ": the file ends after %" PRIu64 " of the %" PRIu64
		                " thread blocks of its grid; expected all of them", k->text.name,
		                k->text.line, ordinal, k->header.launch.ctas);
	is = counted(k);
	h.number = k->blocks.number;
	h.line = k->text.line;
	h.text = k->text.bytes;
	h.statics = k->code.n;
	h.instructions = is.instructions - was.instructions;
	h.dropped = is.dropped - was.dropped;
	h.tails = is.tails - was.tails;
	h.truncated = is.truncated - was.truncated;
	h.absent = is.absent - was.absent;
	h.mended = is.mended - was.mended;
	return more_firsts(p, k) || write_block(p, k, &h, k->header.launch.warps) ? -1 : 0;
}

/* ---- kernels -------------------------------------------------------------------------------- */

/* The static instructions and their texts. */
static int put_statics(struct packing *p, const struct kernel *k, uint64_t *texts)
{
	*texts = 0;
	for (uint32_t i = 0; i < k->code.n; i++) {
		const struct trace_static *from = &k->code.v[i];
		struct packed_static s = {
			.text = *texts, .line = p->first[i].line, .lanes_line = p->first[i].lanes_line,
			.len = from->len, .imm = from->imm,
			.flags = (from->exits ? PACKED_EXITS : 0)
			         | (!from->exact && !from->payload ? PACKED_TAIL : 0),
		};

		*texts += from->len + 1;
		if (append(p, &p->head, &s, sizeof s))
			return -1;
	}
	for (uint32_t i = 0; i < k->code.n; i++)
		if (append(p, &p->head, k->code.v[i].text, k->code.v[i].len) || append(p, &p->head, "\n", 1))
			return -1;
	return 0;
}

static void take_header(struct packed_kernel *h, const struct kernel *k)
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
static int finish_kernel(struct packed_kernel *h, struct kernel *k)
{
	const struct trace_blocks *b = &k->blocks;

	h->dropped_line = k->code.dropped_line;
	h->tail_line = k->code.tail_line;
	memcpy(h->tail, k->code.tail, sizeof h->tail);
	h->truncated_line = b->truncated ? b->truncated_line : 0;
	h->absent_line = b->absent ? b->absent_line : 0;
	h->mended_line = b->mended ? b->mended_line : 0;
	h->instructions = b->instructions;
	if (hd__trace_blocks_finish(&k->blocks))
		return -1;
	h->more = b->more;
	h->end_line = k->text.line;
	h->end_text = k->text.bytes;
	return 0;
}

static int put_kernel(struct packing *p, struct packed_kernel *h, const struct kernel *k,
                      struct packed_ref *ref)
{
	XXH3_state_t *hash;

	p->head.n = 0;
	h->statics = k->code.n;
	h->name = strlen(k->header.launch.name) + 1;
	h->listing = p->listing.n;
	if (put_statics(p, k, &h->texts) || append(p, &p->head, k->header.launch.name, h->name)
	    || append(p, &p->head, p->listing.v, p->listing.n))
		return -1;
	hash = XXH3_createState();
	if (!hash)
		return no_memory(p);
	XXH3_64bits_reset(hash);
	XXH3_64bits_update(hash, h, sizeof *h);
	XXH3_64bits_update(hash, p->head.v, p->head.n);
	ref->hash = XXH3_64bits_digest(hash);
	XXH3_freeState(hash);
	ref->kernel = p->at;
	ref->bytes = sizeof *h + p->head.n;
	put(p, h, sizeof *h);
	put(p, p->head.v, p->head.n);
	align(p);
	return 0;
}

static int pack_kernel(struct packing *p, size_t i, struct packed_ref *ref)
{
	struct source *s = p->s;
	struct kernel *k = s->all;
	struct packed_kernel h = { .blocks = p->at };
	struct hd_launch launch;

	k->blocks.lines = p->lines; /* before, so that nothing is read ahead without them */
	if (hd__trace_kernel_begin(s, k, i, &launch) < 0)
		return -1;
	take_header(&h, k);
	k->blocks.instructions = 0;
	if (p->first)
		memset(p->first, 0, p->firsts * sizeof *p->first);
	for (uint64_t n = 0; n < launch.ctas; n++)
		if (block(p, k, n))
			return -1;
	h.blocks_bytes = p->at - h.blocks;
	if (finish_kernel(&h, k) || put_kernel(p, &h, k, ref))
		return -1;
	hd__trace_kernel_close(s, k);
	return 0;
}

/* ---- the list ------------------------------------------------------------------------------- */

/* Adds a file to the hash; to: gets its bytes, or NULL.  Closes it. */
static int hash_file(struct packing *p, int fd, const char *path, XXH3_state_t *hash, uint64_t *bytes,
                     struct bytes *to)
{
	char *part = malloc(AT_ONCE);
	ssize_t n = -1;
	int bad = part ? 0 : no_memory(p);

	while (!bad && ((n = read(fd, part, AT_ONCE)) > 0 || (n < 0 && errno == EINTR)))
		if (n > 0) {
			XXH3_64bits_update(hash, part, (size_t)n);
			*bytes += (uint64_t)n;
			bad = to ? append(p, to, part, (size_t)n) : 0;
		}
	if (!bad && n < 0)
		bad = hd_error(p->s->ctx, "%s: cannot read: %s", path, strerror(errno));
	free(part);
	close(fd);
	return bad;
}

/* The hash and size of the kernel's file, then the hash of both it and its listing, which is read. */
static int hash_sources(struct packing *p, const char *path, XXH3_state_t *hash, struct packed_ref *ref,
                        uint64_t *both)
{
	const char *why;
	char *listing;
	int fd = hd_open(p->s->ctx, path, &why), bad;
	uint64_t n = 0;

	if (fd < 0)
		return hd_error(p->s->ctx, "%s: cannot open: %s", path, why);
	XXH3_64bits_reset(hash);
	if (hash_file(p, fd, path, hash, &ref->source, NULL))
		return -1;
	ref->source_hash = XXH3_64bits_digest(hash);
	p->listing.n = 0;
	fd = hd__trace_listing_open(p->s->ctx, path, &listing);
	bad = fd >= 0 ? hash_file(p, fd, listing, hash, &n, &p->listing) : fd == TRACE_NO_LISTING ? 0 : -1;
	free(listing);
	*both = XXH3_64bits_digest(hash);
	return bad;
}

/* The number of a kernel that was made of the same bytes, or that of the next one. */
static uint64_t find_ref(const struct bytes *known, uint64_t both)
{
	const uint64_t *v = (const uint64_t *)known->v;
	uint64_t n = known->n / sizeof *v, i = 0;

	while (i < n && v[i] != both)
		i++;
	return i;
}

static int pack_item(struct packing *p, size_t i, size_t folder, XXH3_state_t *hash, struct bytes *known)
{
	const struct trace_item *from = &p->s->list.v[i];
	struct packed_item it = { .name = p->names.n, .line = from->line, .copies = from->copies };
	struct packed_ref ref = { .source = 0 };
	uint64_t both = 0;

	if (hash_sources(p, from->path, hash, &ref, &both))
		return -1;
	it.ref = find_ref(known, both);
	if (it.ref == known->n / sizeof both
	    && (pack_kernel(p, i, &ref) || append(p, known, &both, sizeof both)
	        || append(p, &p->refs, &ref, sizeof ref)))
		return -1;
	return append(p, &p->names, from->path + folder, strlen(from->path + folder) + 1)
	       || append(p, &p->items, &it, sizeof it) ? -1 : 0;
}

/* How much of the files' names is the folder of the list: it is not written. */
static size_t folder_of(const struct source *s)
{
	const char *input = hd_input(s->ctx), *slash = strrchr(input, '/');
	size_t n = slash ? (size_t)(slash - input) + 1 : 0;

	for (size_t i = 0; i < s->list.n; i++)
		if (strncmp(s->list.v[i].path, input, n) != 0)
			return 0;
	return n;
}

static int put_index(struct packing *p)
{
	const struct trace_list *l = &p->s->list;
	const struct packed_index x = {
		.items = l->n, .copies = l->ncopy, .refs = p->refs.n / sizeof(struct packed_ref),
		.names = p->names.n, .list_copies = l->copies, .list_copied = l->copied,
		.list_others = l->others,
	};
	struct packed_head h = { .magic = PACKED_MAGIC, .order = PACKED_ORDER, .version = PACKED_VERSION };
	struct bytes *all = &p->head;

	all->n = 0;
	if (append(p, all, &x, sizeof x) || append(p, all, p->items.v, p->items.n))
		return -1;
	for (size_t i = 0; i < l->ncopy; i++) {
		struct packed_copy c = { l->copy[i].addr, l->copy[i].bytes };

		if (append(p, all, &c, sizeof c))
			return -1;
	}
	if (append(p, all, p->refs.v, p->refs.n) || append(p, all, p->names.v, p->names.n))
		return -1;
	h.index = p->at;
	h.index_bytes = all->n;
	h.index_hash = XXH3_64bits(all->v, all->n);
	put(p, all->v, all->n);
	h.bytes = p->at;
	h.hash = XXH3_64bits(&h, offsetof(struct packed_head, hash));
	rewind(p->to);
	put(p, &h, sizeof h);
	return 0;
}

static int pack(struct packing *p, XXH3_state_t *hash)
{
	static const struct packed_head space;
	struct bytes known = { 0 };
	size_t folder = folder_of(p->s);
	int bad = hash ? 0 : no_memory(p);

	put(p, &space, sizeof space);
	for (size_t i = 0; i < p->s->list.n && !bad; i++)
		bad = pack_item(p, i, folder, hash, &known);
	free(known.v);
	return bad ? -1 : put_index(p);
}

int hd__trace_packing(void *self, FILE *to)
{
	struct source *s = self;
	struct packing p = { .s = s, .to = to };
	XXH3_state_t *hash;
	int bad;

	if (s->packed.map)
		return hd_error(s->ctx, "%s: is a packed trace; expected a text to pack", s->packed.name);
	if (s->list.pipe.ctx)
		return hd__trace_text_twice(s->ctx, s->list.pipe.name);
	if (fseek(to, 0, SEEK_SET) != 0)
		return hd_error(s->ctx, "a packed trace cannot be written into a pipe; expected a file");
	hash = XXH3_createState();
	bad = pack(&p, hash);
	XXH3_freeState(hash);
	s->all->blocks.lines = NULL;
	free(p.items.v);
	free(p.refs.v);
	free(p.names.v);
	free(p.head.v);
	free(p.listing.v);
	free(p.first);
	return bad;
}
