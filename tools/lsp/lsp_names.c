/* lsp_names.c - names that the netlist itself gives: instances, ports, parameters, clocks, paths, files
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "lsp.h"
#include "base/xalloc.h"
#include "kernel/netlist/composition.h"
#include "kernel/param.h"

#include <dirent.h>

enum { MOST_STEPS = 24 };

struct search {
	struct lsp_names *out;
	const struct hd_registry *r;
	const char *file, *token;
	const json_t *document;
	bool key;
	char *step[MOST_STEPS]; /* of the pointer */
	size_t n;
	size_t cursor;          /* bytes of the token in front of it */
};

/* Where a path has led to. */
struct place {
	const struct hd_frame *frame;    /* a netlist, or */
	const struct hd_module *module;  /* an instance of a module, or */
	const struct hd_param *columns;  /* a row of a table, or */
	const struct hd_param *value;    /* a parameter of a module, or */
	const char *member;              /* a member of an instance, "clock", or */
	bool clock;                      /* a clock */
};

static const char *const clock_members[] = { "mhz", "hz", "of", "times", "phase", "gate", NULL };
static const char *const members[] = { "count", "module", "clock", NULL };

/* ---- the list ------------------------------------------------------------------------------ */

/* Takes over `doc`. */
static void add(struct search *s, const char *name, const char *suffix, enum lsp_kind kind, char *doc)
{
	struct lsp_names *l = s->out;

	l->v = hd__xgrow(l->v, l->n, &l->cap, sizeof *l->v);
	l->v[l->n++] = (struct lsp_name){ hd__xstrdup(name), suffix, kind, doc, NULL, NULL };
}

/* The last one is defined there. */
static void at(struct search *s, const struct hd_frame *f, const char *section)
{
	struct lsp_name *last = &s->out->v[s->out->n - 1];

	last->pointer = hd__format("/%s/%s", section, last->name);
	last->part = f->part;
}

static void add_words(struct search *s, const char *const *words, enum lsp_kind kind)
{
	for (; words && *words; words++)
		add(s, *words, "", kind, NULL);
}

/* ---- what is in a netlist ---- */

static char *text_of(const json_t *v)
{
	const char *doc = json_string_value(json_object_get(v, "doc"));
	const json_t *value = json_object_get(v, "value");
	char *text = json_dumps(value ? value : v, JSON_ENCODE_ANY | JSON_COMPACT), *all;

	if (!doc)
		return text;
	all = hd__format("%s\n\n%s", doc, value && text ? text : "");
	free(text);
	return all;
}

/* Parameters, clocks or exports of a netlist. */
static void add_section(struct search *s, const struct hd_frame *f, const char *section, const char *suffix,
                        enum lsp_kind kind)
{
	const char *name;
	json_t *v;

	if (!f)
		return;
	json_object_foreach(json_object_get(f->part->doc->root, section), name, v)
		if (strcmp(name, "doc") != 0) {
			add(s, name, suffix, kind, text_of(v));
			at(s, f, section);
		}
}

static const struct hd_instance_decl *declared(const struct search *s, const struct hd_frame *f, const char *name)
{
	const struct hd_netlist *n = s->out->netlist;
	char *full = hd__join(f->prefix, name, "");
	const struct hd_instance_decl *found = NULL;

	for (size_t i = 0; i < n->ninstances && !found; i++)
		if (strcmp(n->instances[i].name, full) == 0)
			found = &n->instances[i];
	free(full);
	return found;
}

static const struct hd_module *module_of(const struct search *s, const struct hd_frame *f, const char *name)
{
	const struct hd_instance_decl *d = declared(s, f, name);

	return d && d->module ? hd__registry_find(s->r, d->module) : NULL;
}

/* The netlist inside of an instance; NULL: it is a module. */
static const struct hd_frame *inside(const struct search *s, const struct hd_frame *f, const char *name)
{
	const struct hd_sub *sub = f ? hd__frame_sub(f, name) : NULL;

	return sub && sub->count > 0 ? s->out->netlist->frames[sub->first] : NULL;
}

/* `array`, `single`: what follows the name. */
static void add_instances(struct search *s, const struct hd_frame *f, const char *array, const char *single)
{
	const char *name;
	json_t *v;

	json_object_foreach(f ? hd__frame_instances(f) : NULL, name, v) {
		const struct hd_module *m = module_of(s, f, name);
		bool many = json_object_get(v, "count") != NULL;
		const char *inner = json_string_value(json_object_get(v, "netlist"));

		if (!json_is_object(v))
			continue;
		add(s, name, many ? array : single, LSP_INSTANCE,
		    m ? hd__format("`%s`: %s", m->name, m->doc) : inner ? hd__format("`%s`", inner) : NULL);
		at(s, f, "instances");
	}
}

/* ---- what is in a descriptor ---- */

static char *about(const struct hd_param *p)
{
	char form[900];
	const char *unit = p->unit && *p->unit ? p->unit : NULL;

	return hd__format("%s\n\n%s%s%s%s%s", p->doc, hd__param_form(p, form, sizeof form), unit ? ", " : "",
	                  unit ? unit : "", p->def ? ", default " : ", required", p->def ? p->def : "");
}

static void add_params(struct search *s, const struct hd_param *p)
{
	for (; p && p->name; p++)
		add(s, p->name, "", LSP_PROPERTY, about(p));
}

/* Ports of an instance that may be at that end of a link, "from" or "to"; NULL: at any. */
static void add_ports(struct search *s, const struct hd_frame *f, const char *name, const char *end)
{
	const struct hd_frame *inner = inside(s, f, name);
	const struct hd_module *m = inner || !f ? NULL : module_of(s, f, name);

	add_section(s, inner, "exports", "", LSP_PORT);
	for (const struct hd_port *p = m ? m->ports : NULL; p && p->name; p++) {
		bool source = p->kind == HD_OUT || p->kind == HD_USES;

		if (!end || (strcmp(end, "from") == 0) == source)
			add(s, p->name, "", LSP_PORT,
			    hd__format("%s\n\n%s `%s`", p->doc, source ? "to" : "from", p->type->name));
	}
}

/* ---- paths --------------------------------------------------------------------------------- */

static void list_place(struct search *s, const struct place *p)
{
	if (p->frame) {
		add_section(s, p->frame, "params", "", LSP_PARAMETER);
		add_section(s, p->frame, "clocks", ".", LSP_CLOCK);
		add_instances(s, p->frame, "[*].", ".");
	}
	if (p->module) {
		add_params(s, hd__registry_params(s->r, p->module));
		add_words(s, members, LSP_PROPERTY);
	}
	add_params(s, p->columns);
	if (p->clock)
		add_words(s, clock_members, LSP_PROPERTY);
}

static const struct hd_param *param(const struct hd_param *p, const char *name)
{
	for (; p && p->name; p++)
		if (strcmp(p->name, name) == 0)
			return p;
	return NULL;
}

/* Goes to the member of that name, without its index. */
static struct place follow(const struct search *s, const struct place *p, const char *name)
{
	struct place to = { .frame = NULL };

	if (p->frame && (strcmp(name, "params") == 0 || strcmp(name, "instances") == 0))
		return *p;
	if (p->frame) {
		to.frame = inside(s, p->frame, name);
		to.module = to.frame ? NULL : module_of(s, p->frame, name);
		to.clock = json_object_get(json_object_get(p->frame->part->doc->root, "clocks"), name) != NULL;
	} else if (p->module && strcmp(name, "params") == 0) {
		return *p;
	} else {
		to.value = param(p->module ? hd__registry_params(s->r, p->module) : p->columns, name);
		to.columns = to.value ? to.value->columns : NULL;
		for (const char *const *m = members; !to.value && *m; m++)
			to.member = strcmp(name, *m) == 0 ? *m : to.member;
	}
	return to;
}

/* Follows a path up to the name that byte `cursor` is in, which *from and *length are of. */
static struct place walk(const struct search *s, const struct hd_frame *f, const char *path, size_t cursor,
                         size_t *from, size_t *length)
{
	struct place p = { .frame = f };
	const char *begin = path;

	for (;;) {
		size_t n = strcspn(begin, ".["), all = strcspn(begin, ".");
		char *name;

		if (begin[all] == '\0' || (size_t)(begin - path) + all >= cursor) {
			*from = (size_t)(begin - path);
			*length = n;
			return p;
		}
		name = hd__xstrndup(begin, n);
		p = follow(s, &p, name);
		free(name);
		begin += all + 1;
	}
}

/* What the value at a path may be. */
static void list_values(struct search *s, const struct hd_frame *f, const char *path)
{
	static const char *const truth[] = { "true", "false", NULL };
	size_t from, length;
	struct place p = walk(s, f, path, SIZE_MAX, &from, &length), end;
	char *name = hd__xstrndup(path + from, length);

	end = follow(s, &p, name);
	free(name);
	if (end.value)
		add_words(s, end.value->type == HD_BOOL ? truth : end.value->choices, LSP_VALUE);
	for (size_t i = 0; end.member && strcmp(end.member, "module") == 0 && i < s->r->n; i++)
		add(s, s->r->v[i].module->name, "", LSP_MODULE, hd__xstrdup(s->r->v[i].module->doc));
	if (end.member && strcmp(end.member, "clock") == 0)
		add_section(s, f, "clocks", "", LSP_CLOCK);
}

/* ---- ends of links ---- */

static void list_end(struct search *s, const struct hd_frame *f, const char *end)
{
	size_t from = 0, length;
	const char *text = s->token, *dot;
	char *name;

	for (size_t i = 0; i < s->cursor && text[i]; i++)
		if (text[i] == ',')
			from = i + 1;
	from += strspn(text + from, " ");
	dot = strpbrk(text + from, ".,[");
	while (dot && *dot == '[')
		dot = strpbrk(dot + 1, "],") ? strpbrk(strpbrk(dot + 1, "],"), ".,") : NULL;
	length = strcspn(text + from, ".[,");
	if (!dot || *dot == ',' || (size_t)(dot - text) >= s->cursor) {
		add_instances(s, f, "[*].", ".");
	} else {
		name = hd__xstrndup(text + from, length);
		add_ports(s, f, name, end);
		free(name);
		from = (size_t)(dot + 1 - text);
		length = strcspn(text + from, ", ");
	}
	s->out->from = from;
	s->out->length = length;
}

/* ---- files ---- */

static void list_folder(struct search *s, const char *folder)
{
	struct dirent **v = NULL;
	int n = scandir(folder, &v, NULL, alphasort);

	for (int i = 0; i < n; i++) {
		size_t length = strlen(v[i]->d_name);

		if (length > 5 && strcmp(v[i]->d_name + length - 5, ".json") == 0)
			add(s, v[i]->d_name, "", LSP_FILE, hd__join(folder, "/", v[i]->d_name));
		free(v[i]);
	}
	free(v);
}

static void list_files(struct search *s)
{
	const char *slash = strrchr(s->file, '/');
	char *own = slash ? hd__xstrndup(s->file, (size_t)(slash - s->file)) : hd__xstrdup(".");
	char *folder = hd__netlist_folder();

	add(s, s->token, "", LSP_FILE, hd__data_path(s->file, s->token)); /* whatever folder it names */
	list_folder(s, own);
	if (folder && strcmp(folder, own) != 0)
		list_folder(s, folder);
	free(folder);
	free(own);
}

/* ---- where the cursor is -------------------------------------------------------------------- */

/* The last step but k; "" in front of the first. */
static const char *last(const struct search *s, size_t k)
{
	return s->n > k ? s->step[s->n - 1 - k] : "";
}

static bool is(const char *a, const char *b)
{
	return strcmp(a, b) == 0;
}

/* The object in which the cursor is has values by path. */
static bool has_paths(const struct search *s)
{
	size_t k = s->key ? 0 : 1;

	return is(last(s, k), "set") || (json_object_get(s->document, "study")
	       && (is(last(s, k + 1), "designs") || is(last(s, k + 1), "together")));
}

/* The netlist that the changes of the document are for; NULL: it makes none where the cursor is. */
static const char *changed(const struct search *s)
{
	const json_t *first = json_array_get(json_object_get(s->document, "netlists"), 0);
	const char *top = s->n > 0 ? s->step[0] : "";

	if (json_object_get(s->document, "study"))
		return json_string_value(json_is_string(first) ? first : json_object_get(first, "file"));
	if (is(top, "set") || is(top, "rewire") || is(top, "remove"))
		return json_string_value(json_object_get(s->document, "extends"));
	return NULL;
}

static void open_netlist(struct search *s, const char *text)
{
	const char *base = changed(s);
	struct hd_diags mute = { .n = 0 };
	char *path;

	if (base) {
		path = hd__data_path(s->file, base);
		s->out->netlist = hd__netlist_read_set(path, NULL, 0, &mute);
		free(path);
	} else if (!json_object_get(s->document, "study")) {
		s->out->netlist = hd__netlist_parse(s->file, text, strlen(text), &mute);
	}
	hd__diags_free(&mute);
}

/* The netlist in which the cursor is: one may stand inside of another. */
static const struct hd_frame *frame_here(const struct search *s)
{
	const struct hd_netlist *n = s->out->netlist;
	const struct hd_frame *f = n && n->nframes > 0 ? n->frames[0] : NULL;

	for (size_t i = 0; f && i + 3 < s->n; i++)
		if (is(s->step[i], "instances") && is(s->step[i + 2], "netlist"))
			f = inside(s, f, s->step[i + 1]);
	return f;
}

/* "$name", also in an expression. */
static void list_references(struct search *s, const struct hd_frame *f)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
	size_t from = s->cursor;

	while (from > 1 && strchr(letters, s->token[from - 1]))
		from--;
	s->out->from = from;
	s->out->length = strspn(s->token + from, letters);
	add_section(s, f, "params", "", LSP_PARAMETER);
}

static void list_values_here(struct search *s, const struct hd_frame *f)
{
	bool in_list = last(s, 0)[0] >= '0' && last(s, 0)[0] <= '9';
	const char *name = last(s, in_list), *above = last(s, in_list + 1);

	if (s->token[0] == '$')
		list_references(s, f);
	else if (is(name, "from") || is(name, "to"))
		list_end(s, f, name);
	else if (is(above, "exports"))
		list_end(s, f, NULL);
	else if (is(name, "extends") || is(name, "netlist") || is(name, "netlists") || is(name, "file"))
		list_files(s);
	else if (is(name, "clock") || is(above, "clocks") || is(name, "of") || (in_list && is(name, "clocks")))
		add_section(s, f, "clocks", "", LSP_CLOCK);
	else if (in_list && is(name, "instances"))
		add_instances(s, f, "", "");
	else if (in_list && (is(name, "params") || is(name, "exports")))
		add_section(s, f, name, "", LSP_PARAMETER);
	else if (has_paths(s))
		list_values(s, f, last(s, 0));
}

static void list_keys(struct search *s, const struct hd_frame *f)
{
	struct place p;

	if (has_paths(s)) {
		p = walk(s, f, s->token, s->cursor, &s->out->from, &s->out->length);
		list_place(s, &p);
	} else if (is(last(s, 2), "instances") && (is(last(s, 0), "params") || is(last(s, 0), "clocks"))) {
		add_section(s, inside(s, f, last(s, 1)), last(s, 0), "", LSP_PARAMETER);
	} else if (is(last(s, 0), "instances")) {
		add_instances(s, f, "", "");
		s->out->defined = true;
	} else if ((is(last(s, 0), "clocks") || is(last(s, 0), "params")) && s->n < 3) {
		add_section(s, f, last(s, 0), "", LSP_PARAMETER);
		s->out->defined = true;
	}
}

void lsp_names_find(struct lsp_names *names, const struct hd_registry *r, const char *file, const char *text,
                    const json_t *document, const struct lsp_cursor *c, const char *token)
{
	struct search s = { .out = names, .r = r, .file = file, .token = token, .document = document, .key = c->key,
		.cursor = c->at - c->begin };

	names->length = strlen(token);
	for (const char *p = c->pointer ? c->pointer : ""; *p == '/' && s.n < MOST_STEPS;)
		s.step[s.n++] = hd__pointer_next(&p);
	open_netlist(&s, text);
	if (s.key)
		list_keys(&s, frame_here(&s));
	else
		list_values_here(&s, frame_here(&s));
	for (size_t i = 0; i < s.n; i++)
		free(s.step[i]);
}

const struct lsp_name *lsp_names_here(const struct lsp_names *names, const char *token)
{
	for (size_t i = 0; i < names->n; i++)
		if (strlen(names->v[i].name) == names->length
		    && strncmp(names->v[i].name, token + names->from, names->length) == 0)
			return &names->v[i];
	return NULL;
}

bool lsp_name_place(const struct lsp_names *names, const struct lsp_name *name, const char **file, const char **text,
                    char **pointer)
{
	const struct hd_source *source;
	char *place, *rest;

	if (!name->pointer)
		return false;
	place = hd__doc_at(name->part->doc, name->pointer); /* "@SOURCE:POINTER" */
	source = names->netlist->sources[strtoul(place + 1, &rest, 10)];
	*file = source->file;
	*text = source->text;
	*pointer = hd__format("%s%s", source->inside ? source->inside : "", rest + 1);
	free(place);
	return source->text != NULL;
}

void lsp_names_free(struct lsp_names *names)
{
	for (size_t i = 0; i < names->n; i++) {
		free(names->v[i].name);
		free(names->v[i].doc);
		free(names->v[i].pointer);
	}
	free(names->v);
	hd__netlist_free(names->netlist);
}
