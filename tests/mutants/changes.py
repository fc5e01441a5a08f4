# changes.py - the small wrong changes of mutants.py: of which lines, into what, and which of them make no difference
# SPDX-License-Identifier: BSD-2-Clause
import hashlib
import re

# What is changed, and into what.  Patterns see code without comments and texts.
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
STATEMENT = re.compile(r"^\t+((?!return\b|else\b|goto\b)[\w.>\[\]()*-]+ (?:[-+|&^*/%]|<<|>>)?= .*"
                       r"|[\w.>\[\]-]+(?:\+\+|--)|(?!return\b|if\b|for\b|while\b|switch\b)\w[\w.>-]*\(.*\));$")
FREES = re.compile(r"^\s*\(?\w*(?:free|close|clear|release_memory)\w*\(|= NULL;$")


def without_text(code):
    """The code with comments, texts and lines of the preprocessor as blanks."""
    def blank(m):
        return re.sub(r"[^\n]", " ", m.group())
    return re.sub(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])+'"
                  r"|(?m:^[ \t]*#(?:[^\n]*\\\n)*[^\n]*)", blank, code, flags=re.S)


def without_calls(code, name):
    """The code without the arguments of the functions whose names fit."""
    out = list(code)
    for m in re.finditer(r"\b(?:" + name + r")\(", code):
        depth, i = 1, m.end()
        while depth and i < len(code):
            depth += {"(": 1, ")": -1}.get(code[i], 0)
            i += 1
        for k in range(m.end(), i):
            if out[k] != "\n":
                out[k] = " "
    return "".join(out)


class Mutant:
    """One change of one line."""
    def __init__(self, file, function, number, nth, old, new):
        self.file, self.function, self.number, self.nth, self.old, self.new = file, function, number, nth, old, new
        self.key = f"{file}|{function}|{nth}|{old.strip()}|{new.strip()}"

    def order(self, seed):
        return hashlib.sha256(f"{seed}|{self.key}".encode()).hexdigest()

    def text(self):
        return f"{self.file}:{self.number} {self.function}\n  - {self.old.strip()}\n  + {self.new.strip()}"


def functions(lines):
    """(name, first line, line after the last) of each function."""
    found, begin = [], None
    for n, line in enumerate(lines):
        if line.rstrip() == "{":
            begin = n
        elif line.startswith("}") and begin is not None:
            head = n0 = begin - 1
            while head >= 0 and lines[head][:1] in (" ", "\t"):
                head -= 1
            name = re.search(r"\b(?!__attribute__)(\w+)\(", " ".join(lines[head:n0 + 1])) if head >= 0 else None
            found.append((name.group(1) if name else "?", begin + 1, n))
            begin = None
    return found


def mutants_of(root, file, silent):
    """All changes of a file."""
    code = (root / file).read_text()
    plain = without_text(code)
    sized = without_calls(plain, silent)
    quiet = without_calls(sized, r"\w*(?:alloc|grow|reserve)\w*|sizeof")
    lines, plain, sized, quiet = (t.split("\n") for t in (code, plain, sized, quiet))
    for name, first, after in functions(plain):
        seen = {}
        for n in range(first, after):
            line = lines[n]
            nth = seen[line] = seen.get(line, 0) + 1
            if re.match(r"\s*static const ", line):
                continue
            made = {}
            for pattern, new in CHANGES:
                # a number in an allocation stays
                look = quiet[n] if r"\d" in pattern or "[\\w.])" in pattern[:14] else sized[n]
                for m in re.finditer(pattern, look):
                    into = new(m) if callable(new) else new
                    made[line[:m.start()] + into + line[m.end():]] = 1
            m = STATEMENT.match(sized[n].rstrip())
            if m and not FREES.search(sized[n]) and not re.match(r"\t+(?:" + silent + r")\(", sized[n]):
                made[re.match(r"\t+", line).group() + ";"] = 1
            for text in made:
                yield Mutant(file, name, n + 1, nth, line, text)


class Equivalents:
    """equivalent.txt: paragraphs `FILE FUNCTION [NTH]`, `- line`, `+ line`, reason."""
    def __init__(self, path):
        self.entries, self.used = {}, set()
        head = old = new = None
        for line in path.read_text().split("\n") if path.exists() else []:
            if line.startswith("#"):
                continue
            if line.startswith("- "):
                old = line[2:].strip()
            elif line.startswith("+ "):
                new = line[2:].strip()
            elif not line.strip():
                head = old = new = None
            elif old is None:
                head = line.split()
            elif new is not None:
                nth = head[2] if len(head) > 2 else "1"
                self.entries.setdefault(f"{head[0]}|{head[1]}|{nth}|{old}|{new}", line.strip())

    def has(self, key):
        return key in self.entries

    def stale(self, known, files):
        return [k for k in self.entries if k not in known and k.split("|")[0] in files]


def files_of(root, group):
    found = set()
    for pattern in group["files"]:
        found |= {str(p.relative_to(root)) for p in root.glob(pattern)}
    for pattern in group.get("not", []):
        found -= {str(p.relative_to(root)) for p in root.glob(pattern)}
    return sorted(found)
