/* writers.h - the formats that heddle dump converts to
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * One file for each format; to add one, write it and name it in writers.c.
 */
#ifndef TOOLS_DUMP_WRITERS_H
#define TOOLS_DUMP_WRITERS_H

#include "dump/row_query.h"

struct dump_writer {
	const char *name, *doc;
	/* Writes the selected rows: to a stream, or to a new file or flat folder of that name,
	 * which is renamed to the output on success.  Returns false after printing an error.  The
	 * caller checks for errors of the stream itself and for damage of the dump: the readable
	 * part is written.  If there are both, the stream is for one table (dump_query.table). */
	bool (*write)(struct dump *d, const struct dump_query *q, FILE *out);
	bool (*write_path)(struct dump *d, const struct dump_query *q, const char *path);
	bool binary; /* not for terminals */
};

extern const struct dump_writer dump_writers[]; /* ends with a NULL name */

#endif
