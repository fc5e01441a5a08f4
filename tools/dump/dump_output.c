/* dump_output.c - outputs that are complete or absent; streams compressed with zstd, or piped through vcd2fst
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "writers.h"
#include "base/exit.h"
#include "base/output.h"
#include "base/xalloc.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zstd.h>

#define BUFFER (1u << 18)
#define LEVEL 3

extern char **environ;

static bool ends_in(const char *name, const char *end)
{
	size_t n = strlen(name), m = strlen(end);

	return n > m && strcmp(name + n - m, end) == 0;
}

static bool to_fst(const struct dump_writer *w, const char *name)
{
	return w->write == dump_write_vcd && ends_in(name, ".fst");
}

/* Is it the name of a packed output?  The writer must have a stream. */
static bool packs(const struct dump_writer *w, const char *name)
{
	return w->write && (ends_in(name, ".zst") || to_fst(w, name));
}

static bool complain(const char *name, const char *what, int error)
{
	fprintf(stderr, "heddle: %s: %s: %s\n", name, what, strerror(error));
	return false;
}

/* ---- zstd ---- */

struct packer {
	ZSTD_CCtx *ctx;
	FILE *f;
	char out[BUFFER];
};

static bool pack(struct packer *p, const char *data, size_t n, ZSTD_EndDirective how)
{
	ZSTD_inBuffer in = { data, n, 0 };
	size_t left;

	do {
		ZSTD_outBuffer out = { p->out, sizeof p->out, 0 };

		left = ZSTD_compressStream2(p->ctx, &out, &in, how);
		if (ZSTD_isError(left) || fwrite(p->out, 1, out.pos, p->f) != out.pos)
			return false;
	} while (in.pos < in.size || (how == ZSTD_e_end && left > 0));
	return true;
}

static ssize_t write_packed(void *cookie, const char *data, size_t n)
{
	return pack(cookie, data, n, ZSTD_e_continue) ? (ssize_t)n : 0;
}

static bool write_zst(struct dump *d, const struct dump_query *q, const struct dump_writer *w,
                      const struct hd_output *o)
{
	struct packer *p;
	int fd = hd__output_fd(o);
	FILE *f;
	bool ok;

	if (fd < 0)
		return false;
	p = hd__xcalloc(1, sizeof *p);
	p->f = hd__xcheck(fdopen(fd, "w"));
	p->ctx = hd__xcheck(ZSTD_createCCtx());
	ZSTD_CCtx_setParameter(p->ctx, ZSTD_c_compressionLevel, LEVEL);
	ZSTD_CCtx_setParameter(p->ctx, ZSTD_c_checksumFlag, 1);
	/* in a thread of its own, if the library can do that */
	ZSTD_CCtx_setParameter(p->ctx, ZSTD_c_nbWorkers, 1);
	f = hd__xcheck(fopencookie(p, "w", (cookie_io_functions_t){ .write = write_packed }));
	setvbuf(f, NULL, _IOFBF, BUFFER);
	errno = 0;
	ok = w->write(d, q, f);
	if (ok && (fclose(f) != 0 || !pack(p, NULL, 0, ZSTD_e_end) || fflush(p->f) != 0))
		ok = complain(o->path, "could not be written", errno ? errno : EIO);
	else if (!ok)
		fclose(f);
	fclose(p->f);
	ZSTD_freeCCtx(p->ctx);
	free(p);
	return ok;
}

/* ---- vcd2fst ---- */

static int start(const char *path, pid_t *child, int *to)
{
	char *argv[] = { (char *)"vcd2fst", (char *)"-", (char *)path, NULL };
	posix_spawn_file_actions_t files;
	int ends[2], error;

	if (pipe(ends) != 0)
		return errno;
	hd__xcheck(posix_spawn_file_actions_init(&files) == 0 ? &files : NULL);
	posix_spawn_file_actions_adddup2(&files, ends[0], STDIN_FILENO);
	posix_spawn_file_actions_addclose(&files, ends[0]);
	posix_spawn_file_actions_addclose(&files, ends[1]);
	posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	error = posix_spawnp(child, argv[0], &files, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&files);
	close(ends[0]);
	if (error)
		close(ends[1]);
	*to = ends[1];
	return error;
}

#define ROOM (1 << 20) /* that has to be left: more than the names of signals take, which vcd2fst writes there */

/* vcd2fst ends with status 0, too, if there was no room for all of it.  A whole file is blocks up to its end: a byte,
 * and eight for the length of what follows it, the highest first.  The last block may be cut nevertheless; then there
 * is hardly any room. */
static bool whole_fst(const char *path)
{
	FILE *f = fopen(path, "r+be");
	unsigned char head[9];
	uint64_t at = 0, size, length = 8;
	bool whole;

	if (!f)
		return false;
	size = fseeko(f, 0, SEEK_END) == 0 ? (uint64_t)ftello(f) : 0;
	for (; at < size && length >= 8; at += 1 + length) {
		if (fseeko(f, (off_t)at, SEEK_SET) != 0 || fread(head, 1, sizeof head, f) < sizeof head)
			break;
		length = 0;
		for (size_t i = 1; i < sizeof head; i++)
			length = length << 8 | head[i];
		if (length > size - at - 1)
			break;
	}
	whole = size > 0 && at == size && posix_fallocate(fileno(f), (off_t)size, ROOM) == 0
	        && ftruncate(fileno(f), (off_t)size) == 0;
	fclose(f);
	return whole;
}

static bool write_fst(struct dump *d, const struct dump_query *q, const struct dump_writer *w,
                      const char *name, const char *path)
{
	int error, to = -1, status = 0;
	pid_t child;
	bool ok;
	FILE *f;

	error = start(path, &child, &to);
	if (error) {
		fprintf(stderr, "heddle: %s: cannot run vcd2fst: %s; it comes with gtkwave, and "
		        "'-o NAME.vcd' does not need it\n", name, strerror(error));
		return false;
	}
	signal(SIGPIPE, SIG_IGN); /* if it fails, its exit status is not 0 */
	f = hd__xcheck(fdopen(to, "w"));
	setvbuf(f, NULL, _IOFBF, BUFFER);
	ok = w->write(d, q, f);
	ok = fclose(f) == 0 && ok;
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || access(path, R_OK) != 0) {
		fprintf(stderr, "heddle: %s: vcd2fst has failed\n", name);
		return false;
	}
	if (ok && !whole_fst(path)) {
		fprintf(stderr, "heddle: %s: could not be written: vcd2fst has hardly any room, or has written a "
		        "part\n", name);
		return false;
	}
	return ok;
}

/* ---- outputs ---- */

static bool wants_stream(const struct dump_query *q, const struct dump_writer *w)
{
	return w->write && (!w->write_path || q->table);
}

static int to_stream(struct dump *d, const struct dump_query *q, const struct dump_writer *w,
                     const char *path)
{
	struct hd_output o;
	int status;
	bool ok;

	status = hd__output_open(&o, path, NULL);
	if (status != HD_EXIT_OK)
		return status;
	if (w->binary && o.f == stdout && isatty(STDOUT_FILENO)) {
		fprintf(stderr, "heddle: --to %s: this is binary; expected -o with the name "
		        "of a file, or -o - to force it\n", w->name);
		return HD_EXIT_FAILED;
	}
	errno = 0;
	ok = w->write(d, q, o.f);
	return hd__output_close(&o, ok) ? HD_EXIT_OK : HD_EXIT_FAILED;
}

/* By name: packed files, and what seeks. */
static int to_name(struct dump *d, const struct dump_query *q, const struct dump_writer *w,
                   const char *path)
{
	struct hd_output o;
	int status;
	bool ok;

	status = hd__output_name(&o, path, NULL);
	if (status != HD_EXIT_OK)
		return status;
	if (!o.target) { /* it must not be replaced */
		fprintf(stderr, "heddle: %s: --to %s: this is not a regular file; expected the name of "
		        "one, or a new name\n", path, w->name);
		hd__output_close(&o, false);
		return HD_EXIT_FAILED;
	}
	if (!wants_stream(q, w))
		ok = w->write_path(d, q, &o);
	else
		ok = to_fst(w, path) ? write_fst(d, q, w, path, o.name) : write_zst(d, q, w, &o);
	return hd__output_close(&o, ok) ? HD_EXIT_OK : HD_EXIT_FAILED;
}

int dump_output(struct dump *d, const struct dump_query *q, const struct dump_writer *w,
                const char *path)
{
	bool named = path && strcmp(path, "-") != 0;

	if (!wants_stream(q, w) ? w->write_path && named : named && packs(w, path))
		return to_name(d, q, w, path);
	return to_stream(d, q, w, path);
}
