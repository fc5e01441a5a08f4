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
json_t *lsp_read(const char *text, size_t length, struct lsp_cursor *c);
/* The byte of a place as editors count it: lines from 0, UTF-16 units from 0. */
size_t lsp_byte(const char *text, const json_t *position);
/* The place of a byte, and of a range of them. */
json_t *lsp_position(const char *text, size_t byte);
json_t *lsp_range(const char *text, size_t begin, size_t end);
/* The byte of a line and a column, both from 1, counted in characters. */
size_t lsp_byte_of_column(const char *text, int line, int column);
/* The end of the token that begins there. */
size_t lsp_token_end(const char *text, size_t begin);

/* ---- lsp_schema.c: what the JSON Schema of netlists or studies says ---- */

/* Calls each() for every schema that applies to the value at the pointer of the document. */
void lsp_schema_each(const json_t *schema, const json_t *document, const char *pointer,
                     void (*each)(void *arg, const json_t *schema), void *arg);

/* ---- lsp_names.c: names that the netlist itself gives ---- */

enum lsp_kind { LSP_PORT = 8, LSP_PROPERTY = 10, LSP_CLOCK = 11, LSP_VALUE = 12, LSP_MODULE = 9, LSP_INSTANCE = 6,
	LSP_FILE = 17, LSP_PARAMETER = 21 }; /* kinds of items of the protocol */

/* Something that a name in a netlist stands for. */
struct lsp_name {
	char *name;
	const char *suffix; /* what follows when it is completed */
	enum lsp_kind kind;
	char *doc;          /* or NULL; of a file its path */
	char *pointer;      /* where it is defined, in `part`; NULL: in no netlist */
	const struct hd_part *part;
};

struct lsp_names {
	struct lsp_name *v;
	size_t n, cap;
	struct hd_netlist *netlist; /* in which they are, or NULL */
	size_t from, length;        /* bytes of the token that are the name at the cursor */
	bool defined;               /* they are defined there: others may be, too */
};

/* The names that may stand at the cursor where the netlist itself gives them: instances and ports in the ends of
 * links, paths in "set", clocks, parameters, files.  `file`: that of the document; `text`: it, or if that is not JSON
 * what it is repaired to; `token`: what the cursor is in. */
void lsp_names_find(struct lsp_names *names, const struct hd_registry *r, const char *file, const char *text,
                    const json_t *document, const struct lsp_cursor *c, const char *token);
/* The one at the cursor; NULL: none. */
const struct lsp_name *lsp_names_here(const struct lsp_names *names, const char *token);
void lsp_names_free(struct lsp_names *names);
/* The file and the text where it is defined, and the pointer there, which the caller frees.  Returns false if that is
 * unknown. */
bool lsp_name_place(const struct lsp_names *names, const struct lsp_name *name, const char **file, const char **text,
                    char **pointer);

/* ---- lsp_serve.c ---- */

/* Answers requests until the editor ends it.  Returns an exit status. */
int lsp_serve(int in, FILE *out, const struct hd_registry *r, const json_t *netlists, const json_t *studies);

#endif
