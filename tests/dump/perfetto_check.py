#!/usr/bin/env python3
# perfetto_check.py - do the slices of a Perfetto trace nest, and agree with the dump?
# SPDX-License-Identifier: BSD-2-Clause
"""protoc --decode=Trace perfetto.proto <FILE | perfetto_check.py TEXT

TEXT is `heddle dump --to text` of the same dump.  What is read here is what protoc understands;
no field may be left as a number only.
"""
import re
import sys

import text as dump_text

NAMES, ARGUMENTS, VALUES = "event_names", "debug_annotation_names", "debug_annotation_string_values"


def packets(lines):
    """Messages as lists of (name, value), values again lists or words."""
    stack = [[]]
    for line in lines:
        words = line.strip().split(" ", 1)
        if words[0] == "}":
            done = stack.pop()
            if len(stack) == 1:
                yield done
                stack[0].clear()
            continue
        assert not words[0][0].isdigit(), "a field that is not in the schema: " + line
        if words[-1] == "{":
            message = []
            stack[-1].append((words[0], message))
            stack.append(message)
        else:
            value = words[1]
            if value[0] == '"':
                value = re.sub(r"\\(.)", r"\1", value[1:-1])
            stack[-1].append((words[0].rstrip(":"), value))


def one(message, name):
    for key, value in message:
        if key == name:
            return value
    return None


class Trace:
    def __init__(self):
        self.texts = {NAMES: {}, ARGUMENTS: {}, VALUES: {}}
        self.tracks = {}    # uuid -> (name, parent, is a counter)
        self.events = []    # (time, place in the file, type, track, name, arguments, flows)
        self.values = []

    def packet(self, p, first):
        assert one(p, "trusted_packet_sequence_id") == "1"
        assert one(p, "sequence_flags") == ("1" if first else "2")
        for kind, text in one(p, "interned_data") or []:
            known = self.texts[kind]
            assert one(text, "iid") not in known, "a text is given twice"
            known[one(text, "iid")] = one(text, "text")
        if one(p, "track_descriptor"):
            self.track(one(p, "track_descriptor"))
        if one(p, "track_event"):
            self.event(int(one(p, "timestamp")), one(p, "track_event"))

    def track(self, t):
        uuid, parent = one(t, "uuid"), one(t, "parent_uuid")
        assert uuid not in self.tracks, "a track is there twice"
        assert parent is None or parent in self.tracks, "its parent is not there yet"
        thread, process = one(t, "thread"), one(t, "process")
        name = (one(thread, "thread_name") if thread else one(process, "process_name") if process
                else one(t, "name"))
        assert name, "a track without a name"
        self.tracks[uuid] = (name, parent, one(t, "counter") is not None)

    def event(self, time, e):
        kind, track = one(e, "type")[5:], one(e, "track_uuid")
        assert track in self.tracks, "the track is not there yet"
        assert (kind == "COUNTER") == self.tracks[track][2]
        if kind == "COUNTER":
            self.values.append((track, time, int(one(e, "counter_value"))))
            return
        arguments = {}
        for key, a in e:
            if key == "debug_annotations":
                word = one(a, "string_value_iid")
                number = one(a, "int_value") or one(a, "pointer_value")
                arguments[self.texts[ARGUMENTS][one(a, "name_iid")]] = (
                    self.texts[VALUES][word] if word else int(number, 0))
        name = one(e, "name_iid")
        assert (name is None) == (kind == "SLICE_END")
        self.events.append((time, len(self.events), kind, track, name and self.texts[NAMES][name],
                            arguments, [v for k, v in e if k == "flow_ids"]))

    def slices(self):
        """(track, depth, name, begin, end, arguments, flows) as the viewer nests them."""
        open_ones = {}
        for time, _, kind, track, name, arguments, flows in sorted(self.events):
            stack = open_ones.setdefault(track, [])
            if kind == "SLICE_BEGIN":
                stack.append((name, time, arguments, flows))
            elif kind == "SLICE_END":
                assert stack, "nothing is open"
                name, begin, arguments, flows = stack.pop()
                yield track, len(stack), name, begin, time, arguments, flows
        assert not any(open_ones.values()), "slices without an end"

    def thread_of(self, track):
        name, parent, _ = self.tracks[track]
        return name if name.startswith("warp ") or parent is None else self.thread_of(parent)


def check_lives(trace, path):
    drawn, stays, flows = [], [], {}
    for track, depth, name, begin, end, arguments, flow in trace.slices():
        thread = trace.thread_of(track)
        if not thread.startswith("warp "):
            continue
        if depth == 0:
            assert arguments["warp"] == int(thread[5:])
            drawn.append((begin, end, arguments["uid"], arguments["warp"], name))
        elif depth == 1:
            stays.append((int(thread[5:]), name, begin, end))
        for number in flow:
            flows[number] = flows.get(number, 0) + 1
    text = list(dump_text.lives(path))
    assert sorted(drawn) == sorted((t.begin, t.end, t.uid, t.warp, t.text) for t in text)
    assert sorted(stays) == sorted((t.warp,) + stay for t in text for stay in t.where())
    return len(drawn), sum(n > 1 for n in flows.values())


def check_slots(trace, path):
    """Slices of schedulers are the lines of the text, one by one."""
    text, last = [], {}
    for line in open(path):
        m = re.match(r"(\d+) (\d+) (\w+)\.(slot) (\S+) .*\breason=(\S+)", line)
        if m and int(m[2]):
            name, begin, end = m[5] + "." + m[4], int(m[1]), int(m[1]) + int(m[2])
            begin = max(begin, last.get(name, 0))   # slices cannot overlap
            if begin < end:
                text.append((name, m[6].strip('"'), begin, end))
                last[name] = end
    drawn = [(trace.tracks[track][0], name, begin, end)
             for track, depth, name, begin, end, _, _ in trace.slices()
             if trace.tracks[track][0].endswith(".slot")]
    assert sorted(text) == sorted(drawn)
    return len(drawn)


def check_lanes(trace, path):
    """Tables whose rows overlap have tracks by a field; slices and points there are the lines of the text."""
    text, drawn = [], []
    for line in open(path):
        m = re.match(r"(\d+) (\d+) \w+\.(operation|copy|phase) (\S+) .*?\b(warp|address)=(\S+)", line)
        if m:
            text.append(("%s.%s %s %s" % (m[4], m[3], m[5], m[6]), int(m[1]), int(m[1]) + int(m[2])))
    names = set(name for name, _, _ in text)
    for track, _, _, begin, end, _, _ in trace.slices():
        if trace.tracks[track][0] in names:
            drawn.append((trace.tracks[track][0], begin, end))
    drawn += [(trace.tracks[track][0], time, time) for time, _, kind, track, _, _, _ in trace.events
              if kind == "INSTANT" and trace.tracks[track][0] in names]
    assert sorted(text) == sorted(drawn)
    return len(names)


def check_counters(trace, path):
    """What a counter grows by is the same as in the text."""
    text, drawn = {}, {}
    for line in open(path):
        m = re.match(r"\d+ \d+ counters (\S+) .*growth=(\d+)", line)
        if m:
            text[m[1]] = text.get(m[1], 0) + int(m[2])
    for track, _, value in trace.values:
        name = trace.tracks[track][0]
        drawn[name] = drawn.get(name, 0) + value
    assert text == drawn
    return len(drawn)


def main():
    trace = Trace()
    for number, (kind, packet) in enumerate(p[0] for p in wrapped(sys.stdin)):
        assert kind == "packet"
        trace.packet(packet, number == 0)
    instructions, flows = check_lives(trace, sys.argv[1])
    print("%d instructions, %d dependencies, %d slices of schedulers, %d counters, %d lanes" % (
        instructions, flows, check_slots(trace, sys.argv[1]), check_counters(trace, sys.argv[1]),
        check_lanes(trace, sys.argv[1])))


def wrapped(lines):
    for packet in packets(lines):
        yield [("packet", packet)]


main()
