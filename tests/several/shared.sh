#!/bin/sh
# shared.sh - who calls a shared provider first is defined: at every port that may have several users, for SMs with one L1I
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"
needs python3

# ---- all ports that may have several users ----
python3 "$src/tests/several/shared.py" "$heddle" "$src/examples" "$src/traces/samples/hist/kernelslist.g" 1 ${HEDDLE_ALL:+2 3 4 5 6 7 8} >found ||
	{ fail "ports of which the order of calls matters:"; cat found; }
tail -n 1 found

# same FILE SEEDS ARGUMENT...: a run in every way of evaluation, in this many orders
same()
{
	file=$1 seeds=$2
	shift 2
	expect 0 '' "$heddle" run -q --stats "$file" "$@"
	for how in --no-sleep --lockstep '--threads 2' --check-modules $(seq -f --shuffle=%g "$seeds"); do
		# shellcheck disable=SC2086 # several words
		expect 0 '' "$heddle" run -q $how --stats other.order "$@"
		cmp -s "$file" other.order || fail "$how: other statistics of $*"
	done
}

# ---- two SMs with one L1I ----
samples=$src/traces/samples
for trace in ${HEDDLE_ALL:+vecadd hist} gather; do # the last one is looked at below
	same shared.json 20 "$src/examples/shared_l1i.json" "$samples/$trace/kernelslist.g"
done
expect 0 '' "$heddle" run -q --stats apart.json "$src/examples/two_sms.json" "$samples/gather/kernelslist.g"
test "$(figure shared.json thread_instructions)" -eq "$(figure apart.json thread_instructions)" || fail "shared L1I: other instructions"
# the second link decides: the other way round is another result
sed 's/"from": "sm\[\*\].l1i"/"from": ["sm[1].l1i", "sm[0].l1i"]/; s|"two_sms.json"|"'"$src"'/examples/two_sms.json"|' \
	"$src/examples/shared_l1i.json" >turned.json
expect 0 '' "$heddle" run -q --stats turned turned.json "$samples/gather/kernelslist.g"
cmp -s shared.json turned && fail "shared L1I: the order of the links has no effect"

# ---- clusters of two SMs with one L1I, whose misses share the node's link to the network ----
cat >pair.json <<'END'
{ "heddle": 1, "name": "pair", "extends": "cluster.json",
  "set": { "cores": 2, "sm.netlist": { "heddle": 1, "name": "pair_sm", "extends": "sm.json",
    "remove": { "exports": ["request"] },
    "set": { "icache.module": "icache", "icache.clock": "sm" },
    "add": { "links": [{ "from": "icache.warps", "to": "warps.state" }],
      "exports": { "l1i": "icache.cache", "request": "load_store.request, icache.request", "inst_response": "icache.response" } } } },
  "add": {
    "instances": {
      "l1i": { "module": "cache", "clock": "work", "params": { "sectored": false, "sets": 16, "line": 128, "ways": 4,
               "write_policy": "read_only", "allocate": "on_fill", "write_allocate": "none",
               "mshr_entries": 4, "mshr_merge": 48, "miss_queue": 4 } } },
    "links": [{ "from": "sm[*].l1i", "to": "l1i.cache" },
      { "for": { "k": "0..$cores - 1" }, "from": "node.inst_response", "to": "sm[$k].inst_response", "latency": 0, "capacity": 16 }] } }
END
for rotate in true false; do
	cat >pairs.json <<END
{ "heddle": 1, "name": "pairs", "extends": "gpu.json", "rewire": [{ "link": { "from": "cluster[\$n].request" }, "rotate": $rotate }],
  "set": { "cluster.netlist": "pair.json", "clusters": 2, "cores": 2, "channels": 4, "map.indexing": "bank", "dispatcher.kernel_latency": 0 } }
END
	same pairs 3 pairs.json "$samples/reduce/kernelslist.g"
done

# ---- sub-cores that share register banks, or a register-file cache ----
for shared in regfile.sub_cores=2 reuse.sub_cores=1 reuse.sub_cores=2; do
	same sub_cores 6 --set $shared "$src/netlists/a100_sm.json" "$samples/gather/kernelslist.g"
done
done_testing
