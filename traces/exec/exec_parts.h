/* exec_parts.h - hands on the parts of a trace while it is being made (traces/trace_parts.h)
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TRACES_EXEC_EXEC_PARTS_H
#define TRACES_EXEC_EXEC_PARTS_H

#include "traces/trace_parts.h"

/* Bytes after which a part ends.  So much, in a file, is what a reader waits for at most before it begins. */
#define PART_BYTES (UINT64_C(8) << 20)
/* What may wait to be taken: the maker is as far ahead of the reader. */
#define PARTS_WAITING 64u
#define PARTS_WAITING_BYTES (2 * PART_BYTES)

struct exec_parts {
	int socket, folder;              /* where the files are made */
	uint64_t waiting[PARTS_WAITING]; /* bytes of those that were not taken yet, the oldest at .first */
	uint32_t first, n;
	uint64_t bytes;
};

/* Connects to the socket `name` in the folder.  Returns false after printing an error. */
bool hd__parts_connect(struct exec_parts *p, const char *folder, const char *name);
/* A file for the next part; NULL after printing an error. */
FILE *hd__parts_file(const struct exec_parts *p);
/* Hands on what was written, and closes the file.  Waits while too much was not taken.  Returns false if it cannot be
 * written, after printing an error, or if the reader has ended. */
bool hd__parts_put(struct exec_parts *p, FILE *f, bool first, bool last);
/* A message without a file.  Returns false if the reader has ended. */
bool hd__parts_say(const struct exec_parts *p, struct part_message m);
/* Asks how much time has been simulated when all before is over.  Returns false if the reader has ended. */
bool hd__parts_time(struct exec_parts *p, uint64_t *ns);
void hd__parts_close(struct exec_parts *p);

#endif
