#!/bin/sh
# limit.sh - what the page says about the limit of a run, against the run that it suggests
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"

# member NAME: a number or a text of the suggestion in page.html
member()
{
	sed -n 's/.*"lever":\({[^}]*"by":"[^"]*"[^}]*\).*/\1/p' page.html |
		sed -n "s/.*\"$1\":\(\"\([^\"\\\\]\|\\\\.\)*\"\|[0-9]*\).*/\1/p" |
		sed 's/^"//;s/"$//;s/\\"/"/g'
}

# The `set` may hold braces.
suggestion()
{
	sed -n 's/.*"lever":{[^{}]*"set":"\(\([^"\\]\|\\.\)*\)".*/\1/p' page.html | sed 's/\\"/"/g'
}

# page NETLIST TRACE OPTION...: page.html, and the cycles of the run
page()
{
	netlist=$1 trace=$2
	shift 2
	rm -f run.hdump run.json
	expect 0 '' "$heddle" run -q "$src/netlists/$netlist.json" "$src/traces/$trace/kernelslist.g" \
		--dump run.hdump --stats run.json "$@"
	expect 0 '' "$heddle" report run.hdump -o page.html
	cycles=$(grep -m 1 '"cycles"' run.json | tr -dc 0-9)
}

# follows NETLIST TRACE INSTANCE: the suggestion is about INSTANCE, it helps, no more than the bound
# allows, and not more than the estimate by more than a twentieth.
follows()
{
	page "$1" "$2"
	set=$(suggestion) least=$(member least) estimate=$(member estimate)
	case $set in "$3".*) ;; *) fail "$1, $2: suggests '$set', expected $3"; return ;; esac
	expect 0 '' "$heddle" run -q "$src/netlists/$1.json" "$src/traces/$2/kernelslist.g" \
		--set "$set" --stats then.json
	then=$(grep -m 1 '"cycles"' then.json | tr -dc 0-9)
	rm -f then.json
	test "$then" -lt "$cycles" || fail "$1, $2: $set does not help: $then cycles, $cycles before"
	test "$then" -ge "$least" || fail "$1, $2: $set: $then cycles, at least $least expected"
	test "$estimate" -ge "$least" || fail "$1, $2: the estimate is below the bound"
	test "$((then + cycles / 20))" -ge "$estimate" ||
		fail "$1, $2: $set: $then cycles, estimated $estimate"
}

follows volta_sm matmul load_store
follows volta_sm reduce load_store
follows volta_sm gather load_store
follows turing_sm hist load_store
follows lecture_sm matmul 'sp'
follows lecture_sm hist 'sp'

# ---- what would not follow is not suggested ----
for trace in tiny vecadd; do
	page volta_sm $trace
	grep -q '"limit":{' page.html || fail "$trace: the page does not name a limit"
	test -z "$(suggestion)" || fail "$trace: suggests $(suggestion)"
done
page volta_sm matmul --dump-filter event=issue.slot
grep -q '"limit":{' page.html || fail "a filtered dump: the page does not name a limit"
! grep -q '"lever"' page.html || fail "an estimate from a filtered dump"
page volta_sm matmul --dump-filter event=inst
! grep -q '"limit":{' page.html || fail "a limit without issue slots"
page volta_sm matmul --set load_store.cycles_per_edge=32
case $(suggestion) in load_store.*) fail "more than the parameter allows: $(suggestion)" ;; esac

done_testing
