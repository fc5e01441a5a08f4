#!/bin/sh
# prologue.sh - a dump whose prologue is not as the format demands is refused by name, never a crash
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"
needs python3

change="$python $src/tests/dump/prologue.py"
expect 0 '' "$heddle" run -q "$src/netlists/volta_sm.json" "$src/traces/samples/tiny/kernelslist.g" --dump good.hdump
$change good.hdump 'pass' same.hdump
test $? -ne 77 || { echo "SKIP: there is no libzstd for Python"; exit 77; }
"$heddle" dump good.hdump --to text >good.txt
"$heddle" dump same.hdump --to text | cmp -s - good.txt || fail "the prologue is not written as it was"
# an index that cannot be that of the file: the blocks are found one after another
$change good.hdump longer longer.hdump || fail "longer"
cmp -s good.hdump longer.hdump && fail "the index is as it was"
expect 0 '' "$heddle" dump longer.hdump --to text
cmp -s out good.txt || fail "an index with a block that is too long: other rows"

# refused MESSAGE STATEMENTS: a dump whose prologue is changed by the statements
refused()
{
	$change good.hdump "$2" bad.hdump || fail "$2"
	for to in text perfetto vcd csv sqlite; do
		expect 2 "bad.hdump: nothing can be read: prologue: $1" \
			"$heddle" dump bad.hdump --to $to -o out.$to
	done
	expect 2 "prologue: $1" "$heddle" report bad.hdump -o out.html
}
refused "element 14 of 'tables': expected a field" 'm["tables"][-1]["fields"] = []'
refused "element 0 of 'tables': expected at most 30 fields" \
	'm["tables"][0]["fields"] = [{ "name": str(i) } for i in range(31)]'
refused "element 1 of 'tables': expected 'fields', an array" 'del m["tables"][1]["fields"]'
refused "element 1 of 'tables': expected 'name', a string" 'm["tables"][1]["name"] = 7'
refused "element 1 of 'tables': its name appears twice" 'm["tables"][1]["name"] = m["tables"][0]["name"]'
refused "element 0 of 'tables': expected 'kind', \"transactions\"" 'm["tables"][0]["kind"] = "rows"'
refused "element 0 of 'fields': expected an object" 'm["tables"][0]["fields"][0] = None'
refused "element 0 of 'fields': expected 'hex', true or false" 'm["tables"][0]["fields"][0]["hex"] = 1'
refused "expected 'tables', an array" 'm["tables"] = {}'
refused "expected 'counters', an array" 'del m["counters"]'
refused "element 0 of 'counters': expected 'instance', a number from 0" 'm["counters"][0]["instance"] = -1'
refused "element 0 of 'causes': expected 'like' and 'count', those of earlier elements" \
	'm["causes"][0] = { "instance": 0, "like": 0, "count": 1 }'
refused "element 1 of 'counters': expected 'like' and 'count', those of earlier elements" \
	'm["counters"][1] = { "instance": 0, "like": 0, "count": 1 << 40 }'
refused "element 1 of 'counters': expected 'count', a number from 0" 'm["counters"][1] = { "instance": 0, "like": 0 }'
refused "element 0 of 'places': expected 'instance', less than the number of instances" \
	'm["places"][0]["instance"] = 99999'
refused "element 1 of 'places': expected 'column', the number of a place that is not behind it" \
	'm["places"][1]["column"] = 2'
refused "element 1 of 'places': expected 'like', the number of an earlier place" \
	'm["places"][1] = { "like": 1, "name": "x", "instance": 0 }'
refused "element 1 of 'places': expected 'name', a string" 'm["places"][1] = { "like": 0, "instance": 0 }'
refused "element 1 of 'places': expected 'instance', less than the number of instances" \
	'm["places"][1] = { "like": 0, "name": "x", "instance": 99999 }'
refused "expected 'symbols', an object" 'm["symbols"] = []'
refused "symbols 'unit': expected an array of strings" 'm["symbols"]["unit"] = [1]'

# ---- changes at random: whatever they are, each command ends by itself ----
mkdir many
$change good.hdump 7 24 many || fail "no random changes"
for f in many/*; do
	for command in 'dump --info' 'dump --stalls' 'dump --to text' 'dump --to perfetto -o o.p' \
		'dump --to vcd -o o.vcd' 'dump --to konata' 'dump --to csv -o o.csv' 'dump --to sqlite -o o.db' \
		'report -o o.html'; do
		# shellcheck disable=SC2086
		"$heddle" ${command%% *} "$f" ${command#* } >out 2>err
		status=$?
		test $status -le 2 || fail "$command $f: exit status $status"
		test $status -ne 2 || break # none of the others reads more
	done
	rm -rf o.*
done
done_testing
