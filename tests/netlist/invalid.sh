#!/bin/sh
# invalid.sh - wrong netlists: the exact messages about each, and exit status 2
# SPDX-License-Identifier: BSD-2-Clause
#
# In the files of tests/invalid/, below a line "==== CASE NAME" is the file NAME of a case: netlist.json, others that it
# names, and `error`, the messages.  A file whose CASE is "*" belongs to all cases that follow.
. "${srcdir:-.}/tests/lib.sh"

for subject in "$src"/tests/invalid/*.txt; do
	awk '/^==== / {
			close(into)
			if ($2 == "*") {
				shared[$3] = into = ""
				name = $3
				next
			}
			if (system("test -d " $2) && !system("mkdir " $2))
				for (name in shared) {
					printf "%s", shared[name] >($2 "/" name)
					close($2 "/" name)
				}
			into = $2 "/" $3
			printf "" >into
			next
		}
		into { print >into }
		!into { shared[name] = shared[name] $0 "\n" }' "$subject"
done

# wrong CASE: of its netlist, `check` and `run` print the same, the latter before it reads the trace
wrong()
{
	status=0
	(cd "$1" && exec "$heddle" check netlist.json) >out 2>err || status=$?
	test "$status" -eq 2 || fail "$1: exit status $status, expected 2"
	test ! -s out || fail "$1: prints something on standard output"
	sed "s|$HEDDLE_DATA_PATH/||g" err >plain # those of the tree's own netlists, which a case extends
	cmp -s plain "$1/error" || { fail "$1:"; diff "$1/error" plain; }
	status=0
	(cd "$1" && exec "$heddle" run -q netlist.json "$src/traces/samples/tiny/kernelslist.g") >out 2>again || status=$?
	test "$status" -eq 2 && cmp -s err again || fail "$1: 'run' differs from 'check'"
}

# no text, and one that ends within a string
mkdir not_text truncated
printf '\177ELF\2\1\1\0\0\0' >not_text/netlist.json
echo "netlist.json:1:1: error: bad JSON: invalid token near '?'" >not_text/error
printf '{ "heddle": 1,\n"' >truncated/netlist.json
echo "netlist.json:2:1: error: bad JSON: premature end of input near '\"'" >truncated/error

n=0
for case in */; do
	n=$((n + 1))
	wrong "${case%/}"
done
# like ones are not left out with --all
try "$heddle" check --all many_alike/netlist.json
test "$(grep -c 'is left open' err)" -eq 32 && ! grep -q ' more of this kind' err || { fail '--all'; cat err; }
test "$n" -ge 100 || fail "only $n cases"
done_testing
