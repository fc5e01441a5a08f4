#!/bin/sh
# install.sh - what `make install` leaves in a prefix that was not the configured one works there
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"
unset HEDDLE_DATA_PATH PKG_CONFIG_PATH

# in_build TARGET VARIABLE=VALUE...
in_build()
{
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL ${MAKE:-make} -C "$build" "$@" >make.log 2>&1 ||
		{ tail -n 20 make.log; fail "make $*"; done_testing; }
}

# The program as it is found along PATH.
heddle_there()
{
	(PATH=$prefix/bin:$PATH; exec heddle "$@")
}

# ---- DESTDIR: nothing in the files names it, or the configured prefix ----
in_build install DESTDIR="$tmp/dest" prefix=/opt/other
pc=dest/opt/other/lib/pkgconfig/heddle.pc
test -f "$pc" || { fail "no $pc"; find dest -name '*.pc'; done_testing; }
grep -qx 'prefix=/opt/other' "$pc" || { fail "heddle.pc has another prefix:"; cat "$pc"; }
grep -nE '=/usr|@|dest' "$pc" && fail "heddle.pc names another folder"
in_build uninstall DESTDIR="$tmp/dest" prefix=/opt/other
find dest ! -type d >left
test ! -s left || { fail "make uninstall leaves:"; cat left; }

# ---- a prefix of its own, with libraries in a folder of the machine ----
prefix=$tmp/own
in_build install prefix="$prefix" libdir="$prefix/lib/machine"
PKG_CONFIG_PATH=$prefix/lib/machine/pkgconfig
export PKG_CONFIG_PATH
for v in netlistdir tracedir exampledir modulesourcedir skeletondir; do
	test -d "$(pkg-config --variable=$v heddle)" || fail "pkg-config --variable=$v heddle: no such folder"
done
test "$(pkg-config --variable=moduledir heddle)" = "$prefix/lib/machine/heddle" || fail "moduledir of heddle.pc"
# shellcheck disable=SC2046
${CC:-cc} -fPIC -shared $(pkg-config --cflags heddle) -o divider.so \
	"$(pkg-config --variable=exampledir heddle)/divider.c" || fail "divider.c"
expect 0 divider "$prefix/bin/heddle" modules --plugin divider.so divider

# ---- docs/library.md: its commands, and what they print ----
mkdir page
awk '/^```sh$/ { on = 1; next } /^```$/ { on = 0 } on' "$src/docs/library.md" >page/commands
test -s page/commands || fail 'no commands in docs/library.md'
sanitized()
{
	grep -q enable-sanitizers "$build/config.log"
}
sanitized || (
	cd page && LD_LIBRARY_PATH=$prefix/lib/machine && export LD_LIBRARY_PATH
	expect 0 'cycle 1000: ' sh -e commands
	expect 0 'cycles' sh -e commands
	done_testing
) || fail 'docs/library.md'

# ---- the archive, without the shared library ----
if ! sanitized && test -f "$prefix/lib/machine/libheddle.a"; then
	mkdir static
	mv "$prefix/lib/machine/"libheddle.so* static
	# shellcheck disable=SC2046
	${CC:-cc} -o alone page/program.c $(pkg-config --cflags --static --libs heddle) || fail 'libheddle.a'
	mv static/* "$prefix/lib/machine"
	expect 0 'cycles' ./alone "$(pkg-config --variable=tracedir heddle)/hist/kernelslist.g"
fi

# ---- the program takes the netlists of its own prefix, whatever was configured ----
echo '{ "heddle": 1, "extends": "volta_sm.json" }' >mine.json
trace=$(pkg-config --variable=tracedir heddle)/tiny/kernelslist.g
expect 0 '' heddle_there run -q mine.json "$trace"
expect 0 '' "$prefix/bin/heddle" run -q mine.json "$trace"
echo '{ "heddle": 1, "here": 1 }' >"$prefix/share/heddle/netlists/volta_sm.json"
for more in '' --sandbox; do
	for program in "$prefix/bin/heddle" heddle_there; do
		# shellcheck disable=SC2086
		try "$program" run -q $more mine.json "$trace"
		case $(cat err) in *Landlock*) continue ;; esac
		grep -q "share/heddle/netlists/volta_sm.json:1:.*unknown member 'here'" err ||
			{ fail "$program $more reads netlists of another prefix:"; cat err; }
	done
done
done_testing
