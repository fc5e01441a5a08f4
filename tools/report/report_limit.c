/* report_limit.c - what limits the run, and the most that a change would save
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The limit is what most issue slots were lost to: an array of instances that did not empty the register sets
 * in front of it, or a reason.  A reason that is named after a module leads to what holds that module up.
 *
 * A lever is a parameter of a module that takes away some of the causes of the limit; the netlist of
 * the dump has its value.  Two figures say what would follow.  The bound: all other work stays, so the run
 * lasts at least as long as the next busy instance is busy.  The estimate: all slots that were lost to
 * these causes are used.  That is optimistic, for other causes take the place of some, and yet no bound, for
 * waits for results get shorter as well.
 */
#include "report.h"
#include "base/json_write.h"
#include "base/path.h"
#include "base/xalloc.h"

#define MOST_CAUSES 8u
#define MOST_BUSY 256u   /* arrays that the page has */
#define BUSY 0.6         /* of the cycles: below, an instance does not hold up what is in front of it */
#define LEAST_SHARE 0.05 /* of the slots: below, nothing is suggested */
#define LEAST_SAVED 0.02 /* of the cycles: below, nothing is suggested */

/* How busy an array of instances was. */
struct busy {
	char *name;    /* with any index */
	uint32_t array; /* a number of report.arrays */
	const char *module, *instance; /* instance: of the netlist */
	double share; /* of the cycles of the run, of the busiest of them */
};

struct limit {
	struct report *r;
	uint64_t total;       /* slots */
	struct report_names groups; /* what slots were lost to: arrays and reasons */
	uint32_t *group_of;   /* by kind */
	uint32_t group;       /* the largest */
	bool at_instance;     /* it is an array */
	uint64_t lost;        /* to the group */
	uint32_t at;          /* the array that holds it up: the group, or what blocks; REPORT_NEVER: unknown */
	bool full;            /* that is a queue with too few places, rather than something busy */
	struct busy *busy;    /* the busiest first */
	size_t nbusy, capbusy;
};

/* ---- the group that most slots were lost to ---- */

/* A cause counts for its array; a reason without one for its first two words, "idle.fetch", as further ones are places
 * of the same.  The caller frees it. */
static char *group_of(const struct report *r, const struct report_kind *k)
{
	const char *end = strchr(k->reason, '.');

	if (k->array != REPORT_NEVER)
		return hd__xstrdup(r->arrays.v[k->array]);
	end = end ? strchr(end + 1, '.') : NULL;
	return end ? hd__xstrndup(k->reason, (size_t)(end - k->reason)) : hd__xstrdup(k->reason);
}

static void find_limit(struct limit *l)
{
	const struct report *r = l->r;
	uint64_t *lost = hd__xcalloc(r->nkinds, sizeof *lost); /* by group */

	l->group_of = hd__xcalloc(r->nkinds, sizeof *l->group_of);
	for (size_t i = 0; i < r->nkinds; i++) {
		char *group = group_of(r, &r->kinds[i]);

		l->total += r->kinds[i].s.total;
		l->group_of[i] = report_name(&l->groups, group);
		if (!r->kinds[i].issue)
			lost[l->group_of[i]] += r->kinds[i].s.total;
		free(group);
	}
	for (uint32_t g = 0; g < l->groups.n; g++)
		if (lost[g] > l->lost) {
			l->lost = lost[g];
			l->group = g;
		}
	for (size_t i = 0; i < r->nkinds; i++)
		l->at_instance |= l->group_of[i] == l->group && r->kinds[i].array != REPORT_NEVER;
	free(lost);
}

static bool in_limit(const struct limit *l, size_t kind)
{
	return !l->r->kinds[kind].issue && l->group_of[kind] == l->group;
}

/* The causes in the limit, the largest first: what each is, and its slots in all units. */
static json_t *causes(const struct limit *l)
{
	struct report_names docs = { .n = 0 };
	uint64_t *slots = hd__xcalloc(l->r->nkinds, sizeof *slots); /* by doc */
	json_t *list = json_array();

	for (size_t i = 0; i < l->r->nkinds; i++) {
		const struct report_kind *k = &l->r->kinds[i];

		if (in_limit(l, i))
			slots[report_name(&docs, l->at_instance ? k->cause_doc : k->doc)] += k->s.total;
	}
	while (json_array_size(list) < MOST_CAUSES) {
		size_t most = 0;

		for (size_t i = 1; i < docs.n; i++)
			most = slots[i] > slots[most] ? i : most;
		if (!docs.n || !slots[most])
			break;
		json_array_append_new(list, json_pack("{s:s, s:I}", "doc", docs.v[most], "slots",
			(json_int_t)slots[most]));
		slots[most] = 0;
	}
	report_names_free(&docs);
	free(slots);
	return list;
}

/* ---- how busy each array was ---- */

/* Modules whose throughput is not counted as cycles in which they are busy: requests, one a cycle. */
static const struct {
	const char *module, *counters[3];
} served[] = {
	{ "memory_perfect", { "reads", "writes" } },
};

static const json_t *instances(const struct report *r)
{
	return json_object_get(r->netlist, "instances");
}

/* The instance of the netlist that the element `path` of the run is; it has "sp" where the run has sp[0],
 * sp[1].  Sets the name that it has there. */
static const json_t *in_netlist(const struct report *r, const char *path, const char **name)
{
	json_t *all = json_object_get(r->netlist, "instances");
	char *array = hd__xstrdup(path), *index = strrchr(array, '[');

	if (!json_object_get(all, path) && index && array[strlen(array) - 1] == ']')
		*index = '\0';
	*name = json_object_iter_key(json_object_iter_at(all, array));
	free(array);
	return *name ? json_object_get(all, *name) : NULL;
}

static double mhz(const struct report *r, const char *clock)
{
	const json_t *all = json_object_get(r->d->meta, "clocks"), *one;
	size_t i;

	json_array_foreach((json_t *)all, i, one)
		if (strcmp(report_member(one, "name"), clock) == 0)
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
	const char *instance, *cycle = report_member(l->r->d->meta, "cycle");
	const json_t *one = in_netlist(l->r, path, &instance);
	double cycles, ticks, each = mhz(l->r, cycle);
	struct busy b = { .module = report_member(one, "module"), .instance = instance };

	if (!one)
		return;
	cycles = busy_cycles(figures, b.module);
	ticks = each > 0 ? (double)l->r->cycles * mhz(l->r, report_member(one, "clock")) / each : 0;
	if (cycles <= 0 || ticks <= 0)
		return;
	b.share = cycles / ticks;
	b.name = hd__path_any_index(path);
	for (size_t i = 0; i < l->nbusy; i++) {
		if (strcmp(l->busy[i].name, b.name) != 0)
			continue;
		if (b.share > l->busy[i].share)
			l->busy[i].share = b.share;
		free(b.name);
		return;
	}
	b.array = report_array_name(&l->r->arrays, path);
	l->busy = hd__xgrow(l->busy, l->nbusy, &l->capbusy, sizeof *l->busy);
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

	json_object_foreach(json_object_get(l->r->statistics, "instances"), path, figures)
		add_busy(l, path, figures);
	if (l->nbusy)
		qsort(l->busy, l->nbusy, sizeof *l->busy, busiest_first);
}

/* NULL: no counter says how busy the array is. */
static const struct busy *busy_at(const struct limit *l, uint32_t array)
{
	for (size_t i = 0; i < l->nbusy; i++)
		if (l->busy[i].array == array)
			return &l->busy[i];
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

/* The instruction slots that the busiest scheduler used, as a share of the cycles.  A wider scheduler might use
 * fewer. */
static double issue_share(const struct report *r)
{
	double most = 0;

	for (uint32_t who = 0; who < r->d->ninstances; who++) {
		json_int_t width;
		const char *name;
		double used = 0;

		for (uint32_t k = 0; k < r->nkinds; k++)
			if (r->kinds[k].issue)
				used += (double)hd__int_map_get(&r->slots, (uint64_t)who << 32 | k);
		if (used <= most)
			continue;
		width = json_integer_value(json_object_get(json_object_get(
			in_netlist(r, r->d->instances[who].path, &name), "params"), "width"));
		used /= (double)(width > 1 ? width : 1);
		most = used > most ? used : most;
	}
	return r->cycles ? most / (double)r->cycles : 0;
}

/* ---- what holds up a queue that a reason is named after ---- */

/* The busiest of the arrays that `array` puts something into; NULL: there is none. */
static const struct busy *busiest_after(const struct limit *l, uint32_t array)
{
	const struct dump *d = l->r->d;
	json_t *links = dump_part(d, "links"), *one;
	const struct busy *best = NULL;
	size_t i;

	json_array_foreach(links, i, one) {
		const json_t *ends = json_object_get(one, "ends");

		for (size_t k = 0; strcmp(report_member(one, "kind"), "channel") == 0
		                   && k + 1 < json_array_size(ends); k += 2) {
			json_int_t from = json_integer_value(json_array_get(ends, k));
			json_int_t to = json_integer_value(json_array_get(ends, k + 1));
			const struct busy *busy;

			if (from < 0 || to < 0 || from >= d->ninstances || to >= d->ninstances
			    || report_array_name(&l->r->arrays, d->instances[from].path) != array)
				continue;
			busy = busy_at(l, report_array_name(&l->r->arrays, d->instances[to].path));
			if (busy && (!best || busy->share > best->share))
				best = busy;
		}
	}
	json_decref(links);
	return best;
}

/* The array of the module that the reason is named after; REPORT_NEVER: there is none. */
static uint32_t named_after(const struct limit *l)
{
	const char *dot = strrchr(l->groups.v[l->group], '.'), *name;
	json_t *one;

	json_object_foreach((json_t *)instances(l->r), name, one)
		if (dot && strcmp(report_member(one, "module"), dot + 1) == 0)
			return report_array_name(&l->r->arrays, name);
	return REPORT_NEVER;
}

/* "stall.memory_queue" is a lack of places in an instance of the module memory_queue.  Its work goes on through
 * channels, and the first busy one there that nothing busier follows is what holds it up.  If nothing there is busy for
 * most of the time, the queue itself has too few places. */
static void find_blocking(struct limit *l)
{
	const struct busy *own, *next;
	double share;
	uint32_t queue;

	l->at = l->at_instance ? report_name(&l->r->arrays, l->groups.v[l->group]) : named_after(l);
	if (l->at_instance || l->at == REPORT_NEVER)
		return;
	queue = l->at;
	own = busy_at(l, queue);
	share = own ? own->share : 0;
	while ((next = busiest_after(l, l->at)) && next->share > share) {
		l->at = next->array;
		share = next->share;
	}
	l->full = share < BUSY;
	if (l->full)
		l->at = queue;
}

/* ---- levers ---- */

enum change { TWICE, HALVE_INTERVALS };

static const struct lever {
	const char *module, *causes[4]; /* the stall reasons of the module that it acts on; none: it is full */
	const char *param;
	enum change change;
	const char *what;
} levers[] = {
	{ "load_store", { "latch", "accesses", "shared_conflict" }, "cycles_per_edge", TWICE,
	  "works twice in a cycle" },
	{ "fu_pipeline", { "initiation" }, "timing", HALVE_INTERVALS,
	  "takes instructions twice as often" },
	{ "collector", { "operands" }, "steps", TWICE, "reads operands twice as often" },
	{ "memory_queue", { NULL }, "slots", TWICE, "has twice the places" },
	{ "result_queue", { NULL }, "entries", TWICE, "has twice the places" },
};

/* The value with half the initiation intervals; NULL if none can be halved.  Sets the factor of the time that an
 * instance needs then, at least. */
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

/* The value that the lever gives to its parameter; NULL: the parameter cannot be moved. */
static json_t *changed(const struct lever *lever, const json_t *old, double *factor)
{
	if (lever->change == HALVE_INTERVALS)
		return json_is_array(old) ? halved(old, factor) : NULL;
	*factor = 0.5;
	/* modules that have such a parameter allow 32 at least */
	return json_is_integer(old) && json_integer_value(old) > 0 && json_integer_value(old) <= 16
	       ? json_integer(2 * json_integer_value(old)) : NULL;
}

static bool acts_on(const struct limit *l, const struct lever *lever, const struct report_kind *k)
{
	if (!l->at_instance)
		return true; /* the slots have no causes */
	for (size_t i = 0; k->at_array && lever->causes[i]; i++)
		if (strcmp(k->at_array, lever->causes[i]) == 0)
			return true;
	return false;
}

/* The instance of the netlist that holds up the limit. */
static const json_t *limiting(const struct limit *l, const char **name)
{
	json_t *one;

	json_object_foreach((json_t *)instances(l->r), *name, one)
		if (l->at != REPORT_NEVER && report_array_name(&l->r->arrays, *name) == l->at)
			return one;
	return NULL;
}

static const struct lever *find_lever(const struct limit *l, const char *module)
{
	for (size_t i = 0; i < sizeof levers / sizeof *levers; i++)
		if (strcmp(levers[i].module, module) == 0 && !levers[i].causes[0] == l->full)
			return &levers[i];
	return NULL;
}

/* The least cycles of a run in which instances need less time, as a share of the present ones; sets what else is
 * busy then.  also: names of other arrays for which the factor holds, or NULL. */
static double bound(const struct limit *l, double factor, const json_t *also, const char **by)
{
	double most = issue_share(l->r);

	*by = "";
	for (size_t i = 0; i < l->nbusy; i++) {
		double share = l->busy[i].share;
		bool faster = &l->busy[i] == busy_at(l, l->at);
		json_t *one;
		size_t k;

		json_array_foreach((json_t *)also, k, one)
			faster |= strcmp(json_string_value(one), l->busy[i].instance) == 0;
		share *= faster ? factor : 1;
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

/* The figures of a change, and whether they are worth a suggestion. */
static json_t *figures(const struct limit *l, uint64_t slots, double least, const char *by, bool *worth)
{
	double all = (double)l->r->cycles, estimate = 1 - (double)slots / (double)l->total;

	estimate = estimate > least ? estimate : least;
	*worth = (double)slots >= LEAST_SHARE * (double)l->total && estimate <= 1 - LEAST_SAVED;
	return json_pack("{s:I, s:I, s:I, s:o}", "slots", (json_int_t)slots, "estimate",
		(json_int_t)(estimate * all), "least", (json_int_t)(least * all), "by", report_text(by));
}

/* "load_store.cycles_per_edge=2", for --set */
static json_t *setting(const char *instance, const char *param, const json_t *value)
{
	char *path = hd__path_any_index(instance), *text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
	char *set = hd__format("%s.%s=%s", path, param, text ? text : "");
	json_t *out = report_text(set);

	free(path);
	free(text);
	free(set);
	return out;
}

static void suggest_lever(const struct limit *l, json_t *out)
{
	const char *instance, *by;
	const json_t *one = limiting(l, &instance);
	const struct lever *lever = one ? find_lever(l, report_member(one, "module")) : NULL;
	double factor = 1, least;
	json_t *value = NULL, *suggestion;
	uint64_t slots = 0;
	bool worth;

	if (lever)
		value = changed(lever, json_object_get(json_object_get(one, "params"), lever->param), &factor);
	if (!value)
		return;
	for (size_t k = 0; k < l->r->nkinds; k++)
		if (in_limit(l, k) && acts_on(l, lever, &l->r->kinds[k]))
			slots += l->r->kinds[k].s.total;
	least = bound(l, l->full ? 1 : factor, NULL, &by); /* places make nothing faster */
	suggestion = figures(l, slots, least, by, &worth);
	json_object_set_new(suggestion, "what", json_string(lever->what));
	if (worth)
		json_object_set_new(suggestion, "set", setting(instance, lever->param, value));
	json_object_set_new(out, "lever", suggestion);
	json_decref(value);
}

static json_t *pretty(const json_t *netlist)
{
	char *text = NULL;
	size_t size;
	FILE *f = hd__xcheck(open_memstream(&text, &size));
	json_t *out;

	hd__json_pretty(netlist, 100, NULL, f);
	fclose(f);
	out = report_text(hd__xcheck(text));
	free(text);
	return out;
}

/* Another instance beside the one that is the limit. */
static void suggest_second(const struct limit *l, json_t *out)
{
	const char *name, *by;
	const json_t *one = l->full ? NULL : limiting(l, &name);
	json_t *partners = NULL, *netlist, *second;
	double least;
	bool worth;

	netlist = one && strcmp(report_member(one, "module"), "load_store") == 0
	          ? report_second(l->r, name, &partners) : NULL;
	if (!netlist)
		return;
	least = bound(l, 0.5, partners, &by);
	second = figures(l, l->lost, least, by, &worth);
	json_object_set_new(second, "netlist", pretty(netlist));
	json_object_set_new(second, "with", partners);
	if (worth)
		json_object_set(out, "second", second);
	json_decref(second);
	json_decref(netlist);
}

/* ---- the whole ---- */

static json_t *limit(struct limit *l)
{
	const struct busy *own;
	json_t *out;

	find_blocking(l);
	own = busy_at(l, l->at);
	out = json_pack("{s:o, s:b, s:I, s:I, s:o, s:b}", "group", report_text(l->groups.v[l->group]), "instance",
		l->at_instance, "slots", (json_int_t)l->lost, "of", (json_int_t)l->total, "causes",
		causes(l), "full", l->full);
	if (own) {
		json_object_set_new(out, "name", report_text(own->name));
		json_object_set_new(out, "busy", json_real(own->share));
	}
	if (complete(l)) {
		suggest_lever(l, out);
		suggest_second(l, out);
	}
	return out;
}

void report_limit(struct report *r)
{
	struct limit l = { .r = r };

	find_limit(&l);
	find_busy(&l);
	json_object_set_new(r->out, "busy", busy_list(&l));
	if (l.lost)
		json_object_set_new(r->out, "limit", limit(&l));
	for (size_t i = 0; i < l.nbusy; i++)
		free(l.busy[i].name);
	free(l.busy);
	free(l.group_of);
	report_names_free(&l.groups);
}
