#!/bin/sh
# web_browser.sh - the page of heddle monitor --web in a browser, about runs that go on, end, deadlock and are killed
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"
needs python3 cc
command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null ||
	{ echo 'SKIP: there is no chromium'; exit 77; }

mkdir long ring
cp "$src/traces/samples/matmul/kernel-1.traceg.xz" long/
yes kernel-1.traceg.xz | head -n 20000 >long/kernelslist.g # minutes
# a ring of routers that deadlocks: docs/network.md
cp "$src"/examples/ring/* ring/
for m in ring_router ring_terminal; do
	plug_in "ring/$m.c" "ring/$m.so"
done
try env "TOP=$tmp" PYTHONPATH="$src/tests/report" PYTHONDONTWRITEBYTECODE=1 \
	$python "$src/tests/program/web_browser.py" "$heddle" "$src"
cat out
test "$status" -eq 0 || { fail 'the page'; cat err; }
done_testing
