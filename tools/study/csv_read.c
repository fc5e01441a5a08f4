/* csv_read.c - reads a table of comma-separated values
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "csv_read.h"
#include "base/read_file.h"
#include "base/xalloc.h"

#include <errno.h>

struct reader {
	const char *file, *p, *end;
	char separator;
	int line;
	struct hd_diags *d;
};

static bool is_blank_line(const char *p, const char *end)
{
	while (p < end && (*p == ' ' || *p == '\t' || *p == '\r'))
		p++;
	return p == end || *p == '\n';
}

/* Passes lines without values. */
static void skip_lines(struct reader *r)
{
	while (r->p < r->end && (is_blank_line(r->p, r->end) || (r->end - r->p > 2 && memcmp(r->p, "==", 2) == 0))) {
		const char *line = memchr(r->p, '\n', (size_t)(r->end - r->p));

		r->p = line != NULL ? line + 1 : r->end;
		r->line++;
	}
}

/* Goes on to the line with the header, if there is one. */
static void skip_to(struct reader *r, const char *head)
{
	int line = r->line;

	for (const char *p = r->p, *end; p < r->end; p = end + (end < r->end), line++) {
		end = memchr(p, '\n', (size_t)(r->end - p));
		end = end != NULL ? end : r->end;
		if (memmem(p, (size_t)(end - p), head, strlen(head)) == NULL
		    || memchr(p, ',', (size_t)(end - p)) == NULL)
			continue;
		r->p = p;
		r->line = line;
		return;
	}
}

static void put(char **v, size_t *n, size_t *cap, char c)
{
	*v = hd__xgrow(*v, *n, cap, 1);
	(*v)[(*n)++] = c;
}

/* The rest of a value in quotes.  Returns false after reporting that it does not end. */
static bool read_quoted(struct reader *r, char **v, size_t *n, size_t *cap)
{
	int first = r->line;

	for (r->p++; r->p < r->end; r->p++) {
		if (*r->p == '"' && (r->p + 1 == r->end || r->p[1] != '"')) {
			r->p++;
			return true;
		}
		r->p += *r->p == '"';
		r->line += *r->p == '\n';
		put(v, n, cap, *r->p);
	}
	hd__diag(r->d, HD_DIAG_ERROR, r->file, first, 1, "a value begins with a quote and has no other at its end");
	return false;
}

/* The next value, without blanks around it; NULL after an error. */
static char *read_value(struct reader *r)
{
	size_t n = 0, cap = 0;
	char *v = NULL;
	bool quoted;

	while (r->p < r->end && *r->p == ' ')
		r->p++;
	quoted = r->p < r->end && *r->p == '"';
	if (quoted && !read_quoted(r, &v, &n, &cap)) {
		free(v);
		return NULL;
	}
	for (; r->p < r->end && *r->p != r->separator && *r->p != '\n'; r->p++)
		if (!quoted || (*r->p != ' ' && *r->p != '\r'))
			put(&v, &n, &cap, *r->p);
	while (!quoted && n > 0 && (v[n - 1] == ' ' || v[n - 1] == '\r'))
		n--;
	put(&v, &n, &cap, '\0');
	return v;
}

static bool read_row(struct reader *r, struct csv_row *row)
{
	bool more = true;

	*row = (struct csv_row){ .line = r->line };
	while (more) {
		char *v = read_value(r);

		if (v == NULL)
			return false;
		row->v = hd__xappend(row->v, row->n, sizeof *row->v);
		row->v[row->n++] = v;
		more = r->p < r->end && *r->p == r->separator;
		r->p += more;
	}
	r->line++;
	r->p += r->p < r->end;
	return true;
}

bool csv_read(struct csv_table *t, const char *file, const char *head, struct hd_diags *d)
{
	static const char mark[] = "\xEF\xBB\xBF"; /* that the text is UTF-8 */
	struct reader r = { .file = file, .line = 1, .d = d };
	size_t length = 0, first;
	char *text = hd__read_file(file, &length);
	bool ok = text != NULL;

	*t = (struct csv_table){ .n = 0 };
	if (text == NULL) {
		hd__diag(d, HD_DIAG_ERROR, file, 0, 0, "cannot read the table: %s", hd__input_why(errno));
		return false;
	}
	if (memchr(text, '\0', length) != NULL) {
		hd__diag(d, HD_DIAG_ERROR, file, 0, 0, "is not a text; expected comma-separated values");
		ok = false;
	}
	r.p = text;
	r.end = text + length;
	if (length >= 3 && memcmp(text, mark, 3) == 0)
		r.p += 3;
	skip_to(&r, head);
	skip_lines(&r);
	first = strcspn(r.p, "\n");
	r.separator = memchr(r.p, '\t', first) != NULL ? '\t' : ',';
	for (; ok && r.p < r.end; skip_lines(&r)) {
		t->v = hd__xappend(t->v, t->n, sizeof *t->v);
		ok = read_row(&r, &t->v[t->n++]);
	}
	if (ok && t->n == 0) {
		hd__diag(d, HD_DIAG_ERROR, file, 0, 0, "is empty; expected comma-separated values");
		ok = false;
	}
	free(text);
	return ok;
}

void csv_free(struct csv_table *t)
{
	for (size_t i = 0; i < t->n; i++) {
		for (size_t k = 0; k < t->v[i].n; k++)
			free(t->v[i].v[k]);
		free(t->v[i].v);
	}
	free(t->v);
}
