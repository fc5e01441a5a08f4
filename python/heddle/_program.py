"""_program.py - calls the program heddle, and makes exceptions of what it reports

SPDX-License-Identifier: BSD-2-Clause
"""
from __future__ import annotations

import os
from typing import TYPE_CHECKING, Dict, List, Mapping, Optional, Sequence, Union

from . import _library
from .errors import BadInput, Error, Failed

if TYPE_CHECKING:
    from subprocess import CompletedProcess

File = Union[str, "os.PathLike[str]"]
BAD_USAGE = 2 # the exit status of what is wrong with the arguments or the input


def call(arguments: Sequence[File], folders: Sequence[str] = (), names: Optional[Mapping[str, str]] = None
         ) -> CompletedProcess[str]:
    """Runs heddle with these arguments.  folders: where else netlists and data files are; names: what messages say in
    place of the names of temporary files."""
    import subprocess

    env: Dict[str, str] = dict(os.environ)
    if folders:
        env["HEDDLE_DATA_PATH"] = ":".join([*folders, *filter(None, [env.get("HEDDLE_DATA_PATH")])])
    done = subprocess.run([_library.program_file(), *(os.fspath(a) for a in arguments)], env=env, encoding="utf-8",
                          errors="replace", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    for real, shown in (names or {}).items():
        done.stderr = done.stderr.replace(real, shown)
    return done


def output(arguments: Sequence[File], folders: Sequence[str] = (), names: Optional[Mapping[str, str]] = None) -> str:
    """What heddle prints; an exception if its exit status is not 0."""
    done = call(arguments, folders, names)
    if done.returncode != 0:
        raise failure(done)
    return done.stdout


def failure(done: CompletedProcess[str]) -> Error:
    """The exception of a program that did not do its work."""
    text = done.stderr or "heddle: error: the program ended with exit status %d" % done.returncode
    if done.returncode < 0:
        text += "heddle: error: the program was ended by signal %d" % -done.returncode
    return BadInput(text) if done.returncode == BAD_USAGE else Failed(text)


def folder_of(owner: object) -> str:
    """A temporary folder that is removed with its owner."""
    import shutil
    import tempfile
    import weakref

    made = tempfile.mkdtemp(prefix="heddle-")
    weakref.finalize(owner, shutil.rmtree, made, ignore_errors=True)
    return made


def options(**given: Union[None, bool, int, str, Sequence[File], File]) -> List[str]:
    """Options of the program: jobs=2 is --jobs=2, quiet=True is --quiet, a list is one option for each member."""
    found: List[str] = []
    for name, value in given.items():
        option = "--" + name.replace("_", "-")
        if value is True:
            found.append(option)
        elif isinstance(value, (list, tuple)):
            found += [option + "=" + os.fspath(one) for one in value]
        elif value is not None and value is not False:
            text = value if isinstance(value, (int, str)) else os.fspath(value) # type: ignore[arg-type]
            found.append("%s=%s" % (option, text))
    return found
