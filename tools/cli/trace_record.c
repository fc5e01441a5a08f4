/* trace_record.c - heddle trace record: executes a CUDA program, or kernels of a cubin, and records them
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "cmd.h"
#include "recording.h"
#include "traces/exec/exec_launches.h"

struct record_args {
	struct exec_launches l;
	json_t *one; /* the launch that options describe */
	const char *cubin, *kernel;
	struct hd_recording program; /* .program: instead of a cubin */
};

enum { CUBIN = 256, KERNEL, GRID, BLOCK, ARGS, SHARED, CLUSTER, COOPERATIVE, LAUNCHES, TEXT, SM, GPU, ORDER, LIMIT,
       CHECK, FINDINGS };

static void set(struct record_args *a, const char *name, json_t *v)
{
	if (!a->one)
		a->one = json_object();
	json_object_set_new(a->one, name, v);
}

static enum hd_exec_order order(const char *word, struct argp_state *st)
{
	static const char *const words[] = { "fewest", "fall_through", "taken" };

	for (int i = 0; i < 3; i++)
		if (strcmp(words[i], word) == 0)
			return (enum hd_exec_order)i;
	argp_error(st, "--order: '%s'; expected fewest, fall_through or taken", word);
	return HD_EXEC_FEWEST;
}

static void check_program(struct record_args *a, struct argp_state *st)
{
	if (a->one || a->cubin || a->l.file)
		argp_error(st, "a program has its own kernels and launches; expected no --cubin, --grid and the like "
		           "beside it");
	if (a->l.sm || a->l.options.order || a->l.verbose)
		argp_error(st, "a program: expected -o, --kernel, --gpu, --limit, --text or --check-program only");
	if (!a->l.output && (a->kernel || a->l.text))
		argp_error(st, "%s is for what is recorded; expected -o OUT as well",
		           a->kernel ? "--kernel" : "--text");
	if (a->kernel)
		hd__arg_kernels(st, a->kernel, &a->program.first, &a->program.last);
	a->program.limit = a->l.options.most;
	a->program.text = a->l.text;
	a->program.check = a->l.options.check;
	a->program.findings = a->l.findings;
}

static void check(struct record_args *a, struct argp_state *st)
{
	if (!a->l.output && !a->l.options.check)
		argp_error(st, "expected -o OUT, or --check-program");
	if (a->l.findings && !a->l.options.check)
		argp_error(st, "--findings is of --check-program");
	if (a->program.program) {
		check_program(a, st);
		return;
	}
	if (a->program.gpu)
		argp_error(st, "--gpu is what a program finds; expected --sm for a cubin");
	if (a->kernel)
		set(a, "kernel", json_string(a->kernel));
	if (a->l.file && (a->one || a->cubin))
		argp_error(st,
			   "--launches describes all launches; expected no --cubin, --kernel and the like beside it");
	if (a->l.file)
		return;
	if (!a->cubin)
		argp_error(st, "expected --cubin FILE, or --launches FILE");
	if (!a->one || !json_object_get(a->one, "grid"))
		argp_error(st, "expected --grid X[,Y,Z]");
	if (!json_object_get(a->one, "block"))
		argp_error(st, "expected --block X[,Y,Z]");
	a->l.description = json_pack("{s:s, s:[O]}", "cubin", a->cubin, "launches", a->one);
	if (!a->l.description)
		argp_error(st, "an argument is not UTF-8");
}

static error_t parse(int key, char *arg, struct argp_state *st)
{
	struct record_args *a = st->input;

	switch (key) {
	case 'o': a->l.output = arg; return 0;
	case 'v': a->l.verbose = true; return 0;
	case CUBIN: a->cubin = arg; return 0;
	case KERNEL: a->kernel = arg; return 0;
	case GRID: set(a, "grid", json_string(arg)); return 0;
	case BLOCK: set(a, "block", json_string(arg)); return 0;
	case ARGS: set(a, "args", json_string(arg)); return 0;
	case SHARED:
		set(a, "shared", json_integer((json_int_t)hd__arg_number(st, "--shared", arg, 0, INT32_MAX, NULL)));
		return 0;
	case CLUSTER: set(a, "cluster", json_string(arg)); return 0;
	case COOPERATIVE: set(a, "cooperative", json_true()); return 0;
	case LAUNCHES: a->l.file = arg; return 0;
	case TEXT: a->l.text = true; return 0;
	case SM: a->l.sm = (uint32_t)hd__arg_number(st, "--sm", arg, 75, 255, NULL); return 0;
	case ORDER: a->l.options.order = order(arg, st); return 0;
	case LIMIT: a->l.options.most = hd__arg_number(st, "--limit", arg, 1, UINT64_MAX, NULL); return 0;
	case CHECK: a->l.options.check = true; return 0;
	case FINDINGS: a->l.findings = arg; return 0;
	case GPU:
		hd__recording_gpu(st, arg);
		a->program.gpu = arg;
		return 0;
	case ARGP_KEY_ARG:
		if (!st->quoted || st->next - 1 < st->quoted)
			argp_error(st, "unexpected argument '%s'; expected -- PROGRAM", arg);
		a->program.program = &st->argv[st->next - 1];
		st->next = st->argc;
		return 0;
	case ARGP_KEY_END: check(a, st); return 0;
	default: return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option options[] = {
	{ "output", 'o', "OUT", 0, "the trace: a packed one, a file", 0 },
	{ "cubin", CUBIN, "FILE", 0, "the code: a cubin, as 'nvcc -cubin' writes it, or a fatbin", 0 },
	{ "kernel", KERNEL, "NAME|N[-M]", 0, "of a cubin: the kernel, mangled or as in the program; default: the only "
	  "one.  Of a program: record only the launches N to M, counted from 1; all are executed", 0 },
	{ "gpu", GPU, "NAME", 0, "the GPU that the program finds, such as a100; default: one for which it has code",
	  0 },
	{ "grid", GRID, "X[,Y,Z]", 0, "blocks of the grid", 0 },
	{ "block", BLOCK, "X[,Y,Z]", 0, "threads of a block", 0 },
	{ "args", ARGS, "LIST", 0,
	  "arguments, with commas between: buf:BYTES[:FILL] is the address of a buffer, FILL: zero, "
	  "iota, rand, frand or file=NAME; i32:, u32:, i64:, u64:, f32:, f64: and a number",
	  0 },
	{ "cluster", CLUSTER, "X[,Y,Z]", 0, "blocks that run together and see each other's shared memory, from sm_90 "
	  "on; default: as the kernel was compiled", 0 },
	{ "shared", SHARED, "BYTES", 0, "of a block, beside what the kernel has itself; default: 0", 0 },
	{ "cooperative", COOPERATIVE, NULL, 0, "blocks may wait for all others: grid.sync()", 0 },
	{ "launches", LAUNCHES, "FILE", 0, "JSON that describes launches, in place of the options above", 0 },
	{ "text", TEXT, NULL, 0,
	  "OUT is a folder: kernelslist.g, and for each launch kernel-N.traceg and kernel-N.sass.json", 0 },
	{ "sm", SM, "VERSION", 0, "of the GPU, 80 or the like: which cubin of a fatbin; default: the latest", 0 },
	{ "order", ORDER, "WORD", 0,
	  "which side of a branch that divides a warp runs first: fewest lanes, the default, "
	  "fall_through or taken",
	  0 },
	{ "limit", LIMIT, "NUMBER", 0, "most warp instructions of a launch; default: 2^36", 0 },
	{ "check-program", CHECK, NULL, 0,
	  "look for faults of the kernels: memory and registers that nothing wrote, accesses out of "
	  "bounds, races, barriers; the exit status is 1 if some are found. Without -o nothing is recorded",
	  0 },
	{ "findings", FINDINGS, "FILE", 0, "write what --check-program finds into a file, as JSON", 0 },
	{ "verbose", 'v', NULL, 0, "print a line for each launch", 0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static const struct argp argp = {
	options, parse, "-- PROGRAM [ARGUMENT...]\n--cubin FILE",
	"Executes a CUDA program, or kernels of a cubin, on this machine, without a GPU, and records a trace of what "
	"their warps do.\v"
	"PROGRAM was built by nvcc with the option '-cudart shared'.  If it starts others, the first that uses the "
	"device is recorded.  The exit status is that of the program, or 128 and the number of the signal that ended "
	"it; 1 if nothing could be recorded, 2 bad usage.  docs/cuda.md says how programs are built, and what "
	"is supported.\n\n"
	"docs/cuda.md describes what is executed, the file of launches, and what such a trace cannot know.",
	NULL, NULL, NULL
};

static int run_program(const struct record_args *a)
{
	return a->l.output ? hd__recording_write(&a->program, a->l.output) : hd__recording_check(&a->program);
}

int hd__trace_record(int argc, char **argv)
{
	struct record_args a = { .l = { .options = { .most = HD_RECORDING_LIMIT, .print = stdout } } };
	int status;

	hd__parse_args(&argp, argc, argv, &a);
	status = a.program.program ? run_program(&a) : hd__exec_launches(&a.l);
	json_decref(a.l.description);
	json_decref(a.one);
	return status;
}
