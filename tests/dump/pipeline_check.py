#!/usr/bin/env python3
# pipeline_check.py - an independent reader of the picture of a pipeline: does it agree with the text?
# SPDX-License-Identifier: BSD-2-Clause
"""pipeline_check.py PICTURE TEXT [NARROW]

PICTURE is `heddle dump --pipeline` of all instructions in one panel; TEXT is `heddle dump --to text
--event inst` of the same dump.  Row by row the same warps and texts must begin, move on and end in
the same cycles; each letter must stand for the place where the instruction is, as the legend says.
NARROW is the same picture in several panels: it has the same rows and letters in each cycle.
"""
import bisect
import re
import sys

import text as dump_text


def columns(top, digits, at):
    """[(first character, cycle, cycles)] of a panel: `at` is where cells begin."""
    out, i, cycle = [], at, None
    while i < len(digits):
        fold = re.match(r"~(\d+)~", digits[i:])
        if fold:
            cycle = int(re.match(r"\d+", top[i:])[0]) if cycle is None else cycle
            out.append((i, cycle, int(fold[1])))
            cycle += int(fold[1])
            i += len(fold[0])
            continue
        number = re.match(r"\d+", top[i:]) if i < len(top) and top[i - 1] == " " else None
        assert cycle is None or not number or int(number[0]) == cycle, "the ruler is wrong"
        cycle = int(number[0]) if cycle is None else cycle
        assert int(digits[i]) == cycle % 10, "the ruler is wrong"
        out.append((i, cycle, 1))
        cycle += 1
        i += 1
    return out


class Row:
    def __init__(self, label):
        self.label = label
        self.cells = {}         # cycle -> character


def read(path):
    """The panels, each a list of rows, and the legend: letter -> lines."""
    panels, legend = [], {}
    for part in open(path).read().split("\n\n"):
        lines = part.split("\n")
        if not lines[0].startswith("cycle "):
            for line in lines:
                if line and not line.startswith("there are more"):
                    legend.setdefault(line[0], []).append(line[3:])
            continue
        at = re.match(r"cycle +", lines[0]).end()
        where = columns(lines[0], lines[1], at)
        rows = []
        for line in lines[2:]:
            row = Row(line[:at].rstrip())
            rows.append(row)
            first = len(line) - len(line[at:].lstrip())
            for i, cycle, n in where[max(0, bisect.bisect(where, (first + 1,)) - 1):]:
                if i >= len(line):
                    break
                for k in range(n):      # of a fold the second character stands for all others
                    c = line[i + min(k, 1):][:1]
                    if c.strip():
                        row.cells[cycle + k] = c
        panels.append(rows)
    return panels, legend


def by_cycle(panels):
    out = {}
    for rows in panels:
        for row in rows:
            for cycle, c in row.cells.items():
                out.setdefault(cycle, []).append((row.label, c))
    return out


def same_picture(panels, narrow):
    """Where a panel begins, it has a letter in place of a dot; its labels may be shorter."""
    a, b = by_cycle(panels), by_cycle(narrow)
    assert a.keys() == b.keys(), "other cycles: %s" % sorted(a.keys() ^ b.keys())[:5]
    for cycle in a:
        assert len(a[cycle]) == len(b[cycle]), "cycle %d: other rows" % cycle
        for (label, c), (shorter, d) in zip(a[cycle], b[cycle]):
            assert shorter == label or label.startswith(shorter.removesuffix("..")), "cycle %d: %s" % (cycle, shorter)
            assert c == d or c == ".", "cycle %d: %s is %s and %s" % (cycle, label, c, d)


def name(place):
    """collector.in[2] -> collector, issue[0]:register -> issue:register, of the innermost netlist."""
    place = re.sub(r"\[\d+\]", "", place)
    who, colon, mark = place.partition(":")
    return who, mark if colon else None


def fits(letter, place, legend, known={}):
    """Does the legend have that place at the letter?  There is one legend."""
    if (letter, place) not in known:
        known[letter, place] = has(letter, place, legend)
    return known[letter, place]


def has(letter, place, legend):
    who, mark = name(place)
    for line in legend.get(letter, []):
        if mark is not None:
            if line.startswith("%s:%s: " % (who.rsplit(".", 1)[-1], mark)):
                return True
            continue
        front = line.startswith("in front of ")
        names = (line[len("in front of "):] if front else line.split(":")[0]).split(", ")
        last = who.rsplit(".", 1)
        if front and len(last) == 2 and last[0].rsplit(".", 1)[-1] in names:
            return True
        if not front and last[-1] in names:
            return True
    return False


def check(row, life, legend):
    cells = row.cells
    steps = [s for s in life.steps if s[3]]
    at = None
    for i, (place, _, cycle, cycles) in enumerate(steps):
        for c in range(cycle, cycle + cycles):
            letter = cells.get(c, " ")
            if i == 0 and c == cycle and ":" in place:
                who = place.split(":")[0]
                want = re.sub(r"\[\d+\]", "", who).rsplit(".", 1)[-1] + ", where it begins"
                assert want in legend.get(letter, []), "%d: %s for the begin" % (c, letter)
            elif letter == ".":
                assert at == place and c > cycle, "%d: a dot where %s begins" % (c, place)
            else:
                assert fits(letter, place, legend), "%d: %s for %s" % (c, letter, place)
                at = place
    end = cells.get(life.end, " ")
    last = life.steps[-1]
    if life.uid == 0 and life.ended:
        assert end == "x", "%d: not flushed" % life.end
    elif end not in (" ", ">"):
        assert last[3] == 0 and fits(end, last[0], legend), "%d: %s at the end" % (life.end, end)
    else:
        assert last[3] > 0 or not life.ended, "%d: no end" % life.end
        assert (end == ">") == (not life.ended), "%d: the dump has not ended" % life.end
    drawn = sorted(cells)
    assert not drawn or drawn[0] == life.begin, "it begins in %d" % drawn[0]
    assert not drawn or drawn[-1] == life.end - (end == " "), "it ends in %d" % drawn[-1]


def main():
    panels, legend = read(sys.argv[1])
    assert len(panels) == 1, "%d panels" % len(panels)
    rows = panels[0]
    # of those that begin together, the ones that are flushed come last
    lives = sorted(dump_text.lives(sys.argv[2]), key=lambda i: (i.begin, i.uid == 0 and i.ended))
    assert len(rows) == len(lives), "%d rows, %d instructions" % (len(rows), len(lives))
    for row, life in zip(rows, lives):
        words = row.label.split()
        try:
            assert "w%d" % life.warp in words, "another warp"
            assert life.text in row.label or row.label.endswith(".."), "another text"
            check(row, life, legend)
        except AssertionError as e:
            sys.exit("%s: %s" % (row.label, e))
    if len(sys.argv) > 3:
        narrow = read(sys.argv[3])[0]
        assert len(narrow) > 1, "one panel"
        same_picture(panels, narrow)
    print("%d rows of %d cycles agree" % (len(rows), sum(len(r.cells) for r in rows)))


main()
