/* trace_host.h - what readers of traces need of the program that they are in: messages, files, numbers of classes
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A simulation is one host, a program that only reads a trace another one.
 */
#ifndef TRACES_TRACE_HOST_H
#define TRACES_TRACE_HOST_H

#include "base/diag.h"

#include <heddle/gpu/inst.h>

struct trace_code;

struct trace_host {
	void *self;
	void (*say)(void *self, enum hd_severity severity, const char *fmt, va_list ap);
	/* Opens a file for reading, without waiting for the writer of a pipe.  -1 with the reason in *why; errno is
	 * ENOENT then if there is no such file. */
	int (*open)(void *self, const char *path, const char **why);
	/* Classes of units (hd_inst.cls) have numbers from 0. */
	uint32_t (*class_number)(void *self, const char *name);
	const char *(*class_name)(void *self, uint32_t number);
	uint32_t (*power_number)(void *self, const char *name); /* likewise power classes; NULL: they are not read */
	/* Called for each static instruction when it is met first; or NULL. */
	void (*met)(void *self, const struct trace_code *c, const struct hd_inst *inst);
};

/* Returns -1. */
int hd__trace_error(const struct trace_host *host, const char *fmt, ...) HD_PRINTF(2, 3);
void hd__trace_warn(const struct trace_host *host, const char *fmt, ...) HD_PRINTF(2, 3);

/* ---- files: whatever a command reads of a trace, its lists, listings and tables is opened here ---- */

enum trace_file_kind {
	TRACE_FILE_PIPE = 1,   /* it may be a pipe, since it is read once */
	TRACE_FILE_ABSENT = 2, /* it need not be there: -2 without a message */
};

#define TRACE_NO_FILE (-2)

/* Opens a file for reading; `kind`: what is allowed of enum trace_file_kind.  A descriptor; or -1 after a message: it
 * is not there, or a folder, a device, a pipe. */
int hd__trace_file(const struct trace_host *host, const char *path, int kind);
/* The content of the file, which is closed, and a NUL; NULL after a message: it has more than `most` bytes.  The caller
 * frees it. */
char *hd__trace_file_text(const struct trace_host *host, const char *path, int fd, size_t most, size_t *n);

/* ---- */

/* The host of a program that reads a trace for itself. */
struct trace_program_host {
	struct trace_host host;
	struct hd_diags *diags; /* gets the messages */
	char *class[64];
	uint32_t classes;
};

void hd__trace_host_init(struct trace_program_host *h, struct hd_diags *diags);
void hd__trace_host_free(struct trace_program_host *h);

#endif
