#!/bin/sh
# python.sh - the Python package as it is installed: plug-ins, errors, the example with a picture; pip
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"
. "$src/tests/blocks.sh"
needs python3
! grep -q enable-sanitizers "$build/config.log" || { echo 'SKIP: the interpreter has no sanitizers'; exit 77; }
unset HEDDLE_DATA_PATH LIBHEDDLE LD_LIBRARY_PATH
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE

prefix=$tmp/prefix
env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL ${MAKE:-make} -C "$build" install prefix="$prefix" >make.log 2>&1 ||
	{ tail -n 20 make.log; fail 'make install'; done_testing; }
PKG_CONFIG_PATH=$prefix/lib/pkgconfig
export PKG_CONFIG_PATH

PYTHONPATH=$(pkg-config --variable=pythondir heddle)
export PYTHONPATH
mkdir work
cd work || exit 99

# ---- it is that of the prefix, and so are the library, the program and the samples ----
cat >where.py <<'END'
import heddle
from heddle import _library

print(*sorted({file[:file.index("/prefix/")] for file in (heddle.__file__, _library.library_file(), _library.program_file(),
                                                         heddle.sample("hist"))}))
END
expect 0 '' python3 where.py
test "$(cat out)" = "$tmp" || { fail 'files of several places:'; cat out; }

# ---- the commands of the page; package.sh runs the rest of it ----
(cd "$tmp" && blocks_of "$src/docs/python.md")
run_blocks

# ---- plug-ins find the functions of a library that the interpreter opened for itself ----
for m in ring_router ring_terminal; do
	# shellcheck disable=SC2046
	${CC:-cc} -O2 -fPIC -shared $(pkg-config --cflags heddle) -o $m.so "$prefix/share/heddle/examples/ring/$m.c" ||
		fail "$m.c"
done
cat >ring.py <<'END'
import json, sys, threading
from heddle import Error, Netlist, Simulation

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
core = Netlist(netlist, plugins=plugins).set({"load": 20, "router.directions": "right"})
assert core.run()["latency"] == core.run(threads=2)["latency"] and abs(core.run()["latency"] - latency[20]) < 1e-9
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
sed -i 's/, plugins=plugins) as/) as/; /^refused/d; /core/d' ring.py
expect 0 '' python3 ring.py "$prefix/share/heddle/examples/ring/ring.json"
unset HEDDLE_MODULE_PATH

# ---- a picture ----
if python3 -c 'import matplotlib' 2>/dev/null; then
	expect 0 units python3 "$prefix/share/heddle/examples/library/collectors.py" picture.svg \
		"$prefix/share/heddle/netlists/volta_sm.json" "$prefix/share/heddle/traces/samples/hist/kernelslist.g"
	grep -q '<svg' picture.svg || fail 'collectors.py: no picture'
fi

# ---- a folder that pip has installed into, where that can build without a network ----
if python3 -c 'import pip, setuptools, sys; sys.exit(int(setuptools.__version__.split(".")[0]) < 61)' 2>/dev/null; then
	cp -r "$src/python" source
	expect 0 '' python3 -m pip install -q --no-build-isolation --no-deps --no-index --root-user-action=ignore --target pip ./source
	test -f pip/heddle/py.typed || fail 'pip installs no py.typed'
	expect 0 0.1.0 env PYTHONPATH=pip LIBHEDDLE="$prefix/lib/libheddle.so.0" python3 -c \
		'import heddle; assert "/pip/" in heddle.__file__; print(heddle.version())'
fi
done_testing
