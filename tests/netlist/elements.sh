#!/bin/sh
# elements.sh - elements of an array that differ, ports that are linked as those of their users, other names of ports
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"

volta=$src/netlists/volta_sm.json
trace=$src/traces/samples/vecadd/kernelslist.g

# same A B: these runs have the same statistics, but for the name of the netlist
same()
{
	sed '/"netlist"/d' "$1" >a.txt
	sed '/"netlist"/d' "$2" >b.txt
	cmp -s a.txt b.txt || fail "$3"
}

# ---- one element ----
cat >slow.json <<'END'
{ "heddle": 1, "extends": "volta_sm.json",
  "set": { "sp[0].timing[0].latency": 8, "int[2].timing[0].latency": 9, "issue[1].width": 2 } }
END
expect 0 '' "$heddle" run -q slow.json "$trace" --stats set.json
expect 0 '' "$heddle" run -q "$volta" "$trace" --stats option.json --set 'sp[0].timing[0].latency=8' \
	--set 'int[2].timing[0].latency=9' --set 'issue[1].width=2'
same set.json option.json "set and --set differ"
expect 0 '' "$heddle" run -q "$volta" "$trace" --stats one.json
cmp -s one.json set.json && fail "nothing has changed"
expect 0 '' "$heddle" flatten slow.json -o flat.json
expect 0 '' "$heddle" run -q flat.json "$trace" --stats flat.stats
same set.json flat.stats "the flat netlist is another one"
# differ A B [OPTION]: standard input is what heddle diff prints
differ()
{
	cat >expected
	status=0
	"$heddle" diff "$@" >got || status=$?
	test "$status" -eq 1 || fail "diff $*: status $status"
	cmp -s expected got || { fail "diff $*"; diff expected got; }
}
differ "$volta" slow.json <<'END'
instance issue[1]: width was 1, is 2
instance sp[0]: timing[0].latency was 2, is 8
instance int[2]: timing[0].latency was 2, is 9
END
echo '{ "heddle": 1, "extends": "slow.json", "set": { "sp[1].timing[0].latency": 8, "sp[2].timing[0].latency": 8,
  "sp[0].timing[0].latency": 3 } }' >slower.json
differ slow.json slower.json <<'END'
instance sp[0]: timing[0].latency was 8, is 3
instance sp[1]: timing[0].latency was 2, is 8 (and so 1 more)
END
differ slow.json slower.json --all <<'END'
instance sp[0]: timing[0].latency was 8, is 3
instance sp[1]: timing[0].latency was 2, is 8
instance sp[2]: timing[0].latency was 2, is 8
END
# the elements that are set alike are as the whole array set
expect 0 '' "$heddle" run -q "$volta" "$trace" --stats each.json --set 'sp[0].timing[0].latency=8' \
	--set 'sp[1].timing[0].latency=8' --set 'sp[2].timing[0].latency=8' --set 'sp[3].timing[0].latency=8'
expect 0 '' "$heddle" run -q "$volta" "$trace" --stats all.json --set 'sp[*].timing[0].latency=8'
same each.json all.json "four elements are not the array"
expect 2 "unknown parameter 'timing[0].latncy' of instance 'sp' (module 'fu_pipeline'); it has classes, latency, initiation; did you mean 'latency'?" \
	"$heddle" check --set 'sp[0].timing[0].latncy=8' "$volta"
expect 2 "instance 'sp' has no elements '7'; expected 0..3" "$heddle" check --set 'sp[7].timing[0].latency=8' "$volta"

# ---- by a variable, and inside of an array of netlists ----
cat >inner.json <<'END'
{ "heddle": 1, "clocks": { "core": { "mhz": 100, "extern": true } }, "params": { "n": 4 },
  "instances": { "r": { "module": "regfile", "count": "$n", "for": "i", "params": { "banks": "$16 + i * 2" },
                        "elements": { "2..3": { "banks": "$i" }, "3": { "sub_cores": 1 } } } } }
END
cat >outer.json <<'END'
{ "heddle": 1, "clocks": { "core": { "mhz": 100 } },
  "instances": { "x": { "netlist": "inner.json", "count": 2 } } }
END
cat >expected <<'END'
    "x[0].r": {"module": "regfile", "count": 4, "clock": "core", "params": {"banks": 16, "sub_cores": 0}, "elements": {"1": {"banks": 18}, "2": {"banks": 2}, "3": {"banks": 3, "sub_cores": 1}}},
    "x[1].r": {"module": "regfile", "count": 4, "clock": "core", "params": {"banks": 16, "sub_cores": 0}, "elements": {"1": {"banks": 18}, "2": {"banks": 2}, "3": {"banks": 3, "sub_cores": 1}}}
END
try "$heddle" flatten outer.json
grep 'regfile' out >got
cmp -s expected got || { fail "elements by a variable"; diff expected got; }

# ---- a policy that needs more than the one before: its other ports are linked as its issue stage's ----
expect 0 '' "$heddle" run -q --set scheduler.module=scheduler_gto "$volta" "$trace" --stats like.json
expect 0 '' "$heddle" run -q "$src/netlists/volta_sm_gto.json" "$trace" --stats linked.json
same like.json linked.json "scheduler_gto is linked otherwise"
for policy in oldest two_level limited rrr; do
	expect 0 '' "$heddle" run -q --set scheduler.module=scheduler_$policy "$volta" "$trace"
done
cat >open.json <<'END'
{ "heddle": 1, "extends": "volta_sm.json", "remove": { "links": [{ "from": "fetch.warps" }] } }
END
expect 2 "port 'fetch.warps' is left open; it uses an interface of type 'warps' and has to be linked, such as by { \"from\": \"fetch.warps\", \"to\": \"warps.state\" }" \
	"$heddle" check open.json

# ---- a module whose port has another name ----
sed 's/fu_serial/serial/; s/{ .name = "in", /{ .name = "operands", .aliases = (const char *const[]){ "in", "input", NULL }, /' \
	"$src/examples/fu_serial.c" >serial.c
sed -i 's/hd_module_fu_serial/hd_module_serial/; s/"fu_serial"/"serial"/' serial.c
plug_in serial.c serial.so
cat >serial.json <<'END'
{ "heddle": 1, "extends": "volta_sm.json", "remove": { "links": [{ "from": "sfu.bus" }] },
  "set": { "sfu.module": "serial", "sfu.params": {} } }
END
expect 0 '' "$heddle" run -q --plugin ./serial.so serial.json "$trace"
expect 0 'links may also name it in, input' "$heddle" modules --plugin ./serial.so serial

# ---- messages about the arguments of a run ----
expect 2 "'$trace' is not a netlist; expected NETLIST before TRACE, '$volta'" "$heddle" run "$trace" "$volta"
expect 2 "'$trace' is not a netlist; expected NETLIST before TRACE, 'volta_sm.json'" "$heddle" run "$trace" volta_sm.json
expect 2 'heddle: trace nowhere/k: cannot open: No such file or directory' "$heddle" run "$volta" nowhere/k
expect 2 "nodir/s.json: No such file or directory: folder 'nodir'" "$heddle" run "$volta" "$trace" --stats nodir/s.json
test -s out && fail "the run began"
mkdir later
sed 's/^-binary version = 70/-binary version = 80/' "$src/traces/samples/vecadd/kernel-1.traceg" >later/kernel-1.traceg
{ cat "$trace"; echo kernel-1.traceg; } >later/kernelslist.g
later='kernel-1.traceg has code of binary version 80, and this core runs code up to version'
expect 0 "$later 70" "$heddle" run -q "$volta" later/kernelslist.g
test "$(wc -l <err)" -eq 1 || { fail "not one warning"; cat err; }
expect 0 "$later 75" "$heddle" run -q --set trace.newest=75 "$volta" later/kernelslist.g
for no in "--set trace.newest=0 $volta later/kernelslist.g" "$src/netlists/ampere_sm.json later/kernelslist.g" "$volta $trace" \
	"$src/netlists/tutorial.json later/kernelslist.g"; do
	# shellcheck disable=SC2086 # several words
	expect 0 '' "$heddle" run -q $no
	test ! -s err || { fail "$no: a warning"; cat err; }
done
# every shipped GPU, and every core named after one, tells which code it runs
for f in "$src"/netlists/*.json; do
	case ${f##*/} in
	volta_* | turing_* | ampere_* | pascal_sm* | quadro_* | titan_* | rtx_* | a100.json)
		"$heddle" flatten "$f" | grep -q '"newest": [1-9]' || fail "$f: no newest code"
		;;
	esac
done

# ---- two levels of help fit a screen ----
for command in $("$heddle" --help | sed -n 's/^  \([a-z][a-z-]*\) .*/\1/p') '--'; do
	test "$command" = -- && command=
	try "$heddle" $command --help
	test "$status" -eq 0 || fail "$command --help: exit status $status"
	test "$(wc -l <out)" -le 24 || fail "$command --help has $(wc -l <out) lines"
	awk 'length > 80 { exit 1 }' out || fail "$command --help has long lines"
done
expect 0 '--stuck-after=N' "$heddle" run --help-all
# ---- netlists in an array: identical ones are copies of one that was read (kernel/netlist/repeat.c) ----
gpu=$src/netlists/quadro_gv100.json
set -- --set clusters=4 --set cores=4
expect 0 '' "$heddle" flatten "$@" "$gpu" -o copied.json
for k in 0 1 2 3; do # what they have already: each is read now
	for j in 0 1 2 3; do
		set -- "$@" --set "cluster[$k].sm[$j].warps.slots=64"
	done
done
expect 0 '' "$heddle" flatten "$@" "$gpu" -o read.json
grep -q '"cluster\[3\].sm\[3\].warps"' read.json || fail 'the last SM is not there'
cmp -s copied.json read.json || fail 'a copied element is another one'
# an outer clock may have a name like those of an element
cat >inner.json <<'END'
{ "heddle": 1, "clocks": { "core": { "mhz": 1, "extern": true }, "half": { "of": "core" } },
  "instances": { "bus": { "module": "result_bus", "clock": "half" }, "last": { "module": "result_bus", "clock": "core" } } }
END
cat >outer.json <<'END'
{ "heddle": 1, "clocks": { "a[1].x": { "mhz": 1000 } },
  "instances": { "a": { "netlist": "inner.json", "count": 4, "clocks": { "core": "a[1].x" } } } }
END
expect 0 "no instance uses 'a[3].last'; it has no effect (in 'a', outer.json:2:23)" "$heddle" flatten outer.json -o outer.flat
test "$(grep -c '"of": "a\[1\].x"' outer.flat)" = 4 || fail "clocks: $(grep of outer.flat)"

done_testing
