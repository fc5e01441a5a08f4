/* source.c - reads the files of a netlist: text, JSON, syntax errors
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "composition.h"
#include "kernel/base/output.h"
#include "kernel/base/xalloc.h"

#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>

#define AT_ONCE ((size_t)1 << 16) /* bytes */
#define MAX_FILE ((size_t)64 << 20) /* bytes; a device file would never end */

/* ---- JSON ---------------------------------------------------------------------------------- */

/* jansson gives the place after the offending text, and mostly quotes that text. */
static size_t error_place(const char *text, size_t length, const json_error_t *e)
{
	size_t place = e->position > 0 ? (size_t)e->position : 0, n;
	const char *near = strstr(e->text, " near '");

	if (place > length)
		place = length;
	if (near != NULL) {
		near += strlen(" near '");
		n = strlen(near);
		n -= n > 0; /* the closing quote */
		if (n <= place && memcmp(text + place - n, near, n) == 0)
			place -= n;
	} else if (json_error_code(e) == json_error_duplicate_key && place > 0) {
		do
			place--;
		while (place > 0
		       && (text[place - 1] != '"' || (place > 1 && text[place - 2] == '\\')));
		place -= place > 0;
	}
	return place;
}

/* A message where jansson's own would not help; else NULL. */
static const char *plain_words(const char *place, size_t left, const json_error_t *e)
{
	if (json_error_code(e) == json_error_null_character
	    || json_error_code(e) == json_error_null_byte_in_key)
		return "\\u0000 in a string; expected text";
	if (left > 0 && (*place == '/' || *place == '#'))
		return "comments are not JSON; expected a member \"doc\" instead";
	if (left > 3 && memcmp(place, "\xEF\xBB\xBF", 3) == 0)
		return "byte order mark; expected '{'";
	return NULL;
}

static void syntax_error(const char *file, const char *text, size_t length, json_error_t *e,
                         struct hd_diags *d)
{
	size_t place = error_place(text, length, e);
	size_t behind = e->position > 0 ? (size_t)e->position : 0;
	const char *plain = plain_words(text + place, length - place, e);
	int line, column;

	hd__line_column(text, text + place, &line, &column);
	if (json_error_code(e) == json_error_duplicate_key && behind >= place + 2)
		hd__diag(d, HD_DIAG_ERROR, file, line, column,
		         "member '%.*s' appears twice in one object; expected different names",
		         (int)(behind - place - 2), text + place + 1);
	else
		hd__diag(d, HD_DIAG_ERROR, file, line, column, "bad JSON: %s",
		         plain != NULL ? plain : e->text);
}

/* ---- sources ------------------------------------------------------------------------------- */

uint32_t hd__source_add(struct hd_netlist *n, const char *file, char *text, json_t *root)
{
	struct hd_source *s = hd__xcalloc(1, sizeof *s);

	*s = (struct hd_source){ .file = hd__xstrdup(file), .text = text, .root = root };
	s->real = text != NULL ? realpath(file, NULL) : NULL;
	n->sources = hd__xgrow(n->sources, n->nsources, &n->cap_sources, sizeof *n->sources);
	n->sources[n->nsources] = s;
	return (uint32_t)n->nsources++;
}

uint32_t hd__source_inside(struct hd_netlist *n, json_t *root, const char *at)
{
	char *pointer;
	struct hd_source *around = n->sources[strtoul(at + 1, &pointer, 10)], *s;
	uint64_t *known = hd__int_map_at(&n->known->roots, (uint64_t)(uintptr_t)root);
	uint32_t number;

	if (*known != 0)
		return (uint32_t)*known - 1;
	number = hd__source_add(n, around->file, NULL, json_incref(root));
	*known = number + 1;
	s = n->sources[number];
	s->text = around->text;
	s->inside = hd__format("%s%s", around->inside != NULL ? around->inside : "", pointer + 1);
	return number;
}

bool hd__source_parse(struct hd_netlist *n, const char *file, const char *text, size_t length,
                      struct hd_diags *d, uint32_t *source)
{
	json_error_t e;
	json_t *root = json_loadb(text, length, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &e);
	char buf[80];

	if (root == NULL) {
		syntax_error(file, text, length, &e, d);
		return false;
	}
	if (!json_is_object(root)) {
		hd__diag(d, HD_DIAG_ERROR, file, 1, 1, "expected a netlist, an object; found %s",
		         hd__found(root, buf, sizeof buf));
		json_decref(root);
		return false;
	}
	if (json_is_string(json_object_get(root, "$schema")))
		json_object_del(root, "$schema"); /* names the schema to editors */
	*source = hd__source_add(n, file, hd__xstrndup(text, length), root);
	return true;
}

/* The whole file; NULL with errno set.  The caller frees it. */
static char *read_file(const char *file, size_t *length)
{
	FILE *f = fopen(file, "rb");
	char *text = NULL;
	size_t cap = 0, n = 0;

	if (f == NULL)
		return NULL;
	if (!hd__input_note(fileno(f))) {
		fclose(f);
		errno = ETXTBSY;
		return NULL;
	}
	do {
		text = hd__xreserve(text, n + AT_ONCE, &cap, 1);
		n += fread(text + n, 1, cap - n, f);
	} while (n == cap && n <= MAX_FILE);
	if (n > MAX_FILE)
		errno = EFBIG;
	if (ferror(f) || n > MAX_FILE) {
		int why = errno;

		free(text);
		text = NULL;
		fclose(f);
		errno = why;
		return NULL;
	}
	fclose(f);
	*length = n;
	return text;
}

static int is_json(const struct dirent *e)
{
	const char *dot = strrchr(e->d_name, '.');

	return dot != NULL && strcmp(dot, ".json") == 0;
}

/* "; did you mean 'x.json'?" if the folder has a file of a like name; else "". */
static char *near_file(const char *file)
{
	const char *slash = strrchr(file, '/'), *near;
	char *folder = slash != NULL ? hd__xstrndup(file, (size_t)(slash + 1 - file))
	                             : hd__xstrdup(".");
	struct dirent **v = NULL;
	int n = scandir(folder, &v, is_json, alphasort);
	const char **names = hd__xcalloc(n > 0 ? (size_t)n : 0, sizeof *names);
	char *text;

	for (int i = 0; i < n; i++)
		names[i] = v[i]->d_name;
	near = hd__nearest(slash != NULL ? slash + 1 : file, names, n > 0 ? (size_t)n : 0);
	text = near != NULL ? hd__format("; did you mean '%s'?", near) : hd__xstrdup("");
	for (int i = 0; i < n; i++)
		free(v[i]);
	free(v);
	free(names);
	free(folder);
	return text;
}

static void unreadable(struct hd_netlist *n, const char *file, const char *at, const char *why,
                       struct hd_diags *d)
{
	char *near;

	if (at == NULL) {
		hd__diag(d, HD_DIAG_ERROR, file, 0, 0, "cannot read the netlist: %s", why);
		return;
	}
	near = near_file(file);
	hd__netlist_diag(n, d, HD_DIAG_ERROR, at, NULL, "cannot read the netlist '%s': %s%s", file,
	                 why, near);
	free(near);
}

/* A netlist that another one names must be a regular file: reading a terminal or a pipe would
 * wait. */
static bool is_file(const char *file)
{
	struct stat st;

	return stat(file, &st) != 0 || S_ISREG(st.st_mode) || S_ISDIR(st.st_mode);
}

bool hd__source_read(struct hd_netlist *n, const char *file, const char *at, struct hd_diags *d,
                     uint32_t *source)
{
	size_t length;
	char *text;
	bool ok;

	for (size_t i = 0; i < n->nsources; i++) {
		if (n->sources[i]->text != NULL && n->sources[i]->inside == NULL
		    && strcmp(n->sources[i]->file, file) == 0) {
			*source = (uint32_t)i;
			return true;
		}
	}
	if (at != NULL && !is_file(file)) {
		unreadable(n, file, at, "it is not a file", d);
		return false;
	}
	text = read_file(file, &length);
	if (text == NULL) {
		unreadable(n, file, at, errno == ETXTBSY ? "the output would replace it" : strerror(errno),
		           d);
		return false;
	}
	ok = hd__source_parse(n, file, text, length, d, source);
	free(text);
	return ok;
}

/* ---- origin of a value --------------------------------------------------------------------- */

/* Notes the source of all texts in the tree that have none yet. */
static void note_texts(struct hd_int_map *texts, json_t *tree, uint64_t number)
{
	const char *key;
	uint64_t *known;
	json_t *v;
	size_t i;

	if (json_is_string(tree)) {
		known = hd__int_map_at(texts, (uint64_t)(uintptr_t)tree);
		*known = *known != 0 ? *known : number;
	}
	json_array_foreach(tree, i, v)
		note_texts(texts, v, number);
	json_object_foreach(tree, key, v)
		note_texts(texts, v, number);
}

const char *hd__netlist_file_of(const struct hd_netlist *n, const json_t *text)
{
	const struct hd_source *s;
	uint64_t number;

	for (size_t *i = &n->known->noted; n->nsources > 1 && *i < n->nsources; ++*i)
		if (n->sources[*i]->inside == NULL) /* else it is noted with that around it */
			note_texts(&n->known->texts, n->sources[*i]->root, *i + 1);
	number = hd__int_map_get(&n->known->texts, (uint64_t)(uintptr_t)text);
	if (number == 0)
		return n->file;
	s = n->sources[number - 1];
	return s->text != NULL ? s->file : NULL;
}
