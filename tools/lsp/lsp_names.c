/* lsp_names.c - what may stand at a place of a netlist: names that it gives itself, files, and what the schema has
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "lsp.h"
#include "base/pointer.h"
#include "base/xalloc.h"
#include "kernel/netlist/composition.h"

#include <dirent.h>

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

enum { MOST_STEPS = 24 };

struct search {
	struct lsp_names *out;
	const json_t *netlists; /* their schema */
	char *step[MOST_STEPS]; /* of the pointer */
	size_t n;
	size_t cursor;          /* bytes of the token in front of it */
};

/* Where a path has led to. */
struct place {
	const struct hd_frame *frame; /* a netlist; NULL: nowhere */
	char *pointer;                /* "": to that itself; else in it to an instance, a clock, or a value */
};

static bool is(const char *a, const char *b)
{
	return strcmp(a, b) == 0;
}

/* ---- the list ------------------------------------------------------------------------------ */

/* Takes over `doc`. */
static struct lsp_name *add(struct lsp_names *l, const char *name, const char *suffix, enum lsp_kind kind, char *doc)
{
	l->v = hd__xgrow(l->v, l->n, &l->cap, sizeof *l->v);
	l->v[l->n] = (struct lsp_name){ hd__xstrdup(name), suffix, kind, false, doc, NULL, NULL };
	return &l->v[l->n++];
}

/* What the schema of netlists has at a place of a document: names of members, or values. */
static void add_schema(struct lsp_names *l, const json_t *schema, const json_t *document, const char *pointer, bool key)
{
	json_t *all = lsp_schemas(schema, document, pointer), *one, *v;
	const char *name, *doc;
	size_t i, k;

	json_array_foreach(all, i, one) {
		json_t *docs = json_object_get(one, "enumDescriptions");
		const char *type = json_string_value(json_object_get(one, "type"));

		json_object_foreach(key ? json_object_get(one, "properties") : NULL, name, v) {
			doc = json_string_value(json_object_get(v, "description"));
			add(l, name, "", LSP_PROPERTY, doc ? hd__xstrdup(doc) : NULL);
		}
		json_array_foreach(key ? NULL : json_object_get(one, "enum"), k, v) {
			doc = json_string_value(json_array_get(docs, k));
			if (json_is_string(v))
				add(l, json_string_value(v), "", docs ? LSP_MODULE : LSP_VALUE,
				    doc ? hd__xstrdup(doc) : NULL);
		}
		for (k = 0; !key && !l->cursor.quoted && type && is(type, "boolean") && k < 2; k++)
			add(l, k ? "false" : "true", "", LSP_VALUE, NULL)->bare = true;
	}
	json_decref(all);
}

static const struct hd_module *module_of(const struct lsp_names *l, const json_t *instance)
{
	const char *module = json_string_value(json_object_get(instance, "module"));

	return module ? hd__registry_find(l->registry, module) : NULL;
}

/* Parameters, clocks, exports or instances of a netlist; `array`, `single`: what follows the name. */
static void add_section(struct lsp_names *l, const struct hd_frame *f, const char *section, const char *array,
                        const char *single, enum lsp_kind kind)
{
	const char *name;
	json_t *v;

	json_object_foreach(f ? json_object_get(f->part->doc->root, section) : NULL, name, v) {
		const struct hd_module *m = kind == LSP_INSTANCE ? module_of(l, v) : NULL;
		const char *doc = json_string_value(json_object_get(v, "doc"));
		const json_t *value = json_object_get(v, kind == LSP_INSTANCE ? "netlist" : "value");
		char *text = json_is_string(value) || kind != LSP_INSTANCE
		             ? json_dumps(value ? value : v, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;
		struct lsp_name *one;

		if (!is(name, "doc")) {
			one = add(l, name, json_object_get(v, "count") ? array : single, kind,
			          m ? hd__format("`%s`: %s", m->name, m->doc)
			            : hd__format("%s%s%s", doc ? doc : "", doc ? "\n\n" : "", text ? text : ""));
			one->pointer = hd__format("/%s/%s", section, name);
			one->part = f->part;
		}
		free(text);
	}
}

/* Ports of an instance that may be at that end of a link, "from" or "to"; NULL: at any. */
static void add_ports(struct lsp_names *l, const struct place *p, const char *end)
{
	const json_t *instance = json_object_get(p->frame ? hd__frame_instances(p->frame) : NULL,
	                                         *p->pointer ? strrchr(p->pointer, '/') + 1 : "");
	const struct hd_module *m = module_of(l, instance);

	if (!*p->pointer)
		add_section(l, p->frame, "exports", "", "", LSP_PORT);
	for (const struct hd_port *port = m ? m->ports : NULL; port && port->name; port++) {
		bool source = port->kind == HD_OUT || port->kind == HD_USES;

		if (!end || is(end, "from") == source)
			add(l, port->name, "", LSP_PORT,
			    hd__format("%s\n\n%s `%s`", port->doc, source ? "to" : "from", port->type->name));
	}
}

static void add_folder(struct lsp_names *l, const char *folder)
{
	struct dirent **v = NULL;
	int n = scandir(folder, &v, NULL, alphasort);

	for (int i = 0; i < n; i++) {
		size_t length = strlen(v[i]->d_name);

		if (length > 5 && is(v[i]->d_name + length - 5, ".json"))
			add(l, v[i]->d_name, "", LSP_FILE, hd__join(folder, "/", v[i]->d_name));
		free(v[i]);
	}
	free(v);
}

static void add_files(struct lsp_names *l)
{
	const char *slash = strrchr(l->file, '/');
	char *own = slash ? hd__xstrndup(l->file, (size_t)(slash - l->file)) : hd__xstrdup(".");
	char *folder = hd__netlist_folder();

	add(l, l->token, "", LSP_FILE, hd__data_path(l->file, l->token)); /* whatever folder it names */
	add_folder(l, own);
	if (folder && !is(folder, own))
		add_folder(l, folder);
	free(folder);
	free(own);
}

/* ---- paths --------------------------------------------------------------------------------- */

/* The netlist inside of an instance; NULL: it is a module. */
static const struct hd_frame *inside(const struct lsp_names *l, const struct hd_frame *f, const char *name)
{
	const struct hd_sub *sub = hd__frame_sub(f, name);

	return sub && sub->count > 0 ? l->netlist->frames[sub->first] : NULL;
}

/* Is it the pointer of an instance, whose parameters paths name as if they were its members? */
static bool is_instance(const char *pointer)
{
	return strncmp(pointer, "/instances/", 11) == 0 && !strchr(pointer + 11, '/');
}

/* Goes to the member of that name, or to an element of it. */
static void follow(const struct lsp_names *l, struct place *p, const char *name, bool element)
{
	const struct hd_frame *inner = p->frame && !*p->pointer ? inside(l, p->frame, name) : NULL;
	char *was = p->pointer;
	const char *in = is_instance(was) ? "/params" : "";

	if (!p->frame || is(name, "instances") || is(name, "params"))
		return;
	if (inner) {
		p->frame = inner;
		return;
	}
	if (!*was)
		in = json_object_get(hd__frame_instances(p->frame), name) ? "/instances" : "/clocks";
	p->pointer = hd__format("%s%s/%s%s", was, in, name, *was && element ? "/0" : "");
	free(was);
}

/* Follows a path up to the name that byte `cursor` of the token is in, and notes that; it begins at byte `from`. */
static struct place walk(const struct lsp_names *l, const struct hd_frame *f, const char *path, size_t from,
                         size_t cursor, size_t *last, size_t *length)
{
	struct place p = { f, hd__xstrdup("") };

	for (;;) {
		size_t n = strcspn(path + from, ".[, "), all = n;
		char *name;

		all += path[from + all] == '[' ? strcspn(path + from + all, "]") : 0;
		all += strcspn(path + from + all, ".,");
		*last = from;
		*length = n;
		if (path[from + all] != '.' || from + all >= cursor)
			return p;
		name = hd__xstrndup(path + from, n);
		follow(l, &p, name, path[from + n] == '[');
		free(name);
		from += all + 1;
	}
}

/* The members of what a path leads to; with `value` the values that one of them may have. */
static void list_path(struct search *s, const struct hd_frame *f, const char *path, bool value)
{
	struct lsp_names *l = s->out;
	size_t from, length;
	struct place p = walk(l, f, path, 0, value ? SIZE_MAX : s->cursor, &from, &length);
	char *member = value ? hd__format("/%.*s", (int)length, path + from) : hd__xstrdup(""), *at;

	if (!value) {
		l->from = from;
		l->length = length;
	}
	if (*p.pointer) {
		for (int i = 0; i < (is_instance(p.pointer) ? 2 : 1); i++) {
			at = hd__format("%s%s%s", p.pointer, i ? "/params" : "", member);
			add_schema(l, s->netlists, p.frame->part->doc->root, at, !value);
			free(at);
		}
		if (is(member, "/clock"))
			add_section(l, p.frame, "clocks", "", "", LSP_CLOCK);
	} else if (!value) {
		add_section(l, p.frame, "params", "", "", LSP_PARAMETER);
		add_section(l, p.frame, "clocks", ".", ".", LSP_CLOCK);
		add_section(l, p.frame, "instances", "[*].", ".", LSP_INSTANCE);
	}
	free(member);
	free(p.pointer);
}

/* Ends of links, with commas between them. */
static void list_end(struct search *s, const struct hd_frame *f, const char *end)
{
	struct lsp_names *l = s->out;
	struct place p;
	size_t from = 0;

	for (size_t i = 0; i < s->cursor; i++)
		from = l->token[i] == ',' ? i + 1 : from;
	from += strspn(l->token + from, " ");
	p = walk(l, f, l->token, from, s->cursor, &l->from, &l->length);
	if (l->from == from)
		add_section(l, f, "instances", "[*].", ".", LSP_INSTANCE);
	else
		add_ports(l, &p, end);
	free(p.pointer);
}

/* "$name", also in an expression. */
static void list_references(struct search *s, const struct hd_frame *f)
{
	struct lsp_names *l = s->out;

	l->from = s->cursor;
	while (l->from > 1 && strchr(LETTERS, l->token[l->from - 1]))
		l->from--;
	l->length = strspn(l->token + l->from, LETTERS);
	add_section(l, f, "params", "", "", LSP_PARAMETER);
}

/* ---- where the cursor is -------------------------------------------------------------------- */

/* The last step but k; "" in front of the first. */
static const char *last(const struct search *s, size_t k)
{
	return s->n > k ? s->step[s->n - 1 - k] : "";
}

/* The object in which the cursor is has values by path. */
static bool has_paths(const struct search *s)
{
	size_t k = s->out->cursor.key ? 0 : 1;

	return is(last(s, k), "set") || (json_object_get(s->out->document, "study")
	       && (is(last(s, k + 1), "designs") || is(last(s, k + 1), "together")));
}

/* The netlist for which the names are: that which the changes at the cursor are for, or the document. */
static void open_netlist(struct search *s)
{
	struct lsp_names *l = s->out;
	const json_t *study = json_object_get(l->document, "study");
	const json_t *first = json_array_get(json_object_get(l->document, "netlists"), 0);
	const char *top = s->n > 0 ? s->step[0] : "", *base = NULL;
	char *path = NULL, *repaired = json_dumps(l->document, JSON_ENCODE_ANY);
	struct hd_diags mute = { .n = 0 };
	json_t *sound = json_loads(l->text, 0, NULL);

	if (study)
		base = json_string_value(json_is_string(first) ? first : json_object_get(first, "file"));
	else if (is(top, "set") || is(top, "rewire") || is(top, "remove"))
		base = json_string_value(json_object_get(l->document, "extends"));
	if (base) {
		path = hd__data_path(l->file, base);
		l->netlist = hd__netlist_read_set(path, NULL, 0, &mute);
	} else if (!study && (sound || repaired)) {
		l->netlist = hd__netlist_parse(l->file, sound ? l->text : repaired,
		                               strlen(sound ? l->text : repaired), &mute);
	}
	json_decref(sound);
	free(repaired);
	free(path);
	hd__diags_free(&mute);
}

/* The netlist in which the cursor is: one may stand inside of another. */
static const struct hd_frame *frame_here(const struct search *s)
{
	const struct hd_netlist *n = s->out->netlist;
	const struct hd_frame *f = n && n->nframes > 0 ? n->frames[0] : NULL;

	for (size_t i = 0; f && i + 3 < s->n; i++)
		if (is(s->step[i], "instances") && is(s->step[i + 2], "netlist"))
			f = inside(s->out, f, s->step[i + 1]);
	return f;
}

static void list_at_value(struct search *s, const struct hd_frame *f)
{
	struct lsp_names *l = s->out;
	bool in_list = last(s, 0)[0] >= '0' && last(s, 0)[0] <= '9';
	const char *name = last(s, in_list), *above = last(s, in_list + 1);

	if (l->token[0] == '$')
		list_references(s, f);
	else if (is(name, "from") || is(name, "to"))
		list_end(s, f, name);
	else if (is(above, "exports"))
		list_end(s, f, NULL);
	else if (is(name, "extends") || is(name, "netlist") || is(name, "netlists") || is(name, "file"))
		add_files(l);
	else if (is(name, "clock") || is(above, "clocks") || is(name, "of") || (in_list && is(name, "clocks")))
		add_section(l, f, "clocks", "", "", LSP_CLOCK);
	else if (in_list && is(name, "instances"))
		add_section(l, f, "instances", "", "", LSP_INSTANCE);
	else if (in_list && (is(name, "params") || is(name, "exports")))
		add_section(l, f, name, "", "", LSP_PARAMETER);
	else if (has_paths(s))
		list_path(s, f, last(s, 0), true);
}

static void list_at_key(struct search *s, const struct hd_frame *f)
{
	struct lsp_names *l = s->out;
	bool section = is(last(s, 0), "params") || is(last(s, 0), "clocks");

	if (has_paths(s)) {
		list_path(s, f, l->token, false);
	} else if (section && is(last(s, 2), "instances")) {
		add_section(l, f ? inside(l, f, last(s, 1)) : NULL, last(s, 0), "", "", LSP_PARAMETER);
	} else if (is(last(s, 0), "instances")) {
		add_section(l, f, "instances", "", "", LSP_INSTANCE);
		l->defined = l->n;
	} else if (section && s->n < 3) {
		add_section(l, f, last(s, 0), "", "", LSP_PARAMETER);
		l->defined = l->n;
	}
}

void lsp_names_find(struct lsp_names *l, const json_t *netlists, const json_t *studies)
{
	struct search s = { .out = l, .netlists = netlists };
	const struct hd_frame *f;
	const char *p;

	l->document = lsp_read(l->text, &l->cursor);
	l->token = hd__xstrndup(l->text + l->cursor.begin, l->cursor.end - l->cursor.begin);
	l->length = strlen(l->token);
	if (!l->cursor.pointer)
		return;
	s.cursor = l->cursor.at - l->cursor.begin;
	for (p = l->cursor.pointer; *p == '/' && s.n < MOST_STEPS;)
		s.step[s.n++] = hd__pointer_next(&p);
	open_netlist(&s);
	f = frame_here(&s);
	(l->cursor.key ? list_at_key : list_at_value)(&s, f);
	add_schema(l, json_object_get(l->document, "study") ? studies : netlists, l->document, l->cursor.pointer,
	           l->cursor.key);
	while (s.n > 0)
		free(s.step[--s.n]);
}

const struct lsp_name *lsp_names_here(const struct lsp_names *l)
{
	for (size_t i = 0; i < l->n; i++)
		if (strlen(l->v[i].name) == l->length && strncmp(l->v[i].name, l->token + l->from, l->length) == 0)
			return &l->v[i];
	return NULL;
}

bool lsp_name_place(const struct lsp_names *l, const struct lsp_name *name, const char **file, const char **text,
                    char **pointer)
{
	const struct hd_source *source;
	char *place, *rest;

	if (!name->pointer)
		return false;
	place = hd__doc_at(name->part->doc, name->pointer); /* "@SOURCE:POINTER" */
	source = l->netlist->sources[strtoul(place + 1, &rest, 10)];
	*file = source->file;
	*text = source->text;
	*pointer = hd__format("%s%s", source->inside ? source->inside : "", rest + 1);
	free(place);
	return source->text != NULL;
}

void lsp_names_free(struct lsp_names *l)
{
	for (size_t i = 0; i < l->n; i++) {
		free(l->v[i].name);
		free(l->v[i].doc);
		free(l->v[i].pointer);
	}
	free(l->v);
	free(l->token);
	free(l->cursor.pointer);
	json_decref(l->document);
	hd__netlist_free(l->netlist);
}
