/* report_stages.c - where the instructions of each warp were, by bins of time, for the page's rows of warps
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The paths of single instructions end where the page is full; this is of the whole run.  A bin has the share of each
 * place, in fifteenths, of the instructions that the warp had in flight; equal bins that follow each other are one
 * entry, which docs/report.md describes.
 */
#include "report.h"
#include "base/xalloc.h"

#define MOST_CELLS (12u << 20) /* warps x bins x places, of all runs together */
#define MOST_OPEN MOST_CELLS   /* cells of open bins at a time, of one run: a damaged file must not fill memory */
#define MOST_BINS 6000u        /* of one warp, of all runs together */
#define LEAST_BINS 60u
#define WARPS 64u              /* of a core, as a guess */
#define PARTS 15u

struct report_stages {
	struct report *r;
	struct report_bins bins;
	size_t width;    /* arrays of a bin */
	size_t open;     /* cells of open bins */
	struct dump_warps rows; /* of struct row */
	struct hd_bytes one; /* of write_bin() */
	json_t *out;
};

/* Instructions come in the order in which they begin, so the bins before that of the latest are
 * final: they are entries. */
struct row {
	uint32_t *v;      /* cycles by bin, from `first` on, and array of places */
	uint32_t first, n, cap; /* bins; those after the last are empty */
	struct hd_bytes bytes, last; /* entries; the bin before `first`, */
	uint64_t times;   /* so often in a row */
};

struct report_stages *report_stages_open(struct report *r)
{
	struct report_stages *s = hd__xcalloc(1, sizeof *s);
	size_t cells, most;

	s->r = r;
	s->out = json_array();
	s->width = r->narrays ? r->narrays : 1;
	cells = (size_t)r->known.cores->n * WARPS * s->width * r->opt->runs;
	most = MOST_CELLS / (cells ? cells : 1);
	most = most < LEAST_BINS ? LEAST_BINS : most > MOST_BINS / r->opt->runs ? MOST_BINS / r->opt->runs : most;
	s->bins = report_bins(r->cycles, report_width(r->cycles, (uint32_t)most));
	dump_warps_init(&s->rows, r->known.cores->n, sizeof(struct row));
	return s;
}

/* Bins `first` to `last` of the row are open from then on.  Returns false if there is no room. */
static bool open_bins(struct report_stages *s, struct row *row, uint64_t last)
{
	uint32_t n = (uint32_t)(last - row->first) + 1;

	if (n <= row->n)
		return true;
	if (n > row->cap) {
		uint32_t cap = n + n / 2;

		if (s->open + (size_t)(cap - row->cap) * s->width > MOST_OPEN)
			return false;
		s->open += (size_t)(cap - row->cap) * s->width;
		row->v = hd__xrealloc(row->v, (size_t)cap * s->width * sizeof *row->v);
		row->cap = cap;
	}
	memset(&row->v[row->n * s->width], 0, (size_t)(n - row->n) * s->width * sizeof *row->v);
	row->n = n;
	return true;
}

static void spread(struct report_stages *s, struct row *row, uint32_t array, uint64_t from, uint64_t to)
{
	while (from < to && from / s->bins.width < s->bins.n) {
		uint64_t bin = from / s->bins.width, next = (bin + 1) * s->bins.width;

		next = next < to ? next : to;
		if (bin >= row->first && open_bins(s, row, bin))
			row->v[(bin - row->first) * s->width + array] += (uint32_t)(next - from);
		from = next;
	}
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

static void end_entry(struct row *row)
{
	if (!row->times)
		return;
	hd__bytes_varint(&row->bytes, row->times);
	hd__bytes_append(&row->bytes, row->last.v, row->last.n);
	row->times = 0;
}

/* The next `times` bins have these cycles by array; NULL: none. */
static void enter(struct report_stages *s, struct row *row, const uint32_t *v, uint64_t times)
{
	s->one.n = 0;
	if (v)
		write_bin(&s->one, v, s->width);
	else
		hd__bytes_varint(&s->one, 0);
	if (row->times && (s->one.n != row->last.n || memcmp(s->one.v, row->last.v, s->one.n) != 0))
		end_entry(row);
	row->last.n = 0;
	hd__bytes_append(&row->last, s->one.v, s->one.n);
	row->times += times;
}

/* Makes entries of the bins before `bin`. */
static void close_bins(struct report_stages *s, struct row *row, uint64_t bin)
{
	uint32_t n = bin - row->first < row->n ? (uint32_t)(bin - row->first) : row->n;

	for (uint32_t i = 0; i < n; i++)
		enter(s, row, &row->v[i * s->width], 1);
	row->n -= n;
	if (n && row->n)
		memmove(row->v, &row->v[n * s->width], (size_t)row->n * s->width * sizeof *row->v);
	row->first += n;
	if (row->first < bin)
		enter(s, row, NULL, bin - row->first);
	row->first = (uint32_t)bin;
}

void report_stages_add(struct report_stages *s, const struct dump_item *item)
{
	const struct dump_known *k = &s->r->known;
	const struct dump_transaction *t = item->transaction;
	struct row *row = dump_warp_make(&s->rows, dump_core_of_item(k, item),
	                                 item->rows->field[k->warp][item->row]);
	uint64_t bin = t->begin / s->bins.width;

	if (!row || !s->bins.n)
		return;
	if (bin > row->first)
		close_bins(s, row, bin < s->bins.n ? bin : s->bins.n);
	for (uint32_t i = 0; i < t->n; i++)
		spread(s, row, s->r->array_of_place[t->steps[i].place], t->steps[i].cycle,
		       t->steps[i].cycle + t->steps[i].cycles);
}

static void append_row(void *arg, uint32_t core, uint32_t warp, void *element)
{
	struct report_stages *s = arg;
	struct row *row = element;

	close_bins(s, row, s->bins.n);
	end_entry(row);
	json_array_append_new(s->out, json_pack("{s:o, s:i, s:o}", "core",
		report_text(s->r->known.cores->paths[core]), "warp", (int)warp, "bytes",
		report_base64(row->bytes.v, row->bytes.n)));
	free(row->bytes.v);
	free(row->last.v);
	free(row->v);
}

static json_t *places(const struct report *r)
{
	json_t *out = json_array();

	for (uint32_t i = 0; i < r->d->nplaces; i++)
		if (r->array_of_place[i] == json_array_size(out))
			json_array_append_new(out, json_pack("{s:s, s:b}", "name", r->arrays.v[r->array_of_place[i]],
				"waits", r->d->places[i].kind == DUMP_CHANNEL));
	return out;
}

void report_stages_close(struct report_stages *s)
{
	if (!s)
		return;
	dump_warps_each(&s->rows, append_row, s);
	if (json_array_size(s->out))
		json_object_set_new(s->r->out, "stages", json_pack("{s:I, s:I, s:o, s:O}", "width",
			(json_int_t)s->bins.width, "bins", (json_int_t)s->bins.n, "places",
			places(s->r), "rows", s->out));
	json_decref(s->out);
	dump_warps_free(&s->rows);
	free(s->one.v);
	free(s);
}
