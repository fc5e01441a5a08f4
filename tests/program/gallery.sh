#!/bin/sh
# gallery.sh - the scheduler, tensor units, copy engine and mesh of examples/: their figures, in any order, checked, dumped, in threads
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"
needs python3
examples=$src/examples
traces=$src/traces/samples

# built NAME LINES: the plug-in; its code takes at most so many lines
built()
{
	lines=$(${CC:-cc} -fpreprocessed -dD -E -P "$examples/$1.c" | grep -c '[^[:space:]]')
	test "$lines" -le "$2" || fail "$1.c takes $lines lines; expected at most $2"
	plug_in "$examples/$1.c" "$1.so" -Wall -Wextra -Werror
}
# cycles FILE WANT: the cycles of each kernel
cycles()
{
	stats '[k["cycles"] for k in s["kernels"]]' "$1" | xargs >got
	test "$(cat got)" = "[ $2 ]" || fail "$1: cycles $(cat got), expected $2"
}
# same NAME NETLIST TRACE: statistics are those of any order, of a run that is checked, and of one that is dumped
same()
{
	any_order "$1.json" --plugin "./$1.so" "$examples/$2.json" "$3"
	expect 0 '' "$heddle" run -q --plugin "./$1.so" --check-modules --stats checked.json "$examples/$2.json" "$3"
	cmp "$1.json" checked.json || fail "$1: --check-modules changes the statistics"
	expect 0 '' "$heddle" run -q --plugin "./$1.so" --dump d.hdump --stats dumped.json "$examples/$2.json" "$3"
	cmp "$1.json" dumped.json || fail "$1: a dump changes the statistics"
	expect 0 '' "$heddle" run -q --plugin "./$1.so" --stats saved.json --save-at 500 state "$examples/$2.json" "$3"
	expect 0 '' "$heddle" run -q --plugin "./$1.so" --stats loaded.json --load state "$examples/$2.json" "$3"
	cmp "$1.json" loaded.json || fail "$1: a checkpoint changes the statistics"
}
# threads NAME...: on the GPU of mesh.json, with options
threads()
{
	expect 0 '' "$heddle" run -q --lockstep --stats lock.json "$@" "$examples/mesh.json" "$traces/gather/kernelslist.g"
	expect 0 'in 3 threads' "$heddle" run --threads 3 --explain-partitions --stats apart.json "$@" "$examples/mesh.json" \
		"$traces/gather/kernelslist.g"
	cmp lock.json apart.json || fail "$*: threads change the statistics"
}

built scheduler_critical 60
same scheduler_critical critical "$traces/gather/kernelslist.g"
cycles scheduler_critical.json 4883
expect 0 '' "$heddle" run -q --stats lrr.json volta_sm.json "$traces/gather/kernelslist.g"
cycles lrr.json 4944

built systolic 80
expect 0 '' "$heddle" trace assemble "$examples/systolic.hasm" -o tiles
same systolic systolic tiles/kernelslist.g
cycles systolic.json '815, 927'
# a write to the weights, and another warp's: they are shifted in again
cat >again.hasm <<'END'
kernel again sm=70 block=64 exit=written
	HMMA.884.F32.F32.STEP0 R4, R20, R12, R4
	HMMA.884.F32.F32.STEP0 R4, R20, R12, R4
	MOV R13, RZ
	HMMA.884.F32.F32.STEP0 R4, R13, R12, R4
	HMMA.884.F32.F32.STEP0 R4, R12, R12, R4
	HMMA.884.F32.F32.STEP0 R4, R12, RZ, R4
	EXIT
END
expect 0 '' "$heddle" trace assemble again.hasm -o again
expect 0 '' "$heddle" run -q --set sub_cores=2 --stats again.json --plugin ./systolic.so "$examples/systolic.json" \
	again/kernelslist.g
stats '[s["instances"]["tensor[0]"][k] for k in ("loads", "reused")]' again.json | xargs >got
test "$(cat got)" = '[ 3, 2 ]' || fail "weights: $(cat got)"

built systolic_group 60
expect 0 '' "$heddle" trace assemble "$traces/hopper/ring.hasm" -o ring
same systolic_group systolic_group ring/kernelslist.g
# 512 products of 64x256x16 in 16 x 64 cells: four passes each
stats '[s["instances"]["array"]["passes"], s["instances"]["gmma"]["busy"], s["instances"]["gmma"]["idle"]]' systolic_group.json | xargs >got
test "$(cat got)" = '[ 2048, 131072, 0 ]' || fail "array: $(cat got)"

built copy_engine 250
expect 0 '' "$heddle" trace assemble "$examples/copy_engine.hasm" -o copies
same copy_engine copy_engine copies/kernelslist.g
cycles copy_engine.json '10506, 14857, 12594'
# 32 tiles of 32 lines take the port once for each line, and, copied by the load/store unit, for each sector
stats '[s["instances"]["engine"][k] for k in ("copies", "rows", "reads")] + [s["instances"]["port"]["bulk"]]' \
	copy_engine.json | xargs >got
test "$(cat got)" = '[ 32, 1024, 1024, 5120 ]' || fail "copy engine: $(cat got)"
# rows that begin and end anywhere, copies without lanes, few requests at a time, a narrow port, blocks that do not wait
cat >odd.hasm <<'END'
kernel odd sm=86 block=64 grid=6 shared=8192
	repeat 4 k {
		LDGSTS.ROWS [R0], [R4.64] mask=0
		LDGSTS.ROWS [R0], [R4.64] mask=00f0f0f0 addr=0x7f0000000007+1000*lane+64*warp+70000*k+300000*block
		LDGSTS.E.128 [R0], [R4.64] addr=0x7f0000900000+16*lane+512*warp+4096*k
		LDGDEPBAR
	}
	DEPBAR.LE SB0, 0x2
	LDGSTS.ROWS [R0], [R4.64] addr=0x7f0000800000+1000*lane+64*warp
	EXIT
END
expect 0 '' "$heddle" trace assemble odd.hasm -o odd
for set in 'row=300' 'size=32 --set engine.outstanding=40' 'row=33 --set port.width=48'; do
	# shellcheck disable=SC2086 # several words
	any_order odd.json --plugin ./copy_engine.so --set engine.$set "$examples/copy_engine.json" odd/kernelslist.g
	# shellcheck disable=SC2086
	expect 0 '' "$heddle" run -q --plugin ./copy_engine.so --check-modules --stats checked.json --set engine.$set \
		"$examples/copy_engine.json" odd/kernelslist.g
	cmp odd.json checked.json || fail "engine.$set: --check-modules changes the statistics"
done
# a request of 32 bytes for each sector that a row touches
expect 0 '' "$heddle" run -q --plugin ./copy_engine.so --stats small.json --set engine.size=32 "$examples/copy_engine.json" \
	odd/kernelslist.g
rows='[7 + 1000 * l + 64 * w + 70000 * k + 300000 * b for l in range(32) for w in (0, 1) for k in range(4) for b in range(6)
	if 0xf0f0f0 >> l & 1] + 6 * [1000 * l + 64 * w for l in range(32) for w in (0, 1)]'
test "$(stats "s['instances']['engine']['reads'] - sum((a + 127) // 32 - a // 32 + 1 for a in $rows)" small.json)" = 0 || fail "sectors of rows"
expect 2 "'size' is 96; expected 32, 64 or 128" "$heddle" check --plugin ./copy_engine.so --set engine.size=96 \
	"$examples/copy_engine.json"
expect 1 'is not an asynchronous copy' "$heddle" run -q --plugin ./copy_engine.so \
	--set 'trace.classes=[{"class":"ROWS","opcodes":["MOV"]}]' "$examples/copy_engine.json" "$traces/gather/kernelslist.g"

built network_mesh 200
same network_mesh mesh "$traces/gather/kernelslist.g"
cycles network_mesh.json 2427
threads --plugin ./network_mesh.so
threads --plugin ./network_mesh.so --plugin ./scheduler_critical.so --set cluster.sm.scheduler.module=scheduler_critical
expect 0 '' "$heddle" run -q --plugin ./network_mesh.so --set requests.depth=1 --set replies.rows=1 --set replies.columns=16 \
	"$examples/mesh.json" "$traces/gather/kernelslist.g"

# ---- what is not confined runs in lock step, which is printed; what says that it is, and is not, is found ----
sed 's/ \.confined = true,//' "$examples/network_mesh.c" >loose.c
sed -e 's/network_mesh/shared/g' -e 's/^static uint64_t eval(void \*state)/static uint64_t all;\n\n&/' \
	-e 's/^	struct state \*st = state;/&\n\n	all++;/' loose.c >shared.c
sed 's/\.checkpoint = checkpoint,/& .confined = true,/' shared.c >told.c
sed -i 's/shared/told/g' told.c
mkdir -p loose
plug_in loose.c loose/network_mesh.so
plug_in told.c told.so
expect 0 "module 'network_mesh' is a plug-in that does not declare 'confined'" "$heddle" run --threads 3 \
	--plugin loose/network_mesh.so "$examples/mesh.json" "$traces/gather/kernelslist.g"
expect 1 "module 'told' (./told.so) declares 'confined' and has changed a static variable" "$heddle" run -q --check-modules \
	--plugin ./told.so --plugin ./network_mesh.so --set requests.module=told "$examples/mesh.json" "$traces/gather/kernelslist.g"
# one that crashes in a thread is named
sed -e 's/network_mesh/broken/g' -e 's/^	st->packets++;/	if (hd_now(st->ctx) > 300) *(volatile int *)0 = 1;\n&/' \
	"$examples/network_mesh.c" >broken.c
plug_in broken.c broken.so
expect 1 "module 'broken' (./broken.so) crashed with signal 11" "$heddle" run -q --threads 3 --plugin ./broken.so \
	--plugin ./network_mesh.so --set replies.module=broken "$examples/mesh.json" "$traces/gather/kernelslist.g"

# ---- reasons that a policy and another module name ----
cat >late.c <<'END'
#include <heddle/gpu/sched_policy.h>
#include <heddle/gpu/warps.h>
/* Warps issue from the 40th cycle after their launch on. */
struct state { const struct hd_warps *warps; struct hd_sched_policy_if policy; };
static hd_warp_set begin(void *self, hd_warp_set live)
{
	struct state *st = self;
	hd_warp_set old = 0, all = live;

	while (live) {
		uint32_t warp = hd_warp_pop(&live);

		if (*st->warps->cycle >= st->warps->launched_at[warp] + 40)
			old |= hd_warp_bit(warp);
	}
	st->policy.needs_every_edge = old != all;
	return old;
}
static uint32_t first(void *self, hd_warp_set set) { (void)self; return hd_warp_first(set); }
static void issued(void *self, uint32_t warp, uint32_t nth) { (void)self; (void)warp; (void)nth; }
static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	st->policy = (struct hd_sched_policy_if){ .self = st, .begin = begin, .first = first, .issued = issued,
		.polls_fences = true, .hold = 1 + hd_symbol(ctx, "hold", "young") };
	return 0;
}
const struct hd_module hd_module_late = {
	.abi = HD_ABI, .size = sizeof(struct hd_module), .name = "late", .doc = "late", .state_size = sizeof(struct state),
	.init = init, .checkpoint = hd_nothing_saved,
	.ports = (const struct hd_port[]){
		{ .name = "warps", .doc = "launches", .kind = HD_USES, .type = &hd_type_warps, .offset = offsetof(struct state, warps),
		  .like = "policy" },
		{ .name = "policy", .doc = "it", .kind = HD_PROVIDES, .type = &hd_type_sched_policy_if, .users = 1,
		  .offset = offsetof(struct state, policy) },
		{ .name = NULL } } };
END
cat >nap.c <<'END'
#include <heddle/gpu/warps.h>
/* Every 100 cycles each warp that is there sleeps for 50. */
struct state { struct hd_ctx *ctx; struct hd_warps *warps; uint32_t why; uint64_t naps; };
static uint64_t eval(void *state)
{
	struct state *st = state;
	hd_warp_set all = ~st->warps->exited;

	for (uint32_t warp = 0; warp < st->warps->count; warp++) {
		if (hd_now(st->ctx) % 100 == 50 && hd_warp_in(all, warp)) {
			hd_warp_hold(st->warps, warp, st->why);
			st->naps++;
		} else if (hd_now(st->ctx) % 100 == 0 && hd_warp_in(st->warps->blocked_by[st->why], warp)) {
			hd_warp_unblock(st->warps, warp, st->why);
		}
	}
	return 50 - hd_now(st->ctx) % 50;
}
static int init(void *state, struct hd_ctx *ctx) { ((struct state *)state)->ctx = ctx; return 0; }
static int start(void *state)
{
	struct state *st = state;

	st->why = hd_warps_name_hold(st->ctx, st->warps, "nap");
	return 0;
}
const struct hd_module hd_module_nap = {
	.abi = HD_ABI, .size = sizeof(struct hd_module), .name = "nap", .doc = "nap", .state_size = sizeof(struct state),
	.init = init, .start = start, .eval = eval, .checkpoint = hd_nothing_saved,
	.ports = (const struct hd_port[]){
		{ .name = "warps", .doc = "whom", .kind = HD_USES, .type = &hd_type_warps, .offset = offsetof(struct state, warps) },
		{ .name = NULL } },
	.stats = (const struct hd_stat[]){
		{ .name = "naps", .unit = "naps", .doc = "of warps", .offset = offsetof(struct state, naps), .total = "sleep.naps" },
		{ .name = "why", .unit = "reasons", .doc = "so many", .offset = offsetof(struct state, naps), .total = "sleep.why" },
		{ .name = NULL } } };
END
cat >held.json <<'END'
{ "heddle": 1, "extends": "volta_sm.json", "set": { "scheduler.module": "late" },
  "add": { "clocks": { "nap": { "of": "core", "phase": "end" } },
           "instances": { "nap": { "module": "nap", "clock": "nap" } }, "links": [{ "from": "nap.warps", "to": "warps.state" }] } }
END
plug_in late.c late.so
plug_in nap.c nap.so
for core in volta_sm.json a100_sm.json; do
	sed "s/volta_sm.json/$core/" held.json >this.json
	any_order held.stats --reasons --plugin ./late.so --plugin ./nap.so this.json "$traces/vecadd/kernelslist.g"
	stats '[s["reasons"]["idle.young"] > 0, s["reasons"]["idle.nap"] > 100, "idle.other" in s["reasons"],
		sum(n for k, n in s["reasons"].items() if k.startswith("idle.")) == s["issue"]["idle"]]' held.stats | xargs >got
	test "$(cat got)" = '[ true, true, false, true ]' || fail "$core: reasons $(cat got)"
	expect 0 '' "$heddle" run -q --check-modules --plugin ./late.so --plugin ./nap.so this.json "$traces/vecadd/kernelslist.g"
	expect 0 '' "$heddle" run -q --dump held.hdump --plugin ./late.so --plugin ./nap.so this.json "$traces/vecadd/kernelslist.g"
	expect 0 'sleep' "$heddle" run --plugin ./late.so --plugin ./nap.so this.json "$traces/vecadd/kernelslist.g"
	# parts of no whole, as their units differ; those of a whole have shares
	grep -E '^  (naps|why) +[0-9,]+  (naps|reasons)$' out | wc -l | grep -x 2 >/dev/null || { fail "totals"; cat out; }
	grep -E '^  single .*%' out >/dev/null || fail "no shares of issue slots"
	expect 0 ' nap   ' "$heddle" dump --stalls held.hdump
	expect 0 ' young   ' "$heddle" dump --stalls held.hdump
done
done_testing
