#!/bin/sh
# users.sh - caches, register files and units with several users: each gets its own; who can serve one only is refused
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"

# every NETLIST TIMES TRACE...: the run ends, has done all that TIMES single SMs do, and is the same
# however it is evaluated, stopped and loaded
every()
{
	netlist=$1
	times=$2
	shift 2
	for trace; do
		list=$src/traces/samples/$trace/kernelslist.g
		expect 0 '' "$heddle" run -q "$src/netlists/volta_sm.json" "$list" --stats one.json
		any_order all.json "$netlist" "$list"
		test "$(figure all.json thread_instructions)" -eq $((times * $(figure one.json thread_instructions))) ||
			fail "$netlist $trace: another number of instructions"
		half=$(($(figure all.json cycles) / 2))
		expect 0 '' "$heddle" run -q "$netlist" "$list" --stats again.json --save-at $half state
		expect 0 '' "$heddle" run -q "$netlist" "$list" --stats again.json --load state
		cmp -s all.json again.json || fail "$netlist $trace: another result after loading"
		expect 0 '' "$heddle" run -q "$netlist" "$list" --stats again.json --dump run.hdump
		cmp -s all.json again.json || fail "$netlist $trace: another result with a dump"
	done
}

every "$src/examples/two_load_store.json" 1 matmul hist
every "$src/examples/shared_l1.json" 2 reduce gather
every "$src/examples/sub_core_files.json" 1 matmul reduce
# a fence, which is evaluated in calls only, has its place among those that call the cache, too
"$heddle" trace assemble -o fences - <<'END' || fail "trace assemble"
kernel fences sm=70 grid=4 block=128 shared=0 regs=16
	LDG.E R2, [R0] addr=0x1000+128*lane
	MEMBAR.SC.GPU
	LDG.E R3, [R0] addr=0x1000+128*lane
	STG.E [R0], R3 addr=0x3000+4*lane
	MEMBAR.SC.GPU
	LDG.E R4, [R0] addr=0x1000+128*lane
	EXIT
END
any_order all.json "$src/examples/shared_l1.json" fences/kernelslist.g
for netlist in two_load_store shared_l1 sub_core_files; do
	expect 0 '' "$heddle" run -q --check-modules "$src/examples/$netlist.json" \
		"$src/traces/samples/vecadd/kernelslist.g"
done
# the second unit serves half of the accesses; the second SM finds lines that the first has fetched
expect 0 '' "$heddle" run -q "$src/netlists/volta_sm.json" "$src/traces/samples/matmul/kernelslist.g" --stats one.json
expect 0 '' "$heddle" run -q "$src/examples/two_load_store.json" "$src/traces/samples/matmul/kernelslist.g" --stats two.json
test $((10 * $(figure two.json cycles))) -lt $((6 * $(figure one.json cycles))) || fail "two units save little"
expect 0 '' "$heddle" run -q "$src/examples/shared_l1.json" "$src/traces/samples/matmul/kernelslist.g" --stats both.json
expect 0 '' "$heddle" run -q "$src/examples/two_sms.json" "$src/traces/samples/matmul/kernelslist.g" --stats apart.json
test "$(figure both.json fills)" -lt $((2 * $(figure apart.json fills))) || fail "no line is shared"

# ---- four collectors in front of one register file ----
cat >one_file.json <<'END'
{ "heddle": 1, "name": "one_file", "extends": "volta_sm.json",
  "set": { "collector.count": 4, "collector.sub_cores": 0 },
  "rewire": [
    { "link": { "to": "collector" }, "to": "collector[*]" },
    { "link": { "from": "collector" }, "from": "collector[*]" } ] }
END
every one_file.json 1 matmul reduce
# one sub-core in each of an array of collectors is the same, though their schedulers have numbers from 0 to 3
sed 's/"collector.sub_cores": 0/"collector.sub_cores": 1/' one_file.json >one_each.json
expect 0 '' "$heddle" run -q one_file.json "$src/traces/samples/hist/kernelslist.g" --stats all.json
expect 0 '' "$heddle" run -q one_each.json "$src/traces/samples/hist/kernelslist.g" --stats each.json
sed 's/one_each/one_file/' each.json | cmp -s all.json - || fail "collectors of one sub-core each: another result"
# two for two schedulers each number them in the same way: what cannot be served is not waited for
cat >pairs.json <<'END'
{ "heddle": 1, "name": "pairs", "extends": "volta_sm.json",
  "set": { "collector.count": 2, "collector.sub_cores": 2 },
  "rewire": [
    { "link": { "from": "issue.out" }, "for": { "k": "0..1" },
      "from": "issue[2 * k..2 * k + 1].out", "to": "collector[$k].in", "slots": 2 },
    { "link": { "from": "collector.out" }, "for": { "k": "0..1" }, "from": "collector[$k].out" },
    { "link": { "from": "collector.regfile" }, "from": "collector[*].regfile" } ] }
END
expect 2 "issued an instruction to it, and 'sub_cores' is 2; expected at least " \
	"$heddle" run -q pairs.json "$src/traces/samples/hist/kernelslist.g"
sed 's/"collector.sub_cores": 2/"collector.sub_cores": 4/' pairs.json >fours.json
every fours.json 1 hist

# ---- SMs of two sizes, of which the first holds no block of matmul ----
cat >sizes.json <<'END'
{ "heddle": 1, "clocks": { "core": { "mhz": 1132 }, "dispatch": { "of": "core", "phase": "end" } },
  "instances": {
    "small": { "netlist": "sm.json", "params": { "sub_cores": 2, "warps": 4 }, "clocks": { "core": "core" } },
    "sm": { "netlist": "sm.json", "clocks": { "core": "core" } },
    "trace": { "module": "trace_source", "params": { "opcodes": "opcodes" } },
    "dispatcher": { "module": "dispatcher", "clock": "dispatch" },
    "memory": { "module": "memory_perfect", "count": 2, "clock": "core" } },
  "links": [
    { "from": ["dispatcher.trace", "small.trace", "sm.trace"], "to": "trace.trace" },
    { "from": "dispatcher.warps", "to": "small.launch, sm.launch" },
    { "from": "dispatcher.barrier", "to": "small.barrier, sm.barrier" },
    { "from": "dispatcher.l1d", "to": "small.l1d, sm.l1d" },
    { "from": "small.request, sm.request", "to": "memory[*].request", "capacity": 32 },
    { "from": "memory[*].response", "to": "small.response, sm.response", "latency": 0, "capacity": 2 } ] }
END
sed 's/"module": "dispatcher",/& "params": { "concurrent": true },/' sizes.json >sizes_concurrent.json
for netlist in sizes sizes_concurrent; do
	every $netlist.json 1 matmul reduce
done

# ---- SMs on two root clocks: a gate of one of them counts no edge of the other, observed or not ----
sed -e 's/"dispatch": {/"half": { "mhz": 566 }, &/' -e '/"small":/s/"core": "core"/"core": "half"/' sizes.json >two_roots.json
expect 0 '' "$heddle" run -q --stats plain.json two_roots.json "$src/traces/samples/vecadd/kernelslist.g"
expect 0 '' "$heddle" run -q --reasons --stats all.json two_roots.json "$src/traces/samples/vecadd/kernelslist.g"
expect 0 '' "$heddle" run -q --reasons --no-sleep --stats again.json two_roots.json "$src/traces/samples/vecadd/kernelslist.g"
cmp -s all.json again.json || fail "two_roots --reasons --no-sleep: another result"
test "$(figure plain.json idle)" = "$(figure all.json idle)" || fail "two_roots --reasons: another number of idle slots"

# ---- L1Ds that read for stores, in front of slices, whose caches drop the replies to their own such reads ----
cat >reads.json <<'END'
{ "heddle": 1, "name": "reads", "extends": "gpu.json",
  "set": { "clusters": 2, "channels": 2, "map.indexing": "bank", "dispatcher.kernel_latency": 0,
           "cluster.sm.l1d.write_policy": "write_back", "cluster.sm.l1d.write_allocate": "write_allocate" } }
END
every reads.json 1 gather
expect 2 "a read of 128 bytes by SM 0; expected 'sectored' at the cache that sends it" \
	"$heddle" run -q --set cluster.sm.l1d.sectored=false reads.json "$src/traces/samples/gather/kernelslist.g"

# ---- who serves one only ----
cat >refused.json <<'END'
{ "heddle": 1, "extends": "volta_sm.json", "set": { "load_store.count": 2 },
  "rewire": [ { "link": { "from": "load_store" }, "from": "load_store[*]" },
              { "link": { "to": "load_store" }, "to": "load_store[*]" } ] }
END
expect 2 "the channel to 'load_store[1].response' can serve 1 receiver only, and is linked to 'load_store[0]' already; expected one for each" \
	"$heddle" check refused.json
cat >refused.json <<'END'
{ "heddle": 1, "extends": "volta_sm.json", "set": { "fetch.count": 2 },
  "add": { "instances": { "lines": { "module": "icache" } } },
  "rewire": [ { "link": { "from": "fetch" }, "from": "fetch[*]" },
              { "link": { "to": "icache" }, "to": "lines" } ] }
END
expect 2 "port 'lines.icache' can serve 1 user only, and is linked to 'fetch[0]' already" \
	"$heddle" check refused.json

# ---- atomics in a unit that has no responses ----
cat >atomics.json <<'END'
{ "heddle": 1, "extends": "volta_sm.json",
  "remove": { "instances": ["load_store", "memory", "coalescer", "shared_banks"],
              "exports": ["request", "response", "touch"],
              "links": [{ "from": "issue.out", "unit": "MEM" }] },
  "rewire": [{ "link": { "from": "issue.out", "unit": "SP" },
               "classes": ["SP", "LOAD", "STORE", "MEMORY_BARRIER"] }],
  "set": { "sp.timing": [{ "classes": ["SP", "LOAD", "STORE", "MEMORY_BARRIER"],
                           "latency": 2, "initiation": 2 }] } }
END
expect 0 '' "$heddle" run -q atomics.json "$src/traces/samples/hist/kernelslist.g"

# ---- an array that was one instance: what to write ----
expect 2 "as at 12 more ends; expected 'load_store[*]' or 'load_store[0]', by \"rewire\": [{ \"link\": { \"from\": \"load_store\" }, \"from\": \"load_store[*]\" }, { \"link\": { \"to\": \"load_store\" }, \"to\": \"load_store[*]\" }] in the netlist that makes it one, which reaches exports as well" \
	"$heddle" check --set load_store.count=2 "$src/netlists/volta_sm.json"
test "$(wc -l <err)" -eq 1 || fail "the same change is proposed more than once"
cat >rewired.json <<'END'
{ "heddle": 1, "extends": "volta_sm.json", "set": { "load_store.count": 2 },
  "rewire": [{ "link": { "from": "load_store" }, "from": "load_store[*]" },
    { "link": { "to": "load_store" }, "to": "load_store[*]" }] }
END
"$heddle" check rewired.json 2>err
! grep 'without an index' err || fail "what is proposed does not mend all of them"

# ---- a clock that never opens, a kernel that is never launched ----
expect 0 "netlists/sm.json:19:32: warning: clock 'sm' never opens: 'warps' opens it, and is only called by instances whose clock derives from it" \
	"$heddle" check --set dispatcher.clock=sm "$src/netlists/volta_sm.json"
expect 1 "  dispatcher: has not finished; its clock 'sm' is closed, and 'warps' does not open it" \
	"$heddle" run -q --set dispatcher.clock=sm "$src/netlists/volta_sm.json" "$src/traces/samples/tiny/kernelslist.g"
for netlist in "$src"/netlists/*.json; do
	"$heddle" check "$netlist" >out 2>err
	! grep -q 'never opens' err || fail "$netlist: $(cat err)"
done

# ---- who withholds ----
cat >unit.json <<'END'
{ "heddle": 1, "extends": "volta_sm.json", "set": { "sfu.clock": "slow" },
  "add": { "clocks": { "slow": { "of": "core", "gate": "icache" } } } }
END
expect 1 "  sfu[0]: takes nothing from port 'in', and has room at its outputs; its clock 'slow' is closed, and 'icache' does not open it" \
	"$heddle" run -q unit.json "$src/traces/samples/gather/kernelslist.g"
grep -q '^the others wait for:$' err || fail "the report does not tell those that withhold apart"
done_testing
