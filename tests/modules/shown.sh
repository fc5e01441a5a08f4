#!/bin/sh
# shown.sh - the rules of docs/sm.md, memory.md, gpu.md, modern.md and hopper.md are shown by cases
# SPDX-License-Identifier: BSD-2-Clause
#
# A case names what it shows in .shows, one in cases/*.cases in its first line.
. "${srcdir:-.}/tests/lib.sh"

# Sections whose rules must all be shown: time, instructions, fetch, decode, policies, issue, scoreboard, barrier, fence,
# collector, register file, writeback, issue slots; scalar instructions; kernels and thread blocks,
# function units, atomics, copies; divergence and synthesised control words, in tests/trace/; the memory side;
# what is outside the SM; the core that follows control words; asynchronous units.
sections='[BCDEFGINPRSTUWYZ]|RS|UF|[KUAX]|Q|LS|CO|LM|SB|CA|UN|IC|PM|MF|GC|CL|NT|FY|RP|LC|AM|AR|SL|SC|DR|GK|DV|SY|CW|IS|CG|CS|DC|AL|RB|RC|RE|MQ|BL|FE|HZ|CK|NB|MB|WG|SP|TM|KL|DS|RA|UD|FN|LM'
# CL5, GC1, GC2, GC3, GC5 are the work of clocks and links, Z3 of other rules, K5 of the trace reader; tests/several/shared.sh
# shows IC4.
elsewhere='^(CL5|GC1|GC2|GC3|GC5|IC4|Z3|K5)$'

sed -n 's/.*\*\*\([A-Z][A-Z]*[0-9][0-9]*\)\*\*.*/\1/p' "$src/docs/sm.md" "$src/docs/memory.md" \
	"$src/docs/gpu.md" "$src/docs/modern.md" "$src/docs/hopper.md" |
	sort -u >rules
test "$(wc -l <rules)" -gt 150 || fail "only $(wc -l <rules) rules in the five pages"
{
	sed -n 's/^.*\.shows = "\([^"]*\)".*$/\1/p' "$src"/tests/modules/*.c "$src"/tests/trace/*.c
	sed -n 's/^\([A-Z][A-Z0-9 ]*[0-9]\): .*$/\1/p' "$src"/tests/modules/cases/*.cases
} | tr ' ' '\n' | sort -u >shown
test -s shown || fail "no case shows a rule"

comm -13 rules shown >unknown
test ! -s unknown || fail "in no page of rules: $(xargs <unknown)"
grep -E "^($sections)[0-9]" rules | grep -Ev "$elsewhere" | comm -23 - shown >missing
test ! -s missing || fail "shown by no case of tests/modules/ or tests/trace/: $(xargs <missing)"
done_testing
