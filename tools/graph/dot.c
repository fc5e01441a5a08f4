/* dot.c - writes a drawing in graphviz's language, whose programs lay it out again
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Boxes that no line touches are named in a table below the drawing.  With .fold, what is only called and has
 * lines to one other box is written into that one; without lines, into the box that calls it first, unless most
 * call it.
 */
#include "model.h"
#include "box_names.h"

struct dot {
	const struct drawing *d;
	FILE *out;
	const char **clocks; /* names, in the order of the instances */
	uint32_t nclocks;
	uint32_t *home;      /* by box: the one that it is written in, NONE: the table */
};

static const char *const fills[] = { "#dbe9f6", "#fde5cc", "#dcf0d8", "#e8dff2", "#f9d9d9", "#e0f2f1", "#f3edc6",
	                             "#eceff1" };

static const char *fill(const struct dot *g, const struct box *b)
{
	uint32_t i = 0;

	while (!b->first->called && i < g->nclocks && b->first->clock && strcmp(g->clocks[i], b->first->clock) != 0)
		i++;
	return b->first->called ? "#ffffff" : fills[i % (sizeof fills / sizeof *fills)];
}

static void find_clocks(struct dot *g)
{
	for (size_t i = 0; i < g->d->p->ninstances; i++) {
		const struct instance *in = &g->d->p->instances[i];
		uint32_t k = 0;

		while (k < g->nclocks && in->clock && strcmp(g->clocks[k], in->clock) != 0)
			k++;
		if (k < g->nclocks || !in->clock || in->called)
			continue;
		g->clocks = hd__xappend(g->clocks, g->nclocks, sizeof *g->clocks);
		g->clocks[g->nclocks++] = in->clock;
	}
}

/* ---- boxes that are written into others ----------------------------------------------------- */

/* The box that calls box i first, i if none does; NONE: the callers are more than half of the processes. */
static uint32_t first_caller(const struct drawing *d, uint32_t i, uint32_t processes, uint32_t *seen)
{
	uint32_t first = NONE, callers = 0;

	for (size_t k = 0; k < d->p->nlinks; k++) {
		const struct hd_picture_link *l = &d->p->links[k];
		uint32_t from = d->box_of[l->from];

		if (!l->call || d->box_of[l->to] != i || from == i || seen[from] == i + 1)
			continue;
		seen[from] = i + 1;
		callers++;
		first = first == NONE ? from : first;
	}
	return callers == 0 ? i : callers > processes / 2 ? NONE : first;
}

/* The only other box that lines join with box i; i if there are several. */
static uint32_t only_neighbour(const struct drawing *d, uint32_t i)
{
	uint32_t found = i;

	for (uint32_t k = 0; k < d->nlines; k++) {
		const struct line *l = &d->lines[k];
		uint32_t other = l->from == i ? l->to : l->from;

		if ((l->from != i && l->to != i) || other == found || other == i)
			continue;
		if (found != i)
			return i;
		found = other;
	}
	return found;
}

static void find_homes(struct dot *g)
{
	const struct drawing *d = g->d;
	uint32_t *seen = hd__xcalloc(d->nboxes, sizeof *seen), processes = 0;

	g->home = hd__xcalloc(d->nboxes, sizeof *g->home);
	for (uint32_t i = 0; i < d->nboxes; i++)
		processes += !d->boxes[i].first->called;
	for (uint32_t i = 0; i < d->nboxes; i++) {
		const struct box *b = &d->boxes[i];

		if (!d->o->fold)
			g->home[i] = b->aside ? NONE : i;
		else if (!b->first->called)
			g->home[i] = i;
		else
			g->home[i] = b->aside ? first_caller(d, i, processes, seen) : only_neighbour(d, i);
	}
	for (uint32_t i = 0; i < d->nboxes; i++)
		for (uint32_t n = 0; g->home[i] != NONE && g->home[g->home[i]] != g->home[i]; n++)
			g->home[i] = n < d->nboxes ? g->home[g->home[i]] : i; /* they call each other in a circle */
	free(seen);
}

/* ---- boxes and frames ----------------------------------------------------------------------- */

static void put_name(const struct dot *g, const struct box *b)
{
	fputs("<b>", g->out);
	hd__picture_put_text(hd__name_last(b->name), g->out);
	fputs("</b>", g->out);
}

static void put_box(const struct dot *g, uint32_t i)
{
	const struct box *b = &g->d->boxes[i];

	if (g->home[i] != i)
		return;
	fprintf(g->out, "\t\tn%u [fillcolor=\"%s\"%s label=<", i, fill(g, b),
	        b->first->called ? " style=\"filled,rounded,dashed\"" : "");
	put_name(g, b);
	fputs("<br/><font point-size=\"9\" color=\"#555555\">", g->out);
	hd__picture_put_text(b->first->module, g->out);
	fputs("</font>", g->out);
	for (uint32_t k = 0; k < g->d->nboxes; k++) {
		if (k == i || g->home[k] != i)
			continue;
		fputs("<br/><font point-size=\"10\">", g->out);
		put_name(g, &g->d->boxes[k]);
		fputs(" <font color=\"#555555\">", g->out);
		hd__picture_put_text(g->d->boxes[k].first->module, g->out);
		fputs("</font></font>", g->out);
	}
	fputs(">];\n", g->out);
}

static void open_frame(const struct dot *g, uint32_t number, const char *name)
{
	fprintf(g->out, "\tsubgraph cluster_%u {\n\t\tlabel=<", number);
	hd__picture_put_text(name, g->out);
	fputs(">;\n", g->out);
}

static void put_frame(const struct dot *g, uint32_t f)
{
	const struct drawing *d = g->d;

	if (f > 0)
		open_frame(g, f, d->frames[f].name);
	for (uint32_t i = 0; i < d->nboxes; i++)
		if (d->boxes[i].frame == f)
			put_box(g, i);
	for (uint32_t k = f + 1; k < d->nframes; k++)
		if (d->frames[k].parent == f)
			put_frame(g, k);
	if (f > 0)
		fputs("\t}\n", g->out);
}

/* The boxes of a clock, NULL: those that are only called. */
static void put_clock_frame(const struct dot *g, uint32_t number, const char *clock)
{
	if (clock)
		open_frame(g, number, clock);
	for (uint32_t i = 0; i < g->d->nboxes; i++) {
		const struct instance *in = g->d->boxes[i].first;
		const char *own = in->called ? NULL : in->clock;

		if (own == clock || (own && clock && strcmp(own, clock) == 0))
			put_box(g, i);
	}
	if (clock)
		fputs("\t}\n", g->out);
}

static void put_boxes(const struct dot *g)
{
	switch (g->d->o->frames) {
	case HD_FRAMES_PATH: put_frame(g, 0); break;
	case HD_FRAMES_CLOCK:
		for (uint32_t i = 0; i <= g->nclocks; i++)
			put_clock_frame(g, i, i < g->nclocks ? g->clocks[i] : NULL);
		break;
	case HD_FRAMES_NONE:
		for (uint32_t i = 0; i < g->d->nboxes; i++)
			put_box(g, i);
	}
}

/* ---- all of it ------------------------------------------------------------------------------ */

static void put_line(const struct dot *g, const struct line *l)
{
	char size[64];

	if (g->home[l->from] != l->from || g->home[l->to] != l->to)
		return;
	fprintf(g->out, "\tn%u -> n%u [%s", l->back ? l->to : l->from, l->back ? l->from : l->to,
	        l->back ? "dir=back " : "");
	if (l->link->call)
		fputs("style=dashed color=\"#777777\" arrowhead=vee arrowtail=vee ", g->out);
	fputs("label=<", g->out);
	hd__picture_put_text(l->link->type, g->out);
	if (!l->link->call)
		fputs(" &#183; ", g->out);
	if (!l->link->call && l->count > 1)
		fprintf(g->out, "%u &#215; ", l->count);
	fprintf(g->out, "%s>];\n", hd__picture_label(l, size, sizeof size));
}

static void put_table(const struct dot *g)
{
	unsigned n = 0;

	fputs("\tlegend [shape=plaintext style=\"\" fontsize=10 label=<<table border=\"0\" "
	      "cellborder=\"1\" cellspacing=\"0\" cellpadding=\"4\">\n", g->out);
	for (uint32_t i = 0; i < g->nclocks; i++) {
		fprintf(g->out, "<tr><td bgcolor=\"%s\"> clock <b>", fills[i % (sizeof fills / sizeof *fills)]);
		hd__picture_put_text(g->clocks[i], g->out);
		fputs("</b></td></tr>\n", g->out);
	}
	for (uint32_t i = 0; i < g->d->nboxes; i++) {
		if (g->home[i] != NONE)
			continue;
		fputs(n == 0 ? g->d->o->fold ? "<tr><td align=\"left\"> called by most: "
		               : "<tr><td align=\"left\"> linked by calls only: "
		      : n % 6 == 0 ? ",<br align=\"left\"/>" : ", ", g->out);
		put_name(g, &g->d->boxes[i]);
		n++;
	}
	fputs(n ? "<br align=\"left\"/></td></tr>\n</table>>];\n" : "<tr><td></td></tr></table>>];\n", g->out);
}

void hd__picture_write_dot(const struct drawing *d, FILE *out)
{
	struct dot g = { .d = d, .out = out };

	find_clocks(&g);
	find_homes(&g);
	fputs("digraph netlist {\n\trankdir=LR; ranksep=0.55; nodesep=0.16; fontname=\"Helvetica\";\n"
	      "\tlabelloc=t; fontsize=16;\n\tlabel=<<b>", out);
	hd__picture_put_text(d->p->name, out);
	fputs("</b>", out);
	if (d->p->doc) {
		fputs("<br/><font point-size=\"11\">", out);
		hd__picture_put_text(d->p->doc, out);
		fputs("</font>", out);
	}
	fputs(">;\n\tnode [shape=box style=\"filled,rounded\" fontname=\"Helvetica\" fontsize=12 color=\"#444444\"];\n"
	      "\tedge [fontname=\"Helvetica\" fontsize=9 color=\"#333333\" arrowsize=0.7];\n", out);
	put_boxes(&g);
	for (uint32_t i = 0; i < d->nlines; i++)
		put_line(&g, &d->lines[i]);
	put_table(&g);
	fputs("}\n", out);
	free(g.clocks);
	free(g.home);
}
