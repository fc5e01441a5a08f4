/* monitor.h - lets clients watch and control a run through a Unix socket
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The protocol is described in docs/monitor.md.  A client may hang, send garbage or flood: each has
 * bounded memory and a bounded share of the time, and nothing waits for it.
 */
#ifndef TOOLS_MONITOR_MONITOR_H
#define TOOLS_MONITOR_MONITOR_H

#include "host.h"
#include "kernel/stats/deadlock.h"

#include <ev.h>

#define HD_MONITOR_PROTOCOL 1
#define HD_MONITOR_CLIENTS 8u
#define HD_MONITOR_LINE 65536u           /* bytes of a request with its newline */
#define HD_MONITOR_QUEUE (4u << 20)      /* bytes that may wait for a client */
#define HD_MONITOR_COUNTERS 40000u       /* in one answer, so that it fits into the queue */
#define HD_MONITOR_BUFFERS 10000u
#define HD_MONITOR_WAITS 1000u
#define HD_MONITOR_EACH 400u             /* instances in a picture of each */

struct hd_monitor;

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

/* ---- monitor.c: socket, clients, lines ---- */

/* hd__monitor_open() and hd__monitor_close() are in cmd.h. */
/* Starts to answer in the loop; *h must stay valid until the close. */
void hd__monitor_attach(struct hd_monitor *m, struct hd_host *h, struct ev_loop *ev);
/* Called when the loop ends.  No further client can connect; connected clients stay. */
void hd__monitor_detach(struct hd_monitor *m);
/* Called when the state changed or a goal was reached: notifies clients that wait for it or
 * subscribed. */
void hd__monitor_changed(struct hd_monitor *m);
/* Something else changed that updates have: sends one to each client that subscribed. */
void hd__monitor_news(struct hd_monitor *m);

struct hd_host *hd__monitor_host(const struct hd_monitor *m);
/* Made when they are first asked for. */
struct hd_buffers *hd__monitor_buffers(struct hd_monitor *m);
/* Sends a line and drops the reference to it.  Returns false without sending if there is no
 * room. */
bool hd__client_send(struct hd_client *c, json_t *line);
/* c->period has changed; the first update comes at once. */
void hd__client_subscribed(struct hd_client *c);

/* ---- monitor_status.c ---- */

/* A number as JSON. */
json_t *hd__monitor_number(uint64_t n);
/* The members of "status". */
json_t *hd__monitor_status(const struct hd_host *h);
/* Lines "  PATH: TEXT" as [ { path, text } ]. */
json_t *hd__monitor_lines(const char *lines);
/* Sends an update, under the name of this event. */
void hd__monitor_update(struct hd_client *c, const char *event);

/* ---- monitor_request.c ---- */

/* Carries out the request in one line, and answers. */
void hd__monitor_request(struct hd_client *c, const char *line, size_t size);
/* Answers "step" or "until" with the present state. */
void hd__monitor_arrived(struct hd_client *c);

#endif
