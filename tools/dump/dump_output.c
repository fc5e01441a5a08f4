/* dump_output.c - writes to a temporary name and renames, so that a failure leaves no partial file
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "dump_output.h"
#include "packed_output.h"
#include "base/exit.h"
#include "base/output.h"
#include "base/xalloc.h"

#include <errno.h>
#include <unistd.h>

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
	struct dump_query named = *q;
	struct hd_output o;
	int status;
	bool ok;

	named.output = path;
	status = hd__output_name(&o, path, NULL);
	if (status != HD_EXIT_OK)
		return status;
	if (!o.target) { /* it must not be replaced */
		fprintf(stderr, "heddle: %s: --to %s: this is not a regular file; expected the name of "
		        "one, or a new name\n", path, w->name);
		hd__output_close(&o, false);
		return HD_EXIT_FAILED;
	}
	ok = wants_stream(q, w) ? dump_write_packed(d, q, w, path, o.name)
	                        : w->write_path(d, &named, o.name);
	return hd__output_close(&o, ok) ? HD_EXIT_OK : HD_EXIT_FAILED;
}

int dump_output(struct dump *d, const struct dump_query *q, const struct dump_writer *w,
                const char *path)
{
	bool named = path && strcmp(path, "-") != 0;

	if (!wants_stream(q, w) ? w->write_path && named : named && dump_packs(w, path))
		return to_name(d, q, w, path);
	return to_stream(d, q, w, path);
}
