/* packed.c - a packed trace: its file, its kernels with their static instructions, and blocks, which are checked
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Instructions are decoded from their texts by the tables of the run, in the order in which a reader of
 * the text meets them, so that they get the same numbers.  A block is checked as a reader of the text
 * checks lines: lanes that are threads and have not exited, instructions that exist, numbers that end.
 */
#include "packed.h"
#include "base/bytes.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#define HASHED offsetof(struct packed_block, bytes) /* from here on */

enum { KIND_EXITS = 1, KIND_UNKNOWN = 2, KIND_BARE = 4 };
#define KINDS_BEHIND 8u /* bytes behind the last kind that are those of no instruction, but not 0 */

/* ---- the file ------------------------------------------------------------------------------- */

int hd__trace_packed_bad(const struct trace_packed *p, const void *at, const char *what)
{
	return hd__trace_error(p->host, "%s: damaged at byte %" PRIu64 ": %s; expected the file as 'heddle trace "
	                       "pack' wrote it", p->name,
	                       (uint64_t)((const unsigned char *)at - p->map), what);
}

const void *hd__trace_packed_part(const struct trace_packed *p, uint64_t at, uint64_t bytes,
                                  const char *what)
{
	if (at % 8 == 0 && at <= p->size && bytes <= p->size - at)
		return p->map + at;
	hd__trace_error(p->host, "%s: damaged: %s at bytes %" PRIu64 " to %" PRIu64 " of %" PRIu64
	                "; expected the file as 'heddle trace pack' wrote it", p->name, what, at, at + bytes,
	                p->size);
	return NULL;
}

static int map(struct trace_packed *p, int fd)
{
	p->map = mmap(NULL, p->size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (p->map != MAP_FAILED)
		return 0;
	p->map = NULL;
	return hd__trace_error(p->host, "%s: cannot map: %s", p->name, strerror(errno));
}

static int check_head(const struct trace_packed *p)
{
	const struct packed_head *h = (const struct packed_head *)p->map;

	if (p->size < sizeof *h)
		return hd__trace_error(p->host, "%s: the file ends within its head, after %" PRIu64 " bytes",
		                       p->name, p->size);
	if (h->order != PACKED_ORDER)
		return hd__trace_error(p->host, "%s: was packed on a machine with another byte order, or is "
		                       "damaged; expected one that was packed on this one", p->name);
	if (h->version != PACKED_VERSION)
		return hd__trace_error(p->host, "%s: has version %" PRIu32 " of packed traces; expected %u: pack "
		                       "the trace again", p->name, h->version, PACKED_VERSION);
	if (h->hash != XXH3_64bits(h, offsetof(struct packed_head, hash)))
		return hd__trace_packed_bad(p, h, "the head has another hash");
	if (h->bytes != p->size)
		return hd__trace_error(p->host, "%s: has %" PRIu64 " bytes; expected %" PRIu64 ": it was cut, or "
		                       "something was appended", p->name, p->size, h->bytes);
	return 0;
}

/* Takes `n` elements of `size` bytes from the front of the part [*at, end); NULL: they are not there. */
static const void *take(const unsigned char **at, const unsigned char *end, uint64_t n, size_t size)
{
	const unsigned char *v = *at;

	if (n > (size_t)(end - v) / size)
		return NULL;
	*at += n * size;
	return v;
}

static int check_items(const struct trace_packed *p)
{
	const struct packed_index *x = p->index;
	uint64_t copies = 0;

	for (uint64_t i = 0; i < x->items; i++) {
		const struct packed_item *it = &p->item[i];

		if (it->name >= x->names || it->ref >= x->refs || it->copies < copies
		    || it->copies > x->copies)
			return hd__trace_packed_bad(p, it, "an item of the list");
		copies = it->copies;
	}
	for (uint64_t i = 0; i < x->copies; i++)
		if (p->copy[i].bytes > TRACE_MOST_COPIED)
			return hd__trace_packed_bad(p, &p->copy[i], "a copy");
	return 0;
}

static int check_index(struct trace_packed *p)
{
	const struct packed_head *h = (const struct packed_head *)p->map;
	const unsigned char *at = hd__trace_packed_part(p, h->index, h->index_bytes, "the list"), *end;

	if (!at)
		return -1;
	end = at + h->index_bytes;
	if (XXH3_64bits(at, h->index_bytes) != h->index_hash)
		return hd__trace_packed_bad(p, at, "the list of kernels has another hash");
	p->index = take(&at, end, 1, sizeof *p->index);
	p->item = p->index ? take(&at, end, p->index->items, sizeof *p->item) : NULL;
	p->copy = p->item ? take(&at, end, p->index->copies, sizeof *p->copy) : NULL;
	p->ref = p->copy ? take(&at, end, p->index->refs, sizeof *p->ref) : NULL;
	p->names = p->ref ? take(&at, end, p->index->names, 1) : NULL;
	if (!p->names || at != end || p->index->items == 0 || p->index->names == 0 || end[-1] != '\0')
		return hd__trace_packed_bad(p, p->map + h->index, "the list of kernels has another size");
	return check_items(p);
}

int hd__trace_packed_take(struct trace_packed *p, const struct trace_host *host, const char *name, int fd)
{
	char magic[sizeof PACKED_MAGIC - 1];
	struct stat st;
	int bad;

	*p = (struct trace_packed){ .host = host, .first = 1 };
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || pread(fd, magic, sizeof magic, 0) != sizeof magic
	    || memcmp(magic, PACKED_MAGIC, sizeof magic) != 0) {
		close(fd);
		return 0;
	}
	p->size = (uint64_t)st.st_size;
	p->name = strdup(name);
	bad = p->name ? map(p, fd) : hd__trace_error(host, "%s: out of memory", name);
	close(fd);
	return bad || check_head(p) || check_index(p) ? -1 : 1;
}

int hd__trace_packed_open(struct trace_packed *p, const struct trace_host *host, const char *path)
{
	struct stat st;
	const char *why;
	int fd;

	*p = (struct trace_packed){ .host = host };
	if (stat(path, &st) == 0 && S_ISFIFO(st.st_mode)) /* its writer must not see a reader that goes away */
		return 0;
	fd = host->open(host->self, path, &why);
	return fd < 0 ? 0 : hd__trace_packed_take(p, host, path, fd);
}

void hd__trace_packed_close(struct trace_packed *p)
{
	if (p->map)
		munmap(p->map, p->size);
	free(p->name);
	*p = (struct trace_packed){ 0 };
}

int hd__trace_packed_list(struct trace_packed *p, struct trace_list *l, uint64_t first, uint64_t last)
{
	const struct packed_index *x = p->index;

	*l = (struct trace_list){ .copies = x->list_copies, .copied = x->list_copied,
		                  .others = x->list_others, .ncopy = x->copies };
	if (first > x->items)
		return hd__trace_list_none(p->host, p->name, x->items, first, last);
	hd__trace_list_some(p->host, p->name, x->items, first, last);
	p->first = first;
	if (last > x->items)
		last = x->items;
	l->copy = calloc(x->copies + 1, sizeof *l->copy);
	l->v = calloc(last - first + 1, sizeof *l->v);
	if (!l->copy || !l->v)
		return hd__trace_error(p->host, "out of memory for the list of kernels");
	for (uint64_t i = 0; i < x->copies; i++)
		l->copy[i] = (struct hd_trace_copy){ p->copy[i].addr, p->copy[i].bytes };
	for (uint64_t i = first - 1; i < last; i++) {
		const struct packed_item *it = &p->item[i];
		struct trace_item *to = &l->v[l->n];

		*to = (struct trace_item){ .line = it->line, .copies = it->copies };
		if (asprintf(&to->path, "%s:%s", p->name, p->names + it->name) < 0)
			return hd__trace_error(p->host, "out of memory for the list of kernels");
		l->n++;
	}
	return 0;
}

/* ---- a kernel ----------------------------------------------------------------------------- */

static int find_parts(struct trace_packed_kernel *k, const struct packed_ref *ref)
{
	const struct packed_kernel *h = k->head;
	uint64_t left = ref->bytes - sizeof *h;

	if (h->statics > left / sizeof *k->statics)
		return -1;
	left -= h->statics * sizeof *k->statics;
	if (h->texts > left || h->name > left - h->texts || h->listing > left - h->texts - h->name)
		return -1;
	k->statics = (const struct packed_static *)(h + 1);
	k->texts = (const char *)(k->statics + h->statics);
	k->name = k->texts + h->texts;
	k->listing = k->name + h->name;
	if (h->name == 0 || k->name[h->name - 1] != '\0' || trace_control(k->name, k->name + h->name - 1))
		return -1;
	for (uint64_t i = 0; i < h->statics; i++) {
		const struct packed_static *s = &k->statics[i];

		if (s->text >= h->texts || s->len >= h->texts - s->text || k->texts[s->text + s->len] != '\n')
			return -1;
	}
	return memchr(h->tail, '\0', sizeof h->tail) ? 0 : -1;
}

static int fill_header(const struct trace_packed_kernel *k, struct trace_header *h, struct trace_text *t)
{
	const struct packed_kernel *from = k->head;
	struct hd_launch *l = &h->launch;

	hd__trace_header_free(h);
	*l = (struct hd_launch){ .name = strdup(k->name), .id = from->id, .stream = from->stream,
		.shared_base = from->shared_base, .local_base = from->local_base, .shmem = from->shmem,
		.nregs = from->nregs, .binary = from->binary };
	memcpy(l->grid, from->grid, sizeof l->grid);
	memcpy(l->cluster, from->cluster, sizeof l->cluster);
	memcpy(l->block, from->block, sizeof l->block);
	h->version = from->version;
	h->lineinfo = from->lineinfo;
	h->unknown = from->unknown;
	if (!l->name)
		return hd__trace_error(t->host, "%s: out of memory", t->name);
	for (int i = 0; i < 3; i++)
		if (!l->grid[i] || !l->block[i] || !l->cluster[i] != !l->cluster[0])
			return hd__trace_packed_bad(k->file, from, "a grid, block or cluster of nothing");
	if (h->version == 0)
		return hd__trace_packed_bad(k->file, from, "the version of the tracer");
	return hd__trace_header_derive(h, t);
}

/* The next part begins at a multiple of 8 bytes; what lies before it is in no hash. */
static bool is_padded(const struct trace_packed *p, uint64_t at)
{
	for (; at % 8 != 0 && at < p->size; at++)
		if (p->map[at] != 0)
			return false;
	return true;
}

/* Item i of the file, or of a part, is what the kernel is read from; `path`: its name, for messages. */
static int find_kernel(struct trace_packed_kernel *k, const struct trace_packed *p, size_t i, const char *path)
{
	const struct packed_ref *ref = &p->ref[p->item[p->first - 1 + i].ref];
	uint8_t *kind;

	k->file = p;
	k->head = hd__trace_packed_part(p, ref->kernel, ref->bytes, "a kernel");
	if (!k->head)
		return -1;
	if (ref->bytes < sizeof *k->head || XXH3_64bits(k->head, ref->bytes) != ref->hash)
		return hd__trace_packed_bad(p, k->head, "the kernel has another hash");
	if (!is_padded(p, ref->kernel + ref->bytes))
		return hd__trace_packed_bad(p, k->head, "the bytes behind the kernel are not 0");
	if (find_parts(k, ref))
		return hd__trace_packed_bad(p, k->head, "the parts of the kernel have other sizes");
	if (!hd__trace_packed_part(p, k->head->blocks, k->head->blocks_bytes, "thread blocks"))
		return -1;
	kind = trace_reserve(k->kind, k->head->statics + KINDS_BEHIND, &k->cap, 1);
	k->kind = kind ? kind : k->kind;
	return kind ? 0 : hd__trace_error(p->host, "%s: out of memory", path);
}

int hd__trace_packed_kernel(struct trace_packed_kernel *k, const struct trace_packed *p, size_t i,
                            const char *path, struct trace_header *h, struct trace_text *t)
{
	if (find_kernel(k, p, i, path))
		return -1;
	*t = (struct trace_text){ .host = p->host, .fd = -1, .name = strdup(path), .line = k->head->begin_line,
		                  .bytes = k->head->begin_text, .total = p->size };
	k->sound = 0;
	k->more = NULL;
	k->controls = NULL;
	k->part = 0;
	k->ended = false;
	if (!t->name)
		return hd__trace_error(p->host, "%s: out of memory", path);
	return fill_header(k, h, t);
}

struct trace_packed_at hd__trace_packed_begin(const struct trace_packed_kernel *k)
{
	return (struct trace_packed_at){ .offset = k->head->blocks };
}

/* ---- static instructions -------------------------------------------------------------------- */

static int add_static(const struct trace_packed_kernel *k, struct trace_code *c, uint32_t i)
{
	const struct packed_static *from = &k->statics[i];
	const struct trace_static *s;
	uint64_t line = c->text->line;
	int64_t got;

	c->text->line = from->line; /* for messages */
	got = hd__trace_line_static(c, k->texts + from->text, from->len, from->imm, from->extra,
	                            from->flags & PACKED_TAIL);
	c->text->line = line;
	if (got < 0)
		return -1;
	if (got != i)
		return hd__trace_packed_bad(k->file, from, "two instructions are the same");
	s = &c->v[i];
	if (s->exits != (bool)(from->flags & PACKED_EXITS))
		return hd__trace_error(c->text->host, "%s:%" PRIu64 ": the opcode tables of this run have another "
		                       "idea of whether the instruction ends lanes than those with which the trace was "
		                       "packed: '%.*s'; expected the same, or the trace as a text", c->text->name,
		                       from->line, (int)from->len, k->texts + from->text);
	k->kind[i] = (s->exits ? KIND_EXITS : 0) | (s->odd & TRACE_ODD_UNKNOWN ? KIND_UNKNOWN : 0)
	             | (s->access && !s->payload ? KIND_BARE : 0);
	memset(&k->kind[i + 1], 0xff, KINDS_BEHIND);
	return 0;
}

uint64_t hd__trace_packed_bare_line(const struct trace_packed_kernel *k, const struct trace_code *c)
{
	uint64_t line = UINT64_MAX;

	for (uint32_t i = 0; i < c->n; i++)
		if (k->kind[i] & KIND_BARE && k->statics[i].lanes_line && k->statics[i].lanes_line < line)
			line = k->statics[i].lanes_line;
	return line;
}

/* ---- blocks --------------------------------------------------------------------------------- */

/* What the lines of a warp have to be compared with. */
struct check {
	const uint8_t *kind;
	uint32_t statics;
	struct trace_code *counts; /* NULL: nothing is counted */
	uint64_t bare;
	bool found;                /* something to be counted, or lanes left at the end of a warp */
};

static void count_odd(struct check *c, uint32_t index, uint32_t mask)
{
	const struct trace_static *s = &c->counts->v[index];

	if (c->kind[index] & KIND_UNKNOWN) {
		c->counts->unknown++;
		c->counts->opcodes->unknown[s->unknown - 1].count += !c->counts->surveyed;
	}
	c->bare += c->kind[index] & KIND_BARE && mask;
}

/* 8 bytes as a word whose lowest byte comes first. */
static inline uint64_t eight_bytes(const void *p)
{
	uint64_t word;

	memcpy(&word, p, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	word = __builtin_bswap64(word);
#endif
	return word;
}

/* How many instructions come next that take a byte each, so that they have the mask of the one before, and of whose
 * kind there is nothing to be looked at?  The last of them may be behind those of the thread block. */
static inline size_t plain_ones(const unsigned char *p, const unsigned char *end, const uint8_t *kind)
{
	size_t n = 0, most = (size_t)(end - p);

	for (; most - n >= 8; n += 8) {
		uint64_t word = eight_bytes(p + n) | eight_bytes(kind + n);

		if (word)
			return n + hd_bits_first(word) / 8;
	}
	while (n < most && !(p[n] | kind[n]))
		n++;
	return n;
}

/* Behind the number, which is *v more then; NULL: it does not end. */
static inline const unsigned char *add_number(const unsigned char *p, const unsigned char *end, uint32_t *v)
{
	uint64_t n;

	if (!hd__get_varint_before(&p, end, &n))
		return NULL;
	*v += (uint32_t)hd__unzigzag(n);
	return p;
}

/* Behind so many numbers; NULL: one of them does not end. */
static inline const unsigned char *pass_numbers(const unsigned char *p, const unsigned char *end, unsigned n)
{
	while (n > 0) {
		/* the last bytes of numbers in the next 8 bytes, as the bits 0x80 */
		uint64_t ends = (size_t)(end - p) >= 8 ? ~eight_bytes(p) & UINT64_C(0x8080808080808080) : 0;
		uint64_t behind = ends & (ends - 1);

		if (n == 2 && HD_LIKELY(behind != 0))
			return p + hd_bits_first(behind) / 8 + 1;
		if (ends) {
			unsigned last = 0;

			for (; ends && n > 0; n--)
				last = hd_bits_pop(&ends);
			p += last / 8 + 1;
		} else {
			uint32_t v = 0;

			p = add_number(p, end, &v);
			if (!p)
				return NULL;
			n--;
		}
	}
	return p;
}

/* Behind the next instruction, whose tag is not 0; NULL: it does not end in front of `end`.  The index may be any. */
static inline const unsigned char *pass(const unsigned char *p, const unsigned char *end, uint32_t *index,
                                        uint32_t *mask)
{
	unsigned tag = *p++;

	if (tag >= TRACE_TAG_END)
		return NULL;
	if (tag & TRACE_TAG_MASK) {
		if ((size_t)(end - p) < sizeof *mask)
			return NULL;
		memcpy(mask, p, sizeof *mask);
		p += sizeof *mask;
	}
	if (HD_UNLIKELY(tag & TRACE_TAG_INDEX)) {
		p = add_number(p, end, index);
		if (!p)
			return NULL;
	} else {
		++*index;
	}
	if (!(tag >> TRACE_TAG_FORM))
		return p;
	if (!*mask)
		return NULL;
	return pass_numbers(p, end, trace_tag_numbers(tag, *mask));
}

/* Returns the lanes that have not exited at the end; UINT64_MAX: something is not as it has to be. */
static uint64_t check_warp(struct check *c, const struct trace_cursor *at)
{
	const unsigned char *p = at->pos, *end = at->end;
	const uint8_t *kind = c->kind;
	uint32_t index = at->index, mask = at->mask, alive = mask, statics = c->statics;

	if (p == end)
		return 0;
	if (!alive)
		return UINT64_MAX;
	for (;;) { /* some lanes are alive */
		if (*p == 0) {
			p++;
			index++;
		} else {
			p = pass(p, end, &index, &mask);
			if (!p)
				return UINT64_MAX;
		}
		if (index >= statics || (mask & ~alive))
			return UINT64_MAX;
		if (HD_UNLIKELY(kind[index])) {
			if (kind[index] & KIND_EXITS)
				alive &= ~mask;
			c->found |= (kind[index] & ~KIND_EXITS) != 0;
			if (c->counts)
				count_odd(c, index, mask);
			if (p == end)
				return alive;
			if (!alive)
				return UINT64_MAX;
			continue;
		}
		if (p != end && *p == 0) {
			size_t n = plain_ones(p, end, kind + index + 1);

			p += n;
			index += (uint32_t)n;
			if (index >= statics)
				return UINT64_MAX;
		}
		if (p == end)
			return alive;
	}
}

static int check_warps(struct check *c, struct trace_packed_block *b, const struct hd_launch *l)
{
	uint64_t seen = 0, data = b->head->data;

	for (uint32_t i = 0; i < l->warps; i++) {
		const struct packed_warp *w = &b->warp[i];
		struct trace_cursor at = { .mask = trace_threads(l, i), .index = TRACE_NOWHERE };
		uint64_t left;

		if (w->to > data || w->from > w->to || w->kept < w->from || w->kept > w->to
		    || w->order >= l->warps || (seen >> w->order & 1))
			return -1;
		seen |= UINT64_C(1) << w->order;
		at.pos = b->data + w->from;
		at.end = b->data + w->kept;
		/* the end without those lines has to be between two lines, too */
		if (w->kept < w->to && check_warp(&(struct check){ .kind = c->kind, .statics = c->statics }, &at)
		                       == UINT64_MAX)
			return -1;
		at.end = b->data + w->to;
		left = check_warp(c, &at);
		if (left == UINT64_MAX)
			return -1;
		b->tail[i] = (uint32_t)left;
		c->found |= left != 0;
	}
	return 0;
}

static int find_block(const struct trace_packed_kernel *k, struct trace_packed_at *at,
                      const struct hd_launch *l, struct trace_packed_block *b)
{
	const struct packed_block *h = (const struct packed_block *)(k->file->map + at->offset);
	uint64_t left = k->head->blocks + k->head->blocks_bytes - at->offset;
	size_t warps = l->warps * sizeof *b->warp;

	if (left < sizeof *h + warps || h->bytes > left || h->bytes % 8 || h->bytes < sizeof *h + warps
	    || h->data > h->bytes - sizeof *h - warps)
		return hd__trace_packed_bad(k->file, h, "the thread block has another size");
	if (XXH3_64bits((const char *)h + HASHED, h->bytes - HASHED) != h->hash)
		return hd__trace_packed_bad(k->file, h, "the thread block has another hash");
	if (h->ordinal != at->ordinal || h->statics > k->head->statics)
		return hd__trace_packed_bad(k->file, h, "another thread block");
	b->head = h;
	b->warp = (const struct packed_warp *)(h + 1);
	b->data = k->file->map + at->offset + sizeof *h + warps;
	at->offset += h->bytes;
	at->ordinal++;
	return 0;
}

/* The kernel is read from that part.  Returns 1; 0: it ends before; -1 after a message. */
static int go_to_part(struct trace_packed_kernel *k, uint32_t n, const struct trace_code *c)
{
	int bad = 0;
	const struct trace_packed *p = k->more(k, n, &bad);

	if (!p || bad)
		return bad ? -1 : 0;
	if (find_kernel(k, p, 0, c->file))
		return -1;
	k->part = n;
	if (k->controls && k->head->statics > c->n
	    && hd__trace_listing_memory(k->controls, p->host, c->file, k->listing, k->head->listing) < 0)
		return -1;
	return 1;
}

/* Parts follow one another until one has a block. */
static int find_place(struct trace_packed_kernel *k, struct trace_packed_at *at, const struct trace_code *c)
{
	int got = at->part == k->part ? 1 : go_to_part(k, at->part, c);

	while (got > 0 && at->offset == k->head->blocks + k->head->blocks_bytes) {
		got = k->more ? go_to_part(k, at->part + 1, c) : 0;
		if (got > 0) {
			at->part++;
			at->offset = k->head->blocks;
		}
	}
	return got;
}

int hd__trace_packed_next(struct trace_packed_kernel *k, struct trace_packed_at *at,
                          struct trace_code *c, struct trace_packed_block *b)
{
	struct check check = { .counts = c };
	int got = find_place(k, at, c);

	if (got <= 0)
		return got;
	check.kind = k->kind;
	if (find_block(k, at, &c->header->launch, b))
		return -1;
	while (c->n < b->head->statics)
		if (add_static(k, c, c->n))
			return -1;
	b->bare = 0;
	if (at->ordinal <= k->sound) {
		memset(b->tail, 0, c->header->launch.warps * sizeof *b->tail);
		return 1;
	}
	check.statics = (uint32_t)b->head->statics;
	if (check_warps(&check, b, &c->header->launch))
		return hd__trace_packed_bad(k->file, b->head, "an instruction of the thread block");
	b->bare = check.bare;
	if (!check.found && at->ordinal == k->sound + 1)
		k->sound++;
	return 1;
}
