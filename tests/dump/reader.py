#!/usr/bin/env python3
# reader.py - reads a dump (docs/dump-format.md), prints the output of heddle dump --to text
# SPDX-License-Identifier: BSD-2-Clause
#
# usage: reader.py DUMP [nohash]
#
# Shares nothing with the reader of the program.  Needs the standard library and libzstd, or the
# program zstd.  Exit status 77: neither exists.
import ctypes
import ctypes.util
import json
import shutil
import struct
import subprocess
import sys

M64 = (1 << 64) - 1
HEAD = 64
META, DEFS, ROWS, END, INDEX = 1, 2, 3, 4, 5


# ---- zstd and xxh64 ----

def make_unpack():
    name = ctypes.util.find_library("zstd") or "libzstd.so.1"
    try:
        lib = ctypes.CDLL(name)
    except OSError:
        if shutil.which("zstd"):
            return lambda b: subprocess.run(["zstd", "-dcq"], input=b, check=True,
                                            stdout=subprocess.PIPE).stdout
        print("dump_reader.py: neither libzstd nor the program zstd is here", file=sys.stderr)
        sys.exit(77)
    lib.ZSTD_getFrameContentSize.restype = ctypes.c_ulonglong
    lib.ZSTD_getFrameContentSize.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
    lib.ZSTD_findFrameCompressedSize.restype = ctypes.c_size_t
    lib.ZSTD_findFrameCompressedSize.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
    lib.ZSTD_decompress.restype = ctypes.c_size_t
    lib.ZSTD_decompress.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t]

    def unpack(b):
        text = b""
        while b:
            frame = lib.ZSTD_findFrameCompressedSize(b, len(b))
            assert frame <= len(b), "a zstd frame is damaged"
            text += unpack_frame(b[:frame])
            b = b[frame:]
        return text

    def unpack_frame(b):
        n = lib.ZSTD_getFrameContentSize(b, len(b))
        out = ctypes.create_string_buffer(n or 1)
        got = lib.ZSTD_decompress(out, n, b, len(b))
        assert got == n, "a zstd frame is damaged"
        return out.raw[:n]
    return unpack


P1, P2, P3, P4, P5 = (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9,
                      0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5)


def rotl(v, n):
    return (v << n | v >> 64 - n) & M64


def xxh64(b):
    at = 0
    if len(b) >= 32:
        v = [(P1 + P2) & M64, P2, 0, -P1 & M64]
        words = struct.unpack_from("<%dQ" % (len(b) // 32 * 4), b)
        for i, w in enumerate(words):
            v[i & 3] = rotl((v[i & 3] + w * P2) & M64, 31) * P1 & M64
        at = len(words) * 8
        h = (rotl(v[0], 1) + rotl(v[1], 7) + rotl(v[2], 12) + rotl(v[3], 18)) & M64
        for x in v:
            h = ((h ^ rotl(x * P2 & M64, 31) * P1 & M64) * P1 + P4) & M64
    else:
        h = P5
    h = (h + len(b)) & M64
    while at + 8 <= len(b):
        k = rotl(struct.unpack_from("<Q", b, at)[0] * P2 & M64, 31) * P1 & M64
        h = (rotl(h ^ k, 27) * P1 + P4) & M64
        at += 8
    if at + 4 <= len(b):
        h = (rotl(h ^ struct.unpack_from("<I", b, at)[0] * P1 & M64, 23) * P2 + P3) & M64
        at += 4
    for c in b[at:]:
        h = rotl(h ^ c * P5 & M64, 11) * P1 & M64
    for shift, p in ((33, P2), (29, P3), (32, 1)):
        h = (h ^ h >> shift) * p & M64
    return h


# ---- columns ----

def number(b, at):
    v = shift = 0
    while True:
        c = b[at]
        at += 1
        v |= (c & 127) << shift
        shift += 7
        if c < 128:
            return v, at


def signed(v):
    return v >> 1 ^ -(v & 1)


def wrap(v):
    v &= M64
    return v - (1 << 64) if v >> 63 else v


def numbers(b):
    v = shift = 0
    for c in b:
        v |= (c & 127) << shift
        shift += 7
        if c < 128:
            yield v
            v = shift = 0


def columns(payload, unpack):
    found, spans, at = {}, [], 0
    while at < len(payload):
        column, at = number(payload, at)
        encoding = payload[at]
        n, at = number(payload, at + 1)
        if encoding & 128:
            plain, at = number(payload, at)
        size, at = number(payload, at)
        data = payload[at:at + size]
        at += size
        if encoding & 128:
            data = unpack(data)
            assert len(data) == plain
            encoding &= 127
        values = list(numbers(data))
        if encoding == 0:
            values = [signed(values[0])] * n
        elif encoding == 1:
            values = [wrap(v) for v in values]
        elif encoding == 2:
            values = [signed(v) for v in values]
        elif encoding == 3:
            last = 0
            for i, v in enumerate(values):
                last = values[i] = wrap(last + signed(v))
        else:
            spans.append((column, encoding, values[0], values[1:]))
            continue
        assert len(values) == n
        found[column] = values
    for column, encoding, field, values in spans:
        last, by_key = 0, {}
        for i, v in enumerate(values):
            other = found[2 + field][i]
            if encoding == 4:
                last = values[i] = wrap(last + signed(v) + other)
            else:
                by_key[other % 64] = values[i] = wrap(by_key.get(other % 64, 0) + signed(v))
        found[column] = values
    return found


# ---- the file ----

def with_alike(elements):
    """All of them: an element with "like" is, or stands for several that are, like earlier ones."""
    items = []
    for e in elements:
        if "like" in e and "count" not in e:  # a place
            first = items[e["like"]]
            items.append({"column": e["like"], **first, **e})
        elif "like" in e:
            items += [dict(i, instance=e["instance"]) for i in items[e["like"]:e["like"] + e["count"]]]
        else:
            items.append(e)
    return items


class Dump:
    def __init__(self, path, check):
        self.bytes = open(path, "rb").read()
        self.unpack = make_unpack()
        magic, version, head = struct.unpack_from("<8sII", self.bytes)
        assert magic == b"heddle\r\n" and version in (3, 4, 5, 6) and head == HEAD
        self.ends = version >= 5  # transactions have the cycle in which they end
        self.defs = {}
        self.rows = []  # table, columns
        heads = self.scan(check)
        self.check_index(heads)

    def scan(self, check):
        at, heads = 16, []
        while at < len(self.bytes) - 16:
            raw = self.bytes[at:at + HEAD]
            mark, kind, table, rows, size, first, last, keys, hp, hh = struct.unpack("<4sIIIQQQQQQ", raw)
            payload = self.bytes[at + HEAD:at + HEAD + size]
            assert mark == b"hdbk" and hh == xxh64(raw[:56]), "the head at byte %d" % at
            assert not check or hp == xxh64(payload), "the payload of the block at byte %d" % at
            if kind == ROWS:
                c = columns(payload, self.unpack)
                assert len(c[0]) == rows
                self.rows.append((table, c))
            elif kind == META:
                self.meta = json.loads(self.unpack(payload))
                for name in ("causes", "counters", "places"):
                    self.meta[name] = with_alike(self.meta[name])
            elif kind == DEFS:
                self.define(json.loads(self.unpack(payload)))
            elif kind == END:
                self.end = json.loads(self.unpack(payload))
            if kind != INDEX:
                heads.append(struct.pack("<Q", at) + raw)
            else:
                self.index_at, self.index = at, payload
            at += HEAD + size
        assert at == len(self.bytes) - 16
        return heads

    def check_index(self, heads):
        assert self.index == b"".join(heads), "the index"
        assert struct.unpack("<Q8s", self.bytes[-16:]) == (self.index_at, b"hd-index")

    def define(self, defs):
        for d in defs:
            if d["of"] in self.meta["symbols"]:
                assert d["id"] <= len(self.meta["symbols"][d["of"]])
                if d["id"] == len(self.meta["symbols"][d["of"]]):
                    self.meta["symbols"][d["of"]].append(d["name"])
            else:
                self.defs.setdefault(d["of"], {})[d["id"]] = d


# ---- lines ----

def quoted(s):
    return '"%s"' % s.replace("\\", "\\\\").replace('"', '\\"')


def name_of(d, names, module, v):
    meta = d.meta
    name = None
    if v >= 0 and names == "cause" and v < len(meta["causes"]):
        c = meta["causes"][v]
        name = c["reason"]
        if "instance" in c:
            name = meta["instances"][c["instance"]]["path"] + ":" + name
    elif v >= 0 and names == "reason":
        name = meta["modules"][module]["reasons"][v]["name"]
    elif names == "kernel":
        name = d.defs.get("kernel", {}).get(v, {}).get("name")
    elif v >= 0 and v < len(meta["symbols"].get(names, [])):
        name = meta["symbols"][names][v]
    if name is None:
        return str(v)
    return quoted(name) if " " in name or '"' in name else name


def fields(d, t, c, i):
    out = []
    for k, f in enumerate(t["fields"]):
        v = c[2 + k][i]
        code = d.defs.get("code", {}).get(v) if f.get("names") == "code" else None
        if f.get("span") and not (t["kind"] == "events" and d.meta["instances"][c[1][i]].get("turns")):
            continue
        if code:
            if not any(other["name"] == "kernel" for other in t["fields"]):
                out.append("kernel=%d" % code["kernel"])
            out.append("pc=0x%x text=%s" % (code["pc"], quoted(code["text"])))
        elif f.get("hex"):
            out.append("%s=0x%x" % (f["name"], v & M64))
        elif f.get("names"):
            out.append("%s=%s" % (f["name"], name_of(d, f["names"], t.get("module"), v)))
        else:
            out.append("%s=%d" % (f["name"], v))
    return out


def ways(d, c):
    """For each row its steps: place, argument, cycles."""
    used = {}

    def next_value(column):
        used[column] = used.get(column, -1) + 1
        return c[column][used[column]]

    for node in c[32]:
        way = []
        while node:
            way.append(c[34][node - 1])
            node -= c[33][node - 1]
        steps = []
        for p in reversed(way):
            place = d.meta["places"][p]
            column = 64 + 2 * place.get("column", p)
            steps.append((p, next_value(column + 1) if "arg" in place else None, next_value(column)))
        yield steps
    for column in c:
        if column >= 64:
            assert used[column] + 1 == len(c[column]), "values that no row uses"


def lives(d, t, c):
    for i, way in enumerate(ways(d, c)):
        out = []
        for p, arg, cycles in way:
            place = d.meta["places"][p]
            text = place["name"]
            if arg is not None:
                text += "(%s)" % (name_of(d, place["names"], None, arg) if "names" in place else arg)
            out.append("%s=%d" % (text, cycles))
        lasted = sum(w[2] for w in way)
        yield (c[0][i] - (lasted if d.ends else 0), c[2][i], "%d %s %s" % (lasted, t["name"], " ".join(
            ["unfinished" if c[1][i] else "ended"] + fields(d, t, c, i) + out)))


def others(d, t, c):
    span = [k for k, f in enumerate(t["fields"]) if f.get("span")]
    for i, cycle in enumerate(c[0]):
        who = c[1][i]
        if t["kind"] == "samples":
            counter = d.meta["counters"][who]
            who = d.meta["instances"][counter["instance"]]["path"] + "." + counter["name"]
        else:
            who = d.meta["instances"][who]["path"]
        n = min(cycle, c[2 + span[0]][i]) if span else 0
        if n and t["kind"] == "events" and "turns" in d.meta["instances"][c[1][i]]:
            where = d.meta["instances"][c[1][i]]
            last = cycle - 1 - (cycle - 1 - where["turn"]) % where["turns"]
            n = cycle - (last - (n - 1) * where["turns"])
        yield cycle - n, 0, "%d %s %s" % (n, t["name"], " ".join([who] + fields(d, t, c, i)))


def main():
    d = Dump(sys.argv[1], len(sys.argv) < 3)
    lines = []
    for block, (table, c) in enumerate(d.rows):
        t = d.meta["tables"][table]
        for begin, key, text in (lives if t["kind"] == "transactions" else others)(d, t, c):
            lines.append((begin, table, block, key, len(lines), text))
    for line in sorted(lines):
        print(line[0], line[-1])


if __name__ == "__main__":
    main()
