/* actor.h - toys that follow a script: verbs at given edges
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A toy has a table of verbs.  Its state begins with a struct actor; its actions and the calls
 * that it receives are logged by toy_log().
 */
#ifndef TESTS_MODULES_TOY_ACTOR_H
#define TESTS_MODULES_TOY_ACTOR_H

#include <heddle/checkpoint.h>
#include <heddle/gpu/warps.h>

#include <stdio.h>

struct args;

struct verb {
	const char *name;
	void (*run)(void *state, struct args *a); /* NULL: a bool of the state is set */
	size_t flag;                              /* its offset */
	bool value;
};

#define SETS(verb, member, to) { .name = (verb), .flag = offsetof(struct state, member), .value = (to) }

/* A module that exists only in tests. */
struct toy {
	struct hd_module module;
	const struct verb *verbs; /* ends with a NULL name; NULL: follows no script */
	const struct toy *next;
};

extern struct toy *toys;

struct actor {
	struct hd_ctx *ctx;
	uint32_t at;              /* the next line of the script that may be its own */
};

/* hd_module.init and hd_module.eval of a toy that follows its script. */
int actor_init(void *state, struct hd_ctx *ctx);
/* Runs the due lines, returns the number of edges until the next one; ends the run at the last
 * edge. */
uint64_t actor_eval(void *state);
/* Writes a line of the log. */
void toy_log(const struct hd_ctx *c, const char *fmt, ...) HD_PRINTF(2, 3);
/* Fails the test after printing that the script itself is wrong. */
void wrong(const struct hd_ctx *c, const char *fmt, ...) HD_PRINTF(2, 3);

/* Arguments of a verb: each is taken once; one that is left over is an error. */

const char *arg_text(struct args *a, const char *key);              /* KEY=TEXT, or NULL */
uint64_t arg_number(struct args *a, const char *key, uint64_t def); /* KEY=N, also hexadecimal */
bool arg_flag(struct args *a, const char *word);                    /* WORD */
const char *arg_word(struct args *a, const char *what);             /* the next without '=' */
uint32_t arg_warp(struct args *a);                                  /* wN */
uint64_t arg_address(struct args *a);                               /* 0xN */
bool arg_more(const struct args *a, char first);                     /* another wN, RN, #N? */
uint32_t arg_reg(struct args *a);                                   /* RN, as the number N + 1 */
uint32_t arg_regs(struct args *a, uint16_t *v, uint32_t most);      /* all that follow */
uint64_t arg_warps(struct args *a);                                 /* all that follow, a set */
/* Index of `word` in a table that ends with NULL. */
uint32_t arg_choice(const struct args *a, const char *word, const char *const *choices);

/* An instruction: #N (its number, .code) wN class=NAME dst=RN src=RN,RN flags=NAME,... space=NAME
 * uid=N pc=N mask=N exits=N imm=N width=N rate=N sched=N addr=N,N... (lane by lane) stride=N (from
 * each lane behind these to the next).  All lanes are active unless there is a mask. */
void arg_inst(struct args *a, struct hd_inst *inst);
/* A set of warps as text, "w1 w2" or "none", in a buffer of the caller. */
#define SET_TEXT 512u
const char *warps_text(uint64_t set, char *buf);
const char *set_text(uint64_t set, const char *prefix, char *buf); /* "1 2" with another prefix */

/* Logs why the payload at the end is not taken: "cause = INSTANCE REASON", or
 * "cause = INSTANCE behind PORT slot=N".  In watch.c. */
void tell_cause(const struct hd_ctx *c, const struct hd_end *end, uint32_t slot);

extern const char *const toy_spaces[], *const toy_blocks[];

/* A port through which a toy calls, and one through which it is called. */
#define USES(port, its_type, member) { .name = (port), .doc = "called", .kind = HD_USES, \
	.flags = HD_OPTIONAL, .type = &(its_type), .offset = offsetof(struct state, member) }
#define GIVES(port, its_type, member) { .name = (port), .doc = "is called", .kind = HD_PROVIDES, \
	.flags = HD_PROVIDER_FIRST, .type = &(its_type), .offset = offsetof(struct state, member) }
/* A port that only orders a toy after the toy 'sm' within an edge; state member `after`. */
#define CALL_AFTER(s) { .name = "after", .doc = "comes first in an edge", .kind = HD_USES, \
	.flags = HD_OPTIONAL, .type = &hd_type_warps, .offset = offsetof(s, after) }

/* hd_module.checkpoint of toys: all of the state.  In resume.c.  A toy has its own when a module that
 * it calls has been given pointers to its state, which it gives again. */
void toy_saved(void *state, struct hd_checkpoint *k);

/* Defines a toy with a struct state; the other members of its module follow. */
#define TOY(...) TOY_SAVED(toy_saved, __VA_ARGS__)
#define TOY_SAVED(how, n, what, its_verbs, its_ports, ...) static struct toy toy_##n = { \
	.module = { .abi = HD_ABI, .size = sizeof(struct hd_module), .name = #n, .doc = (what), \
		.ports = (its_ports), .state_size = sizeof(struct state), .checkpoint = (how), \
		__VA_ARGS__ }, .verbs = (its_verbs) }; \
	__attribute__((constructor)) static void add_##n(void) \
	{ \
		toy_##n.next = toys; \
		toys = &toy_##n; \
	} \
	struct toy

#endif
