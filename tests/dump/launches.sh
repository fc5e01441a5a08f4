#!/bin/sh
# launches.sh - the memory of everything made of a dump hardly grows with the launches of kernels in it
# SPDX-License-Identifier: BSD-2-Clause
#
# The same short kernel 500 and 4,800 times: each launch has a row in the statistics.  HEDDLE_ALL=1: 20,000 times.
. "${srcdir:-.}/tests/lib.sh"
! grep -q enable-sanitizers "$build/config.log" 2>/dev/null ||
	{ echo "SKIP: sanitizers take memory of their own"; exit 77; }

peak=$build/tests/dump/peak
few=500 many=4800
test -z "${HEDDLE_ALL:-}" || many=20000

cp "$src/traces/samples/tiny/kernel-1.traceg" .
for n in $few $many 100000; do
	awk -v n=$n 'BEGIN { while (n--) print "kernel-1.traceg" }' >$n.g
done
for n in $few $many; do
	"$heddle" run -q "$src/netlists/volta_sm.json" $n.g --dump $n.hdump --stats $n.json || fail "no dump"
	"$heddle" run -q "$src/netlists/turing_sm.json" $n.g --stats other-$n.json || fail "no statistics"
done

# bounded NAME EACH MOST COMMAND...: with @ for the number of launches: KiB of a launch, and of all
bounded()
{
	what=$1 each=$2 limit=$3
	shift 3
	case ${HEDDLE_ALL:+all}$what in # which do what others do
	'run --summary' | 'run --per-kernel' | 'report of two' | 'compare --csv') return ;;
	esac
	peaks "$few" "$many" "$@" || { fail "$what"; cat err; return; }
	printf '%-16s %6d KiB for %d launches, %6d KiB for %d\n' "$what" "$least" $few "$most" $many
	test "$most" -le $((least + 4096 + each * (many - few))) || fail "$what: more than $each KiB for each launch"
	test "$most" -le "$limit" || fail "$what: takes more than $limit KiB"
}

# the statistics of the first 4096 are kept one by one
volta=$src/netlists/volta_sm.json
bounded run 0 16384 "$heddle" run -q "$volta" @.g
bounded 'run --stats' 2 32768 "$heddle" run -q "$volta" @.g --stats again.json
bounded 'run --summary' 2 32768 "$heddle" run -q "$volta" @.g --summary again.json
bounded 'run --per-kernel' 2 32768 "$heddle" run "$volta" @.g --per-kernel
bounded 'run --dump' 3 49152 "$heddle" run -q "$volta" @.g --dump again.hdump
bounded info 3 65536 "$heddle" dump @.hdump
bounded stalls 3 65536 "$heddle" dump @.hdump --stalls
bounded sqlite 3 65536 "$heddle" dump @.hdump --to sqlite -o @.db
bounded report 3 65536 "$heddle" report @.hdump -o @.html
bounded 'report of two' 3 65536 "$heddle" report @.hdump @.hdump -o both.html
bounded compare 0 16384 "$heddle" compare @.json other-@.json
bounded 'compare --csv' 0 16384 "$heddle" compare @.json other-@.json --csv @.csv

# ---- the page lists as many as statistics have ----
grep -q "\"launches_left_out\":$((many - 4096))[,}]" $many.html || fail "the page does not say how many launches it leaves out"
! grep -q '"launches_left_out"' $few.html || fail "the page leaves out some of $few launches"

# ---- and nothing is lost ----
"$heddle" run -q "$src/netlists/volta_sm.json" $many.g --stats stats.json || fail "no statistics"
$python - $many <<'END' || fail "the rows of the database are not those of the statistics"
import json, sqlite3, sys

def read(text):  # files and databases differ in the last digit of a fraction
    return json.loads(text, parse_float=lambda x: round(float(x), 9))

n = int(sys.argv[1])
db = sqlite3.connect(f"{n}.db")
whole = read(open("stats.json").read())
rows = [read(v) for (v,) in db.execute("SELECT value FROM statistics_row WHERE of = 'kernels' ORDER BY number")]
rest = read(db.execute("SELECT value FROM meta WHERE name = 'statistics'").fetchone()[0])
assert len(rows) == n and rows == whole.pop("kernels")
assert all(rest[k] == whole[k] for k in whole if k not in ("heddle", "netlist"))
END

# ---- a long list, of which nothing runs yet ----
many=100000
bounded 'a list' 1 16384 "$heddle" run -q "$volta" @.g --max-cycles 1
done_testing
