#!/bin/sh
# check.sh - heddle trace record --check-program: messages, the file of findings, exit status, and the same trace
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"
needs python3

run()
{
	kernel=$1
	shift
	set -- "$heddle" trace record --cubin "$src/tests/exec/faults.fatbin" --sm 80 --kernel "$kernel" --grid 1 --block 64 "$@"
	try "$@"
}

# ---- a race, with both lines ----
run race_shared --args buf:256:iota,buf:256,i32:0 --check-program --findings found.json
test $status -eq 1 || fail "race_shared: exit status $status, expected 1"
cat >expected <<'END'
heddle: race: kernel 'race_shared': writes shared memory at 0x80, which thread (31,0,0) of block (0,0,0) has read; nothing orders the two (32 times)
    at /tmp/exec/faults.cu:97: race_shared, pc 0xa0, 'STS [R9.X4], R2', block (0,0,0), thread (32,0,0)
    and /tmp/exec/faults.cu:98: race_shared, pc 0xb0, 'LDS R7, [R0.X4]', block (0,0,0), thread (31,0,0)
heddle: race: kernel 'race_shared': reads shared memory at 0x7c, which thread (31,0,0) of block (0,0,0) wrote; nothing orders the two (32 times)
    at /tmp/exec/faults.cu:98: race_shared, pc 0xb0, 'LDS R7, [R0.X4]', block (0,0,0), thread (32,0,0)
    and /tmp/exec/faults.cu:97: race_shared, pc 0xa0, 'STS [R9.X4], R2', block (0,0,0), thread (31,0,0)
END
cmp -s err expected || { fail "race_shared: messages"; cat err; }
python3 - <<'END' || fail "race_shared: found.json"
import json
found = json.load(open("found.json"))["findings"]
assert [f["kind"] for f in found] == ["race", "race"]
assert [f["times"] for f in found] == [32, 32]
assert found[0]["at"]["line"] == 97 and found[0]["other"]["line"] == 98
assert found[0]["at"]["pc"] == 0xa0 and found[0]["at"]["thread"] == [32, 0, 0]
END

# ---- nothing is found; without the option nothing is looked for ----
run clean_warp --args buf:256:iota,buf:256,i32:0 --check-program --findings found.json
test $status -eq 0 && test ! -s err || { fail "clean_warp"; cat err; }
python3 -c 'import json; assert json.load(open("found.json")) == {"findings": []}' || fail "clean_warp: found.json"
run race_shared --args buf:256:iota,buf:256,i32:0 -o plain.hpack
test $status -eq 0 && test ! -s err || { fail "race_shared without the checks"; cat err; }
run race_shared --args buf:256:iota,buf:256,i32:0 -o checked.hpack --check-program
test $status -eq 1 || fail "race_shared: exit status $status with a trace"
cmp plain.hpack checked.hpack || fail "checks change the trace"

# ---- the listing of a trace has lines ----
run race_shared --args buf:256:iota,buf:256,i32:0 -o text --text
grep -q '"pc": 160, .*"source": "/tmp/exec/faults.cu:97"' text/kernel-1.sass.json || fail "no lines in the listing"
try "$heddle" trace print text/kernelslist.g
test $status -eq 0 || fail "the listing with lines is refused"
expect 0 '' "$heddle" run --quiet "$src/netlists/a100_sm.json" text/kernelslist.g

# ---- a buffer that was filled was written; a launch that fails tells both ----
run unwritten --args buf:256,buf:256,i32:0 --check-program
grep -q 'unwritten memory' err && test $status -eq 1 || fail "unwritten: $status"
run unwritten --args buf:256:zero,buf:256,i32:0 --check-program
test $status -eq 0 || { fail "unwritten: zeros"; cat err; }
run missing --args buf:256:zero,buf:256,i32:0 --check-program -o none.hpack
grep -q '^heddle: deadlock: ' err && grep -q '^heddle: barrier: ' err && test $status -eq 1 || { fail missing; cat err; }
test ! -e none.hpack || fail "missing: a trace"

run unwritten --args buf:256,buf:256,i32:0
test $status -ne 0 && grep -q 'expected -o OUT, or --check-program' err || fail "no output: $status"
run unwritten --args buf:256,buf:256,i32:0 -o none.hpack --findings found.json
test $status -ne 0 && grep -q 'findings is of --check-program' err || fail "findings without the checks: $status"
done_testing
