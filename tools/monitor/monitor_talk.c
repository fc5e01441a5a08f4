/* monitor_talk.c - a connection to a run that may vanish, hang or send garbage
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "base/exit.h"
#include "monitor_talk.h"
#include "monitor.h"

#include <errno.h>
#include <inttypes.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define LONGEST_LINE (16u << 20) /* four times what a run sends at once */

void hd__talk_end(struct hd_talk *t, int status)
{
	t->status = status;
	ev_io_stop(t->ev, &t->in);
	ev_timer_stop(t->ev, &t->patience);
	ev_break(t->ev, EVBREAK_ALL);
}

void hd__talk_fail(struct hd_talk *t, const char *fmt, ...)
{
	va_list ap;

	if (t->error)
		return;
	va_start(ap, fmt);
	t->error = hd__xvprintf(fmt, ap);
	va_end(ap);
	hd__talk_end(t, HD_EXIT_FAILED);
}

void hd__talk_expect(struct hd_talk *t, double seconds)
{
	ev_timer_stop(t->ev, &t->patience);
	if (seconds <= 0 || t->error)
		return;
	t->patience_for = seconds;
	ev_now_update(t->ev);
	ev_timer_set(&t->patience, seconds, 0);
	ev_timer_start(t->ev, &t->patience);
}

int hd__talk_run(struct hd_talk *t)
{
	if (!t->error)
		ev_run(t->ev, 0);
	return t->status;
}

static void on_patience(struct ev_loop *ev, ev_timer *w, int events)
{
	struct hd_talk *t = w->data;

	(void)ev;
	(void)events;
	if (t->silence && t->hello)
		t->silence(t->arg);
	else
		hd__talk_fail(t, "no answer for %.0f s", t->patience_for);
}

void hd__talk_ask(struct hd_talk *t, const char *name, json_t *members)
{
	json_t *o = json_pack("{s:s, s:I}", "request", name, "id", (json_int_t)++t->id);
	char *text;
	size_t n;

	if (members)
		json_object_update(o, members);
	text = hd__xcheck(json_dumps(o, JSON_COMPACT));
	n = strlen(text);
	text[n++] = '\n';
	/* a request is short: a socket without room for it is not being read */
	if (send(t->fd, text, n, MSG_NOSIGNAL | MSG_DONTWAIT) != (ssize_t)n
	    && (errno == EAGAIN || errno == EWOULDBLOCK))
		hd__talk_fail(t, "the run does not read requests");
	/* other errors appear when the answer is read */
	free(text);
	json_decref(o);
	json_decref(members);
	hd__talk_expect(t, HD_TALK_PATIENCE);
}

bool hd__talk_answers(const struct hd_talk *t, const json_t *o)
{
	return json_is_string(json_object_get(o, "reply"))
	       && (uint64_t)json_integer_value(json_object_get(o, "id")) == t->id;
}

static void greet(struct hd_talk *t, json_t *o)
{
	const json_t *protocol = json_object_get(o, "protocol");

	if (!json_is_string(json_object_get(o, "heddle")) || !json_is_integer(protocol)
	    || !hd__talk_answers(t, o)) {
		hd__talk_fail(t, "the socket does not belong to a run of heddle");
		return;
	}
	if (json_integer_value(protocol) != HD_MONITOR_PROTOCOL) {
		hd__talk_fail(t, "the run of heddle %s uses protocol %" JSON_INTEGER_FORMAT
		              "; expected %d", json_string_value(json_object_get(o, "heddle")),
		              json_integer_value(protocol), HD_MONITOR_PROTOCOL);
		return;
	}
	t->hello = json_incref(o);
	hd__talk_expect(t, 0);
	t->ready(t->arg);
}

static void take(struct hd_talk *t, const char *text, size_t n)
{
	json_error_t bad;
	json_t *o = json_loadb(text, n, JSON_REJECT_DUPLICATES, &bad);
	const char *event = json_string_value(json_object_get(o, "event"));

	if (!json_is_object(o)) {
		hd__talk_fail(t, "expected a JSON object from the run, found '%.60s'", text);
	} else if (event && strcmp(event, "refused") == 0) {
		const char *why = json_string_value(json_object_get(o, "error"));

		hd__talk_fail(t, "refused: %s", why ? why : "?");
	} else if (!t->hello) {
		greet(t, o);
	} else {
		t->finished = t->finished || (event && strcmp(event, "finished") == 0);
		t->line(t->arg, o, text);
	}
	json_decref(o);
}

#define AT_ONCE 65536 /* bytes */

static void on_in(struct ev_loop *ev, ev_io *w, int events)
{
	struct hd_talk *t = w->data;
	char *end, *from = t->buf;
	ssize_t n;

	(void)ev;
	(void)events;
	t->buf = from = hd__xreserve(t->buf, t->used + AT_ONCE, &t->cap, 1);
	n = recv(t->fd, t->buf + t->used, t->cap - t->used, MSG_DONTWAIT);
	if (n < 0 && (errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK))
		return;
	if (n <= 0) {
		if (t->finished)
			hd__talk_end(t, HD_EXIT_OK);
		else
			hd__talk_fail(t, t->hello ? "the run has ended" : "no run answers there");
		return;
	}
	end = memchr(t->buf + t->used, '\n', (size_t)n);
	t->used += (size_t)n;
	while (end && ev_is_active(w)) {
		*end = '\0';
		take(t, from, (size_t)(end - from));
		from = end + 1;
		end = memchr(from, '\n', t->used - (size_t)(from - t->buf));
	}
	if (!ev_is_active(w))
		return;
	t->used -= (size_t)(from - t->buf);
	memmove(t->buf, from, t->used);
	if (t->used > LONGEST_LINE)
		hd__talk_fail(t, "a line of the run has more than %u bytes", LONGEST_LINE);
}

#define TRIES 500 /* a run accepts connections one after another */
#define PAUSE 20000000 /* ns */

static bool patient_connect(int fd, const struct sockaddr_un *a)
{
	const struct timespec pause = { .tv_nsec = PAUSE };

	for (int i = 0; connect(fd, (const struct sockaddr *)a, sizeof *a) != 0; i++) {
		if (errno != EAGAIN || i == TRIES)
			return false;
		nanosleep(&pause, NULL);
	}
	return true;
}

bool hd__talk_open(struct hd_talk *t, const char *path)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };

	t->path = path;
	t->status = HD_EXIT_FAILED;
	if (strlen(path) >= sizeof a.sun_path) {
		fprintf(stderr, "heddle: '%s' has %zu bytes; the path of a socket has at most %zu\n", path,
		        strlen(path), sizeof a.sun_path - 1);
		return false;
	}
	strcpy(a.sun_path, path);
	t->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (t->fd < 0 || !patient_connect(t->fd, &a)) {
		fprintf(stderr, "heddle: %s: %s\n", path, errno == ECONNREFUSED
		        ? "no run listens there" : errno == EAGAIN
		        ? "the run has not answered others yet" : strerror(errno));
		if (t->fd >= 0)
			close(t->fd);
		return false;
	}
	t->ev = ev_default_loop(0);
	if (!t->ev) {
		fputs("heddle: the event loop could not be started\n", stderr);
		exit(HD_EXIT_FAILED);
	}
	ev_io_init(&t->in, on_in, t->fd, EV_READ);
	ev_timer_init(&t->patience, on_patience, HD_TALK_PATIENCE, 0);
	t->in.data = t->patience.data = t;
	ev_io_start(t->ev, &t->in);
	hd__talk_ask(t, "hello", NULL);
	return true;
}

void hd__talk_close(struct hd_talk *t)
{
	if (t->error) {
		fprintf(stderr, "heddle: %s: ", t->path);
		hd__show_text(stderr, t->error);
		fputc('\n', stderr);
		free(t->error);
	}
	ev_io_stop(t->ev, &t->in);
	ev_timer_stop(t->ev, &t->patience);
	ev_loop_destroy(t->ev);
	close(t->fd);
	free(t->buf);
	json_decref(t->hello);
}
