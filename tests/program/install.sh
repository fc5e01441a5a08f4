#!/bin/sh
# install.sh - what `make install` leaves in a prefix that was not the configured one works there
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"
. "$src/tests/blocks.sh"
unset HEDDLE_DATA_PATH PKG_CONFIG_PATH

# in_build TARGET VARIABLE=VALUE...
in_build()
{
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL ${MAKE:-make} -C "$build" "$@" >make.log 2>&1 ||
		{ tail -n 20 make.log; fail "make $*"; done_testing; }
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

# ---- pages about what is installed: their commands, and what they print ----
sanitized()
{
	grep -q enable-sanitizers "$build/config.log"
}
mkdir work
PATH=$prefix/bin:$PATH
if ! sanitized; then
	blocks_of "$src/docs/library.md" "$src/docs/network.md"
	cd work || exit 99
	LD_LIBRARY_PATH=$prefix/lib/machine
	export LD_LIBRARY_PATH
	run_blocks
	unset LD_LIBRARY_PATH
	cd "$tmp" || exit 99
fi

# ---- the archive, without the shared library ----
if ! sanitized && test -f "$prefix/lib/machine/libheddle.a"; then
	mkdir static
	mv "$prefix/lib/machine/"libheddle.so* static
	# shellcheck disable=SC2046
	${CC:-cc} -o alone work/program.c $(pkg-config --cflags --static --libs heddle) || fail 'libheddle.a'
	mv static/* "$prefix/lib/machine"
	expect 0 'cycles' ./alone "$(pkg-config --variable=tracedir heddle)/hist/kernelslist.g"
fi

# ---- a network without a trace: nothing depends on sleep or order, and the contract is kept ----
if ! sanitized; then
	HEDDLE_MODULE_PATH=$tmp/work/ring
	export HEDDLE_MODULE_PATH
	cd work/ring || exit 99
	expect 0 '' heddle run -q --stats one.json --set load=350 ring.json
	for o in --no-sleep --shuffle=1 --shuffle=2; do
		expect 0 '' heddle run -q $o --stats other.json --set load=350 ring.json
		cmp one.json other.json || fail "ring.json: $o shows in the statistics"
	done
	expect 0 '' heddle run -q --check-modules --set load=350 ring.json
	expect 0 'stopped at the cycle limit' heddle run --max-cycles=5000 ring.json
	unset HEDDLE_MODULE_PATH
	cd "$tmp" || exit 99
fi

# ---- the program takes the netlists of its own prefix, whatever was configured ----
echo '{ "heddle": 1, "extends": "volta_sm.json" }' >mine.json
trace=$(pkg-config --variable=tracedir heddle)/tiny/kernelslist.g
expect 0 '' heddle run -q mine.json "$trace"
expect 0 '' "$prefix/bin/heddle" run -q mine.json "$trace"
echo '{ "heddle": 1, "here": 1 }' >"$prefix/share/heddle/netlists/volta_sm.json"
for more in '' --sandbox; do
	for program in "$prefix/bin/heddle" heddle; do
		# shellcheck disable=SC2086
		try "$program" run -q $more mine.json "$trace"
		case $(cat err) in *Landlock*) continue ;; esac
		grep -q "share/heddle/netlists/volta_sm.json:1:.*unknown member 'here'" err ||
			{ fail "$program $more reads netlists of another prefix:"; cat err; }
	done
done
done_testing
