"""simulation.py - one simulation that is run to a cycle, and asked

SPDX-License-Identifier: BSD-2-Clause

    with Simulation("volta_sm.json", "kernelslist.g", {"collector.sets[0].units": 4}, reasons=True) as s:
        while not s.run(s.cycle + 1000):
            print(s.cycle, s["warp_instructions"])
        print(s.results()["issue"], s.reasons())

Calls release the interpreter's lock: simulations in several threads run at once.
"""
from __future__ import annotations

import ctypes
import json
import os
import time
from types import TracebackType
from typing import Any, Dict, Iterable, List, Mapping, Optional, Tuple, Type, Union

from . import _library as lib
from ._program import File
from .errors import BadCall, BadInput, Deadlock, Error, Failed
from .netlist import Netlist

Number = Union[int, float]
_ERRORS: Dict[int, Type[Error]] = {lib.BAD_INPUT: BadInput, lib.FAILED: Failed, lib.DEADLOCK: Deadlock,
                                   lib.BAD_CALL: BadCall}
_SLICE = 0.05 # seconds in the library before a signal, such as Ctrl-C, is seen


def version() -> str:
    """The version of libheddle."""
    return str(lib.library().heddle_version().decode())


def _number(value: lib.Value) -> Number:
    return int(value.count) if value.whole else float(value.number)


def by_count(slots: Mapping[str, int]) -> Dict[str, int]:
    """The largest first, else in their order."""
    return {name: slots[name] for name in sorted(slots, key=lambda name: -slots[name])}


class Simulation:
    """One simulation of a netlist.

    netlist: a Netlist, the name of a file, or what would be in it as a dictionary.
    trace: the input that its modules read.  changes: values by path, as Netlist.set() takes them.
    kernels: the first and the last kernel of the trace that run, from 1; None: all.
    reasons: count why issue slots were lost.  saves: save() will be called.  strict: refuse input that contradicts
    itself.
    """

    def __init__(self, netlist: Union[Netlist, File, Mapping[str, Any]], trace: Optional[File] = None,
                 changes: Optional[Mapping[str, Any]] = None, plugins: Iterable[File] = (), saves: bool = False,
                 reasons: bool = False, strict: bool = False, kernels: Optional[Tuple[int, int]] = None) -> None:
        self._h: Optional[int] = None
        self.finished = False
        self._lib = lib.library()
        core = netlist if isinstance(netlist, Netlist) else Netlist(netlist)
        if changes:
            core = core.set(changes)
        self._h = self._lib.heddle_new()
        flags = (lib.SAVES if saves else 0) | (lib.REASONS if reasons else 0) | (lib.STRICT if strict else 0)
        self._check(self._lib.heddle_flags(self._h, flags))
        for file in [*core.plugins, *plugins]:
            self._check(self._lib.heddle_plugin(self._h, os.fsencode(file)))
        for change in core.changes:
            self._check(self._lib.heddle_set(self._h, change.encode()))
        if trace is not None:
            self._check(self._lib.heddle_input(self._h, os.fsencode(trace)))
        if kernels is not None:
            self._check(self._lib.heddle_input_range(self._h, kernels[0], kernels[1]))
        if core.file is not None:
            self._check(self._lib.heddle_load(self._h, os.fsencode(core.file)))
        else:
            text = core.text().encode()
            self._check(self._lib.heddle_load_text(self._h, core.place.encode(), text, len(text)))

    def _check(self, result: int) -> int:
        if result < 0:
            text = self.messages() or "heddle: error: " + self._lib.heddle_result_name(result).decode()
            self._lib.heddle_forget_messages(self._h)
            if result == lib.NO_MEMORY:
                raise MemoryError(text.rstrip())
            raise _ERRORS.get(result, Error)(text)
        return result

    def run(self, cycle: Optional[int] = None) -> bool:
        """Runs until so many cycles are over, or to the end.  True: no work is left.  Ctrl-C ends the call between two
        cycles, and the run may go on."""
        end = lib.TO_THE_END if cycle is None else cycle
        length, result = 1000, lib.OK
        while result == lib.OK:
            begin, before = time.monotonic(), self.cycle
            result = self._check(self._lib.heddle_run(self._h, min(end, before + length)))
            if self.cycle >= end:
                break
            if time.monotonic() - begin < _SLICE:
                length *= 2
            elif length > 1:
                length //= 2
        self.finished = result == lib.FINISHED
        return self.finished

    def save(self, file: File) -> None:
        """Writes the state, of a simulation that was made with saves=True."""
        self._check(self._lib.heddle_save(self._h, os.fsencode(file)))

    def restore(self, file: File) -> None:
        """Goes on from a saved state, before the first run()."""
        self._check(self._lib.heddle_restore(self._h, os.fsencode(file)))

    @property
    def cycle(self) -> int:
        """Cycles so far."""
        return int(self._lib.heddle_cycle(self._h))

    def __getitem__(self, path: str) -> Number:
        """One statistic by its path: "cycles", "issue.stall", "sp[0].busy", "queues.slice[0].rop.mean"."""
        value = lib.Value(size=ctypes.sizeof(lib.Value))
        self._check(self._lib.heddle_value(self._h, path.encode(), value))
        return _number(value)

    def meanings(self) -> Dict[str, Tuple[str, str]]:
        """Unit and meaning of every statistic by its path; the unit of a share is ""."""
        value, found = lib.Value(size=ctypes.sizeof(lib.Value)), {}
        for i in range(self._lib.heddle_values(self._h)):
            self._check(self._lib.heddle_value_at(self._h, i, value))
            found[value.path.decode()] = (value.unit.decode(), value.doc.decode())
        return found

    def values(self) -> Dict[str, Tuple[Number, str]]:
        """Every statistic: path -> (number, unit)."""
        value, found = lib.Value(size=ctypes.sizeof(lib.Value)), {}
        for i in range(self._lib.heddle_values(self._h)):
            self._check(self._lib.heddle_value_at(self._h, i, value))
            found[value.path.decode()] = (_number(value), value.unit.decode())
        return found

    def text(self) -> str:
        """What heddle run --stats writes; before the end "status" is "running"."""
        return str(self._lib.heddle_json(self._h).decode())

    def results(self) -> Dict[str, Any]:
        """text() as a dictionary."""
        found: Dict[str, Any] = json.loads(self.text())
        return found

    def kernels(self) -> List[Dict[str, Any]]:
        """Of each kernel that has ended a dictionary: its name, cycles, issue slots, and statistics by instance."""
        return list(self.results().get("kernels", []))

    def reasons(self, kernel: Optional[Mapping[str, Any]] = None) -> Dict[str, int]:
        """Why issue slots were lost, of the run or one of kernels(): reason -> slots, the largest first; of a
        simulation that was made with reasons=True."""
        return by_count((self.results() if kernel is None else kernel).get("reasons", {}))

    def table(self) -> str:
        """The table that heddle run prints."""
        return str(self._lib.heddle_table(self._h).decode())

    def messages(self) -> str:
        """Warnings so far, a line for each."""
        return str(self._lib.heddle_messages(self._h).decode())

    def close(self) -> None:
        """Frees the simulation."""
        h, self._h = self._h, None
        self._lib.heddle_free(h)

    def __enter__(self) -> Simulation:
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_h", None):
            self.close()
