/* report_slots.c - where the issue slots went: over time, by scheduler, by instruction
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A kind of slot is a reason with the unit and the cause that came with it.  Likes of one instance
 * (collector[0], collector[1]) are one cause.
 */
#include "report.h"
#include "kernel/base/xalloc.h"

enum { N, REASON, UNIT, CAUSE, REG, WARP, CODE, FIELDS };

static const char *const field_names[FIELDS] = { "n", "reason", "unit", "cause", "reg", "warp",
	"code" };

#define MOST_KINDS 4096u

struct kind {
	char *reason, *unit, *cause; /* unit, cause: "" if they do not apply */
	const char *doc, *cause_doc;
	struct report_series s;
};

struct reader {
	struct report *r;
	const struct dump_table *t;
	int field[FIELDS];
	struct report_names names;  /* of kinds, in the same order */
	struct kind *kinds;
	size_t kinds_cap;
	struct report_map number;   /* of kinds, by the three numbers */
	struct report_map sums;     /* instance << 32 | kind */
	struct report_map blamed;   /* warp << 32 | kind */
	uint64_t nwarps;            /* the highest that was blamed, + 1 */
	bool unnamed;               /* a reason without a name was met */
};

static const char *reason_doc(const struct dump *d, const char *module, int64_t reason)
{
	const json_t *m = json_object_get(json_object_get(d->meta, "modules"), module ? module : "");
	const char *doc = json_string_value(json_object_get(json_array_get(
			json_object_get(m, "reasons"), (size_t)reason), "doc"));

	return doc ? doc : "";
}

static char *cause_name(const struct dump *d, int64_t cause)
{
	const struct dump_cause *c;
	char *group, *name;

	if (cause <= 0 || cause >= d->ncauses)
		return hd__xstrdup(cause == 0 ? "" : "?");
	c = &d->causes[cause];
	if (c->instance >= d->ninstances)
		return hd__xstrdup(c->reason);
	group = report_group(d->instances[c->instance].path);
	name = hd__format("%s: %s", group, c->reason);
	free(group);
	return name;
}

static uint32_t new_kind(struct reader *in, int64_t reason, int64_t unit, int64_t cause)
{
	const struct dump *d = in->r->d;
	const char *why = dump_name(d, "reason", in->t->module, reason);
	const char *names = in->field[UNIT] < 0 ? NULL : in->t->fields[in->field[UNIT]].names;
	const char *what = dump_name(d, names, NULL, unit);
	struct kind k = { .reason = hd__xstrdup(why ? why : "?"),
		.unit = hd__xstrdup(unit < 0 ? "" : what ? what : "?"), .cause = cause_name(d, cause),
		.doc = reason_doc(d, in->t->module, reason),
		.cause_doc = cause > 0 && cause < d->ncauses ? d->causes[cause].doc : "" };
	char *name = hd__format("%s|%s|%s", k.reason, k.unit, k.cause);
	size_t before = in->names.n;
	uint32_t number = report_name(&in->names, name);

	if (!why)
		in->unnamed = true;
	free(name);
	if (in->names.n == before) { /* its like was there */
		free(k.reason);
		free(k.unit);
		free(k.cause);
		return number;
	}
	in->kinds = hd__xgrow(in->kinds, number, &in->kinds_cap, sizeof *in->kinds);
	in->kinds[number] = k;
	return number;
}

/* A run has a few dozen kinds.  A file that pretends to have more gets them under one number. */
static uint32_t kind_of(struct reader *in, int64_t reason, int64_t unit, int64_t cause)
{
	uint64_t key = (uint64_t)(reason & 0xffff) << 48 | (uint64_t)(unit & 0xffff) << 32
	               | (uint64_t)(cause & 0x7fffffff);
	uint64_t *known = report_map_at(&in->number, key);

	if (!*known)
		*known = (in->names.n < MOST_KINDS ? new_kind(in, reason, unit, cause)
		                                   : MOST_KINDS - 1) + 1;
	return (uint32_t)*known - 1;
}

static int64_t value(const struct reader *in, const struct dump_rows *rows, int field, uint32_t i,
                     int64_t otherwise)
{
	return in->field[field] < 0 ? otherwise : rows->field[in->field[field]][i];
}

static void count_row(struct reader *in, const struct dump_rows *rows, uint32_t i, uint64_t n,
                      uint32_t kind, uint64_t begin)
{
	struct report *r = in->r;
	int64_t code = value(in, rows, CODE, i, 0), reg = value(in, rows, REG, i, -1);
	int64_t warp = value(in, rows, WARP, i, -1);
	uint32_t writer = REPORT_NEVER;

	if (code > 0 && code < r->d->ncodes && r->d->codes[code].text) {
		r->codes[code].waiting += n;
		*report_map_at(&r->why, (uint64_t)code << 32 | kind) += n;
	}
	if (warp >= 0 && warp <= UINT16_MAX) {
		*report_map_at(&in->blamed, (uint64_t)warp << 32 | kind) += n;
		if ((uint64_t)warp >= in->nwarps)
			in->nwarps = (uint64_t)warp + 1;
	}
	if (reg >= 0 && warp >= 0)
		writer = report_writer(r, (uint32_t)warp, reg, begin);
	if (writer != REPORT_NEVER)
		r->codes[writer].awaited += n;
}

static void read_rows(struct reader *in, const struct dump_rows *rows)
{
	for (uint32_t i = 0; i < rows->n; i++) {
		int64_t n = rows->field[in->field[N]][i];
		uint64_t end = (uint64_t)rows->cycle[i];
		uint64_t length = n < 0 ? 0 : (uint64_t)n < end ? (uint64_t)n : end;
		uint32_t kind = kind_of(in, rows->field[in->field[REASON]][i],
		                        value(in, rows, UNIT, i, -1), value(in, rows, CAUSE, i, 0));

		report_spread(&in->kinds[kind].s, &in->r->bins, end - length, end, 1);
		*report_map_at(&in->sums, (uint64_t)rows->who[i] << 32 | kind) += length;
		count_row(in, rows, i, length, kind, end - length);
	}
}

static json_t *kinds(const struct reader *in)
{
	json_t *a = json_array();

	for (size_t i = 0; i < in->names.n; i++) {
		const struct kind *k = &in->kinds[i];

		json_array_append_new(a, json_pack("{s:o, s:o, s:o, s:o, s:o, s:I, s:o}", "reason",
			report_text(k->reason), "unit", report_text(k->unit), "cause",
			report_text(k->cause), "doc", report_text(k->doc), "cause_doc",
			report_text(k->cause_doc), "total", (json_int_t)k->s.total, "v",
			report_array(k->s.v, in->r->bins.n)));
	}
	return a;
}

/* The sums of all kinds that m has for `of`; NULL: they are all 0. */
static json_t *sums_of(const struct reader *in, struct report_map *m, uint64_t of)
{
	json_t *sums = json_array();
	uint64_t all = 0;

	for (uint64_t k = 0; k < in->names.n; k++) {
		uint64_t n = report_map_has(m, of << 32 | k) ? *report_map_at(m, of << 32 | k) : 0;

		all += n;
		json_array_append_new(sums, json_integer((json_int_t)n));
	}
	if (all)
		return sums;
	json_decref(sums);
	return NULL;
}

static json_t *schedulers(struct reader *in)
{
	json_t *a = json_array();

	for (uint32_t who = 0; who < in->r->d->ninstances; who++) {
		json_t *sums = sums_of(in, &in->sums, who);

		if (sums)
			json_array_append_new(a, json_pack("{s:o, s:o}", "name",
				report_text(in->r->d->instances[who].path), "sums", sums));
	}
	return a;
}

static json_t *warps(struct reader *in)
{
	json_t *a = json_array();

	for (uint64_t warp = 0; warp < in->nwarps; warp++) {
		json_t *sums = sums_of(in, &in->blamed, warp);

		if (sums)
			json_array_append_new(a, json_pack("{s:I, s:o}", "warp", (json_int_t)warp, "sums",
				sums));
	}
	return a;
}

/* Does the part of a dotted name before the first dot equal the group? */
static bool in_group(const char *reason, const char *group)
{
	size_t n = strlen(group);

	return strncmp(reason, group, n) == 0 && (reason[n] == '.' || reason[n] == '\0');
}

static uint64_t group_sum(const struct reader *in, const char *group)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < in->names.n; i++)
		if (in_group(in->kinds[i].reason, group))
			sum += in->kinds[i].s.total;
	return sum;
}

/* Beside each counter of the statistics what the dump gives for it.  The statistics count an
 * instruction without active lanes as a stall as well, so these are added. */
static json_t *sums(const struct reader *in)
{
	const json_t *counted = json_object_get(in->r->d->end, "issue");
	json_t *a = json_array();
	const char *group;
	const json_t *v;

	json_object_foreach((json_t *)counted, group, v)
		json_array_append_new(a, json_pack("{s:s, s:I, s:I, s:I}", "group", group, "slots",
			(json_int_t)group_sum(in, group), "empty",
			(json_int_t)(strcmp(group, "stall") == 0 ? in->r->empty : 0), "counted",
			json_integer_value(v)));
	if (counted && in->r->inst >= 0)
		json_array_append_new(a, json_pack("{s:s, s:I, s:i, s:I}", "group",
			"instructions issued", "slots", (json_int_t)in->r->nissued, "empty", 0, "counted",
			json_integer_value(json_object_get(in->r->d->end, "warp_instructions"))));
	return a;
}

void report_slots(struct report *r)
{
	struct reader in = { .r = r };

	if (r->slot < 0)
		return;
	in.t = &r->d->tables[r->slot];
	for (int i = 0; i < FIELDS; i++)
		in.field[i] = dump_find_field(in.t, field_names[i]);
	for (size_t i = 0; i < r->d->nblocks; i++) {
		struct dump_rows rows;

		if ((int)r->d->blocks[i].head.table != r->slot || !dump_rows(r->d, i, &rows))
			continue;
		read_rows(&in, &rows);
		dump_rows_free(&rows);
	}
	json_object_set_new(r->out, "slots", kinds(&in));
	json_object_set_new(r->out, "schedulers", schedulers(&in));
	json_object_set_new(r->out, "warps", warps(&in));
	json_object_set_new(r->out, "sums", sums(&in));
	for (size_t i = 0; i < in.names.n; i++) {
		free(in.kinds[i].reason);
		free(in.kinds[i].unit);
		free(in.kinds[i].cause);
		free(in.kinds[i].s.v);
	}
	free(in.kinds);
	report_names_free(&in.names);
	report_map_free(&in.number);
	report_map_free(&in.sums);
	report_map_free(&in.blamed);
}
