"""_text.py - writes JSON as a person would: what fits stands on one line

SPDX-License-Identifier: BSD-2-Clause
"""
from __future__ import annotations

import json
from typing import Any

WIDTH = 120


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _put(value: Any, depth: int, used: int) -> str:
    """The text of a value whose first line has `used` characters already, and one may follow."""
    line = _line(value)
    if used + len(line) < WIDTH and depth > 0 or not isinstance(value, (dict, list)) or not value:
        return line
    indent = " " * (depth + 1)
    if isinstance(value, list):
        lines = [indent + _put(one, depth + 1, len(indent)) for one in value]
        return "[\n" + ",\n".join(lines) + "\n" + " " * depth + "]"
    lines = []
    for name, one in value.items():
        begin = indent + _line(name) + ": "
        lines.append(begin + _put(one, depth + 1, len(begin)))
    return "{\n" + ",\n".join(lines) + "\n" + " " * depth + "}"


def layout(value: Any) -> str:
    """The text of a file; its outermost object has a line for each member."""
    return _put(value, 0, 0) + "\n"
