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
#include <poll.h>
#include <unistd.h>

#define LONGEST (64u << 20) /* bytes of a message */

enum { PARSE_ERROR = -32700, INVALID_REQUEST = -32600, METHOD_NOT_FOUND = -32601, NOT_INITIALIZED = -32002 };

struct server {
	FILE *in, *out;
	const struct hd_registry *registry;
	const json_t *netlists, *studies; /* schemas */
	json_t *texts;   /* of open documents, by URI */
	json_t *changed; /* URIs of those that have not been checked since */
	bool initialized, shut_down;
};

/* ---- messages ------------------------------------------------------------------------------ */

/* Finds the next header, whatever is in front of it.  Returns false if there is no other one. */
static bool read_header(FILE *in, size_t *length)
{
	static const char name[] = "content-length:";
	char *line = NULL, *at;
	size_t room = 0;
	bool found = false, ended = false;

	while (!ended && getline(&line, &room, in) > 0) {
		ended = found && line[strspn(line, "\r\n")] == '\0';
		at = strcasestr(line, name);
		if (at) {
			*length = strtoull(at + sizeof name - 1, NULL, 10);
			found = true;
		}
	}
	free(line);
	return ended;
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

/* The path of a URI; the URI itself if it is of no file. */
static char *path_of(const char *uri)
{
	char *path = hd__xstrdup(strncmp(uri, "file://", 7) == 0 ? uri + 7 : uri), *out = path;
	unsigned char coded;
	int n;

	for (const char *p = path; *p; p += n > 0 ? 3 : 1) {
		n = *p == '%' && isxdigit((unsigned char)p[1]) ? sscanf(p + 1, "%2hhx", &coded) : 0;
		n = n > 0 && isxdigit((unsigned char)p[2]) && coded > 0;
		*out++ = n > 0 ? (char)coded : *p;
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
		at = lsp_byte(text, m->line - 1, m->column - 1, false);
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
	json_t *list = json_array(), *document = text ? lsp_read(text, &nowhere) : NULL;
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

static json_t *complete(const struct server *s, const struct lsp_names *l)
{
	const struct lsp_cursor *c = &l->cursor;
	json_t *items = json_array(), *labels = json_object();
	size_t begin = c->begin + l->from, end;

	(void)s;
	for (size_t i = l->defined; i < l->n; i++) {
		const struct lsp_name *name = &l->v[i];
		const char *quote = c->quoted || name->bare ? "" : "\"", *close = name->suffix[0] ? "" : quote;
		char *text = hd__format("%s%s%s%s%s", quote, name->name, name->suffix, close,
		                        c->key && *close ? ": " : "");

		end = begin > c->at ? begin : c->at;
		if (c->quoted && !strcmp(name->name, l->token + (l->from < strlen(l->token) ? l->from : 0)))
			end = begin + strlen(name->name);
		if (!json_object_get(labels, name->name))
			json_array_append_new(items, json_pack(
				"{s:s, s:i, s:s*, s:{s:o, s:s}}", "label", name->name, "kind", (int)name->kind,
				"documentation", name->doc, "textEdit", "range", lsp_range(l->text, begin, end),
				"newText", text));
		json_object_set_new(labels, name->name, json_true());
		free(text);
	}
	json_decref(labels);
	return items;
}

/* What is known of the name, else of the value that is there. */
static json_t *hover(const struct server *s, const struct lsp_names *l)
{
	const struct lsp_name *name = lsp_names_here(l);
	const struct lsp_cursor *c = &l->cursor;
	const json_t *schema = json_object_get(l->document, "study") ? s->studies : s->netlists;
	char *pointer = c->key ? hd__pointer_add(c->pointer, l->token) : hd__xstrdup(c->pointer ? c->pointer : "");
	json_t *about = lsp_schemas(schema, l->document, pointer), *answer = NULL;
	size_t from = c->begin + l->from, to = from + l->length;
	const char *doc = name ? name->doc : NULL;

	for (size_t i = 0; !doc && i < json_array_size(about); i++)
		doc = json_string_value(json_object_get(json_array_get(about, i), "description"));
	if (doc)
		answer = json_pack("{s:{s:s, s:s}, s:o}", "contents", "kind", "markdown", "value", doc, "range",
		                   lsp_range(l->text, name ? from : c->begin, name ? to : c->end));
	json_decref(about);
	free(pointer);
	return answer;
}

static json_t *define(const struct server *s, const struct lsp_names *l)
{
	const struct lsp_name *name = lsp_names_here(l);
	struct hd_found found = { NULL };
	const char *file = name ? name->doc : NULL, *text = "", *at;
	char *pointer = NULL, *uri;
	json_t *place;

	(void)s;
	if (!name || (name->kind != LSP_FILE && !lsp_name_place(l, name, &file, &text, &pointer)))
		return NULL;
	if (!strcmp(file, l->file))
		text = l->text; /* as it is in the editor, rather than repaired */
	at = pointer ? hd__find(text, pointer, true, &found) : text;
	at = at ? at : text;
	uri = strcmp(file, l->file) ? uri_of(file) : hd__xstrdup(l->uri);
	place = json_pack("{s:s, s:o}", "uri", uri, "range",
	                  lsp_range(text, (size_t)(at - text), lsp_token_end(text, (size_t)(at - text))));
	free(pointer);
	free(uri);
	return place;
}

/* ---- requests ------------------------------------------------------------------------------ */

static const struct {
	const char *method;
	json_t *(*answer)(const struct server *s, const struct lsp_names *l);
} requests[] = { { "textDocument/completion", complete }, { "textDocument/hover", hover },
	{ "textDocument/definition", define } };

/* NULL: the document is not open. */
static json_t *ask(const struct server *s, size_t request, const json_t *params)
{
	const char *uri = json_string_value(json_object_get(json_object_get(params, "textDocument"), "uri"));
	const char *text = uri ? json_string_value(json_object_get(s->texts, uri)) : NULL;
	const json_t *at = json_object_get(params, "position");
	struct lsp_names *names;
	json_t *result;
	char *file;

	if (!text)
		return NULL;
	names = hd__xcalloc(1, sizeof *names);
	*names = (struct lsp_names){ .registry = s->registry, .uri = uri, .text = text };
	names->file = file = path_of(uri);
	names->cursor.at = lsp_byte(text, json_integer_value(json_object_get(at, "line")),
	                            json_integer_value(json_object_get(at, "character")), true);
	lsp_names_find(names, s->netlists, s->studies);
	result = requests[request].answer(s, names);
	lsp_names_free(names);
	free(names);
	free(file);
	return result;
}

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
			answer(s, id, ask(s, i, params));
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

int lsp_serve(FILE *in, FILE *out, const struct hd_registry *r, const json_t *netlists, const json_t *studies)
{
	struct server s = { in, out, r, netlists, studies, json_object(), json_object(), false, false };
	struct pollfd waiting = { .fd = fileno(in), .events = POLLIN };
	bool more = true;
	size_t length = 0;

	setvbuf(in, NULL, _IONBF, 0); /* so that poll() sees what has come */
	while (more && read_header(in, &length)) {
		char *text = length > 0 && length <= LONGEST ? hd__xcalloc(length, 1) : NULL;
		json_t *message;

		if (!text) {
			refuse(&s, NULL, INVALID_REQUEST, "the header has no length, or one above 67108864 bytes");
			continue;
		}
		length = fread(text, 1, length, in);
		message = json_loadb(text, length, JSON_DECODE_ANY, NULL);
		more = take(&s, message);
		json_decref(message);
		free(text);
		if (more && poll(&waiting, 1, 0) <= 0)
			publish_changed(&s);
	}
	json_decref(s.texts);
	json_decref(s.changed);
	return s.shut_down ? HD_EXIT_OK : HD_EXIT_FAILED;
}
