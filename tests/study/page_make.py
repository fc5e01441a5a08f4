# page_make.py - makes results of a study without running it
# SPDX-License-Identifier: BSD-2-Clause
#
# usage: page_make.py FILE POINTS STATISTICS.  Point 5 and every 97th have no values; a text is markup.
import random
import sqlite3
import sys

path, n, more = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
db = sqlite3.connect(path)
db.executescript("""
CREATE TABLE study(name TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE point(point INTEGER PRIMARY KEY, netlist TEXT, design TEXT, trace TEXT, status TEXT, message TEXT,
  cycles INTEGER, key TEXT);
CREATE TABLE parameter(point INTEGER, name TEXT, value, varied INTEGER, PRIMARY KEY(point, name)) WITHOUT ROWID;
CREATE TABLE kernel(point INTEGER, kernel INTEGER, instance TEXT, id INTEGER, name TEXT, cycles INTEGER,
  PRIMARY KEY(point, kernel)) WITHOUT ROWID;
CREATE TABLE statistic(statistic INTEGER PRIMARY KEY, kind TEXT, path TEXT, unit TEXT, doc TEXT, UNIQUE(kind, path));
CREATE TABLE value(point INTEGER, kernel INTEGER, statistic INTEGER, value,
  PRIMARY KEY(point, kernel, statistic)) WITHOUT ROWID;""")
RUN = ["cycles", "warp_instructions", "issue.single", "issue.dual", "issue.stall", "issue.scoreboard", "issue.idle",
       "reasons.single", "reasons.stall.full.INT", "reasons.scoreboard.unit", "reasons.idle.empty",
       "causes.stall.full.INT.int[*].initiation", "causes.stall.full.INT.collector.operands", "causes.scoreboard.unit.SP"]
MARKUP = "</script><b>&"
db.executemany("INSERT INTO study VALUES(?,?)", [("schema", 1), ("name", MARKUP), ("doc", MARKUP), ("points", n)])
db.executemany("INSERT INTO statistic VALUES(?,?,?,?,?)",
               [(i + 1, "run", name, "cycles", MARKUP) for i, name in enumerate(RUN)]
               + [(len(RUN) + 1 + i, "instance", "l1d.s%d" % i, None, None) for i in range(more)])
NETLISTS, TRACES = ["volta", "ampere"], ["matmul", "gather, hist"]
draw = random.Random(7)
for p in range(1, n + 1):
    q = p - 1
    trace, q = q % 2, q // 2
    latency, q = 25 * (1 + q % 4), q // 4
    netlist, q = q % 2, q // 2
    warps, seed = 2 ** (q % 3), q // 3
    cycles = 1000 * (1 + trace) + latency * (2 + netlist) + 4000 // warps + draw.randrange(100)
    bad = p == 5 or p % 97 == 0
    db.execute("INSERT INTO point VALUES(?,?,?,?,?,?,?,?)",
               (p, NETLISTS[netlist], "", TRACES[trace], "deadlock" if bad else "finished", MARKUP if bad else None,
                None if bad else cycles, "key"))
    values = [("memory.latency", latency), ("warps", warps), ("memory.module", "memory_fixed")]
    if n > 48:
        values.append(("seed", seed))
    if netlist:
        values.append(("share", 0.5))  # of one netlist alone
    db.executemany("INSERT INTO parameter VALUES(?,?,?,1)", [(p, *v) for v in values])
    if bad:
        continue
    third = cycles // 3
    db.executemany("INSERT INTO kernel VALUES(?,?,NULL,?,?,?)",
                   [(p, 1, 1, "first", third), (p, 2, 2, "second", cycles - third)])
    slots = [third, 0, cycles // 2, cycles // 10]
    stall, scoreboard, idle = slots[2], slots[3], cycles - sum(slots)
    numbers = [cycles, 500 * (1 + trace)] + slots + [idle]
    numbers += [third, stall, scoreboard, idle, stall // 4, stall // 3, scoreboard]
    numbers += [draw.randrange(100000) if i else 0.1 * p for i in range(more)]
    db.executemany("INSERT INTO value VALUES(?,0,?,?)", [(p, i + 1, v) for i, v in enumerate(numbers)])
db.commit()
