/* data_path.c - finds the files that a netlist names
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A name of a data file or of another netlist is looked for beside the file that contains it, then
 * in the folders of the environment variable HEDDLE_DATA_PATH, then beside the installed netlists,
 * then beside those of the source tree.  So a netlist in any folder may name the files that come
 * with the program.  Installed netlists are those of the prefix in which the program or the library
 * lies now, which need not be the one that was configured.
 */
#include "composition.h"
#include "base/folders.h"
#include "base/xalloc.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

/* `path` as seen from `file`: relative to the file's folder.  The caller frees it. */
static char *join(const char *file, const char *path)
{
	const char *slash = file != NULL ? strrchr(file, '/') : NULL;

	if (slash == NULL || path[0] == '/' || path[0] == '\0')
		return hd__xstrdup(path);
	return hd__format("%.*s%s", (int)(slash + 1 - file), file, path);
}

char *hd__installed_data(void)
{
	/* a library may be in a folder of its machine, lib/x86_64-linux-gnu */
	static const char *const tries[] = { "/../share/heddle", "/../../share/heddle" };
	char file[PATH_MAX], *slash, *found;
	Dl_info self;
	bool named = dladdr(tries, &self) != 0 && strchr(self.dli_fname, '/') != NULL;

	/* a program that was found along PATH is not named by its file */
	if (realpath(named ? self.dli_fname : "/proc/self/exe", file) == NULL)
		return NULL;
	slash = strrchr(file, '/');
	*slash = '\0';
	for (size_t i = 0; i < sizeof tries / sizeof *tries; i++) {
		found = hd__join(file, tries[i], "");
		if (access(found, F_OK) == 0)
			return found;
		free(found);
	}
	return NULL;
}

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

static char *in_installed(const char *path)
{
	char *data = hd__installed_data(), *name, *found;

	if (data == NULL)
		return NULL;
	name = hd__join("netlists/", path, "");
	found = in_folder(data, strlen(data), name);
	free(name);
	free(data);
	return found;
}

char *hd__netlist_folder(void)
{
	char *found = in_installed(".");

	return found != NULL ? found : in_folders(PKGDATADIR "/netlists:" SOURCEDIR "/netlists", ".");
}

/* The caller frees the result.  "" stays: no file.  A file that is not found gets the path that it
 * would have beside the netlist. */
char *hd__data_path(const char *file, const char *path)
{
	char *beside, *found = NULL;

	if (path[0] == '/' || path[0] == '\0')
		return hd__xstrdup(path);
	beside = join(file, path);
	if (access(beside, F_OK) != 0) {
		found = in_folders(getenv("HEDDLE_DATA_PATH"), path);
		if (found == NULL)
			found = in_installed(path);
		if (found == NULL)
			found = in_folders(PKGDATADIR "/netlists:" SOURCEDIR "/netlists", path);
	}
	if (found == NULL)
		return beside;
	free(beside);
	return found;
}

char *hd__data_path_in(const char *folder, const char *file, const char *path)
{
	char *found = hd__data_path(file, path), *below = hd__format("%s/%s", folder, path), *other;

	if (access(found, F_OK) != 0 && path[0] != '/' && path[0] != '\0') {
		other = hd__data_path(NULL, below);
		if (access(other, F_OK) == 0) {
			free(found);
			found = other;
		} else {
			free(other);
		}
	}
	free(below);
	return found;
}
