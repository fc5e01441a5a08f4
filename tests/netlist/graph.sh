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

# ---- DOT: the same boxes, lines and frames ----
expect 0 '' "$heddle" graph "$volta" -o v.dot
expect 0 '' "$heddle" graph --dot "$volta"
cmp out v.dot || fail "-o writes something else"
for form in svg dot; do
	expect 0 '' "$heddle" graph "$volta" -o v.$form
done
test "$(grep -c '^	n.* -> ' v.dot)" -eq "$(grep -c 'class="link' v.svg)" || fail "other lines than in the SVG"
grep -q '<b>sp\[0..3\]</b>' v.dot || fail "no array of four"
grep -q 'inst &#183; 36 &#215; 4 slots' v.dot || fail "the register sets are not one arrow"
# instances without a line are named
grep -q 'linked by calls only: .*<b>result_bus</b>' v.dot || fail "an instance is missing"
expect 0 '' "$heddle" graph "$volta" --interfaces=ibuffer,result_bus -o i.dot
grep -q 'label=<result_bus>' i.dot || fail "--interfaces"
expect 0 '' "$heddle" graph "$volta" --interfaces --expand --frames clock -o e.dot
grep -q '<b>sp\[3\]</b>' e.dot || fail "--expand"
test "$(grep -c 'subgraph cluster' e.dot)" -eq 4 || fail "--frames clock"
expect 0 '' "$heddle" graph "$volta" --frames none -o e.dot
grep -q subgraph e.dot && fail "--frames none"
expect 0 '<b>sp[0..1]</b>' "$heddle" graph --dot --set sub_cores=2 "$volta"
expect 2 "did you mean 'sub_cores'?" "$heddle" graph --set sub_core=2 "$volta"

# ---- block diagrams ----
lecture=$src/netlists/lecture_sm.json
expect 0 '' "$heddle" graph --fold "$lecture" -o f.dot
# box NAME: its number, in f.dot
box()
{
	sed -n "s/^.*\\(n[0-9]*\\) \\[fillcolor.*label=<<b>$1[[<].*/\\1/p" f.dot
}
# a policy is in the box of the stage that it orders, a cache where it is looked up; a buffer has its own
grep -q 'label=<<b>issue\[0..1\]</b><br/>.*<b>scheduler\[0..1\]</b> ' f.dot || fail "issue has no scheduler"
grep -q 'label=<<b>load_store</b>.*<b>l1d</b>' f.dot || fail "the cache is not in the load/store unit"
test -z "$(box scheduler)$(box l1d)" || fail "boxes for what one box calls"
for edge in fetch:decode decode:ibuffer ibuffer:issue issue:collector scoreboard:issue regfile:collector \
	collector:load_store scoreboard:writeback regfile:load_store; do
	grep -q "^	$(box "${edge%:*}") -> $(box "${edge#*:}") \\[" f.dot || fail "no arrow $edge"
done
expect 2 '--fold draws an array as one box' "$heddle" graph --fold --expand "$lecture"
for n in "$src"/netlists/*.json; do
	expect 0 '' "$heddle" graph --fold "$n" -o n.dot
	expect 0 '' "$heddle" graph "$n" -o n.dot
done
# one of 880 SMs is drawn in a second, on a machine that does other things as well in a minute
expect 0 '<b>issue[0..3]</b>' timeout 120 "$heddle" graph --fold --set clusters=80 --set cores=11 "$src/netlists/quadro_gv100.json"

# ---- every core that is shipped, as one looks at it ----
# picture NETLIST CROSSINGS [LEFT RIGHT]...: at most so many crossings, nothing is wrong, and each LEFT is
# left of RIGHT
picture()
{
	file=$1
	most=$2
	shift 2
	expect 0 '' "$heddle" graph "$src/netlists/$file.json" -o p.svg
	expect 0 ' overlaps 0 outside 0 through 0 islands 1 ' "$build/tests/netlist/picture" p.svg "$@"
	found=$(sed 's/.* crossings //' out)
	test "${found:-1000}" -le "$most" || fail "$file: $found crossings; expected at most $most"
	echo "$file" >>pictures
}
front='fetch decode decode ibuffer ibuffer issue issue sp sp writeback scoreboard issue load_store coalescer'
core="$front scheduler issue issue collector regfile collector collector sp collector load_store load_store l1d"
gpu='dispatcher warps warps fetch load_store requests requests slice slice dram slice reply_port replies node'
control='fetch decode decode ibuffer ibuffer issue scheduler issue counters issue icache fetch constants issue
	issue control control allocate regfile allocate reuse allocate allocate alu alu results results writeback
	control sfu sfu writeback control memory_queue memory_queue load_store load_store coalescer load_store l1d'
# shellcheck disable=SC2086
{
	picture tutorial 3 fetch decode decode ibuffer ibuffer issue policy issue issue alu alu writeback load_store memory
	picture southern_islands_cu 10 fetch decode decode ibuffer ibuffer issue scheduler issue issue vector_alu \
		vector_alu writeback issue scalar_alu scalar_alu writeback regfile addresses addresses load_store
	picture lecture_sm 3 $core load_store memory
	picture pascal_part 3 $front
	picture pascal_sm 3 $front dispatcher warps load_store memory
	picture titan_x_pascal 12 $front $gpu
	picture sm 3 $core
	picture cluster 7 $core
	for n in volta_sm volta_sm_gto volta_sm_oldest turing_sm ampere_sm; do
		picture $n 3 $core trace dispatcher dispatcher warps warps fetch load_store memory
	done
	for n in gpu quadro_gv100 rtx_2060 rtx_3070; do
		picture $n 14 $core $gpu
	done
	for n in a100_sm modern_sm control_sm; do
		picture $n 16 $control l1i icache l1i constants
	done
	for n in h100_sm h100_gpc; do
		picture $n 40 $control l1i icache l1i constants
	done
	picture control_cluster 17 $control
	picture hopper_cluster 29 $control
	for n in v100 a100 control_gpu rtx_3080 rtx_3080_ti rtx_3090 rtx_a6000; do
		picture $n 32 $control $gpu
	done
	for n in h100_pcie h100_sxm h200 gh200; do
		picture $n 77 $control dispatcher warps warps fetch load_store requests requests slice replies node
	done
}
ls "$src"/netlists/*.json | sed 's|.*/||;s|\.json$||' | sort >shipped
sort pictures | diff - shipped >diff || fail "pictures that are not looked at: $(cat diff)"
# SMs of a cluster that share an L1I and an L1D: lines for fetch come from behind all of the pipeline, which begins with fetch
cat >pair_sm.json <<END
{ "heddle": 1, "name": "pair_sm", "extends": "$src/netlists/sm.json", "set": { "icache.module": "icache", "icache.clock": "sm" },
  "remove": { "instances": ["l1d"], "exports": ["l1d", "request"] },
  "add": { "links": [{ "from": "icache.warps", "to": "warps.state" }],
           "exports": { "request": "load_store.request, icache.request", "inst_response": "icache.response",
                        "l1i": "icache.cache", "l1d": "load_store.l1d, fence.l1d" } } }
END
cat >pair.json <<END
{ "heddle": 1, "name": "pair", "extends": "$src/netlists/cluster.json", "set": { "sm.netlist": "pair_sm.json", "cores": 2 },
  "remove": { "exports": ["l1d"] },
  "add": { "instances": { "l1i": { "module": "cache", "clock": "work" }, "l1d": { "module": "cache", "clock": "work" } },
    "links": [{ "from": "sm[*].l1d", "to": "l1d.cache" }, { "from": "sm[*].l1i", "to": "l1i.cache" },
      { "for": { "k": "0..\$cores - 1" }, "from": "node.inst_response", "to": "sm[\$k].inst_response", "latency": 0, "capacity": 16 }],
    "exports": { "l1d": "l1d.cache, l1d.cache" } } }
END
cat >pairs.json <<END
{ "heddle": 1, "name": "pairs", "extends": "$src/netlists/gpu.json",
  "rewire": [{ "link": { "from": "cluster[\$n].request" }, "rotate": false }],
  "set": { "cluster.netlist": "pair.json", "clusters": 8, "cores": 2, "channels": 4, "map.indexing": "bank" } }
END
expect 0 '' "$heddle" graph pairs.json -o p.svg
# shellcheck disable=SC2086
expect 0 ' overlaps 0 outside 0 through 0 islands 1 ' "$build/tests/netlist/picture" p.svg $front dispatcher warps warps fetch \
	load_store requests requests slice slice reply_port

# two halves, each with two issue stages, a collector and a register file; their policies differ, so both are drawn
{
	cat <<'END'
{ "heddle": 1, "name": "half", "extends": "volta_sm.json",
  "set": { "scheduler.module": "scheduler_gto", "scheduler.count": 2, "sp.count": 2, "ibuffer.entries": 8,
    "collector.count": 2, "collector.sub_cores": 1, "collector.sets[0].units": 4, "collector.sets[0].dispatch": 4,
    "collector.ports[0].count": 4, "regfile.count": 2, "regfile.sub_cores": 1, "regfile.banks": 8 },
  "rewire": [
    { "link": { "from": "issue.out" }, "for": { "h": "0..1" }, "from": "issue[h].out, issue[h + 2].out",
      "to": "collector[h].in", "slots": 2, "index": "any", "rotate": false },
    { "link": { "from": "issue.ibuffer" }, "rotate": true },
    { "link": { "to": "sp.in" }, "from": "collector[*].out", "to": "sp[*].in", "slots": 2 },
END
	for unit in sfu dp int branch texture tensor uniform; do
		printf '    { "link": { "to": "%s.in" }, "for": { "h": "0..1" }, "from": "collector[h].out",
      "to": "%s[2 * h..2 * h + 1].in", "slots": 2, "index": "any" },\n' $unit $unit
	done
	cat <<'END'
    { "link": { "to": "load_store.in" }, "from": "collector[*].out" },
    { "link": { "from": "collector.regfile" }, "from": "collector[*].regfile", "to": "regfile[*].read" },
    { "link": { "to": "regfile.write" }, "to": "regfile[*].write" },
    { "link": { "to": "scheduler.policy" }, "from": "issue[0].policy, issue[2].policy, issue[1].policy, issue[3].policy",
      "to": "scheduler[*].policy, two_level[*].policy" } ],
  "add": { "instances": { "two_level": { "module": "scheduler_two_level", "count": 2, "params": { "active": 8 } } } } }
END
} | sed "s|volta_sm.json|$src/netlists/&|" >half.json
expect 0 '' "$heddle" graph half.json -o p.svg
expect 0 ' overlaps 0 outside 0 through 0 islands 1 ' "$build/tests/netlist/picture" p.svg fetch decode decode ibuffer \
	ibuffer issue issue collector regfile collector collector sp
for half in 0 1; do
	grep -q "class=\"frame\" data-path=\"\[$half\]\" data-count=\"1\"" p.svg || fail "there is no half $half"
	grep -q "data-path=\"collector\[$half\]\" data-module=\"collector\" data-count=\"1\"" p.svg || fail "collector $half"
done
for box in scheduler.0..1. two_level.0..1. issue.0,2. issue.1,3. sfu.0..1. sfu.2..3.; do
	grep -q "data-path=\"$box\" data-module=\"[a-z_]*\" data-count=\"2\"" p.svg || fail "there is no box $box of two"
done
grep -q '>issue \(&#215;\|'"$(printf '\303\227')"'\)2<' p.svg || fail "not two issue stages in a half"
# no line leads from half to half, and little of the picture is empty
grep 'class="link channel"' p.svg | grep -E 'data-from="issue.0,2..out" data-to="collector.1|data-from="collector.0..out" data-to="(sp.1|sfu.2)' &&
	fail "a line from half to half"
test "$(sed -n 's/.*<svg .* height="\([0-9]*\)".*/\1/p' p.svg)" -lt 1500 || fail "most of the picture is empty"
expect 0 '' "$heddle" graph --expand half.json -o p.svg
expect 0 ' overlaps 0 outside 0 through 0 islands 1 ' "$build/tests/netlist/picture" p.svg
test "$(grep -c 'class="frame" data-path="\[[01]\]"' p.svg)" -eq 2 || fail "--expand: not two halves"
# halves that are alike are one, with both in it
sed 's/"from": "issue.0..policy.*$/"from": "issue[*].policy",/; s/"to": "scheduler.*, two_level.*$/"to": "scheduler[*].policy" } ] }/
	s/"scheduler.count": 2, //; /"add": .*two_level/d' half.json >alike.json
expect 0 'class="frame" data-path="[0..1]" data-count="2"' "$heddle" graph alike.json
mv out p.svg
grep -q 'data-path="collector\[0..1\]" data-module="collector" data-count="2"' p.svg || fail "alike halves are two"
# channels, each with two slices, which have other parts for each
expect 0 '' "$heddle" graph "$src/netlists/quadro_gv100.json" -o p.svg
for n in 31 63; do
	grep -q "class=\"frame\" data-path=\"\[0..$n\]\"" p.svg || fail "no frame around channels with their slices"
done

# the same for any order of the file
"$build/tests/netlist/permute" "$lecture" 7 >permuted.json || fail "permute"
expect 0 '' "$heddle" graph "$lecture" -o a.svg
expect 0 '' "$heddle" graph permuted.json -o b.svg
cmp a.svg b.svg || fail "the picture depends on the order of the instances"
expect 0 '' "$heddle" flatten half.json -o flat.json
"$build/tests/netlist/permute" flat.json 7 >permuted.json || fail "permute"
for n in flat permuted; do
	expect 0 '' "$heddle" graph $n.json -o $n.svg
done
cmp flat.svg permuted.svg || fail "the parts depend on the order of the instances"
# elements one by one, in frames of their own, and bookkeeping calls
for n in volta_sm a100_sm lecture_sm; do
	expect 0 '' "$heddle" graph --expand "$src/netlists/$n.json" -o p.svg
	expect 0 ' overlaps 0 outside 0 through 0 islands 1 ' "$build/tests/netlist/picture" p.svg
	expect 0 '' "$heddle" graph --interfaces "$src/netlists/$n.json" -o p.svg
	expect 0 ' overlaps 0 outside 0 through 0 islands 1 ' "$build/tests/netlist/picture" p.svg
done
expect 0 '' "$heddle" graph "$volta" --expand -o p.svg
grep -q '<g class="frame" data-path="\[3\]"' p.svg || fail "no frame around a sub-core"

# ---- the pictures in the documents ----
for n in volta_sm lecture_sm; do
	expect 0 '' "$heddle" graph "$src/netlists/$n.json" -o p.svg
	cmp p.svg "$src/docs/$n.svg" || fail "docs/$n.svg is old: make drawing"
done

# ---- from a dump ----
for n in volta_sm lecture_sm a100_sm; do
	expect 0 '' "$heddle" run -q --dump p.hdump "$src/netlists/$n.json" "$src/traces/samples/tiny/kernelslist.g"
	expect 0 '' "$build/tests/netlist/picture_of_dump" p.hdump
	mv out dump.svg
	expect 0 '' "$heddle" graph "$src/netlists/$n.json" -o p.svg
	cmp p.svg dump.svg || fail "the picture from a dump of $n is another one"
done

# ---- odd netlists ----
cat >one.json <<'END'
{ "heddle": 1, "name": "one & <only>", "clocks": { "core": { "mhz": 1 } }, "instances": { "a": { "module": "icache_perfect" } } }
END
expect 0 'one &amp; &lt;only&gt;' "$heddle" graph one.json
mv out p.svg
expect 0 'boxes 1 lines 0 overlaps 0 outside 0 through 0 islands 0 crossings 0' "$build/tests/netlist/picture" p.svg
# ring N: so many instances, each of which writes to the next one
ring()
{
	awk -v n="$1" 'BEGIN {
		print "{ \"heddle\": 1, \"clocks\": { \"core\": { \"mhz\": 1 } }, \"instances\": {"
		for (i = 0; i < n; i++)
			printf "%s\"u%d\": { \"module\": \"reply_port\" }", i ? ",\n" : "", i
		print "}, \"links\": ["
		for (i = 0; i < n; i++)
			printf "%s{ \"from\": \"u%d.out\", \"to\": \"u%d.in\"%s }", i ? ",\n" : "", i, (i + 1) % n,
			       i ? "" : ", \"staged\": true"
		print "]}" }'
}
for n in 1 2 12; do
	ring $n >ring.json
	expect 0 '' "$heddle" graph ring.json -o p.svg
	expect 0 "boxes $n lines $n overlaps 0 outside 0 through 0 islands 1 crossings 0" "$build/tests/netlist/picture" p.svg
done
ring 10000 >ring.json
expect 0 '' timeout 600 "$heddle" graph ring.json -o p.svg
expect 0 '' timeout 600 "$heddle" graph --expand quadro_gv100.json -o p.svg
printf '{ "heddle": 1, "instances": { "a": { "module": "sp" } } }' >bad.json
expect 2 "'sp'" "$heddle" graph bad.json -o bad.svg
test ! -e bad.svg || fail "a picture of a netlist with mistakes"
expect 1 '/nowhere/x.svg: No such file' "$heddle" graph "$volta" -o /nowhere/x.svg
test ! -w /dev/full || expect 1 'No space left' sh -c "'$heddle' graph '$volta' >/dev/full"
expect 2 "unrecognized option" "$heddle" graph "$volta" --colour

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
