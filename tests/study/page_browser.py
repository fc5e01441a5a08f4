# page_browser.py - tries the page of a study, for page_browser.sh
# SPDX-License-Identifier: BSD-2-Clause
import csv
import math
import os
import sqlite3
import sys
import time
import xml.etree.ElementTree as xml

from browser import Browser, find

bad = 0
here = os.getcwd()
db = sqlite3.connect("made.sqlite")


def check(ok, what):
    global bad
    if not ok:
        print(what)
        bad = 1


# ---- what the page should show ----

PARAMETERS = ("memory.latency", "warps")
rows = {p: {"netlist": n, "trace": t, "status": s} for p, n, t, s in
        db.execute("SELECT point, netlist, trace, status FROM point")}
for p, name, v in db.execute("SELECT point, name, value FROM parameter"):
    rows[p][name] = v
for p, name, v in db.execute("SELECT point, path, value FROM value JOIN statistic USING (statistic) WHERE kernel = 0"):
    rows[p][name] = v


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def alike(text, value):
    return text == "" if value is None else text != "" and abs(float(text) - value) <= 1e-9 * max(1, abs(value))


# The geometric mean of cycles of the rows with these values, None if there are none.
def cycles(of=rows, **want):
    v = [r["cycles"] for r in of.values() if "cycles" in r and all(r[k] == w for k, w in want.items())]
    return mean(v) if v else None


# ---- the browser ----

b = Browser(find())


# What a button downloads.  A browser allows ten files without a person, so only `real` ones are written.
def downloaded(name, click, real=False):
    path = os.path.join(here, name)
    if not real:
        return b.js("""(() => { const old = window.download; let got = null; window.download = (n, t, text) => { got = [n, text]; };
            %s; window.download = old; return got && got[0] === '%s' ? got[1] : ''; })()""" % (click, name))
    b.js(click)
    end = time.monotonic() + 300
    while not os.path.exists(path) and time.monotonic() < end:
        b.settle()
        time.sleep(0.02)
    return open(path, newline="").read() if os.path.exists(path) else ""


def button(name, label):
    return "[...document.querySelectorAll('#plot-%s .downloads button')].find(b => b.textContent === '%s').click()" % (
        name, label)


def table_of(name):
    return list(csv.reader(downloaded(name + ".csv", button(name, "CSV")).splitlines()))


def choose(selector, value):
    b.js("(() => { const s = %s; s.value = '%s'; s.dispatchEvent(new Event('change')); })()" % (selector, value))
    b.settle()


# The box whose label begins so, in a part of the page.
def box(part, label):
    return "[...document.querySelectorAll('#%s label')].find(l => l.textContent.startsWith('%s')).querySelector('select')" % (part, label)


def check_parameter(of):
    got = table_of("parameter")
    netlists = [n for n in ("volta", "ampere") if any(r["netlist"] == n for r in of.values())]
    check(got[0] == ["memory.latency"] + netlists, "parameter: %s" % got[0])
    check([int(r[0]) for r in got[1:]] == [25, 50, 75, 100], "parameter: latencies")
    for r in got[1:]:
        for text, netlist in zip(r[1:], netlists):
            check(alike(text, cycles(of, **{"netlist": netlist, "memory.latency": int(r[0])})), "parameter: %s" % r)


def check_heat():
    got = table_of("heat")
    check(got[0][1:] == ["25", "50", "75", "100"], "heat: %s" % got[0])
    for r in got[1:]:
        for latency, text in zip(got[0][1:], r[1:]):
            check(alike(text, cycles(**{"warps": int(r[0]), "memory.latency": int(latency)})), "heat: %s" % r)


# A point and the one that differs from it in the netlist alone; `share` belongs to ampere.
def check_speedup():
    got = table_of("speedup")
    check(got[0] == ["netlist", "matmul", "gather, hist", "geometric mean"], "speedup: %s" % got[0])
    # what only one netlist has differs with it, so nothing can be compared
    choose(box("speedup", "Compare values of"), "warps")
    choose(box("speedup", "with"), "0")
    got = table_of("speedup")
    check(got[0] == ["warps", "matmul", "gather, hist", "geometric mean"], "speedup: %s" % got[0])
    key = ("netlist", "trace", "memory.latency")
    base = {tuple(r[k] for k in key): r["cycles"] for r in rows.values() if r["warps"] == 1 and "cycles" in r}
    for r in got[1:]:
        each = {"matmul": [], "gather, hist": []}
        for x in rows.values():
            other = base.get(tuple(x[k] for k in key))
            if x["warps"] == int(r[0]) and "cycles" in x and other:
                each[x["trace"]].append(other / x["cycles"])
        for text, name in zip(r[1:3], got[0][1:3]):
            check(alike(text, mean(each[name])), "speedup: %s" % r)
        check(alike(r[3], mean(each["matmul"] + each["gather, hist"])), "speedup, mean: %s" % r)
    check(len(got) == 3, "speedup: %d rows" % len(got))


# One row for each latency: shares of the slots.
def check_shares(got, sums_of):
    for r in got[1:]:
        mine = [x for x in rows.values() if "cycles" in x and x["memory.latency"] == int(r[0])]
        sums = [sum(sums_of(name, x) for x in mine) for name in got[0][1:]]
        for n, text in zip(sums, r[1:]):
            check(alike(text, 100 * n / sum(sums)), "reasons: %s: %s" % (got[0], r))


def check_reasons():
    got = table_of("reasons")
    check(sorted(got[0][1:]) == ["idle.empty", "scoreboard.unit", "single", "stall.full.INT"], "reasons: %s" % got[0])
    check_shares(got, lambda name, x: x["reasons." + name])
    choose(box("reasons", "down to"), "causes")
    got = table_of("reasons")
    at = got[0].index("stall.full.INT")
    check(got[0][at:at + 3] == ["stall.full.INT", "stall.full.INT: collector.operands", "stall.full.INT: int[*].initiation"],
          "causes: %s" % got[0])
    check("scoreboard.unit: SP" in got[0], "causes: %s" % got[0])
    known = lambda name, x: sum(v for n, v in x.items() if n.startswith("causes.%s." % name))
    check_shares(got, lambda name, x: x["causes." + name.replace(": ", ".")] if ": " in name
                 else x["reasons." + name] - known(name, x))
    b.js("document.getElementById('reasons').scrollIntoView()")
    b.settle()
    listed = b.js("[...document.querySelectorAll('#plot-reasons .legend li')].map(l => l.textContent)")
    check("stall.full.INT: collector.operands" in listed and "scoreboard.unit" not in listed, "causes: listed %s" % listed)
    choose(box("reasons", "down to"), "groups")
    got = table_of("reasons")
    check(sorted(got[0][1:]) == ["dual", "idle", "scoreboard", "single", "stall"], "reasons: %s" % got[0])
    check_shares(got, lambda name, x: x["issue." + name])


def check_pareto(cost_of):
    got = table_of("pareto")
    head = got[0]
    designs = []
    for r in got[1:]:
        d = dict(zip(head, r))
        mine = [x["cycles"] for x in rows.values() if "cycles" in x and x["netlist"] == d["netlist"]
                and all(x[k] == int(d[k]) for k in PARAMETERS)]
        cost = cost_of(int(d["warps"]), int(d["memory.latency"]))
        check(len(mine) == 2 and alike(d["cycles"], mean(mine)) and alike(d["cost"], cost), "pareto: %s" % r)
        designs.append((cost, mean(mine), d["front"] == "1"))
    # point 5 has no cycles, so its design is of fewer points than the others and is left out
    check(len(designs) == 23, "pareto: %d designs" % len(designs))
    for cost, value, front in designs:
        beaten = any(c <= cost and v <= value and (c < cost or v < value) for c, v, _ in designs)
        check(front != beaten, "pareto: (%s, %s) is %son the front" % (cost, value, "" if front else "not "))
    b.js("document.getElementById('plot-pareto').scrollIntoView()")  # it is drawn when it is seen
    b.settle()
    listed = b.js("document.querySelectorAll('#plot-pareto .found li').length")
    check(listed == sum(front for _, _, front in designs), "pareto: %s designs are listed" % listed)


def check_correlation():
    got = table_of("correlation")
    want, have = [], []
    kernels = {(p, k): (n, c) for p, k, n, c in db.execute("SELECT point, kernel, name, cycles FROM kernel")}
    for ref in csv.DictReader(open(os.path.join(os.path.dirname(sys.argv[0]), "page_reference.csv"))):
        for p, r in rows.items():
            if all(str(r[k]) == ref[k] for k in ("netlist", "trace") + PARAMETERS):
                for k in (1, 2):
                    if (p, k) in kernels and ref["kernel"] in (str(k), kernels[p, k][0]):
                        want.append(float(ref["hardware"]))
                        have.append(kernels[p, k][1])
    pairs = sorted(zip(want, have))
    at = got[0].index("reference")
    check(sorted((float(r[at]), float(r[at + 1])) for r in got[1:]) == pairs and len(pairs) == 4,
          "correlation: %s and %s" % (got[1:], pairs))
    n, x, y = len(pairs), sum(want) / len(want), sum(have) / len(have)
    r = sum((a - x) * (c - y) for a, c in pairs) / math.sqrt(
        sum((a - x) ** 2 for a in want) * sum((c - y) ** 2 for c in have))
    error = 100 * sum(abs(c - a) / a for a, c in pairs) / n
    b.js("document.getElementById('correlation').scrollIntoView()")
    b.settle()
    check(b.js("document.getElementById('pearson').textContent") == "%.4f" % r, "correlation: r is not %.4f" % r)
    check(b.js("document.getElementById('error').textContent") == "%.2f %%" % error, "correlation: error is not %.2f" % error)


def cells(column):
    return b.js("[...document.querySelectorAll('#points tbody tr')].map(r => r.cells[%d].textContent)" % column)


def check_table():
    heads = b.js("[...document.querySelectorAll('#points thead th')].map(h => h.textContent)")
    at = heads.index("cycles")
    shown = dict(zip(cells(0), cells(at)))
    for p, text in shown.items():
        check(text == ("\u2013" if "cycles" not in rows[int(p)] else "{:,}".format(rows[int(p)]["cycles"])), "table: point " + p)
    # by keyboard: the head of a column sorts
    b.js("document.querySelectorAll('#points thead button')[%d].focus()" % at)
    b.key("Enter")
    first = [int(p) for p in cells(0)][:5]
    want = sorted((p for p in rows if "cycles" in rows[p]), key=lambda p: -rows[p]["cycles"])[:5]
    check([rows[p]["cycles"] for p in first] == [rows[p]["cycles"] for p in want], "table: not sorted by cycles: %s" % first)
    b.js("(() => { const s = document.getElementById('find'); s.value = 'volta GATHER'; s.dispatchEvent(new Event('input')); })()")
    want = {p for p, r in rows.items() if r["netlist"] == "volta" and r["trace"] != "matmul"}
    end = time.monotonic() + 300
    while {int(p) for p in cells(0)} != want and time.monotonic() < end:
        b.settle()
        time.sleep(0.02)
    check({int(p) for p in cells(0)} == want, "table: found %s" % cells(0))
    b.js("(() => { const s = document.getElementById('find'); s.value = ''; s.dispatchEvent(new Event('input')); })()")


def check_svg():
    for name in ("parameter", "heat", "speedup", "reasons", "pareto", "correlation"):
        text = downloaded(name + ".svg", button(name, "SVG"))
        check(name != "heat" or text == downloaded(name + ".svg", button(name, "SVG"), True), "heat.svg: another file")
        root = xml.fromstring(text)
        check(root.tag == "{http://www.w3.org/2000/svg}svg" and "var(" not in text and len(list(root.iter())) > 20,
              "%s.svg is not a picture by itself" % name)


def check_keys():
    b.js("document.querySelector('#plot-parameter svg').focus()")
    b.key("ArrowRight")
    text = b.js("document.getElementById('tip').hidden ? '' : document.getElementById('tip').textContent")
    check("memory.latency 25, netlist volta" in text and "cycles" in text, "keys: the tooltip has '%s'" % text)
    b.key("End")
    text = b.js("document.getElementById('tip').textContent")
    check("memory.latency 100, netlist ampere" in text, "keys: the last mark is '%s'" % text)
    b.key("Escape")
    check(b.js("document.getElementById('tip').hidden"), "keys: Escape leaves the tooltip")


# The table of points with a column of the reader's own, read again.
def check_cost():
    points = list(csv.reader(downloaded("points.csv", "document.querySelector('#points .downloads button').click()").splitlines()))
    check(len(points) == 49, "points.csv: %d rows" % len(points))
    at = [points[0].index(p) for p in PARAMETERS[::-1]]
    costs = ["point,area"] + ["%s,%g" % (r[0], cost(*[int(r[i]) for i in at])) for r in points[1:]]
    b.js("""(() => { const all = new DataTransfer(), f = document.getElementById('csv');
        all.items.add(new File([%r], 'costs.csv')); f.files = all.files; f.dispatchEvent(new Event('change')); })()""" % "\n".join(costs))
    end = time.monotonic() + 300
    while "area" not in b.js("%s.textContent" % box("pareto", "Cost")) and time.monotonic() < end:
        b.settle()
        time.sleep(0.02)
    choose(box("pareto", "Cost"), "area")
    check_pareto(cost)
    check(b.js("JSON.stringify(readCsv('\\ufeffa,\"b\"\"\\n,c\"\\r\\n\\r\\n1,\\n'))") == '[["a","b\\"\\n,c"],["1",""]]', "a table with quotes")


def cost(warps, latency):
    return warps * 2 + latency / 100


# All of the page is drawn, and nothing is wider than the window.
def check_page(what, width):
    height = b.js("document.documentElement.scrollHeight")
    b.size(width, height)
    b.settle()
    b.settle()
    check(b.js("document.documentElement.scrollWidth") <= width, what + ": wider than the window")
    drawn = b.js("[...document.querySelectorAll('figure svg')].filter(s => s.querySelectorAll('*').length > 10).length")
    check(drawn == 6, what + ": %d figures of 6" % drawn)
    over = b.js("""[...document.querySelectorAll('figure svg text')].filter(t => {
        const a = t.getBoundingClientRect(), s = t.ownerSVGElement.getBoundingClientRect();
        return a.left < s.left - 1 || a.right > s.right + 1 || a.top < s.top - 2 || a.bottom > s.bottom + 2;
    }).map(t => t.textContent)""")
    check(not over, what + ": texts outside of their figures: %s" % over)
    check(not b.errors, what + ": %s" % b.errors)
    check(all(a.startswith(("file:", "blob:")) for a in b.asked), what + ": fetched %s" % b.asked)


# The colour that a page gives to a reason.
def colours(names):
    return b.js("""(() => { const out = {}; for (const n of %r) { const e = document.createElement('i');
        e.style.color = reasonColour(n); document.body.append(e); out[n] = getComputedStyle(e).color; e.remove(); }
        return out; })()""" % list(names))


b.call("Page.setDownloadBehavior", behavior="allow", downloadPath=here)
for width in (1280, 800):
    for dark in (False, True):
        what = "%d pixels, %s" % (width, "dark" if dark else "light")
        check(b.open(os.path.join(here, "made.html"), width, 800, dark), what + ": not ready")
        check_page(what, width)
        card = b.js("getComputedStyle(document.getElementById('points')).backgroundColor")
        check((sum(map(int, card[4:-1].split(","))) < 300) == dark, what + ": the page is " + card)
check(b.open(os.path.join(here, "made.html")), "not ready")
check_table()
check(downloaded("parameter.csv", button("parameter", "CSV"), True) == downloaded("parameter.csv", button("parameter", "CSV")),
      "parameter.csv: another file")
choose(box("heat", "up"), "warps")
check_parameter(rows)
check_heat()
check_speedup()
check_reasons()
check_pareto(lambda warps, latency: warps)
check_correlation()
check_svg()
check_keys()
check_cost()
choose(box("window", "trace"), "1")
check(b.js("document.getElementById('selected').textContent") == "24 of 48 points", "selection: not 24 points")
check_parameter({p: r for p, r in rows.items() if r["trace"] != "matmul"})
choose(box("window", "trace"), "")
check_parameter(rows)
b.js("document.getElementById('theme').click()")
check(b.js("document.documentElement.dataset.theme") == "dark", "the button does not change the theme")
NAMES = ["single", "dual", "stall", "scoreboard", "idle", "idle.empty", "scoreboard.global.dram", "stall.full"]
study = {}
for page in ("made.html", "dump.html"):
    for dark in (False, True):
        check(b.open(os.path.join(here, page), dark=dark), page + " not ready")
        study[page, dark] = colours(NAMES)
for dark in (False, True):
    check(study["made.html", dark] == study["dump.html", dark], "colours differ between pages: %s" % study)
    check(len(set(study["made.html", dark].values())) == len(NAMES) - 1, "reasons share colours: %s" % study)  # stall is stall.full
check(b.open(os.path.join(here, "large.html")), "10,000 points: not ready")
check(b.js("document.querySelectorAll('*').length") < 3000, "10,000 points: a page of %d elements"
      % b.js("document.querySelectorAll('*').length"))
b.close()
sys.exit(bad)
