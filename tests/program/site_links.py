"""site_links.py - FOLDER: links of all pages lead to files and anchors in it, and nothing is loaded from elsewhere

SPDX-License-Identifier: BSD-2-Clause

Prints a line for each that does not; exit status 1 if there is one.
"""
import html.parser
import os
import sys
import urllib.parse

ROOT = sys.argv[1]
ANCHORS, LINKS, BAD = {}, [], []


class Page(html.parser.HTMLParser):
    def __init__(self, name):
        super().__init__()
        self.name = name
        ANCHORS[name] = set()

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("id", "name") and value:
                ANCHORS[self.name].add(value)
            elif name in ("href", "src") and value is not None:
                LINKS.append((self.name, value, tag != "a"))


for folder, _, names in os.walk(ROOT):
    for name in names:
        if name.endswith(".html"):
            path = os.path.join(folder, name)
            with open(path, encoding="utf-8") as f:
                Page(os.path.relpath(path, ROOT)).feed(f.read())
for page, link, loaded in LINKS:
    url = urllib.parse.urlsplit(link)
    if url.scheme:
        if loaded and url.scheme != "data":
            BAD.append("%s: loads %s" % (page, link))
        continue
    to = os.path.normpath(os.path.join(os.path.dirname(page), urllib.parse.unquote(url.path))) if url.path else page
    if not os.path.exists(os.path.join(ROOT, to)):
        BAD.append("%s: no file %s" % (page, link))
    elif url.fragment and to in ANCHORS and urllib.parse.unquote(url.fragment) not in ANCHORS[to]:
        BAD.append("%s: no anchor %s" % (page, link))
print("\n".join([*BAD, "%d links" % len(LINKS)]))
sys.exit(len(BAD) > 0 or len(LINKS) < 1000)
