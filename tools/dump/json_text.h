/* json_text.h - reads JSON value by value, from text of which only a part need be in memory
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TOOLS_DUMP_JSON_TEXT_H
#define TOOLS_DUMP_JSON_TEXT_H

#include "decode.h"

struct dump_source;

struct dump_text {
	const char *p, *end;        /* not read yet */
	struct dump_source *source; /* of what follows; NULL: nothing does */
};

/* Is c the next character that is not a blank?  Then it is read. */
bool dump_text_comes(struct dump_text *t, char c);
/* Reads the next value, which the caller owns; NULL: there is none. */
json_t *dump_text_value(struct dump_text *t);
/* Is there nothing left but blanks? */
bool dump_text_over(struct dump_text *t);

/* unpack.c: the text in a block, unpacked piece by piece; *t is for the functions above. */
struct dump_source *dump_source_open(const struct dump *d, const struct dump_block *b,
                                     struct dump_text *t);
/* Adds text behind what is not read yet.  Returns false if there is no more. */
bool dump_source_more(struct dump_source *s, struct dump_text *t);
/* Bytes of text so far. */
uint64_t dump_source_text(const struct dump_source *s);
/* Frees it.  Returns false if the block does not have its hash, of which nothing is unpacked then, is not
 * packed as it should be, or was not read to its end. */
bool dump_source_close(struct dump_source *s);

#endif
