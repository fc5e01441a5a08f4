#!/bin/sh
# extends.sh - a table of opcodes that is built on another one
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"
needs python3

cat >k.hasm <<'END'
kernel k sm=80 opcodes=any
MUFU.RSQ R1, R2
MUFU.RCP R3, R4
FADDX R4, R4, R4
NOVEL R5, R5
FADD R6, R6, R6
EXIT
END
expect 0 '' "$heddle" trace assemble k.hasm -o k
mkdir mine
index() # NAME BINARY ...
{
	printf '{ "heddle_opcode_tables": 1, "tables": ['
	comma=
	while test $# -gt 0; do
		printf '%s{ "file": "%s", "binary": [%s] }' "$comma" "$1" "$2"
		comma=', '
		shift 2
	done
	printf '] }\n'
}
# MUFU.RSQ and NOVEL are defined, FADD is another unit's, all else is as in heddle's table
index mine.json 80 >mine/index.json
cat >mine/mine.json <<'END'
{ "heddle_opcodes": 1, "extends": "ampere.json",
  "classes": { "DP": ["FADD", "MUFU.RSQ"] },
  "opcodes": { "NOVEL": { "class": "INTP" } } }
END
# units FILE: instructions that the units of each class took
units()
{
	stats '[sum(s["instances"].get(f"{u}[{i}]", {"accepted": 0})["accepted"] for i in range(4)) for u in ("sfu", "sp", "dp", "int")]' "$1" | xargs
}
run() # FILE OPTION...
{
	file=$1
	shift
	try "$heddle" run -q --stats "$file" "$@" ampere_sm.json k/kernelslist.g
	test "$status" -eq 0 || { fail "run $*: exit status $status"; cat err; }
}
run plain.json
grep "'FADDX'" err >/dev/null || fail "FADDX is known"
test "$(units plain.json)" = '[ 2, 2, 0, 2 ]' || fail "plain: $(units plain.json)"
run mine.json --set trace.own_opcodes=mine
# what no entry names has the class of its prefix in the table that is extended
grep "'FADDX' is not in 'mine/mine.json'; 1 instruction taken as class SP" err >/dev/null || { fail "prefixes"; cat err; }
! grep NOVEL err || fail "NOVEL is unknown"
test "$(units mine.json)" = '[ 1, 1, 2, 2 ]' || fail "extended: $(units mine.json)"

# ---- on another one of one's own, which has other prefixes ----
index mine.json 80 far.json 900 >mine/index.json
mv mine/mine.json mine/far.json
cat >mine/mine.json <<'END'
{ "heddle_opcodes": 1, "extends": "far.json", "classes": { "SP": ["FADD"] },
  "prefix_classes": { "DP": ["FAD"] }, "prefixes": {}, "default": { "class": "INTP" } }
END
run two.json --set trace.own_opcodes=mine
grep "'FADDX' is not in 'mine/mine.json'; 1 instruction taken as class DP" err >/dev/null || { fail "own prefixes"; cat err; }
test "$(units two.json)" = '[ 1, 1, 2, 2 ]' || fail "twice: $(units two.json)"

# ---- each folder of heddle's own lists what its tables extend, as commands may read it alone ----
printf 'kernel k sm=90\nFADD R6, R6, R6\nEXIT\n' >alone.hasm
expect 0 '' "$heddle" trace assemble alone.hasm -o alone
for folder in "$src"/netlists/opcodes/*/; do
	expect 0 '' "$heddle" run -q --set "trace.opcodes=\"opcodes/$(basename "$folder")\"" a100_sm.json alone/kernelslist.g
done

# ---- mistakes ----
refused() # MESSAGE TABLE
{
	printf '{ "heddle_opcodes": 1, %s }\n' "$2" >mine/mine.json
	expect 2 ".json: the file.extends: $1" "$heddle" run -q --set trace.own_opcodes=mine ampere_sm.json k/kernelslist.g
}
listed='expected the file name of a table that an index.json lists'
refused "'amper.json': $listed; did you mean 'ampere.json'?" '"extends": "amper.json", "classes": {}'
refused "'mine.json' is this table; $listed" '"extends": "mine.json", "classes": {}'
refused 'expected the file name of a table that an index.json lists' '"extends": 3, "classes": {}'
printf '{ "heddle_opcodes": 1, "extends": "mine.json", "classes": {} }\n' >mine/far.json
refused 'more than 8 tables that extend each other' '"extends": "far.json", "classes": {}'
done_testing
