/* netlist_link.c - reads the "links" of a netlist
 * SPDX-License-Identifier: BSD-2-Clause
 *
 *	{ "from": "pipe[*].out", "to": "sink.in", "latency": 1, "slots": 4 }
 *	{ "from": ["first.ask", "second.ask"], "to": "store.answers" }
 *
 *	{ "for": { "i": "0..$n-2" }, "from": "stage[$i].out", "to": "stage[$i + 1].in" }
 *
 *	end   = one { "," one }
 *	one   = instance [ "[" index "]" ] "." port
 *	index = "*" | expression | expression ".." expression
 *
 * The second form is two links, in that order, with the same members otherwise; the third is one
 * for each i.
 */
#include "scope.h"
#include "base/xalloc.h"

#include <inttypes.h>

enum {
	MAX_LATENCY = 65535,
	MAX_CAPACITY = 1 << 20,
	MAX_SLOTS = 64, /* struct hd_chan keeps them in one word */
	MAX_ATTRS = 256, /* members besides those of the language; each is looked for at all ends */
	MAX_INDEX = 65535,
	VALUE_OF_BYTES = 64, /* of an end, take a step */
	MAX_LINKS = HD_MOST_LINKS, /* a list of ends that comes from a parameter may be large, and many */
};

/* ---- ends ---- */

struct reader {
	struct hd_scope *s;
	const struct hd_place *place;
	const char *whole;
	bool reported;
};

/* The value of one expression of an index. */
static bool read_number(struct reader *r, const char *text, size_t n, int *out)
{
	int64_t v = 0;
	size_t digits = strspn(text, "0123456789");

	if (n == 0)
		return false;
	if (digits >= n && n <= 6) {
		for (size_t i = 0; i < n; i++)
			v = 10 * v + (text[i] - '0');
	} else if (!hd__scope_expr(r->s, text, n, r->whole, r->place, &v)) {
		r->reported = true;
		return false;
	}
	if (v < 0 || v > MAX_INDEX) {
		hd__scope_report(r->s, r->place, "index %" PRId64 " in '%s'; expected 0..%d", v,
		                 r->whole, MAX_INDEX);
		r->reported = true;
		return false;
	}
	*out = (int)v;
	return true;
}

/* ": n is 4, k is 0" */
struct values {
	const struct reader *r;
	char *text;
};

static void add_value(void *arg, const char *name)
{
	struct values *all = arg;
	const struct reader *r = all->r;
	char *one = hd__format(" %s is ", name), *longer;
	int64_t v = 0;

	if (strstr(all->text, one) == NULL && hd__scope_expr(r->s, name, strlen(name), r->whole, r->place, &v)) {
		longer = hd__format("%s%s%s%" PRId64, all->text, all->text[0] == '\0' ? ":" : ",", one, v);
		free(all->text);
		all->text = longer;
	}
	free(one);
}

static void report_order(const struct reader *r, const char *text, size_t n, const struct hd_end_decl *end)
{
	struct values all = { r, hd__xstrdup("") };
	char *index = hd__xstrndup(text, n);

	hd__expr_names(index, add_value, &all);
	hd__scope_report(r->s, r->place, "range %d..%d in '%s'%s; expected the lower index first", end->index,
	                 end->last, r->whole, all.text);
	free(all.text);
	free(index);
}

/* The text between the brackets. */
static bool read_brackets(struct reader *r, const char *text, size_t n, struct hd_end_decl *end)
{
	const char *dots = memmem(text, n, "..", 2);
	size_t first = dots != NULL ? (size_t)(dots - text) : n;

	if (n == 1 && text[0] == '*') {
		end->all = true;
		return true;
	}
	if (dots != NULL && (first == 0 || first + 2 == n)) {
		hd__scope_report(r->s, r->place, "range without its %s index in '%s'; expected both, such as [0..3], "
		                 "or [*] for all", first == 0 ? "first" : "last", r->whole);
		r->reported = true;
		return false;
	}
	if (!read_number(r, text, first, &end->index))
		return false;
	end->last = end->index;
	if (dots == NULL)
		return true;
	if (!read_number(r, dots + 2, n - (size_t)(dots + 2 - text), &end->last))
		return false;
	if (end->last >= end->index)
		return true;
	report_order(r, text, n, end);
	r->reported = true;
	return false;
}

/* "instance.port", "instance[index].port" */
static bool read_port(struct reader *r, const char *text, size_t n, struct hd_end_decl *end)
{
	const char *dot = memrchr(text, '.', n), *open = NULL;
	size_t name;

	end->index = end->last = -1;
	if (dot == NULL)
		return false;
	end->port = hd__store_bytes(&r->s->n->store, dot + 1, n - (size_t)(dot + 1 - text));
	if (!hd__is_name(end->port))
		return false;
	if (dot > text && dot[-1] == ']')
		for (open = dot - 1; open > text && *open != '[';)
			open--;
	name = (size_t)((open != NULL ? open : dot) - text);
	end->instance = hd__store_bytes(&r->s->n->store, text, name);
	if (!hd__is_path(end->instance))
		return false;
	return open == NULL || read_brackets(r, open + 1, (size_t)(dot - open) - 2, end);
}

static void too_large(struct hd_scope *s, const struct hd_place *place)
{
	char *at = hd__place_pointer(place);

	hd__netlist_full(s->n, s->d, at, NULL);
	free(at);
}

bool hd__read_end(struct hd_scope *s, const struct hd_place *place, const json_t *v, struct hd_end_decl *end)
{
	struct reader r = { s, place, json_string_value(v), false };
	const char *text = r.whole;
	char buf[80];

	*end = (struct hd_end_decl){ .index = -1 };
	if (json_is_null(v))
		return false; /* reported */
	while (text != NULL) {
		size_t n, all;

		text += strspn(text, " ");
		all = n = strcspn(text, ",");
		while (n > 0 && text[n - 1] == ' ')
			n--;
		if (!hd__netlist_grows(s->n, HD_END_TAKES + n / VALUE_OF_BYTES)) {
			too_large(s, place);
			return false;
		}
		if (!read_port(&r, text, n, end))
			break;
		if (text[all] == '\0')
			return true;
		text += all + 1;
		end->next = hd__store_room(&s->n->store, sizeof *end->next);
		*end->next = (struct hd_end_decl){ .index = -1 };
		end = end->next;
	}
	if (!r.reported)
		hd__scope_report(s, place,
		                 "bad end of a link; expected \"instance.port\", "
		                 "\"instance[*].port\", \"instance[3].port\" or \"instance[0..3].port\", found %s",
		                 hd__found(v, buf, sizeof buf));
	return false;
}

/* ---- links ---- */

/* Members of a link; all others are attributes for the ports. */
enum { FROM, TO, LATENCY, STAGED, CAPACITY, SLOTS, INDEX, ROTATE, FOR, DOC };
static const char *const members[] = {
	[FROM] = "from", [TO] = "to", [LATENCY] = "latency", [STAGED] = "staged",
	[CAPACITY] = "capacity", [SLOTS] = "slots", [INDEX] = "index", [ROTATE] = "rotate",
	[FOR] = "for", [DOC] = "doc",
};

/* Sets those of `members` that are there; all others become attributes. */
static void read_attrs(const struct hd_entry *e, struct hd_link_decl *l, json_t *there[])
{
	const size_t n = sizeof members / sizeof *members;
	const char *key;
	json_t *v;

	json_object_foreach(e->o, key, v) {
		size_t i = 0;

		while (i < n && !hd__same(members[i], key))
			i++;
		if (i < n) {
			there[i] = v;
			continue;
		}
		if (l->attrs == NULL)
			l->attrs = hd__xcheck(json_object());
		json_object_set(l->attrs, key, v);
	}
	if (json_object_size(l->attrs) > MAX_ATTRS) {
		hd__netlist_diag(e->n, e->d, HD_DIAG_ERROR, e->at, NULL,
		                 "link with %zu members of its ports; expected at most %d",
		                 json_object_size(l->attrs), MAX_ATTRS);
		json_object_clear(l->attrs);
	}
}

static void read_index(const struct hd_entry *e, struct hd_link_decl *l)
{
	const char *index;

	if (hd__entry_string(e, "index", &index) != HD_GOT)
		return;
	l->shared_slots = strcmp(index, "any") == 0;
	if (!l->shared_slots && strcmp(index, "own") != 0)
		hd__entry_wrong(e, "index", "\"own\" or \"any\"", json_object_get(e->o, "index"));
}

/* Reads what the links of one entry have in common.  Most have few members. */
static void read_common(const struct hd_entry *e, struct hd_link_decl *l, json_t *there[])
{
	const json_t *doc;

	read_attrs(e, l, there);
	doc = there[DOC];
	l->latency = 1;
	if (there[LATENCY])
		l->has_latency =
			hd__entry_u32(e, "latency", 0, MAX_LATENCY, &l->latency) != HD_GOT_NONE;
	if (there[STAGED])
		hd__entry_bool(e, "staged", &l->staged);
	if (there[CAPACITY])
		hd__entry_u32(e, "capacity", 1, MAX_CAPACITY, &l->capacity);
	if (there[SLOTS])
		hd__entry_u32(e, "slots", 1, MAX_SLOTS, &l->slots);
	if (there[ROTATE])
		hd__entry_bool(e, "rotate", &l->rotate);
	if (there[INDEX])
		read_index(e, l);
	if (doc != NULL && !json_is_string(doc) && !json_is_null(doc))
		hd__entry_wrong(e, "doc", "string", doc);
}

/* The end "to" for one more link of the entry; without those after the first if the netlist grows too large. */
static struct hd_end_decl same_end(struct hd_netlist *n, const struct hd_end_decl *end)
{
	struct hd_end_decl first = *end;

	for (; hd__netlist_grows(n, HD_END_TAKES); end = end->next)
		if (end->next == NULL)
			return first;
	first.next = NULL;
	return first;
}

/* Destination of the links, and what they have in common. */
struct sink {
	struct hd_netlist *n;
	struct hd_scope *s;
	const struct hd_frame *frame;
	uint32_t group;
};

/* Adds the link from `from`, which is at `place`, unless an end is malformed.  "to" is checked once. */
static void add_link(const struct sink *k, const struct hd_link_decl *common, const json_t *from,
                     const struct hd_place *place, const char *at)
{
	struct hd_netlist *n = k->n;
	struct hd_link_decl l = *common;

	if (!hd__read_end(k->s, place, from, &l.from) || common->to.port == NULL)
		return;
	l.at = at;
	l.to = same_end(n, &common->to);
	l.attrs = json_incref(common->attrs);
	l.group = k->group;
	l.frame = k->frame->number;
	n->links = hd__xgrow(n->links, n->nlinks, &n->cap_links, sizeof *n->links);
	n->links[n->nlinks++] = l;
}

static void missing(const struct hd_entry *e, const char *member)
{
	hd__netlist_diag(e->n, e->d, HD_DIAG_ERROR, e->at, NULL,
	                 "link has no '%s'; expected \"instance.port\"", member);
}

/* One entry of the list, which may be several links; called for each iteration of its "for". */
static void read_entry(struct sink *k, const struct hd_entry *e)
{
	const struct hd_place entry = { .base = e->at };
	const struct hd_place from_place = { .up = &entry, .member = "from" };
	const struct hd_place to_place = { .up = &entry, .member = "to" };
	struct hd_place item = { .up = &from_place };
	struct hd_link_decl common = { .entry = e->at };
	json_t *there[sizeof members / sizeof *members] = { NULL };
	const json_t *from, *to;
	struct hd_store *store = &k->n->store;
	const char *each;

	k->group = k->n->ngroups++;
	read_common(e, &common, there);
	from = there[FROM];
	to = there[TO];
	if (to == NULL) {
		missing(e, "to");
	} else if (!hd__read_end(k->s, &to_place, to, &common.to)) {
		common.to = (struct hd_end_decl){ NULL };
	}
	if (from == NULL)
		missing(e, "from");
	else if (!json_is_array(from))
		add_link(k, &common, from, &from_place, e->at);
	else if (json_array_size(from) == 0)
		hd__entry_wrong(e, "from", "an end or a list of them", from);
	each = json_is_array(from) ? hd__store_join(store, e->at, "/from/") : NULL;
	for (item.index = 0; item.index < json_array_size(from); item.index++)
		add_link(k, &common, json_array_get(from, item.index), &item,
		         hd__store_numbered(store, each, item.index));
	json_decref(common.attrs);
}

/* Number of links of an entry. */
static size_t ends(const struct hd_entry *e)
{
	size_t n = json_array_size(json_object_get(e->o, "from"));

	return n > 0 ? n : 1;
}

static void read_resolved(struct sink *k, const struct hd_entry *e)
{
	struct hd_netlist *n = k->n;
	char buf[80];

	if (n->nlinks + ends(e) > MAX_LINKS) {
		if (n->full == NULL)
			n->full = "too many links; expected at most 262144 in all";
		hd__netlist_full(n, e->d, e->at, NULL);
	} else if (json_is_object(e->o)) {
		read_entry(k, e);
	} else if (!json_is_null(e->o)) {
		hd__netlist_diag(n, e->d, HD_DIAG_ERROR, e->at, NULL,
		                 "expected a link, an object such as {\"from\": \"a.out\", "
		                 "\"to\": \"b.in\"}; found %s",
		                 hd__found(e->o, buf, sizeof buf));
	}
}

/* ---- "for" --------------------------------------------------------------------------------- */

struct range {
	int64_t first, last;
};

static bool read_range(struct hd_scope *s, const struct hd_place *place, const json_t *v,
                       struct range *r)
{
	const char *text = json_string_value(v);
	const char *dots = text != NULL ? strstr(text, "..") : NULL;
	char buf[80];

	if (dots != NULL && dots > text)
		return hd__scope_expr(s, text, (size_t)(dots - text), text, place, &r->first)
		       && hd__scope_expr(s, dots + 2, strlen(dots + 2), text, place, &r->last);
	hd__scope_report(s, place, "expected a range such as \"0..$n-1\", found %s",
	                 hd__found(v, buf, sizeof buf));
	return false;
}

static bool check_variable(struct hd_scope *s, const struct hd_place *place, const char *name)
{
	if (!hd__is_name(name))
		hd__scope_report(s, place, "bad name '%s' of a variable of 'for'", name);
	else if (hd__scope_find(s, name) != NULL)
		hd__scope_report(s, place,
		                 "variable '%s' of 'for' is a parameter too; expected another name",
		                 name);
	else if (s->nloop == HD_MAX_LOOPS)
		hd__scope_report(s, place, "too many variables of 'for'; expected at most %d",
		                 HD_MAX_LOOPS);
	else
		return true;
	return false;
}

/* All iterations of the variables from `iter` on; `link` has no "for".  Returns false after the
 * first error, which the others would only repeat. */
static bool read_iterations(struct sink *k, struct hd_entry *e, json_t *loops, void *iter,
                            json_t *link)
{
	const struct hd_place entry = { .base = e->at };
	const struct hd_place all = { .up = &entry, .member = "for" };
	struct hd_place place = { .up = &all };
	struct hd_scope *s = k->s;
	size_t errors = e->d->errors;
	struct hd_loop_var *var;
	struct range r = { 0, 0 };
	bool ok = true;

	if (iter == NULL) {
		e->o = hd__resolve(s, link, e->at);
		read_resolved(k, e);
		json_decref(e->o);
		return e->d->errors == errors && k->n->full == NULL;
	}
	place.member = json_object_iter_key(iter);
	if (!check_variable(s, &place, place.member)
	    || !read_range(s, &place, json_object_iter_value(iter), &r))
		return false;
	var = &s->loop[s->nloop++];
	var->name = place.member;
	for (var->value = r.first; ok && var->value <= r.last && hd__netlist_grows(k->n, 1); var->value++)
		ok = read_iterations(k, e, loops, json_object_iter_next(loops, iter), link);
	s->nloop--;
	return ok;
}

static void read_for(struct sink *k, struct hd_entry *e, json_t *loops, json_t *link)
{
	json_t *body = hd__xcheck(json_copy(link));

	json_object_del(body, "for");
	e->o = body;
	if (json_is_object(loops) && json_object_size(loops) > 0)
		read_iterations(k, e, loops, json_object_iter(loops), body);
	else
		hd__entry_wrong(e, "for", "an object such as {\"i\": \"0..3\"}", loops);
	json_decref(body);
}

void hd__read_links(struct hd_netlist *n, struct hd_frame *f, struct hd_scope *s,
                    struct hd_diags *d)
{
	json_t *all = json_object_get(f->part->doc->root, "links"), *v, *loops;
	struct sink k = { n, s, f, 0 };
	char *base = hd__join(f->part->root, "/links/", "");
	size_t i;

	json_array_foreach(all, i, v) {
		struct hd_entry e = { n, d, NULL, NULL, "link" };

		if (n->full != NULL)
			break;
		e.at = hd__store_numbered(&n->store, base, i);
		loops = json_object_get(v, "for");
		if (loops != NULL) {
			read_for(&k, &e, loops, v);
		} else {
			e.o = hd__resolve(s, v, e.at);
			read_resolved(&k, &e);
			json_decref(e.o);
		}
		hd__netlist_full(n, d, e.at, NULL);
	}
	free(base);
}

void hd__free_links(struct hd_netlist *n)
{
	for (size_t i = 0; i < n->nlinks; i++)
		json_decref(n->links[i].attrs);
	free(n->links);
}
