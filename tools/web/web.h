/* web.h - the monitor in a browser: a page about a run, and what it asks for
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * One thread: an event loop with the connection to the run and the HTTP server.  Each request of a browser
 * is an exchange; one that waits for the run, or for news from it, is suspended and costs nothing.
 */
#ifndef TOOLS_WEB_WEB_H
#define TOOLS_WEB_WEB_H

#include "tools/monitor/monitor_talk.h"

#include <microhttpd.h>
#include <sys/socket.h>

#define HD_WEB_BODY 4096u     /* most bytes of a request's body */
#define HD_WEB_HEADERS 16384u /* most bytes of its headers */
#define HD_WEB_WAITING 32u    /* most exchanges that wait */
#define HD_WEB_POLL 20.       /* seconds until a page that waits for news is answered without any */

/* ---- web_address.c ---- */

struct hd_web_address {
	struct sockaddr_storage socket;
	socklen_t size;
	char *host;      /* as given; "127.0.0.1" if only a port is */
	char *shown;     /* "127.0.0.1:8080", with the port that it has got */
	bool loopback;
};

/* Reads "[HOST:]PORT".  Returns false after printing an error. */
bool hd__web_address(struct hd_web_address *a, const char *text);
/* A listening socket; fills a->shown.  -1 after printing an error. */
int hd__web_listen(struct hd_web_address *a);
/* May a request have this Host?  Addresses, "localhost" and the given name may; other names may be those of
 * somewhere else that point here only now. */
bool hd__web_host_fits(const char *given, const char *host);

/* ---- action.c ---- */

/* What a page may request of the run. */
struct hd_web_action {
	const char *name;
	bool slow; /* answered when the run has got there */
};

/* The request in the body, with its members in *members, which is to be dropped.  NULL with *why a message, to
 * be freed, if there is none. */
const struct hd_web_action *hd__web_action(const char *body, size_t n, json_t **members, char **why);

/* ---- http.c ---- */

struct hd_web;

/* A request of a browser. */
struct hd_exchange {
	struct hd_web *web;
	struct hd_exchange *next, *prev;
	struct MHD_Connection *connection;
	const char *name;      /* behind the token: "state"; or NULL */
	bool post, polls, follows, suspended, answered, slow;
	double deadline;       /* while it is suspended */
	uint64_t id;           /* of the request to the run that it waits for; 0: none */
	unsigned status;
	char *answer;          /* JSON; NULL: the state */
	char body[HD_WEB_BODY + 1];
	size_t used;
};

struct hd_http {
	struct MHD_Daemon *daemon;
	ev_io io;
	ev_timer timer, deadlines;
	struct hd_exchange *exchanges;
	unsigned waiting;
	struct hd_guest *guests;    /* connections that have not shown the token, the oldest first */
	unsigned nguests;
	double last_seen;           /* a page asked for news, or was answered */
};

/* Takes over the socket.  Returns false after printing an error. */
bool hd__web_serve(struct hd_web *w, int fd);
void hd__web_serve_end(struct hd_web *w);

/* ---- the whole ---- */

struct hd_web {
	struct hd_talk talk;
	struct hd_http http;
	struct hd_web_address address;
	char token[33];
	unsigned period;       /* ms between updates that a page follows */
	int fd;                /* listens, until the server has it */
	/* of the run */
	json_t *buffers;       /* or NULL, */
	json_t *no_buffers;    /* with a message */
	json_t *pictures[2];   /* answers of the run: of arrays, of each instance */
	bool wants_buffers;    /* updates are to have them */
	uint64_t asked;        /* id of a request of our own that is not answered; 0: none */
	void (*answered)(struct hd_web *w, const json_t *o); /* takes its answer */
	struct hd_seen seen;   /* updates */
	unsigned subscribed;   /* ms, or 0 */
	double followed;       /* when a page last asked for each update */
	bool silent;
	const char *end;       /* "finished", "lost", "left"; NULL: it goes on */
	char *message;         /* why, or NULL */
	uint64_t version;      /* of the state */
	ev_signal interrupt, terminate, hang_up;
	ev_timer look;         /* whether pages still follow */
	bool left;             /* by a signal */
	bool serving;          /* pages */
	void (*ready)(struct hd_web *w); /* called when the first update is here */
};

/* ---- exchange.c ---- */

/* The text of JSON, which is dropped. */
char *hd__web_text(json_t *o);
/* The exchange has what it waited for. */
void hd__web_wake(struct hd_exchange *x);
/* Answers with JSON, which is dropped. */
void hd__web_answer(struct hd_exchange *x, unsigned status, json_t *body);
void hd__web_refuse(struct hd_exchange *x, unsigned status, const char *why);
/* The state has changed: answers the pages that wait for that. */
void hd__web_news(struct hd_web *w);

/* ---- guests.c ---- */

/* Called by the server for each new connection, and for each that has ended. */
void hd__guest_came_or_went(void *web, struct MHD_Connection *c, void **place,
                            enum MHD_ConnectionNotificationCode what);
/* The connection has shown the token. */
void hd__guest_admitted(struct MHD_Connection *c);

/* ---- web_run.c ---- */

/* A page has asked for news; it follows if it shows each update. */
void hd__web_polled(struct hd_web *w, bool follows);
/* Sends a request for the exchange, which is answered with the run's answer. */
void hd__web_forward(struct hd_web *w, struct hd_exchange *x, const struct hd_web_action *a, json_t *members);
/* The state, and what is constant of a run, as JSON. */
json_t *hd__web_state(const struct hd_web *w);
json_t *hd__web_constant(const struct hd_web *w);

/* Connects.  Returns false after printing an error. */
bool hd__web_run_open(struct hd_web *w, const char *path);
/* Notifies the pages that there are no further news. */
void hd__web_run_ended(struct hd_web *w, const char *end, const char *message);
void hd__web_run_close(struct hd_web *w);

#endif
