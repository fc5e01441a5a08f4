#!/bin/sh
# large.sh - GPUs of many SMs, and netlists of 100,000 instances, load and run
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"
needs python3 timeout

# large INSTANCES OPTION...: it has at least so many, and runs to its end, in a minute at most
large()
{
	least=$1
	shift
	expect 0 'no mistakes' timeout 600 "$heddle" check "$@" quadro_gv100.json
	found=$(sed -n 's/.*: \([0-9]*\) instances.*/\1/p' out)
	test "${found:-0}" -ge "$least" || fail "$*: ${found:-no} instances; expected $least"
	expect 0 '' timeout 600 "$heddle" run -q --stats large.json "$@" quadro_gv100.json "$trace"
	stats 's["status"]' large.json | grep -q finished || fail "$*: not finished"
}

# 256 SMs of 128 warps, all of which have CTAs of the trace
trace=$src/traces/samples/vecadd/kernelslist.g
large 15000 --set clusters=256 --set cluster.sm.warps=128 --set dispatcher.kernel_latency=0
stats 'sum(v["warps_launched"] > 0 for k, v in s["instances"].items() if k.endswith(".warps"))' \
	large.json | grep -qx 64 || fail "vecadd has 64 CTAs, each for an SM of its own"
trace=$src/traces/samples/tiny/kernelslist.g
large 100000 --set clusters=1700 --set dispatcher.kernel_latency=0

# more SMs than a request can name
expect 2 'expected' "$heddle" check --set warps.sms=65537 volta_sm.json

# drawing waveforms of a dump takes no longer for each signal if there are more
expect 0 '' timeout 600 "$heddle" run -q --dump large.hdump --set clusters=300 --set dispatcher.kernel_latency=0 \
	quadro_gv100.json "$trace"
expect 0 '' timeout 600 "$heddle" dump --to vcd large.hdump -o large.vcd
test -s large.vcd || fail "no waveforms"
done_testing
