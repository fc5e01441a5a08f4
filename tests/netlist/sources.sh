#!/bin/sh
# sources.sh - whole GPUs that follow control words: each value that is set says where it comes from
# SPDX-License-Identifier: BSD-2-Clause
#
# The member doc of "set" has texts by path, of several paths with blanks between. A text begins with the kind of its
# source.
. "${srcdir:-.}/tests/lib.sh"
needs python3

cat >sources.py <<'PY'
import json, re, sys
kinds = "measured", "published", "literature", "fitted", "assumed", "structure"
wrong = 0


def check(file, netlist):
    global wrong
    values = dict(netlist.get("set", {}))
    docs = values.pop("doc", {})
    named = [path for paths in docs for path in paths.split()]
    errors = ["no source of '%s'" % path for path in values if path not in named]
    errors += ["a source of '%s', which is not set" % path for path in named if path not in values]
    errors += ["two sources of '%s'" % path for path in set(named) if named.count(path) > 1]
    for paths, text in docs.items():
        kind, colon, source = text.partition(": ")
        if kind not in kinds or len(source) < 5:
            errors.append("the source of '%s' is '%s'; expected one of %s, and what was seen"
                          % (paths, text, ", ".join(kinds)))
        if kind in ("measured", "fitted") and not re.search(r" on an? ", source):
            errors.append("the source of '%s' does not say on what it was measured" % paths)
    for error in errors:
        print("%s: %s" % (file, error))
    wrong += len(errors)
    for value in values.values():
        if isinstance(value, dict) and "heddle" in value:  # a netlist inside
            check(file, value)


for file in sys.argv[1:]:
    check(file, json.load(open(file)))
sys.exit(wrong > 0)
PY

set -- "$src/netlists/control_gpu.json" "$src/netlists/v100.json" "$src/netlists/a100.json" \
	"$src/netlists/rtx_a6000.json" \
	"$src"/netlists/rtx_30[89]0*.json "$src"/netlists/ncu/a100.json "$src"/netlists/ncu/rtx_*.json \
	"$src"/netlists/h100_[sp]*.json "$src"/netlists/*h200.json "$src/netlists/hopper_cluster.json"
$python sources.py "$@" >log || fail "$(cat log)"

# ---- what is missing, or too much, is found ----
$python - "$src/netlists/a100.json" <<'PY'
import json, sys
netlist = json.load(open(sys.argv[1]))
netlist["set"]["watchdog"] = 5
netlist["set"]["doc"]["channels trace"] = "measured: somewhere"
json.dump(netlist, open("wrong.json", "w"))
PY
if $python sources.py wrong.json >log; then
	fail "nothing is missing"
fi
for text in "no source of 'watchdog'" "'trace', which is not set" "two sources of 'channels'" "does not say on what"; do
	grep -q "$text" log || fail "not found: $text: $(cat log)"
done
done_testing
