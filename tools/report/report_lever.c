/* report_lever.c - what would change the limit of a run, and the most that it would save
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A lever is a parameter of a module that takes away some of the causes of the limit; the netlist of
 * the dump has its value.  Two figures say what would follow.  The bound: all other work stays, so the run
 * lasts at least as long as the next busy instance is busy.  The estimate: all slots that were lost to
 * these causes are used.  That is optimistic, for other causes take the place of some, and yet no bound, for
 * waits for results get shorter as well.
 */
#include "base/json_pretty.h"
#include "base/path.h"
#include "base/xalloc.h"
#include "report_limit.h"

#define LEAST_SHARE 0.05 /* of the slots: below, nothing is suggested */
#define LEAST_SAVED 0.02 /* of the cycles: the same */

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

static bool acts_on(const struct report_limit *l, const struct lever *lever, const char *cause)
{
	const char *colon = strstr(cause, ": ");

	if (!l->at_instance)
		return true; /* the slots have no causes */
	for (size_t i = 0; colon && lever->causes[i]; i++)
		if (strcmp(colon + 2, lever->causes[i]) == 0)
			return true;
	return false;
}

/* The module of the limit, and an instance of it in the netlist. */
static const json_t *limiting(const struct report_limit *l, const char **name)
{
	json_t *one;

	json_object_foreach((json_t *)report_instances(l), *name, one) {
		char *plain = hd__path_without_indices(*name);
		bool same = strcmp(plain, l->at) == 0;

		free(plain);
		if (same)
			return one;
	}
	return NULL;
}

static bool find_lever(const struct report_limit *l, struct suggestion *s)
{
	const json_t *one = l->at ? limiting(l, &s->instance) : NULL, *kind;
	size_t k;

	for (size_t i = 0; one && i < sizeof levers / sizeof *levers; i++) {
		if (strcmp(levers[i].module, report_member(one, "module")) != 0
		    || !levers[i].causes[0] != l->full)
			continue;
		s->lever = &levers[i];
		json_array_foreach((json_t *)l->slots, k, kind)
			if (report_in_limit(l, kind) && acts_on(l, s->lever, report_member(kind, "cause")))
				s->slots += report_slots_of(kind);
		s->value = changed(s->lever, json_object_get(json_object_get(one, "params"), s->lever->param),
		                   &s->factor);
		return s->value != NULL;
	}
	return false;
}

/* The least cycles of a run in which instances need less time, as a share of the present ones; sets what else is
 * busy then.  also: names of other arrays for which the factor holds, or NULL. */
static double bound(const struct report_limit *l, double factor, const json_t *also, const char **by)
{
	double most = report_issue_share(l);

	*by = "";
	for (size_t i = 0; i < l->nbusy; i++) {
		double share = l->busy[i].share;
		bool faster = &l->busy[i] == report_busy_at(l, l->at);
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
static bool complete(const struct report_limit *l)
{
	return l->r->d->end && !l->r->d->damage && l->nbusy
	       && !json_array_size(json_object_get(l->r->d->meta, "filter"));
}

/* The figures of a change, and whether they are worth a suggestion. */
static json_t *figures(const struct report_limit *l, uint64_t slots, double least, const char *by, bool *worth)
{
	double all = (double)l->r->cycles, estimate = 1 - (double)slots / (double)l->total;

	estimate = estimate > least ? estimate : least;
	*worth = (double)slots >= LEAST_SHARE * (double)l->total && estimate <= 1 - LEAST_SAVED;
	return json_pack("{s:I, s:I, s:I, s:o}", "slots", (json_int_t)slots, "estimate",
		(json_int_t)(estimate * all), "least", (json_int_t)(least * all), "by", report_text(by));
}

static void suggest_lever(const struct report_limit *l, json_t *out)
{
	struct suggestion s = { .lever = NULL };
	const char *by;
	json_t *lever;
	double least;
	bool worth;

	if (!find_lever(l, &s))
		return;
	least = bound(l, l->full ? 1 : s.factor, NULL, &by); /* places make nothing faster */
	lever = figures(l, s.slots, least, by, &worth);
	json_object_set_new(lever, "what", json_string(s.lever->what));
	if (worth) {
		char *path = hd__path_any_index(s.instance);
		char *value = json_dumps(s.value, JSON_COMPACT | JSON_ENCODE_ANY);
		char *set = hd__format("%s.%s=%s", path, s.lever->param, value ? value : "");

		json_object_set_new(lever, "set", report_text(set));
		free(set);
		free(value);
		free(path);
	}
	json_object_set_new(out, "lever", lever);
	json_decref(s.value);
}

static char *pretty(const json_t *netlist)
{
	char *text = NULL;
	size_t size;
	FILE *f = hd__xcheck(open_memstream(&text, &size));

	hd__json_pretty(netlist, 100, NULL, f);
	fclose(f);
	return hd__xcheck(text);
}

/* Another instance beside the one that is the limit. */
static void suggest_second(const struct report_limit *l, json_t *out)
{
	const char *name, *by;
	const json_t *one = l->at && !l->full ? limiting(l, &name) : NULL;
	json_t *partners = NULL, *netlist, *second;
	char *text;
	double least;
	bool worth;

	netlist = one && strcmp(report_member(one, "module"), "load_store") == 0
	          ? report_second(l, name, &partners) : NULL;
	if (!netlist)
		return;
	least = bound(l, 0.5, partners, &by);
	second = figures(l, l->lost, least, by, &worth);
	text = pretty(netlist);
	json_object_set_new(second, "netlist", report_text(text));
	json_object_set_new(second, "with", partners);
	if (worth)
		json_object_set(out, "second", second);
	json_decref(second);
	json_decref(netlist);
	free(text);
}

void report_suggest(const struct report_limit *l, json_t *out)
{
	if (!complete(l))
		return;
	suggest_lever(l, out);
	suggest_second(l, out);
}
