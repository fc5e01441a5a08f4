/* hierarchy.c - the "instances" of a netlist; those that are netlists: their parameters, clocks, elements
 * SPDX-License-Identifier: BSD-2-Clause
 *
 *	"sm": { "netlist": "sm.json", "count": 4, "params": { "depth": 8 },
 *	        "clocks": { "core": "fast" } }
 *
 * In place of the name of a file the netlist itself may stand.
 *
 * Every element has a frame, and is read as if it were written out with its prefix before each
 * name.  Among identical elements only the first reports mistakes.
 */
#include "scope.h"
#include "base/xalloc.h"

enum {
	MAX_FRAMES = HD_MOST_FRAMES,
	MAX_COUNT = 65536, /* elements of one array */
	MAX_DEPTH = 64,    /* netlists inside of each other */
};

/* Changes inside of an instance, in the order of the file. */
struct inner_changes {
	const struct hd_inner_change **all; /* of all elements */
	const struct hd_inner_change **own; /* of single ones: of element k from start[k] up to start[k + 1] */
	size_t nall, *start; /* NULL: there are no changes */
};

/* The instance before its elements are read. */
struct draft {
	struct hd_netlist *n;
	struct hd_frame *frame;   /* that contains it */
	const struct hd_entry *e;
	const char *name;         /* of the instance, in its own netlist */
	struct hd_diags *d;
	struct hd_doc *doc;       /* without changes by enclosing netlists */
	json_t *params, *clocks;  /* given; objects or NULL */
	const char *clock;        /* clock of a netlist without clocks, or NULL */
	struct inner_changes changes;
	uint32_t count;
	bool array, miscounted;
};

/* The source of a netlist that stands in this one. */
static uint32_t source_inside(const struct draft *u, json_t *root)
{
	char *pointer = hd__format("/instances/%s/netlist", u->name);
	char *at = hd__doc_at(u->frame->part->doc, pointer);
	uint32_t source = hd__source_inside(u->n, root, at);

	free(at);
	free(pointer);
	return source;
}

/* Reports "a.json -> b.json -> a.json": netlists from `last` down to that of the instance. */
static void report_chain(const struct draft *u, const char *file, const char *at,
                         const struct hd_part *last)
{
	char *chain = hd__xstrdup(file), *longer;

	for (const struct hd_part *p = u->frame->part; p != last->up; p = p->up) {
		longer = hd__format("%s -> %s", u->n->sources[p->doc->top]->file, chain);
		free(chain);
		chain = longer;
	}
	hd__netlist_diag(u->n, u->d, HD_DIAG_ERROR, at, NULL, "a netlist cannot contain itself: %s",
	                 chain);
	free(chain);
}

/* The source of a file, which must not contain itself.  Returns false after reporting an error. */
static bool source_of_file(struct draft *u, const char *name, const json_t *value, uint32_t *source)
{
	char *file = hd__data_path(hd__netlist_file_of(u->n, value), name);
	char *at = hd__pointer_add(u->e->at, "netlist");
	bool ok = hd__source_read(u->n, file, at, u->d, source);

	for (const struct hd_part *p = u->frame->part; ok && p != NULL; p = p->up)
		if (hd__same_source(u->n->sources[p->doc->top], u->n->sources[*source])) {
			report_chain(u, file, at, p);
			ok = false;
		}
	free(at);
	free(file);
	return ok;
}

/* One that stands inside of another may extend a file that contains it.  Returns false after
 * reporting an error. */
static bool check_depth(struct draft *u)
{
	unsigned depth = 0;
	char *at;

	for (const struct hd_part *p = u->frame->part; p != NULL; p = p->up)
		depth++;
	if (depth <= MAX_DEPTH)
		return true;
	at = hd__pointer_add(u->e->at, "netlist");
	hd__netlist_diag(u->n, u->d, HD_DIAG_ERROR, at, NULL,
	                 "netlists are nested more than %d deep; expected fewer, or one of them contains "
	                 "itself by what it extends", MAX_DEPTH);
	free(at);
	return false;
}

static struct hd_doc *open_doc(const struct draft *u, uint32_t source)
{
	hd__netlist_grows(u->n, HD_DOC_TAKES);
	return hd__doc_open(u->n, source, u->d);
}

/* Opens the netlist of the instance; NULL after reporting an error. */
static struct hd_doc *find_doc(struct draft *u)
{
	json_t *value = json_object_get(u->e->o, "netlist");
	struct hd_doc *known;
	uint32_t source;

	if (!check_depth(u))
		return NULL;
	if (json_is_object(value)) {
		source = source_inside(u, value);
	} else if (!json_is_string(value)) {
		if (!json_is_null(value)) /* which was reported */
			hd__entry_wrong(u->e, "netlist", "a file or a netlist", value);
		return NULL;
	} else if (!source_of_file(u, json_string_value(value), value, &source)) {
		return NULL;
	}
	known = u->n->sources[source]->doc;
	return known != NULL && !known->changed ? known : open_doc(u, source);
}

/* ---- changes inside of it ------------------------------------------------------------------- */

/* Lists the changes by element; u->changes. */
static void list_changes(struct draft *u)
{
	const struct hd_doc *around = u->frame->part->doc;
	const struct hd_inner_change *c, *first = hd__doc_inner(around, u->name);
	struct inner_changes *l = &u->changes;
	size_t n = 0;

	if (first == NULL)
		return;
	l->start = hd__xcalloc((size_t)u->count + 2, sizeof *l->start);
	for (c = first; c != NULL; c = hd__doc_inner_next(around, c), n++)
		if (!c->all && c->element < u->count)
			l->start[c->element + 2]++;
	for (uint32_t k = 0; k < u->count; k++)
		l->start[k + 1] += l->start[k];
	l->all = hd__xcalloc(n, sizeof *l->all);
	l->own = hd__xcalloc(n, sizeof *l->own);
	for (c = first; c != NULL; c = hd__doc_inner_next(around, c))
		if (c->all)
			l->all[l->nall++] = c;
		else if (c->element < u->count)
			l->own[l->start[c->element + 1]++] = c;
}

static void free_changes(struct inner_changes *l)
{
	free(l->all);
	free(l->own);
	free(l->start);
}

static bool has_own(const struct draft *u, uint32_t element)
{
	return u->changes.start != NULL && u->changes.start[element] < u->changes.start[element + 1];
}

static void apply(const struct draft *u, struct hd_doc *doc, const struct hd_inner_change *c, json_t *given)
{
	hd__doc_set(u->n, doc, c->path, c->value, c->at, u->d);
	json_object_del(given, strncmp(c->path, "params.", 7) == 0 ? c->path + 7 : c->path);
}

/* The doc for an element; changed parameters are removed from *given. */
static struct hd_doc *doc_for(const struct draft *u, uint32_t element, json_t *given)
{
	const struct inner_changes *l = &u->changes;
	size_t own = l->start != NULL ? l->start[element] : 0, end = l->start != NULL ? l->start[element + 1] : 0;
	struct hd_doc *doc;
	size_t all = 0;

	if (l->nall == 0 && own == end)
		return u->doc;
	if (!hd__netlist_grows(u->n, HD_CHANGE_TAKES * (l->nall + end - own)))
		return u->doc;
	doc = open_doc(u, u->doc->top);
	if (doc == NULL)
		return u->doc;
	while (all < l->nall || own < end) /* in their order in the file */
		if (own == end || (all < l->nall && l->all[all] < l->own[own]))
			apply(u, doc, l->all[all++], given);
		else
			apply(u, doc, l->own[own++], given);
	return doc;
}

/* Reports changes of elements that do not exist. */
static void check_changes(const struct draft *u)
{
	const struct hd_doc *around = u->frame->part->doc;

	for (const struct hd_inner_change *c = hd__doc_inner(around, u->name); c != NULL;
	     c = hd__doc_inner_next(around, c)) {
		if (c->all || (u->array && c->element < u->count))
			continue;
		if (u->array)
			hd__netlist_diag_key(u->n, u->d, HD_DIAG_ERROR, c->at, NULL,
			                     "'%s' has no element %u; expected 0..%u", u->name,
			                     c->element, u->count - 1);
		else
			hd__netlist_diag_key(u->n, u->d, HD_DIAG_ERROR, c->at, NULL,
			                     "'%s' is a single instance; expected it without an "
			                     "index",
			                     u->name);
	}
}

/* ---- parameters and clocks that it passes on ---- */

static void unknown_member(const struct draft *u, const char *section, const char *name)
{
	char *at = hd__pointer_add(u->e->at, section), hint[HD_HINT];

	hd__netlist_diag_key(u->n, u->d, HD_DIAG_ERROR, at, name, "unknown %s '%s' of netlist '%s'%s",
	                     strcmp(section, "params") == 0 ? "parameter" : "clock", name,
	                     u->n->sources[u->doc->top]->file,
	                     hd__hint(u->d, name, json_object_get(u->doc->root, section), "it has", hint));
	free(at);
}

static json_t *object_of(const struct draft *u, const char *member)
{
	json_t *v = json_object_get(u->e->o, member);

	if (json_is_object(v) || v == NULL)
		return v;
	if (!json_is_null(v))
		hd__entry_wrong(u->e, member, "an object", v);
	return NULL;
}

static void read_params(struct draft *u)
{
	const json_t *known = json_object_get(u->doc->root, "params");
	char *at = hd__pointer_add(u->e->at, "params"), *place;
	json_t *given = object_of(u, "params"), *v, *raw;
	const char *name;

	u->params = hd__xcheck(json_object());
	json_object_foreach(given, name, v) {
		if (strcmp(name, "doc") == 0)
			continue;
		raw = json_object_get(known, name);
		place = hd__pointer_add(at, name);
		if (raw == NULL)
			unknown_member(u, "params", name);
		else if (hd__param_same_type(u->n, raw, v, name, place, u->d))
			json_object_set(u->params, name, v);
		free(place);
	}
	free(at);
}

static void unknown_clock(const struct draft *u, const char *at, const char *member,
                          const char *name)
{
	char hint[HD_HINT];

	hd__netlist_diag(u->n, u->d, HD_DIAG_ERROR, at, member, "unknown clock '%s'%s", name,
	                 hd__hint(u->d, name, u->frame->clocks, "the netlist has", hint));
}

/* Maps clocks of the inner netlist to those of the outer: u->clocks, by full names. */
static void map_clocks(struct draft *u)
{
	json_t *own = json_object_get(u->doc->root, "clocks"), *v, *outer;
	json_t *given = object_of(u, "clocks");
	char *at = hd__pointer_add(u->e->at, "clocks"), *place, buf[80];
	const char *name;

	u->clocks = hd__xcheck(json_object());
	json_object_foreach(given, name, v) {
		if (strcmp(name, "doc") == 0 || json_is_null(v))
			continue;
		place = hd__pointer_add(at, name);
		outer = json_is_string(v) ? json_object_get(u->frame->clocks, json_string_value(v))
		                          : NULL;
		if (json_object_get(own, name) == NULL)
			unknown_member(u, "clocks", name);
		else if (!json_is_string(v))
			hd__netlist_diag(u->n, u->d, HD_DIAG_ERROR, place, NULL,
			                 "clock '%s': expected the name of a clock, found %s", name,
			                 hd__found(v, buf, sizeof buf));
		else if (outer == NULL)
			unknown_clock(u, place, NULL, json_string_value(v));
		else
			json_object_set(u->clocks, name, outer);
		free(place);
	}
	json_object_foreach(own, name, v) {
		if (!json_is_true(json_object_get(v, "extern"))
		    || json_object_get(u->clocks, name) != NULL)
			continue;
		outer = json_object_get(u->frame->clocks, name);
		if (outer != NULL)
			json_object_set(u->clocks, name, outer);
		else /* a substitute, so that no further error follows */
			json_object_set_new(u->clocks, name, json_string(u->frame->first_clock));
		if (outer == NULL && json_object_get(given, name) == NULL)
			hd__netlist_diag(u->n, u->d, HD_DIAG_ERROR, u->e->at, NULL,
			                 "instance '%s' does not set the clock '%s' of netlist "
			                 "'%s'; expected \"clocks\": {\"%s\": ...}",
			                 u->name, name, u->n->sources[u->doc->top]->file, name);
	}
	free(at);
}

/* "clock": for a netlist without clocks. */
static void choose_clock(struct draft *u)
{
	const json_t *own = json_object_get(u->doc->root, "clocks"), *outer = NULL;
	const char *name, *file = u->n->sources[u->doc->top]->file;
	bool given = hd__entry_name(u->e, "clock", &name) == HD_GOT;

	if (given)
		outer = json_object_get(u->frame->clocks, name);
	if (given && json_object_size(own) > 0)
		hd__netlist_diag(u->n, u->d, HD_DIAG_ERROR, u->e->at, "clock",
		                 "netlist '%s' has clocks of its own; expected \"clocks\" that map "
		                 "them to clocks of this netlist",
		                 file);
	else if (given && outer == NULL)
		unknown_clock(u, u->e->at, "clock", name);
	else if (!given && json_object_size(own) == 0 && u->frame->nclocks > 1)
		hd__netlist_diag(u->n, u->d, HD_DIAG_ERROR, u->e->at, NULL,
		                 "netlist '%s' has no clocks; expected \"clock\" of instance '%s' "
		                 "since there are %u clocks",
		                 file, u->name, u->frame->nclocks);
	if (outer != NULL)
		u->clock = hd__store_text(&u->n->store, json_string_value(outer));
	else
		u->clock = u->frame->first_clock;
}

static void read_clocks(struct draft *u)
{
	map_clocks(u);
	choose_clock(u);
}

/* ---- elements ------------------------------------------------------------------------------ */

static void add_clocks(const struct draft *u, struct hd_frame *f)
{
	json_object_update(f->clocks, u->clocks);
	if (u->clock != NULL && json_object_size(json_object_get(u->doc->root, "clocks")) == 0) {
		f->first_clock = u->clock;
		f->nclocks = 1;
	}
}

/* The frames of all elements are made before any element is read, so that they are contiguous. */
static void add_frames(const struct draft *u)
{
	const char *before = u->frame->prefix;

	for (uint32_t k = 0; k < u->count; k++)
		hd__frame_new(u->n, NULL, u->array ? hd__format("%s%s[%u].", before, u->name, k)
		                               : hd__format("%s%s.", before, u->name));
}

/* Could a clock of the enclosing netlist be taken for one of the element? */
static bool confusing(const struct draft *u, const char *prefix)
{
	const char *name;
	json_t *v;

	json_object_foreach(u->clocks, name, v)
		if (strncmp(json_string_value(v), prefix, strlen(prefix)) == 0)
			return true;
	return u->clock != NULL && strncmp(u->clock, prefix, strlen(prefix)) == 0;
}

/* Reads elements first..last-1, which are identical; `frame` is that of element 0.  From the third on they are
 * copied: the first may open files. */
static void read_elements(const struct draft *u, uint32_t frame, uint32_t first, uint32_t last)
{
	json_t *given = hd__xcheck(json_copy(u->params));
	struct hd_doc *doc = doc_for(u, first, given);
	struct hd_part *p = hd__part_new(u->n, doc, u->frame->part, u->name, u->e->at);
	struct hd_diags mute = { 0 };
	struct hd_scope *s;
	size_t start = u->n->ninstances;
	struct hd_extent was = { 0 }, end = { 0 }; /* of the second */

	s = hd__part_open(u->n, p, given, u->d);
	for (uint32_t k = first; k < last && u->n->full == NULL; k++) {
		struct hd_diags *d = k == first ? u->d : &mute;
		struct hd_frame *f = u->n->frames[frame + k];
		size_t here = u->n->ninstances;

		f->part = p;
		if (k > first + 1 && !confusing(u, u->n->frames[frame + first + 1]->prefix)
		    && hd__repeat(u->n, &was, &end, u->n->frames[frame + first + 1], f))
			continue;
		if (k == first + 1)
			was = hd__extent(u->n);
		s->d = d;
		if (!hd__netlist_grows(u->n, HD_MEMBER_TAKES * json_object_size(u->clocks)))
			break;
		add_clocks(u, f);
		hd__read_clocks(u->n, f, s, d);
		hd__read_instances(u->n, f, s, d);
		hd__read_links(u->n, f, s, d);
		for (size_t i = here; k > first && i < u->n->ninstances; i++)
			u->n->instances[i].copy_of = start + (i - here) + 1;
		u->n->full_reported = u->n->full_reported && k == first;
		hd__diags_free(&mute);
		if (k == first + 1)
			end = hd__extent(u->n);
	}
	s->d = u->d;
	hd__scope_unread(s);
	hd__scope_free(s);
	json_decref(given);
}

static void read_all(struct draft *u)
{
	struct hd_sub sub = { hd__xstrdup(u->name), (uint32_t)u->n->nframes, 0, u->array };
	uint32_t first = 0;
	struct hd_sub *added;

	if (u->n->nframes + u->count <= MAX_FRAMES)
		add_frames(u);
	else if (u->n->full == NULL)
		u->n->full = "too many netlists in netlists; expected at most 65536 in all";
	added = hd__frame_add_sub(u->frame, sub);
	while (first < u->count && u->n->full == NULL) {
		uint32_t last = first + 1;

		while (last < u->count && !has_own(u, first) && !has_own(u, last))
			last++;
		read_elements(u, sub.first, first, last);
		first = last;
	}
	hd__netlist_full(u->n, u->d, u->e->at, u->array ? "count" : NULL);
	added->count = u->n->full == NULL && !u->miscounted ? u->count : 0;
}

static void read_sub(struct hd_netlist *n, struct hd_frame *f, const struct hd_entry *e,
                     const char *name, struct hd_diags *d)
{
	static const char *const known[] = { "netlist", "count", "params", "clocks", "clock", NULL };
	struct draft u = { .n = n, .frame = f, .e = e, .name = name, .d = d, .count = 1 };
	enum hd_got got;

	hd__entry_known(e, known);
	got = hd__entry_u32(e, "count", 1, MAX_COUNT, &u.count);
	u.array = got != HD_GOT_NONE;
	u.miscounted = got == HD_GOT_BAD;
	u.doc = find_doc(&u);
	if (u.doc == NULL) { /* so that links to it are not reported as unknown */
		hd__frame_add_sub(f, (struct hd_sub){ hd__xstrdup(name), 0, 0, u.array });
		return;
	}
	check_changes(&u);
	list_changes(&u);
	read_params(&u);
	read_clocks(&u);
	read_all(&u);
	json_decref(u.params);
	json_decref(u.clocks);
	free_changes(&u.changes);
}

/* ---- all instances ---- */

/* The entry with the "$" strings of this netlist replaced, but not those of a netlist in it. */
static json_t *resolve_entry(struct hd_scope *s, json_t *v, const char *at)
{
	json_t *inside, *outside = hd__sub_outside(v, &inside), *o, *own;

	o = hd__resolve(s, outside, at);
	json_decref(outside);
	if (inside == NULL)
		return o;
	own = hd__xcheck(json_copy(o));
	json_object_set(own, "netlist", inside);
	json_decref(o);
	return own;
}

void hd__read_instances(struct hd_netlist *n, struct hd_frame *f, struct hd_scope *s,
                        struct hd_diags *d)
{
	json_t *all = json_object_get(f->part->doc->root, "instances"), *v;
	char *base = hd__join(f->part->root, "/instances", ""), *inside = hd__join(base, "/", "");
	const char *name;

	json_object_foreach(all, name, v) {
		struct hd_entry e = { .n = n, .d = d };
		char *what;

		if (n->full != NULL)
			break;
		if ((strcmp(name, "doc") == 0 && json_is_string(v))
		    || !hd__check_name(n, d, base, name, "an instance", true))
			continue;
		what = hd__join("instance '", name, "'");
		e.at = hd__store_join(&n->store, inside, name); /* a name has nothing to escape */
		e.what = what;
		if (json_object_get(v, "netlist") != NULL) {
			e.o = resolve_entry(s, v, e.at);
			read_sub(n, f, &e, name, d);
			json_decref(e.o);
		} else {
			hd__read_array(n, f, s, &e, v, name);
		}
		hd__netlist_full(n, d, e.at, NULL);
		free(what);
	}
	free(inside);
	free(base);
}
