#!/usr/bin/env python3
# layers.py - rooms include only what they may, files of a room form no circle, names of files are unique
# SPDX-License-Identifier: BSD-2-Clause
#
# usage: layers.py SOURCE BUILD
#
# Prints a line for each mistake; exit status 1 if there is one.  docs/architecture.md explains the rooms.
import os
import re
import subprocess
import sys

# A room, then what its files may include beside headers of the room: rooms, or single headers.
TABLE = """
base
traces          base
traces/sass     base
traces/hasm     base traces traces/sass
traces/exec     base traces traces/hasm traces/sass
traces/runtime  base traces/exec
dump            base
kernel/netlist  base
kernel          base kernel/netlist
kernel/parallel base kernel
kernel/check    base kernel
kernel/stats    base kernel
kernel/save     base kernel
kernel/record   base dump kernel
library         base kernel kernel/check kernel/save kernel/stats
tools/graph     base dump kernel
tools/dump      base dump
tools/import    base kernel/netlist
tools/monitor   base kernel kernel/stats tools/graph
tools/web       base tools/monitor
tools/report    base dump tools/dump tools/graph
tools/study     base dump kernel kernel/netlist tools/dump traces
tools/lsp       base kernel kernel/check kernel/netlist
tools/sample    base traces traces/hasm
tools/energy    base dump kernel kernel/netlist kernel/record kernel/stats
tools/accel     base kernel kernel/netlist kernel/stats tools/energy tools/import
tools/cli       base dump kernel kernel/check kernel/netlist kernel/parallel kernel/record kernel/save kernel/stats \
 tools/dump tools/energy tools/graph tools/import tools/lsp tools/monitor tools/report tools/sample tools/study traces traces/exec traces/hasm \
 traces/runtime traces/sass
"""
# Modules include the contract and their own folder; these a room as well.
MODULES_MAY = {"trace_source": ["traces"]}
# Modules that share a folder of another name.
FAMILIES = {"simt_stack": "divergence", "min_pc": "divergence", "lanes_apart": "divergence"}
CONTRACT = re.compile(r"heddle/(bits|module|ahead|rules|gpu/[a-z_]+)\.h$")
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]', re.M)
FOUND = []


def wrong(text):
    FOUND.append(text)


def rooms():
    table = {}
    for line in TABLE.replace("\\\n", "").strip().split("\n"):
        words = line.split()
        for room in words[1:]:
            if room not in table:
                wrong("the table lets %s include %s, which stands below it: a circle" % (words[0], room))
        table[words[0]] = words[1:]
    return table


def sources(top):
    """Paths of the C files, by folder."""
    folders = {}
    for at, below, names in os.walk(top):
        below[:] = sorted(d for d in below if d[0] not in "._" and d[:5] != "build" and d != "skeletons")
        for name in sorted(names):
            if name.endswith((".c", ".h")):
                folders.setdefault(os.path.relpath(at, top), []).append(name)
    return folders


def includes(top, path):
    with open(os.path.join(top, path), encoding="utf-8") as f:
        return INCLUDE.findall(f.read())


def check_rooms(top, folders, table):
    for room in sorted(folders):
        if room.split("/")[0] in ("base", "dump", "kernel", "library", "tools", "traces") and room not in table \
                and room != "traces/samples":
            wrong("the table lacks the room %s" % room)
    for room, may in table.items():
        if room not in folders:
            wrong("the table names a room %s without sources" % room)
            continue
        for name in folders[room]:
            for kind, header in includes(top, room + "/" + name):
                if kind == "<":
                    continue
                place = os.path.dirname(header)
                if place == "" and header in folders[room] or place in may or header == "base/folders.h":
                    continue
                wrong('%s/%s includes "%s"; %s may include: %s' % (room, name, header, room, " ".join(may)))


def check_modules(top, folders):
    """modules/NAME.c includes the contract, and the folder of its own name or of its first word, which a family shares."""
    for folder in [f for f in folders if f.split("/")[0] == "modules"]:
        for name in folders[folder]:
            path = folder + "/" + name
            own = os.path.basename(folder) if folder != "modules" else name[:-2]
            if folder == "modules" and "modules/" + own not in folders:
                own = FAMILIES.get(own, own.split("_")[0])
            for kind, header in includes(top, path):
                place = os.path.dirname(header)
                if kind == "<":
                    if header.startswith("heddle/") and not CONTRACT.match(header):
                        wrong("%s includes <%s>, which is not for modules" % (path, header))
                elif folder == "modules" and place not in (own, *MODULES_MAY.get(own, [])) or folder != "modules" and not (
                        place == "" and header in folders[folder] or place in MODULES_MAY.get(own, [])):
                    wrong('%s includes "%s", a header of others' % (path, header))


def check_contract(top, folders):
    for folder in [f for f in folders if f.split("/")[0] == "include"]:
        gpu = folder.endswith("/gpu")
        for name in folders[folder]:
            for kind, header in includes(top, folder + "/" + name):
                if header.startswith("heddle/gpu/") and not gpu:
                    wrong("%s/%s includes <%s>: the contract is one of modules, not of GPUs" % (folder, name, header))


def check_names(folders):
    """The name of a file is the only one, but for a module's: its interface, its folder and its test may have it."""
    where = {}
    for folder, names in folders.items():
        if folder.split("/")[0] in ("tests", "examples"):
            continue
        for name in names:
            where.setdefault(name[:-2], set()).add(folder)
    for name, places in sorted(where.items()):
        if len(places) > 1 and not ("modules" in places and places <= {"modules", "modules/" + name, "include/heddle/gpu"}) \
                and places != {"include/heddle", "library"}:
            wrong("files named %s stand in several rooms: %s" % (name, ", ".join(sorted(places))))


def check_circles(build, folders):
    """A file that calls functions of another file of its room is not called by it."""
    for room in sorted(folders):
        if room.split("/")[0] in ("tests", "examples", "include"):
            continue
        objects = {}
        for at in (room + "/.libs", room):
            folder = os.path.join(build, at)
            for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
                source = re.sub(r"^.*-", "", name)
                if re.sub(r"\.o$", ".c", source) in folders[room] and not name.startswith("tests_") and "_128" not in name:
                    objects.setdefault(source, os.path.join(folder, name))
        if len(objects) < 2:
            continue
        of, uses = {}, []
        for line in subprocess.run(["nm", "-gA", *objects.values()], check=True, text=True,
                                   stdout=subprocess.PIPE).stdout.split("\n"):
            m = re.match(r"(.*):[0-9a-f ]* ([A-Za-z]) (\S+)$", line)
            if m and m.group(2) == "U":
                uses.append((m.group(1), m.group(3)))
            elif m and m.group(2) not in "wv":
                of[m.group(3)] = m.group(1)
        calls = {}
        for file, name in uses:
            if name in of and of[name] != file:
                calls.setdefault(file, {}).setdefault(of[name], name)
        circle = find_circle(calls)
        if circle:
            wrong("%s: files that call each other: %s" % (room, ", ".join(
                "%s calls %s() of" % (re.sub(r"^.*[/-]", "", a), calls[a][b]) for a, b in zip(circle, circle[1:]))
                + " " + re.sub(r"^.*[/-]", "", circle[0])))


def find_circle(calls):
    state, path = {}, []

    def visit(file):
        state[file] = 1
        path.append(file)
        for other in sorted(calls.get(file, {})):
            if state.get(other) == 1:
                return path[path.index(other):] + [other]
            found = None if other in state else visit(other)
            if found:
                return found
        state[file] = 2
        path.pop()
        return None

    for file in sorted(calls):
        found = None if file in state else visit(file)
        if found:
            return found
    return None


def main():
    top, build = sys.argv[1:]
    table, folders = rooms(), sources(top)
    check_rooms(top, folders, table)
    check_modules(top, folders)
    check_contract(top, folders)
    check_names(folders)
    check_circles(build, folders)
    print("\n".join(FOUND + ["%d rooms, %d files" % (len(table), sum(len(n) for n in folders.values()))]))
    return len(FOUND) > 0


sys.exit(main())
