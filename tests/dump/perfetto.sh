#!/bin/sh
# perfetto.sh - heddle dump --to perfetto: a protobuf decoder reads it, and slices are those of the text
# SPDX-License-Identifier: BSD-2-Clause
#
# Needs protoc (Debian's package protobuf-compiler) and python3.
. "${srcdir:-.}/tests/lib.sh"

for tool in protoc python3; do
	command -v $tool >/dev/null || { echo "skipped: there is no $tool"; exit 77; }
done

# both FROM CONDITION...: the same rows as a trace and as text
both()
{
	from=$1
	shift
	expect 0 '' "$heddle" dump "$from" --to perfetto -o trace "$@"
	expect 0 '' "$heddle" dump "$from" --to text -o text "$@"
	protoc -I"$src/tests/dump" --decode=Trace "$src/tests/dump/perfetto.proto" <trace >decoded ||
		fail "$from $*: protoc does not read it"
	$python "$src/tests/dump/perfetto_check.py" text <decoded >summary || fail "$from $*: see above"
}

while read -r core trace; do
	"$heddle" run -q --dump a.hdump --dump-sample 100 "$src/netlists/$core.json" \
		"$src/traces/samples/$trace/kernelslist.g" || fail "$core $trace"
	both a.hdump
done <<-END
	tutorial tiny
	turing_sm vecadd
	volta_sm reduce
END
grep -q ' [1-9][0-9]* dependencies, [1-9][0-9]* slices of schedulers, [1-9]' summary || fail 'little'
cp trace all
"$heddle" run -q --set fetch.follow=sequential --dump path.hdump "$src/netlists/volta_sm.json" \
	"$src/traces/samples/hist/kernelslist.g" || fail 'sequential fetch'
both path.hdump
grep -q 'idle.control_hazard' decoded || fail 'no slice of a control hazard'
both a.hdump --warp 3,7-9 --event inst
both a.hdump --between 200-400 --event 'i*'
"$heddle" trace assemble "$src/traces/samples/hopper/ring.hasm" -o ring &&
	"$heddle" run -q --dump ring.hdump h100_sm.json ring/kernelslist.g || fail ring
both ring.hdump --event warpgroup_mma.operation --event tma.copy --event mbarrier.phase
grep -q ' 11 lanes' summary || fail "two warpgroups, a warp that loads, eight mbarriers: $(cat summary)"
expect 0 '' "$heddle" dump a.hdump --to perfetto -o again
cmp again all || fail 'another trace of the same file'
done_testing
