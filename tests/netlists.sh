# netlists.sh - how netlists compare: copies in ./cores of those that are shipped, two.json of two SMs; after lib.sh
# SPDX-License-Identifier: BSD-2-Clause
cp -R "$src/netlists" cores
volta=cores/volta_sm.json
trace=$src/traces/samples/reduce/kernelslist.g
tiny=$src/traces/samples/tiny/kernelslist.g

# run FILE NETLIST [OPTION...]: statistics to FILE
run()
{
	to=$1
	netlist=$2
	shift 2
	try "$heddle" run -q --stats "$to" "$@" "$netlist" "$trace"
	test "$status" -eq 0 || { fail "run $netlist $*: exit status $status"; cat err; }
}

# same A B: they describe the same simulation
same()
{
	expect 0 'describe the same simulation' "$heddle" diff "$1" "$2"
}

# differ A B [OPTION]: standard input is the output of diff
differ()
{
	cat >expected
	expect 1 '' "$heddle" diff "$@"
	cmp -s out expected || { fail "diff $*:"; diff expected out; }
}

# cycles A B: netlists take the same time
cycles()
{
	run a.json "$1"
	run b.json "$2"
	test "$(figure a.json cycles)" = "$(figure b.json cycles)" || fail "$1 and $2 differ in cycles"
}
cat >two.json <<'END'
{ "heddle": 1, "name": "two", "clocks": { "core": { "mhz": 1132 } },
  "instances": { "sm": { "netlist": "cores/volta_sm.json", "count": 2, "clocks": { "core": "core" } } } }
END
