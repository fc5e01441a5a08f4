#!/usr/bin/env python3
# stats.py - prints the value of an expression of statistics
# SPDX-License-Identifier: BSD-2-Clause
#
# usage: stats.py EXPRESSION [FILE...]
#
# In the Python expression, s is the content of the first JSON file and t that of the second one.  A
# string or a number is printed as it is, anything else as JSON, sorted, one member a line.
import json
import sys

files = []
for name in sys.argv[2:]:
    with open(name) as f:
        files.append(json.load(f))
value = eval(sys.argv[1], dict(zip("st", files)))
print(value if isinstance(value, (str, int, float)) else json.dumps(value, indent=1, sort_keys=True))
