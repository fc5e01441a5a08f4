#!/usr/bin/env python3
# vcd_check.py - do waveforms agree with the dump?
# SPDX-License-Identifier: BSD-2-Clause
"""vcd_check.py VCD TEXT [FIRST-LAST]

TEXT is `heddle dump --to text` of the same dump.  Every signal must change when the text does,
and no other may be there.  FIRST-LAST: the cycles that both were asked for.
"""
import re
import sys
from bisect import bisect_right

import text as dump_text


def read(path):
    """name -> [(cycle, value)], without changes that change nothing."""
    names, scopes, signals, time, cycle = {}, [], {}, None, None
    cycles, changes = {}, []
    with open(path) as lines:
        for line in lines:
            words = line.split() or [""]
            if words[0] == "$scope":
                scopes.append(words[2])
            elif words[0] == "$upscope":
                scopes.pop()
            elif words[0] == "$var":
                name = ".".join(scopes[1:] + [words[4]])
                assert words[3] not in names and name not in names.values(), name
                names[words[3]] = name
            elif words[0] == "$enddefinitions":
                break
        assert not scopes
        for line in lines:
            line = line.strip()
            if line.startswith("#"):
                assert time is None or int(line[1:]) > time, "time does not go on"
                time = int(line[1:])
            elif line[:1] in ("b", "s"):
                value, name = line[1:].split(" ")
                value = int(value, 2) if line[0] == "b" else value
                if names[name] == "cycle":
                    cycles[time] = value
                else:
                    changes.append((time, names[name], value))
    for time, name, value in changes:
        values = signals.setdefault(name, [])
        assert not values or values[-1][1] != value, "%s: no change" % name
        values.append((cycles[time], value))
    return signals


def key(place, signals):
    if ":" in place:
        return place.replace(":", ".at_")
    if place + ".inside" in signals:
        return place + ".inside"
    scope, port = place.rsplit(".", 1)
    port = re.sub(r"\[(\d+)\]", r"_\1", port)
    name = scope + "." + port
    return name if name in signals else scope + "[0]." + port   # all elements read it: in the first one


def expected(path, signals):
    """Numbers of instructions and words of states: name -> {cycle: change or word}."""
    counts, words, samples = {}, {}, []
    for life in dump_text.lives(path):
        stays = life.where() + [(w[0], w[2], w[3]) for w in life.waits()]
        for place, begin, end in stays:
            count = counts.setdefault(key(place, signals), {})
            count[begin] = count.get(begin, 0) + 1
            count[end] = count.get(end, 0) - 1
    for line in open(path):
        m = re.match(r"(\d+) (\d+) (\w+)\.(\w+) (\S+) .*\breason=(\S+)", line)
        if m and int(m[2]):
            begin, end = int(m[1]), int(m[1]) + int(m[2])
            word = words.setdefault("%s.%s" % (m[5], m[4]), {})
            if word and max(word) > begin:
                del word[max(word)]     # they overlap
            word[begin], word[end] = m[6].strip('"'), "-"
        m = re.match(r"(\d+) 0 counters (\S+)\.(\w+) .*growth=(\d+)", line)
        if m:
            samples.append((int(m[1]), "%s.stat_%s" % (m[2], m[3]), int(m[4])))
    return counts, words, samples


def steps(changes, start, first, last):
    """[(cycle, value)] from the changes that add up, or replace each other."""
    value, out = start, []
    for cycle in sorted(set(changes) | {first}):
        change = changes.get(cycle)
        if change is not None:
            value = value + change if isinstance(change, int) else change
        if cycle <= first:
            out = [(first, value)]
        elif cycle <= last and out[-1][1] != value:
            out.append((cycle, value))
    return out


def main():
    signals = read(sys.argv[1])
    first, last = (map(int, sys.argv[3].split("-")) if len(sys.argv) > 3 else (0, 1 << 63))
    counts, words, samples = expected(sys.argv[2], signals)
    for name, changes in counts.items():
        assert signals[name] == steps(changes, 0, first, last), name
    for name, changes in words.items():
        assert signals[name] == steps(changes, "-", first, last), name
    for cycle, name, growth in samples:
        at = bisect_right(signals[name], (cycle, 1 << 64)) - 1
        assert signals[name][at][1] == growth, name
    for name in signals:
        if name not in counts and name not in words and ".stat_" not in name:
            assert signals[name] in ([(first, 0)], [(first, "-")]), "%s: the text does not have it" % name
    print("%d places, %d schedulers, %d samples" % (len(counts), len(words), len(samples)))


main()
