/* config.c - reads option files: "-option value", comments, quotes over several lines
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The syntax is the reference's: words separated by blanks and line ends, '#' starts a comment that
 * ends with the line, also within a word in double quotes, which may contain the others.  Words come in
 * pairs, an option and its value.  Of several settings of one option the last one counts.
 */
#include "import.h"

#include "base/words.h"
#include "base/xalloc.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct reader {
	struct hd_import *im;
	const char *file, *at, *end;
	unsigned line;
	bool bad;
};

static size_t count_options(void)
{
	size_t n = 0;

	while (hd__import_options[n].name)
		n++;
	return n;
}

void hd__import_init(struct hd_import *im)
{
	memset(im, 0, sizeof *im);
	im->setting = hd__xcalloc(count_options(), sizeof *im->setting);
}

void hd__import_free(struct hd_import *im)
{
	for (size_t i = 0; i < im->nlines; i++)
		free(im->lines[i].text);
	free(im->lines);
	for (size_t i = 0; i < im->nfiles; i++)
		free(im->files[i]);
	free(im->files);
	free(im->setting);
}

static void complain(struct hd_import *im, const char *file, unsigned line, const char *fmt, ...)
	HD_IMPORT_PRINTF(4, 5);

static void complain(struct hd_import *im, const char *file, unsigned line, const char *fmt, ...)
{
	va_list ap;

	if (file)
		fprintf(stderr, "%s:%u: ", file, line);
	else
		fputs("command line: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	im->errors++;
}

/* Names that options had, where the nearest one of today is another. */
static const struct {
	const char *old, *name;
} renamed[] = {
	{ "gpgpu_n_shader", "gpgpu_n_clusters" },
};

static void unknown(struct hd_import *im, const char *file, unsigned line, const char *name)
{
	size_t n = count_options();
	const char **names = hd__xcalloc(n + 1, sizeof *names), *near;

	for (size_t i = 0; i < n; i++)
		names[i] = hd__import_options[i].name;
	near = hd__nearest(name, names, n);
	for (size_t i = 0; i < sizeof renamed / sizeof *renamed; i++)
		if (strcmp(renamed[i].old, name) == 0)
			near = renamed[i].name;
	if (near)
		complain(im, file, line, "unknown option '-%.80s'; did you mean '-%s'?", name, near);
	else
		complain(im, file, line, "unknown option '-%.80s'; 'heddle import --options' lists "
		         "them", name);
	free(names);
}

/* Takes value. */
static void set(struct hd_import *im, const char *file, unsigned line, const char *name,
                char *value)
{
	for (size_t i = 0; hd__import_options[i].name; i++) {
		struct hd_import_setting *s = &im->setting[i];

		if (strcmp(hd__import_options[i].name, name) != 0)
			continue;
		im->lines = hd__xappend(im->lines, im->nlines, sizeof *im->lines);
		im->lines[im->nlines++] = (struct hd_import_line){ i, value, file, line };
		*s = (struct hd_import_setting){ .text = value, .file = file, .line = line };
		return;
	}
	unknown(im, file, line, name);
	free(value);
}

void hd__import_set(struct hd_import *im, const char *name, const char *value)
{
	set(im, NULL, 0, name + 1, hd__xstrdup(value));
}

/* To the end of its line. */
static void skip_comment(struct reader *r)
{
	while (r->at < r->end && *r->at != '\n')
		r->at++;
}

static void skip_blanks(struct reader *r)
{
	for (; r->at < r->end; r->at++) {
		if (*r->at == '#')
			skip_comment(r);
		if (r->at == r->end)
			return;
		if (*r->at == '\n')
			r->line++;
		else if (!isspace((unsigned char)*r->at))
			return;
	}
}

/* Line ends with the blanks and comments around them become one blank each. */
static char *quoted(struct reader *r)
{
	unsigned line = r->line;
	const char *start = ++r->at;
	char *word, *to;

	while (r->at < r->end && *r->at != '"') {
		if (*r->at == '#')
			skip_comment(r);
		else
			r->line += *r->at++ == '\n';
	}
	if (r->at == r->end) {
		complain(r->im, r->file, line, "this quote is never closed");
		r->bad = true;
		return NULL;
	}
	word = to = hd__xrealloc(NULL, (size_t)(r->at - start) + 1);
	for (; start < r->at; start++) {
		bool blank;

		if (*start == '#')
			start = memchr(start, '\n', (size_t)(r->at - start));
		blank = isspace((unsigned char)*start);
		if (blank && to > word && to[-1] == ' ')
			continue;
		*to++ = blank ? ' ' : *start;
	}
	*to = '\0';
	r->at++;
	return word;
}

/* The next word, or NULL at the end.  *line is where it begins. */
static char *next_word(struct reader *r, unsigned *line)
{
	const char *start;

	skip_blanks(r);
	*line = r->line;
	if (r->at == r->end)
		return NULL;
	if (*r->at == '"')
		return quoted(r);
	start = r->at;
	while (r->at < r->end && !isspace((unsigned char)*r->at) && *r->at != '#')
		r->at++;
	return hd__xstrndup(start, (size_t)(r->at - start));
}

static bool is_option(const char *word)
{
	return word[0] == '-' && isalpha((unsigned char)word[1]);
}

static void read_settings(struct reader *r)
{
	unsigned line, value_line;
	char *name = next_word(r, &line), *value;

	while (name) {
		if (!is_option(name)) {
			complain(r->im, r->file, line, "expected an option, which begins with '-', "
			         "found '%.80s'", name);
			free(name);
			name = next_word(r, &line);
			continue;
		}
		value = next_word(r, &value_line);
		if (!value || is_option(value)) {
			if (!r->bad)
				complain(r->im, r->file, line, "option '%.80s' has no value", name);
			free(name);
			name = value;
			line = value_line;
			continue;
		}
		set(r->im, r->file, line, name + 1, value);
		free(name);
		name = next_word(r, &line);
	}
}

void hd__import_parse(struct hd_import *im, const char *file, const char *text, const char *end)
{
	struct reader r = { .im = im, .file = file, .at = text, .end = end, .line = 1 };

	read_settings(&r);
}
