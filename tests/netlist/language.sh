#!/bin/sh
# language.sh - netlists in netlists, flatten, paths, arrays of links, warnings
# SPDX-License-Identifier: BSD-2-Clause
#
# Refused netlists are in tests/invalid/; here are valid ones, and their meaning.  Changes to netlists are in changes.sh.
. "${srcdir:-.}/tests/lib.sh"
. "$src/tests/netlists.sh"
needs python3

# ---- flatten: one file, the same run ----
cat >inside.json <<'END'
{ "heddle": 1, "name": "two", "instances": {
  "left": { "netlist": "two.json" },
  "right": { "netlist": "cores/volta_sm_gto.json", "params": { "warps": 32 } } } }
END
mkdir flat
for n in cores/*.json two.json inside.json; do
	case $n in # parts; whole GPUs take long
	cores/sm.json | cores/control_sm.json | cores/control_cluster.json | cores/a100.json | cores/cluster.json | cores/gpu.json | cores/hopper_cluster.json | cores/h100_pcie.json | cores/h100_sxm.json | cores/h200.json | cores/gh200.json | cores/*_part.json | cores/quadro* | cores/rtx* | cores/titan*) continue ;;
	esac
	f=flat/$(basename "$n")
	case $n in # has no unit for some instructions of the other
	*pascal*) trace=$tiny ;;
	*) trace=$src/traces/samples/reduce/kernelslist.g ;;
	esac
	expect 0 '' "$heddle" flatten -o "$f" "$n"
	"$heddle" flatten "$n" >out.json 2>err || fail "flatten $n: $(cat err)"
	grep -E '"(extends|netlist|for)":|"\$' "$f" && fail "flatten $n: something is not resolved"
	run plain.json "$n"
	run other.json "$f"
	cmp plain.json other.json || fail "flatten $n: the statistics differ"
	for seed in 1 ${HEDDLE_ALL:+2 3}; do
		run other.json "$f" --shuffle "$seed"
		cmp plain.json other.json || fail "flatten $n: shuffled statistics differ"
	done
	same "$n" "$f"
	expect 0 '' "$heddle" flatten -o again.json "$f"
	"$heddle" flatten -o flat/again.json "$f"
	cmp "$f" flat/again.json || fail "flatten $n: flat again is another"
	rm flat/again.json
done
expect 0 '"core": {"mhz": 1132}' "$heddle" flatten "$volta"
cat >summed.json <<'END'
{"heddle": 1, "clocks": {"a": {"mhz": 1.001, "edges": "accumulated"},
	"b": {"hz": 123457, "edges": "accumulated"}}, "instances": {}}
END
# the same double when it is read again
expect 0 '"a": {"mhz": 1.0009999999999999, "edges": "accumulated"},' "$heddle" flatten summed.json
expect 0 '"b": {"hz": 123457, "edges": "accumulated"}' "$heddle" flatten summed.json
expect 0 '"entries": 2' "$heddle" flatten "$volta"
expect 0 '"ignore_limits": false' "$heddle" flatten "$volta" # a default
expect 0 '"sm[1].scheduler": {"module": "scheduler_lrr", "count": 4' "$heddle" flatten two.json
expect 1 '/nowhere/x.json: No such file' "$heddle" flatten -o /nowhere/x.json "$volta"
expect 2 'cannot read the netlist' "$heddle" flatten /nowhere/x.json
expect 2 "No such file or directory; did you mean 'turing_sm.json'?" "$heddle" check turing_smm.json # an installed one
ln -s circle.json circle.json # it is there, but cannot be read: no suggestion
echo '{ "heddle": 1, "extends": "circle.json" }' >extends.json
expect 2 "cannot read the netlist 'circle.json'" "$heddle" check extends.json
! grep -q 'did you mean' err || { fail "a file is suggested in its own place"; cat err; }
echo '{ "heddle": 1, "name": "a", "instances": { "x": { "netlist": { "extends": "deep.json" } } } }' >deep.json
expect 2 'deep.json:1:62: error: netlists are nested more than 64 deep' "$heddle" check deep.json
# files are named relative to where the flat one stands, if they are below
expect 0 '"opcodes": "cores/opcodes"' "$heddle" flatten "$volta"
"$heddle" flatten -o cores/flat.json "$volta"
grep -q '"opcodes": "opcodes"' cores/flat.json || fail "flatten: path beside the file"
"$heddle" flatten -o flat/flat.json "$volta"
grep -q "\"opcodes\": \"$tmp/cores/opcodes\"" flat/flat.json || fail "flatten: path elsewhere"
rm cores/flat.json

# ---- a netlist in a netlist ----
cat >one.json <<'END'
{ "heddle": 1, "instances": { "sm": { "netlist": "cores/volta_sm.json" } } }
END
cycles "$volta" one.json
run a.json one.json
grep -q '"sm.scheduler\[3\]": {' a.json || grep -q '"sm.issue\[3\]": {' a.json ||
	fail "no path sm.issue[3] in the statistics"
run a.json two.json
grep -q '"sm\[1\].issue\[3\]": {' a.json || fail "no path sm[1].issue[3] in the statistics"
# a parameter of the inner one
cat >cores/few.json <<'END'
{ "heddle": 1, "extends": "volta_sm.json", "set": { "warps": 8 } }
END
cat >given.json <<'END'
{ "heddle": 1, "params": { "n": 4 }, "instances": {
  "sm": { "netlist": "cores/volta_sm.json", "params": { "warps": "$n * 2" } } } }
END
cycles cores/few.json given.json
rm cores/few.json
# the same, standing in the place of its name: its parameters are its own, changes reach into it
{
	echo '{ "heddle": 1, "params": { "n": 4 }, "instances": { "sm": { "params": { "warps": "$n * 2" }, "netlist":'
	grep -v '"heddle"' cores/volta_sm.json
	echo '} } }'
} >cores/inside.json
"$heddle" flatten given.json >a.json
"$heddle" flatten cores/inside.json >b.json
cmp a.json b.json || fail "a netlist inside of another one is not what it is in a file"
"$heddle" flatten --set sm.l1d.ways=8 --set 'sm.sp.timing[0].latency=9' given.json >a.json
"$heddle" flatten --set sm.l1d.ways=8 --set 'sm.sp.timing[0].latency=9' cores/inside.json >b.json
rm cores/inside.json
cmp a.json b.json || fail "a change of a netlist inside of another one"
# ends that it exports, of arrays in arrays; expressions, ranges, several as one side
cat >unit.json <<'END'
{ "heddle": 1, "params": { "n": 2 }, "clocks": { "core": { "extern": true } },
  "instances": { "m": { "module": "memory_perfect", "count": "$n" } },
  "links": [{ "for": { "i": "0..$n-2" }, "from": "m[$i].response", "to": "m[i + 1].request" }],
  "exports": { "in": "m[0].request", "out": "m[$n-1].response" } }
END
cat >chain.json <<'END'
{ "heddle": 1, "clocks": { "core": { "mhz": 1 } },
  "instances": { "a": { "netlist": "unit.json", "count": 3, "params": { "n": 4 } },
                 "b": { "netlist": "ring.json", "clock": "core" } },
  "links": [{ "from": "a[0..1].out", "to": "a[1..2].in" },
            { "from": "a[2].out", "to": "b.in" },
            { "from": "b.out", "to": "a[0].in", "staged": true }] }
END
cat >ring.json <<'END'
{ "heddle": 1, "instances": { "m": { "module": "memory_perfect" } },
  "exports": { "in": "m.request", "out": "m.response" } }
END
{
	echo '{ "heddle": 1, "clocks": { "core": { "mhz": 1 } }, "instances": {'
	for k in 0 1 2; do
		echo "\"a[$k].m\": { \"module\": \"memory_perfect\", \"count\": 4 },"
	done
	echo '"b.m": { "module": "memory_perfect" } }, "links": ['
	for k in 0 1 2; do
		echo "{ \"from\": \"a[$k].m[0..2].response\", \"to\": \"a[$k].m[1..3].request\" },"
	done
	echo '{ "from": "a[0].m[3].response", "to": "a[1].m[0].request" },'
	echo '{ "from": "a[1].m[3].response, a[2].m[3].response", "to": "a[2].m[0].request, b.m.request" },'
	echo '{ "from": "b.m.response", "to": "a[0].m[0].request", "staged": true } ] }'
} >long.json
for f in chain long; do
	expect 0 '' "$heddle" flatten -o "flat/$f.json" "$f.json"
	tr ',' '\n' <"flat/$f.json" | grep -c memory_perfect >count
done
expect 0 'no mistakes' "$heddle" check chain.json
expect 0 'no mistakes' "$heddle" check long.json
"$heddle" check chain.json | sed 's/.*json: //' >a
"$heddle" check long.json | sed 's/.*json: //' >b
cmp a b || fail "chain.json and long.json differ"
grep -q '^13 instances, 13 channels' a || fail "chain.json: $(cat a)"

# ---- the SM of the shipped cores: a part, alone and in another netlist ----
expect 0 'no mistakes; 3 exported ports are open' "$heddle" check cores/sm.json
expect 0 'load_store' "$heddle" graph cores/sm.json
expect 0 'describe the same simulation' "$heddle" diff cores/sm.json cores/sm.json
for c in 'flatten cores/sm.json' "run cores/sm.json $tiny"; do
	expect 2 "port 'load_store.request' is left open; it puts payloads of type 'mem' and has to be linked; as it is exported, expected this netlist to be an instance of another" \
		"$heddle" $c
done

# frame COUNT: a netlist that uses the part cores/part.json, as examples/two_sms.json does
frame()
{
	sed -e 's/"sms": 2/"sms": '"$1"'/; s/"sm.json"/"cores\/part.json"/' \
		-e 's/"mhz": [0-9]*/"mhz": '"$2"'/' -e "/\"shared_bytes\"/,/\"unified\"/d" \
		-e 's/\("module": "dispatcher".*\),$/\1, '"$3"' },/' "$src/examples/two_sms.json"
}
cmp -s "$src/netlists/sm.json" cores/sm.json || fail "no copy of sm.json"
for core in volta_sm pascal_sm ${HEDDLE_ALL:+volta_sm_gto volta_sm_oldest turing_sm ampere_sm}; do
	cat >cores/part.json <<END
{ "heddle": 1, "extends": "$core.json", "set": { "core.extern": true },
  "remove": { "instances": ["trace", "dispatcher", "memory"], "clocks": ["dispatch"] } }
END
	expect 0 '3 exported ports are open' "$heddle" check cores/part.json
	params=$("$heddle" flatten "cores/$core.json" | sed -n 's/^ *"dispatcher": .*\("params": {.*}\) *},*$/\1/p')
	mhz=$("$heddle" flatten "cores/$core.json" | sed -n 's/^ *"core": {"mhz": \([0-9]*\)}.*/\1/p')
	case $core in
	pascal*) trace=$tiny ;;
	*) trace=$src/traces/samples/reduce/kernelslist.g ;;
	esac
	run alone.json "cores/$core.json"
	for count in 1 2; do
		frame $count "$mhz" "$params" >framed.json
		run framed.out.json framed.json
		expect 0 '' "$heddle" flatten -o flat.json framed.json
		same framed.json flat.json
		run flat.out.json flat.json
		cmp framed.out.json flat.out.json || fail "$core in an array of $count: flat is another"
		# each SM in it counts what one alone counts
		for k in 0 1; do
			test $k -lt $count || continue
			stats '{k[6:]: v for k, v in s["instances"].items() if k[:6] == "sm['$k]'."}' \
				framed.out.json >inner
			stats '{k: v for k, v in s["instances"].items() if k in t}' alone.json inner >outer
			cmp -s inner outer || fail "$core as sm[$k] of $count: other figures"
			test "$(stats 'len(s)' inner)" -gt 20 || fail "$core as sm[$k] of $count: no figures"
		done
	done
done
rm cores/part.json
trace=$src/traces/samples/reduce/kernelslist.g
expect 0 'no mistakes' "$heddle" check "$src/examples/two_sms.json"
# two dispatchers cannot read one trace
sed -e 's/\("module": "trace_source"\), "count": "$sms"/\1/; s/"trace\[\*\].trace"/"trace.trace"/' \
	"$src/examples/two_sms.json" >shared.json
expect 2 "another dispatcher takes kernels from the same trace; expected a trace source for each" "$heddle" check shared.json
expect 2 "another dispatcher takes kernels from the same trace; expected a trace source for each" \
	"$heddle" run -q shared.json "$trace"
# named files that are not beside the netlist come with the program
cat >elsewhere.json <<'END'
{ "heddle": 1, "name": "volta_sm", "extends": "volta_sm.json" }
END
same elsewhere.json "$src/netlists/volta_sm.json"

# ---- paths are relative to the file that contains them ----
mkdir lib
cp -R cores/opcodes lib/tables
cp -R cores/opcodes mine
"$heddle" flatten "$volta" >flat.json
sed 's/"opcodes": "[^"]*"/"opcodes": "$where"/; s/^{/{ "params": { "where": "tables" },/' flat.json \
	>lib/core.json
expect 0 'no mistakes' "$heddle" check lib/core.json
cat >path.json <<'END'
{ "heddle": 1, "instances": {
  "a": { "netlist": "lib/core.json" },
  "b": { "netlist": "lib/core.json", "params": { "where": "mine" } } } }
END
"$heddle" flatten path.json >out
grep '"a.trace"' out | grep -q '"opcodes": "lib/tables"' || fail "path of the inner file"
grep '"b.trace"' out | grep -q '"opcodes": "mine"' || fail "path of the outer file"
mkdir further
cat >further/more.json <<'END'
{ "heddle": 1, "extends": "../lib/core.json", "set": { "where": "own" } }
END
cp -R cores/opcodes further/own
expect 0 '"opcodes": "further/own"' "$heddle" flatten further/more.json
expect 0 '"opcodes": "mine"' "$heddle" flatten --set where=mine further/more.json
expect 0 '"opcodes": "lib/tables"' "$heddle" flatten --set 'a.trace.own_opcodes=mine' path.json

# ---- warnings ----
# warns TEXT CHANGES: of the tutorial's netlist with these changes
warns()
{
	printf '{ "heddle": 1, "extends": "cores/tutorial.json",\n%s }\n' "$2" >warn.json
	expect 0 "warning: $1" "$heddle" check warn.json
	test "$(grep -c warning err)" -eq 1 || { fail "more than one warning:"; cat err; }
	try "$heddle" run -q --max-cycles 2 warn.json "$tiny"
	grep -q warning err || fail "run does not warn: $1"
}
expect 0 '' "$heddle" check cores/tutorial.json
warns "at most 2 payloads in 4 edges can pass from 'alu' to 'writeback', since each occupies one of 2 places for that long; expected capacity of at least 4 for one payload at every edge" \
	'"rewire": [{ "link": { "from": "alu.out" }, "latency": 4 }]'
warns "at most 1 payload in 2 edges can pass from 'alu' to 'writeback'" \
	'"rewire": [{ "link": { "from": "alu.out" }, "staged": true, "capacity": 1 }]'
warns "at most 1 payload in 3 edges can pass from 'issue' to 'alu'" \
	'"rewire": [{ "link": { "to": "alu.in" }, "latency": 3 }]'
warns "no instance uses 'more[0]'; it has no effect" \
	'"add": { "instances": { "more": { "module": "scheduler_lrr", "count": 2 } } }'
# one that also uses something may be there for that
printf '{ "heddle": 1, "extends": "cores/volta_sm.json", "add": { "instances": { "more": { "module": "scheduler_gto" } },
	"links": [{ "from": "more.warps", "to": "warps.state" }] } }\n' >warn.json
expect 0 '' "$heddle" check warn.json
warns "no receiver on this route accepts class 'DP'; 'issue' will stall on it" \
	'"set": { "alu.timing[1].classes": ["SFU"] }'
warns "instance 'alu' accepts class 'TENSOR', but no link carries it" \
	'"set": { "alu.timing[1].classes": ["SFU", "DP", "TENSOR"] }'
warns "nothing reaches instance 'ring[0]': nothing reaches its producers" \
	'"add": { "instances": { "ring": { "module": "memory_perfect", "count": 2 } },
	"links": [{ "from": "ring[0].response", "to": "ring[1].request" },
	          { "from": "ring[1].response", "to": "ring[0].request", "staged": true }] }'
for n in cores/*.json; do
	expect 0 '' "$heddle" check "$n"
done

# ---- large ones: 4096 instances in at most 20 MB resident; `make bench` has the time ----
# The last line on stderr: the most memory that the command had resident, in kB.
resident()
{
	$python -c 'import resource, subprocess, sys
status = subprocess.run(sys.argv[1:]).returncode
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr)
sys.exit(status)' "$@"
}
large()
{
	i=0
	echo '{ "heddle": 1, "clocks": { "core": { "mhz": 1 } }, "instances": {'
	while test $i -lt 4095; do
		echo "\"m$i\": { \"module\": \"memory_perfect\" },"
		i=$((i + 1))
	done
	echo '"m4095": { "module": "memory_perfect" } }, "links": ['
	i=0
	while test $i -lt 4095; do
		echo "{ \"from\": \"m$i.response\", \"to\": \"m$((i + 1)).request\" },"
		i=$((i + 1))
	done
	echo '{ "from": "m4095.response", "to": "m0.request", "staged": true } ] }'
}
large >large.json
cat >array.json <<'END'
{ "heddle": 1, "clocks": { "core": { "mhz": 1 } },
  "instances": { "m": { "module": "memory_perfect", "count": 4096 } },
  "links": [{ "from": "m[0..4094].response", "to": "m[1..4095].request" },
            { "from": "m[4095].response", "to": "m[0].request", "staged": true }] }
END
cat >many.json <<'END'
{ "heddle": 1, "clocks": { "core": { "mhz": 1 } },
  "instances": { "u": { "netlist": "unit.json", "count": 64, "params": { "n": 64 } } },
  "links": [{ "for": { "i": "0..62" }, "from": "u[$i].out", "to": "u[$i + 1].in" },
            { "from": "u[63].out", "to": "u[0].in", "staged": true }] }
END
for f in large array many; do
	expect 0 '4096 instances, 4096 channels' "$heddle" check $f.json
	case $(cat "$build/config.log" 2>/dev/null) in
	*enable-sanitizers*) continue ;; # takes memory of its own
	esac
	resident "$heddle" check $f.json >out 2>err || fail "$f.json: $(cat err)"
	test "$(tail -1 err)" -le 20000 || fail "$f.json takes $(tail -1 err) kB; expected at most 20 MB"
done

# ---- tables of opcodes: those of the build are used for files of the same bytes only ----
cp -r "$src/netlists/opcodes" mine
chmod -R u+w mine
for stats in shipped mine changed; do
	test $stats != changed || sed -i 's/"FADD FADD32I/"FADD32I/; s/"MUFU"\]/"MUFU FADD"]/' mine/volta.json
	folder=mine
	test $stats != shipped || folder=$src/netlists/opcodes
	expect 0 '' "$heddle" run -q --set trace.opcodes="$folder" "$src/netlists/volta_sm.json" \
		"$src/traces/samples/vecadd/kernelslist.g" --stats $stats.stats
	sed '/"opcodes"/d' $stats.stats >$stats.txt
done
cmp -s shipped.txt mine.txt || fail "a copy of the tables has other results"
cmp -s mine.txt changed.txt && fail "a table that was changed is not used"
sed -i 's/"FADD32I/"FADD32I FADD32I/' mine/volta.json
expect 2 'mine/volta.json: opcodes.FADD32I: appears twice' "$heddle" run -q --set trace.opcodes=mine \
	"$src/netlists/volta_sm.json" "$src/traces/samples/vecadd/kernelslist.g"
done_testing
