#!/bin/sh
# lockstep.sh - heddle run --lockstep, --threads: all that is seen of a run whose partitions run ahead is what it is in lock step
# SPDX-License-Identifier: BSD-2-Clause
#
# Also if the run ends otherwise than foreseen, in the midst of a window: damaged traces, contradictions, a
# deadlock, warps that exit early.
. "${srcdir:-.}/tests/lib.sh"
needs xz

cat >gpu.json <<'END'
{ "heddle": 1, "extends": "quadro_gv100.json",
  "set": { "clusters": 2, "channels": 4, "slices": 4, "dispatcher.kernel_latency": 50, "dispatcher.max_ctas": 1 } }
END
sed -e 's/"extends"/"add": { "clocks": { "shut": { "of": "dram", "gate": "cycles" } } }, "extends"/' \
	-e 's/"set": {/"set": { "watchdog": 3000, "dram.clock": "shut",/' gpu.json >shut.json
list=kernelslist.g
xz -dc "$src/traces/samples/matmul/kernel-1.traceg.xz" >whole
printf 'MemcpyHtoD,0x00007f6a20000000,16384\nkernel-1.traceg\n' >$list

# run NAME OPTION...: what is seen of it goes to NAME.*; $netlist
run()
{
	name=$1
	shift
	try "$heddle" run --stats stats "$@" "$netlist" $list
	sed '/^simulated/d' out >"$name.out"
	grep -v '"seconds"' stats >"$name.stats"
	mv err "$name.err"
}

# same STATUS TEXT OPTION...: it ends so in both ways, with the message TEXT; and --explain-partitions prints
# $why, if that is set
same()
{
	expected=$1
	text=$2
	shift 2
	rm -f stats
	run lockstep --lockstep "$@"
	test $status -eq "$expected" || { fail "$text: exit status $status"; cat lockstep.err; }
	test -z "$text" || grep -qF -e "$text" lockstep.err || { fail "'$text' was expected in:"; cat lockstep.err; }
	for way in --threads=1 --threads=2 --threads=3; do
		run ahead $way "$@"
		test $status -eq "$expected" || fail "$text: $way: exit status $status, and $expected in lock step"
		for what in out err stats; do
			cmp -s lockstep.$what ahead.$what && continue
			fail "$text: $way: other $what"
			diff lockstep.$what ahead.$what
		done
	done
	run explained --explain-partitions "$@"
	test -z "$why" || grep -q "$why" explained.out || { fail "$text: not '$why' in:"; tail -n 5 explained.out; }
	test -n "$why" || ! grep 'lock step' explained.out || fail "$text: in lock step"
}

netlist=gpu.json
why=
cp whole kernel-1.traceg
same 0 ''
same 0 '' --shuffle 3 --per-kernel
why='^lock step from cycle [0-9]* on: trace reported an error$'
sed '15000s/.*/0f30 garbage 3/' whole >kernel-1.traceg
same 2 "kernel-1.traceg:15000:6: expected a mask"
sed '16000,$d' whole >kernel-1.traceg
same 2 'the file ends'
# A warning in a window has the cycle in which the dispatcher takes the last block.
why=
xz -dc "$src/traces/samples/gather/kernel-1.traceg.xz" | sed 's/ EXIT .*/& ODD/' >kernel-1.traceg
same 0 'lines end with unknown words'
why='^lock step from cycle [0-9]* on: trace reported an error$'
# What is wrong with the netlist is printed once, however often its run begins.
sed '15000s/.*/0f30 garbage 3/' whole >kernel-1.traceg
same 2 'expected capacity' --set rop=64
# A warp goes on after its EXIT.
sed '14231s/\(....\).*/\1 ffffffff 0 EXIT 0 0 /' whole >kernel-1.traceg
same 2 'an instruction follows although all threads of warp 0 have exited' --strict
why=
same 0 'a lane goes on after an EXIT that has it'
# The memory's clock is never opened.
netlist=shut.json
why='^lock step from cycle 0 on: nothing happened any more$'
cp whole kernel-1.traceg
same 1 'deadlock at cycle'
done_testing
