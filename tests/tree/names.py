#!/usr/bin/env python3
# names.py - files that comments and pages name exist
# SPDX-License-Identifier: BSD-2-Clause
#
# usage: names.py FOLDER
#
# Prints "FILE:LINE: no file NAME" for each name of a source, script or page in a comment, or between
# backquotes in a page, that is not a file of the folder; exit status 1 if there is one.  A name with
# folders may begin at any folder above the naming file, or in include/; one without is a file of any
# folder.
import os
import re
import sys

NAME = re.compile(r"(?<![\w./<>@*$%{}~-])(?:\w[\w.-]*/)*[\w-]+\.(?:c|h|cpp|js|css|am|py|sh|awk|md)"
                  r"(?![\w/@<]|\.\w)")
STARTS = ["", "include/", "include/heddle/"]
COMMENT = {"c": r"/\*.*?\*/", "sh": r"^\s*#.*$|\s# .*$", "1": r'^\.\\".*$',
           "md": r"^```.*?^```|`[^`\n]+`"}
KIND = {"h": "c", "cpp": "c", "js": "c", "css": "c", "py": "sh", "am": "sh", "awk": "sh", "ac": "sh"}
# Files that pages tell users to write, and names for any file.
USERS = {"my_unit.c", "my_unit_test.sh", "square_root.c", "mine/cache_mine.c", "modules/NAME.c",
         "NAME.c", "NAME.h", "NAME_test.sh", "N.sh"}


def files(folder):
    for at, below, names in os.walk(folder):
        below[:] = [d for d in below if d[0] != "." and d != "autom4te.cache" and d[:5] != "build"]
        for name in names:
            yield os.path.relpath(os.path.join(at, name), folder)


def exists(name, place, paths, bases):
    if "/" not in name:
        return name in bases
    at = os.path.dirname(place)
    while at:
        if os.path.join(at, name) in paths:
            return True
        at = os.path.dirname(at)
    return any(start + name in paths for start in STARTS)


def main():
    folder = sys.argv[1]
    paths = set(files(folder))
    bases = set(os.path.basename(p) for p in paths)
    wrong = named = 0
    for path in sorted(paths):
        kind = path.rpartition(".")[2]
        comment = COMMENT.get(KIND.get(kind, kind))
        if comment is None:
            continue
        with open(os.path.join(folder, path), encoding="utf-8", errors="replace") as f:
            text = f.read()
        for span in re.finditer(comment, text, re.S | re.M if kind == "md" or comment[0] == "/"
                                else re.M):
            if span.group().startswith("```") or text[span.start() - 2:span.start()] == "* ":
                continue # code; the map of the source
            for m in NAME.finditer(text, *span.span()):
                name = m.group()
                named += 1
                if name in USERS or exists(name, path, paths, bases):
                    continue
                print("%s:%d: no file %s" % (path, text.count("\n", 0, m.start()) + 1, name))
                wrong += 1
    print("%d names of files" % named)
    return wrong > 0


sys.exit(main())
