#!/bin/sh
# library.sh - libheddle: what it exports, what it prints, and that its figures are those of the program
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"

# ---- as a program uses it; nothing is printed ----
expect 0 '' "$build/tests/library/simulate" "$src/netlists" "$src/traces/samples"
test ! -s out || { fail 'simulate:'; cat out; }

# ---- the same bytes as the program ----
for core in volta_sm rtx_2060; do
	"$heddle" run -q --stats program.json "$src/netlists/$core.json" "$src/traces/samples/gather/kernelslist.g" ||
		fail "heddle run $core.json"
	"$build/tests/library/stats" "$src/netlists/$core.json" "$src/traces/samples/gather/kernelslist.g" >library.json ||
		fail "stats $core.json"
	cmp program.json library.json || fail "$core.json: the library gives other figures than the program"
done

# ---- exported: the functions of the header, and those that plug-ins call ----
sed -n 's/^[a-z][a-z_0-9 *]*[ *]\(heddle_[a-z_]*\)(.*/\1/p' "$src/include/heddle/simulate.h" | sort >header
test "$(wc -l <header)" -ge 15 || fail 'functions of simulate.h are not found'
nm -D --defined-only "$heddle" | awk '$3 ~ /^hd_/ { print $3 }' | sort >program
sort header program >expected
nm -D --defined-only "$build/.libs/libheddle.so" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort >exported
diff expected exported >found || { fail 'libheddle.so: expected (<) and exported (>):'; cat found; }
grep -q enable-sanitizers "$build/config.log" || test ! -f "$build/libheddle.a" || {
	nm -g --defined-only "$build/libheddle.a" | awk 'NF == 3 { print $3 }' | sort >exported
	diff expected exported >found || { fail 'libheddle.a: expected (<) and global (>):'; cat found; }
}
nm -D --defined-only --with-symbol-versions "$build/.libs/libheddle.so" | grep -q 'heddle_run@@HEDDLE_0' ||
	fail 'symbols without a version'
readelf -d "$build/.libs/libheddle.so" | grep -q 'SONAME.*libheddle\.so\.0' || fail 'no soname'
done_testing
