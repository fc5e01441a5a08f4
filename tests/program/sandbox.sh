#!/bin/sh
# sandbox.sh - --no-plugins and --sandbox: what a plug-in, a netlist or a dump of other people may reach
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"
needs python3
ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 # the search for leaks traces the process
export ASAN_OPTIONS

mkdir plugins inputs outputs outside
plug_in "$src/tests/program/escape.c" plugins/escape.so
cp "$src"/traces/samples/reduce/kernel* inputs
cat >inputs/core.json <<END
{ "heddle": 1, "extends": "$src/netlists/volta_sm.json",
  "add": { "instances": { "escape": { "module": "escape", "clock": "sm", "params": { "outside": "$tmp/outside" } } } } }
END

# ---- plug-ins are refused ----
expect 2 "--no-plugins: plug-in 'plugins/escape.so' is refused" \
	"$heddle" run -q --no-plugins --plugin plugins/escape.so inputs/core.json inputs/kernelslist.g
expect 2 "--no-plugins: HEDDLE_MODULE_PATH is 'plugins'" \
	env HEDDLE_MODULE_PATH=plugins "$heddle" check --no-plugins inputs/core.json
expect 2 "unknown module 'escape'" "$heddle" check --no-plugins inputs/core.json
for command in modules schema 'graph inputs/core.json' 'flatten inputs/core.json'; do
	# shellcheck disable=SC2086
	expect 2 "--no-plugins: plug-in 'plugins/escape.so' is refused" \
		"$heddle" $command --no-plugins --plugin plugins/escape.so
done
expect 0 '' "$heddle" run -q --no-plugins "$src/netlists/volta_sm.json" inputs/kernelslist.g

# ---- the sandbox ----
expect 2 '--sandbox and --monitor: expected one of them' \
	"$heddle" run -q --sandbox --monitor s "$src/netlists/volta_sm.json" inputs/kernelslist.g
try "$heddle" check --sandbox "$src/netlists/volta_sm.json"
if grep -q -e '--sandbox: this' err; then
	test "$status" -eq 2 || fail "no sandbox: exit status $status"
	grep 'without --sandbox' err || fail "no sandbox: no advice"
	test "$failures" -eq 0 || done_testing
	echo "SKIP: the rest; $(cat err)"
	exit 77
fi
expect 0 'no mistakes' "$heddle" check --sandbox "$src/netlists/volta_sm.json"

# prepare: what is outside
prepare()
{
	rm -rf outside
	mkdir outside
	echo secret >outside/secret
	echo alive >outside/victim
	chmod 644 outside/victim
}
# run OPTION...
run()
{
	prepare
	expect 0 '' "$heddle" run -q --plugin plugins/escape.so "$@" inputs/core.json inputs/kernelslist.g
}
run --stats outputs/open.json
test "$(stats '[v for k, v in s["instances"]["escape"].items() if k != "module"].count(0)' outputs/open.json)" -eq 0 ||
	fail "without a sandbox something failed, so the test shows nothing"
test ! -e outside/victim || fail "without a sandbox the victim lives"
run --sandbox --stats outputs/closed.json --events outputs/events --dump outputs/dump
test "$(stats 'sum(v for k, v in s["instances"]["escape"].items() if k != "module")' outputs/closed.json)" -eq 0 ||
	{ fail "something escaped"; stats 's["instances"]["escape"]' outputs/closed.json; }
test "$(cat outside/*)" = 'secret
alive' || fail "something outside was changed"
test "$(ls outside)" = 'secret
victim' || fail "something outside was made"
for f in open closed; do
	stats '{k: v for k, v in s["instances"].items() if k != "escape"}' outputs/$f.json >$f.rest
done
cmp open.rest closed.rest || fail "the sandbox changes the results"
test -s outputs/events || fail "no events"

# ---- calls of the system: each of the machine, and what would reach another process, the machine, or an open file ----
plug_in "$src/tests/program/calls.c" plugins/calls.so
prepare
chmod 644 outside/victim
sleep 10000 &
victim=$!
# seen: what a process outside and a file there are like
seen()
{
	grep -e '^Uid' -e '^Gid' -e '^Cpus_allowed:' -e '^ShdPnd' /proc/$victim/status
	cat /proc/$victim/limits
	cut -d ' ' -f 18,19,41,42 /proc/$victim/stat
	stat -c '%a %u %g %Y' outside/victim
	hostname
}
seen >before
cat >inputs/calls.json <<END
{ "heddle": 1, "extends": "$src/netlists/volta_sm.json", "add": { "instances": {
  "calls": { "module": "calls", "clock": "sm", "params": { "victim": $victim, "opened": 9 } } } } }
END
expect 0 '' setsid -w "$heddle" run -q --sandbox --plugin plugins/calls.so --stats outputs/calls.json \
	inputs/calls.json inputs/kernelslist.g 9<>outside/victim
kill -0 $victim || fail 'the process outside is dead'
seen | cmp -s before - || { fail 'a process or file outside was changed'; seen | diff before -; }
kill $victim
test "$(figure outputs/calls.json tried)" -eq 600 || fail "only $(figure outputs/calls.json tried) calls were tried"
for count in passed reached; do
	test "$(figure outputs/calls.json $count)" -eq 0 ||
		{ fail "calls $count"; stats 's["instances"]["calls"]' outputs/calls.json; }
done
# an output keeps what may be done with it, or less
echo old >outputs/private.json
chmod 600 outputs/private.json
expect 0 '' "$heddle" run -q --sandbox --stats outputs/private.json "$src/netlists/volta_sm.json" inputs/kernelslist.g
test "$(stat -c %a outputs/private.json)" = 600 || fail "mode of an output: $(stat -c %a outputs/private.json)"
test "$(figure outputs/private.json status)" = finished || fail 'an output with a mode of its own was not written'

# The outputs may be where the inputs are, or a device; inputs elsewhere are out of reach.
cd inputs || exit 99
expect 0 '' "$heddle" run -q --sandbox --stats stats.json "$src/netlists/volta_sm.json" kernelslist.g
test -s stats.json || fail "no statistics beside the inputs"
cd .. || exit 99
expect 0 '' "$heddle" run -q --sandbox --stats /dev/null "$src/netlists/volta_sm.json" inputs/kernelslist.g
expect 0 '"status"' "$heddle" run -q --sandbox --stats - "$src/netlists/volta_sm.json" inputs/kernelslist.g
sed "s|^kernel|$tmp/outside/kernel|" inputs/kernelslist.g >inputs/far.g
cp inputs/kernel-1* outside
expect 2 'outside/kernel' "$heddle" run -q --sandbox "$src/netlists/volta_sm.json" inputs/far.g

# ---- dumps ----
for to in text csv sqlite perfetto vcd kanata; do
	expect 0 '' "$heddle" dump --sandbox outputs/dump --to $to -o "outputs/sandbox.$to"
	expect 0 '' "$heddle" dump outputs/dump --to $to -o "outputs/plain.$to"
	diff -r "outputs/sandbox.$to" "outputs/plain.$to" >/dev/null || fail "--to $to is another one in the sandbox"
done
for option in --info --stalls --head; do
	expect 0 ' ' "$heddle" dump --sandbox outputs/dump $option
done
expect 0 '' "$heddle" report --sandbox outputs/dump -o outputs/page.html
test -s outputs/page.html || fail "no page"
find . -name '*.part' | grep . && fail "something unfinished is left"
done_testing
