#!/bin/sh
# monitor.sh - a run that is watched and controlled: exact, unchanged, robust against bad clients
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"
. "$src/tests/monitored.sh"

client=$build/tests/program/monitor_client
volta=$src/netlists/volta_sm.json
reduce=$src/traces/samples/reduce/kernelslist.g

monitor()
{
	expect 0 '' "$heddle" monitor s "$@"
}

# reply_has TEXT REQUEST: the reply to a line has TEXT
reply_has()
{
	printf '%s\n' "$2" | "$client" talk s >reply
	grep -qF -e "$1" reply || { fail "$2: expected $1, got"; cat reply; }
}

# counters of an indented statistics file, as `heddle monitor s counters` shows them
counters_of()
{
	awk '/^ "instances"/ { on = 1; next } /^ }/ { on = 0 } !on { next }
		{ gsub(/[",]/, "") }
		/^  [^ ]/ { path = substr($1, 1, length($1) - 1); next }
		# those of the time that warps are there are counted when some come or go
		/^   (warp_cycles|slot_cycles|occupancy):/ { next }
		/^   [^ ]/ && $1 != "module:" { print path "." substr($1, 1, length($1) - 1), $2 }' "$1"
}

# ---- a silent server: checked below, since that takes a while ----
"$client" lie mute silent >mute.ready &
mute=$!
until_true grep -q ready mute.ready
{ status=0; "$heddle" monitor mute status 2>mute.err || status=$?; echo "$status" >mute.status; } &
muted=$!

# ---- paths of the socket ----
expect 2 '--monitor-wait needs --monitor' "$heddle" run --monitor-wait "$volta" "$reduce"
: >file
expect 2 "--monitor: 'file': exists and is not a socket" "$heddle" run --monitor file "$volta" "$reduce"
test -f file || fail "the file was removed"
expect 2 "--monitor: '.': exists and is not a socket" "$heddle" run --monitor . "$volta" "$reduce"
expect 2 "'/nowhere/s': No such file" "$heddle" run --monitor /nowhere/s "$volta" "$reduce"
expect 2 "''" "$heddle" run --monitor '' "$volta" "$reduce"
long=$(printf '%0200d' 0)
expect 2 'has 200 bytes; the path of a socket has at most' "$heddle" run --monitor "$long" "$volta" "$reduce"
expect 0 '' "$heddle" run -q --monitor s "$volta" "$reduce"
test ! -e s || fail "the socket stays after the run"

# ---- the client's arguments, and no run there ----
expect 2 'expected PATH' "$heddle" monitor
expect 2 "unknown request 'paus'; did you mean 'pause'?" "$heddle" monitor s paus
expect 2 "'until': expected CYCLE" "$heddle" monitor s until
expect 2 "unexpected argument '7' after 'pause'" "$heddle" monitor s pause 7
expect 2 "step: '0' is not a number" "$heddle" monitor s step 0
expect 2 "'dump': 'maybe'; expected 'on' or 'off'" "$heddle" monitor s dump maybe
expect 2 "--interval: '1' is not a number from 10 to 3600000" "$heddle" monitor s --interval 1
expect 2 '--once and --interval cannot be combined with' "$heddle" monitor s --once pause
expect 2 'No such file' "$heddle" monitor s
expect 2 'No such file' "$heddle" monitor s status
expect 2 'no run listens there' "$heddle" monitor file status
expect 2 'has 200 bytes' "$heddle" monitor "$long"

# ---- requests, while it stands at cycle 0 ----
begin --stats watched.json "$volta" "$reduce"
case $(ls -l s) in srw-------*) ;; *) fail "mode of the socket: $(ls -l s)" ;; esac
expect 2 "'s': is the socket of another run" "$heddle" run --monitor s "$volta" "$reduce"
monitor status
grep -q '^cycle 0, paused' out || { fail "status"; cat out; }
reply_has '"reply":"hello","ok":true,"id":7,"heddle":"0.' '{"request": "hello", "id": 7}'
grep -q '"protocol":1,"netlist":"volta_sm","input":".*reduce/kernelslist.g"' reply || fail "hello"
reply_has '"ok":true,"id":"x","state":"paused","cycle":0' '{"request": "status", "id": "x"}'
reply_has 'bad JSON: ' 'status'
reply_has 'expected an object on one line, like {\"request\": \"status\"}' '{"request": '
reply_has 'expected an object with a string \"request\"' '[]'
reply_has 'expected an object with a string \"request\"' '{"request": 7}'
reply_has "unknown request 'stp'; did you mean 'step'?" '{"request": "stp"}'
reply_has "unknown request 'xyzzy'; expected one of hello, status," '{"request": "xyzzy"}'
reply_has "unknown member 'cycle'; did you mean 'cycles'?" '{"request": "step", "cycle": 5}'
reply_has "'cycles' of 'step' is 0; expected an integer 1.." '{"request": "step", "cycles": 0}'
reply_has "'cycles' of 'step' is -1; expected" '{"request": "step", "cycles": -1}'
reply_has "is string \\\"5\\\"; expected an integer" '{"request": "step", "cycles": "5"}'
reply_has "'cycle' of 'until' is nothing; expected" '{"request": "until"}'
reply_has "'on' of 'dump' is nothing; expected true or false" '{"request": "dump"}'
reply_has 'the run writes no dump; start it with --dump' '{"request": "dump", "on": true}'
reply_has "'period' of 'subscribe' is 1; expected an integer 10..3600000" '{"request": "subscribe", "period": 1}'
reply_has "'id' is neither a string nor an integer" '{"request": "status", "id": [1]}'
reply_has 'bad JSON: duplicate' '{"request": "status", "request": "stop"}'
reply_has "no counter is selected by 'isue[0]'; did you mean 'issue[0]'?" '{"request": "counters", "select": "isue[0]"}'
reply_has "'select' of 'counters' is 7; expected a string" '{"request": "counters", "select": 7}'
reply_has "'select' of 'buffers' is true; expected a string" '{"request": "buffers", "select": true}'
reply_has "no buffer is selected by 'colector'; expected the name of one" '{"request": "buffers", "select": "colector"}'
reply_has "'select' of 'pending' is nothing; expected the path" '{"request": "pending"}'
reply_has "unknown member 'select'; expected one of" '{"request": "waits", "select": "x"}'
reply_has "'buffers' of 'subscribe' is 1; expected true or false" '{"request": "subscribe", "period": 10, "buffers": 1}'
reply_has '"waits":[],"waiting":0' '{"request": "waits"}'
printf '{"request": "\377\376"}\n' | "$client" talk s >reply
grep -q 'bad JSON' reply || { fail "not UTF-8"; cat reply; }
printf '{"request": "%s\303\244"}\n' "$(printf '%059d' 0)" | "$client" talk s >reply
grep -q "unknown request '0*?'" reply || { fail "a quotation cut in a character"; cat reply; }
expect 1 'the run writes no dump' "$heddle" monitor s dump on
expect 1 'no counter is selected' "$heddle" monitor s counters nothing

# ---- steps are exact, and what is counted there is what a run of that length counts ----
exact()
{
	monitor "$2" "$3"
	grep -q "^cycle $1, paused" out || { fail "$2 $3: not at cycle $1"; cat out; }
	monitor counters
	grep -vE '^warps\.(warp_cycles|slot_cycles|occupancy) ' out >here
	"$heddle" run -q --max-cycles "$(echo "$1" | tr -d ,)" --stats limit.json "$volta" "$reduce"
	counters_of limit.json >there
	test -s there || fail "no counters"
	cmp -s here there || { fail "counters at cycle $1"; diff here there; }
}
exact 1 step 1
exact 2 step 1
exact 3 until 3
exact 103 step 100
exact 1,000 until 1000
monitor counters 'issue[*].stall'
test "$(wc -l <out)" -eq 4 || fail "counters issue[*].stall"
monitor counters 'sp[0]'
test "$(grep -c '^sp\[0\]\.' out)" -eq 3 || fail "counters sp[0]"
monitor counters busy
grep -q '^load_store.busy ' out || fail "counters busy"
expect 1 'cycle 999 has passed; the run is at 1000' "$heddle" monitor s until 999
monitor --once
grep -q '^cycle 1,000, paused, .*, IPC ' out || { fail "--once"; cat out; }
monitor --once --json
grep -q '^{"event":"update","update":1,"state":"paused","cycle":1000,' out || fail "--once --json"
monitor --json status
grep -q '"state":"paused","cycle":1000,' out || fail "--json status"
# ---- what buffers hold, who waits, what is pending ----
monitor buffers
cut -d' ' -f1 out >names
sort -u names | wc -l >one
wc -l <names | cmp - one || { fail "buffers: names stand twice"; cat out; }
monitor --json buffers collector
grep -q '"name":"collector.in\[0\]","unit":"inst","n":[0-9],"capacity":4,"from":\["issue\[0\].out","issue\[1\].out",' out ||
	{ fail "buffers collector"; cat out; }
grep -q 'writeback.in' out && fail "buffers collector: one that is not at it"
monitor buffers 'writeback.*'
test "$(cat out)" = 'writeback.in 0 of 8 inst' || { fail "buffers writeback.*"; cat out; }
monitor pending dispatcher
grep -q "^dispatcher: kernel 1 .*CTAs placed" out || { fail "pending dispatcher"; cat out; }
expect 2 "'pending': expected PATTERN" "$heddle" monitor s pending
expect 1 "no instance is selected by 'dispacher'; expected the path of one" "$heddle" monitor s pending dispacher
# at each of these cycles a port waits exactly if its buffer is full
waited=0
for _ in 1 2 3 4 5 6 7 8; do
	monitor step 37
	monitor --json buffers
	tr '{' '\n' <out | awk -F'"n":' 'NF > 1 { split($2, w, /[^0-9]+/); full = w[1] == w[2]
		n = split($0, x, "\"from\":\\["); if (full && n > 1) { split($1, name, "\""); print name[4] } }' | sort >full
	monitor --json waits
	tr '{' '\n' <out | sed -n 's/.*"buffer":"\([^"]*\)".*/\1/p' | sort -u >waiting
	comm -23 full waiting >odd
	test ! -s odd || { fail "buffers that are full, and no port waits for them"; cat odd; }
	waited=$((waited + $(wc -l <waiting)))
done
test "$waited" -gt 0 || fail "no port ever waited"
# the numbers in updates are those of the requests
printf '%s\n' '{"request": "subscribe", "period": 3600000, "buffers": true}' '@event update' '{"request": "buffers"}' \
	'{"request": "waits"}' | "$client" talk s >reply
sed -n 's/.*"inside":\(\[[-0-9,]*\]\).*/\1/p' reply >inside
sed -n 's/.*"passed":\(\[[-0-9,]*\]\).*/\1/p' reply >passed
for what in n passed; do
	grep '"reply":"buffers"' reply | tr '{' '\n' |
		sed -n '/"name"/s/.*"'$what'":\([0-9]*\).*/\1/p;/"name"/!d;/"'$what'":/!s/.*/-1/p' | paste -sd, | sed 's/.*/[&]/' >$what.these
done
test "$(wc -c <inside)" -gt 30 || fail "nothing is inside"
cmp inside n.these || fail "what is inside, in updates"
cmp passed passed.these || fail "what has passed, in updates"
test "$(sed -n 's/.*"event":"update".*"waits":\(.*\),"waiting":\([0-9]*\)}$/\1 \2/p' reply)" = \
	"$(sed -n 's/.*"reply":"waits".*"waits":\(.*\),"waiting":\([0-9]*\)}$/\1 \2/p' reply)" || fail "waits in updates"

# a goal that another client replaces is answered at the present cycle
printf '@send {"request": "until", "cycle": 1000000000, "id": 1}\n@half\n@reply\n@gone\n' |
	"$client" talk s >taken &
taker=$!
ended 0 'reduce'
wait "$taker"
grep -q '"reply":"until","ok":true,"id":1,"state":"finished"' taken || { fail "goal beyond the end"; cat taken; }
"$heddle" run -q --stats plain.json "$volta" "$reduce"
cmp watched.json plain.json || fail "statistics of a run that was watched"

# ---- in a jump of idle time ----
begin --stats watched.json --set dispatcher.kernel_latency=100000 "$volta" "$reduce"
monitor until 777
grep -q '^cycle 777, paused' out || { fail "until 777 in idle time"; cat out; }
monitor step 50001
grep -q '^cycle 50,778, paused' out || { fail "step in idle time"; cat out; }
printf '%s\n' '{"request": "subscribe", "period": 3600000}' '@event update' '{"request": "resume"}' \
	'@event finished' '@gone' | "$client" talk s >heard
ended 0 'idle'
"$heddle" run -q --stats plain.json --set dispatcher.kernel_latency=100000 "$volta" "$reduce"
cmp watched.json plain.json || fail "statistics of a run that was halted in idle time"
cycles=$(figure plain.json cycles)
grep -q "\"event\":\"finished\".*\"state\":\"finished\",\"end\":\"finished\".*\"totals\":{\"cycles\":$cycles," heard ||
	{ fail "the last update"; cat heard; }
tail -n 1 heard | grep -q closed || fail "the connection stays after the run"

# ---- a limit of cycles is the end, not a pause ----
begin --max-cycles 500 --stats watched.json "$volta" "$reduce"
monitor until 5000
grep -q '^cycle 500, finished (stopped at the cycle limit)' out || { fail "until behind --max-cycles"; cat out; }
ended 0 '--max-cycles'
"$heddle" run -q --max-cycles 500 --stats plain.json "$volta" "$reduce"
cmp watched.json plain.json || fail "statistics with --max-cycles"

# ---- a deadlock: the memory's clock is never opened ----
sed -e 's/"module": "memory_perfect", "clock": "core"/"module": "memory_perfect", "clock": "shut"/' \
	-e 's/"clocks": {/"clocks": { "shut": { "of": "core", "gate": "dispatcher" },/' "$volta" >shut.json
begin shut.json "$src/traces/samples/tiny/kernelslist.g"
printf '%s\n' '{"request": "subscribe", "period": 3600000, "buffers": true}' '@event update' '{"request": "resume"}' \
	'@event finished' | "$client" talk s >reply
ended 1 'a deadlock'
grep -q '"event":"finished".*"end":"deadlock".*"deadlock":{"since":[0-9]*,"pending":\[.*{"path":"scoreboard","text":"warp 0 waits for register R2"}.*"circle":\[\]}' reply ||
	{ fail "the deadlock in the last update"; cat reply; }
grep -q '"withheld":\[{"path":"memory","text":"takes nothing from port .request., and has room at its outputs; its clock .shut. is closed, and .dispatcher. does not open it"}\]' reply ||
	{ fail "the deadlock: who withholds"; cat reply; }
grep -q '"update":1,"state":"paused",.*"deadlock"' reply && fail 'a deadlock before it is there'

# ---- a dump, from the socket on and off ----
begin --dump s.hdump "$volta" "$reduce"
reply_has '"recording":true' '{"request": "status"}'
monitor dump off
reply_has '"recording":false' '{"request": "status"}'
monitor resume
ended 0 'dump'

# ---- bad clients ----
begin --stats watched.json "$volta" long/kernelslist.g
harm()
{
	printf '@big 10000000\n@gone\n' | "$client" talk s >reply
	tail -n 1 reply | grep -q closed || fail "10 MB without a newline: the connection stays"
	printf '@big 66000\n@reply\n@gone\n' | "$client" talk s >reply
	grep -q 'a line has more than 65535 bytes' reply || { fail "long line: not reported"; cat reply; }
	printf '%060000d\n{"request": "status"}\n' 0 | "$client" talk s >reply
	test "$(grep -c reply reply)" -eq 2 || { fail "after a line of garbage"; cat reply; }
	head -c 50000 /dev/urandom >noise
	printf "@file noise\n@half\n@gone\n" | "$client" talk s >reply
	printf '@send {"request": "status"}\n@half\n@reply\n@gone\n' | "$client" talk s >reply
	grep -q '"reply":"status","ok":true' reply || { fail "half closed"; cat reply; }
	printf '%s\n' '@send {"request": "hello", "id": 1} ' '' |
		"$client" talk s >reply
	grep -q '"id":1' reply || { fail "in two parts"; cat reply; }
	"$client" churn s 100 || fail "connects and leaves"
	"$client" hang s 2 >hang.ready & hang=$!
	"$client" flood s >flood.ready & flood=$!
	until_true grep -q ready hang.ready
	until_true grep -q ready flood.ready
	monitor status
	kill -9 "$flood"
	# two good ones beside two that hang
	"$heddle" monitor s --json --interval 10 >watcher & watcher=$!
	monitor counters issue
	until_true grep -q '"update":3' watcher
	kill "$watcher"
	wait "$watcher" 2>/dev/null
	"$client" idle s 6 >idle.ready & idle=$!
	until_true grep -q ready idle.ready
	# those that hang may have been dropped by now
	more=
	for k in 1 2 3; do
		"$heddle" monitor s status 2>&1 | grep -q 'refused: 8 clients are connected' && break
		"$client" idle s 1 >"idle$k.ready" & more="$more $!"
		until_true grep -q ready "idle$k.ready"
	done
	until_true sh -c "'$heddle' monitor s status 2>&1 | grep -q 'refused: 8 clients are connected'"
	# shellcheck disable=SC2086 # a list of words
	kill -9 "$idle" "$hang" $more
	# shellcheck disable=SC2086
	wait "$flood" "$hang" "$idle" $more 2>/dev/null
	until_true "$heddle" monitor s status
}
harm
monitor resume
grep -q running out || { fail "resume"; cat out; }
harm
kill -0 "$pid" || { fail "the run has ended"; cat run.err; }
monitor pause
monitor --json status
cycle=$(sed 's/.*"cycle":\([0-9]*\),.*/\1/' out)
expect 0 '' "$heddle" monitor s stop
grep -q 'finished (interrupted)' out || { fail "stop"; cat out; }
ended 1 'stop'
"$heddle" run -q --max-cycles "$cycle" --stats plain.json "$volta" long/kernelslist.g
sed 's/"stopped at the cycle limit"/"interrupted"/' plain.json | cmp - watched.json ||
	fail "statistics of a run that had bad clients, at cycle $cycle"

# ---- signals, and what is left behind ----
for signal in INT TERM; do
	begin --stats watched.json "$volta" long/kernelslist.g
	test "$signal" = INT || monitor resume
	kill -s "$signal" "$pid"
	ended 1 "SIG$signal"
	test "$(figure watched.json status)" = "interrupted" || fail "SIG$signal: status in the statistics"
done
begin "$volta" long/kernelslist.g
"$heddle" monitor s --interval 10 >watcher 2>watcher.err & watcher=$!
until_true grep -q '^cycle 0, paused' watcher
kill -9 "$pid"
wait "$pid" 2>/dev/null
status=0
wait "$watcher" || status=$?
test "$status" -eq 1 || fail "a watcher whose run was killed: exit status $status"
grep -q '^heddle: s: the run has ended$' watcher.err || { fail "it is not reported"; cat watcher.err; }
test -S s || fail "no socket is left to try the next"
expect 2 's: no run listens there' "$heddle" monitor s status
begin "$volta" long/kernelslist.g
rm s # another program may have created a file there
: >s
kill "$pid"
wait "$pid" 2>/dev/null
test -f s || fail "a file that is not its socket was removed"
rm -f s

# ---- bad servers ----
bad_server()
{
	rm -f lie.ready l
	"$client" lie l "$1" >lie.ready & lie=$!
	until_true grep -q ready lie.ready
	shift
	expect "$@"
	kill -9 "$lie" 2>/dev/null
	wait "$lie" 2>/dev/null
}
bad_server vanish 1 'l: no run answers there' "$heddle" monitor l
bad_server garbage 1 "l: expected a JSON object from the run, found 'HTTP/1.0 400 ?[2J?'" "$heddle" monitor l
bad_server array 1 "l: expected a JSON object from the run, found '[1, 2]'" "$heddle" monitor l status
bad_server stranger 1 'l: the socket does not belong to a run of heddle' "$heddle" monitor l
bad_server future 1 'l: the run of heddle 9.0 uses protocol 2; expected 1' "$heddle" monitor l pause
bad_server long 1 'l: a line of the run has more than 16777216 bytes' "$heddle" monitor l
bad_server wordless 1 'l: bad update from the run' "$heddle" monitor l
bad_server liar 0 'cycle 0, run' "$heddle" monitor l
bad_server escape 0 'cycle 1, ?[31m?2J' "$heddle" monitor l
if test -t 0 || command -v script >/dev/null; then
	bad_server liar 0 'run' script -qec "'$heddle' monitor l" /dev/null
fi
wait "$muted"
test "$(cat mute.status)" = 1 || fail "a silent server: exit status $(cat mute.status)"
grep -q 'mute: no answer for 10 s' mute.err || { fail "a silent server"; cat mute.err; }
kill -9 "$mute"
wait "$mute" 2>/dev/null
done_testing
