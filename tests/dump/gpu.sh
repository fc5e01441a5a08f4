#!/bin/sh
# gpu.sh - the memory of everything made of a dump of a whole GPU
# SPDX-License-Identifier: BSD-2-Clause
#
# Tables of names and state for each of 80 SMs, besides the rows.  HEDDLE_ALL=1: a longer run, all formats.
. "${srcdir:-.}/tests/lib.sh"
! grep -q enable-sanitizers "$build/config.log" 2>/dev/null ||
	{ echo "SKIP: sanitizers take memory of their own"; exit 77; }

peak=$build/tests/dump/peak
insts=100000 formats='perfetto sqlite'
test -z "${HEDDLE_ALL:-}" || insts=800000 formats="$formats text csv kanata vcd"
MOST=65536 # KiB, of anything

"$peak" trace $insts >long.traceg || fail "no trace"
"$heddle" run -q "$src/netlists/quadro_gv100.json" long.traceg --dump gpu.hdump --stats gpu.json || fail "no dump"

# bounded NAME COMMAND...
bounded()
{
	what=$1
	shift
	"$peak" run "$@" >kib 2>err || { fail "$what"; cat err; return; }
	printf '%-16s %6d KiB\n' "$what" "$(cat kib)"
	test "$(cat kib)" -le $MOST || fail "$what: takes more than $MOST KiB"
}

bounded info "$heddle" dump gpu.hdump
bounded stalls "$heddle" dump gpu.hdump --stalls
bounded 'stalls by pc' "$heddle" dump gpu.hdump --stalls --by pc
bounded list "$heddle" dump gpu.hdump --warp 3 --between 5000-5100
for format in $formats; do
	bounded $format "$heddle" dump gpu.hdump --to $format -o out
	rm -rf out
done
bounded 'sqlite --steps' "$heddle" dump gpu.hdump --to sqlite --steps -o out
bounded report "$heddle" report gpu.hdump -o gpu.html
bounded compare "$heddle" compare gpu.json gpu.json
done_testing
