#!/bin/sh
# odd_files.sh - whatever stands where a trace, a list, a listing or a table should: each command ends soon, with a message
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"
needs mkfifo truncate xz

cat >one.hasm <<'END'
kernel one
[B------:R-:W-:-:S04] FADD R4, R2, R3
[B------:R-:W-:-:S05] EXIT
END
expect 0 '' "$heddle" trace assemble one.hasm -o good
volta=$src/netlists/volta_sm.json
a100=$src/netlists/a100_sm.json
echo '{"study": 1, "netlists": ["'"$volta"'"], "traces": ["t/kernelslist.g"]}' >study.json

# ---- the kinds of files.  put KIND FILE ----
yes '' | head -c 60000000 | xz -0 >blank.xz
yes '#' | head -c 80000000 | xz -0 >comments.xz
head -c 200 good/kernel-1.traceg >cut
kinds='zero fifo folder empty sparse blank cut'
put()
{
	rm -rf "$2"
	case $1 in
	zero) ln -s /dev/zero "$2" ;;
	fifo) mkfifo "$2" ;;
	folder) mkdir "$2" ;;
	empty) : >"$2" ;;
	sparse) truncate -s 40G "$2" ;;
	blank) cp blank.xz "$2" ;;
	cut) cp cut "$2" ;;
	esac
}

# soon STATUS WHAT COMMAND...: it ends within some seconds, and says why
soon()
{
	want=$1 what=$2
	shift 2
	try timeout -s KILL ${HEDDLE_SECONDS:-60} "$@"
	case $status in
	"$want") test -s err || fail "$what: no message" ;;
	137) fail "$what: does not end" ;;
	*) fail "$what: exit status $status, expected $want"; cat err ;;
	esac
	if grep -iqE 'sanitizer|runtime error|assert|out of memory' err; then
		fail "$what:"
		cat err
	fi
	test ! -e out.hpack || { fail "$what: an output is there"; rm -f out.hpack; }
}

# reads WHAT KIND: all commands that read t/kernelslist.g
reads()
{
	soon 2 "$1, $2: run" "$heddle" run -q "$volta" t/kernelslist.g
	for command in info print 'pack -o out.hpack' 'control -o joined one.cubin'; do
		# shellcheck disable=SC2086 # several words
		soon 2 "$1, $2: trace $command" "$heddle" trace $command t/kernelslist.g
	done
	rm -rf results joined
	try timeout -s KILL ${HEDDLE_SECONDS:-60} "$heddle" sweep study.json -o results
	test "$status" -ne 137 || fail "$1, $2: sweep: does not end"
	! grep -q '1 finished' out || fail "$1, $2: sweep: accepted"
}
cp "$src/tests/trace/sass/$(cd "$src/tests/trace/sass" && ls | head -n 1)" one.cubin

for kind in $kinds; do
	rm -rf t
	cp -R good t
	put $kind t/kernelslist.g
	reads list $kind
	rm -rf t
	cp -R good t
	put $kind t/kernel-1.traceg
	reads kernel $kind
	rm -rf t
	cp -R good t
	put $kind t/kernel-1.sass.json
	soon 2 "listing, $kind: run" "$heddle" run -q "$a100" t/kernelslist.g
	soon 2 "listing, $kind: trace print" "$heddle" trace print t/kernelslist.g
	soon 2 "listing, $kind: trace pack" "$heddle" trace pack t/kernelslist.g -o out.hpack
	soon 2 "machine code, $kind: trace control" "$heddle" trace control t/kernel-1.sass.json good/kernelslist.g -o joined
	put $kind t/app.hpack
	soon 2 "packed, $kind: run" "$heddle" run -q "$volta" t/app.hpack
	rm -rf tables
	cp -R "$src/netlists/opcodes" tables
	put $kind tables/index.json
	soon 2 "index, $kind: run" "$heddle" run -q "$volta" --set trace.own_opcodes="$tmp/tables" good/kernelslist.g
	cp "$src/netlists/opcodes/index.json" "$tmp/index"
	rm -rf tables/index.json tables/ampere.json
	cp index tables/index.json
	put $kind tables/ampere.json
	soon 2 "table, $kind: run" "$heddle" run -q "$volta" --set trace.own_opcodes="$tmp/tables" good/kernelslist.g
	put $kind latencies
	soon 2 "latencies, $kind: run" "$heddle" run -q "$a100" --set trace.latencies="$tmp/latencies" \
		--set trace.control=synthesised good/kernelslist.g
done

# ---- texts that do not end: blank lines anywhere, comments of a list ----
rm -rf t
cp -R good t
cp comments.xz t/kernelslist.g
soon 2 'a list of comments' "$heddle" trace info t/kernelslist.g
cp good/kernelslist.g t
for at in '#traces' '#BEGIN_TB' 'thread block' 'warp' '0010' '#END_TB'; do
	{
		sed "/^$at/q" good/kernel-1.traceg
		yes '' | head -c 60000000
	} | xz -0 >t/kernel-1.traceg
	soon 2 "blank lines behind '$at'" "$heddle" trace info t/kernelslist.g
done

# ---- a listing that a run refuses is not packed; a pipe with a writer is as good as a file ----
cp good/* t
sed 's/"stall": 4/"stall": 99/' good/kernel-1.sass.json >t/kernel-1.sass.json
expect 2 "'stall' is not valid" "$heddle" trace pack t/kernelslist.g -o out.hpack
sed 's/"heddle_sass"/"heddle_sas"/' good/kernel-1.sass.json >t/kernel-1.sass.json
expect 2 'expected a listing' "$heddle" trace pack t/kernelslist.g -o out.hpack
mkfifo pipe
cat good/kernel-1.traceg >pipe &
expect 0 '' "$heddle" run -q "$volta" pipe
wait
sleep 5 >pipe &
writer=$!
soon 2 'a pipe that is closed without a word' "$heddle" run -q "$volta" pipe
wait $writer
mkfifo silent.json
soon 2 'a netlist from a pipe without a writer' "$heddle" check silent.json
soon 2 'a study from a pipe without a writer' "$heddle" sweep silent.json --out results
soon 2 'options from a pipe without a writer' "$heddle" import silent.json -o imported.json
done_testing
