#!/bin/sh
# outputs.sh - what is written is whole or not there, whatever ends the program, and never an input
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"

cp -R "$src/netlists" .
cp "$src/traces/samples/reduce/"kernel* .
cp "$src/traces/samples/matmul/kernel-1.traceg.xz" kernel-9.traceg.xz
chmod -R u+w .
netlist=netlists/volta_sm.json
yes kernel-9.traceg.xz | head -n 20000 >long.g # minutes of a run

nothing_unfinished()
{
	find . -name '*.part' | grep . && fail "$1: something unfinished is left"
}

# ---- no output is an input: by file, not by name ----
ln netlists/sm.json hard.json # what the netlist extends
ln -s netlists/volta_sm.json soft.json
plug_in "$src/examples/divider.c" divider.so
for input in divider.so "$netlist" netlists/sm.json hard.json soft.json netlists/opcodes/volta.json kernelslist.g \
	kernel-1.traceg.xz; do
	cksum <"$input" >before
	for option in --stats --events --dump; do
		expect 2 'replace' \
			"$heddle" run -q --plugin divider.so "$netlist" kernelslist.g $option "$input"
	done
	cksum <"$input" | cmp -s - before || fail "$input was changed"
done
expect 2 'would replace' "$heddle" flatten "$netlist" -o hard.json
expect 2 'would replace' "$heddle" flatten "$netlist" -o soft.json
cp netlists/volta_sm.json drawn.dot
expect 2 'would replace' "$heddle" graph drawn.dot -o drawn.dot
cmp -s drawn.dot "$netlist" || fail "a netlist was changed by the picture of it"
nothing_unfinished 'an output that is an input'

# ---- nor another output ----
: >one
ln one two
ln -s one three
for pair in 'one one' 'one two' 'one three' 'new ./new'; do
	# shellcheck disable=SC2086
	set -- $pair
	expect 2 'both would write' "$heddle" run -q "$netlist" kernelslist.g --stats "$1" --events "$2"
	expect 2 'both would write' "$heddle" run -q "$netlist" kernelslist.g --stats "$1" --dump "$2"
done
test ! -s one && test ! -e new || fail "outputs that are one file were written"

# ---- nor in a folder that is not there ----
for option in --stats --events --summary --dump '--save-at 9'; do
	# shellcheck disable=SC2086
	expect 2 "No such file or directory: folder 'none'" "$heddle" run -q "$netlist" kernelslist.g $option none/out
done
for run in a b; do
	"$heddle" run -q "$netlist" kernelslist.g --stats $run.json || fail "no run"
done
expect 2 "No such file or directory: folder 'none'" "$heddle" compare a.json b.json --csv none/out
nothing_unfinished 'an output that cannot be'

# ---- through a link, be what it leads to there or not ----
mkdir -p target
ln -s ../target/later target/through
ln -s target/through link
expect 0 '' "$heddle" run -q "$netlist" kernelslist.g --stats link
test -h link && test -h target/through && cmp -s target/later a.json || fail "a link to nothing was replaced"
rm target/later
expect 2 'both would write' "$heddle" run -q "$netlist" kernelslist.g --stats link --dump target/later
test ! -e target/later || fail "outputs that are one file were written through a link"
ln -s round round
expect 2 'Too many levels of symbolic links' "$heddle" run -q "$netlist" kernelslist.g --stats round
ln -s none/out lost
expect 2 "No such file or directory: folder './none'" "$heddle" run -q "$netlist" kernelslist.g --stats lost
test -h round && test -h lost || fail "a link was replaced"

# ---- "-" is standard output, or refused ----
"$heddle" run -q "$netlist" kernelslist.g --dump r.hdump || fail "no dump"
expect 2 "'-' is not a file" "$heddle" run -q "$netlist" kernelslist.g --dump -
expect 2 'this cannot be written to standard output' "$heddle" trace record --text -o - --cubin \
	"$src/tests/exec/linked_lz4.fatbin" --grid 1 --block 32 --args buf:128,buf:128,i32:32
expect 2 'this cannot be written to standard output' "$heddle" trace record -o - -- true
expect 0 '' "$heddle" trace pack kernelslist.g -o - # into a file
for command in "flatten $netlist" "graph $netlist" "report r.hdump" "dump r.hdump --stalls" schema "trace print kernel-1.traceg.xz"; do
	# shellcheck disable=SC2086
	expect 0 '' "$heddle" $command -o -
	test -s out || fail "$command -o -: nothing"
done
test ! -e - || fail "a file named -"

# ---- nothing is touched before the netlist is good ----
echo old >events
echo old >stats
echo '{' >bad.json
expect 2 'bad JSON' "$heddle" run -q bad.json kernelslist.g --events events --stats stats
test "$(cat events stats)" = 'old
old' || fail "files were changed for a netlist that is not good"

# ---- the end by a signal ----
# begin OPTION...: a run of minutes; returns when it writes events.  SIGHUP may be ignored here, as
# under nohup, and a run would leave it so.
begin()
{
	rm -f events*
	env --default-signal=HUP "$heddle" run -q "$netlist" long.g --events events --stats stats "$@" \
		>/dev/null 2>&1 &
	pid=$!
	until_true sh -c 'test -s events.*.part'
}
for signal in HUP TERM INT; do
	echo old >stats
	begin --dump dump
	kill -$signal "$pid"
	status=0
	wait "$pid" || status=$?
	test "$status" -eq 1 || fail "SIG$signal: exit status $status"
	test "$(figure stats status)" = "interrupted" || fail "SIG$signal: no statistics"
	expect 0 '' "$heddle" dump dump --info
	nothing_unfinished SIG$signal
done
echo old >stats
echo old >dump
begin --dump dump
kill -KILL "$pid"
wait "$pid" 2>/dev/null
test "$(cat stats)$(cat dump)" = oldold || fail "SIGKILL: an old file was changed"
rm -f ./*.part

# Once the simulation is over, a signal lets everything be written.  More statistics than a pipe holds hold the run up
# until they are read, and the signal comes behind the first byte of them.
mkfifo pipe
# late SIGNAL HOW [--quiet]: $status, what was written, and err
late()
{
	rm -f summary read
	env --default-signal=HUP,INT "$heddle" run ${3-} netlists/quadro_gv100.json "$src/traces/samples/tiny/kernelslist.g" --stats pipe \
		--summary summary 2>err >/dev/null &
	pid=$!
	{
		dd bs=1 count=1 2>/dev/null
		kill -"$1" "$pid"
		test -n "${3-}" || until_true grep 'its results are being written; a second signal abandons' err
		test "$2" = once || kill -"$1" "$pid"
		cat
	} <pipe >read
	status=0
	wait "$pid" 2>/dev/null || status=$?
}
"$heddle" run -q netlists/quadro_gv100.json "$src/traces/samples/tiny/kernelslist.g" --stats whole --summary short
for signal in HUP TERM INT; do
	late $signal once
	test "$status" -eq 0 || fail "SIG$signal at the end: exit status $status"
	cmp -s read whole || fail "SIG$signal at the end: the statistics are not whole"
	cmp -s summary short || fail "SIG$signal at the end: no summary"
	test "$(wc -l <err)" -eq 1 || { fail "SIG$signal at the end: more than a line"; cat err; }
done
# a study keeps what a quiet run prints as the message of its point
late TERM once --quiet
test "$status" -eq 0 || fail "a quiet run and a signal at the end: exit status $status"
cmp -s read whole || fail 'a quiet run and a signal at the end: the statistics are not whole'
test ! -s err || { fail 'a quiet run and a signal at the end: a message'; cat err; }
late TERM twice
test "$status" -eq 143 || fail "a second signal: exit status $status"
test ! -e summary || fail 'a second signal: there is a summary'
nothing_unfinished 'a second signal at the end'

# Between two attempts of --keep-going it ends the second before its first cycle.  That waits for its netlist.
mkfifo late.json
printf '%s\n' kernel-1.traceg.xz kernel-none.traceg kernel-1.traceg.xz >holes.g
env --default-signal=INT "$heddle" run --keep-going --stats stats late.json holes.g >/dev/null 2>err &
pid=$!
cat "$netlist" >late.json
until_true grep 'kernel-none.traceg.* is left out' err
kill -INT "$pid"
until_true grep 'its results are being written' err
cat "$netlist" >late.json
status=0
wait "$pid" || status=$?
test "$status" -eq 1 || fail "a signal between two attempts: exit status $status"
test "$(figure stats status)" = "interrupted" || fail 'a signal between two attempts: no statistics'
grep -q '"file": "kernel-none.traceg"' stats || fail 'a signal between two attempts: the kernel that was left out is not named'

# A conversion ends by the signal itself.  The pipe holds it up until then.
expect 0 '' "$heddle" run -q "$netlist" kernelslist.g --dump dump
for signal in HUP TERM INT; do
	for to in text csv sqlite perfetto; do
		for wait in 0 0.01 0.03; do
			echo old >converted
			test $to = csv && rm converted
			(trap - $signal && exec "$heddle" dump dump --to $to -o converted) >/dev/null 2>&1 &
			pid=$!
			sleep $wait
			kill -$signal "$pid" 2>/dev/null
			wait "$pid" 2>/dev/null
			nothing_unfinished "$to, SIG$signal after $wait s"
			rm -rf converted
		done
	done
done

# ---- several programs that write one folder: the last one replaces the others' ----
expect 0 '' "$heddle" dump dump --to csv -o alone
for round in 1 2 3 4 5 6; do
	rm -rf together
	for writer in 1 2 3; do
		"$heddle" dump dump --to csv -o together >out.$writer 2>&1 || echo "status $?" >>out.$writer &
	done
	wait
	cat out.1 out.2 out.3 >out
	test ! -s out && diff -r alone together >diff || { fail "one folder, round $round"; cat out diff; }
	nothing_unfinished "one folder, round $round"
done

# ---- a file that may not grow ----
echo old >stats
echo old >dump.text
(ulimit -f 1 && "$heddle" run -q "$netlist" kernelslist.g --dump small) >out 2>err
test $? -eq 1 || fail "ulimit -f: exit status of a run with --dump"
grep -q 'File too large' err || { fail "ulimit -f: a run with --dump"; cat err; }
(ulimit -f 1 && "$heddle" run -q "$netlist" kernelslist.g --stats stats) >out 2>err
test $? -eq 1 || fail "ulimit -f: exit status of a run with --stats"
(ulimit -f 1 && "$heddle" dump dump --to text -o dump.text) >out 2>err
test $? -eq 1 || fail "ulimit -f: exit status of a conversion"
grep -q 'File too large' err || { fail "ulimit -f: a conversion"; cat err; }
(ulimit -f 1 && "$heddle" dump dump --to sqlite -o dump.db) >out 2>err
test $? -eq 1 || fail "ulimit -f: exit status of a database"
grep -q '^heddle: dump.db: could not be written' err || { fail "ulimit -f: a database"; cat err; }
# one message, with the name that the command line gives
for output in '--save-at 2000 state' '--dump small'; do
	# shellcheck disable=SC2086 # several words
	(ulimit -f 1 && "$heddle" run -q "$netlist" kernelslist.g $output) >out 2>err
	test "$(sed 's/: [^:]*$//' err)" = "heddle: ${output##* }: could not be written" || { fail "ulimit -f: $output"; cat err; }
done
(ulimit -f 1 && "$heddle" dump dump --to csv -o tables) >out 2>err
test "$(sed 's/: [^:]*$//' err)" = 'heddle: tables/inst.csv: could not be written' || { fail "ulimit -f: a folder"; cat err; }
test "$(cat stats dump.text)" = 'old
old' || fail "ulimit -f: an old file was changed"
test ! -e small || fail "ulimit -f: a dump that is not complete has its name"
nothing_unfinished 'ulimit -f'

# ---- a folder where the output has a file: nothing is moved, nothing is lost ----
"$heddle" run -q "$netlist" kernelslist.g --dump some.hdump
for table in inst inst.csv/sub other; do # with another folder in it, the files would be moved one by one
	mkdir -p "tables$table/inst.csv"
	mkdir -p "tables$table/$table"
	echo mine >"tables$table/inst.csv/notes"
	expect 1 'inst.csv: is a folder; expected a file' "$heddle" dump --to csv -o "tables$table" some.hdump
	test "$(cat "tables$table/inst.csv/notes")" = mine || fail "a folder in a folder of outputs: its file is lost"
	test ! -e "tables$table/issue.slot.csv" || fail "a folder in a folder of outputs: half of the tables are there"
	nothing_unfinished "tables$table"
done
expect 1 'is a folder; expected the name of a file' "$heddle" dump --to sqlite -o tablesinst some.hdump

# ---- too few files can be open ----
"$heddle" run -q "$netlist" kernelslist.g --dump few.hdump
for files in 4 5 6 7 8 9 10; do
	(ulimit -n $files && "$heddle" run -q "$netlist" kernelslist.g --stats stats) >out 2>err
	status=$?
	test $status -le 2 || { fail "ulimit -n $files: exit status $status"; cat err; }
	test $status -eq 0 || grep -q 'Too many open files' err || { fail "ulimit -n $files: no message"; cat err; }
	nothing_unfinished "ulimit -n $files"
	(ulimit -n $files && "$heddle" dump --to csv -o tables few.hdump) >out 2>err
	status=$?
	test $status -le 2 || { fail "ulimit -n $files: exit status $status"; cat err; }
	test $status -eq 0 || grep -q 'Too many open files' err || { fail "ulimit -n $files: no message"; cat err; }
	nothing_unfinished "ulimit -n $files: tables"
done
done_testing
