"""heddle - simulate GPUs, or single streaming multiprocessors, that netlists describe

SPDX-License-Identifier: BSD-2-Clause

    import heddle

    core = heddle.Netlist("volta_sm.json").set("sub_cores", 2)
    result = core.run(heddle.sample("matmul"), reasons=True)
    print(result.cycles, result["issue.stall"], result.reasons)

    study = heddle.sweep("volta_sm.json", heddle.sample("matmul"), {"collector.sets[0].units": [4, 8, 16]})
    print(study.points)

    print(heddle.Dump("run.hdump").query("select reason, sum(n) n from v_slot group by reason"))

Everything is done by libheddle and the program heddle: those of a build folder around the present folder or around this
package, else those that are installed.  docs/python.md has more.  Times are in cycles of the netlist's first clock
unless a unit is named.
"""
from ._library import sample
from .dump import Dump
from .errors import BadCall, BadInput, Deadlock, Error, Failed, Message
from .netlist import Instance, Netlist
from .result import Result, compare
from .simulation import Simulation, version
from .study import Study, correlate, sweep
from .trace import record

__all__ = ["BadCall", "BadInput", "Deadlock", "Dump", "Error", "Failed", "Instance", "Message", "Netlist", "Result",
           "Simulation", "Study", "compare", "correlate", "record", "sample", "sweep", "version"]
