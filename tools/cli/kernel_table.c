/* kernel_table.c - the kernels of a run as a table (heddle run --per-kernel), and sums of those of each stream
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Shares of issue slots and units are those of the cycles of the kernel.  Where kernels overlap, slots are its own, and
 * units are those of the interval since the kernel before it ended.
 */
#include "cmd.h"
#include "base/words.h"

#include <inttypes.h>
#include <stdint.h>
#include <string.h>

#define UNITS "unit utilisation"

static uint64_t number(const json_t *o, const char *name)
{
	return (uint64_t)json_integer_value(json_object_get(o, name));
}

static int width_of(const char *heading)
{
	return strlen(heading) > 6 ? (int)strlen(heading) : 6;
}

/* The uses of issue slots, in the order of the statistics; NULL: the row has none. */
static json_t *slots_of(const json_t *row)
{
	return json_object_get(json_object_get(row, "figures"), "issue");
}

static void print_slots(json_t *headings, json_t *slots, FILE *out)
{
	const char *key;
	uint64_t all = 0;
	json_t *v;

	json_object_foreach(slots, key, v)
		all += (uint64_t)json_integer_value(v);
	json_object_foreach(headings, key, v) {
		if (slots)
			fprintf(out, "  %*.1f%%", width_of(key) - 1,
			        all ? 100.0 * (double)number(slots, key) / (double)all : 0);
		else
			fprintf(out, "  %*s", width_of(key), "-");
	}
}

/* The unit with the largest share of its edges in use, and that share. */
static const char *busiest(const json_t *row, double *share)
{
	const json_t *interval = json_object_get(row, "interval");
	json_t *units = json_object_get(json_object_get(interval ? interval : row, "rates"), UNITS), *v;
	const char *key, *name = "-";

	*share = 0;
	json_object_foreach(units, key, v)
		if (json_real_value(v) > *share) {
			*share = json_real_value(v);
			name = key;
		}
	return name;
}

/* Characters of the longest name of a busiest unit. */
static int width_of_units(const struct hd_json_rows *rows, size_t n)
{
	int width = (int)strlen("busiest unit") - 7;
	double share;

	for (size_t i = 0; i < n; i++) {
		json_t *row = rows->row(rows->arg, "kernels", i);
		int length = (int)strlen(busiest(row, &share));

		width = length > width ? length : width;
		json_decref(row);
	}
	return width;
}

/* Names come from files, and must not control the terminal. */
static void print_name(const char *name, FILE *out)
{
	while (*name) {
		size_t bytes = hd__control(name);

		fputc(bytes ? '?' : *name, out);
		name += bytes ? bytes : 1;
	}
}

static void print_energy(const json_t *energy, FILE *out)
{
	if (energy)
		fprintf(out, "  %10.2f  %7.2f", 1e6 * json_number_value(json_object_get(energy, "joules")),
		        json_number_value(json_object_get(energy, "mean_w")));
}

static void print_row(const json_t *row, json_t *headings, int unit, FILE *out)
{
	const char *name = json_string_value(json_object_get(row, "name"));
	const char *instance = json_string_value(json_object_get(row, "instance")), *busy;
	uint64_t cycles = number(row, "cycles"), n = number(row, "warp_instructions");
	double share;
	char text[32];

	fprintf(out, "%6" PRIu64 "  %14s", number(row, "id"), hd__grouped(cycles, text));
	fprintf(out, "  %14s  %6.3f", hd__grouped(n, text), cycles ? (double)n / (double)cycles : 0);
	print_slots(headings, slots_of(row), out);
	print_energy(json_object_get(row, "energy"), out);
	busy = busiest(row, &share);
	fprintf(out, "  %-*s %5.1f%%  ", unit, busy, 100 * share);
	print_name(name ? name : "?", out);
	if (instance)
		fprintf(out, " (%s)", instance);
	fputc('\n', out);
}

static void print_streams(json_t *streams, FILE *out)
{
	json_t *o;
	size_t i;

	fprintf(out, "\n%6s  %14s  %14s  %14s\n", "stream", "kernels", "instructions", "thread blocks");
	json_array_foreach(streams, i, o) {
		char text[3][32];

		fprintf(out, "%6" PRIu64 "  %14s  %14s  %14s\n", number(o, "stream"),
		        hd__grouped(number(o, "kernels"), text[0]),
		        hd__grouped(number(o, "warp_instructions"), text[1]),
		        hd__grouped(number(o, "thread_blocks"), text[2]));
	}
	fputs("kernels overlap: cycles are from the launch to the end of each, and do not add up; the busiest unit is\n"
	      "that of the interval since the kernel before it ended; all else is the kernel's own\n", out);
}

/* ---- the table ---- */

void hd__kernel_table(const json_t *statistics, const struct hd_json_rows *rows, FILE *out)
{
	size_t n = rows->count(rows->arg, "kernels");
	json_t *first = n ? rows->row(rows->arg, "kernels", 0) : NULL, *headings = slots_of(first), *v;
	uint64_t rest = number(json_object_get(statistics, "kernels_rest"), "rows");
	int unit = width_of_units(rows, n);
	const char *key;

	if (n == 0) {
		fputs("\nno kernel has ended\n", out);
		return;
	}
	fprintf(out, "\n%6s  %14s  %14s  %6s", "kernel", "cycles", "instructions", "IPC");
	json_object_foreach(headings, key, v)
		fprintf(out, "  %*s", width_of(key), key);
	if (json_object_get(first, "energy"))
		fprintf(out, "  %10s  %7s", "uJ", "W");
	fprintf(out, "  %-*s  name\n", unit + 7, "busiest unit");
	for (size_t i = 0; i < n; i++) {
		json_t *row = rows->row(rows->arg, "kernels", i);

		print_row(row, headings, unit, out);
		json_decref(row);
	}
	if (rest)
		fprintf(out, "the shares of the last %" PRIu64 " kernels are kept together only, see --stats\n",
		        rest);
	if (!headings)
		fputs("several dispatchers ran kernels at the same time: a kernel has no shares of its own\n", out);
	if (json_array_size(json_object_get(statistics, "streams")) > 0)
		print_streams(json_object_get(statistics, "streams"), out);
	json_decref(first);
}

/* ---- reasons ---- */

#define SHOWN 5 /* of a kernel */

/* The share of the reason with the next smaller share than that of `after`, or of the same and a later place. */
static const char *next_largest(json_t *reasons, const char *after)
{
	json_int_t most = after ? json_integer_value(json_object_get(reasons, after)) : INT64_MAX, best = 0;
	const char *name, *found = NULL;
	bool behind = !after;
	json_t *v;

	json_object_foreach(reasons, name, v) {
		json_int_t n = json_integer_value(v);

		if (n > best && (n < most || (n == most && behind))) {
			best = n;
			found = name;
		}
		behind = behind || strcmp(name, after) == 0;
	}
	return found;
}

static void print_reasons(const json_t *row, FILE *out)
{
	json_t *reasons = json_object_get(row, "reasons"), *v;
	const char *name;
	json_int_t all = 0;
	int shown = 0;

	json_object_foreach(reasons, name, v)
		all += json_integer_value(v);
	fprintf(out, "%6lld ", (long long)json_integer_value(json_object_get(row, "id")));
	name = NULL;
	while (shown < SHOWN && (name = next_largest(reasons, name))) {
		if (strcmp(name, "single") != 0 && strcmp(name, "dual") != 0)
			fprintf(out, "%s %s %.1f%%", shown++ ? "," : "", name,
			        100.0 * (double)json_integer_value(json_object_get(reasons, name)) / (double)all);
	}
	fputs(shown ? "\n" : " none\n", out);
}

void hd__reasons_table(const struct hd_json_rows *rows, FILE *out)
{
	size_t n = rows->count(rows->arg, "kernels");

	for (size_t i = 0; i < n; i++) {
		json_t *row = rows->row(rows->arg, "kernels", i);

		if (i == 0 && !json_object_get(row, "reasons"))
			n = 0;
		else if (i == 0)
			fprintf(out, "\nkernel  largest reasons for lost issue slots\n");
		if (n > 0)
			print_reasons(row, out);
		json_decref(row);
	}
}
