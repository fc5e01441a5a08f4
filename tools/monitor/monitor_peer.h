/* monitor_peer.h - a run's socket and its clients, shared by monitor.c and monitor_peer.c
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TOOLS_MONITOR_MONITOR_PEER_H
#define TOOLS_MONITOR_MONITOR_PEER_H

#include "monitor.h"

#include <sys/types.h>

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
};

/* A peer for a connection; takes the file descriptor over. */
struct hd_peer *hd__peer_new(struct hd_monitor *m, int fd);
/* Starts it in the loop of its monitor; again in another loop after a stop. */
void hd__peer_start(struct hd_peer *p);
void hd__peer_stop(struct hd_peer *p);
/* After anything was read from or sent to p: chooses what to wait for next, or ends it.  p may be
 * freed. */
void hd__peer_look(struct hd_peer *p);
/* The same, soon but not now. */
void hd__peer_look_soon(struct hd_peer *p);
void hd__peer_drop(struct hd_peer *p);
/* Has the client gone, or not read its queue for so many seconds? */
bool hd__peer_lost(const struct hd_peer *p, double seconds);
/* Is there something to read from it, or to send to it? */
bool hd__peer_busy(const struct hd_peer *p);

#endif
