/* netlist_clock.c - reads the "clocks" of a netlist
 * SPDX-License-Identifier: BSD-2-Clause
 *
 *	"main":  { "mhz": 1417.5 }                                   a root
 *	"quick": { "of": "main", "times": 4 }                        four edges per period
 *	"late":  { "of": "main", "phase": "3/4", "gate": "feeder" }  one, later, switched
 */
#include "netlist_read.h"
#include "xalloc.h"

enum { MAX_TIMES = 65536, MAX_PHASE = 65536 };

#define MILLIHERTZ_PER_KHZ UINT64_C(1000000)
#define STAND_IN UINT64_C(1000000000000) /* 1 GHz, for a clock that was reported */

/* The number in thousandths of what it counts, if it has no finer part.  A decimal fraction with
 * up to three digits is read as the double nearest to it, which is what the division gives. */
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
	given = json_real_value(v); /* 0 if it is no number */
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
		if (thousandths(mhz, 1000000, &v))
			c->millihertz = v * MILLIHERTZ_PER_KHZ;
		else
			hd__entry_wrong(e, "mhz", "number 0.001..1000000 with at most 3 decimals",
			                mhz);
	}
	if (hz != NULL && !json_is_null(hz)) {
		if (thousandths(hz, UINT64_C(1000000000000), &v))
			c->millihertz = v;
		else
			hd__entry_wrong(e, "hz",
			                "number 0.001..1000000000000 with at most 3 decimals", hz);
	}
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
static void check_kind(const struct hd_entry *e)
{
	static const char *const derived[] = { "times", "phase" };
	bool mhz = json_object_get(e->o, "mhz") != NULL, hz = json_object_get(e->o, "hz") != NULL;
	bool of = json_object_get(e->o, "of") != NULL;

	if (!mhz && !hz && !of)
		hd__netlist_diag(e->n, e->d, HD_DIAG_ERROR, e->at, NULL,
		                 "%s has no frequency; expected 'mhz', 'hz' or 'of'", e->what);
	if (mhz && hz)
		hd__netlist_diag_key(e->n, e->d, HD_DIAG_ERROR, e->at, "hz",
		                     "%s has both 'mhz' and 'hz'; expected one of them", e->what);
	if (of && (mhz || hz))
		hd__netlist_diag_key(e->n, e->d, HD_DIAG_ERROR, e->at, mhz ? "mhz" : "hz",
		                     "%s has both '%s' and 'of'; expected one of them", e->what,
		                     mhz ? "mhz" : "hz");
	for (size_t i = 0; i < 2 && !of; i++)
		if (json_object_get(e->o, derived[i]) != NULL)
			hd__netlist_diag_key(e->n, e->d, HD_DIAG_ERROR, e->at, derived[i],
			                     "'%s' of %s; expected only with 'of'", derived[i],
			                     e->what);
}

static void read_clock(const struct hd_entry *e, struct hd_clock_decl *c)
{
	static const char *const known[] = { "mhz", "hz", "of", "times", "phase", "gate", NULL };
	const char *s;

	c->times = 1;
	c->phase_den = 1;
	if (!json_is_object(e->o)) {
		if (!json_is_null(e->o))
			hd__netlist_diag(e->n, e->d, HD_DIAG_ERROR, e->at, NULL,
			                 "%s: expected an object such as {\"mhz\": 1000}", e->what);
		return;
	}
	hd__entry_known(e, known);
	check_kind(e);
	read_rate(e, c);
	if (hd__entry_name(e, "of", &s) == HD_GOT)
		c->of = hd__xstrdup(s);
	hd__entry_u32(e, "times", 1, MAX_TIMES, &c->times);
	read_phase(e, c);
	if (c->at_end && c->times > 1)
		hd__netlist_diag(e->n, e->d, HD_DIAG_ERROR, e->at, "phase",
		                 "%s has %u edges in a period; with 'phase' \"end\" expected one",
		                 e->what, c->times);
	if (hd__entry_string(e, "gate", &s) == HD_GOT)
		c->gate = hd__xstrdup(s);
}

/* ---- parents ------------------------------------------------------------------------------- */

/* The declaration that clock c derives from, or NULL. */
static struct hd_clock_decl *parent_of(struct hd_netlist *n, const json_t *index,
                                       const struct hd_clock_decl *c)
{
	const json_t *i = c->of != NULL ? json_object_get(index, c->of) : NULL;

	return i != NULL ? &n->clocks[json_integer_value(i)] : NULL;
}

static void unknown_parent(struct hd_netlist *n, struct hd_diags *d, const struct hd_clock_decl *c)
{
	const char **names = hd__xcalloc(n->nclocks, sizeof *names);
	char buf[1000] = "";

	for (size_t i = 0; i < n->nclocks; i++)
		names[i] = n->clocks[i].name;
	if (d->n < HD_DIAGS_KEPT) /* else it is only counted */
		hd__suggest(c->of, names, n->nclocks, "the netlist has", buf, sizeof buf);
	hd__netlist_diag(n, d, HD_DIAG_ERROR, c->at, "of", "unknown clock '%s'%s", c->of, buf);
	free(names);
}

/* "a -> b -> a", all of which lose their parent so that nobody runs in circles. */
static void break_loop(struct hd_netlist *n, struct hd_diags *d, const json_t *index,
                       struct hd_clock_decl *first)
{
	char *text = hd__xstrdup(first->name), *longer;
	struct hd_clock_decl *c = first, *parent;

	do {
		parent = parent_of(n, index, c);
		longer = hd__format("%s -> %s", text, parent->name);
		free(text);
		text = longer;
		free(c->of);
		c->of = NULL;
		c = parent;
	} while (c != first);
	hd__netlist_diag(n, d, HD_DIAG_ERROR, first->at, "of", "clock '%s' derives from itself: %s",
	                 first->name, text);
	free(text);
}

static void check_parents(struct hd_netlist *n, struct hd_diags *d, const json_t *index)
{
	size_t *mark = hd__xcalloc(n->nclocks, sizeof *mark); /* the walk that came by, from 1 */

	for (size_t i = 0; i < n->nclocks; i++) {
		struct hd_clock_decl *c = &n->clocks[i];

		if (c->of != NULL && parent_of(n, index, c) == NULL) {
			unknown_parent(n, d, c);
			free(c->of);
			c->of = NULL;
		}
	}
	for (size_t i = 0; i < n->nclocks; i++) {
		struct hd_clock_decl *c = &n->clocks[i];

		for (; c != NULL && mark[c - n->clocks] == 0; c = parent_of(n, index, c))
			mark[c - n->clocks] = i + 1;
		if (c != NULL && mark[c - n->clocks] == i + 1 && c->of != NULL)
			break_loop(n, d, index, c);
	}
	free(mark);
}

void hd__read_clocks(struct hd_netlist *n, struct hd_scope *s, struct hd_diags *d)
{
	json_t *all = json_object_get(n->root, "clocks"), *v;
	json_t *index = hd__xcheck(json_object());
	const char *name;

	n->clocks = hd__xcalloc(json_object_size(all), sizeof *n->clocks);
	json_object_foreach(all, name, v) {
		struct hd_clock_decl *c = &n->clocks[n->nclocks];
		struct hd_entry e = { .n = n, .d = d };
		char *what;

		if (strcmp(name, "doc") == 0 && json_is_string(v))
			continue;
		if (!hd__check_name(n, d, "/clocks", name, "a clock"))
			continue;
		c->name = hd__xstrdup(name);
		c->at = hd__pointer_add("/clocks", name);
		what = hd__format("clock '%s'", name);
		e.at = c->at;
		e.what = what;
		e.o = hd__resolve(s, v, c->at);
		read_clock(&e, c);
		json_decref(e.o);
		free(what);
		json_object_set_new(index, name, json_integer((json_int_t)n->nclocks++));
	}
	check_parents(n, d, index);
	for (size_t i = 0; i < n->nclocks; i++) {
		struct hd_clock_decl *c = &n->clocks[i];

		c->millihertz = c->of != NULL ? 0 : c->millihertz != 0 ? c->millihertz : STAND_IN;
	}
	json_decref(index);
}

void hd__free_clocks(struct hd_netlist *n)
{
	for (size_t i = 0; i < n->nclocks; i++) {
		free(n->clocks[i].name);
		free(n->clocks[i].at);
		free(n->clocks[i].of);
		free(n->clocks[i].gate);
	}
	free(n->clocks);
}
