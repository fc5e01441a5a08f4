#!/bin/sh
# cites.sh - citations exist: documents, their sections, rules, links, files
# SPDX-License-Identifier: BSD-2-Clause
#
# A document is cited by its path from the top, a section or rule as `docs/sm.md, Operand collector` or
# `docs/sm.md, C7`, over the end of a line if need be.
. "${srcdir:-.}/tests/lib.sh"

(cd "$src" && find . \( -name .git -o -name autom4te.cache -o -name 'build*' \) -prune -o -type f \
	\( -name '*.[ch]' -o -name '*.md' -o -name '*.sh' -o -name '*.am' -o -name '*.py' -o -name '*.js' \
	-o -name '*.awk' -o -name '*.json' -o -name '*.[1-9]' -o -name '*.ac' -o -name NEWS \) -print) |
	sed 's|^\./||' | sort >files
test "$(wc -l <files)" -gt 300 || fail "only $(wc -l <files) files"

# ---- what there is: PAGE<tab>#ANCHOR, PAGE<tab>HEADING, PAGE<tab>RULE ----
grep '\.md$' files | while read -r page; do
	awk -v page="$page" '
		/^```/ { code = !code }
		code { next }
		/^#+ / {
			sub(/^#+ /, "")
			gsub(/`/, "")
			print page "\t" $0
			slug = tolower($0)
			gsub(/[^a-z0-9 _-]/, "", slug)
			gsub(/ /, "-", slug)
			print page "\t#" slug
		}
		{
			line = $0
			while (match(line, /<a id="[^"]*"/)) {
				print page "\t#" substr(line, RSTART + 7, RLENGTH - 8)
				line = substr(line, RSTART + RLENGTH)
			}
			line = $0
			while (match(line, /\*\*[A-Z]+[0-9]+\*\*/)) {
				print page "\t" substr(line, RSTART + 2, RLENGTH - 4)
				line = substr(line, RSTART + RLENGTH)
			}
		}' "$src/$page"
done >there
for page in docs/sm.md docs/memory.md docs/gpu.md; do
	sed -n "s|^$page	||p" there
done | grep -E '^([A-Z]+[0-9]+|#odd-.*)$' | sort | uniq -d >twice
test ! -s twice || fail "defined twice: $(xargs <twice)"

# ---- documents, sections, rules ----
while read -r f; do
	awk -v f="$f" '
		{ gsub(/^[ \t]*(\*|#|\/\/|\/\*)?[ \t]*/, ""); text = text " " $0 }
		END {
			while (match(text, /docs\/[A-Za-z0-9_-]+\.md/)) {
				page = substr(text, RSTART, RLENGTH)
				text = substr(text, RSTART + RLENGTH)
				if (text !~ /^, [A-Z]/) {
					print f "\t" page "\t"
					continue
				}
				rest = substr(text, 3, 60)
				print f "\t" page "\t" rest
			}
		}' "$src/$f"
done <files >cited
awk -F'\t' '
	NR == FNR { page[$1] = 1; if ($2 !~ /^#/) heading[$1] = heading[$1] "\n" $2; next }
	!($2 in page) { print $1 ": there is no " $2; next }
	$3 != "" {
		n = split(substr(heading[$2], 2), h, "\n")
		for (i = 1; i <= n; i++) {
			after = substr($3, length(h[i]) + 1, 1)
			if (index($3, h[i]) == 1 && after !~ /[A-Za-z0-9]/)
				break
		}
		if (i > n)
			print $1 ": " $2 " has no section or rule that begins \"" substr($3, 1, 30) "\""
	}' there cited >missing
test ! -s missing || { fail "citations:"; cat missing; }
test "$(cut -f 3 cited | grep -c .)" -ge 50 || fail "hardly a section is cited"

# ---- nothing outside is cited ----
(cd "$src" && xargs grep -nE '[A-Z]+_SEMANTICS|[^a-z]quirk [0-9]') <files | grep -v 'tree/cites.sh' &&
	fail "a file cites what is not in the tree"

# ---- files that pages name; tests/tree/ has another test for the map of the source ----
grep '\.md$' files | grep -v architecture.md | while read -r page; do
	sed 's/`[^`]*`/\n&\n/g' "$src/$page" | sed -n 's/^`\([a-z_][a-z_0-9.-]*\(\/[a-z_0-9.-]*\)*\)`$/\1/p' |
		grep -E '^(docs|examples|include|kernel|modules|netlists|tests|tools|traces)/' | sort -u |
		while read -r f; do test -e "$src/$f" || echo "$page: there is no $f"; done
done | grep -v -e ' tests/[a-z_/]*$' -e ' traces/samples/make_traces$' >absent
test ! -s absent || { fail "files:"; cat absent; }

# ---- files that comments name, and pages by their last name ----
if command -v python3 >/dev/null; then
	python3 "$src/tests/tree/names.py" "$src" >named || { fail "files:"; cat named; }
	test "$(sed -n '$s/ .*//p' named)" -ge 500 || fail "hardly a file is named: $(cat named)"
	mkdir -p tree/kernel
	printf '/* see kernel/a.c, b.c,\n * kernel/b.c and c.h */\n"d.c";\n' >tree/kernel/a.c
	printf 'Files `a.c`, `kernel/a.c`, `e.c`.\n' >tree/page.md
	python3 "$src/tests/tree/names.py" tree | sed -n 's/.*: no file //p' | xargs >out
	grep -qx 'b.c kernel/b.c c.h e.c' out || { fail "names.py:"; cat out; }
fi

# ---- links ----
grep '\.md$' files | while read -r page; do
	awk -v page="$page" '
		/^```/ { code = !code }
		code { next }
		{
			gsub(/`[^`]*`/, "")
			while (match($0, /\]\([^)]*\)/)) {
				print page "\t" substr($0, RSTART + 2, RLENGTH - 3)
				$0 = substr($0, RSTART + RLENGTH)
			}
		}' "$src/$page"
done | grep -v '	https*:' >links
while IFS='	' read -r page to; do
	case $to in
	'#'*) grep -qxF "$page	$to" there || fail "$page: link to $to" ;;
	*)
		file=$(dirname "$page")/${to%%#*}
		test -e "$src/$file" || { fail "$page: link to $to"; continue; }
		case $to in
		*'#'*)
			file=$(cd "$src/$(dirname "$file")" && pwd)/$(basename "$file")
			grep -qxF "${file#"$src"/}	#${to#*#}" there || fail "$page: link to $to" ;;
		esac ;;
	esac
done <links
test "$(wc -l <links)" -gt 100 || fail "only $(wc -l <links) links"

# ---- every oddity stands in the list of its page ----
sed -n 's|^\(docs/[a-z]*\.md\)	\(#odd-.*\)|\1 \2|p' there | while read -r page anchor; do
	grep -qF "($anchor)" "$src/$page" || echo "$page: $anchor is not in the list"
done >unlisted
test ! -s unlisted || { fail "oddities:"; cat unlisted; }
# ---- every example is named where its subject is explained, besides the list of plug-ins ----
for f in "$src"/examples/*; do
	f=${f##*/}
	case $f in README.md | examples.am) continue ;; esac
	(cd "$src" && find docs README.md -name '*.md' ! -name plugins.md -exec grep -q "examples/$f" {} \; -print) | grep -q . ||
		fail "no page names examples/$f"
done
grep -q '(examples/README.md)' "$src/README.md" || fail 'README.md does not link examples/README.md'
done_testing
