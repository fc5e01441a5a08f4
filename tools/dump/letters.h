/* letters.h - a letter for each place of a dump, for pictures with one column a cycle
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Instances have capitals, the channels in front of them the same letter small.  The instances that
 * execute share E, unless dump_query.units is set.  Marks are waits, in small letters, except in instances that
 * execute.  All letters come from the names in the dump, and are the same for every selection of its rows.
 */
#ifndef TOOLS_DUMP_LETTERS_H
#define TOOLS_DUMP_LETTERS_H

#include "dump/row_query.h"

#define DUMP_LETTERS 128u /* they are below this; '?' stands for all places that found none */

struct dump_letters {
	char *at;    /* by place */
	char *begin; /* by place: of a mark at which transactions begin, the letter of its instance */
};

/* For pictures of the tables of transactions that are wanted.  Reads the first block of each, which
 * shows where they begin. */
struct dump_letters *dump_letters_new(struct dump *d, const struct dump_query *q);
void dump_letters_free(struct dump_letters *l);

#endif
