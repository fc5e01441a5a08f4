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


# shares have the digits that a double keeps when it is read and written again
for number in re.findall(r"\d+\.\d+", open(sys.argv[1]).read()):
    if len(number.replace(".", "").lstrip("0")) > 15:
        same("digits", number, "at most 15")

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


def flat(figures, prefix=""):
    for name, v in figures.items():
        if isinstance(v, dict):
            yield from flat(v, prefix + name + ".")
        else:
            yield prefix + name, v


module_of = {any_index(path): c["module"] for path, c in s["instances"].items()}
# figures of the run: sums add up, a share is between those of the kernels
for name, v in flat({k: v for k, v in s.items() if k in s["kernels"][0]["figures"]}):
    each = [dict(flat(kernel["figures"])).get(name) for kernel in s["kernels"]]
    if name == "divergence.deepest":
        same(name + " of kernels", each, [None] * len(each))
    elif isinstance(v, int):
        same(name + " of all kernels", sum(each), v)
    elif not min(each) <= v <= max(each):
        print("%s: %f, of kernels %s" % (name, v, each))
        bad = 1
# shares: of edges, which are the kernel's cycles but for those in which an SM is empty; of accesses
for kernel in s["kernels"]:
    for group, share in kernel["rates"]["unit utilisation"].items():
        n = sum(any_index(path) == group for path in s["instances"])
        edges = n * kernel["cycles"]
        if "busy" not in s["modules"][module_of[group]]["statistics"]:
            continue
        busy = kernel["statistics"].get(group, {}).get("busy", 0)
        if not busy <= share * edges + 0.5 or share > 1 or (share > 0) != (busy > 0) \
                or ("one-sm" in sys.argv and share * (edges - 2 * n) > busy + 0.5):
            print("%s: %d busy edges of %d, %f" % (group, busy, edges, share))
            bad = 1
    for group, share in kernel["rates"]["cache hits"].items():
        c = kernel["statistics"].get(group, {})
        same("hits of " + group, round(share * c.get("accesses", 0)), c.get("hits", 0))
        kinds = "cache hits", "cache pending hits", "cache misses", "cache sector misses"
        all = sum(kernel["rates"][kind][group] for kind in kinds)
        same("shares of " + group, round(all, 6), 1 if c.get("accesses") else 0)
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
        taken = s["instances"][path.replace("slice", "intake")]["taken"]
        if not 160 * taken - 1 <= inside <= 170 * taken + 1:
            print("%s.rop: %f for %d requests" % (path, inside, taken))
            bad = 1
for name in sys.argv[2:]:
    if name != "one-sm" and not any(c.get(name) for c in s["instances"].values()):
        print("no '%s'" % name)
        bad = 1
sys.exit(bad)
END

gv100=$src/netlists/quadro_gv100.json
small="--set clusters=2 --set channels=8 --set dispatcher.kernel_latency=300"

# ---- a small GPU, several kernels ----
for trace in reduce gather; do
	# shellcheck disable=SC2086
	expect 0 '' "$heddle" run --stats s.json $small "$gv100" "$src/traces/samples/$trace/kernelslist.g"
	mv out table
	python3 check.py s.json bytes_read row_hits global_read_misses ||
		fail "$trace: statistics of a GPU"
	for line in 'cache hits' 'cache pending hits' 'cache misses' 'cache sector misses' 'row-buffer hits' 'memory bandwidth' 'queues'; do
		grep -q "^$line" table || fail "$trace: no '$line' in the table"
	done
	grep -Eq '^  slice\[\*\]\.rop +x16 ' table || fail "$trace: no line of the queues in front of the L2"
	# shellcheck disable=SC2086
	any_order t.json $small "$gv100" "$src/traces/samples/$trace/kernelslist.g"
	cmp s.json t.json || fail "$trace: other bytes with --quiet"
done

# ---- each cause of a refusal, and each kind of access that meets it ----
cause()
{
	name=$1
	shift
	expect 0 '' "$heddle" run -q --stats s.json "$@" "$src/netlists/volta_sm.json" \
		"$src/traces/samples/gather/kernelslist.g"
	python3 check.py s.json one-sm "$name" || fail "$*: no '$name', or sums differ"
}
cause global_read_fails_mshr_entries --set l1d.mshr_entries=1
cause global_read_fails_mshr_merge --set l1d.mshr_merge=1
cause global_read_fails_miss_queue --set l1d.miss_queue=2
cause global_read_fails_ways --set l1d.ways=1 --set l1d.max_ways=1 --set l1d.sets=1 \
	--set 'dispatcher.shared_options=[]'

# ---- a line for each kernel ----
# shellcheck disable=SC2086
expect 0 '' "$heddle" run --per-kernel --stats s.json $small "$gv100" "$src/traces/samples/reduce/kernelslist.g"
grep -A3 '^kernel ' out >table
cat >lines.py <<'END'
import json
import sys

head, *lines = open("table").read().rstrip().split("\n")
rows = json.load(open("s.json"))["kernels"]
if len(rows) != len(lines):
    sys.exit("%d lines, %d kernels" % (len(lines), len(rows)))
for line, row in zip(lines, rows):
    slots = row["figures"]["issue"]
    units = row["rates"]["unit utilisation"]
    unit = max(units, key=units.get)
    want = [str(row["id"]), "{:,}".format(row["cycles"]), "{:,}".format(row["warp_instructions"]),
            "%.3f" % (row["warp_instructions"] / row["cycles"])]
    want += ["%.1f%%" % (100 * n / sum(slots.values())) for n in slots.values()]
    want += [unit, "%.1f%%" % (100 * units[unit]), row["name"]]
    if line.split() != want:
        sys.exit("%s\n%s" % (line.split(), want))
    if head.split()[4:9] != list(slots):
        sys.exit(head)
END
python3 lines.py || fail "--per-kernel: other figures than --stats"
expect 2 '--per-kernel and --quiet: expected one of them' "$heddle" run -q --per-kernel "$gv100" \
	"$src/traces/samples/reduce/kernelslist.g"

# ---- many kernels: those after the first 4096 are kept together ----
mkdir many
cp "$src/traces/samples/tiny/kernel-1.traceg" many
$python -c 'print("kernel-1.traceg\n" * 4200)' >many/kernelslist.g
expect 0 '' "$heddle" run --per-kernel --stats s.json "$src/netlists/volta_sm.json" many/kernelslist.g
grep -q '^the shares of the last 104 kernels are kept together only' out || fail "no line about the rest"
cat >rest.py <<'END'
import collections
import json
import re
import sys

s = json.load(open("s.json"))
rest = s["kernels_rest"]
if [rest["rows"], len(s["kernels"])] != [104, 4200]:
    sys.exit("%d of %d" % (rest["rows"], len(s["kernels"])))
if any(("statistics" in k) != (i < 4096) for i, k in enumerate(s["kernels"])):
    sys.exit("not the first 4096 have statistics")
parts = collections.Counter()
for k in s["kernels"][:4096] + [rest]:
    for all in k, k.get("interval", {}):
        for group, figures in all.get("statistics", {}).items():
            for name, n in figures.items():
                parts[group, name] += n
    if k["figures"]["thread_blocks"] != k.get("rows", 1):
        sys.exit("%s" % k)
for path, figures in s["instances"].items():
    for name, n in figures.items():
        if isinstance(n, int):
            parts[re.sub(r"\[\d+\]", "[*]", path), name] -= n
if any(parts.values()):
    sys.exit("%s" % {k: v for k, v in parts.items() if v})
END
python3 rest.py || fail "many kernels: the rest is not what is missing"
expect 0 '' "$heddle" run --per-kernel --stats s.json --set dispatcher.concurrent=true "$src/netlists/volta_sm.json" many/kernelslist.g
python3 rest.py || fail "many kernels that may overlap: the rest is not what is missing"

# ---- a figure that is a share, of two modules: that of the sums ----
cat >share.c <<'END'
#include <heddle/module.h>

struct state {
	struct hd_ctx *ctx;
	uint64_t some, all;
};

static int init(void *state, struct hd_ctx *ctx)
{
	((struct state *)state)->ctx = ctx;
	hd_expect_finish(ctx);
	return 0;
}

static uint64_t eval(void *state)
{
	struct state *st = state;

	st->some = SOME;
	st->all = 10;
	hd_finish(st->ctx);
	return HD_SLEEP;
}

static const struct hd_stat stats[] = {
	{ .name = "some", .unit = "", .doc = "some", .offset = offsetof(struct state, some) },
	{ .name = "all", .unit = "", .doc = "all", .offset = offsetof(struct state, all) },
	{ .name = "share", .unit = "share", .doc = "of all", .offset = offsetof(struct state, some), .of = "all", .total = "share" },
	{ .name = NULL },
};

const struct hd_module MODULE = {
	.abi = HD_ABI, .size = sizeof(struct hd_module), .name = NAME, .doc = "has a share",
	.stats = stats, .state_size = sizeof(struct state), .init = init, .eval = eval, .checkpoint = hd_nothing_saved,
};
END
for n in 1 4; do
	plug_in share.c share$n.so "-DSOME=$n" "-DMODULE=hd_module_share$n" "-DNAME=\"share$n\""
done
cat >share.json <<'END'
{ "heddle": 1, "name": "share", "instances": {
	"a": { "module": "share1", "count": 3, "clock": "c" }, "b": { "module": "share4", "clock": "c" } },
  "clocks": { "c": { "mhz": 1000 } } }
END
expect 0 '' "$heddle" run -q --plugin share1.so --plugin share4.so --stats s.json share.json
stats 's["share"]' s.json | grep -qx 0.175 || fail "share of two modules: $(stats 's["share"]' s.json), expected 0.175"

# ---- events: the same lines with a dump, whose causes they name; and spans end with the run ----
expect 0 '' "$heddle" run -q --events alone "$src/netlists/volta_sm.json" "$src/traces/samples/gather/kernelslist.g"
expect 0 '' "$heddle" run -q --events beside --dump run.hdump "$src/netlists/volta_sm.json" "$src/traces/samples/gather/kernelslist.g"
cmp -s alone beside || fail "--dump changes what --events writes"
grep -q ' slot .*cause=[1-9]' alone || fail "--events: no slot has a cause"
done_testing
