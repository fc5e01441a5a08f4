#!/bin/sh
# owes.sh - what a unit owes the SM: each debt that is left open looks as docs/modules.md shows it
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"

for kind in memory atomic; do
	expect 0 '' "$heddle" new-module "$kind" --kind "$kind"
	plug_in "$kind.c" "$kind.so"
done

# spoilt KIND SED: the unit of that kind, changed by that, as a plug-in in the folder spoilt
spoilt()
{
	mkdir -p spoilt
	sed "$2" "$1.c" >"spoilt/$1.c"
	cmp -s "$1.c" "spoilt/$1.c" && fail "$2: changes nothing"
	plug_in "spoilt/$1.c" "spoilt/$1.so" -w
}

run_spoilt() # STATUS TEXT KIND TRACE OPTION...
{
	want=$1 text=$2 kind=$3 input=$src/traces/samples/$4/kernelslist.g
	shift 4
	expect "$want" "$text" "$heddle" run -q --plugin "spoilt/$kind.so" --stats spoilt.json "$@" "$kind.json" "$input"
	cat err >>found
}

# ---- instructions, registers, atomics, stores: deadlocks that name what is counted ----
while IFS='|' read -r kind trace change text; do
	spoilt "$kind" "$change"
	run_spoilt 1 "$text" "$kind" "$trace"
done <<'END'
memory|vecadd|/hd_warp_left_pipeline/d|warps: warp 0 has ended and waits for 3 instructions and 0 stores
memory|vecadd|s/hd_scoreboard_complete(.*/(void)0;/|ibuffer: warp 0 has 2 instructions that were not issued
memory|vecadd|s/hd_warp_store_done(.*/(void)0;/|warps: warp 0 has ended and waits for 0 instructions and 4 stores
memory|vecadd|s/hd_warp_store_sent(.*/(void)0;/|warps: warp 0 has ended and waits for 0 instructions and 4294967288 stores
atomic|hist|s/hd_warp_atomics_done(.*/(void)0;/|warps: warp 0 waits for responses to atomics
atomic|hist|s/hd_bits_count(pass))/1)/|warps: warp 0 waits for responses to atomics
END

# ---- figures that are too small ----
value() # NAME FILE: of the figures of the whole run
{
	sed -n "s/^ *\"$1\": \([0-9]*\).*/\1/p" "$2" | head -n 1
}
spoilt memory '/hd_warps_complete/d'
run_spoilt 0 '' memory vecadd
"$heddle" run -q --plugin ./memory.so --stats whole.json memory.json "$src/traces/samples/vecadd/kernelslist.g"
test "$(value thread_instructions spoilt.json)" -lt "$(value thread_instructions whole.json)" ||
	fail "thread_instructions without hd_warps_complete()"
spoilt memory 's/&& !st->regfile->write(.*))$/\&\& false)/'
run_spoilt 0 '' memory vecadd
test "$(value write_waits spoilt.json)" -eq 0 && test "$(value write_waits whole.json)" -gt 0 ||
	fail "write_waits without write()"

# ---- records: those never released, and those released twice or used afterwards ----
spoilt memory 's/hd_release(st->pool, ref);/&&/'
run_spoilt 1 "of type 'inst' a second time; it was released at cycle" memory vecadd --check-modules
spoilt memory 's/hd_release(st->pool, ref);/& ((struct hd_inst *)inst)->dst = 0;/'
run_spoilt 1 "module 'memory' used record" memory vecadd --check-modules
# what a run of 600 times that length would leave
spoilt memory 's/\thd_release(st->pool, ref);/\tfor (int i = 0; i < 600; i++) hd_alloc(st->ctx, st->pool);/'
run_spoilt 1 "more than 262142 records of type 'inst' are in use" memory vecadd

# ---- docs/modules.md has these messages ----
sed -n '/^| what is counted | by |/,/^$/p' "$src/docs/modules.md" | sed 1,2d | cut -d '|' -f 5 | grep -o '`[^`]*`' |
	grep ' ' | tr -d '`' >shown
test "$(wc -l <shown)" -eq 6 || { fail "docs/modules.md: the table was not found"; cat shown; }
while read -r message; do
	grep -F -e "$message" found >/dev/null || fail "docs/modules.md shows '$message', which no spoilt unit looks like"
done <shown
done_testing
