/* below.h - files in a folder that is held open; no link in it is followed
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A user may name a folder by a link.  What lies in the folder may come from another user, so a name that the
 * program chooses there never leads out of it.  Such a name is FILE or FOLDER/FILE; neither is a link, or "..".
 * All functions set errno, to ELOOP for a link.
 */
#ifndef BASE_BELOW_H
#define BASE_BELOW_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

/* Opens the folder that a user has named, links followed.  -1: it is none. */
int hd__below_enter(const char *folder);
/* Opens what is there, without waiting for the other end of a pipe.  -1: it is not there, or a link. */
int hd__below_open(int at, const char *name, int flags, mode_t mode);
/* Opens a regular file to read it. */
FILE *hd__below_read(int at, const char *name);
/* A new file to write, and to read again.  NULL: that name is taken, by a link, too. */
FILE *hd__below_new(int at, const char *name);
/* Makes a folder, unless it is there. */
bool hd__below_folder(int at, const char *name);
bool hd__below_rename(int at, const char *from, const char *to);
/* Removes a file, a link or an empty folder.  A signal handler may call it. */
bool hd__below_remove(int at, const char *name);
/* Removes the files and links in a folder, but for hidden ones.  Folders in it stay. */
void hd__below_clean(int at, const char *name);

/* Opens a regular file to read it; the folder is given by its path. */
FILE *hd__read_below(const char *folder, const char *name);
/* The JSON there, which the caller owns.  NULL: there is none; the reason is in *e, which may be NULL. */
json_t *hd__json_below(const char *folder, const char *name, json_error_t *e);

#endif
