/* monitor_view.c - shows a run while it runs: a table on a terminal, else a line for each update
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "base/exit.h"
#include "monitor_talk.h"

#include <signal.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#define TERMINAL_PERIOD 250u /* ms */
#define LINE_PERIOD 1000u
#define FEWEST_COLUMNS 40u
#define MOST_COLUMNS 120u
#define SILENCE " no update"
#define KEYS " p pause  r resume  s step  S 1,000 steps  q quit"

struct view {
	struct hd_talk talk;
	struct hd_view_options opt;
	struct hd_seen seen;
	bool screen, keys;       /* the terminal shows the table; its keys are read one by one */
	struct termios before;
	double patience;         /* seconds within which an update is due */
	char note[80];           /* why a key did nothing */
	ev_io in;
	ev_signal interrupt, terminate, hang_up, resize, suspend;
	int ended_by;            /* a signal, or 0 */
};

/* ---- the terminal ---- */

static void enter_screen(struct view *v)
{
	struct termios raw;

	if (!v->screen)
		return;
	if (v->keys && tcgetattr(STDIN_FILENO, &v->before) == 0) {
		raw = v->before;
		raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
		raw.c_cc[VMIN] = 1;
		raw.c_cc[VTIME] = 0;
		tcsetattr(STDIN_FILENO, TCSANOW, &raw);
	}
	fputs("\033[?1049h\033[?25l\033[2J", stdout);
	fflush(stdout);
}

static void leave_screen(struct view *v)
{
	if (!v->screen)
		return;
	fputs("\033[?25h\033[?1049l", stdout);
	fflush(stdout);
	if (v->keys)
		tcsetattr(STDIN_FILENO, TCSANOW, &v->before);
}

static struct hd_screen measure(void)
{
	struct winsize w;
	struct hd_screen s = { .columns = 80, .rows = 24 };

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col > 0 && w.ws_row > 0) {
		s.columns = w.ws_col;
		s.rows = w.ws_row;
	}
	if (s.columns < FEWEST_COLUMNS)
		s.columns = FEWEST_COLUMNS;
	if (s.columns > MOST_COLUMNS)
		s.columns = MOST_COLUMNS;
	return s;
}

static void draw(struct view *v)
{
	struct hd_screen s = measure();

	if (!v->screen || !v->seen.update)
		return;
	s.styled = true;
	s.foot = v->note[0] ? v->note : v->keys ? KEYS : " Ctrl-C ends";
	fputs("\033[H", stdout);
	hd__show_table(stdout, &v->seen, &s);
	fputs("\033[J", stdout);
	fflush(stdout);
}

/* ---- messages from the run ---- */

static void on_ready(void *arg)
{
	struct view *v = arg;
	unsigned period = v->opt.period ? v->opt.period : v->screen ? TERMINAL_PERIOD : LINE_PERIOD;

	v->seen.hello = v->talk.hello;
	v->patience = HD_TALK_PATIENCE + 2. * period / 1000;
	hd__talk_ask(&v->talk, "subscribe", json_pack("{s:i}", "period", (int)period));
}

/* The run may have been suspended: on the screen that is only noted. */
static void on_silence(void *arg)
{
	struct view *v = arg;

	if (!v->screen) {
		hd__talk_fail(&v->talk, "no answer for %.0f s", v->talk.patience_for);
		return;
	}
	snprintf(v->note, sizeof v->note, SILENCE " for %.0f s", v->talk.patience_for);
	draw(v);
}

static void take_reply(struct view *v, const json_t *o)
{
	const char *error = json_string_value(json_object_get(o, "error"));

	if (!error)
		v->note[0] = '\0';
	else if (!v->seen.update)
		hd__talk_fail(&v->talk, "%s", error);
	else
		snprintf(v->note, sizeof v->note, " %s", error);
	draw(v);
}

static void on_line(void *arg, json_t *o, const char *text)
{
	struct view *v = arg;

	hd__talk_expect(&v->talk, v->patience);
	if (!json_is_string(json_object_get(o, "event"))) {
		take_reply(v, o);
		return;
	}
	if (!hd__seen_update(&v->seen, o)) {
		hd__talk_fail(&v->talk, "bad update from the run: no state or no cycle");
		return;
	}
	if (v->opt.json) {
		puts(text);
	} else if (!v->screen) {
		hd__show_line(stdout, &v->seen, o);
		putchar('\n');
	} else {
		if (strncmp(v->note, SILENCE, strlen(SILENCE)) == 0)
			v->note[0] = '\0';
		draw(v);
	}
	if (fflush(stdout) != 0 || v->opt.once)
		hd__talk_end(&v->talk, HD_EXIT_OK);
}

/* ---- keys and signals ---- */

static void press(struct view *v, char key)
{
	switch (key) {
	case 'p': hd__talk_ask(&v->talk, "pause", NULL); break;
	case 'r': hd__talk_ask(&v->talk, "resume", NULL); break;
	case 's':
	case 'S':
		hd__talk_ask(&v->talk, "step", json_pack("{s:i}", "cycles", key == 's' ? 1 : 1000));
		break;
	case 'q': hd__talk_end(&v->talk, HD_EXIT_OK); break;
	default: break;
	}
}

static void on_key(struct ev_loop *ev, ev_io *w, int events)
{
	struct view *v = w->data;
	char keys[16];
	ssize_t n = read(STDIN_FILENO, keys, sizeof keys);

	(void)events;
	if (n <= 0)
		ev_io_stop(ev, w);
	for (ssize_t i = 0; i < n; i++)
		press(v, keys[i]);
}

static void on_signal(struct ev_loop *ev, ev_signal *w, int events)
{
	struct view *v = w->data;

	(void)ev;
	(void)events;
	v->ended_by = w->signum;
	hd__talk_end(&v->talk, HD_EXIT_FAILED);
}

static void on_resize(struct ev_loop *ev, ev_signal *w, int events)
{
	(void)ev;
	(void)events;
	draw(w->data);
}

/* Ctrl-Z: restores the terminal for the shell. */
static void on_suspend(struct ev_loop *ev, ev_signal *w, int events)
{
	struct view *v = w->data;

	(void)events;
	leave_screen(v);
	kill(getpid(), SIGSTOP);
	enter_screen(v);
	ev_now_update(ev);
	draw(v);
}

static void start_watchers(struct view *v)
{
	struct ev_loop *ev = v->talk.ev;

	ev_signal_init(&v->interrupt, on_signal, SIGINT);
	ev_signal_init(&v->terminate, on_signal, SIGTERM);
	ev_signal_init(&v->hang_up, on_signal, SIGHUP);
	v->interrupt.data = v->terminate.data = v->hang_up.data = v;
	ev_signal_start(ev, &v->interrupt);
	ev_signal_start(ev, &v->terminate);
	ev_signal_start(ev, &v->hang_up);
	if (!v->screen)
		return;
	ev_signal_init(&v->resize, on_resize, SIGWINCH);
	ev_signal_init(&v->suspend, on_suspend, SIGTSTP);
	v->resize.data = v->suspend.data = v->in.data = v;
	ev_signal_start(ev, &v->resize);
	ev_signal_start(ev, &v->suspend);
	ev_io_init(&v->in, on_key, STDIN_FILENO, EV_READ);
	v->in.data = v;
	if (v->keys)
		ev_io_start(ev, &v->in);
}

int hd__view(const char *path, const struct hd_view_options *o)
{
	struct view v = { .opt = *o, .talk = { .line = on_line, .ready = on_ready, .silence = on_silence,
	                              .arg = &v } };
	int status;

	v.screen = !o->once && !o->json && isatty(STDOUT_FILENO);
	v.keys = v.screen && isatty(STDIN_FILENO);
	if (!hd__talk_open(&v.talk, path))
		return HD_EXIT_USAGE;
	start_watchers(&v);
	enter_screen(&v);
	status = hd__talk_run(&v.talk);
	leave_screen(&v);
	if (v.screen && v.seen.update) { /* the last table stays */
		struct hd_screen s = measure();

		s.rows = 0;
		hd__show_table(stdout, &v.seen, &s);
	}
	hd__talk_close(&v.talk);
	hd__seen_free(&v.seen);
	if (v.ended_by) { /* ends as if the signal had not been caught */
		fflush(stdout);
		signal(v.ended_by, SIG_DFL);
		raise(v.ended_by);
	}
	return status;
}
