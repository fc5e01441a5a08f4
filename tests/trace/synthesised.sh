#!/bin/sh
# synthesised.sh - synthesised control words: statistics, mistakes in a table of latencies, real traces
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"

hist=$src/traces/samples/hist/kernelslist.g

# A core that does not look at the words is not changed by them; they are counted.
for control in none synthesised; do
	expect 0 '' "$heddle" run -q --set "trace.control=$control" --stats "$control.json" \
		"$src/netlists/volta_sm.json" "$hist"
done
grep -v -e '"synthetic"' -e '"control"' -e 'seconds' none.json >none
grep -v -e '"synthetic"' -e '"control"' -e 'seconds' synthesised.json >synthesised
diff none synthesised >difference || { fail "the figures differ:"; head -n 20 difference; }
grep '"synthetic": 52' synthesised.json >found || fail "no count of synthetic words"

# A changed table of latencies counts.
sed 's/"latency": 4/"latency": 9/' "$src/netlists/opcodes/latencies.json" >slower.json
for table in "$src/netlists/opcodes/latencies.json" slower.json; do
	expect 0 '' "$heddle" run -q --set "trace.latencies=$table" --stats stats.json \
		"$src/netlists/a100_sm.json" "$hist"
	grep -v -e seconds -e '"latencies"' stats.json >"figures-$(basename "$table")"
done
cmp -s figures-latencies.json figures-slower.json && fail "a changed table of latencies has no effect"

# mistake TEXT TABLE: the message about a table
mistake()
{
	printf '%s\n' "$2" >table.json
	expect 2 "$1" "$heddle" run -q --set trace.control=synthesised --set trace.latencies=table.json \
		"$src/netlists/volta_sm.json" "$hist"
}

mistake 'table.json: expected "heddle_latencies": 1' '{}'
mistake 'table.json:2:1' '{'
mistake "the file: unknown 'opcode'; did you mean 'opcodes'?" '{"heddle_latencies": 1, "opcode": {}}'
mistake "opcodes: expected an object" '{"heddle_latencies": 1}'
mistake "opcodes.FADD: unknown 'stal'; did you mean 'stall'?" \
	'{"heddle_latencies": 1, "opcodes": {"FADD": {"latency": 4, "stal": 1}}}'
mistake "opcodes.FADD: expected an object with 'latency'" '{"heddle_latencies": 1, "opcodes": {"FADD": 4}}'
mistake "opcodes.FADD: expected a number from 1 to 14" \
	'{"heddle_latencies": 1, "opcodes": {"FADD": {"latency": 15}}}'
mistake "opcodes.FADD: expected one entry, found two" \
	'{"heddle_latencies": 1, "opcodes": {"FADD": {"latency": 4}, "FMUL FADD": {"latency": 4}}}'
mistake "opcodes.FADD: expected a number of registers, or the name of one of 'widths'" \
	'{"heddle_latencies": 1, "opcodes": {"FADD": {"latency": 4, "dst": "data"}}}'
mistake "opcodes.FADD: expected 'src', a list of at most 4" \
	'{"heddle_latencies": 1, "opcodes": {"FADD": {"latency": 4, "src": [1, 1, 1, 1, 1]}}}'
mistake "opcodes.FADD: expected kinds that 'unseen' has" \
	'{"heddle_latencies": 1, "opcodes": {"FADD": {"latency": 4, "reads": ["flags"]}}}'
mistake "unseen.flags: expected a 'latency', and 'readers'" \
	'{"heddle_latencies": 1, "unseen": {"flags": {"latency": 4, "readers": "all"}}}'
mistake "unseen.e: expected at most 4 kinds" '{"heddle_latencies": 1, "unseen": {
	"a": {"latency": 1, "readers": "open"}, "b": {"latency": 1, "readers": "open"},
	"c": {"latency": 1, "readers": "open"}, "d": {"latency": 1, "readers": "open"},
	"e": {"latency": 1, "readers": "open"}}}'
mistake "widths.data: expected a number from 1 to 8" '{"heddle_latencies": 1, "widths": {"data": {"64": 9}}}'
mistake "suffixes.X: expected a list of kinds" \
	'{"heddle_latencies": 1, "suffixes": {"X": {"reads": "carries"}}}'
mistake "default: expected an object with 'latency'" '{"heddle_latencies": 1, "opcodes": {}}'
expect 2 'cannot open' "$heddle" run -q --set trace.control=synthesised --set trace.latencies=none.tab \
	"$src/netlists/volta_sm.json" "$hist"

# Traces of all architectures, if they are there.
oracle=${HEDDLE_ORACLE:-$src/../shared/oracle}
set -- "$oracle"/made/*-100/kernelslist.g "$oracle"/real/ffma1w40-hopper/kernelslist.g \
	"$oracle"/real/vecadd-fp32-pascal/kernelslist.g "$oracle"/real/matmul-shared-pascal/kernelslist.g
if test -f "$1"; then
	"$build/tests/trace/hazards" "$src" "$@" >lines || { fail "hazards:"; grep -B1 -A6 -v ' 0 hazards' lines; }
	test "$(grep -c ' 0 hazards' lines)" -eq $((5 * $#)) || fail "not all traces"
else
	echo "without ../shared: no other traces than the bundled ones"
fi
done_testing
