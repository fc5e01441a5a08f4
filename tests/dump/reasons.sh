#!/bin/sh
# reasons.sh - reasons for lost issue slots without a dump: those of the dump, for the run and each kernel
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"

# Leaves of the listing of a dump, "KERNEL NAME SLOTS"; below "full" are units, below "unit" and others more than that.
cat >listing.awk <<'END'
NR == 1 { column = index($0, "reason"); next }
$4 != "" && index($0, " %  ") {
	text = substr($0, column)
	match(text, /^ */)
	depth = RLENGTH / 2
	split(text, word, " ")
	name[depth] = depth > 0 ? name[depth - 1] "." word[1] : word[1]
	print kernel, name[depth], $1
}
END

# check NETLIST TRACE KERNELS: the same numbers as in the dump
check()
{
	expect 0 '' "$heddle" run -q --reasons --stats s.json "$src/netlists/$1" "$src/traces/samples/$2/kernelslist.g"
	expect 0 '' "$heddle" run -q --dump d.hdump --stats plain.json "$src/netlists/$1" "$src/traces/samples/$2/kernelslist.g"
	# the same lines for the run, 0, and each kernel
	stats "'\n'.join('%d %s %d' % (i, k, v) for i, o in enumerate([s, *s['kernels']]) for k, v in o['reasons'].items())" s.json >counted
	test "$(stats "len(s['kernels'])" s.json)" -eq "$3" || fail "$1 $2: not of each kernel and the run"
	expect 0 '' "$heddle" dump --stalls d.hdump
	awk -v kernel=0 -f listing.awk out >listed
	for kernel in $(seq "$3"); do
		expect 0 '' "$heddle" dump --stalls --kernel "$kernel" d.hdump
		awk -v kernel="$kernel" -f listing.awk out >>listed
	done
	grep -vxF -f listed counted >other
	test ! -s other || { fail "$1 $2: not in the dump:"; cat other; }
	# all slots are counted: groups of the dump that are not in the sums
	awk '{ split($2, part, "."); sum[$1 " " part[1]] += $3 } END { for (g in sum) print g, sum[g] }' counted | sort >sums
	grep -E '^[0-9]+ [a-z]+ ' listed | grep -v ' all ' | sort >groups
	cmp -s sums groups || { fail "$1 $2: groups differ:"; diff sums groups; }
	# causes: those of the dump, as the comparison of both reads them
	expect 0 '' "$heddle" compare --stalls d.hdump s.json
	test "$(awk 'NR > 3 && NF >= 6 && ($(NF - 2) != "+0" || $(NF - 1) != "+0.0")' out)" = "" ||
		{ fail "$1 $2: other reasons or causes than in the dump:"; cat out; }
	# nothing else changes
	test "$(stats "[w := lambda o: {k: w(v) for k, v in o.items() if k not in ('reasons', 'causes')} if isinstance(o, dict)
		else [w(v) for v in o] if isinstance(o, list) else o, w(s) == w(t)][1]" s.json plain.json)" = True ||
		fail "$1 $2: other statistics are others"
}
check volta_sm.json reduce 2
cp s.json volta.json
# what stands behind the branch unit: 4138 slots, say
behind=$(stats "s['causes']['stall.full.BRA']['load_store.accesses']" s.json)
expect 0 '' "$heddle" compare --stalls d.hdump s.json
for cause in 'load_store\.accesses' 'branch\[\*\]\.initiation' 'collector\.operands'; do
	grep -q "^ \{8\}$cause .* +0 .* +0\.0 " out || { fail "no cause $cause below a full unit:"; cat out; }
done
check volta_sm.json hist 1
check modern_sm.json reduce 2

# whatever the order of evaluation, and beside events
run="$heddle run -q --reasons --stats"
trace=$src/traces/samples/reduce/kernelslist.g
expect 0 '' $run s.json "$src/netlists/volta_sm.json" "$trace"
expect 0 '' $run t.json --shuffle 7 --no-sleep "$src/netlists/volta_sm.json" "$trace"
cmp -s s.json t.json || fail 'the order of evaluation changes the reasons'
expect 0 '' $run t.json --events e.txt "$src/netlists/volta_sm.json" "$trace"
cmp -s s.json t.json || fail '--events changes the reasons'
expect 0 '' "$heddle" run -q --events f.txt "$src/netlists/volta_sm.json" "$trace"
cut -d' ' -f2 e.txt | sort | uniq -c >e.kinds
cut -d' ' -f2 f.txt | sort | uniq -c >f.kinds
grep -v slot e.kinds >e.others
grep -v slot f.kinds | cmp -s - e.others || fail '--reasons changes the events'

# a scheduler may have nothing to do, and sleep, from one kernel to the next
expect 0 '' $run s.json "$src/netlists/lecture_sm.json" "$trace"
expect 0 '' $run t.json --no-sleep "$src/netlists/lecture_sm.json" "$trace"
cmp -s s.json t.json || fail 'slots between two kernels are not counted'

# and in a dump of one kernel they are what they are without the option
for core in volta_sm lecture_sm modern_sm; do
	expect 0 '' "$heddle" run -q --dump plain.hdump "$src/netlists/$core.json" "$src/traces/samples/matmul/kernelslist.g"
	expect 0 '' $run t.json --dump counted.hdump "$src/netlists/$core.json" "$src/traces/samples/matmul/kernelslist.g"
	cmp -s plain.hdump counted.hdump || fail "$core: --reasons changes a dump of one kernel"
done

# the table; what does not go together
expect 0 'kernel  largest reasons for lost issue slots' "$heddle" run --per-kernel --reasons "$src/netlists/volta_sm.json" "$trace"
expect 0 '     1  stall.full.BRA ' "$heddle" run --per-kernel --reasons "$src/netlists/volta_sm.json" "$trace"
expect 2 '--reasons: expected --stats, --summary or --per-kernel' "$heddle" run --reasons "$src/netlists/volta_sm.json" "$trace"
expect 2 '--reasons and --check-modules' $run - --check-modules "$src/netlists/volta_sm.json" "$trace"
expect 2 '--reasons and --save-at' $run - --save-at 5 state "$src/netlists/volta_sm.json" "$trace"

# in a study: of each point and kernel, with their unit
cat >study.json <<END
{ "study": 1, "netlists": ["$src/netlists/volta_sm.json"], "traces": ["$trace"], "reasons": true }
END
expect 0 '1 finished' "$heddle" sweep study.json -o study --csv table.csv
# cell ROW NAME: of the run, row 0, or a kernel
cell()
{
	$python -I -c 'import csv, sys
print(list(csv.DictReader(open("table.csv")))[int(sys.argv[1])].get(sys.argv[2] + " [scheduler cycles]"))' "$@"
}
test "$behind" -gt 0 && test "$(cell 0 causes.stall.full.BRA.load_store.accesses)" = "$behind" ||
	fail "the table of a study lacks the $behind slots behind stall.full.BRA"
for name in idle.empty stall.full.BRA; do
	for row in 0 1 2; do
		want=$(stats "[s, *s['kernels']][$row]['reasons'].get('$name', '')" volta.json) got=$(cell $row "reasons.$name")
		test "$want" = "$got" || fail "$name of kernel $row: $got in the table, expected $want"
	done
done
sed -i 's/true }/1 }/' study.json
expect 2 "'reasons': expected true or false" "$heddle" sweep study.json -o study

# ---- a whole GPU, whose links leave open whether an SM or the memory is evaluated first ----
cat >staged.json <<'END'
{ "heddle": 1, "name": "staged", "extends": "gpu.json", "set": { "clusters": 2, "channels": 8,
  "clocks.core.edges": "exact", "clocks.network.edges": "exact", "clocks.l2.edges": "exact",
  "clocks.dram.edges": "exact", "clocks.dram.mhz": 1132 },
  "rewire": [{ "link": { "from": "requests.out" }, "staged": true }, { "link": { "to": "requests.in" }, "staged": true },
    { "link": { "from": "replies.out" }, "staged": true }, { "link": { "from": "slice.reply" }, "staged": true },
    { "link": { "from": "reply_port.out" }, "latency": 1, "staged": true }, { "link": { "from": "slice.to_dram" }, "staged": true },
    { "link": { "from": "dram.reply" }, "latency": 1, "staged": true }] }
END
hist=$src/traces/samples/hist/kernelslist.g
expect 0 '' "$heddle" run -q --reasons --stats first staged.json "$hist"
for name in rop l2 dram_queue dram reply; do
	grep -q "scoreboard.global.$name\"" first || fail "no warp waits for a request at $name"
done
for how in --shuffle=1 --shuffle=2 --shuffle=3 --no-sleep; do
	expect 0 '' "$heddle" run -q --reasons --stats again $how staged.json "$hist"
	cmp -s first again || { fail "$how: other reasons"; diff first again | head; }
done
done_testing
