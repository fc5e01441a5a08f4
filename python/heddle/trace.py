"""trace.py - traces of CUDA programs and kernels, which are executed without a GPU

SPDX-License-Identifier: BSD-2-Clause
"""
from __future__ import annotations

import os
from typing import Optional, Sequence, Tuple, Union

from . import _program
from ._program import File

Size = Union[None, int, str, Tuple[int, ...]]


def _size(value: Size) -> Optional[str]:
    if value is None or isinstance(value, str):
        return value
    return str(value) if isinstance(value, int) else ",".join(map(str, value))


def record(output: File, *, program: Optional[Sequence[File]] = None, cubin: Optional[File] = None,
           launches: Optional[File] = None, kernel: Optional[str] = None, grid: Size = None, block: Size = None,
           args: Sequence[str] = (), shared: Optional[int] = None, options: Sequence[str] = ()) -> str:
    """Executes a CUDA program, kernels of a cubin, or the launches of a file, and writes a trace; gives its name.

    program: the program with its arguments.  cubin: a cubin or fatbin, of which one kernel is launched:
    kernel: its name, where there are several.  grid: blocks, block: threads of a block, numbers or tuples.
    args: its arguments as docs/cuda.md has them, such as "buf:4096:iota" and "i32:1024".  shared: bytes.
    launches: a file that describes several launches.  options: others of heddle trace record.
    """
    name = os.fspath(output)
    words = _program.options(cubin=cubin, launches=launches, kernel=kernel, grid=_size(grid), block=_size(block),
                             args=",".join(args) or None, shared=shared)
    _program.output(["trace", "record", "--output=" + name, *words, *options, *(["--", *program] if program else [])])
    return name
