#!/bin/sh
# bad.sh - cut, flipped and contradictory traces end in messages, never in a signal
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"

core=$src/netlists/volta_sm.json
mkdir t
cp "$src/traces/samples/tiny/kernel-1.traceg" tiny.traceg
cp "$src/traces/samples/vecadd/kernel-1.traceg" vecadd.traceg

# survives NAME FILE: exit status 0, 1 or 2, with a message unless 0, soon
survives()
{
	try timeout 600 "$heddle" run -q "$core" "$2"
	case $status in
	0) ;;
	1 | 2) test -s err || fail "$1: exit status $status without a message" ;;
	124) fail "$1: does not end" ;;
	*) fail "$1: exit status $status"; cat err ;;
	esac
	if grep -iqE 'sanitizer|runtime error|assert' err; then
		fail "$1:"
		cat err
	fi
}

# ends STATUS TEXT FILE [OPTION...]
ends()
{
	want=$1
	text=$2
	file=$3
	shift 3
	expect "$want" "$text" timeout 600 "$heddle" run -q "$@" "$core" "$file"
}

ends 0 '' tiny.traceg

# ---- what editors and concatenation leave ----
printf '\357\273\277' | cat - tiny.traceg >t/kernel-1.traceg
ends 2 'kernel-1.traceg:1:1: begins with a byte-order mark' t/kernel-1.traceg
cp tiny.traceg t/kernel-1.traceg
printf '\357\273\277kernel-1.traceg\n' >t/kernelslist.g
ends 2 'kernelslist.g:1:1: begins with a byte-order mark' t/kernelslist.g
printf '\377\376k\000e\000' >t/kernelslist.g
ends 2 'kernelslist.g:1:1: is UTF-16' t/kernelslist.g
sed 's/^-block dim.*/&\n&/' tiny.traceg >t/twice.traceg
ends 2 "the header has 'block dim' twice" t/twice.traceg
sed 's/^-nregs =.*/-nregs : 12/' tiny.traceg >t/colon.traceg
ends 2 "colon.traceg:6:1: expected '-key = value', found '-nregs'" t/colon.traceg

# ---- compressed in another way than by xz ----
echo kernel-1.traceg >t/kernelslist.g
printf '\037\213\010\000' >t/kernel-1.traceg
ends 2 'kernel-1.traceg: is compressed by gzip; expected plain text, or xz' t/kernel-1.traceg
ends 2 'kernel-1.traceg: is compressed by gzip; expected plain text, or xz' t/kernelslist.g
printf '\050\265\057\375\044' >t/kernelslist.g
ends 2 'kernelslist.g: is compressed by zstd; expected plain text, or xz' t/kernelslist.g

printf 'BZh91AY&SY\1\2' >t/kernelslist.g
ends 2 'kernelslist.g: is compressed by bzip2; expected plain text, or xz' t/kernelslist.g

# ---- lists may name files elsewhere ----
mkdir -p t/sub
cp tiny.traceg t/sub/kernel-1.traceg
echo "sub/kernel-1.traceg" >t/kernelslist.g
ends 0 '' t/kernelslist.g
echo "$tmp/t/sub/kernel-1.traceg" >t/kernelslist.g
ends 0 '' t/kernelslist.g
echo "none/kernel-1.traceg" >t/kernelslist.g
ends 2 "kernelslist.g:1: no kernel file 'none/kernel-1.traceg'" t/kernelslist.g
printf 'MemcpyHtoD,0x7f0000000000,1152921504606846976\nkernel-1.traceg\n' >t/kernelslist.g
ends 2 'kernelslist.g:1: copies 1152921504606846976 bytes; expected at most 274877906944' t/kernelslist.g
for bad in '1:MemcpyHtoD 0x7f0000000000,128' '1:MemcpyHtoD' '3:  MemcpyHtoD' '1:app-1.traceg' '5:sub/app.traceg.xz' '1:x.tracez' \
	'12:MemcpyHtoD,' '12:MemcpyHtoD,x,128' '12:MemcpyHtoD,0x' '26:MemcpyHtoD,0x7f0000000000' \
	'27:MemcpyHtoD,0x7f0000000000,' '27:MemcpyHtoD,0x7f0000000000,128k' \
	'27:MemcpyHtoD,0x7f0000000000,-1'; do
	printf '%s\nkernel-1.traceg\n' "${bad#*:}" >t/kernelslist.g
	ends 2 "kernelslist.g:1:${bad%%:*}: expected " t/kernelslist.g
done
# blanks around a name do not hide it; comments do
printf '# sub/kernel-1.traceg\n \t sub/kernel-1.traceg\r\n  #kernel-1.traceg\nsub/kernel-1.traceg \n' >t/kernelslist.g
ends 0 '' t/kernelslist.g
"$heddle" trace info t/kernelslist.g >out
grep -q '^2 kernels,' out || { fail 'lines with blanks in front'; cat out; }
rm -r t/sub t/kernelslist.g

# ---- cut anywhere ----
size=$(wc -c <tiny.traceg)
cut=0
while test "$cut" -lt "$size"; do
	head -c "$cut" tiny.traceg >t/kernel-1.traceg
	survives "tiny cut after $cut bytes" t/kernel-1.traceg
	test "$status" -ne 0 || test "$cut" -ge $((size - 2)) ||
		fail "tiny cut after $cut bytes: accepted"
	cut=$((cut + 7))
done
for cut in 1000 5000 20000 77777 100001 155000 155700; do
	head -c "$cut" vecadd.traceg >t/kernel-1.traceg
	ends 2 'kernel-1.traceg' t/kernel-1.traceg
done
for trace in matmul softcopy; do
	size=$(wc -c <"$src/traces/samples/$trace/kernel-1.traceg.xz")
	for cut in 0 1 5 6 12 30 200 1000 $((size - 200)) $((size - 13)) $((size - 12)) $((size - 1)); do
		head -c "$cut" "$src/traces/samples/$trace/kernel-1.traceg.xz" >t/cut.traceg.xz
		survives "$trace.xz cut after $cut bytes" t/cut.traceg.xz
		test "$status" -ne 0 || fail "$trace.xz cut after $cut bytes: accepted"
	done
	for at in 3 8 20 100 500 1500; do
		cp "$src/traces/samples/$trace/kernel-1.traceg.xz" t/flip.traceg.xz
		chmod u+w t/flip.traceg.xz
		printf '\125' | dd of=t/flip.traceg.xz bs=1 seek="$at" conv=notrunc 2>/dev/null
		survives "$trace.xz with another byte at $at" t/flip.traceg.xz
	done
done

# ---- other characters, drawn with a fixed seed ----
seed=1
while test "$seed" -le 120; do
	awk -v seed="$seed" 'BEGIN { srand(seed); set = "0123456789abcdefRxX-+#=,. \t@" }
		{ line[NR] = $0 }
		END { for (i = 0; i < 3; i++) {
				n = 1 + int(rand() * NR); k = 1 + int(rand() * length(line[n]))
				c = substr(set, 1 + int(rand() * length(set)), 1)
				line[n] = substr(line[n], 1, k - 1) c substr(line[n], k + (rand() < 0.7))
			}
			if (rand() < 0.2) line[1 + int(rand() * NR)] = ""
			if (rand() < 0.2) { n = 1 + int(rand() * NR); line[n] = line[n] "\n" line[n] }
			for (i = 1; i <= NR; i++) print line[i] }' tiny.traceg >t/kernel-1.traceg
	survives "tiny changed by seed $seed" t/kernel-1.traceg
	seed=$((seed + 1))
done

# ---- lists ----
: >t/empty.g
ends 2 'is empty' t/empty.g
: >t/empty.traceg
ends 2 't/empty.traceg' t/empty.traceg
echo 'kernel-7.traceg' >t/kernelslist.g
ends 2 "no kernel file 'kernel-7.traceg'" t/kernelslist.g
echo 'MemcpyHtoD,0x1,2' >t/kernelslist.g
ends 2 'names no kernel' t/kernelslist.g
mkdir t/kernel-8.traceg
echo 'kernel-8.traceg' >t/kernelslist.g
ends 2 'kernel-8.traceg' t/kernelslist.g
# the first kernel runs, then the second is missing: statistics are still written
cp tiny.traceg t/kernel-1.traceg
printf 'kernel-1.traceg\nkernel-9.traceg\n' >t/kernelslist.g
survives 'second kernel missing' t/kernelslist.g
test "$status" -eq 2 || fail "second kernel missing: exit status $status"
dd if=/dev/zero of=t/zero.traceg bs=1024 count=64 2>/dev/null
ends 2 't/zero.traceg' t/zero.traceg

# ---- traces that contradict themselves.  trace NAME THREADS: one block, warps from stdin ----
trace()
{
	{
		printf -- '-kernel name = k\n-kernel id = 1\n-grid dim = (1,1,1)\n-block dim = (%s,1,1)\n' "$1"
		printf -- '-shmem = 0\n-nregs = 8\n-binary version = 70\n-cuda stream id = 0\n'
		printf -- '-shmem base_addr = 0x00007f0000000000\n-local mem base_addr = 0x00007f1000000000\n'
		printf -- '-nvbit version = 1.5\n-accelsim tracer version = 4\n-enable lineinfo = 0\n\n'
		printf '#traces format = whatever\n\n#BEGIN_TB\n\nthread block = 0,0,0\n\n'
		cat
		printf '\n#END_TB\n'
	} >t/k.traceg
}

trace 32 <<'END'
warp = 0
insts = 3
0000 ffffffff 1 R1 MOV 0 0
0010 0000ffff 0 EXIT 0 0
0020 0000ffff 0 EXIT 0 0
END
ends 2 't/k.traceg:25: lanes 0000ffff of warp 0 exit a second time' t/k.traceg --strict
ends 0 't/k.traceg:25: a lane goes on after an EXIT that has it; 1 EXIT in 1 kernel taken' t/k.traceg
trace 32 <<'END'
warp = 0
insts = 2
0000 ffffffff 0 EXIT 0 0
0010 ffffffff 1 R1 MOV 0 0
END
ends 2 't/k.traceg:24: an instruction follows although all threads of warp 0 have exited' \
	t/k.traceg --strict
trace 32 <<'END'
warp = 0
insts = 2
0000 ffffffff 0 EXIT 0 0 0
0010 00000000 1 R1 MOV 0 0
END
ends 2 't/k.traceg:24: an instruction follows although all threads of warp 0 have exited' t/k.traceg
trace 32 <<'END'
warp = 0
insts = 3
0000 ffffffff 1 R1 MOV 0 0
0010 ffffffff 0 EXIT 0 0
END
ends 2 "'insts' is 3" t/k.traceg
trace 32 <<'END'
warp = 0
insts = 1
0000 ffffffff 1 R1 MOV 0 0
0010 ffffffff 0 EXIT 0 0
END
ends 2 "the last one that 'insts' announced" t/k.traceg
trace 64 <<'END'
warp = 0
insts = 2
0000 ffffffff 1 R1 MOV 0 0
0010 ffffffff 0 EXIT 0 0
warp = 1
insts = 2
0000 ffffffff 1 R1 MOV 0 0
0010 000000ff 0 EXIT 0 0
END
ends 0 'ends before all threads exit' t/k.traceg
trace 32 <<'END'
warp = 0
insts = 4
0000 ffffffff 1 R1 MOV 0 0
0010 ffffffff 1 R2 FROBNICATE.X 1 R1 0
0020 ffffffff 1 R3 FROBNICATE.Y 1 R2 0
0030 ffffffff 0 EXIT 0 0
END
ends 0 "opcode 'FROBNICATE" t/k.traceg
grep -q warning err || fail "unknown opcode: no warning"
sed 's/"opcodes": "opcodes"/"opcodes": "opcodes", "unknown": "error"/' "$core" >strict.json
cp -R "$src/netlists/opcodes" .
expect 2 "opcode 'FROBNICATE" "$heddle" run -q strict.json t/k.traceg
# memory instructions without addresses, or with a destination where there is none, must not hang
trace 32 <<'END'
warp = 0
insts = 9
0000 ffffffff 1 R1 LDG.E 1 R2 0 0
0010 ffffffff 1 R1 LDL 1 R2 0 0
0020 ffffffff 0 STG.E 2 R2 R3 0 0
0030 ffffffff 1 R1 ATOMG.ADD 2 R2 R3 0 0
0040 ffffffff 0 RED.ADD 2 R2 R3 4 1 0x0 0
0050 ffffffff 1 R4 STG.E 2 R2 R3 4 1 0x7f6a20000000 4
0060 ffffffff 1 R1 IADD3 2 R1 R4 0
0070 ffffffff 1 R1 ATOMG.ADD 2 R2 R3 4 0 0x7f6a20000000 0x0@
0080 ffffffff 0 EXIT 0 0
END
sed "s/ 0x0@/$(printf ' 0x0%.0s' 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31)/" \
	t/k.traceg >t/k2.traceg
ends 0 '4 memory instructions have no addresses' t/k2.traceg
# what a line, an instruction and a block may take: small files must not fill memory
trace 32 <<END
warp = 0
insts = 2
0000 ffffffff 1 R1 MOV$(printf '%600s' '') 0 0
0010 ffffffff 0 EXIT 0 0
END
ends 2 'an instruction of 6' t/k.traceg
{
	echo 'warp = 0'
	echo 'insts = 600001'
	yes '0000 ffffffff 1 R1 MOV 0 0' | head -600000
	echo '0010 ffffffff 0 EXIT 0 0'
} | trace 32
ends 2 "takes more than the 1 MiB that 'block_memory' allows" t/k.traceg --set trace.block_memory=1
# what reads twice refuses a pipe, without a wait for its writer where the kernel can tell
mkfifo t/pipe.traceg
ends 2 'is a pipe' t/pipe.traceg --check-modules
ends 2 'is a pipe' t/pipe.traceg --keep-going
# one warp waits at a barrier, the other one at another barrier twice as often: no warp comes
trace 64 <<'END'
warp = 0
insts = 3
0000 ffffffff 0 BAR.SYNC 0 0
0010 ffffffff 0 BAR.SYNC 0 0
0020 ffffffff 0 EXIT 0 0
warp = 1
insts = 2
0000 ffffffff 0 BAR.SYNC 0 0
0020 0000ffff 0 EXIT 0 0
END
survives 'a warp that half exits before the barrier' t/k.traceg
trace 2048 <<'END'
warp = 0
insts = 1
0000 ffffffff 0 EXIT 0 0
END
survives 'more threads than a block may have' t/k.traceg
sed 's/^-nregs = 12/-nregs = 100000/' tiny.traceg >t/k.traceg
ends 2 'does not fit on this SM' t/k.traceg
sed 's/^-shmem = 0/-shmem = 99999999/' tiny.traceg >t/k.traceg
ends 2 'does not fit on this SM' t/k.traceg
# messages show the word that is wrong, not what stands around it
sed 's/^-binary version = .*/& # for the tables/' tiny.traceg >t/k.traceg
ends 2 "k.traceg:7:22: expected the end of the line, found '#'" t/k.traceg
sed 's/^-block dim = .*/-block dim = (32, 64)/' tiny.traceg >t/k.traceg
ends 2 "k.traceg:4:21: expected (x,y,z), each from 1, found ')'" t/k.traceg
sed 's/^-block dim = .*/-block dim = (32, 6x,1)/' tiny.traceg >t/k.traceg
ends 2 "k.traceg:4:19: expected (x,y,z), each from 1, found '6x'" t/k.traceg
sed 's/^thread block = .*/thread block = 0, x,0/' tiny.traceg >t/k.traceg
ends 2 ": expected the thread block's x,y,z, found 'x'" t/k.traceg
sed 's/^thread block = .*/thread block = 0,3,0/' tiny.traceg >t/k.traceg
ends 2 ":18: expected a number below the grid's 1, found '3'" t/k.traceg
printf 'MemcpyHtoD,12x,64\nkernel-1.traceg\n' >t/kernelslist.g
ends 2 "kernelslist.g:1:12: expected 'MemcpyHtoD,address,bytes', found '12x'" t/kernelslist.g
# one bad line is one error, however many SMs there are
blocks()
{
	printf -- '-kernel name = k\n-kernel id = 1\n-grid dim = (%s,1,1)\n-block dim = (32,1,1)\n' "$1"
	printf -- '-shmem = 0\n-nregs = 8\n-binary version = 70\n-cuda stream id = 0\n'
	printf -- '-accelsim tracer version = 4\n\n#traces format = x\n'
	shift
	for block; do
		printf '#BEGIN_TB\nthread block = %s,0,0\nwarp = 0\ninsts = 2\n0000 ffffffff 1 R1 MOV 0 0\n' "$block"
		printf '0010 ffffffff 0 EXIT 0 0\n#END_TB\n'
	done
}
blocks 200 $(seq 0 199) | sed '/^thread block = 1,/,/^#END_TB/s/ EXIT/ exit/' >t/k.traceg
for how in '' '--set dispatcher.concurrent=true --set dispatcher.window=8'; do
	# shellcheck disable=SC2086 # several words
	expect 2 "expected an opcode, found 'exit'" "$heddle" run -q "$src/netlists/quadro_gv100.json" $how t/k.traceg
	test "$(grep -c 'error:' err)" -eq 1 || { fail "one bad line, $how: more than an error"; head err; }
done
# blocks that stand twice are left out with a warning, and then another one is missing, wherever the trace is read
blocks 4 0 3 1 1 2 >t/k.traceg
blocks 4 0 3 1 2 >t/once.traceg
expect 0 '1 thread block stands a second time, first in front of line 39' "$heddle" run -q "$core" t/k.traceg --stats twice.json
ends 0 '' t/once.traceg --stats once.json
sed -e 's/k.traceg/once.traceg/' -e '/"lines"\|"bytes"/d' twice.json >twice
sed '/"lines"\|"bytes"/d' once.json | cmp -s twice - || fail 'a block that stands twice: other statistics than once'
for command in info print 'pack -o t/k.hpack'; do
	# shellcheck disable=SC2086 # several words
	expect 0 'stands a second time' "$heddle" trace $command t/k.traceg
done
ends 0 '' t/k.hpack
blocks 4 0 3 1 1 >t/k.traceg
for command in "run -q $core" 'trace info' 'trace print' 'trace pack -o t/k.hpack'; do
	# shellcheck disable=SC2086 # several words
	expect 2 'the file ends after 3 of the 4 thread blocks of its grid; expected all of them; 2,0,0 is missing' \
		"$heddle" $command t/k.traceg
done
sed 's/^-grid dim = .*/-grid dim = (3,1,1)/' tiny.traceg >t/k.traceg
ends 2 't/k.traceg:37: the file ends after 1 of the 3 thread blocks of its grid; expected all of them' \
	t/k.traceg --stats cut.json
test "$(figure cut.json status)" = "bad input" || fail "no statistics of a trace that is cut"
sed 's/^-kernel id = .*/-kernel id = 18446744073709551615/' tiny.traceg >t/k.traceg
ends 2 "k.traceg:2:14: expected a number of at most 63 bits, found '18446744073709551615'" t/k.traceg
sed 's/^-kernel id = .*/-kernel id = 9223372036854775807/' tiny.traceg >t/k.traceg
ends 0 '' t/k.traceg --stats cut.json
grep -q '"id": 9223372036854775807' cut.json || fail "a large kernel id in the statistics"
sed 's/^-grid dim = .*/-grid dim = (0,1,1)/' tiny.traceg >t/k.traceg
survives 'grid of 0' t/k.traceg
sed 's/^-grid dim = .*/-grid dim = (4294967295,4294967295,4294967295)/' tiny.traceg >t/k.traceg
survives 'grid of 2^96' t/k.traceg
sed 's/^-block dim = .*/-block dim = (0,0,0)/' tiny.traceg >t/k.traceg
survives 'block of 0' t/k.traceg
sed 's/^-binary version = .*/-binary version = 12/' tiny.traceg >t/k.traceg
survives 'binary version 12' t/k.traceg
sed '/^-grid dim/d' tiny.traceg >t/k.traceg
ends 2 'grid dim' t/k.traceg
done_testing
