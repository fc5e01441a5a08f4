#!/bin/sh
# alone.sh - check-module: all of heddle's modules, modules with mistakes, and those that need others
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"

# ---- built in: with defaults each starts, but for those to which a netlist has to say more ----
expect 0 ' tried in part, 0 failures' "$heddle" check-module
grep -q ' 0 skipped, [1-9]' out || fail "modules are skipped, or all count as tried"
grep -q "^  scheduler_gto: interface 'policy' is not called here" out || fail "a policy that nothing calls is not named"
! grep -q "^  scheduler_lrr: interface" out || fail "the policy that issue calls is named"
grep -c ': runs$' out >ran
test "$(cat ran)" -gt 120 || fail "only $(cat ran) netlists run"
sed -n '/^  [a-z_0-9]*: does not start/s/^  \([a-z_0-9]*\): .*/\1/p' out >refusing
printf '%s\n' decode front_fetch | cmp - refusing || fail "do not start with their defaults"
expect 2 "unknown module 'ibufer'" "$heddle" check-module ibufer

# ---- mistakes ----
# unit NAME SCRIPT: the function unit of the examples, changed by sed, as a plug-in
unit()
{
	sed -e "s/fu_serial/$1/g" -e "$2" "$src/examples/fu_serial.c" >"$1.c"
	${CC:-cc} -shared -fPIC -I"$src/include" -o "$1.so" "$1.c" || fail "cc $1.c"
}
unit sleeps 's/return now < st->done_at.*/return HD_SLEEP;/'
expect 1 "heddle: module 'sleeps': depends on sleep, order of evaluation" "$heddle" check-module ./sleeps.so
unit forgets 's/HD_SAVED_FROM(k, st, inst, done_at)/HD_SAVED(k, st->done_at)/'
expect 1 '  instances.out_of_forgets.moved is ' "$heddle" check-module ./forgets.so
grep -q '^  [a-z_.]* is [0-9]*, and [0-9]*: in a plain run, and in one .*, saved after [1-9]' err || fail "the figures are not there"
test "$(wc -l <err)" -le 5 || fail "a mistake takes $(wc -l <err) lines"
unit lost '/\.checkpoint = /d; /^static void checkpoint/,/^}/d'
expect 1 "module 'lost': has no 'checkpoint'" "$heddle" check-module ./lost.so
! grep -q signal err || fail "what cannot be saved is saved: $(cat err)"
unit crashes 's/((struct state \*)state)->pool = hd_pool.*/abort();/; s/^#include/#include <stdlib.h>\n&/'
expect 1 "module 'crashes': does not return" "$heddle" check-module ./crashes.so
unit hangs 's/((struct state \*)state)->pool = hd_pool.*/for (;;) ;/'
expect 1 "module 'hangs': does not return" env HEDDLE_PLUGIN_SECONDS=1 timeout 20 "$heddle" check-module ./hangs.so
unit fine 's/x/x/'
expect 0 '1 module, 0 skipped, 0 tried in part, 0 failures' "$heddle" check-module ./fine.so

# ---- tried in part: what is only provided, and what refuses random payloads ----
sed 's/scheduler_youngest/lax/g' "$src/examples/scheduler_youngest.c" >lax.c
${CC:-cc} -shared -fPIC -I"$src/include" -o lax.so lax.c || fail "cc lax.c"
expect 0 '1 module, 0 skipped, 1 tried in part, 0 failures' "$heddle" check-module ./lax.so
grep -q "^  lax: interface 'policy' is not called here" out || fail "lax: the interface is not named"
expect 0 '' "$heddle" new-module --kind memory kept
${CC:-cc} -shared -fPIC -I"$src/include" -o kept.so kept.c || fail "cc kept.c"
expect 0 '1 module, 0 skipped, 1 tried in part, 0 failures' "$heddle" check-module ./kept.so

# ---- what uses an interface that no module of heddle provides ----
cat >desk <<'END'
#include <heddle/module.h>
struct desk { void *self; uint32_t (*number)(void *self); };
static const struct hd_type desk = { .name = "desk", .size = sizeof(struct desk), .version = 1 };
END
cp desk maker.c
cat >>maker.c <<'END'
struct state { struct desk desk; };
static uint32_t number(void *self) { (void)self; return 3; }
static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	(void)ctx;
	st->desk = (struct desk){ st, number };
	return 0;
}
const struct hd_module hd_module_maker = {
	.abi = HD_ABI, .size = sizeof(struct hd_module), .name = "maker", .doc = "provides it", .state_size = sizeof(struct state),
	.init = init, .checkpoint = hd_nothing_saved,
	.ports = (const struct hd_port[]){ { .name = "desk", .doc = "it", .kind = HD_PROVIDES, .type = &desk,
		.offset = offsetof(struct state, desk) }, { .name = NULL } } };
END
cp desk taker.c
cat >>taker.c <<'END'
struct state { const struct desk *desk; uint64_t sum; };
static uint64_t eval(void *state)
{
	struct state *st = state;

	st->sum += st->desk->number(st->desk->self);
	return HD_NEXT;
}
const struct hd_module hd_module_taker = {
	.abi = HD_ABI, .size = sizeof(struct hd_module), .name = "taker", .doc = "uses it", .state_size = sizeof(struct state),
	.eval = eval, .checkpoint = hd_nothing_saved,
	.ports = (const struct hd_port[]){ { .name = "desk", .doc = "it", .kind = HD_USES, .type = &desk,
		.offset = offsetof(struct state, desk) }, { .name = NULL } },
	.stats = (const struct hd_stat[]){ { .name = "sum", .unit = "", .doc = "of all", .offset = offsetof(struct state, sum) },
		{ .name = NULL } } };
END
for m in maker taker; do
	${CC:-cc} -shared -fPIC -I"$src/include" -o $m.so $m.c || fail "cc $m.c"
done
expect 0 "taker: skipped: no module provides 'desk' for port 'desk'; name one that does" "$heddle" check-module ./taker.so
expect 0 '2 modules, 0 skipped, 0 tried in part, 0 failures' "$heddle" check-module ./taker.so ./maker.so
expect 0 '1 module, 0 skipped, 1 tried in part, 0 failures' "$heddle" check-module ./maker.so
expect 0 '1 module, 0 skipped, 0 tried in part, 0 failures' "$heddle" check-module --plugin ./maker.so ./taker.so
done_testing
