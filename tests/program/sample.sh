#!/bin/sh
# sample.sh - heddle sample and heddle run --plan: what is estimated holds against the full run, what is measured is it
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"
needs python3

sm=$src/netlists/ampere_sm.json
gpu=$src/netlists/rtx_2060.json # it has a second-level cache

# launches FILE N KERNEL...: a list of N launches that take turns, and grow to three times their size
launches()
{
	python3 - "$src/tests/exec/kernels.fatbin" "$@" <<-'END'
	import json, sys
	n, kernels, all = int(sys.argv[3]), sys.argv[4:], []
	for i in range(n):
	    grid = 4 * (n + 2 * i) // n + i * i % 3
	    arguments = "@a,@b,@c" if kernels[i % len(kernels)] == "vectorAdd" else "@a,@c"
	    all.append({"kernel": kernels[i % len(kernels)], "grid": grid, "block": 128,
	                "args": "%s,i32:%d" % (arguments, grid * 128 - i % 9)})
	with open(sys.argv[2], "w") as f:
	    json.dump({"cubin": sys.argv[1], "launches": all,
	               "buffers": {"a": "262144:rand", "b": "262144:frand", "c": "1048576"}}, f)
	END
}
# record FILE.json: as FILE.hpack
record()
{
	expect 0 '' "$heddle" trace record --launches "$1" --sm 80 -o "${1%.json}.hpack"
}
# value FILE MEMBER...: one in JSON
value()
{
	python3 -c 'import json, sys
v = json.load(open(sys.argv[1]))
for name in sys.argv[2:]:
    v = v[int(name) if isinstance(v, list) else name]
print(v)' "$@"
}

launches list.json 60 vectorAdd integers memory
record list.json
run="$heddle run --quiet --stats"
expect 0 '' $run full.json "$sm" list.hpack

# ---- a plan: the same bytes each time; kernels of three groups, a fifth of the instructions ----
expect 0 '60 kernels in 3 groups' "$heddle" sample list.hpack -o plan.json
"$heddle" sample list.hpack >again.json 2>err
cmp plan.json again.json || fail 'two plans differ'
for seed in 1 2; do
	expect 0 '' sh -c "'$heddle' sample --policy random --seed $seed list.hpack -o random$seed.json 2>/dev/null"
done
cmp -s random1.json random2.json && fail 'two seeds choose the same kernels'

# ---- all are simulated: nothing is estimated, and the run is that without a plan ----
expect 0 '60 are simulated' "$heddle" sample --budget 100 list.hpack -o all.json
expect 0 '' $run all_stats.json --plan all.json "$sm" list.hpack
test "$(value all_stats.json estimate cycles)" = "$(python3 -c 'import json
n = json.load(open("full.json"))["cycles"]
print({"measured": n, "estimate": n, "low": n, "high": n})')" || fail "all: $(value all_stats.json estimate cycles)"
python3 - <<'END' || fail 'a plan of all kernels, and none'
import json
a, b = json.load(open("full.json")), json.load(open("all_stats.json"))
del b["estimate"]
assert a == b
END

# ---- some are: within 2 %, inside the interval; what the estimate is made of, computed again ----
cat >holds.py <<'END'
import json, sys
full, run, plan = (json.load(open(name)) for name in sys.argv[1:4])
e, cycles = run["estimate"], [row["cycles"] for row in full["kernels"]]
assert e["kernels"]["simulated"] == len(run["kernels"]) < e["kernels"]["all"] == len(cycles)
rows = iter(run["kernels"])
known, sizes = {}, {}
for k in plan["kernels"]:
    if k["simulate"]:
        known[k["kernel"]] = next(rows)["cycles"]
        sizes.setdefault(k["group"], {}).setdefault(k["warp_instructions"], []).append(known[k["kernel"]])
total = 0
for k, launch in zip(plan["kernels"], e["launches"]):
    of = {size: sum(v) / len(v) for size, v in sizes[k["group"]].items()}
    x = k["warp_instructions"]
    low, high = max((s for s in of if s <= x), default=None), min((s for s in of if s >= x), default=None)
    if k["simulate"]:
        guess = known[k["kernel"]]
    elif low is None or high is None:
        near = high if low is None else low
        beyond = abs(x - near)
        enough = [s for s in of if abs(s - near) >= beyond]
        far = min(enough, key=lambda s: abs(s - near)) if enough else max(of, key=lambda s: abs(s - near))
        if far == near or beyond > 2 * abs(far - near):
            guess = of[near] * x / near
        else:
            guess = of[near] + (of[far] - of[near]) * (x - near) / (far - near)
    else:
        guess = of[low] if low == high else of[low] + (of[high] - of[low]) * (x - low) / (high - low)
    assert abs(launch["cycles"] - guess) < 1, (launch, guess)
    assert launch["simulated"] == k["simulate"] and ("low" in launch) != k["simulate"]
    total += guess
assert abs(total - e["cycles"]["estimate"]) < 1
assert e["cycles"]["measured"] == run["cycles"] == sum(known.values())
true = sum(cycles)
assert abs(e["cycles"]["estimate"] / true - 1) < .02, (e["cycles"], true)
assert e["cycles"]["low"] < e["cycles"]["estimate"] < e["cycles"]["high"] < 1.1 * true, (e["cycles"], true)
print("inside" if e["cycles"]["low"] <= true <= e["cycles"]["high"] else "outside")
n = full["figures"]["warp_instructions"] if "figures" in full else full["warp_instructions"]
assert e["figures"]["warp_instructions"]["estimate"] == e["warp_instructions"]["all"] == n
END
for policy in first=0 middle=0 random=1 random=2 random=3 random=4; do
	expect 0 'groups' "$heddle" sample --policy "${policy%=*}" --seed "${policy#*=}" list.hpack -o plan.json
	expect 0 '' $run some.json --plan plan.json "$sm" list.hpack
	python3 holds.py full.json some.json plan.json || fail "$policy"
done >places
test "$(grep -c '^inside$' places)" -ge 5 || { fail 'the interval'; cat places; }
try "$heddle" run --plan plan.json --summary line.json "$sm" list.hpack
grep -q 'estimate of all 60 kernels' out || { fail 'the table'; cat out; }
test "$(value line.json estimate cycles)" = "$(value some.json estimate cycles)" || fail 'the summary'
expect 0 '' $run threads.json --plan plan.json --lockstep "$sm" list.hpack
cmp some.json threads.json || fail 'in lock step'

# ---- energy of all is estimated as cycles are ----
cat >table.json <<'END'
{ "heddle_energy": 1, "name": "mine", "constant_w": { "REST": 2 }, "events": [ { "module": "regfile", "pj": { "reads": { "READ": 80 } } } ] }
END
expect 0 '' $run watts.json --energy table.json "$sm" list.hpack
try "$heddle" run --energy table.json --stats some_watts.json --plan plan.json "$sm" list.hpack
grep -q '^joules  ' out || { fail 'no energy in the table'; cat out; }
python3 - <<'END' || fail 'the energy of all'
import json
full, run, without = (json.load(open(n + ".json")) for n in ("watts", "some_watts", "some"))
near = lambda a, b, by: abs(a / b - 1) < by
e = run["estimate"].pop("energy")
assert run["estimate"] == without["estimate"]
assert near(e["joules"]["measured"], run["energy"]["joules"], 1e-9) and near(e["joules"]["estimate"], full["energy"]["joules"], .02)
assert e["joules"]["measured"] < e["joules"]["low"] < e["joules"]["estimate"] < e["joules"]["high"]
cycles = run["estimate"]["cycles"]["estimate"]
assert near(e["components"]["REST"]["estimate"], 2 * cycles * full["energy"]["seconds"] / full["cycles"], 1e-6)
assert near(sum(c["estimate"] for c in e["components"].values()), e["joules"]["estimate"], 1e-9)
END

"$heddle" compare full.json some.json >out 2>err
grep -q 'some.json is of a plan: its figures are those of the kernels that were simulated' err || fail 'compare'

# ---- lists of 100 launches, and an application of 2,000 launches of 20 kernels: 2 % with a tenth of the instructions, and
# the interval holds in 19 of 20 choices ----
python3 - "$src/tests/exec/kernels.fatbin" <<'END'
import json, sys
def launches(name, n, kernels, blocks, size):
    all = []
    for i in range(n):
        kernel, block = kernels[i % len(kernels)], blocks[i // len(kernels) % len(blocks)]
        grid = size(i)
        all.append({"kernel": kernel, "grid": grid, "block": block, "args": "%s,i32:%d" %
                    ("@a,@b,@c" if kernel == "vectorAdd" else "@a,@c", grid * block - i % 9)})
    with open(name, "w") as f:
        json.dump({"cubin": sys.argv[1], "launches": all,
                   "buffers": {"a": "262144:rand", "b": "262144:frand", "c": "1048576"}}, f)
launches("grows.json", 100, ["vectorAdd", "integers"], [128], lambda i: 4 + i // 9 + i * i % 3)
launches("phases.json", 100, ["integers", "memory", "vectorAdd"], [128], lambda i: (4, 12, 6)[i // 34])
launches("twenty.json", 2000, ["vectorAdd", "integers", "memory", "diverge"], [32, 64, 96, 128, 160],
         lambda i: 2 + i // 500 + i * i % 2)
END
for list in grows phases ${HEDDLE_ALL:+twenty}; do
	record $list.json
	expect 0 '' $run full.json "$sm" $list.hpack
	seeds=$(seq 20 | sample 5)
	inside=0
	for seed in $seeds; do
		expect 0 'groups' "$heddle" sample --policy random --seed "$seed" $list.hpack -o plan.json
		expect 0 '' $run some.json --plan plan.json "$sm" $list.hpack
		python3 - <<'END' && inside=$((inside + 1))
import json
true, e = json.load(open("full.json"))["cycles"], json.load(open("some.json"))["estimate"]
n, c = e["warp_instructions"], e["cycles"]
if abs(c["estimate"] / true - 1) > .02 or n["simulated"] > .103 * n["all"]:
    print("FAIL:", c, true, n)
raise SystemExit(not c["low"] <= true <= c["high"])
END
	done >wrong
	test ! -s wrong || { fail "$list"; cat wrong; }
	test $((inside * 20)) -ge $((19 * $(echo "$seeds" | wc -l))) || fail "$list: $inside of $(echo "$seeds" | wc -l) intervals"
done

# ---- more simulated kernels than statistics are kept of in other runs ----
python3 - "$src/tests/exec/kernels.fatbin" <<'END'
import json, sys
one = {"kernel": "vectorAdd", "grid": 1, "block": 32, "args": "@a,@a,@a,i32:32"}
json.dump({"cubin": sys.argv[1], "launches": [one] * 4200, "buffers": {"a": "4096:frand"}}, open("many.json", "w"))
END
record many.json
expect 0 '4200 are simulated' "$heddle" sample --budget 100 many.hpack -o many_plan.json
expect 0 '' $run some.json --plan many_plan.json "$sm" many.hpack
python3 - <<'END' || fail 'many kernels'
import json
run = json.load(open("some.json"))
assert "kernels_rest" not in run and all("statistics" in k for k in run["kernels"]) and len(run["kernels"]) == 4200
assert run["estimate"]["figures"]["warp_instructions"]["estimate"] == run["warp_instructions"]
END

# ---- what a run of a plan prints while it runs; its dump, the page, and a comparison are marked ----
trap '' USR1 # which the program inherits: the first one may come before it has an action of its own
"$heddle" run --plan many_plan.json "$src/netlists/rtx_2060.json" many.hpack >out 2>err &
run_of=$!
trap - USR1
until_true sh -c "kill -USR1 $run_of && sleep 0.2 && grep -q ' of 4200 kernels, estimate ' err"
kill $run_of
wait $run_of
grep -qE ', [0-9]+ of 4200 kernels, estimate [0-9,]+ cycles( \+- [0-9.]+ %)?, about [0-9]+ s in all$' err ||
	{ fail 'progress'; cat err; }
expect 0 'groups' "$heddle" sample list.hpack -o plan.json
try "$heddle" run --plan plan.json --dump some.hdump --stats some.json "$sm" list.hpack
grep -q '^measured, of the [0-9]* of 60 kernels that were simulated; the estimate of all is below$' out || fail 'the table'
expect 0 '' "$heddle" report some.hdump -o some.html
grep -q '"estimate":{"kernels":{"all":60,"simulated":' some.html || fail 'the page'
grep -q 'All figures of this page are measured, of these kernels alone' some.html || fail 'the script of the page'
expect 1 'some.hdump is of a plan: its figures are those' "$heddle" compare --fail-above 0.1% some.hdump full.json

# ---- one kernel of each group: no interval, and it says so ----
python3 - <<'END'
import json
plan = json.load(open("plan.json"))
for k in plan["kernels"]:
    k["simulate"] = k["kernel"] in (28, 29, 30)
json.dump(plan, open("three.json", "w"))
END
sed 's/"warp_instructions": [0-9][0-9]*/"warp_instructions": 1000000000000000/' plan.json >more.json
expect 2 'and the plan says 1000000000000000; expected a plan of this list' "$heddle" run -q --plan more.json --stats some.json "$sm" list.hpack
sed 's/"warp_instructions": [0-9][0-9]*/"warp_instructions": 1000000000000000000/' plan.json >most.json
expect 2 'execute more than 100000000000000000 warp instructions; expected a plan as' "$heddle" run -q --plan most.json "$sm" list.hpack
if grep -q '"estimate"' some.json; then fail 'a plan of other launches: an estimate'; fi
try "$heddle" run --plan three.json --stats some.json "$sm" list.hpack
grep -q '^no interval: ' out || { fail 'no interval'; cat out; }
value some.json estimate cycles | grep -q "'estimate': [0-9]*}" || fail 'an interval of nothing'
try "$heddle" run --plan plan.json --max-cycles 5000 --stats some.json "$sm" list.hpack
grep -q '^no estimate: ' out || { fail 'a run that is cut short'; cat out; }
grep -q '"estimate"' some.json && fail 'an estimate of a run that is cut short'

# ---- --warm: all is what --skip-kernels does, last is one kernel, none is a cold cache ----
launches few.json 6 vectorAdd memory
record few.json
expect 0 '' sh -c "'$heddle' sample few.hpack -o few_plan.json 2>/dev/null"
python3 - <<'END'
import json
plan = json.load(open("few_plan.json"))
for k in plan["kernels"]:
    k["simulate"], k["group"] = k["kernel"] == 6, 7
json.dump(plan, open("last.json", "w"))
END
rows()
{
	python3 -c 'import json, sys
for k in json.load(open(sys.argv[1]))["kernels"]:
    del k["statistics"]["trace"] # which counts what it reads
    print(k)' "$1" >"$2"
}
expect 0 '' $run some.json --skip-kernels 5 "$gpu" few.hpack
rows some.json skipped
for warm in none last all; do
	expect 0 '' $run some.json --plan last.json --warm $warm "$gpu" few.hpack
	rows some.json $warm
done
cmp skipped all || fail '--warm all is not --skip-kernels'
cmp -s none last && fail '--warm last leaves nothing in caches'
cmp -s none all && fail '--warm all leaves nothing in caches'

# ---- --stable: of a long kernel the first waves of blocks ----
cat >long.json <<END
{ "cubin": "$src/tests/exec/kernels.fatbin", "buffers": { "a": "4194304:rand", "c": "16777216" },
  "launches": [ { "kernel": "diverge", "grid": 200, "block": 128, "args": "@a,@c,i32:25600" },
                { "kernel": "diverge", "grid": 3, "block": 128, "args": "@a,@c,i32:384" } ] }
END
record long.json
expect 0 '2 are simulated' "$heddle" sample --budget 100 long.hpack -o long_plan.json
sed 's/"diverge", "grid": 200/"vectorAdd", "grid": 2500/; s/"args": "@a,@c,i32:25600"/"args": "@a,@a,@c,i32:320000"/' long.json >wide.json
record wide.json
expect 0 '2 are simulated' "$heddle" sample --budget 100 wide.hpack -o wide_plan.json
for core in "$sm long 200" "$gpu wide 2500"; do
	set -- $core
	expect 0 '' $run full.json "$1" "$2.hpack"
	expect 0 '' $run some.json --plan "$2_plan.json" --stable 4% "$1" "$2.hpack"
	expect 0 '' $run step.json --plan "$2_plan.json" --stable 4% --lockstep "$1" "$2.hpack"
	cmp some.json step.json || fail "$core: --stable in lock step"
	python3 - "$3" <<'END' || fail "$core: --stable"
import json, sys
blocks = int(sys.argv[1])
full, run = json.load(open("full.json")), json.load(open("some.json"))
e, first, second = run["estimate"], *run["kernels"]
assert first["thread_blocks"] + first["thread_blocks_left"] == blocks and first["thread_blocks_left"] > 20, first
assert second["thread_blocks_left"] == second["cycles_left"] == 0
assert e["kernels"]["in_part"] == 1 and e["launches"][0]["in_part"] and "in_part" not in e["launches"][1]
assert e["launches"][0]["cycles"] == first["cycles"] + first["cycles_left"]
assert e["cycles"]["measured"] < .9 * e["cycles"]["estimate"]
assert e["cycles"]["low"] <= full["cycles"] <= e["cycles"]["high"], (e["cycles"], full["cycles"])
END
done

# ---- what is refused ----
expect 2 "plan.json: error: kernel 2 is 'integers', grid (5,1,1), block (128,1,1), in the plan and 'memory'" "$heddle" run -q --plan plan.json "$sm" few.hpack
python3 -c 'import json
plan = json.load(open("plan.json"))
plan["kernels"] = plan["kernels"][:50]
for k in plan["kernels"]:
    k["simulate"] = True
json.dump(plan, open("short.json", "w"))'
expect 2 'short.json: error: the plan has 50 kernels and the list 60; expected a plan of this list' \
	"$heddle" run -q --plan short.json "$sm" list.hpack
sed 's/"simulate": true/"simulate": false/' plan.json >none.json
expect 2 ': error: no kernel of group 1 is simulated; expected "simulate": true in at least one' \
	"$heddle" run -q --plan none.json "$sm" list.hpack
grep -q 'none.json:[0-9]*:[0-9]*: error' err || { fail 'no place'; cat err; }
sed '0,/"simulate": true/s//"simulate": 1/' plan.json >one.json
expect 2 "one.json:$(grep -n '"simulate": 1' one.json | cut -d: -f1):16: error: 'simulate': expected true or false, found 1" \
	"$heddle" run -q --plan one.json "$sm" list.hpack
sed '0,/"kernel": 7,/s//"kernel": 8,/' plan.json >order.json
expect 2 'kernel 8 is element 7; expected all kernels of the list, in its order' \
	"$heddle" run -q --plan order.json "$sm" list.hpack
echo '{}' >empty.json
expect 2 "there is no 'kernels'; expected a list of kernels" "$heddle" run -q --plan empty.json "$sm" list.hpack
expect 2 'cannot read the plan' "$heddle" run -q --plan absent.json "$sm" list.hpack
expect 2 '--plan and --kernel: expected one of them' "$heddle" run -q --plan plan.json --kernel 2 "$sm" list.hpack
expect 2 '--warm needs --plan FILE' "$heddle" run -q --warm all "$sm" list.hpack
expect 2 "--warm: 'some'; expected none, last or all" "$heddle" run -q --plan plan.json --warm some "$sm" list.hpack
expect 2 "--stable: 'x' is not a share from 0 to 100 %" "$heddle" run -q --plan plan.json --stable x "$sm" list.hpack
expect 2 '--plan: expected a trace' "$heddle" run -q --plan plan.json "$sm" -- true
expect 2 '--skip-kernels and --plan expect kernels that run one after another' \
	"$heddle" run -q --plan plan.json --set dispatcher.concurrent=true "$sm" list.hpack
expect 2 "--policy: 'last'; expected first, middle or random" "$heddle" sample --policy last list.hpack
expect 2 'expected TRACE' "$heddle" sample
expect 2 'cannot open' "$heddle" sample absent.hpack
mkfifo pipe
expect 2 "'pipe' is not a file" "$heddle" run -q --plan plan.json "$sm" pipe

done_testing
