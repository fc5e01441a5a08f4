#!/bin/sh
# held.sh - where loads are for which warps wait: reasons of slots beside the requests of the dump
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"
needs python3 sqlite3

gv100=$src/netlists/quadro_gv100.json

# ---- one load through the whole GPU: the cycles of docs/gpu.md ----
mkdir one
cat >one/kernel-1.traceg <<'END'
-kernel name = one
-kernel id = 1
-grid dim = (1,1,1)
-block dim = (32,1,1)
-shmem = 0
-nregs = 16
-shmem base_addr = 0x10000000
-local mem base_addr = 0x20000000
-binary version = 70
-accelsim tracer version = 4
#
#BEGIN_TB
thread block = 0,0,0
warp = 0
insts = 3
0000 ffffffff 1 R8 LDG.E.SYS 1 R2 4 1 0x1000 0
0010 ffffffff 1 R9 FFMA 1 R8 0
0020 ffffffff 0 EXIT 0 0
#END_TB
END
echo kernel-1.traceg >one/kernelslist.g
expect 0 '' "$heddle" run -q --set clusters=1 --set dispatcher.kernel_latency=0 --dump one.hdump "$gv100" one/kernelslist.g
"$heddle" dump one.hdump --to text >one.txt
sed -n 's/^\([0-9]*\) \([0-9]*\) issue.slot .*reason=scoreboard\.global\.\([a-z0-9_]*\) .*/\1 \2 \3/p' one.txt >got
cat >want <<'END'
3 23 l1
26 1 l1_queue
27 3 network
30 160 rop
190 2 l2
192 1 dram_queue
193 100 dram
293 1 dram_queue
294 32 dram
326 7 reply
END
cmp want got || { fail "a load is elsewhere:"; diff want got; }
grep ' mem ended ' one.txt | grep -q \
	' cluster\[0\].sm\[0\].load_store:miss_queue=1 requests.in\[0\]=1 intake\[32\].request=1 slice\[32\].rop=160 slice\[32\]:waiting=1 slice\[32\]:miss=1 dram\[16\]:latency=100 dram\[16\]:queue=1 dram\[16\]:bank=32 dram\[16\]:returned=2 slice\[32\].from_dram=1 slice\[32\]:filled=1 reply_port\[32\].in=1 cluster\[0\].node.in=1 ' ||
	fail "the request took another way: $(grep ' mem ' one.txt)"

# ---- many: whenever a slot names a place, a request of the SM is there ----
cat >check.py <<'END'
import collections
import re
import sqlite3
import sys

db = sqlite3.connect(sys.argv[1])
kinds = [(r"load_store:miss_queue$", "l1_queue"), (r"^requests|^intake\[\d+\]\.request$", "network"),
         (r"\.rop$", "rop"), (r"slice\[\d+\]:(waiting|miss)$", "l2"),
         (r"^dram\[\d+\]\.request|^dram\[\d+\]:queue$", "dram_queue"),
         (r"^dram\[\d+\]:(latency|bank)$", "dram")]
there = collections.defaultdict(set)  # (core, place) -> cycles
for core, name, cycle, cycles in db.execute(
        "SELECT m.core, p.name, s.cycle, s.cycles FROM step s JOIN mem m ON m.id = s.id"
        " JOIN place p ON p.id = s.place WHERE m.flags & 1 = 0"):
    for pattern, kind in kinds:
        if re.search(pattern, name):
            # a move is seen in the next cycle; and a tick of the memory lies between two core cycles: it may
            # move on in the first one
            there[core, kind].update(range(cycle, cycle + cycles + 1 + kind.startswith("dram")))
    if name.endswith(":latency"):
        there[core, "dram_queue"].update((cycle, cycle + 1))
bad = slots = 0
seen = collections.Counter()
for cycle, n, core, reason, producer in db.execute(
        "SELECT cycle, n, core, reason, producer_uid FROM v_slot WHERE kind = 'scoreboard'"):
    place = reason.split(".")[2] if reason.count(".") == 2 else None
    seen[place] += n
    slots += n
    if place in (None, "l1", "reply"):
        continue
    for c in range(cycle, cycle + n):
        if c not in there[core, place]:
            bad += 1
            if bad < 5:
                print("core %d, cycle %d, uid %s: nothing is in %s" % (core, c, producer, place))
for place in sys.argv[2:]:
    if not seen[place]:
        print("no slot waits in " + place)
        bad += 1
if any(row[0] for row in db.execute("SELECT count(*) FROM v_request WHERE text IS NULL AND flags & 1024")):
    print("a load's request names no instruction")
    bad += 1
sys.exit(bad != 0)
END
small="--set clusters=3 --set cores=2 --set channels=8 --set dispatcher.kernel_latency=100"
sums=$build/tests/dump/sums
for trace in gather reduce; do
	list=$src/traces/samples/$trace/kernelslist.g
	# shellcheck disable=SC2086
	expect 0 '' "$heddle" run -q $small --dump run.hdump --stats with.json "$gv100" "$list"
	# shellcheck disable=SC2086
	expect 0 '' "$heddle" run -q $small --stats without.json "$gv100" "$list"
	cmp with.json without.json || fail "$trace: a dump changes the statistics"
	"$sums" run.hdump || fail "$trace: the reasons do not add up"
	rm -f run.db
	expect 0 '' "$heddle" dump run.hdump --to sqlite --steps -o run.db
	places='l1 network rop dram reply'
	test $trace = reduce || places="$places l1_queue l2 dram_queue"
	# shellcheck disable=SC2086
	python3 check.py run.db $places || fail "$trace: reasons are not where the requests are"
	for how in --no-sleep '--shuffle 3' '--shuffle 4'; do
		# shellcheck disable=SC2086
		"$heddle" run -q $small $how --dump other.hdump "$gv100" "$list" || fail "$trace $how"
		cmp -s run.hdump other.hdump || fail "$trace $how: another dump"
	done
done

# ---- every access of every cache names its instruction ----
# shellcheck disable=SC2086
expect 0 '' "$heddle" run -q $small --dump run.hdump --dump-filter event=cache.access,inst,mem,issue.slot \
	"$gv100" "$src/traces/samples/gather/kernelslist.g"
rm -f run.db
expect 0 '' "$heddle" dump run.hdump --to sqlite -o run.db
test "$(sqlite3 run.db "SELECT count(DISTINCT path LIKE 'l2%') FROM v_access")" -eq 2 || fail "v_access: one level only"
test "$(sqlite3 run.db "SELECT count(*) FROM v_access WHERE text IS NULL")" -eq 0 || fail "an access names no instruction"
test "$(sqlite3 run.db "SELECT count(*) FROM v_access WHERE text NOT LIKE 'LD%' AND text NOT LIKE 'ST%'")" -eq 0 ||
	fail "an access names an instruction that accesses no memory"

# ---- a column core is an id of the table core, whatever table has it; the number of an SM is sm ----
cat >cores.py <<'END'
import sqlite3

db = sqlite3.connect("run.db")
paths = dict(db.execute("SELECT id, path FROM core"))
with_core = 0
for table, in db.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name <> 'core'").fetchall():
    columns = [row[1] for row in db.execute(f'PRAGMA table_info("{table}")')]
    assert "core_id" not in columns, table
    if "core" not in columns:
        continue
    with_core += 1
    assert {row[0] for row in db.execute(f'SELECT DISTINCT core FROM "{table}"')} <= set(paths), table
    if "sm" in columns:
        bad = [row for row in db.execute(f'SELECT DISTINCT core, sm FROM "{table}" WHERE core > 0') if row[0] != row[1] + 1]
        assert not bad, (table, bad)
    if "instance" in columns:
        bad = db.execute(f'SELECT count(*) FROM "{table}" t JOIN instance i ON i.id = t.instance'
                         " WHERE i.core > 0 AND i.core <> t.core").fetchone()[0]
        assert bad == 0, table
assert with_core >= 8, with_core
# the instruction of an access, in an SM and in the L2, is that of the same core
assert db.execute("SELECT count(*) FROM cache_access a WHERE NOT EXISTS"
                  " (SELECT 1 FROM inst i WHERE i.core = a.core AND i.uid = a.uid)").fetchone()[0] == 0
assert db.execute("SELECT count(DISTINCT core) FROM mem WHERE core > 0").fetchone()[0] > 1
assert not db.execute("SELECT 1 FROM meta WHERE name = 'core'").fetchone()
END
python3 cores.py || fail "a column core is not an id of the table core"
done_testing
