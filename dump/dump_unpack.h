/* dump_unpack.h - unpacks the text of a block piece by piece
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef DUMP_DUMP_UNPACK_H
#define DUMP_DUMP_UNPACK_H

#include "dump_decode.h"
#include "base/json_text.h"

struct dump_source;

/* The text in a block, for *t. */
struct dump_source *dump_source_open(const struct dump *d, const struct dump_block *b,
                                     struct hd_json_text *t);
/* Bytes of text so far. */
uint64_t dump_source_text(const struct dump_source *s);
/* Frees it.  Returns false if the block does not have its hash, of which nothing is unpacked then, is not
 * packed as it should be, or was not read to its end. */
bool dump_source_close(struct dump_source *s);

#endif
