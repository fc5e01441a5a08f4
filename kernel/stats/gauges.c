/* gauges.c - queues whose fill is measured: channels of metered ports, and queues of instances
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "base/path.h"
#include "kernel/shard.h"
#include "stats.h"

#include <inttypes.h>
#include <stdlib.h>

static void add_queues(struct hd_sim *s, const struct hd_instance *in)
{
	for (const struct hd_queue *q = in->module->queues; q && q->name; q++) {
		char *state = in->state;

		s->gauges[s->ngauges++] = (struct hd_gauge){
			.now = &hd__clock_seen(in)->now, .meter = (void *)(state + q->offset),
			.name = hd__format("%s.%s", in->path, q->name), .unit = q->unit, .doc = q->doc,
			.capacity = q->capacity ? (void *)(state + q->capacity) : NULL,
		};
	}
}

/* Position of the channel among those of its array port, which bind_ends() has filled. */
static uint32_t index_of(const struct hd_channel *c)
{
	const struct hd_ends *e = (void *)((char *)c->to[0].instance->state + hd__read_at(c)->offset);
	uint32_t i = 0;

	while (i < e->n && e->v[i].ch != c->chan)
		i++;
	return i;
}

static void add_channel(struct hd_sim *s, const struct hd_channel *c)
{
	const struct hd_port *p = hd__read_at(c);
	const char *path = c->to[0].instance->path;

	s->gauges[s->ngauges++] = (struct hd_gauge){
		.now = &hd__clock_seen(c->to[0].instance)->now, .chan = c->chan, .capacity = &c->capacity,
		.name = p->flags & HD_ARRAY ? hd__format("%s.%s[%u]", path, p->name, index_of(c))
		                            : hd__format("%s.%s", path, p->name),
		.unit = "payloads", .doc = p->doc,
	};
}

static int compare(const void *va, const void *vb)
{
	return hd__path_order(((const struct hd_gauge *)va)->name, ((const struct hd_gauge *)vb)->name);
}

void hd__gauges_make(struct hd_sim *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->nchannels; i++)
		n += hd__metered(s->channels[i]);
	for (size_t i = 0; i < s->ninstances; i++)
		for (const struct hd_queue *q = s->instances[i].module->queues; q && q->name; q++)
			n++;
	s->gauges = hd__xcalloc(n, sizeof *s->gauges);
	for (size_t i = 0; i < s->ninstances; i++)
		if (s->instances[i].clock)
			add_queues(s, &s->instances[i]);
	for (size_t i = 0; i < s->nchannels; i++)
		if (hd__metered(s->channels[i]))
			add_channel(s, s->channels[i]);
	qsort(s->gauges, s->ngauges, sizeof *s->gauges, compare);
	for (size_t i = 0; i < s->ngauges; i++) {
		struct hd_gauge *g = &s->gauges[i];

		if (!g->chan)
			continue;
		g->meter = &g->own;
		g->chan->gauge = g;
		g->chan->flags |= HD_CHAN_METERED;
	}
}

void hd__gauges_settle(struct hd_sim *s)
{
	for (size_t i = 0; i < s->ngauges; i++)
		hd__meter_count(s->gauges[i].meter, hd__gauge_edges(&s->gauges[i]));
}

void hd__gauges_free(struct hd_sim *s)
{
	for (size_t i = 0; i < s->ngauges; i++)
		free(s->gauges[i].name);
	free(s->gauges);
}

/* ---- writing ---- */

/* To millionths; the sums of a checkpoint that was made up may be too large for them. */
static double rounded(double v)
{
	return v < 1e12 ? (double)(uint64_t)(v * 1e6 + 0.5) / 1e6 : v;
}

json_t *hd__gauge_json(uint64_t sum, uint64_t edges, uint32_t most)
{
	double mean = edges ? (double)sum / (double)edges : 0;

	return json_pack("{s:f, s:I}", "mean", rounded(mean), "most", (json_int_t)most);
}

json_t *hd__gauges_json(const struct hd_sim *s)
{
	json_t *all = json_object();

	for (size_t i = 0; i < s->ngauges; i++) {
		const struct hd_gauge *g = &s->gauges[i];
		json_t *o = hd__gauge_json(g->meter->sum, hd__gauge_edges(g), hd__gauge_most(g));

		json_object_set_new(o, "unit", json_string(g->unit));
		if (g->capacity && *g->capacity)
			json_object_set_new(o, "capacity", json_integer(*g->capacity));
		json_object_set_new_nocheck(all, g->name, o);
	}
	return all;
}

struct line {
	char *name;
	const char *unit;
	uint32_t n, most;
	uint64_t sum, edges;
	const uint32_t *capacity;
};

static void print_line(FILE *out, const struct line *l, int width)
{
	fprintf(out, "  %-*s x%-3" PRIu32 " %10.3f %10" PRIu32, width, l->name, l->n,
	        (double)l->sum / (double)l->edges, l->most);
	if (l->capacity && *l->capacity)
		fprintf(out, " %10" PRIu32, *l->capacity);
	fputc('\n', out);
}

/* Groups come in the order of their first members. */
static size_t group(const struct hd_sim *s, struct line *lines, int *width)
{
	json_t *places = json_object();
	size_t n = 0;

	for (size_t i = 0; i < s->ngauges; i++) {
		const struct hd_gauge *g = &s->gauges[i];
		char *name = hd__path_any_index(g->name);
		json_t *at = json_object_get(places, name);
		struct line *l = &lines[at ? (size_t)json_integer_value(at) : n];
		uint32_t most = hd__gauge_most(g);

		if (!at) {
			json_object_set_new(places, name, json_integer((json_int_t)n++));
			l->name = name;
			l->unit = g->unit;
			l->capacity = g->capacity;
			*width = (int)strlen(name) > *width ? (int)strlen(name) : *width;
		} else {
			free(name);
		}
		l->n++;
		l->most = most > l->most ? most : l->most;
		l->sum += g->meter->sum;
		l->edges += hd__gauge_edges(g);
	}
	json_decref(places);
	return n;
}

void hd__gauges_table(const struct hd_sim *s, FILE *out)
{
	struct line *v = hd__xcalloc(s->ngauges, sizeof *v);
	int width = 10;
	bool any = false;
	size_t n = group(s, v, &width);

	for (size_t i = 0; i < n; i++)
		any = any || v[i].most > 0;
	if (any)
		fprintf(out, "\n%-*s %15s %10s %10s\n", width + 2, "queues", "mean", "most", "capacity");
	for (size_t i = 0; i < n; i++) {
		if (v[i].most > 0)
			print_line(out, &v[i], width);
		free(v[i].name);
	}
	free(v);
}

json_t *hd__gauges_summary(const struct hd_sim *s)
{
	struct line *v = hd__xcalloc(s->ngauges, sizeof *v);
	json_t *all = json_object();
	size_t n = group(s, v, &(int){ 0 });

	for (size_t i = 0; i < n; i++) {
		json_t *o = json_pack("{s:I, s:s}", "most", (json_int_t)v[i].most, "unit", v[i].unit);
		json_t *mean = hd__gauge_json(v[i].sum, v[i].edges, v[i].most);

		if (v[i].capacity && *v[i].capacity)
			json_object_set_new(o, "capacity", json_integer(*v[i].capacity));
		json_object_update(o, mean);
		json_decref(mean);
		json_object_set_new_nocheck(all, v[i].name, o);
		free(v[i].name);
	}
	free(v);
	return all;
}
