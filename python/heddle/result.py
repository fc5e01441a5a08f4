"""result.py - what a run has counted

SPDX-License-Identifier: BSD-2-Clause
"""
from __future__ import annotations

import contextlib
import json
import os
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from . import _program, pictures
from ._program import File
from .dump import Dump, Text
from .errors import BadInput, Deadlock, Error, Failed, Message, parse
from .simulation import Number, Simulation, by_count

if TYPE_CHECKING:
    from pandas import DataFrame

    from .netlist import Netlist
    from .study import Study

_DRAWN = 20 # kernels in a picture
_SECTOR = 32 # bytes of a request

def frames() -> Any:
    """The module pandas, which only data frames need."""
    try:
        import pandas
    except ImportError:
        raise ImportError("data frames need pandas; the same is there as dictionaries without it") from None
    return pandas


class Result:
    """What a run has counted: figures by path, kernels, reasons for lost issue slots.

    result["issue.stall"], result["sp[0].busy"], result["queues.slice[0].rop.mean"] are single statistics.
    """

    def __init__(self, text: str, netlist: Netlist, messages: str = "", output: str = "",
                 dump: Optional[Dump] = None) -> None:
        #: the bytes of heddle run --stats
        self.text = text
        self.netlist = netlist
        #: warnings
        self.messages: List[Message] = parse(messages)
        #: what the CUDA program printed
        self.output = output
        #: the recorded run, if there is one
        self.dump = dump
        self._json: Optional[Dict[str, Any]] = None
        self._meanings: Optional[Dict[str, Tuple[str, str]]] = None

    @property
    def json(self) -> Dict[str, Any]:
        """The statistics as heddle run --stats writes them (docs/statistics.md)."""
        if self._json is None:
            self._json = json.loads(self.text)
        assert self._json is not None
        return self._json

    @property
    def status(self) -> str:
        """"finished", "stopped at the cycle limit", "deadlock", "failed" ..."""
        return str(self.json["status"])

    @property
    def finished(self) -> bool:
        """All work was done."""
        return self.status == "finished"

    @property
    def cycles(self) -> int:
        """The time of the run, in periods of the netlist's first clock."""
        return int(self.json["cycles"])

    @property
    def ipc(self) -> float:
        """Warp instructions per cycle, of all SMs; of a netlist that issues none 0."""
        return float(self.json.get("warp_instructions", 0)) / max(self.cycles, 1)

    def _find(self, path: str) -> Optional[Number]:
        at: Any = self.json
        for part in path.split("."):
            at = at.get(part) if isinstance(at, dict) else None
        for group in ("instances", "queues"):
            if at is None or isinstance(at, (dict, list, str)):
                name, _, statistic = (path[7:] if group == "queues" else path).rpartition(".")
                at = self.json.get(group, {}).get(name, {}).get(statistic)
        return at if isinstance(at, (int, float)) else None

    def __getitem__(self, path: str) -> Number:
        found = self._find(path)
        if found is None:
            import difflib

            near = difflib.get_close_matches(path, self.meanings, 1)
            raise BadInput("heddle: error: no statistic '%s'%s" % (path, "; did you mean '%s'?" % near[0] if near else
                           "; result.statistics has all of them"))
        return found

    @property
    def meanings(self) -> Dict[str, Tuple[str, str]]:
        """Unit and meaning of every statistic, by path; the unit of a share is ""."""
        if self._meanings is None:
            self._meanings = _meanings(self.json)
        return self._meanings

    @property
    def statistics(self) -> Dict[str, Number]:
        """Every statistic by its path: figures of the run, of instances, of queues."""
        found = ((path, self._find(path)) for path in self.meanings)
        return {path: value for path, value in found if value is not None}

    @property
    def units(self) -> Dict[str, str]:
        """The unit of every statistic, by path."""
        return {path: unit for path, (unit, _) in self.meanings.items()}

    @property
    def kernels(self) -> List[Dict[str, Any]]:
        """Of each kernel a dictionary: id, name, cycles, warp_instructions, statistics, figures, rates, reasons."""
        return list(self.json.get("kernels", []))

    @property
    def reasons(self) -> Dict[str, int]:
        """How issue slots were used, the most frequent first: reason -> slots.  Empty if they were not counted."""
        return by_count(self.json.get("reasons", {}))

    @property
    def causes(self) -> Dict[str, Dict[str, int]]:
        """What stands behind a reason: reason -> cause -> slots, of a run with causes=True."""
        return dict(self.json.get("causes", {}))

    def save(self, file: File) -> None:
        """Writes the bytes of heddle run --stats, which heddle compare reads."""
        part = os.fspath(file) + ".part"
        with open(part, "w", encoding="utf-8") as f:
            f.write(self.text)
        os.replace(part, file)

    # ---- data frames ----

    def frame(self) -> DataFrame:
        """Every statistic: columns value, unit, doc by path."""
        rows = [(value, *self.meanings[path]) for path, value in self.statistics.items()]
        return frames().DataFrame(rows, index=list(self.statistics), columns=["value", "unit", "doc"])

    def kernel_frame(self) -> DataFrame:
        """A row for each kernel: its numbers, figures, shares (rates) and reasons.  attrs["units"] has the units."""
        rows = [_flat(kernel) for kernel in self.kernels]
        made = frames().DataFrame(rows)
        made.attrs["units"] = {column: self._unit(column) for column in made.columns}
        return made

    def _unit(self, column: str) -> str:
        if column.startswith("reasons."):
            return "issue slots"
        return "cycles" if column.endswith("cycles") else self.meanings.get(column, ("", ""))[0]

    def reason_frame(self) -> DataFrame:
        """Issue slots and their share by reason.  attrs["units"] has the units."""
        reasons = self.reasons
        total = max(sum(reasons.values()), 1)
        rows = [(slots, slots / total) for slots in reasons.values()]
        made = frames().DataFrame(rows, index=list(reasons), columns=["slots", "share"])
        made.attrs["units"] = {"slots": "issue slots", "share": ""}
        return made

    # ---- pictures ----

    def _rows(self) -> Tuple[List[Tuple[str, Dict[str, Any]]], str]:
        """The longest kernels with their names; what a title says of them."""
        kernels = self.kernels
        longest = sorted(range(len(kernels)), key=lambda i: -int(kernels[i].get("cycles", 0)))[:_DRAWN]
        rows = [("%s %s" % (kernels[i].get("id", ""), kernels[i].get("name", "")), kernels[i]) for i in sorted(longest)]
        of = str(self.json.get("netlist"))
        if len(rows) < len(kernels):
            of += ", the %d longest of %d kernels" % (len(rows), len(kernels))
        return rows, of

    def peaks(self) -> Tuple[float, float]:
        """What the netlist can do at most, per period of its first clock: warp instructions that its schedulers issue,
        and bytes that its memory channels move."""
        flat = self.netlist.flat()
        clocks, first = flat.clocks, next(iter(flat.clocks))

        def rate(name: str) -> float:
            clock = clocks[name]
            if "of" in clock:
                return rate(clock["of"]) * float(clock.get("times", 1))
            return float(clock.get("mhz") or clock["hz"] / 1e6)

        schedulers = {name for name, module in self.json.get("modules", {}).items()
                      if any(about.get("total") == "issue.single" for about in module["statistics"].values())}
        issue = sum((i.count or 1) * i.params.get("width", 1) * rate(i.data.get("clock", first)) / rate(first)
                    for i in flat.instances.values() if i.module in schedulers)
        found = [_traffic(k) / k["cycles"] / share for k in self.kernels
                 for share in k.get("rates", {}).get("memory bandwidth", {}).values() if share > 0]
        if not found or not issue:
            raise ValueError("no roofline: expected kernels that move bytes of memory channels, as those of whole GPUs do")
        return issue, max(found)

    def _roofline(self) -> pictures.Roofline:
        rows, of = self._rows()
        issue, memory = self.peaks()
        points = [pictures.Point(name, k["warp_instructions"] / _traffic(k), k["warp_instructions"] / k["cycles"])
                  for name, k in rows if _traffic(k) > 0 and k["warp_instructions"] > 0]
        return pictures.Roofline("Roofline: " + of, memory, issue, points)

    def _memory(self) -> pictures.Levels:
        total: Dict[str, Dict[str, int]] = {}
        for kernel in self.kernels:
            for name, figures in kernel.get("statistics", {}).items():
                own = total.setdefault(name, {})
                for figure, n in figures.items():
                    own[figure] = own.get(figure, 0) + n
        counts = {name: array["count"] for name, array in self.json.get("arrays", {}).items()}
        lines = ["{:,} instructions".format(self.json.get("warp_instructions", 0))]
        levels = [pictures.Level("SM", lines, [])]
        channels = []
        for name, figures in total.items(): # what copies to shared memory, and what reaches that of other SMs
            n = figures.get("loaded", 0) + figures.get("stored", 0) if "commands" in figures else figures.get("bytes", 0)
            if n and ("commands" in figures or "packets" in figures):
                lines.append("%s %s" % (name.split(".")[-1].replace("[*]", "").upper(), _bytes(n)))
        for name, figures in total.items():
            short = name.split(".")[-1].replace("[*]", "").upper()
            short += " \u00d7%d" % counts[name] if counts.get(name, 1) > 1 else ""
            if "bytes_read" in figures or "bytes_written" in figures:
                read, written = figures.get("bytes_read", 0), figures.get("bytes_written", 0)
                channels.append(pictures.Level(short, [
                    "%.1f %% of the peak" % (100 * figures.get("bus_busy", 0) / max(figures.get("ticks", 1), 1)),
                    "%.1f %% row hits" % (100 * figures.get("row_hits", 0) / max(figures.get("assigned", 1), 1))],
                    [_bytes(read) + " read", _bytes(written) + " written"]))
            elif "accesses" in figures and "misses" in self.units_of(name):
                writes = figures.get("writes", 0)
                levels.append(pictures.Level(short, [
                    "%.1f %% hits" % (100 * figures.get("hits", 0) / max(figures["accesses"], 1)),
                    "{:,} pending hits".format(figures.get("reserved_hits", 0))],
                    ["{:,} reads".format(figures["accesses"] - writes), "{:,} writes".format(writes),
                     _bytes(figures["accesses"] * _SECTOR)]))
        if len(levels) + len(channels) == 1:
            raise ValueError("no memory chart: no cache and no memory channel of '%s' was used" % self.json.get("netlist"))
        return pictures.Levels("Memory: %s" % self.json.get("netlist"), levels + channels)

    def units_of(self, name: str) -> Dict[str, str]:
        """The units of the statistics of an instance or an array, "sp[*]", by name."""
        array = self.json.get("arrays", {}).get(name) or self.json["instances"].get(name) or {}
        module = self.json.get("modules", {}).get(array.get("module"), {"statistics": {}})
        return {statistic: about["unit"] for statistic, about in module["statistics"].items()}

    def _chart(self, what: str) -> pictures.Picture:
        if what == "roofline":
            return self._roofline()
        if what == "memory":
            return self._memory()
        rows, of = self._rows()
        if what == "reasons":
            slots = [("whole run", self.reasons or self.json.get("issue", {})),
                     *((name, k.get("reasons") or k.get("figures", {}).get("issue", {})) for name, k in rows)]
            bars = [pictures.Bar(name, pictures.shares(found)) for name, found in slots[:None if len(rows) > 1 else 1]]
            return pictures.Chart("Where the issue slots went: " + of, "share of issue slots", bars)
        groups = sorted({group for _, k in rows for group in k.get("rates", {})})
        if what not in groups:
            raise ValueError("no chart of '%s'; there are reasons, roofline, memory, %s" % (what, ", ".join(groups)))
        bars = [pictures.Bar(unit if len(rows) == 1 else "%s: %s" % (name, unit), {"": share})
                for name, k in rows for unit, share in k["rates"].get(what, {}).items() if share > 0]
        return pictures.Chart("%s: %s" % (what, of), "share", bars)

    def plot(self, what: str = "reasons") -> Any:
        """A figure of matplotlib where that is there, else SVG; both have savefig().  what: "reasons", how the issue
        slots of the run and each kernel were used; "roofline", each kernel below the peaks of the netlist; "memory",
        the levels of the memory and what flows between them; or a group of shares of kernels: "unit utilisation",
        "cache hits" ..."""
        return pictures.draw(self._chart(what))

    def _repr_html_(self) -> str:
        figures = [("status", self.status), ("cycles", "{:,}".format(self.cycles)), ("IPC", "%.3f" % self.ipc)]
        drawn = [pictures.svg(self._chart("reasons"))]
        with contextlib.suppress(ValueError): # a netlist may have no memory that counts
            drawn.append(pictures.svg(self._memory()))
        return "<h4>%s</h4>%s%s" % (self.json.get("netlist"), pictures.table(figures), "".join(drawn))

    def __repr__(self) -> str:
        return "<heddle.Result of %s: %s, %d cycles>" % (self.json.get("netlist"), self.status, self.cycles)


def _traffic(kernel: Mapping[str, Any]) -> int:
    """Bytes that the memory channels moved for a kernel."""
    return sum(figures.get("bytes_read", 0) + figures.get("bytes_written", 0)
               for figures in kernel.get("statistics", {}).values())


def _bytes(n: int) -> str:
    return "%.1f MB" % (n / 1e6) if n >= 1e6 else "%.1f KB" % (n / 1e3) if n >= 1e3 else "%d B" % n


def _flat(kernel: Mapping[str, Any]) -> Dict[str, Any]:
    """The row of a kernel: numbers and texts by path, without statistics of instances."""
    found: Dict[str, Any] = {}

    def take(prefix: str, group: Mapping[str, Any]) -> None:
        for name, value in group.items():
            if isinstance(value, dict):
                take(prefix + name + ".", value)
            elif not isinstance(value, list):
                found[prefix + name] = value

    take("", {name: value for name, value in kernel.items() if not isinstance(value, (dict, list))})
    take("", kernel.get("figures", {}))
    take("", kernel.get("rates", {}))
    take("reasons.", kernel.get("reasons", {}))
    return found


def _meanings(results: Mapping[str, Any]) -> Dict[str, Tuple[str, str]]:
    modules = {name: module["statistics"] for name, module in results.get("modules", {}).items()}
    totals = {about["total"]: about for module in modules.values() for about in module.values() if "total" in about}
    found = {"cycles": ("cycles", "time of the run, in periods of its first clock")}
    found.update((path, (about["unit"], about["doc"])) for path, about in totals.items())
    for name, instance in results.get("instances", {}).items():
        for statistic in instance:
            if statistic != "module":
                about = modules[instance["module"]][statistic]
                found["%s.%s" % (name, statistic)] = (about["unit"], about["doc"])
    for name, queue in results.get("queues", {}).items():
        found["queues.%s.mean" % name] = (queue["unit"], "held at a time, in the mean")
        found["queues.%s.most" % name] = (queue["unit"], "held at a time, at most")
    return found


# ---- runs ----

def run(netlist: Netlist, trace: Optional[File], program: Optional[Sequence[File]], reasons: bool, causes: bool,
        kernels: Union[None, bool, int, Tuple[int, int]], max_cycles: Optional[int], strict: bool, dump: Optional[File],
        threads: int, options: Sequence[str]) -> Result:
    """Netlist.run()"""
    if kernels is False:
        raise ValueError("kernels=False; expected a number, the first and the last, or True for all")
    if trace is not None and program is not None:
        raise ValueError("a trace and a program; expected one of them")
    window: Optional[Tuple[int, int]] = None
    if kernels is not None and kernels is not True:
        window = (kernels, kernels) if isinstance(kernels, int) else (kernels[0], kernels[1])
    if program is None and not causes and max_cycles is None and dump is None and threads == 1 and not options:
        return _run_here(netlist, trace, reasons, window, strict)
    words = _program.options(reasons=reasons or causes, kernel="%d-%d" % window if window else None, strict=strict,
                             max_cycles=max_cycles, dump=dump, threads=None if threads == 1 else threads)
    return _run_program(netlist, trace, program, [*words, *options], dump)


def _run_here(netlist: Netlist, trace: Optional[File], reasons: bool, window: Optional[Tuple[int, int]],
              strict: bool) -> Result:
    with Simulation(netlist, trace, reasons=reasons, strict=strict, kernels=window) as s:
        warned = s.messages()
        try:
            s.run()
        except Error as e:
            e.result = Result(s.text(), netlist.copy(), warned)
            raise
        return Result(s.text(), netlist.copy(), s.messages())


def _run_program(netlist: Netlist, trace: Optional[File], program: Optional[Sequence[File]], words: Sequence[str],
                 dump: Optional[File]) -> Result:
    import tempfile

    with tempfile.TemporaryDirectory(prefix="heddle-") as folder, netlist._arguments() as a:
        stats = os.path.join(folder, "stats.json")
        inputs: List[File] = [trace] if trace is not None else []
        if program is not None:
            inputs = ["--", *program]
        done = _program.call(["run", "--quiet", "--stats=" + stats, *words, *a.words, *inputs], a.folders, a.names)
        result = None
        if os.path.exists(stats):
            with open(stats, encoding="utf-8") as f:
                recorded = Dump(dump) if dump is not None else None
                result = Result(f.read(), netlist.copy(), done.stderr, done.stdout, recorded)
    if done.returncode != 0 or result is None:
        error: Error = _program.failure(done)
        if result is not None and result.status == "deadlock":
            error = Deadlock(done.stderr)
        error.result = result
        raise error
    return result


def compare(*runs: Union[Result, Dump, Study, File], stalls: bool = False) -> Text:
    """How runs differ from the first one, as heddle compare prints it: results, dumps, studies, or names of files.
    stalls: only the tree of lost issue slots."""
    import tempfile

    with tempfile.TemporaryDirectory(prefix="heddle-") as folder:
        names: List[File] = []
        for i, one in enumerate(runs):
            if isinstance(one, Result):
                names.append(os.path.join(folder, "run%d.json" % (i + 1)))
                one.save(names[-1])
            else:
                names.append(one)
        text = _program.output(["compare", *_program.options(stalls=stalls), *names])
        return Text(text.replace(folder + "/", ""))
