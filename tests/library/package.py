"""package.py - tests of the Python package: SOURCE BUILD [unittest arguments]

SPDX-License-Identifier: BSD-2-Clause
"""
import contextlib
import importlib.util
import io
import json
import os
import re
import signal
import subprocess
import sys
import threading
import unittest
import warnings
from unittest import mock
from xml.etree import ElementTree

SOURCE, BUILD = sys.argv[1:3]
sys.path.insert(0, os.path.join(SOURCE, "python"))
os.environ["HEDDLE_DATA_PATH"] = os.path.join(SOURCE, "netlists")

import heddle  # noqa: E402
from heddle import _library, pictures  # noqa: E402

HEDDLE = os.path.join(BUILD, "heddle")
TRACES = os.path.join(SOURCE, "traces", "samples")
HIST, MATMUL, REDUCE, TINY = (os.path.join(TRACES, name, "kernelslist.g")
                             for name in ("hist", "matmul", "reduce", "tiny"))
try:
    import pandas
except ImportError:
    pandas = None


def program(*words):
    return subprocess.run([HEDDLE, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def greedy():
    """Half of the sub-cores are greedy: the example of docs/netlist.md."""
    core = heddle.Netlist("volta_sm.json", name="mixed")
    array = core.add("greedy", "scheduler_gto", count=2)
    core.link(array.port("warps"), "warps.state")
    core.rewire({"to": "scheduler.policy"}, to="scheduler[*].policy, " + array.port("policy"))
    core.rewire({"to": "sfu.in"}, index="any")
    return core.set({"scheduler.count": 2, "sfu.count": 8})


class Found(unittest.TestCase):
    def test_build_folder(self):
        self.assertTrue(_library.library_file().startswith(BUILD), _library.library_file())
        self.assertEqual(_library.program_file(), HEDDLE)
        self.assertIn(heddle.version(), program("--version").stdout)

    def test_version_of_the_package(self):
        with open(os.path.join(SOURCE, "python", "pyproject.toml")) as f:
            self.assertIn('\nversion = "%s"\n' % heddle.version(), f.read())


class Runs(unittest.TestCase):
    def test_bytes_of_the_program(self):
        for words, more in ([], {}), (["--set=sub_cores=2"], {}), (["--kernel=2-2"], {"kernels": 2}):
            core = heddle.Netlist("volta_sm.json")
            if "--set=sub_cores=2" in words:
                core = core.set("sub_cores", 2)
            program("run", "-q", "--stats=stats.json", *words, "volta_sm.json", REDUCE)
            with open("stats.json") as f:
                want = f.read()
            self.assertEqual(core.run(REDUCE, **more).text, want)
            self.assertEqual(core.run(REDUCE, threads=2, **more).text, want)
            core.run(REDUCE, **more).save("saved.json")
            with open("saved.json") as f:
                self.assertEqual(f.read(), want)

    def test_reasons(self):
        core = heddle.Netlist("volta_sm.json")
        plain, counted = core.run(REDUCE), core.run(REDUCE, reasons=True, kernels=True)
        self.assertEqual(plain.reasons, {})
        self.assertEqual(list(counted.reasons.values()), sorted(counted.reasons.values(), reverse=True))
        self.assertEqual(sum(k["reasons"]["single"] for k in counted.kernels), counted["issue.single"])
        self.assertEqual(plain.statistics, counted.statistics)
        caused = core.run(REDUCE, causes=True)
        self.assertEqual(caused.reasons, counted.reasons)
        self.assertLessEqual(sum(caused.causes["stall.full.BRA"].values()), caused.reasons["stall.full.BRA"])

    def test_statistics(self):
        for netlist in "volta_sm.json", "modern_sm.json", "southern_islands_cu.json", "quadro_gv100.json":
            result = heddle.Netlist(netlist).run(HIST)
            with heddle.Simulation(netlist, HIST) as s:
                self.assertTrue(s.run())
                self.assertEqual({path: round(value, 12) for path, (value, _) in s.values().items()},
                                 {path: round(value, 12) for path, value in result.statistics.items()})
                self.assertEqual({path: unit for path, (_, unit) in s.values().items()}, result.units)
                for path, about in s.meanings().items():
                    if not path.startswith("queues."):
                        self.assertEqual(about, result.meanings[path])
            self.assertEqual(result["sp[0].busy"] if netlist == "volta_sm.json" else 0, 0)
        self.assertEqual(result.ipc, result["warp_instructions"] / result.cycles)

    def test_a_limit(self):
        result = heddle.Netlist("volta_sm.json").run(HIST, max_cycles=100)
        self.assertEqual((result.status, result.finished, result.cycles), ("stopped at the cycle limit", False, 100))

    def test_slices_and_threads(self):
        with heddle.Simulation("volta_sm.json", REDUCE, reasons=True) as whole:
            whole.run()
            want = whole.text()
        found = []

        def run():
            with heddle.Simulation("volta_sm.json", REDUCE, reasons=True) as s:
                while not s.run(s.cycle + 700):
                    s.reasons()
                found.append(s.text())

        threads = [threading.Thread(target=run) for _ in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(found, [want] * 4)

    def test_interrupted(self):
        def interrupt(number, frame):
            raise KeyboardInterrupt

        with heddle.Simulation("quadro_gv100.json", MATMUL) as s:
            before = signal.signal(signal.SIGALRM, interrupt)
            signal.setitimer(signal.ITIMER_REAL, 0.02)
            try:
                self.assertRaises(KeyboardInterrupt, s.run)
            finally:
                signal.signal(signal.SIGALRM, before)
            self.assertFalse(s.finished)
            self.assertTrue(s.run())
            text = s.text()
        self.assertEqual(text, heddle.Netlist("quadro_gv100.json").run(MATMUL).text)

    def test_saved(self):
        with heddle.Simulation("volta_sm.json", HIST, saves=True) as s:
            self.assertFalse(s.run(1500))
            self.assertEqual(s.cycle, 1500)
            s.save("state")
            s.run()
            want = s.text()
        with heddle.Simulation("volta_sm.json", HIST, saves=True) as s:
            s.restore("state")
            self.assertTrue(s.run())
            self.assertEqual(s.text(), want)

    def test_frames(self):
        result = heddle.Netlist("volta_sm.json").run(REDUCE, reasons=True)
        if pandas is None:
            self.assertRaises(ImportError, result.frame)
            self.skipTest("there is no pandas")
        self.assertEqual(result.frame().loc["issue.stall", "value"], result["issue.stall"])
        self.assertEqual(result.frame().loc["sp[0].busy", "unit"], "cycles")
        kernels = result.kernel_frame()
        self.assertEqual(list(kernels["cycles"]), [k["cycles"] for k in result.kernels])
        self.assertEqual(kernels.attrs["units"]["cycles"], "cycles")
        self.assertEqual(kernels.attrs["units"]["issue.stall"], "cycles")
        self.assertEqual(kernels.attrs["units"]["reasons.single"], "issue slots")
        self.assertAlmostEqual(result.reason_frame()["share"].sum(), 1)


LOADED = 3 # times as long as the limit, for other programs run beside the tests; and time of processors is measured


class Costs(unittest.TestCase):
    def test_import(self):
        code = "import time; t = time.process_time(); import heddle; print(time.process_time() - t)"
        path = os.pathsep.join([os.path.join(SOURCE, "python"), *filter(None, [os.environ.get("PYTHONPATH")])])
        best = min(float(subprocess.run([sys.executable, "-c", code], check=True, text=True, stdout=subprocess.PIPE,
                                        env={**os.environ, "PYTHONPATH": path}).stdout) for _ in range(5))
        self.assertLess(best, LOADED * 0.050)
        print("import: %.1f ms" % (1000 * best), file=sys.stderr)

    def test_run(self):
        core = heddle.Netlist("volta_sm.json")

        def seconds(call):
            begin = sum(os.times()[:4])
            for _ in range(5): # clocks tick every 10 ms
                call()
            return (sum(os.times()[:4]) - begin) / 5

        pairs = [(seconds(lambda: core.run(HIST)), seconds(lambda: core.run(HIST, max_cycles=10 ** 9)),
                  seconds(lambda: program("run", "-q", "--stats=cost.json", "volta_sm.json", HIST))) for _ in range(5)]
        here, through, alone = (min(times) for times in zip(*pairs))
        print("a run: %.1f ms here, %.1f ms by the program, which takes %.1f ms" % (1000 * here, 1000 * through, 1000 * alone),
              file=sys.stderr)
        self.assertLess(here - alone, LOADED * 0.005)
        self.assertLess(through - alone, LOADED * 0.005)


class Pictures(unittest.TestCase):
    def test_svg(self):
        result = heddle.Netlist("volta_sm.json").run(REDUCE, reasons=True)
        for what in "reasons", "unit utilisation", "cache hits":
            drawn = pictures.svg(result._chart(what))
            names = [text.text for text in ElementTree.fromstring(drawn).iter("{http://www.w3.org/2000/svg}text")]
            self.assertIn("%s: volta_sm" % ("Where the issue slots went" if what == "reasons" else what), names)
        for bar in result._chart("reasons").bars:
            self.assertAlmostEqual(sum(bar.parts.values()), 1)
        whole = result._chart("reasons").bars[0].parts
        self.assertAlmostEqual(whole["single"], result["issue.single"] / sum(result.reasons.values()))
        self.assertRaises(ValueError, result.plot, "nothing")
        drawn.savefig("drawn.svg")
        with open("drawn.svg") as f:
            self.assertEqual(f.read(), drawn)
        self.assertIn("5,934", result._repr_html_())
        self.assertIn("<svg", heddle.Netlist("volta_sm.json")._repr_html_())
        self.assertIn("is not a parameter", heddle.Netlist("volta_sm.json").set("a.b", 1)._repr_html_())

    def test_roofline(self):
        result = heddle.Netlist("rtx_2060.json").run(REDUCE)
        issue, memory = result.peaks()
        self.assertEqual(issue, 30 * 4) # SMs, schedulers
        self.assertAlmostEqual(memory / (336.048e9 / 1365e6), 1, places=3) # the data sheet: 192 bits of 14 Gbit/s
        drawn = result._chart("roofline")
        for point, kernel in zip(drawn.points, result.kernels):
            self.assertAlmostEqual(point.speed, kernel["warp_instructions"] / kernel["cycles"])
            self.assertLessEqual(point.speed, min(issue, point.intensity * memory))
            self.assertEqual(point.name.split()[1], kernel["name"])
        self.assertIn("120 per cycle", pictures.svg(drawn))
        ElementTree.fromstring(pictures.svg(drawn))
        two = heddle.Netlist("volta_sm.json").run(REDUCE)
        self.assertRaises(ValueError, two.plot, "roofline")

    def test_memory(self):
        result = heddle.Netlist("rtx_2060.json").run(REDUCE)
        levels = result._chart("memory").levels
        self.assertEqual([level.name for level in levels], ["SM", "L1D \u00d730", "L2 \u00d724", "DRAM \u00d712"])
        read = sum(one["bytes_read"] for one in result.json["instances"].values() if "bytes_read" in one)
        self.assertEqual(levels[-1].flow[0], "%.1f KB read" % (read / 1000))
        reads = sum(one["accesses"] - one["writes"] for name, one in result.json["instances"].items() if name.endswith(".l1d"))
        self.assertEqual(levels[1].flow[0], "{:,} reads".format(reads))
        ElementTree.fromstring(pictures.svg(result._chart("memory")))
        self.assertIn("L1D", heddle.Netlist("volta_sm.json").run(REDUCE)._repr_html_())
        program("trace", "assemble", os.path.join(TRACES, "hopper", "ring.hasm"), "-o", "ring")
        bulk = heddle.Netlist("h100_sxm.json").run("ring/kernelslist.g")
        loaded = sum(one["loaded"] for one in bulk.json["instances"].values() if "loaded" in one)
        self.assertIn("TMA %.1f MB" % (loaded / 1e6), bulk._chart("memory").levels[0].lines)

    def test_pipeline(self):
        dump = heddle.Netlist("volta_sm.json").run(HIST, dump="drawn.hdump").dump
        text = dump.pipeline(warp=3, cycles=(100, 140))
        lines = text.rstrip("\n").split("\n")
        drawn = pictures.Lines(lines, lines[1].index("0"))
        self.assertIn((2, lines[2].index("EwW"), "E"), [letter[:3] for letter in drawn.letters()])
        self.assertNotIn("S", [letter for _, _, letter, _ in drawn.letters()]) # of SHF, in front of the columns
        self.assertEqual(len(list(ElementTree.fromstring(pictures.svg(drawn)).iter("{http://www.w3.org/2000/svg}text"))), len([line for line in lines if line]))
        text.savefig("pipeline.svg")
        ElementTree.parse("pipeline.svg")
        for shown in text, dump, dump.stalls(), heddle.Netlist("volta_sm.json"):
            self.assertIn("<", shown._repr_html_())

    def test_matplotlib(self):
        try:
            import matplotlib
        except ImportError:
            self.skipTest("there is no matplotlib")
        matplotlib.use("agg")
        figure = heddle.Netlist("volta_sm.json").run(REDUCE).plot()
        self.assertIsInstance(figure, matplotlib.figure.Figure)
        figure.savefig("drawn.png")
        gpu = heddle.Netlist("rtx_2060.json").run(REDUCE)
        for what in "roofline", "memory":
            self.assertIsInstance(gpu.plot(what), matplotlib.figure.Figure)
            gpu.plot(what).savefig("drawn.png")


class Mistakes(unittest.TestCase):
    def refused(self, kind, text, call, *arguments, **more):
        with self.assertRaises(kind) as raised:
            call(*arguments, **more)
        self.assertIn(text, str(raised.exception))
        return raised.exception

    def test_places(self):
        with open("wrong.json", "w") as f:
            f.write('{ "heddle": 1, "clocks": { "c": { "mhz": 1 } },\n  "instances": { "a": { "module": "warp" } } }\n')
        core = heddle.Netlist("wrong.json")
        for call in (core.run, core.check, core.flat, lambda: core.run(threads=2),
                     lambda: heddle.Simulation("wrong.json")):
            e = self.refused(heddle.BadInput, "did you mean 'warps'", call)
            self.assertEqual((e.file, e.line, e.column), ("wrong.json", 2, 35))
            self.assertEqual(e.messages[0].kind, "error")
        e = self.refused(heddle.BadInput, "did you mean", heddle.Netlist("volta_sm.json").set("sub_core", 2).run, HIST)
        self.assertIsNone(e.line)

    def test_of_netlists_in_python(self):
        core = heddle.Netlist("volta_sm.json", name="mine")
        core.add("extra", "scheduler_gt0")
        for call in core.run, core.check:
            e = self.refused(heddle.BadInput, "did you mean 'scheduler_gto'", call)
            self.assertEqual(e.file, "mine in Python")
            self.assertIn("scheduler_gt0", core.text().splitlines()[e.line - 1][e.column - 1:])
        with open("half.json", "w") as f:
            f.write('{ "heddle": 1,\n  "instances": ')
        e = self.refused(heddle.BadInput, "half.json:2:", heddle.Netlist.open, "half.json")
        self.assertEqual((e.file, e.line), ("half.json", 2))
        self.assertRaises(ValueError, core.add, "extra", "scheduler_gto")
        self.assertRaises(ValueError, core.add, "other")
        self.assertRaises(ValueError, heddle.Netlist().remove, "a")
        self.assertRaises(ValueError, core.set("watchdog", float("nan")).run, HIST)

    def test_of_runs(self):
        core = heddle.Netlist("volta_sm.json")
        self.refused(heddle.BadInput, "No such file", core.run, "nowhere.g")
        self.refused(heddle.BadInput, "no statistic 'issue.stal'; did you mean 'issue.stall'?",
                     core.run(TINY).__getitem__, "issue.stal")
        with heddle.Simulation("volta_sm.json", TINY) as s:
            self.refused(heddle.BadInput, "did you mean 'l1d.hits'?", s.__getitem__, "l1d.hit")
        self.refused(heddle.BadCall, "expected one of them", heddle.Simulation, "volta_sm.json", TINY, saves=True,
                     reasons=True)
        self.assertRaises(ValueError, core.run, TINY, program=["true"])

    def test_deadlock(self):
        core = heddle.Netlist("volta_sm.json", name="stuck") # the memory's clock is never opened
        core.clock("shut", of="core", gate="dispatcher")
        core.rewire({"to": "load_store.response"}, latency=1)
        core.rewire({"to": "memory.request"}, staged=True)
        core = core.set({"memory.clock": "shut", "watchdog": 500})
        for more in {}, {"threads": 2}:
            e = self.refused(heddle.Deadlock, "deadlock", core.run, HIST, **more)
            self.assertEqual(e.result.status, "deadlock")
            self.assertGreater(e.result.cycles, 100)

    def test_unused(self):
        core = heddle.Netlist("volta_sm.json")
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            core.set("sub_cores", 2)
            self.assertEqual(len(caught), 1)
            core.set("sub_cores", 2).set("warps", 32).changes # noqa: B018
            self.assertEqual(len(caught), 1)


class Netlists(unittest.TestCase):
    def test_set_leaves_it(self):
        core = heddle.Netlist("volta_sm.json")
        two = core.set("sub_cores", 2)
        self.assertNotEqual(core.run(HIST).cycles, two.run(HIST).cycles)
        self.assertEqual(core.changes, [])

    def test_extending(self):
        core = greedy()
        self.assertEqual(core.check(), [])
        core.write("mixed.json")
        self.assertEqual(heddle.Netlist("mixed.json").diff(core), "")
        self.assertIn("instance greedy is new", heddle.Netlist("volta_sm.json").diff(core))
        self.assertEqual(heddle.Netlist("mixed.json").run(HIST).text, core.run(HIST).text)
        self.assertEqual(core.run(HIST).json["netlist"], "mixed")
        self.assertEqual(core.flat().instances["greedy"].module, "scheduler_gto")
        self.assertEqual(core.flat().run(HIST).statistics, core.run(HIST).statistics)
        self.assertTrue(core.draw().startswith("<svg"))
        with open("mixed.json") as f:
            text = f.read()
        self.assertIn('"instances": {"greedy": {"module": "scheduler_gto", "count": 2}},\n', text)
        self.assertLessEqual(max(map(len, text.splitlines())), 120)
        os.mkdir("below")
        deeper = heddle.Netlist("mixed.json")
        deeper.add("more", "scheduler_gto")
        deeper.write("below/deeper.json")
        with open("below/deeper.json") as f:
            self.assertEqual(json.load(f)["extends"], "../mixed.json")

    def test_composed(self):
        gpu = heddle.Netlist(name="two")
        gpu.clock("core", mhz=1000)
        sms = gpu.add("sm", netlist="sm.json", count=2, params={"warps": 32}, clocks={"core": "core"})
        gpu.add("memory", "memory_perfect", count=2, clock="core")
        gpu.link(sms.port("request"), "memory[*].request", capacity=32)
        self.assertEqual(sms.port("request", "0..1"), "sm[0..1].request")
        sms.params["warps"] = 16
        self.assertEqual(gpu.data["instances"]["sm"]["params"], {"warps": 16})
        self.assertEqual([link["to"] for link in gpu.links], ["memory[*].request"])
        with self.assertRaises(heddle.BadInput) as raised:
            gpu.check()
        self.assertIn("is left open", str(raised.exception))
        self.assertRaises(ValueError, gpu.set("core.mhz", 2).write, "two.json")

    def test_in_place(self):
        core = heddle.Netlist.open(os.path.join(SOURCE, "netlists", "sm.json"))
        self.assertEqual(core.instances["issue"].count, "$sub_cores")
        self.assertEqual(core.instances["issue"].port("out"), "issue[*].out")
        core.params["warps"] = 16
        core.write("sm16.json")
        before = heddle.Netlist(os.path.join(SOURCE, "netlists", "sm.json"))
        self.assertIn("warps", before.diff(heddle.Netlist("sm16.json")))

    def test_layout_is_a_netlist(self):
        for name in os.listdir(os.path.join(SOURCE, "netlists")):
            if name.endswith(".json"):
                core = heddle.Netlist.open(os.path.join(SOURCE, "netlists", name))
                self.assertEqual(json.loads(core.text()), core.data)


class Studies(unittest.TestCase):
    def test_sweep(self):
        study = heddle.sweep({"volta": "volta_sm.json", "mixed": greedy()}, [HIST, TINY],
                             {"collector.sets[0].units": range(4, 9, 4)}, folder="units", name="units", jobs=1)
        self.assertEqual([p["status"] for p in study.points], ["finished"] * 8)
        one = next(p for p in study.points if p["netlist"] == "mixed" and p["trace"] == "hist"
                   and p["values"]["collector.sets[0].units"] == 4)
        self.assertEqual(one["cycles"], greedy().set("collector.sets[0].units", 4).run(HIST).cycles)
        rows = study.table("cycles", "issue.stall", "sp[*].busy")
        self.assertEqual(rows[0]["cycles"], study.points[0]["cycles"])
        self.assertEqual({row["collector.sets[0].units"] for row in rows}, {4, 8})
        self.assertTrue(all(row["issue.stall"] is not None for row in rows))
        self.assertEqual(len(study.table("cycles", kernels=True)), 8)
        self.assertIn("8 points: 8 finished", study.status())
        self.assertEqual(heddle.Study("units").points, study.points)
        self.assertIn("cycles", heddle.compare("units:1", "units:3"))
        if pandas is not None:
            self.assertEqual(study.frame("cycles").attrs["units"], {"cycles": "cycles"})

    def test_correlate(self):
        points = os.path.join(SOURCE, "examples", "correlate.json")
        found = heddle.correlate(points, folder="measured", page="page.html")
        with open("of_program.json", "wb") as f:
            f.write(subprocess.run([HEDDLE, "correlate", "-q", "--json=-", "-f", "measured", points],
                                   stdout=subprocess.PIPE).stdout)
        with open("of_program.json") as f:
            self.assertEqual(found, json.load(f))
        self.assertTrue(os.path.exists("page.html"))
        self.assertRaises(heddle.BadInput, heddle.correlate, "nowhere.csv", netlist="volta_sm.json")

    def test_slurm(self):
        os.mkdir("fake")
        for name, answer in ("sbatch", 'for word; do echo "$word"; done >fake/arguments; echo 12'), ("squeue", ":"):
            with open("fake/" + name, "w") as f:
                f.write("#!/bin/sh\n%s\n" % answer)
            os.chmod("fake/" + name, 0o755)
        with mock.patch.dict(os.environ, {"PATH": os.path.abspath("fake") + ":" + os.environ["PATH"]}):
            study = heddle.sweep("volta_sm.json", [HIST, TINY], folder="far", slurm=["--partition=short"], chunk=1)
            with open("fake/arguments") as f:
                self.assertIn("--partition=short\n", f.readlines())
            self.assertIn("2 points: 2 not run", study.status())
            program("sweep", study.study, "-o", "far", "--points=2") # as a task does
            self.assertIn("2 points: 1 finished, 1 not run", study.status())
            self.assertEqual([p["trace"] for p in study.collect().points], ["tiny"])

    def test_what_goes_wrong_is_a_result(self):
        study = heddle.sweep("volta_sm.json", TINY, {"collector.sets[0].units": [2, 8]}, jobs=1)
        self.assertEqual([p["status"] for p in study.points], ["refused", "finished"])
        self.assertIn("cannot be divided", study.points[0]["message"])
        with self.assertRaises(heddle.BadInput) as raised:
            heddle.sweep("volta_sm.json", TINY, {"collectr.units": [2, 8]}, jobs=1)
        self.assertEqual(os.path.basename(raised.exception.file), "study.json")


class Dumps(unittest.TestCase):
    def test_query(self):
        result = heddle.Netlist("volta_sm.json").run(HIST, dump="run.hdump", reasons=True)
        rows = result.dump.query("SELECT reason, sum(n) AS n FROM v_slot WHERE kind = ? GROUP BY reason", ["single"])
        self.assertEqual(rows, [{"reason": "single", "n": result.reasons["single"]}])
        self.assertEqual(result.text, heddle.Netlist("volta_sm.json").run(HIST, reasons=True, dump="other.hdump").text)
        dump = heddle.Dump("run.hdump", database="run.db")
        self.assertEqual(dump.query("SELECT count(*) AS n FROM inst WHERE issue IS NOT NULL")[0]["n"],
                         result["warp_instructions"])
        self.assertTrue(os.path.exists("run.db"))
        self.assertIn("single", dump.stalls())
        self.assertEqual(dump.pipeline(warp=3, cycles=(100, 140)),
                         program("dump", "run.hdump", "--pipeline", "--warp=3", "--between=100-140").stdout)
        self.assertIn("volta_sm", dump.info())
        self.assertIn("all issue slots", heddle.compare(dump, result, stalls=True))
        with self.assertRaises(heddle.BadInput) as raised:
            dump.query("SELECT absent FROM inst")
        self.assertIn("no such column", str(raised.exception))
        self.assertRaises(heddle.BadInput, heddle.Dump("nowhere.hdump").query, "SELECT 1")


class Page(unittest.TestCase):
    def test_commands(self):
        with open(os.path.join(SOURCE, "docs", "python.md"), encoding="utf-8") as f:
            blocks = re.findall(r"^```python( matplotlib)?\n(.*?)^```\n(?:```text\n(.*?)^```)?", f.read(), re.M | re.S)
        self.assertGreater(len(blocks), 5)
        names = {}
        for needed, code, want in blocks:
            if needed and importlib.util.find_spec("matplotlib") is None:
                continue
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                exec(compile(code, "python.md", "exec"), names)
            pattern = "".join(".*" if part == "..." else re.escape(part) for part in re.split(r"(\.\.\.)", want))
            self.assertIsNotNone(re.fullmatch(pattern, printed.getvalue(), re.S), code + printed.getvalue())


class Notebooks(unittest.TestCase):
    def test_cells(self):
        folder = os.path.join(SOURCE, "examples", "notebooks")
        notebooks = sorted(name for name in os.listdir(folder) if name.endswith(".ipynb"))
        self.assertEqual(len(notebooks), 3)
        for name in notebooks:
            with open(os.path.join(folder, name), encoding="utf-8") as f:
                cells = json.load(f)["cells"]
            names = {}
            for cell in cells:
                if cell["cell_type"] == "code":
                    self.assertEqual((cell["outputs"], cell["execution_count"]), ([], None), name)
                    with contextlib.redirect_stdout(io.StringIO()):
                        exec(compile("".join(cell["source"]), name, "exec"), names)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
