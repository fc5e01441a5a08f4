#!/bin/sh
# record.sh - heddle trace record: traces of kernels that are executed here, on cores, beside that of a real GPU
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"

fatbin=$src/tests/exec/kernels.fatbin
cores=$src/netlists

# record OUT OPTION...: of a kernel for sm_80
record()
{
	out=$1
	shift
	expect 0 '' "$heddle" trace record --cubin "$fatbin" --sm 80 -o "$out" "$@"
}

# ---- both forms of a trace are the same, and each run gives the same bytes ----
args=buf:4096:rand,buf:65536,i32:256
for kernel in integers diverge recursion reduction memory locals leaving; do
	record packed.hpack --kernel $kernel --grid 2 --block 128 --shared 512 --args $args
	record again.hpack --kernel $kernel --grid 2 --block 128 --shared 512 --args $args
	record text --kernel $kernel --grid 2 --block 128 --shared 512 --args $args --text
	cmp packed.hpack again.hpack || fail "$kernel: two runs differ"
	"$heddle" trace print packed.hpack >packed.hasm 2>err || { fail "$kernel: print"; cat err; }
	"$heddle" trace print text/kernelslist.g >text.hasm
	cmp packed.hasm text.hasm || fail "$kernel: texts and packed trace differ"
	expect 0 '' "$heddle" trace pack text/kernelslist.g -o of_text.hpack
	for core in ampere_sm a100_sm; do
		for form in packed of_text; do
			cp $form.hpack run.hpack
			expect 0 '' "$heddle" run --quiet --stats stats.json "$cores/$core.json" run.hpack
			grep -v '"bytes":' stats.json >$form.json # of a text, which there was none of
		done
		cmp packed.json of_text.json || fail "$kernel: statistics on $core"
	done
done

# ---- every kernel runs on cores; control words make a100_sm find no hazard ----
for sm in 75 90 120; do # their texts are known
	for kernel in integers wides lanes atomics heap; do
		expect 0 "" "$heddle" trace record --cubin "$fatbin" --sm $sm --kernel $kernel --grid 2 --block 128 --args $args -o other.hpack
	done
done
for kernel in wides floats doubles halves lanes atomics symbols barriers waits heap matrices copies; do
	case $kernel in
	matrices | copies) grid=1 block=32 ;;
	*) grid=2 block=128 ;;
	esac
	record one.hpack --kernel $kernel --grid $grid --block $block --args $args
	for core in ampere_sm a100_sm; do
		expect 0 '' "$heddle" run --quiet --stats stats.json "$cores/$core.json" one.hpack
	done
done

# ---- a program whose second launch fails goes on: the trace has the others, with their streams ----
for form in '' text; do
	# shellcheck disable=SC2086 # none or one
	srcdir=$src "$build/tests/exec/recorder" several$form $form || fail "recorder $form"
done
"$heddle" trace info several | sed -n '/^kernel/s/ registers.*//p' >packed.txt
"$heddle" trace info severaltext/kernelslist.g | sed -n '/^kernel/s/ registers.*//p' | diff packed.txt - || fail 'the forms differ'
test "$(sed -n 's/.*\(stream [0-9]\).*/\1/p' packed.txt | tr '\n' ' ')" = 'stream 0 stream 2 stream 3 ' || { fail streams; cat packed.txt; }
test ! -e severaltext/kernel-2.traceg || fail 'a part of a launch that failed'

# ---- another order of the paths gives other groups, and each lane executes the same ----
for order in fewest fall_through taken; do
	expect 0 '' "$heddle" trace record --cubin "$fatbin" --sm 80 --kernel diverge --grid 2 --block 128 --args $args --order $order \
		--verbose -o $order.hpack
	sed 's/.* \([0-9]* thread instructions\)/\1/' out >$order.txt
done
cmp fewest.txt fall_through.txt && cmp fewest.txt taken.txt || fail 'lanes execute more or less'
cmp -s fewest.hpack fall_through.hpack && fail 'the order fall_through is that of fewest'
cmp -s fewest.hpack taken.hpack && fail 'the order taken is that of fewest'

# ---- what kernels print ----
record one.hpack --kernel prints --grid 1 --block 64 --args buf:4096:iota,buf:4,i32:64
test "$(head -n 2 out)" = "thread 0: 0 even  0.00 0 x%
thread 1: 1 odd  1.50 100000000 x%" || { fail 'printf'; cat out; }

# ---- a file of launches: kernels share buffers, a copy stands in front of them ----
cat >launches.json <<END
{ "cubin": "$fatbin", "buffers": { "numbers": "4096:iota", "results": "65536" }, "launches": [
	{ "kernel": "integers", "grid": 2, "block": "64,2", "args": "@numbers,@results,i32:256" },
	{ "kernel": "locals", "grid": [], "block": 1 } ] }
END
expect 2 "launches.json: launches[1]: grid ''; expected X, X,Y or X,Y,Z" "$heddle" trace record --launches launches.json --sm 80 -o l.hpack
test ! -e l.hpack || fail 'a trace of half of the launches'
sed 's/"grid": \[\], "block": 1/"grid": 1, "block": 32, "args": "@results,@results,i32:32"/' launches.json >good.json
expect 0 '' "$heddle" trace record --launches good.json --sm 80 -o l.hpack --verbose
expect 0 "2 kernels, 1 copy to the device (4096 bytes)" "$heddle" trace info l.hpack

# ---- a number is decimal, or begins with 0x ----
sed 's/i32:256/i32:09/; s/i32:32/i32:0x20/; s/65536/065536/' good.json >numbers.json
expect 0 '' "$heddle" trace record --launches numbers.json --sm 80 -o l.hpack

# ---- mistakes ----
printf '\001\000\000\000' >one
bad()
{
	text=$1
	shift
	expect 2 "$text" "$heddle" trace record -o bad.hpack "$@"
	test ! -e bad.hpack || fail "$text: there is a trace"
}
one="--cubin $fatbin --sm 80 --kernel integers --grid 2 --block 128"
# shellcheck disable=SC2086 # words
{
	bad 'expected --cubin FILE, or --launches FILE' --grid 1
	bad 'expected --grid X[,Y,Z]' --cubin "$fatbin" --block 1
	bad "kernel 'nothing' is not in the cubin; it has " --cubin "$fatbin" --sm 80 --kernel nothing --grid 1 --block 1
	bad "kernel 'integers' has 3" $one --args buf:16
	bad "argument 3, 'i64:5', has 8 bytes; kernel 'integers' expects 4 there" $one --args buf:16,buf:16,i64:5
	bad "argument 'i8:5'; expected buf:BYTES[:FILL]" $one --args i8:5
	bad "argument 'i32:2147483648' is out of range" $one --args buf:16,buf:16,i32:2147483648
	bad "a buffer 'buf:x'; expected buf:BYTES" $one --args buf:x
	bad "a buffer filled with 'ones'; expected zero, iota" $one --args buf:16:ones
	bad "grid '0'; expected X, X,Y or X,Y,Z" --cubin "$fatbin" --sm 80 --kernel integers --grid 0 --block 1
	bad 'a block of (1000,2,1) threads' --cubin "$fatbin" --sm 80 --kernel integers --grid 1 --block 1000,2 --args $args
	bad 'no cubin that a GPU of version 110 executes; there are: sm_75, sm_80' --cubin "$fatbin" --sm 110 --grid 1 --block 1
	head -c 3000 "$src/traces/samples/cuda/gemm.cubin" >short.cubin
	bad 'short.cubin: the cubin has no list of sections; expected a whole file' --cubin short.cubin --grid 1 --block 1
	bad 'not a cubin' --cubin "$src/NEWS" --grid 1 --block 1
	bad "illegal address: kernel 'integers', pc 0x" $one --args u64:64,buf:65536,i32:256
	bad "trap: kernel 'traps', pc 0x" --cubin "$fatbin" --sm 80 --kernel traps --grid 1 --block 64 --args buf:4:file=one,u64:0,i32:64
	bad 'more than 1000 warp instructions' $one --limit 1000 --args $args
	bad "--order: 'most'; expected fewest" $one --order most
}

for change in '"cooperative": "yes"|"cooperative" is not true or false' '"cooperative": 1|"cooperative" is not true or false' \
	'"kernel": 5|"kernel" is not a text'; do
	sed "s/\"kernel\": \"locals\"/${change%%|*}/" good.json >wrong.json
	bad "launches[1]: ${change#*|}" --launches wrong.json --sm 80
done
for number in 'u64: -5' 'i32: 5' 'u64:-5'; do
	bad "argument '$number'" --cubin "$fatbin" --sm 80 --kernel integers --grid 1 --block 32 --args "$number"
done

# ---- a trace that cannot be written: why, and what was there stays ----
mkdir full
echo old >full/old.hpack
"$heddle" trace record --cubin "$fatbin" --sm 80 --kernel integers --grid 4 --block 128 --args $args --text -o full/text
ls full/text >before
for out in 'new.hpack' 'old.hpack' 'new --text' 'text --text'; do
	# shellcheck disable=SC2086 # words
	expect 1 "full/${out% --text}: could not be written: File too large" sh -c 'ulimit -f 8; exec "$@"' sh \
		"$heddle" trace record --cubin "$fatbin" --sm 80 --kernel integers --grid 400 --block 128 --args $args -o full/$out
	test "$(grep -c . err)" -eq 1 || { fail "$out: more than one message"; cat err; }
done
ls full | tr '\n' ' ' | grep -qx 'old.hpack text ' || { fail 'left or lost:'; ls full; }
ls full/text | cmp -s - before || fail 'another folder of texts'
grep -q '^old' full/old.hpack || fail 'the older trace is replaced'

# ---- the trace that a real GPU recorded: all lines, but for the addresses of its allocator ----
real=${HEDDLE_ORACLE:-$src/../shared/oracle}/real/vecadd-fp32-ampere/kernel-1.traceg.xz
if test -f "$real"; then
	record real --kernel vectorAdd --grid 196 --block 256 --args buf:200000:frand,buf:200000:frand,buf:200000,i32:50000 --text
	xzcat "$real" | sed '1,/^#traces format/d; s/0x7fb0fc4\([0-9a-f]*\)/0x7e00100\1/' >expected
	sed '1,/^#traces format/d' real/kernel-1.traceg | cmp - expected || fail 'the trace differs from that of an A100'
	test "$(grep -c '^[0-9a-f]\{4\} ' expected)" -eq 26601 || fail 'the real trace has another number of lines'
fi
done_testing
