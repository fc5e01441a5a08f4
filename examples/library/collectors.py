"""collectors.py - how many operand collectors does an SM need?  Instructions per cycle over time

SPDX-License-Identifier: BSD-2-Clause

    python3 collectors.py [PICTURE [NETLIST TRACE]]

Runs the SM with 4, 8, 16 and 32 collector units at the same time, each in a thread, and stops each every 200 cycles to read
how much was issued.  PICTURE needs matplotlib: collectors.svg, for example.
"""
import sys
from concurrent.futures import ThreadPoolExecutor

from heddle import Simulation, sample

WINDOW = 200


def measure(units):
    """{ "units": ..., "cycles": ..., "rates": [instructions per cycle in each window] }"""
    netlist, trace = sys.argv[2:4] if len(sys.argv) > 3 else ("volta_sm.json", sample("matmul"))
    with Simulation(netlist, trace, {"collector.sets[0].units": units}) as s:
        rates, before, over = [], 0, False
        while not over:
            begin = s.cycle
            over = s.run(begin + WINDOW)
            now = s["warp_instructions"]
            rates.append((now - before) / max(s.cycle - begin, 1))
            before = now
        return {"units": units, "cycles": s["cycles"], "stalled": s["issue.stall"], "rates": rates}


def draw(results, file):
    from matplotlib import pyplot

    for r in results:
        pyplot.plot([WINDOW * i for i in range(len(r["rates"]))], r["rates"], label=f"{r['units']} units")
    pyplot.xlabel("cycle")
    pyplot.ylabel("instructions per cycle")
    pyplot.ylim(bottom=0)
    pyplot.legend()
    pyplot.savefig(file)


with ThreadPoolExecutor() as pool:
    found = list(pool.map(measure, (4, 8, 16, 32)))
for r in found:
    print(f"{r['units']:2} units: {r['cycles']:5} cycles, {r['stalled']:5} slots stalled, best window {max(r['rates']):.2f}")
if len(sys.argv) > 1:
    draw(found, sys.argv[1])
