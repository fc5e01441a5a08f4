/* formats.h - functions of the formats, for writers.c
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TOOLS_DUMP_FORMATS_H
#define TOOLS_DUMP_FORMATS_H

#include "writers.h"

bool dump_write_kanata(struct dump *d, const struct dump_query *q, FILE *out); /* kanata.c */
bool dump_write_perfetto(struct dump *d, const struct dump_query *q, FILE *out); /* perfetto.c */
bool dump_write_csv(struct dump *d, const struct dump_query *q, FILE *out); /* csv.c */
bool dump_write_csv_folder(struct dump *d, const struct dump_query *q, const char *folder);
bool dump_write_sqlite(struct dump *d, const struct dump_query *q, const char *path); /* sqlite.c */
bool dump_write_text(struct dump *d, const struct dump_query *q, FILE *out); /* text.c */
bool dump_write_vcd(struct dump *d, const struct dump_query *q, FILE *out); /* vcd.c */

#endif
