#!/bin/sh
# limits.sh - netlists that are built to take long: limits are reported at once, the rest is read fast
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"

steps='the netlist takes too long to read here; expected at most 16777216 steps'
SOON=120 # seconds: a second, on a machine that does other things as well

# report STATUS TEXT ARGUMENT...: heddle check says TEXT soon
report()
{
	want=$1 text=$2
	shift 2
	expect "$want" "$text" timeout $SOON "$heddle" check "$@"
}

clocks='"clocks": { "core": { "mhz": 1000 } }'
memory='"m": { "module": "memory_perfect", "clock": "core" }'

# ---- files ----
echo "{ \"heddle\": 1, $clocks, \"instances\": { $memory }, \"links\": [] }" >e0.json
# chain LETTER N CHANGE: LETTER1.json and so on, each extends the one before; CHANGE may have %d, the number
chain()
{
	i=1
	while test $i -lt "$2"; do
		# shellcheck disable=SC2059 # the change is a format
		printf "{ \"heddle\": 1, \"extends\": \"$1$((i - 1)).json\"$3 }\\n" $i >"$1$i.json"
		i=$((i + 1))
	done
}
chain e 300 ''
report 2 "e43.json:1:27: error: more than 256 netlists extend each other; expected fewer" e299.json
report 2 "port 'm.request' is left open" e250.json
cp e0.json t0.json
i=1
while test $i -lt 40; do
	t='"netlist": "t'$((i - 1))'.json", "clocks": { "core": "core" }'
	echo "{ \"heddle\": 1, $clocks, \"instances\": { \"a\": { $t }, \"b\": { $t } } }" >t$i.json
	i=$((i + 1))
done
report 2 'too many netlists in netlists; expected at most 65536 in all' t39.json
# a GPU that is too large: no second error for what was not read
report 2 'too many links; expected at most 262144 in all' --set clusters=4096 quadro_gv100.json
test "$(grep -c error err)" -eq 1 || fail "more errors than that of too many links: $(cat err)"

# ---- exports that stand for twice as many ends each time ----
net="{ \"heddle\": 1, $clocks, \"instances\": { $memory }, \"exports\": { \"e\": \"m.response\" } }"
i=0
while test $i -lt 30; do
	net="{ \"heddle\": 1, $clocks, \"instances\": { \"a\": { \"netlist\": $net,
		\"clocks\": { \"core\": \"core\" } } }, \"exports\": { \"e\": \"a.e, a.e\" } }"
	i=$((i + 1))
done
echo "$net" >exports.json
report 2 'too many ends of links; expected at most 2097152 in all' exports.json

# ---- many entries ----
# made PROGRAM FILE: what an awk program prints before the end
made()
{
	awk "BEGIN { n = 20000; $1 }" >"$2"
}

head='printf "{ \"heddle\": 1, \"clocks\": { \"core\": { \"mhz\": 1000 } }, '
made "$head"'\"instances\": { \"m\": { \"module\": \"memory_perfect\", \"clock\": \"core\",";
	printf " \"count\": %d } }, \"links\": [", n;
	for (i = 0; i < n; i++) printf "%s\n{ \"from\": \"m[%d].response\", \"to\": \"m[%d].request\" }",
		i ? "," : "", i, (i + 1) % n;
	print "] }"' links.json
made 'print "{ \"heddle\": 1, \"extends\": \"links.json\", \"rewire\": [";
	for (i = 0; i < n; i++) printf "%s\n{ \"link\": { \"from\": \"m[%d]\" }, \"capacity\": 2 }",
		i ? "," : "", i;
	print "] }"' rewire.json
report 2 "rewire.json:805:1: error: $steps" rewire.json
made 'print "{ \"heddle\": 1, \"extends\": \"links.json\", \"remove\": { \"links\": [";
	for (i = 0; i < n; i++) printf "%s\n{ \"from\": \"m[%d]\" }", i ? "," : "", i;
	print "] } }"' remove.json
report 2 "$steps" remove.json
made "$head"'\"instances\": { ";
	for (i = 0; i < n; i++) printf "%s\n\"m%d\": { \"module\": \"memory_fixed\" }", i ? "," : "", i;
	print "}, \"links\": [] }"' fixed.json
made 'print "{ \"heddle\": 1, \"extends\": \"fixed.json\", \"set\": {";
	for (i = 0; i < n; i++) printf "%s\n\"m%d.latency\": 5", i ? "," : "", i;
	print "} }"' set.json
report 2 "port 'm0." set.json
made "$head"'\"instances\": { ";
	for (i = 0; i < n; i++) printf "%s\n\"m%d\": { \"module\": \"memory_prefect\" }", i ? "," : "", i;
	print "} }"' unknown.json
report 2 "unknown module 'memory_prefect'; did you mean 'memory_perfect', or one of a plug-in (--plugin)?" unknown.json
made "$head"'\"instances\": { ";
	for (i = 0; i < n; i++) printf "%s\n\"m%d\": { \"netlist\": \"e0.json\" }", i ? "," : "", i;
	print "} }"' inside.json
report 2 'too many clocks with a frequency of their own' inside.json
made 'print "{ \"heddle\": 1, \"clocks\": { \"c0\": { \"mhz\": 1000 }";
	for (i = 1; i < n; i++) printf ",\n\"c%d\": { \"of\": \"c%d\" }", i, i - 1;
	print "}, \"instances\": { \"m\": { \"module\": \"memory_perfect\", \"clock\": \"c0\" } } }"' \
	derived.json
report 2 "clock 'c256' derives from its root over 255 other clocks or more" derived.json
made "$head"'\"instances\": { \"m\": { \"module\": \"memory_perfect\", \"clock\": \"core\",";
	printf " \"count\": 65536 } }, \"links\": [ { \"to\": \"m[0].request\", \"from\": \"m[*].response";
	for (i = 0; i < 2000; i++) printf ", m[*].response";
	print "\" } ] }"' ends.json
report 2 'too many ends of links' ends.json
made 'printf "{ \"heddle\": 1, \"extends\": \"fixed.json\", \"set\": { \"";
	for (i = 0; i < n; i++) printf "m0.timing."; print "x\": 1 } }"' path.json
report 2 "the path 'm0.timing.m0.timing.m0.timing.m0.timing.m0.timing.m0.timing....' has 200001 characters; expected at most 4096" path.json
made 'print "{ \"heddle\": 1, \"extends\": \"e0.json\", \"set\": {";
	p = "m"; while (length(p) < 4000) p = p ".m";
	for (i = 0; i < 2000; i++) printf "%s\n\"%s.%d\": 1", i ? "," : "", p, i; print "} }"' paths.json
report 2 "is not given in the netlist" paths.json
made "$head"'\"instances\": { ";
	for (i = 0; i < 4000; i++) printf "%s\n\"memory_number_%05d\": { \"module\": \"memory_perfect\" }",
		i ? "," : "", i;
	print "}, \"links\": [";
	for (i = 0; i < 2000; i++) printf "%s\n{ \"from\": \"memory_numbre_%05d.response\", \"to\": \"mem.request\" }",
		i ? "," : "", i;
	print "] }"' misspelt.json
# each misspelt name is compared with all others
report 2 "unknown instance 'memory_numbre_00001'; did you mean 'memory_number_00001'?" misspelt.json
# as many misspelt names as names: of exports, clocks
made "$head"'\"instances\": { ";
	for (i = 0; i < 30000; i++) printf "%s\n\"memory_number_%05d\": { \"module\": \"memory_perfect\" }",
		i ? "," : "", i;
	print "}, \"exports\": {";
	for (i = 0; i < 30000; i++) printf "%s\n\"response_%05d\": \"memory_number_%05d.response\"", i ? "," : "", i, i;
	print "} }"' inner.json
made "$head"'\"instances\": { \"a\": { \"netlist\": \"inner.json\" } }, \"links\": [";
	for (i = 0; i < 30000; i++) printf "%s\n{ \"from\": \"a.repsonse_%05d\", \"to\": \"a.response_%05d\" }",
		i ? "," : "", i, i;
	print "] }"' exports.json
report 2 "has no export 'repsonse_00001'; did you mean 'response_00001'?" exports.json
made 'print "{ \"heddle\": 1, \"clocks\": { \"core\": { \"mhz\": 1000 }";
	for (i = 0; i < 40000; i++) printf ",\n\"clock_%05d\": { \"of\": \"cor\" }", i;
	print "}, \"instances\": {} }"' clocks.json
report 2 "unknown clock 'cor'; did you mean 'core'?" clocks.json
made 'print "{ \"heddle\": 1, \"clocks\": { \"core\": { \"mhz\": 1000 }";
	for (i = 0; i < 100; i++) printf ",\n\"clock_%05d\": { \"of\": \"core\" }", i;
	print ", \"memory\": { \"of\": \"core\" } }, \"instances\": { \"a\": { \"module\": \"result_bus\", \"clock\": \"memori\" } } }"' clocks.json
report 2 "unknown clock 'memori'; did you mean 'memory'?" clocks.json
made 'print "{ \"heddle\": 1, \"extends\": \"inner.json\", \"rewire\": [";
	for (i = 0; i < 20000; i++) printf "%s\n{ \"link\": { \"to\": \"memory_number_%05d.request\" }, \"to\": \"memory_number_%05d.request\" }",
		i ? "," : "", i, i;
	print "] }"' rewired.json
report 2 "$steps" rewired.json
# more members than an object may have, before anything is read of them
made "$head"'\"instances\": {}, \"params\": {"; for (i = 0; i < 70000; i++) printf "%s\n\"p%d\": 1", i ? "," : "", i;
	print "} }"' members.json
report 2 'members.json:1:82: error: an object with 70000 members; expected at most 65536' members.json
# members of a link for its ports
made "$head"'\"instances\": { \"m\": { \"module\": \"memory_fixed\", \"clock\": \"core\", \"count\": 20000 } },";
	printf " \"links\": [{ \"from\": \"m[*].response\", \"to\": \"m[*].request\"";
	for (i = 0; i < 60000; i++) printf ",\n\"x%d\": 1", i; print "}] }"' ports.json
report 2 'link with 60000 members of its ports; expected at most 256' ports.json
# ---- further ones: HEDDLE_ALL=1 ----
test -n "${HEDDLE_ALL:-}" || done_testing
# one long list of ends, of which each change concerns one
made "$head"'\"instances\": { \"m\": { \"module\": \"memory_fixed\", \"clock\": \"core\", \"count\": 60000 } },";
	printf " \"links\": [{ \"to\": \"m[0].request\", \"from\": [";
	for (i = 0; i < 60000; i++) printf "%s\n\"m[%d].response\"", i ? "," : "", i; print "] }] }"' list.json
for change in '\"capacity\": 2' '\"from\": \"m[0]\"'; do
	made 'print "{ \"heddle\": 1, \"extends\": \"list.json\", \"rewire\": [";
		for (i = 0; i < 60000; i++) printf "%s\n{ \"link\": { \"from\": \"m[%d]\" }, '"$change"' }", i ? "," : "", i;
		print "] }"' rewires.json
	report 2 'rewires.json:' rewires.json
done
made 'print "{ \"heddle\": 1, \"extends\": \"list.json\", \"remove\": { \"links\": [";
	for (i = 0; i < 60000; i++) printf "%s\n{ \"from\": \"m[%d]\" }", i ? "," : "", i; print "] } }"' removes.json
report 2 "$steps" removes.json
# changes of all links, again and again
made 'print "{ \"heddle\": 1, \"extends\": \"links.json\", \"rewire\": [";
	for (i = 0; i < 400; i++) printf "%s\n{ \"link\": { \"from\": \"m\" }, \"capacity\": 2 }", i ? "," : "";
	print "] }"' all.json
report 2 "$steps" all.json
# a long pattern
made 'p = "x"; while (length(p) < 1000000) p = p p;
	print "{ \"heddle\": 1, \"extends\": \"links.json\", \"rewire\": [";
	for (i = 0; i < 8; i++) printf "%s\n{ \"link\": { \"from\": \"%s\" }, \"to\": \"m\" }", i ? "," : "", p; print "] }"' long.json
report 2 "$steps" long.json
# an end, and ends of an export, of many
made "$head"'\"instances\": { \"m\": { \"module\": \"memory_fixed\", \"clock\": \"core\" } },";
	printf " \"links\": [{ \"from\": \"m.response\", \"to\": \"m.request"; for (i = 0; i < 500000; i++) printf ", m.request";
	print "\" }] }"' to.json
report 0 '' to.json
made "$head"'\"instances\": { \"m\": { \"module\": \"memory_fixed\", \"clock\": \"core\" } },";
	printf " \"exports\": { \"e\": \"m.response"; for (i = 0; i < 100000; i++) printf ", m.response"; print "\" } }"' export.json
echo '{ "heddle": 1, "extends": "export.json", "rewire": [{ "link": { "from": "m" }, "from": "m" }] }' >exported.json
report 2 "port 'm.request' is left open" exported.json
# changes inside of netlists: of an array, of many
sed 's/memory_perfect/memory_fixed/' e0.json >f0.json
sub='\"netlist\": \"f0.json\", \"clocks\": { \"core\": \"core\" }'
made "$head"'\"instances\": { \"m\": { '"$sub"', \"count\": 60000 } } }"' subs.json
made "$head"'\"instances\": { "; for (i = 0; i < 40000; i++) printf "%s\n\"m%d\": { '"$sub"' }", i ? "," : "", i;
	print "} }"' netlists.json
made 'print "{ \"heddle\": 1, \"extends\": \"subs.json\", \"set\": {";
	for (i = 0; i < 40000; i++) printf "%s\n\"m[%d].m.latency\": 5", i ? "," : "", i; print "} }"' inside.json
report 2 "port 'm[0].m.request' is left open" inside.json
made 'print "{ \"heddle\": 1, \"extends\": \"netlists.json\", \"set\": {";
	for (i = 0; i < 40000; i++) printf "%s\n\"m%d.m.latency\": 5", i ? "," : "", i; print "} }"' inside.json
report 2 "port 'm0.m.request' is left open" inside.json
# values that elements, netlists and variables multiply
made "$head"'\"instances\": { \"m\": { \"module\": \"memory_fixed\", \"clock\": \"core\", \"count\": 65536,";
	printf " \"for\": \"i\", \"params\": { \"latency\": ["; for (i = 0; i < 500000; i++) printf "%s\n\"$i\"", i ? "," : "";
	print "] } } } }"' for.json
report 2 "$steps" for.json
made "$head"'\"instances\": { \"m\": { \"module\": \"memory_fixed\", \"clock\": \"core\" } },";
	printf " \"links\": [{ \"for\": { \"a\": \"0..99999999999\", \"b\": \"1..0\" }, \"from\": \"m.response\", \"to\": \"m.request\" }] }"' empty.json
report 2 "$steps" empty.json
made "$head"'\"params\": { "; for (i = 0; i < 30000; i++) printf "%s\n\"p%d\": 1", i ? "," : "", i;
	print "}, \"instances\": {} }"' given.json
made "$head"'\"instances\": { "; for (i = 0; i < 60000; i++) printf "%s\n\"m%d\": { \"netlist\": \"given.json\", \"clocks\": { \"core\": \"core\" } }", i ? "," : "", i;
	print "} }"' gives.json
report 2 "parameter 'p0' is never read" gives.json
# many extended netlists of a large one
cp fixed.json c0.json
chain c 250 ', "set": { "m0.latency": %d }'
report 2 "$steps" c249.json
# elements with parameters of their own
array='\"instances\": { \"m\": { \"module\": \"memory_fixed\", \"clock\": \"core\", \"count\": 65536'
made "$head$array"', \"elements\": {";
	for (i = 0; i < 60000; i++) printf "%s\n\"%d\": { \"latency\": %d }", i ? "," : "", i, i + 1;
	print "} } } }"' elements.json
report 2 "port 'm[0].request' is left open" elements.json
made "$head$array"', \"elements\": {";
	for (i = 0; i < 60000; i++) printf "%s\n\"%d..65535\": { \"latency\": %d }", i ? "," : "", i, i + 1;
	print "} } } }"' ranges.json
report 2 "ranges.json:1:148: error: $steps" ranges.json
# changes of one element each, from a file and from the command line
made "$head$array"' } } }"' plain.json
made 'print "{ \"heddle\": 1, \"extends\": \"plain.json\", \"set\": {";
	for (i = 0; i < 60000; i++) printf "%s\n\"m[%d].latency\": 5", i ? "," : "", i; print "} }"' each.json
report 2 "port 'm[0].request' is left open" each.json
made 'for (i = 0; i < 40000; i++) printf "--set\nm[%d].latency=5\n", i' options
report 2 "port 'm[0].request' is left open" $(cat options) plain.json
# each of them among ranges, which it might be in
made "$head$array"', \"elements\": {";
	for (i = 0; i < n; i++) printf "%s\n\"%d..%d\": { \"latency\": [5] }", i ? "," : "", i, i;
	print "} } } }"' among.json
sed 's/plain/among/; s/latency/latency[0]/' each.json >ranges.json
report 2 "$steps" ranges.json
# many messages in a file of many lines
made 'for (i = 0; i < 4000000; i++) print ""; print "{ \"heddle\": 1, \"clocks\": { \"core\": { \"mhz\": 1000 } }, \"instances\": {";
	for (i = 0; i < n; i++) printf "%s\n\"m%d\": { \"module\": \"memory_prefect\" }", i ? "," : "", i;
	print "} }"' lines.json
report 2 "lines.json:4000003:19: error: unknown module 'memory_prefect'" lines.json
# many ports that are open, each with a link that would close it
made "$head"'\"instances\": { ";
	for (i = 0; i < 60000; i++) printf "%s\n\"s%d\": { \"module\": \"scheduler_gto\", \"clock\": \"core\" }", i ? "," : "", i;
	print "} }"' open.json
report 2 "port 's0.warps' is left open" open.json
# clocks that derive from each other in one large circle
made 'print "{ \"heddle\": 1, \"clocks\": { \"core\": { \"mhz\": 1000 }";
	for (i = 0; i < 60000; i++) printf ",\n\"c%d\": { \"of\": \"c%d\" }", i, (i + 1) % 60000; print "}, \"instances\": {} }"' circle.json
report 2 "clock 'c0' derives from itself: c0 -> c1 -> c2 -> " circle.json
report 2 " -> ... -> c0" circle.json
# netlists that are linked, each by itself, and misspelt
sed 's/"links": \[\]/"exports": { "up": "m.response", "down": "m.request" }/; s/{ "mhz": 1000 }/{ "extern": true }/' e0.json >x0.json
made "$head"'\"instances\": { "; for (i = 0; i < 30000; i++) printf "%s\n\"m%d\": { \"netlist\": \"x0.json\" }", i ? "," : "", i;
	print "}, \"links\": ["; for (i = 0; i < 30000; i++) printf "%s\n{ \"from\": \"m%d.up\", \"to\": \"m%d.down\" }", i ? "," : "", i, i;
	print "] }"' linked.json
report 0 '' linked.json
sed 's/"to": "m\([0-9]*\)/"to": "n\1.x/' linked.json >misspelt.json
report 2 "unknown instance 'n0.x'; expected one of" misspelt.json
# netlists that stand in others and extend
made "$head"'\"instances\": { "; for (i = 0; i < 30000; i++)
		printf "%s\n\"m%d\": { \"netlist\": { \"extends\": \"x0.json\", \"add\": { \"links\": [{ \"from\": \"m.response\", \"to\": \"m.request\" }] } } }", i ? "," : "", i;
	print "} }"' stands.json
report 0 '' stands.json
# exports of exports
inner='{ \"heddle\": 1, \"clocks\": { \"core\": { \"extern\": true } }, \"instances\": { \"a\": '
made 'n = 3000; out = "}"; for (i = 0; i < n; i++) up = up (i ? ", " : "") "\"e" i "\": \"a.e" i "\"";
	for (k = 0; k < 60; k++) printf "'"$inner"'{ \"netlist\": ";
	printf "'"$inner"'{ \"module\": \"memory_perfect\", \"clock\": \"core\" } }, \"exports\": {";
	for (i = 0; i < n; i++) printf "%s\"e%d\": \"a.response\"", i ? ", " : "", i; print "} }";
	for (k = 0; k < 60; k++) print "} }, \"exports\": {" up "} }"' exports.json
sed '1s/{ "extern": true }/{ "mhz": 1000 }/' exports.json >exported.json
report 2 'too many ends of links; expected at most 2097152 in all' exported.json
# all links removed by one pattern, and by one each in netlists that extend each other
echo '{ "heddle": 1, "extends": "links.json", "remove": { "links": [{ "from": "m" }] } }' >none.json
report 2 "port 'm[0]." none.json
cp links.json l0.json
chain l 40 ', "remove": { "links": [{ "from": "m[%d]" }] }'
report 2 "$steps" l39.json
# long lists of ends, again and again
made "$head"'\"instances\": { \"m\": { \"module\": \"memory_fixed\", \"clock\": \"core\" } },";
	printf " \"links\": [\n{ \"for\": { \"i\": \"0..99\" }, \"from\": \"m.response\", \"to\": \"m.request";
	for (i = 0; i < 100000; i++) printf ", m.request"; print "\" }] }"' again.json
report 2 "again.json:2:1: error: $steps" again.json
done_testing
