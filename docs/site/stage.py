"""stage.py - makes the site of the documentation: SOURCE HEDDLE WORK SITE

SPDX-License-Identifier: BSD-2-Clause

Collects the pages in the folder WORK, makes one of each module's descriptor, and lets mkdocs write the folder SITE.
"""
import glob
import os
import re
import shutil
import subprocess
import sys

PAGES = ["README.md", "CONTRIBUTING.md", "SECURITY.md", "NEWS", "traces/samples/README.md", "docs/*.md", "docs/*.svg", "docs/*.png", "docs/man/*.[135]",
         "examples/**/*.*", "netlists/*.json"]


def slug(text, separator):
    """The anchor of a heading, as links in the pages have it: without signs, and - for each space."""
    return re.sub(r"[^\w\- ]", "", text).strip().lower().replace(" ", separator)


def spaced(text):
    """The text as mkdocs reads it: a list, a table or a block of code needs an empty line in front of it, and a block has
    one word."""
    out, code = [], False
    for line in text.split("\n"):
        begins = re.match(r"([*|-] |\||```|\d+\. )", line)
        if begins and not code and out and out[-1].strip() and not out[-1].startswith(("* ", "|", "  ")) \
                and not re.match(r"\d+\. ", out[-1]):
            out.append("")
        if line.startswith("```"):
            code = not code
            line = line.split(" ")[0] # "```traceg global.traceg"
        out.append(line)
    return "\n".join(out)


def printed(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, universal_newlines=True).stdout


def main():
    source, heddle, folder, site = sys.argv[1:]
    pages = os.path.join(folder, "pages")
    shutil.rmtree(folder, ignore_errors=True)
    for pattern in PAGES:
        for file in glob.glob(os.path.join(source, pattern), recursive=True):
            to = os.path.join(pages, os.path.relpath(file, source))
            os.makedirs(os.path.dirname(to), exist_ok=True)
            if file.endswith(".md"):
                with open(file, encoding="utf-8") as f, open(to, "w", encoding="utf-8") as g:
                    g.write(spaced(f.read()))
            else:
                shutil.copyfile(file, to)
    shutil.copytree(os.path.join(source, "docs/site/theme"), os.path.join(folder, "theme"))
    # ---- modules ----
    os.makedirs(os.path.join(pages, "modules"))
    names, listed = [], printed(heddle, "modules", "--no-plugins")
    for line in listed.splitlines():
        name = line.split()[0] if line.strip() else ""
        if not re.fullmatch(r"[a-z]\w*", name):
            continue
        names.append(name)
        with open(os.path.join(pages, "modules", name + ".md"), "w", encoding="utf-8") as f:
            f.write("# %s\n\n```text\n%s```\n" % (name, printed(heddle, "modules", "--no-plugins", name)))
    with open(os.path.join(source, "docs/site/mkdocs.yml"), encoding="utf-8") as f:
        text = f.read()
    nav = "\n".join("          - %s: modules/%s.md" % (name, name) for name in names)
    with open(os.path.join(folder, "mkdocs.yml"), "w", encoding="utf-8") as f:
        f.write(text.replace("      - MODULES", "      - Modules:\n" + nav))
    # ---- the site; its index is a script, which a page may load from a folder, too ----
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [os.path.dirname(os.path.abspath(__file__)),
                                                                     os.environ.get("PYTHONPATH")]))}
    mkdocs = shutil.which("mkdocs") # it may be one of another Python
    subprocess.run([*([mkdocs] if mkdocs else [sys.executable, "-m", "mkdocs"]), "build", "--quiet", "--strict", "--config-file",
                    os.path.join(folder, "mkdocs.yml"), "--site-dir", os.path.abspath(site)], check=True, env=env)
    with open(os.path.join(site, "search", "search_index.json"), encoding="utf-8") as f:
        index = f.read()
    with open(os.path.join(site, "search_index.js"), "w", encoding="utf-8") as f:
        f.write("var searchIndex = " + index.replace("</", "<\\/") + ";\n")
    shutil.rmtree(os.path.join(site, "search"))


if __name__ == "__main__":
    main()
