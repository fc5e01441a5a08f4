/* module_check.c - checks the descriptor of a module
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * An error found here is one of the author of the module.  After the check all other code may rely
 * on the descriptor: it is only data, and no code of the module has run.
 */
#include "kernel/param.h"
#include "module_check.h"
#include "base/words.h"
#include "base/xalloc.h"

#include <inttypes.h>

/* ---- the state ---------------------------------------------------------------------------- */

static size_t port_size(const struct hd_port *p)
{
	bool array = p->flags & HD_ARRAY;

	if (p->kind == HD_PROVIDES && array)
		return sizeof(struct hd_users);
	if (p->kind == HD_PROVIDES)
		return p->type != NULL ? p->type->size : 0;
	if (p->kind == HD_USES)
		return array ? sizeof(struct hd_ifs) : sizeof(const void *);
	return array ? sizeof(struct hd_ends) : sizeof(struct hd_end);
}

/* A wrong member in an offsetof() would show much later, as a crash or as other figures.  An interface that is
 * provided is the module's own, and may have parameters and counters inside. */
struct member {
	const char *kind, *name;
	size_t at, size;
	bool counter; /* may be a part of another one */
};

/* Two of a list that begin at the same offset have been reported. */
static bool clash(const struct member *a, const struct member *b)
{
	return a->at < b->at + b->size && b->at < a->at + a->size && !(a->counter && b->counter)
	       && !(a->at == b->at && a->kind == b->kind);
}

static struct member *gather(const struct hd_module *m, size_t *n)
{
	struct member *v = NULL;

	*n = 0;
#define ADD(...) (v = hd__xappend(v, *n, sizeof *v), v[(*n)++] = (struct member){ __VA_ARGS__ })
	for (const struct hd_param *p = m->params; p && p->name; p++)
		ADD("parameter", p->name, p->offset, hd__param_size(p->type), false);
	for (const struct hd_port *p = m->ports; p && p->name; p++)
		if (p->kind != HD_PROVIDES)
			ADD("port", p->name, p->offset, port_size(p), false);
	for (const struct hd_queue *p = m->queues; p && p->name; p++)
		ADD("queue", p->name, p->offset, sizeof(struct hd_meter), false);
	for (const struct hd_stat *p = m->stats; p && p->name; p++)
		ADD("statistic", p->name, p->offset, sizeof(uint64_t), true);
#undef ADD
	return v;
}

static bool check_state(const struct hd_module *m, const char *origin, struct hd_diags *d)
{
	size_t n, errors = d->errors;
	struct member *v = gather(m, &n);

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < i; k++)
			if (clash(&v[i], &v[k]))
				hd__diag(d, HD_DIAG_ERROR, NULL, 0, 0,
				         "module '%s' (%s): %s '%s' and %s '%s' overlap in the "
				         "state: %zu bytes at offset %zu, %zu at %zu", m->name, origin, v[k].kind,
				         v[k].name, v[i].kind, v[i].name, v[k].size, v[k].at, v[i].size, v[i].at);
	free(v);
	return d->errors == errors;
}

/* ---- names of statistics, figures of the run ---------------------------------------------- */

/* Both are members of the statistics: two that need the same place would replace each other without a word. */
/* Names with dots between them. */
static bool is_figure(const char *total)
{
	bool ok = true;

	while (ok && total) {
		size_t n = strcspn(total, ".");
		char *name = hd__xstrndup(total, n);

		ok = hd__is_name(name);
		free(name);
		total = total[n] == '.' ? total + n + 1 : NULL;
	}
	return ok;
}

static void HD_PRINTF(4, 5) bad_stat(const struct hd_module *m, const char *origin, struct hd_diags *d,
                                     const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = hd__xvprintf(fmt, ap);
	va_end(ap);
	hd__diag(d, HD_DIAG_ERROR, NULL, 0, 0, "module '%s' (%s): %s", m->name ? m->name : "?", origin, text);
	free(text);
}

static bool check_figures(const struct hd_module *m, const char *origin, struct hd_diags *d)
{
	size_t errors = d->errors;

	for (const struct hd_stat *p = m->stats; p && p->name; p++) {
		const char *total = p->total;

		if (strcmp(p->name, "module") == 0)
			bad_stat(m, origin, d, "a statistic is named 'module', which each instance has in the "
			                       "statistics");
		if (!total && (p->ratio || p->most))
			bad_stat(m, origin, d, "statistic '%s' has '%s', but no total", p->name,
			         p->ratio ? "ratio" : "most");
		if (!total)
			continue;
		if (strcmp(total, "cycles") == 0)
			bad_stat(m, origin, d, "statistic '%s' adds to 'cycles', which is the time of the run; "
			                       "expected another total", p->name);
		else if (hd__figure_reserved(total, strcspn(total, ".")))
			bad_stat(m, origin, d, "statistic '%s' adds to '%s', but the statistics of a run have '%.*s' "
			                       "already; expected another total", p->name, total,
			                       (int)strcspn(total, "."), total);
		else if (!is_figure(total))
			bad_stat(m, origin, d, "statistic '%s' adds to '%s'; expected names with dots between them",
			         p->name,
			    total);
	}
	return d->errors == errors && hd__figures_apart(m, origin, m, d);
}

bool hd__figures_apart(const struct hd_module *m, const char *origin, const struct hd_module *other, struct hd_diags *d)
{
	size_t errors = d->errors;

	for (const struct hd_stat *p = m->stats; p && p->name; p++)
		for (const struct hd_stat *q = other->stats; p->total && q && q->name; q++)
			if (q->total && (hd__figure_within(p->total, q->total)
			                 || (m != other && hd__figure_within(q->total, p->total))))
				bad_stat(m, origin, d, "statistic '%s' adds to '%s', and '%s' of module '%s' to '%s'; "
				                       "expected that neither is a group in which the other one is",
				                       p->name, p->total, q->name,
				    other->name, q->total);
	return d->errors == errors;
}

/* ---- the rest ----------------------------------------------------------------------------- */

/* More is a mistake, or would not fit into memory for every instance, place or record. */
#define STATE_MAX ((size_t)1 << 28)
#define PAYLOAD_MAX ((size_t)HD_RECORD_MAX)

struct check {
	const struct hd_module *m;
	const char *origin;
	struct hd_diags *d;
	bool ok;
};

/* A list of items that must have different names, and the bytes that they may use. */
struct group {
	const char *kind; /* "parameter" */
	const char *of;   /* " of port 'in'", "" */
	size_t room;      /* bytes of the struct that offsets point into */
};

static void HD_PRINTF(2, 3) bad(struct check *c, const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = hd__xvprintf(fmt, ap);
	va_end(ap);
	hd__diag(c->d, HD_DIAG_ERROR, NULL, 0, 0, "module '%s' (%s): %s",
	         c->m->name != NULL ? c->m->name : "?", c->origin, text);
	free(text);
	c->ok = false;
}

/* Checks the name and doc that every item has. */
static void check_named(struct check *c, const struct group *g, const char *name, const char *doc)
{
	if (!hd__is_name(name))
		bad(c, "bad name '%s' of a%s %s%s; expected letters, digits and '_', at most %u",
		    name, strchr("aeiou", g->kind[0]) ? "n" : "", g->kind, g->of, HD_NAME_MAX);
	if (doc == NULL || doc[0] == '\0')
		bad(c, "%s '%s'%s has no doc", g->kind, name, g->of);
}

static void twice(struct check *c, const struct group *g, const char *name)
{
	bad(c, "two %ss%s are named '%s'", g->kind, g->of, name);
}

/* Returns false after an error. */
static bool check_room(struct check *c, const char *what, const char *of, size_t size, size_t most)
{
	if (size > most)
		bad(c, "%s%s has %zu bytes; expected at most %zu", what, of, size, most);
	return size <= most;
}

static void check_extent(struct check *c, const struct group *g, const char *name, size_t offset,
                         size_t size)
{
	if (offset > g->room || g->room - offset < size)
		bad(c, "%s '%s'%s lies outside of its struct: offset %zu, size %zu, of %zu bytes",
		    g->kind, name, g->of, offset, size, g->room);
}

/* ---- parameters ---------------------------------------------------------------------------- */

static void check_params(struct check *c, const struct group *g, const struct hd_param *params);

static void check_type(struct check *c, const struct group *g, const struct hd_param *p)
{
	struct group columns = { "column", "", p->row_size };
	char *of;

	if (p->min > p->max)
		bad(c, "%s '%s'%s has the range %" PRIu64 "..%" PRIu64, g->kind, p->name, g->of,
		    p->min, p->max);
	if (p->type == HD_CHOICE && (p->choices == NULL || p->choices[0] == NULL))
		bad(c, "%s '%s'%s is a choice without choices", g->kind, p->name, g->of);
	if ((p->type == HD_SYMBOL || p->type == HD_SYMBOLS) && p->kind == NULL)
		bad(c, "%s '%s'%s has symbols without a kind", g->kind, p->name, g->of);
	if (p->type != HD_TABLE)
		return;
	if (p->columns == NULL || p->row_size == 0) {
		bad(c, "%s '%s'%s is a table without columns or row_size", g->kind, p->name, g->of);
		return;
	}
	of = hd__format(" of %s '%s'%s", g->kind, p->name, g->of);
	columns.of = of;
	if (check_room(c, "a row", of, p->row_size, PAYLOAD_MAX))
		check_params(c, &columns, p->columns);
	free(of);
}

/* Two at the same offset are an offsetof() that was copied and not changed. */
static void check_pair(struct check *c, const struct group *g, const struct hd_param *a,
                       const struct hd_param *b)
{
	if (strcmp(a->name, b->name) == 0)
		twice(c, g, a->name);
	else if (a->offset == b->offset)
		bad(c, "%ss '%s' and '%s'%s have the same offset", g->kind, a->name, b->name,
		    g->of);
}

static void check_params(struct check *c, const struct group *g, const struct hd_param *params)
{
	for (const struct hd_param *p = params; p != NULL && p->name != NULL; p++) {
		check_named(c, g, p->name, p->doc);
		if (strcmp(p->name, "doc") == 0)
			bad(c, "%s%s is named 'doc', which every object of a netlist may have",
			    g->kind, g->of);
		if (p->unit == NULL)
			bad(c, "%s '%s'%s has no unit; expected \"\" if it has none", g->kind,
			    p->name, g->of);
		if ((unsigned)p->type > HD_TABLE) {
			bad(c, "%s '%s'%s has the unknown type %d", g->kind, p->name, g->of,
			    (int)p->type);
			continue;
		}
		check_extent(c, g, p->name, p->offset, hd__param_size(p->type));
		check_type(c, g, p);
		for (const struct hd_param *q = params; q < p; q++)
			check_pair(c, g, q, p);
	}
}

/* Gives each name another number, which is all that a set of symbols needs. */
static uint32_t next_symbol(void *arg, const char *kind, const char *name)
{
	uint32_t *next = arg;

	(void)kind, (void)name;
	return (*next)++ % 64;
}

static void check_defaults(struct check *c, const struct hd_param *params, size_t room,
                           const char *of)
{
	uint32_t next = 0;
	struct hd_param_store store = { .symbol = next_symbol, .arg = &next, .diags = c->d };
	const char *const who[] = { "module '", c->m->name, "' (", c->origin, ")", of, NULL };
	void *base = hd__xcalloc(1, room);

	if (hd__params_defaults(&store, params, base, who) > 0)
		c->ok = false;
	hd__params_free(&store);
	free(base);
}

static void check_param_list(struct check *c, const struct group *g, const struct hd_param *params)
{
	struct check form = { .m = c->m, .origin = c->origin, .d = c->d, .ok = true };

	check_params(&form, g, params);
	if (form.ok && params != NULL)
		check_defaults(&form, params, g->room, g->of);
	c->ok = c->ok && form.ok;
}

/* ---- ports --------------------------------------------------------------------------------- */

static void check_attrs(struct check *c, const struct hd_port *p)
{
	struct group g = { "attribute", "", p->attr_size };
	char *of;

	if (p->attrs == NULL)
		return;
	of = hd__format(" of port '%s'", p->name);
	g.of = of;
	if (check_room(c, "the struct of attributes", of, p->attr_size, PAYLOAD_MAX))
		check_param_list(c, &g, p->attrs);
	free(of);
}

static void check_payload(struct check *c, const struct hd_port *p)
{
	char *of = hd__format(" of port '%s'", p->name);
	struct group fields = { "field", of, p->type->record };
	size_t n = 0;

	check_room(c, "a payload", of, p->type->size, PAYLOAD_MAX);
	check_room(c, "a record", of, p->type->record, PAYLOAD_MAX);
	if (p->type->record > 0 && p->type->record < sizeof(uint32_t)) /* a free one has the handle of the next */
		bad(c, "a record%s has %" PRIu32 " bytes; expected at least 4", of, p->type->record);
	if (p->type->record > 0 && p->type->size != sizeof(uint32_t))
		bad(c, "a payload%s has %" PRIu32 " bytes and a record; expected 4 bytes, the size of its handle", of,
		    p->type->size);
	for (const struct hd_field *f = p->type->fields; f && f->name && p->type->record > 0; f++) {
		n++;
		check_named(c, &fields, f->name, "-");
		check_extent(c, &fields, f->name, f->offset, f->size);
		if (f->size != 1 && f->size != 2 && f->size != 4 && f->size != 8)
			bad(c, "field '%s'%s has %" PRIu32 " bytes; expected 1, 2, 4 or 8", f->name, of, f->size);
		for (const struct hd_field *g = p->type->fields; g < f; g++)
			if (strcmp(g->name, f->name) == 0)
				twice(c, &fields, f->name);
	}
	if (n > HD_MOST_FIELDS)
		bad(c, "a record%s has %zu fields; expected at most %u", of, n, HD_MOST_FIELDS);
	free(of);
}

static void check_port(struct check *c, const struct group *g, const struct hd_port *p)
{
	bool channel = p->kind == HD_IN || p->kind == HD_OUT;

	check_named(c, g, p->name, p->doc);
	if ((unsigned)p->kind > HD_PROVIDES) {
		bad(c, "port '%s' has the unknown kind %d", p->name, (int)p->kind);
		return;
	}
	if (p->type == NULL || p->type->name == NULL || p->type->size == 0)
		bad(c, "port '%s' has no type with name and size", p->name);
	else if (channel)
		check_payload(c, p);
	if ((p->flags & HD_SLOTS) && !channel)
		bad(c, "port '%s' has HD_SLOTS; expected only for channels", p->name);
	if ((p->flags & HD_METERED) && (p->kind != HD_IN || (p->flags & HD_SLOTS)))
		bad(c, "port '%s' has HD_METERED; expected only for HD_IN without HD_SLOTS", p->name);
	if ((p->flags & HD_ORDERED) && p->kind != HD_PROVIDES)
		bad(c, "port '%s' has HD_ORDERED; expected only for HD_PROVIDES", p->name);
	if ((p->flags & HD_GOES_ON) && p->kind != HD_PROVIDES)
		bad(c, "port '%s' has HD_GOES_ON; expected only for HD_PROVIDES", p->name);
	if ((p->flags & HD_APART) && p->kind != HD_PROVIDES)
		bad(c, "port '%s' has HD_APART; expected only for HD_PROVIDES", p->name);
	if ((p->flags & HD_DELAYED) && (p->kind != HD_IN || (p->flags & (HD_SLOTS | HD_ARRAY))))
		bad(c, "port '%s' has HD_DELAYED; expected only for HD_IN without HD_SLOTS and HD_ARRAY", p->name);
	if ((p->flags & HD_REG) && (!channel || (p->flags & (HD_SLOTS | HD_DELAYED))))
		bad(c, "port '%s' has HD_REG; expected only for channels without HD_SLOTS and HD_DELAYED", p->name);
	if ((p->flags & HD_RARE) && p->kind != HD_USES)
		bad(c, "port '%s' has HD_RARE; expected only for HD_USES", p->name);
	if ((p->flags & HD_WAKES) && !(p->flags & HD_RARE))
		bad(c, "port '%s' has HD_WAKES; expected only with HD_RARE", p->name);
	if (p->most > 0 && (p->kind != HD_OUT || (p->flags & HD_SLOTS)))
		bad(c, "port '%s' has 'most'; expected only for HD_OUT without HD_SLOTS", p->name);
	if (p->users > 0 && p->kind != HD_PROVIDES && p->kind != HD_IN)
		bad(c, "port '%s' has 'users'; expected only for HD_PROVIDES and HD_IN", p->name);
	if (p->like && p->kind != HD_USES)
		bad(c, "port '%s' has 'like'; expected only for HD_USES", p->name);
	check_extent(c, g, p->name, p->offset, port_size(p));
	check_attrs(c, p);
}

static void check_ports(struct check *c)
{
	const struct group g = { "port", "", c->m->state_size };

	for (const struct hd_port *p = c->m->ports; p != NULL && p->name != NULL; p++) {
		check_port(c, &g, p);
		for (const struct hd_port *q = c->m->ports; q < p; q++) {
			if (strcmp(q->name, p->name) == 0)
				twice(c, &g, p->name);
			else if (q->kind != HD_PROVIDES && p->kind != HD_PROVIDES
			         && q->offset == p->offset)
				bad(c, "ports '%s' and '%s' have the same offset", q->name,
				    p->name);
		}
	}
}

/* ---- statistics, events -------------------------------------------------------------------- */

static bool named(const struct hd_stat *list, const char *name)
{
	while (list->name != NULL && strcmp(list->name, name) != 0)
		list++;
	return list->name != NULL;
}

static void check_stats(struct check *c)
{
	const struct group g = { "statistic", "", c->m->state_size };

	for (const struct hd_stat *p = c->m->stats; p != NULL && p->name != NULL; p++) {
		check_named(c, &g, p->name, p->doc);
		check_extent(c, &g, p->name, p->offset,
		             sizeof(uint64_t) + (p->n > 1 ? (size_t)(p->n - 1) * p->stride : 0));
		if (p->unit == NULL)
			bad(c, "statistic '%s' has no unit; expected \"\" if it has none", p->name);
		if (p->of != NULL && !named(c->m->stats, p->of))
			bad(c, "statistic '%s' is a share of '%s', which is not a statistic of it", p->name,
			    p->of);
		for (const struct hd_stat *q = c->m->stats; q < p; q++)
			if (strcmp(q->name, p->name) == 0)
				twice(c, &g, p->name);
	}
	c->ok = check_figures(c->m, c->origin, c->d) && c->ok;
}

static void check_activity(struct check *c)
{
	const struct group g = { "activity", "", c->m->state_size };

	for (const struct hd_activity *p = c->m->activity; p != NULL && p->name != NULL; p++) {
		check_named(c, &g, p->name, p->doc);
		if (p->now == NULL)
			check_extent(c, &g, p->name, p->offset, p->kind ? sizeof(uint64_t *) : sizeof(uint64_t));
		if (p->unit == NULL)
			bad(c, "activity '%s' has no unit; expected \"\" if it has none", p->name);
		if (c->m->stats != NULL && named(c->m->stats, p->name))
			bad(c, "activity '%s' is a statistic as well; expected another name", p->name);
		for (const struct hd_activity *q = c->m->activity; q < p; q++)
			if (strcmp(q->name, p->name) == 0)
				twice(c, &g, p->name);
	}
	if (c->m->eval == NULL && c->m->eval_active != NULL)
		bad(c, "has 'eval_active' but no 'eval', so it is never called");
}

static void check_queues(struct check *c)
{
	const struct group g = { "queue", "", c->m->state_size };

	for (const struct hd_queue *p = c->m->queues; p != NULL && p->name != NULL; p++) {
		check_named(c, &g, p->name, p->doc);
		check_extent(c, &g, p->name, p->offset, sizeof(struct hd_meter));
		check_extent(c, &g, p->name, p->capacity, sizeof(uint32_t));
		if (p->unit == NULL)
			bad(c, "queue '%s' has no unit; expected \"\" if it has none", p->name);
		for (const struct hd_queue *q = c->m->queues; q < p; q++)
			if (strcmp(q->name, p->name) == 0)
				twice(c, &g, p->name);
	}
}

static void check_fields(struct check *c, const struct hd_event *e)
{
	char *of = hd__format(" of event '%s'", e->name);
	const struct group g = { "field", of, 0 };

	for (size_t i = 0; i < HD_EVENT_FIELDS && e->fields[i].name != NULL; i++) {
		const char *name = e->fields[i].name;

		check_named(c, &g, name, "-");
		for (size_t j = 0; j < i; j++)
			if (strcmp(e->fields[j].name, name) == 0)
				twice(c, &g, name);
	}
	free(of);
}

static void check_events(struct check *c)
{
	const struct group g = { "event", "", 0 };

	for (const struct hd_event *p = c->m->events; p != NULL && p->name != NULL; p++) {
		check_named(c, &g, p->name, p->doc);
		check_fields(c, p);
		for (const struct hd_event *q = c->m->events; q < p; q++)
			if (strcmp(q->name, p->name) == 0)
				twice(c, &g, p->name);
	}
}

static void check_by_slot(struct check *c)
{
	const struct group g = { "member by slot", "", c->m->state_size };

	for (const struct hd_by_slot *p = c->m->by_slot; p != NULL && p->name != NULL; p++)
		check_extent(c, &g, p->name, p->offset, p->size);
}

static void check_marks(struct check *c)
{
	const struct group marks = { "mark", "", 0 }, reasons = { "reason", "", 0 };

	for (const struct hd_mark *p = c->m->marks; p != NULL && p->name != NULL; p++) {
		check_named(c, &marks, p->name, p->doc);
		for (const struct hd_mark *q = c->m->marks; q < p; q++)
			if (strcmp(q->name, p->name) == 0)
				twice(c, &marks, p->name);
	}
	for (const struct hd_reason *p = c->m->reasons; p != NULL && p->name != NULL; p++) {
		if (p->doc == NULL || p->doc[0] == '\0')
			bad(c, "reason '%s' has no doc", p->name);
		for (const struct hd_reason *q = c->m->reasons; q < p; q++)
			if (strcmp(q->name, p->name) == 0)
				twice(c, &reasons, p->name);
	}
	for (const struct hd_reason *p = c->m->reasons; p != NULL; p = p->name != NULL ? p + 1 : NULL)
		if (p->symbols != NULL && (p->name != NULL || p->doc == NULL || strchr(p->symbols, '.') == NULL))
			bad(c, "'symbols' \"%s\" of a reason; expected a group, a dot and a kind, and a doc, in the "
			    "last entry, which has no name", p->symbols);
	if (c->m->stall_cause != NULL && (c->m->reasons == NULL || c->m->reasons->name == NULL))
		bad(c, "has 'stall_cause' but no reasons");
}

/* ---- the whole ----------------------------------------------------------------------------- */

static bool provides(const struct hd_module *m)
{
	for (const struct hd_port *p = m->ports; p != NULL && p->name != NULL; p++)
		if (p->kind == HD_PROVIDES)
			return true;
	return false;
}

bool hd__module_check(const struct hd_module *m, const char *origin, struct hd_diags *d)
{
	struct check c = { .m = m, .origin = origin, .d = d, .ok = true };
	const struct group params = { "parameter", "", m->state_size };

	if (m->abi != HD_ABI || m->size != sizeof *m) {
		/* No member after these two can be trusted, not even the name. */
		hd__diag(d, HD_DIAG_ERROR, NULL, 0, 0,
		         "module (%s) has ABI %u and a descriptor of %u bytes; expected %u and %zu",
		         origin, m->abi, m->size, HD_ABI, sizeof *m);
		return false;
	}
	if (m->name == NULL || !hd__is_name(m->name))
		bad(&c, "bad name; expected letters, digits and '_', at most %u", HD_NAME_MAX);
	if (m->doc == NULL || m->doc[0] == '\0')
		bad(&c, "has no doc");
	if (m->eval == NULL && !provides(m))
		bad(&c, "has neither 'eval' nor a port that provides something");
	if (m->eval == NULL && m->skipped != NULL)
		bad(&c, "has 'skipped' but no 'eval', so it is never called");
	if (!check_room(&c, "the state", "", m->state_size, STATE_MAX))
		return false;
	check_param_list(&c, &params, m->params);
	check_ports(&c);
	check_stats(&c);
	check_activity(&c);
	check_queues(&c);
	check_events(&c);
	check_marks(&c);
	check_by_slot(&c);
	if (c.ok)
		c.ok = check_state(m, origin, d);
	return c.ok;
}
