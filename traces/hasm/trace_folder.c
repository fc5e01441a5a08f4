/* trace_folder.c - writes a folder of files that is complete or absent
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "trace_folder.h"

#include "base/below.h"
#include "base/exit.h"
#include "listing.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#define PIECE (1u << 16)

static int complain(const char *path, int error)
{
	fprintf(stderr, "heddle: %s: %s\n", path, strerror(error));
	return HD_EXIT_FAILED;
}

/* "kernelslist.g", "kernel-7.traceg.xz" and the like */
static bool is_of_trace(int folder, const char *name)
{
	size_t n = strncmp(name, "kernel-", 7) == 0 ? strspn(name + 7, "0123456789") : 0;
	const char *end = name + 7 + n;

	(void)folder;
	if (n == 0)
		return strcmp(name, "kernelslist.g") == 0;
	return strcmp(end, ".traceg") == 0 || strcmp(end, ".traceg.xz") == 0 || strcmp(end, ".sass.json") == 0;
}

int hd__folder_open(struct hd_output *folder, const char *path)
{
	int status = hd__output_name(folder, path, NULL);

	if (status != HD_EXIT_OK)
		return status;
	folder->owns = is_of_trace;
	if (hd__output_folder(folder))
		return HD_EXIT_OK;
	hd__output_close(folder, false);
	return HD_EXIT_FAILED;
}

FILE *hd__folder_file(const struct hd_output *folder, const char *name)
{
	FILE *f = hd__output_file(folder, name);

	errno = 0;
	return f;
}

bool hd__folder_close(const struct hd_output *folder, FILE *f)
{
	bool failed = ferror(f);

	failed |= fclose(f) != 0;
	if (failed)
		fprintf(stderr, "heddle: %s: could not be written: %s\n", folder->path,
		        strerror(errno ? errno : EIO));
	return !failed;
}

static bool copy(const struct hd_output *folder, const char *name, const char *file)
{
	static char piece[PIECE];
	FILE *from = fopen(file, "r"), *to = from ? hd__folder_file(folder, name) : NULL;
	bool good = to != NULL;
	size_t n;

	if (!from)
		complain(file, errno);
	while (good && (n = fread(piece, 1, sizeof piece, from)) > 0)
		good = fwrite(piece, 1, n, to) == n;
	if (good && ferror(from)) {
		complain(file, errno);
		good = false;
	}
	if (to)
		good = hd__folder_close(folder, to) && good;
	if (from)
		fclose(from);
	return good;
}

bool hd__folder_link(const struct hd_output *folder, const char *name, const char *file)
{
	FILE *f = hd__folder_file(folder, name); /* so that a signal removes it */
	char *path;
	bool linked;

	if (!f)
		return false;
	fclose(f);
	path = hd__join(folder->name + folder->names, "/", name);
	linked = hd__below_remove(folder->at, path) && linkat(AT_FDCWD, file, folder->at, path, AT_SYMLINK_FOLLOW) == 0;
	free(path);
	return linked || copy(folder, name, file);
}

bool hd__folder_listing(const struct hd_output *folder, const struct hasm_kernel *k, size_t number)
{
	char *name = hd__format("kernel-%zu.sass.json", number);
	FILE *f = hd__folder_file(folder, name);
	json_t *listing;

	free(name);
	if (!f)
		return false;
	listing = hd__listing(k);
	hd__listing_put(listing, f);
	json_decref(listing);
	return hd__folder_close(folder, f);
}
