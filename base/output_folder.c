/* output_folder.c - puts a folder that was written in place of an older one, as a whole
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "output_folder.h"
#include "xalloc.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static bool complain(const char *path)
{
	fprintf(stderr, "heddle: %s: %s\n", path, strerror(errno));
	return false;
}

/* Do both names lead to one file?  rename() would leave both. */
static bool same_file(const char *a, const char *b)
{
	struct stat x, y;

	return lstat(a, &x) == 0 && lstat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

typedef bool each_file(const struct hd_folder_move *m, const char *made, const char *target);

/* Calls `f` for each entry of `folder`, with its name in both folders, until it returns false. */
static bool for_each(const struct hd_folder_move *m, const char *folder, each_file *f)
{
	DIR *dir = opendir(folder);
	struct dirent *e;
	bool ok = dir || complain(folder);

	while (ok && (e = readdir(dir)) != NULL) {
		char *a, *b;

		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
			continue;
		a = hd__format("%s/%s", m->made, e->d_name);
		b = hd__format("%s/%s", m->target, e->d_name);
		ok = f(m, a, b);
		free(a);
		free(b);
	}
	if (dir)
		closedir(dir);
	return ok;
}

static bool check(const struct hd_folder_move *m, const char *made, const char *target)
{
	if (same_file(made, target) || !m->is_input(target))
		return true;
	fprintf(stderr, "heddle: %s: the output would replace '%s', which is an input; expected another folder\n",
	        m->path, target);
	return false;
}

/* A file that the new folder does not have is a link in it, too.  A folder cannot be. */
static bool keep(const struct hd_folder_move *m, const char *made, const char *target)
{
	struct stat st;

	if (lstat(made, &st) == 0)
		return true;
	m->unfinished(made);
	return linkat(AT_FDCWD, target, AT_FDCWD, made, 0) == 0;
}

static bool move(const struct hd_folder_move *m, const char *made, const char *target)
{
	(void)m;
	if (same_file(made, target))
		return unlink(made) == 0 || complain(made);
	return rename(made, target) == 0 || complain(target);
}

static bool drop(const struct hd_folder_move *m, const char *made, const char *target)
{
	(void)m;
	(void)target;
	return unlink(made) == 0 || complain(made);
}

static bool exchange(const struct hd_folder_move *m)
{
#ifdef RENAME_EXCHANGE
	struct stat st;

	return !same_file(".", m->target) && stat(m->target, &st) == 0 && chmod(m->made, st.st_mode & 07777) == 0
	       && for_each(m, m->target, keep)
	       && renameat2(AT_FDCWD, m->made, AT_FDCWD, m->target, RENAME_EXCHANGE) == 0;
#else
	(void)m;
	return false;
#endif
}

bool hd__folder_move(const struct hd_folder_move *m)
{
	if (!for_each(m, m->made, check))
		return false;
	return for_each(m, m->made, exchange(m) ? drop : move) && (rmdir(m->made) == 0 || complain(m->made));
}
