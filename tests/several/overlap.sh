#!/bin/sh
# overlap.sh - kernels that overlap: what is counted for each of them, and for each stream
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"
needs python3 xz

# kernel-NAME of the bundled trace TRACE, on stream S
stream()
{
	case $2 in
	*.xz) xz -dc "$src/traces/samples/$2" ;;
	*) cat "$src/traces/samples/$2" ;;
	esac | sed "s/^-cuda stream id = .*/-cuda stream id = $3/; s/^-kernel id = .*/-kernel id = $4/" >"kernel-$1.traceg"
	echo "kernel-$1.traceg" >>kernelslist.g
}
stream a hist/kernel-1.traceg.xz 1 1
stream b matmul/kernel-1.traceg.xz 2 2
stream c reduce/kernel-1.traceg.xz 3 3
stream d vecadd/kernel-1.traceg 1 4
stream e reduce/kernel-2.traceg.xz 3 5
stream f tiny/kernel-1.traceg 4 6

core()
{
	printf '{ "heddle": 1, "extends": "%s.json", "set": { "dispatcher.concurrent": true%s } }\n' "$2" "$3" >"$1.json"
}
core volta volta_sm ''
core quad volta_sm_gto ', "issue.width": 2'
core control a100_sm ''
core types southern_islands_cu ''
core whole gpu ', "clusters": 3, "cores": 2, "channels": 8, "dispatcher.window": 3, "dispatcher.cta_latency": 7'

for c in volta quad control types whole; do
	any_order $c.s $c.json kernelslist.g
	expect 0 '' "$heddle" run -q --reasons --stats $c.r --dump $c.hdump $c.json kernelslist.g
	expect 0 '' "$heddle" run -q --save-at 2000 $c.state --stats saved.s $c.json kernelslist.g
	cmp -s $c.s saved.s || fail "$c: other statistics of a run that is saved"
	expect 0 '' "$heddle" run -q --load $c.state --stats loaded.s $c.json kernelslist.g
	cmp -s $c.s loaded.s || fail "$c: other statistics of a run that is loaded"
	expect 0 '' "$heddle" run -q --events events $c.json kernelslist.g
	expect 0 '' "$heddle" run -q --events events.dumped --dump again.hdump $c.json kernelslist.g
	cmp -s events events.dumped || fail "$c: other events with a dump"
	for k in 1 2 3 4 5 6; do
		expect 0 '' "$heddle" run -q --kernel $k --stats $c.$k.alone $c.json kernelslist.g
		expect 0 'all issue slots' "$heddle" dump --stalls --kernel $k $c.hdump
		sed -n 's/^ *\([0-9]*\) .* all issue slots$/\1/p' out >$c.$k.slots
	done
	$python "$src/tests/several/overlap.py" $c || fail "$c: see above"
done

# a program sees the sums, too
# (an interpreter has no sanitizers)
if test -e "$build/.libs/libheddle.so" && ! grep -q enable-sanitizers "$build/config.log"; then
	PYTHONPATH=$src/python LIBHEDDLE=$build/.libs/libheddle.so $python -c 'import heddle, json
s = heddle.Simulation("volta.json", "kernelslist.g")
s.run()
assert s.results() == json.load(open("volta.s"))' || fail "a program sees other statistics"
fi

# kernels are compared with themselves, in whichever order they end or are left out
expect 0 '' "$heddle" run -q --stats each.s volta_sm.json kernelslist.g
expect 0 '' "$heddle" run -q --kernel 2- --stats later.s volta_sm.json kernelslist.g
expect 0 '' "$heddle" compare each.s volta.s
for k in 1 2 3 4 5 6; do
	stats 'next(int(k["cycles"]) for k in s["kernels"] if k["id"] == '$k')' volta.s >after
	grep -q "^  $k .* $(cat after) " out || fail "kernel $k: is compared with another one: $(cat after)"
done
expect 0 '' "$heddle" compare each.s later.s
grep -q '^  1 ' out && fail "a kernel that was left out is compared with another one"
expect 0 'end in another order' "$heddle" compare --csv - each.s volta.s

expect 0 'kernels overlap: cycles are from the launch to the end of each' "$heddle" run --per-kernel volta.json kernelslist.g
grep -qx 'stream         kernels    instructions   thread blocks' out || fail "no sums of streams"
expect 0 '' "$heddle" run --per-kernel volta_sm.json kernelslist.g
! grep -q overlap out || fail "kernels one after another are printed as if they overlapped"
done_testing
