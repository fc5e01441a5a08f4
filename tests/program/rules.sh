#!/bin/sh
# rules.sh - run --check-modules: who breaks a rule of an interface, each of them; all interfaces have rules
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"

plug_in "$src/tests/program/liar.c" liar.so
plug_in "$src/tests/program/liar.c" meddler.so -DMEDDLES
plug_in "$src/examples/victim_cache.c" victim_cache.so
plugins='--plugin ./liar.so --plugin ./meddler.so --plugin ./victim_cache.so'
expect 0 '' "$heddle" trace assemble "$src/traces/samples/hasm/everything.hasm" -o everything

# ---- netlists in which the liar stands between a user and a provider ----
# netlist NAME BASE LINK PORT TO [MORE]: LINK is the end of the links that go to the liar instead
netlist()
{
	case $3 in *.*:) end='"to": "'${3%:}'"' ;; *) end='"from": "'$3'"' ;; esac
	cat >"$1.json" <<END
{ "heddle": 1, "name": "$1", "extends": "$src/netlists/$2.json",
  "rewire": [{ "link": { $end }, "to": "liar.$4" }],
  "add": { "instances": { "liar": { "module": "liar" } },
           "links": [{ "from": "liar.$4_of", "to": "$5" }${6:+, $6}] } }
END
}
warps='{ "from": "liar.warps", "to": "warps.state" }'
netlist coalescer ampere_sm load_store.coalescer coalescer coalescer.coalescer
netlist banks ampere_sm load_store.banks banks shared_banks.banks
netlist cache ampere_sm l1d.cache: cache l1d.cache
netlist regfile ampere_sm collector.regfile regfile regfile.read
netlist bus ampere_sm result_bus.bus: result_bus result_bus.bus
netlist barrier ampere_sm 'issue[*].barrier' barrier barrier.barrier "$warps"
netlist fence ampere_sm 'issue[*].fence' fence fence.fence "$warps"
netlist copy ampere_sm load_store.copy copy copy.copy
netlist icache ampere_sm fetch.icache icache icache.icache '{ "from": "icache.cache", "to": "l1i.cache" },
	{ "from": "icache.request", "to": "memory.request", "capacity": 32 },
	{ "from": "memory.inst_response", "to": "icache.response", "latency": 0, "capacity": 1 }'
l1i='"l1i": { "module": "cache", "clock": "sm", "params": { "sectored": false, "sets": 2, "line": 64, "ways": 2,
	"write_policy": "read_only", "allocate": "on_fill", "write_allocate": "none", "mshr_entries": 2, "mshr_merge": 48,
	"miss_queue": 4 } },'
sed -i 's/"rewire"/"set": { "icache.module": "icache", "icache.clock": "sm" }, "rewire"/' icache.json
sed -i "s/\"instances\": {/&$(echo "$l1i" | tr '\n\t' '  ')/" icache.json
sed 's/"icache.clock"/"fetch.follow": "sequential", &/' icache.json >sequential.json
netlist trace ampere_sm dispatcher.trace trace trace.trace
netlist lanes ampere_sm divergence.trace trace trace.trace
netlist paths ampere_sm divergence.trace trace trace.trace
sed -i 's/"rewire"/"set": { "divergence.module": "simt_stack" }, "rewire"/' paths.json
netlist divergence ampere_sm decode.divergence divergence divergence.divergence
set_gpu='"set": { "clusters": 1, "channels": 8, "dispatcher.kernel_latency": 0 }, "rewire"'
netlist map gpu requests.map map map.map
netlist home gpu 'l2[*].map' map map.map
netlist dram gpu 'dram[*].map' map map.map
netlist touch gpu 'cluster[*].touch' touch map.core_touch
netlist time gpu 'l2[*].time' time cycles.time
netlist cluster gpu dispatcher.work cluster 'cluster[*].work'
for netlist in map home dram touch time cluster; do
	sed -i "s/\"rewire\"/$set_gpu/" $netlist.json
done
sed -i 's/"set": {/& "map.indexing": "random",/' touch.json
netlist reuse modern_sm 'allocate[*].cache' register_cache reuse.cache
netlist ports modern_sm 'allocate[*].regfile' read_ports regfile.read
netlist hazards modern_sm 'issue[*].hazards' hazards hazards.hazards
cat >policy.json <<END
{ "heddle": 1, "extends": "$src/netlists/ampere_sm.json",
  "rewire": [{ "link": { "from": "issue[*].policy" }, "to": "liar[*].sched_policy" }],
  "add": { "instances": { "liar": { "module": "liar", "count": "\$sub_cores" } },
           "links": [{ "from": "liar[*].sched_policy_of", "to": "scheduler[*].policy" }] } }
END
cat >replacement.json <<END
{ "heddle": 1, "extends": "$src/netlists/ampere_sm.json", "set": { "l1d.params.sets": 1, "l1d.params.ways": 4 },
  "remove": { "links": [{ "from": "dispatcher.l1d" }] },
  "add": { "instances": { "liar": { "module": "liar" } },
           "links": [{ "from": "l1d.replacement", "to": "liar.replacement" }] } }
END
cat >notices.json <<END
{ "heddle": 1, "extends": "$src/examples/victim_cache.json", "remove": { "links": [{ "to": "l1d.cache" }] },
  "add": { "instances": { "liar": { "module": "liar" } },
           "links": [{ "from": "victims.cache", "to": "liar.cache" },
                     { "from": ["liar.cache_of", "load_store.l1d", "fence.l1d", "dispatcher.l1d"], "to": "l1d.cache" }] } }
END
cat >meddler.json <<END
{ "heddle": 1, "extends": "$src/netlists/ampere_sm.json",
  "add": { "instances": { "liar": { "module": "meddler", "clock": "core" } },
           "links": [$warps, { "from": "liar.scoreboard", "to": "scoreboard.check" },
                     { "from": "liar.ibuffer", "to": "ibuffer.issue" },
                     { "from": "scoreboard.registers", "to": "liar.registers" }] } }
END
cat >control.json <<END
{ "heddle": 1, "extends": "$src/netlists/modern_sm.json",
  "add": { "instances": { "liar": { "module": "meddler", "clock": "core" } },
           "links": [{ "from": "liar.counters", "to": "counters.raise" }, { "from": "liar.credits", "to": "results[0].credits" },
                     { "from": "liar.freeze", "to": "allocate[0].freeze" }] } }
END

# ---- each rule, broken: the message names the liar and its file, and comes alone ----
while IFS='|' read -r rule netlist message who; do
	name=liar
	case $netlist in meddler | control) name=meddler ;; esac
	# shellcheck disable=SC2086 # a list of words
	try "$heddle" run -q $plugins --check-modules \
		--set "${who:-liar}.breaks=$rule" "$netlist.json" everything/kernelslist.g
	grep -F -e "module '$name' (./$name.so) $message" err >/dev/null || { fail "$rule: expected '$message', got:"; cat err; }
	test "$status" -ne 0 || fail "$rule: exit status 0"
	test "$(grep -c 'error:' err)" -eq 1 || { fail "$rule: more than one error"; cat err; }
	echo "$rule $netlist" >>broken
done <<'END'
coalesce_many|coalescer|returned 600 accesses from coalesce(); expected at most 512
coalesce_lanes|coalescer|returned access 0 for lanes 0x0 from coalesce(); expected some of the active lanes
coalesce_address|coalescer|returned access 0 at address 0x
coalesce_changes|coalescer|has changed the instruction in coalesce()
writes_behind|coalescer|has written behind the 12 bytes that it got from hd_memory(), at offset
conflicts_none|banks|returned 0 cycles from conflicts(); expected at least 1
first_foreign|policy|returned warp |liar[1]
first_counts|policy|has an effect in first() that the next call sees|liar[1]
first_turns|policy|has an effect in first() that the next call sees|liar[1]
begin_turns|policy|has an effect in begin() that the next call sees, although nothing changed|liar[1]
ring|policy|returned warp |liar[1]
victim_none|replacement|returned 
victim_turns|replacement|has an effect in victim() that the next call sees
access_unknown|cache|returned 7 from access(); expected a hit, a miss or a failure
access_fails|cache|has changed its queues in an access() that failed
probe_lies|cache|returned 2 from probe(), and 1 from access() of the same sector
probe_turns|cache|has an effect in probe() that the next call sees
evicts_asked|notices|gave notice of the line at address 0x
sent_other|cache|did not take the head of its miss queue out in sent()
ready_none|cache|returned none from taken(), and its 'filled' goes from
taken_twice|cache|returned a request from taken(), and its 'filled' goes from
step_foreign|regfile|returned unit 
bus_far|bus|reserved a bus of 'result_bus' 70000 edges from now; expected at most
join_fence|barrier|has changed in join() which warps wait for something else; expected only HD_BLOCK_BARRIER
leave_holds|barrier|still holds warp
holds_lies|fence|returned 
answered_early|copy|returned true from answered() for id
icache_ready|icache|returned warp 63 from ready(), which waits for no line
icache_rest|sequential|returned 0 bytes from rest(); expected at least 1
map_slice|map|returned slice 4096 from slice(); expected less than
map_local|home|has an effect in local() that the next call sees
map_place|dram|returned bank 4096 from place(); expected less than
touch_back|touch|called touch() of 'map' for cycle 0 after
place_twice|cluster|called place() of 'cluster[0].node' a second time; expected once
time_back|time|has a time base with rate 0; expected that of its clock
trace_kernel|trace|returned 5 from next_kernel(); expected 1, 0 or -1
trace_position|trace|returned 
trace_lanes|lanes|filled an instruction in next() in which 'nlanes' is not the number of its lanes
trace_pc|lanes|has an effect in pc() that the next call sees
execute_lanes|paths|returned lanes from execute() that were not among those that it was given
divergence_pc|divergence|returned 0x
divergence_lanes|divergence|filled an instruction in next() in which 'regs' is not hd_inst_regs() of it
hits_slots|reuse|returned slots 0x8 from hits(); expected some of the first 3
hits_turns|reuse|has an effect in hits() that the next call sees
ports_edges|ports|returned 4294967295 edges from reserve()
hazards_back|hazards|called issued() of 'hazards' for time 0 after
blocked|meddler|has changed 'blocked' of 'warps' alone; expected hd_warp_block() and hd_warp_unblock()
settles|meddler|has settled more stores of warp 2 than there were; expected each of them once
scoreboard|meddler|has changed the registers of warp 1 at 'scoreboard' itself
released_early|meddler|has released register R
released_other|meddler|has released register R
ibuffer|meddler|has left 
counters|control|has left counter SB0 of warp 1 of 'counters' at
credits|control|has taken a place of 'results[0]' that is not free
freeze|control|has changed the frozen cycles of 'allocate[0]' from 
launches|meddler|called launch_cta() of 'warps' for warps
END

# ---- what is found without --check-modules ----
while IFS='|' read -r rule netlist message who; do
	expect 1 "module 'liar' (./liar.so) $message" "$heddle" run -q --plugin ./liar.so --set "${who:-liar}.breaks=$rule" \
		"$netlist.json" everything/kernelslist.g
done <<'END'
first_foreign|policy|returned warp |liar[1]
victim_none|replacement|returned 
step_foreign|regfile|returned unit 
END

# ---- no rule is without a test ----
sed -n '/^static const char \*const rules/,/};/p' "$src/tests/program/liar.c" | grep -o '"[a-z_]*"' | tr -d '"' | grep -v '^nothing$' |
	sort >all
cut -d ' ' -f 1 broken | sort -u | comm -3 all - >untried
test ! -s untried || { fail "rules of liar.c that are not tried"; cat untried; }

# ---- who keeps all rules is left alone, and changes nothing ----
for netlist in $(cut -d ' ' -f 2 broken | sort -u); do
	# shellcheck disable=SC2086
	expect 0 '' "$heddle" run -q $plugins --stats plain "$netlist.json" everything/kernelslist.g
	# shellcheck disable=SC2086
	expect 0 '' "$heddle" run -q $plugins --check-modules --stats checked "$netlist.json" \
		everything/kernelslist.g
	cmp plain checked || fail "$netlist: --check-modules changes the statistics"
done

# ---- each interface has rules, and each of its functions a check ----
"${PYTHON:-python3}" - "$src" <<'END' >missing || fail "the headers could not be read"
import glob, re, sys
top = sys.argv[1]
rules = "".join(open(f).read() for f in glob.glob(top + "/modules/rules/*.c"))
modules = "".join(open(f).read() for f in glob.glob(top + "/modules/**/*.[ch]", recursive=True)
                  + glob.glob(top + "/include/heddle/gpu/*.h"))
types = set(m.group(2) for m in re.finditer(r"\.kind = (HD_USES|HD_PROVIDES),[^}]*?\.type =\s*&(hd_type_\w+)", modules))
if len(types) < 25:
    print("only %d interfaces were found" % len(types))
for t in sorted(types):
    if not re.search(r"&%s\b" % t, rules):
        print(t + " has no rules")
for f in sorted(glob.glob(top + "/include/heddle/gpu/*.h")):
    for m in re.finditer(r"^struct (\w+) \{\n(.*?)^\}", open(f).read(), re.S | re.M):
        for function in re.findall(r"\(\*(\w+)\)\((?:const )?void \*", m.group(2)):
            if m.group(1) == "hd_scoreboard":
                continue # its provider and its users call each other through these: rules_warps.c looks at what they do
            if not re.search(r"HD_STAND\([^,]+, [^,]+, %s, " % function, rules):
                print("%s() of struct %s has no check" % (function, m.group(1)))
END
test ! -s missing || { fail "interfaces without rules"; cat missing; }
done_testing
