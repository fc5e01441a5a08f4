"""dump.py - recorded runs: asked in SQL, listed, drawn

SPDX-License-Identifier: BSD-2-Clause
"""
from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from . import _program
from ._program import File
from .errors import BadInput

if TYPE_CHECKING:
    from pandas import DataFrame

Ranges = Union[None, int, str, Sequence[int]]


class Text(str):
    """A text in columns, which a notebook shows as such."""

    def plot(self) -> Any:
        """A figure of matplotlib where that is there, else SVG; both have savefig().  Stages of a pipeline have
        colours."""
        from . import pictures

        lines = self.rstrip("\n").split("\n")
        cycles = next((line for line in lines[1:2] if lines[0].startswith("cycle") and line.strip()), None)
        return pictures.draw(pictures.Lines(lines, len(cycles) - len(cycles.lstrip()) if cycles else 1 << 30))

    def savefig(self, file: File) -> None:
        """Writes the text as a picture."""
        self.plot().savefig(file)

    def _repr_html_(self) -> str:
        import html

        return "<pre style='line-height: 1.2; white-space: pre; overflow-x: auto'>%s</pre>" % html.escape(self)


def select(database: str, sql: str, parameters: Union[Sequence[Any], Mapping[str, Any]]) -> List[Dict[str, Any]]:
    """The rows of a query of a database that is only read."""
    import sqlite3
    from urllib.request import pathname2url

    connection = sqlite3.connect("file:%s?mode=ro" % pathname2url(os.path.abspath(database)), uri=True)
    try:
        connection.row_factory = sqlite3.Row
        return [dict(row) for row in connection.execute(sql, parameters)]
    except sqlite3.Error as e:
        raise BadInput("heddle: error: %s, in the query: %s" % (e, sql)) from None
    finally:
        connection.close()


def _ranges(value: Ranges) -> Optional[str]:
    if value is None or isinstance(value, str):
        return value
    return str(value) if isinstance(value, int) else ",".join(map(str, value))


class Dump:
    """A recorded run, a file of Netlist.run(dump=...) or heddle run --dump.

    database: where its SQLite database is, or will be; without it in a temporary folder, as long as this object is
    there.
    """

    def __init__(self, file: File, database: Optional[File] = None) -> None:
        self.file = os.fspath(file)
        self._database = None if database is None else os.fspath(database)

    def __fspath__(self) -> str:
        return self.file

    @property
    def database(self) -> str:
        """The SQLite database (docs/dumps.md has its tables), which the first call makes."""
        if self._database is None:
            self._database = os.path.join(_program.folder_of(self), "run.db")
        made = self._database
        if not os.path.exists(made) or os.stat(made).st_mtime_ns < os.stat(self.file).st_mtime_ns:
            done = _program.call(["dump", self.file, "--to=sqlite", "--output=" + made])
            if done.returncode == 1 and os.path.exists(made): # of a damaged dump what can be read
                import warnings

                warnings.warn(done.stderr.rstrip(), RuntimeWarning, stacklevel=3)
            elif done.returncode != 0:
                raise _program.failure(done)
        return made

    def query(self, sql: str, parameters: Union[Sequence[Any], Mapping[str, Any]] = ()) -> List[Dict[str, Any]]:
        """The rows of a query, each by the names of its columns: tables inst, slot, mem ... and views v_inst, v_slot
        ..."""
        return select(self.database, sql, parameters)

    def frame(self, sql: str, parameters: Union[Sequence[Any], Mapping[str, Any]] = ()) -> DataFrame:
        """The rows of a query as a data frame."""
        from .result import frames

        return frames().DataFrame(self.query(sql, parameters))

    def _list(self, *how: str, warp: Ranges = None, cycles: Optional[Tuple[int, int]] = None, pc: Optional[str] = None,
              kernel: Ranges = None, instance: Optional[str] = None, event: Optional[str] = None) -> Text:
        between = "%d-%d" % (cycles[0], cycles[1]) if cycles else None
        words = _program.options(warp=_ranges(warp), between=between, pc=pc, kernel=_ranges(kernel), instance=instance,
                                 event=event)
        return Text(_program.output(["dump", self.file, *how, *words]))

    def info(self) -> Text:
        """What is in the file: core, input, how the run ended, tables."""
        return self._list("--info")

    def stalls(self, by: Optional[str] = None, top: Optional[int] = None, **selection: Any) -> Text:
        """Issue slots by reason, as a tree; by="pc", "line", "warp", "unit", "scheduler", "reason".  selection: warp,
        cycles, pc, kernel, instance."""
        return self._list("--stalls", *_program.options(by=by, top=top), **selection)

    def pipeline(self, rows: Optional[int] = None, columns: Optional[int] = None, units: bool = False,
                 **selection: Any) -> Text:
        """A row for each instruction, a column for each cycle, a letter for each stage.  selection: warp=3,
        cycles=(100, 140), pc="0x100-0x1f0", kernel=2, instance="sm[1].*", event="mem"."""
        return self._list("--pipeline", *_program.options(head=rows, columns=columns, units=units), **selection)

    def text(self, **selection: Any) -> Text:
        """A line for each row, in the order of time; selection as for pipeline()."""
        return self._list("--to=text", "--output=-", **selection)

    def _repr_html_(self) -> str:
        return self.info()._repr_html_()

    def __repr__(self) -> str:
        return "<heddle.Dump %s>" % self.file
