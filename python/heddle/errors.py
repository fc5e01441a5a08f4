"""errors.py - what heddle reports, as exceptions with file, line and column

SPDX-License-Identifier: BSD-2-Clause
"""
from __future__ import annotations

import re
from typing import TYPE_CHECKING, List, NamedTuple, Optional

if TYPE_CHECKING:
    from .result import Result

_KIND = re.compile(r"(?P<place>.*?): (?P<kind>error|warning): (?P<text>.*)")
_PLACE = re.compile(r"(?P<file>.+?):(?P<line>\d+)(?::(?P<column>\d+))?")


class Message(NamedTuple):
    """One message: kind is "error" or "warning"; file, line and column (from 1) are None where it has no place."""
    kind: str
    text: str
    file: Optional[str] = None
    line: Optional[int] = None
    column: Optional[int] = None


def parse(text: str) -> List[Message]:
    """The messages of a text, as the library and the programs print them."""
    found = []
    for line in text.splitlines():
        kind = _KIND.match(line)
        if not kind:
            found.append(Message("error", line[8:] if line.startswith("heddle: ") else line))
            continue
        place = _PLACE.fullmatch(kind["place"])
        if place:
            found.append(Message(kind["kind"], kind["text"], place["file"], int(place["line"]),
                                 int(place["column"]) if place["column"] else None))
        else: # "heddle", or the option that is meant
            prefix = "" if kind["place"] == "heddle" else kind["place"] + ": "
            found.append(Message(kind["kind"], prefix + kind["text"]))
    return found


class Error(Exception):
    """What heddle refuses or reports.  Its text is what the program prints, a line for each message."""

    def __init__(self, text: str, result: Optional[Result] = None) -> None:
        super().__init__(text.rstrip())
        self.messages: List[Message] = parse(text)
        #: of a run that went wrong: what was counted until then
        self.result = result

    def _first(self) -> Optional[Message]:
        errors = [m for m in self.messages if m.kind == "error"]
        return next((m for m in errors if m.file), errors[0] if errors else None)

    @property
    def file(self) -> Optional[str]:
        """The file of the first error that has a place."""
        first = self._first()
        return first.file if first else None

    @property
    def line(self) -> Optional[int]:
        """Its line, from 1."""
        first = self._first()
        return first.line if first else None

    @property
    def column(self) -> Optional[int]:
        """Its column, from 1."""
        first = self._first()
        return first.column if first else None


class BadInput(Error):
    """A netlist, a value, a plug-in, a trace or an option is wrong."""


class Failed(Error):
    """A run has failed, or a program could not do its work."""


class Deadlock(Failed):
    """Work is pending and nothing will happen any more; the text says who waits for whom."""


class BadCall(Error):
    """A call out of order, or one that is not possible."""
