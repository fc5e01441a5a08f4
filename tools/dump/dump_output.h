/* dump_output.h - output files that are complete or absent
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TOOLS_DUMP_DUMP_OUTPUT_H
#define TOOLS_DUMP_DUMP_OUTPUT_H

#include "writers.h"

/* Lets the writer write to the file or folder `path`, or to standard output if it is NULL or "-".
 * An existing file is replaced when everything is written, and kept after an error.  Returns the
 * exit status, after printing an error if it is not HD_EXIT_OK. */
int dump_output(struct dump *d, const struct dump_query *q, const struct dump_writer *w,
                const char *path);

#endif
