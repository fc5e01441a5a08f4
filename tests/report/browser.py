# browser.py - drives a Chromium without a window, for page.py
# SPDX-License-Identifier: BSD-2-Clause
#
# Uses the DevTools protocol over two pipes: messages are JSON, each ends with a zero byte.
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

KEYS = {"ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Enter": 13, "Tab": 9,
        "Escape": 27, "Home": 36, "End": 35}


def find():
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if shutil.which(name):
            return shutil.which(name)
    return None


class Browser:
    def __init__(self, program):
        self.folder = tempfile.mkdtemp(prefix="heddle-browser.")
        commands_in, self.commands = os.pipe()
        self.answers, answers_out = os.pipe()

        def before():
            # the program's ends have to be 3 and 4, and may be anything now
            a, b = os.dup2(commands_in, 30), os.dup2(answers_out, 31)
            os.dup2(a, 3)
            os.dup2(b, 4)

        self.process = subprocess.Popen(
            [program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--disable-extensions", "--no-first-run", "--remote-debugging-pipe", "--hide-scrollbars",
             "--force-color-profile=srgb", "--user-data-dir=" + self.folder, "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            preexec_fn=before, close_fds=False)
        os.close(commands_in)
        os.close(answers_out)
        self.rest = b""
        self.number = 0
        self.errors = []    # on the console
        self.asked = []     # addresses that were fetched
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = None
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")

    session = None

    def read(self, seconds):
        end = time.monotonic() + seconds
        while b"\0" not in self.rest:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.answers], [], [], left)[0]:
                raise TimeoutError("the browser does not answer")
            more = os.read(self.answers, 1 << 20)
            if not more:
                raise EOFError("the browser has ended")
            self.rest += more
        text, _, self.rest = self.rest.partition(b"\0")
        return json.loads(text)

    def notice(self, m):
        p = m.get("params", {})
        if m.get("method") == "Runtime.exceptionThrown":
            d = p["exceptionDetails"]
            self.errors.append(d.get("exception", {}).get("description", d.get("text", "?")))
        elif m.get("method") == "Runtime.consoleAPICalled" and p["type"] in ("error", "warning", "assert"):
            self.errors.append(" ".join(str(a.get("value", a.get("description"))) for a in p["args"]))
        elif m.get("method") == "Log.entryAdded" and p["entry"]["level"] in ("error", "warning"):
            self.errors.append(p["entry"]["text"])
        elif m.get("method") == "Network.requestWillBeSent":
            self.asked.append(p["request"]["url"])

    def call(self, method, **params):
        self.number += 1
        m = {"id": self.number, "method": method, "params": params}
        if self.session:
            m["sessionId"] = self.session
        os.write(self.commands, json.dumps(m).encode() + b"\0")
        while True:
            m = self.read(60)
            if m.get("id") == self.number:
                if "error" in m:
                    raise RuntimeError(method + ": " + m["error"]["message"])
                return m["result"]
            self.notice(m)

    def js(self, text):
        r = self.call("Runtime.evaluate", expression=text, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in r:
            raise RuntimeError(text + ": " + str(r["exceptionDetails"].get("exception", r)))
        return r["result"].get("value")

    # Two pictures of the screen later.
    def settle(self):
        self.js("new Promise(f => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(f, 0))))")

    def open(self, path, width=1280, height=800, dark=False):
        self.asked.clear()
        self.size(width, height)
        self.colours(dark)
        self.call("Page.navigate", url=path if "://" in path else "file://" + path)
        end = time.monotonic() + 300
        while not self.js("document.readyState === 'complete' && document.documentElement.dataset.ready === 'yes'"):
            if time.monotonic() > end:
                return False
            time.sleep(0.05)
        self.settle()
        return True

    def size(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def colours(self, dark):
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def key(self, key):
        code = KEYS.get(key, ord(key[0].upper()))
        text = {"Enter": "\r"}.get(key, key if len(key) == 1 else "")
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, windowsVirtualKeyCode=code, text=text)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code)
        self.settle()

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def close(self):
        try:
            self.session = None
            self.call("Browser.close")
        except (OSError, EOFError, TimeoutError, RuntimeError):
            pass
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
