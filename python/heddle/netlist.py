"""netlist.py - netlists as objects: they are changed, composed, checked, drawn, and run

SPDX-License-Identifier: BSD-2-Clause
"""
from __future__ import annotations

import copy
import json
import os
import warnings
from contextlib import contextmanager
from typing import (TYPE_CHECKING, Any, Dict, Iterable, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple,
                    Union)

from . import _program
from ._program import File
from ._text import layout
from .errors import BadInput, Error, Message, parse
from .pictures import Svg

if TYPE_CHECKING:
    from subprocess import CompletedProcess

    from .result import Result

Json = Dict[str, Any]


# The order in which a person writes the members of a netlist; changes of another one stand as they apply.
_ORDER = ("heddle", "name", "doc", "extends", "remove", "rewire", "set", "add", "watchdog", "params", "clocks",
          "instances", "links", "exports")


def _written(data: Json) -> str:
    members = [member for member in _ORDER if member in data]
    return layout({member: data[member] for member in [*members, *(m for m in data if m not in members)]})


class Instance:
    """An instance of a netlist, or an array of them.  Changes of `data` and `params` are changes of the netlist."""

    def __init__(self, name: str, data: Json) -> None:
        self.name = name
        #: the object of the netlist: module, clock, count, params, elements ...
        self.data = data

    @property
    def module(self) -> Optional[str]:
        """The name of its module; None: it is a netlist."""
        return self.data.get("module")

    @property
    def count(self) -> Any:
        """The number of elements, or an expression of it; None: it is not an array."""
        return self.data.get("count")

    @property
    def params(self) -> Json:
        """Values of its parameters."""
        found: Json = self.data.setdefault("params", {})
        return found

    def port(self, name: str, index: Union[None, int, str] = None) -> str:
        """An end of a link: of an array all elements, or those that `index` names: 2, "0..1", "$n - 1"."""
        if index is None and self.count is None:
            return "%s.%s" % (self.name, name)
        return "%s[%s].%s" % (self.name, "*" if index is None else index, name)

    def __repr__(self) -> str:
        return "<heddle.Instance %s: %s>" % (self.name, json.dumps(self.data))


class _Arguments(NamedTuple):
    """What the program gets of a netlist."""
    words: List[str]
    folders: List[str]
    names: Dict[str, str]


class Netlist:
    """A netlist.

    source: the name of a file, which is found as the program finds it, so "volta_sm.json" is enough; or what would be
    in a file, as a dictionary; or nothing, for one that is composed from the beginning.
    folder: of a netlist without a file, where the files that it names are; without it the present folder.
    plugins: files of modules that it needs.

    add(), link(), remove() and the like change the netlist.  A netlist of a file then becomes one that *extends* the
    file, as it would be written by hand.  set() leaves a netlist as it is and returns a changed one.
    """

    def __init__(self, source: Union[None, File, Mapping[str, Any]] = None, *, name: Optional[str] = None,
                 doc: Optional[str] = None, folder: Optional[File] = None, plugins: Iterable[File] = ()) -> None:
        self._file: Optional[str] = None
        self._data: Optional[Json] = None
        self._folder = None if folder is None else os.fspath(folder)
        self._set: List[Tuple[str, Any]] = []
        self._unused = False
        self.plugins: List[str] = [os.fspath(p) for p in plugins]
        if source is None:
            self._data = {"heddle": 1, "name": name or "netlist", "clocks": {}, "instances": {}, "links": []}
        elif isinstance(source, Mapping):
            self._data = copy.deepcopy(dict(source))
            self._data.setdefault("heddle", 1)
        else:
            self._file = os.fspath(source)
        if name is not None:
            self.data["name"] = name
        if doc is not None:
            self.data["doc"] = doc

    @classmethod
    def open(cls, file: File, *, plugins: Iterable[File] = ()) -> Netlist:
        """The netlist that stands in a file, to be changed in place: its own sections, rather than what extends it."""
        with open(file, encoding="utf-8") as f:
            text = f.read()
        try:
            data = json.loads(text)
        except json.JSONDecodeError as e:
            raise BadInput("%s:%d:%d: error: %s" % (os.fspath(file), e.lineno, e.colno, e.msg)) from None
        if not isinstance(data, dict):
            raise BadInput("%s:1:1: error: expected an object" % os.fspath(file))
        return cls(data, folder=os.path.dirname(os.path.abspath(file)), plugins=plugins)

    # ---- what it is ----

    @property
    def data(self) -> Json:
        """The netlist as it would be written, to read and to change; without values of set()."""
        self._unused = False
        if self._data is None:
            assert self._file is not None
            stem = os.path.splitext(os.path.basename(self._file))[0]
            self._data = {"heddle": 1, "name": stem, "extends": self._file}
        return self._data

    @property
    def name(self) -> str:
        """The name with which results show it, if that is known without reading a file."""
        if self._data is None and self._file is not None:
            return os.path.splitext(os.path.basename(self._file))[0]
        return str(self.data.get("name", "netlist"))

    @property
    def file(self) -> Optional[str]:
        """The file, of a netlist that is what stands there but for values of set(); else None."""
        self._unused = False
        return self._file if self._data is None else None

    @property
    def place(self) -> str:
        """How messages name a netlist without a file; their lines are those of text()."""
        return os.path.join(self._folder or "", self.name.replace("/", "_") + " in Python")

    @property
    def changes(self) -> List[str]:
        """Values of set() in their order, as --set takes them."""
        self._unused = False
        return ["%s=%s" % (path, json.dumps(value, ensure_ascii=False, allow_nan=False)) for path, value in self._set]

    def _sections(self) -> Json:
        """Where clocks, instances and links stand: in the netlist, or in what it adds to another one."""
        if "extends" in self.data:
            found: Json = self.data.setdefault("add", {})
            return found
        return self.data

    def _section(self, name: str) -> Json:
        found: Json = self._sections().setdefault(name, {})
        return found

    @property
    def params(self) -> Json:
        """Parameters of the netlist: values, or objects with "value" and "doc"; of one that extends another those that
        it adds, as in the next four."""
        return self._section("params")

    @property
    def clocks(self) -> Json:
        """Clocks by name."""
        return self._section("clocks")

    @property
    def exports(self) -> Json:
        """Ends that a netlist around this one may link, by name."""
        return self._section("exports")

    @property
    def instances(self) -> Dict[str, Instance]:
        """Instances by name."""
        return {name: Instance(name, data) for name, data in self._section("instances").items()}

    @property
    def links(self) -> List[Json]:
        """The links in their order: a list of objects with "from", "to" and others."""
        found: List[Json] = self._sections().setdefault("links", [])
        return found

    # ---- changes ----

    def set(self, path: Union[str, Mapping[str, Any]], value: Any = None) -> Netlist:
        """A netlist with another value at a path, as --set has it: "sub_cores", "sp.count", "sp[0].timing[0].latency",
        "core.mhz"; or with several, by a dictionary.  A mistake in a path is reported when the netlist is used."""
        changed = self.copy()
        changed._set += [(path, value)] if isinstance(path, str) else list(path.items())
        changed._unused = True
        return changed

    def copy(self) -> Netlist:
        """A netlist that can be changed without changing this one."""
        self._unused = False
        return copy.deepcopy(self)

    def add(self, name: str, module: Optional[str] = None, *,
            netlist: Union[None, Netlist, File, Mapping[str, Any]] = None, count: Union[None, int, str] = None,
            clock: Optional[str] = None, clocks: Optional[Mapping[str, str]] = None,
            params: Optional[Mapping[str, Any]] = None, **more: Any) -> Instance:
        """Adds an instance of a module, or of another netlist; count makes an array.  Parameters of the module are
        arguments of their names, or members of `params`."""
        if (module is None) == (netlist is None):
            raise ValueError("instance '%s': expected a module or a netlist" % name)
        if name in self._section("instances"):
            raise ValueError("there is an instance '%s' already" % name)
        inner: Any = netlist
        if isinstance(netlist, Netlist):
            if netlist._set:
                raise ValueError("instance '%s': its netlist has values of set(); expected them in params, or set() of "
                                 "the netlist around it" % name)
            inner = netlist._file if netlist._data is None else copy.deepcopy(netlist._data)
        elif netlist is not None:
            inner = copy.deepcopy(dict(netlist)) if isinstance(netlist, Mapping) else os.fspath(netlist)
        members = {"module": module, "netlist": inner, "count": count, "clock": clock,
                   "clocks": dict(clocks) if clocks else None, "params": {**(params or {}), **more} or None}
        data = {member: copy.deepcopy(value) for member, value in members.items() if value is not None}
        self._section("instances")[name] = data
        return Instance(name, data)

    def link(self, source: Union[str, Sequence[str]], target: str, **members: Any) -> Json:
        """Adds a link from one end, or each of several, to another; `members` are latency, capacity, slots, unit ...
        (for_ stands for the member "for")."""
        link: Json = {"from": source if isinstance(source, str) else list(source), "to": target}
        link.update((member.rstrip("_"), value) for member, value in members.items())
        self.links.append(link)
        return link

    def clock(self, name: str, **members: Any) -> None:
        """Adds a clock: mhz or hz, or of, times, phase, gate."""
        self.clocks[name] = members

    def export(self, name: str, end: str) -> None:
        """Lets a netlist around this one link an end by a name."""
        self.exports[name] = end

    def remove(self, *instances: str, links: Sequence[Mapping[str, Any]] = (), **others: Sequence[str]) -> None:
        """Removes from the netlist that is extended instances together with their links, links that match patterns,
        and by name params, clocks or exports."""
        self._extending("remove")
        names: Dict[str, Sequence[Any]] = {"instances": instances, "links": links, **others}
        for section, given in names.items():
            if given:
                self.data.setdefault("remove", {}).setdefault(section, []).extend(given)

    def rewire(self, pattern: Mapping[str, Any], **members: Any) -> None:
        """Changes all links of the netlist that is extended that match a pattern: from_="b" or to="b[*].in" is another
        end, other members replace theirs."""
        self._extending("rewire")
        change = {"link": dict(pattern), **{member.rstrip("_"): value for member, value in members.items()}}
        self.data.setdefault("rewire", []).append(change)

    def _extending(self, what: str) -> None:
        if "extends" not in self.data:
            raise ValueError("%s() of a netlist that extends no other one; expected changes of data and links" % what)

    # ---- as text ----

    def text(self) -> str:
        """The netlist as a person would write it, without values of set()."""
        return _written(self.data)

    def write(self, file: File) -> None:
        """Writes the netlist to a file.  Values of set() are in its member "set"; so a netlist that has some has to
        extend another one, as one of a file does.  What it extends is named as seen from the file."""
        data = copy.deepcopy(self.data)
        if self._set:
            self._extending("write() after set()")
            data.setdefault("set", {}).update(self._set)
        base, folder = self._folder or os.getcwd(), os.path.dirname(os.path.abspath(file))
        near = os.path.join(base, data.get("extends", ""))
        if "extends" in data and os.path.isfile(near):
            data["extends"] = os.path.relpath(near, folder)
        part = os.fspath(file) + ".part"
        with open(part, "w", encoding="utf-8") as f:
            f.write(_written(data))
        os.replace(part, file)

    # ---- what the program does with it ----

    @contextmanager
    def _arguments(self) -> Iterator[_Arguments]:
        """Arguments of the program; while they are used the netlist is in a file."""
        import tempfile

        plugins = ["--plugin=" + p for p in self.plugins]
        changes = ["--set=" + change for change in self.changes]
        if self.file is not None:
            yield _Arguments([*plugins, *changes, self.file], [], {})
            return
        with tempfile.TemporaryDirectory(prefix="heddle-") as folder:
            file = os.path.join(folder, "netlist.json")
            with open(file, "w", encoding="utf-8") as f:
                f.write(self.text())
            yield _Arguments([*plugins, *changes, file], [os.path.abspath(self._folder or ".")], {file: self.place})

    def _output(self, *command: str) -> CompletedProcess[str]:
        with self._arguments() as a:
            done = _program.call([*command, *a.words], a.folders, a.names)
        if done.returncode != 0:
            raise _program.failure(done)
        return done

    def check(self) -> List[Message]:
        """Reports every mistake as one BadInput; gives the warnings."""
        return parse(self._output("check").stderr)

    def flat(self) -> Netlist:
        """What is simulated: no "extends", inner netlists, parameters or expressions, and every value."""
        return Netlist(json.loads(self._output("flatten").stdout), folder=self._folder, plugins=self.plugins)

    def diff(self, other: Netlist) -> str:
        """How another netlist differs in what it simulates, a line for each difference; "": in nothing."""
        with self._arguments() as a, other._arguments() as b:
            if [w for w in a.words[:-1] + b.words[:-1] if w.startswith("--set=")]:
                return self.flat().diff(other.flat())
            plugins = list(dict.fromkeys(w for w in a.words[:-1] + b.words[:-1]))
            done = _program.call(["diff", *plugins, a.words[-1], b.words[-1]], a.folders + b.folders,
                                 {**a.names, **b.names})
        if done.returncode > 1:
            raise _program.failure(done)
        return done.stdout if done.returncode == 1 else ""

    def draw(self, *options: str) -> Svg:
        """The drawing that heddle graph makes; options are those of the program, such as "--expand"."""
        return Svg(self._output("graph", *options).stdout)

    def _repr_html_(self) -> str:
        import html

        try:
            return self.draw()
        except Error as e:
            return "<pre>%s</pre>" % html.escape(str(e))

    def run(self, trace: Optional[File] = None, *, program: Optional[Sequence[File]] = None, reasons: bool = False,
            causes: bool = False, kernels: Union[None, bool, int, Tuple[int, int]] = None,
            max_cycles: Optional[int] = None, strict: bool = False, dump: Optional[File] = None, threads: int = 1,
            options: Sequence[str] = ()) -> Result:
        """Simulates it, and gives what was counted.

        trace: a kernelslist.g, a kernel, or a packed trace.  program: a CUDA program with its arguments, in place of
        it.
        reasons: count why issue slots were lost; causes: and what stands behind each reason.
        kernels: run only this one of the trace, or the first to the last of a pair, from 1; True or None: all.
        max_cycles: stop after so many cycles; the result's status says so.  strict: refuse input that contradicts
        itself.
        dump: a file to record the run in.  threads: 0 are as many as there are processors.
        options: others of heddle run.

        Runs with program, causes, max_cycles, dump, threads or options are made by the program heddle, others in this
        process; their results are the same.  Deadlock and other failures are exceptions, whose `result` has what was
        counted until then.
        """
        from .result import run

        return run(self, trace, program, reasons, causes, kernels, max_cycles, strict, dump, threads, options)

    # ---- for people ----

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        self._unused = False
        what = [self._file if self._data is None else self.name, *self.changes]
        return "<heddle.Netlist %s>" % " ".join(str(w) for w in what)

    def __del__(self) -> None:
        if getattr(self, "_unused", False):
            warnings.warn("set() gives a changed netlist, and this one was never used; expected core = core.set(...)",
                          RuntimeWarning, stacklevel=2)
