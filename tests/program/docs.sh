#!/bin/sh
# docs.sh - runs the commands of README.md, docs/tutorial.md, hasm.md, lecture.md and others and compares what they print
# SPDX-License-Identifier: BSD-2-Clause
#
# docs/changing-a-core.md, docs/changing-a-gpu.md: every block of changes applies to
# netlists/volta_sm.json or netlists/gpu.json without an error, and what they make starts.
. "${srcdir:-.}/tests/lib.sh"
. "$src/tests/blocks.sh"

mkdir bin work
ln -s "$heddle" bin/heddle
# the tutorial says build/heddle; here the program may be elsewhere
mkdir -p here/build
for f in include traces netlists examples; do ln -s "$src/$f" "here/$f"; done
ln -s "$heddle" here/build/heddle
H=$tmp/here
PATH=$tmp/bin:$PATH
export H PATH

blocks_of "$src/README.md" "$src/docs/tutorial.md" "$src/docs/changing-a-gpu.md" "$src/docs/cite.md" "$src/docs/energy.md" "$src/docs/hardware.md" "$src/docs/gemm.md" "$src/docs/hasm.md" "$src/docs/hopper.md" \
	"$src/docs/lecture.md" "$src/docs/modern.md" "$src/docs/long-runs.md" "$src/docs/studies.md" "$src/docs/traces.md"
ln -s "$src/traces" "$src/tests" "$src/examples" "$src/include" work
cd work || exit 99
run_blocks

# ---- changes to a core and to a GPU ----
cd "$tmp" || exit 99
mkdir changes
# changes PAGE NETLIST: changes/PAGE_N.json for each block
changes()
{
	awk -v page="$1" -v netlist="$2" '
		/^    "/ && !open { n++; open = 1; file = sprintf("changes/%s_%02d.json", page, n)
			printf "{ \"heddle\": 1, \"extends\": \"%s\",\n", netlist >file }
		open && /^    / { print >file; next }
		open { print "}" >file; close(file); open = 0 }
		END { if (open) print "}" >file }
	' "$src/docs/$1.md"
}
changes changing-a-core volta_sm.json
changes changing-a-gpu gpu.json
plug_in "$src/examples/divider.c" divider.so
n=0
for f in changes/*.json; do
	expect 0 'no mistakes' "$heddle" check --plugin divider.so "$f"
	test "$status" -eq 0 || cat "$f"
	expect 0 '' "$heddle" run -q --max-cycles 1 --plugin divider.so "$f" "$src/traces/samples/tiny/kernelslist.g"
	n=$((n + 1))
done
test "$n" -ge 20 || fail "only $n blocks of changes in changing-a-core.md and changing-a-gpu.md"
for what in core gpu; do
	awk '/^```json$/ { on = 1; next } /^```$/ { on = 0 } on' "$src/docs/changing-a-$what.md" |
		cmp - "$src/examples/other_$what.json" || fail "other_$what.json is another in changing-a-$what.md"
done
done_testing
