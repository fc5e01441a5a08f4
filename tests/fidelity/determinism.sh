#!/bin/sh
# determinism.sh - results do not depend on the order of evaluation, sleep or the order of the file
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"

seeds="1 2 3 ${HEDDLE_ALL:+4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20}"
mkdir netlists

# same CASE FILE: FILE is, byte for byte, the output of the plain run
same()
{
	cmp -s plain.json "$2" || fail "$1: the statistics differ"
}

for core in volta_sm volta_sm_gto volta_sm_oldest; do
	# one file, whatever it extends
	expect 0 '' "$heddle" flatten -o "netlists/$core.json" "$src/netlists/$core.json"
	for seed in $seeds; do
		"$build/tests/netlist/permute" "netlists/$core.json" "$seed" >"netlists/$core.$seed.json" ||
			fail "permute $core $seed"
	done
	cmp -s "netlists/$core.1.json" "netlists/$core.2.json" && fail "permute does nothing"
	for trace in tiny vecadd saxpy_xz matmul reduce hist gather softcopy; do
		list=$src/traces/samples/$trace/kernelslist.g
		expect 0 '' "$heddle" run -q --stats plain.json --events plain.log \
			"netlists/$core.json" "$list"
		test -s plain.json || fail "$core $trace: no statistics"
		expect 0 '' "$heddle" run -q --no-sleep --stats other.json "netlists/$core.json" "$list"
		same "$core $trace --no-sleep" other.json
		for seed in $seeds; do
			expect 0 '' "$heddle" run -q --shuffle "$seed" --stats other.json \
				"netlists/$core.json" "$list"
			same "$core $trace --shuffle $seed" other.json
			expect 0 '' "$heddle" run -q --stats other.json "netlists/$core.$seed.json" \
				"$list"
			same "$core $trace permuted by $seed" other.json
		done
		expect 0 '' "$heddle" run -q --events other.log "netlists/$core.json" "$list"
		cmp -s plain.log other.log || fail "$core $trace: the events differ"
	done
done
# both at once, and the watched run is the unwatched one
expect 0 '' "$heddle" run -q --no-sleep --shuffle 7 --stats other.json netlists/volta_sm_oldest.3.json \
	"$src/traces/samples/softcopy/kernelslist.g"
same "all at once" other.json

# odd NAME SED: the same for a core that is not shipped, possibly with a warning
odd()
{
	sed -e "$2" "$src/netlists/sm.json" >"netlists/odd_sm.json"
	cmp -s netlists/odd_sm.json "$src/netlists/sm.json" && fail "$1: the same core"
	sed 's/"extends": "sm.json"/"extends": "odd_sm.json"/' "$src/netlists/volta_sm.json" \
		>"netlists/$1.json"
	for trace in softcopy ${HEDDLE_ALL:+vecadd hist}; do
		list=$src/traces/samples/$trace/kernelslist.g
		try "$heddle" run -q --stats plain.json "netlists/$1.json" "$list"
		test "$status" -eq 0 || fail "$1 $trace: exit status $status"
		for how in --no-sleep '--shuffle 1' '--shuffle 2' '--shuffle 3 --no-sleep'; do
			# shellcheck disable=SC2086 # several words
			try "$heddle" run -q $how --stats other.json "netlists/$1.json" "$list"
			same "$1 $trace $how" other.json
		done
	done
}

cp -R "$src/netlists/opcodes" netlists
# a producer that finds a slot taken only until the end of the edge has to be woken after it
odd staged_issue '/"unit": "INT", "classes"/s/"unit"/"staged": true, "unit"/'
odd staged_unit '/"to": "int\[/s/"slots"/"staged": true, "slots"/'
# why slots were lost is the same, whichever of issue stages and collector is evaluated first
odd staged_issues '/"to": "collector.in"/s/"to"/"staged": true, "to"/'
try "$heddle" run -q --dump plain.hdump netlists/staged_issues.json "$list"
for seed in 1 2; do
	try "$heddle" run -q --dump other.hdump --shuffle $seed netlists/staged_issues.json "$list"
	cmp plain.hdump other.hdump || fail "another dump with --shuffle $seed"
done
# no warp has two fetches in flight
odd late_decode '/"to": "decode.fetched"/s/ *}/, "latency": 7 }/'
odd staged_decode '/"to": "decode.fetched"/s/ *}/, "staged": true }/'
odd roomy_decode '/"to": "decode.fetched"/s/ *}/, "capacity": 4 }/'
# issue stages that do not take turns still have an order
odd no_rotation 's/, "rotate": true//'
# units that wait for room lose nothing
odd narrow_end '/"to": "writeback.in"/s/"capacity": 8/"capacity": 1/'
odd late_end '/"to": "writeback.in"/s/"capacity": 8/"latency": 7, "capacity": 8/'

# a warp that has no entry left in the scoreboard goes on when one gets free
for entries in 1 2 6; do
	for trace in hist ${HEDDLE_ALL:+matmul gather}; do
		list=$src/traces/samples/$trace/kernelslist.g
		expect 0 '' "$heddle" run -q --stats plain.json --set scoreboard.entries=$entries \
			"$src/netlists/volta_sm.json" "$list"
		for how in --no-sleep '--shuffle 1' '--shuffle 2'; do
			# shellcheck disable=SC2086 # several words
			expect 0 '' "$heddle" run -q $how --stats other.json \
				--set scoreboard.entries=$entries "$src/netlists/volta_sm.json" "$list"
			same "$trace with $entries entries, $how" other.json
		done
	done
done

# instances of which only one may serve the same warps
sed -e 's/^\( *\)"fetch": .*/&\n\1"more": { "module": "fetch", "clock": "frontend" },/' \
	-e 's/"fetch\.\([a-z]*\)"/&, "more.\1"/; s/"from": \("fetch[^]]*"more[^"]*"\),/"from": [\1],/' \
	"$src/netlists/sm.json" >netlists/odd_sm.json
sed 's/"extends": "sm.json"/"extends": "odd_sm.json"/' "$src/netlists/volta_sm.json" \
	>netlists/two_fetches.json
expect 2 'fetches for the same warps' "$heddle" run -q netlists/two_fetches.json \
	"$src/traces/samples/tiny/kernelslist.g"

# instances that fail in the same cycle: the messages and their order
expect 0 '' "$heddle" flatten -o netlists/fails.json --set clusters=4 --set channels=2 --set slices=1 \
	--set map.indexing='"bank"' "$src/netlists/titan_x_pascal.json"
try "$heddle" run -q netlists/fails.json "$src/traces/samples/hist/kernelslist.g"
mv err plain.err
test "$(grep -c 'no unit accepts class' plain.err)" -gt 1 || fail "expected several errors in one cycle"
for seed in 1 2 3 4 5 6; do
	try "$heddle" run -q --shuffle "$seed" netlists/fails.json "$src/traces/samples/hist/kernelslist.g"
	cmp plain.err err || fail "errors of one cycle, --shuffle $seed"
	test "$seed" -le 3 || continue # others make another clock the first root, whose cycles messages name
	"$build/tests/netlist/permute" netlists/fails.json "$seed" >netlists/fails.$seed.json
	try "$heddle" run -q "netlists/fails.$seed.json" "$src/traces/samples/hist/kernelslist.g"
	cmp plain.err err || fail "errors of one cycle, permuted by $seed"
done
done_testing
