"""_library.py - finds libheddle and the programs, and declares the functions of <heddle/simulate.h>

SPDX-License-Identifier: BSD-2-Clause

They are looked for in this order, and both belong together:
  1. the file that LIBHEDDLE names, and the program that HEDDLE names
  2. a build folder around the present folder, then around this package
  3. the prefix in which this package is installed
  4. where the dynamic linker finds the library, and PATH the program; then the prefix of pkg-config
"""
from __future__ import annotations

import ctypes
import os
from typing import Any, Iterator, List, Optional, Tuple

SONAME = "libheddle.so.0"
OK, FINISHED, BAD_INPUT, FAILED, DEADLOCK, BAD_CALL, NO_MEMORY = 0, 1, -1, -2, -3, -4, -5
STRICT, NO_SLEEP, SAVES, REASONS = 1, 2, 4, 8
TO_THE_END = 2 ** 64 - 1


class Value(ctypes.Structure):
    """struct heddle_value"""
    _fields_ = [("size", ctypes.c_size_t), ("path", ctypes.c_char_p), ("unit", ctypes.c_char_p),
                ("doc", ctypes.c_char_p), ("number", ctypes.c_double), ("count", ctypes.c_uint64),
                ("whole", ctypes.c_int)]


def _around(folder: str) -> Iterator[str]:
    """Build folders around a folder."""
    while True:
        yield folder
        yield os.path.join(folder, "build")
        above = os.path.dirname(folder)
        if above == folder:
            return
        folder = above


def _places() -> Iterator[str]:
    """Files that may be the library, the nearest first."""
    here = os.path.dirname(os.path.abspath(__file__))
    for folder in (os.getcwd(), here):
        for build in _around(folder):
            yield os.path.join(build, ".libs", SONAME)
    prefix = here
    for _ in range(5): # PREFIX/share/heddle/python/heddle, PREFIX/lib/python3/dist-packages/heddle
        prefix = os.path.dirname(prefix)
        yield os.path.join(prefix, "lib", SONAME)


def library_file() -> Optional[str]:
    """The name of the library; None: the dynamic linker has to find it."""
    return os.environ.get("LIBHEDDLE") or next((place for place in _places() if os.path.exists(place)), None)


def sample(name: str) -> str:
    """A trace that comes with heddle, such as "matmul", or another file of the samples, "cuda/transpose.json"."""
    names = set()
    for near in (__file__, library_file() or "", program_file()):
        folder = os.path.dirname(os.path.realpath(near))
        for place in _around(folder):
            for samples in ("traces/samples", "share/heddle/traces/samples"):
                at = os.path.join(place, samples)
                for file in (os.path.join(at, name, "kernelslist.g"), os.path.join(at, name)):
                    if os.path.isfile(file):
                        return file
                for one in os.listdir(at) if os.path.isdir(at) else []:
                    if os.path.isfile(os.path.join(at, one, "kernelslist.g")):
                        names.add(one)
    there = ", ".join(sorted(names)) or "none: the package heddle-data has them"
    raise FileNotFoundError("no sample '%s'; there is %s" % (name, there))


def _pkg_config(variable: str) -> str:
    import subprocess

    try:
        return subprocess.run(["pkg-config", "--variable=" + variable, "heddle"], capture_output=True, text=True,
                              check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def program_file() -> str:
    """The name of the program heddle that belongs to the library."""
    import shutil

    if os.environ.get("HEDDLE"):
        return os.environ["HEDDLE"]
    library = library_file()
    if library and "/" in library:
        folder = os.path.dirname(os.path.abspath(library))
        for near in ("../heddle", "../bin/heddle", "../../bin/heddle"):
            file = os.path.normpath(os.path.join(folder, near))
            if os.path.isfile(file) and os.access(file, os.X_OK):
                return file
    found = shutil.which("heddle")
    if not found and _pkg_config("prefix"):
        found = shutil.which("heddle", path=os.path.join(_pkg_config("prefix"), "bin"))
    if not found:
        raise FileNotFoundError("the program 'heddle' is not in a build folder around the present one, nor in PATH; "
                                "the environment variable HEDDLE may name it")
    return found


def _open() -> ctypes.CDLL:
    name = library_file()
    if name:
        return ctypes.CDLL(name)
    try:
        return ctypes.CDLL(SONAME)
    except OSError:
        folder = _pkg_config("libdir")
        if not folder:
            raise OSError(SONAME + " is not in a build folder around the present one, nor installed; the environment "
                          "variable LIBHEDDLE may name it") from None
        return ctypes.CDLL(os.path.join(folder, SONAME))


_HANDLE, _TEXT, _INT, _U64 = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int, ctypes.c_uint64
_FUNCTIONS: Tuple[Tuple[str, Any, List[Any]], ...] = (
    ("new", _HANDLE, []), ("free", None, [_HANDLE]), ("version", _TEXT, []), ("result_name", _TEXT, [_INT]),
    ("plugin", _INT, [_HANDLE, _TEXT]), ("set", _INT, [_HANDLE, _TEXT]), ("input", _INT, [_HANDLE, _TEXT]),
    ("input_range", _INT, [_HANDLE, _U64, _U64]), ("flags", _INT, [_HANDLE, ctypes.c_uint]),
    ("load", _INT, [_HANDLE, _TEXT]), ("load_text", _INT, [_HANDLE, _TEXT, _TEXT, ctypes.c_size_t]),
    ("run", _INT, [_HANDLE, _U64]), ("cycle", _U64, [_HANDLE]),
    ("save", _INT, [_HANDLE, _TEXT]), ("restore", _INT, [_HANDLE, _TEXT]),
    ("value", _INT, [_HANDLE, _TEXT, ctypes.POINTER(Value)]), ("values", ctypes.c_size_t, [_HANDLE]),
    ("value_at", _INT, [_HANDLE, ctypes.c_size_t, ctypes.POINTER(Value)]),
    ("json", _TEXT, [_HANDLE]), ("table", _TEXT, [_HANDLE]), ("messages", _TEXT, [_HANDLE]),
    ("forget_messages", None, [_HANDLE]))

_opened: Optional[ctypes.CDLL] = None


def library() -> ctypes.CDLL:
    """libheddle, which is opened at the first call.  Its functions release the interpreter's lock."""
    global _opened
    if _opened is None:
        opened = _open()
        for name, result, arguments in _FUNCTIONS:
            function = getattr(opened, "heddle_" + name)
            function.restype, function.argtypes = result, arguments
        _opened = opened
    return _opened
