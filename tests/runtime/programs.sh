#!/bin/sh
# programs.sh - programs through heddle's CUDA runtime: what they get, what is recorded, and how they may end
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"

fatbin=$src/tests/runtime/kernels.fatbin
# The program itself, which finds no library but by the command; and the one that finds that of the build.
program=$build/tests/runtime/.libs/program
test -x "$program" || program=$build/tests/runtime/program
mkdir made

# left [NAME...]: these are in the folder of the outputs, and nothing else
left()
{
	ls -A made >found
	for name; do echo "$name"; done | cmp -s - found || { fail "expected in the folder: '$*', found:"; cat found; }
	rm -rf made/*
}

# kernels N FILE: so many are in the trace
kernels()
{
	expect 0 "$1 kernel" "$heddle" trace info "$2"
	test "$(grep -c '^kernel ' out)" -eq "$1" || fail "$2 has other kernels"
}

# ---- every chapter of the library, alone and recorded ----
expect 0 'cudaMallocMipmappedArray: not supported' "$build/tests/runtime/program" "$fatbin" all
test "$(grep -c cudaMallocMipmappedArray err)" -eq 1 || fail 'what is not there is printed more than once'
grep -q "kernel 'add', pc .*4 bytes at 0x1000" err || fail 'no words about an illegal address'
grep -q "assertion" err || fail 'no words about an assertion'
grep '^FAIL' out && fail all

# ---- the driver library ----
driver=$build/tests/runtime/.libs/driver
test -x "$driver" || driver=$build/tests/runtime/driver
expect 0 'PTX is not compiled here' "$heddle" trace record -o made/driver.hpack -- "$driver" "$fatbin"
grep '^FAIL' out && fail driver
kernels 2 made/driver.hpack
left driver.hpack
expect 0 'a tensor map has another form; expected rows of the box' "$heddle" trace record --gpu h100 -o made/tensor.hpack -- \
	"$driver" tensor "$src/traces/samples/cuda/gemm.cubin"
grep '^FAIL' out && fail 'driver: tensor maps'
kernels 1 made/tensor.hpack
left tensor.hpack

# ---- what is recorded ----
expect 0 '' "$heddle" trace record -o made/three.hpack -- "$program" "$fatbin" 3
cp made/three.hpack .
left three.hpack
kernels 3 three.hpack
expect 0 '' "$heddle" trace record -o again.hpack -- "$program" "$fatbin" 3
cmp three.hpack again.hpack || fail 'two recordings differ'
expect 0 '' "$heddle" trace record --text -o folder -- "$program" "$fatbin" 3
expect 0 '' "$heddle" trace record --text -o folder -- "$program" "$fatbin" 2
ls folder >found
printf 'kernel-%s\n' 1.sass.json 1.traceg 2.sass.json 2.traceg | sed '$akernelslist.g' | cmp -s - found ||
	{ fail 'the folder has:'; cat found; }
expect 0 '' "$heddle" trace print -o text.hasm folder/kernelslist.g
expect 0 '' "$heddle" trace record -o two.hpack -- "$program" "$fatbin" 2
expect 0 '' "$heddle" run -q --stats packed.json a100_sm.json two.hpack
expect 0 '' "$heddle" trace print -o packed.hasm two.hpack
cmp text.hasm packed.hasm || fail 'texts and a packed trace differ'
expect 0 '' "$heddle" trace record --kernel 2-3 -o some.hpack -- "$program" "$fatbin" 5
kernels 2 some.hpack
expect 0 'launched 5 kernels; --kernel says 4-9' "$heddle" trace record --kernel 4-9 -o some.hpack -- "$program" "$fatbin" 5
kernels 2 some.hpack
expect 1 'launched 5 kernels; expected 7 or more' "$heddle" trace record --kernel 7- -o made/x -- "$program" "$fatbin" 5
left
expect 0 'hello 0' "$heddle" trace record -o made/hello -- "$program" "$fatbin" hello
left hello

# ---- ends: the trace is whole or not there ----
ends()
{
	want=$1 text=$2
	shift 2
	echo old >made/trace
	expect "$want" "$text" "$heddle" trace record -o made/trace -- "$program" "$fatbin" "$@"
	grep -q '^old' made/trace && kept=1 || kept=
	left trace
}
ends 3 'ended with exit status 3' 2 exit3
test -z "$kept" || fail 'nothing is recorded of a program that fails at its end'
ends 0 '' 2 quick_exit
test -z "$kept" || fail 'nothing is recorded before quick_exit()'
ends 0 '' 2 forks 1
test -z "$kept" || fail 'nothing is recorded of a program that forks'
ends 0 'launch 2 failed: the trace ends before it' 1 fault
test -z "$kept" || fail 'nothing is recorded before a fault'
ends 1 'nothing is recorded' fault
ends 1 'did not end by exit()' 2 _exit
test -n "$kept" || fail 'the trace of a program that did not end is kept'
ends 134 'was ended by signal 6' 2 abort
test -n "$kept" || fail 'the trace of a program that was aborted is kept'
ends 137 'was ended by signal 9' 2 kill
test -n "$kept" || fail 'the trace of a program that was killed is kept'
expect 137 "did not use heddle's CUDA runtime, or launched nothing before it ended; expected a program that was built" \
	"$heddle" trace record -o made/none -- sh -c 'kill -9 $$'
ends 0 'the trace ends before it' all
test -z "$kept" || fail 'nothing is recorded of all chapters'

# No trace is left if it cannot be written, whatever the program makes of that.
for text in '' --text; do
	test -n "$text" && mkdir made/old || echo old >made/old
	# shellcheck disable=SC2016,SC2086 # expanded there; none or one
	expect 1 'could not be written: File too large' "$heddle" trace record $text -o made/old -- \
		sh -c 'trap "" XFSZ; ulimit -f 1; "$@" || :' sh "$program" "$fatbin" 100
	grep -q 'the trace ends before it' err && fail 'a trace without its end'
	rmdir made/old 2>/dev/null || grep -q '^old' made/old && rm -f made/old || fail 'the older trace is replaced'
	left
done

# The command is ended: so is the program, and the command takes away what there was.
"$heddle" trace record -o made/x -- "$program" "$fatbin" 1 sleep &
command=$!
until_true sh -c 'ls made/*.d/process'
kill -TERM $command
status=0
wait $command || status=$?
test $status -eq 143 || fail "exit status $status after SIGTERM"
left
"$heddle" trace record -o made/x -- sh -c 'echo $$ >pid; exec "$@"' sh "$program" "$fatbin" 1 sleep &
command=$!
until_true sh -c 'ls made/*.d/process'
kill -KILL $command
wait $command
until_true sh -c '! kill -0 "$(cat pid)"'
test ! -e made/x || fail 'there is a trace after SIGKILL'
rm -rf made/*

# ---- several processes: the first one ----
expect 0 'another process of the program is recorded' "$heddle" trace record -o made/x -- \
	sh -c '"$@" 2 && "$@" 3' sh "$program" "$fatbin"
kernels 2 made/x

# ---- mistakes ----
rm -rf made/*
expect 1 'ended with exit status 3' "$heddle" run -q a100_sm.json -- "$program" "$fatbin" 2 exit3
expect 1 "did not use heddle's CUDA runtime" "$heddle" trace record -o made/x -- true
expect 1 'cannot be run: No such file' "$heddle" trace record -o made/x -- ./missing
expect 2 'expected -- PROGRAM' "$heddle" trace record -o made/x "$program"
expect 2 'expected -o' "$heddle" trace record -- "$program"
expect 2 '--kernel is for what is recorded; expected -o' "$heddle" trace record --check-program --kernel 1 -- "$program"
expect 2 "there is no GPU 'a1'; expected one of a100, " "$heddle" trace record --gpu a1 -o made/x -- "$program"
expect 2 'expected no --cubin' "$heddle" trace record --cubin a -o made/x -- "$program"
expect 2 'is a folder' "$heddle" trace record -o made -- "$program" "$fatbin" 1
expect 2 'is not a file' "$heddle" trace record -o /dev/null -- "$program" "$fatbin" 1
expect 1 "-arch=sm_90, or name another GPU" "$heddle" trace record --gpu h100 -o made/x -- "$program" "$fatbin" 1
left

# ---- heddle run ----
mkdir temporary
TMPDIR=$tmp/temporary
export TMPDIR
expect 0 '' "$heddle" run -q --stats run.json a100_sm.json -- "$program" "$fatbin" 2
cmp run.json packed.json || fail 'a program and its trace give other statistics'

# same WORDS OPTION...: the results are those of a trace that was recorded before, as --keep-going has it
same()
{
	words=$1
	shift
	# shellcheck disable=SC2086 # several words
	expect 0 '' "$heddle" run -q --stats parts.json --dump parts.dump "$@" -- "$program" "$fatbin" $words
	# shellcheck disable=SC2086
	expect 0 '' "$heddle" run -q --stats whole.json --dump whole.dump --keep-going "$@" -- "$program" "$fatbin" $words
	cmp parts.json whole.json || fail "$* ($words): other statistics than of the whole trace"
	cmp parts.dump whole.dump || fail "$* ($words): another dump than of the whole trace"
}
same 4 a100_sm.json
same 4 a100_sm.json --kernel 2-3
same 4 a100_sm.json --skip-kernels 2
same 4 a100_sm.json --max-cycles 2000
same 3 --set trace.control=synthesised a100_sm.json
same 3 lecture_sm.json # its kernels are read twice
same 70 a100_sm.json   # more than may wait
# Parts of a kernel: no file is as large as its trace.
"$heddle" trace record -o many.hpack -- "$program" "$fatbin" many
# shellcheck disable=SC2016 # expanded there
expect 0 '' sh -c 'ulimit -f 18000 && exec "$@"' sh "$heddle" run -q --stats parts.json a100_sm.json -- "$program" "$fatbin" many
expect 0 '' "$heddle" run -q --stats whole.json a100_sm.json many.hpack
cmp parts.json whole.json || fail 'a kernel in parts has other statistics'
# shellcheck disable=SC2016
expect 153 'File size limit exceeded' sh -c 'ulimit -f 18000; "$@"' sh \
	"$heddle" trace record -o made/x -- "$program" "$fatbin" many
expect 0 '' "$heddle" run -q --stats parts.json --set trace.control=synthesised a100_sm.json -- "$program" "$fatbin" many
expect 0 '' "$heddle" run -q --stats whole.json --set trace.control=synthesised a100_sm.json many.hpack
cmp parts.json whole.json || fail 'a kernel in parts that is read twice has other statistics'
# Kernels side by side.
side="rtx_2060.json --set dispatcher.concurrent=true"
# shellcheck disable=SC2086
for options in '' '--threads 2' '--lockstep'; do
	expect 0 'launch 7 failed' "$heddle" run -q --stats parts.json $options $side -- "$program" "$fatbin" 5 many fault
done
"$heddle" trace record -o side.hpack -- "$program" "$fatbin" 5 many fault 2>/dev/null
# shellcheck disable=SC2086
expect 0 'code of binary version' "$heddle" run -q --stats whole.json $side side.hpack
cmp parts.json whole.json || fail 'kernels side by side have other statistics'

# ran LEFT STATUS TEXT WORDS...: so many kernels are simulated of a program that ends like that
ran()
{
	left=$1 want=$2 text=$3
	shift 3
	expect "$want" "$text" "$heddle" run --per-kernel a100_sm.json -- "$program" "$fatbin" "$@"
	test "$(grep -c "^ *[0-9][0-9]* .* add$" out)" -eq "$left" || { fail "$*: expected $left kernels"; cat out; }
}
ran 2 1 'ended with exit status 3' 2 exit3
ran 2 0 '' 2 _exit
ran 2 1 'was ended by signal 6' 2 abort
ran 2 1 'was ended by signal 9' 2 kill
ran 1 0 'launch 2 failed' 1 fault
ran 3 0 '' 2 forks 1
ran 2 0 'the launch failed: of the 31250 thread blocks of its grid, the first ' 1 too_many
expect 1 'more than 100 warp instructions, the limit' "$heddle" run -q --limit 100 a100_sm.json -- "$program" "$fatbin" 2
expect 1 'more than 100 warp instructions, the limit' "$heddle" trace record --limit 100 -o made/x -- "$program" "$fatbin" 2
expect 0 '' "$heddle" run -q --check-program --findings none.json a100_sm.json -- "$program" "$fatbin" 2
test -s none.json || fail 'no file of findings'
# Time between events is that of the simulation, whose core has 1,410 MHz: in ns, rounded.
expect 0 '' "$heddle" run -q --stats time.json --simulated-time a100_sm.json -- "$program" "$fatbin" time
# shellcheck disable=SC2046 # two numbers each
set -- $(cat out) $(stats '" ".join(str(int(k["cycles"] / 1.41)) for k in s["kernels"])' time.json)
test $(($1 - $3)) -ge -1 -a $(($1 - $3)) -le 1 -a $(($2 - $4)) -ge -1 -a $(($2 - $4)) -le 1 ||
	fail "the program measures '$1 $2' ns, the kernels take '$3 $4'"
# shellcheck disable=SC2086
expect 2 '--simulated-time expects kernels that run one after another' "$heddle" run -q --simulated-time $side -- \
	"$program" "$fatbin" time
expect 2 '--simulated-time and --keep-going' "$heddle" run --simulated-time --keep-going a100_sm.json -- "$program" "$fatbin" time
# Without a trace.
rm -f none.json
expect 0 '' "$heddle" trace record --check-program --findings none.json -- "$program" "$fatbin" 2
test -s none.json || fail 'no file of findings without a trace'
expect 1 'out of bounds' "$heddle" trace record --check-program -- "$program" "$fatbin" 1 fault
expect 3 'ended with exit status 3' "$heddle" trace record --check-program -- "$program" "$fatbin" 1 exit3
expect 1 'nothing is checked' "$heddle" trace record --check-program -- true
expect 1 'nothing is checked' "$heddle" trace record --check-program -- "$program" "$fatbin" 1 _exit
# The simulation ends before the program, and ends it: also one that a script has started.
expect 0 'was ended, for its simulation does not go on' "$heddle" run -q --max-cycles 100 a100_sm.json -- \
	sh -c 'echo $$ >pid; "$@"; true' sh "$program" "$fatbin" 2 sleep
kill -0 "$(cat pid)" 2>/dev/null && fail 'the program goes on'
"$heddle" run -q --stats ended.json a100_sm.json -- "$program" "$fatbin" 2 sleep 2>/dev/null &
command=$!
until_true sh -c 'ls temporary/*/process'
kill -INT $command
status=0
wait $command || status=$?
test $status -eq 1 -o $status -eq 130 || fail "exit status $status after SIGINT"
# What is not foreseen cannot be done again.
expect 1 'expected --lockstep' "$heddle" run -q --stats no.json --set dispatcher.store_latency=100000 rtx_2060.json -- \
	"$program" "$fatbin" 70
test ! -e no.json || fail 'statistics of half a run'
expect 0 "$program on a100_sm: finished" "$heddle" run a100_sm.json --kernel 2 -- "$program" "$fatbin" 2
expect 2 'missing.json' "$heddle" run missing.json -- touch executed
test ! -e executed || fail 'the program is executed before the netlist is read'
expect 1 "did not use heddle's CUDA runtime" "$heddle" run -q --stats no.json a100_sm.json -- true
test ! -e no.json || fail 'statistics without a trace'
expect 2 '--sandbox and a program' "$heddle" run --sandbox a100_sm.json -- "$program" "$fatbin" 2
expect 2 '--gpu needs' "$heddle" run --gpu a100 a100_sm.json two.hpack
expect 0 '' "$heddle" run -q -- a100_sm.json two.hpack
test -z "$(ls temporary)" || fail 'something is left in the temporary folder'

# ---- random moments ----
if command -v python3 >/dev/null; then
	python3 "$src/tests/program/kills.py" "${HEDDLE_KILLS:-3}" "${HEDDLE_SEED:-$$}" killed.hpack -- \
		"$heddle" trace record -o killed.hpack -- "$program" "$fatbin" 400 || fail kills
fi
done_testing
