/* web_main.c - the program heddle-web: the monitor of a run in a browser
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * heddle monitor --web runs it as "heddle-web [ADDRESS:]PORT MS PATH": what it needs of libraries would make
 * each run begin later.
 */
#include "web.h"
#include "base/exit.h"

#include <errno.h>
#include <signal.h>
#include <sys/random.h>
#include <unistd.h>

#define LAST_CALL 1.5 /* seconds without a request after which no page waits for the end of the run */
#define LONGEST_CALL 5.
#define RECENTLY 60.  /* a page that has asked for news since then is open */

static void make_token(char token[33])
{
	unsigned char bytes[16];

	if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes) {
		fprintf(stderr, "heddle: --web: no random numbers: %s\n", strerror(errno));
		exit(HD_EXIT_FAILED);
	}
	for (size_t i = 0; i < sizeof bytes; i++)
		snprintf(token + 2 * i, 3, "%02x", bytes[i]);
}

/* The run has sent what a page needs first. */
static void on_run_ready(struct hd_web *w)
{
	int fd = w->fd;

	w->serving = true;
	w->fd = -1;
	if (!hd__web_serve(w, fd)) {
		hd__talk_end(&w->talk, HD_EXIT_FAILED);
		return;
	}
	if (!w->address.loopback)
		fprintf(stderr, "heddle: --web: %s can be reached from other machines, and what is sent there is not "
		        "encrypted: who reads the token can control the run\n", w->address.shown);
	printf("http://%s/%s/\n", w->address.shown, w->token);
	fflush(stdout);
}

static void on_signal(struct ev_loop *ev, ev_signal *s, int events)
{
	struct hd_web *w = s->data;

	(void)ev;
	(void)events;
	w->left = true;
	hd__talk_end(&w->talk, HD_EXIT_OK);
}

static void start_signals(struct hd_web *w)
{
	ev_signal_init(&w->interrupt, on_signal, SIGINT);
	ev_signal_init(&w->terminate, on_signal, SIGTERM);
	ev_signal_init(&w->hang_up, on_signal, SIGHUP);
	w->interrupt.data = w->terminate.data = w->hang_up.data = w;
	ev_signal_start(w->talk.ev, &w->interrupt);
	ev_signal_start(w->talk.ev, &w->terminate);
	ev_signal_start(w->talk.ev, &w->hang_up);
}

/* A second signal ends the program at once. */
static void stop_signals(struct hd_web *w)
{
	ev_signal_stop(w->talk.ev, &w->interrupt);
	ev_signal_stop(w->talk.ev, &w->terminate);
	ev_signal_stop(w->talk.ev, &w->hang_up);
}

static void on_last_call(struct ev_loop *ev, ev_timer *t, int events)
{
	const struct hd_web *w = t->data;

	(void)events;
	if (ev_now(ev) - w->http.last_seen > LAST_CALL)
		ev_break(ev, EVBREAK_ALL);
}

static void on_time_out(struct ev_loop *ev, ev_timer *t, int events)
{
	(void)t;
	(void)events;
	ev_break(ev, EVBREAK_ALL);
}

/* Serves open pages until they have got the end. */
static void say_goodbye(struct hd_web *w)
{
	struct ev_loop *ev = w->talk.ev;
	ev_timer last, longest;

	if (!w->serving || !w->http.daemon || ev_now(ev) - w->http.last_seen > RECENTLY)
		return;
	w->http.last_seen = ev_now(ev);
	ev_timer_init(&last, on_last_call, LAST_CALL / 8, LAST_CALL / 8);
	ev_timer_init(&longest, on_time_out, LONGEST_CALL, 0);
	last.data = w;
	ev_timer_start(ev, &last);
	ev_timer_start(ev, &longest);
	ev_run(ev, 0);
	ev_timer_stop(ev, &last);
	ev_timer_stop(ev, &longest);
}

static int watch(struct hd_web *w)
{
	int status;

	start_signals(w);
	status = hd__talk_run(&w->talk);
	stop_signals(w);
	ev_now_update(w->talk.ev);
	hd__web_run_ended(w, w->left ? "left" : "lost", w->talk.error);
	say_goodbye(w);
	hd__web_serve_end(w);
	if (w->talk.finished && w->seen.update) {
		hd__show_line(stdout, &w->seen, w->seen.update);
		putchar('\n');
	}
	return status;
}

int main(int argc, char **argv)
{
	struct hd_web w = { .ready = on_run_ready, .fd = -1 };
	int status = HD_EXIT_USAGE;

	signal(SIGPIPE, SIG_IGN);
	if (argc != 4) {
		fputs("usage: heddle monitor --web=[ADDRESS:]PORT PATH\n", stderr);
		return HD_EXIT_USAGE;
	}
	w.period = (unsigned)strtoul(argv[2], NULL, 10);
	make_token(w.token);
	if (hd__web_address(&w.address, argv[1]) && (w.fd = hd__web_listen(&w.address)) >= 0
	    && hd__web_run_open(&w, argv[3])) {
		status = watch(&w);
		hd__web_run_close(&w);
	}
	if (w.fd >= 0)
		close(w.fd);
	free(w.address.host);
	free(w.address.shown);
	return status;
}
