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

# second NAME: the same of another instance
second()
{
	sed -n 's/.*"second":\({"slots":[^{}]*\).*/\1/p' page.html | sed -n "s/.*\"$1\":\([0-9]*\).*/\1/p"
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
	expect 0 '' "$heddle" run -q "$src/netlists/$netlist.json" "$src/traces/samples/$trace/kernelslist.g" \
		--dump run.hdump --stats run.json "$@"
	expect 0 '' "$heddle" report run.hdump -o page.html
	cycles=$(grep -m 1 '"cycles"' run.json | tr -dc 0-9)
}

# agrees WHAT LEAST ESTIMATE: then.json helps, no more than the bound allows, and not more than the estimate by
# more than a twentieth
agrees()
{
	then=$(grep -m 1 '"cycles"' then.json | tr -dc 0-9)
	rm -f then.json
	test -n "$then" && test -n "$2" && test -n "$3" || { fail "$1: '$then', '$2', '$3'"; return; }
	test "$then" -lt "$cycles" || fail "$1 does not help: $then cycles, $cycles before"
	test "$then" -ge "$2" || fail "$1: $then cycles, at least $2 expected"
	test "$3" -ge "$2" || fail "$1: the estimate is below the bound"
	test "$((then + cycles / 20))" -ge "$3" || fail "$1: $then cycles, estimated $3"
}

# follows NETLIST TRACE INSTANCE OPTION...: the suggestion is about INSTANCE, and agrees with its run
follows()
{
	core=$1 from=$2 instance=$3
	shift 3
	page "$core" "$from" "$@"
	set=$(suggestion)
	case $set in "$instance".*) ;; *) fail "$core, $from: suggests '$set', expected $instance"; return ;; esac
	expect 0 '' "$heddle" run -q "$src/netlists/$core.json" "$src/traces/samples/$from/kernelslist.g" "$@" \
		--set "$set" --stats then.json
	agrees "$core, $from: $set" "$(member least)" "$(member estimate)"
}

# doubled NETLIST TRACE: the netlist with a second instance loads as it is, and agrees with its run
doubled()
{
	page "$1" "$2"
	sed -n 's/.*"second":{[^{}]*"netlist":"\(\([^"\\]\|\\.\)*\)".*/\1/p' page.html |
		sed 's/\\"/"/g;s/\\n/\n/g' >doubled.json
	test -s doubled.json || { fail "$1, $2: no second instance is suggested"; return; }
	expect 0 '' "$heddle" run -q doubled.json "$src/traces/samples/$2/kernelslist.g" --stats then.json
	agrees "$1, $2: a second unit" "$(second least)" "$(second estimate)"
}

follows volta_sm matmul load_store
follows volta_sm reduce load_store
follows volta_sm gather load_store
follows turing_sm hist load_store
follows lecture_sm matmul 'sp'
follows lecture_sm hist 'sp'

# a reason that is named after a queue: what is behind it; the queue itself, if nothing there is busy
follows a100_sm matmul load_store
follows a100_sm hist load_store
follows modern_sm softcopy load_store
follows a100_sm matmul memory_queue --set 'memory_queue[*].slots=1'
page a100_sm vecadd
grep -q '"limit":{"group":"stall.memory_queue",[^}]*}*[^}]*"name":"memory",' page.html ||
	fail "a100_sm, vecadd: what holds up the queue is not the memory"
test -z "$(suggestion)" || fail "a100_sm, vecadd: suggests $(suggestion)"

# ---- a second unit, as a netlist ----
doubled volta_sm matmul
doubled volta_sm reduce
doubled lecture_sm gather
doubled southern_islands_cu reduce
doubled turing_sm hist
page a100_sm matmul
! grep -q '"second":{' page.html || fail "a second unit behind an array of four"

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
