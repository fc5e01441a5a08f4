/* report_transactions.c - the lives of instructions: when each was issued, what it waited for, where
 * instructions were
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * An instruction is issued when it comes into the first channel that an instance of the issue
 * module fills.  What it waited for until then are marks of that module.
 */
#include "report.h"
#include "kernel/base/xalloc.h"

enum kind { OTHER, WAIT, ISSUED };

struct reader {
	struct report *r;
	enum kind *kind;        /* by place */
	uint32_t *group;        /* by place: it and its likes */
	struct report_names groups;
	struct report_series *in; /* by group */
	int uid, warp, code, mask;
};

static uint32_t limited(uint64_t v)
{
	return v < UINT32_MAX ? (uint32_t)v : UINT32_MAX;
}

static const char *module_of(const struct dump *d, const char *path)
{
	for (uint32_t i = 0; path && i < d->ninstances; i++)
		if (strcmp(d->instances[i].path, path) == 0)
			return d->instances[i].module;
	return "";
}

static void classify(struct reader *in)
{
	const struct dump *d = in->r->d;
	const json_t *meta = json_object_get(d->meta, "places");

	in->kind = hd__xcalloc(d->nplaces, sizeof *in->kind);
	in->group = hd__xcalloc(d->nplaces, sizeof *in->group);
	for (uint32_t i = 0; i < d->nplaces; i++) {
		const struct dump_place *p = &d->places[i];
		const char *issue = in->r->issue_module;
		char *group = report_group(p->name);

		in->group[i] = report_name(&in->groups, group);
		free(group);
		if (!issue)
			continue;
		if (p->kind == DUMP_MARK && p->instance < d->ninstances
		    && strcmp(d->instances[p->instance].module, issue) == 0)
			in->kind[i] = WAIT;
		else if (p->kind == DUMP_CHANNEL && strcmp(module_of(d, json_string_value(
				json_object_get(json_array_get(meta, i), "from"))), issue) == 0)
			in->kind[i] = ISSUED;
	}
	in->in = hd__xcalloc(in->groups.n, sizeof *in->in);
}

/* The first step behind the issue; as many as there are: it does not show. */
static uint32_t issue_step(const struct reader *in, const struct dump_transaction *transaction)
{
	uint32_t last = 0;

	for (uint32_t i = 0; i < transaction->n; i++) {
		if (in->kind[transaction->steps[i].place] == ISSUED)
			return i;
		if (in->kind[transaction->steps[i].place] == WAIT)
			last = i + 1;
	}
	return last ? last : transaction->n;
}

static void keep(struct reader *in, const struct dump_transaction *transaction, uint32_t uid, uint32_t code,
                 uint32_t warp)
{
	struct report *r = in->r;
	uint32_t n = issue_step(in, transaction);
	uint64_t issue = n < transaction->n ? transaction->steps[n].cycle : transaction->begin;
	struct report_transaction *l;

	r->transactions = hd__xgrow(r->transactions, r->ntransactions, &r->transactions_cap, sizeof *r->transactions);
	l = &r->transactions[r->ntransactions++];
	*l = (struct report_transaction){ .issue = issue, .before = limited(issue - transaction->begin),
		.after = limited(transaction->end - issue), .code = code, .uid = uid,
		.first = (uint32_t)r->nwaits, .warp = (uint16_t)warp, .unfinished = transaction->unfinished };
	for (uint32_t i = 0; n < transaction->n && i < n && l->nwaits < UINT8_MAX; i++) {
		const struct dump_step *s = &transaction->steps[i];

		r->waits = hd__xgrow(r->waits, r->nwaits, &r->waits_cap, sizeof *r->waits);
		r->waits[r->nwaits++] = (struct report_wait){ limited(s->cycles), (int32_t)s->arg,
			s->place };
		l->nwaits++;
	}
}

static void count_transaction(struct reader *in, const struct dump_rows *rows,
                       const struct dump_transaction *transaction)
{
	struct report *r = in->r;
	int64_t uid = rows->field[in->uid][transaction->row], code = rows->field[in->code][transaction->row];
	int64_t warp = rows->field[in->warp][transaction->row];
	uint64_t mask = in->mask < 0 ? 1 : (uint64_t)rows->field[in->mask][transaction->row];

	for (uint32_t i = 0; i < transaction->n; i++)
		report_spread(&in->in[in->group[transaction->steps[i].place]], &r->bins,
		              transaction->steps[i].cycle, transaction->steps[i].cycle + transaction->steps[i].cycles, 1);
	if (uid <= 0 || code < 0 || code >= r->d->ncodes || warp < 0 || warp > UINT16_MAX)
		return;
	r->nissued++;
	r->empty += mask == 0;
	r->codes[code].issued++;
	r->codes[code].lanes += (uint64_t)__builtin_popcountll(mask);
	keep(in, transaction, (uint32_t)uid, (uint32_t)code, (uint32_t)warp);
	uint32_t kernel = r->d->codes[code].kernel;
	if (kernel < r->d->nkernels) {
		if (transaction->begin < r->begin[kernel])
			r->begin[kernel] = transaction->begin;
		if (transaction->end > r->end[kernel])
			r->end[kernel] = transaction->end;
	}
}

static void read_all(struct reader *in)
{
	struct dump *d = in->r->d;

	for (size_t i = 0; i < d->nblocks; i++) {
		struct dump_transaction transaction = { .n = 0 };
		struct dump_rows rows;

		if ((int)d->blocks[i].head.table != in->r->inst || !dump_rows(d, i, &rows))
			continue;
		while (dump_transaction(&rows, &transaction))
			count_transaction(in, &rows, &transaction);
		free(transaction.steps);
		dump_rows_free(&rows);
	}
}

static int by_issue(const void *a, const void *b)
{
	const struct report_transaction *x = a, *y = b;

	if (x->warp != y->warp)
		return x->warp < y->warp ? -1 : 1;
	if (x->issue != y->issue)
		return x->issue < y->issue ? -1 : 1;
	return x->uid < y->uid ? -1 : x->uid > y->uid;
}

static int by_register(const void *a, const void *b)
{
	const struct report_write *x = a, *y = b;

	if (x->warp != y->warp)
		return x->warp < y->warp ? -1 : 1;
	if (x->reg != y->reg)
		return x->reg < y->reg ? -1 : 1;
	return x->issue < y->issue ? -1 : x->issue > y->issue;
}

static void sort_writes(struct report *r)
{
	r->writes = hd__xcalloc(r->ntransactions, sizeof *r->writes);
	for (size_t i = 0; i < r->ntransactions; i++) {
		const struct report_transaction *l = &r->transactions[i];
		int32_t dst = r->d->codes[l->code].dst;

		if (dst >= 0 && dst <= INT16_MAX)
			r->writes[r->nwrites++] = (struct report_write){ l->issue, l->code, l->warp,
				(int16_t)dst };
	}
	qsort(r->writes, r->nwrites, sizeof *r->writes, by_register);
}

/* A warp issues in order and a register has one write under way at most, so it is the last that
 * was issued before.  Its life may have ended: a load's goes on in the memory. */
uint32_t report_writer(const struct report *r, uint32_t warp, int64_t reg, uint64_t cycle)
{
	size_t low = 0, high = r->nwrites;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		const struct report_write *w = &r->writes[mid];

		if (w->warp < warp || (w->warp == warp && (w->reg < reg
		    || (w->reg == reg && w->issue <= cycle))))
			low = mid + 1;
		else
			high = mid;
	}
	if (low > 0 && r->writes[low - 1].warp == warp && r->writes[low - 1].reg == reg)
		return r->writes[low - 1].code;
	return REPORT_NEVER;
}

static json_t *places(const struct reader *in)
{
	const struct dump *d = in->r->d;
	json_t *a = json_array();

	for (size_t g = 0; g < in->groups.n; g++) {
		const struct report_series *s = &in->in[g];
		uint32_t one = 0;
		json_t *o;

		while (in->group[one] != g)
			one++;
		if (!s->total)
			continue;
		o = json_pack("{s:s, s:o, s:I, s:o}", "name", in->groups.v[g], "doc",
		              report_text(d->places[one].kind == DUMP_CHANNEL ? "waits there to be taken"
		                          : d->places[one].doc),
		              "total", (json_int_t)s->total, "v", report_array(s->v, in->r->bins.n));
		json_array_append_new(a, o);
	}
	return a;
}

void report_transactions(struct report *r)
{
	struct reader in = { .r = r };
	const struct dump_table *t = r->inst < 0 ? NULL : &r->d->tables[r->inst];

	r->codes = hd__xcalloc(r->d->ncodes, sizeof *r->codes);
	r->begin = hd__xcalloc(r->d->nkernels, sizeof *r->begin);
	r->end = hd__xcalloc(r->d->nkernels, sizeof *r->end);
	memset(r->begin, 0xff, r->d->nkernels * sizeof *r->begin);
	if (!t)
		return;
	in.uid = dump_find_field(t, "uid");
	in.warp = dump_find_field(t, "warp");
	in.code = dump_find_field(t, "code");
	in.mask = dump_find_field(t, "mask");
	if (in.uid < 0 || in.warp < 0 || in.code < 0)
		return;
	classify(&in);
	read_all(&in);
	if (r->ntransactions) {
		qsort(r->transactions, r->ntransactions, sizeof *r->transactions, by_issue);
		sort_writes(r);
	}
	json_object_set_new(r->out, "places", places(&in));
	for (size_t i = 0; i < in.groups.n; i++)
		free(in.in[i].v);
	free(in.in);
	free(in.kind);
	free(in.group);
	report_names_free(&in.groups);
}
