#!/bin/sh
# graph.sh - heddle graph: drawings, and messages about errors
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"

volta=$src/netlists/volta_sm.json

# ---- SVG ----
expect 0 '' "$heddle" graph "$volta" -o v.svg
expect 0 '' "$heddle" graph "$volta"
cmp out v.svg || fail "-o writes something else"
# an array is one box
grep -q 'class="instance" data-path="sp\[0..3\]" data-module="fu_pipeline" data-count="4"' v.svg || fail "no array of four"
grep -q 'class="link channel" data-from="collector.out" data-to="sp\[0..3\].in" data-count="4"' v.svg || fail "no channels"
# work that is obtained by a call goes from the provider to the user
grep -q 'class="link call" data-from="ibuffer.issue" data-to="issue\[0..3\].ibuffer"' v.svg || fail "ibuffer to issue"
grep -q 'class="link call back" data-from="writeback.regfile" data-to="regfile.write"' v.svg || fail "the way back"
grep -q 'data-to="result_bus.bus"' v.svg && fail "bookkeeping is drawn"
grep -q 'class="instance aside called" data-path="result_bus"' v.svg || fail "an instance is missing"
expect 0 'data-to="result_bus.bus"' "$heddle" graph "$volta" --interfaces=result_bus
try "$heddle" graph "$volta" --interfaces=result_bus
grep -q 'data-from="issue\[0..3\].barrier"' out && fail "--interfaces=result_bus draws others as well"
expect 0 'data-from="issue[0..3].barrier"' "$heddle" graph "$volta" --interfaces
expect 0 'data-path="sp[3]"' "$heddle" graph "$volta" --expand
expect 0 'data-path="sp[0..1]"' "$heddle" graph --set sub_cores=2 "$volta"

# ---- DOT ----
expect 0 '' "$heddle" graph "$volta" -o v.dot
expect 0 '' "$heddle" graph --dot "$volta"
cmp out v.dot || fail "-o writes something else"
# arrays are one box, links into one port are one arrow, with payload and size
grep -q '<b>sp</b> &#215;4' v.dot || fail "no array of four"
grep -q 'inst &#183; 9 &#215; 4 slots' v.dot || fail "the register sets are not one arrow"
grep -q 'mem &#183; 2 deep<br/>latency 0' v.dot || fail "no latency"
grep -c 'shape=box' v.dot | grep -qx 1 || fail "form of boxes"
grep -q 'style=dashed color' v.dot && fail "calls are drawn without --interfaces"
# instances without an edge are named
grep -q '<b>scoreboard</b>' v.dot || fail "an instance is missing"
expect 0 '' "$heddle" graph "$volta" --interfaces=ibuffer,cache -o i.dot
test "$(grep -c 'style=dashed color' i.dot)" -eq 6 || fail "calls of two types: $(grep -c 'style=dashed color' i.dot)"
expect 0 '' "$heddle" graph "$volta" --interfaces --expand --frames clock -o e.dot
grep -q '<b>sp\[3\]</b>' e.dot || fail "--expand"
test "$(grep -c 'subgraph cluster' e.dot)" -eq 4 || fail "--frames clock"
expect 0 '<b>sp</b> &#215;2' "$heddle" graph --dot --set sub_cores=2 "$volta"
expect 2 "did you mean 'sub_cores'?" "$heddle" graph --set sub_core=2 "$volta"

# ---- block diagrams ----
lecture=$src/netlists/lecture_sm.json
expect 0 '' "$heddle" graph --fold "$lecture" -o f.dot
# box NAME: its number, in f.dot
box()
{
	sed -n "s/^.*\\(n[0-9]*\\) \\[fillcolor.*label=<<b>$1<.*/\\1/p" f.dot
}
# a policy is in the box of the stage that it orders, a cache where it is looked up; a buffer has its own
grep -q 'label=<<b>issue</b> &#215;2<br/>.*<b>scheduler</b> &#215;2 ' f.dot || fail "issue has no scheduler"
grep -q 'label=<<b>load_store</b>.*<b>l1d</b>' f.dot || fail "the cache is not in the load/store unit"
test -z "$(box scheduler)$(box warps)" || fail "boxes for what is only called"
grep -q 'called by most.*<b>warps</b>' f.dot || fail "the state of the warps is not named"
for edge in fetch:decode decode:ibuffer ibuffer:issue issue:collector issue:scoreboard collector:regfile \
	collector:load_store scoreboard:writeback regfile:load_store; do
	grep -q "^	$(box "${edge%:*}") -> $(box "${edge#*:}") \\[" f.dot || fail "no arrow $edge"
done
# fetch looks at the buffer and at the scoreboard, which are behind decode
grep -qE "^	$(box fetch) -> ($(box ibuffer)|$(box scoreboard)) " f.dot && fail "an arrow skips decode"
test "$(grep -c 'style=dashed color' f.dot)" -eq 8 || fail "calls: $(grep -c 'style=dashed color' f.dot)"
expect 2 '--fold draws an array as one box' "$heddle" graph --fold --expand "$lecture"
for n in "$src"/netlists/*.json; do
	expect 0 '' "$heddle" graph --fold "$n" -o n.dot
	expect 0 '' "$heddle" graph "$n" -o n.dot
	expect 0 '' "$heddle" graph "$n" -o n.svg
done

expect 2 "unknown format of 'x.jpeg2'; expected .svg, .dot, .pdf or .png" "$heddle" graph "$volta" -o x.jpeg2
expect 2 "unknown format of" "$heddle" graph "$volta" -o x
expect 2 "unknown frame 'wires'; expected path, clock or none" "$heddle" graph "$volta" --frames wires
expect 2 "no instance uses type 'cahce'; did you mean 'cache'?" "$heddle" graph "$volta" --interfaces=ibuffer,cahce
expect 1 '/nowhere/x.dot: No such file' "$heddle" graph "$volta" -o /nowhere/x.dot
expect 2 'cannot read the netlist' "$heddle" graph /nowhere/n.json
expect 2 'expected NETLIST' "$heddle" graph

# ---- through graphviz ----
mkdir empty
expect 0 '' env PATH="$tmp/empty" "$heddle" graph "$volta" -o x.svg
expect 1 "cannot run 'dot' to write 'x.pdf': No such file or directory; install graphviz" \
	env PATH="$tmp/empty" "$heddle" graph "$volta" -o x.pdf
printf '#!/bin/sh\nexit 3\n' >empty/dot
chmod +x empty/dot
expect 1 "'dot' could not write 'x.svg'" env PATH="$tmp/empty" "$heddle" graph --dot "$volta" -o x.svg
if command -v dot >/dev/null; then
	expect 0 '' "$heddle" graph --dot "$volta" -o v.svg
	grep -q '</svg>' v.svg || fail "no SVG"
	expect 0 '' "$heddle" graph --dot --interfaces --expand "$volta" -o e.svg
	test "$(wc -c <"$src/docs/volta_sm.svg")" -le 102400 || fail "docs/volta_sm.svg is large"
else
	echo "graphviz is missing, so nothing was drawn; apt-get install graphviz"
fi
done_testing
