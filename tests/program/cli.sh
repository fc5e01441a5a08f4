#!/bin/sh
# cli.sh - messages and exit statuses: bad usage, bad files, signals, full disks
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"

volta=$src/netlists/volta_sm.json
tiny=$src/traces/samples/tiny/kernelslist.g
reduce=$src/traces/samples/reduce/kernelslist.g

# ---- help and version ----
expect 0 'Usage: heddle COMMAND' "$heddle" --help
expect 0 'module ABI' "$heddle" --version
expect 2 'Usage: heddle COMMAND' "$heddle"
expect 2 "unknown command 'ruin'; did you mean 'run'?" "$heddle" ruin
expect 2 "unknown command 'frobnicate'; 'heddle --help' lists them" "$heddle" frobnicate
commands=$("$heddle" --help | sed -n 's/^  \([a-z]\{1,\}\) .*/\1/p')
for c in run check modules; do
	echo "$commands" | grep -qx "$c" || fail "'$c' is not in --help"
done
for c in $commands; do
	expect 0 "Usage: heddle $c" "$heddle" "$c" --help
	expect 0 'heddle 0.' "$heddle" "$c" --version
	expect 2 '--no-such-option' "$heddle" "$c" --no-such-option
done

# ---- arguments ----
expect 2 'expected NETLIST [TRACE]' "$heddle" run
expect 2 "heddle: error: no input, and instance 'trace' (module 'trace_source') reads one; expected TRACE after NETLIST on the command line, such as the 'kernelslist.g' of a traced program" \
	"$heddle" run "$volta"
! grep -q "$volta" err || fail "a TRACE that is missing is reported as an error in the netlist"
expect 2 "unexpected argument 'c'" "$heddle" run a b c
expect 2 'expected NETLIST' "$heddle" check
expect 2 "unexpected argument 'b'" "$heddle" check a b
expect 2 "unknown module 'isue'; did you mean 'issue', or one of a plug-in (--plugin)?" "$heddle" modules isue
expect 2 "unknown module 'zzzzzz'" "$heddle" modules zzzzzz
expect 2 "unexpected argument" "$heddle" modules issue warps
for bad in 0 x -1 '' 1x 99999999999999999999; do
	expect 2 '--max-cycles' "$heddle" run --max-cycles "$bad" "$volta" "$tiny"
	expect 2 '--shuffle' "$heddle" run --shuffle "$bad" "$volta" "$tiny"
done
for option in threads stuck-after dump-sample; do # 0 has a meaning, however it is written
	expect 2 "--$option: '0x' is not a number" "$heddle" run --$option 0x "$volta" "$tiny"
	expect 2 "--$option: '18446744073709551616' is not a number" \
		"$heddle" run --$option 18446744073709551616 "$volta" "$tiny"
done
expect 0 '' "$heddle" run -q --threads 00 --stuck-after 00 "$volta" "$tiny"
for bad in 0 x 2-1 1-x 1-2-3 -1 '' 0-; do
	expect 2 '--kernel' "$heddle" run --kernel "$bad" "$volta" "$tiny"
done

# ---- files ----
expect 2 '/nowhere/n.json: error: cannot read the netlist: No such file' "$heddle" check /nowhere/n.json
expect 2 'cannot read the netlist: Is a directory' "$heddle" check .
expect 2 'cannot read the netlist: Is a directory' "$heddle" run . "$tiny"
expect 2 '/nowhere/k: cannot open: No such file' "$heddle" run -q "$volta" /nowhere/k
expect 2 "heddle: trace .: is a folder; expected a file, such as a 'kernelslist.g' in it" "$heddle" run -q "$volta" .
: >empty.json
expect 2 'empty.json:1:1: error: bad JSON' "$heddle" check empty.json
# files that come with the program are found from anywhere
expect 0 'no mistakes' "$heddle" check volta_sm.json
expect 0 '' "$heddle" run -q volta_sm_gto.json "$tiny"
expect 2 'volta_sn.json: error: cannot read the netlist: No such file' "$heddle" check volta_sn.json
expect 2 "volta_sm: error: cannot read the netlist: No such file or directory; did you mean 'volta_sm.json'?" "$heddle" check volta_sm
expect 2 "heddle: '$tiny' is not a netlist; expected NETLIST before TRACE" "$heddle" run "$tiny"
for part in 1 100 1000 3000; do
	head -c "$part" "$src/netlists/sm.json" >cut.json
	expect 2 'cut.json:' "$heddle" check cut.json
	grep -q ': error: bad JSON' err || fail "cut after $part bytes: not reported as such"
done
cp -R "$src/netlists/opcodes" .
sed 's/"scheduler_lrr"/"scheduler_lr"/' "$src/netlists/sm.json" >name.json
expect 2 "unknown module 'scheduler_lr'; did you mean 'scheduler_lrr', or one of a plug-in (--plugin)?" "$heddle" check name.json
grep -qE '^name\.json:[0-9]+:[0-9]+: error: ' err || fail "no place in front of the message"
expect 0 'no mistakes' "$heddle" check "$volta"
sed 's/"opcodes": "opcodes"/"opcodes": "nowhere"/' "$volta" >tables.json
expect 2 'nowhere' "$heddle" run -q tables.json "$tiny"

# ---- a run ----
expect 0 '' "$heddle" run -q "$volta" "$tiny"
test ! -s out || fail "--quiet prints something"
expect 0 'finished' "$heddle" run "$volta" "$tiny"
expect 0 'stopped at the cycle limit' "$heddle" run --max-cycles 10 "$volta" "$tiny"
for n in 1 2 17 60; do
	expect 0 '' "$heddle" run -q --max-cycles "$n" --stats s.json "$volta" "$tiny"
	cycles=$(figure s.json cycles)
	test "$cycles" = "$n" || fail "--max-cycles $n: $cycles cycles"
	test "$(figure s.json status)" = "stopped at the cycle limit" || fail "--max-cycles $n: status"
done
expect 0 '' "$heddle" run -q --stats - "$volta" "$tiny"
test "$(figure out status)" = "finished" || fail "--stats -: no statistics on standard output"
expect 0 '' "$heddle" run -q --events - "$volta" "$tiny"
grep -qE '^[0-9]+ issue sched=0 warp=0 n=1$' out || fail "--events -: no issue"
test "$(grep -c ' issue ' out)" -eq 12 || fail "--events -: not every issue"
expect 0 '' "$heddle" run -q "$volta" "$src/traces/samples/tiny/kernel-1.traceg"

# ---- a deadlock: the memory's clock is never opened ----
sed -e 's/"module": "memory_perfect", "clock": "core"/"module": "memory_perfect", "clock": "shut"/' \
	-e 's/"clocks": {/"clocks": { "shut": { "of": "core", "gate": "dispatcher" },/' "$volta" >shut.json
expect 1 'heddle: deadlock at cycle' timeout 600 "$heddle" run --stats s.json shut.json "$tiny"
for words in "dispatcher: kernel 1 '_Z4tinyPKfS0_Pf': 1 of 1 CTAs placed, 1 not ended" \
	'scoreboard: warp 0 waits for register R2' \
	"memory: 8 of 'mem' wait at port 'request', sent by 'load_store'; its clock 'shut' is closed"; do
	grep -qF "  $words" err || { fail "deadlock: not reported: $words"; cat err; }
done
grep -qE "deadlock at cycle [0-9]+: nothing has happened since cycle [0-9]+, and" err ||
	fail "deadlock: since when?"
test "$(figure s.json status)" = "deadlock" || fail "deadlock: status in the statistics"
grep -q ': deadlock$' out || fail "deadlock: no table"
# a clock that ticks less often than the watchdog checks is not a deadlock
cat >slow.json <<'END'
{ "heddle": 1, "extends": "volta_sm.json", "set": { "memory.clock": "slow", "watchdog": 2000 },
  "rewire": [{ "link": { "to": "load_store.response" }, "latency": 1 },
             { "link": { "to": "memory.request" }, "staged": true }],
  "add": { "clocks": { "slow": { "mhz": 0.1 } } } }
END
expect 0 '' "$heddle" run -q --no-sleep slow.json "$tiny"
cat >two_places.json <<'END'
{ "heddle": 1, "extends": "volta_sm.json", "set": { "sp.count": 2 },
  "rewire": [{ "link": { "to": "sp.in" }, "slots": 2 }] }
END
# as many sub-cores as schedulers, and places behind for them
expect 2 "instance 'collector': 4 instances are linked to port 'in' for unit 'SP', and 'sub_cores' is 2; expected one for each, or 0" \
	"$heddle" check --set collector.sub_cores=2 "$volta"
expect 2 "port 'out' has 2 slots for unit 'SP'; expected one for each of 4 sub-cores" "$heddle" check two_places.json

# ---- parts of the list ----
kernels()
{
	expect 0 '' "$heddle" run -q --kernel "$1" --stats s.json "$volta" "$reduce"
	test "$(grep -c '"thread_blocks"' s.json)" -eq $((2 + $3)) 2>/dev/null ||
		test "$(sed -n '/^ "kernels": \[/,/^ \]/p' s.json | grep -c '"id"')" -eq "$3" ||
		fail "--kernel $1: not $3 kernels"
	sed -n '/^ "kernels": \[/,/^ \]/p' s.json | grep -q "\"id\": $2," || fail "--kernel $1: not from $2"
}
kernels 1 1 1
kernels 2 2 1
kernels 1-2 1 2
kernels 2- 2 1
expect 0 'reduce/kernelslist.g: has 2 kernels; kernels 2 to 9 were requested' "$heddle" run -q --kernel 2-9 "$volta" "$reduce"
expect 2 'has 2 kernels; kernel 3 was requested' "$heddle" run -q --kernel 3 "$volta" "$reduce"
expect 2 'has 2 kernels; kernels 3 to 9 were requested' "$heddle" run -q --kernel 3-9 "$volta" "$reduce"
expect 2 'has 2 kernels; kernel 3 and those behind it were requested' "$heddle" run -q --kernel 3- "$volta" "$reduce"

# ---- where output cannot go ----
expect 2 '/nowhere/s.json: No such file' "$heddle" run -q --stats /nowhere/s.json "$volta" "$tiny"
expect 2 '/nowhere/e: No such file' "$heddle" run -q --events /nowhere/e "$volta" "$tiny"
for option in --stats --events --dump; do
	expect 2 '.: is a folder; expected the name of a file' "$heddle" run -q $option=. "$volta" "$tiny"
	expect 2 'an output has no name' "$heddle" run -q $option= "$volta" "$tiny"
done
if test -c /dev/full; then
	expect 1 'could not be written' "$heddle" run -q --stats /dev/full "$volta" "$tiny"
	expect 1 'could not be written' "$heddle" run -q --events /dev/full "$volta" "$tiny"
	for c in '--help' '--version' 'modules' 'modules issue' 'run --help' "check $volta" \
		"run $volta $tiny" "run -q --stats - $volta $tiny"; do
		status=0
		# shellcheck disable=SC2086
		"$heddle" $c >/dev/full 2>err || status=$?
		test "$status" -eq 1 || fail "'$c' on a full disk: exit status $status"
		grep -q 'No space left' err || fail "'$c' on a full disk: not reported"
	done
fi
for c in '--help' 'modules' "check $volta" "run $volta $tiny"; do
	status=0
	# shellcheck disable=SC2086
	"$heddle" $c >&- 2>err || status=$?
	test "$status" -eq 1 || fail "'$c' with closed output: exit status $status"
done
# a reader that leaves early ends the program by the signal for that, or with status 1
status=$({ "$heddle" modules; echo $? >&3; } 3>&1 >&- 2>/dev/null | tail -n 1)
test "$status" -eq 1 || test "$status" -eq 141 || fail "closed pipe: exit status $status"

# ---- signals: a run of minutes is queried, then stopped ----
mkdir long
cp "$src/traces/samples/matmul/kernel-1.traceg.xz" long/
yes kernel-1.traceg.xz | head -n 20000 >long/kernelslist.g

# Starts it with $1... and waits until it runs: there are events, so signals are handled.
begin()
{
	rm -f events
	"$heddle" run --stats stopped.json --events events "$@" "$volta" long/kernelslist.g >out 2>err &
	pid=$!
	until_true sh -c 'test -s events.*.part'
}

ended()
{
	status=0
	wait "$pid" || status=$?
	test "$status" -eq 1 || fail "$1: exit status $status"
	test "$(figure stopped.json status)" = "interrupted" || fail "$1: status in the statistics"
	grep -q '"cycles": [1-9]' stopped.json || fail "$1: no cycles in the statistics"
}

begin
kill -USR1 "$pid"
until_true test -s err
kill -INT "$pid"
ended SIGINT
test "$(grep -c '^heddle: cycle [0-9]*, [0-9]* kcycle/s' err)" -eq 1 || { fail "SIGUSR1"; cat err; }
grep -q ': interrupted$' out || fail "SIGINT: no table"
begin -q
kill -TERM "$pid"
ended SIGTERM
# Before there is a run, there is nothing to report: the netlist comes after the signal.
mkfifo late.json
"$heddle" run -q --stats stopped.json late.json "$src/traces/samples/tiny/kernelslist.g" >out 2>err &
pid=$!
until_true sh -c 'test -e stopped.json.*.part'
kill -USR1 "$pid"
cat "$volta" >late.json
wait "$pid"
test $? -eq 0 || { fail 'SIGUSR1 before the run'; cat err; }
test ! -s out || fail "--quiet prints something"
done_testing
