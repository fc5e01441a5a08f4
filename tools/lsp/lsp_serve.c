/* lsp_serve.c - the language server: reads requests, keeps the documents, answers
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * JSON-RPC, each message behind a header with its length.  What is damaged is answered by an error if it has a number,
 * and the server goes on at the next header.
 */
#include "lsp.h"
#include "base/exit.h"
#include "base/pointer.h"
#include "base/xalloc.h"
#include "kernel/check/lint.h"
#include "kernel/sim.h"

#include <ctype.h>
#include <limits.h>
#include <poll.h>
#include <unistd.h>

#define LONGEST (64u << 20) /* bytes of a message */

enum { PARSE_ERROR = -32700, INVALID_REQUEST = -32600, METHOD_NOT_FOUND = -32601, NOT_INITIALIZED = -32002 };

struct server {
	int in;
	FILE *out;
	const struct hd_registry *registry;
	const json_t *netlists, *studies; /* schemas */
	json_t *texts;   /* of open documents, by URI */
	json_t *changed; /* URIs of those that have not been checked since */
	bool initialized, shut_down;
	char buffer[1 << 16];
	size_t at, filled;
};

/* ---- messages ------------------------------------------------------------------------------ */

/* The next byte; -1: there is none. */
static int next_byte(struct server *s)
{
	ssize_t n;

	if (s->at < s->filled)
		return (unsigned char)s->buffer[s->at++];
	n = read(s->in, s->buffer, sizeof s->buffer);
	s->at = 0;
	s->filled = n > 0 ? (size_t)n : 0;
	return n > 0 ? (unsigned char)s->buffer[s->at++] : -1;
}

static bool is_waiting(const struct server *s)
{
	struct pollfd p = { .fd = s->in, .events = POLLIN };

	return s->at < s->filled || poll(&p, 1, 0) > 0;
}

/* Finds the next header, whatever is in front of it.  Returns the length that it says; 0: there is no other one. */
static size_t read_header(struct server *s)
{
	static const char name[] = "content-length:";
	size_t matched = 0, length = 0, ends = 0;
	int c;

	while (name[matched] && (c = next_byte(s)) >= 0)
		matched = tolower(c) == name[matched] ? matched + 1 : tolower(c) == name[0];
	while ((c = next_byte(s)) == ' ')
		;
	for (; c >= '0' && c <= '9'; c = next_byte(s))
		length = length <= LONGEST ? 10 * length + (size_t)(c - '0') : length;
	for (; c >= 0 && ends < 2; c = ends < 2 ? next_byte(s) : c) /* to the empty line */
		ends = c == '\n' ? ends + 1 : c == '\r' ? ends : 0;
	return c < 0 ? 0 : length > 0 ? length : SIZE_MAX;
}

/* Takes over the message. */
static void send(const struct server *s, json_t *message)
{
	char *text;

	json_object_set_new(message, "jsonrpc", json_string("2.0"));
	text = hd__xcheck(json_dumps(message, JSON_COMPACT));
	fprintf(s->out, "Content-Length: %zu\r\n\r\n%s", strlen(text), text);
	fflush(s->out);
	free(text);
	json_decref(message);
}

/* Takes over the result. */
static void answer(const struct server *s, json_t *id, json_t *result)
{
	send(s, json_pack("{s:O, s:o}", "id", id, "result", result ? result : json_null()));
}

static void refuse(const struct server *s, json_t *id, int code, const char *why)
{
	send(s, json_pack("{s:O?, s:{s:i, s:s}}", "id", id, "error", "code", code, "message", why));
}

/* ---- files --------------------------------------------------------------------------------- */

static int digit(char c)
{
	if (isdigit((unsigned char)c))
		return c - '0';
	return isxdigit((unsigned char)c) ? tolower((unsigned char)c) - 'a' + 10 : -1;
}

/* The path of a URI; the URI itself if it is of no file. */
static char *path_of(const char *uri)
{
	char *path = hd__xstrdup(strncmp(uri, "file://", 7) == 0 ? uri + 7 : uri), *out = path;

	for (const char *p = path; *p; p++) {
		bool coded = *p == '%' && digit(p[1]) >= 0 && digit(p[2]) >= 0 && (digit(p[1]) || digit(p[2]));

		*out++ = coded ? (char)(16 * digit(p[1]) + digit(p[2])) : *p;
		p += coded ? 2 : 0;
	}
	*out = '\0';
	return path;
}

static char *uri_of(const char *path)
{
	char *real = realpath(path, NULL), *uri = hd__xcalloc(3 * strlen(real ? real : path) + 8, 1), *out = uri + 7;

	memcpy(uri, "file://", 7);
	for (const char *p = real ? real : path; *p; p++)
		if (isalnum((unsigned char)*p) || strchr("/-._~", *p))
			*out++ = *p;
		else
			out += sprintf(out, "%%%02X", (unsigned char)*p);
	free(real);
	return uri;
}

/* ---- what is wrong ------------------------------------------------------------------------- */

/* A message about another file stands where this one extends it, with its place. */
static json_t *diagnostic(const struct hd_diag *m, const char *file, const char *text)
{
	struct hd_found found = { NULL };
	bool own = !m->file || !strcmp(m->file, file);
	const char *value = own ? NULL : hd__find(text, "/extends", false, &found);
	size_t at = value ? (size_t)(value - text) : 0;
	char *words;
	json_t *d;

	if (own && m->line > 0)
		at = lsp_byte_of_column(text, m->line, m->column);
	if (own)
		words = hd__xstrdup(m->text);
	else
		words = m->line > 0 ? hd__format("%s:%d:%d: %s", m->file, m->line, m->column, m->text)
		                    : hd__format("%s: %s", m->file, m->text);
	d = json_pack("{s:o, s:i, s:s, s:s}", "range", lsp_range(text, at, lsp_token_end(text, at)), "severity",
	              m->severity == HD_DIAG_ERROR ? 1 : 2, "source", "heddle", "message", words);
	free(words);
	return d;
}

/* As heddle check. */
static void check(const struct server *s, const char *file, const char *text, struct hd_diags *d)
{
	const struct hd_options o = { .part = true };
	struct hd_netlist *n = hd__netlist_parse(file, text, strlen(text), d);
	struct hd_sim *sim = n ? hd__sim_new(n, s->registry, &o, true, d) : NULL;

	if (sim && !d->errors && sim->nopen == 0)
		hd__lint(sim);
	if (sim)
		hd__sim_free(sim);
}

static void publish(const struct server *s, const char *uri)
{
	const char *text = json_string_value(json_object_get(s->texts, uri));
	struct lsp_cursor nowhere = { .at = SIZE_MAX };
	json_t *list = json_array(), *document = text ? lsp_read(text, strlen(text), &nowhere) : NULL;
	struct hd_diags d = { .n = 0 };
	char *file = path_of(uri);

	if (json_object_get(document, "heddle")) /* other JSON is none of ours */
		check(s, file, text, &d);
	for (size_t i = 0; i < d.n; i++)
		json_array_append_new(list, diagnostic(&d.v[i], file, text));
	send(s, json_pack("{s:s, s:{s:s, s:o}}", "method", "textDocument/publishDiagnostics", "params", "uri", uri,
	                  "diagnostics", list));
	hd__diags_free(&d);
	json_decref(document);
	free(file);
}

static void publish_changed(struct server *s)
{
	const char *uri;
	json_t *v;

	json_object_foreach(s->changed, uri, v)
		publish(s, uri);
	json_object_clear(s->changed);
}

/* ---- what is at the cursor ----------------------------------------------------------------- */

struct query {
	const struct server *s;
	const char *uri, *text;
	char *file, *token, *place; /* place: JSON pointer of the member or element at the cursor */
	json_t *document;
	struct lsp_cursor cursor;
	struct lsp_names names;
	json_t *items, *labels;     /* of a completion */
	json_t *doc;                /* of a hover */
};

static bool ask(const struct server *s, const json_t *params, struct query *q)
{
	char *repaired, *member;

	*q = (struct query){ .s = s };
	q->uri = json_string_value(json_object_get(json_object_get(params, "textDocument"), "uri"));
	q->text = q->uri ? json_string_value(json_object_get(s->texts, q->uri)) : NULL;
	if (!q->text)
		return false;
	q->file = path_of(q->uri);
	q->cursor.at = lsp_byte(q->text, json_object_get(params, "position"));
	q->document = lsp_read(q->text, strlen(q->text), &q->cursor);
	q->token = hd__xstrndup(q->text + q->cursor.begin, q->cursor.end - q->cursor.begin);
	member = q->cursor.pointer && q->cursor.key ? hd__pointer_add(q->cursor.pointer, q->token) : NULL;
	q->place = member ? member : hd__xstrdup(q->cursor.pointer ? q->cursor.pointer : "");
	repaired = json_dumps(q->document, JSON_ENCODE_ANY);
	if (q->cursor.pointer && repaired) {
		json_t *sound = json_loads(q->text, 0, NULL);

		lsp_names_find(&q->names, s->registry, q->file, sound ? q->text : repaired, q->document, &q->cursor,
		               q->token);
		json_decref(sound);
	}
	free(repaired);
	return true;
}

static void forget(struct query *q)
{
	lsp_names_free(&q->names);
	json_decref(q->document);
	json_decref(q->labels);
	free(q->cursor.pointer);
	free(q->file);
	free(q->token);
	free(q->place);
}

static const json_t *schema_of(const struct query *q)
{
	return json_object_get(q->document, "study") ? q->s->studies : q->s->netlists;
}

/* ---- completion ---------------------------------------------------------------------------- */

/* text: what takes the place of the token from byte `from` on; takes over it. */
static void add_item(struct query *q, const char *label, int kind, const char *doc, size_t from, char *text)
{
	size_t begin = q->cursor.begin + from, end = begin > q->cursor.at ? begin : q->cursor.at;
	json_t *item;

	if (q->cursor.quoted && !strcmp(label, q->token + (from < strlen(q->token) ? from : 0)))
		end = begin + strlen(label);
	if (!json_object_get(q->labels, label)) {
		item = json_pack("{s:s, s:i, s:s*, s:{s:o, s:s}}", "label", label, "kind", kind, "documentation", doc,
		                 "textEdit", "range", lsp_range(q->text, begin, end), "newText", text);
		json_object_set_new(q->labels, label, json_true());
		json_array_append_new(q->items, item);
	}
	free(text);
}

/* A name or value where there may be no quotes yet. */
static void add_word(struct query *q, const char *word, int kind, const char *doc, bool bare)
{
	const char *quote = q->cursor.quoted || (bare && !q->cursor.key) ? "" : "\"";
	const char *colon = q->cursor.key && *quote ? ": " : "";

	add_item(q, word, kind, doc, 0, hd__format("%s%s%s%s", quote, word, quote, colon));
}

static void offer(void *arg, const json_t *schema)
{
	json_t *values = json_object_get(schema, "enum"), *docs = json_object_get(schema, "enumDescriptions"), *v;
	const char *type = json_string_value(json_object_get(schema, "type")), *name;
	struct query *q = arg;
	size_t i;

	if (q->cursor.key) {
		json_object_foreach(json_object_get(schema, "properties"), name, v)
			add_word(q, name, LSP_PROPERTY, json_string_value(json_object_get(v, "description")), false);
		return;
	}
	json_array_foreach(values, i, v)
		if (json_is_string(v))
			add_word(q, json_string_value(v), docs ? LSP_MODULE : LSP_VALUE,
			         json_string_value(json_array_get(docs, i)), false);
	if (type && !strcmp(type, "boolean") && !q->cursor.quoted) {
		add_word(q, "true", LSP_VALUE, NULL, true);
		add_word(q, "false", LSP_VALUE, NULL, true);
	}
}

static json_t *complete(struct query *q)
{
	const char *quote = q->cursor.quoted ? "" : "\"";

	q->items = json_array();
	q->labels = json_object();
	for (size_t i = 0; i < q->names.n && !q->names.defined; i++) {
		const struct lsp_name *name = &q->names.v[i];
		const char *close = name->suffix[0] ? "" : quote;

		add_item(q, name->name, (int)name->kind, name->doc, q->names.from,
		         hd__format("%s%s%s%s", quote, name->name, name->suffix, close));
	}
	lsp_schema_each(schema_of(q), q->document, q->cursor.pointer ? q->cursor.pointer : "", offer, q);
	return q->items;
}

/* ---- hover, definition --------------------------------------------------------------------- */

static void explain(void *arg, const json_t *schema)
{
	json_t *values = json_object_get(schema, "enum"), *docs = json_object_get(schema, "enumDescriptions"), *v;
	struct query *q = arg;
	size_t i;

	json_array_foreach(values, i, v)
		if (!q->doc && json_is_string(v) && !strcmp(json_string_value(v), q->token))
			q->doc = json_array_get(docs, i);
	if (!q->doc)
		q->doc = json_object_get(schema, "description");
}

static json_t *hover(struct query *q)
{
	const struct lsp_name *name = lsp_names_here(&q->names, q->token);
	size_t from = q->cursor.begin + (name ? q->names.from : 0);
	const char *doc = name ? name->doc : NULL;

	if (!doc) {
		lsp_schema_each(schema_of(q), q->document, q->place, explain, q);
		doc = json_string_value(q->doc);
	}
	return doc ? json_pack("{s:{s:s, s:s}, s:o}", "contents", "kind", "markdown", "value", doc, "range",
	                       lsp_range(q->text, from, name ? from + strlen(name->name) : q->cursor.end)) : NULL;
}

static json_t *define(struct query *q)
{
	const struct lsp_name *name = lsp_names_here(&q->names, q->token);
	struct hd_found found = { NULL };
	const char *file = name ? name->doc : NULL, *text = "", *at;
	char *pointer = NULL, *uri;
	json_t *range;

	if (!name || (name->kind != LSP_FILE && !lsp_name_place(&q->names, name, &file, &text, &pointer)))
		return NULL;
	if (!strcmp(file, q->file))
		text = q->text; /* as it is in the editor, rather than repaired */
	at = pointer ? hd__find(text, pointer, true, &found) : text;
	range = lsp_range(text, at ? (size_t)(at - text) : 0, at ? lsp_token_end(text, (size_t)(at - text)) : 0);
	uri = strcmp(file, q->file) ? uri_of(file) : hd__xstrdup(q->uri);
	free(pointer);
	range = json_pack("{s:s, s:o}", "uri", uri, "range", range);
	free(uri);
	return range;
}

/* ---- requests ------------------------------------------------------------------------------ */

static const struct {
	const char *method;
	json_t *(*answer)(struct query *q);
} requests[] = { { "textDocument/completion", complete }, { "textDocument/hover", hover },
	{ "textDocument/definition", define } };

static json_t *capabilities(void)
{
	return json_pack("{s:{s:{s:b, s:i}, s:{s:[s,s,s,s]}, s:b, s:b}, s:{s:s, s:s}}", "capabilities",
	                 "textDocumentSync", "openClose", 1, "change", 1, "completionProvider", "triggerCharacters",
	                 "\"", ".", "$", ",", "hoverProvider", 1, "definitionProvider", 1, "serverInfo", "name",
	                 "heddle",
	                 "version", PACKAGE_VERSION);
}

/* Documents come whole. */
static void notify(struct server *s, const char *method, const json_t *params)
{
	json_t *document = json_object_get(params, "textDocument");
	json_t *changes = json_object_get(params, "contentChanges");
	json_t *last = json_array_get(changes, json_array_size(changes) - 1);
	json_t *text = json_object_get(strcmp(method, "textDocument/didOpen") ? last : document, "text");
	const char *uri = json_string_value(json_object_get(document, "uri"));

	if (!uri || strncmp(method, "textDocument/did", 16) != 0)
		return;
	if (!strcmp(method, "textDocument/didClose"))
		json_object_del(s->texts, uri);
	else if (json_is_string(text) && strlen(json_string_value(text)) == json_string_length(text))
		json_object_set(s->texts, uri, text);
	else
		return;
	json_object_set_new(s->changed, uri, json_true());
}

static void request(struct server *s, json_t *id, const char *method, const json_t *params)
{
	struct query q;
	json_t *result;

	if (!strcmp(method, "initialize")) {
		s->initialized = true;
		answer(s, id, capabilities());
		return;
	}
	if (!s->initialized || s->shut_down) {
		refuse(s, id, s->shut_down ? INVALID_REQUEST : NOT_INITIALIZED,
		       s->shut_down ? "after shutdown" : "before initialize");
		return;
	}
	if (!strcmp(method, "shutdown")) {
		s->shut_down = true;
		answer(s, id, NULL);
		return;
	}
	for (size_t i = 0; i < sizeof requests / sizeof *requests; i++)
		if (!strcmp(requests[i].method, method)) {
			result = ask(s, params, &q) ? requests[i].answer(&q) : NULL;
			answer(s, id, result);
			if (q.text)
				forget(&q);
			return;
		}
	refuse(s, id, METHOD_NOT_FOUND, method);
}

/* Returns false at the end. */
static bool take(struct server *s, json_t *message)
{
	json_t *id = json_object_get(message, "id");
	const char *method = json_string_value(json_object_get(message, "method"));

	if (method && !strcmp(method, "exit"))
		return false;
	if (!message)
		refuse(s, NULL, PARSE_ERROR, "the message is not JSON");
	else if (method && id)
		request(s, id, method, json_object_get(message, "params"));
	else if (method)
		notify(s, method, json_object_get(message, "params"));
	else if (!json_is_object(message)
	         || (id && !json_object_get(message, "result") && !json_object_get(message, "error")))
		refuse(s, id, INVALID_REQUEST, "expected an object with a method");
	return true;
}

static char *read_text(struct server *s, size_t length)
{
	char *text = hd__xcalloc(length + 1, 1);
	int c;

	for (size_t i = 0; i < length && (c = next_byte(s)) >= 0; i++)
		text[i] = (char)c;
	return text;
}

int lsp_serve(int in, FILE *out, const struct hd_registry *r, const json_t *netlists, const json_t *studies)
{
	struct server *s = hd__xcalloc(1, sizeof *s);
	bool more = true;
	int status;

	s->in = in, s->out = out, s->registry = r, s->netlists = netlists, s->studies = studies;
	s->texts = json_object(), s->changed = json_object();
	while (more) {
		size_t length = read_header(s);
		json_t *message;
		char *text;

		if (length == 0)
			break;
		if (length > LONGEST) {
			refuse(s, NULL, INVALID_REQUEST, "the header has no length, or one above 67108864 bytes");
			continue;
		}
		text = read_text(s, length);
		message = json_loadb(text, length, JSON_DECODE_ANY, NULL);
		more = take(s, message);
		json_decref(message);
		free(text);
		if (more && !is_waiting(s))
			publish_changed(s);
	}
	status = s->shut_down ? HD_EXIT_OK : HD_EXIT_FAILED;
	json_decref(s->texts);
	json_decref(s->changed);
	free(s);
	return status;
}
