/* dump_info.c - lists what is in a dump
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "writers.h"
#include "base/xalloc.h"

#include <inttypes.h>

static const char *word(const json_t *o, const char *name, const char *otherwise)
{
	const char *s = json_string_value(json_object_get(o, name));

	return s && *s ? s : otherwise;
}

static void print_run(const struct dump *d, FILE *out)
{
	const json_t *filter = json_object_get(d->meta, "filter"), *v;
	json_int_t sample = json_integer_value(json_object_get(d->meta, "sample"));
	size_t i;

	fprintf(out, "dump       %s, %" PRIu64 " bytes\n", d->path, d->size);
	fprintf(out, "heddle     %s\n", word(d->meta, "heddle", "?"));
	fprintf(out, "core       %s, %" PRIu32 " instances\n", word(d->meta, "core", "without a name"),
	        d->ninstances);
	fprintf(out, "input      %s\n", word(d->meta, "input", "?"));
	fputs("filter     ", out);
	json_array_foreach((json_t *)filter, i, v)
		fprintf(out, "%s%s", i ? ", " : "", json_string_value(v));
	fputs(json_array_size(filter) ? "\n" : "none\n", out);
	if (sample)
		fprintf(out, "sampled    every %" JSON_INTEGER_FORMAT " cycles of %s\n", sample,
		        word(d->meta, "cycle", "?"));
	if (!d->end) {
		fputs("run        its end is missing\n", out);
		return;
	}
	fprintf(out, "run        %s after %" JSON_INTEGER_FORMAT " cycles, %" JSON_INTEGER_FORMAT
	        " warp instructions\n", word(d->end, "status", "?"),
	        json_integer_value(json_object_get(d->end, "cycles")),
	        json_integer_value(json_object_get(d->end, "warp_instructions")));
	if (json_integer_value(json_object_get(d->end, "synthetic_control")))
		fprintf(out, "control    synthetic words of %" JSON_INTEGER_FORMAT " warp instructions\n",
		        json_integer_value(json_object_get(d->end, "synthetic_control")));
}

static void print_tables(const struct dump *d, FILE *out)
{
	fprintf(out, "\n%-20s %12s %12s %8s  %s\n", "table", "rows", "bytes", "per row", "fields");
	for (uint32_t t = 0; t < d->ntables; t++) {
		const struct dump_table *table = &d->tables[t];
		uint64_t bytes = 0;

		for (size_t i = 0; i < d->nblocks; i++)
			if (d->blocks[i].head.table == t)
				bytes += d->blocks[i].head.bytes + HD_BLOCK_HEAD;
		fprintf(out, "%-20s %12" PRIu64 " %12" PRIu64, table->name, table->rows, bytes);
		if (table->rows)
			fprintf(out, " %8.2f ", (double)bytes / (double)table->rows);
		else
			fprintf(out, " %8s ", "-");
		for (unsigned i = 0; i < table->n; i++)
			fprintf(out, " %s", table->fields[i].name);
		fputc('\n', out);
	}
}

static void print_kernels(const struct dump *d, FILE *out)
{
	bool first = true;

	for (uint32_t i = 0; i < d->nkernels; i++) {
		if (!d->kernels[i].name)
			continue;
		if (first)
			fputs("\nkernels\n", out);
		first = false;
		fprintf(out, "%6" PRIu32 "  %s\n", i, d->kernels[i].name);
	}
}

static void print_span(const struct dump *d, FILE *out)
{
	uint64_t first = UINT64_MAX, last = 0;

	for (size_t i = 0; i < d->nblocks; i++) {
		const struct hd_block_head *h = &d->blocks[i].head;

		first = h->first < first ? h->first : first;
		last = h->last > last ? h->last : last;
	}
	if (first <= last)
		fprintf(out, "rows       %zu blocks, cycles %" PRIu64 " to %" PRIu64 "\n", d->nblocks, first,
		        last);
	if (d->damage)
		fprintf(out, "damage     %s\n", d->damage);
}

bool dump_info(struct dump *d, const struct dump_query *q, FILE *out)
{
	(void)q;
	print_run(d, out);
	print_span(d, out);
	print_tables(d, out);
	print_kernels(d, out);
	return true;
}
