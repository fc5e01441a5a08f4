/* study_folder.h - the folder that holds the results of a study
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TOOLS_STUDY_STUDY_FOLDER_H
#define TOOLS_STUDY_STUDY_FOLDER_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct study_folder {
	const char *path;
	int at;       /* the folder, held open to write; -1: it is only read */
	int lock;
	bool scratch; /* what is written there is removed when the program ends */
	bool made;    /* it was not there before */
};

/* Makes the folder if it is not there, and locks it: alone, or `shared` with others that run some points of it.
 * Alone, removes what killed sweeps have left.  HD_EXIT_OK, or another exit status after printing an error. */
int study_folder_open(struct study_folder *f, const char *path, bool shared);
void study_folder_close(struct study_folder *f);
/* The study is refused: the folder goes, if it was made for it and nothing has come into it. */
void study_folder_refused(const struct study_folder *f);
/* The folder as it is: nothing is made, written or locked.  HD_EXIT_OK, or another status after printing an error. */
int study_folder_look(struct study_folder *f, const char *path);
/* A folder for netlists that are made and not kept: it is removed when the program ends.  The caller frees .path. */
bool study_folder_scratch(struct study_folder *f);
/* "PATH/NAME".  The caller frees it. */
char *study_folder_name(const struct study_folder *f, const char *name);
/* "PATH/points/KEY.json".  The caller frees it. */
char *study_folder_point(const struct study_folder *f, const char *key);
/* A new file in tmp/, which replaces an older one of its name.  NULL with errno set. */
FILE *study_folder_temporary(const struct study_folder *f, const char *name);
/* Writes a file of the folder, whole or not at all, unless it has that content already.  Returns false after
 * printing an error. */
bool study_folder_write(const struct study_folder *f, const char *name, const json_t *content, size_t flags);
/* What a file of the folder holds, which the caller owns.  NULL: it cannot be read. */
json_t *study_folder_read(const struct study_folder *f, const char *name);
/* points.json of the folder: the list of its points.  NULL after printing an error. */
json_t *study_points_read(const struct study_folder *f);

#endif
