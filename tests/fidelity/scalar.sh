#!/bin/sh
# scalar.sh - scalar instructions of a trace by hand: how many, of which opcodes, on which units
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"
needs python3

# Two warps of 40 threads: of the second one eight lanes run.  R0 is the lane, R1, R2, R4, R6 are uniform.
cat >head.txt <<'END'
-kernel name = by_hand
-grid dim = (1,1,1)
-block dim = (40,1,1)
-binary version = 70
-accelsim tracer version = 4
#
#BEGIN_TB
thread block = 0,0,0
END
cat >body.txt <<'END'
insts = 12
0000 @all@ 1 R1 MOV 0 0
0010 @all@ 1 R0 S2R 0 0
0020 @all@ 1 R2 IMAD.MOV.U32 2 R1 R255 0
0030 @all@ 1 R3 IMAD 2 R0 R2 0
0040 @all@ 1 R4 LDG.E.SYS 1 R2 4 1 0x1000 0
0050 @all@ 1 R5 LDG.E.SYS 1 R2 4 1 0x1000 4
0060 @all@ 1 R6 FADD 2 R4 R1 0
0070 000000f0 1 R7 FADD 1 R4 0
0080 @all@ 1 R8 FADD 2 R6 R7 0
0090 @all@ 0 ISETP.GE.AND 1 R6 0
00a0 @all@ 0 STG.E.SYS 2 R2 R8 4 1 0x2000 4
00b0 @all@ 0 EXIT 0 0
END
{ cat head.txt; echo 'warp = 0'; sed 's/@all@/ffffffff/' body.txt
	echo 'warp = 1'; sed 's/@all@/000000ff/' body.txt; echo '#END_TB'; } >hand.traceg

# An instance between any core's decode and its policy; scalar instructions go to the unit of uniform ones.
cat >core.json <<'END'
{ "heddle": 1, "name": "core", "extends": "volta_sm.json",
  "rewire": [{ "link": { "to": "divergence.divergence" }, "to": "scalar.divergence" },
             { "link": { "from": "issue.out", "unit": "UDP" }, "classes": ["SPECIALIZED_UNIT_4", "SCALAR"] },
             { "link": { "from": "issue.out", "unit": "MEM" },
               "classes": ["LOAD", "STORE", "MEMORY_BARRIER", "SCALAR_LOAD"] }],
  "set": { "uniform.timing[0].classes": ["SPECIALIZED_UNIT_4", "SCALAR"] },
  "add": { "instances": { "scalar": { "module": "scalar" } },
           "links": [{ "from": "scalar.policy", "to": "divergence.divergence" },
                     { "from": "scalar.trace", "to": "trace.trace" },
                     { "from": "scalar.warps", "to": "warps.state" }] } }
END
expect 0 'no mistakes' "$heddle" check core.json
expect 0 '' "$heddle" run -q --stats s.json core.json hand.traceg
$python - s.json <<'END' || fail "not the scalar instructions that the trace has"
import json, sys
s = json.load(open(sys.argv[1]))
i = s["instances"]["scalar"]
# MOV, IMAD.MOV, the first LDG, the first FADD, ISETP, of both warps
want = {"decoded": 24, "scalar": 10, "lane_operations": 11 * 40 + 8, "lane_operations_saved": 5 * 31 + 5 * 7}
assert {k: i[k] for k in want} == want, i
rows = {r["opcode"]: (r["warp_instructions"], r["scalar"]) for r in s["scalar_opcodes"]}
assert rows == {"EXIT": (2, 0), "FADD": (6, 2), "IMAD": (4, 2), "ISETP": (2, 2), "LDG": (4, 2), "MOV": (2, 2),
                "S2R": (2, 0), "STG": (2, 0)}, rows
assert [r["opcode"] for r in s["scalar_opcodes"]] == sorted(rows)
# loads stay with the load/store unit
assert sum(s["instances"]["uniform[%d]" % k]["accepted"] for k in range(4)) == 8
assert s["instances"]["load_store"]["accepted"] == 6
END

# the same instructions are issued, whatever the order of evaluation
for trace in hist gather reduce; do
	list=$src/traces/samples/$trace/kernelslist.g
	expect 0 '' "$heddle" run -q --stats volta.json volta_sm.json "$list"
	expect 0 '' "$heddle" run -q --stats s.json core.json "$list"
	for how in --no-sleep '--shuffle 1' '--shuffle 2'; do
		# shellcheck disable=SC2086 # several words
		expect 0 '' "$heddle" run -q $how --stats other.json core.json "$list"
		cmp -s s.json other.json || fail "$trace $how: the statistics differ"
	done
	$python - volta.json s.json <<'END' || fail "$trace: figures"
import json, sys
a, s = (json.load(open(f)) for f in sys.argv[1:])
assert a["warp_instructions"] == s["warp_instructions"] == s["instances"]["scalar"]["decoded"]
assert a["thread_instructions"] == s["thread_instructions"] == s["instances"]["scalar"]["lane_operations"]
assert sum(r["scalar"] for r in s["scalar_opcodes"]) == s["instances"]["scalar"]["scalar"] > 0
assert "scalar_opcodes" not in a
END
	# what is fetched on a wrong path is not looked at
	expect 0 '' "$heddle" run -q --stats other.json --set fetch.follow=sequential core.json "$list"
	$python - s.json other.json $trace <<'END' || fail "$trace: with wrong paths other instructions are scalar"
import json, sys
a, s = (json.load(open(f)) for f in sys.argv[1:3])
assert s["instances"]["decode"]["wrong_path"] > 0 or sys.argv[3] == "gather" # it has no branch
assert a["instances"]["scalar"] == s["instances"]["scalar"] and a["scalar_opcodes"] == s["scalar_opcodes"]
END
done
# a core that has no unit for them names the class
expect 2 "no unit accepts class 'OTHER'" "$heddle" run -q --set scalar.class=OTHER core.json hand.traceg
done_testing
