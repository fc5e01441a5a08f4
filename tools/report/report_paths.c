/* report_paths.c - the paths of single instructions through the core, as many as the page may hold
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * An instruction is a few bytes, which docs/report.md describes.  Most take the same few paths, so places
 * stand in a list of paths once.
 */
#include "report.h"
#include "base/xalloc.h"

#include <inttypes.h>

#define MOST_INSTRUCTIONS 24000u /* of all runs together */
#define MOST_BYTES (1u << 20)    /* of all runs together, before they become text */
#define MOST_STEPS 200u

struct report_paths {
	struct report *r;
	uint64_t from, last;         /* last: cycle in which the latest began */
	uint64_t n, bytes_left;
	bool full;
	uint32_t code;               /* of the latest */
	struct report_names paths, warps;
	uint32_t *place;             /* by place of the dump: that of the page, + 1 */
	json_t *places, *out_paths, *out_warps;
	struct hd_bytes bytes;
};

struct report_paths *report_paths_open(struct report *r, uint64_t from)
{
	struct report_paths *w = hd__xcalloc(1, sizeof *w);

	w->r = r;
	w->from = w->last = from;
	w->bytes_left = MOST_BYTES / r->opt->runs;
	w->place = hd__xcalloc(r->d->nplaces, sizeof *w->place);
	w->places = json_array();
	w->out_paths = json_array();
	w->out_warps = json_array();
	return w;
}

static uint32_t place_of(struct report_paths *w, uint32_t place)
{
	const struct dump_place *p = &w->r->d->places[place];

	if (!w->place[place]) {
		json_t *o = json_pack("{s:o, s:o, s:b, s:b}", "name", report_text(p->name), "doc", report_text(
			p->kind == DUMP_CHANNEL ? "waits there to be taken" : p->doc), "inside",
			p->kind == DUMP_AT, "waits", p->kind == DUMP_CHANNEL);

		if (p->kind == DUMP_MARK && p->arg)
			json_object_set_new(o, "arg", report_text(dump_is_register(p) ? "register" : p->arg));
		json_array_append_new(w->places, o);
		w->place[place] = (uint32_t)json_array_size(w->places);
	}
	return w->place[place] - 1;
}

/* The number of the path; steps of no cycles are in it, too. */
static uint32_t path_of(struct report_paths *w, const struct dump_transaction *t)
{
	json_t *list = json_array();
	uint32_t number;
	size_t before = w->paths.n;
	char *key;

	for (uint32_t i = 0; i < t->n; i++)
		json_array_append_new(list, json_integer(place_of(w, t->steps[i].place)));
	key = json_dumps(list, JSON_COMPACT);
	number = report_name(&w->paths, key ? key : "");
	if (w->paths.n > before)
		json_array_append(w->out_paths, list);
	json_decref(list);
	free(key);
	return number;
}

static uint32_t warp_of(struct report_paths *w, const struct dump_item *item)
{
	const struct dump_known *k = &w->r->known;
	const char *core = k->cores->paths[dump_core_of_item(k, item)];
	json_int_t warp = item->rows->field[k->warp][item->row];
	char *key = hd__format("%s %" JSON_INTEGER_FORMAT, core, warp);
	size_t before = w->warps.n;
	uint32_t number = report_name(&w->warps, key);

	if (w->warps.n > before)
		json_array_append_new(w->out_warps, json_pack("{s:o, s:I}", "core", report_text(core), "warp", warp));
	free(key);
	return number;
}

void report_paths_add(struct report_paths *w, const struct dump_item *item)
{
	const struct dump_transaction *t = item->transaction;
	uint32_t code;

	if (w->full || t->begin < w->from || t->n == 0 || t->n > MOST_STEPS)
		return;
	if (w->n >= MOST_INSTRUCTIONS / w->r->opt->runs || w->bytes.n + 4000 > w->bytes_left) {
		w->full = true;
		return;
	}
	code = report_page_code(w->r, (uint32_t)item->rows->field[w->r->known.code][item->row]);
	hd__bytes_varint(&w->bytes, warp_of(w, item));
	report_put_difference(&w->bytes, w->code, code);
	hd__bytes_varint(&w->bytes, t->begin - w->last);
	hd__bytes_varint(&w->bytes, path_of(w, t));
	for (uint32_t i = 0; i < t->n; i++) {
		const struct dump_step *s = &t->steps[i];
		uint64_t end = i + 1 < t->n ? s[1].cycle : t->end;

		hd__bytes_varint(&w->bytes, end > s->cycle ? end - s->cycle : 0);
		if (json_object_get(json_array_get(w->places, place_of(w, s->place)), "arg"))
			hd__bytes_varint(&w->bytes, s->arg > 0 ? (uint64_t)s->arg : 0);
	}
	w->code = code;
	w->last = t->begin;
	w->n++;
}

void report_paths_close(struct report_paths *w)
{
	if (!w)
		return;
	if (w->n)
		json_object_set_new(w->r->out, "ways", json_pack("{s:I, s:I, s:I, s:O, s:O, s:O, s:o}", "from",
			(json_int_t)w->from, "to", (json_int_t)(w->full ? w->last : w->r->cycles), "n",
			(json_int_t)w->n, "places", w->places, "paths", w->out_paths, "warps", w->out_warps,
			"bytes", report_base64(w->bytes.v, w->bytes.n)));
	json_decref(w->places);
	json_decref(w->out_paths);
	json_decref(w->out_warps);
	report_names_free(&w->paths);
	report_names_free(&w->warps);
	free(w->place);
	free(w->bytes.v);
	free(w);
}
