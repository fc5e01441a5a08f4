/* dump_stalls.c - lost issue slots by their cause: as a tree of reasons, or by instruction, warp, unit
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "dump_sources.h"
#include "launches.h"
#include "producers.h"
#include "writers.h"
#include "base/path.h"
#include "base/xalloc.h"

#include <inttypes.h>
#include <search.h>

#define BAR 20

enum by { DUMP_BY_REASON, DUMP_BY_PC, DUMP_BY_PRODUCER, DUMP_BY_WARP, DUMP_BY_UNIT,
	DUMP_BY_SCHEDULER };

/* Slots with the same key. */
struct stall {
	int64_t by;       /* line (of the program, or of its source), core << 32 | warp, unit or instance; -1: does not
	                   * apply */
	int64_t reason, unit, cause; /* cause: the first of equal ones in several cores */
	int64_t other;    /* line at the other side of the wait, -1: none */
	int64_t reg;      /* -1: none */
	uint64_t n;
};

struct stalls {
	const struct dump *d;
	struct dump_known known;
	struct stall *v; /* by `by`, the largest first */
	size_t n;
	uint64_t all;         /* slots */
	bool named_only;      /* of kernels: only those of their instructions are known */
	struct dump_program *program;
	uint32_t *line_of;    /* by line of the program: its number in the order of kernel, pc and text */
	struct dump_line *lines; /* in that order */
	uint32_t *launch;     /* by number of a kernel's name: its first launch, as --kernel counts them */
	struct dump_sources sources;
	bool by_source;       /* lines are those of the source */
	uint32_t *like;       /* by cause: the first equal one, itself or of an earlier core */
	bool *shared;         /* by cause: other cores have an equal one */
};

struct adding {
	struct stalls *s;
	const struct dump_query *q;
	enum by by;
	struct dump_producers *producers;
	void *tree; /* of struct stall, by everything but n */
	struct stall *last;
	struct stall **found;
	size_t nfound, cap;
};

/* ---- lines ---- */

static int by_line(const void *pa, const void *pb, void *launches)
{
	const struct dump_line *a = pa, *b = pb;
	const uint32_t *launch = launches;
	const uint32_t x[] = { launch[a->name], a->name, a->pc }, y[] = { launch[b->name], b->name, b->pc };

	for (unsigned i = 0; i < sizeof x / sizeof *x; i++)
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	return strcmp(a->text, b->text);
}

static void find_lines(struct stalls *s)
{
	uint32_t n;

	s->program = dump_program_new(s->d);
	n = s->program->n;
	s->line_of = hd__xcalloc(n, sizeof *s->line_of);
	s->lines = hd__xcalloc(n, sizeof *s->lines);
	s->launch = hd__xcalloc(s->program->nkernels, sizeof *s->launch);
	memset(s->launch, 0xff, s->program->nkernels * sizeof *s->launch);
	for (uint32_t i = 0; i < n; i++) {
		struct dump_code c;

		s->lines[i] = s->program->v[i];
		dump_code(s->d, s->lines[i].code, &c);
		if (c.kernel < s->launch[s->lines[i].name])
			s->launch[s->lines[i].name] = c.kernel;
	}
	if (n)
		qsort_r(s->lines, n, sizeof *s->lines, by_line, s->launch);
	for (uint32_t i = 0; i < n; i++)
		s->line_of[dump_line_of(s->program, s->lines[i].code)] = i;
	dump_sources_find(&s->sources, s->program);
}

static int64_t line(const struct stalls *s, int64_t code)
{
	uint32_t i = dump_line_of(s->program, code);

	if (i == UINT32_MAX)
		return -1;
	return s->by_source ? dump_source_of(&s->sources, &s->program->v[i]) : (int64_t)s->line_of[i];
}

/* ---- causes ---- */

/* Equal causes in several SMs are one cause. */
static void find_likes(struct stalls *s)
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

/* The instance of a cause, "sm[*].collector" if it stands for several cores; NULL: it has none.
 * The caller frees it. */
static char *instance_of(const struct stalls *s, int64_t cause)
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
	const struct stall *a = pa, *b = pb;
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

/* How many of a span are in the selected cycles of [first, last). */
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

/* Does the slot belong to the selected kernels?  In old dumps only those of instructions are known to. */
static bool is_selected(const struct adding *a, const struct dump_item *item)
{
	const struct dump_known *k = &a->s->known;
	struct dump_code code = { .kernel = 0 };
	uint64_t kernel;

	if (!a->q->kernels)
		return true;
	if (k->slot_kernel < 0)
		dump_code(a->s->d, dump_value(item->rows, k->slot_code, item->row, 0), &code);
	kernel = k->slot_kernel < 0 ? code.kernel : (uint64_t)dump_value(item->rows, k->slot_kernel, item->row, 0);
	return hd__in_ranges(a->q->kernels, kernel);
}

/* The register for which an instruction waits, and the instruction at the other side.  What the table does not tell
 * makes no difference: the unit beside a register, the other side without one. */
static void set_wait(const struct stalls *s, struct stall *x, int64_t reg, int64_t other)
{
	if (reg < 0)
		return;
	x->reg = s->by_source ? -1 : reg;
	x->other = other;
	if (x->reg >= 0 || other >= 0)
		x->unit = -1;
}

/* The key of a sum. */
static struct stall key_of(struct adding *a, const struct dump_item *item)
{
	const struct stalls *s = a->s;
	const struct dump_known *k = &s->known;
	const struct dump_rows *r = item->rows;
	uint32_t i = item->row;
	struct stall x = { .by = -1, .reason = r->field[k->reason][i],
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
		set_wait(s, &x, dump_value(r, k->reg, i, -1), producer);
		break;
	case DUMP_BY_PRODUCER:
		x.by = producer;
		set_wait(s, &x, dump_value(r, k->reg, i, -1), producer >= 0 ? waiter : -1);
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

static void count(struct adding *a, struct stall x, uint64_t n)
{
	if (!a->last || compare(a->last, &x) != 0) {
		struct stall **node = tfind(&x, &a->tree, compare);

		if (node) {
			a->last = *node;
		} else {
			a->last = hd__xcalloc(1, sizeof x);
			*a->last = x;
			hd__xcheck(tsearch(a->last, &a->tree, compare));
			a->found = hd__xgrow(a->found, a->nfound, &a->cap, sizeof(struct stall *));
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
		n = is_selected(a, item) ? clip(a->q, &s, s.begin, UINT64_MAX) : 0;
		if (n > 0)
			count(a, key_of(a, item), n);
	}
	return true;
}

/* By `by`, and among equal ones the largest first. */
static int by_size(const void *pa, const void *pb)
{
	const struct stall *a = pa, *b = pb;

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
	struct stalls *s = a->s;

	s->v = hd__xcalloc(a->nfound, sizeof *s->v);
	for (s->n = 0; s->n < a->nfound; s->n++) {
		s->v[s->n] = *a->found[s->n];
		free(a->found[s->n]);
	}
	tdestroy(a->tree, keep_nothing);
	free(a->found);
	qsort(s->v, s->n, sizeof *s->v, by_size);
}

/* Returns false after printing that the dump has no such events. */
static bool add_up(struct dump *d, const struct dump_query *q, enum by by, bool by_source, struct stalls *s)
{
	struct adding a = { .s = s, .q = q, .by = by };
	struct dump_query all = { .head = 0 }; /* producers may be outside of the selection */

	*s = (struct stalls){ .d = d, .by_source = by_source };
	dump_know(&s->known, d);
	if (s->known.slot < 0 || d->tables[s->known.slot].rows == 0) {
		fprintf(stderr, "heddle: %s: the dump has no issue slots; expected rows in the "
		        "table issue.slot\n", d->path);
		dump_known_free(&s->known);
		return false;
	}
	find_lines(s);
	find_likes(s);
	s->named_only = q->kernels && s->known.slot_kernel < 0;
	dump_query_event(&all, d, s->known.slot);
	if (s->known.inst >= 0 && (by == DUMP_BY_PC || by == DUMP_BY_PRODUCER)) {
		dump_query_event(&all, d, s->known.inst);
		a.producers = dump_producers_new(&s->known);
	}
	if (dump_query_bind(&all, d))
		dump_in_order(d, &all, take, &a);
	dump_query_free(&all, d);
	dump_producers_free(a.producers);
	collect(&a);
	return true;
}

static void free_stalls(struct stalls *s)
{
	free(s->v);
	dump_program_free(s->program);
	free(s->line_of);
	free(s->lines);
	free(s->launch);
	dump_sources_free(&s->sources);
	free(s->like);
	free(s->shared);
	dump_known_free(&s->known);
}

static const char *reason_name(const struct stalls *s, int64_t reason)
{
	const char *name = dump_name(s->d, "reason", s->d->tables[s->known.slot].module, reason);

	return name ? name : "?";
}

/* ---- printing ---- */

static double share(const struct stalls *s, uint64_t n)
{
	return s->all ? 100.0 * (double)n / (double)s->all : 0;
}

/* "   10898   3.1 %  #                   " */
static void print_amount(const struct stalls *s, uint64_t n, FILE *out)
{
	int length = s->all ? (int)((double)n / (double)s->all * BAR + 0.5) : 0;

	fprintf(out, "%12" PRIu64 " %5.1f %%  %-*.*s ", n, share(s, n), BAR, length,
	        "####################");
}

static void print_all(const struct stalls *s, FILE *out)
{
	print_amount(s, s->all, out);
	fputs(s->named_only ? "issue slots in which an instruction of these kernels waited\n"
	                    : "all issue slots\n", out);
}

static const char *unit_name(const struct stalls *s, int64_t unit)
{
	return dump_name(s->d, "unit", NULL, unit);
}

static void print_cause(const struct stalls *s, int64_t i, FILE *out)
{
	const struct dump_cause *c = &s->d->causes[i];
	char *path = instance_of(s, i);

	if (path)
		fprintf(out, "%s: ", path);
	fputs(c->doc[0] ? c->doc : c->reason, out);
	free(path);
}

/* ---- the tree ---- */

struct node {
	char *path;      /* from the root on, levels divided by tabs */
	const char *doc; /* or NULL */
	uint64_t n;
};

struct tree {
	struct node *v;
	size_t n, cap;
};

static struct node *find(const struct tree *t, const char *path, size_t length)
{
	for (size_t i = 0; i < t->n; i++)
		if (strncmp(t->v[i].path, path, length) == 0 && t->v[i].path[length] == '\0')
			return &t->v[i];
	return NULL;
}

/* Adds to the node `path` and all above it. */
static void add(struct tree *t, const char *path, const char *doc, uint64_t n)
{
	for (size_t i = 1; i <= strlen(path); i++) {
		struct node *x;

		if (path[i] != '\t' && path[i] != '\0')
			continue;
		x = find(t, path, i);
		if (!x) {
			t->v = hd__xgrow(t->v, t->n, &t->cap, sizeof *t->v);
			x = &t->v[t->n++];
			*x = (struct node){ hd__xstrndup(path, i), NULL, 0 };
		}
		x->n += n;
		if (path[i] == '\0' && doc)
			x->doc = doc;
	}
}

/* "sp[*]: its initiation interval is not over": common to all elements of an array. */
static char *cause_name(const struct stalls *s, int64_t i)
{
	const struct dump_cause *c = &s->d->causes[i];
	const char *why = c->doc[0] ? c->doc : c->reason, *bracket;
	char *path = instance_of(s, i), *name;

	if (!path)
		return hd__xstrdup(why);
	bracket = strrchr(path, '[');
	if (!bracket || bracket[strcspn(bracket, "]")] == '\0' || bracket[strcspn(bracket, "]") + 1])
		name = hd__format("%s: %s", path, why);
	else
		name = hd__format("%.*s[*]: %s", (int)(bracket - path), path, why);
	free(path);
	return name;
}

/* Reason, unit, cause. */
static void add_stall(struct tree *t, const struct stalls *s, const struct stall *x)
{
	const char *unit = unit_name(s, x->unit);
	char *path = hd__xstrdup(reason_name(s, x->reason)), *more, *cause;

	for (char *p = path; *p; p++)
		*p = *p == '.' ? '\t' : *p;
	add(t, path, dump_reason_doc(s->d, s->d->tables[s->known.slot].module, x->reason), 0);
	if (unit) {
		more = hd__format("%s\t%s", path, unit);
		free(path);
		path = more;
	}
	if (x->cause > 0 && x->cause < s->d->ncauses) {
		cause = cause_name(s, x->cause);
		more = hd__format("%s\t%s", path, cause);
		free(cause);
		free(path);
		path = more;
	}
	add(t, path, NULL, x->n);
	free(path);
}

/* A name that begins with a dot has no parent. */
static uint64_t amount(const struct tree *t, const char *path, size_t length)
{
	const struct node *x = find(t, path, length);

	return x ? x->n : 0;
}

/* Parents before children, of siblings the largest first. */
static int by_place(const void *pa, const void *pb, void *tree)
{
	const char *a = (*(struct node *const *)pa)->path, *b = (*(struct node *const *)pb)->path;
	size_t at = 0;

	for (;;) {
		size_t la = strcspn(a + at, "\t"), lb = strcspn(b + at, "\t");

		if (la != lb || strncmp(a + at, b + at, la) != 0) {
			uint64_t na = amount(tree, a, at + la), nb = amount(tree, b, at + lb);

			return na != nb ? (na > nb ? -1 : 1) : strcmp(a, b);
		}
		at += la;
		if (!a[at] || !b[at])
			return (a[at] != '\0') - (b[at] != '\0');
		at++;
	}
}

static void print_node(const struct stalls *s, const struct node *x, FILE *out)
{
	const char *name = x->path;
	int depth = 0;

	for (const char *p; (p = strchr(name, '\t')) != NULL; depth++)
		name = p + 1;
	print_amount(s, x->n, out);
	if (x->doc)
		fprintf(out, "%*s%-*s %s\n", 2 * depth, "", 18 - 2 * depth, name, x->doc);
	else
		fprintf(out, "%*s%s\n", 2 * depth, "", name);
}

static void print_tree(const struct stalls *s, FILE *out)
{
	struct tree t = { NULL, 0, 0 };
	struct node **sorted;

	for (size_t i = 0; i < s->n; i++)
		add_stall(&t, s, &s->v[i]);
	sorted = hd__xcalloc(t.n, sizeof(struct node *));
	for (size_t i = 0; i < t.n; i++)
		sorted[i] = &t.v[i];
	qsort_r(sorted, t.n, sizeof *sorted, by_place, &t);
	for (size_t i = 0; i < t.n; i++)
		print_node(s, sorted[i], out);
	for (size_t i = 0; i < t.n; i++)
		free(t.v[i].path);
	free(sorted);
	free(t.v);
	print_all(s, out);
}

/* ---- tables ---- */

struct group {
	size_t first; /* of its stalls */
	uint64_t n;
};

static int by_amount(const void *pa, const void *pb)
{
	const struct group *a = pa, *b = pb;

	return a->n != b->n ? (a->n > b->n ? -1 : 1) : a->first < b->first ? -1 : 1;
}

static void print_line_of_program(const struct stalls *s, int64_t i, FILE *out)
{
	const struct dump_line *x = &s->lines[i];

	if (s->by_source)
		fputs(s->sources.v[i].name, out);
	else
		fprintf(out, "k%" PRIu32 " 0x%04" PRIx32 " %s", s->launch[x->name], x->pc, x->text);
}

/* The line of the source, beside one of the program. */
static void print_source(const struct stalls *s, enum by by, int64_t v, FILE *out)
{
	int64_t source = -1;

	if ((by != DUMP_BY_PC && by != DUMP_BY_PRODUCER) || s->by_source || s->sources.n == 0)
		return;
	if (v >= 0)
		source = dump_source_of(&s->sources, &s->lines[v]);
	fprintf(out, " %-*s", s->sources.width, source >= 0 ? s->sources.v[source].name : "");
}

/* The key of a row. */
static void print_subject(const struct stalls *s, enum by by, int64_t v, FILE *out)
{
	const char *name;
	char text[300];
	FILE *f;
	int n;

	if (v < 0) {
		fprintf(out, "%-40s", by == DUMP_BY_PRODUCER ? "(not for a result)" : by == DUMP_BY_UNIT
		        ? "(no unit)" : by == DUMP_BY_WARP ? "(no warp)" : s->by_source ? "(no line)"
		        : "(no instruction)");
		return;
	}
	switch (by) {
	case DUMP_BY_PC:
	case DUMP_BY_PRODUCER:
		f = fmemopen(text, sizeof text, "w");
		hd__xcheck(f);
		print_line_of_program(s, v, f);
		fclose(f);
		text[sizeof text - 1] = '\0';
		fprintf(out, "%-40s", text);
		break;
	case DUMP_BY_UNIT:
		name = unit_name(s, v);
		fprintf(out, "%-40s", name ? name : "?");
		break;
	case DUMP_BY_SCHEDULER:
		fprintf(out, "%-40s", v < s->d->ninstances ? s->d->instances[v].path : "?");
		break;
	default:
		name = s->known.cores->paths[v >> 32];
		n = fprintf(out, "%s%swarp %" PRId64, name, *name ? " " : "", v & UINT32_MAX);
		fprintf(out, "%*s", n < 40 ? 40 - n : 0, "");
		break;
	}
}

static void print_why(const struct stalls *s, enum by by, const struct stall *x,
                      FILE *out)
{
	const char *unit = unit_name(s, x->unit);
	char reg[24];

	fprintf(out, " %s", reason_name(s, x->reason));
	if (x->other >= 0) {
		if (x->reg >= 0)
			fprintf(out, ", %s%s", by == DUMP_BY_PRODUCER ? "its " : "", dump_register_name(reg, x->reg));
		fputs(by == DUMP_BY_PRODUCER ? " for " : " of ", out);
		print_line_of_program(s, x->other, out);
	} else if (x->reg >= 0) {
		fprintf(out, ", %s", dump_register_name(reg, x->reg));
	} else if (unit) {
		fprintf(out, ", %s", unit);
	}
	if (x->cause > 0 && x->cause < s->d->ncauses) {
		fputs(", ", out);
		print_cause(s, x->cause, out);
	}
}

/* The largest of the group's stalls, with all that differ from it only in the warp's details. */
static void print_group(const struct stalls *s, enum by by, const struct group *g,
                        FILE *out)
{
	const struct stall *x = &s->v[g->first];

	print_amount(s, g->n, out);
	print_subject(s, by, x->by, out);
	print_source(s, by, x->by, out);
	fprintf(out, " %3.0f %%", g->n ? 100.0 * (double)x->n / (double)g->n : 0);
	print_why(s, by, x, out);
	fputc('\n', out);
}

static void print_groups(const struct stalls *s, enum by by, uint64_t top, FILE *out)
{
	struct group *v = hd__xcalloc(s->n, sizeof *v);
	size_t n = 0, shown = 0;
	uint64_t rest = 0;

	for (size_t i = 0; i < s->n; i++) {
		if (i == 0 || s->v[i].by != s->v[i - 1].by)
			v[n++] = (struct group){ i, 0 };
		v[n - 1].n += s->v[i].n;
	}
	qsort(v, n, sizeof *v, by_amount);
	for (size_t i = 0; i < n; i++) {
		if (s->v[v[i].first].by >= 0 && shown++ >= top)
			rest += v[i].n;
		else if (s->v[v[i].first].by >= 0)
			print_group(s, by, &v[i], out);
	}
	if (shown > top) {
		print_amount(s, rest, out);
		fprintf(out, "(%zu others)\n", (size_t)(shown - top));
	}
	for (size_t i = 0; i < n; i++)
		if (s->v[v[i].first].by < 0)
			print_group(s, by, &v[i], out);
	print_all(s, out);
	free(v);
}

static const char *const titles[] = {
	[DUMP_BY_PC] = "instruction that waited",
	[DUMP_BY_PRODUCER] = "instruction that was waited for",
	[DUMP_BY_WARP] = "warp that waited", [DUMP_BY_UNIT] = "unit",
	[DUMP_BY_SCHEDULER] = "scheduler",
};

static const char *const source_titles[] = {
	[DUMP_BY_PC] = "line that waited", [DUMP_BY_PRODUCER] = "line that was waited for",
};

/* The names of kernels in the order of their numbers. */
static void print_kernels(const struct stalls *s, FILE *out)
{
	for (uint32_t i = 0; i < s->program->n; i++) {
		uint32_t name = s->lines[i].name;

		if (i == 0 || s->lines[i - 1].name != name)
			fprintf(out, "%sk%" PRIu32 "  %s\n", i ? "" : "\n", s->launch[name],
			        s->program->kernels[name]);
	}
}

/* `names`: what short names in the table stand for is printed behind it. */
static bool print_by(struct dump *d, const struct dump_query *q, enum by by, bool by_source, bool names, FILE *out)
{
	struct stalls s;

	if (!add_up(d, q, by, by_source, &s))
		return false;
	if (by_source && s.sources.n == 0) {
		fprintf(stderr, "heddle: %s: no instruction has a line of the source; expected a trace with listings "
		        "that have them, as heddle trace record makes them of programs compiled with -lineinfo\n",
		        d->path);
		free_stalls(&s);
		return false;
	}
	fprintf(out, "%12s %7s  %-*s ", "slots", "share", BAR, "");
	if (by == DUMP_BY_REASON) {
		fputs("reason\n", out);
		print_tree(&s, out);
	} else {
		fprintf(out, "%-40s", by_source ? source_titles[by] : titles[by]);
		if (s.sources.n && !by_source && (by == DUMP_BY_PC || by == DUMP_BY_PRODUCER))
			fprintf(out, " %-*s", s.sources.width, "line");
		fputs(" mainly because of\n", out);
		print_groups(&s, by, q->top, out);
	}
	if (names && !by_source)
		print_kernels(&s, out);
	if (names)
		dump_sources_print(&s.sources, out);
	free_stalls(&s);
	return true;
}

bool dump_print_stalls(struct dump *d, const struct dump_query *q, FILE *out)
{
	static const struct {
		const char *name;
		enum by by;
	} keys[] = { { "reason", DUMP_BY_REASON }, { "warp", DUMP_BY_WARP }, { "unit", DUMP_BY_UNIT },
		{ "scheduler", DUMP_BY_SCHEDULER } };
	bool by_source;

	for (size_t i = 0; q->by && i < sizeof keys / sizeof *keys; i++)
		if (strcmp(q->by, keys[i].name) == 0)
			return print_by(d, q, keys[i].by, false, false, out);
	if (!q->by)
		return print_by(d, q, DUMP_BY_REASON, false, false, out);
	by_source = strcmp(q->by, "line") == 0;
	if (!print_by(d, q, DUMP_BY_PC, by_source, false, out))
		return false;
	fputc('\n', out);
	return print_by(d, q, DUMP_BY_PRODUCER, by_source, true, out);
}

/* ---- as statistics have them ---- */

static void count_in(json_t *o, const char *name, uint64_t n)
{
	json_object_set_new(o, name, json_integer(json_integer_value(json_object_get(o, name)) + (json_int_t)n));
}

/* What stands behind the reason `name`: "collector.operands", or the unit; NULL: nothing is known. */
static char *behind(const struct stalls *s, const struct stall *x, const char *unit)
{
	const struct dump_cause *c = &s->d->causes[x->cause];
	char *path, *name;

	if (x->cause <= 0 || x->cause >= s->d->ncauses || c->instance >= s->d->ninstances)
		return unit ? hd__xstrdup(unit) : NULL;
	path = hd__path_any_index(s->d->instances[c->instance].path);
	name = hd__join(path, ".", c->reason);
	free(path);
	return name;
}

static void add_counts(json_t *reasons, json_t *causes, const struct stalls *s, const struct stall *x)
{
	const char *reason = reason_name(s, x->reason), *unit = unit_name(s, x->unit);
	bool full = strncmp(reason, "stall.", 6) == 0;
	char *name = hd__join(reason, full && unit ? "." : "", full && unit ? unit : "");
	char *cause = behind(s, x, full ? NULL : unit);

	count_in(reasons, name, x->n);
	if (cause && !json_object_get(causes, name))
		json_object_set_new(causes, name, json_object());
	if (cause)
		count_in(json_object_get(causes, name), cause, x->n);
	free(cause);
	free(name);
}

bool dump_count_stalls(struct dump *d, uint32_t kernel, json_t *statistics)
{
	struct hd_range one = { kernel, kernel };
	struct hd_range_list kernels = { .v = &one, .n = 1 };
	struct dump_query q = { .kernels = kernel > 0 ? &kernels : NULL };
	json_t *reasons, *causes;
	struct stalls s;

	if (!dump_query_bind(&q, d) || !add_up(d, &q, DUMP_BY_REASON, false, &s)) {
		dump_query_free(&q, d);
		return false;
	}
	reasons = json_object();
	causes = json_object();
	for (size_t i = 0; i < s.n; i++)
		add_counts(reasons, causes, &s, &s.v[i]);
	json_object_set_new(statistics, "reasons", reasons);
	json_object_set_new(statistics, "causes", causes);
	free_stalls(&s);
	dump_query_free(&q, d);
	return true;
}
