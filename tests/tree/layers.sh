#!/bin/sh
# layers.sh - each room includes only what it may, and exports only what it should
# SPDX-License-Identifier: BSD-2-Clause
#
# layers.py has the table of the rooms; docs/architecture.md explains them.
. "${srcdir:-.}/tests/lib.sh"
needs python3

python3 "$src/tests/tree/layers.py" "$src" "$build" >found || { fail 'rooms:'; cat found; }

# ---- it sees what it is for ----
mkdir -p tree/base tree/dump tree/kernel/netlist tree/build/base
printf '#include "dump/b.h"\n' >tree/base/a.c
printf '#include "base/c.h"\n#include "missing.h"\n' >tree/dump/a.c
printf 'int f(void); int g(void) { return f(); }\n' >tree/one.c
printf 'int g(void); int f(void) { return g(); }\n' >tree/two.c
touch tree/base/one.c tree/base/two.c
${CC:-cc} -c -o tree/build/base/one.o tree/one.c && ${CC:-cc} -c -o tree/build/base/two.o tree/two.c
python3 "$src/tests/tree/layers.py" tree tree/build >found && fail 'layers.py finds nothing in a wrong tree'
for text in 'base/a.c includes "dump/b.h"' 'dump/a.c includes "missing.h"' 'files named a stand in several rooms' \
	'base: files that call each other: one.o calls f() of, two.o calls g() of one.o'; do
	grep -qF "$text" found || { fail "layers.py does not find: $text"; cat found; }
done

# ---- the event kernel is of no particular machine ----
set -- "$src"/kernel/*.[ch] "$src"/kernel/*/*.[ch] "$src"/include/heddle/*.h
grep -HniwE 'warps?|ctas?|scoreboards?|sass|opcodes?|gpus?' "$@" &&
	fail "a file of the event kernel, or its contract, names that"
# ---- symbols ----
# A module is one constant: its file defines hd_module_NAME, with helpers hd__... in its folder.
objects=$(find "$build/modules" -name '*.o' -path '*.libs*' | sort)
test -n "$objects" || objects=$(find "$build/modules" -name '*.o' | sort)
test -n "$objects" || fail "no objects of modules in $build/modules"
grep -q enable-sanitizers "$build/config.log" 2>/dev/null && sanitizers=yes || sanitizers=no
for o in $objects; do
	name=${o##*/}
	name=${name%.o}
	name=${name#libmodules_la-}
	case ${o#"$build/modules/"} in [a-z]*/*) sub_folder=1 ;; *) sub_folder=0 ;; esac
	narrow=no
	case $name in
	libwarps128_la-*) # the second build of the same source
		name=${name#libwarps128_la-}_128
		nm -u "$o" | awk '/ hd__/ { print $2 }' >>wide_calls ;;
	*) narrow=yes ;;
	esac
	nm -g --defined-only "$o" >symbols || fail "nm $o"
	test $narrow = no || awk '/ hd__/ { print $3 }' symbols >>narrow_has
	awk -v name="$name" -v sub_folder=$sub_folder '
		/^$/ || /__odr_asan/ { next }
		$3 ~ /^hd__[a-z0-9_]+$/ && (sub_folder > 0 || name == "builtin") { next }
		$3 == "hd_module_" name && sub_folder == 0 { found = 1; next }
		{ print "  " $3; bad = 1 }
		END { exit bad || (sub_folder == 0 && name != "builtin" && !found) }' symbols ||
		fail "$name.o exports other than 'hd_module_$name'"
	# data that changes would be shared by instances and simulations
	test $sanitizers = no || continue # they put their own tables there
	nm -f sysv "$o" | awk -F'|' '{ gsub(/ /, "") }
		$7 ~ /^(\.data|\.bss|\.data\.rel|\.data\.rel\.local|\*COM\*)$/ { print "  " $1 }' >mutable
	test ! -s mutable || { fail "$name.o has data that can change:"; cat mutable; }
done
sort -u wide_calls >calls
sort -u narrow_has | comm -12 calls - >mixed
test ! -s mixed || { fail 'built for 128 warps, these are called that are built for 64:'; cat mixed; }
for o in $(find "$build/kernel" -name '*.o' -path '*.libs*'); do
	nm -g --defined-only "$o" | awk '$3 !~ /^hd__?[a-z0-9_]+$/ && $3 !~ /^__(asan|odr)/ && $3 != "main" \
		&& !/^$/ && $3 !~ /^argp_/ {
		print "  " $3; bad = 1 } END { exit bad }' || fail "$o exports other names than hd_..."
done
# what the program gives to plug-ins is the contract's
nm -D --defined-only "$heddle" >symbols || fail "nm -D heddle"
for f in hd_error hd_fail hd_warn hd_report_pending hd_pool hd_symbol hd_finish hd_gate hd_row hd__emit; do
	grep -q " $f\$" symbols || fail "plug-ins would miss '$f' in the program"
done
done_testing
