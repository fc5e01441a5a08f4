/* monitor_peer.c - one connection to a run: lines in, lines out, with bounded memory and time
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * All watchers have the lowest priority and the simulation's idle watcher a higher one: it gets its
 * slice in each round of the loop, however much clients send.
 */
#include "monitor.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#define SHARE 80.         /* a client gets one in so many parts of the time */
#define QUEUE_FULL 65536u /* no more requests are read from a client that leaves so much unread */
#define SLOW .25          /* seconds without reading after which the end waits no longer */

static struct hd_peer *peer_of(struct hd_client *c)
{
	return (struct hd_peer *)c;
}

/* ---- out ---- */

static size_t unsent(const struct hd_peer *p)
{
	return p->tail - p->head;
}

void hd__peer_drop(struct hd_peer *p)
{
	struct hd_monitor *m = p->client.m;

	hd__peer_stop(p);
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

static bool wants_more(const struct hd_peer *p)
{
	return p->used > 0 || p->client.waits || p->client.period > 0;
}

/* Sends as much as the socket accepts.  Errors are handled later: the caller still uses p. */
static void flush(struct hd_peer *p)
{
	while (unsent(p) > 0) {
		ssize_t n = send(p->fd, p->queue + p->head, unsent(p), MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK) {
			p->head = p->tail; /* the client is gone */
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

static void serve_in(struct hd_peer *p, double seconds)
{
	ev_timer_stop(p->client.m->ev, &p->again);
	ev_timer_set(&p->again, seconds, 0);
	ev_timer_start(p->client.m->ev, &p->again);
}

void hd__peer_look(struct hd_peer *p)
{
	struct ev_loop *ev = p->client.m->ev;
	bool busy = unsent(p) > QUEUE_FULL;

	if (unsent(p) == 0 && (p->closing || (p->eof && !wants_more(p)))) {
		hd__peer_drop(p);
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

static bool enqueue(struct hd_peer *p, const char *text, size_t n)
{
	if (unsent(p) + n > HD_MONITOR_QUEUE)
		return false;
	if (p->head > 0 && p->tail + n > p->cap) {
		memmove(p->queue, p->queue + p->head, unsent(p));
		p->tail -= p->head;
		p->head = 0;
	}
	p->queue = hd__xreserve(p->queue, p->tail + n, &p->cap, 1);
	if (unsent(p) == 0)
		p->moved = ev_time();
	memcpy(p->queue + p->tail, text, n);
	p->tail += n;
	return true;
}

bool hd__client_send(struct hd_client *c, json_t *line)
{
	struct hd_peer *p = peer_of(c);
	char *text = json_dumps(line, JSON_COMPACT | JSON_REAL_PRECISION(15));
	bool ok = false;

	json_decref(line);
	if (text) {
		size_t n = strlen(text);

		text[n] = '\n'; /* replaces the terminator */
		ok = enqueue(p, text, n + 1);
	}
	free(text);
	if (ok && !p->closing)
		flush(p);
	return ok;
}

static void on_out(struct ev_loop *ev, ev_io *w, int events)
{
	struct hd_peer *p = w->data;

	(void)ev;
	(void)events;
	flush(p);
	hd__peer_look(p);
}

/* ---- in ---- */

static void refuse_line(struct hd_peer *p)
{
	hd__client_send(&p->client, json_pack("{s:s, s:b, s:o}", "reply", "", "ok", 0, "error",
	                json_sprintf("a line has more than %u bytes; expected a JSON object",
	                             HD_MONITOR_LINE - 1)));
	p->closing = true;
	p->used = 0;
}

/* Carries out the first line in the buffer.  Returns false if there is none. */
static bool take_line(struct hd_peer *p)
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
		p->client.m->request(&p->client, p->line, n);
	if (end)
		n++;
	memmove(p->line, p->line + n, p->used - n);
	p->used -= n;
	p->line[p->used] = '\0';
	return true;
}

/* One request in a round, and the next one only when the client's share of the time allows it. */
static void serve(struct hd_peer *p)
{
	struct hd_monitor *m = p->client.m;
	double begin = ev_time(), spent;

	if (unsent(p) <= QUEUE_FULL && take_line(p)) {
		spent = ev_time() - begin;
		if (!m->host->paused && !hd__host_over(m->host) && spent > 0)
			serve_in(p, SHARE * spent);
	}
	hd__peer_look(p);
}

static void on_again(struct ev_loop *ev, ev_timer *w, int events)
{
	struct hd_peer *p = w->data;

	(void)events;
	ev_timer_stop(ev, w);
	serve(p);
}

static bool looks(const struct hd_peer *p, short events)
{
	struct pollfd f = { .fd = p->fd, .events = events };

	return poll(&f, 1, 0) > 0 && (f.revents & (events ? events : POLLHUP | POLLERR));
}

static bool hung_up(const struct hd_peer *p)
{
	return looks(p, 0);
}

static void on_in(struct ev_loop *ev, ev_io *w, int events)
{
	struct hd_peer *p = w->data;
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
		/* the client may have closed only its half, and still read */
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
	struct hd_peer *p = w->data;
	double begin = ev_time(), spent;

	(void)events;
	if (unsent(p) > 0) { /* the last update is not sent yet */
		p->client.skipped++;
	} else {
		p->client.m->update(&p->client, "update");
		spent = (ev_time() - begin) * SHARE;
		p->client.pause = spent > p->client.period ? spent : p->client.period;
	}
	w->repeat = p->client.pause;
	ev_timer_again(ev, w);
	hd__peer_look(p);
}

void hd__client_subscribed(struct hd_client *c)
{
	struct hd_peer *p = peer_of(c);

	ev_timer_stop(c->m->ev, &p->updates);
	if (c->period <= 0)
		return;
	ev_timer_set(&p->updates, 0, c->period);
	ev_timer_start(c->m->ev, &p->updates);
}

/* ---- beginning and end ---- */

struct hd_peer *hd__peer_new(struct hd_monitor *m, int fd)
{
	struct hd_peer *p = hd__xcalloc(1, sizeof *p);

	p->line = hd__xcalloc(1, HD_MONITOR_LINE + 1);
	p->fd = fd;
	p->client.m = m;
	return p;
}

void hd__peer_start(struct hd_peer *p)
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
	hd__peer_look(p);
}

void hd__peer_stop(struct hd_peer *p)
{
	struct ev_loop *ev = p->client.m->ev;

	ev_io_stop(ev, &p->in);
	ev_io_stop(ev, &p->out);
	ev_timer_stop(ev, &p->again);
	ev_timer_stop(ev, &p->updates);
}

void hd__peer_look_soon(struct hd_peer *p)
{
	if (!ev_is_active(&p->again))
		serve_in(p, 0);
}

bool hd__peer_lost(const struct hd_peer *p, double seconds)
{
	return hung_up(p) || (unsent(p) > 0 && ev_time() - p->moved > seconds);
}

bool hd__peer_busy(const struct hd_peer *p)
{
	return (unsent(p) > 0 && ev_time() - p->moved < SLOW) || ev_is_active(&p->again)
	       || (!p->eof && !p->closing && looks(p, POLLIN));
}
