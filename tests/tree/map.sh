#!/bin/sh
# map.sh - docs/architecture.md lists every folder and every source file, with the words of its head
# SPDX-License-Identifier: BSD-2-Clause
#
# The map stands between two comments in that page.  `sh tests/tree/map.sh --write`, in the source,
# rewrites it; a folder is described by hand, a file by the first line of itself.
if test "${1-}" = --write; then
	srcdir=$(dirname "$0")/../..
fi
. "${srcdir:-.}/tests/lib.sh"

page=$src/docs/architecture.md
small=20 # lines; what is shorter need not be listed

# Folders in the order of the map.
folders='include/heddle include/heddle/payload include/heddle/interface kernel kernel/base kernel/netlist
	kernel/record modules tools/cli tools/dump tools/report tools/import tools/monitor tools/trace library examples examples/library examples/ring traces
	tests'

# Source files below a folder, those of the map's other folders left out.
list()
{
	for dir in "$src/$1" $(test "$1" = modules -o "$1" = tests && find "$src/$1"/* -type d | sort); do
		for f in "$dir"/*.[ch] "$dir"/*.cpp "$dir"/*.js "$dir"/*.css "$dir"/*.html "$dir"/*.sh \
			"$dir"/*.py "$dir"/*.am; do
			test -f "$f" && echo "${f#"$src/$1/"}"
		done
	done
}

# "NAME - what it is" in one of the first lines.
head_of()
{
	sed -n -e "1,4s|^.*$(basename "$1") - \(.*\)\$|\1|p" "$src/$1" | sed -e 's| *\*/$||' -e 's| *-->$||' -e 1q
}

# A line of the map for each file of a folder.
lines_of()
{
	for f in $(list "$1"); do
		text=$(head_of "$1/$f")
		if test -n "$text"; then
			echo "* \`$f\`: $text"
		elif test "$(wc -l <"$src/$1/$f")" -ge $small; then
			echo "FAIL: $1/$f: its first line does not say '$(basename "$f") - what it is'" >&2
		fi
	done
}

# The page with the list of files behind each heading "### `FOLDER/`...".
made()
{
	folder=
	in_map=no
	while IFS= read -r line; do
		case $in_map:$line in
		*:'<!-- map begins -->') in_map=yes ;;
		*:'<!-- map ends -->') in_map=no ;;
		yes:'* `'*) continue ;;
		yes:'### `'*)
			folder=${line#*\`}
			folder=${folder%%/\`*} ;;
		yes:'<!-- files -->')
			printf '%s\n' "$line"
			lines_of "$folder"
			continue ;;
		esac
		printf '%s\n' "$line"
	done <"$page"
}

made >page 2>wrong
if test "${1-}" = --write; then
	cp page "$page"
	cat wrong >&2
	done_testing
fi
cat wrong
test ! -s wrong || fail 'files without a first line that describes them'
cmp -s page "$page" || {
	diff "$page" page
	fail 'docs/architecture.md differs from the tree; tests/tree/map.sh --write rewrites its lists'
}
for f in $folders; do
	grep -q "^### \`$f/\`" "$page" || fail "docs/architecture.md has no heading for $f/"
done
# every folder with sources is in the map
find "$src/include" "$src/kernel" "$src/modules" "$src/library" "$src/tools" "$src/tests" "$src/traces" "$src/examples" \
	-name '*.[ch]' | while read -r f; do
	dirname "${f#"$src"/}"
done | sort -u >have
while read -r d; do
	grep -qF "### \`$d/\`" "$page" && continue
	case $d in modules/* | tests/* | tools/cli/skeletons) continue ;; esac
	fail "docs/architecture.md has no heading for $d/"
done <have
# top-level folders and files
for f in "$src"/*/; do
	test -n "$(ls "$f")" || continue
	f=$(basename "$f")
	case $f in build* | _build | _inst | autom4te.cache | heddle-*) continue ;; esac
	grep -q "^| \`$f/\`" "$page" || fail "the table of docs/architecture.md has no line for $f/"
done
done_testing
