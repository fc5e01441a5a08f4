/* opcode_json.c - reads JSON tables, and guesses what a word in them should be
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "opcodes.h"
#include "base/json_read.h"
#include "base/words.h"

#include <stdlib.h>

#define MOST_TABLE ((size_t)64 << 20) /* bytes */

json_t *hd__trace_json(const struct trace_host *host, const char *file, const char *text, size_t n)
{
	struct hd_diags d = { 0 };
	json_t *root = hd__json_parse(file, text, n, &d);

	for (size_t i = 0; i < d.n; i++)
		hd__trace_error(host, "%s:%d:%d: %s", file, d.v[i].line, d.v[i].column, d.v[i].text);
	hd__diags_free(&d);
	return root;
}

json_t *hd__trace_json_file(const struct trace_host *host, const char *path)
{
	int fd = hd__trace_file(host, path, 0);
	size_t n;
	char *text = fd >= 0 ? hd__trace_file_text(host, path, fd, MOST_TABLE, &n) : NULL;
	json_t *root = text ? hd__trace_json(host, path, text, n) : NULL;

	free(text);
	return root;
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
