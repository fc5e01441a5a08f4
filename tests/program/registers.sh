#!/bin/sh
# registers.sh - ports with HD_REG: an example gives what the same with FIFOs gives, in every kind of run
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"

cp "$src/examples/pipeline_register.c" .
sed -e 's/, \.flags = HD_REG//' -e 's/hd_reg_front(&st->in, sizeof \*front)/hd_front(\&st->in)/' \
	-e 's/!hd_reg_free(&st->out)/hd_room(\&st->out) == 0/' -e 's/hd_reg_pass/hd_pass/' pipeline_register.c >fifo.c
grep -n 'hd_reg_\|HD_REG' fifo.c && fail "fifo.c still has registers"
mkdir fifo
for cc in "${CC:-cc} -O2" "${CC:-cc} -O0"; do
	$cc -std=c11 -Wall -Wextra -Werror -fPIC -shared -I"$src/include" -o pipeline_register.so pipeline_register.c || fail "pipeline_register.c"
done
${CC:-cc} -std=c11 -O2 -fPIC -shared -I"$src/include" -o fifo/pipeline_register.so fifo.c || fail "fifo.c"

expect 0 'in mem, register' "$heddle" modules --plugin pipeline_register.so pipeline_register
sed 's/^  *//' >registers.json <<'END'
	{ "heddle": 1, "extends": "tutorial.json",
	"rewire": [{ "link": { "from": "load_store.request" }, "to": "first.in", "capacity": 1 }],
	"add": { "instances": { "first": { "module": "pipeline_register" }, "second": { "module": "pipeline_register", "count": 3 } },
	"links": [
	{ "from": "first.out", "to": "second[0].in" },
	{ "from": "second[0..1].out", "to": "second[1..2].in" },
	{ "from": "second[2].out", "to": "memory.request", "staged": true }] } }
END
expect 0 'no mistakes' "$heddle" check --plugin pipeline_register.so registers.json

# run OUT PLUGIN OPTION...
run()
{
	out=$1 plugin=$2
	shift 2
	expect 0 '' "$heddle" run -q --plugin "$plugin" registers.json "$src/traces/samples/$trace/kernelslist.g" --stats "$out" "$@"
}

for trace in vecadd hist; do
	run fifo.json fifo/pipeline_register.so
	grep '"passed": [1-9]' fifo.json >/dev/null || fail "$trace: no request has passed"
	run reg.json pipeline_register.so
	cmp fifo.json reg.json || fail "$trace"
	for option in '--shuffle 3' --no-sleep --check-modules --lockstep '--dump reg.hdump'; do
		# shellcheck disable=SC2086 # a list of words
		run other.json pipeline_register.so $option
		cmp fifo.json other.json || fail "$trace: $option"
	done
	run other.json fifo/pipeline_register.so --dump fifo.hdump
	cmp reg.hdump fifo.hdump || fail "$trace: dumps"
	expect 0 '' "$heddle" run -q --plugin pipeline_register.so --save-at 300 state registers.json "$src/traces/samples/$trace/kernelslist.g"
	run other.json pipeline_register.so --load state
	cmp fifo.json other.json || fail "$trace: loaded"
done

# a flattened netlist is the same one
expect 0 '' "$heddle" flatten --plugin pipeline_register.so registers.json
cp out flat.json
expect 0 'no mistakes' "$heddle" check --plugin pipeline_register.so flat.json

# a register has one place
sed 's/"to": "second\[0\].in"/&, "capacity": 2/' registers.json >large.json
expect 2 "large.json:5:59: error: one of 'first.out' and 'second.in' is a register, which has one place, and the channel has 2; \
expected no \"capacity\", and a latency of at most 1" "$heddle" check --plugin pipeline_register.so large.json

done_testing
