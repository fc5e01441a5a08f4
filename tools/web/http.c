/* http.c - the HTTP server of the monitor's page: who may ask, what is answered, and when
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A request without the token in its path, or for a host of another name, is refused before anything else is
 * looked at.  What changes a run is a POST.
 */
#include "web.h"
#include "base/embedded.h"

#include <inttypes.h>

#define IDLE 10u        /* seconds after which a silent connection is closed */
#define CONNECTIONS 320u /* at a time; those that have not shown the token have a lower limit, guests.c */
#define GRACE 1.        /* seconds until a step that takes long is answered without its end */
#define TOO_LARGE 413   /* its name differs between versions of the library */
#define PATIENCE 12.    /* seconds until the run is thought to be gone */

static const char policy[] = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
	"connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/* ---- answers ---- */

/* All answers have these headers: nothing is kept, framed, guessed or passed on. */
static struct MHD_Response *dressed(struct MHD_Response *r, const char *type)
{
	hd__xcheck(r);
	MHD_add_response_header(r, "Content-Type", type);
	MHD_add_response_header(r, "Cache-Control", "no-store");
	MHD_add_response_header(r, "Content-Security-Policy", policy);
	MHD_add_response_header(r, "X-Content-Type-Options", "nosniff");
	MHD_add_response_header(r, "X-Frame-Options", "DENY");
	MHD_add_response_header(r, "Referrer-Policy", "no-referrer");
	MHD_add_response_header(r, "Cross-Origin-Resource-Policy", "same-origin");
	return r;
}

/* Takes the text over. */
static struct MHD_Response *response(char *text, const char *type)
{
	return dressed(MHD_create_response_from_buffer(strlen(text), text, MHD_RESPMEM_MUST_FREE), type);
}

static enum MHD_Result send_text(struct MHD_Connection *c, unsigned status, const char *text)
{
	struct MHD_Response *r = response(hd__format("%s\n", text), "text/plain; charset=utf-8");
	enum MHD_Result ok;

	if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
		MHD_add_response_header(r, "Allow", "GET, POST");
	ok = MHD_queue_response(c, status, r);
	MHD_destroy_response(r);
	return ok;
}

/* ---- what a request is ---- */

/* Takes as long for each wrong token. */
static bool same_token(const char *a, const char *b, size_t n)
{
	unsigned char differ = 0;

	for (size_t i = 0; i < n; i++)
		differ |= (unsigned char)(a[i] ^ b[i]);
	return differ == 0;
}

/* What follows the token in "/TOKEN/state"; NULL: it is another token, or none. */
static const char *behind_token(const struct hd_web *w, const char *url)
{
	size_t n = strlen(w->token);

	if (url[0] != '/' || strlen(url + 1) < n || !same_token(url + 1, w->token, n))
		return NULL;
	return url[1 + n] == '/' ? url + 2 + n : NULL;
}

static const char *header(struct MHD_Connection *c, const char *name)
{
	return MHD_lookup_connection_value(c, MHD_HEADER_KIND, name);
}

/* The origin of a page that sends a POST is the server itself. */
static bool own_origin(struct MHD_Connection *c)
{
	const char *origin = header(c, "Origin"), *host = header(c, "Host");

	return !origin || (strncmp(origin, "http://", 7) == 0 && strcmp(origin + 7, host) == 0);
}

/* Looks at the headers: goes on, or sends a refusal. */
static enum MHD_Result admit(struct hd_exchange *x, const char *url, const char *method)
{
	struct hd_web *w = x->web;
	struct MHD_Connection *c = x->connection;
	const char *host = header(c, "Host"), *length = header(c, "Content-Length");

	x->name = behind_token(w, url);
	x->post = strcmp(method, "POST") == 0;
	if (!host || !hd__web_host_fits(w->address.host, host))
		return send_text(c, MHD_HTTP_FORBIDDEN, "forbidden: this is another host");
	if (!x->name)
		return send_text(c, MHD_HTTP_FORBIDDEN,
		                 "forbidden: expected the address that heddle monitor has printed");
	hd__guest_admitted(c);
	if (!x->post && strcmp(method, "GET") != 0)
		return send_text(c, MHD_HTTP_METHOD_NOT_ALLOWED, "expected GET or POST");
	if (x->post && !own_origin(c))
		return send_text(c, MHD_HTTP_FORBIDDEN, "forbidden: the page is of another origin");
	if (length && strtoull(length, NULL, 10) > HD_WEB_BODY)
		return send_text(c, TOO_LARGE, "the body is too long");
	return MHD_YES;
}

/* The page and its parts, by what follows the token. */
static const struct {
	const char *name, *file, *type;
} files[] = {
	{ "", "monitor.html", "text/html; charset=utf-8" },
	{ "colours.css", "colours.css", "text/css; charset=utf-8" },
	{ "monitor.css", "monitor.css", "text/css; charset=utf-8" },
	{ "monitor.js", "monitor.js", "text/javascript; charset=utf-8" },
	{ "monitor_core.js", "monitor_core.js", "text/javascript; charset=utf-8" },
	{ "monitor_tables.js", "monitor_tables.js", "text/javascript; charset=utf-8" },
	{ "theme.js", "theme.js", "text/javascript; charset=utf-8" },
};

/* NULL: it is not one of them. */
static struct MHD_Response *file(const char *name)
{
	for (size_t i = 0; i < sizeof files / sizeof *files; i++)
		if (strcmp(files[i].name, name) == 0) {
			const struct hd_embedded *f = hd__embedded_find(files[i].file);

			return dressed(MHD_create_response_from_buffer(f->size, (void *)(uintptr_t)f->text,
			                                               MHD_RESPMEM_PERSISTENT), files[i].type);
		}
	return NULL;
}

static void poll_state(struct hd_exchange *x)
{
	struct hd_web *w = x->web;
	const char *since = MHD_lookup_connection_value(x->connection, MHD_GET_ARGUMENT_KIND, "since");
	const char *quiet = MHD_lookup_connection_value(x->connection, MHD_GET_ARGUMENT_KIND, "quiet");
	char *end = NULL;
	uint64_t version = since ? strtoull(since, &end, 10) : 0;

	if (since && (end == since || *end))
		return hd__web_refuse(x, MHD_HTTP_BAD_REQUEST, "'since': expected the version of a state");
	x->polls = true;
	x->follows = !quiet;
	x->status = MHD_HTTP_OK;
	x->deadline = ev_now(w->talk.ev) + HD_WEB_POLL;
	x->answered = version != w->version || w->end;
	hd__web_polled(w, !quiet);
}

static void act(struct hd_exchange *x)
{
	const struct hd_web_action *a;
	json_t *members = NULL;
	char *why = NULL;

	a = hd__web_action(x->body, x->used, &members, &why);
	if (!a) {
		hd__web_refuse(x, MHD_HTTP_BAD_REQUEST, why);
		free(why);
	} else if (x->web->end) {
		json_decref(members);
		hd__web_refuse(x, MHD_HTTP_CONFLICT, "the run has ended");
	} else {
		x->slow = a->slow;
		x->deadline = ev_now(x->web->talk.ev) + (a->slow ? GRACE : PATIENCE);
		hd__web_forward(x->web, x, a, members);
	}
}

/* The request is complete: answers it, or leaves it to be answered later. */
static void begin(struct hd_exchange *x)
{
	struct hd_web *w = x->web;

	if (w->http.waiting >= HD_WEB_WAITING)
		hd__web_refuse(x, MHD_HTTP_SERVICE_UNAVAILABLE, "too many requests wait");
	else if (x->post && strcmp(x->name, "do") == 0)
		act(x);
	else if (!x->post && strcmp(x->name, "state") == 0)
		poll_state(x);
	else if (!x->post && strcmp(x->name, "run") == 0)
		hd__web_answer(x, MHD_HTTP_OK, hd__web_constant(w));
	else
		hd__web_refuse(x, MHD_HTTP_NOT_FOUND, "there is nothing at this address");
}

static enum MHD_Result finish(struct hd_exchange *x)
{
	struct MHD_Response *r;
	enum MHD_Result ok;
	char *text = x->answer ? x->answer : hd__web_text(hd__web_state(x->web));

	x->answer = NULL;
	if (x->polls)
		x->web->http.last_seen = ev_now(x->web->talk.ev);
	r = response(text, "application/json");
	ok = MHD_queue_response(x->connection, x->status, r);
	MHD_destroy_response(r);
	return ok;
}

/* ---- exchanges ---- */

static struct hd_exchange *exchange_new(struct hd_web *w, struct MHD_Connection *c)
{
	struct hd_exchange *x = hd__xcalloc(1, sizeof *x);

	x->web = w;
	x->connection = c;
	x->next = w->http.exchanges;
	if (x->next)
		x->next->prev = x;
	w->http.exchanges = x;
	return x;
}

static void on_completed(void *arg, struct MHD_Connection *c, void **place,
                         enum MHD_RequestTerminationCode how)
{
	struct hd_web *w = arg;
	struct hd_exchange *x = *place;

	(void)c;
	(void)how;
	if (!x)
		return;
	if (x->prev)
		x->prev->next = x->next;
	else
		w->http.exchanges = x->next;
	if (x->next)
		x->next->prev = x->prev;
	w->http.waiting -= x->suspended;
	free(x->answer);
	free(x);
	*place = NULL;
}

static enum MHD_Result on_request(void *arg, struct MHD_Connection *c, const char *url,
                                  const char *method, const char *version, const char *data,
                                  size_t *size, void **place)
{
	struct hd_exchange *x = *place;
	struct hd_web *w = arg;
	struct MHD_Response *r;

	(void)version;
	if (!x) { /* its headers are here */
		x = *place = exchange_new(w, c);
		return admit(x, url, method);
	}
	x->name = behind_token(w, url);
	if (*size > 0) {
		if (x->used + *size > HD_WEB_BODY)
			return MHD_NO;
		memcpy(x->body + x->used, data, *size);
		x->used += *size;
		*size = 0;
		return MHD_YES;
	}
	r = x->post ? NULL : file(x->name);
	if (r) {
		enum MHD_Result sent = MHD_queue_response(c, MHD_HTTP_OK, r);

		MHD_destroy_response(r);
		return sent;
	}
	if (!x->answered)
		begin(x);
	if (x->answered)
		return finish(x);
	x->suspended = true;
	w->http.waiting++;
	MHD_suspend_connection(c);
	return MHD_YES;
}

/* ---- in the loop ---- */

static void arm(struct hd_web *w)
{
	struct hd_http *h = &w->http;
	MHD_UNSIGNED_LONG_LONG ms;

	ev_timer_stop(w->talk.ev, &h->timer);
	if (MHD_get_timeout(h->daemon, &ms) != MHD_YES)
		return;
	ev_timer_set(&h->timer, (double)ms / 1000, 0);
	ev_timer_start(w->talk.ev, &h->timer);
}

static void run(struct hd_web *w)
{
	MHD_run(w->http.daemon);
	arm(w);
}

static void on_io(struct ev_loop *ev, ev_io *io, int events)
{
	(void)ev;
	(void)events;
	run(io->data);
}

static void on_timer(struct ev_loop *ev, ev_timer *t, int events)
{
	(void)ev;
	(void)events;
	run(t->data);
}

/* Answers what has waited long enough. */
static void on_deadlines(struct ev_loop *ev, ev_timer *t, int events)
{
	struct hd_web *w = t->data;

	(void)events;
	for (struct hd_exchange *x = w->http.exchanges; x; x = x->next) {
		if (!x->suspended || ev_now(ev) < x->deadline)
			continue;
		if (x->polls)
			hd__web_wake(x);
		else if (x->slow)
			hd__web_answer(x, MHD_HTTP_OK, json_pack("{s:b, s:b}", "ok", 1, "waiting", 1));
		else
			hd__web_refuse(x, MHD_HTTP_GATEWAY_TIMEOUT, "the run does not answer");
	}
}

bool hd__web_serve(struct hd_web *w, int fd)
{
	struct hd_http *h = &w->http;
	const union MHD_DaemonInfo *info;

	h->daemon = MHD_start_daemon(MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, on_request, w,
		MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_CONNECTION_LIMIT, CONNECTIONS,
		MHD_OPTION_CONNECTION_TIMEOUT, IDLE, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
		(size_t)HD_WEB_HEADERS, MHD_OPTION_NOTIFY_COMPLETED, on_completed, w,
		MHD_OPTION_NOTIFY_CONNECTION, hd__guest_came_or_went, w, MHD_OPTION_END);
	info = h->daemon ? MHD_get_daemon_info(h->daemon, MHD_DAEMON_INFO_EPOLL_FD) : NULL;
	if (!info) {
		fputs("heddle: --web: the server could not be started\n", stderr);
		return false;
	}
	ev_io_init(&h->io, on_io, info->epoll_fd, EV_READ);
	ev_timer_init(&h->timer, on_timer, 0, 0);
	ev_timer_init(&h->deadlines, on_deadlines, GRACE / 4, GRACE / 4);
	h->io.data = h->timer.data = h->deadlines.data = w;
	ev_io_start(w->talk.ev, &h->io);
	ev_timer_start(w->talk.ev, &h->timer);
	ev_timer_start(w->talk.ev, &h->deadlines);
	return true;
}

void hd__web_serve_end(struct hd_web *w)
{
	struct hd_http *h = &w->http;

	if (!h->daemon)
		return;
	ev_io_stop(w->talk.ev, &h->io);
	ev_timer_stop(w->talk.ev, &h->deadlines);
	for (struct hd_exchange *x = h->exchanges; x; x = x->next)
		if (x->suspended)
			hd__web_refuse(x, MHD_HTTP_SERVICE_UNAVAILABLE, "the monitor ends");
	MHD_run(h->daemon);
	ev_timer_stop(w->talk.ev, &h->timer);
	MHD_stop_daemon(h->daemon);
}
