/* import_values.c - settings as numbers, flags and lists, with their ranges checked
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "import.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The names come from this program: an unknown one is a bug in it. */
static size_t index_of(const char *name)
{
	for (size_t i = 0; hd__import_options[i].name; i++)
		if (strcmp(hd__import_options[i].name, name) == 0)
			return i;
	fprintf(stderr, "heddle: internal error: no option '%s'\n", name);
	abort();
}

static void print_setting(struct hd_import *im, const char *name, const char *kind, const char *fmt,
                va_list ap)
{
	const struct hd_import_setting *s = &im->setting[index_of(name)];

	if (s->file)
		fprintf(stderr, "%s:%u: ", s->file, s->line);
	else if (s->text)
		fputs("command line: ", stderr);
	else
		fputs("not set, so the default applies: ", stderr);
	fprintf(stderr, "%s'-%s' ", kind, name);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
}

void hd__import_error(struct hd_import *im, const char *name, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	print_setting(im, name, "", fmt, ap);
	va_end(ap);
	im->errors++;
}

void hd__import_warn(struct hd_import *im, const char *name, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	print_setting(im, name, "warning: ", fmt, ap);
	va_end(ap);
	im->warnings++;
}

const struct hd_import_option *hd__import_option(const char *name)
{
	return &hd__import_options[index_of(name)];
}

const char *hd__import_file_of(const struct hd_import *im, const char *name)
{
	return im->setting[index_of(name)].file;
}

bool hd__import_is_set(const struct hd_import *im, const char *name)
{
	return im->setting[index_of(name)].text != NULL;
}

const char *hd__import_text(struct hd_import *im, const char *name)
{
	size_t i = index_of(name);

	im->setting[i].read = true;
	return im->setting[i].text ? im->setting[i].text : hd__import_options[i].def;
}

/* A number at *text, which is advanced past it. */
static bool parse(const char **text, uint32_t *out)
{
	char *end;
	unsigned long long v;

	while (**text == ' ')
		++*text;
	if (**text < '0' || **text > '9')
		return false;
	errno = 0;
	v = strtoull(*text, &end, 10);
	if (errno || v > UINT32_MAX)
		return false;
	*text = end;
	while (**text == ' ')
		++*text;
	*out = (uint32_t)v;
	return true;
}

/* A setting is read in several places; an error in it is reported once. */
static bool first_time(struct hd_import *im, const char *name)
{
	struct hd_import_setting *s = &im->setting[index_of(name)];

	if (s->bad)
		return false;
	return s->bad = true;
}

uint32_t hd__import_number(struct hd_import *im, const char *name, uint32_t min, uint32_t max)
{
	const char *text = hd__import_text(im, name), *at = text;
	uint32_t v;

	if (parse(&at, &v) && *at == '\0' && v >= min && v <= max)
		return v;
	if (!first_time(im, name))
		return min;
	if (max == UINT32_MAX)
		hd__import_error(im, name, "is '%.40s'; expected a number from %u", text, min);
	else
		hd__import_error(im, name, "is '%.40s'; expected a number from %u to %u", text, min,
		                 max);
	return min;
}

bool hd__import_flag(struct hd_import *im, const char *name)
{
	return hd__import_number(im, name, 0, 1) != 0;
}

unsigned hd__import_numbers(struct hd_import *im, const char *name, const char *separators,
                            uint32_t *out, unsigned min, unsigned max)
{
	const char *text = hd__import_text(im, name), *at = text;
	unsigned n = 0;

	memset(out, 0, max * sizeof *out);
	while (n < max && parse(&at, &out[n])) {
		n++;
		if (!*at || !strchr(separators, *at))
			break;
		at++;
	}
	if ((n < min || *at != '\0' || at[-1] == separators[0]) && first_time(im, name))
		hd__import_error(im, name, "is '%.60s'; expected %u%s numbers separated by '%c'", text,
		                 min, min < max ? " or more" : "", separators[0]);
	return n;
}

/* In MHz, with at most three decimals. */
json_t *hd__import_mhz(struct hd_import *im, unsigned domain)
{
	const char *name = "gpgpu_clock_domains", *text = hd__import_text(im, name), *at = text;
	double mhz = 0;
	bool good = true;
	char *end;

	for (unsigned i = 0; good && i < 4; i++) { /* all of them, whichever is asked for */
		double one = strtod(at, &end);

		good = end != at && one >= 0.001 && one <= 1e6 && *end == ":\0"[i == 3];
		mhz = i == domain ? one : mhz;
		at = end + 1;
	}
	if (good && mhz * 1000 == (double)(json_int_t)(mhz * 1000 + 0.5))
		return (json_int_t)(mhz * 1000 + 0.5) % 1000 ? json_real(mhz)
		                                             : json_integer((json_int_t)(mhz + 0.5));
	if (first_time(im, name))
		hd__import_error(im, name, "is '%.60s'; expected CORE:NETWORK:L2:DRAM in MHz, with at "
		                 "most three decimals each", text);
	return json_integer(1000);
}
