#!/bin/sh
# statistics.sh - statistics of the memory: by cause, by type of access, by kernel, of queues
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"
needs python3

cat >check.py <<'END'
import collections
import json
import re
import sys

s = json.load(open(sys.argv[1]))
bad = 0


def same(what, a, b):
    global bad
    if a != b:
        print("%s: %s and %s" % (what, a, b))
        bad = 1


def any_index(path):
    return re.sub(r"\[\d+\]", "[*]", path)


# a kernel's figures: over all kernels they are those of the run; shares cannot be added
total, parts = collections.Counter(), collections.Counter()
for path, figures in s["instances"].items():
    for name, n in figures.items():
        if isinstance(n, int) and n:
            total[any_index(path), name] += n
for kernel in s["kernels"]:
    for group, figures in kernel["statistics"].items():
        for name, n in figures.items():
            parts[group, name] += n
    same("cycles of kernel %d" % kernel["id"], kernel["cycles"],
         kernel["statistics"]["dispatcher"]["cycles"])
same("statistics of all kernels", parts, total)
# queues: each edge belongs to one kernel
sums, most = collections.Counter(), collections.Counter()
for kernel in s["kernels"]:
    for group, q in kernel["queues"].items():
        sums[group] += q["mean"] * kernel["cycles"]
        most[group] = max(most[group], q["most"])
of_run, count = collections.Counter(), collections.Counter()
for name, q in s.get("queues", {}).items():
    of_run[any_index(name)] += q["mean"]
    count[any_index(name)] += 1
    if q["most"] > q.get("capacity", 1 << 32):
        print("%s: %d of %d" % (name, q["most"], q["capacity"]))
        bad = 1
for group in count:
    same("most of " + group, most[group],
         max(q["most"] for name, q in s["queues"].items() if any_index(name) == group))
    mean = of_run[group] / count[group]
    if abs(mean - sums[group] / s["cycles"]) > 0.02 * mean + 0.001:
        print("mean of %s: %f, by kernels %f" % (group, mean, sums[group] / s["cycles"]))
        bad = 1
# caches: types and causes add up
kinds = ("global_read", "local_read", "global_write", "local_write", "line")
causes = ("ways", "miss_queue", "mshr_entries", "mshr_merge")
for path, c in s["instances"].items():
    if c["module"] != "cache":
        continue
    same(path + ".accesses", c["accesses"],
         c["hits"] + c["reserved_hits"] + c["misses"] + c["sector_misses"])
    for what in ("hits", "reserved_hits", "misses", "sector_misses"):
        same(path + "." + what, c[what], sum(c[k + "_" + what] for k in kinds))
    for cause in causes:
        same(path + "." + cause, c["fails_" + cause], sum(c[k + "_fails_" + cause] for k in kinds))
    for k in kinds:
        same(path + "." + k, c[k + "_refusals"], sum(c[k + "_fails_" + cause] for cause in causes))
    same(path + ".fails", c["reservation_fails"], sum(c["fails_" + cause] for cause in causes))
# channels; requests stay in the delay for 160 cycles at least, so many are there on average
for path, c in s["instances"].items():
    if c["module"] == "dram":
        same(path + ".bytes", c["bytes_read"] + c["bytes_written"], 32 * (c["reads"] + c["writes"]))
        same(path + ".bus_busy", c["bus_busy"], c["reads"] + c["writes"])
        same(path + ".ticks", c["ticks"], s["clocks"]["dram"]["edges"])
    if c["module"] == "l2_slice":
        inside = s["queues"][path + ".rop"]["mean"] * s["clocks"]["l2"]["edges"]
        if not 160 * c["taken"] - 1 <= inside <= 170 * c["taken"] + 1:
            print("%s.rop: %f for %d requests" % (path, inside, c["taken"]))
            bad = 1
for name in sys.argv[2:]:
    if not any(c.get(name) for c in s["instances"].values()):
        print("no '%s'" % name)
        bad = 1
sys.exit(bad)
END

gv100=$src/netlists/quadro_gv100.json
small="--set clusters=2 --set channels=8 --set dispatcher.kernel_latency=300"

# ---- a small GPU, several kernels ----
for trace in reduce gather; do
	# shellcheck disable=SC2086
	expect 0 '' "$heddle" run --stats s.json $small "$gv100" "$src/traces/$trace/kernelslist.g"
	mv out table
	python3 check.py s.json bytes_read row_hits global_read_misses ||
		fail "$trace: statistics of a GPU"
	for line in 'cache hits' 'row-buffer hits' 'memory bandwidth' 'queues'; do
		grep -q "^$line" table || fail "$trace: no '$line' in the table"
	done
	grep -Eq '^  slice\[\*\]\.rop +x16 ' table || fail "$trace: no line of the queues in front of the L2"
	for how in --no-sleep '--shuffle 3' '--shuffle 4'; do
		# shellcheck disable=SC2086
		expect 0 '' "$heddle" run -q --stats t.json $how $small "$gv100" \
			"$src/traces/$trace/kernelslist.g"
		cmp s.json t.json || fail "$trace $how: other bytes"
	done
done

# ---- each cause of a refusal, and each kind of access that meets it ----
cause()
{
	name=$1
	shift
	expect 0 '' "$heddle" run -q --stats s.json "$@" "$src/netlists/volta_sm.json" \
		"$src/traces/gather/kernelslist.g"
	python3 check.py s.json "$name" || fail "$*: no '$name', or sums differ"
}
cause global_read_fails_mshr_entries --set l1d.mshr_entries=1
cause global_read_fails_mshr_merge --set l1d.mshr_merge=1
cause global_read_fails_miss_queue --set l1d.miss_queue=2
cause global_read_fails_ways --set l1d.ways=1 --set l1d.max_ways=1 --set l1d.sets=1 \
	--set 'dispatcher.shared_options=[]'
done_testing
