#!/bin/sh
# arguments.sh - the command line of heddle-accel-sim: Accel-Sim's, its order and its mistakes
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"

accel=$build/heddle-accel-sim
configs=$src/tests/import
list=$src/traces/samples/reduce/kernelslist.g
exit_line='GPGPU-Sim: *** exit detected ***'

# cycles ARGUMENT...: those of the run, as printed last
cycles()
{
	"$accel" "$@" 2>err >out || fail "$*: $(cat err)"
	sed -n 's/^gpu_tot_sim_cycle = //p' out | tail -n 1
}

# cycles_of CONFIG...: those of heddle run with the imported netlist
cycles_of()
{
	"$heddle" import -q "$@" -o net.json && "$heddle" run -q --stats net.stats net.json "$list" &&
		sed -n 's/^ "cycles": \([0-9]*\),$/\1/p' net.stats
}

# ---- a folder, its files, single options; of several settings the last one counts ----
mkdir folder
grep -vE '^-(trace_|specialized_)' "$configs/volta.config" >folder/gpgpusim.config
grep -E '^-(trace_|specialized_)' "$configs/volta.config" >folder/trace.config
plain=$(cycles -trace "$list" -config folder/gpgpusim.config -config folder/trace.config)
tail -n 1 out | grep -Fx "$exit_line" >/dev/null || fail "the last line is $(tail -n 1 out)"
test ! -s err || fail "printed: $(cat err)"
slow=$(cycles_of folder -gpgpu_num_sched_per_core 4 -gpgpu_num_reg_banks 4)
test "$plain" = "$(cycles_of folder)" || fail "not the cycles of heddle run: $plain"
test "$plain" != "$slow" || fail "the option of the test changes nothing"
test "$plain" = "$(cycles -config folder -trace "$list")" || fail "a folder is not its two files"
test "$slow" = "$(cycles -trace "$list" -config folder -gpgpu_num_reg_banks 4)" ||
	fail "an option behind the files does not replace theirs"
test "$plain" = "$(cycles -trace "$list" -gpgpu_num_reg_banks 4 -config folder)" ||
	fail "an option before the files is not replaced by theirs"
echo '-gpgpu_num_reg_banks 4' >banks.config
test "$slow" = "$(cycles -trace "$list" -config folder -config banks.config)" ||
	fail "a file does not replace settings of the file before it"
test "$plain" = "$(cycles -trace "$list" -config banks.config -config folder)" ||
	fail "an earlier file replaces settings of a later one"
test "$slow" = "$(cycles -trace nowhere -config folder -gpgpu_num_reg_banks 2 -gpgpu_num_reg_banks 4 \
	-trace "$list")" || fail "an earlier option replaces a later one"

# ---- the trace may stand in a file, and has the reference's default ----
echo "-trace $list" >trace.config
test "$plain" = "$(cycles -config folder -config trace.config)" || fail "-trace in a file"
expect 2 './traces/kernelslist.g' "$accel" -config folder
mkdir traces
cp "$src"/traces/samples/reduce/* traces
test "$plain" = "$(cycles -config folder)" || fail "the default of -trace"

# ---- negative values are values ----
test "$plain" = "$(cycles -trace "$list" -config folder -gpgpu_warpdistro_shader -1)" || fail "-1"

# ---- a limit of cycles: complete kernels, a line about it, the last line ----
expect 0 '' "$accel" -trace "$list" -config folder -gpgpu_max_cycle $((plain - 1))
test "$(grep -c '^kernel_name = ' out)" -eq 1 || fail "not one kernel of two before the limit"
grep -Fx 'GPGPU-Sim: ** break due to reaching the maximum cycles (or instructions) **' out >/dev/null ||
	fail "no line about the limit"
tail -n 1 out | grep -Fx "$exit_line" >/dev/null || fail "no last line after the limit"

# ---- mistakes: status 2, what is wrong, and no last line ----
wrong()
{
	expect 2 "$@"
	! grep -F 'GPGPU-Sim' out || fail "$*: it looks like a run"
}
wrong 'expected -trace LIST -config FILE' "$accel"
wrong "unexpected argument 'folder'; expected -OPTION VALUE" "$accel" folder
wrong "unexpected argument '--stats'; expected -OPTION VALUE" "$accel" --stats a.json
wrong "option '-config' needs a value" "$accel" -trace "$list" -config
wrong "option '-trace' needs a value" "$accel" -trace -config folder
wrong "unknown option '-gpgpu_schedular'; did you mean '-gpgpu_scheduler'?" "$accel" -trace "$list" \
	-config folder -gpgpu_schedular gto
wrong "expected 'gpgpusim.config' as well" "$accel" -trace "$list" -config folder/trace.config
wrong "expected 'trace.config' as well" "$accel" -trace "$list" -config folder/gpgpusim.config
wrong 'nowhere.config' "$accel" -trace "$list" -config nowhere.config
wrong "command line: '-gpgpu_max_insn' is '1000'; expected 0: a run ends with its trace" "$accel" \
	-trace "$list" -config folder -gpgpu_max_insn 1000
echo '-power_simulation_mode 1' >power.config
wrong "power.config:1: '-power_simulation_mode' is '1'; expected 0: counters of a hardware profiler are not read" "$accel" \
	-trace "$list" -config folder -config power.config
wrong "'-gpgpu_num_reg_banks' is 'many'; expected a number" "$accel" -trace "$list" -config folder \
	-gpgpu_num_reg_banks many
wrong "'-gpgpu_max_cycle' is 'soon'; expected a number" "$accel" -trace "$list" -config folder \
	-gpgpu_max_cycle soon

# ---- a trace that cannot be read, in a run or before: what heddle run prints, and no last line ----
expect 2 'nowhere.g' "$accel" -trace nowhere.g -config folder
! grep -F 'exit detected' out || fail "a run without a trace looks complete"
xz -dc "$src/traces/samples/reduce/kernel-1.traceg.xz" 2>/dev/null | head -n 60 >cut.traceg
if test -s cut.traceg; then
	expect 2 'cut.traceg' "$accel" -trace cut.traceg -config folder
	! grep -F 'exit detected' out || fail "a run with half a trace looks complete"
fi
if test -w /dev/full; then
	"$accel" -trace "$list" -config folder >/dev/full 2>err && fail "a full disk is not noticed"
	grep 'standard output' err >/dev/null || fail "a full disk: $(cat err)"
fi

expect 0 '-config FILE' "$accel" --help
expect 0 '-config FILE' "$accel" -help
expect 0 'heddle-accel-sim ' "$accel" --version
done_testing
