/* monitor.c - the socket at which a run answers: clients, lines in, lines out
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * All watchers have the lowest priority and the simulation's idle watcher a higher one: it gets its
 * slice in each round of the loop, however much clients have to say.
 */
#include "monitor.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define ACCEPT_AGAIN 1.      /* seconds, when there are no more file descriptors */
#define STALLED 10.          /* seconds after which one that reads nothing may lose its place */
#define LAST_WORDS 1.        /* seconds at the end of a run for those who read slowly */
#define SHARE 80.            /* a client gets this part of the time: one in 80 */
#define QUEUE_FULL 65536u    /* no more requests are read from one who leaves so much unread */

/* One that is connected, with how it is connected. */
struct peer {
	struct hd_client client; /* the first: a client is cast to this */
	int fd;
	bool eof, closing;       /* it says no more; close it when it has read everything */
	ev_io in, out;
	ev_timer again, updates; /* reading goes on; subscribed */
	char *line;              /* HD_MONITOR_LINE bytes */
	size_t used;
	char *queue;
	size_t head, tail, cap;
	double moved;            /* when something last went out of a full queue */
};

struct hd_monitor {
	struct hd_host *host;
	struct ev_loop *ev;
	char *path;
	dev_t device;
	ino_t inode;
	int fd;
	ev_io listen;
	ev_timer listen_again;
	struct peer *peers[HD_MONITOR_CLIENTS]; /* or NULL */
};

static struct peer *peer_of(struct hd_client *c)
{
	return (struct peer *)c;
}

struct hd_host *hd__monitor_host(const struct hd_monitor *m)
{
	return m->host;
}

/* ---- out ---- */

static size_t unsent(const struct peer *p)
{
	return p->tail - p->head;
}

static void drop(struct peer *p)
{
	struct hd_monitor *m = p->client.m;

	ev_io_stop(m->ev, &p->in);
	ev_io_stop(m->ev, &p->out);
	ev_timer_stop(m->ev, &p->again);
	ev_timer_stop(m->ev, &p->updates);
	close(p->fd);
	for (unsigned i = 0; i < HD_MONITOR_CLIENTS; i++)
		if (m->peers[i] == p)
			m->peers[i] = NULL;
	json_decref(p->client.wait_id);
	json_decref(p->client.last);
	free(p->line);
	free(p->queue);
	free(p);
}

static bool wants_more(const struct peer *p)
{
	return p->used > 0 || p->client.waits || p->client.period > 0;
}

/* Sends what the socket takes.  Errors show at the next look: the caller still uses p. */
static void flush(struct peer *p)
{
	while (unsent(p) > 0) {
		ssize_t n = send(p->fd, p->queue + p->head, unsent(p), MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK) {
			p->head = p->tail; /* nobody is there any more */
			p->eof = p->closing = true;
		}
		if (n <= 0)
			break;
		p->head += (size_t)n;
		p->moved = ev_time();
	}
	if (unsent(p) == 0) {
		p->head = p->tail = 0;
		if (p->cap > QUEUE_FULL) {
			free(p->queue);
			p->queue = NULL;
			p->cap = 0;
		}
	}
}

static void serve_in(struct peer *p, double seconds)
{
	ev_timer_stop(p->client.m->ev, &p->again);
	ev_timer_set(&p->again, seconds, 0);
	ev_timer_start(p->client.m->ev, &p->again);
}

/* After anything was said by or to p: what to listen for next, or the end.  p may be gone. */
static void look_again(struct peer *p)
{
	struct ev_loop *ev = p->client.m->ev;
	bool busy = unsent(p) > QUEUE_FULL;

	if (unsent(p) == 0 && (p->closing || (p->eof && !wants_more(p)))) {
		drop(p);
		return;
	}
	if (unsent(p) > 0)
		ev_io_start(ev, &p->out);
	else
		ev_io_stop(ev, &p->out);
	if (p->eof || p->closing || busy || p->used == HD_MONITOR_LINE || ev_is_active(&p->again))
		ev_io_stop(ev, &p->in);
	else
		ev_io_start(ev, &p->in);
	if (p->used > 0 && !p->closing && !busy && !ev_is_active(&p->again)
	    && (p->eof || memchr(p->line, '\n', p->used)))
		serve_in(p, 0);
}

static bool enqueue(struct peer *p, const char *text, size_t n)
{
	if (unsent(p) + n > HD_MONITOR_QUEUE)
		return false;
	if (p->head > 0 && p->tail + n > p->cap) {
		memmove(p->queue, p->queue + p->head, unsent(p));
		p->tail -= p->head;
		p->head = 0;
	}
	if (p->tail + n > p->cap) {
		p->cap = p->tail + n < 4096 ? 4096 : p->tail + n;
		p->queue = hd__xrealloc(p->queue, p->cap);
	}
	if (unsent(p) == 0)
		p->moved = ev_time();
	memcpy(p->queue + p->tail, text, n);
	p->tail += n;
	return true;
}

bool hd__client_send(struct hd_client *c, json_t *line)
{
	struct peer *p = peer_of(c);
	char *text = json_dumps(line, JSON_COMPACT | JSON_REAL_PRECISION(9));
	bool ok = false;

	json_decref(line);
	if (text) {
		size_t n = strlen(text);

		text[n] = '\n'; /* in place of its end */
		ok = enqueue(p, text, n + 1);
	}
	free(text);
	if (ok && !p->closing)
		flush(p);
	return ok;
}

static void on_out(struct ev_loop *ev, ev_io *w, int events)
{
	struct peer *p = w->data;

	(void)ev;
	(void)events;
	flush(p);
	look_again(p);
}

/* ---- in ---- */

static void refuse_line(struct peer *p)
{
	hd__client_send(&p->client, json_pack("{s:s, s:b, s:o}", "reply", "", "ok", 0, "error",
	                json_sprintf("a line has more than %u bytes; expected a JSON object",
	                             HD_MONITOR_LINE - 1)));
	p->closing = true;
	p->used = 0;
}

/* Does what the first line in the buffer asks.  False: there is none. */
static bool take_line(struct peer *p)
{
	char *end = memchr(p->line, '\n', p->used);
	size_t n = end ? (size_t)(end - p->line) : p->used;

	if (p->used == 0 || p->closing)
		return false;
	if (!end && p->used == HD_MONITOR_LINE) {
		refuse_line(p);
		return false;
	}
	if (!end && !p->eof)
		return false;
	if (strspn(p->line, " \t\r\n") < n)
		hd__monitor_request(&p->client, p->line, n);
	if (end)
		n++;
	memmove(p->line, p->line + n, p->used - n);
	p->used -= n;
	p->line[p->used] = '\0';
	return true;
}

/* One request in a round, and the next one only when its share of the time allows that. */
static void serve(struct peer *p)
{
	struct hd_monitor *m = p->client.m;
	double begin = ev_time(), spent;

	if (unsent(p) <= QUEUE_FULL && take_line(p)) {
		spent = ev_time() - begin;
		if (!m->host->paused && !hd__host_over(m->host) && spent > 0)
			serve_in(p, SHARE * spent);
	}
	look_again(p);
}

static void on_again(struct ev_loop *ev, ev_timer *w, int events)
{
	struct peer *p = w->data;

	(void)events;
	ev_timer_stop(ev, w);
	serve(p);
}

static bool looks(const struct peer *p, short events)
{
	struct pollfd f = { .fd = p->fd, .events = events };

	return poll(&f, 1, 0) > 0 && (f.revents & (events ? events : POLLHUP | POLLERR));
}

static bool hung_up(const struct peer *p)
{
	return looks(p, 0);
}

static void on_in(struct ev_loop *ev, ev_io *w, int events)
{
	struct peer *p = w->data;
	ssize_t n;

	(void)ev;
	(void)events;
	n = recv(p->fd, p->line + p->used, HD_MONITOR_LINE - p->used, MSG_DONTWAIT);
	if (n < 0 && (errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK))
		return;
	if (n > 0) {
		p->used += (size_t)n;
		p->line[p->used] = '\0';
	} else {
		/* it may have closed only its half, and still read */
		p->eof = true;
		p->closing = n < 0;
		if (hung_up(p)) {
			p->client.period = 0;
			p->client.waits = NULL;
		}
	}
	serve(p);
}

/* ---- updates ---- */

static void on_update(struct ev_loop *ev, ev_timer *w, int events)
{
	struct peer *p = w->data;
	double begin = ev_time(), spent;

	(void)events;
	if (unsent(p) > 0) { /* the last one has not gone yet */
		p->client.skipped++;
	} else {
		hd__monitor_update(&p->client, "update");
		spent = (ev_time() - begin) * SHARE;
		p->client.pause = spent > p->client.period ? spent : p->client.period;
	}
	w->repeat = p->client.pause;
	ev_timer_again(ev, w);
	look_again(p);
}

void hd__client_subscribed(struct hd_client *c)
{
	struct peer *p = peer_of(c);

	ev_timer_stop(c->m->ev, &p->updates);
	if (c->period <= 0)
		return;
	ev_timer_set(&p->updates, 0, c->period);
	ev_timer_start(c->m->ev, &p->updates);
}

void hd__monitor_changed(struct hd_monitor *m)
{
	for (unsigned i = 0; i < HD_MONITOR_CLIENTS; i++) {
		struct peer *p = m->peers[i];

		if (!p || p->closing)
			continue;
		if (p->client.waits)
			hd__monitor_arrived(&p->client);
		/* not at once: who asked for the change may be in the middle of an answer */
		if (p->client.period > 0)
			hd__client_subscribed(&p->client);
		if (!ev_is_active(&p->again))
			serve_in(p, 0);
	}
}

/* ---- connecting ---- */

static void start_peer(struct hd_monitor *m, struct peer *p)
{
	ev_io_init(&p->in, on_in, p->fd, EV_READ);
	ev_io_init(&p->out, on_out, p->fd, EV_WRITE);
	ev_timer_init(&p->again, on_again, 0, 0);
	ev_timer_init(&p->updates, on_update, 0, 0);
	p->in.data = p->out.data = p->again.data = p->updates.data = p;
	ev_set_priority(&p->in, EV_MINPRI);
	ev_set_priority(&p->out, EV_MINPRI);
	ev_set_priority(&p->again, EV_MINPRI);
	ev_set_priority(&p->updates, EV_MINPRI);
	p->client.m = m;
}

/* A free place; if there is none, that of one who left or has not read for long. */
static struct peer **place(struct hd_monitor *m)
{
	double now = ev_time();

	for (unsigned i = 0; i < HD_MONITOR_CLIENTS; i++) {
		struct peer *p = m->peers[i];

		if (p && (hung_up(p) || (unsent(p) > 0 && now - p->moved > STALLED)))
			drop(p);
		if (!m->peers[i])
			return &m->peers[i];
	}
	return NULL;
}

static void on_listen(struct ev_loop *ev, ev_io *w, int events)
{
	struct hd_monitor *m = w->data;
	struct peer **at, *p;
	int fd = accept4(m->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

	(void)events;
	if (fd < 0) {
		if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS) {
			ev_io_stop(ev, w);
			ev_timer_set(&m->listen_again, ACCEPT_AGAIN, 0);
			ev_timer_start(ev, &m->listen_again);
		}
		return;
	}
	at = place(m);
	if (!at) {
		char text[120];
		int n = snprintf(text, sizeof text, "{\"event\":\"refused\",\"error\":\"%u clients are "
		                 "connected, which is all that there may be\"}\n", HD_MONITOR_CLIENTS);

		if (send(fd, text, (size_t)n, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
			errno = 0; /* then it is not told */
		close(fd);
		return;
	}
	p = *at = hd__xcalloc(1, sizeof *p);
	p->line = hd__xcalloc(1, HD_MONITOR_LINE + 1);
	p->fd = fd;
	start_peer(m, p);
	ev_io_start(ev, &p->in);
}

static void on_listen_again(struct ev_loop *ev, ev_timer *w, int events)
{
	struct hd_monitor *m = w->data;

	(void)events;
	ev_io_start(ev, &m->listen);
}

/* ---- beginning and end ---- */

/* Removes a socket at which nobody listens.  False: something else is there, *why says what. */
static bool remove_stale(const struct sockaddr_un *a, const char **why)
{
	struct stat st;
	int fd, error = 0;

	if (lstat(a->sun_path, &st) != 0)
		return errno == ENOENT || (*why = strerror(errno), false);
	if (!S_ISSOCK(st.st_mode)) {
		*why = "is there and not a socket; expected a path where nothing is";
		return false;
	}
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0) {
		*why = strerror(errno);
		return false;
	}
	if (connect(fd, (const struct sockaddr *)a, sizeof *a) != 0)
		error = errno;
	close(fd);
	if (error != ECONNREFUSED) {
		*why = error == 0 || error == EAGAIN ? "is the socket of another run" : strerror(error);
		return false;
	}
	return unlink(a->sun_path) == 0 || (*why = strerror(errno), false);
}

/* A socket that listens, or -1.  Only its owner may connect, from the first moment on. */
static int listen_at(const struct sockaddr_un *a, const char **why)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), bad;
	mode_t before = umask(S_IXUSR | S_IRWXG | S_IRWXO);

	bad = fd < 0 || bind(fd, (const struct sockaddr *)a, sizeof *a) != 0;
	umask(before);
	if (bad || listen(fd, (int)HD_MONITOR_CLIENTS) != 0) {
		*why = strerror(errno);
		if (!bad)
			unlink(a->sun_path);
		if (fd >= 0)
			close(fd);
		return -1;
	}
	return fd;
}

struct hd_monitor *hd__monitor_open(const char *path)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	const char *why = "is not a path";
	struct hd_monitor *m;
	struct stat st;
	int fd = -1;

	if (strlen(path) >= sizeof a.sun_path) {
		fprintf(stderr, "heddle: --monitor: '%s' has %zu bytes; the path of a socket has at most "
		        "%zu\n", path, strlen(path), sizeof a.sun_path - 1);
		return NULL;
	}
	strcpy(a.sun_path, path);
	if (path[0] && remove_stale(&a, &why))
		fd = listen_at(&a, &why);
	if (fd < 0 || lstat(path, &st) != 0) {
		fprintf(stderr, "heddle: --monitor: '%s': %s\n", path, why);
		return NULL;
	}
	m = hd__xcalloc(1, sizeof *m);
	m->path = hd__xstrdup(path);
	m->fd = fd;
	m->device = st.st_dev;
	m->inode = st.st_ino;
	return m;
}

void hd__monitor_attach(struct hd_monitor *m, struct hd_host *h, struct ev_loop *ev)
{
	m->host = h;
	m->ev = ev;
	ev_io_init(&m->listen, on_listen, m->fd, EV_READ);
	ev_timer_init(&m->listen_again, on_listen_again, 0, 0);
	m->listen.data = m->listen_again.data = m;
	ev_set_priority(&m->listen, EV_MINPRI);
	ev_set_priority(&m->listen_again, EV_MINPRI);
	ev_io_start(ev, &m->listen);
}

static void stop_listening(struct hd_monitor *m)
{
	struct stat st;

	if (m->fd < 0)
		return;
	/* unless somebody has put something else there */
	if (lstat(m->path, &st) == 0 && st.st_dev == m->device && st.st_ino == m->inode)
		unlink(m->path);
	close(m->fd);
	m->fd = -1;
}

void hd__monitor_detach(struct hd_monitor *m)
{
	/* who is in the queue has connected, and will hear how it ended */
	for (unsigned i = 0; i < HD_MONITOR_CLIENTS && m->ev; i++)
		on_listen(m->ev, &m->listen, EV_READ);
	ev_io_stop(m->ev, &m->listen);
	ev_timer_stop(m->ev, &m->listen_again);
	stop_listening(m);
	for (unsigned i = 0; i < HD_MONITOR_CLIENTS; i++) {
		struct peer *p = m->peers[i];

		if (!p)
			continue;
		ev_io_stop(m->ev, &p->in);
		ev_io_stop(m->ev, &p->out);
		ev_timer_stop(m->ev, &p->again);
		ev_timer_stop(m->ev, &p->updates);
	}
	m->ev = NULL;
}

/* Lets everybody ask and read until all has been said, or for `seconds`. */
static void last_rounds(struct hd_monitor *m, double seconds)
{
	double until = ev_time() + seconds;
	bool busy = true;

	while (busy && ev_time() < until) {
		busy = false;
		ev_run(m->ev, EVRUN_NOWAIT);
		for (unsigned i = 0; i < HD_MONITOR_CLIENTS; i++) {
			struct peer *p = m->peers[i];

			busy = busy || (p && (unsent(p) > 0 || ev_is_active(&p->again)
			                      || (!p->eof && looks(p, POLLIN))));
		}
		if (busy)
			ev_sleep(0.002);
	}
}

void hd__monitor_close(struct hd_monitor *m)
{
	if (!m)
		return;
	stop_listening(m);
	m->ev = m->host ? ev_loop_new(EVFLAG_AUTO) : NULL;
	for (unsigned i = 0; i < HD_MONITOR_CLIENTS && m->ev; i++) {
		struct peer *p = m->peers[i];

		if (!p)
			continue;
		start_peer(m, p);
		look_again(p);
	}
	if (m->ev) {
		last_rounds(m, LAST_WORDS);
		for (unsigned i = 0; i < HD_MONITOR_CLIENTS; i++) {
			struct peer *p = m->peers[i];

			if (!p)
				continue;
			if (p->client.waits)
				hd__monitor_arrived(&p->client);
			if (p->client.period > 0)
				hd__monitor_update(&p->client, "finished");
			p->closing = true;
			look_again(p);
		}
		last_rounds(m, LAST_WORDS);
		for (unsigned i = 0; i < HD_MONITOR_CLIENTS; i++)
			if (m->peers[i])
				drop(m->peers[i]);
		ev_loop_destroy(m->ev);
	}
	free(m->path);
	free(m);
}
