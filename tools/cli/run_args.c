/* run_args.c - reads the command line of heddle run
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "run_args.h"
#include "kernel/check/contract.h"

#include <stdlib.h>
#include <unistd.h>

enum { KEY_MAX = 256, KEY_KERNEL, KEY_SHUFFLE, KEY_STATS, KEY_SUMMARY, KEY_EVENTS, KEY_NO_SLEEP, KEY_LOCKSTEP,
	KEY_THREADS, KEY_EXPLAIN, KEY_MONITOR, KEY_WAIT, KEY_DUMP, KEY_FILTER, KEY_SAMPLE, KEY_STRICT, KEY_STUCK,
	KEY_CHECK, KEY_KEEP, KEY_PER_KERNEL, KEY_SANDBOX, KEY_SAVE, KEY_LOAD, KEY_SKIP, KEY_REASONS, KEY_GPU,
	KEY_LIMIT, KEY_FAULTS, KEY_FINDINGS, KEY_TIME, KEY_PLAN, KEY_WARM, KEY_STABLE,
	KEY_FRESH, KEY_ONCE, KEY_SPLIT, KEY_PIECE, KEY_CACHE, KEY_JOBS, KEY_ENERGY, KEY_POWER };

#define SAMPLE 1000 /* cycles */
#define MOST_JOBS 4096
#define STUCK_AFTER 10 /* seconds */

static const struct argp_option options[] = {
	{ "stats", KEY_STATS, "FILE", 0, "write the statistics as JSON; - is standard output", 0 },
	{ "summary", KEY_SUMMARY, "FILE", 0, "write the statistics in short as JSON: instances that differ only in "
	  "an index are added up, no meanings; see heddle sweep", 0 },
	{ "max-cycles", KEY_MAX, "N", 0, "stop after N cycles of the first clock", 0 },
	{ "kernel", KEY_KERNEL, "N[-M]", 0, "replay only the kernels N to M, counted from 1", 0 },
	{ "per-kernel", KEY_PER_KERNEL, NULL, 0, "a line for each kernel below the table: cycles, instructions, "
	  "shares of issue slots, the busiest unit", 0 },
	{ "reasons", KEY_REASONS, NULL, 0, "count why issue slots were lost, in the statistics and with --per-kernel: "
	  "for the run and for each kernel, without a dump; slower", 0 },
	{ "energy", KEY_ENERGY, "FILE", 0, "count energy and power by a table, such as accelwattch_volta.json: for the "
	  "run, each kernel and each instance, in the statistics", 0 },
	{ "power-trace", KEY_POWER, "FILE", 0, "with --energy: write the power of each interval as CSV, by component; "
	  "- is standard output", 0 },
	{ "shuffle", KEY_SHUFFLE, "SEED", 0, "evaluate instances in another order that the links "
	  "allow; results are the same", 0 },
	{ "threads", KEY_THREADS, "N", 0, "run partitions that only channels join in N threads (default 1); 0: as many "
	  "as there are processors; results are the same", 0 },
	{ "lockstep", KEY_LOCKSTEP, NULL, 0, "run all partitions cycle by cycle, rather than many cycles of each in "
	  "turn; results are the same", 0 },
	{ "explain-partitions", KEY_EXPLAIN, NULL, 0, "below the table: the partitions, how many cycles they ran one "
	  "after the other, and what kept them from more", 0 },
	{ "no-sleep", KEY_NO_SLEEP, NULL, 0, "evaluate every instance at every edge; results are the "
	  "same", 0 },
	{ "dump", KEY_DUMP, "FILE", 0, "record the run: every instruction from fetch to writeback, "
	  "causes of lost issue slots, sampled statistics; see heddle dump", 0 },
	{ "dump-filter", KEY_FILTER, "NAME=VALUES", 0, "dump only this; may be given several times: "
	  "cycle=FROM-TO, event=PATTERN, instance=PATTERN, or a field of an event or a "
	  "record, such as pc=0x100-0x200,0x300", 0 },
	{ "dump-sample", KEY_SAMPLE, "N", 0, "cycles between two samples of the statistics in the dump "
	  "(default 1000; 0: none)", 0 },
	{ "events", KEY_EVENTS, "FILE", 0, "write every reported event as a line of text; - is "
	  "standard output", 0 },
	{ "monitor", KEY_MONITOR, "PATH", 0, "answer requests at a Unix socket; 'heddle monitor "
	  "PATH' connects to it", 0 },
	{ "monitor-wait", KEY_WAIT, NULL, 0, "begin paused, until a client requests 'resume'", 0 },
	{ "strict", KEY_STRICT, NULL, 0, "refuse a trace that contradicts itself; otherwise threads "
	  "that go on after their EXIT have not exited, with a warning", 0 },
	{ "stuck-after", KEY_STUCK, "N", 0, "end a run in which a plug-in does not return for N seconds "
	  "of processor time (default 10; 0: never)", 0 },
	{ "check-modules", KEY_CHECK, NULL, 0, "check in every cycle that the modules keep their contract: "
	  "room, slots, sizes, records, wake-ups, no dependence on the order; slow, results are the same", 0 },
	{ "keep-going", KEY_KEEP, NULL, 0, "leave out a kernel that cannot run, and say so, rather than end "
	  "the run; it begins again without the kernel, and the exit status is 1", 0 },
	{ "save-at", KEY_SAVE, "WHEN FILE", 0, "save the state of the run to FILE after cycle WHEN, or with "
	  "WHEN = kernel=N when that kernel has begun; the run goes on", 0 },
	{ "load", KEY_LOAD, "FILE", 0, "go on from a state that --save-at has saved for the same netlist and "
	  "trace; results are those of the run that did not stop", 0 },
	{ "skip-kernels", KEY_SKIP, "N", 0, "do not simulate the first N kernels: only their accesses come into the "
	  "caches that outlive a kernel", 0 },
	{ "plan", KEY_PLAN, "FILE", 0, "simulate the kernels that a plan has chosen, and estimate the others; see "
	  "heddle sample", 0 },
	{ "warm", KEY_WARM, "WORD", 0, "which kernels that are not simulated bring their accesses into the caches: "
	  "none, last (default: the one in front of each that is simulated), or all", 0 },
	{ "stable", KEY_STABLE, "PERCENT", 0, "with a plan: of each kernel no more thread blocks, once two waves of "
	  "them take the same time within so much", 0 },
	{ "fresh", KEY_FRESH, NULL, 0, "each kernel begins on a machine that has simulated nothing: nothing of those "
	  "before is left, in caches or elsewhere", 0 },
	{ "once", KEY_ONCE, NULL, 0, "the same, and of kernels that are identical, addresses included, only one is "
	  "simulated; results are those of --fresh", 0 },
	{ "split", KEY_SPLIT, "N", 0, "cut the list into N pieces, simulate them apart, each with caches that those "
	  "before it have warmed, and join the results", 0 },
	{ "piece", KEY_PIECE, "K", 0, "of the pieces only the Kth, for the cache of results; no statistics", 0 },
	{ "results-cache", KEY_CACHE, "FOLDER", 0, "keep what was counted there, by the content of netlist, kernels "
	  "and program, and do not simulate what is there", 0 },
	{ "jobs", KEY_JOBS, "N", 0, "with these: processes at a time (default: the number of processors)", 0 },
	{ "sandbox", KEY_SANDBOX, NULL, 0, "for other people's netlists and traces: " HD_CONFINE_DOC, 0 },
	{ "gpu", KEY_GPU, "NAME", 0, "the GPU that PROGRAM finds, such as a100; default: the one that suits NETLIST, "
	  "if it has code for that", 0 },
	{ "limit", KEY_LIMIT, "NUMBER", 0, "most warp instructions of a launch of PROGRAM; default: 2^36", 0 },
	{ "simulated-time", KEY_TIME, NULL, 0, "time between events of PROGRAM (cudaEventElapsedTime) is that of the "
	  "simulation, for which it waits then", 0 },
	{ "check-program", KEY_FAULTS, NULL, 0, "look for faults of the kernels of PROGRAM, see heddle trace record; "
	  "the exit status is 1 if some are found", 0 },
	{ "findings", KEY_FINDINGS, "FILE", 0, "write what --check-program finds into a file, as JSON", 0 },
	{ "quiet", 'q', NULL, 0, "no progress and no table", 0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

#define MOST_THREADS 256u

static uint32_t threads(struct argp_state *st, const char *text)
{
	uint64_t v = hd__arg_number(st, "--threads", text, 0, MOST_THREADS, NULL);
	long processors = sysconf(_SC_NPROCESSORS_ONLN);

	if (v == 0 && processors > 1)
		v = processors < (long)MOST_THREADS ? (uint64_t)processors : MOST_THREADS;
	return v == 0 ? 1 : (uint32_t)v;
}

/* "WHEN FILE": the file is the next argument. */
static void save_at(struct argp_state *st, const char *when, struct hd_run_args *a)
{
	const char *kernel = strncmp(when, "kernel=", 7) == 0 ? when + 7 : NULL;

	if (a->states.save)
		argp_error(st, "--save-at: given twice; expected it once");
	if (kernel)
		a->opt.halt_item = hd__arg_number(st, "--save-at kernel", kernel, 1, UINT64_MAX, NULL);
	a->states.save_cycle = kernel ? UINT64_MAX : hd__arg_number(st, "--save-at", when, 1, UINT64_MAX, NULL);
	if (st->next >= st->argc)
		argp_error(st, "--save-at %s: expected a file after it", when);
	a->states.save = st->argv[st->next++];
	if (strcmp(a->states.save, "-") == 0)
		argp_error(st, "--save-at: '-' is not a file; expected the name of a file");
	a->opt.saves = true;
}

static void add_filter(struct argp_state *st, const char *text, struct hd_filter *f)
{
	char *wrong = hd__filter_add(f, text);

	if (wrong)
		argp_error(st, "--dump-filter: %s", wrong);
}

static void check_outputs(struct argp_state *st, const struct hd_run_args *a)
{
	if (a->dump.filter.ntext && !a->dump.path)
		argp_error(st, "--dump-filter needs --dump FILE");
	if (a->opt.checker && (a->dump.path || a->opt.no_sleep))
		argp_error(st, "--check-modules and %s: expected one of them",
		           a->dump.path ? "--dump" : "--no-sleep");
	if (a->lockstep && a->opt.threads > 1)
		argp_error(st, "--lockstep and --threads: expected one of them");
	if (a->explain && a->quiet)
		argp_error(st, "--explain-partitions and --quiet: expected one of them");
	if (a->count_reasons && !a->stats && !a->summary && !a->per_kernel)
		argp_error(st, "--reasons: expected --stats, --summary or --per-kernel as well, which show them");
	if (a->count_reasons && (a->states.save || a->states.load || a->opt.checker))
		argp_error(st, "--reasons and %s: expected one of them",
		           a->opt.checker ? "--check-modules" : a->states.save ? "--save-at" : "--load");
	if (a->power_trace && !a->energy)
		argp_error(st, "--power-trace needs --energy FILE");
	if (a->energy && (a->states.save || a->states.load || a->opt.checker))
		argp_error(st, "--energy and %s: expected one of them",
		           a->opt.checker ? "--check-modules" : a->states.save ? "--save-at" : "--load");
	if (a->per_kernel && a->quiet)
		argp_error(st, "--per-kernel and --quiet: expected one of them");
	if (a->confine.wanted && a->monitor)
		argp_error(st, "--sandbox and --monitor: expected one of them");
	if (a->opt.keep_going && a->monitor)
		argp_error(st, "--keep-going and --monitor: expected one of them");
	if (a->opt.keep_going && a->events && strcmp(a->events, "-") == 0)
		argp_error(st, "--keep-going --events: '-' is not a file: a run that begins again writes it again; "
		           "expected the name of a file");
	if (a->states.save && a->monitor)
		argp_error(st, "--save-at and --monitor: expected one of them");
	if ((a->states.save || a->states.load) && (a->opt.keep_going || a->opt.checker))
		argp_error(st, "%s and %s: expected one of them", a->states.save ? "--save-at" : "--load",
		           a->opt.checker ? "--check-modules" : "--keep-going");
	if (a->sample_given && !a->dump.path)
		argp_error(st, "--dump-sample needs --dump FILE");
	if (a->dump.path && strcmp(a->dump.path, "-") == 0)
		argp_error(st, "--dump: '-' is not a file: messages would be mixed with the dump; "
		           "expected the name of a file");
}

/* "NETLIST -- PROGRAM ARGUMENT..." */
static void take_program(struct argp_state *st, struct hd_run_args *a)
{
	a->program.program = &st->argv[st->next - 1];
	st->next = st->argc;
	if (a->confine.wanted || a->states.save || a->states.load)
		argp_error(st, "%s and a program: expected the trace of one, as 'heddle trace record' writes it",
		           a->confine.wanted ? "--sandbox" : a->states.save ? "--save-at" : "--load");
}

/* Options that are of programs. */
static void check_program(struct argp_state *st, struct hd_run_args *a)
{
	const struct hd_recording *r = &a->program;
	const char *option = r->gpu ? "--gpu" : r->limit ? "--limit" : r->check ? "--check-program"
	                     : r->simulated_time ? "--simulated-time" : NULL;

	if (r->findings && !r->check)
		argp_error(st, "--findings is of --check-program");
	if (option && !r->program)
		argp_error(st, "%s needs NETLIST -- PROGRAM", option);
	if (r->simulated_time && (a->opt.keep_going || a->opt.checker))
		argp_error(st, "--simulated-time and %s: expected one of them",
		           a->opt.checker ? "--check-modules" : "--keep-going");
	if (!r->limit)
		a->program.limit = HD_RECORDING_LIMIT;
}

static enum hd_warm warm(struct argp_state *st, const char *word)
{
	if (strcmp(word, "none") == 0)
		return HD_WARM_NONE;
	if (strcmp(word, "last") == 0)
		return HD_WARM_LAST;
	if (strcmp(word, "all") != 0)
		argp_error(st, "--warm: '%s'; expected none, last or all", word);
	return HD_WARM_ALL;
}

/* A plan is of a whole list. */
static void check_plan(struct argp_state *st, const struct hd_run_args *a)
{
	const char *other = a->opt.first ? "--kernel" : a->opt.skip ? "--skip-kernels" : a->states.save ? "--save-at"
	                    : a->states.load ? "--load" : a->opt.keep_going ? "--keep-going" : NULL;

	if (a->warm_given && !a->plan.file && !a->units.split)
		argp_error(st, "--warm needs --plan FILE or --split N");
	if (!a->plan.file && a->plan.stable > 0)
		argp_error(st, "--stable needs --plan FILE");
	if (!a->plan.file)
		return;
	if (other)
		argp_error(st, "--plan and %s: expected one of them", other);
	if (a->program.program || !a->input)
		argp_error(st, "--plan: expected a trace; 'heddle trace record' makes one of a program");
}

/* Parts of a list are simulated by processes of their own, and joined. */
static void check_units(struct argp_state *st, struct hd_run_args *a)
{
	struct hd_units *u = &a->units;
	const char *option = u->once ? "--once" : u->fresh ? "--fresh" : u->split ? "--split" : "--results-cache";
	const char *other = a->plan.file ? "--plan" : a->opt.skip ? "--skip-kernels" : a->states.save ? "--save-at"
	                    : a->states.load ? "--load" : a->opt.keep_going ? "--keep-going" : a->dump.path ? "--dump"
	                    : a->events ? "--events" : a->monitor ? "--monitor" : a->count_reasons ? "--reasons"
	                    : a->energy ? "--energy" : a->explain ? "--explain-partitions"
	                    : a->opt.max_cycles ? "--max-cycles" : a->opt.checker ? "--check-modules"
	                    : a->confine.wanted ? "--sandbox" : NULL;

	if (u->piece && (!u->split || !u->cache || u->piece > u->split))
		argp_error(st, "--piece: expected --split N and --results-cache FOLDER as well, and a number up to N");
	if (u->piece && (a->stats || a->summary))
		argp_error(st, "--piece and %s: expected one of them; a run without --piece joins the pieces",
		           a->stats ? "--stats" : "--summary");
	if (!hd__units_wanted(u)) {
		if (u->jobs)
			argp_error(st, "--jobs needs --fresh, --once, --split or --results-cache");
		return;
	}
	if (a->warm_given && (u->fresh || u->once))
		argp_error(st, "--warm and %s: expected one of them", option);
	if (other)
		argp_error(st, "%s and %s: expected one of them", option, other);
	if (a->program.program || !a->input)
		argp_error(st, "%s: expected a trace; 'heddle trace record' makes one of a program", option);
	if (!a->warm_given)
		a->plan.warm = HD_WARM_ALL;
}

static error_t parse(int key, char *arg, struct argp_state *st)
{
	struct hd_run_args *a = st->input;

	switch (key) {
	case ARGP_KEY_INIT: 
		st->child_inputs[0] = &a->plugins;
		st->child_inputs[1] = &a->opt;
		break;
	case KEY_STATS: a->stats = arg; break;
	case KEY_SUMMARY: a->summary = arg; break;
	case KEY_EVENTS: a->events = arg; break;
	case KEY_DUMP: a->dump.path = arg; break;
	case KEY_FILTER: add_filter(st, arg, &a->dump.filter); break;
	case KEY_SAMPLE:
		a->sample_given = true;
		a->dump.sample = hd__arg_number(st, "--dump-sample", arg, 0, UINT64_MAX, NULL);
		break;
	case KEY_MAX: a->opt.max_cycles = hd__arg_number(st, "--max-cycles", arg, 1, UINT64_MAX, NULL); break;
	case KEY_SHUFFLE: a->opt.shuffle = hd__arg_number(st, "--shuffle", arg, 1, UINT64_MAX, NULL); break;
	case KEY_KERNEL: hd__arg_kernels(st, arg, &a->opt.first, &a->opt.last); break;
	case KEY_STUCK:
		a->opt.stuck_after = (unsigned)hd__arg_number(st, "--stuck-after", arg, 0, 1000000, NULL);
		break;
	case KEY_SANDBOX: a->confine.wanted = true; break;
	case KEY_REASONS: a->count_reasons = true; break;
	case KEY_ENERGY: a->energy = arg; break;
	case KEY_POWER: a->power_trace = arg; break;
	case KEY_PER_KERNEL: a->per_kernel = true; break;
	case KEY_KEEP: a->opt.keep_going = true; break;
	case KEY_CHECK:
		a->opt.checker = &hd__contract;
		a->opt.rules = hd__builtin_rules;
		break;
	case KEY_SKIP: a->opt.skip = hd__arg_number(st, "--skip-kernels", arg, 1, UINT64_MAX, NULL); break;
	case KEY_PLAN: a->plan.file = arg; break;
	case KEY_WARM:
		a->warm_given = true;
		a->plan.warm = warm(st, arg);
		break;
	case KEY_STABLE: a->plan.stable = hd__arg_percent(st, "--stable", arg); break;
	case KEY_FRESH: a->units.fresh = true; break;
	case KEY_ONCE: a->units.once = true; break;
	case KEY_SPLIT: a->units.split = hd__arg_number(st, "--split", arg, 1, 1000000, NULL); break;
	case KEY_PIECE: a->units.piece = hd__arg_number(st, "--piece", arg, 1, 1000000, NULL); break;
	case KEY_CACHE: a->units.cache = arg; break;
	case KEY_JOBS: a->units.jobs = (unsigned)hd__arg_number(st, "--jobs", arg, 1, MOST_JOBS, NULL); break;
	case KEY_SAVE: save_at(st, arg, a); break;
	case KEY_LOAD: a->states.load = arg; break;
	case KEY_NO_SLEEP: a->opt.no_sleep = true; break;
	case KEY_LOCKSTEP: a->lockstep = true; break;
	case KEY_THREADS: a->opt.threads = threads(st, arg); break;
	case KEY_EXPLAIN: a->explain = true; break;
	case KEY_MONITOR: a->monitor = arg; break;
	case KEY_WAIT: a->wait = true; break;
	case KEY_STRICT: a->opt.strict = true; break;
	case 'q': a->quiet = true; break;
	case KEY_GPU:
		hd__recording_gpu(st, arg);
		a->program.gpu = arg;
		break;
	case KEY_LIMIT: a->program.limit = hd__arg_number(st, "--limit", arg, 1, UINT64_MAX, NULL); break;
	case KEY_TIME: a->program.simulated_time = true; break;
	case KEY_FAULTS: a->program.check = true; break;
	case KEY_FINDINGS: a->program.findings = arg; break;
	case ARGP_KEY_ARG:
		if (st->arg_num == 0)
			a->netlist = arg;
		else if (st->arg_num == 1 && st->quoted && st->quoted == st->next - 1)
			take_program(st, a);
		else if (st->arg_num == 1)
			a->input = arg;
		else
			argp_error(st, "unexpected argument '%s'; expected NETLIST [TRACE]", arg);
		break;
	case ARGP_KEY_END:
		if (st->arg_num < 1)
			argp_error(st, "expected NETLIST [TRACE]");
		check_outputs(st, a);
		check_program(st, a);
		check_plan(st, a);
		check_units(st, a);
		if (a->wait && !a->monitor)
			argp_error(st, "--monitor-wait needs --monitor PATH");
		break;
	default: return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp argp = {
	options, parse, "NETLIST [TRACE]\nNETLIST -- PROGRAM [ARGUMENT...]",
	"Replays TRACE, a kernelslist.g, a single .traceg file or a packed trace, on the core that NETLIST "
	"describes.  A netlist that reads no trace, such as a network with sources of its own, runs without "
	"until no work is left, or to --max-cycles.  PROGRAM is a CUDA program: it is executed here, and what its "
	"kernels do is replayed meanwhile; see heddle trace record.\v"
	"SIGINT, SIGTERM and SIGHUP stop the run at the next edge; statistics are still written.  If that edge does "
	"not end, another one three seconds later ends the program, and nothing is written.  SIGUSR1 "
	"prints one line about the run.\n\n"
	"Exit status: 0 success, 1 the run failed or was interrupted, 2 bad usage or input.",
	hd__netlist_args, NULL, NULL
};

/* The option for which the run is in lock step; NULL: it need not be. */
static const char *lock_step_for(const struct hd_run_args *a)
{
	return a->lockstep ? "--lockstep" : a->opt.max_cycles ? "--max-cycles" : a->dump.path ? "--dump"
	       : a->events ? "--events"
	       : a->count_reasons ? "--reasons" : a->monitor ? "--monitor" : a->opt.no_sleep ? "--no-sleep"
	       : a->opt.checker ? "--check-modules" : a->states.save ? "--save-at" : a->states.load ? "--load" : NULL;
}

void hd__run_args(int argc, char **argv, struct hd_run_args *a)
{
	*a = (struct hd_run_args){ .dump.sample = SAMPLE, .opt.stuck_after = STUCK_AFTER,
	                            .plan.warm = HD_WARM_LAST };
	hd__parse_args_in_order(&argp, argc, argv, a);
	a->in_step_for = lock_step_for(a);
	a->opt.ahead = a->in_step_for ? 0 : UINT64_MAX;
}
