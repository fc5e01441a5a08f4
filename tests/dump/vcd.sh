#!/bin/sh
# vcd.sh - heddle dump --to vcd: waveforms agree with the text, and GTKWave's tools read them
# SPDX-License-Identifier: BSD-2-Clause
#
# Needs python3; vcd2fst and fst2vcd (Debian's package gtkwave) for FST files.
. "${srcdir:-.}/tests/lib.sh"

command -v python3 >/dev/null || { echo 'skipped: there is no python3'; exit 77; }
check="$python $src/tests/dump/vcd_check.py"

# both FROM CYCLES CONDITION...: the same rows as waveforms and as text
both()
{
	from=$1 cycles=$2
	shift 2
	expect 0 '' "$heddle" dump "$from" --to vcd -o wave.vcd "$@"
	expect 0 '' "$heddle" dump "$from" --to text -o text "$@"
	expect 0 ' places' $check wave.vcd text $cycles
}

while read -r core trace; do
	"$heddle" run -q --dump a.hdump --dump-sample 100 "$src/netlists/$core.json" \
		"$src/traces/samples/$trace/kernelslist.g" || fail "$core $trace"
	both a.hdump ''
done <<-END
	tutorial tiny
	turing_sm hist
	volta_sm reduce
END
cp wave.vcd all.vcd
grep -q '^\$timescale 1 ps \$end' all.vcd || fail 'the unit of time'
both a.hdump 200-400 --between 200-400
both a.hdump '' --warp 3
expect 0 '' "$heddle" dump a.hdump --to vcd -o again.vcd
cmp again.vcd all.vcd || fail 'other waveforms of the same file'

# ---- GTKWave ----
expect 1 'all.fst: cannot run vcd2fst: No such file or directory' \
	env PATH=/nonexistent "$heddle" dump a.hdump --to vcd -o all.fst
test ! -e all.fst || fail 'a partial file is left'
if command -v vcd2fst >/dev/null && command -v fst2vcd >/dev/null; then
	expect 0 '' "$heddle" dump a.hdump --to vcd -o all.fst
	fst2vcd all.fst >back.vcd || fail 'fst2vcd'
	"$heddle" dump a.hdump --to text -o text
	expect 0 ' places' $check back.vcd text
	# where there is no room for all of it, vcd2fst ends without an error
	blocks=$(($(wc -c <all.fst) / 512))
	for room in 2 8 $((blocks / 2)) $((blocks - 1)) $blocks; do
		try sh -c "trap '' XFSZ; ulimit -f $room; exec '$heddle' dump a.hdump --to vcd -o small.fst"
		test "$status" -eq 1 && grep -q 'small.fst: ' err || fail "a file of $blocks blocks where there are $room"
		test ! -e small.fst || fail "a part of a file for $room blocks is left"
	done
	ls *.part 2>/dev/null && fail 'an unfinished file is left'
else
	echo 'passed over: vcd2fst and fst2vcd, for they are not there'
fi
done_testing
