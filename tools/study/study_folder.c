/* study_folder.c - the folder that holds the results of a study
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "study_folder.h"
#include "base/below.h"
#include "base/exit.h"
#include "base/output.h"
#include "base/xalloc.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOCK_TRIES 100
#define LOCK_WAIT 10000 /* microseconds between them */

char *study_folder_name(const struct study_folder *f, const char *name)
{
	return hd__join(f->path, "/", name);
}

char *study_folder_point(const struct study_folder *f, const char *key)
{
	return hd__format("%s/points/%s.json", f->path, key);
}

static bool complain(const char *path)
{
	fprintf(stderr, "heddle: %s: %s\n", path, strerror(errno));
	return false;
}

/* Is it another folder, with files but none of a study?  Prints that.  Another sweep may begin in it just now: whatever
 * that has put there, the lock was the first. */
static bool is_foreign(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *e;
	bool empty = true, known;

	while (dir != NULL && (e = readdir(dir)) != NULL)
		empty = empty && (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0);
	known = dir != NULL && (faccessat(dirfd(dir), "lock", F_OK, AT_SYMLINK_NOFOLLOW) == 0
	                        || faccessat(dirfd(dir), "points.json", F_OK, AT_SYMLINK_NOFOLLOW) == 0);
	if (dir != NULL)
		closedir(dir);
	if (known || empty)
		return false;
	fprintf(stderr, "heddle: %s: is a folder of something else; expected a new one, or one of results\n", path);
	return true;
}

/* Is it locked, and still after a second?  Processes of a sweep that was killed end a moment after it, and may hold its
 * lock until then. */
static bool is_locked(int fd, int how)
{
	for (int tries = 0; flock(fd, how | LOCK_NB) != 0; tries++) {
		if (errno != EWOULDBLOCK)
			return false; /* a file system without locks */
		if (tries == LOCK_TRIES)
			return true;
		usleep(LOCK_WAIT);
	}
	return false;
}

static int take_lock(struct study_folder *f, bool shared)
{
	char *name = study_folder_name(f, "lock");
	int status = HD_EXIT_OK;

	f->lock = hd__below_open(f->at, "lock", O_RDWR | O_CREAT, 0666);
	if (f->lock < 0) {
		complain(name);
		status = HD_EXIT_FAILED;
	} else if (is_locked(f->lock, shared ? LOCK_SH : LOCK_EX)) {
		fprintf(stderr, "heddle: %s: another sweep is at work there; expected its end, or another folder\n",
		        f->path);
		close(f->lock);
		f->lock = -1;
		status = HD_EXIT_FAILED;
	}
	free(name);
	return status;
}

static const char *const parts[] = { "points", "tmp", "netlists" };

void study_folder_refused(const struct study_folder *f)
{
	static const char *const files[] = { "points.json", "statistics.json", "traces.cache", "lock" };
	bool empty = f->made && unlinkat(f->at, "points", AT_REMOVEDIR) == 0;

	if (!empty) /* there is a result */
		return;
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		hd__below_clean(f->at, parts[i]); /* what was imported for it */
		unlinkat(f->at, parts[i], AT_REMOVEDIR);
	}
	for (size_t i = 0; i < sizeof files / sizeof *files; i++)
		unlinkat(f->at, files[i], 0);
	rmdir(f->path); /* it stays if there is something else in it */
}

int study_folder_open(struct study_folder *f, const char *path, bool shared)
{
	int status;

	*f = (struct study_folder){ .path = path, .at = -1, .lock = -1, .made = mkdir(path, 0777) == 0 };
	if (f->made || errno == EEXIST)
		f->at = hd__below_enter(path);
	if (f->at < 0) {
		complain(path);
		return HD_EXIT_FAILED;
	}
	if (is_foreign(path))
		return HD_EXIT_USAGE;
	status = take_lock(f, shared);
	for (size_t i = 0; status == HD_EXIT_OK && i < sizeof parts / sizeof *parts; i++) {
		char *name = study_folder_name(f, parts[i]);

		if (!hd__below_folder(f->at, parts[i])) {
			complain(name);
			status = HD_EXIT_FAILED;
		} else if (!shared && i == 1) {
			hd__below_clean(f->at, parts[i]); /* files of processes that are no more */
		}
		free(name);
	}
	return status;
}

int study_folder_look(struct study_folder *f, const char *path)
{
	struct stat st;

	*f = (struct study_folder){ .path = path, .at = -1, .lock = -1 };
	if (stat(path, &st) != 0)
		return HD_EXIT_OK;
	if (!S_ISDIR(st.st_mode)) {
		errno = ENOTDIR;
		complain(path);
		return HD_EXIT_FAILED;
	}
	return is_foreign(path) ? HD_EXIT_USAGE : HD_EXIT_OK;
}

bool study_folder_scratch(struct study_folder *f)
{
	const char *tmp = getenv("TMPDIR");
	char *path = hd__join(tmp != NULL && *tmp != '\0' ? tmp : "/tmp", "/heddle-XXXXXX", ""), *netlists;
	bool ok = mkdtemp(path) != NULL || complain(path);

	*f = (struct study_folder){ .path = path, .at = ok ? hd__below_enter(path) : -1, .lock = -1, .scratch = true };
	netlists = study_folder_name(f, "netlists");
	if (ok) {
		hd__output_unfinished(path);
		hd__output_unfinished(netlists);
		ok = hd__below_folder(f->at, "netlists") || complain(netlists);
	}
	free(netlists);
	return ok;
}

void study_folder_close(struct study_folder *f)
{
	if (f->lock >= 0)
		close(f->lock);
	if (f->at >= 0)
		close(f->at);
	f->at = f->lock = -1;
}

FILE *study_folder_temporary(const struct study_folder *f, const char *name)
{
	char *below = hd__join("tmp/", name, "");
	FILE *new;

	hd__below_remove(f->at, below);
	new = hd__below_new(f->at, below);
	free(below);
	return new;
}

/* Has the file this content? */
static bool is_same(const struct study_folder *folder, const char *name, const char *text)
{
	FILE *f = hd__below_read(folder->at, name);
	size_t n = strlen(text);
	char *old = hd__xcheck(malloc(n + 1));
	bool same = f != NULL && fread(old, 1, n + 1, f) == n && memcmp(old, text, n) == 0;

	if (f != NULL)
		fclose(f);
	free(old);
	return same;
}

bool study_folder_write(const struct study_folder *f, const char *name, const json_t *content, size_t flags)
{
	char *path = study_folder_name(f, name), *text = hd__xcheck(json_dumps(content, flags));
	struct hd_output o;
	bool ok = is_same(f, name, text);

	if (f->scratch)
		hd__output_unfinished(path);
	if (!ok && hd__output_below(&o, f->at, f->path, name, NULL) == HD_EXIT_OK
	    && hd__output_stream(&o) == HD_EXIT_OK) {
		fputs(text, o.f); /* if it fails, the stream has an error */
		ok = hd__output_close(&o, true);
	}
	free(text);
	free(path);
	return ok;
}

json_t *study_folder_read(const struct study_folder *f, const char *name)
{
	return hd__json_below(f->path, name, NULL);
}

json_t *study_points_read(const struct study_folder *f)
{
	char *path = study_folder_name(f, "points.json");
	json_error_t e;
	json_t *plan = hd__json_below(f->path, "points.json", &e);

	hd__input_note_name(path);
	if (plan == NULL)
		fprintf(stderr, "heddle: %s: cannot be read; expected a folder that heddle sweep has written: %s\n",
		        path, e.text);
	free(path);
	return plan;
}
