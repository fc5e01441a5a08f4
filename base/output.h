/* output.h - output files that are complete or absent, and never replace an input
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * An output is written under another name in the same folder and renamed when it is complete; an
 * older file stays until then.  A device, a pipe, standard output and files in /dev or /proc are
 * written in place.
 */
#ifndef BASE_OUTPUT_H
#define BASE_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

struct hd_output {
	FILE *f;          /* where to write; NULL if only the name was requested */
	char *name;       /* what to write: another name, or the file itself if it is not regular */
	char *path;       /* as given */
	char *target;     /* target of `path`, links followed; NULL: written in place */
	int at;           /* the folder in which both are, held open */
	size_t names;     /* where their names below it begin, in both texts */
	const char *label; /* for messages: the option that names it */
	dev_t device;     /* of the file that is replaced, */
	ino_t inode;      /* 0: there is none */
	mode_t mode;
	bool is_input;    /* it has been read since: it is not replaced */
	/* An output that is a folder, if one is there already: is a file in that one, which is open, of an older such
	 * output?  Then it does not stay.  NULL: all stay that are not replaced. */
	bool (*owns)(int folder, const char *name);
	struct hd_output *next;
};

/* Chooses the name to write without creating it: it may become a file or a folder.
 * `path` is not standard output: "-" is refused.  Without a label messages name the path alone.  HD_EXIT_OK, or after
 * printing an error HD_EXIT_FAILED: the folder or the file may not be written, or HD_EXIT_USAGE: it
 * is an input or another output of this process. */
int hd__output_name(struct hd_output *o, const char *path, const char *label);
/* Does so for a file that the program names, "FILE" or "FOLDER/FILE" in `folder`, which is open as `at`: a link is
 * replaced, not followed. */
int hd__output_below(struct hd_output *o, int at, const char *folder, const char *name, const char *label);
/* Opens what one of these has chosen, to write.  -1 after printing an error. */
int hd__output_fd(const struct hd_output *o);
/* After hd__output_name(): does a folder have the name?  Prints that a file was expected. */
bool hd__output_is_folder(const struct hd_output *o);
/* Chooses the name and opens a stream.  NULL and "-" are standard output. */
int hd__output_open(struct hd_output *o, const char *path, const char *label);
/* Opens a stream to what was chosen.  The same exit statuses; closes the output unless it is HD_EXIT_OK. */
int hd__output_stream(struct hd_output *o);
/* Closes the stream and renames, or removes the file unless `good`.  The files of a folder replace
 * those in a folder that is there already, all at once if the file system can.  Returns false after
 * printing an error, or if not good. */
bool hd__output_close(struct hd_output *o, bool good);

/* Makes a folder of the name that was chosen.  Returns false after printing an error. */
bool hd__output_folder(const struct hd_output *o);
/* A new file in it; NULL after printing an error. */
FILE *hd__output_file(const struct hd_output *o, const char *name);

/* A file or an empty folder that is removed when the program ends, however it does; the newest first. */
void hd__output_unfinished(const char *name);

/* For a program that has outputs: from now on inputs are remembered, and SIGINT, SIGTERM and SIGHUP
 * remove unfinished files before they end the process. */
void hd__outputs_guard(void);

/* Ends the program with a message about errno, and nothing unfinished: libev calls it when the system refuses what
 * a loop needs. */
void hd__outputs_end(const char *what);

/* Removes what is unfinished; a signal handler may call it. */
void hd__outputs_abandon(void);

/* Remembers an open file as an input, after hd__outputs_guard().  Returns false if an output would
 * replace it, which it then will not. */
bool hd__input_note(int fd);
/* Remembers a file that a library opens by its name. */
bool hd__input_note_name(const char *path);

#endif
