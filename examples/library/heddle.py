"""heddle.py - libheddle from Python, with nothing but the standard library

SPDX-License-Identifier: BSD-2-Clause

    from heddle import Simulation

    with Simulation("volta_sm.json", "kernelslist.g", {"collector.sets[0].units": 4}, reasons=True) as s:
        while not s.run(s.cycle + 1000):
            print(s.cycle, s["warp_instructions"])
        print(s.results()["issue"], s.reasons())
        for kernel in s.kernels():
            print(kernel["name"], kernel["cycles"], s.reasons(kernel))

The library is that of LIBHEDDLE, else one beside this file or in a build folder around it or around the present
folder, else the installed one.
Calls release the interpreter's lock: simulations in several threads run at once.
"""
import ctypes
import json
import os
import subprocess

OK, FINISHED = 0, 1
SAVES, REASONS = 4, 8
TO_THE_END = 2 ** 64 - 1


class Value(ctypes.Structure):
    """struct heddle_value"""
    _fields_ = [("size", ctypes.c_size_t), ("path", ctypes.c_char_p), ("unit", ctypes.c_char_p),
                ("doc", ctypes.c_char_p), ("number", ctypes.c_double), ("count", ctypes.c_uint64),
                ("whole", ctypes.c_int)]


class Error(Exception):
    """What heddle refuses or reports; the text has file, line and column where there is one."""


def _near():
    """Names of the library beside this file, in build folders around the present one, and in those around this file."""
    here = os.path.dirname(os.path.abspath(__file__))
    yield os.path.join(here, "libheddle.so.0")
    for folder in (os.getcwd(), here):
        while folder != os.path.dirname(folder):
            for build in (folder, os.path.join(folder, "build")):
                yield os.path.join(build, ".libs", "libheddle.so.0")
            folder = os.path.dirname(folder)


def _open():
    near = next(filter(os.path.exists, _near()), "libheddle.so.0")
    name = os.environ.get("LIBHEDDLE", near)
    try:
        return ctypes.CDLL(name)
    except OSError:
        if "/" in name:
            raise
    name = "libheddle.so.0"
    folder = subprocess.run(["pkg-config", "--variable=libdir", "heddle"], capture_output=True, text=True, check=True)
    return ctypes.CDLL(os.path.join(folder.stdout.strip(), name))


_lib = _open()
_handle, _text = ctypes.c_void_p, ctypes.c_char_p
for _name, _result, _arguments in (
        ("new", _handle, []), ("free", None, [_handle]),
        ("plugin", ctypes.c_int, [_handle, _text]), ("set", ctypes.c_int, [_handle, _text]),
        ("input", ctypes.c_int, [_handle, _text]), ("load", ctypes.c_int, [_handle, _text]),
        ("load_text", ctypes.c_int, [_handle, _text, _text, ctypes.c_size_t]),
        ("flags", ctypes.c_int, [_handle, ctypes.c_uint]),
        ("save", ctypes.c_int, [_handle, _text]), ("restore", ctypes.c_int, [_handle, _text]),
        ("run", ctypes.c_int, [_handle, ctypes.c_uint64]), ("cycle", ctypes.c_uint64, [_handle]),
        ("value", ctypes.c_int, [_handle, _text, ctypes.POINTER(Value)]),
        ("values", ctypes.c_size_t, [_handle]),
        ("value_at", ctypes.c_int, [_handle, ctypes.c_size_t, ctypes.POINTER(Value)]),
        ("json", _text, [_handle]), ("table", _text, [_handle]), ("messages", _text, [_handle]),
        ("forget_messages", None, [_handle]), ("result_name", _text, [ctypes.c_int])):
    _function = getattr(_lib, "heddle_" + _name)
    _function.restype, _function.argtypes = _result, _arguments


def _number(value):
    return value.count if value.whole else value.number


class Simulation:
    """One simulation.  netlist: the name of a file, or what would be in it as a dictionary."""

    def __init__(self, netlist, trace=None, changes=None, plugins=(), saves=False, reasons=False):
        self._h = _lib.heddle_new()
        self.finished = False
        self._check(_lib.heddle_flags(self._h, (SAVES if saves else 0) | (REASONS if reasons else 0)))
        for file in plugins:
            self._check(_lib.heddle_plugin(self._h, os.fsencode(file)))
        for path, value in (changes or {}).items():
            text = value if isinstance(value, str) else json.dumps(value)
            self._check(_lib.heddle_set(self._h, f"{path}={text}".encode()))
        if trace is not None:
            self._check(_lib.heddle_input(self._h, os.fsencode(trace)))
        if isinstance(netlist, dict):
            text = json.dumps(netlist).encode()
            self._check(_lib.heddle_load_text(self._h, b"netlist", text, len(text)))
        else:
            self._check(_lib.heddle_load(self._h, os.fsencode(netlist)))

    def _check(self, result):
        if result < 0:
            text = self.messages() or _lib.heddle_result_name(result).decode()
            _lib.heddle_forget_messages(self._h)
            raise Error(text.rstrip())
        return result

    def run(self, cycle=TO_THE_END):
        """Runs until so many cycles are over; True: no work is left."""
        self.finished = self._check(_lib.heddle_run(self._h, cycle)) == FINISHED
        return self.finished

    def save(self, file):
        """Writes the state, of a simulation that was made with saves=True."""
        self._check(_lib.heddle_save(self._h, os.fsencode(file)))

    def restore(self, file):
        """Goes on from a saved state, before the first run()."""
        self._check(_lib.heddle_restore(self._h, os.fsencode(file)))

    @property
    def cycle(self):
        return _lib.heddle_cycle(self._h)

    def __getitem__(self, path):
        """One statistic by its path."""
        value = Value(size=ctypes.sizeof(Value))
        self._check(_lib.heddle_value(self._h, path.encode(), value))
        return _number(value)

    def values(self):
        """Every statistic: path -> (number, unit)."""
        value, found = Value(size=ctypes.sizeof(Value)), {}
        for i in range(_lib.heddle_values(self._h)):
            self._check(_lib.heddle_value_at(self._h, i, value))
            found[value.path.decode()] = (_number(value), value.unit.decode())
        return found

    def results(self):
        """What heddle run --stats writes, as a dictionary."""
        return json.loads(_lib.heddle_json(self._h))

    def kernels(self):
        """Of each kernel that has ended a dictionary: its name, cycles, issue slots, and statistics by instance."""
        return self.results().get("kernels", [])

    def reasons(self, kernel=None):
        """Why issue slots were lost, of the run or one of kernels(): reason -> slots, the largest first; of a
        simulation that was made with reasons=True."""
        found = (self.results() if kernel is None else kernel).get("reasons", {})
        return dict(sorted(found.items(), key=lambda one: -one[1]))

    def table(self):
        return _lib.heddle_table(self._h).decode()

    def messages(self):
        return _lib.heddle_messages(self._h).decode()

    def close(self):
        h, self._h = self._h, None
        _lib.heddle_free(h)

    def __enter__(self):
        return self

    def __exit__(self, *ignored):
        self.close()

    def __del__(self):
        if getattr(self, "_h", None):
            self.close()
