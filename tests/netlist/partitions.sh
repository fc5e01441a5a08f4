#!/bin/sh
# partitions.sh - heddle check --partitions: what only channels join
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"

gpu=$src/netlists/quadro_gv100.json

# partitions [OPTION...]: of a GPU with four clusters, after the line of the netlist
partitions()
{
	try "$heddle" check --partitions "$gpu" --set clusters=4 --set channels=8 "$@"
	test $status -eq 0 || { fail "$*: exit status $status"; cat err; }
	sed 1d out >shown
}

# Clusters, networks and the channels of the memory: calls of the dispatcher, the trace, the map and the time join nothing.
partitions
cat >expected <<'END'
31 partitions, with 72 channels between them
  cluster[0] to cluster[3]: 4 partitions, each of 60 instances
  dispatcher: of 1 instance
  requests: of 1 instance
  replies: of 1 instance
  reply_port[*], slice[*], l2[*], dram[0] to reply_port[*], slice[*], l2[*], dram[7]: 8 partitions, each of 7 instances
  intake[0] to intake[15]: 16 partitions, each of 1 instance
END
cmp -s shown expected || { fail 'the GPU: other partitions'; diff expected shown; }

# So are SMs that follow control words: between them are the networks of a GPC, and the cache of its code.
while read -r name sms; do
	expect 0 "  cluster[0] to cluster[$((sms - 1))]: $sms partitions" "$heddle" check --partitions "$src/netlists/$name.json"
done <<'END'
a100 108
gh200 132
h100_pcie 114
h100_sxm 132
h200 132
rtx_3080 68
rtx_3090 82
rtx_a6000 84
v100 80
END

# A map that depends on who uses an address first joins its users.
partitions --set map.indexing=random
grep -q '^18 partitions' shown || { fail 'a random map: other partitions'; cat shown; }
grep -q '^  cluster\[\*\], dispatcher, .*map' shown || { fail 'a random map joins nothing'; cat shown; }

# Links with little room, too: their producer waits for the reader.
partitions --set in_buffer=63
grep -q '^  replies, reply_port\[\*\], slice' shown || { fail 'links with little room join nothing'; cat shown; }
partitions --set out_buffer=63 --set in_buffer=63
grep -q '^2 partitions' shown || { fail 'small networks: other partitions'; cat shown; }

# An SM is one; without the option nothing is printed.
expect 0 '1 partition, with 0 channels between them' "$heddle" check --partitions "$src/netlists/volta_sm.json"
try "$heddle" check "$gpu"
test "$(wc -l <out)" -eq 1 || { fail 'without the option: more than a line'; cat out; }

# What is never evaluated and joined to nothing is not in any.
cat >apart.json <<'END'
{ "heddle": 1, "clocks": { "core": { "mhz": 1000 } },
  "instances": { "t": { "module": "timebase", "count": 2, "clock": "core" } } }
END
expect 0 '0 partitions, with 0 channels between them' "$heddle" check --partitions apart.json

# They run many cycles in turn, or it is printed why not.
explain()
{
	expected=$1
	shift
	expect 0 '' "$heddle" run --explain-partitions "$@"
	grep -q "$expected" out || { fail "$*: not '$expected'"; cat out err; }
}
small=$src/traces/samples/tiny/kernelslist.g
explain '^lock step: no link divides it' "$src/netlists/volta_sm.json" "$small"
explain '^1 partition, with 0 channels' "$src/netlists/volta_sm.json" "$small"
set -- --set clusters=2 --set channels=4 --set slices=4 --set dispatcher.kernel_latency=50 "$gpu" "$small"
explain '^[0-9]* domains run windows of at most 160 cycles' "$@"
explain "made [a-z ]* by 'apart' of dispatcher$" "$@"
explain '^lock step: --lockstep$' --lockstep "$@"
# Staged links with latency, as instruction caches have, join nothing; what they lie between may have different clocks.
cat >staged.json <<'END'
{ "heddle": 1, "name": "staged", "extends": "gpu.json",
  "set": { "cluster.netlist": "control_cluster.json", "trace.opcodes": "opcodes/modern", "trace.control": "available",
           "trace.latencies": "opcodes/latencies.json" },
  "rewire": [{ "link": { "from": "cluster[$n].request" }, "rotate": false }] }
END
explain 'windows of at most' --threads 2 --set clusters=2 --set channels=4 --set slices=4 --set dispatcher.kernel_latency=50 staged.json "$small"
grep 'in one thread' out && fail 'staged links: one thread'
explain 'windows of at most 34 cycles' --threads 2 --set gpcs=1 --set gpc_sms=1 --set last_sms=1 --set channels=4 --set slices=4 "$src/netlists/rtx_a6000.json" "$small"
explain '^lock step: --no-sleep$' --no-sleep "$@"
explain '^lock step: --dump$' --dump seen.dump "$@"
explain '^lock step: --events$' --events seen.events "$@"
explain '^lock step: --save-at$' --save-at 100 saved "$@"
explain '^lock step: --load$' --load saved "$@"
# Threads that have nothing to run are a line, and only then.
expect 0 'heddle: warning: --threads has no effect with --max-cycles, which needs the lock step' \
	"$heddle" run --threads 2 --max-cycles 100 "$@"
expect 0 'heddle: warning: --threads has no effect on this netlist: no link divides it' \
	"$heddle" run --threads 2 "$src/netlists/volta_sm.json" "$src/traces/samples/tiny/kernelslist.g"
test "$(wc -l <err)" -eq 1 || { fail 'one thread: not one line'; cat err; }
expect 0 '' "$heddle" run -q --threads 2 "$src/netlists/volta_sm.json" "$src/traces/samples/tiny/kernelslist.g"
expect 2 '--lockstep and --threads: expected one of them' "$heddle" run --lockstep --threads 2 "$@"
expect 2 '--explain-partitions and --quiet: expected one of them' "$heddle" run -q --explain-partitions "$@"

done_testing
