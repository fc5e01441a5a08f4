#!/bin/sh
# new_module.sh - heddle new-module: its output builds without a warning and works
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"

HEDDLE=$heddle HEDDLE_CFLAGS="-Werror -I$src/include" TRACES=$src/traces/samples
export HEDDLE HEDDLE_CFLAGS TRACES
for kind in stage unit pipeline memory atomic policy; do
	mkdir "$kind"
	expect 0 "$kind/my_$kind.c" "$heddle" new-module "my_$kind" --kind "$kind" -o "$kind"
	grep -r '@NAME@' "$kind" && fail "$kind: an @NAME@ is left"
	expect 0 "my_$kind: passed" sh "$kind/my_${kind}_test.sh"
	test "$status" -eq 0 || cat out
done
# without an installation: what is missing, and where it is described
missing() # VARIABLE
{
	expect 2 "pkg-config finds no installed heddle; expected $1, see the head of this file" \
		env -u "$1" PKG_CONFIG_LIBDIR=/nowhere PKG_CONFIG_PATH= sh unit/my_unit_test.sh
}
sed -n '/^# Without/p' unit/my_unit_test.sh | grep -q 'HEDDLE=.*HEDDLE_CFLAGS=.*TRACES=' || fail "the head of my_unit_test.sh"
missing HEDDLE_CFLAGS
missing TRACES
expect 2 "there is no program '/nowhere/heddle'; expected HEDDLE" env HEDDLE=/nowhere/heddle sh unit/my_unit_test.sh
expect 2 "'/nowhere' is not a folder of traces; expected TRACES" env TRACES=/nowhere sh unit/my_unit_test.sh
# at_work KIND STATISTIC TRACE: the module does what it is for, a dump follows it, and so does a checkpoint
at_work()
{
	plugin=./my_$1.so
	input=$src/traces/samples/$3/kernelslist.g
	plug_in "$1/my_$1.c" "$plugin"
	expect 0 '' "$heddle" run -q --plugin "$plugin" --stats s.json "$1/my_$1.json" "$input"
	awk -v name="\"$2\":" 'index($0, "\"module\": \"my_") { mine = 1 } mine && $1 == name { print $2 + 0; exit }' \
		s.json >figure
	test "$(cat figure)" -gt 0 || { fail "$1: no $2"; cat figure; }
	expect 0 '' "$heddle" run -q --plugin "$plugin" --stats dumped.json --dump d.hdump "$1/my_$1.json" "$input"
	cmp s.json dumped.json || fail "$1: a dump changes the statistics"
	expect 0 '' "$heddle" dump --stalls d.hdump
	expect 0 '' "$heddle" run -q --plugin "$plugin" --stats saved.json --save-at 2000 state "$1/my_$1.json" "$input"
	expect 0 '' "$heddle" run -q --plugin "$plugin" --stats loaded.json --load state "$1/my_$1.json" "$input"
	cmp s.json loaded.json || fail "$1: what is loaded goes on in another way"
	expect 0 ' 0 failures' "$heddle" check-module "$plugin"
}
# on cores with fences, barriers, asynchronous copies, atomics, several kernels, and slots that are used again
expect 0 '' "$heddle" trace assemble "$src/traces/samples/hasm/everything.hasm" -o everything
# in_core KIND NAME NETLIST MEMBERS
in_core()
{
	printf '{ "heddle": 1, "name": "%s", "extends": "%s", %s }\n' "$2" "$3" "$4" >"$2.json"
	expect 0 '' "$heddle" run -q --plugin "./my_$1.so" --stats a.json "$2.json" everything/kernelslist.g
	for how in --check-modules --no-sleep '--shuffle 3' '--dump d.hdump'; do
		# shellcheck disable=SC2086
		expect 0 '' "$heddle" run -q --plugin "./my_$1.so" --stats b.json $how "$2.json" everything/kernelslist.g
		cmp a.json b.json || fail "$2, $how: other statistics"
	done
}
at_work stage passed gather
at_work unit accepted gather
at_work pipeline accepted gather
at_work memory loads gather
at_work atomic passes hist
at_work policy chosen gather
for core in volta_sm ampere_sm turing_sm; do
	in_core policy "policy_$core" "$src/netlists/$core.json" '"set": { "scheduler[*].module": "my_policy" }'
done
in_core policy policy_a100 "$src/netlists/a100_sm.json" '"remove": { "links": [{ "from": "scheduler[*].warps" }] },
	"set": { "scheduler[*].module": "my_policy" }'
for kind in stage unit pipeline atomic policy; do
	in_core $kind "all_$kind" "$kind/my_$kind.json" '"doc": "with everything"'
done

expect 0 './second.c' "$heddle" new-module second
test -f second.c && test -f second.json && test -x second_test.sh || fail "files in the folder"
cp second.c before
expect 1 './second.c: File exists' "$heddle" new-module second
cmp second.c before || fail "new-module overwrote a file"
expect 0 'deep/er/deepest.c' "$heddle" new-module deepest -o deep/er
: >file
expect 1 'file/in: Not a directory' "$heddle" new-module third -o file/in
expect 2 "'a-b' cannot name a module" "$heddle" new-module a-b
expect 2 "module 'cache' is built in" "$heddle" new-module cache
expect 2 "unknown kind 'bus'; expected stage, unit, pipeline, memory, atomic or policy" "$heddle" new-module x --kind bus
expect 2 'expected NAME' "$heddle" new-module
# --help lists them all, on a screen
expect 0 '' "$heddle" new-module --help
sed -n '/^Kinds:/,/^$/s/^  \([a-z]*\)  .*/\1/p' out >listed
printf '%s\n' stage unit pipeline memory atomic policy | cmp - listed || { fail "--help"; cat out; }
test "$(wc -l <out)" -le 24 || fail "--help does not fit a screen"
expect 2 'unexpected argument' "$heddle" new-module a b
done_testing
