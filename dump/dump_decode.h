/* dump_decode.h - shared by the files that read dumps
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef DUMP_DUMP_DECODE_H
#define DUMP_DUMP_DECODE_H

#include "base/json_read.h"
#include "base/xalloc.h"
#include "dump_read.h"

/* Fuzzers cannot guess hashes and frames: for them hashes are not checked, and bytes that are not a
 * frame are used as they are.  HD_FUZZ_WHOLE: the fuzzer makes whole files. */
#if defined(FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION) && !defined(HD_FUZZ_WHOLE)
#define DUMP_FUZZING true
#else
#define DUMP_FUZZING false
#endif

/* ---- dump_source.c ---- */

/* Records the first damage found. */
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
struct dump_source;

/* The text in a block, for *t. */
struct dump_source *dump_source_open(const struct dump *d, const struct dump_block *b,
                                     struct hd_json_text *t);
/* Bytes of text so far. */
uint64_t dump_source_text(const struct dump_source *s);
/* Frees it.  Returns false if the block does not have its hash, of which nothing is unpacked then, is not
 * packed as it should be, or was not read to its end. */
bool dump_source_close(struct dump_source *s);

/* ---- prologue.c ---- */

/* Reads the text of a prologue: what numbers in the dump stand for.  Returns false if it is not JSON, or not as
 * docs/dump-format.md demands, which is recorded as damage. */
bool dump_read_prologue(struct dump *d, const char *text, size_t n);
/* Reads one definition of a later block, of which what is needed is kept. */
void dump_define(struct dump *d, json_t *o);

#endif
