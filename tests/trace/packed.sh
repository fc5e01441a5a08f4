#!/bin/sh
# packed.sh - a packed trace gives the bytes that its text gives, and damage to it is noticed
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"

cores=$src/netlists
compared=0

# prepare FOLDER LIST: text/app is the list among its kernels, packed/app the same trace packed
prepare()
{
	rm -rf text packed
	mkdir text packed
	cp "$1"/* text
	cp "text/$2" text/app
	expect 0 "${3-}" "$heddle" trace pack "text/$2" -o packed/app
}

# runs NETLIST OPTION...: what a run of each gives, its messages too
runs()
{
	for form in text packed; do
		(cd $form && "$heddle" run "$@" app --stats s.json --events e.csv --dump d.hdump >out 2>err
		 echo $? >status
		 sed -i -e '/^simulated in/d' out
		 sed -i -e 's/app:kernel/kernel/g' err
		 sed -i -e '/"seconds"/d' s.json)
	done
}

# same NETLIST OPTION...: both give equal bytes
same()
{
	runs "$@"
	for file in status out err s.json e.csv d.hdump; do
		cmp "text/$file" "packed/$file" || { fail "$trace on $*: another $file"; cat packed/err; }
	done
	compared=$((compared + 1))
}

# ---- bundled traces; cores that replay, that follow lanes, that synthesise control words ----
for trace in tiny vecadd hist; do
	prepare "$src/traces/samples/$trace" kernelslist.g
	for core in volta_sm lecture_sm a100_sm; do
		same "$cores/$core.json"
	done
done
trace=reduce
prepare "$src/traces/samples/reduce" kernelslist.g
same "$cores/volta_sm.json" --kernel 2
same "$cores/volta_sm.json" --kernel 3
same "$cores/volta_sm.json" --max-cycles 1500
same "$cores/lecture_sm.json" --max-cycles 1500 --shuffle 5
same "$cores/volta_sm.json" --keep-going
trace=tiny
prepare "$src/traces/samples/tiny" kernel-1.traceg
same "$cores/volta_sm.json"

# ---- a whole GPU, kernels of several streams, copies; a kernel that the list has twice ----
mkdir streams
sed 's/^-cuda stream id = .*/-cuda stream id = 7/' "$src/traces/samples/vecadd/kernel-1.traceg" >streams/kernel-a.traceg
cp "$src/traces/samples/tiny/kernel-1.traceg" streams/kernel-b.traceg
cp "$src/traces/samples/reduce/kernel-2.traceg.xz" streams/kernel-c.traceg.xz
printf '%s\n' MemcpyHtoD,0x1000,4096 kernel-a.traceg kernel-b.traceg MemcpyHtoD,0x9000,64 other kernel-c.traceg \
	kernel-a.traceg >streams/kernelslist.g
trace=streams
printf '{ "heddle": 1, "extends": "gpu.json", "set": { "clusters": 3, "channels": 8,
	"dispatcher.concurrent": true, "dispatcher.kernel_latency": 30 } }\n' >small.json
prepare streams kernelslist.g
same "$tmp/small.json"
same "$tmp/small.json" --kernel 2-3
same "$cores/volta_sm.json" --kernel 2-4

# ---- what is odd: warnings have the same counts and lines ----
mkdir odd
trace=odd
{
	sed -n '1,/^#BEGIN_TB/p' "$src/traces/samples/tiny/kernel-1.traceg" | sed 's/(32,1,1)/(96,1,1)/'
	cat <<'END'

thread block = 0,0,0
warp = 2
insts = 5
0000 ffffffff 1 R1 MOV 0 0
0010 0000ffff 1 R2 NEWOP.X 1 R2 0
0020 ffffffff 1 R4 LDG.E.SYS 1 R2 0

0030 ffffffff 2 R8 UR4 FADD 2 R2 R4 0 words behind
0040 ffffffff 1 R1 NEWLD.64 1 R2 4 1 0x7f6a20000000 4
warp = 0
insts = 6
0000 ffffffff 1 R1 MOV 0 0 12
0000 ffffffff 1 R1 MOV 0 0 13
0010 00000000 1 R2 NEWOP.X 1 R2 0
0050 ffffffff 0 EXIT 0 0
0060 000000f0 1 R4 LDG.E.SYS 1 R2 4 2 0x7f6a20000000 4 -8 16
0070 000000f0 0 EXIT 0 0
#END_TB
#BEGIN_TB
END
} >odd/kernel-1.traceg
printf 'kernel-1.traceg\n' >odd/kernelslist.g
prepare odd kernelslist.g 'goes on after an EXIT that has it'
same "$cores/volta_sm.json"
grep -q "opcode 'NEWOP' is not in" packed/err && grep -q 'the file goes on' packed/err \
	&& grep -q '1 warp is missing' packed/err && grep -q 'memory instruction has no addresses' packed/err \
	|| { fail "odd: not all of the warnings"; cat packed/err; }
same "$cores/a100_sm.json"
runs --strict "$cores/volta_sm.json"
test "$(cat text/status packed/status)" = '2
2' || fail "--strict: accepted"
# opcode tables that take another instruction as a load have its addresses
mkdir tables
printf '{ "heddle_opcode_tables": 1, "tables": [{ "file": "mine.json", "binary": [70], "from": 70 }] }' \
	>tables/index.json
cat >tables/mine.json <<'END'
{ "heddle_opcodes": 1, "opcodes": {
	"NEWLD": { "class": "LOAD", "does": ["load"], "space": "global" },
	"NEWOP": { "class": "LOAD", "does": ["load"], "space": "generic" },
	"EXIT": { "class": "EXIT", "does": ["exit"] } }, "default": { "class": "ALU" } }
END
printf '{ "heddle": 1, "extends": "volta_sm.json", "set": { "trace.own_opcodes": "%s" } }\n' "$tmp/tables" >mine.json
same "$tmp/mine.json"
expect 0 'NEWOP' "$heddle" trace info packed/app
grep -Eq "^kernel 1 .*: sm_70 \(Volta\), .*, warp instructions 11$" out || fail "info: the kernel"
grep -Eq '^1 kernel, 0 copies .*, 11 warp instructions, 6 opcodes, 2 of them unknown$' out || fail "info: the sum"
grep -Eq ' 2  18.2 %  ALU +NEWOP.X  unknown$' out || fail "info: an unknown opcode"
cp out info
expect 0 'NEWOP' "$heddle" trace info text/app
cmp out info || fail "info: the text has another"
# tables that end lanes elsewhere do not
sed -i -e 's/"NEWOP": { "class": "LOAD", "does": \["load"\]/"NEWOP": { "class": "EXIT", "does": ["exit"]/' tables/mine.json
expect 2 'have another idea of whether the instruction ends lanes' "$heddle" run -q "$tmp/mine.json" packed/app

# ---- checkpoints, reports, prints ----
trace=reduce
prepare "$src/traces/samples/reduce" kernelslist.g
cd packed || exit 99
expect 0 '' "$heddle" run -q --stats whole.json --save-at 1500 state "$cores/volta_sm.json" app
expect 0 '' "$heddle" run -q --stats rest.json --load state "$cores/volta_sm.json" app
cmp whole.json rest.json || fail "a checkpoint gives other statistics"
cd ..
expect 0 '' "$heddle" trace print text/app -o text/print
expect 0 '' "$heddle" trace print packed/app -o packed/print
cmp text/print packed/print || fail "printed otherwise"

# with their listings: their control words, and prints with the operands
cat >chain.hasm <<'END'
kernel chain block=64
[B------:R-:W-:-:S04] FFMA R1, R1, R2, R3
[B------:R-:W-:-:S09] FFMA R1, R1, 2, R3
[B------:R-:W-:-:S05] EXIT
END
trace=chain
expect 0 '' "$heddle" trace assemble chain.hasm -o chain
prepare chain kernelslist.g
same "$cores/modern_sm.json"
expect 0 '' "$heddle" trace print text/kernelslist.g -o text/print
expect 0 '' "$heddle" trace print packed/app -o packed/print
cmp text/print packed/print && grep -q S09 packed/print || fail "printed without the listing"
expect 2 'app:kernel-1.traceg: error: is in a packed trace; expected the trace as a text' "$heddle" trace control --partial "$src/tests/trace/sass/sm_80.cubin" packed/app -o joined

# ---- the same bytes whenever and wherever it is packed; no file after a mistake ----
prepare "$src/traces/samples/reduce" kernelslist.g
mkdir elsewhere
cp "$src"/traces/samples/reduce/* elsewhere
expect 0 '' "$heddle" trace pack elsewhere/kernelslist.g -o again
cmp packed/app again || fail "packed otherwise"
expect 2 'is a packed trace; expected a text' "$heddle" trace pack again -o twice
expect 2 'heddle trace pack: expected TRACE' "$heddle" trace pack
expect 2 'expected -o FILE' "$heddle" trace pack again
head -n 294 "$src/traces/samples/vecadd/kernel-1.traceg" >cut.traceg
expect 2 'ends within a thread block' "$heddle" trace pack cut.traceg -o none
test ! -e none && test ! -e twice || fail "a file after a mistake"

# ---- damage: each is refused ----
prepare "$src/traces/samples/tiny" kernelslist.g
trace=tiny
same "$cores/tutorial.json"
# a program without standard input opens files under its number
expect 0 '' "$heddle" run -q "$cores/tutorial.json" packed/app <&-
size=$(wc -c <packed/app)
at=0
while test $at -lt "$size"; do
	byte=$(dd if=packed/app bs=1 skip=$at count=1 2>/dev/null | od -An -tu1 | tr -d ' ')
	cp packed/app flipped
	printf "\\$(printf %o $((byte ^ 64)))" | dd of=flipped bs=1 seek=$at conv=notrunc 2>/dev/null
	try timeout 600 "$heddle" run -q "$cores/tutorial.json" flipped
	test "$status" -eq 2 && test -s err || { fail "byte $at flipped: exit status $status"; cat err; }
	at=$((at + 13))
done
for n in 8 30 64 700 $((size - 1)); do
	head -c $n packed/app >cut
	expect 2 "cut: " "$heddle" run -q "$cores/tutorial.json" cut
done
cp packed/app longer
echo >>longer
expect 2 "longer: has $((size + 1)) bytes; expected $size" "$heddle" run -q "$cores/tutorial.json" longer

echo "$compared pairs of runs"
done_testing
