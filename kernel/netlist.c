/* netlist.c - reads a netlist file: JSON, its outer form, messages about it
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Reading goes on after a mistake, so that all of them are reported at once.
 */
#include "netlist_read.h"
#include "xalloc.h"

#include <errno.h>

enum { VERSION = 1 }; /* of the netlist language */

#define MAX_FILE ((size_t)64 << 20) /* bytes; a device file would never end */
#define DEFAULT_WATCHDOG 50000      /* longer than any real stall, short enough to wait for */
#define MAX_WATCHDOG UINT64_C(1000000000000000)

/* ---- messages ------------------------------------------------------------------------------ */

/* " (from '$width')" if the text at `value` is a "$" string that the message does not repeat. */
static char *origin(const char *value, const char *message)
{
	size_t n;
	char *quoted, *s = NULL;

	if (value == NULL || value[0] != '"' || value[1] != '$' || value[2] == '$')
		return hd__xstrdup("");
	n = strcspn(value + 1, "\"\\");
	quoted = hd__xstrndup(value + 1, n);
	s = strstr(message, quoted) != NULL ? hd__xstrdup("") : hd__format(" (from '%s')", quoted);
	free(quoted);
	return s;
}

/* Cuts pointers until the text has the place: parts of parameters are not in it. */
static const char *find_nearest(const struct hd_netlist *n, const char *at, const char *member,
                                bool key)
{
	char *pointer = member != NULL ? hd__pointer_add(at, member) : hd__xstrdup(at), *cut;
	const char *place = n->text != NULL ? hd__find(n->text, pointer, key) : NULL;

	while (n->text != NULL && place == NULL && (cut = strrchr(pointer, '/')) != NULL) {
		*cut = '\0';
		place = hd__find(n->text, pointer, false);
	}
	free(pointer);
	return place;
}

static void report(const struct hd_netlist *n, struct hd_diags *d, enum hd_severity s,
                   const char *at, const char *member, bool key, const char *fmt, va_list ap)
{
	const char *place;
	char *text, *from;
	int line = 0, column = 0;

	if (d->n == HD_DIAGS_KEPT) { /* will only be counted: no need to look for the place */
		hd__diagv(d, s, n->file, line, column, fmt, ap);
		return;
	}
	place = find_nearest(n, at, member, key);
	text = hd__xvprintf(fmt, ap);
	if (place != NULL)
		hd__line_column(n->text, place, &line, &column);
	from = origin(key ? NULL : place, text);
	hd__diag(d, s, n->file, line, column, "%s%s", text, from);
	free(from);
	free(text);
}

void hd__netlist_diag(const struct hd_netlist *n, struct hd_diags *d, enum hd_severity s,
                      const char *at, const char *member, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	report(n, d, s, at, member, false, fmt, ap);
	va_end(ap);
}

void hd__netlist_diag_key(const struct hd_netlist *n, struct hd_diags *d, enum hd_severity s,
                          const char *at, const char *member, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	report(n, d, s, at, member, true, fmt, ap);
	va_end(ap);
}

/* ---- JSON ---------------------------------------------------------------------------------- */

/* jansson gives the place behind what it stumbled over, and mostly says what that was. */
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

/* What is wrong, where jansson's own words would not help; else NULL. */
static const char *plain_words(const char *place, size_t left, const json_error_t *e)
{
	if (json_error_code(e) == json_error_null_character
	    || json_error_code(e) == json_error_null_byte_in_key)
		return "\\u0000 in a string; expected text";
	if (left > 0 && (*place == '/' || *place == '#'))
		return "it has no comments; expected a member \"doc\" instead";
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

/* ---- the outer form ------------------------------------------------------------------------ */

static bool check_version(const struct hd_netlist *n, struct hd_diags *d)
{
	const json_t *v = json_object_get(n->root, "heddle");
	char buf[80];

	if (v == NULL) {
		hd__netlist_diag(n, d, HD_DIAG_ERROR, "", NULL,
		                 "netlist has no 'heddle'; expected \"heddle\": %d, the version of "
		                 "its language",
		                 VERSION);
		return true;
	}
	if (json_is_integer(v) && json_integer_value(v) == VERSION)
		return true;
	hd__netlist_diag(n, d, HD_DIAG_ERROR, "", "heddle",
	                 "unknown version of the netlist language; this program reads version %d, "
	                 "found %s",
	                 VERSION, hd__found(v, buf, sizeof buf));
	return false;
}

/* Are the sections there, and are they lists or objects? */
static void check_sections(const struct hd_netlist *n, struct hd_diags *d)
{
	const json_t *clocks = json_object_get(n->root, "clocks");
	const json_t *instances = json_object_get(n->root, "instances");
	const json_t *links = json_object_get(n->root, "links");
	struct hd_entry e = { n, d, n->root, "", "netlist" };

	if (clocks != NULL && !json_is_object(clocks))
		hd__entry_wrong(&e, "clocks", "an object", clocks);
	if (instances == NULL)
		hd__netlist_diag(n, d, HD_DIAG_ERROR, "", NULL,
		                 "netlist has no 'instances'; expected an object");
	else if (!json_is_object(instances))
		hd__entry_wrong(&e, "instances", "an object", instances);
	if (links != NULL && !json_is_array(links))
		hd__entry_wrong(&e, "links", "a list", links);
}

static void read_text(const struct hd_entry *e, const char *member, char **text)
{
	const json_t *v = json_object_get(e->o, member);

	if (json_is_string(v))
		*text = hd__xstrdup(json_string_value(v));
	else if (v != NULL && strcmp(member, "doc") != 0) /* hd__entry_known looks at "doc" */
		hd__entry_wrong(e, member, "string", v);
}

static void read_watchdog(struct hd_netlist *n, struct hd_scope *s, struct hd_diags *d)
{
	json_t *v = json_object_get(n->root, "watchdog");
	struct hd_entry e = { n, d, hd__xcheck(json_object()), "", "netlist" };

	n->watchdog = DEFAULT_WATCHDOG;
	if (v != NULL)
		json_object_set_new(e.o, "watchdog", hd__resolve(s, v, "/watchdog"));
	hd__entry_u64(&e, "watchdog", 1, MAX_WATCHDOG, &n->watchdog);
	json_decref(e.o);
}

static void read_root(struct hd_netlist *n, struct hd_diags *d)
{
	static const char *const known[] = { "heddle",    "name",  "doc",      "params", "clocks",
		                             "instances", "links", "watchdog", NULL };
	struct hd_entry e = { n, d, n->root, "", "netlist" };
	struct hd_scope *s;

	hd__entry_known(&e, known);
	check_sections(n, d);
	read_text(&e, "name", &n->name);
	read_text(&e, "doc", &n->doc);
	s = hd__scope_new(n, d);
	read_watchdog(n, s, d);
	hd__read_clocks(n, s, d);
	hd__read_instances(n, s, d);
	hd__read_links(n, s, d);
	hd__scope_unread(s);
	hd__scope_free(s);
}

struct hd_netlist *hd__netlist_parse(const char *file, const char *text, size_t length,
                                     struct hd_diags *d)
{
	struct hd_netlist *n;
	json_error_t e;
	json_t *root = json_loadb(text, length, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &e);
	char buf[80];

	if (root == NULL) {
		syntax_error(file, text, length, &e, d);
		return NULL;
	}
	if (!json_is_object(root)) {
		hd__diag(d, HD_DIAG_ERROR, file, 1, 1, "expected a netlist, an object; found %s",
		         hd__found(root, buf, sizeof buf));
		json_decref(root);
		return NULL;
	}
	if (json_is_string(json_object_get(root, "$schema")))
		json_object_del(root, "$schema"); /* tells editors what `heddle schema` wrote */
	n = hd__xcalloc(1, sizeof *n);
	n->file = hd__xstrdup(file);
	n->text = hd__xstrndup(text, length);
	n->root = root;
	if (!check_version(n, d)) {
		hd__netlist_free(n);
		return NULL;
	}
	read_root(n, d);
	return n;
}

/* The whole file; NULL with errno set.  The caller frees it. */
static char *read_file(const char *file, size_t *length)
{
	FILE *f = fopen(file, "rb");
	char *text = NULL;
	size_t cap = 0, n = 0;

	if (f == NULL)
		return NULL;
	do {
		cap = cap > 0 ? 2 * cap : (size_t)1 << 16;
		text = hd__xrealloc(text, cap);
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

struct hd_netlist *hd__netlist_read(const char *file, struct hd_diags *d)
{
	struct hd_netlist *n;
	size_t length;
	char *text = read_file(file, &length);

	if (text == NULL) {
		hd__diag(d, HD_DIAG_ERROR, file, 0, 0, "cannot read the netlist: %s",
		         strerror(errno));
		return NULL;
	}
	n = hd__netlist_parse(file, text, length, d);
	free(text);
	return n;
}

void hd__netlist_free(struct hd_netlist *n)
{
	if (n == NULL)
		return;
	hd__free_clocks(n);
	hd__free_instances(n);
	hd__free_links(n);
	json_decref(n->params);
	json_decref(n->root);
	free(n->name);
	free(n->doc);
	free(n->text);
	free(n->file);
	free(n);
}
