/* monitor.h - lets clients watch and control a run through a Unix socket
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * host.h has hd__monitor_open() and hd__monitor_close().
 *
 * The protocol is described in docs/monitor.md.  A client may hang, send garbage or flood: each has
 * bounded memory and a bounded share of the time, and nothing waits for it.
 */
#ifndef TOOLS_MONITOR_MONITOR_H
#define TOOLS_MONITOR_MONITOR_H

#include "host.h"
#include "kernel/stats/deadlock.h"

#include <ev.h>
#include <sys/types.h>

#define HD_MONITOR_PROTOCOL 1
#define HD_MONITOR_CLIENTS 8u
#define HD_MONITOR_LINE 65536u           /* bytes of a request with its newline */
#define HD_MONITOR_QUEUE (4u << 20)      /* bytes that may wait for a client */
#define HD_MONITOR_COUNTERS 40000u       /* in one answer, so that it fits into the queue */
#define HD_MONITOR_BUFFERS 10000u
#define HD_MONITOR_WAITS 1000u
#define HD_MONITOR_EACH 400u             /* instances in a picture of each */

/* A connected client, as far as requests are concerned. */
struct hd_client {
	struct hd_monitor *m;
	/* a goal that this client waits for, "step" or "until"; NULL: none */
	const char *waits;
	json_t *wait_id;
	/* updates */
	double period;    /* seconds; 0: not subscribed */
	double pause;     /* before the next update: the period, longer if updates are expensive */
	bool buffers;     /* updates have what the buffers hold */
	uint64_t updates, skipped;
	json_t *last;     /* totals in the last update */
};

/* A client with its connection. */
struct hd_peer {
	struct hd_client client; /* the first: a client is cast to this */
	int fd;
	bool eof, closing;       /* it sends no more; close it when it has read everything */
	ev_io in, out;
	ev_timer again, updates; /* resumes reading; sends updates */
	char *line;              /* HD_MONITOR_LINE bytes */
	size_t used;
	char *queue;
	size_t head, tail, cap;
	double moved;            /* when a full queue last shrank */
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
	struct hd_peer *peers[HD_MONITOR_CLIENTS]; /* or NULL */
	struct hd_buffers *buffers; /* or NULL */
	/* Of monitor_request.c, for peers: carries out a line, sends an update. */
	void (*request)(struct hd_client *c, const char *line, size_t size);
	void (*update)(struct hd_client *c, const char *event);
};

/* ---- monitor_peer.c: clients and their lines ---- */

/* A peer for a connection; takes the file descriptor over. */
struct hd_peer *hd__peer_new(struct hd_monitor *m, int fd);
/* Starts it in the loop of its monitor; again in another loop after a stop. */
void hd__peer_start(struct hd_peer *p);
void hd__peer_stop(struct hd_peer *p);
/* After anything was read from or sent to p: chooses what to wait for next, or ends it.  p may be
 * freed. */
void hd__peer_look(struct hd_peer *p);
/* Does hd__peer_look() soon but not now. */
void hd__peer_look_soon(struct hd_peer *p);
void hd__peer_drop(struct hd_peer *p);
/* Has the client gone, or not read its queue for so many seconds? */
bool hd__peer_lost(const struct hd_peer *p, double seconds);
/* Is there something to read from it, or to send to it? */
bool hd__peer_busy(const struct hd_peer *p);

/* Sends a line and drops the reference to it.  Returns false without sending if there is no
 * room. */
bool hd__client_send(struct hd_client *c, json_t *line);
/* c->period has changed; the first update comes at once. */
void hd__client_subscribed(struct hd_client *c);

/* ---- monitor_request.c: requests and answers ---- */

/* Carries out the request in one line, and answers. */
void hd__monitor_request(struct hd_client *c, const char *line, size_t size);
/* Sends an update, under the name of this event. */
void hd__monitor_update(struct hd_client *c, const char *event);
/* Answers "step" or "until" with the present state. */
void hd__monitor_arrived(struct hd_client *c);
/* Notifies clients that wait for a goal or subscribed: the state changed or a goal was reached. */
void hd__monitor_changed(struct hd_monitor *m);

#endif
