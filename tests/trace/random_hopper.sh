#!/bin/sh
# random_hopper.sh - programs of asynchronous units drawn at random end, with the same events however they are evaluated
# SPDX-License-Identifier: BSD-2-Clause
#
# With HEDDLE_ALL 200 of them; HEDDLE_SEED is the first.
. "${srcdir:-.}/tests/lib.sh"
needs python3

first=${HEDDLE_SEED:-1}
last=$((first + 9))
test -z "${HEDDLE_ALL:-}" || last=$((first + 199))

# events OPTION...: in the order of their text, without the accounts of issue slots, which come when they end
events()
{
	expect 0 '' "$heddle" run -q "$netlist" random/kernelslist.g --set "sms=$sms" --events random.events "$@"
	grep -v 'slot n=' random.events | sort
}

for seed in $(seq "$first" "$last"); do
	python3 "$src/tests/trace/random_hopper.py" "$seed" >random.hasm 2>cluster || fail "seed $seed: $(cat cluster)"
	rm -rf random random.chk
	expect 0 '' "$heddle" trace assemble random.hasm -o random
	netlist=h100_gpc.json
	sms=$(cat cluster)
	test "$sms" -gt 1 || sms=2
	events >plain
	for how in "--shuffle $seed --no-sleep" '--threads 2' "--lockstep --shuffle $((seed + 100))" --check-modules; do
		# shellcheck disable=SC2086 # two words
		events $how >other
		cmp -s plain other || fail "seed $seed: $how: $(diff plain other | head -4)"
	done
	middle=$(awk '{ if ($1 > last) last = $1 } END { print int(last / 2) + 1 }' plain)
	expect 0 '' "$heddle" run -q "$netlist" random/kernelslist.g --set "sms=$sms" --save-at "$middle" random.chk
	test ! -e random.chk || events --load random.chk >other
	for events in plain other; do awk -v from="$middle" '$1 > from' $events >"$events.rest"; done
	cmp -s plain.rest other.rest || fail "seed $seed: --load at $middle: $(diff plain.rest other.rest | head -4)"
	test "$failures" -eq 0 || { cp random.hasm "failed$seed.hasm"; cat random.hasm; break; }
done
done_testing
