/* output.c - writes to a temporary name and renames, so that a failure leaves no partial file
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "output.h"
#include "pack.h"
#include "kernel/base/xalloc.h"

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUFFER (1u << 18)

static int remove_one(const char *path, const struct stat *st, int what, struct FTW *f)
{
	(void)st;
	(void)what;
	(void)f;
	return remove(path);
}

static void remove_all(const char *path)
{
	nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static bool complain(const char *path)
{
	fprintf(stderr, "heddle: %s: %s\n", path, strerror(errno));
	return false;
}

static bool wants_stream(const struct dump_query *q, const struct dump_writer *w)
{
	return w->write && (!w->write_path || q->table);
}

static bool to_stream(struct dump *d, const struct dump_query *q, const struct dump_writer *w,
                      FILE *f, const char *path)
{
	bool ok;

	errno = 0;
	ok = w->write(d, q, f);
	if (fflush(f) != 0 || ferror(f)) {
		fprintf(stderr, "heddle: %s: could not be written: %s\n", path, strerror(errno));
		ok = false;
	}
	return ok;
}

static bool to_standard_output(struct dump *d, const struct dump_query *q,
                               const struct dump_writer *w)
{
	if (w->binary && isatty(STDOUT_FILENO)) {
		fprintf(stderr, "heddle: --to %s: this is binary; expected -o with the name "
		        "of a file, or -o - to force it\n", w->name);
		return false;
	}
	return to_stream(d, q, w, stdout, "standard output");
}

/* Special files (/dev/null, pipes) are written in place. */
static bool in_place(struct dump *d, const struct dump_query *q, const struct dump_writer *w,
                     const char *path)
{
	FILE *f = fopen(path, "w");
	bool ok;

	if (!f)
		return complain(path);
	ok = to_stream(d, q, w, f, path);
	return fclose(f) == 0 ? ok : complain(path);
}

static bool to_name(struct dump *d, const struct dump_query *q, const struct dump_writer *w,
                    const char *path)
{
	bool ok;
	FILE *f;

	if (!wants_stream(q, w))
		return w->write_path(d, q, path);
	f = fopen(path, "wx");
	if (!f)
		return complain(path);
	setvbuf(f, NULL, _IOFBF, BUFFER);
	ok = to_stream(d, q, w, f, path);
	return fclose(f) == 0 ? ok : complain(path);
}

/* Files of folder `from` replace those in folder `to`; other files are kept. */
static bool move_files(const char *from, const char *to)
{
	DIR *dir = opendir(from);
	struct dirent *e;
	bool ok = dir != NULL;

	if (!ok)
		return complain(from);
	while (ok && (e = readdir(dir)) != NULL) {
		char *a = hd__format("%s/%s", from, e->d_name), *b = hd__format("%s/%s", to, e->d_name);

		if (e->d_name[0] != '.' && rename(a, b) != 0)
			ok = complain(b);
		free(a);
		free(b);
	}
	closedir(dir);
	return ok;
}

static bool is_folder(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

bool dump_output(struct dump *d, const struct dump_query *q, const struct dump_writer *w,
                 const char *path)
{
	struct stat st;
	char *temporary;
	bool ok;

	if (!path || strcmp(path, "-") == 0)
		return to_standard_output(d, q, w);
	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)) {
		if (wants_stream(q, w))
			return in_place(d, q, w, path);
		/* a special file must not be replaced, and seeking output cannot be written to
		 * it */
		fprintf(stderr, "heddle: %s: --to %s: not a regular file; expected the name of "
		        "one, or a new name\n", path, w->name);
		return false;
	}
	temporary = hd__format("%s.%ld.part", path, (long)getpid());
	if (wants_stream(q, w) && dump_packs(w, path))
		ok = dump_write_packed(d, q, w, path, temporary);
	else
		ok = to_name(d, q, w, temporary);
	if (ok && is_folder(temporary) && is_folder(path)) {
		ok = move_files(temporary, path);
		remove_all(temporary);
	} else if (ok && rename(temporary, path) != 0) {
		ok = complain(path);
	}
	if (!ok)
		remove_all(temporary);
	free(temporary);
	return ok;
}
