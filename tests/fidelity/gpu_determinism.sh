#!/bin/sh
# gpu_determinism.sh - whole GPUs: neither the order of evaluation nor sleep nor that of the file shows
# SPDX-License-Identifier: BSD-2-Clause
#
# Statistics and dumps are those of the plain run, byte for byte; a dump of a file in
# another order has the same rows in another order.
. "${srcdir:-.}/tests/lib.sh"
needs python3

# gpu NAME SET: a small GPU in one file, and in others with its elements in another order
gpu()
{
	echo "{ \"heddle\": 1, \"extends\": \"quadro_gv100.json\"," \
	     "\"set\": { \"channels\": 4, \"slices\": 4, \"dispatcher.kernel_latency\": 50, $2 } }" >short.json
	expect 0 '' "$heddle" flatten -o "$1.json" short.json
	for seed in 1 2; do
		mkdir -p "$seed"
		"$build/tests/netlist/permute" "$1.json" "$seed" >"$seed/$1.json" || fail "permute $1"
	done
	cmp -s "1/$1.json" "2/$1.json" && fail "permute does nothing"
}

# A crossbar; two SMs in a cluster that take turns; memory of another clock.
gpu pairs '"clusters": 3, "cores": 2, "clocks.dram.mhz": 700.5'
# A router; slices drawn by lot in the order in which SMs use addresses, with write-backs of lines that
# two slices share; a memory without rows.
gpu lots '"clusters": 2, "cores": 3, "requests.module": "fly", "replies.module": "fly",
	"map.indexing": "random", "cluster.sm.l1d.write_policy": "write_back", "l2.sets": 16, "l2.ways": 1,
	"dram.scheduler": "none"'

# run NAME OPTION...: statistics, and dump, of a run; $netlist, $trace
run()
{
	name=$1
	shift
	for what in --stats --dump; do
		expect 0 '' "$heddle" run -q $what "$name$what" "$@" "$netlist" \
			"$src/traces/samples/$trace/kernelslist.g"
	done
	stats '{k: v for k, v in s.items() if k != "seconds"}' "$name--stats" >"$name.figures"
}

# rows NAME: rows of the dump, sorted, without samples of counters: they are taken when the period of the
# first clock of the file begins, which may be before or after that of another with equal frequency
rows()
{
	"$heddle" dump --to text "$1--dump" | grep -v ' counters ' | sort >"$1.rows"
}

# same HOW OPTION...: HOW: bytes, or rows, of the dump are the same
same()
{
	how=$1
	shift
	run other "$@"
	cmp -s plain.figures other.figures || fail "$netlist $trace $*: other statistics"
	if test "$how" = bytes; then
		cmp -s plain--dump other--dump || fail "$netlist $trace $*: another dump"
	else
		rows other
		cmp -s plain.rows other.rows || fail "$netlist $trace $*: other rows in the dump"
	fi
}

for core in pairs lots; do
	for trace in reduce ${HEDDLE_ALL:+hist}; do
		netlist=$core.json
		run plain
		rows plain
		test "$(wc -l <plain.rows)" -gt 1000 || fail "$core $trace: an empty dump"
		same bytes --no-sleep
		same bytes --shuffle 1
		same bytes --shuffle 2 --no-sleep
		netlist=1/$core.json
		same rows
		netlist=2/$core.json
		same rows --shuffle 3
	done
done
# Partitions that run ahead give the statistics of the lock step, and do so.
for trace in reduce ${HEDDLE_ALL:+hist softcopy}; do
	netlist=pairs.json
	run plain
	for threads in 1 3 ${HEDDLE_ALL:+2 7}; do
		expect 0 '' "$heddle" run -q --threads $threads --stats ahead "$netlist" "$src/traces/samples/$trace/kernelslist.g"
		stats '{k: v for k, v in s.items() if k != "seconds"}' ahead >ahead.figures
		cmp -s plain.figures ahead.figures || fail "$trace --threads $threads: other statistics"
	done
	try "$heddle" run --explain-partitions "$netlist" "$src/traces/samples/$trace/kernelslist.g"
	grep -q '^[0-9]* domains run windows of at most 160 cycles' out || { fail "$trace: no windows"; cat out; }
	grep -q ': 0 windows' out && fail "$trace: no windows"
done
# Clocks that derive from another one than the first, whose edges of a period are at one moment with its first: a part ends
# behind them, also where all that they have sleeps.
$python - <<'END' >derived.json
import json
n = json.load(open('pairs.json'))
n['clocks']['l2'] = {'of': 'network', 'times': 3}
print(json.dumps(n))
END
expect 0 '' "$heddle" run -q --lockstep --stats plain derived.json "$src/traces/samples/reduce/kernelslist.g"
stats '{k: v for k, v in s.items() if k != "seconds"}' plain >plain.figures
for option in --no-sleep '--shuffle 5' '--threads 2' --check-modules; do
	expect 0 '' "$heddle" run -q $option --stats other derived.json "$src/traces/samples/reduce/kernelslist.g"
	stats '{k: v for k, v in s.items() if k != "seconds"}' other >other.figures
	cmp -s plain.figures other.figures || fail "derived clocks, $option: other statistics"
done
done_testing
