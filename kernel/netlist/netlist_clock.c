/* netlist_clock.c - reads the "clocks" of a netlist
 * SPDX-License-Identifier: BSD-2-Clause
 *
 *	"main":  { "mhz": 1417.5 }                                   a root
 *	"bus":   { "mhz": 850, "edges": "accumulated" }              one whose times are rounded
 *	"quick": { "of": "main", "times": 4 }                        four edges per period
 *	"late":  { "of": "main", "phase": "3/4", "gate": "feeder" }  one, later, switched
 */
#include "composition.h"
#include "base/xalloc.h"

enum {
	MAX_TIMES = 65536,
	MAX_PHASE = 65536,
	MOST_SHOWN = 1000, /* bytes of a loop */
};

#define MILLIHERTZ_PER_KHZ UINT64_C(1000000)
#define STAND_IN UINT64_C(1000000000000) /* 1 GHz, for a clock with a reported error */

/* The number in thousandths, if it has at most three decimals.  A decimal fraction with up to three
 * digits is read as the double nearest to it, which is what the division gives. */
static bool thousandths(const json_t *v, uint64_t max, uint64_t *out)
{
	double given;

	if (json_is_integer(v)) {
		json_int_t i = json_integer_value(v);

		if (i < 1 || (uint64_t)i > max)
			return false;
		*out = (uint64_t)i * 1000;
		return true;
	}
	given = json_real_value(v); /* 0 if it is not a number */
	if (!(given >= 0.001 && given <= (double)max))
		return false;
	*out = (uint64_t)(given * 1000.0 + 0.5);
	return (double)*out / 1000.0 == given;
}

static void read_rate(const struct hd_entry *e, struct hd_clock_decl *c)
{
	const json_t *mhz = json_object_get(e->o, "mhz"), *hz = json_object_get(e->o, "hz");
	uint64_t v;

	if (mhz != NULL && !json_is_null(mhz)) {
		if (thousandths(mhz, 1000000, &v)) {
			c->millihertz = v * MILLIHERTZ_PER_KHZ;
			c->hz = json_number_value(mhz) * 1000000;
		} else {
			hd__entry_wrong(e, "mhz", "number 0.001..1000000 with at most 3 decimals",
			                mhz);
		}
	}
	if (hz != NULL && !json_is_null(hz)) {
		if (thousandths(hz, UINT64_C(1000000000000), &v)) {
			c->millihertz = v;
			c->hz = json_number_value(hz);
		} else {
			hd__entry_wrong(e, "hz",
			                "number 0.001..1000000000000 with at most 3 decimals", hz);
		}
	}
}

/* "exact", "accumulated" */
static void read_edges(const struct hd_entry *e, struct hd_clock_decl *c)
{
	const char *edges = "exact";

	if (hd__entry_string(e, "edges", &edges) == HD_GOT_BAD)
		return;
	c->accumulated = strcmp(edges, "accumulated") == 0;
	if (!c->accumulated && strcmp(edges, "exact") != 0)
		hd__entry_wrong(e, "edges", "\"exact\" or \"accumulated\"",
		                json_object_get(e->o, "edges"));
}

static uint32_t common_divisor(uint32_t a, uint32_t b)
{
	while (b != 0) {
		uint32_t r = a % b;

		a = b;
		b = r;
	}
	return a;
}

/* "3/4", "0", "end" */
static void read_phase(const struct hd_entry *e, struct hd_clock_decl *c)
{
	const json_t *v = json_object_get(e->o, "phase");
	const char *text = json_string_value(v);
	uint32_t num, den, divisor;
	int length = 0;

	if (v == NULL || json_is_null(v))
		return;
	if (json_is_integer(v) && json_integer_value(v) == 0)
		return;
	if (text != NULL && strcmp(text, "end") == 0) {
		c->at_end = true;
		return;
	}
	if (text != NULL && strspn(text, "0123456789/") == strlen(text) && strlen(text) <= 11
	    && sscanf(text, "%5u/%5u%n", &num, &den, &length) == 2 && text[length] == '\0'
	    && den <= MAX_PHASE && num < den) {
		divisor = common_divisor(num, den);
		c->phase_num = num / divisor;
		c->phase_den = den / divisor;
		return;
	}
	hd__entry_wrong(e, "phase", "a part of the period such as \"3/4\", less than 1, or \"end\"",
	                v);
}

/* Which members go together: a root has a rate, a derived clock has a parent. */
static void check_kind(const struct hd_entry *e, bool outer)
{
	static const char *const derived[] = { "times", "phase" };
	bool mhz = json_object_get(e->o, "mhz") != NULL, hz = json_object_get(e->o, "hz") != NULL;
	bool of = json_object_get(e->o, "of") != NULL;

	if (!mhz && !hz && !of && outer)
		hd__netlist_diag(e->n, e->d, HD_DIAG_ERROR, e->at, NULL,
		                 "%s is set by an enclosing netlist, and there is none; expected "
		                 "'mhz' for use without one",
		                 e->what);
	else if (!mhz && !hz && !of)
		hd__netlist_diag(e->n, e->d, HD_DIAG_ERROR, e->at, NULL,
		                 "%s has no frequency; expected 'mhz', 'hz' or 'of'", e->what);
	if (mhz && hz)
		hd__netlist_diag_key(e->n, e->d, HD_DIAG_ERROR, e->at, "hz",
		                     "%s has both 'mhz' and 'hz'; expected one of them", e->what);
	if (of && (mhz || hz))
		hd__netlist_diag_key(e->n, e->d, HD_DIAG_ERROR, e->at, mhz ? "mhz" : "hz",
		                     "%s has both '%s' and 'of'; expected one of them", e->what,
		                     mhz ? "mhz" : "hz");
	if (of && json_object_get(e->o, "edges") != NULL)
		hd__netlist_diag_key(e->n, e->d, HD_DIAG_ERROR, e->at, "edges",
		                     "'edges' of %s; expected only with 'mhz' or 'hz'", e->what);
	for (size_t i = 0; i < 2 && !of; i++)
		if (json_object_get(e->o, derived[i]) != NULL)
			hd__netlist_diag_key(e->n, e->d, HD_DIAG_ERROR, e->at, derived[i],
			                     "'%s' of %s; expected only with 'of'", derived[i],
			                     e->what);
}

static void read_clock(struct hd_netlist *n, const struct hd_entry *e, const struct hd_frame *f,
                       struct hd_clock_decl *c)
{
	static const char *const known[] = { "mhz",   "hz",   "edges",  "of",  "times",
		                             "phase", "gate", "extern", NULL };
	const char *s;
	bool outer = false;

	c->times = 1;
	c->phase_den = 1;
	if (!json_is_object(e->o)) {
		if (!json_is_null(e->o))
			hd__netlist_diag(e->n, e->d, HD_DIAG_ERROR, e->at, NULL,
			                 "%s: expected an object such as {\"mhz\": 1000}", e->what);
		return;
	}
	hd__entry_known(e, known);
	hd__entry_bool(e, "extern", &outer);
	check_kind(e, outer);
	read_rate(e, c);
	read_edges(e, c);
	if (hd__entry_clock(e, "of", &s) == HD_GOT)
		c->of = hd__frame_clock(n, f, s);
	hd__entry_u32(e, "times", 1, MAX_TIMES, &c->times);
	read_phase(e, c);
	if (c->at_end && c->times > 1)
		hd__netlist_diag(e->n, e->d, HD_DIAG_ERROR, e->at, "phase",
		                 "%s has %u edges in a period; with 'phase' \"end\" expected one",
		                 e->what, c->times);
	if (hd__entry_string(e, "gate", &s) == HD_GOT)
		c->gate = hd__frame_name(n, f, s);
}

/* ---- parents ------------------------------------------------------------------------------- */

/* The clocks of one frame. */
struct family {
	struct hd_netlist *n;
	struct hd_diags *d;
	struct hd_clock_decl *v;
	size_t nv;
	json_t *index;        /* name -> position in v */
	const struct hd_frame *frame;
};

/* The declaration that clock c derives from; NULL: none, or one of another frame. */
static struct hd_clock_decl *parent_of(const struct family *y, const struct hd_clock_decl *c)
{
	const json_t *i = c->of != NULL ? json_object_get(y->index, c->of) : NULL;

	return i != NULL ? &y->v[json_integer_value(i)] : NULL;
}

static void unknown_parent(const struct family *y, const struct hd_clock_decl *c)
{
	char hint[HD_HINT];

	hd__netlist_diag(y->n, y->d, HD_DIAG_ERROR, c->at, "of", "unknown clock '%s'%s", c->of,
	                 hd__hint(y->d, c->of, y->frame->clocks, "the netlist has", hint));
}

/* Reports "a -> b -> a", or its beginning and end; all of these lose their parent, so that later walks end. */
static void break_loop(const struct family *y, struct hd_clock_decl *first)
{
	char *text = hd__xstrdup(first->name), *longer;
	struct hd_clock_decl *c = first, *parent;
	bool cut = false;

	do {
		parent = parent_of(y, c);
		if (parent == first || strlen(text) < MOST_SHOWN) {
			longer = hd__format("%s%s -> %s", text, cut ? " -> ..." : "", parent->name);
			free(text);
			text = longer;
		} else {
			cut = true;
		}
		c->of = NULL;
		c = parent;
	} while (c != first);
	hd__netlist_diag(y->n, y->d, HD_DIAG_ERROR, first->at, "of",
	                 "clock '%s' derives from itself: %s", first->name, text);
	free(text);
}

/* The clocks that the enclosing netlist sets, by their names there; a new reference. */
static json_t *outer_clocks(const struct family *y)
{
	json_t *outer = hd__xcheck(json_object()), *v;
	const char *key;

	json_object_foreach(y->frame->clocks, key, v)
		if (json_object_get(y->index, json_string_value(v)) == NULL)
			json_object_set_new(outer, json_string_value(v), json_true());
	return outer;
}

static void check_parents(const struct family *y)
{
	size_t *mark = hd__xcalloc(y->nv, sizeof *mark); /* the walk that visited it, from 1 */
	json_t *outer = outer_clocks(y);

	for (size_t i = 0; i < y->nv; i++) {
		struct hd_clock_decl *c = &y->v[i];

		if (c->of != NULL && parent_of(y, c) == NULL && json_object_get(outer, c->of) == NULL) {
			unknown_parent(y, c);
			c->of = NULL;
		}
	}
	for (size_t i = 0; i < y->nv; i++) {
		struct hd_clock_decl *c = &y->v[i];

		for (; c != NULL && mark[c - y->v] == 0; c = parent_of(y, c))
			mark[c - y->v] = i + 1;
		if (c != NULL && mark[c - y->v] == i + 1 && c->of != NULL)
			break_loop(y, c);
	}
	free(mark);
	json_decref(outer);
}

/* ---- all of a frame ------------------------------------------------------------------------ */

const char *hd__frame_clock(struct hd_netlist *n, const struct hd_frame *f, const char *name)
{
	const char *known = json_string_value(json_object_get(f->clocks, name));

	return known != NULL ? hd__store_text(&n->store, known) : hd__frame_name(n, f, name);
}

/* Gives the frame its own clocks by name, so that they may be named before they are read. */
static void name_clocks(struct hd_netlist *n, struct hd_frame *f, json_t *all, const char *base,
                        struct hd_diags *d)
{
	const char *name;
	json_t *v;

	json_object_foreach(all, name, v) {
		if ((strcmp(name, "doc") == 0 && json_is_string(v))
		    || !hd__check_name(n, d, base, name, "a clock", true))
			continue;
		if (json_object_get(f->clocks, name) == NULL)
			json_object_set_new(f->clocks, name, json_string(hd__frame_name(n, f, name)));
		if (f->nclocks++ == 0)
			f->first_clock = hd__frame_clock(n, f, name);
	}
}

static void read_one(struct family *y, struct hd_scope *s, const char *name, json_t *v,
                     const char *base)
{
	struct hd_entry e = { .n = y->n, .d = y->d };
	struct hd_netlist *n = y->n;
	struct hd_clock_decl *c;
	char *what, *at;

	n->clocks = hd__xgrow(n->clocks, n->nclocks, &n->cap_clocks, sizeof *n->clocks);
	c = &n->clocks[n->nclocks++];
	*c = (struct hd_clock_decl){ .name = hd__frame_name(n, y->frame, name) };
	at = hd__pointer_add(base, name);
	c->at = hd__store_text(&n->store, at);
	free(at);
	what = hd__format("clock '%s'", name);
	e.at = c->at;
	e.what = what;
	e.o = hd__resolve(s, v, c->at);
	read_clock(n, &e, y->frame, c);
	json_decref(e.o);
	free(what);
	json_object_set_new(y->index, c->name, json_integer((json_int_t)y->nv++));
}

void hd__read_clocks(struct hd_netlist *n, struct hd_frame *f, struct hd_scope *s,
                     struct hd_diags *d)
{
	json_t *all = json_object_get(f->part->doc->root, "clocks"), *v;
	json_t *outer = hd__xcheck(json_copy(f->clocks));
	struct family y = { .n = n, .d = d, .index = hd__xcheck(json_object()), .frame = f };
	char *base = hd__format("%s/clocks", f->part->root);
	size_t first = n->nclocks;
	const char *name;

	hd__netlist_takes(n, d, HD_CLOCK_TAKES * (json_object_size(all) + json_object_size(outer)), base, NULL);
	name_clocks(n, f, all, base, d);
	json_object_foreach(all, name, v)
		if (json_object_get(f->clocks, name) != NULL && json_object_get(outer, name) == NULL)
			read_one(&y, s, name, v, base);
	y.v = n->clocks != NULL ? n->clocks + first : NULL;
	check_parents(&y);
	for (size_t i = first; i < n->nclocks; i++) {
		struct hd_clock_decl *c = &n->clocks[i];

		c->millihertz = c->of != NULL ? 0 : c->millihertz != 0 ? c->millihertz : STAND_IN;
		c->hz = c->of != NULL ? 0 : c->hz > 0 ? c->hz : (double)STAND_IN / 1000;
	}
	json_decref(y.index);
	json_decref(outer);
	free(base);
}

void hd__free_clocks(struct hd_netlist *n)
{
	free(n->clocks);
}
