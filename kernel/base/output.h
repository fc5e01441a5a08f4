/* output.h - files that are written whole or not at all, and never over what is read
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * An output is written under another name in the same folder and renamed when it is complete; what
 * was there before stays until then.  A device, a pipe, standard output and what lies in /dev or
 * /proc are written in place.
 */
#ifndef KERNEL_BASE_OUTPUT_H
#define KERNEL_BASE_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

struct hd_output {
	FILE *f;          /* where to write; NULL if only the name was asked for */
	char *name;       /* what to write: another name, or the file itself if it is not regular */
	char *path;       /* as given */
	char *target;     /* where `path` leads, links followed; NULL: written in place */
	const char *label; /* for messages: the option that names it */
	dev_t device;     /* of the file that is replaced, */
	ino_t inode;      /* 0: there is none */
	mode_t mode;
	bool is_input;    /* it was read since: it is not replaced */
	struct hd_output *next;
};

/* Chooses the name to write, and makes nothing of that name: it may become a file or a folder.
 * `path` is not standard output.  Without a label messages name the path alone.  HD_EXIT_OK, or after
 * printing an error HD_EXIT_FAILED: the folder or the file may not be written, or HD_EXIT_USAGE: it
 * is an input or another output of this process. */
int hd__output_name(struct hd_output *o, const char *path, const char *label);
/* The same, and opens a stream.  NULL and "-" are standard output. */
int hd__output_open(struct hd_output *o, const char *path, const char *label);
/* Closes the stream and renames, or removes what was written unless `good`.  false after printing
 * an error, or if not good. */
bool hd__output_close(struct hd_output *o, bool good);

/* Opens a new file in a folder that is an output: a signal that removes the folder removes it
 * first.  The caller closes it.  NULL after printing an error. */
FILE *hd__output_file(const char *path);

/* From now on SIGINT, SIGTERM and SIGHUP remove what is unfinished before they end the process. */
void hd__outputs_guard(void);

/* Remembers an open file as an input.  false: an output would replace it; that output will not. */
bool hd__input_note(int fd);

#endif
