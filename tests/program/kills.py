#!/usr/bin/env python3
# kills.py - kills a command at random moments: what it writes is the old file or the whole new one
# SPDX-License-Identifier: BSD-2-Clause
#
# kills.py MOMENTS SEED OUTPUT... -- COMMAND...
#
# The outputs are removed, or filled with "old", in turn before each run; a folder has a file of others as well,
# which stays.  Inputs are for the caller to check.
import contextlib, os, random, shutil, subprocess, sys, time

at = sys.argv.index("--")
moments, seed, outputs, command = int(sys.argv[1]), sys.argv[2], sys.argv[3:at], sys.argv[at + 1:]
rng = random.Random(seed)


def content(path):
    """All bytes of a file or folder, None if it is not there."""
    if os.path.isdir(path):
        return {name: content(os.path.join(path, name)) for name in sorted(os.listdir(path))}
    return open(path, "rb").read() if os.path.exists(path) else None


def old_of(path):
    """What stands there before: for a folder, old files under the names of new ones."""
    good_one = good.get(path)
    if isinstance(good_one, dict):
        return {name: b"old\n" for name in good_one} | {"mine": b"mine\n"}
    return b"old\n"


def prepare(old):
    for path in outputs:
        if os.path.isdir(path):
            shutil.rmtree(path)
        elif os.path.exists(path):
            os.remove(path)
        if old and isinstance(old_of(path), dict):
            os.mkdir(path)
            for name, text in old_of(path).items():
                open(os.path.join(path, name), "wb").write(text)
        elif old:
            open(path, "wb").write(old_of(path))


def is_whole(path, old):
    """Is there what was there before, or the new output as a whole?"""
    now = content(path)
    if old and isinstance(good[path], dict):
        return now in (old_of(path), good[path] | {"mine": b"mine\n"})
    return now in (old_of(path) if old else None, good[path])


def run(seconds):
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as p:
        try:
            return p.wait(seconds)
        except subprocess.TimeoutExpired:
            p.kill()
            return None


good = {}
prepare(False)
began = time.monotonic()
assert run(None) == 0, command
whole = time.monotonic() - began
good = {path: content(path) for path in outputs}
assert all(good.values()), f"{command}: an output is not there"
bad, ended = 0, 0
for i in range(moments):
    old = i % 2 == 1
    prepare(old)
    after = rng.uniform(0, 1.2 * whole)
    ended += run(after) is not None
    for path in outputs:
        if not is_whole(path, old):
            print(f"{command}: killed after {after:.4f} s (seed {seed}): {path} is neither old nor new")
            bad += 1
    for name in os.listdir("."):
        if name.endswith(".part"):
            # A child of the command ends with it, but a moment later, and removes what it has begun itself.
            with contextlib.suppress(FileNotFoundError):
                shutil.rmtree(name) if os.path.isdir(name) else os.remove(name)
print(f"{moments} moments in {whole:.3f} s, {ended} runs ended before, {bad} bad: {' '.join(command[1:3])}")
prepare(False)
assert run(None) == 0 and {path: content(path) for path in outputs} == good, f"{command}: differs afterwards"
sys.exit(bad > 0)
