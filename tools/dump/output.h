/* output.h - files that are either there and whole, or not there
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TOOLS_DUMP_OUTPUT_H
#define TOOLS_DUMP_OUTPUT_H

#include "writers.h"

/* Lets the writer write to the file or folder `path`, or to standard output if it is NULL or "-".
 * What was there before is replaced when everything is written, and stays if something fails.
 * false: said why on stderr. */
bool dump_output(struct dump *d, const struct dump_query *q, const struct dump_writer *w,
                 const char *path);

#endif
