#!/bin/sh
# ends.sh - heddle sweep: points that crash, deadlock, are refused or reach a limit; sweeps that are ended or killed
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"

# statuses FOLDER: how many points have which status
statuses()
{
	cat "$1"/points/*.json | sed -n 's/^{"point": .*"status": "\([^"]*\)", "message".*/\1/p' | sort | uniq -c | sed 's/^ *//'
}
# ended TEXT FOLDER
ended()
{
	statuses "$2" >got
	printf '%s\n' "$1" | cmp -s - got || { fail "expected the statuses '$1', got:"; cat got; }
}

# ---- how points end ----
# a plug-in that ends a run in several ways, by its parameter
cat >bomb.c <<'END2'
#define _GNU_SOURCE
#include <heddle/module.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct state {
	struct hd_ctx *ctx;
	uint32_t how;
};

static uint64_t eval(void *state)
{
	struct state *st = state;

	if (hd_now(st->ctx) < 5)
		return HD_NEXT;
	if (st->how == 1)
		abort();
	if (st->how == 2)
		pause();
	if (st->how == 3)
		for (int i = 0; i < 4000; i++) {
			char *p = malloc(1 << 20);

			if (p == NULL)
				return hd_fail(st->ctx, "out of memory"), HD_SLEEP;
			memset(p, 1, 1 << 10);
		}
	if (st->how == 4)
		hd_fail(st->ctx, "this cannot \"go\" on");
	if (st->how == 5)
		kill(getpid(), SIGKILL);
	return HD_SLEEP;
}

static int init(void *state, struct hd_ctx *ctx)
{
	((struct state *)state)->ctx = ctx;
	return 0;
}

const struct hd_module hd_module_bomb = {
	.abi = HD_ABI, .size = sizeof(struct hd_module), .state_size = sizeof(struct state),
	.name = "bomb", .doc = "ends runs", .init = init, .eval = eval,
	.params = (const struct hd_param[]){
		{ .name = "how", .unit = "", .doc = "what happens", .type = HD_U32, .offset = offsetof(struct state, how),
		  .def = "0", .max = 9 }, { .name = NULL } },
};
END2
plug_in bomb.c bomb.so
cat >bomb.json <<END2
{ "heddle": 1, "extends": "$src/netlists/tutorial.json", "name": "bomb",
  "add": { "instances": { "bomb": { "module": "bomb" } } } }
END2
cat >study.json <<END2
{ "study": 1, "netlists": ["bomb.json"], "set": { "bomb.how": [0, 1, 2, 4, 5, 10] },
  "traces": ["$src/traces/samples/tiny/kernelslist.g"], "limits": { "seconds": 1 } }
END2
expect 0 'study: 6 points, 6 run now: 1 finished' "$heddle" sweep study.json -o ends --plugin bomb.so
ended '2 crashed
1 failed
1 finished
1 refused
1 time limit' ends
grep -l '"message": ".*this cannot \\"go\\" on' ends/points/* >/dev/null || fail 'no message of a point that failed'
grep -l '"message": ".*expected integer 0..9, found 10' ends/points/* >/dev/null || fail 'no message of a refused point'
grep -l '"message": "signal 9: Killed"' ends/points/* >/dev/null || fail 'no signal'
expect 0 '6 points, 0 run now' "$heddle" sweep study.json -o ends --plugin bomb.so
expect 0 '6 points, 1 run now' "$heddle" sweep study.json -o ends --plugin bomb.so --seconds 0.5
expect 0 '6 points, 0 run now' "$heddle" sweep study.json -o ends --plugin bomb.so --seconds 0.5
expect 0 '6 points, 5 run now' "$heddle" sweep study.json -o ends --plugin bomb.so --retry
# another plug-in is another program
sed 's/< 5/< 6/' bomb.c >new.c
plug_in new.c bomb.so
expect 0 '6 points, 6 run now' "$heddle" sweep study.json -o ends --plugin bomb.so
# memory; sanitizers need terabytes of addresses
if ! grep -q fsanitize "$build/config.log" 2>/dev/null; then
	sed 's/\[0, 1.*\]/3/; s/"limits".*/"limits": { "megabytes": 500 } }/' study.json >memory.json
	expect 0 '1 memory limit' "$heddle" sweep memory.json -o memory --plugin bomb.so
fi
# a deadlock: nothing fetches
cat >deadlock.json <<END2
{ "heddle": 1, "name": "deadlock", "clocks": { "core": { "mhz": 1000 } },
  "instances": { "trace": { "module": "trace_source" }, "dispatcher": { "module": "dispatcher" }, "warps": { "module": "warps" } },
  "links": [{ "from": "dispatcher.trace", "to": "trace.trace" }, { "from": "dispatcher.warps", "to": "warps.launch" }] }
END2
cat >dead.json <<END2
{ "study": 1, "netlists": ["deadlock.json", "$src/netlists/pascal_sm.json"],
  "traces": ["$src/traces/samples/tiny/kernelslist.g", { "files": "$src/traces/samples/hist/kernelslist.g", "max_cycles": 30 }] }
END2
cp -R "$src/traces/samples/hist" broken
chmod -R u+w broken
: >broken/kernel-1.traceg.xz
sed 's|\("traces": \)\[|\1["broken/kernelslist.g", |' dead.json >bad.json
expect 0 'bad: 6 points, 6 run now: 1 finished, ' "$heddle" sweep bad.json -o dead
ended '2 bad input
2 deadlock
1 finished
1 stopped at the cycle limit' dead

# the cycles until a deadlock do not count
expect 0 '2 of 6 points: deadlock' "$heddle" report --text dead
sed 's/  */ /g' out | grep -q '^deadlock 0 - ' || { fail 'a deadlock has figures'; cat out; }

# ---- no room for what is written: not a result ----
cat >room.json <<END2
{ "study": 1, "netlists": ["$src/netlists/tutorial.json"], "traces": ["$src/traces/samples/hist/kernelslist.g"] }
END2
expect 0 '1 not run' "$heddle" sweep room.json -o room --collect
(ulimit -f 2 2>/dev/null && exec "$heddle" sweep room.json -o room >out 2>err)
grep -q 'the output of a point could not be written: .*File too large' err || { fail 'no word about room'; cat out err; }
test -z "$(ls room/points 2>/dev/null)" || fail 'a point without room for its statistics has a result'
expect 0 '1 point, 1 run now: 1 finished' "$heddle" sweep room.json -o room

(trap '' CHLD; expect 0 '0 run now: 1 finished' "$heddle" sweep room.json -o room; test "$failures" -eq 0) ||
	fail 'SIGCHLD was ignored'

# ---- signals ----
cat >long.json <<END2
{ "study": 1, "netlists": ["$src/netlists/volta_sm.json"], "set": { "memory.module": "memory_fixed",
  "memory.latency": { "from": 1, "to": 60, "step": 1 } }, "traces": ["$src/traces/samples/matmul/kernelslist.g"] }
END2
expect 0 '60 finished' "$heddle" sweep long.json -o whole
for signal in INT TERM HUP; do
	before=$(ls part/points 2>/dev/null | wc -l)
	"$heddle" sweep long.json -o part --jobs 1 >out 2>err &
	sweep=$!
	while kill -0 "$sweep" 2>/dev/null && test "$(ls part/points 2>/dev/null | wc -l)" -eq "$before"; do sleep 0.02; done
	kill -"$signal" "$sweep"
	status=0
	wait "$sweep" || status=$?
	test "$status" -eq 1 || test "$status" -eq 0 || fail "SIG$signal: exit status $status"
	test -z "$(ls part/tmp)" || fail "SIG$signal: something is left in tmp"
	grep -q 'not run\|60 finished' out || { fail "SIG$signal"; cat out err; }
done
expect 0 '60 finished' "$heddle" sweep long.json -o part
cmp whole/results.sqlite part/results.sqlite || fail 'a sweep that was interrupted and continued'

# ---- SIGKILL at many moments: nothing is lost, nothing is half, no process is left ----
rm -rf part
i=0
many=${HEDDLE_ALL:+50}
while test "$i" -lt "${many:-12}"; do
	i=$((i + 1))
	before=$(ls part/points 2>/dev/null | wc -l)
	if test "$before" -eq 60; then # from the middle again
		rm $(ls part/points/* | head -30)
		before=30
	fi
	"$heddle" sweep long.json -o part -q 2>err &
	sweep=$!
	sleep "0.$(printf %03d $(((i * 7919 + ${HEDDLE_SEED:-$$} * 31) % 290 + 10)))" # 10 to 300 ms
	kill -KILL "$sweep" 2>/dev/null
	wait "$sweep" 2>/dev/null
	after=$(ls part/points 2>/dev/null | wc -l)
	test "$after" -ge "$before" || fail "results were lost"
	for f in part/points/*.json; do
		test ! -e "$f" || tail -c 3 "$f" | grep -q '}}$' || fail "$f is half"
	done
	test ! -e part/results.sqlite || cmp -s whole/results.sqlite part/results.sqlite || fail 'the database is half'
done
# its points have ended with it: the lock is free
expect 0 '60 finished' "$heddle" sweep long.json -o part
test -z "$(ls part/tmp)" || fail 'something is left in tmp'
cmp whole/results.sqlite part/results.sqlite || fail 'a sweep that was killed and continued'

# ---- without the program that writes the database: printed before anything runs ----
mkdir alone
cp "$heddle" alone/heddle
if test ! -e /usr/local/libexec/heddle/heddle-dump; then
	expect 1 'heddle sweep: heddle-dump: No such file or directory; expected it in ' alone/heddle sweep long.json -o none
	test -z "$(ls none/points)" || fail 'points ran'
	expect 0 '1 run now' alone/heddle sweep long.json -o none --points 1
fi

# ---- a sweep that waits for the program that writes the database: others may not write there, and both end with it ----
cat >alone/heddle-dump <<'END2'
#!/bin/sh
echo $$ >collector.new
mv collector.new collector
exec sleep 3600
END2
chmod +x alone/heddle-dump
for ignored in PIPE TERM; do # SIGTERM may have been ignored where the sweep was started
	rm -f collector
	(trap '' $ignored; exec alone/heddle sweep room.json -o room -q) &
	sweep=$!
	until_true test -e collector
	expect 1 'another sweep is at work there' "$heddle" sweep room.json -o room
	kill -KILL "$sweep"
	wait "$sweep" 2>/dev/null
	until_true sh -c '! grep -q "heddle-dump\|sleep" "/proc/$(cat collector)/cmdline"'
done

done_testing
