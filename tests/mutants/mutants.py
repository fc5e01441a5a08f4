#!/usr/bin/env python3
# mutants.py - how many small wrong changes of a source file do tests see?
# SPDX-License-Identifier: BSD-2-Clause
"""usage: mutants.py [--seed N] [--source TREE] FILE N TEST...

Builds a copy of the tree, changes one operator, constant or statement of FILE at a time, N in all, and runs the tests
until one fails, e.g. `tests/mutants/mutants.py modules/cache.c 30 tests/modules/rules tests/fidelity/golden.sh`.  The same
seed picks the same changes.  Not counted: what does not compile, and what makes the same code.  Not changed: texts,
messages, sizes of allocations, and the removal of a statement that only frees or closes.
Exit status: 1 if a change survives.  Such a change needs a test, unless it makes no difference.
"""
import argparse
import hashlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

# What is changed, and into what.  Patterns see code without comments, texts and messages.
CHANGES = [
    (r" < ", " <= "), (r" <= ", " < "), (r" > ", " >= "), (r" >= ", " > "),
    (r" == ", " != "), (r" != ", " == "), (r" && ", " || "), (r" \|\| ", " && "),
    (r"!(?=[\w(])", ""), (r"(?<=[\w\])]) \+ (?=[\w(])", " - "), (r"(?<=[\w\])]) - (?=[\w(])", " + "),
    (r"\+\+", "--"), (r"--", "++"), (r" \+= ", " -= "), (r" -= ", " += "), (r" \|= ", " &= "),
    (r" &= ", " |= "), (r"& ~", "& "), (r"(?<=[\w\])]) & (?=[\w(])", " | "), (r" \| ", " & "),
    (r" << ", " >> "), (r" >> ", " << "), (r"\btrue\b", "false"), (r"\bfalse\b", "true"),
    (r"(?<![\w.])0(?=u?\b(?![.]))", "1"), (r"(?<![\w.])1(?=u?\b(?![.]))", "0"),
    (r"(?<![\w.])([2-9]|[1-9]\d+)(?=u?\b(?![.]))", lambda m: str(int(m.group()) + 1)),
]
# A statement that stands in one line: an assignment, or a call.
STATEMENT = re.compile(r"^(\t+)(?!return\b|else\b|goto\b|if\b|for\b|while\b|switch\b)(?:[\w.>\[\]()*-]+ (?:[-+|&^*/%]|<<|>>)?= .*"
                       r"|[\w.>\[\]-]+(?:\+\+|--)|\w[\w.>-]*\(.*\));$")
FREES = re.compile(r"^\s*\(?\w*(?:free|close|clear)\w*\(|= NULL;$")
SILENT = re.compile(r"\b(?:\w*printf|f?puts|\w*assert|hd_(?:error|warn|fail)|hd__\w*diag\w*|\w*(?:alloc|grow|reserve)\w*|sizeof)\(")


def plain(code):
    """The code with comments, texts, lines of the preprocessor, and arguments of messages and sizes as blanks."""
    def blank(m):
        return re.sub(r"[^\n]", " ", m.group())
    code = re.sub(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])+'|(?m:^[ \t]*#(?:[^\n]*\\\n)*[^\n]*)",
                  blank, code, flags=re.S)
    out = list(code)
    for m in SILENT.finditer(code):
        depth, i = 1, m.end()
        while depth and i < len(code):
            depth += {"(": 1, ")": -1}.get(code[i], 0)
            out[i] = "\n" if code[i] == "\n" else " "
            i += 1
    return "".join(out)


def mutants_of(code):
    """(number of the line, what it becomes) for all changes within functions."""
    lines, seen, inside = code.split("\n"), plain(code).split("\n"), False
    for n, line in enumerate(seen):
        inside = line.rstrip() == "{" or (inside and not line.startswith("}"))
        if not inside or re.match(r"\s*static const ", line):
            continue
        made = {}
        for pattern, new in CHANGES:
            for m in re.finditer(pattern, line):
                made[lines[n][:m.start()] + (new(m) if callable(new) else new) + lines[n][m.end():]] = 1
        m = STATEMENT.match(line.rstrip())
        if m and not FREES.search(line) and not SILENT.search(line):
            made[m.group(1) + ";"] = 1
        yield from ((n, text) for text in made)


class Tree:
    """A copy of the tree, with a build of it."""
    def __init__(self, source, folder, file, tests):
        self.source, self.build, self.tests = folder / "src", folder / "build", tests
        shutil.copytree(source, self.source, symlinks=True, ignore=lambda at, names: [
            n for n in names if n in (".git", "autom4te.cache") or Path(at, n, "config.status").exists()])
        self.build.mkdir()
        self.file = self.source / file
        self.object = (self.build / file).with_suffix(".o")
        if not (self.source / "configure").exists():
            subprocess.run(["autoreconf", "-i"], cwd=self.source, check=True)
        subprocess.run([self.source / "configure", "-q", "--disable-shared", "CFLAGS=-O1"], cwd=self.build, check=True)
        if not self.make("check", "TESTS=", "-j2"):
            sys.exit("mutants.py: the tree does not compile")
        began = time.monotonic()
        if not self.make("check-TESTS", "TESTS=" + " ".join(tests)):
            sys.exit("mutants.py: a test fails without a change")
        self.seconds = 10 + 5 * (time.monotonic() - began)

    def make(self, *words, seconds=None):
        with subprocess.Popen(["timeout", str(seconds or 3600), "make", "-s", *words], cwd=self.build,
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as p:
            return p.wait() == 0

    def code(self):
        return self.object.read_bytes() if self.object.exists() else None

    def play(self, text):
        """What becomes of the file with this text."""
        old, code = self.file.read_text(), self.code()
        self.file.write_text(text)
        try:
            if not self.make("all"):
                return "does not compile"
            if code and code == self.code():
                return "same code"
            for test in self.tests:
                if not self.make("check-TESTS", "TESTS=" + test, seconds=self.seconds):
                    return "killed"
            return "survived"
        finally:
            self.file.write_text(old)
            self.make("all")


def main():
    p = argparse.ArgumentParser(usage=__doc__.split("\n\n")[0][7:])
    p.add_argument("--seed", default="1")
    p.add_argument("--source", default=".")
    p.add_argument("file")
    p.add_argument("n", type=int)
    p.add_argument("test", nargs="+")
    o = p.parse_args()
    code = Path(o.source, o.file).read_text()
    lines = code.split("\n")
    todo = sorted(mutants_of(code), key=lambda m: hashlib.sha256(f"{o.seed}|{m}".encode()).hexdigest())[:o.n]
    count = {"killed": 0, "survived": 0}
    with tempfile.TemporaryDirectory(prefix="heddle-mutants.") as folder:
        tree = Tree(Path(o.source).resolve(), Path(folder), o.file, o.test)
        for n, text in todo:
            result = tree.play("\n".join(lines[:n] + [text] + lines[n + 1:]))
            count[result] = count.get(result, 0) + 1
            if result == "survived":
                print(f"survived: {o.file}:{n + 1}\n  - {lines[n].strip()}\n  + {text.strip()}", flush=True)
    print(", ".join(f"{n} {result}" for result, n in count.items()))
    return 1 if count["survived"] else 0


if __name__ == "__main__":
    sys.exit(main())
