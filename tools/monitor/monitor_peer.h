/* monitor_peer.h - a run's socket and those connected to it, between monitor.c and monitor_peer.c
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TOOLS_MONITOR_MONITOR_PEER_H
#define TOOLS_MONITOR_MONITOR_PEER_H

#include "monitor.h"

#include <sys/types.h>

/* One that is connected, with how it is connected. */
struct hd_peer {
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
	struct hd_peer *peers[HD_MONITOR_CLIENTS]; /* or NULL */
};

/* One for a connection; takes the file descriptor over. */
struct hd_peer *hd__peer_new(struct hd_monitor *m, int fd);
/* Starts in the loop of its monitor; again in another one after a stop. */
void hd__peer_start(struct hd_peer *p);
void hd__peer_stop(struct hd_peer *p);
/* After anything was said by or to p: what to listen for next, or the end.  p may be gone. */
void hd__peer_look(struct hd_peer *p);
/* Looks soon, but not now. */
void hd__peer_look_soon(struct hd_peer *p);
void hd__peer_drop(struct hd_peer *p);
/* It has gone, or has not read for so many seconds what waits for it. */
bool hd__peer_lost(const struct hd_peer *p, double seconds);
/* There is something to read from it, or to send to it that it may yet take. */
bool hd__peer_busy(const struct hd_peer *p);

#endif
