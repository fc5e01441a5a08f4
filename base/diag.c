/* diag.c - collects messages about the user's input, prints them in the order of the file
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "diag.h"
#include "path.h"
#include "words.h"
#include "xalloc.h"

#include <ctype.h>
#include <inttypes.h>

enum {
	MAX_TEXT = 1500, /* bytes of one message; names in it come from the file */
	FIRST = 3,       /* of like messages that are kept besides the last */
};

/* Makes text from a file harmless on a terminal: no control characters, bounded length. */
static void tame(char *text)
{
	size_t n = strlen(text);

	if (n > MAX_TEXT + strlen("...")) {
		n = MAX_TEXT;
		while (n > 0 && ((unsigned char)text[n] & 0xC0) == 0x80)
			n--;
		memcpy(text + n, "...", sizeof "...");
	}
	for (char *p = text; *p != '\0'; p++)
		for (size_t bytes = hd__control(p); bytes > 0; bytes--)
			p[bytes - 1] = '?';
}

static int compare_place(const struct hd_diag *a, const struct hd_diag *b)
{
	int c = strcmp(a->file != NULL ? a->file : "", b->file != NULL ? b->file : "");

	if (c == 0)
		c = (a->line > b->line) - (a->line < b->line);
	if (c == 0)
		c = (a->column > b->column) - (a->column < b->column);
	return c;
}

/* Does the number of an element follow this character of a message, as in "[3]" and "element 3"? */
static bool element_follows(const char *text, const char *c)
{
	static const char word[] = "element";
	size_t n = strlen(word);

	return *c == '[' || (*c == ' ' && (size_t)(c - text) >= n && memcmp(c - n, word, n) == 0);
}

/* Are they about one place of a file, and differ at most in the numbers of elements? */
static bool alike(const struct hd_diag *a, const struct hd_diag *b)
{
	const char *x = a->text, *y = b->text;

	/* What tells most of them apart comes first: each message is compared with all that are kept. */
	if (a->line != b->line || a->column != b->column || a->line == 0 || a->severity != b->severity
	    || a->file == NULL || compare_place(a, b) != 0)
		return false;
	while (*x != '\0' && *x == *y) {
		bool element = element_follows(a->text, x);

		x++, y++;
		if (element && isdigit((unsigned char)*x) && isdigit((unsigned char)*y)) {
			x += strspn(x, "0123456789");
			y += strspn(y, "0123456789");
		}
	}
	return *x == *y;
}

static void forget(struct hd_diag *m)
{
	free(m->file);
	free(m->text);
	free(m->path);
}

/* If enough messages like this one are kept it takes the place of the last of them, which is only counted; one
 * that is the same once more is dropped.  Returns true if it did either. */
static bool gathered(struct hd_diags *d, struct hd_diag *m)
{
	struct hd_diag *last = NULL;
	size_t count = 0;

	for (size_t i = 0; i < d->n && !d->each; i++) {
		if (!alike(&d->v[i], m))
			continue;
		last = &d->v[i];
		count++;
		if (strcmp(last->text, m->text) == 0) { /* the same once more */
			forget(m);
			return true;
		}
	}
	if (count <= FIRST)
		return false;
	m->others = last->others + 1;
	forget(last);
	*last = *m;
	return true;
}

void hd__diagv(struct hd_diags *d, enum hd_severity s, const char *file, int line, int column,
               const char *fmt, va_list ap)
{
	struct hd_diag m;

	if (s == HD_DIAG_ERROR)
		d->errors++;
	else
		d->warnings++;
	m = (struct hd_diag){
		.severity = s,
		.file = file != NULL ? hd__xstrdup(file) : NULL,
		.line = line,
		.column = column,
		.text = hd__xvprintf(fmt, ap),
	};
	tame(m.text);
	if (gathered(d, &m))
		return;
	if (d->n == HD_DIAGS_KEPT) {
		d->dropped++;
		forget(&m);
		return;
	}
	d->v = hd__xgrow(d->v, d->n, &d->cap, sizeof *d->v);
	d->v[d->n++] = m;
}

/* Does a message of this instance in this cycle come before m, which was reported earlier? */
static bool precedes(const char *path, uint64_t cycle, const struct hd_diag *m)
{
	return m->path != NULL && m->when == cycle && hd__path_order(path, m->path) < 0;
}

void hd__diag_in_run(struct hd_diags *d, enum hd_severity s, const char *path, uint64_t cycle, const char *text)
{
	struct hd_diag m;
	size_t i;

	if (d->n == HD_DIAGS_KEPT && precedes(path, cycle, &d->v[d->n - 1])) { /* that one is only counted instead */
		forget(&d->v[--d->n]);
		d->dropped++;
	}
	i = d->n;
	hd__diag(d, s, NULL, 0, 0, "%s: cycle %" PRIu64 ": %s", path, cycle, text);
	if (d->n == i)
		return;
	m = d->v[i];
	m.when = cycle;
	m.path = hd__xstrdup(path);
	for (; i > 0 && precedes(path, cycle, &d->v[i - 1]); i--)
		d->v[i] = d->v[i - 1];
	d->v[i] = m;
}

void hd__diag(struct hd_diags *d, enum hd_severity s, const char *file, int line, int column,
              const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	hd__diagv(d, s, file, line, column, fmt, ap);
	va_end(ap);
}

/* By place; messages about one place keep the order in which they were reported. */
static int compare(const void *pa, const void *pb)
{
	const struct hd_diag *a = *(const struct hd_diag *const *)pa;
	const struct hd_diag *b = *(const struct hd_diag *const *)pb;
	int c = compare_place(a, b);

	return c != 0 ? c : (a > b) - (a < b);
}

/* Does an earlier message at the same place have the text of sorted[i]? */
static bool repeated(const struct hd_diag *const *sorted, size_t i)
{
	for (size_t j = i; j-- > 0 && compare_place(sorted[j], sorted[i]) == 0;)
		if (sorted[j]->severity == sorted[i]->severity
		    && strcmp(sorted[j]->text, sorted[i]->text) == 0)
			return true;
	return false;
}

static void print_one(const struct hd_diag *m, FILE *out)
{
	for (const char *p = m->file != NULL ? m->file : "heddle"; *p != '\0';) {
		size_t bytes = hd__control(p);

		putc(bytes > 0 ? '?' : *p, out); /* another file may have given the name */
		p += bytes > 0 ? bytes : 1;
	}
	if (m->line > 0)
		fprintf(out, ":%d:%d", m->line, m->column);
	fprintf(out, ": %s: ", m->severity == HD_DIAG_ERROR ? "error" : "warning");
	if (m->others > 0)
		fprintf(out, "and %zu more of this kind, the last: ", m->others + 1);
	fprintf(out, "%s\n", m->text);
}

void hd__diags_print(struct hd_diags *d, FILE *out)
{
	const struct hd_diag **sorted = hd__xcalloc(d->n, sizeof *sorted);
	size_t n = 0;

	for (size_t i = 0; i < d->n; i++)
		sorted[i] = &d->v[i];
	qsort(sorted, d->n, sizeof *sorted, compare);
	for (size_t i = 0; i < d->n; i++) {
		sorted[n] = sorted[i];
		n += !repeated(sorted, n);
	}
	for (size_t i = 0; i < n; i++)
		print_one(sorted[i], out);
	if (d->dropped > 0)
		fprintf(out, "heddle: %zu more messages not shown\n", d->dropped);
	free(sorted);
}

void hd__diags_free(struct hd_diags *d)
{
	for (size_t i = 0; i < d->n; i++)
		forget(&d->v[i]);
	free(d->v);
	*d = (struct hd_diags){ .each = d->each };
}

/* Names that all suggestions of a file may look at, and each its share of cells. */
enum { MAX_COMPARED = 1 << 19 };

bool hd__may_suggest(struct hd_diags *d, size_t names)
{
	if (d->n >= HD_DIAGS_KEPT || d->compared >= MAX_COMPARED)
		return false;
	d->compared += names;
	return true;
}
