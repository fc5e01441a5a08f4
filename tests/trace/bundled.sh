#!/bin/sh
# bundled.sh - the bundled traces equal the output of make_traces
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"

command -v xz >/dev/null || { echo "SKIP: there is no xz"; exit 77; }
mkdir new
expect 0 'warp instructions' "$build/traces/samples/make_traces" new
n=0
for f in "$src"/traces/samples/*/*; do
	name=${f#"$src"/traces/samples/}
	case $name in hasm/* | hopper/* | windows/* | cuda/*) continue ;; esac # not written by that program
	n=$((n + 1))
	if test ! -f "new/$name"; then
		fail "$name is not written"
		continue
	fi
	# another liblzma may compress the same text to other bytes
	case $name in
	*.xz) xz -dc "$f" >old.text && xz -dc "new/$name" >new.text && cmp -s old.text new.text ;;
	*) cmp -s "$f" "new/$name" ;;
	esac || fail "$name differs from what make_traces writes"
done
test "$(find new -type f | wc -l)" -eq "$n" || fail "other files are written: $(find new -type f)"
expect 2 'usage' "$build/traces/samples/make_traces"
done_testing
