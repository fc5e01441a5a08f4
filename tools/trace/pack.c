/* pack.c - writes a trace as a file that is read without parsing
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "pack.h"

#include "kernel/base/exit.h"
#include "kernel/base/output.h"
#include "run.h"

#include <heddle/interface/trace.h>

/* ---- the module that has the source of the trace pack it ---- */

struct packer {
	const struct hd_trace_if *trace;
	struct hd_ctx *ctx;
	FILE *to; /* set before the run */
};

static uint64_t eval(void *state)
{
	struct packer *p = state;

	if (p->trace->pack(p->trace->self, p->to) == 0)
		hd_finish(p->ctx);
	return HD_SLEEP;
}

static int init(void *state, struct hd_ctx *ctx)
{
	((struct packer *)state)->ctx = ctx;
	return 0;
}

static int start(void *state)
{
	struct packer *p = state;

	p->trace->claim(p->trace->self, 1);
	hd_expect_finish(p->ctx);
	return 0;
}

static const struct hd_port ports[] = {
	{ .name = "trace", .doc = "what is packed", .kind = HD_USES, .type = &hd_type_trace_if,
	  .offset = offsetof(struct packer, trace) },
	{ .name = NULL },
};

static const struct hd_module packer = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "trace_packer",
	.doc = "packs a trace",
	.ports = ports,
	.state_size = sizeof(struct packer),
	.init = init,
	.start = start,
	.eval = eval,
};

/* ---- its run ---- */

/* arg: the name of the output. */
static int pack(void *arg, struct hd_sim *s, void *state, struct hd_diags *d)
{
	struct packer *p = state;
	struct hd_output o;
	int status = hd__output_open(&o, arg, "-o");

	if (status != HD_EXIT_OK)
		return status;
	p->to = o.f;
	if (!hd__trace_run_all(s, d)) {
		hd__output_close(&o, false);
		return HD_EXIT_USAGE;
	}
	return hd__output_close(&o, true) ? HD_EXIT_OK : HD_EXIT_FAILED;
}

int hd__pack_trace(const char *trace, const char *output, bool strict)
{
	return hd__trace_run(&(struct trace_run){
		.command = "heddle trace pack",
		.module = &packer,
		.trace = trace,
		.strict = strict,
		.use = pack,
		.arg = (void *)output,
	});
}
