#!/bin/sh
# windows.sh - netlists/a100_sm.json: windows of instructions take the cycles that an A100 took
# SPDX-License-Identifier: BSD-2-Clause
#
# The windows in docs/modern.md are tested by tests/program/docs.sh.
. "${srcdir:-.}/tests/lib.sh"

windows=$src/../shared/oracle/hardware/windows-training.json
needs python3
test -r "$windows" || { echo "SKIP: there are no windows measured on hardware"; exit 77; }
$python "$src/tests/fidelity/windows.py" "$heddle" "$windows" >log || fail "$(cat log)"
grep -q '^41 deltas, 6 growths, 24 clock reads, 18 classes$' log || fail "other windows: $(cat log)"
done_testing
