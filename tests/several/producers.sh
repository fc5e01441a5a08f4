#!/bin/sh
# producers.sh - of two SMs in one dump, every wait names the same instruction as for the SM alone
# SPDX-License-Identifier: BSD-2-Clause
#
# Warps and orders of issue have the same numbers in both SMs, which run the same program at their own
# pace: without the core of a warp an instruction of the other SM would be named now and then.
. "${srcdir:-.}/tests/lib.sh"
needs python3
here=$src/tests/several

for trace in reduce ${HEDDLE_ALL:+matmul hist}; do
	list=$src/traces/samples/$trace/kernelslist.g
	expect 0 '' "$heddle" run -q "$here/mixed.json" "$list" --dump both.hdump --dump-sample 100
	for sm in lrr gto; do
		core=$src/netlists/volta_sm_gto.json
		test $sm = gto || core=$src/netlists/volta_sm.json
		expect 0 '' "$heddle" run -q "$core" "$list" --dump $sm.hdump --dump-sample 100
	done

	# ---- lists: the same lines, with the SM in front of its warps and places ----
	expect 0 '' "$heddle" dump --event inst --head=1000000 both.hdump
	mv out both.out
	for sm in lrr gto; do
		awk -v sm=$sm '/^ *[0-9]+ \+[0-9]+ .*warp/ { mine = $4 == sm } mine' both.out |
			sed "s/ $sm warp/ warp/; s/$sm\.//g" >mine
		expect 0 '' "$heddle" dump --event inst --head=1000000 $sm.hdump
		sed 1d out | cmp - mine || fail "$trace: the list of $sm"
		expect 0 '' "$heddle" dump --event inst --instance "$sm.*" --head=1000000 both.hdump
		sed "1d; s/ $sm warp/ warp/; s/$sm\.//g" out | cmp - mine || fail "$trace: the list of $sm alone"
	done
	grep -q 'cycles: .*, R[0-9]* of [0-9]* at 0x' mine || fail "$trace: no wait for a register"

	# ---- sums of slots ----
	for by in reason pc warp unit scheduler; do
		for sm in lrr gto; do
			expect 0 '' "$heddle" dump --stalls --by $by --instance "$sm.*" both.hdump
			sed "s/$sm\.//g; s/ $sm warp / warp /" out | tr -s ' ' >mine
			expect 0 '' "$heddle" dump --stalls --by $by $sm.hdump
			tr -s ' ' <out | cmp - mine || fail "$trace: --stalls --by $by of $sm"
		done
	done
	expect 0 '' "$heddle" dump --stalls --by warp both.hdump
	grep -q ' lrr warp [0-9]' out && grep -q ' gto warp [0-9]' out || fail "warps without their SM"

	# ---- formats ----
	for f in both lrr gto; do
		expect 0 '' "$heddle" dump $f.hdump --to sqlite -o $f.db
		expect 0 '' "$heddle" dump $f.hdump --to kanata -o $f.kanata
		expect 0 '' "$heddle" dump $f.hdump --to csv -o $f.csv
		expect 0 '' "$heddle" report $f.hdump -o $f.html
	done
	for what in database kanata csv page; do
		python3 "$here/compare.py" $what || fail "$trace: $what, see above"
	done
done

# ---- SMs of one netlist, below one another: a common cause of stalls is one cause ----
expect 0 '' "$heddle" run -q "$src/examples/two_sms.json" "$src/traces/samples/matmul/kernelslist.g" --dump two.hdump
expect 0 '' "$heddle" dump --stalls two.hdump
grep -q 'sm\[\*\]\.load_store: ' out || fail "the load/store units of two SMs are two causes"
grep -q 'sm\[[01]\]\.load_store: ' out && fail "the load/store unit of one SM is a cause of its own"
expect 0 '' "$heddle" dump --stalls --by pc two.hdump
sed 's/  *[0-9]* *\([0-9.]* %\)/ \1/; s/sm\[\*\]\.//' out >two.out
expect 0 '' "$heddle" run -q "$src/netlists/volta_sm.json" "$src/traces/samples/matmul/kernelslist.g" --dump one.hdump
expect 0 '' "$heddle" dump --stalls --by pc one.hdump
sed 's/  *[0-9]* *\([0-9.]* %\)/ \1/' out | cmp - two.out || fail "shares of two equal SMs are not those of one"
expect 0 '' "$heddle" dump --to perfetto -o two.pftrace two.hdump

# ---- deeper netlists: the core is what holds decode and issue, however deep ----
cat >sub.json <<'END'
{ "heddle": 1, "name": "cluster", "clocks": { "core": { "mhz": 1132, "extern": true } },
  "instances": { "pair": { "netlist": "volta.json", "count": 2, "clocks": { "core": "core" } } } }
END
cat >volta.json <<'END'
{ "heddle": 1, "name": "volta", "extends": "volta_sm.json", "set": { "core.extern": true } }
END
cat >deep.json <<'END'
{ "heddle": 1, "name": "deep", "clocks": { "core": { "mhz": 1132 } },
  "instances": { "cluster": { "netlist": "sub.json", "count": 2, "clocks": { "core": "core" } } } }
END
expect 0 '' "$heddle" run -q deep.json "$src/traces/samples/reduce/kernelslist.g" --dump deep.hdump
expect 0 '' "$heddle" dump --stalls --by warp --top 1000 deep.hdump
for sm in 'cluster\[0\]\.pair\[0\]' 'cluster\[0\]\.pair\[1\]' 'cluster\[1\]\.pair\[1\]'; do
	grep -q " $sm warp [0-9]" out || fail "no warp of $sm"
done
expect 0 '' "$heddle" dump --stalls deep.hdump
grep -q 'cluster\[\*\]\.pair\[\*\]\.load_store: ' out || fail "causes of four SMs: $(grep load_store out)"
done_testing
