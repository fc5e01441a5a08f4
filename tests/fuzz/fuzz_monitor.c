/* fuzz_monitor.c - sends bytes as requests to a run that has a monitor, and reads its answers
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A libFuzzer target with -DHD_LIBFUZZER, else a program that reads the files it is given.  The core of the
 * tutorial waits for a client; the input is what the client sends, a stop behind it.  Every line that
 * comes back must be an object with a "reply" or an "event", and an error has a message.
 * Needs the folder of the source in the environment: srcdir=.. tests/fuzz/fuzz_monitor.
 */
#include "make.h"
#include "tools/monitor/monitor.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/un.h>

#define CYCLES 20000
#define MOST_LINE (8u << 20)

/* ---- time ---- */

/* In place of libev's (--wrap of the linker): what an input reaches does not depend on the machine.  The clock of the
 * host and the monitor goes on when it is read, and a timer is due at once and once only. */
ev_tstamp __wrap_ev_time(void);
void __wrap_ev_timer_start(struct ev_loop *ev, ev_timer *w);
void __wrap_ev_timer_again(struct ev_loop *ev, ev_timer *w);
void __real_ev_timer_start(struct ev_loop *ev, ev_timer *w);
struct ev_loop *__wrap_ev_loop_new(unsigned flags);
struct ev_loop *__real_ev_loop_new(unsigned flags);

static ev_tstamp clock_now;

ev_tstamp __wrap_ev_time(void)
{
	return clock_now += 0.0005;
}

void __wrap_ev_timer_start(struct ev_loop *ev, ev_timer *w)
{
	w->at = 0;
	__real_ev_timer_start(ev, w);
}

void __wrap_ev_timer_again(struct ev_loop *ev, ev_timer *w)
{
	ev_timer_stop(ev, w);
}

/* ---- the client ---- */

/* The client: it sends all of the input at once and reads until the end. */
struct user {
	int fd;
	struct hd_host *host;
	ev_io in;
	char *text; /* the beginning of a line */
	size_t used, cap;
};

static void check_line(const char *line, size_t n)
{
	json_t *o = json_loadb(line, n, 0, NULL);
	const char *reply = json_string_value(json_object_get(o, "reply"));
	const json_t *ok = json_object_get(o, "ok");

	fuzz_must(reply || json_string_value(json_object_get(o, "event")), "an answer", line);
	fuzz_must(!reply || json_is_boolean(ok), "an answer without ok", line);
	fuzz_must(!json_is_false(ok) || json_is_string(json_object_get(o, "error")), "an error without a message",
	          line);
	json_decref(o);
}

/* Returns false at the end. */
static bool receive(struct user *u)
{
	ssize_t n;
	char *end;

	u->text = hd__xreserve(u->text, u->used + 65536, &u->cap, 1);
	n = recv(u->fd, u->text + u->used, 65536, MSG_DONTWAIT);
	if (n <= 0)
		return n < 0 && errno == EAGAIN;
	u->used += (size_t)n;
	while ((end = memchr(u->text, '\n', u->used)) != NULL) {
		size_t length = (size_t)(end + 1 - u->text);

		*end = '\0';
		check_line(u->text, length - 1);
		memmove(u->text, end + 1, u->used - length);
		u->used -= length;
	}
	fuzz_must(u->used < MOST_LINE, "an answer without an end", "");
	return true;
}

static void on_in(struct ev_loop *ev, ev_io *w, int events)
{
	struct user *u = w->data;

	(void)events;
	if (receive(u))
		return;
	ev_io_stop(ev, w); /* the run may be waiting, and no other client resumes it */
	hd__host_stop(u->host);
}

static int connect_to(const char *path)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), room = 4 << 20;

	snprintf(a.sun_path, sizeof a.sun_path, "%s", path);
	if (fd < 0 || connect(fd, (const struct sockaddr *)&a, sizeof a) != 0)
		abort();
	setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
	return fd;
}

static void send_all(int fd, const void *bytes, size_t n)
{
	fuzz_must(send(fd, bytes, n, MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)n,
	          "an input too long for the socket", "");
}

static struct user *user; /* who uses the loop that the host makes next */

struct ev_loop *__wrap_ev_loop_new(unsigned flags)
{
	struct ev_loop *ev = __real_ev_loop_new(flags);

	if (ev)
		ev_io_start(ev, &user->in);
	return ev;
}

static void converse(struct hd_host *h, const char *path, const uint8_t *data, size_t size)
{
	static const char stop[] = "\n{\"request\": \"stop\"}\n";
	struct user u = { .fd = connect_to(path), .host = h };

	if (size)
		send_all(u.fd, data, size);
	send_all(u.fd, stop, sizeof stop - 1);
	ev_io_init(&u.in, on_in, u.fd, EV_READ);
	u.in.data = &u;
	user = &u;
	hd__host_run(h);
	hd__monitor_close(h->monitor);
	while (receive(&u) && recv(u.fd, &(char){ 0 }, 1, MSG_PEEK | MSG_DONTWAIT) > 0)
		;
	close(u.fd);
	free(u.text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *input = fuzz_source("traces/samples", "tiny/kernelslist.g");
	const char *top = getenv("TMPDIR");
	char *path = hd__format("%s/heddle-fuzz-%07ld.socket", top && strlen(top) < 70 ? top : "/tmp", (long)getpid());
	struct hd_options o = { .input = input, .last = UINT64_MAX, .max_cycles = CYCLES };
	struct hd_diags d = { 0 };
	struct hd_host h = { .quiet = true, .paused = true };

	if (size > 65536)
		size = 65536;
	clock_now = 0;
	h.sim = fuzz_tutorial(&o, &d);
	if (!h.sim || !hd__monitor_open(&h, path))
		abort();
	converse(&h, path, data, size);
	hd__sim_free(h.sim);
	hd__diags_free(&d);
	free(path);
	free(input);
	return 0;
}

#include "files.h"
