/* monitor_show.c - the state of a run, as a line and as a table
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A value that is missing or of another type counts as 0 or is left out.
 */
#include "monitor_talk.h"
#include "base/words.h"

#include <inttypes.h>

#define NAME_COLUMNS 20
#define MOST_RATES 24u

/* ---- text ---- */

void hd__show_text(FILE *out, const char *text)
{
	while (*text) {
		size_t n = hd__control(text);

		fputc(n ? '?' : *text, out);
		text += n ? n : 1;
	}
}

/* The text cut to so many characters. */
static unsigned show_cut(FILE *out, const char *text, unsigned columns)
{
	unsigned shown = 0;

	while (*text) {
		size_t n = hd__control(text);

		if (((unsigned char)*text & 0xC0) != 0x80 && shown++ == columns)
			return columns;
		fputc(n ? '?' : *text, out);
		text += n ? n : 1;
	}
	return shown;
}

/* "0:12", "1:02:03" */
static const char *clock_time(double seconds, char buf[32])
{
	uint64_t s = seconds > 0 && seconds < 1e12 ? (uint64_t)seconds : 0;

	if (s < 3600)
		snprintf(buf, 32, "%u:%02u", (unsigned)(s / 60), (unsigned)(s % 60));
	else
		snprintf(buf, 32, "%" PRIu64 ":%02u:%02u", s / 3600, (unsigned)(s / 60 % 60),
		         (unsigned)(s % 60));
	return buf;
}

static const char *speed(uint64_t rate, char buf[32])
{
	if (rate >= 10000000)
		snprintf(buf, 32, "%" PRIu64 " Mcycle/s", rate / 1000000);
	else
		snprintf(buf, 32, "%" PRIu64 " kcycle/s", rate / 1000);
	return buf;
}

/* ---- values ---- */

static uint64_t number(const json_t *o, const char *name)
{
	json_int_t n = json_integer_value(json_object_get(o, name));

	return n > 0 ? (uint64_t)n : 0;
}

static double real(const json_t *o, const char *name)
{
	return json_number_value(json_object_get(o, name));
}

static const char *text(const json_t *o, const char *name)
{
	const char *s = json_string_value(json_object_get(o, name));

	return s ? s : "";
}

static double ratio(uint64_t a, uint64_t b)
{
	return b ? (double)a / (double)b : 0;
}

bool hd__seen_update(struct hd_seen *s, json_t *o)
{
	if (!json_is_string(json_object_get(o, "state"))
	    || !json_is_integer(json_object_get(o, "cycle")))
		return false;
	if (!s->moved || number(o, "cycle") != number(s->moved, "cycle")) {
		json_decref(s->before);
		s->before = s->moved;
		s->moved = json_incref(o);
	}
	json_decref(s->update);
	s->update = json_incref(o);
	return true;
}

void hd__seen_free(struct hd_seen *s)
{
	json_decref(s->before);
	json_decref(s->moved);
	json_decref(s->update);
}

void hd__show_line(FILE *out, const struct hd_seen *s, const json_t *o)
{
	const json_t *totals = json_object_get(o, "totals"), *delta = json_object_get(o, "delta");
	uint64_t cycles = number(totals, "cycles"), now = number(delta, "cycles");
	double share = real(o, "share");
	char buf[32];
	const char *key;
	json_t *name;

	fprintf(out, "cycle %s, ", hd__grouped(number(o, "cycle"), buf));
	hd__show_text(out, text(o, "state"));
	if (json_is_string(json_object_get(o, "end")) && strcmp(text(o, "end"), text(o, "state"))) {
		fputs(" (", out);
		hd__show_text(out, text(o, "end"));
		fputc(')', out);
	}
	fprintf(out, ", %s", speed(number(o, "rate"), buf));
	if (share > 0)
		fprintf(out, ", %.0f %% of the input read", share * 100);
	if (json_object_get(o, "left"))
		fprintf(out, ", about %s left", clock_time(real(o, "left"), buf));
	json_object_foreach(json_object_get(s->hello, "ratios"), key, name) {
		if (!cycles || !json_is_string(name))
			continue;
		fputs(", ", out);
		hd__show_text(out, json_string_value(name));
		fprintf(out, " %.3f", ratio(number(totals, key), cycles));
		if (now && now != cycles)
			fprintf(out, " (now %.3f)", ratio(number(delta, key), now));
	}
}

/* ---- the table, line by line ---- */

struct table {
	FILE *out;
	const struct hd_screen *screen;
	unsigned rows; /* so far */
};

enum style { PLAIN, BOLD, INVERSE };

static unsigned rows_left(const struct table *t)
{
	unsigned foot = t->screen->foot != NULL;

	if (!t->screen->rows)
		return MOST_RATES;
	return t->screen->rows > t->rows + foot ? t->screen->rows - t->rows - foot : 0;
}

static void HD_PRINTF(3, 4) line(struct table *t, enum style style, const char *fmt, ...)
{
	unsigned used;
	va_list ap;
	char *s;

	if (rows_left(t) == 0)
		return;
	va_start(ap, fmt);
	s = hd__xvprintf(fmt, ap);
	va_end(ap);
	if (t->screen->styled)
		fputs(style == BOLD ? "\033[1m" : style == INVERSE ? "\033[7m" : "", t->out);
	used = show_cut(t->out, s, t->screen->columns);
	if (t->screen->styled) {
		for (; style == INVERSE && used < t->screen->columns; used++)
			fputc(' ', t->out);
		fputs(style == PLAIN ? "\033[K" : "\033[0m\033[K", t->out);
	}
	fputs(t->screen->styled ? "\r\n" : "\n", t->out);
	t->rows++;
	free(s);
}

/* Columns left for a bar beside so many columns of text. */
static unsigned bar_width(const struct table *t, unsigned text_columns)
{
	unsigned n = t->screen->columns > text_columns + 1 ? t->screen->columns - text_columns - 1 : 0;

	return n > 60 ? 60 : n;
}

static const char *bar(double share, unsigned width, char buf[64])
{
	double full = share > 1 ? 1 : share > 0 ? share : 0;
	unsigned n = (unsigned)(full * width + 0.5);

	memset(buf, '#', n);
	memset(buf + n, '.', width - n);
	buf[width] = '\0';
	return buf;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* "matmul/kernelslist.g": all lists have the same name */
static const char *last_two(const char *path)
{
	const char *name = base_name(path);

	for (const char *p = name - 1; p > path; p--)
		if (p[-1] == '/' && p < name - 1)
			return p;
	return name == path || path[0] != '/' ? path : name;
}

static void show_head(struct table *t, const struct hd_seen *s)
{
	const json_t *u = s->update;
	double share = real(u, "share");
	char a[32], b[32], c[32], shape[64], *title;
	unsigned width = bar_width(t, 32);
	const char *state = text(u, "end")[0] ? text(u, "end") : text(u, "state");
	int room = 2 + (int)(strlen(state) < 30 ? strlen(state) : 30);

	title = hd__format(" heddle   %s   %s", text(s->hello, "netlist"),
	                   last_two(text(s->hello, "input")));
	line(t, INVERSE, "%-*.*s %s ", (int)t->screen->columns - room, (int)t->screen->columns - room,
	     title, state);
	free(title);
	line(t, PLAIN, " cycle %s   %s   %s elapsed", hd__grouped(number(u, "cycle"), a),
	     speed(number(u, "rate"), b), clock_time(real(u, "seconds"), c));
	if (share > 0 && json_object_get(u, "left"))
		line(t, PLAIN, " [%s] %5.1f %% read   about %s left", bar(share, width, shape), share * 100,
		     clock_time(real(u, "left"), a));
	else if (share > 0)
		line(t, PLAIN, " [%s] %5.1f %% read", bar(share, width, shape), share * 100);
}

/* "kernels: 3, the last:" and "id 3, name ..., cycles 15,357" */
static void show_tables(struct table *t, const json_t *u)
{
	json_t *tables = json_object_get(u, "tables"), *one, *v;
	const char *name, *key;

	json_object_foreach(tables, name, one) {
		char *last = hd__xstrdup(""), buf[32];
		json_t *row = json_object_get(one, "last");

		json_object_foreach(row, key, v) {
			char *more = hd__format("%s%s%s %s", last, *last ? ", " : "   ", key,
			                        json_is_string(v) ? json_string_value(v)
			                                          : hd__grouped(number(row, key), buf));

			free(last);
			last = more;
		}
		line(t, PLAIN, " %s: %s%s", name, hd__grouped(number(one, "rows"), buf),
		     *last ? ", the last:" : "");
		if (*last)
			line(t, PLAIN, "%s", last);
		free(last);
	}
}

static void show_figures(struct table *t, const struct hd_seen *s)
{
	const json_t *delta = json_object_get(s->moved, "delta");
	json_t *totals = json_object_get(s->update, "totals"), *v;
	const char *key;
	char buf[32];

	json_object_foreach(totals, key, v) {
		const char *name = text(json_object_get(s->hello, "ratios"), key);
		uint64_t cycles = number(totals, "cycles");

		if (!json_is_integer(v))
			continue;
		if (*name && strcmp(key, "cycles") != 0)
			line(t, PLAIN, " %-*s %15s   %s %.3f   now %.3f", NAME_COLUMNS, key,
			     hd__grouped(number(totals, key), buf), name, ratio(number(totals, key), cycles),
			     ratio(number(delta, key), number(delta, "cycles")));
		else
			line(t, PLAIN, " %-*s %15s", NAME_COLUMNS, key, hd__grouped(number(totals, key), buf));
	}
}

static uint64_t sum_of(json_t *group)
{
	const char *key;
	uint64_t sum = 0;
	json_t *v;

	json_object_foreach(group, key, v)
		sum += number(group, key);
	return sum;
}

static void heading(struct table *t, const char *what, unsigned width)
{
	line(t, PLAIN, "%s", "");
	line(t, BOLD, " %-*s    now  %*s    run", NAME_COLUMNS, what, (int)width, "");
}

static void show_share(struct table *t, const char *name, double now, double all, unsigned width)
{
	char shape[64];

	line(t, PLAIN, " %-*.*s %5.1f%%  %s %5.1f%%", NAME_COLUMNS, NAME_COLUMNS, name, now * 100,
	     bar(now, width, shape), all * 100);
}

/* How the slots were used, of a group of figures: now in the bar, and in the whole run. */
static void show_groups(struct table *t, const struct hd_seen *s)
{
	const json_t *delta = json_object_get(s->moved, "delta");
	json_t *totals = json_object_get(s->update, "totals"), *group, *v;
	unsigned width = bar_width(t, NAME_COLUMNS + 17);
	const char *name, *key;

	json_object_foreach(totals, name, group) {
		json_t *now = json_object_get(delta, name);
		uint64_t sum = sum_of(group), sum_now = sum_of(now);

		if (!json_is_object(group))
			continue;
		heading(t, name, width);
		json_object_foreach(group, key, v)
			show_share(t, key, ratio(number(now, key), sum_now), ratio(number(group, key), sum),
			           width);
	}
}

struct rate {
	const char *name;
	uint64_t count;
	double now, all;
};

static int busier(const void *va, const void *vb)
{
	const struct rate *a = va, *b = vb;

	if (a->now != b->now)
		return a->now < b->now ? 1 : -1;
	if (a->all != b->all)
		return a->all < b->all ? 1 : -1;
	return strcmp(a->name, b->name);
}

static struct rate rate_of(const char *name, const json_t *now, const json_t *before)
{
	uint64_t count = number(now, "count"), sum = number(now, "sum"), edges = number(now, "edges");
	uint64_t sum0 = number(before, "sum"), edges0 = number(before, "edges");
	struct rate r = { .name = name, .count = count };

	if (count) {
		r.all = ratio(sum, edges);
		r.now = sum >= sum0 && edges > edges0 ? ratio(sum - sum0, edges - edges0) : 0;
	}
	return r;
}

static void show_rates(struct table *t, const struct hd_seen *s)
{
	json_t *headings = json_object_get(s->moved, "rates"), *group, *v;
	unsigned width = bar_width(t, NAME_COLUMNS + 17);
	const char *what, *key;

	json_object_foreach(headings, what, group) {
		const json_t *before = json_object_get(json_object_get(s->before, "rates"), what);
		struct rate *rates = hd__xcalloc(json_object_size(group), sizeof *rates);
		size_t n = 0;

		json_object_foreach(group, key, v)
			rates[n++] = rate_of(key, v, json_object_get(before, key));
		if (n)
			qsort(rates, n, sizeof *rates, busier);
		if (n && rows_left(t) > 2)
			heading(t, what, width);
		for (size_t i = 0; i < n && rows_left(t) > 0 && i < MOST_RATES; i++) {
			char *name = rates[i].count > 1 ? hd__format("%s x%" PRIu64, rates[i].name,
			                                             rates[i].count)
			                                : hd__xstrdup(rates[i].name);

			show_share(t, name, rates[i].now, rates[i].all, width);
			free(name);
		}
		free(rates);
	}
}

void hd__show_table(FILE *out, const struct hd_seen *s, const struct hd_screen *c)
{
	struct table t = { .out = out, .screen = c };

	show_head(&t, s);
	show_tables(&t, s->update);
	line(&t, PLAIN, "%s", "");
	show_figures(&t, s);
	show_groups(&t, s);
	show_rates(&t, s);
	if (c->foot) {
		while (c->rows && rows_left(&t) > 0)
			line(&t, PLAIN, "%s", "");
		show_cut(out, c->foot, c->columns);
		fputs("\033[K", out);
	}
}
