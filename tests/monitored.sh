# monitored.sh - runs that wait for a monitor at the socket ./s; after lib.sh
# SPDX-License-Identifier: BSD-2-Clause

mkdir long
cp "$src/traces/samples/matmul/kernel-1.traceg.xz" long/
yes kernel-1.traceg.xz | head -n 20000 >long/kernelslist.g # minutes

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
