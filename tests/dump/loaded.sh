#!/bin/sh
# loaded.sh - blocks of dumps give the same rows when they are packed, and reading ends where the file ends
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"

expect 0 '' "$heddle" run -q "$src/netlists/volta_sm.json" "$src/traces/samples/reduce/kernelslist.g" --dump sm.hdump
expect 0 '' "$heddle" run -q --set clusters=3 --set cores=2 --set channels=8 --set dispatcher.kernel_latency=100 \
	--dump-filter event=cache.access,inst,mem,issue.slot "$src/netlists/quadro_gv100.json" \
	"$src/traces/samples/gather/kernelslist.g" --dump gpu.hdump
expect 0 ' rows' "$build/tests/dump/blocks" sm.hdump gpu.hdump
done_testing
