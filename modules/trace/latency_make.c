/* latency_make.c - a program of the build: makes C of the table of latencies, so that a run need not parse it
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * usage: latency_make FILE
 */
#include "latency.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* What the reader of the table needs of a program. */
const struct trace_latencies_made hd__trace_latencies_made = { 0 };

int hd_open(const struct hd_ctx *c, const char *path, const char **why)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	(void)c;
	if (fd < 0)
		*why = strerror(errno);
	return fd;
}

int hd_error(const struct hd_ctx *c, const char *fmt, ...)
{
	va_list ap;

	(void)c;
	fputs("latency_make: error: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	putc('\n', stderr);
	return -1;
}

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

/* The bytes of the file, of which there are n. */
static int print_text(const char *path, size_t *n)
{
	FILE *f = fopen(path, "rb");
	int c;

	if (!f)
		return -1;
	printf("static const char text[] = {");
	for (*n = 0; (c = getc(f)) != EOF; ++*n)
		printf("%s%d,", *n % 24 == 0 ? "\n\t" : " ", c);
	printf("\n};\n\n");
	c = ferror(f);
	fclose(f);
	return c ? -1 : 0;
}

static void print_table(const struct trace_latencies *l, size_t n)
{
	printf("static const struct latency_op op[] = {\n");
	for (size_t i = 0; i < l->ops; i++) {
		printf("\t");
		print_op(&l->op[i]);
		printf(",\n");
	}
	printf("};\n\nconst struct trace_latencies_made hd__trace_latencies_made = {\n"
	       "\t.text = text, .bytes = %zu, .table = {\n"
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
	printf(",\n\t},\n};\n");
}

int main(int argc, char **argv)
{
	const struct hd_ctx ctx = { 0 };
	struct trace_latencies l;
	size_t n = 0;
	int bad;

	if (argc != 2) {
		fprintf(stderr, "usage: latency_make FILE\n");
		return 2;
	}
	bad = hd__trace_latencies_read(&l, &ctx, argv[1]);
	printf("/* generated: the table of latencies that the build has */\n"
	       "#include \"modules/trace/latency.h\"\n\n");
	if (!bad && print_text(argv[1], &n))
		bad = hd_error(&ctx, "cannot read '%s'", argv[1]);
	if (!bad)
		print_table(&l, n);
	hd__trace_latencies_free(&l);
	return bad || fflush(stdout) ? 2 : 0;
}
