#!/usr/bin/env python3
# kanata_check.py - an independent reader of Kanata files: are files valid, do transactions agree?
# SPDX-License-Identifier: BSD-2-Clause
"""kanata_check.py FILE [TEXT]

Checks each line of FILE by itself and against those before it.  TEXT is `heddle dump --to text
--event inst` of the same dump: the same instructions must begin and end in the same cycles, be
issued and move on in the same ones, and wait as long.  Work that goes on without an instruction is
a line as well: the same spans of the events in LANES.
"""
import re
import sys

import text as dump_text


LANES = ("warpgroup_mma.operation", "tma.copy")


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
            if lane == "0" and lane in one.open:
                self.stage(False, one, lane, one.open[lane][0])
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
        if "0" in one.open:
            self.stage(False, one, "0", one.open["0"][0])
        assert not one.open, "waits have not ended"
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
        lane, wait, _, until = one.stages[-1]
        assert lane == "1" and until == self.cycle, "it has not waited"
        if "SB" not in wait:    # else what raised the counter: a load, or what reads late
            self.writes(producer, number, wait[wait.index("R"):])
        self.arrows += 1

    def writes(self, producer, consumer, register):
        """Its first operand is the register, and that of no other one in between, except
        those that only read it."""
        first = r"w\d+ 0x\w+: (\S+) %s\b" % register
        assert re.search(first, self.all[producer].label), "it does not write " + register
        for other in self.all[producer + 1:consumer]:
            if other.thread == self.all[producer].thread and other.uid > 0:
                m = re.search(first, other.label)
                assert not m or re.match("ST|RED|BAR|EXIT|BRA|MEMBAR", m[1]), other.label

    def done(self):
        for number, one in enumerate(self.all):
            assert one.end is not None, "instruction %d never retires" % number
            assert re.match(r"(\S+ )?w\d+ 0x[0-9a-f]{4,}: \S", one.label), one.label
            if one.stages:
                lane0 = [s for s in one.stages if s[0] == "0"]
                assert lane0 and lane0[-1][3] == one.end, "instruction %d is nowhere" % number


def drawn(one):
    """The text of an instruction made from Kanata's lines."""
    lane = [(begin, end) for which, _, begin, end in one.stages if which == "0"]
    waits = [(begin, end) for which, _, begin, end in one.stages if which == "1"]
    return (one.begin, one.end, one.uid, one.thread % 64, one.label.split(": ", 1)[1], lane, waits)


def is_work(one):
    return [stage for _, stage, _, _ in one.stages] in [[event.split(".")[1]] for event in LANES]


def drawn_work(one):
    return (one.begin, one.end, one.stages[0][1], one.label)


def dumped_work(path):
    for line in open(path):
        m = re.match(r'(\d+) (\d+) (\S+) (\S+) warp=(\d+) .*pc=0x(\w+).* text="([^"]*)"', line)
        if m and m[3] in LANES:
            begin, cycles, pc = int(m[1]), int(m[2]), int(m[6], 16)
            yield (begin, begin + cycles, m[3].split(".")[1], "%s w%s 0x%04x: %s" % (m[4], m[5], pc, m[7]))


def dumped(life):
    lane = [(begin, end) for _, begin, end in life.where()]
    waits = [(begin, end) for _, _, begin, end in life.waits()]
    return (life.begin, life.end, life.uid, life.warp, life.text, lane, waits)


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
        text = sorted(dumped(life) for life in dump_text.lives(sys.argv[2]))
        kanata = sorted(drawn(one) for one in checker.all if not is_work(one))
        work = sorted(drawn_work(one) for one in checker.all if is_work(one))
        assert work == sorted(dumped_work(sys.argv[2])), "the text has other work than instructions"
        for a, b in zip(text, kanata):
            assert a == b, "the text differs:\n%r\n%r" % (a, b)
        assert len(text) == len(kanata), "the text has %d lives" % len(text)
    print("%d instructions, %d finished, %d arrows" % (
        len(checker.all), checker.retired, checker.arrows))


main()
