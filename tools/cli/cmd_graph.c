/* cmd_graph.c - heddle graph: draws a netlist, itself or with the help of graphviz's program dot
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "cmd.h"
#include "tools/graph/picture.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

struct args {
	struct hd_one_netlist in;
	const char *output;
	struct hd_picture_options opt;
	bool dot;
};

enum { KEY_EXPAND = 256, KEY_FOLD, KEY_INTERFACES, KEY_FRAMES, KEY_DOT };

static const struct argp_option options[] = {
	{ "output", 'o', "FILE", 0, "where to write: x.svg, x.dot, or x.pdf or x.png through the program "
	  "dot of graphviz; default: SVG on standard output", 0 },
	{ "expand", KEY_EXPAND, NULL, 0, "draw every element of arrays", 0 },
	{ "interfaces", KEY_INTERFACES, "TYPE,...", OPTION_ARG_OPTIONAL, "draw bookkeeping calls as "
	  "well, of all or of these types", 0 },
	{ "dot", KEY_DOT, NULL, 0, "in the language of graphviz, or an .svg laid out by its program dot", 0 },
	{ "fold", KEY_FOLD, NULL, 0, "with --dot: write what one box calls into that box", 0 },
	{ "frames", KEY_FRAMES, "WHAT", 0, "with --dot: frames around instances of one 'path' (default), of "
	  "one 'clock', or 'none'", 0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static error_t parse(int key, char *arg, struct argp_state *st)
{
	struct args *a = st->input;

	switch (key) {
	case ARGP_KEY_INIT: st->child_inputs[0] = &a->in; break;
	case 'o': a->output = arg; break;
	case KEY_EXPAND: a->opt.expand = true; break;
	case KEY_DOT: a->dot = true; break;
	case KEY_FOLD: a->opt.fold = a->dot = true; break;
	case KEY_INTERFACES:
		a->opt.all = true;
		a->opt.only = arg;
		break;
	case KEY_FRAMES:
		a->dot = true;
		if (strcmp(arg, "path") == 0)
			a->opt.frames = HD_FRAMES_PATH;
		else if (strcmp(arg, "clock") == 0)
			a->opt.frames = HD_FRAMES_CLOCK;
		else if (strcmp(arg, "none") == 0)
			a->opt.frames = HD_FRAMES_NONE;
		else
			argp_error(st, "--frames: unknown frame '%s'; expected path, clock or none",
			           arg);
		break;
	case ARGP_KEY_END:
		if (a->opt.fold && a->opt.expand)
			argp_error(st, "--fold draws an array as one box; expected it without --expand");
		break;
	default: return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp argp = {
	options, parse, "NETLIST",
	"Draws the core that NETLIST describes from left to right: instances, the channels between them, and the calls "
	"that carry work.\vExit status: 0 drawn, 1 it could not be written, 2 mistakes in the netlist or bad usage.",
	hd__one_netlist_args, NULL, NULL
};

/* The ending of a file name, "svg", or NULL. */
static const char *ending(const char *file)
{
	const char *dot = strrchr(file, '.');

	return dot != NULL && strchr(dot, '/') == NULL ? dot + 1 : NULL;
}

static void write_picture(const struct hd_sim *s, const struct args *a, bool dot, FILE *out)
{
	struct hd_picture *p = hd__picture_of_sim(s);

	(dot ? hd__picture_dot : hd__picture_svg)(p, &a->opt, out);
	hd__picture_free(p);
}

static int write_file(const struct hd_sim *s, const struct args *a, bool dot)
{
	struct hd_output o;
	int status = hd__output_open(&o, a->output, NULL);

	if (status != HD_EXIT_OK)
		return status;
	write_picture(s, a, dot, o.f);
	return hd__output_close(&o, true) ? HD_EXIT_OK : HD_EXIT_FAILED;
}

/* Starts dot with the reading end of a pipe as its input.  0, or an errno. */
static int start_dot(const char *form, const char *output, const int ends[2], pid_t *child)
{
	char *form_option = hd__format("-T%s", form);
	char *argv[] = { "dot", form_option, "-o", (char *)output, NULL };
	posix_spawn_file_actions_t actions;
	int error;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, ends[0], 0);
	posix_spawn_file_actions_addclose(&actions, ends[0]);
	posix_spawn_file_actions_addclose(&actions, ends[1]);
	error = posix_spawnp(child, "dot", &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	free(form_option);
	return error;
}

/* dot writes to the file `name`. */
static int run_dot(const struct hd_sim *s, const struct args *a, const char *form, const char *name)
{
	int ends[2], status = 0, error;
	pid_t child = -1;
	FILE *f;

	if (pipe(ends) != 0) {
		fprintf(stderr, "heddle: pipe: %s\n", strerror(errno));
		return HD_EXIT_FAILED;
	}
	error = start_dot(form, name, ends, &child);
	close(ends[0]);
	if (error != 0) {
		close(ends[1]);
		fprintf(stderr, "heddle: cannot run 'dot' to write '%s': %s; install graphviz, or write "
		        "a file .dot\n", a->output, strerror(error));
		return HD_EXIT_FAILED;
	}
	signal(SIGPIPE, SIG_IGN); /* dot prints itself why it ends early */
	f = hd__xcheck(fdopen(ends[1], "w"));
	write_picture(s, a, true, f);
	fclose(f);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return HD_EXIT_OK;
	fprintf(stderr, "heddle: 'dot' could not write '%s'\n", a->output);
	return HD_EXIT_FAILED;
}

static int write_through_dot(const struct hd_sim *s, const struct args *a, const char *form)
{
	struct hd_output o;
	int status = hd__output_name(&o, a->output, NULL);

	if (status != HD_EXIT_OK)
		return status;
	status = run_dot(s, a, form, o.name);
	return hd__output_close(&o, status == HD_EXIT_OK) || !o.target ? status : HD_EXIT_FAILED;
}

/* Is each of the given types the type of some call? */
static bool check_types(const struct hd_sim *s, const char *only)
{
	const char **names = hd__xcalloc(s->nuses, sizeof *names), *near;
	char *copy = hd__xstrdup(only), *word, *rest;
	bool ok = true;

	for (size_t i = 0; i < s->nuses; i++)
		names[i] = s->uses[i].user->module->ports[s->uses[i].user_port].type->name;
	for (word = strtok_r(copy, ",", &rest); word != NULL; word = strtok_r(NULL, ",", &rest)) {
		bool there = false;

		for (size_t i = 0; i < s->nuses && !there; i++)
			there = strcmp(names[i], word) == 0;
		if (there)
			continue;
		ok = false;
		near = hd__nearest(word, names, s->nuses);
		fprintf(stderr, near ? "heddle: --interfaces: no instance uses type '%s'; did you mean '%s'?\n"
		                     : "heddle: --interfaces: no instance uses type '%s'\n", word, near);
	}
	free(copy);
	free(names);
	return ok;
}

static int draw(struct hd_sim *s, void *arg)
{
	const struct args *a = arg;
	static const char *const forms[] = { "svg", "pdf", "png" };
	const char *form = a->output != NULL ? ending(a->output) : NULL;

	if (a->opt.only != NULL && !check_types(s, a->opt.only))
		return HD_EXIT_USAGE;
	if (a->output == NULL || strcmp(a->output, "-") == 0)
		return write_file(s, a, a->dot);
	if (form != NULL && strcmp(form, "svg") == 0 && !a->dot)
		return write_file(s, a, false);
	for (size_t i = 0; i < sizeof forms / sizeof *forms && form != NULL; i++)
		if (strcmp(form, forms[i]) == 0)
			return write_through_dot(s, a, form);
	if (form != NULL && (strcmp(form, "dot") == 0 || strcmp(form, "gv") == 0))
		return write_file(s, a, true);
	fprintf(stderr, "heddle: unknown format of '%s'; expected .svg, .dot, .pdf or .png\n",
	        a->output);
	return HD_EXIT_USAGE;
}

int hd__cmd_graph(int argc, char **argv)
{
	struct args a = { .in = { .opt = { .part = true } } };

	hd__parse_args(&argp, argc, argv, &a);
	return hd__with_netlist(&a.in, draw, &a);
}
