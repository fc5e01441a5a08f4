#!/usr/bin/env python3
# kanata_check.py - an independent reader of Kanata files: is the grammar kept, do lives agree?
# SPDX-License-Identifier: BSD-2-Clause
"""kanata_check.py FILE [TEXT]

Checks each line of FILE by itself and against those before it.  TEXT is `heddle dump --to text
--event inst` of the same dump: the same instructions must begin and end in the same cycles, and be
where the text says at the same times.
"""
import re
import sys


class Instruction:
    def __init__(self, cycle, uid, thread):
        self.begin = cycle
        self.uid = uid
        self.thread = thread
        self.label = ""
        self.open = {}      # lane -> (stage, since)
        self.last = {}      # lane -> when its last stage ended
        self.stages = []    # (lane, stage, from, to)
        self.end = None
        self.finished = None
        self.executed = None


class Checker:
    def __init__(self):
        self.all = []
        self.cycle = None
        self.retired = 0
        self.arrows = 0

    def alive(self, word):
        number = int(word)
        assert 0 <= number < len(self.all), "there is no instruction %d yet" % number
        one = self.all[number]
        assert one.end is None, "instruction %d has retired" % number
        return one

    def line(self, words):
        kind = words[0]
        count = {"C=": 2, "C": 2, "I": 4, "L": 4, "S": 4, "E": 4, "R": 4, "W": 4}
        assert kind in count, "unknown line"
        assert len(words) == count[kind], "%d words, expected %d" % (len(words), count[kind])
        if kind == "C=":
            assert self.cycle is None, "the time is set twice"
            self.cycle = int(words[1])
            return
        assert self.cycle is not None, "no time yet"
        if kind == "C":
            assert int(words[1]) > 0, "time does not go on"
            self.cycle += int(words[1])
        elif kind == "I":
            assert int(words[1]) == len(self.all), "numbers are not in order"
            self.all.append(Instruction(self.cycle, int(words[2]), int(words[3])))
        elif kind == "L":
            one = self.alive(words[1])
            assert words[2] in ("0", "1"), "unknown kind of label"
            if words[2] == "0":
                one.label += words[3]
        elif kind in "SE":
            self.stage(kind == "S", self.alive(words[1]), words[2], words[3])
        elif kind == "R":
            self.retire(self.alive(words[1]), int(words[2]), words[3])
        else:
            self.arrow(self.alive(words[1]), int(words[1]), int(words[2]), words[3])

    def stage(self, begins, one, lane, name):
        assert lane in ("0", "1"), "unknown lane"
        assert name.strip() == name and name, "bad name"
        if begins:
            assert lane not in one.open, "stage %s has not ended" % one.open.get(lane, "")[0:1]
            assert lane == "1" or one.last.get(lane, self.cycle) == self.cycle, "a gap"
            one.open[lane] = (name, self.cycle)
            return
        assert lane in one.open and one.open[lane][0] == name, "this stage has not begun"
        since = one.open.pop(lane)[1]
        assert since < self.cycle, "a stage of no cycles"
        one.last[lane] = self.cycle
        one.stages.append((lane, name, since, self.cycle))
        if lane == "0" and "X" in name:
            one.executed = self.cycle

    def retire(self, one, number, how):
        assert not one.open, "stages have not ended"
        assert how in ("0", "1")
        one.finished = how == "0"
        if one.finished:
            assert number == self.retired, "retired out of order"
            self.retired += 1
        one.end = self.cycle

    def arrow(self, one, number, producer, kind):
        assert kind == "0"
        assert 0 <= producer < number, "it depends on something that comes later"
        assert self.all[producer].thread == one.thread, "it depends on another warp"
        assert any(lane == "1" and to == self.cycle and "R" in name
                   for lane, name, _, to in one.stages[-1:]), "it has not waited"
        self.arrows += 1

    def done(self):
        for number, one in enumerate(self.all):
            assert one.end is not None, "instruction %d never retires" % number
            assert re.match(r"(\S+ )?w\d+ 0x[0-9a-f]{4,}: \S", one.label), one.label
            if one.stages:
                lane0 = [s for s in one.stages if s[0] == "0"]
                assert lane0 and lane0[-1][3] == one.end, "instruction %d is nowhere" % number


def lives(path):
    """(begin, end, uid, warp, cycles at mark waits) as the text says, sorted."""
    out = []
    for line in open(path):
        m = re.match(r"(\d+) (\d+) inst ", line)
        if m:
            field = dict(re.findall(r" (uid|warp)=(-?\d+)", line))
            begin, cycles = int(m[1]), int(m[2])
            out.append((begin, begin + cycles, int(field["uid"]), int(field["warp"])))
    return sorted(out)


def main():
    checker = Checker()
    with open(sys.argv[1]) as lines:
        assert next(lines) == "Kanata\t0004\n", "bad first line"
        for number, line in enumerate(lines, 2):
            try:
                assert line.endswith("\n"), "the last line has no end"
                checker.line(line[:-1].split("\t"))
            except (AssertionError, ValueError) as wrong:
                sys.exit("%s:%d: %s: %r" % (sys.argv[1], number, wrong, line))
    checker.done()
    if len(sys.argv) > 2:
        said = lives(sys.argv[2])
        drawn = sorted((o.begin, o.end, o.uid, o.thread % 64) for o in checker.all)
        assert said == drawn, "the text tells another story: %d and %d lives" % (
            len(said), len(drawn))
    print("%d instructions, %d finished, %d arrows" % (
        len(checker.all), checker.retired, checker.arrows))


main()
