/* exec_launches.h - launches that are described in words, for commands and tests: docs/cuda.md
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TRACES_EXEC_EXEC_LAUNCHES_H
#define TRACES_EXEC_EXEC_LAUNCHES_H

#include "exec.h"

#include <jansson.h>

struct exec_launches {
	const char *
		file; /* of the description, for messages and for names that are relative to it; NULL: there is none */
	json_t *description; /* "cubin", "buffers", "launches"; or NULL: it is in the file */
	const char *output; /* the trace; NULL: none */
	bool text;
	uint32_t sm;          /* which cubin of a fatbin; 0: the latest */
	struct hd_exec_options options;
	const char *findings; /* a file for what is found if the options look for faults; NULL: none */
	bool verbose;         /* a line for each launch */
};

/* Executes the launches and records them.  Returns an exit status after printing all messages. */
int hd__exec_launches(const struct exec_launches *l);

#endif
