/* dump_stalls.c - adds up issue slots by the cause of their loss
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "dump_stalls.h"
#include "launches.h"
#include "base/xalloc.h"

#include <search.h>

struct adding {
	struct dump_stalls *s;
	const struct dump_query *q;
	enum dump_by by;
	struct dump_producers *producers;
	struct hd_range_list cycles; /* of the selected kernels */
	void *tree; /* of struct dump_stall, by everything but n */
	struct dump_stall *last;
	struct dump_stall **found;
	size_t nfound, cap;
};

/* ---- lines ---- */

static int by_line(const void *pa, const void *pb)
{
	const struct dump_line *a = pa, *b = pb;
	int c = strcmp(a->kernel ? a->kernel : "", b->kernel ? b->kernel : "");

	return c ? c : a->pc != b->pc ? (a->pc < b->pc ? -1 : 1) : strcmp(a->text, b->text);
}

static void find_lines(struct dump_stalls *s)
{
	uint32_t n;

	s->program = dump_program_new(s->d);
	n = s->program->n;
	s->line_of = hd__xcalloc(n, sizeof *s->line_of);
	s->lines = hd__xcalloc(n, sizeof *s->lines);
	s->kernels = hd__xcalloc(n, sizeof *s->kernels);
	for (uint32_t i = 0; i < n; i++) {
		s->lines[i] = s->program->v[i];
		s->lines[i].name = i; /* for now */
	}
	if (n)
		qsort(s->lines, n, sizeof *s->lines, by_line);
	for (uint32_t i = 0; i < n; i++) {
		const char *kernel = s->lines[i].kernel ? s->lines[i].kernel : "?";

		s->line_of[s->lines[i].name] = i;
		if (s->nkernels == 0 || strcmp(s->kernels[s->nkernels - 1], kernel))
			s->kernels[s->nkernels++] = kernel;
		s->lines[i].name = s->nkernels - 1;
	}
}

static int64_t line(const struct dump_stalls *s, int64_t code)
{
	uint32_t i = dump_line_of(s->program, code);

	return i == UINT32_MAX ? -1 : (int64_t)s->line_of[i];
}

/* ---- causes ---- */

/* Equal causes in several SMs are one cause. */
static void find_likes(struct dump_stalls *s)
{
	const struct dump *d = s->d;
	json_t *first = json_object();

	s->like = hd__xcalloc(d->ncauses, sizeof *s->like);
	s->shared = hd__xcalloc(d->ncauses, sizeof *s->shared);
	for (uint32_t i = 0; i < d->ncauses; i++) {
		const struct dump_cause *c = &d->causes[i];
		const json_t *known;
		char *path, *name;

		s->like[i] = i;
		if (c->instance >= d->ninstances || s->known.cores->of[c->instance] == 0)
			continue;
		path = dump_path_in_cores(s->known.cores, d, c->instance);
		name = hd__format("%s: %s", path, c->reason);
		known = json_object_get(first, name);
		if (known) {
			s->like[i] = (uint32_t)json_integer_value(known);
			s->shared[i] = s->shared[s->like[i]] = true;
		} else {
			json_object_set_new(first, name, json_integer(i));
		}
		free(path);
		free(name);
	}
	json_decref(first);
}

char *dump_stall_instance(const struct dump_stalls *s, int64_t cause)
{
	uint32_t instance = s->d->causes[cause].instance;

	if (instance >= s->d->ninstances)
		return NULL;
	return s->shared[cause] ? dump_path_in_cores(s->known.cores, s->d, instance)
	                        : hd__xstrdup(s->d->instances[instance].path);
}

/* ---- adding up ---- */

static int compare(const void *pa, const void *pb)
{
	const struct dump_stall *a = pa, *b = pb;
	const int64_t x[] = { a->by, a->reason, a->unit, a->cause, a->other, a->reg };
	const int64_t y[] = { b->by, b->reason, b->unit, b->cause, b->other, b->reg };

	for (unsigned i = 0; i < sizeof x / sizeof *x; i++)
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	return 0;
}

/* Cycles that a span counts, from its first one on. */
struct span {
	uint64_t begin, n, every;
};

/* How many of a span are before that cycle. */
static uint64_t before(const struct span *s, uint64_t cycle)
{
	uint64_t n = cycle > s->begin ? (cycle - s->begin - 1) / s->every + 1 : 0;

	return n < s->n ? n : s->n;
}

/* Those in the selected cycles of [first, last). */
static uint64_t clip(const struct dump_query *q, const struct span *s, uint64_t first, uint64_t last)
{
	const struct hd_range_list *l = &q->filter.cycles;
	uint64_t n = 0;

	for (size_t i = 0; i < l->n; i++) {
		uint64_t a = first > l->v[i].first ? first : l->v[i].first;
		uint64_t b = l->v[i].last < last ? l->v[i].last + 1 : last;

		n += b > a ? before(s, b) - before(s, a) : 0;
	}
	return l->n ? n : before(s, last) - before(s, first);
}

/* Selected cycles of a span that belong to the selected kernels: an instruction belongs to its
 * own, a slot in which none waited to the one in whose cycles it is. */
static uint64_t clip_kernels(const struct adding *a, int64_t code, const struct span *s)
{
	struct dump_code c;
	uint64_t n = 0;

	if (!a->q->kernels)
		return clip(a->q, s, s->begin, UINT64_MAX);
	if (dump_code(a->s->d, code, &c))
		return hd__in_ranges(a->q->kernels, c.kernel) ? clip(a->q, s, s->begin, UINT64_MAX) : 0;
	for (size_t i = 0; !a->s->named_only && i < a->cycles.n; i++)
		n += clip(a->q, s, a->cycles.v[i].first, a->cycles.v[i].last + 1);
	return n;
}

/* The key of a sum. */
static struct dump_stall key_of(struct adding *a, const struct dump_item *item)
{
	const struct dump_stalls *s = a->s;
	const struct dump_known *k = &s->known;
	const struct dump_rows *r = item->rows;
	uint32_t i = item->row;
	struct dump_stall x = { .by = -1, .reason = r->field[k->reason][i],
		.unit = dump_value(r, k->unit, i, -1), .cause = dump_value(r, k->cause, i, 0),
		.other = -1, .reg = -1 };
	int64_t waiter = line(s, dump_value(r, k->slot_code, i, 0)), producer = -1;
	int64_t warp = dump_value(r, k->slot_warp, i, -1);
	struct dump_producer by = { .number = 0 };

	if (x.cause > 0 && x.cause < s->d->ncauses)
		x.cause = s->like[x.cause];
	if (a->producers)
		by = dump_producer_of_slot(a->producers, item);
	if (by.number)
		producer = line(s, by.code);
	switch (a->by) {
	case DUMP_BY_REASON: break;
	case DUMP_BY_PC:
		x.by = waiter;
		x.other = producer;
		x.reg = dump_value(r, k->reg, i, -1);
		break;
	case DUMP_BY_PRODUCER:
		x.by = producer;
		x.other = waiter;
		x.reg = dump_value(r, k->reg, i, -1);
		break;
	case DUMP_BY_WARP:
		if (warp >= 0)
			x.by = (int64_t)((uint64_t)dump_core_of_item(k, item) << 32 | (uint32_t)warp);
		break;
	case DUMP_BY_UNIT: x.by = x.unit; break;
	case DUMP_BY_SCHEDULER: x.by = r->who[i]; break;
	}
	return x;
}

static void count(struct adding *a, struct dump_stall x, uint64_t n)
{
	if (!a->last || compare(a->last, &x) != 0) {
		struct dump_stall **node = tfind(&x, &a->tree, compare);

		if (node) {
			a->last = *node;
		} else {
			a->last = hd__xcalloc(1, sizeof x);
			*a->last = x;
			hd__xcheck(tsearch(a->last, &a->tree, compare));
			a->found = hd__xgrow(a->found, a->nfound, &a->cap, sizeof(struct dump_stall *));
			a->found[a->nfound++] = a->last;
		}
	}
	a->last->n += n;
	/* the counts of a damaged dump may have any sum, and no part of it is more than all */
	a->s->all = n > UINT64_MAX - a->s->all ? UINT64_MAX : a->s->all + n;
}

static bool take(void *arg, const struct dump_item *item)
{
	struct adding *a = arg;
	const struct dump_known *k = &a->s->known;
	struct span s;
	uint64_t n;

	/* a damaged dump may have other tables whose names fit */
	if ((int)item->table == k->inst && a->producers) {
		dump_producers_add(a->producers, item);
	} else if ((int)item->table == k->slot && dump_query_row(a->q, item->rows, item->row)) {
		s = (struct span){ item->begin, (uint64_t)item->rows->field[k->n][item->row],
			dump_row_every(item->rows, item->row) };
		n = clip_kernels(a, dump_value(item->rows, k->slot_code, item->row, 0), &s);
		if (n > 0)
			count(a, key_of(a, item), n);
	}
	return true;
}

/* By `by`, and among equal ones the largest first. */
static int by_size(const void *pa, const void *pb)
{
	const struct dump_stall *a = pa, *b = pb;

	if (a->by != b->by)
		return a->by < b->by ? -1 : 1;
	if (a->n != b->n)
		return a->n > b->n ? -1 : 1;
	return compare(a, b);
}

static void keep_nothing(void *p)
{
	(void)p;
}

static void collect(struct adding *a)
{
	struct dump_stalls *s = a->s;

	s->v = hd__xcalloc(a->nfound, sizeof *s->v);
	for (s->n = 0; s->n < a->nfound; s->n++) {
		s->v[s->n] = *a->found[s->n];
		free(a->found[s->n]);
	}
	tdestroy(a->tree, keep_nothing);
	free(a->found);
	qsort(s->v, s->n, sizeof *s->v, by_size);
}

static void add_pattern(struct dump_query *q, const char *table)
{
	char *text = hd__format("event=%s", table);

	free(hd__filter_add(&q->filter, text));
	free(text);
}

bool dump_stalls(struct dump *d, const struct dump_query *q, enum dump_by by, struct dump_stalls *s)
{
	struct adding a = { .s = s, .q = q, .by = by };
	struct dump_query all = { .head = 0 }; /* producers may be outside of the selection */

	*s = (struct dump_stalls){ .d = d };
	dump_know(&s->known, d);
	if (s->known.slot < 0 || d->tables[s->known.slot].rows == 0) {
		fprintf(stderr, "heddle: %s: the dump has no issue slots; expected rows in the "
		        "table issue.slot\n", d->path);
		dump_known_free(&s->known);
		return false;
	}
	find_lines(s);
	find_likes(s);
	if (q->kernels && !dump_kernel_cycles(d, q->kernels, &a.cycles))
		s->named_only = true;
	add_pattern(&all, d->tables[s->known.slot].name);
	if (s->known.inst >= 0 && (by == DUMP_BY_PC || by == DUMP_BY_PRODUCER)) {
		add_pattern(&all, d->tables[s->known.inst].name);
		a.producers = dump_producers_new(&s->known);
	}
	if (dump_query_bind(&all, d))
		dump_in_order(d, &all, take, &a);
	dump_query_free(&all, d);
	dump_producers_free(a.producers);
	free(a.cycles.v);
	collect(&a);
	return true;
}

void dump_stalls_free(struct dump_stalls *s)
{
	free(s->v);
	dump_program_free(s->program);
	free(s->line_of);
	free(s->lines);
	free(s->kernels);
	free(s->like);
	free(s->shared);
	dump_known_free(&s->known);
}

const char *dump_stall_reason(const struct dump_stalls *s, int64_t reason)
{
	const char *name = dump_name(s->d, "reason", s->d->tables[s->known.slot].module, reason);

	return name ? name : "?";
}
