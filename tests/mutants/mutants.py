#!/usr/bin/env python3
# mutants.py - mutation score: how many small wrong changes of the source do the tests see?
# SPDX-License-Identifier: BSD-2-Clause
"""usage: mutants.py [options] SOURCE GROUP N

Changes one operator, constant or statement of the source at a time, builds, and runs tests until one fails: the
mutant is killed.  SOURCE is a tree, which stays as it is; GROUP one of those of tests/mutants/plan.json; N how
many mutants.  The same seed picks the same mutants, whatever else changes in the files.

  --seed N      another choice of mutants (1)
  --log FILE    one line of JSON per mutant; those it has are not played again
  --again       plays those that survived in the log again, and no others
  --jobs N      mutants at once (1)
  --plan FILE   what is built, changed and run (SOURCE/tests/mutants/plan.json)
  --folder DIR  keeps the build there for the next call
  --list        prints the mutants that would be picked, and ends

Not counted: what does not compile, and what makes the same code with -O2.  Not changed: tables at file level,
arguments of functions that print messages, checks like assert, sizes of allocations, and the removal of a
statement that only frees or closes.  equivalent.txt, beside the plan, has the mutants that do the same as
the original, with the reason; an entry that fits no line of the source any more is an error.
Exit status: 0, or 1 if a mutant survives that is not named equivalent, or an entry fits nothing.
"""
import argparse
import concurrent.futures
import json
import os
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.dont_write_bytecode = True  # the tree stays as it is
from changes import Equivalents, files_of, mutants_of  # noqa: E402

CC = shlex.split(os.environ.get("CC", "cc"))


def say(*words):
    print(*words, flush=True)


class Build:
    """A copy of the tree, built once; the compiler's calls are noted, to compile one file and link what it is in."""
    def __init__(self, source, folder, plan):
        self.folder = folder
        self.plan = plan
        self.calls = folder / "calls"
        if self.copy(source) or not (folder / "built").exists():
            self.make()
        self.compiles, self.links, self.members, self.objects = {}, {}, {}, {}
        self.read_calls()

    def copy(self, source):
        """Copies what is new in the tree, without what was built in it; true if anything is."""
        new = False
        for at, folders, names in os.walk(source):
            folders[:] = [f for f in folders if f not in (".git", "autom4te.cache", "__pycache__")
                          and not Path(at, f, "config.status").exists()]
            to = self.folder / "src" / os.path.relpath(at, source)
            to.mkdir(parents=True, exist_ok=True)
            for name in names:
                old = to / name
                if not old.exists() or old.read_bytes() != Path(at, name).read_bytes():
                    shutil.copy(Path(at, name), old)
                    new = True
        return new

    def make(self):
        for part in (self.calls, self.folder / "build"):
            part.mkdir(exist_ok=True)
        cc = self.folder / "cc"
        cc.write_text(f"#!/bin/sh\nprintf '%s\\n' \"$@\" >'{self.calls}'/$$\nexec {shlex.join(CC)} \"$@\"\n")
        cc.chmod(0o755)
        for command in self.plan["build"]:
            done = subprocess.run(command, shell=True, cwd=self.folder / "build", text=True, check=False,
                                  env={**os.environ, "CC": str(cc)}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            if done.returncode:
                sys.exit(f"{done.stdout[-3000:]}\nmutants.py: '{command}' failed")
        (self.folder / "built").touch()

    def read_calls(self):
        at = self.folder / "build"
        for call in sorted(self.calls.iterdir(), key=lambda p: p.stat().st_mtime_ns):
            argv = call.read_text().rstrip("\n").split("\n")
            out = argv[argv.index("-o") + 1] if "-o" in argv else ""
            source = [os.path.relpath(at / a, self.folder / "src") for a in argv
                      if a.endswith(".c") and (at / a).exists()]
            if not out or not (at / out).exists():
                continue
            if "-c" in argv and not re.search(self.plan.get("as_it_was", r"\0"), out):
                self.compiles[out] = ["-O2" if re.fullmatch(r"-O.", a) else a for a in argv]
                for i, a in enumerate(argv):
                    if a in ("-MF", "-MT"):
                        self.compiles[out][i + 1] = "/dev/null"
                for file in source:
                    for name in self.included(file):
                        self.objects.setdefault(name, set()).add(out)
            elif "-c" not in argv and not source:
                self.links[out] = argv

    def included(self, file, seen=None):
        """The files of the tree that a file includes, with itself."""
        seen = seen if seen is not None else set()
        path = self.folder / "src" / file
        if file in seen or file.startswith("..") or not path.exists():
            return seen
        seen.add(file)
        for name in re.findall(r'^#include "([^"]+)"', path.read_text(), flags=re.M):
            for base in (os.path.dirname(file), ""):
                self.included(os.path.normpath(os.path.join(base, name)), seen)
        return seen

    def holds(self, program, objects):
        """Which of the objects a program is linked of."""
        found = set()
        for a in self.links[program]:
            if a in objects:
                found.add(a)
            elif a.endswith(".a") and not a.startswith("-"):
                if a not in self.members:
                    listed = subprocess.run(["ar", "t", a], cwd=self.folder / "build", stdout=subprocess.PIPE,
                                            text=True, check=False).stdout
                    self.members[a] = set(listed.split())
                found |= {o for o in objects if os.path.basename(o) in self.members[a]}
        return found


def limits():
    resource.setrlimit(resource.RLIMIT_CPU, (150, 150))
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 30, 1 << 30))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


class Worker:
    """A farm of links to the build in which files and programs can be exchanged."""
    def __init__(self, build, name):
        self.build = build
        self.top = build.folder / name
        shutil.rmtree(self.top, ignore_errors=True)
        for part in ("src", "build"):
            shutil.copytree(build.folder / part, self.top / part, symlinks=True,
                            copy_function=lambda a, b, **_: os.symlink(os.readlink(a) if os.path.islink(a) else a, b))
        self.at = self.top / "build"
        for program in build.links:
            self.restore(program)
        (self.top / "tmp").mkdir()
        self.original = {}  # object: its bytes with -O2
        self.state = {}     # program: of which mutant
        self.uses = {}      # test: programs that it runs

    def compile(self, out, mutated):
        argv = list(self.build.compiles[out])
        new = f"{out}.mutant.o" if mutated else f"{out}.original.o"
        argv[argv.index("-o") + 1] = new
        done = subprocess.run([*CC, *argv], cwd=self.at, check=False, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL)
        return new if done.returncode == 0 else None

    def change(self, mutant):
        """The objects that differ, or a word about why there is nothing to test."""
        file = self.top / "src" / mutant.file
        objects = sorted(self.build.objects.get(mutant.file, ()))
        for out in objects:
            if out not in self.original:
                made = self.compile(out, False)
                if not made:
                    return "not built"
                self.original[out] = (self.at / made).read_bytes()
        text = file.read_text().split("\n")
        text[mutant.number - 1] = mutant.new
        real = file.resolve()
        file.unlink()
        try:
            file.write_text("\n".join(text))
            changed = {}
            for out in objects:
                made = self.compile(out, True)
                if not made:
                    return "does not compile"
                if (self.at / made).read_bytes() != self.original[out]:
                    changed[out] = made
            return changed or "same code"
        finally:
            file.unlink()
            file.symlink_to(real)

    def link(self, program, changed, key):
        """Puts the program with the changed objects in its place."""
        affected = self.build.holds(program, set(changed))
        want = key if affected else None
        if self.state.get(program) == want:
            return
        path = self.at / program
        path.unlink(missing_ok=True)
        self.state[program] = want
        if affected:
            argv = [changed.get(a, a) for a in self.build.links[program]]
            i = argv.index("-o") + 2
            argv[i:i] = ["-Wl,-z,muldefs", *[changed[o] for o in affected if changed[o] not in argv]]
            done = subprocess.run([*CC, *argv], cwd=self.at, check=False, text=True, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.PIPE, env={**os.environ, "LC_ALL": "C"})
            if done.returncode == 0:
                return
            if "undefined reference" not in done.stderr:
                raise RuntimeError(done.stderr)
        # What cannot be linked with an object of its archives has had no use for it.
        self.restore(program)

    def restore(self, program):
        """Puts the unchanged program in its place, under a name of its own: it runs others that stand beside it."""
        path = self.at / program
        path.unlink(missing_ok=True)
        os.link(self.build.folder / "build" / program, path)

    def programs(self, argv):
        """The programs that a test runs: itself; for a script those of the top folder, and those that it names."""
        found = []
        for a in argv:
            path = self.top / "src" / a
            if a in self.build.links:
                found.append(a)
            elif path.is_file():
                words = re.findall(r"[\w/-]+", path.read_text(errors="replace"))
                found += [p for p in self.build.links if "/" not in p or any(w.endswith(p) for w in words)]
        return found

    def run(self, test, changed, key, seconds):
        """'passed', 'failed' or 'too long'."""
        name = " ".join(test)
        if name not in self.uses:
            self.uses[name] = self.programs(test)
        for program in self.uses[name]:
            self.link(program, changed, key)
        argv = [f"../src/{a}" if (self.top / "src" / a).is_file() and i else a for i, a in enumerate(test)]
        argv[0] = argv[0] if argv[0] in ("sh", "python3") else f"./{argv[0]}"
        environment = {**os.environ, "srcdir": str(self.top / "src"), "top_builddir": str(self.at),
                       "TMPDIR": str(self.top / "tmp"), "CC": os.environ.get("CC", "cc")}
        p = subprocess.Popen(argv, cwd=self.at, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL, start_new_session=True, preexec_fn=limits)
        try:
            status = p.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            status = "too long"
        try:
            os.killpg(p.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        p.wait()
        for left in (self.top / "tmp").iterdir():
            subprocess.run(["chmod", "-R", "u+w", left], check=False, stderr=subprocess.DEVNULL)
            shutil.rmtree(left, ignore_errors=True)
        return status if status == "too long" else "failed" if status not in (0, 77) else "passed"


class Session:
    """Mutants of a group, one after another, until N count."""
    def __init__(self, options, build, group):
        self.options, self.build = options, build
        self.tests = {at: [shlex.split(t) for t in tests] for at, tests in group["tests"].items()}
        self.lock = threading.Lock()
        self.usual = {}   # test: seconds of the unchanged program
        self.killers = {} # (file, test): how many
        self.done = {}
        self.workers = []
        self.log = open(options.log, "a", encoding="utf-8") if options.log else None

    def tests_of(self, mutant):
        """The tests of the file by the plan; first those that killed others of this file."""
        words = [Path(mutant.file).stem, *Path(mutant.file).parts[:-1][::-1]]
        own = []
        for test in next(tests for at, tests in self.tests.items() if mutant.file.startswith(at)):
            for word in words if "{name}" in test else [""]:
                own.append([word if a == "{name}" else a for a in test])
        return sorted(own, key=lambda t: -self.killers.get((mutant.file, " ".join(t)), 0))

    def seconds(self, worker, test):
        """How long a test takes without a change; None if it fails even so, and is of no use."""
        name = " ".join(test)
        if name not in self.usual:
            began = time.monotonic()
            result = worker.run(test, {}, None, 600)
            with self.lock:
                self.usual[name] = time.monotonic() - began if result == "passed" else None
                if result != "passed" and not any("{name}" in t for tests in self.tests.values() for t in tests
                                                  if t[:-1] == test[:-1]):
                    say(f"left out, for without a change it {result}: {name}")
        return self.usual[name]

    def play(self, worker, mutant):
        began = time.monotonic()
        changed = worker.change(mutant)
        result, by = ("survived", "") if isinstance(changed, dict) else (changed, "")
        if result == "survived":
            for test in self.tests_of(mutant):
                name, usual = " ".join(test), self.seconds(worker, test)
                if usual is None:
                    continue
                ended = worker.run(test, changed, mutant.key, 10 + 5 * usual)
                if ended != "passed":
                    result, by = "killed", f"{name}: {ended}"
                    with self.lock:
                        self.killers[mutant.file, name] = self.killers.get((mutant.file, name), 0) + 1
                    break
        entry = {"key": mutant.key, "result": result, "by": by, "seconds": round(time.monotonic() - began, 1)}
        with self.lock:
            self.done[mutant.key] = entry
            if self.log:
                self.log.write(json.dumps(entry) + "\n")
                self.log.flush()
            if result == "survived" and not self.options.equivalents.has(mutant.key):
                say(f"survived: {mutant.text()}")

    def counted(self, mutant):
        return self.done.get(mutant.key, {}).get("result") in ("killed", "survived")

    def run(self, picked, n):
        queue, flying = iter(picked), set()
        todo = []
        def following():
            """The next mutant to play, None if there are enough."""
            while sum(map(self.counted, todo)) + len(flying) < n:
                mutant = next(queue, None)
                if mutant is None:
                    return None
                todo.append(mutant)
                if mutant.key not in self.done:
                    flying.add(mutant.key)
                    return mutant
            return None
        def work(worker):
            while True:
                with self.lock:
                    mutant = following()
                    waits = mutant is None and flying and sum(map(self.counted, todo)) < n
                if mutant is None and not waits:
                    return
                if mutant is None:
                    time.sleep(0.1)
                    continue
                self.play(worker, mutant)
                with self.lock:
                    flying.discard(mutant.key)
        enough = 0
        for m in picked:
            enough += self.counted(m)
            if m.key not in self.done or enough == n:
                break
        if enough < n and any(m.key not in self.done for m in picked):
            self.workers = [Worker(self.build, f"w{i}") for i in range(self.options.jobs)]
            with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool:
                for f in [pool.submit(work, w) for w in self.workers]:
                    f.result()
        else:
            following()
        return todo


def main():
    parser = argparse.ArgumentParser(usage=__doc__.replace("usage: ", "", 1))
    for name in ("source", "group"):
        parser.add_argument(name)
    parser.add_argument("n", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    for name in ("--log", "--plan", "--folder"):
        parser.add_argument(name)
    for name in ("--again", "--list"):
        parser.add_argument(name, action="store_true")
    options = parser.parse_args()
    source = Path(options.source).resolve()
    path = Path(options.plan) if options.plan else source / "tests/mutants/plan.json"
    plan = json.loads(path.read_text())
    if options.group not in plan["groups"]:
        sys.exit(f"mutants.py: no group '{options.group}'; there are {', '.join(plan['groups'])}")
    group = plan["groups"][options.group]
    files = files_of(source, group)
    every = [m for f in files for m in mutants_of(source, f, plan["silent"])]
    options.equivalents = Equivalents(path.parent / "equivalent.txt")
    stale = options.equivalents.stale({m.key for m in every}, files)
    for key in stale:
        say(f"equivalent.txt: no such line or change: {key}")
    every.sort(key=lambda m: m.order(options.seed))
    if options.list:
        for m in every[:options.n]:
            say(m.text())
        return 0
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    folder = Path(options.folder or tempfile.mkdtemp(prefix="mutants.", dir=memory))
    try:
        build = Build(source, folder.resolve(), plan)
        # A header that everything includes takes too long.
        every = [m for m in every if len(build.objects.get(m.file, ())) in range(1, 1 + plan.get("objects", 4))]
        session = Session(options, build, group)
        if options.log:
            for line in Path(options.log).read_text().split("\n"):
                entry = json.loads(line) if line else None
                if entry:
                    session.done[entry["key"]] = entry
        if options.again:
            every = [m for m in every if session.done.get(m.key, {}).get("result") == "survived"]
            for m in every:
                del session.done[m.key]
        todo = session.run(every, min(options.n, len(every)))
    finally:
        if not options.folder:
            shutil.rmtree(folder, ignore_errors=True)
    counted = [m for m in todo if session.counted(m)]
    alive = [m for m in counted if session.done[m.key]["result"] == "survived"]
    known = [m for m in alive if options.equivalents.has(m.key)]
    killed = len(counted) - len(alive)
    say(f"{options.group}: {len(counted)} mutants of {len(every)}, {killed} killed "
        f"({100 * killed / max(1, len(counted)):.1f} %), {len(known)} equivalent, "
        f"{len(alive) - len(known)} unexplained; not counted: {len(todo) - len(counted)}")
    return 1 if stale or len(alive) > len(known) else 0


if __name__ == "__main__":
    sys.exit(main())
