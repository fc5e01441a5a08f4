"""study.py - many runs: netlists x values x traces, on the processors of this machine or on those of Slurm

SPDX-License-Identifier: BSD-2-Clause
"""
from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from . import _program
from ._program import File
from ._text import layout
from .dump import select
from .netlist import Netlist
from .pictures import table

if TYPE_CHECKING:
    from pandas import DataFrame

_SHOWN = 20 # points in a notebook
Source = Union[Netlist, File, Mapping[str, Any]]


class Study:
    """The results of a study: a folder that sweep() or heddle sweep has written.

    study: the file of the study; that of sweep() is in FOLDER.study.
    """

    def __init__(self, folder: File, study: Optional[File] = None) -> None:
        self.folder = os.fspath(folder)
        self.study = os.path.join(self.folder + ".study", "study.json") if study is None else os.fspath(study)

    def __fspath__(self) -> str:
        return self.folder

    def query(self, sql: str, parameters: Union[Sequence[Any], Mapping[str, Any]] = ()) -> List[Dict[str, Any]]:
        """The rows of a query of the database: tables point, parameter, kernel, statistic, value, and the view result
        (docs/studies.md)."""
        return select(os.path.join(self.folder, "results.sqlite"), sql, parameters)

    @property
    def points(self) -> List[Dict[str, Any]]:
        """Of each point a dictionary: point (its number), netlist, design, trace, status, message, cycles, and in
        "values" what was set in it, by path."""
        values: Dict[int, Dict[str, Any]] = {}
        for row in self.query("SELECT point, name, value FROM parameter ORDER BY point, name"):
            values.setdefault(row["point"], {})[row["name"]] = row["value"]
        rows = self.query("SELECT point, netlist, design, trace, status, message, cycles FROM point ORDER BY point")
        return [{**row, "values": values.get(row["point"], {})} for row in rows]

    def table(self, *paths: str, kernels: bool = False) -> List[Dict[str, Any]]:
        """A row for each point, or each of its kernels: point, netlist, design, trace, status, what varies by its
        path, and the statistics of these paths ("cycles", "issue.stall", "l1d.misses", "sp[*].busy")."""
        found: Dict[Any, Dict[str, Any]] = {}
        varied = {row["name"] for row in self.query("SELECT DISTINCT name FROM parameter WHERE varied = 1")}
        for point in self.points:
            first = {name: point[name] for name in ("point", "netlist", "design", "trace", "status")}
            first.update((name, point["values"].get(name)) for name in sorted(varied))
            if not kernels:
                found[point["point"], 0] = first
                continue
            for row in self.query("SELECT kernel, name FROM kernel WHERE point = ? ORDER BY kernel", [point["point"]]):
                found[point["point"], row["kernel"]] = {**first, "kernel": row["kernel"], "name": row["name"]}
        for path in paths:
            rows = self.query("SELECT point, kernel, value FROM value JOIN statistic USING (statistic) WHERE path = ?",
                              [path])
            by = {(row["point"], row["kernel"]): row["value"] for row in rows}
            for key, line in found.items():
                line[path] = by.get(key)
        return list(found.values())

    def frame(self, *paths: str, kernels: bool = False) -> DataFrame:
        """table() as a data frame; attrs["units"] has the units of the statistics."""
        from .result import frames

        made = frames().DataFrame(self.table(*paths, kernels=kernels))
        units = {row["path"]: row["unit"] for row in self.query("SELECT path, unit FROM statistic")}
        made.attrs["units"] = {path: units.get(path, "") for path in paths}
        return made

    def status(self) -> str:
        """How many points have results, and how many tasks of Slurm run or wait."""
        return _program.output(["sweep", self.study, "--output=" + self.folder, "--status"])

    def collect(self) -> Study:
        """Writes the database of the results that are there, of a study that ran by Slurm."""
        _program.output(["sweep", self.study, "--output=" + self.folder, "--collect", "--quiet"])
        return self

    def _repr_html_(self) -> str:
        rows = self.table("cycles")
        shown = rows[:_SHOWN]
        more = "" if shown == rows else "<p>and %d more</p>" % (len(rows) - _SHOWN)
        return table([list(row.values()) for row in shown], list(shown[0]) if shown else []) + more

    def __repr__(self) -> str:
        return "<heddle.Study %s>" % self.folder


def _found(file: File) -> str:
    """A name for the study file, which stands in another folder; what is not here is among the installed ones."""
    name = os.fspath(file)
    return os.path.abspath(name) if os.path.exists(name) else name


def _values(given: Mapping[str, Any]) -> Dict[str, Any]:
    """Ranges, tuples and arrays are lists, as a study has them."""
    found = {}
    for path, value in given.items():
        value = value.tolist() if hasattr(value, "tolist") else value
        found[path] = list(value) if isinstance(value, (tuple, range)) else value
    return found


def _netlist(source: Source, name: Optional[str], folder: str) -> Any:
    """The netlist as a study names it; what is in no file is written into the folder."""
    if not isinstance(source, Netlist):
        if not isinstance(source, Mapping):
            return _found(source) if name is None else {"name": name, "file": _found(source)}
        source = Netlist(source)
    entry: Dict[str, Any] = {"name": name or source.name}
    if source.file is not None:
        entry["file"] = _found(source.file)
    else:
        entry["file"] = os.path.join(folder, entry["name"].replace("/", "_") + ".json")
        bare = source.copy()
        bare._set = []
        bare.write(entry["file"])
    if source._set:
        entry["set"] = {path: [value] if isinstance(value, (list, dict)) else value for path, value in source._set}
    return entry


def _trace(source: Union[File, Mapping[str, Any]]) -> Any:
    if not isinstance(source, Mapping):
        return os.path.abspath(os.fspath(source))
    files = source["files"]
    several = isinstance(files, (list, tuple))
    return {**source, "files": [os.path.abspath(f) for f in files] if several else os.path.abspath(files)}


def sweep(netlists: Union[Source, Sequence[Source], Mapping[str, Source]],
          traces: Union[File, Sequence[Union[File, Mapping[str, Any]]]], values: Optional[Mapping[str, Any]] = None, *,
          folder: Optional[File] = None, together: Sequence[Mapping[str, Any]] = (),
          designs: Optional[Mapping[str, Mapping[str, Any]]] = None, name: str = "study", doc: Optional[str] = None,
          seconds: Optional[int] = None, megabytes: Optional[int] = None, instances: str = "together",
          reasons: bool = False, jobs: Optional[int] = None, retry: bool = False, plugins: Sequence[File] = (),
          slurm: Union[bool, Sequence[str]] = False, chunk: Optional[int] = None) -> Study:
    """Runs every combination of netlists, values and traces, each as a process of its own, and gives the results.

    netlists: one, several, or a dictionary name -> netlist.  traces: names, with *, ? and [...] several of them, or
    dictionaries as a study has them.  values: what is set, by path; each of a list or range in turn.
    together: dictionaries whose lists advance together.  designs: name -> values.
    folder: where results are, and beside it FOLDER.study with the study's file; what is there already does not run
    again. Without it results last as long as the Study.
    seconds, megabytes: limits of each run.  instances="each": statistics of every instance, rather than sums of sp[*].
    jobs: how many at a time (default: processors).  retry: run those again that did not finish.
    slurm: True, or options of sbatch: submit the points, chunk (20) of them a task; Study.collect() reads the results.
    """
    made = Study(os.path.abspath(folder if folder is not None else "results"))
    if folder is None:
        kept = _program.folder_of(made)
        made.folder, made.study = os.path.join(kept, "results"), os.path.join(kept, "results.study", "study.json")
    beside = os.path.dirname(made.study)
    os.makedirs(beside, exist_ok=True)
    sources: List[Tuple[Source, Optional[str]]]
    if isinstance(netlists, Mapping) and "heddle" not in netlists:
        sources = [(one, named) for named, one in netlists.items()]
    elif isinstance(netlists, (list, tuple)):
        sources = [(one, None) for one in netlists]
    else:
        sources = [(netlists, None)] # type: ignore[list-item]
    used = [os.fspath(p) for p in plugins] + [p for one, _ in sources if isinstance(one, Netlist) for p in one.plugins]
    limits = {name: value for name, value in (("seconds", seconds), ("megabytes", megabytes)) if value is not None}
    study: Dict[str, Any] = {
        "study": 1, "name": name, "doc": doc, "netlists": [_netlist(one, named, beside) for one, named in sources],
        "traces": [_trace(t) for t in (traces if isinstance(traces, (list, tuple)) else [traces])],
        "set": _values(values or {}), "together": [_values(one) for one in together],
        "designs": {design: dict(one) for design, one in (designs or {}).items()}, "limits": limits,
        "instances": instances, "reasons": reasons}
    text = layout({member: value for member, value in study.items() if value not in (None, {}, [], False)})
    with open(made.study, "w", encoding="utf-8") as f:
        f.write(text)
    words = _program.options(output=made.folder, jobs=jobs, retry=retry, plugin=list(dict.fromkeys(used)), chunk=chunk,
                             quiet=slurm is False, slurm=slurm is not False)
    if isinstance(slurm, (list, tuple)):
        words += ["--", *slurm]
    _program.output(["sweep", made.study, *words])
    return made


def correlate(measured: File, *, netlist: Union[None, Netlist, File] = None, program: Optional[Sequence[File]] = None,
              page: Optional[File] = None, folder: Optional[File] = None, jobs: Optional[int] = None,
              options: Sequence[str] = ()) -> Dict[str, Any]:
    """Simulates what was measured on hardware, and gives points and errors, as heddle correlate --json writes them.

    measured: a list, a table, or an export of Nsight Compute (docs/hardware.md).  netlist: in place of the list's.
    program: the program that was measured, with its arguments.  page: a file for the page.  folder: where recordings
    and results are kept (default: NAME.results).  options: others of heddle correlate.
    A point that cannot be simulated is in the result with the reason.
    """
    core = netlist if isinstance(netlist, Netlist) or netlist is None else Netlist(netlist)
    words = _program.options(json="-", quiet=True, output=page, folder=folder, jobs=jobs)
    last = ["--", *program] if program is not None else []
    if core is None:
        done = _program.call(["correlate", *words, *options, measured, *last])
    else:
        with core._arguments() as a:
            done = _program.call(["correlate", *words, *options, *a.words[:-1], "--netlist=" + a.words[-1], measured,
                                  *last], a.folders, a.names)
    if done.returncode not in (0, 1) or not done.stdout:
        raise _program.failure(done)
    found: Dict[str, Any] = json.loads(done.stdout)
    return found
