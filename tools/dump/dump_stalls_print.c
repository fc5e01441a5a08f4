/* dump_stalls_print.c - prints lost issue slots: as a tree of reasons, or by instruction, warp, unit
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "base/xalloc.h"
#include "dump_print.h"
#include "dump_stalls.h"

#include <inttypes.h>

#define BAR 20

static double share(const struct dump_stalls *s, uint64_t n)
{
	return s->all ? 100.0 * (double)n / (double)s->all : 0;
}

/* "   10898   3.1 %  #                   " */
static void print_amount(const struct dump_stalls *s, uint64_t n, FILE *out)
{
	int length = s->all ? (int)((double)n / (double)s->all * BAR + 0.5) : 0;

	fprintf(out, "%12" PRIu64 " %5.1f %%  %-*.*s ", n, share(s, n), BAR, length,
	        "####################");
}

static void print_all(const struct dump_stalls *s, FILE *out)
{
	print_amount(s, s->all, out);
	fputs(s->named_only ? "issue slots in which an instruction of these kernels waited\n"
	                    : "all issue slots\n", out);
}

static const char *unit_name(const struct dump_stalls *s, int64_t unit)
{
	return dump_name(s->d, "unit", NULL, unit);
}

static void print_cause(const struct dump_stalls *s, int64_t i, FILE *out)
{
	const struct dump_cause *c = &s->d->causes[i];
	char *path = dump_stall_instance(s, i);

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

static const char *doc_of(const struct dump_stalls *s, int64_t reason)
{
	const json_t *m = json_object_get(json_object_get(s->d->meta, "modules"),
	                                  s->d->tables[s->known.slot].module);
	const json_t *r = json_array_get(json_object_get(m, "reasons"), (size_t)reason);

	return json_string_value(json_object_get(r, "doc"));
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
static char *cause_name(const struct dump_stalls *s, int64_t i)
{
	const struct dump_cause *c = &s->d->causes[i];
	const char *why = c->doc[0] ? c->doc : c->reason, *bracket;
	char *path = dump_stall_instance(s, i), *name;

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
static void add_stall(struct tree *t, const struct dump_stalls *s, const struct dump_stall *x)
{
	const char *unit = unit_name(s, x->unit);
	char *path = hd__xstrdup(dump_stall_reason(s, x->reason)), *more, *cause;

	for (char *p = path; *p; p++)
		*p = *p == '.' ? '\t' : *p;
	add(t, path, doc_of(s, x->reason), 0);
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

static void print_node(const struct dump_stalls *s, const struct node *x, FILE *out)
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

static void print_tree(const struct dump_stalls *s, FILE *out)
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

static void print_line_of_program(const struct dump_stalls *s, int64_t i, FILE *out)
{
	const struct dump_line *x = &s->lines[i];

	fprintf(out, "%c%" PRIu32 " 0x%04" PRIx32 " %s", 'k', x->name + 1, x->pc, x->text);
}

/* The key of a row. */
static void print_subject(const struct dump_stalls *s, enum dump_by by, int64_t v, FILE *out)
{
	const char *name;
	char text[300];
	FILE *f;
	int n;

	if (v < 0) {
		fprintf(out, "%-40s", by == DUMP_BY_PRODUCER ? "(not for a register)" : by == DUMP_BY_UNIT
		        ? "(no unit)" : by == DUMP_BY_WARP ? "(no warp)" : "(no instruction)");
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

static void print_why(const struct dump_stalls *s, enum dump_by by, const struct dump_stall *x,
                      FILE *out)
{
	const char *unit = unit_name(s, x->unit);

	fprintf(out, " %s", dump_stall_reason(s, x->reason));
	if (x->reg >= 0 && x->other >= 0) {
		fprintf(out, ", %sR%" PRId64 "%s", by == DUMP_BY_PRODUCER ? "its " : "", x->reg,
		        by == DUMP_BY_PRODUCER ? " for " : " of ");
		print_line_of_program(s, x->other, out);
	} else if (x->reg >= 0) {
		fprintf(out, ", R%" PRId64, x->reg);
	} else if (unit) {
		fprintf(out, ", %s", unit);
	}
	if (x->cause > 0 && x->cause < s->d->ncauses) {
		fputs(", ", out);
		print_cause(s, x->cause, out);
	}
}

/* The largest of the group's stalls, with all that differ from it only in the warp's details. */
static void print_group(const struct dump_stalls *s, enum dump_by by, const struct group *g,
                        FILE *out)
{
	const struct dump_stall *x = &s->v[g->first];

	print_amount(s, g->n, out);
	print_subject(s, by, x->by, out);
	fprintf(out, " %3.0f %%", g->n ? 100.0 * (double)x->n / (double)g->n : 0);
	print_why(s, by, x, out);
	fputc('\n', out);
}

static void print_groups(const struct dump_stalls *s, enum dump_by by, uint64_t top, FILE *out)
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

static bool print_by(struct dump *d, const struct dump_query *q, enum dump_by by, bool kernels,
                     FILE *out)
{
	struct dump_stalls s;

	if (!dump_stalls(d, q, by, &s))
		return false;
	fprintf(out, "%12s %7s  %-*s ", "slots", "share", BAR, "");
	if (by == DUMP_BY_REASON) {
		fputs("reason\n", out);
		print_tree(&s, out);
	} else {
		fprintf(out, "%-40s mainly because of\n", titles[by]);
		print_groups(&s, by, q->top, out);
	}
	for (uint32_t i = 0; kernels && i < s.nkernels; i++)
		fprintf(out, "%sk%" PRIu32 "  %s\n", i ? "" : "\n", i + 1, s.kernels[i]);
	dump_stalls_free(&s);
	return true;
}

bool dump_print_stalls(struct dump *d, const struct dump_query *q, FILE *out)
{
	static const struct {
		const char *name;
		enum dump_by by;
	} ways[] = { { "reason", DUMP_BY_REASON }, { "warp", DUMP_BY_WARP }, { "unit", DUMP_BY_UNIT },
		{ "scheduler", DUMP_BY_SCHEDULER } };

	for (size_t i = 0; q->by && i < sizeof ways / sizeof *ways; i++)
		if (strcmp(q->by, ways[i].name) == 0)
			return print_by(d, q, ways[i].by, false, out);
	if (!q->by)
		return print_by(d, q, DUMP_BY_REASON, false, out);
	if (!print_by(d, q, DUMP_BY_PC, false, out))
		return false;
	fputc('\n', out);
	return print_by(d, q, DUMP_BY_PRODUCER, true, out);
}
