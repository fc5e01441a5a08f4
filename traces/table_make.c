/* table_make.c - a program of the build: makes C of tables, so that a run need not parse them
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * usage: table_make LATENCIES FOLDER TABLE...
 */
#include "table_make.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* What the readers of the tables need of a program; there are no tables yet. */
const struct trace_latencies_made hd__trace_latencies_made[] = { { { NULL, 0 }, { 0 } } };
const struct trace_index_made hd__trace_index_made[] = { { { NULL, 0 }, NULL, 0 } };
const struct trace_table_made hd__trace_tables_made[] = { { .file = { NULL, 0 } } };

int hd_open(const struct hd_ctx *c, const char *path, const char **why)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	(void)c;
	if (fd < 0)
		*why = strerror(errno);
	return fd;
}

static void print_message(const char *kind, const char *fmt, va_list ap)
{
	fprintf(stderr, "table_make: %s: ", kind);
	vfprintf(stderr, fmt, ap);
	putc('\n', stderr);
}

int hd_error(const struct hd_ctx *c, const char *fmt, ...)
{
	va_list ap;

	(void)c;
	va_start(ap, fmt);
	print_message("error", fmt, ap);
	va_end(ap);
	return -1;
}

void hd_warn(const struct hd_ctx *c, const char *fmt, ...)
{
	va_list ap;

	(void)c;
	va_start(ap, fmt);
	print_message("warning", fmt, ap);
	va_end(ap);
}

/* Symbols are numbered in the order in which the reader of a table asks for them. */
static char *symbols[MAKE_SYMBOLS];
static uint32_t nsymbols;

uint32_t hd_symbol(const struct hd_ctx *c, const char *kind, const char *name)
{
	uint32_t i = 0;

	(void)c;
	(void)kind;
	while (i < nsymbols && strcmp(symbols[i], name) != 0)
		i++;
	if (i < nsymbols || nsymbols == MAKE_SYMBOLS)
		return i;
	symbols[i] = strdup(name);
	nsymbols += symbols[i] != NULL;
	return i;
}

const char *hd_symbol_name(const struct hd_ctx *c, const char *kind, uint32_t symbol)
{
	(void)c;
	(void)kind;
	return symbol < nsymbols ? symbols[symbol] : NULL;
}

void hd__make_forget_symbols(void)
{
	while (nsymbols > 0)
		free(symbols[--nsymbols]);
}

/* The bytes of the file as an array. */
int hd__make_text(const char *path, const char *name, size_t *n)
{
	FILE *f = fopen(path, "rb");
	int c;

	if (!f)
		return hd_error(NULL, "cannot read '%s'", path);
	printf("static const char %s[] = {", name);
	for (*n = 0; (c = getc(f)) != EOF; ++*n)
		printf("%s%d,", *n % 24 == 0 ? "\n\t" : " ", c);
	printf("\n};\n\n");
	c = ferror(f);
	fclose(f);
	return c ? hd_error(NULL, "cannot read '%s'", path) : 0;
}

int main(int argc, char **argv)
{
	int bad;

	if (argc < 4) {
		fprintf(stderr, "usage: table_make LATENCIES FOLDER TABLE...\n");
		return 2;
	}
	printf("/* generated: the tables of latencies and opcodes that the build has */\n"
	       "#include \"traces/latency.h\"\n"
	       "#include \"traces/opcodes.h\"\n\n");
	bad = hd__make_latencies(argv[1]) || hd__make_opcodes(argv[2], argv + 3);
	hd__make_forget_symbols();
	return bad || fflush(stdout) ? 2 : 0;
}
