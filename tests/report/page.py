# page.py - is a page of heddle report right, and does it work in a browser?
# SPDX-License-Identifier: BSD-2-Clause
#
#   page.py data PAGE STATISTICS...   the numbers in the page, one file of statistics per run
#   page.py browser PAGE              in a browser; exit status 77: there is none
#   page.py empty PAGE                the same, of a page of which parts are missing
#   page.py colours PAGE...           places have the same colours on all of them
import re
import sys

from page_data import check, check_data, data_of, wrong

SECTIONS = ["summary", "core", "kernels", "slots", "ipc", "units", "occupancy", "banks", "memory", "pcs", "program", "tree", "pipeline", "timeline"]
PAINTED = """(() => { const c = document.querySelector('.warps canvas');
    const o = document.createElement('canvas'); o.width = c.width; o.height = c.height;
    const g = o.getContext('2d', { willReadFrequently: true }); g.drawImage(c, 0, 0);
    const d = g.getImageData(0, 0, c.width, c.height).data, seen = new Set();
    for (let i = 0; i < d.length; i += 4) if (d[i + 3]) seen.add(d[i] << 16 | d[i + 1] << 8 | d[i + 2]);
    return seen.size; })()"""
VIEW = "(c => [+c.dataset.from, +c.dataset.to])(document.querySelector('.warps canvas'))"


# The core: a box for each array, coloured if something counts how busy it is.
def check_core(b):
    names = b.js("[...document.querySelectorAll('#core svg.core')].map(s => s.querySelectorAll('.instance').length)")
    check(names and min(names) > 3, "boxes of the core: " + str(names))
    fill = "getComputedStyle(document.querySelector('#core .instance[data-path=\"%s\"] rect')).fill"
    busy = b.js("runs[0].busy.map(x => x.name)")
    one = [n for n in busy if n.split(".")[-1] == "load_store"][:1]
    plain = b.js("[...document.querySelectorAll('#core .instance')].map(n => n.dataset.path)")
    for name in one:
        path = [p for p in plain if re.sub(r"\[[^]]*\]", "", p) == re.sub(r"\[[^]]*\]", "", name)]
        idle = [p for p in plain if p.split(".")[-1] == "decode"]
        check(path and idle and b.js(fill % path[0]) != b.js(fill % idle[0]), name + " has no colour")
    check(b.js("document.querySelectorAll('#core tbody tr').length") >= min(3, len(busy)), "figures of the core")
    # the picture fits, or it is in full size and scrolls; the button is for the other way
    size = ("(s => [s.getBoundingClientRect().width, s.viewBox.baseVal.width, s.parentElement.clientWidth,"
            " s.parentElement.scrollWidth])(document.querySelector('#core svg.core'))")
    ways = []
    for _ in range(2):
        width, full, room, reach = b.js(size)
        fits = width <= room + 1
        ways.append(fits)
        check(fits or (abs(width - full) < 1 and reach >= width - 1), "neither fits nor scrolls: %s" % [width, full, room, reach])
        check(len(ways) > 1 or fits == (room > full / 3 - 20), "the picture of %d in %d" % (full, room))
        b.js("document.querySelector('#core .scale button').click()")
        b.settle()
    check(full <= room or ways[0] != ways[1], "the button changes nothing")


# A picture says of which SM it is; only its instructions are in it.
def check_pipeline_core(b):
    cores = b.js("[...new Set(runs[0].ways.warps.map(w => w.core))]")
    shown = "document.querySelector('#pipeline text.shown').textContent"
    chooser = "document.querySelector('#pipeline select[aria-label=\"The instructions of this SM\"]')"
    if cores == [""]:
        check(b.js(shown) == "cycle" and not b.js("!!" + chooser), "one SM is named")
    if len(cores) < 2:
        return
    check(b.js(shown) == b.js(chooser + ".value") + ", cycle", "the SM of the pipeline")
    for core in cores[-1], cores[0]:
        b.js("(s => { s.value = '%s'; s.dispatchEvent(new Event('change')); })(%s)" % (core, chooser))
        check(b.js(shown) == core + ", cycle", "the pipeline does not name " + core)
        check(b.js("[...document.querySelectorAll('#pipeline select[aria-label=\"Only this warp\"] option')].slice(1)"
                   ".every(o => o.textContent.startsWith('%s warp '))" % core), "warps of others than " + core)
        first = b.js("document.querySelectorAll('#pipeline [data-row]').length")
        if first:
            b.js("document.querySelector('#pipeline [data-row]').dispatchEvent(new MouseEvent('click', { bubbles: true }))")
            check(core + " warp" in b.js("document.querySelector('#pipeline h3:last-of-type').innerText"), "an instruction of another SM than " + core)
    b.js("document.querySelector('#pipeline svg').focus()")
    b.key("Escape")


# A row for each instruction, and the way of the one that is chosen.
def check_pipeline(b):
    b.js("document.getElementById('pipeline').scrollIntoView()")
    b.settle()
    b.settle()
    rows = b.js("document.querySelectorAll('#pipeline [data-row]').length")
    check(rows > 0, "the pipeline has no rows")
    check(b.js("[...document.querySelectorAll('#pipeline [data-row]')].filter(g => g.querySelector('.stage')).length") == rows, "a row without a stage")
    b.js("document.querySelector('#pipeline svg').focus()")
    b.key("ArrowDown")
    told = re.search(r"cycles ([\d,]+) to ([\d,]+)", b.js("document.querySelector('#pipeline h3:last-of-type').innerText") or "")
    cells = b.js("[...document.querySelectorAll('#pipeline tbody tr')].map(r => r.cells[2].textContent)")
    check(told and cells, "the way of an instruction")
    if told:
        begin, end = (int(x.replace(",", "")) for x in told.groups())
        check(sum(int(c.replace(",", "")) for c in cells) == end - begin, "the cycles of a way")
    b.key("Escape")
    check(not b.js("document.querySelector('#pipeline tbody')"), "escape keeps the way")
    check_pipeline_core(b)


# The program in order, its ways back, and arrows to what was waited for.
def check_program(b):
    pcs = b.js("[...document.querySelectorAll('#program .mono:not(.ink)')].map(t => parseInt(t.textContent, 16))")
    one = b.js("document.querySelectorAll('#program svg.program').length") == 1
    check(len(pcs) > 2 and (not one or pcs == sorted(pcs)), "the program is not in order")
    back = b.js("""runs.flatMap(r => (r.pcs || []).flatMap((p, i) => (p.next || [])
        .filter(([t]) => r.pcs[t].pc <= p.pc && r.pcs[t].pc > Math.min(...r.pcs.filter(q => q.kernel === p.kernel).map(q => q.pc))))).length""")
    if one and b.js("runs[0].kernels.length") == 1:
        check(b.js("document.querySelectorAll('#program .loop').length") == back, "loops")
        check(b.js("document.querySelectorAll('#program .row .grid').length") > back, "blocks")
    waits = b.js("runs.some(r => r.pcs.some(p => (p.awaits || []).length))")
    check(not waits or b.js("document.querySelectorAll('#program .awaits').length") > 0, "arrows")
    if not waits:
        return
    b.js("document.querySelector('#program .awaits').scrollIntoView({ block: 'center' })")
    row = b.js("Number(document.querySelector('#program .awaits').dataset.from)")
    b.js("document.querySelector('#program [data-row=\"%d\"] rect').dispatchEvent(new MouseEvent('click', { bubbles: true }))" % row)
    check(b.js("document.querySelectorAll('#program .awaits:not(.faint)').length") > 0, "arrows of the chosen instruction")
    b.js("document.querySelector('#program svg.program').focus()")
    b.key("ArrowDown")
    check(b.js("Number(document.querySelector('#program .chosen').dataset.row)") == row + 1, "down does not choose the next one")
    b.key("Escape")
    check(not b.js("document.querySelector('#program .chosen')"), "escape keeps the choice")


def check_figures(b, many):
    for name in SECTIONS:
        check(b.js("!!document.getElementById('%s').querySelector('.plot, .program, .core, canvas, table, .tiles')" % name), "figure of " + name)
    check(b.js("document.querySelectorAll('.plot').length") >= 5 * many, "number of figures")
    check_core(b)
    check_program(b)
    check_pipeline(b)
    rows = "document.querySelectorAll('#occupancy svg.stageview path').length"
    check(b.js(rows) == b.js("sumOf(runs.map(r => r.places.length))"), "rows of units and buffers")
    if b.js("!!document.querySelector('#occupancy select')"):
        few = b.js(rows)
        b.js("(s => { s.value = 'each'; s.dispatchEvent(new Event('change')); })(document.querySelector('#occupancy select'))")
        check(b.js(rows) > few, "elements of arrays have no rows")
    levels = b.js("runs.reduce((n, r) => n + 1 + r.memory.caches.length + r.memory.channels.length, 0)")
    check(b.js("document.querySelectorAll('#memory svg.memory .level').length") == levels, "levels of the memory")
    check(b.js("document.querySelectorAll('#memory svg.memory .flow').length") == levels - many, "what flows between them")
    check(b.js("[...document.querySelectorAll('.plot')].every(p => [...p.querySelectorAll('path.area, path.line')]"
               ".some(q => q.getAttribute('d').length > 20))"), "a figure is empty")
    check(not b.js("/NaN|undefined|Infinity|\\[object/.test(document.body.innerText + "
                   "[...document.querySelectorAll('path')].map(p => p.getAttribute('d')).join())"), "a number is none")
    b.js("document.querySelector('.warps canvas').scrollIntoView()")
    b.settle()
    check(b.js(PAINTED) > 3, "colours of the warps")
    check(b.js("[...document.querySelectorAll('#tree .no')].length") == 0, "the page shows that sums differ")
    check(b.js("[...document.querySelectorAll('#tree .yes')].length") >= 6 * many, "the page shows that sums are equal")


# Cells of tables, and rows of legends, with more than two lines.
LINES = """[...document.querySelectorAll('.data td, .data th, .legend li')].filter(c => {
    const r = document.createRange(), at = [];
    r.selectNodeContents(c);
    for (const q of r.getClientRects())
        if (q.width > 1 && q.top < c.getBoundingClientRect().bottom - 4 && !at.some(y => Math.abs(y - q.bottom) < 9)) at.push(q.bottom);
    return at.length > 2; }).map(c => c.innerText.slice(0, 60))"""


def check_sort(b):
    order = "[...document.querySelectorAll('#pcs tbody tr')].map(r => r.cells[1].textContent)"
    before = b.js(order)
    b.js("document.querySelector('#pcs thead th:nth-child(2) button').focus()")
    b.key("Enter")
    falling = b.js(order)
    b.key("Enter")
    rising = b.js(order)
    check(before != rising, "sorting changes nothing")
    check(rising == sorted(rising, key=lambda s: int(s, 16)), "sorted by pc: " + str(rising[:4]))
    check(falling == sorted(falling, key=lambda s: -int(s, 16)), "sorted the other way: " + str(falling[:4]))
    check(b.js("document.querySelector('#pcs thead th:nth-child(2)').getAttribute('aria-sort')") == "ascending", "aria-sort")
    b.js("(i => { i.value = 'zzzz'; i.dispatchEvent(new Event('input')); })(document.querySelector('#pcs input'))")
    check(b.js("document.querySelector('#pcs tbody').innerText") == "nothing fits", "the filter")
    b.js("(i => { i.value = ''; i.dispatchEvent(new Event('input')); })(document.querySelector('#pcs input'))")


# Every picture and every table is offered as a file that can be read.
def check_files(b):
    wrong = b.js("""(() => {
        const old = window.download, wrong = [];
        let name, text;
        window.download = (n, type, t) => { name = n; text = t; };
        for (const button of document.querySelectorAll('.downloads button')) {
            name = text = '';
            button.click();
            if (/NaN|undefined|\\[object/.test(text)) wrong.push(name + ': a number is none');
            if (button.textContent === 'SVG') {
                const root = new DOMParser().parseFromString(text, 'image/svg+xml').documentElement;
                if (root.tagName !== 'svg' || !root.querySelector('path, rect + *')) wrong.push(name + ': no picture');
                if (/var\\(|class=/.test(text)) wrong.push(name + ': needs the style of the page');
            } else if (text.split('\\n').length < 3 || !text.includes(',')) wrong.push(name + ': no table');
        }
        window.download = old;
        return wrong; })()""")
    check(not wrong, "files: " + str(wrong[:5]))
    check(b.js("""[...document.querySelectorAll('svg.plot, svg.core, svg.memory, svg.program, svg.pipeline, .warps canvas, .data')].every(n => {
        for (let p = n.parentElement; p && p.tagName !== 'SECTION'; p = p.parentElement)
            if (p.querySelector('.downloads')) return true;
        return !!n.parentElement.querySelector('.downloads'); })"""), "a figure or table is not offered as a file")


# With several SMs one may be chosen.
def check_cores(b):
    if not b.js("!!document.querySelector('#timeline select[aria-label=\"Only the warps of this core\"]')"):
        return
    rows = "Math.round(document.querySelector('.warps canvas').getBoundingClientRect().height)"
    choose = ("(s => { s.value = %s; s.dispatchEvent(new Event('change')); })"
              "(document.querySelector('#timeline select[aria-label=\"Only the warps of this core\"]'))")
    every = b.js(rows)
    b.js(choose % "s.options[s.options.length - 1].value")
    b.settle()
    check(b.js(rows) < every, "one core has as many rows as all: %d" % every)
    b.js("document.querySelector('.warps canvas').focus()")
    b.key("ArrowDown")
    core = b.js("document.querySelector('#timeline select[aria-label=\"Only the warps of this core\"]').value")
    check(core + " warp" in b.js("document.querySelector('.inspect').innerText"), "the warp does not name its core " + core)
    b.js(choose % "s.options[0].value")
    b.key("Escape")
    b.settle()


def check_zoom(b):
    whole = b.js(VIEW)
    path = "document.querySelector('#slots path.area').getAttribute('d')"
    drawn = b.js(path)
    b.js("document.querySelector('.warps canvas').focus()")
    b.key("+")
    near = b.js(VIEW)
    check(near[1] - near[0] < whole[1] - whole[0], "+ does not zoom: %s %s" % (whole, near))
    b.key("ArrowRight")
    check(b.js(VIEW)[0] > near[0], "the right arrow does not move")
    b.key("ArrowDown")
    b.key("n")
    check(re.search("issues.*0x", b.js("document.querySelector('.inspect').innerText"), re.S), "n does not find an instruction")
    b.js("document.getElementById('slots').scrollIntoView()")
    b.settle()
    check(b.js(path) != drawn, "figures do not follow")
    b.js("document.querySelector('#slots .plot').focus()")
    b.key("0")
    b.js("document.querySelector('.warps canvas').scrollIntoView()")
    b.settle()
    check(b.js(VIEW) == whole, "0 does not show everything")


# A line under every figure, details of the pixel, a window by dragging.
def check_pointer(b):
    b.js("document.querySelector('#ipc').scrollIntoView()")
    b.settle()
    x, y, w, h = b.js("(r => [r.x, r.y, r.width, r.height])(document.querySelector('#ipc .plot').getBoundingClientRect())")
    b.mouse("mouseMoved", x + w / 2, y + h / 2)
    b.settle()
    check(b.js("!document.getElementById('tip').hidden && /cycles/.test(document.getElementById('tip').innerText)"), "tooltip")
    check(b.js("!!document.querySelector('#ipc .cursor')"), "cursor")
    whole = b.js("[view.x0, view.x1]")
    b.mouse("mousePressed", x + w / 2, y + h / 2, button="left", clickCount=1)
    b.mouse("mouseMoved", x + w * 3 / 4, y + h / 2, buttons=1)
    b.mouse("mouseReleased", x + w * 3 / 4, y + h / 2, button="left", clickCount=1)
    b.settle()
    now = b.js("[view.x0, view.x1]")
    check(now[1] - now[0] < (whole[1] - whole[0]) / 2, "dragging: %s %s" % (whole, now))
    b.js("setView(0, longest)")
    b.mouse("mouseMoved", 1, 1)
    b.settle()


# The rows of warps by stage.
def check_stages(b):
    b.js("setView(0, longest)")
    b.js("document.querySelector('.warps canvas').scrollIntoView()")
    b.settle()
    choose = ("(s => { s.value = '%s'; s.dispatchEvent(new Event('change')); })"
              "(document.querySelector('#timeline select[aria-label=\"What the rows show\"]'))")
    waits = b.js("document.querySelector('.warps canvas').toDataURL()")
    b.js(choose % "stages")
    b.settle()
    check(b.js(PAINTED) > 5, "colours of the stages")
    check(b.js("document.querySelector('.warps canvas').toDataURL()") != waits, "stages look like waits")
    x, y, w, h = b.js("(r => [r.x, r.y, r.width, r.height])(document.querySelector('.warps canvas').getBoundingClientRect())")
    for what in ("for [0-9,]+ cycle|no instruction", "of the instructions in flight"):
        b.mouse("mouseMoved", x + 80, y + 5)
        b.settle()
        check(b.js("!document.getElementById('tip').hidden && /%s/.test(document.getElementById('tip').innerText)" % what),
              "the tooltip of a stage: " + b.js("document.getElementById('tip').innerText"))
        # where the page has no ways, the rows are of bins
        b.js("runs.forEach(r => { r.ways.to = r.ways.from + 1; })")
        b.js(choose % "stages")
        b.settle()
        check(b.js(PAINTED) > 5, "colours of the stages from far: " + what)
    b.js("setView(0, Math.round(longest / 20))")
    b.settle()
    check(b.js(PAINTED) > 3, "colours of the stages from near, without ways")
    b.js("setView(0, longest)")
    b.mouse("mouseMoved", 1, 1)
    b.js(choose % "waits")
    b.settle()
    check(b.js("document.querySelector('.warps canvas').toDataURL()") == waits, "waits do not come back")


# The focus comes to everything that can be used, and shows.
def check_tabs(b, page):
    b.open(page)
    met = set()
    for _ in range(400):
        b.key("Tab")
        here = b.js("(e => e === document.body ? '' : (e.closest('section') || e.closest('header') || e).id"
                    " + ' ' + e.tagName + ' ' + (getComputedStyle(e).outlineStyle !== 'none'))(document.activeElement)")
        if not here:
            break
        met.add(here.split(" ")[0] + " " + here.split(" ")[1].lower())
        check(here.endswith("true"), "the focus does not show: " + here)
    for want in ("slots svg", "pcs input", "pcs button", "timeline canvas"):
        check(want in met, "Tab does not reach: " + want)
    check(b.js("[...document.querySelectorAll('svg.plot, canvas[tabindex], button, select, input')]"
               ".every(e => e.getAttribute('aria-label') || e.textContent)"), "something has no label")


def check_theme(b):
    back = "getComputedStyle(document.body).backgroundColor"
    light = b.js(back)
    b.colours(True)
    b.settle()
    dark = b.js(back)
    check(light != dark, "dark is as light")
    b.js("document.getElementById('theme').focus()")
    b.key("Enter")
    check(b.js(back) == light, "the switch does nothing")
    b.key("Enter")
    b.js("document.querySelector('.warps canvas').scrollIntoView()")
    b.settle()
    check(b.js(PAINTED) > 3, "colours of the warps in the dark")
    b.colours(False)


# Colours of places and of states: by name, the same on all pages, and different on one.
def check_colours(pages):
    from browser import Browser, find

    if not find():
        return 77
    b = Browser(find())
    met = {}
    try:
        for page in pages:
            check(b.open(page), "the page does not get ready: " + str(b.errors))
            here = b.js("Object.fromEntries(placeRows.map(r => [r.name.split('.').slice(r.waits ? -2 : -1).join('.'), r.colour]))")
            for name, colour in here.items():
                check(met.setdefault(name, colour) == colour, "%s of %s: %s, elsewhere %s" % (name, page, colour, met[name]))
            check(len(set(here.values())) >= 0.7 * len(here), "places of one colour: " + str(here))
    finally:
        b.close()
    check(len(met) > 15, "few places: %d" % len(met))
    return 0


def check_width(b, width):
    b.size(width, 600 if width == 800 else 800)
    b.settle()
    check(b.js("document.documentElement.scrollWidth") <= width, "wider than %d" % width)
    check(b.js("[...document.querySelectorAll('.plot, .warps canvas')].every(e => e.getBoundingClientRect().width > 200"
               " && e.getBoundingClientRect().right <= %d)" % width), "a figure does not fit into %d" % width)
    check(not b.js(LINES), "three lines at a width of %d: %s" % (width, b.js(LINES)[:6]))


def check_browser(page):
    from browser import Browser, find

    if not find():
        return 77
    many = len(data_of(page)["runs"])
    b = Browser(find())
    try:
        check(b.open(page), "the page does not get ready: " + str(b.errors))
        check(b.asked == ["file://" + page], "the page asks for: " + str(b.asked))
        check_figures(b, many)
        check_files(b)
        check_sort(b)
        check_cores(b)
        check_stages(b)
        check_zoom(b)
        check_pointer(b)
        check_tabs(b, page)
        check_theme(b)
        for width in (1280, 800):
            check_width(b, width)
        check(not b.errors, "the console shows: " + str(b.errors))
        check(b.js("typeof hacked") == "undefined", "a name of the trace was run")
    finally:
        b.close()
    return 0


# A page with empty parts: each names the cause, and there is no other error.
def check_empty(page):
    from browser import Browser, find

    if not find():
        return 77
    b = Browser(find())
    try:
        check(b.open(page), "the page does not get ready: " + str(b.errors))
        check(b.js("!/NaN|undefined|Infinity|\\[object/.test(document.body.innerText)"), "a number is none")
        check(b.js("[...document.querySelectorAll('.empty')].every(e => e.innerText.length > 20)"), "an empty part is silent")
        check(b.js("document.querySelectorAll('.empty').length") > 0, "nothing is shown as missing")
        for name in SECTIONS:
            check(b.js("!!document.getElementById('%s').querySelector('.plot, .program, .core, canvas, table, .tiles, .empty')" % name), name)
        check(not b.errors, "the console shows: " + str(b.errors))
    finally:
        b.close()
    return 0


def main():
    if sys.argv[1] == "data":
        check_data(sys.argv[2], sys.argv[3:])
    elif sys.argv[1] == "colours":
        if check_colours(sys.argv[2:]) == 77:
            sys.exit(77)
    elif (check_empty if sys.argv[1] == "empty" else check_browser)(sys.argv[2]) == 77:
        sys.exit(77)
    sys.exit(1 if wrong else 0)


main()
