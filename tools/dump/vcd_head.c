/* vcd_head.c - the signals, and the head of the file that declares them
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "vcd.h"
#include "base/xalloc.h"

#include <inttypes.h>

#define COUNT_BITS 16u /* of a number of instructions in one place */

/* ---- signals that occur ---- */

struct occurs {
	bool *places, *counters;
	bool **states; /* by table and instance */
};

static int reason_field(const struct dump_table *t)
{
	for (unsigned k = 0; t->kind == HD_TABLE_EVENTS && k < t->n; k++)
		if (t->fields[k].names && strcmp(t->fields[k].names, "reason") == 0)
			return (int)k;
	return -1;
}

static void note_rows(struct occurs *o, const struct dump *d, const struct dump_rows *r)
{
	uint32_t table = (uint32_t)(r->table - d->tables);

	for (uint32_t i = 0; i < r->nnodes; i++)
		o->places[r->place[i]] = true;
	if (r->table->kind == HD_TABLE_TRANSACTIONS)
		return;
	for (uint32_t i = 0; i < r->n; i++)
		if (r->table->kind == HD_TABLE_SAMPLES)
			o->counters[r->who[i]] = true;
		else if (o->states[table])
			o->states[table][r->who[i]] = true;
}

/* An instance that marks records that it takes is a place as well (stages.h). */
static void note_insides(struct occurs *o, const struct dump_stage_view *p)
{
	const struct dump *d = p->dump;
	bool *takes = hd__xcalloc(d->ninstances, sizeof *takes); /* by array: has a channel that occurs */

	for (uint32_t i = 0; i < d->nplaces; i++)
		if (o->places[i] && d->places[i].kind == DUMP_CHANNEL
		    && d->places[i].instance < d->ninstances)
			takes[p->array[d->places[i].instance]] = true;
	for (uint32_t i = 0; i < d->nplaces; i++) {
		uint32_t who = d->places[i].instance;

		if (o->places[i] && d->places[i].kind == DUMP_MARK && who < d->ninstances
		    && p->inside[who] != UINT32_MAX && takes[p->array[who]])
			o->places[p->inside[who]] = true;
	}
	free(takes);
}

static void look(struct occurs *o, struct dump *d, const struct dump_query *q,
                 const struct dump_stage_view *p, const struct vcd_signals *s)
{
	o->places = hd__xcalloc(d->nplaces, sizeof *o->places);
	o->counters = hd__xcalloc(d->ncounters, sizeof *o->counters);
	o->states = hd__xcalloc(d->ntables, sizeof *o->states);
	for (uint32_t i = 0; i < d->ntables; i++)
		if (s->reasons[i] >= 0)
			o->states[i] = hd__xcalloc(d->ninstances, sizeof *o->states[i]);
	for (size_t i = 0; i < d->nblocks; i++) {
		const struct dump_table *t = &d->tables[d->blocks[i].head.table];
		struct dump_rows r;

		if (!dump_query_block(q, d, i)
		    || (t->kind == HD_TABLE_TRANSACTIONS && strcmp(t->name, "inst") != 0)
		    || !dump_rows(d, i, &r))
			continue;
		note_rows(o, d, &r);
		dump_rows_free(&r);
	}
	note_insides(o, p);
}

/* ---- signals ---- */

static void make_id(char id[8], size_t n)
{
	do
		*id++ = (char)('!' + n % 94);
	while (n /= 94);
	*id = '\0';
}

static size_t add(struct vcd_signals *s, uint32_t instance, char *name, unsigned bits)
{
	struct vcd_signal *v;

	s->v = hd__xgrow(s->v, s->n, &s->cap, sizeof *s->v);
	v = &s->v[s->n];
	*v = (struct vcd_signal){ .instance = instance, .name = name, .bits = bits, .word = "-" };
	make_id(v->id, s->n);
	/* brackets would select bits */
	for (char *c = name; *c; c++)
		if (*c == '[' || *c == ']' || (unsigned char)*c <= ' ')
			*c = '_';
	while (*name && name[strlen(name) - 1] == '_')
		name[strlen(name) - 1] = '\0';
	return s->n++;
}

static void add_place(struct vcd_signals *s, const struct dump *d, uint32_t place)
{
	const struct dump_place *p = &d->places[place];
	const char *path = p->instance < d->ninstances ? d->instances[p->instance].path : "";
	size_t n = strlen(path);
	char *name;

	if (p->kind == DUMP_AT)
		name = hd__xstrdup("inside");
	else if (p->kind == DUMP_MARK)
		name = hd__format("at_%s", p->mark);
	else if (strncmp(p->name, path, n) == 0 && p->name[n] == '.')
		name = hd__xstrdup(p->name + n + 1); /* with its index */
	else
		name = hd__xstrdup(p->name);
	s->places[place] = add(s, p->instance, name, COUNT_BITS);
}

/* Numbers of things by the instance that they belong to; behind the last one those of none. */
struct index {
	uint32_t *first, *v; /* v[first[i]] to v[first[i + 1] - 1] are of instance i */
};

static struct index make_index(uint32_t ninstances, uint32_t n, const uint32_t *instance, size_t step)
{
	struct index x = { hd__xcalloc(ninstances + 2, sizeof *x.first), hd__xcalloc(n, sizeof *x.v) };

	for (int fill = 0; n && fill < 2; fill++) {
		for (uint32_t i = 0; i < n; i++) {
			uint32_t who = *(const uint32_t *)((const char *)instance + i * step);
			uint32_t *first = &x.first[who < ninstances ? who : ninstances];

			if (fill)
				x.v[(*first)++] = i;
			else
				first[1]++;
		}
		for (uint32_t i = 0; !fill && i <= ninstances; i++)
			x.first[i + 1] += x.first[i];
	}
	memmove(x.first + 1, x.first, (ninstances + 1) * sizeof *x.first);
	x.first[0] = 0;
	return x;
}

static void free_index(struct index *x)
{
	free(x->first);
	free(x->v);
}

static void add_instance(struct vcd_signals *s, const struct dump *d, const struct occurs *o,
                         const struct index *places, const struct index *counters,
                         uint32_t instance)
{
	uint32_t at = instance < d->ninstances ? instance : d->ninstances;

	for (uint32_t i = 0; i < d->ntables; i++)
		if (o->states[i] && instance < d->ninstances && o->states[i][instance]) {
			const char *dot = strrchr(d->tables[i].name, '.');

			s->states[i][instance] = add(s, instance, hd__xstrdup(dot ? dot + 1
				: d->tables[i].name), 0);
		}
	for (uint32_t k = places->first[at]; k < places->first[at + 1]; k++) {
		uint32_t i = places->v[k];

		if (o->places[i] && d->places[i].instance == instance)
			add_place(s, d, i);
	}
	for (uint32_t k = counters->first[at]; k < counters->first[at + 1]; k++) {
		uint32_t i = counters->v[k];

		if (o->counters[i] && d->counters[i].instance == instance)
			s->counters[i] = add(s, instance, hd__format("stat_%s", d->counters[i].name), 64);
	}
}

static size_t *no_signals(size_t n)
{
	size_t *v = hd__xcalloc(n, sizeof *v);

	for (size_t i = 0; i < n; i++)
		v[i] = SIZE_MAX;
	return v;
}

struct vcd_signals *vcd_signals_new(struct dump *d, const struct dump_query *q,
                                    const struct dump_stage_view *p)
{
	struct vcd_signals *s = hd__xcalloc(1, sizeof *s);
	struct index places, counters;
	struct occurs o;

	s->places = no_signals(d->nplaces);
	s->counters = no_signals(d->ncounters);
	s->states = hd__xcalloc(d->ntables, sizeof *s->states);
	s->reasons = hd__xcalloc(d->ntables, sizeof *s->reasons);
	for (uint32_t i = 0; i < d->ntables; i++) {
		s->reasons[i] = reason_field(&d->tables[i]);
		if (s->reasons[i] >= 0)
			s->states[i] = no_signals(d->ninstances);
	}
	look(&o, d, q, p, s);
	s->cycle = add(s, UINT32_MAX, hd__xstrdup("cycle"), 64);
	places = make_index(d->ninstances, d->nplaces, d->nplaces ? &d->places->instance : NULL,
	                    sizeof *d->places);
	counters = make_index(d->ninstances, d->ncounters,
	                      d->ncounters ? &d->counters->instance : NULL, sizeof *d->counters);
	add_instance(s, d, &o, &places, &counters, UINT32_MAX);
	for (uint32_t i = 0; i < d->ninstances; i++)
		add_instance(s, d, &o, &places, &counters, i);
	free_index(&places);
	free_index(&counters);
	for (uint32_t i = 0; i < d->ntables; i++)
		free(o.states[i]);
	free(o.states);
	free(o.places);
	free(o.counters);
	return s;
}

void vcd_signals_free(struct vcd_signals *s, const struct dump *d)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->v[i].name);
	for (uint32_t i = 0; i < d->ntables; i++)
		free(s->states[i]);
	free(s->v);
	free(s->places);
	free(s->states);
	free(s->counters);
	free(s->reasons);
	free(s);
}

/* ---- the head ---- */

/* Length of the common scopes of two paths. */
static size_t common(const char *a, const char *b)
{
	size_t n = 0, i;

	for (i = 0; a[i] && a[i] == b[i]; i++)
		if (a[i] == '.')
			n = i + 1;
	if ((a[i] == '\0' && (b[i] == '.' || b[i] == '\0')) || (b[i] == '\0' && a[i] == '.'))
		n = i;
	return n;
}

/* Leaves the scopes of `from` and enters those of `to`. */
static void change_scope(struct dump_out *o, const char *from, const char *to)
{
	size_t same = common(from, to);
	const char *c;

	if (from[same])
		dump_put(o, "$upscope $end\n");
	for (c = from + same + (from[same] == '.'); *c; c++)
		if (*c == '.')
			dump_put(o, "$upscope $end\n");
	for (c = to + same + (to[same] == '.'); *c;) {
		size_t n = strcspn(c, ".");

		dump_put(o, "$scope module ");
		dump_put_bytes(o, c, n);
		dump_put(o, " $end\n");
		c += n + (c[n] == '.');
	}
}

static void put_signal(struct dump_out *o, const struct vcd_signal *v)
{
	dump_put(o, v->bits ? "$var wire " : "$var string ");
	dump_put_number(o, v->bits ? v->bits : 1);
	dump_put_char(o, ' ');
	dump_put(o, v->id);
	dump_put_char(o, ' ');
	dump_put(o, v->name);
	dump_put(o, " $end\n");
}

void vcd_head(struct dump_out *o, const struct dump *d, const struct vcd_signals *s,
              const char *unit)
{
	const char *core = json_string_value(json_object_get(d->meta, "core")), *path = "";
	const char *made = json_string_value(json_object_get(d->meta, "heddle"));

	dump_put(o, "$version heddle ");
	dump_put(o, made ? made : "?");
	dump_put(o, " $end\n$timescale ");
	dump_put(o, unit);
	dump_put(o, " $end\n$scope module ");
	dump_put(o, core && *core && !strpbrk(core, " \t\n$") ? core : "core");
	dump_put(o, " $end\n");
	for (size_t i = 0; i < s->n; i++) {
		const struct vcd_signal *v = &s->v[i];
		const char *next = v->instance < d->ninstances ? d->instances[v->instance].path : "";

		change_scope(o, path, next);
		path = next;
		put_signal(o, v);
	}
	change_scope(o, path, "");
	dump_put(o, "$upscope $end\n$enddefinitions $end\n");
}
