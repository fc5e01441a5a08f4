/* dump_read.c - opens a dump: the file, its blocks, its index
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "codes.h"
#include "dump_decode.h"
#include "base/output.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#define PROLOGUE 16u /* bytes: magic, version, length of a head */

static uint32_t get32(const unsigned char *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof v);
	return le32toh(v);
}

static uint64_t get64(const unsigned char *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof v);
	return le64toh(v);
}

/* The head at p, of HD_BLOCK_HEAD bytes.  Returns false if it is not one. */
static bool read_head(const unsigned char *p, struct hd_block_head *h)
{
	*h = (struct hd_block_head){ .mark = get32(p), .kind = get32(p + 4), .table = get32(p + 8),
		.rows = get32(p + 12), .bytes = get64(p + 16), .first = get64(p + 24),
		.last = get64(p + 32), .keys = get64(p + 40), .payload_hash = get64(p + 48),
		.head_hash = get64(p + 56) };
	return h->mark == HD_BLOCK_MARK
	       && (DUMP_FUZZING || h->head_hash == XXH64(p, HD_BLOCK_HEAD - 8, 0));
}

static void add_block(struct dump *d, size_t *cap, const struct hd_block_head *h, uint64_t offset)
{
	d->blocks = hd__xgrow(d->blocks, d->nblocks, cap, sizeof *d->blocks);
	d->blocks[d->nblocks++] = (struct dump_block){ *h, offset };
}

/* Reads the head at that place of the file. */
static bool read_head_at(const struct dump *d, uint64_t at, struct hd_block_head *h)
{
	unsigned char p[HD_BLOCK_HEAD];

	return dump_read_at(d, at, p, sizeof p) && read_head(p, h);
}

/* The payload of the index, if the file has its end: the caller frees it.  *at: its head. */
static unsigned char *index_payload(const struct dump *d, uint64_t *at, uint64_t *bytes)
{
	struct dump_block index = { .offset = 0 };
	unsigned char end[16];

	if (d->size < PROLOGUE + 16 || !dump_read_at(d, d->size - 16, end, sizeof end)
	    || memcmp(end + 8, HD_DUMP_END, 8) != 0)
		return NULL;
	*at = get64(end);
	if (*at < PROLOGUE || *at > d->size - 16 || d->size - 16 - *at < HD_BLOCK_HEAD
	    || !read_head_at(d, *at, &index.head) || index.head.kind != HD_BLOCK_INDEX
	    || index.head.bytes != d->size - 16 - *at - HD_BLOCK_HEAD
	    || index.head.bytes % (8 + HD_BLOCK_HEAD) != 0)
		return NULL;
	index.offset = *at + HD_BLOCK_HEAD;
	*bytes = index.head.bytes;
	return dump_payload(d, &index);
}

/* Returns false if there is no good index, so that the blocks have to be searched. */
static bool read_index(struct dump *d, size_t *cap)
{
	uint64_t at, bytes;
	unsigned char *all = index_payload(d, &at, &bytes), *p = all;
	bool ok = all != NULL;

	for (uint64_t i = 0; ok && i < bytes / (8 + HD_BLOCK_HEAD); i++, p += 8 + HD_BLOCK_HEAD) {
		struct hd_block_head b;
		uint64_t offset = get64(p);

		ok = read_head(p + 8, &b) && offset >= PROLOGUE && offset <= at - HD_BLOCK_HEAD
		     && b.bytes <= at - HD_BLOCK_HEAD - offset;
		if (ok)
			add_block(d, cap, &b, offset + HD_BLOCK_HEAD);
	}
	free(all);
	if (!ok)
		d->nblocks = 0;
	return ok;
}

static void find_blocks(struct dump *d, size_t *cap)
{
	uint64_t at = PROLOGUE;
	bool end = false;

	while (d->size - at >= HD_BLOCK_HEAD) {
		struct hd_block_head h;

		if (!read_head_at(d, at, &h)) {
			dump_damage(d, "expected the head of a block at byte %" PRIu64, at);
			return;
		}
		if (h.bytes > d->size - at - HD_BLOCK_HEAD)
			break;
		if (h.kind == HD_BLOCK_INDEX)
			return;
		add_block(d, cap, &h, at + HD_BLOCK_HEAD);
		at += HD_BLOCK_HEAD + h.bytes;
		end = h.kind == HD_BLOCK_END;
	}
	if (!end)
		dump_damage(d, "the file ends at byte %" PRIu64 ", in the middle or before its end was "
		            "written", d->size);
}

/* The text in a block of JSON, which the caller frees; NULL: it is damaged. */
static char *read_text(const struct dump *d, const struct dump_block *b, size_t *n)
{
	unsigned char *payload = dump_payload(d, b);
	char *text = payload ? dump_unpack(payload, b->head.bytes, dump_most_text(b), n) : NULL;

	free(payload);
	return text;
}

static bool read_defs(struct dump *d, struct hd_json_text *t)
{
	uint64_t before = d->json_bytes;

	if (!hd__json_comes(t, '['))
		return false;
	if (hd__json_comes(t, ']'))
		return hd__json_over(t);
	do {
		json_t *def = hd__json_value(t);

		if (!def)
			return false;
		d->json_bytes = before + dump_source_text(t->source);
		dump_define(d, def);
		json_decref(def);
	} while (hd__json_comes(t, ','));
	return hd__json_comes(t, ']') && hd__json_over(t);
}

/* The definitions in front of what is not JSON are kept. */
static bool take_defs(struct dump *d, const struct dump_block *b)
{
	struct hd_json_text t;
	struct dump_source *source = dump_source_open(d, b, &t);
	bool ok = read_defs(d, &t);

	return dump_source_close(source) && ok;
}

/* ---- how the run ended ---- */

/* Rows of tables are read one after another: each launch of a kernel has one, which for a whole GPU is long. */
struct end_reader {
	json_t *to;
	void (*row)(void *arg, const char *table, json_t *row); /* NULL: rows are passed over */
	void *arg;
};

static bool read_end_member(void *arg, const char *name, struct hd_json_text *t)
{
	const struct end_reader *r = arg;

	if (hd__json_comes(t, '['))
		return hd__json_rows(t, r->row, r->arg, name);
	return json_object_set_new(r->to, name, hd__json_value(t)) == 0;
}

static json_t *read_end(const struct dump *d, const struct dump_block *b,
                        void (*row)(void *arg, const char *table, json_t *row), void *arg)
{
	struct end_reader r = { json_object(), row, arg };
	struct hd_json_text t;
	struct dump_source *source = dump_source_open(d, b, &t);
	bool ok = hd__json_members(&t, read_end_member, &r) && hd__json_over(&t);

	if (dump_source_close(source) && ok)
		return r.to;
	json_decref(r.to);
	return NULL;
}

json_t *dump_statistics(const struct dump *d,
                        void (*row)(void *arg, const char *table, json_t *row), void *arg)
{
	return d->statistics ? read_end(d, d->statistics, row, arg) : NULL;
}

/* Keeps what is one number or word: statistics of a GPU are large, and most conversions do not need
 * them. */
static bool take_end(struct dump *d, const struct dump_block *b)
{
	json_t *j = read_end(d, b, NULL, NULL), *v;
	const char *name;
	void *next;

	if (!j)
		return false;
	json_object_foreach_safe(j, next, name, v)
		if (json_is_object(v))
			json_object_del(j, name);
	json_decref(d->end);
	d->end = j;
	d->statistics = hd__xrealloc(d->statistics, sizeof *b);
	*d->statistics = *b;
	return true;
}

/* ---- blocks ---- */

/* Blocks other than ROWS are read at once; rows are read later. */
static void take_block(struct dump *d, const struct dump_block *b)
{
	if (b->head.kind == HD_BLOCK_ROWS) {
		if (b->head.table >= d->ntables) {
			dump_damage(d, "the block at byte %" PRIu64 " is of table %" PRIu32 "; expected "
			            "less than %" PRIu32, b->offset, b->head.table, d->ntables);
			return;
		}
		d->tables[b->head.table].rows += b->head.rows;
		d->blocks[d->nblocks++] = *b;
		return;
	}
	if (b->head.kind != HD_BLOCK_DEFS && b->head.kind != HD_BLOCK_END)
		return; /* possibly of a later version */
	if (!(b->head.kind == HD_BLOCK_END ? take_end(d, b) : take_defs(d, b)))
		dump_damage(d, "the block at byte %" PRIu64 " is damaged", b->offset);
}

static bool read_prologue(struct dump *d)
{
	size_t n = 0;
	char *text = read_text(d, &d->blocks[0], &n);
	bool ok = text && dump_read_prologue(d, text, n);

	free(text);
	d->json_bytes += n;
	return ok;
}

static bool read_blocks(struct dump *d)
{
	size_t cap = 0, n;
	struct dump_block *all;

	if (!read_index(d, &cap))
		find_blocks(d, &cap);
	if (d->nblocks == 0 || d->blocks[0].head.kind != HD_BLOCK_META)
		return false;
	if (!read_prologue(d))
		return false;
	all = d->blocks;
	n = d->nblocks;
	d->blocks = hd__xcalloc(n, sizeof *d->blocks);
	d->nblocks = 0;
	for (size_t i = 1; i < n; i++)
		take_block(d, &all[i]);
	free(all);
	return true;
}

static bool open_file(struct dump *d)
{
	struct stat st;

	d->fd = open(d->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); /* a pipe is refused at once */
	if (d->fd < 0 || fstat(d->fd, &st) != 0) {
		fprintf(stderr, "heddle: %s: %s\n", d->path, strerror(errno));
		return false;
	}
	if (!S_ISREG(st.st_mode)) {
		if (S_ISDIR(st.st_mode))
			fprintf(stderr, "heddle: %s: %s\n", d->path, strerror(EISDIR));
		else
			fprintf(stderr, "heddle: %s: a pipe or device cannot be read; expected a file\n",
			        d->path);
		return false;
	}
	d->size = (uint64_t)st.st_size;
	hd__input_note(d->fd);
	return true;
}

static bool known_version(struct dump *d)
{
	unsigned char head[PROLOGUE];
	uint32_t version;

	if (!dump_read_at(d, 0, head, sizeof head) || memcmp(head, HD_DUMP_MAGIC, 8) != 0) {
		fprintf(stderr, "heddle: %s: not a dump; expected a file that 'heddle run --dump' "
		        "has written\n", d->path);
		return false;
	}
	version = get32(head + 8);
	if (version < HD_DUMP_OLDEST || version > HD_DUMP_VERSION || get32(head + 12) != HD_BLOCK_HEAD) {
		fprintf(stderr, "heddle: %s: format version %" PRIu32 "; expected %u to %u\n", d->path, version,
		        HD_DUMP_OLDEST, HD_DUMP_VERSION);
		return false;
	}
	d->ends = version >= HD_DUMP_ENDS;
	return true;
}

struct dump *dump_open(const char *path)
{
	struct dump *d = hd__xcalloc(1, sizeof *d);

	d->path = hd__xstrdup(path);
	d->texts = json_object();
	d->defs = json_object();
	d->codes = hd__xcalloc(1, sizeof *d->codes);
	d->codes->known = json_object();
	if (!open_file(d) || !known_version(d)) {
		dump_close(d);
		return NULL;
	}
	if (!read_blocks(d)) {
		fprintf(stderr, "heddle: %s: nothing can be read: %s\n", path,
		        d->damage ? d->damage : "its prologue is damaged");
		dump_close(d);
		return NULL;
	}
	return d;
}

void dump_close(struct dump *d)
{
	if (!d)
		return;
	for (uint32_t i = 0; i < d->ntables; i++)
		free(d->tables[i].fields);
	if (d->fd >= 0)
		close(d->fd);
	json_decref(d->meta);
	json_decref(d->end);
	json_decref(d->texts);
	json_decref(d->symbols);
	json_decref(d->defs);
	free(d->tables);
	free(d->instances);
	free(d->places);
	free(d->causes);
	free(d->counters);
	dump_codes_free(d->codes);
	free(d->kernels);
	for (size_t i = 0; i < DUMP_PARTS; i++)
		free(d->parts[i]);
	free(d->statistics);
	free(d->blocks);
	free(d->damage);
	free(d->path);
	free(d);
}
