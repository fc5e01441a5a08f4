#!/bin/sh
# concurrent.sh - kernels of several streams on a whole GPU
# SPDX-License-Identifier: BSD-2-Clause
#
# No reference figures exist for this: what is compared is what must agree with something else.
. "${srcdir:-.}/tests/lib.sh"
needs python3 xz

rows='[[k[m] for m in ("id", "cycles", "warp_instructions", "thread_blocks")] for k in s["kernels"]]'
figures="[s['status'], s['cycles'], $rows, s.get('issue')]"

# kernel-NAME of the bundled trace TRACE, on stream S
stream()
{
	case $2 in
	*.xz) xz -dc "$src/traces/samples/$2" ;;
	*) cat "$src/traces/samples/$2" ;;
	esac | sed "s/^-cuda stream id = .*/-cuda stream id = $3/" >"kernel-$1.traceg"
}
several()
{
	stream a hist/kernel-1.traceg.xz "$1"
	stream b matmul/kernel-1.traceg.xz "$2"
	stream c reduce/kernel-1.traceg.xz "$3"
	stream d vecadd/kernel-1.traceg "$1"
	stream e reduce/kernel-2.traceg.xz "$3"
	stream f tiny/kernel-1.traceg "$4"
	printf 'MemcpyHtoD,0x1000,4096\nkernel-a.traceg\nkernel-b.traceg\nkernel-c.traceg\n' >kernelslist.g
	printf 'MemcpyHtoD,0x9000,4096\nkernel-d.traceg\nkernel-e.traceg\nkernel-f.traceg\n' >>kernelslist.g
}

core()
{
	printf '{ "heddle": 1, "extends": "%s.json", "set": { %s } }\n' "$2" "$3" >"$1.json"
}
small='"clusters": 5, "channels": 8'
core one gpu "$small, \"dispatcher.kernel_latency\": 300, \"dispatcher.shared_options\": []"
core both gpu "$small, \"dispatcher.kernel_latency\": 300, \"dispatcher.concurrent\": true"
core pairs gpu "\"clusters\": 3, \"cores\": 2, \"channels\": 8, \"dispatcher.concurrent\": true,
	\"dispatcher.kernel_latency\": 0, \"dispatcher.window\": 3, \"dispatcher.cta_latency\": 7"

several 1 2 3 4
# several streams overlap, and end in another order than they begin; whatever the order of evaluation
for c in both pairs; do
	expect 0 '' "$heddle" run -q --stats a.json $c.json kernelslist.g
	for how in --no-sleep '--shuffle 1' '--shuffle 2'; do
		# shellcheck disable=SC2086 # several words
		expect 0 '' "$heddle" run -q $how --stats b.json $c.json kernelslist.g
		grep -v '"seconds"' a.json >a
		grep -v '"seconds"' b.json >b
		cmp a b || fail "$c: $how: other bytes"
	done
	mv a.json $c.s
	stats 's["status"]' $c.s | grep -q finished || fail "$c: not finished"
done
stats 's["instances"]["dispatcher"]["copied"]' both.s | grep -qx 8192 || fail "copies"
expect 0 '' "$heddle" run -q --stats one.s one.json kernelslist.g
stats '"overlap" if s["cycles"] < t["cycles"] else "none"' both.s one.s | grep -q overlap ||
	fail "kernels of several streams take as long as one after another"

# of one stream: one after another, as without 'concurrent'
several 1 1 1 1
for c in one both; do
	expect 0 '' "$heddle" run -q --stats $c.s $c.json kernelslist.g
	stats "$figures" $c.s >$c.figures
done
cmp one.figures both.figures || fail "one stream: 'concurrent' makes a difference"
done_testing
