/* lsp.h - the language server: what an editor asks about a netlist while it is typed
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TOOLS_LSP_LSP_H
#define TOOLS_LSP_LSP_H

#include "kernel/registry.h"

#include <jansson.h>

/* ---- lsp_text.c: texts that are not JSON yet ---- */

/* Where a cursor is. */
struct lsp_cursor {
	size_t at;          /* its byte */
	char *pointer;      /* JSON pointer of the value there; of the object, if it is in a key; NULL: nowhere */
	bool key;
	bool quoted;        /* it is in a string: */
	size_t begin, end;  /* what is between the quotes, or the bare word, or nothing */
};

/* Reads a text as far as it is JSON, and goes on behind what is not; finds the cursor.  The caller frees .pointer. */
json_t *lsp_read(const char *text, struct lsp_cursor *c);
/* The byte of a place: lines and columns from 0, columns in characters or in UTF-16 units. */
size_t lsp_byte(const char *text, json_int_t line, json_int_t column, bool utf16);
/* The range of bytes as editors have it. */
json_t *lsp_range(const char *text, size_t begin, size_t end);
/* The end of the token that begins there. */
size_t lsp_token_end(const char *text, size_t begin);

/* ---- lsp_schema.c: what the JSON Schema of netlists or studies says ---- */

/* The schemas that apply to the value at the pointer of the document; a new list. */
json_t *lsp_schemas(const json_t *schema, const json_t *document, const char *pointer);

/* ---- lsp_names.c: what may stand at the cursor ---- */

enum lsp_kind { LSP_INSTANCE = 6, LSP_PORT = 8, LSP_MODULE = 9, LSP_PROPERTY = 10, LSP_CLOCK = 11, LSP_VALUE = 12,
	LSP_FILE = 17, LSP_PARAMETER = 21 }; /* kinds of items of the protocol */

struct lsp_name {
	char *name;
	const char *suffix; /* what follows when it is completed */
	enum lsp_kind kind;
	bool bare;          /* a value without quotes */
	char *doc;          /* or NULL; of a file its path */
	char *pointer;      /* where it is defined, in `part`; NULL: in no netlist */
	const struct hd_part *part;
};

/* A document, and the names that may stand at a place of it. */
struct lsp_names {
	const struct hd_registry *registry;
	const char *uri, *file, *text; /* of the document */
	json_t *document;           /* what can be read of it */
	struct lsp_cursor cursor;
	char *token;                /* what the cursor is in */
	struct lsp_name *v;
	size_t n, cap;
	struct hd_netlist *netlist; /* in which they are, or NULL */
	size_t from, length;        /* bytes of the token that are the name at the cursor */
	size_t defined;             /* so many are not offered: the first are defined there, and others may be */
};

/* Finds the names at .cursor.at; it and the first four members are given, and the schemas. */
void lsp_names_find(struct lsp_names *names, const json_t *netlists, const json_t *studies);
/* The one at the cursor; NULL: none. */
const struct lsp_name *lsp_names_here(const struct lsp_names *names);
void lsp_names_free(struct lsp_names *names);
/* The file and the text where it is defined, and the pointer there, which the caller frees.  Returns false if that is
 * unknown. */
bool lsp_name_place(const struct lsp_names *names, const struct lsp_name *name, const char **file, const char **text,
                    char **pointer);

/* ---- lsp_serve.c ---- */

/* Answers requests until the editor ends it.  Returns an exit status. */
int lsp_serve(FILE *in, FILE *out, const struct hd_registry *r, const json_t *netlists, const json_t *studies);

#endif
