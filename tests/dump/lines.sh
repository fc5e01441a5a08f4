#!/bin/sh
# lines.sh - lines of the program's source in a dump: beside instructions, added up, in the page and the database
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"
needs python3

record()
{
	expect 0 '' "$heddle" trace record --cubin "$src/tests/exec/faults.fatbin" --sm 80 --kernel race_shared --grid 2 --block 64 \
		--args buf:256:iota,buf:256,i32:0 "$@"
}

record -o packed.hpack
record -o text --text

# What lines lost is what their instructions did.
cat >tables.py <<'END'
import collections
import re
import sys


def tables(name):
    """of both tables: file:line -> slots, 'rest' for what has none"""
    for text in open(name).read().split("\n\n")[:2]:
        out = collections.Counter()
        for row in text.split("\n")[1:]:
            if row and not row.endswith("all issue slots"):
                line = re.search(r"\b(\w+\.cu:\d+) ", row)
                out[line.group(1) if line else "rest"] += int(row.split()[0])
        yield out


for pcs, lines in zip(tables(sys.argv[1]), tables(sys.argv[2])):
    if pcs != lines or len(lines) < int(sys.argv[3]):
        sys.exit("%s and %s" % (pcs, lines))
END

# ---- classic cores, and one that reads the listing for its control words; packed or not ----
mkdir tables
for core in ampere_sm a100_sm; do
	for trace in packed.hpack text/kernelslist.g; do
		expect 0 '' "$heddle" run -q --dump run.hdump "$src/netlists/$core.json" $trace
		for by in pc line; do
			expect 0 '' "$heddle" dump --stalls --by $by --top 100 run.hdump
			mv out "tables/${trace%%[./]*}.$by"
		done
	done
	for by in pc line; do
		cmp tables/packed.$by tables/text.$by || fail "$core: a packed trace has other lines"
		test "$(tail -n 1 tables/packed.$by)" = 'faults.cu  /tmp/exec/faults.cu' || fail "$core: the folder of the file"
	done
	test $core = ampere_sm && least=3 || least=1 # waits for a counter do not name the instruction
	python3 tables.py tables/packed.pc tables/packed.line $least || fail "$core: lines are not the sums of their instructions"
done
expect 0 '' "$heddle" run -q --dump run.hdump "$src/netlists/ampere_sm.json" packed.hpack
expect 0 '' "$heddle" dump --stalls --by pc run.hdump
grep -q '0x00c0 STG.E R4, R7  *faults.cu:98  *100 % scoreboard.shared, R7 of k1 0x00b0 LDS R7, R0' out || { fail "by pc"; cat out; }
expect 0 '' "$heddle" dump --stalls --by line run.hdump
grep -q ' faults.cu:98  *100 % scoreboard.shared of faults.cu:98' out || { fail "by line"; cat out; }
expect 0 '' "$heddle" report run.hdump -o run.html
grep -q '"source": *"/tmp/exec/faults.cu:98"' run.html || fail "the page has no lines"
expect 0 '' "$heddle" dump --to sqlite -o run.db run.hdump
python3 - <<'END' || fail "the database"
import sqlite3
db = sqlite3.connect("run.db")
assert ("/tmp/exec/faults.cu:98",) in db.execute("SELECT source FROM code WHERE pc = 0xb0").fetchall()
END

# ---- files of one name in two folders have both ----
sed 's|"/tmp/exec/faults.cu:98"|"sub/faults.cu:98"|' text/kernel-1.sass.json >k
mv k text/kernel-1.sass.json
expect 0 '' "$heddle" run -q --dump two.hdump "$src/netlists/ampere_sm.json" text/kernelslist.g
expect 0 ' /tmp/exec/faults.cu:97 ' "$heddle" dump --stalls --by line two.hdump
grep -q ' sub/faults.cu:98 ' out || fail "two files of one name"
grep -q '^faults.cu' out && fail "a name that stands for two files"

# ---- no lines; a listing with lines that is damaged ----
sed 's|"source": "[^"]*"|"of": 0|' text/kernel-1.sass.json >k
mv k text/kernel-1.sass.json
expect 0 '' "$heddle" run -q --dump none.hdump "$src/netlists/ampere_sm.json" text/kernelslist.g
expect 1 'no instruction has a line of the source; expected a trace with listings that have them' "$heddle" dump --stalls --by line none.hdump
expect 0 '' "$heddle" dump --stalls --by pc none.hdump
grep -q '  *line  *mainly' out && fail "a column without lines"
sed 's|"pc": 0,|"pc": 0, "source": "a.cu:1",|; s|"pc": 16,|"pc": x,|' text/kernel-1.sass.json >k
mv k text/kernel-1.sass.json
expect 0 '' "$heddle" run -q "$src/netlists/ampere_sm.json" text/kernelslist.g
expect 2 'text/kernel-1.sass.json:7:10: bad JSON' "$heddle" run -q --dump none.hdump "$src/netlists/ampere_sm.json" text/kernelslist.g
expect 2 "expected pc, line, warp" "$heddle" dump --stalls --by lines none.hdump
done_testing
