/* monitor.c - the socket of a run: accepting clients, start and end
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "monitor.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define ACCEPT_AGAIN 1.      /* seconds, when there are no more file descriptors */
#define STALLED 10.          /* seconds after which a client that reads nothing may be dropped */
#define LAST_WORDS .5        /* seconds at the end of a run for slow clients */

/* ---- connecting ---- */

/* A free slot; if there is none, that of a client that left or has not read for long. */
static struct hd_peer **place(struct hd_monitor *m)
{
	for (unsigned i = 0; i < HD_MONITOR_CLIENTS; i++)
		if (!m->peers[i])
			return &m->peers[i];
	for (unsigned i = 0; i < HD_MONITOR_CLIENTS; i++)
		if (hd__peer_lost(m->peers[i], STALLED)) {
			hd__peer_drop(m->peers[i]);
			return &m->peers[i];
		}
	return NULL;
}

static void on_listen(struct ev_loop *ev, ev_io *w, int events)
{
	struct hd_monitor *m = w->data;
	struct hd_peer **at;
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
		                 "connected, which is the maximum\"}\n", HD_MONITOR_CLIENTS);

		if (send(fd, text, (size_t)n, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
			errno = 0; /* then the client gets no message */
		close(fd);
		return;
	}
	*at = hd__peer_new(m, fd);
	hd__peer_start(*at);
}

static void on_listen_again(struct ev_loop *ev, ev_timer *w, int events)
{
	struct hd_monitor *m = w->data;

	(void)events;
	ev_io_start(ev, &m->listen);
}

/* ---- start and end ---- */

/* Removes a stale socket.  Returns false if something else is there, with *why a message. */
static bool remove_stale(const struct sockaddr_un *a, const char **why)
{
	struct stat st;
	int fd, error = 0;

	if (lstat(a->sun_path, &st) != 0)
		return errno == ENOENT || (*why = strerror(errno), false);
	if (!S_ISSOCK(st.st_mode)) {
		*why = "exists and is not a socket; expected a path that does not exist";
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

/* A listening socket, or -1.  Only its owner may connect, from the first moment on. */
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

static void attach(struct hd_monitor *m, struct hd_host *h, struct ev_loop *ev)
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
	/* unless the path was replaced meanwhile */
	if (lstat(m->path, &st) == 0 && st.st_dev == m->device && st.st_ino == m->inode)
		unlink(m->path);
	close(m->fd);
	m->fd = -1;
}

static void detach(struct hd_monitor *m)
{
	/* clients in the queue have connected, and get the final message */
	for (unsigned i = 0; i < HD_MONITOR_CLIENTS && m->ev; i++)
		on_listen(m->ev, &m->listen, EV_READ);
	ev_io_stop(m->ev, &m->listen);
	ev_timer_stop(m->ev, &m->listen_again);
	stop_listening(m);
	for (unsigned i = 0; i < HD_MONITOR_CLIENTS; i++) {
		struct hd_peer *p = m->peers[i];

		if (p)
			hd__peer_stop(p);
	}
	m->ev = NULL;
}

bool hd__monitor_open(struct hd_host *h, const char *path)
{
	static const struct hd_host_calls calls = { attach, hd__monitor_changed, detach };
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	const char *why = "is not a path";
	struct hd_monitor *m;
	struct stat st;
	int fd = -1;

	if (strlen(path) >= sizeof a.sun_path) {
		fprintf(stderr, "heddle: --monitor: '%s' has %zu bytes; the path of a socket has at most "
		        "%zu\n", path, strlen(path), sizeof a.sun_path - 1);
		return false;
	}
	strcpy(a.sun_path, path);
	if (path[0] && remove_stale(&a, &why))
		fd = listen_at(&a, &why);
	if (fd < 0 || lstat(path, &st) != 0) {
		fprintf(stderr, "heddle: --monitor: '%s': %s\n", path, why);
		return false;
	}
	m = hd__xcalloc(1, sizeof *m);
	m->path = hd__xstrdup(path);
	m->fd = fd;
	m->device = st.st_dev;
	m->inode = st.st_ino;
	m->request = hd__monitor_request;
	m->update = hd__monitor_update;
	h->monitor = m;
	h->calls = &calls;
	return true;
}

/* Serves all clients until every answer is sent, or for `seconds`. */
static void last_rounds(struct hd_monitor *m, double seconds)
{
	double until = ev_time() + seconds;
	bool busy = true;

	while (busy && ev_time() < until) {
		busy = false;
		ev_run(m->ev, EVRUN_NOWAIT);
		for (unsigned i = 0; i < HD_MONITOR_CLIENTS; i++) {
			struct hd_peer *p = m->peers[i];

			busy = busy || (p && hd__peer_busy(p));
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
		struct hd_peer *p = m->peers[i];

		if (p)
			hd__peer_start(p);
	}
	if (m->ev) {
		last_rounds(m, LAST_WORDS);
		for (unsigned i = 0; i < HD_MONITOR_CLIENTS; i++) {
			struct hd_peer *p = m->peers[i];

			if (!p)
				continue;
			if (p->client.waits)
				hd__monitor_arrived(&p->client);
			if (p->client.period > 0)
				hd__monitor_update(&p->client, "finished");
			p->closing = true;
			hd__peer_look(p);
		}
		last_rounds(m, LAST_WORDS);
		for (unsigned i = 0; i < HD_MONITOR_CLIENTS; i++)
			if (m->peers[i])
				hd__peer_drop(m->peers[i]);
		ev_loop_destroy(m->ev);
	}
	hd__buffers_free(m->buffers);
	free(m->path);
	free(m);
}
