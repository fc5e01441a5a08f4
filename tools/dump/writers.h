/* writers.h - the formats that heddle dump converts to
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * One file for each format; to add one, write it and name it in writers.c.
 */
#ifndef TOOLS_DUMP_WRITERS_H
#define TOOLS_DUMP_WRITERS_H

#include "query.h"

struct dump_writer {
	const char *name, *doc;
	/* Writes what is asked for: to a stream, or to a file or flat folder of that name, which
	 * nobody else uses and which becomes what the user named when all is well.  false: it could
	 * not be written, said on stderr.  Errors of the stream itself are looked for by the caller,
	 * and so is damage of the dump: what can be read is written.
	 * If there are both, the stream is for one table (dump_query.table). */
	bool (*write)(struct dump *d, const struct dump_query *q, FILE *out);
	bool (*write_path)(struct dump *d, const struct dump_query *q, const char *path);
	bool binary; /* not for terminals */
};

extern const struct dump_writer dump_writers[]; /* ends with a NULL name */

#endif
