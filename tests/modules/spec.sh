#!/bin/sh
# spec.sh - docs/sm.md, docs/memory.md, docs/gpu.md: their programs and timelines are what the program does
# SPDX-License-Identifier: BSD-2-Clause
#
# A block of ```traceg NAME is a file; the block of ```sh behind it is run; the table behind that
# whose first column is `cycle` must be what timeline.awk makes of the output.  A table whose
# first column is `program` has a case in each row.  The last column is prose in both.  To add a
# case, add a row; what the program gives instead is printed.
. "${srcdir:-.}/tests/lib.sh"

mkdir bin
ln -s "$heddle" bin/heddle
PATH=$tmp/bin:$PATH
export PATH

# Cuts a document into NAME, N.sh with N.timeline, and N.programs.
cut_up()
{
	awk '
		/^```traceg / { into = $2; next }
		/^```sh$/ { into = ++n ".sh"; next }
		/^```/ { into = ""; next }
		into { print >into; next }
		/^\| (cycle|program) \|/ { table = /^\| cycle/ ? n ".timeline" : ++k ".programs" }
		!/^\|/ { table = "" }
		table { print >table }' "$1"
}

# A table without its two first lines and its last column.
figures()
{
	sed -e '1,2d' -e 's/ [^|]*|$//' "$1"
}

# One program, as in the tables, to a trace: `R8 = LDG.E R2 @1000+4 #ffff $1; ...`
assemble()
{
	awk -v program="$1; EXIT" 'BEGIN {
		printf "-grid dim = (1,1,1)\n-block dim = (32,1,1)\n-shmem base_addr = 0x10000000\n"
		printf "-local mem base_addr = 0x20000000\n-binary version = 80\n"
		printf "-accelsim tracer version = 5\n#\n#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\n"
		n = split(program, line, /; */)
		print "insts = " n
		for (i = 1; i <= n; i++) {
			dst = "0"
			mask = "ffffffff"
			imm = sources = ""
			nsrc = 0
			addresses = "0"
			m = split(line[i], word, " ")
			k = 1
			if (word[2] == "=") {
				dst = "1 " word[1]
				k = 3
			}
			opcode = word[k++]
			for (; k <= m; k++) {
				rest = substr(word[k], 2)
				if (word[k] ~ /^@/) {
					split(rest, at, "+")
					addresses = "4 1 0x" at[1] " " at[2]
				} else if (word[k] ~ /^#/) {
					mask = rest
				} else if (word[k] ~ /^\$/) {
					imm = " " rest
				} else {
					sources = sources " " word[k]
					nsrc++
				}
			}
			printf "%04x %s %s %s %d%s %s%s\n", 16 * (i - 1), mask, dst, opcode, nsrc, sources,
				addresses, imm
		}
		print "#END_TB"
	}'
}

# Issues, releases and length of the run from its events.
observe()
{
	awk '{ at = $1; sub(/.*\./, "", $2) }
		$2 == "issue" { issued = issued " " at }
		$2 == "release" {
			sub(/.*reg=/, "")
			written = written (written ? ", " : " ") "R" $0 " " at
		}
		$2 == "kernel" { cycles = $0; sub(/.*cycles=/, "", cycles); sub(/ .*/, "", cycles) }
		END { print issued " |" written " | " cycles " |" }' "$1"
}

cases=0
timelines=0
named=0
for page in sm memory gpu; do
	core=volta_sm.json
	test "$page" = sm || test "$page" = memory || core=quadro_gv100.json
	mkdir "$tmp/$page"
	cd "$tmp/$page" || exit 99
	cut_up "$src/docs/$page.md"
	for table in *.timeline; do
		sh -e "${table%.timeline}.sh" >text 2>err || { fail "$page: $(cat "${table%.timeline}.sh" err)"; continue; }
		awk -f "$src/tests/modules/timeline.awk" "$table" text >got
		figures "$table" | diff - got || fail "$page: timeline $(head -n 1 "$table")"
		timelines=$((timelines + 1))
	done
	for table in *.programs; do
		figures "$table" >rows
		while IFS='|' read -r _ program changes _; do
			echo "$program" | tr -d '`' >text
			assemble "$(cat text)" >program.traceg
			set -- # one --set for each change
			test "$page" != gpu || set -- --set clusters=1 --set dispatcher.kernel_latency=0
			for change in $(echo "$changes" | tr -d '`'); do
				set -- "$@" --set "$change"
			done
			heddle run -q "$@" --events events "$core" program.traceg 2>err ||
				fail "$page: $(cat text err)"
			echo "|$program|$changes|$(observe events)"
			cases=$((cases + 1))
		done <rows >got
		diff rows got || fail "$page: programs"
	done
done
cd "$tmp" || exit 99

# ---- parameters: `instance.parameter` of netlists/sm.json and those that extend it, of gpu.json ----
sed 's/`[^`]*`/\n&\n/g' "$src/docs/sm.md" "$src/docs/memory.md" "$src/docs/gpu.md" |
	sed -n 's/^`\([a-z_0-9]*\)\.\([a-z_]*\)`$/\1 \2/p' | sort -u >names
while read -r instance name; do
	case $instance in
	icache) modules=$instance ;;
	*)
		modules=$(cd "$src/netlists" && sed -n "s/.*\"$instance\": { *\"module\": \"\([a-z_]*\)\".*/\1/p" \
			sm.json volta_sm.json gpu.json | sort -u) ;;
	esac
	test -n "$modules" || continue # a clock, a file
	for module in $modules; do
		heddle modules "$module"
	done | grep -qw -e "$name" || fail "$instance.$name: there is no such parameter or port"
	named=$((named + 1))
done <names
test "$named" -ge 40 || fail "only $named parameters"
echo "$cases programs, $timelines timelines"
test "$cases" -ge 30 || fail "only $cases programs"
test "$timelines" -ge 3 || fail "only $timelines timelines"
done_testing
