# monitored.sh - runs that wait for a monitor at the socket ./s; after lib.sh
# SPDX-License-Identifier: BSD-2-Clause

mkdir long
cp "$src/traces/matmul/kernel-1.traceg.xz" long/
yes kernel-1.traceg.xz | head -n 20000 >long/kernelslist.g # minutes

# until_true COMMAND...: it succeeds, within a generous time
until_true()
{
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		for _ in 1 2 3 4 5 6 7 8 9 10; do
			"$@" >/dev/null 2>&1 && return
			sleep 0.1
		done
		sleep 2
	done
	fail "never: $*"
}

# begin OPTION... TRACE: a run that waits; its number is $pid
begin()
{
	"$heddle" run -q --monitor s --monitor-wait "$@" 2>run.err &
	pid=$!
	until_true "$heddle" monitor s status
}

# ended STATUS WHAT: the run
ended()
{
	status=0
	wait "$pid" || status=$?
	test "$status" -eq "$1" || { fail "$2: exit status $status of the run"; cat run.err; }
	test ! -e s || fail "$2: the socket is still there"
}
