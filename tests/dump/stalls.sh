#!/bin/sh
# stalls.sh - issue slots of one kernel: all of them, the figures of the kernel in the statistics
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"
needs python3

# Adds up a listing by group; the statistics count an instruction without active lanes as a stall, too.
cat >sums.py <<'END'
import collections
import json
import re
import sys


def listing(name):
    out = collections.Counter()
    for line in open(name).read().split("\n")[1:]:
        # the column after the bar, where groups begin
        m = re.match(r" *(\d+) +[\d.]+ %  [# ]{20} (\S.*)$", line)
        if m:
            out[m.group(2).split("  ")[0]] += int(m.group(1))
    return out


s = json.load(open("s.json"))
groups = ("single", "dual", "stall", "scoreboard", "idle")
total = collections.Counter()
for k in s["kernels"]:
    got, want = listing("stalls.%d" % k["id"]), k["figures"]["issue"]
    total += got
    for group in groups:
        if group != "stall" and got[group] != want[group]:
            sys.exit("kernel %d: %s: %d, statistics %d" % (k["id"], group, got[group], want[group]))
    if not 0 <= want["stall"] - got["stall"] <= want["single"]:
        sys.exit("kernel %d: stall: %d, statistics %d" % (k["id"], got["stall"], want["stall"]))
    if got["all issue slots"] != sum(got[group] for group in groups):
        sys.exit("kernel %d: the groups are not all slots" % k["id"])
if total != listing("stalls.all"):
    sys.exit("the kernels are not the whole: %s, %s" % (total, listing("stalls.all")))
END

slots()
{
	expect 0 '' "$heddle" dump --stalls run.hdump
	mv out stalls.all
	for k; do
		expect 0 '' "$heddle" dump --stalls --kernel "$k" run.hdump
		mv out "stalls.$k"
	done
}

# ---- one after another: on one SM, with stages that work in turn, on a GPU ----
for core in volta_sm southern_islands_cu "quadro_gv100 --set clusters=2 --set channels=8 --set dispatcher.kernel_latency=300"; do
	netlist=$src/netlists/${core%% *}.json
	test "${core#* }" = "$core" && options='' || options=${core#* }
	# shellcheck disable=SC2086
	expect 0 '' "$heddle" run -q --stats s.json --dump run.hdump $options "$netlist" "$src/traces/samples/reduce/kernelslist.g"
	slots 1 2
	python3 sums.py || fail "$core: slots of a kernel"
done

# ---- part of a kernel, and one that has not ended ----
expect 0 '' "$heddle" run -q --stats s.json --dump run.hdump --max-cycles 5800 "$src/netlists/volta_sm.json" \
	"$src/traces/samples/reduce/kernelslist.g"
slots 1 2 1,2
cmp stalls.1,2 stalls.all || fail "both kernels are not all slots"
test "$(awk '/all issue slots/ { print $1 }' stalls.2)" -gt 0 || fail "a kernel that has not ended has no slots"
expect 0 '' "$heddle" dump --stalls --kernel 1 --between 100-199 run.hdump
test "$(awk '/all issue slots/ { print $1 }' out)" -eq 400 || fail "slots of 100 cycles of four schedulers"

# ---- stages in turn: one of them works in each cycle, in any window ----
expect 0 '' "$heddle" run -q --dump run.hdump "$src/netlists/southern_islands_cu.json" "$src/traces/samples/reduce/kernelslist.g"
for cycles in 100-199 11811-11911 11900; do
	expect 0 '' "$heddle" dump --stalls --kernel 1 --between $cycles run.hdump
	test "$(awk '/all issue slots/ { print $1 }' out)" -eq $((${cycles#*-} - ${cycles%-*} + 1)) || fail "in turn: slots of cycles $cycles"
done
"$heddle" dump --to text --event issue_types.slot run.hdump | awk '
	{ split($5, n, "="); if (($4 in next_of && $1 != next_of[$4]) || n[2] > ($2 + 3) / 4 || n[2] * 4 < $2) bad = 1; next_of[$4] = $1 + $2 }
	END { exit bad }' || fail "in turn: rows of a stage do not follow one another"
expect 0 '' "$heddle" dump --to text -o run.txt run.hdump
try $python "$src/tests/dump/reader.py" run.hdump
test "$status" -eq 77 || cmp out run.txt || fail "in turn: the other reader"

# ---- several dispatchers: slots know their kernel ----
expect 0 '' "$heddle" run -q --dump run.hdump "$src/tests/several/mixed.json" "$src/traces/samples/reduce/kernelslist.g"
slots 1 2
all=$(awk '/all issue slots/ { n = $1 } END { print n }' stalls.all)
both=$(awk '/all issue slots/ { n += $1 } END { print n }' stalls.1 stalls.2)
test "$all" -eq "$both" || fail "several dispatchers: $all slots, of kernels $both"

# ---- side by side: every slot belongs to one kernel ----
cat >streams.json <<END
{ "heddle": 1, "extends": "$src/netlists/tutorial.json", "set": { "dispatcher.concurrent": true } }
END
mkdir list
cp "$src/traces/samples/vecadd/kernel-1.traceg" list
sed 's/^-cuda stream id = .*/-cuda stream id = 1/; s/^-kernel id = .*/-kernel id = 2/' \
	"$src/traces/samples/vecadd/kernel-1.traceg" >list/kernel-2.traceg
printf 'kernel-1.traceg\nkernel-2.traceg\n' >list/kernelslist.g
expect 0 '' "$heddle" run -q --dump run.hdump streams.json list/kernelslist.g
slots 1 2
all=$(awk '/all issue slots/ { n = $1 } END { print n }' stalls.all)
both=$(awk '/all issue slots/ { n += $1 } END { print n }' stalls.1 stalls.2)
test "$all" -eq "$both" || fail "streams: $all slots, of kernels $both"

# ---- what no instruction was waited for, mainly because of the largest cause of all ----
expect 0 '' "$heddle" run -q --dump run.hdump "$src/netlists/volta_sm.json" "$src/traces/samples/gather/kernelslist.g"
expect 0 '' "$heddle" dump --stalls run.hdump
queue=$(awk '/ [A-Z]*$/ { unit = $NF } unit == "INT" && /load_store: the queue of an L1D bank has no room/ { print $1; exit }' out)
expect 0 '' "$heddle" dump --stalls --by pc run.hdump
other=$(awk '/\(not for a result\)/ { print $1 }' out)
grep "(not for a result) *$(((200 * queue + other) / (2 * other))) % stall.full, INT, load_store: the queue of an L1D bank" out ||
	fail "the main cause is $queue of $other slots"

# ---- a core that follows control words: the instruction whose counter is waited for, by its word or a made one ----
expect 0 '' "$heddle" run -q --dump run.hdump "$src/netlists/a100_sm.json" "$src/traces/samples/gather/kernelslist.g"
expect 0 'dependence.sb2, SB2 of k1 0x0090 LDG.E.128' "$heddle" dump --stalls --by pc run.hdump
grep 'k1 0x0090 LDG.E.128.* dependence.sb2, its SB2 for k1 0x00c0 IMAD.WIDE' out || fail "what the load is waited for by"
expect 0 '' "$heddle" trace assemble "$src/traces/samples/windows/queue.hasm" -o queue
expect 0 '' "$heddle" run -q --dump run.hdump "$src/netlists/a100_sm.json" queue/kernelslist.g
expect 0 'its SB' "$heddle" dump --stalls --by pc run.hdump

# ---- kernels have the numbers of their first launch, as --kernel takes them ----
mkdir -p order
cp "$src/traces/samples/reduce/kernel-2.traceg.xz" order/kernel-1.traceg.xz
cp "$src/traces/samples/reduce/kernel-2.traceg.xz" order/kernel-2.traceg.xz
cp "$src/traces/samples/reduce/kernel-1.traceg.xz" order/kernel-3.traceg.xz
printf 'kernel-%d.traceg\n' 1 2 3 >order/kernelslist.g
expect 0 '' "$heddle" run -q --dump run.hdump "$src/netlists/volta_sm.json" order/kernelslist.g
expect 0 '' "$heddle" dump --stalls --by pc run.hdump
printf '%s\n' '' 'k1  _Z9sum_totalPKfPf' 'k3  _Z12sum_segmentsPKiPKfPfPi' >expected
tail -n 3 out | cmp -s - expected || fail "numbers of kernels: $(tail -n 3 out)"
expect 0 '' "$heddle" dump --stalls --by pc --kernel 3 run.hdump
grep -q ' k3 0x' out || fail "no instruction of kernel 3"
grep -q ' k1 0x' out && fail "instructions of kernel 1 among those of kernel 3"

# ---- a unit that gives no reason: at least what its module does is named, here and in the page ----
plug_in "$src/examples/fu_serial.c" fu_serial.so
sed '/"alu": {/,/} *}/c\
    "alu": { "module": "fu_serial", "clock": "core", "params": { "lanes": 4, "cycles": 2 } },
' "$src/netlists/tutorial.json" >serial.json
expect 0 '' "$heddle" run -q --dump run.hdump --plugin ./fu_serial.so serial.json "$src/traces/samples/vecadd/kernel-1.traceg"
why='does not take it, reason not given; what fu_serial does: function unit that is not pipelined'
expect 0 "alu: $why" "$heddle" dump --stalls run.hdump
expect 0 "$why" "$heddle" dump --stalls --by pc run.hdump
expect 0 '' "$heddle" report run.hdump -o run.html
grep -q "\"$why\"" run.html || fail "the page does not say what the module does"
done_testing
