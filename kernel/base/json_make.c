/* json_make.c - a program of the build: makes C of JSON files, so that a run need not parse them
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * usage: json_make FILE...
 *
 * Names and strings are offsets into one text for each file, so that loading the program need not relocate them.
 */
#include "json_made.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The names and strings of a file, one after the other. */
struct words {
	char *text;
	size_t n, cap;
};

static void *check(void *p)
{
	if (p == NULL) {
		fprintf(stderr, "json_make: out of memory\n");
		exit(2);
	}
	return p;
}

/* Where the word is, which is added with its end. */
static size_t add_word(struct words *w, const char *word, size_t n)
{
	size_t at = w->n;

	if (w->text == NULL || w->n + n + 1 > w->cap) {
		w->cap = 2 * (w->n + n + 1);
		w->text = check(realloc(w->text, w->cap));
	}
	memcpy(w->text + at, word, n);
	w->text[at + n] = '\0';
	w->n += n + 1;
	return at;
}

/* A line for the value, and one for each in it. */
static void print_value(struct words *w, const char *name, json_t *v)
{
	size_t member = name != NULL ? add_word(w, name, strlen(name)) : 0, i;
	const char *key;
	json_t *inner;

	printf("\t{ %d, %zu, ", json_typeof(v), member);
	switch (json_typeof(v)) {
	case JSON_OBJECT: printf("%zu, { 0 } },\n", json_object_size(v)); break;
	case JSON_ARRAY: printf("%zu, { 0 } },\n", json_array_size(v)); break;
	case JSON_STRING:
		printf("%zu, { %zu } },\n", json_string_length(v),
		       add_word(w, json_string_value(v), json_string_length(v)));
		break;
	case JSON_INTEGER:
		printf("0, { .integer = INT64_C(%" JSON_INTEGER_FORMAT ") } },\n", json_integer_value(v));
		break;
	case JSON_REAL: printf("0, { .real = %a } },\n", json_real_value(v)); break;
	default: printf("0, { 0 } },\n");
	}
	json_array_foreach(v, i, inner)
		print_value(w, NULL, inner);
	json_object_foreach(v, key, inner)
		print_value(w, key, inner);
}

static void print_bytes(const char *name, unsigned number, const char *v, size_t n)
{
	printf("static const char %s_%u[] = {", name, number);
	for (size_t i = 0; i < n; i++)
		printf("%s%d,", i % 24 == 0 ? "\n\t" : " ", v[i]);
	printf("\n};\n\n");
}

/* The whole file; NULL after a message. */
static char *read_file(const char *path, size_t *n)
{
	FILE *f = fopen(path, "rb");
	char *text = NULL;
	size_t cap = 0, got;

	if (f == NULL) {
		perror(path);
		return NULL;
	}
	for (*n = 0; *n == cap; *n += got) {
		cap = 2 * cap + 4096;
		text = check(realloc(text, cap));
		got = fread(text + *n, 1, cap - *n, f);
	}
	if (ferror(f)) {
		perror(path);
		free(text);
		text = NULL;
	}
	fclose(f);
	return text;
}

/* The arrays of one file. */
static int make_file(const char *path, unsigned number)
{
	size_t n;
	char *text = read_file(path, &n);
	struct words w = { 0 };
	json_error_t e;
	json_t *root = text != NULL ? json_loadb(text, n, JSON_REJECT_DUPLICATES, &e) : NULL;

	if (text != NULL && root == NULL)
		fprintf(stderr, "%s:%d:%d: %s\n", path, e.line, e.column, e.text);
	if (root != NULL) {
		printf("static const struct hd_json_value values_%u[] = {\n", number);
		print_value(&w, NULL, root);
		printf("};\n\n");
		print_bytes("words", number, w.text, w.n);
		print_bytes("text", number, text, n);
	}
	free(w.text);
	free(text);
	json_decref(root);
	return root != NULL ? 0 : -1;
}

int main(int argc, char **argv)
{
	printf("/* generated: JSON files that the build has read */\n#include \"kernel/base/json_made.h\"\n\n");
	for (int i = 1; i < argc; i++)
		if (make_file(argv[i], (unsigned)i) != 0)
			return 2;
	printf("const struct hd_json_made hd__json_made[] = {\n");
	for (int i = 1; i < argc; i++)
		printf("\t{ text_%d, sizeof text_%d, values_%d, words_%d },\n", i, i, i, i);
	printf("\t{ NULL, 0, NULL, NULL },\n};\n");
	return fflush(stdout) != 0 || ferror(stdout) ? 2 : 0;
}
