# text.py - reads `heddle dump --to text`, for tests of other formats
# SPDX-License-Identifier: BSD-2-Clause
import re


class Life:
    def __init__(self, begin, end, ended, fields, steps):
        self.begin = begin
        self.end = end
        self.ended = ended
        self.uid = int(fields["uid"])
        self.warp = int(fields["warp"])
        self.text = fields["text"]
        self.steps = steps      # (place, argument or None, cycle, cycles)

    def where(self):
        """(place, from, to): stays; marks do not end them, unless a transaction begins
        with one, or an instance marks a record in a channel that it reads."""
        out = []
        for place, _, cycle, cycles in self.steps:
            if ":" in place and out:
                who = place.split(":")[0]
                channel = re.sub(r"\[\d+\]", "", out[-1][0]).rsplit(".", 1)
                if ":" not in out[-1][0] and channel[0] == re.sub(r"\[\d+\]", "", who) \
                        and len(channel) == 2:
                    out.append([who, cycle, cycle + cycles])
                out[-1][2] = cycle + cycles
            elif out and out[-1][0] == place:
                out[-1][2] = cycle + cycles
            else:
                out.append([place, cycle, cycle + cycles])
        return [tuple(stay) for stay in out if stay[1] < stay[2]]

    def waits(self):
        """(place, argument, from, to): what it waited for."""
        out = []
        for place, arg, cycle, cycles in self.steps[1:]:
            if ":" not in place or not cycles:
                continue
            if out and out[-1][:2] == (place, arg) and out[-1][3] == cycle:
                out[-1] = out[-1][:3] + (cycle + cycles,)
            else:
                out.append((place, arg, cycle, cycle + cycles))
        return out

    def issued(self):
        """When it was put into the first channel."""
        for place, _, cycle, _ in self.steps:
            if ":" not in place:
                return cycle
        return None


def lives(path):
    for line in open(path):
        m = re.match(r"(\d+) (\d+) inst (ended|unfinished) ", line)
        if not m:
            continue
        begin = cycle = int(m[1])
        fields = dict(re.findall(r' (\w+)=("(?:[^"\\]|\\.)*"|\S+)', line))
        fields["text"] = re.sub(r"\\(.)", r"\1", fields["text"][1:-1])
        steps = []
        way = re.sub(r'.* mask=\S+', "", line)
        for place, arg, cycles in re.findall(r" (\S+?)(?:\(([^()]*)\))?=(\d+)", way):
            steps.append((place, arg or None, cycle, int(cycles)))
            cycle += int(cycles)
        assert cycle == begin + int(m[2]), line
        yield Life(begin, cycle, m[3] == "ended", fields, steps)
