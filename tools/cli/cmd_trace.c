/* cmd_trace.c - heddle trace: makes traces of texts and texts of traces, adds machine code to traces
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "cmd.h"
#include "base/xalloc.h"
#include "traces/hasm/trace_commands.h"

#include <stdlib.h>

/* All commands' arguments. */
struct args {
	struct control_args c;
	char *tables;
	const char *input;   /* what the command takes, for messages */
	char **file;         /* inputs */
	size_t n, most;      /* number of inputs, and the most that there may be */
	uint64_t limit;
	bool list;
	const char *needs; /* kind of the output if it has to be named, or NULL */
};

static void check(struct args *a, struct argp_state *st)
{
	size_t least = a->most > 1 && !a->list ? 2 : 1;

	if (a->n < least)
		argp_error(st, "expected %s", a->list ? "LISTING" : a->most > 1 ? "LISTING... TRACE"
		           : a->input);
	if (a->needs && !a->list && !a->c.trace.output)
		argp_error(st, "expected -o %s", a->needs);
	a->c.listing = a->file;
	a->c.n = a->list ? a->n : a->n - 1;
	a->c.trace.trace = a->file[a->n - 1];
}

static error_t parse(int key, char *arg, struct argp_state *st)
{
	struct args *a = st->input;

	switch (key) {
	case 'o': a->c.trace.output = arg; return 0;
	case 'l': /* --limit LINES of assemble, --list of control */
		if (arg)
			a->limit = hd__arg_number(st, "--limit", arg, 1, UINT64_MAX, NULL);
		else
			a->list = true;
		return 0;
	case 'p': a->c.partial = true; return 0;
	case 's': a->c.trace.strict = true; return 0;
	case ARGP_KEY_ARG:
		if (a->n == a->most)
			argp_error(st, "unexpected argument '%s'", arg);
		a->file = hd__xappend(a->file, a->n, sizeof *a->file);
		a->file[a->n++] = arg;
		return 0;
	case ARGP_KEY_END: check(a, st); return 0;
	default: return ARGP_ERR_UNKNOWN;
	}
}

static void parse_all(const struct argp *argp, struct args *a, int argc, char **argv)
{
	a->input = argp->args_doc; /* argp itself parses with a copy that lacks it */
	hd__parse_args(argp, argc, argv, a);
	a->c.trace.tables = a->tables = hd__data_path(NULL, "opcodes");
}

static int finish(struct args *a, int status)
{
	free(a->tables);
	free(a->file);
	return status;
}

/* A command whose only argument is a trace. */
static int on_trace(const struct argp *argp, const char *needs, int (*run)(const struct trace_command *c), int argc,
                    char **argv)
{
	struct args a = { .most = 1, .needs = needs };

	parse_all(argp, &a, argc, argv);
	return finish(&a, run(&a.c.trace));
}

static const struct argp_option assemble_options[] = {
	{ "output", 'o', "FOLDER", 0, "folder for the trace: kernelslist.g, and for each kernel "
	  "kernel-N.traceg and kernel-N.sass.json", 0 },
	{ "limit", 'l', "LINES", 0, "most lines that the trace may have; default: 4194304", 0 },
	{ "strict", 's', NULL, 0, "warnings are errors", 0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static const struct argp assemble_argp = {
	assemble_options, parse, "FILE.hasm",
	"Makes a trace of a text: kernels, their instructions as nvdisasm prints them, who executes them, "
	"and the addresses of the lanes.\v"
	"docs/hasm.md describes the language.  All mistakes are printed at once; then nothing is written. "
	"FILE \"-\" is standard input.", NULL, NULL, NULL
};

static int assemble(int argc, char **argv)
{
	struct args a = { .most = 1, .needs = "FOLDER", .limit = HASM_LIMIT };

	parse_all(&assemble_argp, &a, argc, argv);
	return finish(&a, hd__hasm_assemble(&a.c.trace, a.limit));
}

static const struct argp_option print_options[] = {
	{ "output", 'o', "FILE", 0, "where to write; default: standard output", 0 },
	{ "strict", 's', NULL, 0, "refuse a trace that contradicts itself", 0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static const struct argp print_argp = {
	print_options, parse, "TRACE",
	"Prints a trace, a list of kernels or the file of one, as a text of kernels, of which 'heddle trace "
	"assemble' makes a trace that gives the same simulation.\v"
	"Warps and blocks that differ in addresses only share lines.  If kernel-N.sass.json stands beside a "
	"kernel's file, instructions are printed as in it.", NULL, NULL, NULL
};

static int print(int argc, char **argv)
{
	return on_trace(&print_argp, NULL, hd__hasm_print, argc, argv);
}

static const struct argp_option pack_options[] = {
	{ "output", 'o', "FILE", 0, "where to write, app.hpack", 0 },
	{ "strict", 's', NULL, 0, "refuse a trace that contradicts itself", 0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static const struct argp pack_argp = {
	pack_options, parse, "TRACE",
	"Writes a trace, a list of kernels or the file of one, with the listings beside it, into one file that "
	"is mapped and read without parsing.\v"
	"Every command that takes a trace takes the file, which docs/traces.md describes, instead, with the "
	"same results.", NULL, NULL, NULL
};

static int pack(int argc, char **argv)
{
	return on_trace(&pack_argp, "FILE", hd__pack_trace, argc, argv);
}

static const struct argp_option info_options[] = {
	{ "output", 'o', "FILE", 0, "where to write; default: standard output", 0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static const struct argp info_argp = {
	info_options, parse, "TRACE",
	"Prints what is in a trace, whatever its form: a line for each kernel, then the opcodes by how often "
	"warps execute them, with their classes.\v"
	"An opcode is unknown if the tables of the kernel's GPU generation do not have it.", NULL, NULL, NULL
};

static int info(int argc, char **argv)
{
	return on_trace(&info_argp, NULL, hd__trace_info, argc, argv);
}

static const struct argp_option control_options[] = {
	{ "output", 'o', "FOLDER", 0, "folder for the trace: kernelslist.g, and for each kernel "
	  "kernel-N.traceg and kernel-N.sass.json; with --list a file", 0 },
	{ "list", 'l', NULL, 0, "print the functions of the listings, without a trace", 0 },
	{ "partial", 'p', NULL, 0, "kernels may lack a listing, and listings instructions", 0 },
	{ "strict", 's', NULL, 0, "warnings are errors", 0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static const struct argp control_argp = {
	control_options, parse, "LISTING... TRACE\n--list LISTING...",
	"Joins a trace with the machine code that it was recorded from: control fields and operands, which a trace "
	"does not have.\vLISTING is a cubin, or a text that 'cuobjdump -sass' or 'nvdisasm -hex' printed.  Each kernel "
	"is found in it by name, each instruction by pc; code that is not that of the trace is refused.", NULL, NULL,
	NULL
};

static int control(int argc, char **argv)
{
	struct args a = { .most = SIZE_MAX, .needs = "FOLDER" };

	parse_all(&control_argp, &a, argc, argv);
	return finish(&a, a.list ? hd__control_list(a.file, a.n, a.c.trace.output) : hd__control_join(&a.c));
}

static const struct hd_command commands[] = {
	{ "assemble", "make a trace of a text of kernels", assemble },
	{ "control", "join a trace with the machine code of its kernels", control },
	{ "info", "print what is in a trace: kernels, opcodes", info },
	{ "pack", "write a trace as one file that is read without parsing", pack },
	{ "print", "print a trace as such a text", print },
	{ "record", "execute a CUDA program, or kernels of a cubin, and record a trace", hd__trace_record },
	{ NULL, NULL, NULL },
};

int hd__cmd_trace(int argc, char **argv)
{
	return hd__program_part("trace",
	                        "Makes traces of texts and programs, prints traces as texts, adds machine code.",
	                        commands, argc, argv);
}
