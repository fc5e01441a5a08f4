#!/bin/sh
# parts.sh - lists that are simulated in parts: --fresh, --once, --split, --results-cache, studies that split lists
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"
needs python3

sm=$src/netlists/ampere_sm.json
gpu=$src/netlists/rtx_2060.json # its L2 outlives kernels
run="$heddle run --quiet"

# launches FILE N: a list of N launches of three kernels, some of them identical
python3 - "$src/tests/exec/kernels.fatbin" <<'END'
import json, sys
def launches(name, n, change=None):
    kernels, all = ("vectorAdd", "integers", "memory"), []
    for i in range(n):
        kernel, grid = kernels[i % 3], 2 + i // 3 % 2
        if change == i:
            grid += 1
        all.append({"kernel": kernel, "grid": grid, "block": 64,
                    "args": "%s,i32:%d" % ("@a,@b,@c" if kernel == "vectorAdd" else "@a,@c", grid * 64)})
    with open(name, "w") as f:
        json.dump({"cubin": sys.argv[1], "launches": all,
                   "buffers": {"a": "262144:rand", "b": "262144:frand", "c": "1048576"}}, f)
launches("list.json", 16)
launches("other.json", 16, 5)
END
for list in list other; do
	expect 0 '' "$heddle" trace record --launches $list.json --sm 80 -o $list.hpack
done
cycles()
{
	python3 -c 'import json, sys
print(*[json.load(open(name))["cycles"] for name in sys.argv[1:]])' "$@"
}
# records FOLDER: how many it has
records()
{
	find "$1/points" -name '*.json' | wc -l
}

# ---- a cache of results: a run that is joined of one part is that run, and the next one simulates nothing ----
for core in "$sm" "$gpu" "$src/netlists/modern_sm.json"; do
	expect 0 '' $run --stats full.json --summary full_line.json "$core" list.hpack
	rm -rf cache
	for time in first second; do
		expect 0 '' $run --results-cache cache --stats parts.json --summary line.json "$core" list.hpack
		cmp full.json parts.json || fail "$core, $time: statistics"
		cmp full_line.json line.json || fail "$core, $time: summary"
		test "$(records cache)" -eq 1 || fail "$core, $time: $(records cache) results"
	done
done
try "$heddle" run --per-kernel "$sm" list.hpack
grep -v '^simulated in' out >full_table
expect 0 '' $run --results-cache cache "$sm" list.hpack
try "$heddle" run --per-kernel --results-cache cache "$sm" list.hpack
grep -v '^simulated in' out | cmp - full_table || fail 'the table'

# ---- --fresh is the sum of kernels that run alone; --once simulates each of the six once, and once more the first one,
# in front of which data is copied ----
expect 0 '' $run --fresh --stats fresh.json "$gpu" list.hpack
expect 0 '' $run --once --results-cache once --stats parts.json "$gpu" list.hpack
cmp fresh.json parts.json || fail '--once is not --fresh'
test "$(records once)" -eq 7 || fail "--once: $(records once) results of 7 kernels"
for kernel in $(seq 16); do
	expect 0 '' $run --kernel "$kernel" --stats "alone$kernel.json" "$gpu" list.hpack
done
python3 - <<'END' || fail '--fresh is not the sum'
import json
fresh, alone = json.load(open("fresh.json")), [json.load(open("alone%d.json" % (i + 1))) for i in range(16)]
assert fresh["cycles"] == sum(run["cycles"] for run in alone)
assert fresh["kernels"] == [run["kernels"][0] for run in alone]
for path, one in fresh["instances"].items():
    for name, v in one.items():
        if isinstance(v, int) and name != "deepest":
            assert v == sum(run["instances"][path][name] for run in alone), (path, name)
END
expect 0 '' $run --fresh --kernel 3-9 --stats parts.json "$sm" list.hpack
test "$(python3 -c 'import json; print(len(json.load(open("parts.json"))["kernels"]))')" = 7 || fail '--kernel'

# ---- of another list only the kernel that differs is simulated ----
expect 0 '' $run --once --results-cache once --stats parts.json "$gpu" other.hpack
test "$(records once)" -eq 8 || fail "another list: $(records once) results"
expect 0 '' $run --fresh --stats fresh_other.json "$gpu" other.hpack
cmp fresh_other.json parts.json || fail 'results of two lists'
expect 0 '' $run --once --results-cache once --set dispatcher.kernel_latency=7 --stats parts.json "$gpu" list.hpack
test "$(records once)" -eq 15 || fail 'another netlist'

# ---- pieces: fresh ones are exact; others begin with warm caches, and are within 1 % ----
expect 0 '' $run --fresh --split 4 --jobs 2 --stats parts.json "$gpu" list.hpack
cmp fresh.json parts.json || fail '--fresh --split'
for core in "$sm" "$gpu"; do
	expect 0 '' $run --stats full.json "$core" list.hpack
	expect 0 '' $run --split 4 --stats split.json "$core" list.hpack
	expect 0 '' $run --split 4 --jobs 1 --lockstep --stats parts.json "$core" list.hpack
	cmp split.json parts.json || fail "$core: one process at a time, in lock step"
	python3 - <<'END' || fail "$core: --split"
import json
full, split = json.load(open("full.json")), json.load(open("split.json"))
assert abs(split["cycles"] / full["cycles"] - 1) < .01, (split["cycles"], full["cycles"])
assert sum(k["cycles"] for k in split["kernels"]) == split["cycles"]
assert [(k["id"], k["name"], k["warp_instructions"]) for k in split["kernels"]] == \
    [(k["id"], k["name"], k["warp_instructions"]) for k in full["kernels"]]
assert split["warp_instructions"] == full["warp_instructions"]
about = split["split"]
assert about["pieces"] == 4 and len(about["samples"]) == 3
for sample in about["samples"]:
    assert split["kernels"][sample["kernel"] - 1]["cycles"] == sample["cycles"]
END
done
# what is stated as the cycles in sequence is that of the run in sequence, as far as the first piece reaches
python3 - <<'END' || fail 'a sample'
import json
sample = json.load(open("split.json"))["split"]["samples"][0]
assert json.load(open("full.json"))["kernels"][sample["kernel"] - 1]["cycles"] == sample["cycles_in_sequence"]
END
try "$heddle" run --split 4 "$gpu" list.hpack
grep -q '^joined of 4 pieces, simulated apart; the first kernels of 3 take [-+]0.[0-9]* %' out ||
	{ fail 'the sentence'; cat out; }
for warm in none last; do
	expect 0 '' $run --split 4 --warm $warm --stats parts.json "$gpu" list.hpack
	cmp -s split.json parts.json && fail "--warm $warm is --warm all"
done
expect 0 '' $run --split 1 --stats parts.json "$gpu" list.hpack
test "$(cycles parts.json)" = "$(cycles full.json)" || fail 'one piece'
expect 0 '' $run --split 99 --kernel 16 --stats parts.json "$gpu" list.hpack
expect 0 '' $run --split 99 --stats parts.json "$sm" list.hpack
python3 -c 'import json; assert json.load(open("parts.json"))["split"]["pieces"] == 16' || fail 'more pieces than kernels'

# ---- pieces in any order, and twice at a time, by several processes that share a folder; one of them is killed ----
for piece in 3 1 4 2; do
	$run --split 4 --piece $piece --results-cache shared "$gpu" list.hpack 2>/dev/null &
	$run --split 4 --piece $piece --results-cache shared "$gpu" list.hpack 2>/dev/null &
	victim=$!
	test $piece -eq 4 && kill -9 $victim
done
wait
test "$(records shared)" -eq 4 || fail "$(records shared) pieces"
expect 0 '' $run --split 4 --results-cache shared --stats parts.json "$gpu" list.hpack
cmp split.json parts.json || fail 'pieces of several processes'
find shared/tmp -type f | grep -q . && test "$(find shared/tmp -type f | wc -l)" -gt 1 && fail 'files are left'

# ---- results that are damaged are simulated again, with a word ----
damage()
{
	file=$(find shared/points -name '*.json' | sort | sed -n "$1p")
	sh -c "$2" sh "$file"
	expect 0 "heddle: warning: $file is damaged: it is simulated again" \
		$run --split 4 --results-cache shared --stats parts.json "$gpu" list.hpack
	cmp split.json parts.json || fail "damaged: $2"
	expect 0 '' $run --split 4 --results-cache shared --stats parts.json "$gpu" list.hpack
}
damage 1 ': >"$1"'
damage 2 'truncate -s 1000 "$1"'
damage 3 'python3 -c "import sys
b = bytearray(open(sys.argv[1], \"rb\").read())
b[len(b) // 2] ^= 1
open(sys.argv[1], \"wb\").write(b)" "$1"'
damage 4 'cp "$(ls shared/points/*.json | head -n 1)" "$1"'
damage 1 'echo {} >"$1"'

# ---- a study that splits lists ----
cat >study.json <<END
{ "study": 1, "name": "parts", "netlists": ["$gpu"], "traces": ["list.hpack"], "split": "kernels", "pieces": 4,
  "set": { "dispatcher.kernel_latency": [0, 9] } }
END
expect 0 '' "$heddle" sweep study.json --dry-run -o parts
grep -q '^    10 rtx_2060 list dispatcher.kernel_latency=9 piece 4$' out || { fail 'the points'; cat out; }
expect 0 'parts: 10 points, 10 run now: 10 finished' "$heddle" sweep study.json -o parts
expect 0 'parts: 10 points, 0 run now: 10 finished' "$heddle" sweep study.json -o parts
expect 0 '' $run --split 4 --summary line.json --set dispatcher.kernel_latency=9 "$gpu" list.hpack
python3 - <<'END' || fail 'a study of pieces'
import json
points = json.load(open("parts/points.json"))["points"]
assert len(points) == 2
assert json.load(open("parts/points/%s.json" % points[1]["key"]))["statistics"] == json.load(open("line.json"))
END
expect 0 'dispatcher.kernel_latency: 0 -> 9' "$heddle" compare parts
expect 0 '' "$heddle" report parts -o parts.html
# as tasks of a cluster do it, one of which is killed: nothing is lost
"$heddle" sweep study.json -o apart --quiet --points 1-5 2>/dev/null &
sleep 0.3
kill -9 $!
wait
for points in 1-5 6-10 1-10; do
	expect 0 '' "$heddle" sweep study.json -o apart --quiet --points $points
done
expect 0 '' "$heddle" sweep study.json -o apart --quiet --collect
cmp parts/results.sqlite apart/results.sqlite || fail 'the database of pieces that ran apart'
sed 's/"split"/"once": true, "split"/' study.json >once.json
expect 0 'parts: 10 points, 10 run now: 10 finished' "$heddle" sweep once.json -o whole --results-cache both
expect 0 '' $run --fresh --summary line.json --set dispatcher.kernel_latency=9 "$gpu" list.hpack
python3 - <<'END' || fail 'a study of pieces that begin fresh'
import json
points = json.load(open("whole/points.json"))["points"]
assert json.load(open("whole/points/%s.json" % points[1]["key"]))["statistics"] == json.load(open("line.json"))
END
test "$(records both)" -eq 14 || fail "a study with a cache: $(records both) results"

# ---- what is refused ----
refuse()
{
	text=$1
	shift
	expect 2 "$text" $run "$@"
}
refuse '--piece: expected --split N and --results-cache FOLDER as well' --piece 1 "$sm" list.hpack
refuse '--piece: expected --split N' --split 2 --piece 3 --results-cache cache "$sm" list.hpack
refuse '--piece and --stats: expected one of them' --split 2 --piece 1 --results-cache cache --stats - "$sm" list.hpack
refuse "--split: '0' is not a number from 1" --split 0 "$sm" list.hpack
refuse '--jobs needs --fresh, --once, --split or --results-cache' --jobs 2 "$sm" list.hpack
refuse '--once and --dump: expected one of them' --once --dump a.hdump "$sm" list.hpack
refuse '--split and --reasons: expected one of them' --split 2 --reasons --stats - "$sm" list.hpack
refuse '--fresh and --skip-kernels: expected one of them' --fresh --skip-kernels 1 "$sm" list.hpack
refuse '--warm and --fresh: expected one of them' --fresh --split 2 --warm all "$sm" list.hpack
refuse '--once: expected a trace' --once "$sm" -- true
refuse 'expect kernels that run one after another' --split 2 --set dispatcher.concurrent=true "$sm" list.hpack
refuse 'kernel 20 was requested' --fresh --kernel 20 "$sm" list.hpack
mkfifo pipe
refuse 'pipe' --fresh "$sm" pipe
mkdir foreign
touch foreign/file
refuse 'foreign: is a folder of something else' --results-cache foreign "$sm" list.hpack
expect 1 'list.hpack: Not a directory' $run --results-cache list.hpack "$sm" list.hpack
head -c 20000 list.hpack >cut.hpack
refuse 'cut.hpack' --fresh "$sm" cut.hpack
for change in '"split": "kernels"|"split": "blocks"|expected "kernels", found "blocks"' \
	'"pieces": 4|"pieces": 0|expected an integer 1..1000000' \
	'"split": "kernels", |"fresh": true, |'"'pieces': expected \"split\": \"kernels\" as well" \
	'"split"|"reasons": true, "split"|'"'reasons' and 'split': expected one of them"; do
	from=${change%%|*} rest=${change#*|}
	sed "s/$from/${rest%%|*}/" study.json >wrong.json
	expect 2 "${rest#*|}" "$heddle" sweep wrong.json -o wrong
done
# a kernel that does not fit: the others have their results
refuse 'kernels 1 to 1: no result: its run ended with exit status' --fresh --jobs 1 --set dispatcher.registers=64 "$sm" list.hpack
: >empty.g
refuse 'empty.g' --fresh "$sm" empty.g
# a list that is changed while it is simulated: what was counted is of no known content, and is not kept
expect 0 '' "$heddle" trace record --launches list.json --sm 80 --text -o text
$run --fresh --jobs 1 --results-cache late "$gpu" text/kernelslist.g 2>err &
until_true sh -c 'ls late/points | grep -q json'
for kernel in 5 6 7; do
	sed -i '$a\\' text/kernel-$kernel.traceg
done
wait $! && fail 'a list that has changed'
grep -q 'traceg has changed since this run began' err || { fail 'a list that has changed:'; cat err; }
# no room
expect 1 'File too large' sh -c 'ulimit -f 8; exec "$@"' sh $run --results-cache full "$gpu" list.hpack
test "$(records full)" -eq 0 || fail 'a half result'

done_testing
