/* report_slots.c - issue slots over time, by scheduler and by instruction
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Elements of one array (collector[0], collector[1]) are one cause.
 */
#include "report.h"
#include "base/xalloc.h"

#define MOST_KINDS 4096u

/* Slots attributed to a warp slot of a core. */
struct attributed {
	uint64_t *sums; /* by kind; those after the last are 0 */
	size_t n;
};

struct report_slots {
	struct report *r;
	const struct dump_table *t;
	struct report_names names;  /* of kinds, in the same order */
	struct hd_int_map number;   /* of kinds, by the three numbers */
	struct dump_warps attributed;   /* of struct attributed */
};

/* The cause of a kind: its array and the reason that it gives there. */
static void set_cause(struct report *r, struct report_kind *k, int64_t cause)
{
	const struct dump *d = r->d;
	const struct dump_cause *c = cause > 0 && cause < d->ncauses ? &d->causes[cause] : NULL;

	k->array = REPORT_NEVER;
	k->cause_doc = c ? c->doc : "";
	k->at_array = c ? c->reason : NULL;
	if (c && c->instance < d->ninstances) {
		k->array = report_array_name(&r->arrays, d->instances[c->instance].path);
		k->cause = hd__format("%s: %s", r->arrays.v[k->array], c->reason);
	} else {
		k->cause = hd__xstrdup(c ? c->reason : cause == 0 ? "" : "?");
	}
}

static void free_kind(struct report_kind *k)
{
	free(k->reason);
	free(k->unit);
	free(k->cause);
	free(k->s.v);
}

static uint32_t new_kind(struct report_slots *in, int64_t reason, int64_t unit, int64_t cause)
{
	struct report *r = in->r;
	const char *why = dump_name(r->d, "reason", in->t->module, reason);
	const char *names = r->known.unit < 0 ? NULL : in->t->fields[r->known.unit].names;
	const char *what = dump_name(r->d, names, NULL, unit);
	struct report_kind k = { .reason = hd__xstrdup(why ? why : "?"),
		.unit = hd__xstrdup(unit < 0 ? "" : what ? what : "?"),
		.doc = dump_reason_doc(r->d, in->t->module, reason) };
	uint32_t number;
	char *name;

	if (!k.doc)
		k.doc = "";
	k.issue = strcmp(k.reason, "single") == 0 || strcmp(k.reason, "dual") == 0;
	set_cause(r, &k, cause);
	name = hd__format("%s|%s|%s", k.reason, k.unit, k.cause);
	number = report_name(&in->names, name);
	free(name);
	if (in->names.n == r->nkinds) { /* an equal one exists */
		free_kind(&k);
		return number;
	}
	r->kinds = hd__xgrow(r->kinds, number, &r->capkinds, sizeof *r->kinds);
	r->kinds[r->nkinds++] = k;
	return number;
}

/* A run has a few dozen kinds.  Further kinds in a damaged file share one number. */
static uint32_t kind_of(struct report_slots *in, int64_t reason, int64_t unit, int64_t cause)
{
	uint64_t key = (uint64_t)(reason & 0xffff) << 48 | (uint64_t)(unit & 0xffff) << 32
	               | (uint64_t)(cause & 0x7fffffff);
	uint64_t *known = hd__int_map_at(&in->number, key);

	if (!*known)
		*known = (in->names.n < MOST_KINDS ? new_kind(in, reason, unit, cause)
		                                   : MOST_KINDS - 1) + 1;
	return (uint32_t)*known - 1;
}

/* The instruction that lost the slot, and the one that it waited for. */
static void count_blame(struct report_slots *in, const struct dump_item *item, uint64_t n,
                        uint32_t kind, struct dump_producers *p)
{
	struct report *r = in->r;
	const struct dump_known *k = &r->known;
	int64_t code = dump_value(item->rows, k->slot_code, item->row, 0);
	int64_t warp = dump_value(item->rows, k->slot_warp, item->row, -1);
	struct attributed *b = dump_warp_make(&in->attributed, dump_core_of_item(k, item), warp);
	struct dump_producer by = dump_producer_of_slot(p, item);
	uint32_t line = code > 0 ? dump_line_of(r->program, code) : REPORT_NEVER;
	uint32_t other = by.number ? dump_line_of(r->program, by.code) : REPORT_NEVER;

	if (line != REPORT_NEVER) {
		r->codes[line].waiting += n;
		*hd__int_map_at(&r->why, (uint64_t)line << 32 | kind) += n;
	}
	if (b) {
		b->sums = hd__xgrow_zero(b->sums, &b->n, kind, sizeof *b->sums);
		b->sums[kind] += n;
	}
	if (other != REPORT_NEVER) {
		r->codes[other].awaited += n;
		*hd__int_map_at(&r->held, (uint64_t)other << 32 | kind) += n;
		if (line != REPORT_NEVER)
			*hd__int_map_at(&r->awaits, (uint64_t)line << 32 | other) += n;
	}
}

void report_slot(struct report_slots *in, const struct dump_item *item, struct dump_producers *p)
{
	const struct dump_known *k = &in->r->known;
	const struct dump_rows *rows = item->rows;
	uint64_t every = dump_row_every(rows, item->row), end = (uint64_t)rows->cycle[item->row];
	uint64_t length = (end - item->begin) / every + ((end - item->begin) % every > 0);
	uint32_t kind = kind_of(in, rows->field[k->reason][item->row],
	                        dump_value(rows, k->unit, item->row, -1),
	                        dump_value(rows, k->cause, item->row, 0));

	report_spread_every(&in->r->kinds[kind].s, &in->r->bins, item->begin, end, every, 1);
	*hd__int_map_at(&in->r->slots, (uint64_t)rows->who[item->row] << 32 | kind) += length;
	count_blame(in, item, length, kind, p);
}

static json_t *kinds(const struct report_slots *in)
{
	json_t *a = json_array();

	for (size_t i = 0; i < in->r->nkinds; i++) {
		const struct report_kind *k = &in->r->kinds[i];

		json_array_append_new(a, json_pack("{s:o, s:o, s:o, s:o, s:o, s:I, s:o}", "reason",
			report_text(k->reason), "unit", report_text(k->unit), "cause",
			report_text(k->cause), "doc", report_text(k->doc), "cause_doc",
			report_text(k->cause_doc), "total", (json_int_t)k->s.total, "v",
			report_array(k->s.v, in->r->bins.n)));
	}
	return a;
}

/* Appends `name` with the sums of all kinds, unless they are all 0.  Takes `name`. */
static void append_sums(const struct report_slots *in, json_t *to, json_t *name,
                        uint64_t (*sum)(const void *of, uint32_t kind), const void *of)
{
	json_t *sums = json_array();
	uint64_t all = 0;

	for (uint32_t k = 0; k < in->r->nkinds; k++) {
		all += sum(of, k);
		json_array_append_new(sums, json_integer((json_int_t)sum(of, k)));
	}
	json_object_set_new(name, "sums", sums);
	if (all)
		json_array_append(to, name);
	json_decref(name);
}

struct scheduler {
	const struct hd_int_map *slots;
	uint64_t who;
};

static uint64_t sum_of_scheduler(const void *of, uint32_t kind)
{
	const struct scheduler *s = of;

	return hd__int_map_get(s->slots, s->who << 32 | kind);
}

static json_t *schedulers(const struct report_slots *in)
{
	json_t *a = json_array();

	for (uint32_t who = 0; who < in->r->d->ninstances; who++)
		append_sums(in, a, json_pack("{s:o}", "name", report_text(in->r->d->instances[who].path)),
		            sum_of_scheduler, &(struct scheduler){ &in->r->slots, who });
	return a;
}

static uint64_t sum_of_warp(const void *of, uint32_t kind)
{
	const struct attributed *b = of;

	return kind < b->n ? b->sums[kind] : 0;
}

struct warps {
	const struct report_slots *in;
	json_t *a;
};

static void append_warp(void *arg, uint32_t core, uint32_t warp, void *element)
{
	const struct warps *w = arg;
	struct attributed *b = element;

	append_sums(w->in, w->a, json_pack("{s:o, s:i}", "core",
		report_text(w->in->r->known.cores->paths[core]), "warp", (int)warp), sum_of_warp, b);
	free(b->sums);
}

static json_t *warps(const struct report_slots *in)
{
	struct warps w = { in, json_array() };

	dump_warps_each(&in->attributed, append_warp, &w);
	return w.a;
}

/* Does the part of a dotted name before the first dot equal the group? */
static bool in_group(const char *reason, const char *group)
{
	size_t n = strlen(group);

	return strncmp(reason, group, n) == 0 && (reason[n] == '.' || reason[n] == '\0');
}

/* Do slots of this reason add up to the statistic "issue.GROUP"?  By the name, or because a counter of the name
 * of its family is added to that: "dependence" of cores that follow control words to "issue.scoreboard". */
static bool counts_for(const struct dump *d, const char *reason, const char *group)
{
	char *total = hd__format("issue.%s", group);
	bool found = in_group(reason, group);

	for (uint32_t i = 0; i < d->ncounters && !found; i++)
		found = d->counters[i].total && strcmp(d->counters[i].total, total) == 0
		        && in_group(reason, d->counters[i].name);
	free(total);
	return found;
}

static uint64_t group_sum(const struct report_slots *in, const char *group)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < in->r->nkinds; i++)
		if (counts_for(in->r->d, in->r->kinds[i].reason, group))
			sum += in->r->kinds[i].s.total;
	return sum;
}

/* Each counter of the statistics beside its sum in the dump.  The statistics count an
 * instruction without active lanes as a stall as well, so these are added; not those of cores that follow
 * control words. */
static json_t *sums(const struct report_slots *in)
{
	uint64_t empty = in->r->issue_module && strcmp(in->r->issue_module, "issue_control") == 0 ? 0 : in->r->empty;
	const json_t *counted = json_object_get(in->r->statistics, "issue");
	json_t *a = json_array();
	const char *group;
	const json_t *v;

	json_object_foreach((json_t *)counted, group, v)
		json_array_append_new(a, json_pack("{s:s, s:I, s:I, s:I}", "group", group, "slots",
			(json_int_t)group_sum(in, group), "empty",
			(json_int_t)(strcmp(group, "stall") == 0 ? empty : 0), "counted",
			json_integer_value(v)));
	if (counted && in->r->known.inst >= 0)
		json_array_append_new(a, json_pack("{s:s, s:I, s:i, s:I}", "group",
			"instructions issued", "slots", (json_int_t)in->r->nissued, "empty", 0, "counted",
			json_integer_value(json_object_get(in->r->statistics, "warp_instructions"))));
	return a;
}

struct report_slots *report_slots_open(struct report *r)
{
	struct report_slots *in = hd__xcalloc(1, sizeof *in);

	in->r = r;
	in->t = &r->d->tables[r->known.slot];
	dump_warps_init(&in->attributed, r->known.cores->n, sizeof(struct attributed));
	return in;
}

void report_kinds_free(struct report *r)
{
	for (size_t i = 0; i < r->nkinds; i++)
		free_kind(&r->kinds[i]);
	free(r->kinds);
}

void report_slots_close(struct report_slots *in)
{
	json_t *out;

	if (!in)
		return;
	out = in->r->out;
	json_object_set_new(out, "slots", kinds(in));
	json_object_set_new(out, "schedulers", schedulers(in));
	json_object_set_new(out, "warps", warps(in));
	json_object_set_new(out, "sums", sums(in));
	report_names_free(&in->names);
	hd__int_map_free(&in->number);
	dump_warps_free(&in->attributed);
	free(in);
}
