/* report_limit.c - what limits the run, and the most that a change would save
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The limit is what most issue slots were lost to: an instance that did not empty the register sets
 * in front of it, or a reason.  A lever is a parameter of a module that takes away some of these
 * causes; the netlist of the dump has its value.  Two figures say what would follow.  The bound:
 * all other work stays, so the run lasts at least as long as the next busy instance is busy.  The
 * estimate: all slots that were lost to these causes are used.  That is optimistic, for other causes
 * take the place of some, and yet no bound, for waits for results get shorter as well.
 */
#include "kernel/base/path.h"
#include "kernel/base/xalloc.h"
#include "report.h"

#define MOST_CAUSES 8u
#define MOST_BUSY 256u /* arrays that the page has */
#define LEAST_SHARE 0.05 /* of the slots: below, nothing is suggested */
#define LEAST_SAVED 0.02 /* of the cycles: the same */

enum change { TWICE, HALVE_INTERVALS };

static const struct lever {
	const char *module, *causes[4]; /* the stall reasons of the module that it acts on */
	const char *param;
	enum change change;
	const char *what;
} levers[] = {
	{ "load_store", { "latch", "accesses", "shared_conflict" }, "cycles_per_edge", TWICE,
	  "works twice in a cycle" },
	{ "fu_pipeline", { "initiation" }, "timing", HALVE_INTERVALS,
	  "takes instructions twice as often" },
	{ "collector", { "operands" }, "steps", TWICE, "reads operands twice as often" },
};

/* Modules whose throughput is not counted as cycles in which they are busy: requests, one a cycle. */
static const struct {
	const char *module, *counters[3];
} served[] = {
	{ "memory_perfect", { "reads", "writes" } },
};

struct busy {
	char *name; /* of the array */
	const char *module, *instance; /* instance: of the netlist */
	double share; /* of the cycles of the run, of the busiest of them */
};

struct limit {
	struct report *r;
	const json_t *slots; /* the kinds of the page */
	uint64_t total;      /* slots */
	/* the largest group */
	char *group;         /* path without indices, or the reason */
	bool at_instance;
	uint64_t lost;
	struct busy *busy;   /* the busiest first */
	size_t nbusy, cap;
};

static const char *text_of(const json_t *o, const char *name)
{
	const char *s = json_string_value(json_object_get(o, name));

	return s ? s : "";
}

static uint64_t count_of(const json_t *kind)
{
	return (uint64_t)json_integer_value(json_object_get(kind, "total"));
}

static bool issued(const json_t *kind)
{
	const char *reason = text_of(kind, "reason");

	return strcmp(reason, "single") == 0 || strcmp(reason, "dual") == 0;
}

/* ---- what most slots were lost to ---- */

/* "load_store: latch" is "load_store"; of reasons without a cause the first two words, "idle.fetch",
 * as further ones are places of the same. */
static char *group_of(const json_t *kind)
{
	const char *cause = text_of(kind, "cause"), *reason = text_of(kind, "reason"), *end;

	if (strstr(cause, ": "))
		return hd__xstrndup(cause, (size_t)(strstr(cause, ": ") - cause));
	end = strchr(reason, '.');
	end = end ? strchr(end + 1, '.') : NULL;
	return end ? hd__xstrndup(reason, (size_t)(end - reason)) : hd__xstrdup(reason);
}

static void find_limit(struct limit *l)
{
	json_t *sums = json_object(), *kind, *sum;
	const char *name;
	size_t i;

	json_array_foreach((json_t *)l->slots, i, kind) {
		char *group = group_of(kind);

		l->total += count_of(kind);
		sum = json_object_get(sums, group);
		if (!issued(kind))
			json_object_set_new(sums, group, json_integer(json_integer_value(sum)
			                                              + (json_int_t)count_of(kind)));
		free(group);
	}
	json_object_foreach(sums, name, sum) {
		if ((uint64_t)json_integer_value(sum) <= l->lost)
			continue;
		l->lost = (uint64_t)json_integer_value(sum);
		free(l->group);
		l->group = hd__xstrdup(name);
	}
	json_array_foreach((json_t *)l->slots, i, kind) {
		size_t n = l->group ? strlen(l->group) : 0;

		l->at_instance |= n && strncmp(text_of(kind, "cause"), l->group, n) == 0
		                  && text_of(kind, "cause")[n] == ':';
	}
	json_decref(sums);
}

static bool in_limit(const struct limit *l, const json_t *kind)
{
	char *group = group_of(kind);
	bool same = !issued(kind) && strcmp(group, l->group) == 0;

	free(group);
	return same;
}

/* The causes in the limit, the largest first: what each is, and its slots in all units. */
static json_t *causes(const struct limit *l)
{
	json_t *sums = json_object(), *list = json_array(), *kind, *v;
	const char *name;
	size_t i;

	json_array_foreach((json_t *)l->slots, i, kind) {
		const char *doc = text_of(kind, l->at_instance ? "cause_doc" : "doc");
		json_int_t before = json_integer_value(json_object_get(sums, doc));

		if (in_limit(l, kind))
			json_object_set_new(sums, doc, json_integer(before + (json_int_t)count_of(kind)));
	}
	while (json_object_size(sums) && json_array_size(list) < MOST_CAUSES) {
		const char *most = NULL;
		json_int_t n = -1;

		json_object_foreach(sums, name, v)
			if (json_integer_value(v) > n) {
				n = json_integer_value(v);
				most = name;
			}
		json_array_append_new(list, json_pack("{s:s, s:I}", "doc", most, "slots", n));
		json_object_del(sums, most);
	}
	json_decref(sums);
	return list;
}

/* ---- how busy everything was ---- */

static const json_t *instances(const struct limit *l)
{
	return json_object_get(json_object_get(l->r->d->meta, "netlist"), "instances");
}

/* The netlist has "sp" where the run has sp[0], sp[1].  Sets the name that it has there. */
static const json_t *in_netlist(const struct limit *l, const char *path, const char **name)
{
	const json_t *all = instances(l), *found = json_object_get(all, path);
	char *array = hd__xstrdup(path), *index = strrchr(array, '[');

	if (!found && index && array[strlen(array) - 1] == ']')
		*index = '\0';
	*name = json_object_iter_key(json_object_iter_at((json_t *)all, array));
	found = *name ? json_object_get(all, *name) : NULL;
	free(array);
	return found;
}

static double mhz(const struct limit *l, const char *clock)
{
	const json_t *all = json_object_get(l->r->d->meta, "clocks"), *one;
	size_t i;

	json_array_foreach((json_t *)all, i, one)
		if (clock && strcmp(text_of(one, "name"), clock) == 0)
			return json_number_value(json_object_get(one, "mhz"));
	return 0;
}

static bool ends_in_busy(const char *name)
{
	size_t n = strlen(name);

	return n >= 4 && strcmp(name + n - 4, "busy") == 0;
}

/* Cycles of its own clock in which an instance could do nothing else. */
static double busy_cycles(const json_t *figures, const char *module)
{
	const char *name;
	double most = -1;
	json_t *v;

	json_object_foreach((json_t *)figures, name, v)
		if (json_is_integer(v) && ends_in_busy(name) && json_number_value(v) > most)
			most = json_number_value(v);
	for (size_t i = 0; i < sizeof served / sizeof *served; i++)
		if (strcmp(served[i].module, module) == 0) {
			most = 0;
			for (size_t k = 0; served[i].counters[k]; k++)
				most += json_number_value(json_object_get(figures, served[i].counters[k]));
		}
	return most;
}

static void add_busy(struct limit *l, const char *path, const json_t *figures)
{
	const char *instance, *module, *cycle = text_of(l->r->d->meta, "cycle");
	const json_t *one = in_netlist(l, path, &instance);
	double cycles, ticks;
	struct busy b;

	if (!one)
		return;
	module = text_of(one, "module");
	cycles = busy_cycles(figures, module);
	ticks = mhz(l, cycle) > 0 ? (double)l->r->cycles * mhz(l, text_of(one, "clock")) / mhz(l, cycle) : 0;
	if (cycles <= 0 || ticks <= 0)
		return;
	b = (struct busy){ hd__path_any_index(path), module, instance, cycles / ticks };
	for (size_t i = 0; i < l->nbusy; i++) {
		if (strcmp(l->busy[i].name, b.name) != 0)
			continue;
		if (b.share > l->busy[i].share)
			l->busy[i].share = b.share;
		free(b.name);
		return;
	}
	l->busy = hd__xgrow(l->busy, l->nbusy, &l->cap, sizeof *l->busy);
	l->busy[l->nbusy++] = b;
}

static int busiest_first(const void *a, const void *b)
{
	const struct busy *x = a, *y = b;

	return x->share != y->share ? (x->share < y->share) - (x->share > y->share)
	                            : strcmp(x->name, y->name);
}

static void find_busy(struct limit *l)
{
	const char *path;
	json_t *figures;

	json_object_foreach(json_object_get(l->r->d->end, "instances"), path, figures)
		add_busy(l, path, figures);
	if (l->nbusy)
		qsort(l->busy, l->nbusy, sizeof *l->busy, busiest_first);
}

/* The array that is the limit; NULL: no counter says how busy it is. */
static const struct busy *its_busy(const struct limit *l)
{
	for (size_t i = 0; l->at_instance && i < l->nbusy; i++) {
		char *plain = hd__path_without_indices(l->busy[i].name);
		bool same = strcmp(plain, l->group) == 0;

		free(plain);
		if (same)
			return &l->busy[i];
	}
	return NULL;
}

static json_t *busy_list(const struct limit *l)
{
	json_t *list = json_array();

	for (size_t i = 0; i < l->nbusy && i < MOST_BUSY; i++)
		json_array_append_new(list, json_pack("{s:o, s:o, s:f}", "name", report_text(l->busy[i].name),
			"module", report_text(l->busy[i].module), "share", l->busy[i].share));
	return list;
}

/* The instruction slots that the busiest scheduler used, as a share of the cycles; a wider one might
 * use fewer. */
static double issue_share(const struct limit *l)
{
	const json_t *all = json_object_get(l->r->out, "schedulers"), *one;
	double most = 0;
	size_t i, k;

	json_array_foreach((json_t *)all, i, one) {
		const json_t *sums = json_object_get(one, "sums"), *kind;
		const char *name;
		const json_t *it = in_netlist(l, text_of(one, "name"), &name);
		json_int_t width = json_integer_value(json_object_get(json_object_get(it, "params"), "width"));
		double used = 0;

		json_array_foreach((json_t *)l->slots, k, kind)
			if (issued(kind))
				used += json_number_value(json_array_get(sums, k));
		used /= (double)(width > 1 ? width : 1);
		most = used > most ? used : most;
	}
	return l->r->cycles ? most / (double)l->r->cycles : 0;
}

/* ---- the lever ---- */

struct suggestion {
	const struct lever *lever;
	const char *instance; /* of the netlist */
	json_t *value;        /* of the parameter; NULL: it cannot be moved */
	double factor;        /* of the time that the instance needs, at least */
	uint64_t slots;       /* lost to what it acts on */
};

/* The value with half the initiation intervals; NULL if none can be halved. */
static json_t *halved(const json_t *timing, double *factor)
{
	json_t *copy = json_deep_copy(timing), *row;
	bool any = false;
	size_t i;

	*factor = 1;
	json_array_foreach(copy, i, row) {
		json_int_t old = json_integer_value(json_object_get(row, "initiation"));
		json_int_t new = (old + 1) / 2;

		if (old <= new || old <= 0)
			continue;
		any = true;
		json_object_set_new(row, "initiation", json_integer(new));
		if ((double)new / (double)old < *factor)
			*factor = (double)new / (double)old;
	}
	if (any)
		return copy;
	json_decref(copy);
	return NULL;
}

static json_t *changed(const struct lever *lever, const json_t *old, double *factor)
{
	if (lever->change == HALVE_INTERVALS)
		return json_is_array(old) ? halved(old, factor) : NULL;
	*factor = 0.5;
	/* modules that have such a parameter allow 32 at least */
	return json_is_integer(old) && json_integer_value(old) > 0 && json_integer_value(old) <= 16
	       ? json_integer(2 * json_integer_value(old)) : NULL;
}

static bool acts_on(const struct lever *lever, const char *cause)
{
	const char *colon = strstr(cause, ": ");

	for (size_t i = 0; colon && lever->causes[i]; i++)
		if (strcmp(colon + 2, lever->causes[i]) == 0)
			return true;
	return false;
}

/* The module of the limit, and an instance of it in the netlist. */
static const json_t *limiting(const struct limit *l, const char **name)
{
	json_t *one;

	json_object_foreach((json_t *)instances(l), *name, one) {
		char *plain = hd__path_without_indices(*name);
		bool same = strcmp(plain, l->group) == 0;

		free(plain);
		if (same)
			return one;
	}
	return NULL;
}

static bool find_lever(const struct limit *l, struct suggestion *s)
{
	const json_t *one = l->at_instance ? limiting(l, &s->instance) : NULL, *kind;
	size_t k;

	for (size_t i = 0; one && i < sizeof levers / sizeof *levers; i++) {
		if (strcmp(levers[i].module, text_of(one, "module")) != 0)
			continue;
		s->lever = &levers[i];
		json_array_foreach((json_t *)l->slots, k, kind)
			if (in_limit(l, kind) && acts_on(s->lever, text_of(kind, "cause")))
				s->slots += count_of(kind);
		s->value = changed(s->lever, json_object_get(json_object_get(one, "params"), s->lever->param),
		                   &s->factor);
		return s->value != NULL;
	}
	return false;
}

/* The least cycles of a run with the lever moved, as a share of the present ones; sets what else is
 * busy then. */
static double bound(const struct limit *l, const struct suggestion *s, const char **by)
{
	const struct busy *own = its_busy(l);
	double most = issue_share(l);

	*by = "";
	for (size_t i = 0; i < l->nbusy; i++) {
		double share = l->busy[i].share * (&l->busy[i] == own ? s->factor : 1);

		if (share > most) {
			most = share;
			*by = l->busy[i].name;
		}
	}
	return most < 1 ? most : 1;
}

/* A filtered dump or one that is cut short does not have all slots or no statistics. */
static bool complete(const struct limit *l)
{
	return l->r->d->end && !l->r->d->damage && l->nbusy
	       && !json_array_size(json_object_get(l->r->d->meta, "filter"));
}

static void suggest(const struct limit *l, json_t *out)
{
	struct suggestion s = { .lever = NULL };
	const char *by;
	double least, estimate, all = (double)l->r->cycles;

	if (!complete(l) || !find_lever(l, &s))
		return;
	least = bound(l, &s, &by);
	estimate = 1 - (double)s.slots / (double)l->total;
	estimate = estimate > least ? estimate : least;
	json_object_set_new(out, "lever", json_pack("{s:s, s:I, s:I, s:I, s:o}", "what", s.lever->what,
		"slots", (json_int_t)s.slots, "estimate", (json_int_t)(estimate * all), "least",
		(json_int_t)(least * all), "by", report_text(by)));
	if ((double)s.slots >= LEAST_SHARE * (double)l->total && estimate <= 1 - LEAST_SAVED) {
		char *path = hd__path_any_index(s.instance);
		char *value = json_dumps(s.value, JSON_COMPACT | JSON_ENCODE_ANY);
		char *set = hd__format("%s.%s=%s", path, s.lever->param, value ? value : "");

		json_object_set_new(json_object_get(out, "lever"), "set", report_text(set));
		free(set);
		free(value);
		free(path);
	}
	json_decref(s.value);
}

void report_limit(struct report *r)
{
	struct limit l = { .r = r, .slots = json_object_get(r->out, "slots") };
	const struct busy *own;
	json_t *out;

	find_limit(&l);
	find_busy(&l);
	json_object_set_new(r->out, "busy", busy_list(&l));
	if (l.lost) {
		own = its_busy(&l);
		out = json_pack("{s:o, s:b, s:I, s:I, s:o}", "group", report_text(l.group), "instance",
			l.at_instance, "slots", (json_int_t)l.lost, "of", (json_int_t)l.total, "causes",
			causes(&l));
		if (own) {
			json_object_set_new(out, "name", report_text(own->name));
			json_object_set_new(out, "busy", json_real(own->share));
		}
		suggest(&l, out);
		json_object_set_new(r->out, "limit", out);
	}
	for (size_t i = 0; i < l.nbusy; i++)
		free(l.busy[i].name);
	free(l.busy);
	free(l.group);
}
