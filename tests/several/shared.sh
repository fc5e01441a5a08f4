#!/bin/sh
# shared.sh - providers with several users: built-in ones for which no order is defined, SMs that share an L1I, a plug-in
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"
needs python3

# ---- all ports that may have several users ----
python3 "$src/tests/several/shared.py" "$heddle" "$src/examples" "$src/traces/samples/hist/kernelslist.g" 1 ${HEDDLE_ALL:+2 3 4 5 6 7 8} >found ||
	{ fail "ports of which the order of calls matters:"; cat found; }
tail -n 1 found
done_testing
