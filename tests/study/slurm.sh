#!/bin/sh
# slurm.sh - heddle sweep --slurm: which tasks are submitted, with what; points that are killed; and through a
# real Slurm, with tasks that are killed and queued again, the bytes of a local run
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"

cat >study.json <<END
{ "study": 1, "name": "forty", "netlists": ["$src/netlists/volta_sm.json"],
  "set": { "load_store.l1d_latency": { "from": 20, "to": 29, "step": 1 }, "ibuffer.entries": [2, 4] },
  "traces": ["$src/traces/samples/matmul/kernelslist.g", "$src/traces/samples/hist/kernelslist.g"] }
END
sweep()
{
	expect 0 '' "$heddle" sweep study.json -o "$@"
}

# ---- arguments, and a machine without Slurm ----
for other in --status --collect --dry-run --points=1; do
	expect 2 '--slurm: expected no other of' "$heddle" sweep study.json -o far --slurm $other
done
expect 2 '--status: expected no other of' "$heddle" sweep study.json -o far --status --collect
expect 2 '--chunk: expected --slurm as well' "$heddle" sweep study.json -o far --chunk 5
expect 2 "unexpected argument '--time=1'; it is for sbatch, with --slurm" "$heddle" sweep study.json -o far -- --time=1
expect 2 '--jobs and --slurm: expected one of them' "$heddle" sweep study.json -o far --slurm -j 2
expect 2 '--csv and --slurm: expected one of them' "$heddle" sweep study.json -o far --slurm --csv a.csv
expect 2 "--chunk: '0' is not a number from 1" "$heddle" sweep study.json -o far --slurm --chunk 0
mkdir none
expect 1 "sbatch: No such file or directory; expected Slurm's commands in PATH" \
	env PATH="$tmp/none" "$heddle" sweep study.json -o far --slurm
rm -rf far

# ---- what is submitted: a Slurm that notes the arguments, and whose queue is a file ----
mkdir fake
cat >fake/sbatch <<'END'
#!/bin/sh
for word; do echo "$word"; done >"$FAKE/arguments"
cat "$FAKE/answer"
END
cat >fake/squeue <<'END'
#!/bin/sh
cat "$FAKE/queue"
END
chmod +x fake/sbatch fake/squeue
FAKE=$tmp/fake
export FAKE
real=$PATH
PATH=$FAKE:$PATH
echo '12;here' >fake/answer
: >fake/queue
# submitted TEXT ARGUMENT...: what is printed
submitted()
{
	line="forty: $1"
	shift
	rm -f fake/arguments
	sweep far --slurm "$@"
	test "$(cat out)" = "$line" || fail "--slurm $*: printed: $(cat out), expected $line"
}
sweep local
submitted 'job 12: 2 tasks of 20 points'
submitted 'job 12: 8 tasks of 5 points' --chunk 5 -- --partition=large '--comment=two words'
printf '%s\n' --parsable --requeue --open-mode=append --job-name=forty "--output=$(pwd -P)/far/slurm/%A_%a.log" \
	--array=1-8 --partition=large '--comment=two words' far/slurm.sh >expected
cmp -s expected fake/arguments || { fail 'arguments of sbatch:'; cat fake/arguments; }
SLURM_ARRAY_TASK_ID=3 SLURM_CPUS_PER_TASK=2 expect 0 '' sh far/slurm.sh
sweep far --status
test "$(head -n 1 out)" = 'forty: 40 points: 5 finished, 35 not run' || fail "after a task: $(cat out)"
SLURM_ARRAY_TASK_ID=8 expect 0 '' sh far/slurm.sh
submitted 'job 12: 6 tasks of 5 points' --chunk 5
grep -x -e '--array=1-2,4-7' fake/arguments >/dev/null || fail "not the tasks that are missing: $(cat fake/arguments)"
submitted 'job 12: 1 tasks of 100 points' --chunk 100
submitted 'job 12: 11 tasks of 3 points' --chunk 3
SLURM_ARRAY_TASK_ID=14 expect 0 '' sh far/slurm.sh

# tasks in the queue are not submitted again, whatever their length; those that end or are another's do not count
printf '%s\n' '12 1 RUNNING' '12 2 PENDING' '12 4 COMPLETING' '99 13 PENDING' 'junk' '' '12' '12 0 PENDING' \
	'12 9999999 RUNNING' >fake/queue
submitted 'job 12: 5 tasks of 5 points' --chunk 5
grep -x -e '--array=2,4-7' fake/arguments >/dev/null || fail "tasks in the queue: $(cat fake/arguments)"
sweep far --status
printf '%s\n' 'forty: 40 points: 10 finished, 30 not run' 'job 12: 2 tasks running, 1 waiting' \
	'20 points are in no task; --slurm submits them' >expected
cmp -s expected out || { fail 'status:'; cat out; }
printf '12 %s PENDING\n' 1 2 3 4 5 6 7 8 >fake/queue
submitted 'nothing to submit: each point has a result, or is in a task' --chunk 5
test ! -f fake/arguments || fail 'sbatch was called for nothing'
sweep far --slurm --quiet
test ! -s out || fail "--quiet: $(cat out)"

# Slurm's commands fail: what they print is shown, and nothing is noted
echo 'exit 1' >>fake/squeue
expect 1 'squeue failed' "$heddle" sweep study.json -o far --status
expect 1 'squeue failed' "$heddle" sweep study.json -o far --slurm
printf '#!/bin/sh\n' >fake/squeue
printf '#!/bin/sh\necho "invalid partition" >&2\nexit 1\n' >fake/sbatch
cp far/slurm.json noted
expect 1 'invalid partition' "$heddle" sweep study.json -o far --slurm
cmp -s noted far/slurm.json || fail 'a job that is none was noted'
for content in '' '{' '[]' '{"jobs": [1, {}, {"job": "1", "chunk": 0}, {"job": 1, "chunk": 1}]}'; do
	echo "$content" >far/slurm.json
	sweep far --status
done

# what administrators print is not taken for a number; only a number is one
printf '#!/bin/sh\nprintf "%%s\\n" "Welcome to 2 clusters" "" "57;here"\n' >fake/sbatch
submitted 'job 57: 6 tasks of 5 points' --chunk 5
for answer in 'Submitted batch job 58' '58 or so' 'job;here' '' '-58'; do
	cp far/slurm.json noted
	printf '#!/bin/sh\necho "%s"\n' "$answer" >fake/sbatch
	expect 1 "sbatch has printed '$answer'; expected the number of a job as its last line" \
		"$heddle" sweep study.json -o far --slurm
	cmp -s noted far/slurm.json || fail "'$answer' was noted as a job"
done

# names that a shell would take apart; options that a task needs
mkdir "it's \$here"
sed "s/forty/fo'ur ty/" study.json >"it's \$here/a b.json"
printf '#!/bin/sh\necho 3\n' >fake/sbatch
expect 0 'job 3: 2 tasks' "$heddle" sweep "it's \$here/a b.json" -o "it's \$here/far" --slurm --retry --seconds 9.5 \
	--megabytes 4000 --no-plugins
SLURM_ARRAY_TASK_ID=2 expect 0 '' sh "it's \$here/far/slurm.sh"
test "$(ls "it's \$here/far/points" | wc -l)" -eq 20 || fail 'quotes: a task did not run its points'
grep -e ' --retry --seconds 9.5 --megabytes 4000 --no-plugins$' "it's \$here/far/slurm.sh" >/dev/null ||
	fail 'options do not reach the tasks'

# ---- a point that is killed from elsewhere runs again: its task may be the next; twice is a result ----
sed 's/repeat 4 row/repeat 120000 row/; s/+256\*row//' "$src/traces/samples/hasm/loop.hasm" >long.hasm
expect 0 '' "$heddle" trace assemble long.hasm -o long
cat >one.json <<END
{ "study": 1, "netlists": ["$src/netlists/volta_sm.json"], "traces": ["long/kernelslist.g"] }
END
# killed TIMES STATUS
killed()
{
	"$heddle" sweep one.json -o "killed.$1" --quiet &
	sweep=$!
	old=
	left=$1
	while test "$left" -gt 0 && kill -0 $sweep 2>/dev/null; do
		read -r child _ <"/proc/$sweep/task/$sweep/children"
		if test -z "$child" || test "$child" = "$old"; then
			sleep 0.02
			continue
		fi
		kill -KILL "$child"
		old=$child
		left=$((left - 1))
	done
	wait $sweep
	grep "\"status\": *\"$2\"" "killed.$1/points"/*.json >/dev/null || fail "killed $1 times: expected $2"
}
if test -r "/proc/$$/task/$$/children"; then
	killed 1 finished
	killed 2 crashed
fi

# ---- a real one ----
PATH=$real:/usr/sbin:/sbin
for program in slurmctld slurmd sbatch munged; do
	if ! command -v $program >/dev/null; then
		test "$failures" -eq 0 || done_testing
		echo "SKIP: through a real Slurm: there is no $program (Debian's packages slurm-wlm and munge)"
		exit 77
	fi
done
. "$src/tests/study/slurm_here.sh"
at_exit() { slurm_stop; }
if ! slurm_start; then
	fail 'Slurm does not start'
	tail "$tmp"/slurm/log/*
	done_testing
fi
rm -rf far

queue_empty()
{
	squeue -h -r >queue && test ! -s queue
}
running()
{
	squeue -h -r -t RUNNING -o %F_%K >running && test -s running
}

sweep far --slurm --chunk 5
grep 'job [0-9]*: 8 tasks of 5 points' out >/dev/null || fail "submitted: $(cat out)"
until_true running || fail 'no task runs'
# one in the middle goes back into the queue, others are killed, one never runs
task=$(head -n 1 running)
scontrol requeue "$task" 2>/dev/null
scancel $(sed 1d running) "${task%_*}_8"
sweep far --status
until_true queue_empty || { fail 'tasks do not end:'; cat queue; }
sweep far --status
grep 'in no task; --slurm submits them' out >/dev/null || fail "nothing is missing after tasks were killed: $(cat out)"
sweep far --slurm --chunk 5
until_true queue_empty || { fail 'tasks do not end:'; cat queue; }
sweep far --status
printf '%s\n' 'forty: 40 points: 40 finished' 'no task is running or waiting' >expected
cmp -s expected out || { fail 'status in the end:'; cat out "$tmp"/far/slurm/*; }
sweep far --collect
for file in points.json results.sqlite; do
	cmp local/$file far/$file || fail "$file has other bytes than that of a local run"
done

# ---- a list that is split: pieces as tasks, of which some are killed; joined it is the run in sequence of fresh kernels ----
cat >launches.json <<END
{ "cubin": "$src/tests/exec/kernels.fatbin", "buffers": { "a": "65536:rand", "c": "262144" }, "launches": [
$(for i in 1 2 3 4 5 6 7; do echo '{ "kernel": "integers", "grid": '$i', "block": 64, "args": "@a,@c,i32:'$((64 * i))'" },'; done)
{ "kernel": "memory", "grid": 60, "block": 64, "args": "@a,@c,i32:3840" } ] }
END
expect 0 '' "$heddle" trace record --launches launches.json --sm 80 -o launches.hpack
cat >split.json <<END
{ "study": 1, "name": "split", "netlists": ["$src/netlists/rtx_2060.json"], "traces": ["launches.hpack"],
  "split": "kernels", "pieces": 4, "fresh": true }
END
expect 0 'split: job' "$heddle" sweep split.json -o pieces --slurm --chunk 1
grep '4 tasks of 1 points' out >/dev/null || fail "pieces: $(cat out)"
until_true running || fail 'no piece runs'
for process in $(pgrep -f "piece=[0-9]* --results-cache=$tmp/pieces" | head -n 1); do
	kill -9 "$process"
done
until_true queue_empty || { fail 'pieces do not end:'; cat queue; }
expect 0 '' "$heddle" sweep split.json -o pieces --slurm --chunk 1
until_true queue_empty || { fail 'pieces do not end:'; cat queue; }
expect 0 '' "$heddle" sweep split.json -o pieces --collect
expect 0 '' "$heddle" run --quiet --fresh --summary sequential.json "$src/netlists/rtx_2060.json" launches.hpack
sed -n 's/^"statistics": \({.*}\)}$/\1/p' pieces/points/*.json >joined.json
cmp joined.json sequential.json || fail 'pieces of tasks, one of which was killed'

done_testing
