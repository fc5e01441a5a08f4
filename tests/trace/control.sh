#!/bin/sh
# control.sh - control fields and operands of cubins and of texts of disassemblers join traces
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"

sass=$src/tests/trace/sass

# list FILE NAME: function NAME of a listing, without the line of its name and what pads its end
list()
{
	"$heddle" trace control --list "$1" |
		awk -v name="$2" '/^kernel / { on = $2 == name; next } on && NF && !/ NOP$/'
}

# record FILE NAME SM: the folder `trace`, with listings in `listed`, of all instructions of a function, as if
# they were executed one after the other
record()
{
	rm -rf trace listed
	{
		echo "kernel $2 sm=$3 block=64 grid=2 opcodes=any exit=written"
		list "$1" "$2" >code
		sed 's/# unknown.*/VIADD R1, R2/; / LDC/b; /\[[RU]/s/$/ addr=0x7f0000000000+4*lane/; /EXIT/s/$/ mask=0/' code
		grep '/ EXIT' code | tail -n 1
	} >text.hasm
	"$heddle" trace assemble text.hasm -o trace 2>err || { fail "$2 of $1"; cat err; }
	mkdir listed && mv trace/*.json listed
}

# ---- listings ----
for sm in 75 80 90; do
	"$heddle" trace control --list "$sass/sm_$sm.cubin" | diff - "$sass/sm_$sm.hasm" >differs ||
		{ fail "sm_$sm.cubin:"; head differs; }
done
grep -q unknown "$sass/sm_75.hasm" "$sass/sm_80.hasm" && fail "instructions that are not known"
list "$sass/sm_80.cubin" saxpy >expected
list "$sass/cuobjdump.txt" saxpy | diff - expected || fail "cuobjdump.txt"
list "$sass/sm_80.cubin" sum >expected
list "$sass/nvdisasm.txt" sum | diff - expected || fail "nvdisasm.txt: labels"
sed 's/$/\r/' "$sass/nvdisasm.txt" >crlf.txt
list crlf.txt sum | diff - expected || fail "CRLF"
"$heddle" trace control --list - <"$sass/cuobjdump.txt" >out || fail "standard input"
cat >expected <<'END'
[B------:R-:W-:-:S06] /*0008*/ MOV R1, c[0x0][0x20]
[B------:R-:W0:-:S01] /*0010*/ S2R R0, SR_CTAID.X
[B------:R-:W0:Y:S02] /*0018*/ S2R R2, SR_TID.X
[B0-----:R-:W-:-:S06] /*0028*/ XMAD.MRG R3, R0.reuse, c[0x0] [0x8].H1, RZ
[B------:R-:W-:Y:S13] /*0030*/ ISETP.GE.AND P0, PT, R0, c[0x0][0x14c], PT
[B------:R-:W-:-:S15] /*0038*/ @P0 EXIT
[B------:R-:W-:-:S01] /*0048*/ SHL R6, R0.reuse, 0x2
[B------:R-:W-:-:S06] /*0050*/ SHR R0, R0, 0x1e
[B------:R-:W2:Y:S04] /*0058*/ LDG.E R7, [R4]
[B--2---:R1:W-:-:S01] /*0068*/ STG.E [R6], R7
[B------:R-:W-:-:S15] /*0070*/ EXIT
[B------:R-:W-:-:S15] /*0078*/ BRA 0x78
END
list "$sass/pascal.txt" pascal | diff - expected || fail "pascal.txt"

# ---- there and back: the listing of the trace is that of the code ----
same()
{
	record "$1" "$2" "$3"
	expect 0 '' "$heddle" trace control "$1" trace/kernelslist.g -o joined
	grep -q "^kernel 1 '$2': \([0-9]*\) of \1 instructions, \([0-9]*\) of \2 executed, from $1" out ||
		{ fail "$2 of $1: coverage"; cat out; }
	for folder in listed joined; do
		grep '"pc"' $folder/kernel-1.sass.json | sed 's/,$//' | grep -v '"NOP"' | sort -u >$folder.insts
	done
	diff listed.insts joined.insts >differs ||
		{ fail "$2 of $1: the listing:"; head -n 4 differs; }
	cmp -s trace/kernel-1.traceg joined/kernel-1.traceg || fail "$2 of $1: the trace"
}
for name in saxpy sum count tile paths; do
	for sm in 75 80; do
		same "$sass/sm_$sm.cubin" $name $sm
	done
done
same "$sass/nvdisasm.txt" sum 80
same "$sass/pascal.txt" pascal 61
expect 0 finished "$heddle" run "$src/netlists/pascal_sm.json" joined/kernelslist.g

# ---- instructions that are not known have the operands that the trace has ----
sed 's/\x36\x78/\xff\x79/g' "$sass/sm_90.cubin" >unknown.cubin # nothing in place of VIADD
record unknown.cubin paths 90
expect 0 ' unknown' "$heddle" trace control unknown.cubin trace/kernelslist.g -o joined
grep -q '"text": "VIADD R1, R2", "control": {"wait": \[0\], "yield": true, "stall": 6}' \
	joined/kernel-1.sass.json || fail "an encoding that is not known"

# ---- branches go to instructions of their function ----
for sm in 75 80 90; do
	"$heddle" trace control --list "$sass/sm_$sm.cubin" >out || fail "sm_$sm"
	awk '
		function end_of_kernel(t) { for (t in to) if (!(t in at)) print t; split("", to); split("", at) }
		$1 == "kernel" { end_of_kernel() }
		match($0, "/\\*0*[0-9a-f]+\\*/") {
			pc = substr($0, RSTART + 2, RLENGTH - 4)
			sub(/^0+/, "", pc)
			at["0x" (pc == "" ? "0" : pc)] = 1
		}
		/ (BRA|BSSY|CALL|RET)[. ]/ && $NF ~ /^0x/ { to[$NF] = 1 }
		END { end_of_kernel() }' out >lost
	grep -Eq ' BRA .*0x' out || fail "sm_$sm: no branch"
	test ! -s lost || fail "sm_$sm: branches to $(xargs <lost)"
done

# ---- into the same folder again; compressed, several launches, copies ----
record "$sass/sm_80.cubin" saxpy 80
{ sed '1a copy 0x7f0000000000 4096' text.hasm; cat text.hasm; } >two.hasm
rm -rf trace joined
"$heddle" trace assemble two.hasm -o trace || fail two.hasm
rm trace/*.json
xz trace/kernel-2.traceg
sed -i 's/2.traceg/2.traceg.xz/' trace/kernelslist.g
for again in 1 2; do
	expect 0 'kernel 2' "$heddle" trace control "$sass/sm_80.cubin" trace/kernelslist.g -o joined
done
ls joined >out
printf '%s\n' kernel-1.sass.json kernel-1.traceg kernel-2.sass.json kernel-2.traceg.xz kernelslist.g >expected
diff out expected || fail "files of the folder"
diff trace/kernelslist.g joined/kernelslist.g || fail "the list of kernels"

# ---- what does not fit ----
record "$sass/sm_80.cubin" saxpy 80
control()
{
	"$heddle" trace control "$@"
}

# refuse TEXT LISTING: TEXT is among the messages, and nothing is written
refuse()
{
	expect 2 "$1" control "$2" trace/kernelslist.g -o refused
	test ! -e refused || fail "$1: a folder was written"
	rm -rf refused
}
refuse "kernel 1 'saxpy': no listing has this function; they have sum" "$sass/nvdisasm.txt"
refuse "kernel 1 'saxpy': the listing has it for sm_75; expected sm_80" "$sass/sm_75.cubin"
sed 's/FFMA R7/FADD R7/' "$sass/cuobjdump.txt" >other.txt
refuse "other.txt:36:1: error: kernel 1 'saxpy', pc 0xc0: the trace has 'FFMA', the listing 'FADD'" other.txt
sed '/\/\*00d0/,$d' "$sass/cuobjdump.txt" >short.txt
refuse "pc 0xd0: beyond the function, whose last instruction is at 0xc0; the trace has 'STG.E'" short.txt
sed '/\/\*00c0/,+1d' "$sass/cuobjdump.txt" >hole.txt
refuse "pc 0xc0: not in the listing; the trace has 'FFMA'" hole.txt
expect 0 'of 16 instructions' control --partial hole.txt trace/kernelslist.g -o partial
grep -q '"pc": 192' partial/kernel-1.sass.json && fail "an instruction that is not in the listing"
expect 0 'no listing of 1' control -p "$sass/nvdisasm.txt" trace/kernelslist.g -o nothing
test ! -e nothing/kernel-1.sass.json || fail "a listing of nothing"
sed 's/0x000fe40000000f00/0x000fa40000000f00/' "$sass/cuobjdump.txt" >counter.txt
refuse "counter.txt:12:1: error: kernel 1 'saxpy', pc 0x0: impossible control word: write counter 6" counter.txt
sed 's/0x000fe40000000f00/0xc00fe40000000f00/' "$sass/cuobjdump.txt" >top.txt
refuse 'impossible control word: bits 126 and 127 are not zero' top.txt
sed 's/IMAD R4, R4/IMAD R4, R5/' "$sass/cuobjdump.txt" >register.txt
expect 0 "register.txt: warning: kernel 1 'saxpy': 1 instruction has other registers than the trace has, first at pc 0x30" \
	control register.txt trace/kernelslist.g -o joined
expect 2 'other registers' control --strict register.txt trace/kernelslist.g -o refused

# ---- what is not a listing ----
: >void
expect 2 "no function in it; expected a cubin" control --list void
echo >empty.txt
refuse 'no function in it' empty.txt
sed 's,/. 0x.*,,' "$sass/cuobjdump.txt" >plain.txt
refuse 'plain.txt:12:1: error: no encoding behind the instruction' plain.txt
sed '13d' "$sass/cuobjdump.txt" >half.txt
refuse 'half.txt:13:1: error: the encoding of the instruction at pc 0x0 has one word; expected two' half.txt
sed 's/0020/0010/' "$sass/cuobjdump.txt" >order.txt
refuse 'order.txt:16:1: error: pc 0x10 is not above the one before' order.txt
sed '4d' "$sass/pascal.txt" >bare.txt
refuse 'bare.txt:4:1: error: no control word in front of the instruction' bare.txt
refuse 'an ELF file for machine' "$heddle"
head -c 3000 "$sass/sm_80.cubin" >cut.cubin
expect 2 'cut.cubin: error: ' control --list cut.cubin
expect 2 'No such file' control --list none
expect 2 'cannot open' control "$sass/sm_80.cubin" none -o refused
expect 2 'expected LISTING... TRACE' control "$sass/sm_80.cubin" -o refused
expect 2 'expected -o FOLDER' control "$sass/sm_80.cubin" trace/kernelslist.g
expect 2 'expected LISTING' control --list
expect 1 'is an input' control "$sass/sm_80.cubin" trace/kernelslist.g -o trace
done_testing
