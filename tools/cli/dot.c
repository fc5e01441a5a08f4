/* dot.c - draws a simulation in graphviz's language: boxes, channels, calls, frames
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * An array is one box, and all links between the same ports are one edge, unless --expand is given.
 * Instances without an edge are listed in a table below the drawing.
 */
#include "dot.h"
#include "dot_fold.h"
#include "dot_model.h"

#include <stdlib.h>

/* ---- text ---------------------------------------------------------------------------------- */

static void put_text(FILE *out, const char *s)
{
	for (; *s != '\0'; s++) {
		switch (*s) {
		case '&': fputs("&amp;", out); break;
		case '<': fputs("&lt;", out); break;
		case '>': fputs("&gt;", out); break;
		case '"': fputs("&quot;", out); break;
		default: fputc(*s, out);
		}
	}
}

/* The same in lines of about `width` characters. */
static void put_lines(FILE *out, const char *s, size_t width)
{
	size_t used = 0;
	char *word, *rest, *copy = hd__xstrdup(s);

	for (word = strtok_r(copy, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest)) {
		if (used > 0)
			fputs(used + strlen(word) > width ? "<br/>" : " ", out);
		used = used + strlen(word) > width ? 0 : used;
		put_text(out, word);
		used += strlen(word) + 1;
	}
	free(copy);
}

/* Soft fills, by clock. */
static const char *colour(const struct hd_graph *g, const struct hd_array *b)
{
	static const char *const fills[] = { "#dbe9f6", "#fde5cc", "#dcf0d8", "#e8dff2", "#f9d9d9",
		                             "#e0f2f1", "#f3edc6", "#eceff1" };

	if (b->module->eval == NULL)
		return "#ffffff";
	return fills[(size_t)(b->clock - g->s->clocks) % (sizeof fills / sizeof *fills)];
}

static void put_name(FILE *out, const struct hd_graph_node *n)
{
	const char *dot = strrchr(n->name, '.');

	fputs("<b>", out);
	put_text(out, dot != NULL ? dot + 1 : n->name);
	fputs("</b>", out);
	if (n->count > 1)
		fprintf(out, " &#215;%u", n->count);
}

static bool is_box(const struct hd_graph *g, size_t i)
{
	return g->home != NULL ? g->home[i] == i : g->nodes[i].drawn;
}

/* What is written into the box of the node. */
static void put_parts(const struct hd_graph *g, size_t box)
{
	for (size_t i = 0; g->home != NULL && i < g->nnodes; i++) {
		if (i == box || g->home[i] != box)
			continue;
		fputs("<br/><font point-size=\"10\">", g->out);
		put_name(g->out, &g->nodes[i]);
		fputs(" <font color=\"#555555\">", g->out);
		put_text(g->out, g->nodes[i].array->module->name);
		fputs("</font></font>", g->out);
	}
}

static void put_node(const struct hd_graph *g, size_t i)
{
	const struct hd_graph_node *n = &g->nodes[i];

	if (!is_box(g, i))
		return;
	fprintf(g->out, "\t\tn%zu [fillcolor=\"%s\"%s label=<", i, colour(g, n->array),
	        n->array->module->eval == NULL ? " style=\"filled,rounded,dashed\"" : "");
	put_name(g->out, n);
	fputs("<br/><font point-size=\"9\" color=\"#555555\">", g->out);
	put_text(g->out, n->array->module->name);
	fputs("</font>", g->out);
	put_parts(g, i);
	fputs(">];\n", g->out);
}

static void put_channel(const struct hd_graph *g, const struct hd_graph_edge *e)
{
	const struct hd_channel *c = e->channel;
	FILE *out = g->out;

	if (e->names != NULL) {
		fputs("<b>", out);
		put_lines(out, e->names, 20);
		fputs("</b><br/>", out);
	}
	put_text(out, c->type->name);
	fputs(" &#183; ", out);
	if (e->channels > 1)
		fprintf(out, "%u &#215; ", e->channels);
	fprintf(out, "%u %s", c->chan->capacity, c->slotted ? "slots" : "deep");
	if (c->decl->staged)
		fputs("<br/>staged", out);
	if (c->decl->latency != 1)
		fprintf(out, "<br/>latency %u", c->decl->latency);
}

static void put_edge(const struct hd_graph *g, const struct hd_graph_edge *e)
{
	fprintf(g->out, "\tn%u -> n%u [", e->from, e->to);
	if (e->channel == NULL)
		fprintf(g->out, "style=dashed color=\"#777777\" arrowhead=%s dir=%s ",
		        e->back ? "none" : "vee", e->back ? "back arrowtail=vee" : "forward");
	if (e->channel == NULL && g->home != NULL) { /* the box says what it is */
		fputs("];\n", g->out);
		return;
	}
	fputs("label=<", g->out);
	if (e->channel != NULL)
		put_channel(g, e);
	else
		put_text(g->out, (e->back ? e->from_port : e->to_port)->type->name);
	fputs(">];\n", g->out);
}

/* ---- frames -------------------------------------------------------------------------------- */

/* The name of the frame around a node: "sm[0]" for "sm[0].sched", or its clock; NULL: none.  The
 * caller frees it. */
static char *frame_of(const struct hd_graph *g, const struct hd_graph_node *n)
{
	const char *dot = strrchr(n->name, '.');

	if (g->o->group == HD_GROUP_CLOCK && n->array->module->eval != NULL)
		return hd__xstrdup(n->array->clock->name);
	if (g->o->group == HD_GROUP_PATH && dot != NULL)
		return hd__xstrndup(n->name, (size_t)(dot - n->name));
	return NULL;
}

static void put_nodes(const struct hd_graph *g)
{
	char **frames = hd__xcalloc(g->nnodes, sizeof *frames);
	bool *done = hd__xcalloc(g->nnodes, sizeof *done);

	for (size_t i = 0; i < g->nnodes; i++)
		frames[i] = frame_of(g, &g->nodes[i]);
	for (size_t i = 0; i < g->nnodes; i++) {
		if (done[i])
			continue;
		if (frames[i] == NULL) {
			put_node(g, i);
			continue;
		}
		fprintf(g->out, "\tsubgraph cluster_%zu {\n\t\tlabel=<", i);
		put_text(g->out, frames[i]);
		fputs(">;\n", g->out);
		for (size_t k = i; k < g->nnodes; k++) {
			if (frames[k] == NULL || strcmp(frames[k], frames[i]) != 0)
				continue;
			put_node(g, k);
			done[k] = true;
		}
		fputs("\t}\n", g->out);
	}
	for (size_t i = 0; i < g->nnodes; i++)
		free(frames[i]);
	free(frames);
	free(done);
}

/* ---- the table below ----------------------------------------------------------------------- */

static void put_clock(const struct hd_graph *g, const struct hd_clock *c)
{
	static const struct hd_module ticking = { .eval = (uint64_t (*)(void *))abort };
	const struct hd_array sample = { .module = &ticking, .clock = (struct hd_clock *)c };

	fprintf(g->out, "<tr><td bgcolor=\"%s\"> clock <b>%s</b></td><td align=\"left\">",
	        colour(g, &sample), c->name);
	if (c->decl->of == NULL)
		fprintf(g->out, "%.10g MHz%s", (double)c->decl->millihertz / 1e9,
		        c->decl->accumulated ? ", accumulated" : "");
	else
		fprintf(g->out, "%s", c->decl->of);
	if (c->decl->times > 1)
		fprintf(g->out, " &#215; %u", c->decl->times);
	if (c->decl->at_end)
		fputs(", at the end of the period", g->out);
	if (c->decl->phase_num > 0)
		fprintf(g->out, ", %u/%u of a period later", c->decl->phase_num,
		        c->decl->phase_den);
	if (c->decl->gate != NULL)
		fprintf(g->out, ", gated by %s", c->decl->gate);
	fputs("</td></tr>\n", g->out);
}

/* Instances that no drawn edge touches, a few in a row. */
static void put_others(const struct hd_graph *g)
{
	unsigned n = 0;

	for (size_t i = 0; i < g->nnodes; i++) {
		if (g->home != NULL ? g->home[i] != HD_GRAPH_SHARED : g->nodes[i].drawn)
			continue;
		if (n == 0)
			fprintf(g->out, "<tr><td align=\"left\"> %s</td><td align=\"left\">",
			        g->home != NULL ? "called by most" : "linked by calls only");
		else
			fputs(n % 6 == 0 ? ",<br align=\"left\"/>" : ", ", g->out);
		put_name(g->out, &g->nodes[i]);
		n++;
	}
	if (n > 0)
		fputs("<br align=\"left\"/></td></tr>\n", g->out);
}

static void put_table(const struct hd_graph *g)
{
	fputs("\tlegend [shape=plaintext style=\"\" fontsize=10 label=<<table border=\"0\" "
	      "cellborder=\"1\" cellspacing=\"0\" cellpadding=\"4\">\n", g->out);
	for (uint32_t i = 0; i < g->s->nclocks; i++)
		put_clock(g, &g->s->clocks[i]);
	put_others(g);
	fputs("</table>>];\n", g->out);
}

void hd__graph_dot(const struct hd_sim *s, const struct hd_graph_options *o, FILE *out)
{
	struct hd_graph g = { .s = s, .o = o, .out = out };

	hd__graph_make(&g);
	fputs("digraph netlist {\n\trankdir=LR; ranksep=0.55; nodesep=0.16; fontname=\"Helvetica\";\n"
	      "\tlabelloc=t; fontsize=16;\n", out);
	if (s->netlist->name != NULL || s->netlist->doc != NULL) {
		fputs("\tlabel=<<b>", out);
		put_text(out, s->netlist->name ? s->netlist->name : s->netlist->file);
		fputs("</b>", out);
		if (s->netlist->doc != NULL) {
			fputs("<br/><font point-size=\"11\">", out);
			put_text(out, s->netlist->doc);
			fputs("</font>", out);
		}
		fputs(">;\n", out);
	}
	fputs("\tnode [shape=box style=\"filled,rounded\" fontname=\"Helvetica\" fontsize=12 "
	      "color=\"#444444\"];\n"
	      "\tedge [fontname=\"Helvetica\" fontsize=9 color=\"#333333\" arrowsize=0.7];\n", out);
	put_nodes(&g);
	for (size_t i = 0; i < g.nedges; i++)
		if (!g.edges[i].round)
			put_edge(&g, &g.edges[i]);
	put_table(&g);
	fputs("}\n", out);
	hd__graph_free(&g);
}
