#!/bin/sh
# pipeline.sh - heddle dump --pipeline: exact pictures, and the same content as the text
# SPDX-License-Identifier: BSD-2-Clause
#
# Needs python3 for an independent reader of the picture.
. "${srcdir:-.}/tests/lib.sh"

needs python3
check="$python $src/tests/dump/pipeline_check.py"

# run DUMP CORE TRACE [OPTION...]
run()
{
	to=$1
	core=$2
	trace=$3
	shift 3
	"$heddle" run -q --dump "$to" "$@" "$src/netlists/$core.json" \
		"$src/traces/samples/$trace/kernelslist.g" || fail "$core $trace"
}

# draws DUMP OPTION...: exactly `want`
draws()
{
	from=$1
	shift
	expect 0 '' "$heddle" dump "$from" --pipeline "$@"
	cmp -s out want || { fail "$from $*"; diff want out; }
}

# ---- exact pictures ----
run tutorial.hdump tutorial tiny
cat >want <<'END'
cycle                          2       10        20        30        40        50
                               2345678901234567890123456789012345678901234567890123456789
w0 0x0000 MOV R1               DeEEEEEwW
w0 0x0010 S2R R0               Dbe.EEEEEwW
w0 0x0020 MOV R9                  De.EEEEEwW
w0 0x0030 IMAD.WIDE R2, R0, R9    Dbr....r.eEEEEEwW
w0 0x0040 LDG.E.SYS R2, R2                  Dr....eEEEEY..
w0 0x0050 IMAD.WIDE R4, R0, R9              Db.....eEEEEEwW
w0 0x0060 LDG.E.SYS R4, R4                          Dr....eEEEEY..
w0 0x0070 IMAD.WIDE R6, R0, R9                      Db.....eEEEEEwW
w0 0x0080 FADD R8, R2, R4                                   Dr....eEEEEEwW
w0 0x0090 FFMA R8, R8, R2, R4                               Db.....r.....eEEEEEwW
w0 0x00a0 STG.E.SYS R6, R8                                                Dr....eEEEE
w0 0x00b0 EXIT                                                            Db.....eEEEEEwW

D  decode, where it begins
e  in front of alu, load_store
E  alu, load_store
w  in front of writeback
W  writeback: completes instructions: writes their results and releases their registers
b  decode:buffered: in the instruction buffer
r  issue:register: its next instruction waits for a register
Y  load_store:memory: its accesses are outstanding, until its register is written
.  it still waits
END
draws tutorial.hdump

# a part of the cycles, in panels, with cycles in which nothing changes
run volta.hdump volta_sm tiny
cat >want <<'END'
cycle                22      30
                     234567890123456~13~
w0 0x0040 LDG.E.SY.. EM.................
w0 0x0050 IMAD.WID.. eEEEwW
w0 0x0060 LDG.E.SY.. r....cCeEM.........
w0 0x0070 IMAD.WID.. b.....cCeEEEwW
w0 0x0080 FADD R8,..       Dr...........
w0 0x0090 FFMA R8,..       Db...........

cycle                50
                     012345678
w0 0x0060 LDG.E.SY.. M.......
w0 0x0080 FADD R8,.. r.......c
w0 0x0090 FFMA R8,.. b........

E  int, load_store
M  load_store:memory: its accesses are outstanding, until its register is written
e  in front of load_store, int
w  in front of writeback
W  writeback: completes instructions: writes their results and releases their registers
r  issue:register: its next instruction waits for a register
c  in front of collector
C  collector: operand collector: units that gather the operands of issued instructions
b  decode:buffered: in the instruction buffer
D  decode, where it begins
.  it still waits
~9~  as many cycles in which nothing changes
END
draws volta.hdump --between 22-58 --columns 40

# the picture in docs/dumps.md
expect 0 '' "$heddle" dump volta.hdump --pipeline
awk '/^### The pipeline/ { here = 1 } here && /^```/ { n++; next } n == 1 && !/^\.\.\.$/' \
	"$src/docs/dumps.md" >want
test -s want || fail 'docs/dumps.md has no picture'
head -n "$(grep -c . want)" out | cmp -s - want || fail 'docs/dumps.md has another picture'

# units have letters of their own if these are demanded
expect 0 '' "$heddle" dump volta.hdump --pipeline --units
grep -q '^w0 0x0030 .* Drg....g.cCiIIIwW$' out && grep -q '^w0 0x0080 .*cCsSSSwW$' out &&
	grep -q '^w0 0x0060 .*cClLM' out || fail 'units have no letters'
expect 2 '--units is only valid with --pipeline' "$heddle" dump volta.hdump --units

# requests are drawn if they are selected, or if there is nothing else
expect 0 'Q  load_store:miss_queue: ' "$heddle" dump volta.hdump --pipeline --event mem --head=4
grep -q '^mem addr=0x7f.* uid=5 ' out || fail 'a request has no fields'
run mem.hdump volta_sm tiny --dump-filter event=mem
expect 0 '' "$heddle" dump mem.hdump --pipeline --head=1
grep -q '^mem addr=0x7f.* uid=5 ' out || fail 'no request is drawn'

# ---- the same instructions, cycles and places as in the text ----
run gpu.hdump quadro_gv100 tiny
while read -r core trace; do
	run a.hdump "$core" "$trace"
	for columns in 10000 61; do
		expect 0 '' "$heddle" dump a.hdump --pipeline --head=100000 --columns $columns
		mv out $columns
	done
	expect 0 '' "$heddle" dump a.hdump --to text --event inst -o text
	expect 0 ' agree' $check 10000 text 61
done <<-END
	tutorial tiny
	volta_sm reduce
	turing_sm hist
	volta_sm_gto gather
	quadro_gv100 tiny
END
# fetch that goes on at the next address: what it brings in vain ends with x
run a.hdump volta_sm hist --set fetch.follow=sequential
expect 0 '' "$heddle" dump a.hdump --pipeline --head=100000 --columns 10000
mv out wide
expect 0 '' "$heddle" dump a.hdump --to text --event inst -o text
expect 0 ' agree' $check wide text
grep -q '^x  removed from the pipeline' wide && grep -q '^w[0-9]* 0x[0-9a-f]* 00000000 .* Dbx$' wide || fail 'nothing is flushed'
run a.hdump volta_sm reduce --max-cycles 300 2>/dev/null
expect 0 '' "$heddle" dump a.hdump --pipeline --head=100000 --columns 10000
mv out wide
expect 0 '' "$heddle" dump a.hdump --to text --event inst -o text
expect 0 ' agree' $check wide text
grep -q '^>  not at its end when the dump ended' wide || fail 'everything has ended'

# ---- masks and kernels are in the labels where they differ; the core is above ----
expect 0 '' "$heddle" dump gpu.hdump --pipeline --head=6
grep -q '^cluster\[0\]\.sm\[0\]  *[0-9]' out || fail 'the ruler has no core'
grep -q '^w0 0x0000 MOV R1' out || fail 'labels have a core, or a mask'
run a.hdump turing_sm hist
expect 0 '' "$heddle" dump a.hdump --pipeline
grep -q '^w0 0x0000 ffffffff MOV R1' out || fail 'labels have no mask'
run a.hdump volta_sm reduce
expect 0 '' "$heddle" dump a.hdump --pipeline --pc 0 --warp 0
grep -q '^w0 k1 0x0000 ' out && grep -q '^w0 k2 0x0000 ' out || fail 'labels have no kernel'

# ---- a stage and a mark of one's own have letters like all others ----
cat >inspect.c <<'END'
#include <heddle/gpu/inst.h>
struct state { struct hd_ctx *ctx; struct hd_end in, out; struct hd_pool *pool; hd_inst_ref inst; uint64_t since; };
static uint64_t eval(void *state)
{
	struct state *st = state;
	uint64_t now = hd_now(st->ctx);
	const hd_inst_ref *next;

	if (st->inst && now == st->since + 2)
		hd_mark(st->ctx, st->pool, st->inst, 0, 0);
	if (st->inst && now >= st->since + 5 && hd_room(&st->out)) {
		hd_put(&st->out, &st->inst, sizeof st->inst);
		st->inst = 0;
	}
	if (!st->inst && (next = hd_front(&st->in)) != NULL) {
		st->inst = *next;
		hd_take(&st->in);
		st->since = now;
	}
	return st->inst ? HD_NEXT : HD_SLEEP;
}
static int init(void *state, struct hd_ctx *ctx)
{
	((struct state *)state)->ctx = ctx;
	((struct state *)state)->pool = hd_pool(ctx, &hd_type_inst);
	return 0;
}
const struct hd_module hd_module_inspect = {
	.abi = HD_ABI, .size = sizeof(struct hd_module), .name = "inspect", .doc = "inspects results",
	.ports = (const struct hd_port[]){
		{ .name = "in", .doc = "results", .kind = HD_IN, .type = &hd_type_inst,
		  .offset = offsetof(struct state, in) },
		{ .name = "out", .doc = "good results", .kind = HD_OUT, .type = &hd_type_inst,
		  .offset = offsetof(struct state, out) }, { 0 } },
	.marks = (const struct hd_mark[]){ { "weighed", "on the balance", NULL, NULL }, { 0 } },
	.state_size = sizeof(struct state), .init = init, .eval = eval,
};
END
plug_in inspect.c inspect.so
cat >own.json <<'END'
{ "heddle": 1, "extends": "tutorial.json",
  "rewire": [{ "link": { "from": "alu.out" }, "to": "warden.in" }],
  "add": { "instances": { "warden": { "module": "inspect" } },
           "links": [{ "from": "warden.out", "to": "writeback.in" }] } }
END
expect 0 '' "$heddle" run -q --dump own.hdump --plugin ./inspect.so own.json \
	"$src/traces/samples/tiny/kernelslist.g"
cat >want <<'END'
cycle            2       10        20
                 23456789012345678901
w0 0x0000 MOV R1 DeEEEEEwWWg..rR
w0 0x0010 S2R R0 Dbe.EEEEEw...WWg..rR

D  decode, where it begins
e  in front of alu
E  alu: pipelined function unit; its kind is given by classes, latencies and intervals
w  in front of warden
W  warden: inspects results
g  warden:weighed: on the balance
r  in front of writeback
R  writeback: completes instructions: writes their results and releases their registers
b  decode:buffered: in the instruction buffer
.  it still waits

there are more than these 2; select with --warp, --between, --pc or --kernel, or draw more with --head=N
END
draws own.hdump --head=2

# ---- more rows than are drawn; the same bytes again; nothing to draw; bad arguments ----
expect 0 'there are more than these 200; select with --warp' "$heddle" dump a.hdump --pipeline
cp out first
COLUMNS=77 "$heddle" dump a.hdump --pipeline --columns 100 -o again
cmp -s first again || fail 'another picture in a file'
COLUMNS=77 "$heddle" dump a.hdump --pipeline | awk 'length > 77 && /^(cycle|w[0-9])/ { exit 1 }' ||
	fail 'COLUMNS=77: a longer line'
expect 1 'no instructions in this selection' "$heddle" dump a.hdump --pipeline --between 900000-
expect 1 'no instructions in this selection' "$heddle" dump a.hdump --pipeline --event issue.slot
test ! -s out || fail 'an empty picture'
expect 2 "'39' is not a number from 40 to 10000" "$heddle" dump a.hdump --pipeline --columns 39
expect 2 'only valid with --pipeline' "$heddle" dump a.hdump --columns 80
expect 2 'expected one of --to, --info, --stalls and --pipeline' \
	"$heddle" dump a.hdump --pipeline --to text

# ---- a damaged file: what is left is drawn ----
size=$(wc -c <a.hdump)
drawn=0
for part in 1 2 3 4 5 6 7 8 9; do
	head -c $((size * part / 10)) a.hdump >cut.hdump
	try "$heddle" dump cut.hdump --pipeline
	test "$status" -le 2 || fail "cut to $part tenths: exit status $status"
	test ! -s out || drawn=$((drawn + 1))
	test -s err || fail "cut to $part tenths: no message"
done
test $drawn -gt 0 || fail 'no cut left a picture'
done_testing
