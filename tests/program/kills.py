#!/usr/bin/env python3
# kills.py - kills a command at random moments: what it writes is the old file or the whole new one
# SPDX-License-Identifier: BSD-2-Clause
#
# kills.py MOMENTS SEED OUTPUT... -- COMMAND...
#
# The outputs are removed, or filled with "old", in turn before each run.  Inputs are for the caller to check.
import os, random, shutil, subprocess, sys, time

at = sys.argv.index("--")
moments, seed, outputs, command = int(sys.argv[1]), sys.argv[2], sys.argv[3:at], sys.argv[at + 1:]
rng = random.Random(seed)


def content(path):
    """All bytes of a file or folder, None if it is not there."""
    if os.path.isdir(path):
        return {name: content(os.path.join(path, name)) for name in sorted(os.listdir(path))}
    return open(path, "rb").read() if os.path.exists(path) else None


def prepare(old):
    for path in outputs:
        if os.path.isdir(path):
            shutil.rmtree(path)
        elif os.path.exists(path):
            os.remove(path)
        if old is not None:
            open(path, "wb").write(old)


def run(seconds):
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as p:
        try:
            return p.wait(seconds)
        except subprocess.TimeoutExpired:
            p.kill()
            return None


prepare(None)
began = time.monotonic()
assert run(None) == 0, command
whole = time.monotonic() - began
good = {path: content(path) for path in outputs}
assert all(good.values()), f"{command}: an output is not there"
folders = {path for path in outputs if isinstance(good[path], dict)}
bad, ended = 0, 0
for i in range(moments):
    old = b"old\n" if i % 2 and not folders else None
    prepare(old)
    after = rng.uniform(0, 1.2 * whole)
    ended += run(after) is not None
    for path in outputs:
        if content(path) not in (old, good[path]):
            print(f"{command}: killed after {after:.4f} s (seed {seed}): {path} is neither old nor new")
            bad += 1
    for name in os.listdir("."):
        if name.endswith(".part"):
            shutil.rmtree(name) if os.path.isdir(name) else os.remove(name)
print(f"{moments} moments in {whole:.3f} s, {ended} runs ended before, {bad} bad: {' '.join(command[1:3])}")
assert run(None) == 0 and {path: content(path) for path in outputs} == good, f"{command}: differs afterwards"
sys.exit(bad > 0)
