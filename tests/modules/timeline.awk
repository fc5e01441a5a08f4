# timeline.awk - from what `heddle dump --to text` prints to the rows of a timeline in docs/
# SPDX-License-Identifier: BSD-2-Clause
#
# awk -f timeline.awk TABLE DUMP: TABLE is a table of a document, of which the first line counts:
# its columns are `cycle`, then what each is about, and a last one for the reader.  A column is
# `#3 ...`, the instruction with uid 3: where it stands when the cycle ends; `@3 ...`, its first request
# to the memory: in which instance or channel; `issue[0]`: what that scheduler issued, or why nothing;
# or another instance: its events.  Cycles in which nothing changes are one row, 4-9.  The path of a
# GPU's first SM is left out.

function value(name,    at, rest)
{
	at = index(" " $0, " " name "=")
	rest = substr($0, at + length(name) + 1)
	sub(/ .*/, "", rest)
	return at ? rest : ""
}

function add(column, cycle, text)
{
	cycle += 0
	cell[column, cycle] = cell[column, cycle] ? cell[column, cycle] ", " text : text
	if (first == "" || cycle < first)
		first = cycle
	if (cycle > last)
		last = cycle
}

function span(column, from, n, text,    i)
{
	for (i = 0; i < n + 0; i++)
		add(column, from + i, text)
}

function short(event)
{
	if (event == "scoreboard.release")
		return "w" value("warp") " R" value("reg")
	if (event == "cache.access")
		return outcome[value("outcome")] " " value("addr")
	if (event == "cache.fill")
		return "fill " value("addr")
	sub(/^[^ ]+ [^ ]+ [a-z_]+\./, "")
	return $0
}

FNR == 1 && NR == 1 {
	n = split($0, head, /[ \t]*\|[ \t]*/) - 2 # what stands before the first bar, and the last column
	for (i = 3; i <= n; i++) {
		name = head[i]
		sub(/ .*/, "", name)
		column[name] = i
	}
	outcome[0] = "hit"
	outcome[1] = "reserved hit"
	outcome[2] = "sector miss"
	outcome[3] = "miss"
	outcome[4] = "refused"
	first = ""
}
FNR == NR { next }
{ gsub(/cluster\[0\]\.sm\[0\]\./, "") }

$3 == "inst" && (("#" value("uid")) in column) ||
$3 == "mem" && $4 == "ended" && (("@" value("uid")) in column) && !(value("uid") in shown) {
	memory = $3 == "mem"
	c = column[(memory ? "@" : "#") value("uid")]
	if (memory)
		shown[value("uid")] = 1
	at = $1
	way = $0
	sub(/.* (mask|flags)=0x[0-9a-f]+ /, "", way)
	steps = split(way, step, " ")
	for (i = 1; i <= steps; i++) {
		cycles = step[i]
		sub(/.*=/, "", cycles)
		sub(/=[0-9]+$/, "", step[i])
		if (memory)
			sub(/:.*/, "", step[i])
		span(c, at, cycles, step[i])
		at += cycles
	}
	next
}
$3 == "issue.slot" && ($4 in column) {
	reason = value("reason")
	if (reason == "single" || reason == "dual")
		next # there is an event for each
	if (value("warp") >= 0)
		reason = reason " w" value("warp")
	if (value("reg") >= 0)
		reason = reason " R" value("reg")
	if (reason ~ /^stall/)
		reason = reason " " value("unit")
	span(column[$4], $1, $2, reason)
	next
}
$3 == "issue.issue" && ($4 in column) {
	add(column[$4], $1, "w" value("warp"))
	next
}
$4 in column { add(column[$4], $1, short($3)) }

function row(cycle,    i, text)
{
	for (i = 3; i <= n; i++)
		text = text " " cell[i, cycle] " |"
	gsub(/  /, " ", text)
	return text
}

function put(from, to, text)
{
	print "| " (from == to ? from : from "-" to) " |" text
}

END {
	for (c = first; c <= last; c++) {
		now = row(c)
		if (c > first && now != before) {
			put(since, c - 1, before)
			since = c
		}
		if (c == first)
			since = c
		before = now
	}
	put(since, last, before)
}
