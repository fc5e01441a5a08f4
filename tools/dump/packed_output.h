/* packed_output.h - packed outputs: NAME.zst, and NAME.fst for waveforms
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TOOLS_DUMP_PACKED_OUTPUT_H
#define TOOLS_DUMP_PACKED_OUTPUT_H

#include "writers.h"

/* Is it the name of a packed output?  The writer must have a stream. */
bool dump_packs(const struct dump_writer *w, const char *name);
/* Writes to the new file `path`, called `name` in messages.  Returns false after printing an error;
 * the file may exist then. */
bool dump_write_packed(struct dump *d, const struct dump_query *q, const struct dump_writer *w,
                       const char *name, const char *path);

#endif
