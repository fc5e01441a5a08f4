/* dump_decode.h - shared by the files that read dumps
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef DUMP_DUMP_DECODE_H
#define DUMP_DUMP_DECODE_H

#include "base/xalloc.h"
#include "dump_read.h"

/* dump_damage.c: records the first damage found. */
__attribute__((format(printf, 2, 3))) void dump_damage(struct dump *d, const char *fmt, ...);
/* Reads n bytes of the file.  Returns false if it does not have them. */
bool dump_read_at(const struct dump *d, uint64_t offset, void *to, size_t n);
/* The payload, which the caller frees; NULL if it does not have the hash in the head. */
unsigned char *dump_payload(const struct dump *d, const struct dump_block *b);
/* A zstd frame that unpacks to at most `most` bytes; NULL if it is not one.  The caller frees the
 * result. */
char *dump_unpack(const unsigned char *p, size_t size, size_t most, size_t *n);
/* Limit of the text in a block of JSON. */
uint64_t dump_most_text(const struct dump_block *b);
/* end.c: as dump_statistics(), from block b; NULL if it is damaged. */
json_t *dump_read_end(const struct dump *d, const struct dump_block *b,
                      void (*row)(void *arg, const char *table, json_t *row), void *arg);

/* Fuzzers cannot guess hashes and frames: for them hashes are not checked, and bytes that are not a
 * frame are used as they are.  HD_FUZZ_WHOLE: the fuzzer makes whole files. */
#if defined(FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION) && !defined(HD_FUZZ_WHOLE)
#define DUMP_FUZZING true
#else
#define DUMP_FUZZING false
#endif

/* prologue_text.c: reads the text of a prologue into d->meta, its items and parts.  Returns false if it
 * is not JSON, or if an item is not as it should be, which is recorded as damage. */
bool dump_read_prologue(struct dump *d, const char *text, size_t n);
/* prologue_check.c: is it as docs/dump-format.md demands, once all is read; element i of the items of
 * that name?  Otherwise records that as damage. */
bool dump_check_meta(struct dump *d);
bool dump_check_item(struct dump *d, const char *name, size_t i, const json_t *o);
/* prologue.c: is the member an array of numbered items?  It begins: returns false if it did before, which
 * is recorded as damage.  Adds element i, which has been checked; the first array that is missing, or NULL. */
bool dump_has_items(const char *name);
bool dump_begin_items(struct dump *d, const char *name);
const char *dump_missing_items(const struct dump *d);
void dump_add_item(struct dump *d, const char *name, size_t i, const json_t *o);
/* prologue.c: keeps the text of the member.  Returns false if it is not one of those that are kept. */
bool dump_keep_part(struct dump *d, const char *name, const char *text, size_t n);
/* prologue.c: other names of the prologue, d->meta; one definition, of which what is needed is kept. */
void dump_read_meta(struct dump *d);
void dump_define(struct dump *d, json_t *o);

#endif
