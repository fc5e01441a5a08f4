#!/usr/bin/env python3
# sentences.py - pages in plain English: words of a sentence on average, and sentences that stand in two pages
# SPDX-License-Identifier: BSD-2-Clause
#
# usage: sentences.py FOLDER [-v]
#
# Prints a line for each page whose average is 30 words or more, for each part of a sentence, up to a colon or semicolon, of
# more than 70 words, and for each sentence of twelve words or more that a second page has; exit status 1 if there is one.
# Cells of tables do not count for the average.  -v prints that of each page.
import glob
import os
import re
import sys

AVERAGE, LONGEST, SAME = 30, 70, 12


def prose(text):
    """Paragraphs, items of lists, and cells of tables: whether it is a cell, and its text; no code and no headings."""
    text = re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)
    block = []
    for line in [*text.split("\n"), ""]:
        begins = re.match(r"\s*([*|-] |\||#|\d+\. |!\[)", line)
        if (not line.strip() or begins or line.startswith("    ")) and block:
            yield False, " ".join(block)
            block = []
        if line.startswith("    ") or re.match(r"#|!\[|\|[-| :]*$", line):
            continue
        if line.startswith("|"):
            yield from ((True, cell.strip()) for cell in re.split(r"(?<!\\)\|", line) if cell.strip())
        elif line.strip():
            block.append(re.sub(r"^\s*([*-]|\d+\.) ", "", line).strip())


def words_of(text):
    return re.findall(r"[A-Za-z0-9][\w'/.-]*", text)


def sentences(text):
    """Whether it is of a table, its words, the words of its longest part."""
    for cell, block in prose(text):
        block = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", block)
        block = re.sub(r"`[^`]*`", "code", block)
        block = re.sub(r"<[^>]*>", "", block)
        for sentence in re.split(r"(?<=[.!?])\s+(?=[A-Z*\"(]|code)", block):
            if len(words_of(sentence)) > 2:
                yield cell, words_of(sentence), max((words_of(part) for part in re.split(r"[;:]\s", sentence)), key=len)


def main():
    top, wrong, seen = sys.argv[1], [], {}
    pages = sorted(glob.glob(os.path.join(top, "docs", "*.md")) + [os.path.join(top, n) for n in ("README.md", "CONTRIBUTING.md")])
    total = count = 0
    for page in pages:
        name = os.path.relpath(page, top)
        with open(page, encoding="utf-8") as f:
            found = list(sentences(f.read()))
        lengths = [len(words) for cell, words, _ in found if not cell]
        total, count = total + sum(lengths), count + len(lengths)
        if "-v" in sys.argv:
            print("%-28s %5d sentences of %4.1f words" % (name, len(lengths), sum(lengths) / max(len(lengths), 1)))
        if sum(lengths) >= AVERAGE * len(lengths):
            wrong.append("%s: %.1f words a sentence" % (name, sum(lengths) / max(len(lengths), 1)))
        for _, words, part in found:
            if len(part) > LONGEST:
                wrong.append("%s: %d words without an end: %s ..." % (name, len(part), " ".join(part[:8])))
            key = " ".join(words).lower()
            if len(words) >= SAME and seen.setdefault(key, name) != name:
                wrong.append("%s: stands in %s, too: %s" % (name, seen[key], " ".join(words)))
    print("\n".join([*wrong, "%d pages, %d sentences of %.1f words" % (len(pages), count, total / count)]))
    return len(wrong) > 0


sys.exit(main())
