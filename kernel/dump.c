/* dump.c - the dump's file: blocks, the thread that writes them, the index at the end
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Blocks are handed to one other thread in order, so the bytes do not depend on who is faster.
 */
#include "dump.h"
#include "dump_table.h"
#include "xalloc.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#define WAITING 4u /* blocks that may wait for the other thread */

struct job {
	struct hd_rows *rows; /* or */
	char *text;           /* JSON */
	enum hd_block_kind kind;
};

struct hd_dump {
	char *path;
	int fd;
	struct hd_dump_table **tables;
	size_t ntables;
	json_t *defs;             /* not yet handed over */

	pthread_t thread;
	pthread_mutex_t lock;     /* of what follows */
	pthread_cond_t changed;
	struct job jobs[WAITING];
	unsigned first, njobs;
	bool done;

	/* the thread's own, until it has ended */
	struct hd_coder *coder;
	struct hd_bytes payload, index;
	uint64_t at;              /* bytes written */
	int error;                /* errno of the first failure */
};

/* ---- the writing thread ---- */

static void write_bytes(struct hd_dump *d, const void *v, size_t n)
{
	const unsigned char *p = v;

	while (n > 0 && !d->error) {
		ssize_t got = write(d->fd, p, n);

		if (got < 0) {
			d->error = errno == EINTR ? 0 : errno;
			continue;
		}
		p += got;
		n -= (size_t)got;
		d->at += (uint64_t)got;
	}
}

static unsigned char *append(struct hd_bytes *b, const void *v, size_t n)
{
	if (b->cap - b->n < n) {
		b->cap = 2 * b->cap + n;
		b->v = hd__xrealloc(b->v, b->cap);
	}
	memcpy(b->v + b->n, v, n);
	b->n += n;
	return b->v + b->n - n;
}

static void to_file_order(const struct hd_block_head *h, unsigned char out[HD_BLOCK_HEAD])
{
	const uint32_t small[] = { htole32(HD_BLOCK_MARK), htole32(h->kind), htole32(h->table),
		htole32(h->rows) };
	const uint64_t large[] = { htole64(h->bytes), htole64(h->first), htole64(h->last),
		htole64(h->keys), htole64(h->payload_hash) };
	uint64_t hash;

	memcpy(out, small, sizeof small);
	memcpy(out + sizeof small, large, sizeof large);
	hash = htole64(XXH64(out, HD_BLOCK_HEAD - sizeof hash, 0));
	memcpy(out + HD_BLOCK_HEAD - sizeof hash, &hash, sizeof hash);
}

/* Head and payload in one go, so that a killed run ends with a whole block as a rule. */
static void write_block(struct hd_dump *d, struct hd_block_head *h)
{
	uint64_t offset = htole64(d->at);
	unsigned char head[HD_BLOCK_HEAD];

	h->bytes = d->payload.n;
	h->payload_hash = XXH64(d->payload.v, d->payload.n, 0);
	to_file_order(h, head);
	append(&d->index, &offset, sizeof offset);
	append(&d->index, head, sizeof head);
	write_bytes(d, head, sizeof head);
	write_bytes(d, d->payload.v, d->payload.n);
}

static void write_text(struct hd_dump *d, enum hd_block_kind kind, const char *text)
{
	struct hd_block_head h = { .kind = kind };

	d->payload.n = 0;
	hd__compress(d->coder, &d->payload, text, strlen(text));
	write_block(d, &h);
}

static void write_rows(struct hd_dump *d, struct hd_rows *r)
{
	struct hd_block_head h = { .kind = HD_BLOCK_ROWS, .table = r->table->number,
		                   .rows = (uint32_t)hd__rows_count(r), .first = r->first,
		                   .last = r->last, .keys = r->keys };

	d->payload.n = 0;
	hd__rows_encode(r, d->coder, &d->payload);
	write_block(d, &h);
}

static void write_index(struct hd_dump *d)
{
	struct hd_block_head h = { .kind = HD_BLOCK_INDEX };
	uint64_t offset = htole64(d->at);
	unsigned char head[HD_BLOCK_HEAD];

	h.bytes = d->index.n;
	h.payload_hash = XXH64(d->index.v, d->index.n, 0);
	to_file_order(&h, head);
	write_bytes(d, head, sizeof head);
	write_bytes(d, d->index.v, d->index.n);
	write_bytes(d, &offset, sizeof offset);
	write_bytes(d, HD_DUMP_END, 8);
}

static void give_back(struct hd_rows *r)
{
	hd__rows_clear(r);
	r->next = r->table->spare;
	r->table->spare = r;
}

static void *work(void *arg)
{
	struct hd_dump *d = arg;

	pthread_mutex_lock(&d->lock);
	for (;;) {
		struct job j;

		while (d->njobs == 0 && !d->done)
			pthread_cond_wait(&d->changed, &d->lock);
		if (d->njobs == 0)
			break;
		j = d->jobs[d->first];
		pthread_mutex_unlock(&d->lock);
		if (j.rows)
			write_rows(d, j.rows);
		else
			write_text(d, j.kind, j.text);
		free(j.text);
		pthread_mutex_lock(&d->lock);
		if (j.rows)
			give_back(j.rows);
		d->first = (d->first + 1) % WAITING;
		d->njobs--;
		pthread_cond_broadcast(&d->changed);
	}
	pthread_mutex_unlock(&d->lock);
	return NULL;
}

/* ---- the simulation's side ---- */

static void hand_over(struct hd_dump *d, struct job j)
{
	pthread_mutex_lock(&d->lock);
	while (d->njobs == WAITING)
		pthread_cond_wait(&d->changed, &d->lock);
	d->jobs[(d->first + d->njobs++) % WAITING] = j;
	pthread_cond_broadcast(&d->changed);
	pthread_mutex_unlock(&d->lock);
}

static void hand_over_json(struct hd_dump *d, enum hd_block_kind kind, const json_t *j)
{
	char *text = json_dumps(j, JSON_COMPACT);

	hand_over(d, (struct job){ .text = hd__xcheck(text), .kind = kind });
}

static void flush_defs(struct hd_dump *d)
{
	if (json_array_size(d->defs) == 0)
		return;
	hand_over_json(d, HD_BLOCK_DEFS, d->defs);
	json_array_clear(d->defs);
}

void hd__dump_defs(struct hd_dump *d, json_t *defs)
{
	json_array_extend(d->defs, defs);
	json_array_clear(defs);
}

static struct hd_rows *new_rows(struct hd_dump_table *t)
{
	struct hd_rows *r = hd__xcalloc(1, sizeof *r);

	r->table = t;
	r->cols = hd__xcalloc(t->fields + HD_COL_FIELDS, sizeof *r->cols);
	hd__rows_clear(r);
	return r;
}

/* What numbers mean stands in front of the rows that use them. */
void hd__dump_full(struct hd_dump_table *t)
{
	struct hd_dump *d = t->dump;
	struct hd_rows *full = t->rows;

	if (hd__rows_count(full) == 0)
		return;
	flush_defs(d);
	hand_over(d, (struct job){ .rows = full });
	pthread_mutex_lock(&d->lock);
	t->rows = t->spare;
	if (t->rows)
		t->spare = t->rows->next;
	pthread_mutex_unlock(&d->lock);
	if (!t->rows)
		t->rows = new_rows(t);
}

struct hd_dump_table *hd__dump_table(struct hd_dump *d, uint32_t number, enum hd_table_kind kind,
                                     unsigned fields, int span, int key)
{
	struct hd_dump_table *t = hd__xcalloc(1, sizeof *t);

	*t = (struct hd_dump_table){ .dump = d, .number = number, .kind = kind, .fields = fields,
		                     .span = span, .key = key };
	t->rows = new_rows(t);
	d->tables = hd__xrealloc(d->tables, (d->ntables + 1) * sizeof *d->tables);
	d->tables[d->ntables++] = t;
	return t;
}

struct hd_dump *hd__dump_open(const char *path, const json_t *meta)
{
	const uint32_t version[] = { htole32(HD_DUMP_VERSION), htole32(HD_BLOCK_HEAD) };
	struct hd_dump *d;
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

	if (fd < 0) {
		fprintf(stderr, "heddle: %s: %s\n", path, strerror(errno));
		return NULL;
	}
	d = hd__xcalloc(1, sizeof *d);
	d->path = hd__xstrdup(path);
	d->fd = fd;
	d->defs = json_array();
	d->coder = hd__coder_new();
	write_bytes(d, HD_DUMP_MAGIC, 8);
	write_bytes(d, version, sizeof version);
	pthread_mutex_init(&d->lock, NULL);
	pthread_cond_init(&d->changed, NULL);
	if (pthread_create(&d->thread, NULL, work, d) != 0) {
		fputs("heddle: no thread could be started for the dump\n", stderr);
		exit(1);
	}
	hand_over_json(d, HD_BLOCK_META, meta);
	return d;
}

static void free_table(struct hd_dump_table *t)
{
	while (t->spare) {
		struct hd_rows *r = t->spare;

		t->spare = r->next;
		hd__rows_free(r);
	}
	hd__rows_free(t->rows);
	free(t->staged);
	free(t->lives);
	free(t->steps);
	free(t);
}

bool hd__dump_close(struct hd_dump *d, const json_t *end)
{
	int error;

	for (size_t i = 0; i < d->ntables; i++) {
		hd__table_settle(d->tables[i]);
		hd__dump_full(d->tables[i]);
	}
	flush_defs(d);
	hand_over_json(d, HD_BLOCK_END, end);
	pthread_mutex_lock(&d->lock);
	d->done = true;
	pthread_cond_broadcast(&d->changed);
	pthread_mutex_unlock(&d->lock);
	pthread_join(d->thread, NULL);
	write_index(d);
	if (close(d->fd) != 0 && !d->error)
		d->error = errno;
	error = d->error;
	if (error)
		fprintf(stderr, "heddle: %s: could not be written: %s\n", d->path, strerror(error));
	for (size_t i = 0; i < d->ntables; i++)
		free_table(d->tables[i]);
	pthread_mutex_destroy(&d->lock);
	pthread_cond_destroy(&d->changed);
	hd__coder_free(d->coder);
	json_decref(d->defs);
	free(d->tables);
	free(d->payload.v);
	free(d->index.v);
	free(d->path);
	free(d);
	return error == 0;
}
