#!/bin/sh
# new_module.sh - heddle new-module: its output builds without a warning and works
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"

HEDDLE=$heddle HEDDLE_CFLAGS="-Werror -I$src/include" TRACES=$src/traces
export HEDDLE HEDDLE_CFLAGS TRACES
for kind in stage unit policy; do
	mkdir "$kind"
	expect 0 "$kind/my_$kind.c" "$heddle" new-module "my_$kind" --kind "$kind" -o "$kind"
	grep -r '@NAME@' "$kind" && fail "$kind: an @NAME@ is left"
	expect 0 "my_$kind: passed" sh "$kind/my_${kind}_test.sh"
	test "$status" -eq 0 || cat out
done
# the module is at work: it has statistics that are not 0
${CC:-cc} -fPIC -shared -I"$src/include" -o my_unit.so unit/my_unit.c
expect 0 '' "$heddle" run -q --plugin my_unit.so --stats s.json unit/my_unit.json \
	"$src/traces/gather/kernelslist.g"
grep -q '"accepted"' s.json || fail "no statistics"

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
expect 2 "unknown kind 'bus'; expected stage, unit or policy" "$heddle" new-module x --kind bus
expect 2 'expected NAME' "$heddle" new-module
expect 2 'unexpected argument' "$heddle" new-module a b
done_testing
