#!/bin/sh
# determinism.sh - neither the order of evaluation nor sleep nor the order of the file may show
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"

seeds='1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20'
mkdir netlists
cp -R "$src/netlists/opcodes" netlists/

# same CASE FILE: FILE is, byte for byte, what the plain run wrote
same()
{
	cmp -s plain.json "$2" || fail "$1: the statistics differ"
}

for core in volta_sm volta_sm_gto volta_sm_oldest; do
	cp "$src/netlists/$core.json" netlists/
	for seed in $seeds; do
		"$build/tests/permute" "netlists/$core.json" "$seed" >"netlists/$core.$seed.json" ||
			fail "permute $core $seed"
	done
	cmp -s "netlists/$core.1.json" "netlists/$core.2.json" && fail "permute does nothing"
	for trace in tiny vecadd saxpy_xz matmul reduce hist gather softcopy; do
		list=$src/traces/$trace/kernelslist.g
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
expect 0 '' "$heddle" run -q --no-sleep --shuffle 7 --stats other.json netlists/volta_sm_oldest.9.json \
	"$src/traces/softcopy/kernelslist.g"
same "all at once" other.json
done_testing
