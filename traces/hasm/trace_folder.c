/* trace_folder.c - writes a folder of files that is complete or absent
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "trace_folder.h"

#include "base/exit.h"
#include "listing.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define PIECE (1u << 16)

static int complain(const char *path, int error)
{
	fprintf(stderr, "heddle: %s: %s\n", path, strerror(error));
	return HD_EXIT_FAILED;
}

int hd__folder_open(struct hd_output *folder, const char *path)
{
	int status = hd__output_name(folder, path, NULL);

	if (status != HD_EXIT_OK)
		return status;
	if (!folder->target || (folder->inode && !S_ISDIR(folder->mode)))
		status = complain(path, ENOTDIR);
	else if (mkdir(folder->name, 0777) != 0)
		status = complain(folder->name, errno);
	if (status != HD_EXIT_OK)
		hd__output_close(folder, false);
	return status;
}

FILE *hd__folder_file(const struct hd_output *folder, const char *name)
{
	char *path = hd__format("%s/%s", folder->name, name);
	FILE *f = hd__output_file(path);

	free(path);
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
	path = hd__format("%s/%s", folder->name, name);
	linked = unlink(path) == 0 && linkat(AT_FDCWD, file, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0;
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
