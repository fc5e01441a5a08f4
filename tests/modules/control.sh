#!/bin/sh
# control.sh - the rules of docs/modern.md, case by case: short kernels and when they are issued
# SPDX-License-Identifier: BSD-2-Clause
#
# usage: control.sh [file of cases]...
#
# A case in cases/*.cases is a paragraph; README.md has its form.  What the core does instead of what is
# expected is printed.  Each case runs asleep and awake and in another order of evaluation, and from one
# checkpoint to the next.
. "${srcdir:-.}/tests/lib.sh"

test "$#" -gt 0 || set -- "tests/modules/cases/*.cases"
# shellcheck disable=SC2086,SC2048
(cd "$src" && cat $*) | awk -v RS= -v FS='\n' '
	/^#[^\n]*$/ { next }
	{
		dir = sprintf("case%03d", ++n)
		system("mkdir " dir)
		kernel = ""; with = ""; core = "a100_sm.json"; part = dir "/hasm.body"
		printf "" >(dir "/options"); printf "" >(dir "/keep"); printf "" >(dir "/want"); printf "" >part
		for (i = 1; i <= NF; i++) {
			if ($i ~ /^#/) continue
			if ($i ~ /^[A-Z]+[0-9].*: /) print $i >(dir "/title")
			else if ($i ~ /^kernel /) kernel = substr($i, 7)
			else if ($i ~ /^core /) core = substr($i, 6)
			else if ($i ~ /^with /) with = with ", " substr($i, 6)
			else if ($i ~ /^set /) print "--set=" substr($i, 5) >(dir "/options")
			else if ($i ~ /^keep /) print substr($i, 6) >(dir "/keep")
			else if ($i == "--") part = dir "/want"
			else print $i >part
		}
		print "kernel case shared=4096" kernel >(dir "/hasm.head")
		printf "{\"heddle\": 1, \"name\": \"case\", \"extends\": \"%s\"%s}\n", core, with >(dir "/core.json")
	}'

# The reasons of issue slots, in the order of their numbers.
"$heddle" modules issue_control | sed -n '/^Stall reasons/,$s/^  \([a-z0-9_.]*\) .*/\1/p' >reasons

# events FILE KEEP: issues, and those whose names are listed
events()
{
	awk -v keep=" $(xargs <"$2") " '
		FNR == NR { reason[n++] = $1; next }
		function value(name) { return substr($0 " ", index($0 " ", " " name "=") + length(name) + 2) + 0 }
		{ sm = "" }
		$2 ~ /^sm\[[0-9]+\]\./ { sm = "s" substr($2, 4, index($2, "]") - 4) " "; sub(/.*\./, "", $2) }
		$2 == "issue" && keep !~ / none / { printf "%d %sw%d" (/ pc=/ ? " %02x" : "") "\n", $1, sm, value("warp"), value("pc") }
		index(keep, " " $2 " ") {
			if ($2 == "slot") print $1, value("n"), reason[value("reason")]
			else if ($2 != "issue") { $2 = sm $2; print }
		}' reasons "$1"
}

# rows FILE TABLE PREFIX: the rows of a table of the statistics, one a line
rows()
{
	awk -v table="\"$2\":" -v prefix="$3" '
		index($0, table " [") { on = 1; next }
		on && /^ \]/ { exit }
		on && /[{]/ { row = prefix }
		on && /^ *"/ && !/"(opcode|kernel|count)"/ {
			sub(/^[^:]*: /, ""); sub(/,$/, ""); gsub(/"/, ""); gsub(/ /, "_"); row = row " " $0
		}
		on && /}/ { print row }' "$1"
}

# from_dump FILE KEEP: instances that leave no room, and what instructions waited for in the buffer, of a dump as text
from_dump()
{
	awk -v keep=" $(xargs <"$2") " '
		function value(name) { return match($0, " " name "=[^ ]*") ? substr($0, RSTART + length(name) + 2, RLENGTH - length(name) - 2) : "" }
		/ issue_control.slot / && keep ~ / causes / && value("cause") != "-1" { print "cause", $1, $2, value("cause") }
		/ inst ended / && keep ~ / waits / {
			pc = substr(value("pc"), 3)
			text = "waits w" value("warp") " " (length(pc) < 2 ? "0" : "") pc
			for (i = 1; i <= NF; i++)
				if ($i ~ /^issue.*:/) text = text " " substr($i, index($i, ":") + 1)
			print text
		}' "$1"
}

# figures FILE WANT: the statistics that are expected
figures()
{
	awk 'FNR == NR { if ($1 == "stat") { order[++n] = $2; at[$2] = 0 } next }
		/^ "instances": / { on = 1; next }
		on && /^ }/ { on = 0 }
		on && /^  "/ { name = $1; gsub(/[":]|\[[0-9]*\]/, "", name) }
		on && /^   "/ { key = $1; gsub(/[":]/, "", key); if ((name "." key) in at) at[name "." key] += $2 }
		END { for (i = 1; i <= n; i++) print "stat", order[i], at[order[i]] }' "$2" "$1"
}

# Saved every few cycles, in each case of another number, and gone on with from there: the statistics must
# be those of "stats".
resumed()
{
	cp stats whole
	load=
	for i in 1 3 ${HEDDLE_ALL:+4 5 6 7}; do
		cycle=$((i * (4 + cases % 9)))
		# shellcheck disable=SC2046,SC2086
		"$heddle" run -q $load $(cat options) --stats stats --save-at $cycle state-$cycle core.json \
			trace/kernelslist.g 2>err || break
		load="--load state-$cycle"
	done
	grep -v 'warning:' err | grep -v ': the run ended at cycle'
	test -n "$load" || return
	# shellcheck disable=SC2046,SC2086
	"$heddle" run -q $load $(cat options) --stats stats core.json trace/kernelslist.g 2>err || cat err
	cmp -s whole stats || { echo "another run with $load"; diff whole stats; }
}

run_case()
{
	cat hasm.head hasm.body >case.hasm
	tail -n 1 hasm.body | grep -q EXIT || echo "[B012345:R-:W-:-:S05] EXIT" >>case.hasm
	"$heddle" trace assemble case.hasm -o trace >out 2>err || { cat err; return; }
	for option in "" "--no-sleep --shuffle=2" ${HEDDLE_ALL:+--no-sleep --shuffle=2}; do
		# shellcheck disable=SC2046,SC2086
		"$heddle" run -q $option $(cat options) --events events --stats stats core.json \
			trace/kernelslist.g 2>err || { sed '/warning:/d; s/^heddle: //' err; return; }
		if grep -qE 'causes|waits' keep; then
			# shellcheck disable=SC2046,SC2086
			"$heddle" run -q $option $(cat options) --dump dump core.json trace/kernelslist.g 2>err || { cat err; return; }
			"$heddle" dump dump --to text -o text
		fi
		{
			events events keep >list
			grep -q '^[0-9]* s[0-9]' list && sort -k1,1n -k2 -o list list # of several SMs, which have no order
			cat list
			grep -q hazards keep && rows stats hazard_list hazard
			grep -q clocks keep && rows stats clock_reads clock
			test ! -e text || from_dump text keep
			figures stats want
		} >got"$option"
		cmp -s got got"$option" || { echo "another run with $option"; diff got got"$option"; }
	done
	resumed
	cat got
}

cases=0
for dir in case*; do
	cd "$tmp/$dir" || exit 99
	cp ../reasons .
	run_case >all
	diff want all >difference || fail "$(cat title): expected (<) and found (>):
$(cat difference)"
	cases=$((cases + 1))
done
cd "$tmp" || exit 99
echo "$cases cases"
test "$cases" -gt 0 || fail "no cases"
done_testing
