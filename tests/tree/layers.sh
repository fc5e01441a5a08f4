#!/bin/sh
# layers.sh - each folder includes only what it may
# SPDX-License-Identifier: BSD-2-Clause
#
# docs/architecture.md explains why.  A line of the table: a folder, then what its files may include
# beside headers of their own folder: folders, or single headers.
. "${srcdir:-.}/tests/lib.sh"

cat >table <<'END'
kernel/base
kernel/netlist kernel/base
kernel kernel/base kernel/netlist/netlist.h
kernel/record kernel/base kernel/sim.h kernel/stats/stats.h
tools/dump kernel/base dump/dump_format.h
tools/import kernel/base kernel/netlist/netlist.h
tools/graph kernel/base kernel/sim.h
tools/monitor kernel/base kernel/sim.h kernel/stats/stats.h kernel/stats/deadlock.h tools/graph
tools/report kernel/base tools/dump tools/graph
tools/web kernel/base tools/monitor
library kernel/base kernel/sim.h kernel/stats/stats.h kernel/check/lint.h kernel/save/save.h kernel/flatten.h
tools/accel kernel/base kernel/netlist/netlist.h kernel/sim.h kernel/stats/stats.h tools/import/import.h
tools/study kernel/base kernel/netlist kernel/netlist/netlist.h kernel/sim.h kernel/registry.h kernel/flatten.h
tools/trace kernel/base kernel/netlist/netlist.h kernel/sim.h
tools/cli kernel/base kernel/netlist kernel kernel/record tools/dump tools/report tools/import tools/monitor tools/study tools/trace tools/graph
END

# ---- folders ----
while read -r folder may; do
	set -- "$src/$folder"/*.[ch]
	test -f "$1" || fail "the table names a folder '$folder' without sources"
	for f; do
		sed -n 's/^#include "\(.*\)"/\1/p' "$f" >includes
		while read -r h; do
			case $h in
			*/*) ;;
			*)	test -f "$src/$folder/$h" ||
					fail "${f#"$src"/} includes \"$h\", which is not in its folder"
				continue ;;
			esac
			allowed=no
			for one in $may; do
				case $h in
				"$one" | "$one"/*)
					# a folder stands for its own headers, not for those of folders in it
					rest=${h#"$one"}
					case ${rest#/} in */*) ;; *) allowed=yes ;; esac ;;
				esac
			done
			test $allowed = yes || fail "${f#"$src"/} includes \"$h\"; $folder may include: $may"
		done <includes
	done
done <table
for f in "$src"/kernel/*.[ch] "$src"/kernel/*/*.[ch] "$src"/library/*.[ch] "$src"/tools/*/*.[ch]; do
	folder=${f#"$src"/}
	echo "${folder%/*}"
done | sort -u >folders
while read -r folder; do
	grep -q "^$folder\( \|\$\)" table || fail "the table lacks the folder '$folder'"
done <folders
# No circle: each folder named in a line has a line above.
awk '{ for (i = 2; i <= NF; i++) { d = $i; sub("/[^/]*\\.h$", "", d); if (!(d in above)) {
	print "FAIL: " $1 " may include " d ", which may include it: a circle"; bad = 1 } }
	above[$1] = 1 } END { exit bad }' table || fail 'the table has a circle'

# ---- the event kernel is of no particular machine ----
set -- "$src"/kernel/*.[ch] "$src"/kernel/*/*.[ch] "$src"/include/heddle/*.h
grep -HnE '#include.*(payload|interface)/' "$@" && fail "a file of the event kernel includes that"
grep -HniwE 'warps?|ctas?|scoreboards?|sass|opcodes?|gpus?' "$@" &&
	fail "a file of the event kernel, or its contract, names that"
# ---- modules: <heddle/...>, libraries, and headers in the folder of their own name, or of its
# first word: shared by a family of modules ----
for f in "$src"/modules/*.c; do
	own=$(basename "$f" .c)
	test -d "$src/modules/$own" || own=${own%%_*}
	grep -Hn '#include "' "$f" | grep -v "#include \"$own/" &&
		fail "modules/$(basename "$f") includes a header of others"
done
for f in "$src"/modules/*/*.[ch]; do
	own=$(basename "$(dirname "$f")")
	grep -Hn '#include "' "$f" | grep -v "#include \"[a-z_]*\.h\"" &&
		fail "modules/$own/$(basename "$f") includes a header of others"
	for h in $(sed -n 's/^#include "\(.*\)"/\1/p' "$f"); do
		test -f "$(dirname "$f")/$h" || fail "$f includes \"$h\" of another folder"
	done
done
set -- "$src"/modules/*.c "$src"/modules/*/*.[ch]
grep -HnE '#include <heddle/' "$@" | grep -vE '<heddle/(bits|module|(payload|interface)/[a-z_]+)\.h>' &&
	fail "a module includes what is not for modules"
grep -HnE '#include <(netlist|sim|diag|scope|cmd|xalloc)' "$@" && fail "a module includes kernel headers"
# ---- payloads include payloads only ----
for f in "$src"/include/heddle/payload/*.h; do
	grep -Hn '#include' "$f" |
		grep -vE '<(heddle/(module|payload/[a-z_]+)|stdint|stddef|stdbool|string)\.h>' &&
		fail "a payload header includes that"
done

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
# No circle of files in a folder: who calls functions of another file is not called by it.
for folder in kernel kernel/base kernel/record library tools/accel tools/cli tools/dump tools/graph tools/import tools/report tools/study tools/trace; do
	objects=$(find "$build/$folder" -name '*.o' ! -path "$build/$folder/[a-z]*/*" ! -name 'tests_*')
	test -n "$objects" || { fail "no objects in $build/$folder"; continue; }
	nm -gA $objects | awk -F: '{
		n = split($1, path, "/"); file = path[n]; n = split($2, word, " ")
		if (word[n - 1] == "U") user[file " " word[n]] = 1; else of[word[n]] = file }
		END { for (u in user) { split(u, pair, " ")
			if (pair[2] in of && of[pair[2]] != pair[1]) print pair[1], of[pair[2]] } }' >calls
	test -s calls || fail "$folder: no file calls another"
	tsort calls >/dev/null 2>loop || { fail "$folder: files that call each other:"; cat loop; }
done
# what the program gives to plug-ins is the contract's
nm -D --defined-only "$heddle" >symbols || fail "nm -D heddle"
for f in hd_error hd_fail hd_warn hd_report_pending hd_pool hd_symbol hd_finish hd_gate hd_row hd__emit; do
	grep -q " $f\$" symbols || fail "plug-ins would miss '$f' in the program"
done
done_testing
