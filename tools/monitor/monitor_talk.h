/* monitor_talk.h - the client of a run's socket: messages in, requests out, and their display
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TOOLS_MONITOR_MONITOR_TALK_H
#define TOOLS_MONITOR_MONITOR_TALK_H

#include "host.h"

#include <ev.h>

/* ---- monitor_talk.c: the connection ---- */

#define HD_TALK_PATIENCE 10. /* seconds; a run answers between two slices, practically at once */

struct hd_talk {
	const char *path;
	struct ev_loop *ev;
	int fd;
	ev_io in;
	ev_timer patience;  /* runs while an answer is due */
	double patience_for; /* seconds */
	char *buf;
	size_t used, cap;
	uint64_t id;        /* of the last request */
	json_t *hello;      /* the greeting of the run, once received */
	bool finished;      /* the run has reported its end */
	/* Called for each line but the greeting; `text` is the line. */
	void (*line)(void *arg, json_t *o, const char *text);
	/* Called after the greeting. */
	void (*ready)(void *arg);
	/* Called if the run did not answer in time; NULL: that is a failure. */
	void (*silence)(void *arg);
	void *arg;
	char *error;        /* printed by hd__talk_close(), when the screen is restored */
	int status;         /* exit status */
};

/* Connects and waits for the greeting.  Returns false after printing an error. */
bool hd__talk_open(struct hd_talk *t, const char *path);
/* Sends {"request": name, "id": ..., and the members}; drops the members, which may be NULL. */
void hd__talk_ask(struct hd_talk *t, const char *name, json_t *members);
/* Is this the answer to the last request? */
bool hd__talk_answers(const struct hd_talk *t, const json_t *o);
/* A line is due within so many seconds; 0: at any time. */
void hd__talk_expect(struct hd_talk *t, double seconds);
/* Keeps the first error, and ends the loop with HD_EXIT_FAILED. */
void hd__talk_fail(struct hd_talk *t, const char *fmt, ...) HD_PRINTF(2, 3);
void hd__talk_end(struct hd_talk *t, int status);
/* Runs until one of these two is called.  Returns the exit status. */
int hd__talk_run(struct hd_talk *t);
void hd__talk_close(struct hd_talk *t);

/* ---- monitor_show.c: messages as text ---- */

/* The last two updates that differ in their cycle. */
struct hd_seen {
	const json_t *hello;
	json_t *update, *moved, *before; /* the last; the last that moved; the one before it */
};

/* Takes a reference.  Returns false if it is not an update. */
bool hd__seen_update(struct hd_seen *s, json_t *o);
void hd__seen_free(struct hd_seen *s);
/* "cycle 1,200, running, ..." without a newline; `o` is an update, or an answer with a status. */
void hd__show_line(FILE *out, const struct hd_seen *s, const json_t *o);
struct hd_screen {
	unsigned columns, rows; /* rows 0: no limit */
	bool styled;            /* bold, inverse, and each line cleared after its text */
	const char *foot;       /* in the last row, or NULL */
};
void hd__show_table(FILE *out, const struct hd_seen *s, const struct hd_screen *c);
/* Text without control characters, which a terminal could interpret. */
void hd__show_text(FILE *out, const char *text);

/* ---- monitor_view.c ---- */

/* Shows updates until the run ends or the user leaves. */
struct hd_view_options {
	unsigned period; /* ms; 0: as suits the output */
	bool once, json;
};
int hd__view(const char *path, const struct hd_view_options *o);

#endif
