/* writers.h - the formats that heddle dump converts to
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * One file for each format; to add one, write it and name it in writers.c.
 */
#ifndef TOOLS_DUMP_WRITERS_H
#define TOOLS_DUMP_WRITERS_H

#include "base/output.h"
#include "dump/row_query.h"

struct dump_writer {
	const char *name, *doc;
	/* Writes the selected rows: to a stream, or to a new file or flat folder of the name in *o,
	 * which is renamed to the output on success.  Returns false after printing an error.  The
	 * caller checks for errors of the stream itself and for damage of the dump: the readable
	 * part is written.  If there are both, the stream is for one table (dump_query.table). */
	bool (*write)(struct dump *d, const struct dump_query *q, FILE *out);
	bool (*write_path)(struct dump *d, const struct dump_query *q, struct hd_output *o);
	bool binary; /* not for terminals */
};

extern const struct dump_writer dump_writers[]; /* ends with a NULL name */

/* ---- the formats ---- */

bool dump_write_kanata(struct dump *d, const struct dump_query *q, FILE *out); /* kanata.c */
bool dump_write_perfetto(struct dump *d, const struct dump_query *q, FILE *out); /* perfetto.c */
bool dump_write_csv(struct dump *d, const struct dump_query *q, FILE *out); /* csv.c */
bool dump_write_csv_folder(struct dump *d, const struct dump_query *q, struct hd_output *folder);
bool dump_write_sqlite(struct dump *d, const struct dump_query *q, struct hd_output *o); /* sqlite.c */
bool dump_write_text(struct dump *d, const struct dump_query *q, FILE *out); /* dump_text.c */
bool dump_write_vcd(struct dump *d, const struct dump_query *q, FILE *out); /* vcd.c */

/* ---- for reading: all have the form of dump_writer.write ---- */

bool dump_info(struct dump *d, const struct dump_query *q, FILE *out); /* dump_info.c */
bool dump_list(struct dump *d, const struct dump_query *q, FILE *out); /* dump_list.c */
bool dump_pipeline(struct dump *d, const struct dump_query *q, FILE *out); /* pipeline.c */
bool dump_print_stalls(struct dump *d, const struct dump_query *q, FILE *out); /* dump_stalls.c */

/* Adds members "reasons" and "causes" to the statistics of a run, or the row of the kernel that has that number in the
 * dump, as heddle run --reasons counts them.  0: of a run.  Returns false after printing that the dump has no issue
 * slots. */
bool dump_count_stalls(struct dump *d, uint32_t kernel, json_t *statistics);

/* ---- dump_output.c ---- */

/* Lets the writer write to the file or folder `path`, or to standard output if it is NULL or "-".
 * An existing file is replaced when everything is written, and kept after an error.  Returns the
 * exit status, after printing an error if it is not HD_EXIT_OK. */
int dump_output(struct dump *d, const struct dump_query *q, const struct dump_writer *w,
                const char *path);

#endif
