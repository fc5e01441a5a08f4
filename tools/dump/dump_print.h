/* dump_print.h - output of heddle dump for reading
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TOOLS_DUMP_DUMP_PRINT_H
#define TOOLS_DUMP_DUMP_PRINT_H

#include "writers.h"

/* All have the form of dump_writer.write. */
bool dump_info(struct dump *d, const struct dump_query *q, FILE *out); /* info.c */
bool dump_list(struct dump *d, const struct dump_query *q, FILE *out); /* list.c */
bool dump_pipeline(struct dump *d, const struct dump_query *q, FILE *out); /* pipeline.c */
bool dump_print_stalls(struct dump *d, const struct dump_query *q, FILE *out); /* stalls_print.c */

#endif
