/* report_stages.c - where the instructions of each warp were, by bins of time, for the page's rows of warps
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The ways of single instructions end where the page is full; this is of the whole run.  A bin has the share of each place,
 * in fifteenths, of the instructions that the warp had in flight; equal bins that follow each other are one entry, which
 * docs/report.md describes.
 */
#include "report.h"
#include "kernel/base/bytes.h"
#include "kernel/base/path.h"
#include "kernel/base/xalloc.h"

#define MOST_CELLS (12u << 20) /* warps x bins x places, of all runs together */
#define MOST_LEFT ((size_t)MOST_CELLS * 4)
#define MOST_BINS 6000u        /* of one warp, the same */
#define LEAST_BINS 60u
#define WARPS 64u              /* of a core, as a guess */
#define PARTS 15u

struct report_stages {
	struct report *r;
	struct report_bins bins;
	uint32_t *group; /* by place: its group, + 1 */
	struct report_names groups;
	json_t *places;
	size_t width;    /* groups of a bin */
	size_t left;     /* cells that rows may still take: a damaged file must not fill memory */
	struct dump_warps rows; /* of struct row */
	json_t *out;
};

struct row {
	uint32_t *v; /* cycles by bin and group */
};

struct report_stages *report_stages_open(struct report *r)
{
	struct report_stages *s = hd__xcalloc(1, sizeof *s);
	size_t cells, most;

	s->r = r;
	s->group = hd__xcalloc(r->d->nplaces, sizeof *s->group);
	s->places = json_array();
	s->out = json_array();
	for (uint32_t i = 0; i < r->d->nplaces; i++) {
		const struct dump_place *p = &r->d->places[i];
		char *name = hd__path_without_indices(p->name);
		size_t before = s->groups.n;

		s->group[i] = report_name(&s->groups, name);
		if (s->groups.n > before)
			json_array_append_new(s->places, json_pack("{s:s, s:b}", "name", name, "waits",
				p->kind == DUMP_CHANNEL));
		free(name);
	}
	s->width = s->groups.n ? s->groups.n : 1;
	cells = (size_t)r->known.cores->n * WARPS * s->width * r->opt->runs;
	most = MOST_CELLS / (cells ? cells : 1);
	most = most < LEAST_BINS ? LEAST_BINS : most > MOST_BINS / r->opt->runs ? MOST_BINS / r->opt->runs : most;
	s->bins = report_bins(r->cycles, report_width(r->cycles, (uint32_t)most));
	s->left = MOST_LEFT;
	dump_warps_init(&s->rows, r->known.cores->n, sizeof(struct row));
	return s;
}

static void spread(struct report_stages *s, struct row *row, uint32_t group, uint64_t from, uint64_t to)
{
	while (from < to && from / s->bins.width < s->bins.n) {
		uint64_t bin = from / s->bins.width, next = (bin + 1) * s->bins.width;

		next = next < to ? next : to;
		row->v[bin * s->width + group] += (uint32_t)(next - from);
		from = next;
	}
}

void report_stages_add(struct report_stages *s, const struct dump_item *item)
{
	const struct dump_known *k = &s->r->known;
	const struct dump_transaction *t = item->transaction;
	struct row *row = dump_warp_make(&s->rows, dump_core_of_item(k, item),
	                                 item->rows->field[k->warp][item->row]);

	if (!row || !s->bins.n)
		return;
	if (!row->v && s->left < s->bins.n * s->width)
		return;
	if (!row->v) {
		s->left -= s->bins.n * s->width;
		row->v = hd__xcalloc((size_t)s->bins.n * s->width, sizeof *row->v);
	}
	for (uint32_t i = 0; i < t->n; i++)
		spread(s, row, s->group[t->steps[i].place], t->steps[i].cycle, t->steps[i].cycle + t->steps[i].cycles);
}

/* The shares of a bin; those that are too small are left out, but the largest. */
static void write_bin(struct hd_bytes *b, const uint32_t *v, size_t n)
{
	uint64_t total = 0;
	size_t most = 0, kept = 0;

	for (size_t g = 0; g < n; g++) {
		total += v[g];
		most = v[g] > v[most] ? g : most;
	}
	for (size_t g = 0; g < n; g++)
		kept += total && ((uint64_t)v[g] * PARTS / total || g == most);
	hd__bytes_varint(b, kept);
	for (size_t g = 0; g < n && total; g++) {
		uint64_t part = (uint64_t)v[g] * PARTS / total;

		if (!part && g != most)
			continue;
		hd__bytes_varint(b, g);
		hd__bytes_varint(b, part ? part : 1);
	}
}

static void append_row(void *arg, uint32_t core, uint32_t warp, void *element)
{
	struct report_stages *s = arg;
	struct row *row = element;
	struct hd_bytes bytes = { .v = NULL }, one = { .v = NULL }, last = { .v = NULL };
	uint64_t times = 0;
	char *text;

	for (uint32_t i = 0; row->v && i <= s->bins.n; i++) {
		one.n = 0;
		if (i < s->bins.n)
			write_bin(&one, &row->v[i * s->width], s->width);
		if (times && (i == s->bins.n || one.n != last.n || memcmp(one.v, last.v, one.n) != 0)) {
			hd__bytes_varint(&bytes, times);
			hd__bytes_append(&bytes, last.v, last.n);
			times = 0;
		}
		last.n = 0;
		hd__bytes_append(&last, one.v, one.n);
		times++;
	}
	text = report_base64(bytes.v, bytes.n);
	json_array_append_new(s->out, json_pack("{s:o, s:i, s:s}", "core",
		report_text(s->r->known.cores->paths[core]), "warp", (int)warp, "bytes", text));
	free(text);
	free(bytes.v);
	free(one.v);
	free(last.v);
	free(row->v);
}

void report_stages_close(struct report_stages *s)
{
	if (!s)
		return;
	dump_warps_each(&s->rows, append_row, s);
	if (json_array_size(s->out))
		json_object_set_new(s->r->out, "stages", json_pack("{s:I, s:I, s:O, s:O}", "width",
			(json_int_t)s->bins.width, "bins", (json_int_t)s->bins.n, "places", s->places, "rows", s->out));
	json_decref(s->places);
	json_decref(s->out);
	dump_warps_free(&s->rows);
	report_names_free(&s->groups);
	free(s->group);
	free(s);
}
