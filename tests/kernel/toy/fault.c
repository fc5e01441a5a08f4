/* fault.c - toys with faults: they fail, never end, spin, or fit no port
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "toy.h"

#include <stdlib.h>

/* ---- fails in the given callback ------------------------------------------------------------ */

enum { INIT, START, ERROR, FAIL, WARN, FINISH };

static const char *const wheres[] = { "init", "start", "error", "fail", "warn", "finish", NULL };

struct fault {
	struct hd_ctx *ctx;
	uint32_t where, at;
	void *memory;
	struct board_if board;
	struct hd_ifs boards;
};

static int fault_init(void *state, struct hd_ctx *ctx)
{
	struct fault *f = state;

	f->ctx = ctx;
	f->memory = malloc(16); /* a leak shows if fini is not called */
	return f->where == INIT ? hd_error(ctx, "does not start") : 0;
}

static int fault_start(void *state)
{
	struct fault *f = state;

	return f->where == START ? hd_error(f->ctx, "does not begin") : 0;
}

static uint64_t fault_eval(void *state)
{
	struct fault *f = state;

	if (hd_now(f->ctx) < f->at)
		return f->at - hd_now(f->ctx);
	if (hd_now(f->ctx) > f->at)
		return HD_SLEEP;
	if (f->where == ERROR)
		hd_error(f->ctx, "bad input");
	else if (f->where == FAIL)
		hd_fail(f->ctx, "broken");
	else if (f->where == WARN)
		hd_warn(f->ctx, "odd");
	else
		hd_finish(f->ctx);
	return HD_SLEEP;
}

static void fault_fini(void *state)
{
	free(((struct fault *)state)->memory);
}

static const struct hd_param fault_params[] = {
	{ .name = "where", .unit = "", .doc = "where it fails", .type = HD_CHOICE,
	  .choices = wheres, .offset = offsetof(struct fault, where) },
	{ .name = "at", .unit = "edges", .doc = "at which edge", .type = HD_U32, .def = "0",
	  .offset = offsetof(struct fault, at) },
	{ .name = NULL },
};

static const struct hd_port fault_ports[] = {
	{ .name = "board", .doc = "is not called", .kind = HD_PROVIDES, .type = &toy_board,
	  .offset = offsetof(struct fault, board) },
	{ .name = "boards", .doc = "not called", .kind = HD_USES, .flags = HD_ARRAY | HD_OPTIONAL,
	  .type = &toy_board, .offset = offsetof(struct fault, boards) },
	{ .name = NULL },
};

const struct hd_module hd_module_fault = {
	TOY_HEAD, .name = "fault", .doc = "fails", .params = fault_params, .ports = fault_ports,
	.state_size = sizeof(struct fault), .init = fault_init, .start = fault_start,
	.eval = fault_eval, .fini = fault_fini,
	.checkpoint = hd_nothing_saved,
};

/* ---- has pending work for ever ------------------------------------------------------------- */

struct holder {
	struct hd_end in;
	bool spin;
	const char *text;
};

static uint64_t holder_eval(void *state)
{
	return ((struct holder *)state)->spin ? HD_NEXT : HD_SLEEP;
}

static void holder_report_pending(const void *state, struct hd_pending *h)
{
	const struct holder *o = state;

	if (o->text[0])
		hd_report_pending(h, "%s", o->text);
}

static const struct hd_param holder_params[] = {
	{ .name = "spin", .unit = "", .doc = "stays awake", .type = HD_BOOL, .def = "false",
	  .offset = offsetof(struct holder, spin) },
	{ .name = "text", .unit = "", .doc = "text of its pending work", .type = HD_STRING,
	  .def = "\"\"", .offset = offsetof(struct holder, text) },
	{ .name = NULL },
};

static const struct hd_port holder_ports[] = {
	{ .name = "in", .doc = "nothing is ever taken", .kind = HD_IN, .flags = HD_OPTIONAL,
	  .type = &toy_token, .offset = offsetof(struct holder, in) },
	{ .name = NULL },
};

const struct hd_module hd_module_holder = {
	TOY_HEAD, .name = "holder", .doc = "holds on", .params = holder_params,
	.ports = holder_ports, .state_size = sizeof(struct holder), .eval = holder_eval,
	.report_pending = holder_report_pending,
	.checkpoint = hd_nothing_saved,
};

/* ---- ports of types that look like the others' ----------------------------------------------- */

static const struct hd_type other = { .name = "other", .size = sizeof(struct token), .version = 1 };
static const struct hd_type newer = { .name = "token", .size = sizeof(struct token), .version = 2 };
static const struct hd_type larger = { .name = "token", .size = 64, .version = 1 };
static const struct hd_type pooled = { .name = "token", .size = sizeof(struct token), .version = 1,
	.record = 40 };

struct misfit {
	struct hd_end other, newer, larger, pooled, set;
	const void *board;
};

static uint64_t misfit_eval(void *state)
{
	(void)state;
	return HD_SLEEP;
}

/* Loads less than it saves. */
static void misfit_saved(void *state, struct hd_checkpoint *k)
{
	uint32_t more = 0;

	(void)state;
	if (!hd_loads(k))
		HD_SAVED(k, more);
}

#define IN(n, f) { .name = #n, .doc = "d", .kind = HD_IN, .flags = HD_OPTIONAL | (f), \
	.type = &n, .offset = offsetof(struct misfit, n) }

static const struct hd_port misfit_ports[] = {
	IN(other, 0),
	IN(newer, 0),
	IN(larger, 0),
	IN(pooled, 0),
	{ .name = "set", .doc = "d", .kind = HD_IN, .flags = HD_OPTIONAL | HD_SLOTS,
	  .type = &toy_token, .offset = offsetof(struct misfit, set) },
	{ .name = "board", .doc = "d", .kind = HD_USES, .flags = HD_OPTIONAL, .type = &toy_board,
	  .offset = offsetof(struct misfit, board) },
	{ .name = NULL },
};

const struct hd_module hd_module_misfit = {
	TOY_HEAD, .name = "misfit", .doc = "fits nowhere", .ports = misfit_ports,
	.state_size = sizeof(struct misfit), .eval = misfit_eval, .checkpoint = misfit_saved,
};
