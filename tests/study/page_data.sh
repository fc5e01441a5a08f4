#!/bin/sh
# page_data.sh - heddle report of a study: messages, the numbers in the page and in the terminal
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"
needs python3

# ---- messages ----
mkdir nothing
expect 2 'nothing/results.sqlite: unable to open database file' "$heddle" report nothing
printf 'no database, but longer than that of an empty file' >wrong.sqlite
expect 2 'wrong.sqlite: file is not a database' "$heddle" report wrong.sqlite
$python "$src/tests/study/page_make.py" made.sqlite 48 3
$python - <<'END'
import shutil
import sqlite3
for name, sql in (("old", "UPDATE study SET value = 7 WHERE name = 'schema'"), ("none", "DELETE FROM point"),
                  ("bare", "DROP TABLE parameter"),
                  ("odd", "UPDATE value SET value = CASE point % 3 WHEN 0 THEN 'text' WHEN 1 THEN 9e999 ELSE value END")):
    shutil.copy("made.sqlite", name + ".sqlite")
    db = sqlite3.connect(name + ".sqlite")
    db.execute(sql)
    db.commit()
END
expect 2 'old.sqlite: results of schema 7; expected 1' "$heddle" report old.sqlite
expect 2 'none.sqlite: no point has a result' "$heddle" report none.sqlite
expect 2 'bare.sqlite: no such table: parameter' "$heddle" report bare.sqlite
expect 2 "'made.sqlite' is a study: expected one of them alone" "$heddle" report made.sqlite made.sqlite
expect 2 "'made.sqlite' is a study: expected one of them alone" "$heddle" report run.hdump made.sqlite
expect 2 "--cost: expected the folder of a study, 'run.hdump' is none" "$heddle" report --cost 1 run.hdump
expect 2 "--text: expected the folder of a study, 'run.hdump' is none" "$heddle" report --text run.hdump
expect 2 '--figure needs --text' "$heddle" report --figure cycles made.sqlite
expect 2 '--text and -o: expected one of them' "$heddle" report --text -o x.html made.sqlite
expect 2 "no figure 'nonsense'" "$heddle" report --text --figure nonsense made.sqlite
expect 2 "no parameter, figure or column of a table is named 'cycels'; did you mean 'cycles'?" "$heddle" report --cost cycels made.sqlite
expect 2 'none.csv: No such file' "$heddle" report --table none.csv made.sqlite
expect 1 '/nowhere/r.html: No such file' "$heddle" report made.sqlite -o /nowhere/r.html

# ---- a real study: the same bytes each time, by folder and by file ----
cat >study.json <<END
{ "study": 1, "name": "small", "netlists": ["$src/netlists/volta_sm.json", "$src/netlists/ampere_sm.json"],
  "set": { "memory.module": "memory_fixed", "memory.latency": [40, 80, 120] },
  "traces": ["$src/traces/samples/reduce/kernelslist.g", "$src/traces/samples/tiny/kernelslist.g"] }
END
expect 0 '' "$heddle" sweep -q study.json -o results
expect 0 '' "$heddle" report results -o one.html
expect 0 '' "$heddle" report results/results.sqlite
cmp one.html report.html || fail "two pages of one study differ"
expect 0 '' "$heddle" report results -o -
cmp one.html out || fail "-o - writes something else"
expect 0 '' "$heddle" report made.sqlite -o made.html --cost warps --table "$src/tests/study/page_reference.csv"

# ---- numbers of the page are those of the database ----
cat >check.py <<'END'
import json
import re
import sqlite3
import sys

page, db = open(sys.argv[1]).read(), sqlite3.connect(sys.argv[2])
data = json.loads(re.search(r'id="data">\n(.*)\n', page).group(1))
columns = [json.loads(c) for c in re.findall(r'id="c\d+">\n(.*)\n', page)]
place = {p: i for i, p in enumerate(data["point"])}
bad = 0


def same(what, a, b):
    global bad
    if a != b:
        print("%s: %s and %s" % (what, str(a)[:200], str(b)[:200]))
        bad = 1


same("points", [(p,) for p in data["point"]], db.execute("SELECT point FROM point ORDER BY point").fetchall())
rows = []
for d in data["dims"]:
    for i, v in enumerate(d["v"]):
        if d["parameter"] and v >= 0:
            rows.append((data["point"][i], d["name"], d["values"][v]))
        elif not d["parameter"]:
            same(d["name"], d["values"][v],
                 db.execute("SELECT %s FROM point WHERE point = ?" % d["name"], (data["point"][i],)).fetchone()[0])
same("parameters", sorted(rows), sorted(db.execute("SELECT point, name, value FROM parameter")))
rows = []
for s in data["statistics"]:
    values = columns[s["column"]] if "column" in s else [s["all"]] * len(place)
    same("values of " + s["path"], len(values), len(place))
    rows += [(data["point"][i], s["kind"], s["path"], v) for i, v in enumerate(values) if v is not None]
same("values", sorted(rows), sorted(db.execute(
    "SELECT point, kind, path, value FROM value JOIN statistic USING (statistic) WHERE kernel = 0")))
k = data["kernels"]
same("kernels", [(data["point"][p], n, k["names"][m], c) for p, n, m, c in
                 zip(k["point"], k["kernel"], k["name"], k["cycles"])],
     db.execute("SELECT point, kernel, name, cycles FROM kernel ORDER BY point, kernel").fetchall())
same("statuses", [data["status"]["values"][v] for v in data["status"]["v"]],
     [s for s, in db.execute("SELECT status FROM point ORDER BY point")])
sys.exit(bad)
END
python3 check.py one.html results/results.sqlite || fail "numbers of a real study"
python3 check.py made.html made.sqlite || fail "numbers of a study with values that are missing"

# ---- what is not a number has no value ----
expect 0 '' "$heddle" report odd.sqlite -o odd.html
sed 's/WHERE kernel = 0/WHERE kernel = 0 AND point % 3 = 2/' check.py >odd.py
python3 odd.py odd.html odd.sqlite || fail "values that are not numbers"

# ---- nothing is fetched, no text becomes markup ----
grep -v '^{"heddle"' made.html | grep -oE 'https?://[^"'"'"' ]*|url\(|@import|<link|<img| src=' |
	grep -vx 'http://www.w3.org/2000/svg' && fail "the page names something elsewhere"
test "$(grep -c '</script>' made.html)" -eq "$(grep -c '<script' made.html)" || fail "a text ends an element"
for f in "$src"/tools/report/study*.js "$src"/tools/report/study.css; do
	grep -qxF "$(head -1 "$f")" one.html || fail "the page lacks $(basename "$f")"
done

# ---- one table of colours for both pages ----
expect 0 '' "$heddle" run -q --dump run.hdump "$src/netlists/volta_sm.json" "$src/traces/samples/reduce/kernelslist.g"
expect 0 '' "$heddle" report run.hdump -o dump.html
for page in one dump; do
	sed -n '/^\/\* colours.css/,/^\/\* report.css/p; /^\/\* colours.js/,/^\/\* theme.js/p' $page.html >$page.colours
done
test -s one.colours && cmp one.colours dump.colours || fail "pages have colours of their own"
# each reason that heddle modules lists has a colour of its own
{ "$heddle" modules issue; "$heddle" modules issue_control; } | sed -n '/^Stall reasons/,/^$/s/^  \([a-z][a-z0-9_.]*\) .*/\1/p' >reasons
test "$(wc -l <reasons)" -gt 30 || fail "heddle modules lists no reasons"
while read -r reason; do
	name=$(echo "$reason" | tr . -)
	grep -q -- "--r-$name:" one.colours || fail "reason '$reason' has no colour"
done <reasons
grep -o -- '--r-[a-z0-9_-]*: #[0-9a-f]*' one.colours | sed 's/.*: //' | sort | uniq -d | grep . && fail "two reasons have one colour"

# ---- the terminal ----
expect 0 '' env COLUMNS=90 "$heddle" report --text results
cat >text.py <<'END'
import math
import sqlite3
import sys

lines = open("out").read().rstrip().split("\n")
want = {}
for netlist, latency, cycles in sqlite3.connect("results/results.sqlite").execute(
        "SELECT netlist, value, cycles FROM point JOIN parameter USING (point) WHERE name = 'memory.latency'"):
    want.setdefault((netlist, str(latency)), []).append(math.log(cycles))
most = math.exp(max(sum(v) / len(v) for v in want.values()))
longest = max(len(line.split()[-1]) for line in lines[1:])
if lines[0].split() != ["netlist", "memory.latency", "points", "cycles"] or len(lines) != 1 + len(want):
    sys.exit("%s, %d lines" % (lines[0], len(lines)))
for line in lines[1:]:
    netlist, latency, n, cycles, bar = line.split()
    v = want[netlist, latency]
    mean = math.exp(sum(v) / len(v))
    if int(n) != len(v) or abs(float(cycles) - mean) > 0.51 or abs(len(bar) - longest * mean / most) > 0.51 \
            or longest < 30 or len(line) > 90 or set(bar) != {"#"}:
        sys.exit(line)
END
python3 text.py || fail "--text: other numbers than the database"
expect 0 'issue.stall' "$heddle" report --text --figure issue.stall results
# a value of 0 is one: it counts, and its bar has no length
cat >zero.py <<'END'
import sqlite3
import sys

db = sqlite3.connect("results/results.sqlite")
n = db.execute("SELECT count(*) FROM point").fetchone()[0]
path = db.execute("SELECT path FROM statistic JOIN value USING (statistic) WHERE kernel = 0 GROUP BY statistic"
                  " HAVING min(value) = 0 AND max(value) > 0 AND count(*) = ? ORDER BY path", (n,)).fetchone()
print(path[0] if path else "")
END
python3 zero.py >zero
expect 0 '' "$heddle" report --text --figure "$(cat zero)" results
cat >zeros.py <<'END'
import sqlite3
import sys

want = {}
for netlist, latency, value in sqlite3.connect("results/results.sqlite").execute(
        "SELECT netlist, parameter.value, v.value FROM point JOIN parameter USING (point) JOIN value v USING (point)"
        " JOIN statistic USING (statistic) WHERE kernel = 0 AND name = 'memory.latency' AND path = ?", (sys.argv[1],)):
    want.setdefault((netlist, str(latency)), []).append(float(value))
most = max(sum(v) / len(v) for v in want.values())
lines = open("out").read().rstrip().split("\n")
if lines[-1] != "means, not geometric ones: some values are 0" or len(lines) != len(want) + 2:
    sys.exit("%d lines, the last: %s" % (len(lines), lines[-1]))
longest = max(line.count("#") for line in lines)
for line in lines[1:-1]:
    netlist, latency, n, value = line.split()[:4]
    v = want[netlist, latency]
    mean = sum(v) / len(v)
    if int(n) != len(v) or abs(float(value) - mean) > 1e-3 * mean or abs(line.count("#") - longest * mean / most) > 1:
        sys.exit(line)
END
python3 zeros.py "$(cat zero)" || fail "--text: a value of 0 does not count"
done_testing
