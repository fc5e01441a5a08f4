#!/usr/bin/env python3
# schema_check.py - the schema of `heddle schema` accepts netlists and refuses spoilt ones
# SPDX-License-Identifier: BSD-2-Clause
#
# Usage: schema_check.py SCHEMA WRONG_FOLDER NETLIST...
# Every NETLIST has to be valid.  Then the first one is spoilt in many ways; the schema must refuse
# each.  The spoilt ones go to WRONG_FOLDER, for `heddle check` to refuse as well.
import copy
import json
import os
import sys

import jsonschema

schema_file, wrong_folder, *netlists = sys.argv[1:]
failures = 0


def fail(text):
    global failures
    print("FAIL: " + text)
    failures += 1


with open(schema_file) as f:
    schema = json.load(f)
jsonschema.Draft7Validator.check_schema(schema)
validator = jsonschema.Draft7Validator(schema)
for name in netlists:
    with open(name) as f:
        netlist = json.load(f)
    for e in validator.iter_errors(netlist):
        fail("%s: /%s: %s" % (name, "/".join(map(str, e.path)), e.message[:200]))

with open(netlists[0]) as f:
    good = json.load(f)


def spoil(title, path, value, expected=()):
    """Puts value at the path; "-" removes it.  The one error has all of the words expected."""
    bad = copy.deepcopy(good)
    at = bad
    steps = path.split("/")
    for s in steps[:-1]:
        at = at[int(s)] if isinstance(at, list) else at[s]
    last = int(steps[-1]) if isinstance(at, list) else steps[-1]
    if value == "-":
        del at[last]
    else:
        at[last] = value
    if validator.is_valid(bad):
        fail("the schema takes this for a netlist: " + title)
    for e in validator.iter_errors(bad):
        if "any of the given" in e.message:
            fail("%s: the schema says only: %s" % (title, e.message[:200]))
    if expected:
        errors = list(validator.iter_errors(bad))
        at = "/".join(map(str, errors[0].path)) if errors else "nowhere"
        if len(errors) != 1 or not path.startswith(at) or not all(w in errors[0].message for w in expected):
            fail("%s: expected an error at %s with %s, got %s" % (title, path, expected,
                 [("/".join(map(str, e.path)), e.message[:200]) for e in errors]))
    with open(os.path.join(wrong_folder, title.replace(" ", "_") + ".json"), "w") as f:
        json.dump(bad, f, indent=1)


spoil("no version", "heddle", "-")
spoil("another version", "heddle", 2)
spoil("unknown section", "wires", [], ("wires", "links", "instances"))
spoil("schema no string", "$schema", 7)
spoil("name no string", "name", 7)
spoil("doc no string", "doc", [])
spoil("watchdog zero", "watchdog", 0)
spoil("clocks a list", "clocks", [])
spoil("clock without frequency", "clocks/core", {})
spoil("clock with two frequencies", "clocks/core", {"mhz": 1, "hz": 1})
spoil("clock too fast", "clocks/core", {"mhz": 1e9})
spoil("clock a word", "clocks/core", "fast")
spoil("clock with unknown member", "clocks/core", {"mhz": 1, "edge": "rising"}, ("edge", "edges"))
spoil("clock times zero", "clocks/core2", {"of": "core", "times": 0})
spoil("bad name of a clock", "clocks/1st", {"mhz": 1})
spoil("instances a list", "instances", [])
spoil("bad name of an instance", "instances/a-b", {"module": "barrier"})
spoil("instance without module", "instances/alu/module", "-")
spoil("unknown module", "instances/alu/module", "fu_pipelin", ("fu_pipelin", "fu_pipeline"))
spoil("module no string", "instances/alu/module", 3)
spoil("instance with unknown member", "instances/alu/parameters", {}, ("parameters", "params"))
spoil("count zero", "instances/alu/count", 0)
spoil("count too large", "instances/alu/count", 65537)
spoil("clock of an instance no string", "instances/alu/clock", 1)
spoil("unknown parameter", "instances/decode/params", {"widht": 1}, ("widht", "width"))
spoil("parameter too large", "instances/decode/params", {"width": 9})
spoil("parameter too small", "instances/decode/params", {"width": 0})
spoil("parameter a string", "instances/decode/params", {"width": "2"})
spoil("parameter a fraction", "instances/decode/params", {"width": 1.5})
spoil("parameter null", "instances/decode/params", {"width": None})
spoil("parameter no bool", "instances/issue/params", {"different_units": 1})
spoil("parameter no choice", "instances/trace/params", {"unknown": "ignore"})
spoil("required parameter missing", "instances/alu/params", {})
spoil("params missing", "instances/alu/params", "-")
spoil("params a list", "instances/alu/params", [])
spoil("table no list", "instances/alu/params/timing", {})
spoil("table empty", "instances/alu/params/timing", [])
spoil("column missing", "instances/alu/params/timing/0/latency", "-")
spoil("column unknown", "instances/alu/params/timing/0/delay", 4, ("delay", "latency"))
spoil("column out of range", "instances/alu/params/timing/0/initiation", 0)
spoil("names empty", "instances/alu/params/timing/0/classes", [])
spoil("names a string", "instances/alu/params/timing/0/classes", "SP")
spoil("links an object", "links", {})
spoil("link a string", "links/0", "fetch.fetched decode.fetched")
spoil("link without from", "links/0/from", "-")
spoil("link without to", "links/0/to", "-")
spoil("link from nowhere", "links/0/from", [])
spoil("end without port", "links/0/from", "fetch")
spoil("end a number", "links/0/to", 3)
spoil("link with unknown member", "links/0/delay", 2, ("delay", "latency"))
spoil("latency negative", "links/0/latency", -1)
spoil("staged no bool", "links/0/staged", "yes")
spoil("capacity zero", "links/0/capacity", 0)
spoil("too many slots", "links/1/slots", 65)
spoil("index unknown", "links/1/index", "each")
spoil("attribute of wrong form", "links/1/classes", "SP")
spoil("parameter of netlist without value", "params", {"a": {"doc": "x"}})
spoil("params of netlist a list", "params", [1])
spoil("netlist a list", "instances/alu", {"netlist": []})
spoil("netlist inside with unknown section", "instances/alu", {"netlist": {"instances": {}, "wires": []}})
spoil("netlist inside with bad clock", "instances/alu", {"netlist": {"clocks": {"c": {}}, "instances": {}}})

# what is wrong with a value is an error at the value
for params, at, words in (({"width": 9}, "width", ("9", "maximum")), ({"width": "2"}, "width", ("2", "integer")),
                          ({"width": "$a b"}, "", ())):
    bad = copy.deepcopy(good)
    bad["instances"]["decode"]["params"] = params
    for e in validator.iter_errors(bad):
        if not all(w in e.message for w in words) or list(e.path)[-1] != (at or e.path[-1]):
            fail("%s: %s: %s" % (params, list(e.path), e.message[:200]))

# a netlist in the place of a file's name
inside = {"heddle": 1, "instances": {"sm": {"netlist": {k: v for k, v in good.items() if k != "heddle"}}}}
for e in validator.iter_errors(inside):
    fail("a netlist inside of another one: /%s: %s" % ("/".join(map(str, e.path)), e.message[:200]))

sys.exit(1 if failures else 0)
