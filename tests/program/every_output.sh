#!/bin/sh
# every_output.sh - every command that writes: what it reads stays under all its names, and an old file where no new one fits
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"

cp -R "$src/netlists" .
cp "$src/traces/samples/reduce/"kernel* "$src/traces/samples/hasm/loop.hasm" "$src/tests/import/volta.config" .
cp "$src/tests/trace/sass/nvdisasm.txt" .
chmod -R u+w .
core=netlists/volta_sm.json
"$heddle" run -q $core kernelslist.g --dump run.hdump --stats one.json --save-at 100 state || fail "no run"
"$heddle" run -q $core kernelslist.g --set ibuffer.entries=4 --stats two.json || fail "no other run"
echo '{ "study": 1, "netlists": ["netlists/tutorial.json"], "traces": ["kernelslist.g"],
  "set": { "ibuffer.entries": [2, 4] } }' >study.json
"$heddle" sweep -q study.json -o swept >/dev/null || fail "no study"
echo 'point,cost' >costs.csv
echo '{ "correlate": 1, "netlist": "netlists/tutorial.json", "points": [{ "trace": "kernelslist.g" }] }' >list.json

"$heddle" sample kernelslist.g -o plan.json 2>err || fail "no plan"

# A command, @ for its output, and its inputs.
cat >commands <<END
run -q $core kernelslist.g --stats @ | $core netlists/sm.json kernelslist.g kernel-1.traceg.xz
run -q $core kernelslist.g --events @ | kernelslist.g
run -q $core kernelslist.g --dump @ | kernelslist.g
run -q $core kernelslist.g --summary @ | kernelslist.g
run -q $core kernelslist.g --save-at 100 @ | kernelslist.g
run -q $core kernelslist.g --load state --stats @ | state
dump run.hdump --to text -o @ | run.hdump
dump run.hdump --to text -o @.zst |
dump run.hdump --to sqlite -o @ | run.hdump
dump run.hdump --to perfetto -o @ | run.hdump
dump run.hdump --to vcd -o @ | run.hdump
dump run.hdump --to kanata -o @ | run.hdump
report run.hdump -o @ | run.hdump
report swept -o @ | swept/results.sqlite
report swept --table costs.csv -o @ | costs.csv
flatten $core -o @ | $core netlists/sm.json
graph $core -o @.svg |
graph $core -o @.dot |
schema -o @ |
import volta.config -o @ | volta.config
sample kernelslist.g -o @ | kernelslist.g kernel-1.traceg.xz
run -q $core kernelslist.g --plan plan.json --stats @ | plan.json kernelslist.g
trace pack kernelslist.g -o @ | kernelslist.g kernel-1.traceg.xz
trace print kernelslist.g -o @ | kernelslist.g
trace info kernelslist.g -o @ | kernelslist.g
trace control --list nvdisasm.txt -o @ | nvdisasm.txt
compare one.json two.json --csv @ | one.json two.json
sweep -q study.json -o swept --csv @ | study.json netlists/tutorial.json kernelslist.g kernel-1.traceg.xz swept/points.json
sweep -q study.json -o swept --json @ | kernel-1.traceg.xz swept/results.sqlite
correlate -q list.json -f held -o @ | list.json netlists/tutorial.json kernelslist.g kernel-1.traceg.xz
correlate -q list.json -f held --csv @ | list.json
correlate -q list.json -f held --json @ | list.json kernelslist.g
END

# with NAME: the present command with that output
with()
{
	# shellcheck disable=SC2046
	"$heddle" $(printf '%s' "$command" | sed "s|@|$1|")
}

while IFS='|' read -r command inputs; do
	for input in $inputs; do
		ln "$input" linked
		before=$(cksum <"$input")
		with linked >out 2>err </dev/null
		test $? -eq 2 || fail "$command: $input as its output: exit status is not 2"
		grep -q -e 'would replace' -e 'both would write' err || { fail "$command: $input as its output"; cat err; }
		test "$(cksum <"$input") $(cksum <linked)" = "$before $before" || fail "$command: $input was changed"
		test linked -ef "$input" || fail "$command: the other name of $input was replaced"
		rm -f linked
	done

	# No file may grow: as if the disk were full.  These keep their folders, so they are not run.
	case $command in sweep* | correlate*) continue ;; esac
	mkdir full
	for name in o o.zst o.svg o.dot; do echo old >full/$name; done
	{
		(ulimit -f 0 && with full/o)
		echo "status $?"
	} 2>&1 </dev/null | cat >err
	grep -q 'status 1$' err || fail "$command: exit status on a full disk"
	grep -q -e 'could not be written' -e 'cannot be written' -e 'File too large' err || fail "$command: no message on a full disk"
	test "$(cat full/*)" = 'old
old
old
old' || fail "$command: an old file was changed on a full disk"
	test "$(ls full | wc -l)" -eq 4 || { fail "$command: something unfinished is left"; ls full; }
	rm -r full
done <commands

# Folders, and several files
for command in 'dump run.hdump --to csv -o full' 'trace assemble loop.hasm -o full' 'new-module mine -o full/mine'; do
	mkdir full
	{
		(ulimit -f 0 && with full)
		echo "status $?"
	} 2>&1 </dev/null | cat >err
	grep -q 'status 1$' err || { fail "$command: exit status on a full disk"; cat err; }
	test -z "$(find . -name '*.part' -o -path './full/*' -type f)" || { fail "$command: something is left"; ls -R full; }
	rm -r full
done
(ulimit -f 0 && "$heddle" trace info kernelslist.g >out) 2>/dev/null
test $? -eq 1 || fail "standard output that may not grow: exit status"
if test -c /dev/full; then
	for command in 'trace info kernelslist.g' 'check volta_sm.json' 'flatten volta_sm.json' '--help'; do
		expect 1 'heddle: standard output: could not be written: No space left on device' sh -c "\"$heddle\" $command >/dev/full"
		test "$(wc -l <err)" -eq 1 || { fail "$command: one message for one error"; cat err; }
	done
fi
(ulimit -f 0 && "$build/heddle-accel-sim" -config volta.config -trace kernelslist.g >out) 2>/dev/null
test $? -eq 1 || fail "heddle-accel-sim: standard output that may not grow: exit status"
done_testing
