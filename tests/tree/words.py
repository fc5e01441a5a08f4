#!/usr/bin/env python3
# words.py - words and forms of messages that the tree does not use
# SPDX-License-Identifier: BSD-2-Clause
#
# usage: words.py FOLDER [FILE...]
#
# Prints "FILE:LINE: what is wrong" for the files of the folder, or for these of them; exit status 1
# if anything is.
import os
import re
import sys

ROOMS = ["base", "docs", "dump", "examples", "include", "kernel", "library", "modules", "netlists", "python", "tests", "tools", "traces"]
ALONE = ["CONTRIBUTING.md", "NEWS", "README.md", "configure.ac", "quickstart", ".ci/bare", ".ci/run"]
ENDS = re.compile(r"\.(c|cpp|h|js|css|html|json|py|sh|md|[1-9]|am|in)$")
PASSED_OVER = re.compile(r"^tests/tree/words\.")

# What is not written, and what is expected instead.
WORDS = [
    (r"\b([Ee]very|[Nn]o|[Ss]ome|[Aa]ny)body\b|\b[Ww]ho(so)?ever\b|\bwhomever\b",
     "the subject by its name: all processes, no process, an instance"),
    (r"\b(wants|knows|hears|speaks|believes|wishes)\b|\b([Ii]s|[Aa]re|was|were|be|being) told\b"
     r"|\b[Tt]old (to|of|that|which|whether)\b",
     "what it does or has: needs, has, reads, is notified of"),
    (r"(<{7}|>{7}) \w+", "a merge without conflicts"),
    (r"\b(ado|anew)\b", "simpler words: more simply, again"),
    (r"(?<!there )(?<!There )\b(is|are|was|were)\s+no\s+(?!(longer|more|less|sooner|later)\b)\w+",
     '"X is not a Y"'),
    (r"\b(get|gets|getting|got)\s+rid\s+of\b", "what it does: drops, removes, sends on"),
    (r"\bsaid\b", "recorded, logged, named, printed"),
    (r"\bclock\s+slots?\b", "phase"),
    (r"\bli(fe|ves)\s+of\s+(\w+\s+)?instructions?\b|\binstructions?'s?\s+li(fe|ves)\b"
     r"|\b(a|one|no|all|its|each|every)\s+li(fe|ves)\b", "transaction"),
    (r"\bhd_+(life|lives|said|turn|follow|trial|slot_plan)\w*|\bHD_(SAID|TURN|LIFE)\w*",
     "transaction, log, process, assembler, sandbox, phase"),
]
# In messages beside these.
MESSAGE_WORDS = [(r"\bis too much\b", "\"unexpected argument 'x'\"")]
COLUMNS = 120
CONTINUES = re.compile(r"^[ \t]*/\* (as [a-z_]+\(|(?:[Tt]he same (?:of|for|as|in|with|without|but)|The same[.,:;]|It |and |or |but |nor |[Ll]ikewise|"
                       r"As (?:above|before|for)|Those (?:of|that|in)|So (?:is|does|are))\b|(?:[^*]|\*(?!/))*,(?= \*/))", re.M)
# Functions that take a message as a format, and which argument it is.
PRINTERS = {"argp_error": 2, "argp_failure": 4}
FOUND = []


def files(folder):
    for room in ROOMS:
        for at, below, names in os.walk(os.path.join(folder, room)):
            below.sort()
            for name in sorted(names):
                path = os.path.relpath(os.path.join(at, name), folder)
                if ENDS.search(name) and not PASSED_OVER.search(path):
                    yield path
    for path in ALONE:
        if os.path.exists(os.path.join(folder, path)):
            yield path


def joined(text):
    """The text as one line of the same length: without the ends of lines, the signs with which
    lines of comments begin, and the quotes between pieces of one string."""
    text = re.sub(r'"[ \t]*\n[ \t]*"', lambda m: " " * len(m.group()), text)
    return re.sub(r'\n[ \t]*(\*(?!/)|//|#|\.\\")?[ \t]*', lambda m: " " * len(m.group()), text)


def report(path, text, at, what):
    FOUND.append((path, text.count("\n", 0, at) + 1, what))


def check_form(path, text):
    """The first line, columns, and comments that begin as if they went on."""
    first = text.split("\n", 1)[0]
    if not re.match(r"/\* %s - .*[^.]$" % re.escape(os.path.basename(path)), first):
        report(path, text, 0, "expected a first line '/* %s - what it is'" % os.path.basename(path))
    at = 0
    for line in text.split("\n"):
        if len(line.expandtabs(8)) > COLUMNS:
            report(path, text, at, "%d columns; expected at most %d" % (len(line.expandtabs(8)), COLUMNS))
        at += len(line) + 1
    for m in CONTINUES.finditer(text):
        report(path, text, m.start(), "a comment goes on from another, '%s': expected a sentence with its subject"
               % re.sub(r"\s+", " ", m.group(1))[-40:])


def check_words(path, text):
    line = joined(text)
    for pattern, instead in WORDS:
        if path == "NEWS" and "hd_" in pattern:
            continue # it has names as they were
        for m in re.finditer(pattern, line):
            found = re.sub(r"\s+", " ", m.group())
            report(path, text, m.start(), "'%s': expected %s" % (found, instead))


def find_printers(text):
    """Functions that the text declares as taking messages."""
    for m in re.finditer(r"(\w+)\((?:[^()]|\([^()]*\))*\.\.\.\)\s*HD_PRINTF\((\d+)", text):
        PRINTERS[m.group(1)] = int(m.group(2))
    for m in re.finditer(r"HD_PRINTF\((\d+), \d+\)\s+(\w+)\(", text):
        PRINTERS[m.group(2)] = int(m.group(1))


def strings(text, at, argument):
    """Begin and text of the literals that are this argument of the call whose "(" is at `at`."""
    depth, n, i, out = 0, 1, at, []
    start = None
    while i < len(text):
        c = text[i]
        if c == '"':
            end = i + 1
            while text[end] != '"':
                end += 2 if text[end] == "\\" else 1
            if n == argument and depth == 1:
                start = i if start is None else start
                out.append(text[i + 1:end])
            i = end
        elif c == "'":
            i += 3 if text[i + 1] == "\\" else 2
        elif c in "([{":
            depth += 1
        elif c in ")]}":
            depth -= 1
            if depth == 0:
                break
        elif c == "," and depth == 1:
            n += 1
        i += 1
    return start, "".join(out)


def check_message(path, text, at, message):
    shown = re.sub(r"\\n|\s+$", "", message)
    shown = "\"%s\"" % (shown if len(shown) < 60 else "..." + shown[-56:])
    if re.match(r"[A-Z][a-z]+ ", message):
        report(path, text, at, "a message begins with an upper-case word: " + shown)
    if re.search(r'[^.]\."$', shown):
        report(path, text, at, "a message ends with a full stop: " + shown)
    for pattern, instead in MESSAGE_WORDS:
        m = re.search(pattern, message)
        if m:
            report(path, text, at, "a message has '%s': expected %s" % (m.group(), instead))


def check_messages(path, text):
    for m in re.finditer(r"\b(%s)(\()" % "|".join(PRINTERS), text):
        start, message = strings(text, m.start(2), PRINTERS[m.group(1)])
        if start is not None:
            check_message(path, text, start, message)
    for m in re.finditer(r'\bfprintf\(stderr, "heddle: ((?:error: |warning: )?)', text):
        start, message = strings(text, m.start() + 7, 2)
        check_message(path, text, start, re.sub(r"^heddle: (error: |warning: )?", "", message))
    # the descriptors' own documentation is printed in the same form
    for m in re.finditer(r'\.doc = (")', text):
        start, message = strings("(" + text[m.start(1):] + ")", 0, 1)
        check_message(path, text, m.start(1), message.split("\\n")[0])


def main():
    folder = sys.argv[1]
    paths = sys.argv[2:] or list(files(folder))
    texts = {}
    for path in list(files(folder)):
        with open(os.path.join(folder, path), encoding="utf-8", errors="replace") as f:
            texts[path] = f.read()
            if path.endswith((".c", ".h")):
                find_printers(texts[path])
    for path in paths:
        check_words(path, texts[path])
        if path.endswith(".c"):
            check_messages(path, texts[path])
        if path.endswith((".c", ".h")) and "/skeletons/" not in path:
            check_form(path, texts[path])
    for found in sorted(FOUND):
        print("%s:%d: %s" % found)
    print("%d places in %d file%s" % (len(FOUND), len(paths), "" if len(paths) == 1 else "s"))
    return len(FOUND) > 0


sys.exit(main())
