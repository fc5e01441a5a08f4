/* opcode_json.c - reads JSON tables, and guesses what a word in them should be
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "opcodes.h"
#include "base/words.h"

#include <jansson.h>
#include <unistd.h>

/* Tables are small, and jansson reads from memory much faster than from a file. */
json_t *hd__trace_json_file(const struct trace_host *host, const char *path, void *error)
{
	char text[16384];
	const char *why;
	int fd = host->open(host->self, path, &why);
	json_error_t *e = error;
	json_t *root = NULL;
	ssize_t n;

	if (fd < 0) {
		e->line = 0;
		snprintf(e->text, sizeof e->text, "cannot open: %s", why);
		return NULL;
	}
	n = read(fd, text, sizeof text);
	if (n >= 0 && (size_t)n < sizeof text) {
		root = json_loadb(text, (size_t)n, JSON_REJECT_DUPLICATES, error);
	} else if (lseek(fd, 0, SEEK_SET) == 0) { /* a large one, or one that cannot be read */
		root = json_loadfd(fd, JSON_REJECT_DUPLICATES, error);
	} else {
		e->line = 0;
		snprintf(e->text, sizeof e->text, "cannot read it; expected a file, which a pipe is not");
	}
	close(fd);
	return root;
}

int hd__trace_json_bad(const struct trace_host *host, const char *file, const void *error)
{
	const json_error_t *e = error;

	if (e->line > 0)
		return hd__trace_error(host, "%s:%d:%d: %s", file, e->line, e->column, e->text);
	return hd__trace_error(host, "%s: %s", file, e->text);
}

const char *hd__trace_nearest(const char *word, const char *const *names)
{
	size_t n = 0;

	while (names[n])
		n++;
	return hd__nearest(word, names, n);
}

const char *hd__trace_unknown(const char *word, const char *const *names, char what[TRACE_UNKNOWN])
{
	const char *near;

	for (size_t i = 0; names[i]; i++)
		if (strcmp(names[i], word) == 0)
			return NULL;
	near = hd__trace_nearest(word, names);
	snprintf(what, TRACE_UNKNOWN, "unknown '%.40s'%s%s%s", word, near ? "; did you mean '" : "", near ? near : "",
	         near ? "'?" : "");
	return what;
}

const char *hd__trace_unknown_member(json_t *o, const char *const *names, char what[TRACE_UNKNOWN])
{
	const char *key;
	json_t *v;

	json_object_foreach(o, key, v)
		if (hd__trace_unknown(key, names, what))
			return what;
	return NULL;
}
