/* below.c - files in a folder that is held open; no link in it is followed
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "below.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FOLDER (O_RDONLY | O_DIRECTORY | O_CLOEXEC)

/* The folder in which a name is. */
struct place {
	int at;
	bool own;         /* it was opened for this name */
	const char *last; /* of the name */
};

int hd__below_enter(const char *folder)
{
	return open(folder, FOLDER);
}

/* Opens a folder that is not a link.  For a link the system says that it is not a folder. */
static int open_folder(int at, const char *name)
{
	int fd = openat(at, name, FOLDER | O_NOFOLLOW), why = errno;
	struct stat st;

	if (fd < 0 && why == ENOTDIR && fstatat(at, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(st.st_mode))
		why = ELOOP;
	errno = why;
	return fd;
}

/* Returns false with errno set.  Only calls that a handler may make. */
static bool find(struct place *p, int at, const char *name)
{
	const char *slash = strchr(name, '/');
	char folder[NAME_MAX + 1];

	*p = (struct place){ at, slash != NULL, slash != NULL ? slash + 1 : name };
	errno = EINVAL;
	if (p->last[0] == '\0' || strchr(p->last, '/') != NULL || strcmp(p->last, "..") == 0)
		return false;
	if (slash == NULL)
		return true;
	if (slash - name > NAME_MAX)
		return false;
	memcpy(folder, name, (size_t)(slash - name));
	folder[slash - name] = '\0';
	if (strcmp(folder, "..") == 0)
		return false;
	p->at = open_folder(at, folder);
	return p->at >= 0;
}

static void leave(const struct place *p)
{
	int why = errno;

	if (p->own)
		close(p->at);
	errno = why;
}

int hd__below_open(int at, const char *name, int flags, mode_t mode)
{
	struct place p;
	int fd;

	if (!find(&p, at, name))
		return -1;
	fd = openat(p.at, p.last, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, mode);
	leave(&p);
	return fd;
}

FILE *hd__below_read(int at, const char *name)
{
	int fd = hd__below_open(at, name, O_RDONLY, 0);
	struct stat st;
	FILE *f = NULL;

	if (fd >= 0 && fstat(fd, &st) == 0 && !S_ISREG(st.st_mode))
		errno = S_ISDIR(st.st_mode) ? EISDIR : EINVAL;
	else if (fd >= 0)
		f = fdopen(fd, "r");
	if (fd >= 0 && f == NULL)
		close(fd);
	return f;
}

FILE *hd__below_new(int at, const char *name)
{
	int fd = hd__below_open(at, name, O_RDWR | O_CREAT | O_EXCL, 0666);
	FILE *f = fd >= 0 ? fdopen(fd, "w+") : NULL;

	if (fd >= 0 && f == NULL)
		close(fd);
	return f;
}

bool hd__below_folder(int at, const char *name)
{
	int fd = -1;

	if (mkdirat(at, name, 0777) == 0)
		return true;
	if (errno == EEXIST)
		fd = open_folder(at, name);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

bool hd__below_rename(int at, const char *from, const char *to)
{
	struct place a, b;
	bool ok = false;

	if (!find(&a, at, from))
		return false;
	if (find(&b, at, to)) {
		ok = renameat(a.at, a.last, b.at, b.last) == 0;
		leave(&b);
	}
	leave(&a);
	return ok;
}

bool hd__below_remove(int at, const char *name)
{
	struct place p;
	bool ok;

	if (!find(&p, at, name))
		return false;
	ok = unlinkat(p.at, p.last, 0) == 0 || unlinkat(p.at, p.last, AT_REMOVEDIR) == 0;
	leave(&p);
	return ok;
}

void hd__below_clean(int at, const char *name)
{
	int fd = open_folder(at, name);
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *e;

	while (dir != NULL && (e = readdir(dir)) != NULL)
		if (e->d_name[0] != '.')
			unlinkat(fd, e->d_name, 0);
	if (dir != NULL)
		closedir(dir);
	else if (fd >= 0)
		close(fd);
}

/* ---- by the folder's name ---- */

FILE *hd__read_below(const char *folder, const char *name)
{
	int at = hd__below_enter(folder), why;
	FILE *f = at >= 0 ? hd__below_read(at, name) : NULL;

	why = errno;
	if (at >= 0)
		close(at);
	errno = why;
	return f;
}

json_t *hd__json_below(const char *folder, const char *name, json_error_t *e)
{
	FILE *f = hd__read_below(folder, name);
	json_t *root = NULL;

	if (f != NULL)
		root = json_loadf(f, 0, e);
	else if (e != NULL)
		snprintf(e->text, sizeof e->text, "%s", strerror(errno));
	if (f != NULL)
		fclose(f);
	return root;
}
