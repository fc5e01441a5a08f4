#!/bin/sh
# checkpoint.sh - run --save-at and --load: a run that goes on from a file gives what the run that never stopped gives
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"

traces=$src/traces/samples

# core NAME BASE "SETTINGS": a netlist that extends another
core()
{
	printf '{ "heddle": 1, "extends": "%s.json", "set": { %s } }\n' "$2" "$3" >"$1.json"
}

# same NETLIST TRACE WHEN [OPTION...]: saved after WHEN and loaded, with the messages of the whole run
same()
{
	case $1 in *.json) core=$1 ;; *) core=$src/netlists/$1.json ;; esac
	case $2 in *.g) input=$2 ;; *) input=$traces/$2/kernelslist.g ;; esac
	when=$3
	shift 3
	rm -f state
	expect 0 '' "$heddle" run -q --stats whole.json "$@" --save-at "$when" state "$core" "$input"
	expect 0 '' "$heddle" run -q --stats rest.json "$@" --load state "$core" "$input"
	cmp -s whole.json rest.json || fail "$core $input, saved after $when $*: other statistics"
	states=$((states + 1))
}
states=0

# ---- the cores: barriers held, loads and stores in flight, CTAs of several kernels ----
i=0
for netlist in volta_sm volta_sm_gto volta_sm_oldest turing_sm ampere_sm lecture_sm southern_islands_cu tutorial; do
	for trace in vecadd reduce matmul hist gather; do
		i=$((i + 1))
		same $netlist $trace $((100 + i * 17))
	done
done
same pascal_sm vecadd 700
same ampere_sm softcopy 40
same ampere_sm softcopy 444
same volta_sm saxpy_xz 300
same volta_sm tiny 1
same volta_sm tiny 101
same volta_sm reduce kernel=2
same volta_sm reduce kernel=1
# the order of evaluation is another one, nothing sleeps; the state fits all the same
same volta_sm reduce 1234 --shuffle 3
same volta_sm reduce 1234 --no-sleep
expect 0 '' "$heddle" run -q --stats rest.json --shuffle 4 --load state "$core" "$input"
cmp -s whole.json rest.json || fail "from --no-sleep to --shuffle"
# saved at the end of a run that is stopped there
same volta_sm reduce 1500 --max-cycles 1500

# ---- a core that follows control words: counters, frozen stages, late barriers ----
cat >control.hasm <<'END'
kernel control block=256
	[B------:R-:W-:-:S04] MOV R3, RZ
	repeat 40 row {
top:		[B0-----:R1:W2:-:S02] LDG.E R2, [R4.64] addr=0x7f0000000000+4*lane+128*warp+256*row
		[B-1----:R-:W-:-:S04] IADD3 R4, R4, 0x100, RZ
		[B--2---:R-:W-:-:S04] FADD R3, R3, R2
		[B------:R-:W-:Y:S05] BAR.SYNC 0x0
		[B------:R-:W-:-:S05] @P0 BRA top
	}
	[B------:R0:W-:-:S02] STG.E [R6.64], R3 addr=0x7f0000010000+4*lane+128*warp
	[B------:R-:W-:-:S05] EXIT
END
expect 0 '' "$heddle" trace assemble control.hasm -o control
for when in 5 20 55 333 1501 3000; do
	same a100_sm control/kernelslist.g $when
done

# the file is the same each time
for core in a100_sm modern_sm volta_sm quadro_gv100; do
	expect 0 '' "$heddle" run -q --save-at 700 once "$src/netlists/$core.json" "$traces/reduce/kernelslist.g"
	expect 0 '' "$heddle" run -q --save-at 700 again "$src/netlists/$core.json" "$traces/reduce/kernelslist.g"
	cmp once again || fail "$core: two checkpoints of one cycle differ"
done
# nor does it show what memory held before: valgrind tells of bytes that nothing wrote; it does not run sanitizers
if command -v valgrind >/dev/null && valgrind -q "$heddle" --version >/dev/null 2>&1; then
	for run in a100_sm:gather volta_sm:softcopy; do
		expect 0 '' valgrind -q --error-exitcode=9 "$heddle" run -q --save-at 700 once \
			"$src/netlists/${run%:*}.json" "$traces/${run#*:}/kernelslist.g"
	done
fi
# nor does it depend on the order of evaluation
for core in a100_sm modern_sm volta_sm gpu; do
	expect 0 '' "$heddle" run -q --save-at 1500 once "$src/netlists/$core.json" "$traces/gather/kernelslist.g"
	for seed in 1 7; do
		expect 0 '' "$heddle" run -q --save-at 1500 again --shuffle $seed "$src/netlists/$core.json" \
			"$traces/gather/kernelslist.g"
		cmp once again || fail "$core: --shuffle $seed saves other bytes"
	done
done
cp "$src/traces/samples/tiny/kernel-1.traceg" . # kernels that have ended
awk 'BEGIN { for (i = 0; i < 500; i++) print "kernel-1.traceg" }' >launches.g
for n in once again; do
	expect 0 '' "$heddle" run -q --save-at 20000 $n "$src/netlists/volta_sm.json" launches.g
done
cmp once again || fail 'two checkpoints with kernels that have ended differ'

# ---- policies: nested stacks, groups that wait at a barrier; fetch ahead of them ----
for policy in simt_stack min_pc lanes_apart; do
	same volta_sm hist 333 --set divergence.module=$policy
	same volta_sm reduce 777 --set divergence.module=$policy --set fetch.follow=sequential
	same southern_islands_cu hist 500 --set divergence.module=$policy
done
printf '{ "heddle": 1, "extends": "volta_sm.json", "set": { "scheduler.module": "scheduler_rrr" },
	"add": { "links": [{ "from": "scheduler[*].warps", "to": "warps.state" }] } }\n' >rrr.json
printf '{ "heddle": 1, "extends": "volta_sm.json", "set": { "scheduler.module": "scheduler_limited",
	"scheduler.params": { "limit": 3 } },
	"add": { "links": [{ "from": "scheduler[*].warps", "to": "warps.state" }] } }\n' >limited.json
printf '{ "heddle": 1, "extends": "volta_sm.json", "set": { "scheduler.module": "scheduler_two_level" },
	"add": { "links": [{ "from": "scheduler[*].warps", "to": "warps.state" },
	{ "from": "scheduler[*].ibuffer", "to": "ibuffer.issue" },
	{ "from": "scheduler[*].scoreboard", "to": "scoreboard.check" }] } }\n' >two_level.json
for netlist in rrr limited two_level; do
	same $netlist.json matmul 900
	same $netlist.json hist 333
done

# ---- several kernels at a time ----
copy()
{
	sed "s/^-cuda stream id = .*/-cuda stream id = $3/" "$traces/$2" >"kernel-$1.traceg"
	echo "kernel-$1.traceg" >>streams.g
}
echo 'MemcpyHtoD,0x1000,4096' >streams.g
copy a vecadd/kernel-1.traceg 1
copy b tiny/kernel-1.traceg 2
copy c vecadd/kernel-1.traceg 3
copy d vecadd/kernel-1.traceg 1
core several volta_sm '"dispatcher.concurrent": true, "dispatcher.window": 3'
core grids gpu '"clusters": 3, "cores": 2, "channels": 8, "dispatcher.concurrent": true, "dispatcher.kernel_latency": 0,
	"dispatcher.window": 3, "dispatcher.cta_latency": 7'
for when in 50 700 3000 6000; do
	same several.json streams.g $when
done
same grids.json streams.g 700
same grids.json streams.g 1500
expect 1 'the run ended at cycle' "$heddle" run -q --save-at kernel=2 state several.json streams.g

# ---- whole GPUs: requests in the network, in both levels of caches, in the memory ----
core pairs gpu '"clusters": 3, "cores": 2, "clocks.dram.mhz": 700.5, "dispatcher.kernel_latency": 0'
core lots gpu '"clusters": 2, "cores": 3, "requests.module": "fly", "replies.module": "fly",
	"map.indexing": "random", "cluster.sm.l1d.write_policy": "write_back", "l2.sets": 16, "l2.ways": 1,
	"dram.scheduler": "none", "dispatcher.kernel_latency": 0'
core islip gpu '"clusters": 4, "requests.arbiter": "islip", "replies.arbiter": "islip", "dispatcher.kernel_latency": 0'
for netlist in pairs lots islip; do
	for when in 37 400 777 1100; do
		same $netlist.json reduce $when
	done
	same $netlist.json vecadd 500
done
same pairs.json hist 900 --shuffle 2
same lots.json hist 901 --no-sleep
for netlist in gpu quadro_gv100 rtx_2060 rtx_3070 titan_x_pascal; do
	same $netlist vecadd 5500
done
same rtx_2060 reduce kernel=2

# ---- kernels that are skipped leave their sectors in the second-level cache, and nothing else ----
# cycles OPTION...: of kernel 2
cycles()
{
	expect 0 '' "$heddle" run -q --stats s.json "$@" "$src/netlists/$netlist.json" "$traces/reduce/kernelslist.g"
	got=$(awk '/"id": 2,/ { on = 1 } on && /"cycles": [0-9]/ { print $2 + 0; exit }' s.json)
}
netlist=rtx_2060
cycles
whole=$got
cycles --kernel 2
cold=$got
cycles --skip-kernels 1
test "$got" -lt "$cold" || fail "skipped: $got cycles, in a cold cache $cold"
test $((got - whole)) -lt 100 -a $((whole - got)) -lt 100 || fail "skipped: $got cycles, simulated $whole"
grep -q '"id": 1,' s.json && fail 'a row for a kernel that was skipped'
netlist=volta_sm # whose L1D is dropped between kernels
cycles --kernel 2
cold=$got
cycles --skip-kernels 1
test "$got" = "$cold" || fail "skipped on one SM: $got cycles, expected $cold"
same rtx_2060 reduce 5500 --skip-kernels 1
same pairs.json reduce 300 --skip-kernels 1 --shuffle 2
mkdir high # a kernel that reads the last bytes of the address space is passed, too
cp "$src/traces/samples/tiny/kernel-1.traceg" high/kernel-2.traceg
sed 's/ LDG.E.SYS 1 R2 4 1 .*/ LDG.E.SYS 1 R2 4 1 0xfffffffffffffffc 0 /' high/kernel-2.traceg >high/kernel-1.traceg
grep -q ' 0xfffffffffffffffc ' high/kernel-1.traceg || fail 'no trace with the highest addresses'
printf 'kernel-1.traceg\nkernel-2.traceg\n' >high/kernelslist.g
expect 0 '' timeout -s KILL 300 "$heddle" run -q --skip-kernels 1 "$src/netlists/quadro_gv100.json" high/kernelslist.g
expect 2 'all kernels that were requested are skipped; expected fewer than 1' "$heddle" run -q --skip-kernels 9 --kernel 2 "$core" "$input"
expect 2 'with another --skip-kernels' "$heddle" run -q --load state "$core" "$input"
expect 2 'expect kernels that run one after another' "$heddle" run -q --skip-kernels 1 several.json streams.g
expect 2 'expect kernels that run one after another' "$heddle" run -q --skip-kernels 1 several.json streams.g

# ---- SMs of more than 64 warps ----
core wide volta_sm '"warps.slots": 128'
same wide.json reduce 600

# ---- saved, loaded, saved again: as if saved at once ----
expect 0 '' "$heddle" run -q --save-at 400 first "$src/netlists/volta_sm.json" "$traces/reduce/kernelslist.g"
expect 0 '' "$heddle" run -q --load first --save-at 1400 second "$src/netlists/volta_sm.json" \
	"$traces/reduce/kernelslist.g"
expect 0 '' "$heddle" run -q --save-at 1400 once "$src/netlists/volta_sm.json" "$traces/reduce/kernelslist.g"
cmp -s second once || fail 'saved in two steps: other bytes'
expect 0 '' "$heddle" run -q --stats whole.json "$src/netlists/volta_sm.json" "$traces/reduce/kernelslist.g"
expect 0 '' "$heddle" run -q --stats rest.json --load second "$src/netlists/volta_sm.json" "$traces/reduce/kernelslist.g"
cmp -s whole.json rest.json || fail 'saved in two steps: other statistics'

# ---- events and dumps from there on ----
for netlist in volta_sm southern_islands_cu; do
	run="$src/netlists/$netlist.json $traces/reduce/kernelslist.g"
	# shellcheck disable=SC2086 # several words
	expect 0 '' "$heddle" run -q --events whole --save-at 1234 state $run
	# shellcheck disable=SC2086 # several words
	expect 0 '' "$heddle" run -q --events rest --load state $run
	awk '$1 >= 1234' whole >after
	cmp -s after rest || fail "$netlist: other events"
	# shellcheck disable=SC2086 # several words
	expect 0 '' "$heddle" run -q --save-at 1234 state --dump-filter cycle=1234-9999999 --dump whole.hdump $run
	# shellcheck disable=SC2086 # several words
	expect 0 '' "$heddle" run -q --load state --dump rest.hdump $run
	for dump in whole rest; do
		expect 0 '' "$heddle" dump -t text -o - $dump.hdump
		# what was in flight has a past in one of them, and so has the first sample of the counters
		awk '$1 > 1234 && $3 != "inst" && $3 != "mem" && ($3 != "counters" || $1 > 1999)' out >$dump.rows
	done
	test -s rest.rows || fail "$netlist: no rows"
	cmp -s whole.rows rest.rows || fail "$netlist: other rows"
done

# ---- from a run with a dump, which numbers pcs at which there is nothing, to one without ----
cat >holes.hasm <<'END'
kernel first
	FADD R1, R1, R1
	EXIT
kernel second grid=4
	FMUL R1, R1, R1
	FMUL R2, R1, R1
	EXIT
END
expect 0 '' "$heddle" trace assemble holes.hasm -o holes
for netlist in lecture_sm southern_islands_cu; do
	run="$src/netlists/$netlist.json holes/kernelslist.g"
	# shellcheck disable=SC2086 # several words
	expect 0 '' "$heddle" run -q --stats whole.json --save-at kernel=2 state --dump whole.hdump $run
	# shellcheck disable=SC2086 # several words
	expect 0 '' "$heddle" run -q --stats rest.json --load state $run
	cmp -s whole.json rest.json || fail "$netlist, saved with a dump: other statistics"
done

# ---- a deadlock is reported as if the run had not stopped ----
printf '{ "heddle": 1, "extends": "volta_sm.json", "set": { "memory.clock": "shut" },
	"add": { "clocks": { "shut": { "of": "core", "gate": "dispatcher" } } } }\n' >shut.json
trace=$traces/reduce/kernelslist.g
expect 1 'deadlock at cycle' "$heddle" run -q --stats whole.json --save-at 100 state shut.json "$trace"
cp err whole.err
expect 1 'deadlock at cycle' "$heddle" run -q --stats rest.json --load state shut.json "$trace"
cmp -s whole.err err || fail 'another report of a deadlock'
cmp -s whole.json rest.json || fail 'other statistics of a deadlock'

# ---- what is refused ----
netlist=$src/netlists/volta_sm.json
trace=$traces/reduce/kernelslist.g
expect 0 '' "$heddle" run -q --save-at 300 state "$netlist" "$trace"
expect 2 "from another netlist, or with other values in it" "$heddle" run -q --load state --set collector.steps=3 \
	"$netlist" "$trace"
expect 2 "from a trace of another name" "$heddle" run -q --load state "$netlist" "$traces/reduce/kernel-1.traceg.xz"
expect 2 "from another trace" "$heddle" run -q --load state "$netlist" "$traces/hist/kernelslist.g"
expect 2 "with another --kernel" "$heddle" run -q --load state --kernel 1 "$netlist" "$trace"
expect 2 "with another --strict" "$heddle" run -q --load state --strict "$netlist" "$trace"
expect 2 "No such file" "$heddle" run -q --load nothing "$netlist" "$trace"
expect 2 "it is not a regular file" "$heddle" run -q --load . "$netlist" "$trace"
expect 2 "it is not a checkpoint" "$heddle" run -q --load "$netlist" "$netlist" "$trace"
head -c 2000 state >cut
expect 2 "it is damaged" "$heddle" run -q --load cut "$netlist" "$trace"
{ head -c 8 state; printf '\002\000\000\000'; tail -c +13 state; } >earlier
expect 2 "it has version 2 of the format; expected 3" "$heddle" run -q --load earlier "$netlist" "$trace"
expect 1 "the run ended at cycle" "$heddle" run -q --save-at 123456789 late "$netlist" "$trace"
test ! -e late || fail 'a file of a run that was not saved'
expect 2 "the loaded run is at cycle 300" "$heddle" run -q --load state --save-at 200 late "$netlist" "$trace"
expect 2 "expected a file after it" "$heddle" run "$netlist" "$trace" --save-at 5
expect 2 "expected one of them" "$heddle" run --load state --keep-going "$netlist" "$trace"
expect 2 "expected one of them" "$heddle" run --save-at 5 late --check-modules "$netlist" "$trace"
expect 2 "expected one of them" "$heddle" run --save-at 5 late --monitor socket "$netlist" "$trace"
expect 2 "the output would replace it" "$heddle" run -q --load state --save-at 900 state "$netlist" "$trace"
# a trace that is another one although its list is the same
mkdir -p t && cp "$traces/vecadd/"* t && chmod u+w t/*
expect 0 '' "$heddle" run -q --save-at 500 state "$netlist" t/kernelslist.g
expect 0 '' "$heddle" run -q --load state "$netlist" t/kernelslist.g
sed 's/ IMAD\.WIDE / IADD3.WIDE /' "$traces/vecadd/kernel-1.traceg" >t/kernel-1.traceg
cmp -s t/kernel-1.traceg "$traces/vecadd/kernel-1.traceg" && fail 'the trace has not changed'
expect 2 "the trace is not the one with which it was saved" "$heddle" run -q --load state "$netlist" t/kernelslist.g
echo "$states states"
# ---- a state that a module refuses to save: no file, and the run goes on ----
cat >refuses.c <<'END'
#include <heddle/checkpoint.h>
#include <heddle/module.h>

static uint64_t eval(void *state)
{
	++*(uint32_t *)state;
	return HD_NEXT;
}

static void saved(void *state, struct hd_checkpoint *k)
{
	hd_saved_number(k, *(uint32_t *)state, 3);
}

const struct hd_module hd_module_refuses = {
	.abi = HD_ABI, .size = sizeof(struct hd_module), .state_size = sizeof(uint32_t), .name = "refuses",
	.doc = "counts to 3", .eval = eval, .checkpoint = saved,
};
END
plug_in refuses.c refuses.so
echo '{ "heddle": 1, "clocks": { "core": { "mhz": 1 } }, "instances": { "a": { "module": "refuses" } } }' >refuses.json
expect 1 "heddle: --save-at: the state could not be loaded: instance 'a': a number of 10, expected at most 3" \
	"$heddle" run -q --plugin refuses.so --max-cycles 20 --save-at 10 refused.state --stats refused.json refuses.json
grep -q '"cycles": 20' refused.json || { fail 'the run that was to be saved did not go on'; cat refused.json; }
test -z "$(ls refused.state* 2>/dev/null)" || fail 'a state that was refused is there'

done_testing
