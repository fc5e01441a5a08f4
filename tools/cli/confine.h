/* confine.h - confines the process to its inputs and outputs (--sandbox)
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TOOLS_CLI_CONFINE_H
#define TOOLS_CLI_CONFINE_H

#include <stdbool.h>
#include <stddef.h>

struct hd_confine {
	bool wanted;         /* else all of the functions do nothing */
	struct hd_allowed {
		char *path;
		bool write;
	} *v;
	size_t n;
};

/* Allows to read the file and what else is in its folder.  NULL is nothing. */
void hd__confine_read(struct hd_confine *c, const char *file);
/* Allows to write into the folder of the file, or into a device or pipe of this name.  NULL and "-"
 * are nothing. */
void hd__confine_write(struct hd_confine *c, const char *file);
/* Also allows what every command reads: netlists, plug-ins, libraries.  Frees the list.  Ends the
 * process with HD_EXIT_USAGE and an error if it cannot be confined.  No thread may run yet. */
void hd__confine(struct hd_confine *c);

/* Only calls of the system that a run needs are possible from now on.  NULL, or why that cannot be. */
const char *hd__confine_calls(void);

#define HD_CONFINE_DOC "read only the folders of the inputs and of heddle, write only those of the outputs, no " \
	"network; an error where the system cannot do that"

#endif
