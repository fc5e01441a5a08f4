/* dump_file.c - the dump's file: blocks, the thread that writes them, the index at the end
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * One other thread writes everything in the order of the log, so the bytes do not depend on the
 * speed of either thread.
 */
#include "dump_file.h"
#include "dump_table.h"
#include "base/exit.h"
#include "base/output.h"
#include "base/xalloc.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>
#include <xxhash.h>

#define LOGS 16u /* most full logs at a time: while a block or the prologue is written more than eight come */
#define FEW 2u   /* with fewer the other thread is not woken: that takes longer than reading one */
#define PIECE (256u << 10) /* bytes of text that are packed together */

struct hd_dump {
	struct hd_output output;
	int fd;
	json_t *(*meta)(void *arg);
	void (*replay)(void *arg, const void *log);
	size_t log_bytes;
	void *arg;

	pthread_t thread;
	pthread_mutex_t lock;     /* of the members below */
	pthread_cond_t changed;
	void *logs[LOGS], *spare[LOGS];
	unsigned first, nlogs, nspare, given; /* given: logs allocated */
	bool done;

	/* owned by the thread, until it has ended */
	const struct hd_dump_end *end; /* set before `done` */
	struct hd_dump_table **tables;
	size_t ntables;
	json_t *defs;             /* not yet written */
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

/* Writes head and payload at once, so that a killed run usually ends with a complete block. */
static void write_block(struct hd_dump *d, struct hd_block_head *h)
{
	uint64_t offset = htole64(d->at);
	unsigned char head[HD_BLOCK_HEAD];

	h->bytes = d->payload.n;
	h->payload_hash = XXH64(d->payload.v, d->payload.n, 0);
	to_file_order(h, head);
	hd__bytes_append(&d->index, &offset, sizeof offset);
	hd__bytes_append(&d->index, head, sizeof head);
	write_bytes(d, head, sizeof head);
	write_bytes(d, d->payload.v, d->payload.n);
}

static int append_text(const char *v, size_t n, void *text)
{
	hd__bytes_append(text, v, n);
	return 0;
}

static void write_json(struct hd_dump *d, enum hd_block_kind kind, const json_t *j)
{
	struct hd_block_head h = { .kind = kind };
	struct hd_bytes text = { 0 };

	hd__xcheck(json_dump_callback(j, append_text, &text, JSON_COMPACT) == 0 ? &text : NULL);
	d->payload.n = 0;
	hd__compress(d->coder, &d->payload, text.v, text.n);
	write_block(d, &h);
	free(text.v);
}

/* Text on its way into the payload, a piece at a time: each piece is a frame. */
struct text {
	struct hd_dump *d;
	struct hd_bytes piece;
};

static int add_text(const char *v, size_t n, void *arg)
{
	struct text *t = arg;

	hd__bytes_append(&t->piece, v, n);
	if (t->piece.n >= PIECE) {
		hd__compress(t->d->coder, &t->d->payload, t->piece.v, t->piece.n);
		t->piece.n = 0;
	}
	return 0;
}

/* The rows of statistics are many and long, so all of them never exist at a time. */
static void write_last(struct hd_dump *d)
{
	struct hd_block_head h = { .kind = HD_BLOCK_END };
	struct text t = { .d = d };
	json_t *object = d->end->object(d->end->arg);

	d->payload.n = 0;
	hd__xcheck(hd__json_rows_dump(object, &d->end->rows, JSON_COMPACT, add_text, &t) ? &t : NULL);
	json_decref(object);
	hd__compress(d->coder, &d->payload, t.piece.v, t.piece.n);
	free(t.piece.v);
	write_block(d, &h);
}

/* Definitions of numbers precede the rows that use them. */
static void write_defs(struct hd_dump *d)
{
	if (json_array_size(d->defs) == 0)
		return;
	write_json(d, HD_BLOCK_DEFS, d->defs);
	json_array_clear(d->defs);
}

void hd__dump_def(struct hd_dump *d, json_t *def)
{
	json_array_append_new(d->defs, def);
}

static void write_rows(struct hd_dump_table *t)
{
	struct hd_rows *r = &t->rows;
	struct hd_block_head h = { .kind = HD_BLOCK_ROWS, .table = t->number, .rows = (uint32_t)r->n };
	struct hd_dump *d = t->dump;

	if (h.rows == 0)
		return;
	write_defs(d);
	d->payload.n = 0;
	hd__rows_encode(t, d->coder, &d->payload);
	h.first = r->first;
	h.last = r->last;
	h.keys = r->keys;
	write_block(d, &h);
	hd__rows_clear(t);
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

static void write_beginning(struct hd_dump *d)
{
	const uint32_t version[] = { htole32(HD_DUMP_VERSION), htole32(HD_BLOCK_HEAD) };
	json_t *meta = d->meta(d->arg);

	write_bytes(d, HD_DUMP_MAGIC, 8);
	write_bytes(d, version, sizeof version);
	write_json(d, HD_BLOCK_META, meta);
	json_decref(meta);
}

static void write_end(struct hd_dump *d)
{
	for (size_t i = 0; i < d->ntables; i++) {
		hd__table_settle(d->tables[i]);
		write_rows(d->tables[i]);
	}
	write_defs(d);
	write_last(d);
	write_index(d);
}

static void *work(void *arg)
{
	struct hd_dump *d = arg;
	sigset_t all;

	/* they are for the simulation; and if the reader of a pipe closes it, the dump fails, but the run goes on */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	write_beginning(d);
	pthread_mutex_lock(&d->lock);
	for (;;) {
		void *log;

		while (d->nlogs == 0 && !d->done) {
			do
				pthread_cond_wait(&d->changed, &d->lock);
			while (d->nlogs < FEW && !d->done);
		}
		if (d->nlogs == 0)
			break;
		log = d->logs[d->first];
		pthread_mutex_unlock(&d->lock);
		d->replay(d->arg, log);
		pthread_mutex_lock(&d->lock);
		d->spare[d->nspare++] = log;
		d->first = (d->first + 1) % LOGS;
		d->nlogs--;
		pthread_cond_broadcast(&d->changed);
	}
	pthread_mutex_unlock(&d->lock);
	write_end(d);
	for (size_t i = 0; i < d->ntables; i++)
		hd__table_free(d->tables[i]);
	return NULL;
}

/* ---- the simulation's side ---- */

void *hd__dump_log(struct hd_dump *d, void *log)
{
	pthread_mutex_lock(&d->lock);
	if (log) {
		d->logs[(d->first + d->nlogs++) % LOGS] = log;
		if (d->nlogs == FEW)
			pthread_cond_broadcast(&d->changed);
	}
	while (d->nspare == 0 && d->given == LOGS)
		pthread_cond_wait(&d->changed, &d->lock);
	log = d->nspare ? d->spare[--d->nspare] : NULL;
	pthread_mutex_unlock(&d->lock);
	if (!log) {
		log = hd__xpages(d->log_bytes);
		d->given++;
	}
	return log;
}

struct hd_dump_table *hd__dump_table(struct hd_dump *d, uint32_t number, enum hd_table_kind kind,
                                     unsigned fields, int span, int key, const struct hd_dump_record *record)
{
	struct hd_dump_table *t = hd__xcalloc(1, sizeof *t);

	*t = (struct hd_dump_table){ .dump = d, .full = write_rows, .number = number,
		                     .kind = kind, .fields = fields, .span = span, .key = key, .record = record,
		                     .rows.shared = record ? record->shared : NULL };
	hd__rows_open(t);
	d->tables = hd__xappend(d->tables, d->ntables, sizeof *d->tables);
	d->tables[d->ntables++] = t;
	return t;
}

void hd__dump_turns(struct hd_dump_table *t, const struct hd_rotation *turns)
{
	t->turns = turns;
}

struct hd_dump *hd__dump_open(const char *path, json_t *(*meta)(void *arg),
                              void (*replay)(void *arg, const void *log), size_t bytes, void *arg)
{
	struct hd_dump *d = hd__xcalloc(1, sizeof *d);
	int fd = -1;

	if (hd__output_name(&d->output, path, "the dump") == HD_EXIT_OK) {
		bool folder = hd__output_is_folder(&d->output);

		if (!folder)
			fd = hd__output_fd(&d->output);
		if (fd < 0)
			hd__output_close(&d->output, false);
	}
	if (fd < 0) {
		free(d);
		return NULL;
	}
	d->fd = fd;
	d->replay = replay;
	d->log_bytes = bytes;
	d->arg = arg;
	d->defs = json_array();
	d->coder = hd__coder_new();
	d->meta = meta;
	pthread_mutex_init(&d->lock, NULL);
	pthread_cond_init(&d->changed, NULL);
	if (pthread_create(&d->thread, NULL, work, d) != 0) {
		fputs("heddle: no thread could be started for the dump\n", stderr);
		exit(1);
	}
	return d;
}

static void join(struct hd_dump *d)
{
	pthread_mutex_lock(&d->lock);
	d->done = true;
	pthread_cond_broadcast(&d->changed);
	pthread_mutex_unlock(&d->lock);
	pthread_join(d->thread, NULL);
	pthread_mutex_destroy(&d->lock);
	pthread_cond_destroy(&d->changed);
}

bool hd__dump_close(struct hd_dump *d, void *log, const struct hd_dump_end *end, bool keep)
{
	void *last = hd__dump_log(d, log);
	int error;

	d->end = end;
	join(d);
	hd__free_pages(last, d->log_bytes); /* not before: others may have blocks of it */
	while (d->nspare > 0)
		hd__free_pages(d->spare[--d->nspare], d->log_bytes);
	if (close(d->fd) != 0 && !d->error)
		d->error = errno;
	error = d->error;
	if (error)
		fprintf(stderr, "heddle: %s: could not be written: %s\n", d->output.path, strerror(error));
	if (!hd__output_close(&d->output, keep && !error) && keep && !error)
		error = EIO;
	hd__coder_free(d->coder);
	json_decref(d->defs);
	free(d->tables);
	free(d->payload.v);
	free(d->index.v);
	free(d);
	return error == 0;
}
