/* import_files.c - the files of a configuration: a folder stands for its two, and what is missing
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "import.h"

#include "base/json_read.h"
#include "base/xalloc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const both[] = { "gpgpusim.config", "trace.config" };

char *hd__import_slurp(struct hd_import *im, const char *path, char **end)
{
	size_t size;
	char *text = hd__read_file(path, &size);

	im->files = hd__xappend(im->files, im->nfiles, sizeof *im->files);
	im->files[im->nfiles++] = hd__xstrdup(path);
	if (text && !memchr(text, '\0', size)) {
		*end = text + size;
		return text;
	}
	fprintf(stderr, "%s: %s\n", path, text ? "expected an option file, found binary data" : hd__input_why(errno));
	im->errors++;
	free(text);
	return NULL;
}

static void read_file(struct hd_import *im, const char *path)
{
	char *end, *text = hd__import_slurp(im, path, &end);

	if (text)
		hd__import_parse(im, im->files[im->nfiles - 1], text, end);
	free(text);
}

void hd__import_file(struct hd_import *im, const char *path)
{
	size_t n = strlen(path);
	struct stat st;

	if (stat(path, &st) != 0 || !S_ISDIR(st.st_mode)) {
		read_file(im, path);
		return;
	}
	while (n > 1 && path[n - 1] == '/')
		n--;
	for (size_t i = 0; i < 2; i++) {
		char *file = hd__format("%.*s/%s", (int)n, path, both[i]);

		if (access(file, F_OK) == 0) {
			read_file(im, file);
		} else {
			fprintf(stderr, "%s: there is no file '%s'; expected '%s' and '%s' in a "
			        "configuration folder\n", path, both[i], both[0], both[1]);
			im->errors++;
		}
		free(file);
	}
}

static bool any_set(const struct hd_import *im, const char *const *prefixes)
{
	for (size_t i = 0; i < im->nlines; i++)
		for (size_t k = 0; prefixes[k]; k++)
			if (strncmp(hd__import_options[im->lines[i].option].name, prefixes[k],
			            strlen(prefixes[k])) == 0)
				return true;
	return false;
}

/* The reference takes a default for what a file leaves out, and defaults give a core that cannot
 * execute its traces: so a forgotten file would be noticed late. */
void hd__import_complete(struct hd_import *im)
{
	static const char *const core[] = { "gpgpu_", NULL };
	static const char *const units[] = { "trace_opcode_latency_initiation_",
		"specialized_unit_", NULL };
	const char *missing = !any_set(im, core) ? both[0] : !any_set(im, units) ? both[1] : NULL;

	if (!missing || im->errors)
		return;
	if (im->nfiles)
		fprintf(stderr, "%s: ", im->files[im->nfiles - 1]);
	fprintf(stderr, "no option sets %s; expected '%s' as well\n", missing == both[0]
	        ? "an SM or a GPU ('-gpgpu_...')"
	        : "latencies of units ('-trace_opcode_latency_initiation_...') or units of the core "
	          "('-specialized_unit_...')", missing);
	im->errors++;
}
