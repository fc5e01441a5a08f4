#!/bin/sh
# energy.sh - heddle run --energy: power by hand, sums, tables that extend others, wrong tables, the report of heddle-accel-sim
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"
needs python3

gpu=$src/netlists/quadro_gv100.json
list=$src/traces/samples/reduce/kernelslist.g
tables=$src/netlists/energy
cat >small.json <<'END'
{ "heddle": 1, "extends": "quadro_gv100.json",
  "set": { "clusters": 4, "channels": 4, "slices": 4, "dispatcher.kernel_latency": 1300 } }
END
# ask FILE EXPRESSION: a value of the statistics `s`, or of the rows of the CSV file `rows`
cat >ask.py <<'END'
import csv, json, math, sys
def near(a, b, to=1e-9):
    return abs(a - b) <= to * max(abs(a), abs(b), 1e-12)
s = json.load(open(sys.argv[1])) if sys.argv[1].endswith("stats") else None
rows = [{k: float(v) for k, v in r.items()} for r in csv.DictReader(open(sys.argv[1]))] if s is None else None
sys.exit(0 if eval(sys.argv[2]) else 1)
END
holds()
{
	python3 ask.py "$1" "$2" || fail "$1: not $2"
}

# ---- by hand: a GV100 without a thread block; two of its SMs with one all the time, and all lanes of int and fp ----
cat >two.hasm <<'END'
kernel two grid=2 block=1024 sm=70
	repeat 400 k {
		FADD R4, R1, R2
		IADD3 R8, R1, R2, R3
	}
	EXIT
END
expect 0 '' "$heddle" trace assemble two.hasm -o two
expect 0 '' "$heddle" run -q "$gpu" two/kernelslist.g --energy accelwattch_volta.json --power-trace two.csv --stats two.stats
holds two.csv 'near(rows[0]["watts"], 80 * 0.28279166 + 32.32522272 + 0.5502199202) and rows[0]["cycle"] == 500'
holds two.csv 'near(rows[0]["watts"], 55.49878, 1e-7)'
holds two.csv 'any(near(r["STATICP"], 2 / 80 * (18.6179906 + 31 * 0.645228013)) and near(r["IDLE_COREP"], 22.057749, 1e-7) for r in rows)'
# 2 x 32 warps x 400 x 32 lanes of each class, 801 instructions decoded, none of them after one that does not lead
holds two.stats 's["energy"]["counts"]["fu_pipeline.lanes.fp"] == s["energy"]["counts"]["fu_pipeline.lanes.int"] == 64 * 400 * 32'
holds two.stats 's["energy"]["counts"]["decode.decoded"] == 64 * 801'
# each fetch brings FADD, which leads, and IADD3, which does not
holds two.stats 's["energy"]["counts"]["decode.unscheduled"] == 64 * 400'
holds two.stats 'near(s["energy"]["components"]["FPUP"]["joules"], 64 * 400 * 32 * 9.986169348e-12)'

# ---- the power trace, means, kernels, groups and instances agree ----
run()
{
	expect 0 '' "$heddle" run -q small.json "$list" --energy accelwattch_volta.json --power-trace "$1.csv" --stats "$1.stats" $2
}
run plain
holds plain.stats 'len(s["kernels"]) > 0 and all(k["energy"]["joules"] > 0 for k in s["kernels"])'
holds plain.stats 'near(s["energy"]["seconds"], s["cycles"] / 1132e6) and s["energy"]["intervals"]["number"] == s["cycles"] // 500'
holds plain.stats 'near(sum(k["energy"]["joules"] for k in s["kernels"]), s["energy"]["joules"])'
holds plain.stats 'near(sum(c["joules"] for c in s["energy"]["groups"].values()), s["energy"]["joules"])'
holds plain.stats 'near(sum(c["joules"] for c in s["energy"]["components"].values()), s["energy"]["joules"])'
holds plain.stats 'all(near(sum(i.get(c, 0) for i in s["energy"]["instances"].values()) * 1e-12 +
	{"CONSTP": 32.32522272, "MCP": 0.5502199202}.get(c, 0) * s["energy"]["seconds"], v["joules"], 1e-6)
	for c, v in s["energy"]["components"].items())'
holds plain.stats 'near(s["energy"]["components"]["RFP"]["joules"] * 1e12, sum(80.00501482 * i["reads"] + 68.37565243 * i["writes"]
	for i in s["instances"].values() if i["module"] == "regfile"))'
python3 - <<'END' || fail "the mean of the power trace is not that of the statistics"
import csv, json
e = json.load(open("plain.stats"))["energy"]["intervals"]
watts = [float(r["watts"]) for r in csv.DictReader(open("plain.csv"))]
near = lambda a, b: abs(a - b) < 1e-7 * b
assert near(sum(watts) / len(watts), e["mean_w"]) and near(max(watts), e["largest_w"]) and near(min(watts), e["smallest_w"])
END

# ---- energies are sums of counters: any order, threads or none ----
for way in '--shuffle 3' '--threads 2' --lockstep --no-sleep; do
	run other "$way"
	cmp -s plain.csv other.csv && cmp -s plain.stats other.stats || fail "$way: other energies"
done

# duties of SMs that are empty, in intervals in which nothing happens
cat >ends.hasm <<'END'
kernel one grid=8 block=256 sm=70
	repeat 20 k {
		FADD R4, R1, R2
	}
	EXIT
kernel two grid=8 block=256 sm=70
	EXIT
END
expect 0 '' "$heddle" trace assemble ends.hasm -o ends
for threads in 1 2; do
	expect 0 '' "$heddle" run -q small.json ends/kernelslist.g --threads $threads --energy accelwattch_volta.json --power-trace $threads.csv
done
holds 1.csv 'rows[-1]["PIPEP"] > 0 and rows[-1]["PIPEP"] == rows[-2]["PIPEP"]'
cmp 1.csv 2.csv || fail 'two threads: other duties'

# ---- without --energy nothing of it is in the statistics ----
expect 0 '' "$heddle" run -q small.json "$list" --stats without.stats
grep -E '"energy"|unscheduled|resident_cycles' without.stats && fail "energies without --energy"
expect 0 'energy by table' "$heddle" run small.json "$list" --energy accelwattch_turing.json
grep -q '12.9 % on average' out || fail "a figure without the error of its table"

# ---- tables that extend others: a scale, another constant, an event without energy, one of another unit, voltage ----
cat >mine.json <<'END'
{ "heddle_energy": 1, "name": "mine", "extends": "energy/accelwattch_volta.json", "scale": { "*": 2, "RFP": 3 },
  "constant_w": { "CONSTP": 1 }, "events": [ { "module": "shared_banks", "pj": { "cycles": null } },
    { "module": "writeback", "pj": { "completed": { "MYP": 5 } } } ] }
END
"$heddle" modules writeback | sed -n '/^Statistics/,/^$/s/^  \([a-z_]*\) .*/\1/p' | head -n 1 >statistic
sed -i "s/\"completed\"/\"$(cat statistic)\"/" mine.json
expect 0 '' "$heddle" run -q small.json "$list" --energy mine.json --stats mine.stats
python3 - "$(cat statistic)" <<'END' || fail "a table that extends another one"
import json, sys
a, b = (json.load(open(f)) for f in ("plain.stats", "mine.stats"))
near = lambda x, y: abs(x - y) <= 1e-9 * max(abs(y), 1e-15)
j = lambda s, c: s["energy"]["components"][c]["joules"]
assert near(j(b, "RFP"), 3 * j(a, "RFP")) and near(j(b, "DCP"), 2 * j(a, "DCP")) and near(j(b, "PIPEP"), 2 * j(a, "PIPEP"))
assert near(j(b, "CONSTP"), b["energy"]["seconds"]) and near(j(b, "STATICP"), j(a, "STATICP"))
n = sum(i[sys.argv[1]] for i in b["instances"].values() if i["module"] == "writeback")
assert n > 0 and near(j(b, "MYP"), 2 * 5e-12 * n)
END
printf '{ "heddle_energy": 1, "extends": "mine.json", "volts": 0.5 }' >low.json
expect 0 '' "$heddle" run -q small.json "$list" --energy low.json --stats low.stats
python3 - <<'END' || fail "voltage"
import json
a, b = (json.load(open(f))["energy"]["components"] for f in ("mine.stats", "low.stats"))
near = lambda x, y: abs(x - y) <= 1e-9 * max(abs(y), 1e-15)
assert all(near(b[c]["joules"], a[c]["joules"] * (0.5 if c in ("STATICP", "IDLE_COREP") else 0.25)) for c in a)
END
for table in "$tables"/*.json; do
	case $table in
	*counters.json) continue ;;
	esac
	expect 0 '' "$heddle" run -q small.json "$list" --energy "$table"
	grep -q '"error"' "$table" || fail "$table: no word about its error"
done

# ---- an event without an instance is a warning ----
expect 0 "accelwattch_volta.json" "$heddle" run -q volta_sm.json "$list" --energy accelwattch_volta.json
grep -q "this netlist has no instance of module 'dram': its events need no energy" err || fail "not warned: $(cat err)"
grep -c warning err | grep -qx 3 || fail "not a warning for each of cache, dram, cluster: $(cat err)"

# ---- wrong tables: named with line, column and what was meant ----
wrong()
{
	printf '%s' "$1" >wrong.json
	expect 2 "$2" "$heddle" run -q small.json "$list" --energy wrong.json --stats none --power-trace none.csv
	test ! -e none && test ! -e none.csv || fail "an output of a run that was refused"
}
head='{ "heddle_energy": 1, '
wrong '{' 'wrong.json:1:2: error: bad JSON'
wrong '[]' 'wrong.json:1:1: error: expected a table of energies, an object; found a list of 0'
wrong '{ "heddle": 1 }' 'this is a netlist; expected a table of energies'
wrong '{ }' 'wrong.json:1:1: error: expected "heddle_energy": 1'
wrong "$head\"evens\": [] }" "wrong.json:1:23: error: unknown member 'evens' of a table of energies; did you mean 'events'?"
wrong "$head\"events\": 3 }" "'events': expected a list of events, found 3"
wrong "$head\"events\": [ { \"module\": \"regfil\", \"pj\": {} } ] }" "wrong.json:1:47: error: unknown module 'regfil'; did you mean 'regfile'?"
wrong "$head\"events\": [ { \"module\": \"regfile\", \"pj\": { \"read\": { \"A\": 1 } } } ] }" \
	"wrong.json:1:66: error: module 'regfile' has no statistic 'read'; did you mean 'reads'?"
wrong "$head\"events\": [ { \"module\": \"regfile\", \"pj\": { \"reads\": { \"A\": \"1\" } } } ] }" "'A': expected a number, found string"
wrong "$head\"events\": [ { \"module\": \"regfile\", \"pj\": { \"reads\": 7 } } ] }" 'expected an object of components and numbers'
wrong "$head\"events\": [ { \"module\": \"regfile\", \"pj\": { \"reads\": { \"A B\": 7 } } } ] }" "bad name 'A B' of a component"
wrong "$head\"events\": [ { \"pj\": {} } ] }" 'expected "module" and "pj" in an event'
wrong "$head\"events\": [ { \"module\": \"regfile\", \"pj\": { \"reads\": {} } }, { \"module\": \"regfile\", \"pj\": { \"reads\": {} } } ] }" \
	"'reads' of these instances has energies already; expected it once"
wrong "$head\"interval\": 1 }" "'interval': expected a number of cycles, from 2 to 10^12"
wrong "$head\"volts\": 0 }" "'volts': expected a number above 0"
wrong "$head\"constant_w\": { \"CONSTP\": -5 } }" "'constant_w': CONSTP has -5 W; expected 0 or more"
wrong "$head\"round_at\": \"kernel\" }" "'round_at': expected \"run\""
wrong "$head\"clock\": \"dram\" }" "'clock' is 'dram'; intervals are cycles of the first clock of the netlist, so expected 'core'"
wrong "$head\"sm\": { \"module\": \"warps\" } }" 'expected "module", and "resident", a statistic of it'
wrong "$head\"sm\": { \"module\": \"warps\", \"resident\": \"resident_cycle\" } }" "did you mean 'resident_cycles'?"
wrong "$head\"sm\": { \"module\": \"warps\", \"resident\": \"resident_cycles\", \"pipeline\": { \"completed\": \"completed\" } } }" \
	'"lanes_per_cycle" and "limit" above 0'
wrong "$head\"static_w\": { \"component\": \"S\", \"rows\": [ { \"else\": true } ] } }" 'expected "w": [WATTS, WATTS]'
wrong "$head\"static_w\": { \"component\": \"S\", \"groups\": {}, \"rows\": [ { \"groups\": [\"fp\"], \"w\": [1, 2] } ] } }" "unknown group 'fp'"
wrong "$head\"scale\": { \"A\": 2 } }" "unknown component 'A'"
wrong "$head\"groups\": { \"all\": [\"A\"] } }" "'all': unknown component 'A'"
wrong "$head\"extends\": \"wrong.json\" }" "wrong.json:1:34: error: a table cannot extend itself: wrong.json -> wrong.json"
echo "$head\"extends\": \"./wrong.json\" }" >round.json
wrong "$head\"extends\": \"round.json\" }" "round.json:1:34: error: a table cannot extend itself: wrong.json -> round.json -> ./wrong.json"
wrong "$head\"extends\": \"nowhere.json\" }" "wrong.json:1:34: error: cannot read the table 'nowhere.json'"
expect 2 'cannot read the table of energies' "$heddle" run -q small.json "$list" --energy nowhere.json
# numbers without a sum, a component in two groups, energy of an instance by two rows, classes that are not texts
wrong "$head\"constant_w\": { \"A\": 1e308 } }" "wrong.json:1:44: error: 'A': expected a number from -10^15 to 10^15, found 1e+308"
wrong "$head\"constant_w\": { \"A\": 1 }, \"volts\": 1e200 }" "'volts': expected a number from -10^15 to 10^15"
reads='"events": [ { "module": "regfile", "pj": { "reads": { "A": 1e10 } } }'
wrong "$head$reads ], \"scale\": { \"A\": 1e10 } }" "an energy of 'A' is 1e+20 then; expected a number from -10^15 to 10^15"
wrong "$head$reads ], \"groups\": { \"x\": [\"A\"], \"y\": [\"A\"] } }" \
	"wrong.json:1:126: error: component 'A' is in group 'x' and in 'y'; expected one group"
wrong "$head$reads, { \"module\": \"regfile\", \"instances\": \"*\", \"pj\": { \"reads\": { \"B\": 1, \"A\": 2 } } } ] }" \
	"wrong.json:1:143: error: 'reads' of 'cluster[0].sm[0].regfile' has energy of 'A' by the row of '*' as well; expected one row for each instance"
wrong "$head\"static_w\": { \"component\": \"S\", \"groups\": { \"x\": [1] }, \"rows\": [] } }" 'expected lists of power classes, texts'
printf '%s' "$head\"static_w\": { \"component\": \"S\", \"groups\": { \"x\": [\"int\", \"fp_mull\"] }, \"rows\": [] } }" >wrong.json
expect 0 "wrong.json:1:80: warning: no opcode has the power class 'fp_mull'; did you mean 'fp_mul'?" "$heddle" run -q small.json "$list" --energy wrong.json
printf '%s' "$head\"events\": [ { \"module\": \"fu_pipeline\", \"pj\": { \"lanes.itn\": { \"A\": 1 } } } ] }" >wrong.json
expect 0 "no opcode has the power class 'itn'; did you mean 'int'?" "$heddle" run -q small.json "$list" --energy wrong.json
expect 2 '--power-trace needs --energy FILE' "$heddle" run small.json "$list" --power-trace power.csv
expect 2 '--energy and --check-modules: expected one of them' "$heddle" run small.json "$list" --energy low.json --check-modules

# ---- wrong tables of power classes ----
cp -r "$src/netlists/opcodes" codes
classes()
{
	printf '%s' "$1" >codes/power.json
	expect 2 "$2" "$heddle" run -q --set "trace.opcodes=\"$PWD/codes\"" small.json "$list" --energy low.json
}
classes '{}' 'expected "heddle_power_classes": 1'
classes '{ "heddle_power_classes": 1, "class": {} }' "unknown 'class'; did you mean 'classes'?"
classes '{ "heddle_power_classes": 1, "classes": { "int": ["MOV"], "fp": ["FADD MOV"] } }' "opcode 'MOV' has two power classes"
classes '{ "heddle_power_classes": 1, "classes": { "int": "MOV" } }' 'expected a list of texts'
classes '{ "heddle_power_classes": 1, "classes": {}, "leads": { "SP": "*" } }' 'expected a list of power classes'

# ---- heddle-accel-sim: the report is that of the statistics, with factors of the XML file ----
"$heddle" import --options >/dev/null || fail "import --options"
config=$src/tests/import/volta.config
cat >a.xml <<'END'
<component id="root" name="root">
	<param name="REG_RD" value="0.100560581" /> <!-- Register Reads -->
	<param name="constant_power" value="10"/>
</component>
END
sed 's/0.100560581/0.201121162/' a.xml >b.xml
power="-power_simulation_enabled 1 -gpgpu_runtime_stat 500"
for xml in a b; do
	expect 0 '' "$build/heddle-accel-sim" -trace "$list" -config "$config" $power -accelwattch_xml_file $xml.xml
	mv accelwattch_power_report.log $xml.log
done
expect 0 '' "$heddle" import -q "$config" -o net.json
expect 0 'need no energy' "$heddle" run -q net.json "$list" --energy accelwattch_volta.json --stats net.stats
python3 - <<'END' || fail "the report of power"
import json, re
s = json.load(open("net.stats"))
log = {}
for f in ("a", "b"):
    text = open(f + ".log").read()
    blocks = text.split("kernel_name = ")[1:]
    assert len(blocks) == len(s["kernels"])
    log[f] = [dict(re.findall(r"^(\w+),? = (\S+)$", b, re.M)) for b in blocks]
near = lambda a, b: abs(a - b) <= 2e-5 * max(abs(a), abs(b)) + 1e-9
for k, a, b in zip(s["kernels"], log["a"], log["b"]):
    i = k["energy"]["intervals"]
    if i["number"] == 0:
        continue
    for c, v in i["components"].items():
        if c not in ("CONSTP", "SHRDP"):
            assert near(float(a["gpu_avg_" + c]), v["mean_w"]), (c, a["gpu_avg_" + c], v)
    assert near(float(a["gpu_avg_CONSTP"]), 10)
    more = float(b["gpu_avg_RFP"]) - float(a["gpu_avg_RFP"])
    assert near(more, float(a["gpu_tot_REG_RD"]) / i["number"] * 2.50015671e-12 / (500 / 1132e6)), more
    assert len(a) == 2 + 3 * (33 + 44) + 44 + 1 + 3 + 1, len(a)
END
expect 2 'power_trace_enabled' "$build/heddle-accel-sim" -trace "$list" -config "$config" $power -power_trace_enabled 1
expect 2 "accelwattch_xml_file" "$build/heddle-accel-sim" -trace "$list" -config "$config" $power -accelwattch_xml_file nowhere.xml
# what is wrong in the XML file is named; comments are none of it
for value in '' abc 0.1abc 1,5 nan 1e999 -1; do
	sed "s/0.100560581/$value/" a.xml >bad.xml
	expect 2 "'REG_RD' is '$value'; expected a number from 0 on" \
		"$build/heddle-accel-sim" -trace "$list" -config "$config" $power -accelwattch_xml_file bad.xml
done
echo 'not xml at all' >bad.xml
expect 2 'has no <param' "$build/heddle-accel-sim" -trace "$list" -config "$config" $power -accelwattch_xml_file bad.xml
head -c 150 a.xml >bad.xml
expect 2 "ends within '" "$build/heddle-accel-sim" -trace "$list" -config "$config" $power -accelwattch_xml_file bad.xml
{ cat a.xml; echo '<!-- <param name="REG_RD" value="9"/> -->'; } >commented.xml
expect 0 '' "$build/heddle-accel-sim" -trace "$list" -config "$config" $power -accelwattch_xml_file commented.xml
cmp accelwattch_power_report.log a.log || fail 'a parameter in a comment counts'

done_testing
