#!/bin/sh
# lecture.sh - the cores for teaching run every trace, whatever the order of evaluation
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"
needs python3

cores='lecture_sm southern_islands_cu'

test "$(wc -l <"$src/netlists/lecture_sm.json")" -le 80 || fail "lecture_sm.json has more than 80 lines"

# done_by FILE: status, warp instructions of the run
done_by()
{
	stats 's["status"] + " %d" % s["warp_instructions"]' "$1"
}

# runs LIST: every core executes what the trace has
runs()
{
	try "$heddle" run -q --stats volta.json volta_sm.json "$1"
	test "$status" -eq 0 || fail "volta_sm $1: exit status $status"
	want=$(done_by volta.json)
	case $want in 'finished '[1-9]*) ;; *) fail "volta_sm $1: $want" ;; esac
	for core in $cores; do
		try "$heddle" run -q --stats plain.json --set divergence.module=as_traced "$core.json" "$1"
		test "$(done_by plain.json)" = "$want" || fail "$core $1: $(done_by plain.json), expected $want"
	done
}

for core in $cores; do
	expect 0 'no mistakes' "$heddle" check "$core.json"
	test ! -s err || fail "$core: $(cat err)"
	for trace in tiny vecadd reduce hist softcopy; do
		any_order plain.json "$core.json" "$src/traces/samples/$trace/kernelslist.g"
	done
done
for list in "$src"/traces/samples/*/kernelslist.g; do
	runs "$list"
done

# ---- the tables of docs/changing-a-core.md ----
# row COLUMN: a row of the table whose first column is headed so, without the spaces
rows()
{
	sed -n "/^| \`$1\` /,/^\$/s/^| *\(\`[a-z_.=0-9]*\`\)* *|\( [0-9].*\)/\1|\2/p" \
		"$src/docs/changing-a-core.md" | tr -d '`, '
}

# cycles TRACE SETS: warp instructions and cycles of lecture_sm
cycles()
{
	list=$src/traces/samples/$1/kernelslist.g
	shift
	expect 0 '' "$heddle" run -q --stats plain.json "$@" lecture_sm.json "$list"
	stats '"%d %d" % (s["cycles"], s["warp_instructions"])' plain.json
}

rows divergence.module >policies
test "$(wc -l <policies)" -eq 4 || fail "docs/changing-a-core.md: $(cat policies)"
while IFS='|' read -r policy reduce reduce_cycles hist hist_cycles _; do
	got=$(cycles reduce --set "divergence.module=$policy"; cycles hist --set "divergence.module=$policy")
	test "$(echo "$got" | xargs)" = "$reduce_cycles $reduce $hist_cycles $hist" ||
		fail "docs/changing-a-core.md: $policy: $(echo "$got" | xargs)"
done <policies
rows --set >steps
test "$(wc -l <steps)" -eq 5 || fail "docs/changing-a-core.md: $(cat steps)"
set --
while IFS='|' read -r change matmul reduce vecadd _; do
	test -z "$change" || set -- "$@" --set "$change"
	for pair in "matmul $matmul" "reduce $reduce" "vecadd $vecadd"; do
		got=$(cycles "${pair% *}" "$@")
		test "${got%% *}" = "${pair#* }" || fail "docs/changing-a-core.md: $* ${pair% *}: $got"
	done
done <steps

# head THREADS: of a trace of one thread block
head()
{
	printf '%s\n' '-kernel name = by_hand' '-grid dim = (1,1,1)' "-block dim = ($1,1,1)" '-shmem = 256' \
		'-binary version = 70' '-accelsim tracer version = 4' '#' '#BEGIN_TB' 'thread block = 0,0,0'
}

# issues CORE TRACE OPTION...: a line for each cycle with an issue, "CYCLE sN:wN sN:wN"
issues()
{
	core=$1 trace=$2
	shift 2
	expect 0 '' "$heddle" run -q --events events.log "$@" "$core.json" "$trace"
	sed -n 's/^\([0-9]*\) issue sched=\([0-9]*\) warp=\([0-9]*\) .*/\1 s\2:w\3/p' events.log |
		awk '{ at[$1] = at[$1] " " $2; last = $1 } END { for (c = 0; c <= last; c++) if (c in at) print c at[c] }'
}

# ---- two warps: the SFU has one slot for both schedulers, the scoreboard six entries for each warp ----
cat >body.txt <<'END'
insts = 11
0000 ffffffff 1 R8 MUFU.RCP 1 R2 0
0010 ffffffff 1 R9 FADD 1 R2 0
0020 ffffffff 1 R10 MUFU.RCP 1 R2 0
0030 ffffffff 1 R11 MUFU.RCP 1 R2 0
0040 ffffffff 1 R12 MUFU.RCP 1 R2 0
0050 ffffffff 1 R13 MUFU.RCP 1 R2 0
0060 ffffffff 1 R14 FADD 1 R2 0
0070 ffffffff 1 R15 FADD 1 R2 0
0080 ffffffff 1 R16 FADD 1 R2 0
0090 ffffffff 1 R17 FADD 1 R2 0
00a0 ffffffff 0 EXIT 0 0
END
{ head 64; echo 'warp = 0'; cat body.txt; echo 'warp = 1'; cat body.txt; echo '#END_TB'; } >two.traceg
issues lecture_sm two.traceg >two.txt
grep -qE 's0:w1|s1:w0' two.txt && fail "an odd warp of the even scheduler"
grep -qE 's([01]):.*s\1:' two.txt && fail "a scheduler issued twice in a cycle"
grep -q 's0:w0.*s1:w1\|s1:w1.*s0:w0' two.txt || fail "never both schedulers"
# registers that are pending, per warp; EXIT writes none
$python - events.log <<'END' || fail "not six entries of the scoreboard"
import re, sys
pending, most, issued, full = [0, 0], [0, 0], [0, 0], [0, 0]
for line in open(sys.argv[1]):
	m = re.match(r"(\d+) (issue|release) (?:sched=\d+ )?warp=(\d+)", line)
	if m:
		w = int(m.group(3))
		if m.group(2) == "issue":
			issued[w] += 1
		pending[w] += (1 if issued[w] <= 10 else 0) if m.group(2) == "issue" else -1
		most[w] = max(most[w], pending[w])
assert issued == [11, 11] and pending == [0, 0] and most == [6, 6], (issued, pending, most)
END
expect 0 '' "$heddle" run -q --dump two.hdump --dump-filter event=inst,issue.slot lecture_sm.json two.traceg
expect 0 '' "$heddle" dump --to text two.hdump
for s in 0 1; do
	grep -q "issue\[$s\] reason=scoreboard.entries .*warp=$s " out || fail "scheduler $s: no entry is missing"
	grep -q "issue\[$s\] reason=stall.full unit=SFU .*warp=$s " out || fail "scheduler $s never loses the slot"
done

# ---- a compute unit: after a barrier SIMD 0 has an instruction of each of the five types ----
{
	head 640
	for w in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19; do
		case $w in
		0) does='1 R8 FADD 1 R2 0' ;;
		4) does='1 R8 MOV 0 0' ;;
		8) does='1 R8 LDG.E 1 R2 4 1 0x1000 4' ;;
		12) does='1 R8 LDS 1 R2 4 1 0x0 4' ;;
		16) does='0 BRA 0 0' ;;
		*) does='0 NOP 0 0' ;;
		esac
		printf '%s\n' "warp = $w" 'insts = 3' '0000 ffffffff 0 BAR.SYNC 0 0' "0010 ffffffff $does" \
			'0020 ffffffff 0 EXIT 0 0'
	done
	echo '#END_TB'
} >types.traceg
# instructions differ at one pc, as those of a program do not: warps follow the trace
issues southern_islands_cu types.traceg --set divergence.module=as_traced --set fetch.follow=trace >types.txt
awk '{ for (i = 2; i <= NF; i++) { split($i, p, /[sw:]+/); if (p[2] != $1 % 4 || p[3] % 4 != p[2]) exit 1 } }' types.txt ||
	fail "a SIMD out of turn, or a wave of another"
grep -qE '(w[0-9]+)( .*)? s[0-9]:\1( |$)' types.txt && fail "a wave issued twice in a cycle"
grep -qE '^[0-9]+ s0:w0 s0:w4 s0:w8 s0:w12 s0:w16$' types.txt || fail "never five types: $(cat types.txt)"

# all traces that there are reference figures for: an eighth of the made ones unless HEDDLE_ALL is set
oracle=${HEDDLE_ORACLE:-$src/../shared/oracle}
n=0
for list in "$oracle"/made/*/kernelslist.g "$oracle"/divergence/*/kernelslist.g "$oracle"/real/*/kernelslist.g; do
	test -f "$list" || continue
	n=$((n + 1))
	case $list in */real/*) ;; *) test -n "${HEDDLE_ALL:-}" || test $((n % 8)) -eq 1 || continue ;; esac
	runs "$list"
done
test "$n" -gt 0 || echo "no other traces: set HEDDLE_ORACLE to the folder with made, divergence, real"
done_testing
