/* report_values.c - what the parts of a page are made of: names by number, series over time, and their JSON
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "report.h"
#include "base/path.h"
#include "base/xalloc.h"

uint32_t report_name(struct report_names *s, const char *name)
{
	json_t *known;

	if (!s->number)
		s->number = json_object();
	known = json_object_get(s->number, name);
	if (known)
		return (uint32_t)json_integer_value(known);
	s->v = hd__xgrow(s->v, s->n, &s->cap, sizeof *s->v);
	s->v[s->n] = hd__xstrdup(name);
	json_object_set_new(s->number, name, json_integer((json_int_t)s->n));
	return (uint32_t)s->n++;
}

uint32_t report_array_name(struct report_names *s, const char *path)
{
	char *name = hd__path_without_indices(path);
	uint32_t number = report_name(s, name);

	free(name);
	return number;
}

void report_names_free(struct report_names *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->v[i]);
	free(s->v);
	json_decref(s->number);
	*s = (struct report_names){ .n = 0 };
}

uint64_t report_width(uint64_t cycles, uint32_t most)
{
	static const uint8_t handy[] = { 10, 12, 15, 20, 25, 30, 40, 50, 60, 80 };
	uint64_t power = 1;

	if (cycles <= most)
		return 1;
	for (;;) {
		for (size_t i = 0; i < sizeof handy; i++) {
			uint64_t width = handy[i] * power / 10;

			if (handy[i] * power % 10 == 0 && (cycles - 1) / width < most)
				return width;
		}
		power *= 10;
	}
}

struct report_bins report_bins(uint64_t cycles, uint64_t width)
{
	return (struct report_bins){ width, cycles ? (uint32_t)((cycles - 1) / width) + 1 : 0 };
}

void report_spread(struct report_series *s, const struct report_bins *b, uint64_t from, uint64_t to,
                   uint64_t each)
{
	report_spread_every(s, b, from, to, 1, each);
}

/* How many of every so many cycles, from the first one on; from < to. */
static uint64_t number(uint64_t from, uint64_t to, uint64_t every)
{
	return (to - from - 1) / every + 1;
}

void report_spread_every(struct report_series *s, const struct report_bins *b, uint64_t from, uint64_t to,
                         uint64_t every, uint64_t each)
{
	uint64_t n;

	if (from < to)
		s->total += number(from, to, every) * each;
	if (!b->n)
		return;
	if (!s->v)
		s->v = hd__xcalloc(b->n, sizeof *s->v);
	while (from < to) {
		uint64_t bin = from / b->width, next = (bin + 1) * b->width;

		/* a damaged file may have cycles after the last one */
		if (bin >= b->n - 1) {
			s->v[b->n - 1] += number(from, to, every) * each;
			return;
		}
		next = next < to ? next : to;
		n = number(from, next, every);
		s->v[bin] += n * each;
		if (n * every > UINT64_MAX - from)
			return;
		from += n * every;
	}
}

json_t *report_array(const uint64_t *v, size_t n)
{
	json_t *a = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(a, json_integer(v ? (json_int_t)v[i] : 0));
	return a;
}

json_t *report_base64(const unsigned char *v, size_t n)
{
	static const char digit[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	char *text = hd__xcalloc(n / 3 * 4 + 5, 1), *p = text;
	json_t *out;

	for (size_t i = 0; i < n; i += 3) {
		uint32_t x = (uint32_t)v[i] << 16;

		if (i + 1 < n)
			x |= (uint32_t)v[i + 1] << 8;
		if (i + 2 < n)
			x |= v[i + 2];
		*p++ = digit[x >> 18];
		*p++ = digit[x >> 12 & 63];
		*p++ = i + 1 < n ? digit[x >> 6 & 63] : '=';
		*p++ = i + 2 < n ? digit[x & 63] : '=';
	}
	out = json_string(text);
	free(text);
	return out;
}

void report_put_difference(struct hd_bytes *b, uint32_t from, uint32_t to)
{
	hd__bytes_varint(b, hd__zigzag((int64_t)to - (int64_t)from));
}

json_t *report_text(const char *s)
{
	json_t *j = json_string(s ? s : "");

	return j ? j : json_string("?"); /* not UTF-8 */
}

const char *report_member(const json_t *o, const char *name)
{
	const char *s = json_string_value(json_object_get(o, name));

	return s ? s : "";
}
