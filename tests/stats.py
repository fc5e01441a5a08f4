#!/usr/bin/env python3
# stats.py - prints the value of an expression of statistics
# SPDX-License-Identifier: BSD-2-Clause
#
# usage: stats.py EXPRESSION [FILE...]
#
# In the Python expression, s is the content of the first JSON file and t that of the second one, and first(NAME)
# the value of that member of s, wherever it comes first.  A string or a number is printed as it is, anything else as JSON, sorted, one member a line.
import json
import sys

files = []
for name in sys.argv[2:]:
    with open(name) as f:
        files.append(json.load(f))


def first(name, s=files and files[0]):
    if isinstance(s, dict) and name in s:
        return s[name]
    inner = s.values() if isinstance(s, dict) else s if isinstance(s, list) else []
    return next((v for v in (first(name, x) for x in inner) if v is not None), None)


value = eval(sys.argv[1], {**dict(zip("st", files)), "first": first})
print(value if isinstance(value, (str, int, float)) else json.dumps(value, indent=1, sort_keys=True))
