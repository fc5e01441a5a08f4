#!/bin/sh
# page.sh - heddle report: the numbers in the page, and the page in a browser
# SPDX-License-Identifier: BSD-2-Clause
#
# Needs python3 and, for the page, Debian's package chromium.
. "${srcdir:-.}/tests/lib.sh"
needs python3

# dump NAME NETLIST TRACE OPTION...: NAME.hdump and NAME.json
dump()
{
	name=$1 netlist=$2 trace=$3
	shift 3
	expect 0 '' "$heddle" run -q "$src/netlists/$netlist.json" "$trace" --dump "$name.hdump" \
		--stats "$name.json" "$@"
}

dump volta volta_sm "$src/traces/samples/matmul/kernelslist.g" --dump-sample 100
dump gto volta_sm_gto "$src/traces/samples/matmul/kernelslist.g" --dump-sample 100
dump pascal pascal_sm "$src/traces/samples/gather/kernelslist.g" --dump-sample 50
dump reduce turing_sm "$src/traces/samples/reduce/kernelslist.g" --dump-sample 100
dump copy ampere_sm "$src/traces/samples/softcopy/kernelslist.g"
dump hist volta_sm_oldest "$src/traces/samples/hist/kernelslist.g"
dump mixed ../tests/several/mixed "$src/traces/samples/reduce/kernelslist.g" --dump-sample 100

sed 's/64x64x/64x8x/' "$src/traces/samples/hopper/product.hasm" >product.hasm # they wait for operands
"$heddle" trace assemble product.hasm -o product || fail product
dump product h100_sm product/kernelslist.g
dump gpu quadro_gv100 "$src/traces/samples/reduce/kernelslist.g" --set clusters=3 --set channels=8

# ---- messages ----
expect 2 'expected DUMP' "$heddle" report
expect 2 "none.hdump: No such file" "$heddle" report none.hdump
expect 2 'not a dump' "$heddle" report volta.json
expect 1 '/nowhere/r.html: No such file' "$heddle" report volta.hdump -o /nowhere/r.html
test ! -c /dev/full || expect 1 'No space left' "$heddle" report volta.hdump -o /dev/full
expect 2 "--window: '30-20' holds no cycle" "$heddle" report volta.hdump --window 30-20
expect 0 'warning: volta.hdump: the run has 15357 cycles, none of them in --window=15357-16000;' \
	"$heddle" report volta.hdump --window 15357-16000 -o late.html
expect 2 "--window: bad value '30'" "$heddle" report volta.hdump --window 30
expect 2 "--detail: 'x' is not a number" "$heddle" report volta.hdump --detail x
expect 2 'expected at most 16 dumps' "$heddle" report volta.hdump volta.hdump \
	volta.hdump volta.hdump volta.hdump volta.hdump volta.hdump volta.hdump volta.hdump \
	volta.hdump volta.hdump volta.hdump volta.hdump volta.hdump volta.hdump volta.hdump volta.hdump

# ---- the same bytes each time ----
expect 0 '' "$heddle" report volta.hdump -o one.html
names=$(sed -nE 's/^(const|let|class|function) +([A-Za-z0-9_]+).*/\2/p' one.html | sort | uniq -d) # a browser takes none twice
test -z "$names" || fail "one.html: its script declares twice: $names"
expect 0 '' "$heddle" report volta.hdump
cmp one.html report.html || fail "two reports of one dump differ"
expect 0 '' "$heddle" report volta.hdump -o -
cmp one.html out || fail "-o - writes something else"
expect 0 '' "$heddle" report volta.hdump gto.hdump -o two.html
expect 0 '' "$heddle" report reduce.hdump copy.hdump hist.hdump pascal.hdump -o four.html
expect 0 '' "$heddle" report mixed.hdump -o mixed.html
expect 0 '' "$heddle" report copy.hdump -o copy.html
dump control a100_sm "$src/traces/samples/matmul/kernelslist.g"
expect 0 '' "$heddle" report control.hdump -o control.html
expect 0 '' "$heddle" report gpu.hdump -o gpu.html
expect 0 '' "$heddle" report product.hdump -o product.html
expect 0 '' "$heddle" report volta.hdump --window 2000-3000 -o window.html
expect 0 '' "$heddle" report volta.hdump gto.hdump --detail 2000 -o detail.html

# ---- every part of the page is in it ----
for f in "$src"/tools/report/*.js "$src"/tools/report/*.css; do
	case $f in */study*) continue ;; esac # parts of another page
	grep -qxF "$(head -1 "$f")" one.html || fail "the page lacks $(basename "$f")"
done

# ---- nothing is fetched, nothing of a dump becomes markup ----
grep -v '^{"heddle"' one.html | grep -oE 'https?://[^"'"'"' ]*|url\(|@import|<link|<img| src=' |
	grep -vx 'http://www.w3.org/2000/svg' && fail "the page names something elsewhere"
sed 's|^-kernel name = .*|-kernel name = </script><script>hacked=1</script><b onclick="x">\&|' \
	"$src/traces/samples/tiny/kernel-1.traceg" >kernel-1.traceg
dump evil volta_sm kernel-1.traceg
expect 0 '' "$heddle" report evil.hdump -o evil.html
test "$(grep -c '</script' evil.html)" -eq "$(grep -c '</script' one.html)" ||
	fail "a name ends the element with the data"

# ---- truncated and filtered dumps are shown as far as they go ----
for n in 20000 60000 150000; do
	head -c $n volta.hdump >cut.hdump
	expect 1 'the page shows what precedes it' "$heddle" report cut.hdump -o cut$n.html
done
head -c 3000 volta.hdump >cut.hdump
expect 2 'nothing can be read' "$heddle" report cut.hdump -o none.html
test ! -e none.html || fail "a page about nothing"
dump slots volta_sm "$src/traces/samples/matmul/kernelslist.g" --dump-filter event=issue.slot
dump warps volta_sm "$src/traces/samples/matmul/kernelslist.g" --dump-filter warp=3,5 --dump-sample 0
dump cycles volta_sm "$src/traces/samples/matmul/kernelslist.g" --dump-filter cycle=4000-6000
expect 0 '' "$heddle" report slots.hdump warps.hdump cycles.hdump -o filtered.html
expect 0 '' "$heddle" report slots.hdump -o slots.html
expect 0 '' "$heddle" report warps.hdump -o warps.html

# ---- the numbers ----
page()
{
	PYTHONDONTWRITEBYTECODE=1 $python "$src/tests/report/page.py" "$@"
}
page data one.html volta.json || fail "numbers of one run"
page data two.html volta.json gto.json || fail "numbers of two runs"
page data four.html reduce.json copy.json hist.json pascal.json || fail "numbers of four runs"
page data mixed.html mixed.json || fail "numbers of two SMs"
page data gpu.html gpu.json || fail "numbers of a GPU"
page data product.html product.json || fail "numbers of warpgroups"
page data window.html volta.json || fail "numbers with a window"
page data detail.html volta.json gto.json || fail "numbers with little detail"
page data control.html control.json || fail "numbers of a core that follows control words"
page data evil.html evil.json || fail "numbers of the smallest run"
# the mean latency of a run that is cut short is that of the instructions of which it saw issue and end
dump short volta_sm "$src/traces/samples/reduce/kernelslist.g" --max-cycles 1234
expect 0 '' "$heddle" report short.hdump -o short.html
"$heddle" dump short.hdump --to csv --table inst -o short.csv
$python - <<-'END' || fail "latencies of a run that is cut short"
	import csv, json, re
	page = re.search(r'id="data">\n(.*?)\n</script>', open("short.html").read(), re.S)
	want = {}
	for row in csv.DictReader(open("short.csv", newline="")):
	    if row["issue"] and row["end"]:
	        n, cycles = want.get(int(row["pc"]), (0, 0))
	        want[int(row["pc"])] = n + 1, cycles + int(row["end"]) - int(row["issue"])
	pcs = json.loads(page[1])["runs"][0]["pcs"]
	assert any(p["ended"] < p["issued"] for p in pcs)
	assert {p["pc"]: (p["ended"], p["cycles"]) for p in pcs if p["ended"]} == want
END

# ---- in a browser; HEDDLE_ALL=1: all of them ----
for f in evil mixed ${HEDDLE_ALL:+one two gpu control}; do
	status=0
	page browser "$tmp/$f.html" || status=$?
	if test "$status" -eq 77; then
		echo "SKIP: no Chromium, so that the page was not opened; apt-get install chromium"
		test "$failures" -eq 0 && exit 77
		done_testing
	fi
	test "$status" -eq 0 || fail "$f.html in the browser"
done
page colours "$tmp/one.html" "$tmp/gpu.html" "$tmp/control.html" \
	${HEDDLE_ALL:+"$tmp/four.html" "$tmp/mixed.html" "$tmp/copy.html"} || fail "colours of places"
for f in cut20000 filtered ${HEDDLE_ALL:+cut150000 slots warps}; do
	page empty "$tmp/$f.html" || fail "$f.html in the browser"
done
done_testing
