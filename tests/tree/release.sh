#!/bin/sh
# release.sh - what a release says of itself: one version everywhere, changes by version, packages that are needed
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"

version=$(sed -n 's/^AC_INIT(\[heddle\], \[\([^]]*\)\].*/\1/p' "$src/configure.ac")
test -n "$version" || fail 'configure.ac has no version'
# says FILE TEXT: a line of the file has it
says()
{
	grep -qF -e "$2" "$src/$1" || fail "$1 does not say '$2'"
}
expect 0 "heddle $version " "$heddle" --version
says NEWS "heddle $version"
says CITATION.cff "version: $version"
says python/pyproject.toml "version = \"$version\""
says editors/vscode/package.json "\"version\": \"$version\""
says debian/changelog "heddle ($version"
test "$(sed -n '1s/heddle \([0-9.]*\).*/\1/p' "$src/NEWS")" = "$version" || fail 'NEWS begins with another version'

# ---- the container gets what quickstart installs to build ----
sed -n 's/^	need \([a-z0-9.+-]*\) .*/\1/p' "$src/quickstart" | sed '/^python3\|^graphviz\|^sqlite3/d' | sort -u >needed
test "$(wc -l <needed)" -ge 15 || fail 'packages of quickstart are not found'
while read -r package; do
	grep -qw -e "$package" "$src/Containerfile" || fail "Containerfile lacks $package"
done <needed
for file in "$src"/debian/heddle.install "$src"/debian/python3-heddle.install; do
	test -s "$file" || fail "$file is empty"
done

# ---- the source archive has what the repository has ----
if test -e "$src/.git" && git -C "$src" ls-files >tracked 2>/dev/null; then
	printf 'include Makefile\nlisted:\n\t@printf "%%s\\n" $(DISTFILES)\n' >listed.mk
	make -s -C "$build" -f "$PWD/listed.mk" listed | sed 's|^\(\.\./\)*||; s|^'"$src"'/||; s|/$||' >listed
	awk 'NR == FNR { there[$0] = 1; next }
		{ for (f = $0; f != "" && !there[f];) if (!sub("/[^/]*$", "", f)) f = ""
		  if (f == "") print }' listed tracked | grep -v '^\.gitignore$' >lacking
	test ! -s lacking || fail "the source archive lacks $(cat lacking)"
fi
done_testing
