#!/bin/sh
# page_browser.sh - the page of a study in a browser: numbers, downloads, keys, widths, light and dark
# SPDX-License-Identifier: BSD-2-Clause
#
# Needs python3 and Debian's package chromium.
. "${srcdir:-.}/tests/lib.sh"
needs python3
command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null ||
	{ echo "SKIP: there is no chromium"; exit 77; }

$python "$src/tests/study/page_make.py" made.sqlite 48 3
$python "$src/tests/study/page_make.py" large.sqlite 10000 60
expect 0 '' "$heddle" report made.sqlite -o made.html --cost warps \
	--table "$src/tests/study/page_reference.csv"
expect 0 '' "$heddle" report large.sqlite -o large.html
expect 0 '' "$heddle" run -q --dump run.hdump --dump-sample 100 "$src/netlists/volta_sm.json" \
	"$src/traces/samples/reduce/kernelslist.g"
expect 0 '' "$heddle" report run.hdump -o dump.html
PYTHONPATH=$src/tests/report python3 "$src/tests/study/page_browser.py" || fail "see above"
done_testing
