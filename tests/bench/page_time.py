# page_time.py - prints how many milliseconds a page takes until it answers
# SPDX-License-Identifier: BSD-2-Clause
#
# Usage: page_time.py PAGE; the median of three times, the browser's start not included.
import os
import sys
import time

from browser import Browser, find

program = find()
if not program:
    sys.exit("there is no browser")
b = Browser(program)
times = []
for _ in range(3):
    begin = time.monotonic()
    if not b.open(os.path.abspath(sys.argv[1])):
        sys.exit("the page does not become ready")
    times.append(time.monotonic() - begin)
b.close()
print("ready %.0f" % (1e3 * sorted(times)[1]))
