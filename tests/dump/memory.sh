#!/bin/sh
# memory.sh - lack of memory has a message of its own, not that of a damaged dump, and no output is left
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"

expect 0 '' "$heddle" run -q "$src/netlists/volta_sm.json" "$src/traces/samples/matmul/kernelslist.g" --dump run.hdump

# A process of a sanitizer needs addresses without end.
(ulimit -v 1000000 && "$heddle" dump run.hdump --to text >/dev/null 2>&1) || { echo 'SKIP: memory cannot be limited'; exit 77; }

# lacks FORMAT: with every limit from what starts the program to what is sufficient
lacks()
{
	kib=8000 short=0
	"$heddle" dump run.hdump --to "$1" -o whole || fail "$1: exit status $?"
	while :; do
		status=0
		(ulimit -v $kib && exec "$heddle" dump run.hdump --to "$1" -o limited) >out 2>err || status=$?
		test $status -ne 0 || break
		test ! -e limited || { fail "$1, $kib KiB: an output is left"; rm -r limited; }
		if grep -q 'run.hdump' err; then
			fail "$1, $kib KiB: taken for a mistake in the dump:"
			cat err
		fi
		short=$((short + $(grep -c 'out of memory' err)))
		kib=$((kib + 400))
		test $kib -lt 400000 || { fail "$1: no limit is sufficient"; return; }
	done
	diff -r whole limited >/dev/null || fail "$1, $kib KiB: another output, and exit status 0"
	test $short -gt 2 || fail "$1: $short runs ran out of memory"
	rm -rf whole limited
}

for format in text csv sqlite vcd perfetto; do
	lacks $format
done
done_testing
