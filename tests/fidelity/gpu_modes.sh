#!/bin/sh
# gpu_modes.sh - shipped GPUs: statistics and events of each way to evaluate them are the same; one of each kind, with
# HEDDLE_ALL=1 all of them
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"

# run NAME OPTION...: statistics and events; those of one cycle may come in another order
run()
{
	name=$1
	shift
	expect 0 '' "$heddle" run -q --stats "$name.json" --events "$name.events" "$@" "$gpu" "$list"
	sort "$name.events" >"$name.sorted"
}

# a kernel whose last instructions are atomics without a result, and one on other SMs that needs the same slice
cat >late.hasm <<'END'
kernel late sm=80 grid=8 block=1024
	[B------:R-:W-:-:S01] RED.E.ADD.F32.FTZ.RN.STRONG.GPU [R2.64], R5 addr=0x7f0000000000
	[B------:R-:W-:-:S05] EXIT
kernel next sm=80 block=128
	[B------:R-:W-:-:S01] STG.E [R2.64], R5 addr=0x7f0000000000+4*lane+128*warp
	[B------:R-:W-:-:S05] EXIT
END
expect 0 '' "$heddle" trace assemble late.hasm -o late

gpus=0
for gpu in quadro_gv100 titan_x_pascal rtx_2060 rtx_3070 v100 a100 rtx_3080 rtx_3080_ti rtx_3090 rtx_a6000 h100_pcie h100_sxm h200 gh200; do
	gpus=$((gpus + 1))
	case ${HEDDLE_ALL:+all}$gpu in rtx_3070 | v100 | a100 | rtx_30* | h100_sxm | h200 | gh200) continue ;; esac # like others
	case $gpu in
	v100 | a100 | rtx_3??? | rtx_3080_ti) expect 0 '' "$heddle" run -q "$gpu.json" late/kernelslist.g ;;
	rtx_a6000) expect 0 '' "$heddle" run -q --check-modules "$gpu.json" late/kernelslist.g ;;
	esac
	for trace in gather ${HEDDLE_ALL:+reduce}; do
		# its SMs have no unit for what later generations do in one
		test $gpu-$trace = titan_x_pascal-reduce && continue
		gpu=${gpu%.json}.json
		list=$src/traces/samples/$trace/kernelslist.g
		run plain
		test -s plain.events || fail "$gpu $trace: no events"
		for mode in '--shuffle=6 --no-sleep' ${HEDDLE_ALL:+--no-sleep --shuffle=5}; do
			# shellcheck disable=SC2086
			run other $mode
			cmp -s plain.json other.json || fail "$gpu $trace $mode: other statistics"
			cmp -s plain.sorted other.sorted || fail "$gpu $trace $mode: other events"
		done
		gpu=${gpu%.json}
	done
done

# none was forgotten
for file in "$src"/netlists/*.json; do
	case $file in */control_gpu.json) continue ;; esac # part of others
	grep -Eq '"extends": "((control_)?gpu|rtx_[0-9a-z]+|h100_(pcie|sxm))\.json"' "$file" && gpus=$((gpus - 1))
done
test "$gpus" -eq 0 || fail "this test does not run all shipped GPUs"
done_testing
