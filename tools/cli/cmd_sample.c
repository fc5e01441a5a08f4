/* cmd_sample.c - heddle sample: chooses the kernels of a list that stand for all
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "cmd.h"
#include "base/words.h"
#include "tools/sample/sample.h"

#include <inttypes.h>

struct args {
	struct trace_command c;
	struct sample_choice choice;
};

enum { BUDGET = 256, POLICY, SEED, TOLERANCE };

static const struct argp_option options[] = {
	{ "output", 'o', "FILE", 0, "where to write the plan; default: standard output", 0 },
	{ "budget", BUDGET, "PERCENT", 0, "share of the warp instructions to simulate; one kernel of each group is "
	  "in any case, and four others; default: 10", 0 },
	{ "policy", POLICY, "WORD", 0, "which of several like kernels: first, the default, middle, or random", 0 },
	{ "seed", SEED, "N", 0, "of random; default: 1", 0 },
	{ "tolerance", TOLERANCE, "PERCENT", 0, "by which features of kernels in a group may differ, and sizes of "
	  "those that one stands for; default: 25", 0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static enum sample_policy policy(struct argp_state *st, const char *word)
{
	if (strcmp(word, "first") == 0)
		return SAMPLE_FIRST;
	if (strcmp(word, "middle") == 0)
		return SAMPLE_MIDDLE;
	if (strcmp(word, "random") != 0)
		argp_error(st, "--policy: '%s'; expected first, middle or random", word);
	return SAMPLE_RANDOM;
}

static error_t parse(int key, char *arg, struct argp_state *st)
{
	struct args *a = st->input;

	switch (key) {
	case 'o': a->c.output = arg; return 0;
	case BUDGET: a->choice.budget = hd__arg_percent(st, "--budget", arg); return 0;
	case POLICY: a->choice.policy = policy(st, arg); return 0;
	case SEED: a->choice.seed = hd__arg_number(st, "--seed", arg, 0, INT64_MAX, NULL); return 0;
	case TOLERANCE: a->choice.tolerance = hd__arg_percent(st, "--tolerance", arg); return 0;
	case ARGP_KEY_ARG:
		if (a->c.trace)
			argp_error(st, "unexpected argument '%s'; expected TRACE", arg);
		a->c.trace = arg;
		return 0;
	case ARGP_KEY_END:
		if (!a->c.trace)
			argp_error(st, "expected TRACE");
		return 0;
	default: return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	options, parse, "TRACE",
	"Reads a trace once, groups the kernels that are alike, and writes a plan: which of them stand for all.\v"
	"'heddle run --plan' simulates those and estimates the others.  docs/long-runs.md describes how they are "
	"chosen.  The plan is JSON, and may be edited.",
	NULL, NULL, NULL
};

static void say(const struct sample_plan *p)
{
	uint64_t all, simulated;
	size_t n = hd__sample_count(p, &all, &simulated);
	char text[2][32];

	fprintf(stderr, "%zu kernels in %" PRIu32 " groups; %zu are simulated: %s of %s warp instructions, %.1f %%\n",
	        p->n, p->groups, n, hd__grouped(simulated, text[0]), hd__grouped(all, text[1]),
	        all ? 100 * (double)simulated / (double)all : 100.0);
}

static int plan(const struct args *a)
{
	struct trace_input *t = hd__trace_input_open(&a->c);
	struct sample_plan p = { .n = 0 };
	int status = HD_EXIT_USAGE;
	struct hd_output o;

	if (!t)
		return status;
	if (hd__sample_read(&p, t) && t->d.errors == 0) {
		hd__sample_choose(&p, &a->choice);
		status = hd__output_open(&o, a->c.output, "-o");
	}
	if (status == HD_EXIT_OK) {
		hd__sample_write(&p, &a->choice, a->c.trace, o.f); /* closing it reports errors */
		status = hd__output_close(&o, true) ? HD_EXIT_OK : HD_EXIT_FAILED;
	}
	if (status == HD_EXIT_OK)
		say(&p);
	hd__sample_free(&p);
	return hd__trace_input_close(t, status);
}

int hd__cmd_sample(int argc, char **argv)
{
	struct args a = { .choice = { .tolerance = 0.25, .budget = 0.1, .seed = 1 } };
	char *tables = hd__data_path(NULL, "opcodes");
	int status;

	hd__parse_args(&argp, argc, argv, &a);
	a.c.tables = tables;
	status = plan(&a);
	free(tables);
	return status;
}
