#!/usr/bin/env python3
# web_browser.py - tries the page of heddle monitor --web, for web_browser.sh
# SPDX-License-Identifier: BSD-2-Clause
#
# usage: web_browser.py HEDDLE SOURCE, in a folder with long/kernelslist.g and ring/
import os
import signal
import subprocess
import sys
import time

import browser

HEDDLE, SOURCE = sys.argv[1], sys.argv[2]
VOLTA = SOURCE + "/netlists/volta_sm.json"
FAILED = []


def check(holds, what):
    if not holds:
        FAILED.append(what)
        print("FAIL:", what)


def until(f, what, seconds=300):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        v = f()
        if v:
            return v
        time.sleep(0.05)
    check(False, "never: " + what)
    return None


class Run:
    """A run that waits, and a monitor of it."""

    def __init__(self, *arguments, env=None):
        self.errors = open("run.err", "w+")
        self.run = subprocess.Popen([HEDDLE, "run", "-q", "--monitor", "s", "--monitor-wait", *arguments],
                                    stderr=self.errors, env=dict(os.environ, **(env or {})))
        until(lambda: self.monitor("status").returncode == 0 or self.run.poll() is not None, "a run")
        self.web = subprocess.Popen([HEDDLE, "monitor", "--web", "0", "--interval", "100", "s"],
                                    stdout=subprocess.PIPE, text=True)
        self.address = self.web.stdout.readline().strip()

    @staticmethod
    def monitor(*words):
        return subprocess.run([HEDDLE, "monitor", "s", *words], capture_output=True, text=True)

    def end(self, status, what):
        code = self.web.wait(30)
        check(code == status, "%s: exit status %d of the monitor" % (what, code))
        if self.run.poll() is None:
            self.run.kill()
        self.run.wait()


def text(b, part):
    return b.js("document.getElementById('%s').textContent" % part)


def shown_cycle(b):
    return int(b.js("document.documentElement.dataset.cycle"))


def fits(b, what):
    check(b.js("document.documentElement.scrollWidth <= innerWidth"), what + ": wider than the window")


def open_page(b, run, *size, **more):
    check(b.open(run.address, *size, **more), "the page is not ready")
    check(not b.errors, "errors on the console: %s" % b.errors)
    other = [a for a in b.asked if not a.startswith(run.address) and not a.startswith("data:")]
    check(not other, "fetched from elsewhere: %s" % other)


def controls(b):
    run = Run("--dump", "x.hdump", VOLTA, "long/kernelslist.g")
    open_page(b, run, 1280, 800)
    check(text(b, "state") == "paused" and text(b, "netlist") == "volta_sm", "the head of the page")
    # keys
    b.key("s")
    until(lambda: shown_cycle(b) == 1, "cycle 1 after s")
    b.key("S")
    until(lambda: shown_cycle(b) == 1001, "cycle 1001 after S")
    b.key("u")
    check(b.js("document.activeElement.id") == "goal", "u does not lead to the field of the cycle")
    for digit in "3000":
        b.key(digit)
    b.key("Enter")
    until(lambda: shown_cycle(b) == 3000, "cycle 3000")
    b.key("Escape")
    # what is shown is what the socket answers
    rows = b.js("[...document.querySelectorAll('#buffers tbody tr')].map(r => r.cells[0].textContent + ' ' + "
                "r.cells[1].textContent + (r.cells[2].textContent ? ' of ' + r.cells[2].textContent : '') + ' ' + r.cells[4].textContent)")
    check("\n".join(rows) + "\n" == run.monitor("buffers").stdout, "the table of buffers: %s" % rows)
    check("load_store" in text(b, "waits") and "it takes one instruction a cycle" in text(b, "waits"), "who waits")
    ipc = run.monitor("status").stdout
    check("3,000" in text(b, "figures") and "paused" in ipc, "the figures")
    # an instance, by the keyboard
    b.js("document.querySelector('.instance[data-path=collector]').focus()")
    b.key("Enter")
    until(lambda: "waits for operands" in text(b, "about") or "waits for its function unit" in text(b, "about"),
          "what the collector has pending")
    collected = run.monitor("counters", "collector.collected").stdout.split()[1]
    check("{:,}".format(int(collected)) in text(b, "about"), "counters of the collector")
    picture(b, run)
    # a refusal
    b.js("document.getElementById('goal').value = 5; document.getElementById('until').click()")
    until(lambda: "cycle 5 has passed" in text(b, "answer"), "a refusal")
    # the dump
    check(b.js("document.getElementById('dump').getAttribute('aria-pressed')") == "true", "recording")
    b.key("d")
    until(lambda: b.js("document.getElementById('dump').getAttribute('aria-pressed')") == "false", "d does not stop recording")
    check('"recording":false' in run.monitor("--json", "status").stdout, "the run still records")
    # it runs, and the page follows
    b.js("document.getElementById('resume').click()")
    until(lambda: text(b, "state") == "running", "running")
    begin = shown_cycle(b)
    until(lambda: shown_cycle(b) > begin + 1000, "the page follows")
    b.key("p")
    until(lambda: text(b, "state") == "paused", "paused by p")
    cycle = shown_cycle(b)
    check("cycle {:,}, paused".format(cycle) in run.monitor("status").stdout, "the cycle of a pause")
    # another client
    run.monitor("step", "7")
    until(lambda: shown_cycle(b) == cycle + 7, "a step of another client")
    # while nothing happens nothing is sent
    b.asked.clear()
    time.sleep(1.5)
    b.js("0")
    check(len(b.asked) <= 1, "%d requests while the run is paused" % len(b.asked))
    for width in (800, 1280):
        for dark in (False, True):
            b.size(width, 800)
            b.colours(dark)
            b.settle()
            fits(b, "%d pixels" % width)
            check(b.js("document.documentElement.dataset.theme") == ("dark" if dark else "light"), "light or dark")
    check(not b.errors, "errors on the console: %s" % b.errors)
    os.kill(run.web.pid, signal.SIGINT)
    until(lambda: "monitor was ended" in text(b, "notice"), "the end of the monitor")
    check(run.monitor("status").returncode == 0, "the run ended with the monitor")
    run.end(0, "SIGINT")
    b.errors.clear()


def picture(b, run):
    boxes = b.js("[...document.querySelectorAll('.instance')].map(e => [e.dataset.path, e.getAttribute('class')])")
    states = dict(boxes)
    check("waits" in states.get("collector", ""), "the collector waits: %s" % states.get("collector"))
    waiting = {w.split(".")[0].split("[")[0] for w in run.monitor("waits").stdout.split("\n") if w}
    shown = {p.split("[")[0] for p, c in boxes if "waits" in c.split()}
    check(waiting == shown, "who waits in the picture: %s, not %s" % (shown, waiting))
    fill = b.js("page.core.links.filter(l => l.text).map(l => [l.element.dataset.from, l.element.dataset.to, l.text.textContent])")
    check(["collector.out", "load_store.in", "4/4"] in fill, "what the buffer of load_store holds: %s" % fill)
    known = b.js("page.run.buffers.filter((x, i) => x.from && !page.core.links.some(l => l.buffers.includes(i))).map(x => x.name)")
    check(known == [], "buffers that no link shows: %s" % known)
    check(b.js("page.run.buffers.flatMap(x => x.from ? [...x.from, ...x.to] : []).filter(p => !page.core.boxOf(instanceOf(p)))") == [],
          "instances that no box shows")


def ends(b):
    run = Run(VOLTA, SOURCE + "/traces/samples/reduce/kernelslist.g")
    open_page(b, run, 1280, 800, dark=True)
    b.key("r")
    until(lambda: "The run has ended: finished" in text(b, "notice"), "the end of the run")
    check(b.js("['pause', 'resume', 'step', 'until', 'dump'].every(i => document.getElementById(i).disabled)"), "controls after the end")
    run.end(0, "the end")
    time.sleep(0.5)
    check(not b.errors, "errors on the console: %s" % b.errors)


def killed(b):
    run = Run(VOLTA, "long/kernelslist.g")
    open_page(b, run, 800, 800)
    b.key("r")
    until(lambda: shown_cycle(b) > 0, "a cycle")
    run.run.kill()
    until(lambda: "The run is gone" in text(b, "notice"), "the end of a run that is killed")
    run.end(1, "SIGKILL")
    b.errors.clear()


def deadlock(b):
    run = Run("--set", "load=600", "--set", "router.first=terminal", "ring/ring.json", env={"HEDDLE_MODULE_PATH": "ring"})
    open_page(b, run, 1280, 800)
    b.key("r")
    until(lambda: text(b, "state") == "deadlock", "a deadlock", 60)
    notice = text(b, "notice")
    check("Nothing has happened since cycle 1,0" in notice and "wait in a circle" in notice and "router[0]" in notice,
          "the deadlock in words: " + notice[:300])
    dead = b.js("[...document.querySelectorAll('.instance.dead')].map(e => e.dataset.path)")
    links = b.js("[...document.querySelectorAll('.link.dead')].map(e => [e.dataset.from, e.dataset.to])")
    check(dead and all(d.startswith("router") for d in dead), "instances of the circle: %s" % dead)
    check(links and all(x.startswith("router") and y.startswith("router") for x, y in links), "links of the circle: %s" % links)
    fits(b, "a deadlock")
    run.end(0, "a deadlock")


def main():
    b = browser.Browser(browser.find())
    try:
        controls(b)
        ends(b)
        killed(b)
        deadlock(b)
    finally:
        b.close()
    return 1 if FAILED else 0


sys.exit(main())
