/* opcode_make.c - prints the tables of opcodes and their index as C (table_make.c)
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Names are offsets into one text for each table, so that loading the program need not relocate them.
 */
#include "table_make.h"

#include <stdio.h>
#include <stdlib.h>

/* The names of a table, one after the other, each with its end. */
struct names {
	char *text;
	size_t n, cap;
};

/* The offset of the name, which is added; a run asks for no more than 64 kB of them. */
static int add_name(struct names *s, const char *name)
{
	size_t n = strlen(name) + 1, at = s->n;

	if (s->n + n > UINT16_MAX)
		return hd_error(NULL, "the names of a table have more than %d bytes", UINT16_MAX);
	if (s->n + n > s->cap) {
		char *longer = realloc(s->text, 2 * (s->n + n));

		if (longer == NULL)
			return hd_error(NULL, "out of memory");
		s->text = longer;
		s->cap = 2 * (s->n + n);
	}
	memcpy(s->text + at, name, n);
	s->n += n;
	return (int)at;
}

static int print_op(struct names *s, const char *name, const struct trace_op *op)
{
	int at = add_name(s, name);

	printf("{ %d, %u, %u, %u, %u, %d, %u, {", at, op->flags, op->cls, op->space, op->rate, op->no_dst,
	       op->ntokens);
	for (unsigned i = 0; i < op->ntokens && at >= 0; i++)
		printf("%s %d", i > 0 ? "," : "", at = add_name(s, op->token[i]));
	printf("%s }", op->ntokens > 0 ? " }" : " 0 }");
	return at < 0;
}

static void print_names(const struct names *s, unsigned number)
{
	printf("static const char names_%u[] = {", number);
	for (size_t i = 0; i < s->n; i++)
		printf("%s%d,", i % 24 == 0 ? "\n\t" : " ", s->text[i]);
	printf("\n};\n\n");
}

/* The arrays of one table. */
static int print_table(const struct trace_opcodes *o, unsigned number)
{
	struct names s = { 0 };
	int bad = 0;

	printf("static const struct trace_op_made ops_%u[] = {\n", number);
	for (size_t i = 0; i <= o->n && !bad; i++) { /* the last one is for unknown opcodes */
		printf("\t");
		bad = print_op(&s, i < o->n ? o->v[i].name : "", i < o->n ? &o->v[i].op : &o->fallback);
		printf(",\n");
	}
	printf("};\nstatic const uint16_t classes_%u[] = {", number);
	for (uint32_t i = 0; hd_symbol_name(NULL, "class", i) != NULL && !bad; i++) {
		int at = add_name(&s, hd_symbol_name(NULL, "class", i));

		printf(" %d,", at);
		bad = at < 0;
	}
	printf(" };\n");
	print_names(&s, number);
	free(s.text);
	return bad;
}

static int make_table(const char *path, unsigned number)
{
	struct trace_opcodes o;
	char name[24];
	size_t n;
	int bad;

	hd__make_forget_symbols();
	snprintf(name, sizeof name, "table_%u", number);
	bad = hd__trace_opcodes_file(&o, NULL, path);
	if (!bad && o.prefixes) /* its classes of prefixes are not in what is made */
		bad = hd_error(NULL, "%s: expected \"prefixes\", the name of a file", path);
	bad = bad || hd__make_text(path, name, &n) || print_table(&o, number);
	hd__trace_opcodes_free(&o);
	return bad;
}

static int make_index(const char *folder)
{
	struct trace_archs a;
	int bad = hd__trace_archs_open(&a, NULL, folder);
	size_t n = 0;

	if (!bad)
		bad = hd__make_text(a.file, "index_text", &n);
	if (!bad)
		printf("static const struct trace_arch_made archs[] = {\n");
	for (size_t i = 0; i < a.n && !bad; i++) {
		const struct trace_arch *v = &a.v[i];

		printf("\t{ \"%s\", {", strrchr(v->path, '/') + 1);
		for (uint32_t k = 0; k < v->nbinary; k++)
			printf(" %u,", v->binary[k]);
		printf(" }, %u, %u },\n", v->nbinary, v->from);
	}
	if (!bad)
		printf("};\n\nconst struct trace_index_made hd__trace_index_made[] = {\n"
		       "\t{ { index_text, %zu }, archs, %zu },\n\t{ { NULL, 0 }, NULL, 0 },\n};\n\n", n, a.n);
	hd__trace_archs_free(&a);
	return bad;
}

int hd__make_opcodes(const char *folder, char *const *tables)
{
	int bad = make_index(folder);
	unsigned n = 0;

	for (; tables[n] != NULL && !bad; n++)
		bad = make_table(tables[n], n);
	if (bad)
		return -1;
	printf("const struct trace_table_made hd__trace_tables_made[] = {\n");
	for (unsigned i = 0; i < n; i++)
		printf("\t{ { table_%u, sizeof table_%u }, names_%u, classes_%u,\n"
		       "\t  sizeof classes_%u / sizeof *classes_%u, ops_%u, sizeof ops_%u / sizeof *ops_%u - 1 },\n",
		       i, i, i, i, i, i, i, i, i);
	printf("\t{ { NULL, 0 }, NULL, NULL, 0, NULL, 0 },\n};\n");
	return 0;
}
