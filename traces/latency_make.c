/* latency_make.c - prints the table of latencies as C (table_make.c)
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "table_make.h"

#include <stdio.h>

static void print_list(const char *name, const uint8_t *v, uint32_t n)
{
	printf(", .%s = {", name);
	for (uint32_t i = 0; i < n; i++)
		printf(" %u,", v[i]);
	printf(" }");
}

static void print_op(const struct latency_op *o)
{
	printf("{ .name = \"%s\", .cycles = %u, .dst = %u, .nsrc = %u, .reads = %u, .writes = %u, .stall = %u, "
	       ".operands = %u, .drains = %d", o->name ? o->name : "", o->cycles, o->dst, o->nsrc, o->reads,
	       o->writes, o->stall, o->operands, o->drains);
	print_list("src", o->src, LATENCY_SRC);
	printf(" }");
}

static void print_width(const struct latency_width *w)
{
	printf("\t\t\t{ .name = \"%s\", .n = %u", w->name, w->n);
	print_list("count", w->count, LATENCY_TOKENS);
	printf(", .token = {");
	for (uint32_t i = 0; i < w->n; i++)
		printf(" \"%s\",", w->token[i]);
	printf(" } },\n");
}

static void print_table(const struct trace_latencies *l, size_t n)
{
	printf("static const struct latency_op op[] = {\n");
	for (size_t i = 0; i < l->ops; i++) {
		printf("\t");
		print_op(&l->op[i]);
		printf(",\n");
	}
	printf("};\n\nconst struct trace_latencies_made hd__trace_latencies_made[] = { {\n"
	       "\t.file = { latencies, %zu }, .table = {\n"
	       "\t\t.visible = %u, .reader = %u, .variable = %u, .yield = %u, .banks = %u,\n",
	       n, l->visible, l->reader, l->variable, l->yield, l->banks);
	printf("\t\t.nunseen = %u, .unseen = {\n", l->nunseen);
	for (uint32_t i = 0; i < l->nunseen; i++)
		printf("\t\t\t{ \"%s\", %u, %u },\n", l->unseen[i].name, l->unseen[i].cycles,
		       l->unseen[i].readers);
	printf("\t\t},\n\t\t.nwidths = %u, .width = {\n", l->nwidths);
	for (uint32_t i = 0; i < l->nwidths; i++)
		print_width(&l->width[i]);
	printf("\t\t},\n\t\t.ntokens = %u, .token = {\n", l->ntokens);
	for (uint32_t i = 0; i < l->ntokens; i++)
		printf("\t\t\t{ \"%s\", %u },\n", l->token[i].name, l->token[i].reads);
	printf("\t\t},\n\t\t.op = op, .ops = %zu, .fallback = ", l->ops);
	print_op(&l->fallback);
	printf(",\n\t},\n}, { .file = { NULL, 0 } } };\n\n");
}

int hd__make_latencies(const char *path)
{
	const struct hd_ctx *none = NULL;
	struct trace_latencies l;
	size_t n;
	int bad = hd__trace_latencies_read(&l, none, path) || hd__make_text(path, "latencies", &n);

	if (!bad)
		print_table(&l, n);
	hd__trace_latencies_free(&l);
	return bad;
}
