/* summary.c - prints which options are used, and why others are not
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "import.h"

#include <string.h>

#define COLUMNS 98u

/* One option of a list, "-name value", wrapped. */
static void item(FILE *out, size_t *column, const char *name, const char *text)
{
	size_t length = strlen(name) + strlen(text) + 4;

	if (*column == 0 || *column + length > COLUMNS) {
		fprintf(out, "%s    ", *column ? "\n" : "");
		*column = 4;
	}
	fprintf(out, "-%s %s  ", name, text);
	*column += length;
}

/* The options that were set, have this reason, and were not read. */
static unsigned group(const struct hd_import *im, const char *why, FILE *out)
{
	size_t column = 0;
	unsigned n = 0;

	for (size_t i = 0; hd__import_options[i].name; i++) {
		const struct hd_import_option *o = &hd__import_options[i];
		const struct hd_import_setting *s = &im->setting[i];
		bool here = o->why == why || (o->why && why && strcmp(o->why, why) == 0);

		if (!s->text || s->read || !here)
			continue;
		if (n++ == 0)
			fprintf(out, "  %s:\n", why ? why : "no effect on this core");
		item(out, &column, o->name, s->text);
	}
	if (n)
		fputc('\n', out);
	return n;
}

/* Index of the first option that has the same reason. */
static size_t first_of(size_t i)
{
	const char *why = hd__import_options[i].why;

	for (size_t k = 0; k < i; k++)
		if (hd__import_options[k].why && strcmp(hd__import_options[k].why, why) == 0)
			return k;
	return i;
}

void hd__import_summary(const struct hd_import *im, FILE *out)
{
	unsigned used = 0, set = 0;

	for (size_t i = 0; hd__import_options[i].name; i++) {
		set += im->setting[i].text != NULL;
		used += im->setting[i].text != NULL && im->setting[i].read;
	}
	fprintf(out, "%u options set, %u used, %u not modelled", set, used, set - used);
	fputs(set > used ? ":\n" : "\n", out);
	group(im, NULL, out);
	for (size_t i = 0; hd__import_options[i].name; i++)
		if (hd__import_options[i].why && first_of(i) == i)
			group(im, hd__import_options[i].why, out);
}

void hd__import_list(FILE *out)
{
	fputs("Options that netlists are made of, with their defaults:\n", out);
	for (size_t i = 0; hd__import_options[i].name; i++)
		if (!hd__import_options[i].why)
			fprintf(out, "  -%s %s\n", hd__import_options[i].name,
			        hd__import_options[i].def);
	fputs("\nOptions that are not modelled, and why:\n", out);
	for (size_t i = 0; hd__import_options[i].name; i++)
		if (hd__import_options[i].why)
			fprintf(out, "  -%s: %s\n", hd__import_options[i].name,
			        hd__import_options[i].why);
}
