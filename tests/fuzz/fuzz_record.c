/* fuzz_record.c - dumps that are whole, with other contents: numbers, columns, blocks, declarations
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A libFuzzer target with -DHD_LIBFUZZER, else a program that reads the files it is given.  The bytes of the
 * input choose changes to what tests/dump/versions/3.hdump contains, unpacked; then it is written again,
 * with the lengths, hashes and index that belong to it.  So the changes meet the code behind the checks,
 * which fuzz_dump leaves out, and lengths that change leave the rest where it is.
 * Needs the folder of the source in the environment: srcdir=.. tests/fuzz/fuzz_record.
 */
#include "base/json_read.h"
#include "read_dump.h"

#include <xxhash.h>
#include <zstd.h>

#define MOST_CHANGES 16u
#define MOST_COLUMNS 512u
#define MOST_BLOCKS 64u

struct input {
	const uint8_t *data;
	size_t left;
};

static unsigned take(struct input *in, unsigned n)
{
	unsigned v = 0;

	for (unsigned i = 0; i < 2 && in->left; i++, in->left--)
		v = v << 8 | *in->data++;
	return n ? v % n : 0;
}

static uint64_t take_number(struct input *in)
{
	static const uint64_t odd[] = { UINT64_MAX, UINT64_C(1) << 63, UINT32_MAX, UINT64_C(1) << 31, 1u << 24,
		UINT64_MAX - 1 };
	unsigned v = take(in, 65536);

	return v < 65536 - 8192 ? v % 1024 : odd[v % (sizeof odd / sizeof *odd)];
}

/* ---- a dump, unpacked ----------------------------------------------------------------------- */

struct column {
	uint64_t id, n;
	unsigned encoding;
	uint64_t *v; /* as they stand in the file */
	size_t nv;
};

struct block {
	struct hd_block_head head;
	json_t *json; /* or columns */
	struct column *column;
	size_t columns;
};

struct content {
	struct block v[MOST_BLOCKS];
	size_t n;
};

static uint64_t number(const unsigned char **p, const unsigned char *end)
{
	uint64_t v = 0;
	unsigned shift = 0;

	do {
		fuzz_must(*p < end && shift < 64, "the dump that is changed", "a number");
		v |= (uint64_t)(**p & 0x7f) << shift;
		shift += 7;
	} while (*(*p)++ & 0x80);
	return v;
}

/* The bytes of a zstd frame, or these bytes; the caller frees them. */
static unsigned char *unpacked(const unsigned char *p, size_t size, size_t *n)
{
	unsigned long long plain = ZSTD_getFrameContentSize(p, size);
	bool frame = plain != ZSTD_CONTENTSIZE_ERROR && plain != ZSTD_CONTENTSIZE_UNKNOWN;
	unsigned char *out = hd__xcalloc((frame ? plain : size) + 1, 1);

	*n = frame ? ZSTD_decompress(out, plain, p, size) : size;
	fuzz_must(!ZSTD_isError(*n), "the dump that is changed", "a frame");
	if (!frame)
		memcpy(out, p, size);
	return out;
}

static void read_column(struct column *c, const unsigned char **p, const unsigned char *end)
{
	unsigned encoding;
	size_t stored, n;
	unsigned char *bytes;
	const unsigned char *at;

	c->id = number(p, end);
	encoding = *(*p)++;
	c->n = number(p, end);
	if (encoding & HD_ENC_ZSTD)
		number(p, end); /* bytes of the frame's content */
	stored = number(p, end);
	c->encoding = encoding & ~(unsigned)HD_ENC_ZSTD;
	if (encoding & HD_ENC_ZSTD) {
		bytes = unpacked(*p, stored, &n);
	} else {
		n = stored;
		bytes = hd__xcalloc(n + 1, 1);
		memcpy(bytes, *p, n);
	}
	*p += stored;
	c->v = hd__xcalloc(n + 1, sizeof *c->v); /* each has a byte at least */
	for (at = bytes; at < bytes + n;)
		c->v[c->nv++] = number(&at, bytes + n);
	free(bytes);
}

static void read_block(struct content *c, const unsigned char *p)
{
	struct block *b = &c->v[c->n++];
	const unsigned char *end;
	size_t n;

	memcpy(&b->head, p, sizeof b->head); /* the machine of the fuzzer is little-endian */
	p += HD_BLOCK_HEAD;
	end = p + b->head.bytes;
	if (b->head.kind != HD_BLOCK_ROWS) {
		unsigned char *text = unpacked(p, b->head.bytes, &n);

		b->json = json_loadb((char *)text, n, JSON_ALLOW_NUL, NULL);
		fuzz_must(b->json != NULL, "the dump that is changed", "JSON");
		free(text);
		return;
	}
	b->column = hd__xcalloc(MOST_COLUMNS, sizeof *b->column);
	while (p < end)
		read_column(&b->column[b->columns++], &p, end);
}

static struct content *read_content(const unsigned char *all, size_t size)
{
	struct content *c = hd__xcalloc(1, sizeof *c);
	struct hd_block_head h;

	for (size_t at = 16; at + HD_BLOCK_HEAD <= size; at += HD_BLOCK_HEAD + h.bytes) {
		memcpy(&h, all + at, sizeof h);
		if (h.kind == HD_BLOCK_INDEX)
			break;
		read_block(c, all + at);
	}
	return c;
}

static void free_block(struct block *b)
{
	json_decref(b->json);
	for (size_t i = 0; i < b->columns; i++)
		free(b->column[i].v);
	free(b->column);
}

/* ---- written again -------------------------------------------------------------------------- */

static void put_number(FILE *f, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		putc((int)(v & 0x7f) | 0x80, f);
	putc((int)v, f);
}

static void put_column(FILE *f, const struct column *c)
{
	char *bytes;
	size_t n;
	FILE *numbers = hd__xcheck(open_memstream(&bytes, &n));

	for (size_t i = 0; i < c->nv; i++)
		put_number(numbers, c->v[i]);
	fclose(numbers);
	put_number(f, c->id);
	putc((int)c->encoding, f);
	put_number(f, c->n);
	put_number(f, n);
	fwrite(bytes, 1, n, f);
	free(bytes);
}

static void put_json(FILE *f, const json_t *j)
{
	char *text = json_dumps(j, JSON_COMPACT | JSON_ENCODE_ANY);
	size_t n = text ? strlen(text) : 0, room = ZSTD_compressBound(n);
	void *frame = hd__xcalloc(room, 1);

	fuzz_must(text != NULL, "JSON that cannot be written", "");
	fwrite(frame, 1, ZSTD_compress(frame, room, text, n, 1), f);
	free(frame);
	free(text);
}

/* Head and payload; the head is completed. */
static void put_block(FILE *f, struct hd_block_head *h, const void *payload, size_t n)
{
	h->mark = HD_BLOCK_MARK;
	h->bytes = n;
	h->payload_hash = XXH64(payload, n, 0);
	h->head_hash = XXH64(h, HD_BLOCK_HEAD - 8, 0);
	fwrite(h, HD_BLOCK_HEAD, 1, f);
	fwrite(payload, 1, n, f);
}

static void put_content(FILE *f, struct content *c)
{
	const uint32_t start[] = { HD_DUMP_VERSION, HD_BLOCK_HEAD };
	struct hd_block_head index = { .kind = HD_BLOCK_INDEX };
	char *heads, *payload;
	size_t nheads, n;
	FILE *all = hd__xcheck(open_memstream(&heads, &nheads));
	uint64_t at;

	fwrite(HD_DUMP_MAGIC, 8, 1, f);
	fwrite(start, sizeof start, 1, f);
	for (size_t i = 0; i < c->n; i++) {
		struct block *b = &c->v[i];
		FILE *to = hd__xcheck(open_memstream(&payload, &n));

		at = (uint64_t)ftell(f);
		fwrite(&at, sizeof at, 1, all);
		if (b->json)
			put_json(to, b->json);
		for (size_t k = 0; k < b->columns; k++)
			put_column(to, &b->column[k]);
		fclose(to);
		put_block(f, &b->head, payload, n);
		fwrite(&b->head, HD_BLOCK_HEAD, 1, all);
		free(payload);
	}
	fclose(all);
	at = (uint64_t)ftell(f);
	put_block(f, &index, heads, nheads);
	fwrite(&at, sizeof at, 1, f);
	fwrite(HD_DUMP_END, 8, 1, f);
	free(heads);
}

/* ---- changes -------------------------------------------------------------------------------- */

/* A member of an object, or an element of an array. */
struct place {
	json_t *in, *v; /* in NULL: there is none */
	const char *key;
	size_t i;
};

static void go_down(struct place *p, size_t i)
{
	void *at;

	p->in = p->v;
	p->i = i;
	if (json_is_array(p->in)) {
		p->v = json_array_get(p->in, i);
		return;
	}
	at = json_object_iter(p->in);
	for (size_t k = 0; k < i; k++)
		at = json_object_iter_next(p->in, at);
	p->key = json_object_iter_key(at);
	p->v = json_object_iter_value(at);
}

static struct place choose(struct input *in, json_t *root)
{
	struct place p = { .v = root };

	for (unsigned depth = 0; depth < 8 && (depth == 0 || take(in, 4)); depth++) {
		size_t n = json_is_object(p.v) ? json_object_size(p.v) : json_array_size(p.v);

		if (n == 0)
			break;
		go_down(&p, take(in, (unsigned)n));
	}
	return p;
}

static void change_json(struct input *in, json_t *root)
{
	static const char *const values[] = { "0", "-1", "1", "9223372036854775807", "1e300", "\"\"", "[]", "{}",
		"null", "true", "\"a\"", "\"a.b[0]\"", "4294967295", "[0]", "[[]]", "64" };
	struct place p = choose(in, root);
	const char *value = values[take(in, sizeof values / sizeof *values)];
	unsigned how = take(in, 4);

	if (how == 0 && json_is_array(p.in))
		json_array_insert_new(p.in, p.i, json_deep_copy(p.v));
	else if (how == 1 && json_is_array(p.in))
		json_array_remove(p.in, p.i);
	else if (how == 1 && p.in)
		json_object_del(p.in, p.key);
	else if (json_is_array(p.in))
		json_array_set_new(p.in, p.i, json_loads(value, JSON_DECODE_ANY, NULL));
	else if (p.in)
		json_object_set_new(p.in, p.key, json_loads(value, JSON_DECODE_ANY, NULL));
}

static void change_column(struct input *in, struct column *c)
{
	switch (take(in, 8)) {
	case 0: c->n = take_number(in); break;
	case 1: c->encoding = take(in, 6); break;
	case 2: c->id = take(in, 200); break;
	case 3: c->nv = c->nv ? take(in, (unsigned)c->nv) : 0; break;
	default:
		if (c->nv)
			c->v[take(in, (unsigned)c->nv)] = take_number(in);
	}
}

static void change_rows(struct input *in, struct block *b)
{
	unsigned i = take(in, (unsigned)b->columns);

	if (b->columns == 0)
		return;
	switch (take(in, 12)) {
	case 0: b->head.table = take(in, 40); break;
	case 1: b->head.rows = (uint32_t)take_number(in); break;
	case 2: b->head.first = take_number(in); break;
	case 3: b->head.last = take_number(in); break;
	case 4: b->head.keys = take_number(in); break;
	case 5:
		free(b->column[i].v);
		b->column[i] = b->column[--b->columns];
		break;
	default: change_column(in, &b->column[i]);
	}
}

static void change(struct input *in, struct content *c)
{
	unsigned i = take(in, (unsigned)c->n);
	struct block *b = &c->v[i], other;

	if (c->n == 0)
		return;
	switch (take(in, 32)) {
	case 0:
		free_block(b);
		memmove(b, b + 1, (c->n - i - 1) * sizeof *b);
		c->n--;
		break;
	case 1:
		other = c->v[0];
		c->v[0] = *b;
		*b = other;
		break;
	case 2: b->head.kind = take(in, 8); break;
	default:
		if (b->json)
			change_json(in, b->json);
		else
			change_rows(in, b);
	}
}

/* ---- the harness ---------------------------------------------------------------------------- */

static unsigned char *seed(size_t *size)
{
	static char *bytes;
	static size_t n;

	if (!bytes) {
		char *path = fuzz_source("tests/dump/versions", "3.hdump");

		bytes = hd__read_file(path, &n);
		fuzz_must(bytes != NULL, "not found: is srcdir set?", path);
		free(path);
	}
	*size = n;
	return (unsigned char *)bytes;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	size_t n;
	unsigned char *all = seed(&n);
	struct content *c = read_content(all, n);
	char *bytes, *path;
	FILE *f = hd__xcheck(open_memstream(&bytes, &n));
	struct dump *d;
	int fd;

	for (unsigned i = 0; i < MOST_CHANGES && in.left > 1; i++)
		change(&in, c);
	put_content(f, c);
	fclose(f);
	path = fuzz_file(bytes, n, &fd);
	d = dump_open(path);
	if (d)
		fuzz_use_dump(d, size ? data[size - 1] : 0);
	fuzz_must(size > 0 || (d && !d->damage), "what is not changed is damaged", d && d->damage ? d->damage : "");
	dump_close(d);
	for (size_t i = 0; i < c->n; i++)
		free_block(&c->v[i]);
	free(c);
	free(path);
	free(bytes);
	close(fd);
	return 0;
}

#include "files.h"
