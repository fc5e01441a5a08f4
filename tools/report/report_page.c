/* report_page.c - puts the parts of the page and the data into one file
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A line of the frame that is "@NAME@" stands for the file of that name, "@DATA@" for the data,
 * "@COLUMNS@" for further data.
 */
#include "report.h"
#include "base/embedded.h"
#include "base/xalloc.h"

/* No text may end the element that holds the data, so "<" is escaped; JSON has it only in
 * strings. */
static int write_escaped(const char *text, size_t n, void *out)
{
	const char *end = text + n;

	while (text < end) {
		const char *mark = memchr(text, '<', (size_t)(end - text)), *next = mark ? mark : end;

		fwrite(text, 1, (size_t)(next - text), out);
		if (mark)
			fputs("\\u003c", out);
		text = mark ? next + 1 : next;
	}
	return 0;
}

void report_json(FILE *out, const json_t *data)
{
	const size_t layout = JSON_COMPACT | JSON_ENSURE_ASCII;

	hd__xcheck(json_dump_callback(data, write_escaped, out, layout) == 0 ? out : NULL);
}

static void write_title(FILE *out, const char *title)
{
	for (const char *p = title; *p; p++) {
		switch (*p) {
		case '<': fputs("&lt;", out); break;
		case '&': fputs("&amp;", out); break;
		default: fputc(*p, out);
		}
	}
	fputc('\n', out);
}

static void write_columns(FILE *out, const json_t *columns)
{
	for (size_t i = 0; i < json_array_size(columns); i++) {
		fprintf(out, "<script type=\"application/json\" id=\"c%zu\">\n", i);
		report_json(out, json_array_get(columns, i));
		fputs("\n</script>\n", out);
	}
}

static void write_part(FILE *out, const char *name, const struct report_content *c)
{
	const struct hd_embedded *f;

	if (strcmp(name, "DATA") == 0) {
		c->data(c->arg, out);
		fputc('\n', out);
	} else if (strcmp(name, "COLUMNS") == 0) {
		write_columns(out, c->columns);
	} else if (strcmp(name, "TITLE") == 0) {
		write_title(out, c->title);
	} else {
		f = hd__embedded_find(name);
		if (f)
			fwrite(f->text, 1, f->size, out);
	}
}

bool report_page(FILE *out, const char *frame, const struct report_content *c)
{
	const struct hd_embedded *file = hd__embedded_find(frame);
	const char *p = file->text, *end = p + file->size;

	while (p < end) {
		const char *line = memchr(p, '\n', (size_t)(end - p));
		size_t n = (size_t)((line ? line + 1 : end) - p);

		if (n > 3 && p[0] == '@' && p[n - 2] == '@') {
			char *name = hd__xstrndup(p + 1, n - 3);

			write_part(out, name, c);
			free(name);
		} else {
			fwrite(p, 1, n, out);
		}
		p += n;
	}
	return fflush(out) == 0 && !ferror(out);
}
