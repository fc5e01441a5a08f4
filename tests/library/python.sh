#!/bin/sh
# python.sh - libheddle from Python, as it is installed: the commands of docs/library.md, plug-ins, errors, a picture
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"
. "$src/tests/blocks.sh"
needs python3
! grep -q enable-sanitizers "$build/config.log" || { echo 'SKIP: the interpreter has no sanitizers'; exit 77; }
unset HEDDLE_DATA_PATH LIBHEDDLE LD_LIBRARY_PATH
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE

# ---- before it is installed: the library of the build folder; reasons for lost slots, of the run and each kernel ----
cat >near.py <<'END'
import sys

sys.path.insert(0, sys.argv[1] + "/examples/library")
from heddle import Error, Simulation, _lib

netlist, trace = sys.argv[1] + "/netlists/volta_sm.json", sys.argv[1] + "/traces/samples/reduce/kernelslist.g"
assert _lib._name.startswith(sys.argv[2]), _lib._name
with Simulation(netlist, trace, reasons=True) as s:
    while not s.run(s.cycle + 700): # reading them changes nothing
        s.reasons()
    whole, kernels, issue = s.reasons(), s.kernels(), s.results()["issue"]
assert list(whole.values()) == sorted(whole.values(), reverse=True)
assert whole["single"] == issue["single"] and kernels
assert sum(k["reasons"]["single"] for k in kernels) == whole["single"] and all(k["cycles"] > 0 for k in kernels)
with Simulation(netlist, trace) as s:
    s.run()
    assert s.reasons() == {} and s.results()["issue"] == issue
try:
    Simulation(netlist, trace, saves=True, reasons=True)
except Error as e:
    assert "expected one of them" in str(e), str(e)
print(whole)
END
(cd "$build" && exec python3 "$tmp/near.py" "$src" "$build") >near.out 2>err || fail "heddle.py in a build folder: $(cat err)"
expect 0 '' "$heddle" run -q --reasons --stats r.json "$src/netlists/volta_sm.json" "$src/traces/samples/reduce/kernelslist.g"
$python -c 'import ast, json, sys
assert ast.literal_eval(open("near.out").read()) == json.load(open("r.json"))["reasons"]' || fail 'reasons differ from those of --reasons'

prefix=$tmp/prefix
env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL ${MAKE:-make} -C "$build" install prefix="$prefix" >make.log 2>&1 ||
	{ tail -n 20 make.log; fail 'make install'; done_testing; }
PKG_CONFIG_PATH=$prefix/lib/pkgconfig
export PKG_CONFIG_PATH

# ---- the page ----
sed 's/^```sh$/```c/; s/^```sh python$/```sh/' "$src/docs/library.md" >page.md
blocks_of page.md
test "$(ls blocks/*.sh | wc -l)" -ge 2 && test "$(ls blocks/*.text | wc -l)" -ge 2 || fail 'blocks of docs/library.md'
mkdir work
cd work || exit 99
run_blocks

# ---- plug-ins find the functions of a library that the interpreter opened for itself ----
for m in ring_router ring_terminal; do
	# shellcheck disable=SC2046
	${CC:-cc} -O2 -fPIC -shared $(pkg-config --cflags heddle) -o $m.so "$prefix/share/heddle/examples/ring/$m.c" ||
		fail "$m.c"
done
cat >ring.py <<'END'
import json, sys, threading
from heddle import Error, Simulation

plugins = ["./ring_router.so", "./ring_terminal.so"]
netlist = json.load(open(sys.argv[1]))
latency = {}

def run(load):
    with Simulation(netlist, changes={"load": load, "router.directions": "right"}, plugins=plugins) as s:
        assert s.run(1000) is False and s.cycle == 1000
        assert s.run() is True
        latency[load] = s["latency"]

threads = [threading.Thread(target=run, args=(load,)) for load in (20, 60, 100, 120)]
for t in threads:
    t.start()
for t in threads:
    t.join()
for load in sorted(latency):
    print(load, round(latency[load], 1))

def refused(what, *arguments, **more):
    try:
        Simulation(*arguments, **more)
    except Error as e:
        assert what in str(e), str(e)
    else:
        print("not refused:", what)

refused("unknown module 'ring_router'", netlist)
refused("expected integer 0..1000", netlist, None, {"load": 2000}, plugins)
refused("plug-in './nothing.so' cannot be loaded", netlist, plugins=["./nothing.so"])
refused("/nowhere.json", "/nowhere.json")
END
expect 0 '' python3 ring.py "$prefix/share/heddle/examples/ring/ring.json"
printf '20 10.1\n60 10.9\n100 15.3\n120 39.5\n' | cmp - out || { fail 'latencies of the ring:'; cat out; }
HEDDLE_MODULE_PATH=.
export HEDDLE_MODULE_PATH
sed -i 's/, plugins=plugins) as/) as/; /^refused/d' ring.py
expect 0 '' python3 ring.py "$prefix/share/heddle/examples/ring/ring.json"
unset HEDDLE_MODULE_PATH

# ---- a picture ----
if python3 -c 'import matplotlib' 2>/dev/null; then
	expect 0 units python3 collectors.py "$prefix/share/heddle/netlists/volta_sm.json" \
		"$prefix/share/heddle/traces/samples/hist/kernelslist.g" picture.svg
	grep -q '<svg' picture.svg || fail 'collectors.py: no picture'
fi
done_testing
