#!/bin/sh
# questions.sh - every command of docs/dumps.md gives an answer, and the answers add up
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"

command -v sqlite3 >/dev/null || { echo "skipped: the program sqlite3 is not here"; exit 77; }
mkdir bin blocks work
ln -s "$heddle" bin/heddle
H=$src
PATH=$tmp/bin:$PATH
export H PATH

awk '/^### [0-9]/ { question = $2 + 0 }
	/^```sh$/ { into = sprintf("blocks/%02d.%d", ++n, question); next }
	/^```$/ { into = ""; next }
	into { print >into }' "$src/docs/dumps.md"

cd work || exit 99
for b in ../blocks/*; do
	sh -e "$b" >"$b.out" 2>../err || fail "$(cat "$b" ../err)"
	test ! -s ../err || fail "$(cat "$b" ../err)"
	case $b in # conversions print nothing; a table has a head and some rows
	*.0) ;;
	*) test "$(wc -l <"$b.out")" -ge 3 || fail "$(cat "$b"): no answer"; cat "$b.out" ;;
	esac
done
asked=$(find ../blocks -name '*.out' ! -name '*.0.out' | wc -l)
test "$asked" -ge 10 || fail "only $asked questions"

# ---- the answers ----

# sql QUERY: the result
sql()
{
	sqlite3 run.db "$1"
}

# same WHAT A B
same()
{
	test -n "$2" && test "$2" = "$3" || fail "$1: '$2' and '$3'"
}

answer()
{
	cat ../blocks/*."$1".out
}

slots=$(sql 'SELECT sum(n) FROM slot')
same "slots of the tree" "$slots" "$(answer 1 | awk '/all issue slots/ { print $1 }')"
same "slots by pc" "$slots $slots" "$(answer 2 | awk '/all issue slots/ { print $1 }' | xargs)"
for kind in idle scoreboard single; do
	same "$kind in the tree" "$(sql "SELECT sum(n) FROM v_slot WHERE kind = '$kind'")" \
		"$(answer 1 | awk -v k="$kind" '{ for (i = 4; i < 7; i++) if ($i == k) print $1 }')"
	same "$kind in the statistics" "$(sql "SELECT sum(n) FROM v_slot WHERE kind = '$kind'")" \
		"$(sql "SELECT json_extract(value, '\$.issue.$kind') FROM meta WHERE name = 'statistics'")"
done
issued=$(sql "SELECT value FROM meta WHERE name = 'warp_instructions'")
same "instructions" "$issued" "$(sql 'SELECT count(*) FROM inst WHERE uid > 0')"
same "instructions over time" "$issued" "$(answer 3 | awk 'NR > 2 { n += $2 } END { print n }')"
same "instructions and slots" "$issued" \
	"$(sql "SELECT sum(n * CASE reason WHEN 'single' THEN 1 WHEN 'dual' THEN 2 END) FROM v_slot")"
same "the last warp" "$(sql 'SELECT max("end") FROM inst')" "$(answer 4 | awk 'NR == 3 { print $3 }')"
same "barriers" BAR.SYNC "$(answer 9 | awk 'NR == 3 { print $3 }')"
answer 6 | awk 'NR > 2 && ($4 > 100 || $4 < 0) { bad = 1 } END { exit bad }' || fail "a unit is too busy"
answer 8 | grep -q 'warp 3 ' || fail "nothing of warp 3"
answer 8 | grep -q 'warp [0-24-9]' && fail "not only warp 3"
answer 11 | awk 'NR > 2 && $2 > 64 { bad = 1 } END { exit bad }' || fail "too many warps"

# ---- a window: what began before it has no cycle that is another than in the whole dump, and its waits are there ----
"$heddle" run -q "$H/netlists/volta_sm.json" "$H/traces/samples/matmul/kernelslist.g" --dump-filter cycle=5000-5999 \
	--dump window.hdump || fail "no window"
"$heddle" dump window.hdump --to sqlite --steps -o window.db || fail "no database of the window"
sql "ATTACH 'window.db' AS w; SELECT count(*), sum(i.issue IS NULL), sum(i.issue <> a.issue AND i.issue > 5000
	OR i.collect <> a.collect AND i.collect > 5000 OR i.dispatch <> a.dispatch AND i.dispatch > 5000
	OR i.execute <> a.execute AND i.execute > 5000 OR i.writeback <> a.writeback AND i.writeback > 5000)
	FROM w.inst i JOIN main.inst a USING (core, uid) WHERE uid > 0" | tee ../window
awk -F '|' '{ exit !($1 > 1000 && $2 > 0 && $3 == 0) }' ../window || fail "cycles of instructions that began before the window"
same "cycles at the issue stage" "$(sqlite3 window.db "SELECT sum(s.cycles) FROM step s JOIN place p ON p.id = s.place
	WHERE p.name GLOB 'issue*:*'")" "$(sqlite3 window.db "SELECT sum(cycles) FROM v_wait WHERE place_name GLOB 'issue*:*'")"
done_testing
