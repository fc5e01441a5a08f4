#!/usr/bin/env python3
# prologue.py - writes dumps whose prologue has been changed, with lengths and hashes that fit
# SPDX-License-Identifier: BSD-2-Clause
#
# usage: prologue.py DUMP EXPRESSION OUT    runs the statements on the prologue `m`
#        prologue.py DUMP longer OUT        the index has the last block reach a byte into the index
#        prologue.py DUMP SEED COUNT FOLDER changes COUNT copies at random, FOLDER/0 and so on
#
# Exit status 77: libzstd does not exist.
import copy
import ctypes
import ctypes.util
import json
import os
import random
import struct
import sys

from reader import HEAD, make_unpack, xxh64

VALUES = [None, True, -1, 0, 7, 1 << 40, "", "x", "inst", [], {}, [0], [{}], {"name": "x"}]


def pack(text):
    try:
        lib = ctypes.CDLL(ctypes.util.find_library("zstd") or "libzstd.so.1")
    except OSError:
        sys.exit(77)
    lib.ZSTD_compressBound.restype = lib.ZSTD_compress.restype = ctypes.c_size_t
    lib.ZSTD_compressBound.argtypes = [ctypes.c_size_t]
    lib.ZSTD_compress.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t,
                                  ctypes.c_int]
    out = ctypes.create_string_buffer(lib.ZSTD_compressBound(len(text)))
    n = lib.ZSTD_compress(out, len(out), text, len(text), 1)
    return out.raw[:n]


def with_hashes(head, payload):
    head = head[:16] + struct.pack("<Q", len(payload)) + head[24:48] + struct.pack("<Q", xxh64(payload))
    return head + struct.pack("<Q", xxh64(head))


class Dump:
    def __init__(self, path):
        with open(path, "rb") as f:
            self.bytes = f.read()
        self.head = self.bytes[16:16 + HEAD]
        self.old = struct.unpack_from("<Q", self.head, 16)[0]
        packed = self.bytes[16 + HEAD:16 + HEAD + self.old]
        self.meta = json.loads(make_unpack()(packed))

    def write(self, meta, path):
        payload = pack(json.dumps(meta).encode())
        head = with_hashes(self.head, payload)
        grown = len(payload) - self.old
        at = struct.unpack_from("<Q", self.bytes, len(self.bytes) - 16)[0]
        index = self.bytes[at + HEAD:-16]
        entries = b""
        for i in range(0, len(index), 8 + HEAD):
            offset = struct.unpack_from("<Q", index, i)[0]
            entries += struct.pack("<Q", offset + (grown if i else 0))
            entries += index[i + 8:i + 8 + HEAD] if i else head
        with open(path, "wb") as f:
            f.write(self.bytes[:16] + head + payload + self.bytes[16 + HEAD + self.old:at])
            f.write(with_hashes(self.bytes[at:at + HEAD], entries) + entries)
            f.write(struct.pack("<Q", at + grown) + self.bytes[-8:])

    def write_longer(self, path):
        at = struct.unpack_from("<Q", self.bytes, len(self.bytes) - 16)[0]
        index = self.bytes[at + HEAD:-16]
        last = len(index) - 8 - HEAD
        offset = struct.unpack_from("<Q", index, last)[0]
        head = index[last + 8:]
        head = head[:16] + struct.pack("<Q", at - offset - HEAD + 1) + head[24:56]
        index = index[:last + 8] + head + struct.pack("<Q", xxh64(head))
        with open(path, "wb") as f:
            f.write(self.bytes[:at] + with_hashes(self.bytes[at:at + HEAD], index) + index + self.bytes[-16:])


def places(v, found):
    """Every member and element of the prologue, as its container and key."""
    for k in list(v) if isinstance(v, dict) else range(len(v)) if isinstance(v, list) else []:
        if k != "netlist":
            found.append((v, k))
            places(v[k], found)


def change(meta, rng):
    for _ in range(rng.randint(1, 3)):
        found = []
        places(meta, found)
        v, k = rng.choice(found)
        if rng.random() < 0.4:
            del v[k]
        elif rng.random() < 0.3:
            v[k] = copy.deepcopy(rng.choice(found)[0])
        else:
            v[k] = copy.deepcopy(rng.choice(VALUES))


def main():
    d = Dump(sys.argv[1])
    if len(sys.argv) == 4 and sys.argv[2] == "longer":
        d.write_longer(sys.argv[3])
        return
    if len(sys.argv) == 4:
        exec(sys.argv[2], {"m": d.meta})
        d.write(d.meta, sys.argv[3])
        return
    rng = random.Random(int(sys.argv[2]))
    for i in range(int(sys.argv[3])):
        meta = copy.deepcopy(d.meta)
        change(meta, rng)
        d.write(meta, os.path.join(sys.argv[4], str(i)))


if __name__ == "__main__":
    main()
