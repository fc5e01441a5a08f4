/* output_folder.h - puts a folder that was written in place of an older one, as a whole
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef BASE_OUTPUT_FOLDER_H
#define BASE_OUTPUT_FOLDER_H

#include <stdbool.h>

struct hd_folder_move {
	const char *made, *target; /* names of the new folder and of the one that is there */
	const char *path;          /* of the target, for messages */
	bool (*is_input)(const char *path);
	void (*unfinished)(const char *path); /* a name in the new folder that a signal has to remove */
};

/* The target gets the files of the new folder and keeps its others.  Both folders change names in one step,
 * so that all files are the old or all are the new ones; where that cannot be, because the target has folders
 * in it, is the working directory, or is on a file system that cannot, the files are renamed one by one.
 * Removes what was made.  Returns false after printing an error. */
bool hd__folder_move(const struct hd_folder_move *m);

#endif
