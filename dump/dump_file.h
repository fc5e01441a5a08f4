/* dump_file.h - the file of a recorded run, for viewers and queries
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The format, byte by byte, is in docs/dump-format.md.  Rows are collected in tables, column by
 * column; a full table becomes a block, which another thread encodes, compresses and writes.
 */
#ifndef DUMP_DUMP_FILE_H
#define DUMP_DUMP_FILE_H

#include "dump_format.h"
#include "base/bytes.h"
#include "base/json_write.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct hd_dump;
struct hd_dump_table;

/* The simulation's side: it appends to a log, memory of a kind of its own, from which another thread makes rows. */

/* Opens the file and begins it with the prologue that `meta` returns.  In the other thread `meta` is called once,
 * then `replay` with the logs passed to hd__dump_log(), in that order.  A log has `bytes` bytes.  Returns NULL after
 * printing an error. */
struct hd_dump *hd__dump_open(const char *path, json_t *(*meta)(void *arg),
                              void (*replay)(void *arg, const void *log), size_t bytes, void *arg);
/* Hands over a log, which may be NULL, and returns one that was handed over before, or zeroed memory. */
void *hd__dump_log(struct hd_dump *d, void *log);
/* The last block: an object, which the other thread makes; the elements of its arrays are made one at a time. */
struct hd_dump_end {
	json_t *(*object)(void *arg);
	void *arg;
	struct hd_json_rows rows;
};
/* Writes the remaining rows, `end`, and the index; takes the last log.  The file gets its name if
 * `keep`.  Returns false after printing a write error. */
bool hd__dump_close(struct hd_dump *d, void *log, const struct hd_dump_end *end, bool keep);

/* The other thread's side; any thread may call these before the first log. */

/* A field of a record: the byte from which eight are read, little-endian like dumps, and what of them. */
struct hd_dump_bits {
	uint32_t at;
	uint64_t bits;
};

/* What transactions are made of. */
struct hd_dump_record {
	size_t bytes;           /* of a record; eight more can be read */
	const struct hd_dump_bits *field;
	const uint32_t *shared; /* by place the one whose columns have its stays, known when the first one is added */
};

/* A table whose rows have `fields` fields.  span, key: number of that field, or -1.  record: of transactions, outlives
 * it; else NULL. */
struct hd_dump_table *hd__dump_table(struct hd_dump *d, uint32_t number, enum hd_table_kind kind,
                                     unsigned fields, int span, int key, const struct hd_dump_record *record);
/* Whose spans count what, by instance; outlives the table. */
void hd__dump_turns(struct hd_dump_table *t, const struct hd_rotation *turns);
/* Defines a number that later rows use; takes the reference. */
void hd__dump_def(struct hd_dump *d, json_t *def);

/* A field of a record of a transaction. */
static inline int64_t hd__dump_field(const struct hd_dump_bits *f, const void *record)
{
	uint64_t v;

	memcpy(&v, (const unsigned char *)record + f->at, sizeof v);
	return (int64_t)(v & f->bits);
}

#define HD_PLACE_ARG 0x80000000u /* in hd_step.place: arg is valid */

/* Copies the steps that count (dump_table.h) of n to `out`, which has room for n.  Returns how many. */
struct hd_stop {
	uint32_t at; /* cycles since the first */
	uint32_t place, arg;
};
uint32_t hd__dump_stops(const void *steps, uint32_t n, struct hd_stop *out);

/* ---- dump_encode.c ---- */

struct hd_coder; /* zstd state and scratch memory */
struct hd_coder *hd__coder_new(void);
void hd__coder_free(struct hd_coder *c);
/* Appends one column.  span: column whose values are subtracted from the differences; key: column in whose rows of the
 * same value those of this one may resemble each other.  Or NULL; they are fields of these numbers. */
struct hd_beside {
	const int64_t *span, *key;
	int span_field, key_field;
};
void hd__encode(struct hd_coder *c, struct hd_bytes *out, uint32_t column, const int64_t *v, size_t n,
                const struct hd_beside *beside);
/* Appends numbers that are plain ones already, `bytes` long. */
void hd__encode_packed(struct hd_coder *c, struct hd_bytes *out, uint32_t column, const unsigned char *v, size_t bytes,
                       size_t n);
/* Appends a zstd frame. */
void hd__compress(struct hd_coder *c, struct hd_bytes *out, const void *data, size_t n);

#endif
