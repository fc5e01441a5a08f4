/* data_path.c - finds the files that a netlist names
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A name of a data file or of another netlist is looked for beside the file that contains it, then
 * in the folders of the environment variable HEDDLE_DATA_PATH, then beside the installed netlists,
 * then beside those of the source tree.  So a netlist in any folder may name the files that come
 * with the program.
 */
#include "composition.h"
#include "kernel/base/xalloc.h"

#include <stdlib.h>
#include <unistd.h>

char *hd__path_join(const char *file, const char *path)
{
	const char *slash = file != NULL ? strrchr(file, '/') : NULL;

	if (slash == NULL || path[0] == '/' || path[0] == '\0')
		return hd__xstrdup(path);
	return hd__format("%.*s%s", (int)(slash + 1 - file), file, path);
}

#ifndef PKGDATADIR /* set by the makefile */
#define PKGDATADIR "/usr/local/share/heddle"
#endif
#ifndef SOURCEDIR
#define SOURCEDIR "."
#endif

/* folder[0..length) and the path, if there is such a file; else NULL. */
static char *in_folder(const char *folder, size_t length, const char *path)
{
	char *name = hd__format("%.*s/%s", (int)length, folder, path);

	if (length > 0 && access(name, F_OK) == 0)
		return name;
	free(name);
	return NULL;
}

static char *in_folders(const char *folders, const char *path)
{
	char *found = NULL;

	while (folders != NULL && found == NULL) {
		const char *colon = strchr(folders, ':');

		found = in_folder(folders, colon ? (size_t)(colon - folders) : strlen(folders), path);
		folders = colon ? colon + 1 : NULL;
	}
	return found;
}

/* The caller frees the result.  "" stays: no file.  A file that is not found gets the path that it
 * would have beside the netlist. */
char *hd__data_path(const char *file, const char *path)
{
	char *beside, *found = NULL;

	if (path[0] == '/' || path[0] == '\0')
		return hd__xstrdup(path);
	beside = hd__path_join(file, path);
	if (access(beside, F_OK) != 0) {
		found = in_folders(getenv("HEDDLE_DATA_PATH"), path);
		if (found == NULL)
			found = in_folders(PKGDATADIR "/netlists:" SOURCEDIR "/netlists", path);
	}
	if (found == NULL)
		return beside;
	free(beside);
	return found;
}
