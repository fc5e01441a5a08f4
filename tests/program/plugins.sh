#!/bin/sh
# plugins.sh - modules from outside: built against what `make install` installs, used, and refused
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"
needs python3

# ---- install, and leave the tree ----
env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL ${MAKE:-make} -C "$build" install DESTDIR="$tmp/dest" \
	>install.log 2>&1 || { tail -n 20 install.log; fail "make install"; done_testing; }
pc=$(find dest -name heddle.pc)
prefix=$(sed -n 's/^prefix=//p' "$pc")
mkdir pc
sed "s|^prefix=.*|prefix=$tmp/dest$prefix|" "$pc" >pc/heddle.pc
PKG_CONFIG_PATH=$tmp/pc
export PKG_CONFIG_PATH
heddle=$(find "$tmp/dest" -path '*/bin/heddle')
traces=$(pkg-config --variable=tracedir heddle)
examples=$(pkg-config --variable=exampledir heddle)
for v in moduledir netlistdir tracedir exampledir modulesourcedir skeletondir; do
	test -n "$(pkg-config --variable=$v heddle)" || fail "heddle.pc has no $v"
done
cp -R "$examples" project
chmod -R u+w project
cd project || exit 99

# ---- each example is built by the line in its head ----
for f in *.c; do
	sed -n 's/^ \*[[:space:]]*\(cc .*\)/\1/p' "$f" | sed "s|^cc |${CC:-cc} -Wall -Wextra -Werror |" >line
	test -s line || echo "${CC:-cc} -fPIC -shared \$(pkg-config --cflags heddle) -o ${f%.c}.so $f" >line
	sh ./line || fail "$f: $(cat line)"
	test -f "${f%.c}.so" || fail "$f: no ${f%.c}.so"
	expect 0 "${f%.c}" "$heddle" modules --plugin "${f%.c}.so" "${f%.c}"
done
# a divergence policy: more instructions than the best, and the same lanes
expect 0 '' "$heddle" run -q --stats largest.json --plugin ./largest_group.so --set divergence.module=largest_group \
	volta_sm.json "$traces/hist/kernelslist.g"
expect 0 '' "$heddle" run -q --stats stack.json --set divergence.module=simt_stack volta_sm.json \
	"$traces/hist/kernelslist.g"
for f in largest stack; do
	stats '[s["instances"]["divergence"][k] for k in ("lanes", "traced_warp_instructions")]' $f.json >$f.lanes
done
cmp largest.lanes stack.lanes || fail "largest_group: other lanes"
# what they are for takes fewer cycles, in any order, under all checks
# faster NAME LINES TRACE OPTION...: NAME.json against volta_sm.json with the options
faster()
{
	name=$1 most=$2 hasm=$3
	shift 3
	lines=$(${CC:-cc} -fpreprocessed -dD -E -P "$name.c" | grep -c '[^[:space:]]')
	test "$lines" -le "$most" || fail "$name.c takes $lines lines; expected at most $most"
	for trace in "$hasm" everything; do
		expect 0 '' "$heddle" trace assemble "$traces/hasm/$trace.hasm" -o "$trace"
		any_order "$trace.json" --plugin "./$name.so" "$name.json" "$trace/kernelslist.g"
		expect 0 '' "$heddle" run -q --plugin "./$name.so" --check-modules --stats checked.json "$name.json" \
			"$trace/kernelslist.g"
		cmp "$trace.json" checked.json || fail "$name, $trace: --check-modules changes the statistics"
		expect 0 '' "$heddle" run -q --plugin "./$name.so" --dump d.hdump --stats dumped.json "$name.json" \
			"$trace/kernelslist.g"
		cmp "$trace.json" dumped.json || fail "$name, $trace: a dump changes the statistics"
	done
	expect 0 '' "$heddle" run -q --stats without.json "$@" volta_sm.json "$hasm/kernelslist.g"
	test "$(stats 's["cycles"]' "$hasm.json")" -lt "$(stats 's["cycles"]' without.json)" || fail "$name gains nothing"
}
faster bypass 150 chain
far='--set memory.module=memory_fixed --set memory.latency=200'
small='--set l1d.ways=4 --set l1d.max_ways=4 --set dispatcher.shared_options=[]'
# shellcheck disable=SC2086 # lists of words
{
	faster prefetcher 150 loop $far
	faster victim_cache 160 scan $far $small
	faster replacement_dead 120 scan $far $small
	faster replacement_ship 160 scan $far $small
}
# the table is read once, whatever streams by; docs/changing-a-gpu.md has the figures of the others
test "$(stats 's["instances"]["l1d"]["hits"]' scan.json)" = 608 || fail "SHiP does not keep the table"
# a bypass can be too early: a result is forwarded as soon as it is known to come
for lead in 2 16; do
	expect 0 '' "$heddle" run -q --plugin ./bypass.so --check-modules --set bypass.lead=$lead --stats early.json bypass.json \
		chain/kernelslist.g
	early=$(stats '"%d cycles, %d forwarded" % (s["cycles"], first("forwarded"))' early.json)
	test "$early" = '22 cycles, 4 forwarded' || fail "bypass.lead=$lead: $early"
done
# without plug-ins, but for the last one
sed '/^stream/s/LDG.E/LDG.E.EF/' "$traces/hasm/scan.hasm" >marked.hasm
expect 0 '' "$heddle" trace assemble marked.hasm -o marked
any_order marked.json l1d_bypass.json marked/kernelslist.g
test "$(stats 's["instances"]["l1d"]["hits"]' marked.json)" = 608 || fail "the stream pushes the table out"
test "$(stats 's["instances"]["stream"]["bypassed"]' marked.json)" = 2560 || fail "the stream does not bypass the L1D"
any_order port.json one_port.json "$traces/softcopy/kernelslist.g"
test "$(stats 's["instances"]["port"]["bulk"]' port.json)" -gt 0 || fail "copies cost nothing"
any_order l2.json --plugin ./prefetcher.so l2_prefetcher.json "$traces/vecadd/kernelslist.g"
test "$(stats 'sum(v["prefetches"] for k, v in s["instances"].items() if k.startswith("prefetcher["))' l2.json)" -gt 0 ||
	fail "nothing is prefetched into the second-level cache"
# a prefetcher that takes turns with the load/store unit at the port of the L1D
cat >turns.json <<'END'
{ "heddle": 1, "extends": "prefetcher.json",
  "add": { "instances": { "port": { "module": "smem_port", "clock": "sm" } },
           "links": [{ "from": ["load_store.l1d_port", "prefetcher.port"], "to": "port.port" }] } }
END
any_order turns.out --plugin ./prefetcher.so turns.json loop/kernelslist.g
expect 0 '' "$heddle" run -q --plugin ./prefetcher.so --check-modules --stats turns.checked turns.json loop/kernelslist.g
cmp turns.out turns.checked || fail "--check-modules changes the statistics"
test "$(stats 'first("bulk") == first("prefetches") > 0' turns.out)" = True || fail "prefetches cost nothing"
# where it changes what the unit sleeps for
any_order many.json --plugin ./prefetcher.so --set prefetcher.degree=4 prefetcher.json "$traces/matmul/kernelslist.g"
lines=$(${CC:-cc} -fpreprocessed -dD -E -P divider.c | grep -c '[^[:space:]]')
test "$lines" -le 65 || fail "a function unit takes $lines lines; expected at most 65"

# ---- they are modules like any other ----
try "$heddle" check-module ./*.so
test "$status" -eq 0 && ! grep 'does not start' out | grep -v -e ', least' -e "instance 'prefetcher'" ||
	{ fail "check-module of the examples"; cat out err; }
all='--plugin divider.so --plugin ./scheduler_youngest.so --plugin memory_banks.so'
# shellcheck disable=SC2086 # a list of words
expect 0 'no mistakes' "$heddle" check $all core.json
expect 0 'no mistakes' env HEDDLE_MODULE_PATH=/nowhere:. "$heddle" check core.json
expect 2 "unknown module 'divider'" "$heddle" check core.json
for trace in tiny vecadd gather hist; do
	# shellcheck disable=SC2086
	any_order one.json $all core.json "$traces/$trace/kernelslist.g"
done
expect 0 '' env HEDDLE_MODULE_PATH=. "$heddle" run -q --stats other.json core.json "$traces/hist/kernelslist.g"
cmp one.json other.json || fail "HEDDLE_MODULE_PATH gives other figures than --plugin"

# ---- installed sources: all that is built in, and a copy of one is a plug-in that does the same ----
sources=$(pkg-config --variable=modulesourcedir heddle)
for f in "$src"/modules/*.c "$src"/modules/*/*.[ch]; do
	cmp "$f" "$sources/${f#"$src"/modules/}" || fail "not installed: $f"
done
for f in "$src"/tools/cli/skeletons/*; do
	cmp "$f" "$(pkg-config --variable=skeletondir heddle)/${f##*/}" || fail "not installed: $f"
done
# the lines of docs/modules.md
sed -n '/^### Start from a standard module/,/^A module with a folder/s/^    //p' "$src/docs/modules.md" |
	sed -e "s|^cc |${CC:-cc} -Wall -Wextra -Werror |" -e "s|^heddle run|'$heddle' run -q --stats mine.json|" \
		-e "s|kernelslist.g|'$traces/hist/&'|" >lines.sh
expect 0 '' sh -e lines.sh
"$heddle" run -q --stats shipped.json volta_sm.json "$traces/hist/kernelslist.g" || fail "volta_sm.json"
for f in mine shipped; do
	stats '[s["cycles"], s["issue"], s["kernels"]]' $f.json >$f.figures
done
cmp mine.figures shipped.figures || fail "a copy of scheduler_lrr gives other figures"
for module in cache fu_pipeline issue; do
	sed "s/hd_module_$module/&_mine/; s/^	\.name = \"$module\"/	.name = \"${module}_mine\"/" \
		"mine/$module.c" >"mine/${module}_mine.c"
	more=
	test ! -d "mine/$module" || more="mine/$module/*.c"
	# shellcheck disable=SC2086,SC2046
	${CC:-cc} -shared -fPIC $(pkg-config --cflags heddle) -o "${module}_mine.so" "mine/${module}_mine.c" $more ||
		fail "cc: $module"
	expect 0 "${module}_mine" "$heddle" modules --plugin "${module}_mine.so" "${module}_mine"
done

# divided NETLIST TRACE: cycles that the divider was in use
divided()
{
	# shellcheck disable=SC2086
	"$heddle" run -q $all --stats s.json "$1" "$2" 2>err || fail "run of $1 on $2"
	stats 's["instances"]["divider"]["busy"]' s.json
}
# needed OPCODES: the same, computed from the trace: 1 + passes of 16 lanes, 16 cycles each, 32 if wide
needed()
{
	xz -dc "$traces/gather/kernel-1.traceg.xz" | awk -v opcodes="^($1)" '
		$3 == 1 && $5 ~ opcodes {
			lanes = 0
			for (i = 1; i <= length($2); i++)
				lanes += substr("0112122312232334", index("0123456789abcdef", substr($2, i, 1)), 1)
			n += 1 + int((lanes + 15) / 16) * ($5 == "DFMA" ? 32 : 16)
		}
		END { print n }'
}
# ---- its latency depends on the instruction, its class and its lanes ----
busy=$(divided core.json "$traces/gather/kernelslist.g")
test "$busy" = "$(needed 'MUFU|DFMA')" || fail "the divider was busy $busy cycles, expected $(needed 'MUFU|DFMA')"
# ---- a form of an opcode may have another class than the rest ----
sed 's/"MUFU"/"MUFU.RSQ"/; s/"SP", "INTP"/"SFU", &/; s/\["DP"\]/["SFU", "DP"]/' \
	core.json >some.json
busy=$(divided some.json "$traces/gather/kernelslist.g")
test "$busy" = "$(needed 'MUFU.RSQ|DFMA')" || fail "with MUFU.RSQ alone the divider was busy $busy cycles"
sed 's/"DFMA"/"MUFU", "DFMA"/' core.json >both.json
# shellcheck disable=SC2086
expect 2 "error: instance 'trace': two rows of 'classes' name opcode 'MUFU'; expected one (extended by both.json)" \
	"$heddle" check $all both.json
# ---- an opcode that no table of heddle's has, in a trace of a GPU that does not exist ----
sed 's/binary version = 70/binary version = 999/; s/FFMA 3/FQUOT 3/' "$traces/tiny/kernel-1.traceg" >new.traceg
busy=$(divided core.json new.traceg)
test ! -s err || { fail "a warning about the new opcode:"; cat err; }
test "$busy" = $((1 + 2 * 16)) || fail "FQUOT kept the divider busy for $busy cycles"

# ---- another core of the shipped one: in at most 12 lines, without C ----
lines=$(grep -c . other_core.json)
test "$lines" -le 12 || fail "other_core.json has $lines lines"
expect 0 'no mistakes' "$heddle" check --plugin divider.so other_core.json
test ! -s err || fail "other_core.json causes a warning"
expect 0 '' "$heddle" run -q --plugin divider.so --stats other.json other_core.json \
	"$traces/gather/kernelslist.g"
# counted FILE ARRAY STATISTIC: the sum over the elements of an array
counted()
{
	stats 'sum(v["'"$3"'"] for k, v in s["instances"].items() if k.startswith("'"$2"'["))' "$1"
}
"$heddle" run -q --stats volta.json volta_sm.json "$traces/gather/kernelslist.g"
test "$(stats 'sum(k.startswith("sfu[") for k in s["instances"])' other.json)" -eq 8 ||
	fail "other_core.json: not 8 SFUs"
roots=$(xz -dc "$traces/gather/kernel-1.traceg.xz" | grep -c 'MUFU\.RSQ')
before=$(counted volta.json sfu accepted)
test "$(counted other.json sfu accepted)" -eq $((before - roots)) || fail "the SFUs got others than before"
test "$(counted other.json root busy)" -gt 0 || fail "the unit from the plug-in was idle"
"$heddle" diff --plugin divider.so volta_sm.json other_core.json >out
for words in 'instance scheduler: count was 4, is 2' 'instance sfu: count was 4, is 8' \
	'instance scoreboard: entries was 0, is 6' 'instance root is new, 4 x divider'; do
	grep -qF "$words" out || fail "diff does not print: $words"
done

# ---- a network and a replacement policy in a GPU ----
gpu='--plugin network_ring.so --plugin replacement_ship.so'
# shellcheck disable=SC2086
expect 0 'no mistakes' "$heddle" check $gpu other_gpu.json
test ! -s err || fail "other_gpu.json deserves a warning"
# shellcheck disable=SC2086
any_order ring.json $gpu other_gpu.json "$traces/gather/kernelslist.g"
# shellcheck disable=SC2086
expect 0 '' "$heddle" run -q $gpu --set requests.module=crossbar --set replies.module=crossbar --stats crossbar.json \
	other_gpu.json "$traces/gather/kernelslist.g"
stats '[v["replies"] for k, v in s["instances"].items() if k.endswith(".node")]' ring.json >ring.replies
stats '[v["replies"] for k, v in s["instances"].items() if k.endswith(".node")]' crossbar.json >crossbar.replies
cmp ring.replies crossbar.replies || fail "the ring loses replies"
test "$(stats 's["cycles"]' ring.json)" -gt "$(stats 's["cycles"]' crossbar.json)" ||
	fail "a ring is not slower than a crossbar"
test "$(counted ring.json ship brought)" -gt 0 || fail "the policy was not asked"
test "$(stats 'sum(v["hops"] for k, v in s["instances"].items() if k in ("requests", "replies"))' ring.json)" -gt \
	"$(stats 'sum(v["packets"] for k, v in s["instances"].items() if k in ("requests", "replies"))' ring.json)" ||
	fail "packets of the ring do not move"

# ---- refused plug-ins ----
cflags="-w -fPIC -shared $(pkg-config --cflags heddle)"

# spoilt NAME SED-SCRIPT [CFLAG...]: a divider that is changed
spoilt()
{
	mkdir -p "$1"
	sed "$2" divider.c >"$1/divider.c"
	out=$1/divider.so
	shift 2
	# shellcheck disable=SC2086
	${CC:-cc} "$@" $cflags -o "$out" "$(dirname "$out")/divider.c" || fail "cc: $out"
}
# refused FILE TEXT: `check` prints it, `run` too, before it begins
refused()
{
	others='--plugin scheduler_youngest.so --plugin memory_banks.so'
	# shellcheck disable=SC2086
	expect 2 "$2" "$heddle" check --plugin "$1" $others core.json
	# shellcheck disable=SC2086
	expect 2 "$2" "$heddle" run --plugin "$1" $others --stats none.json core.json "$traces/tiny/kernelslist.g"
	test ! -f none.json || { fail "$1: it ran"; rm none.json; }
	test ! -s out || { fail "$1: it printed something"; cat out; }
	case $1 in
	*/divider.so) ! grep -q 'unknown module' err || { fail "$1: its module is unknown, too"; cat err; } ;;
	esac
}
init='/^static int init/,/^}/s/^{/{ '
abi=$(sed -n 's/^#define HD_ABI \([0-9]*\)u*.*/\1/p' "$(pkg-config --variable=includedir heddle)/heddle/module.h")

spoilt abi 's/HD_ABI/HD_ABI + 1/'
refused abi/divider.so "was built against heddle module ABI $((abi + 1)), this program has $abi; rebuild it"
spoilt size 's/sizeof(struct hd_module)/sizeof(struct hd_module) - 8/'
refused size/divider.so 'has a descriptor of '
mkdir -p old/heddle
cp -R "$(pkg-config --variable=includedir heddle)/heddle/." old/heddle/
sed -i 's/\.version = [0-9]*, \.record/.version = 99, .record/' old/heddle/gpu/inst.h
spoilt payload '' -Iold
refused payload/divider.so "type 'inst' differs; module 'issue' was built with version"
sed -i 's/\.version = [^,]*/.version = 7/' old/heddle/gpu/sched_policy.h
# shellcheck disable=SC2086
mkdir -p interface && ${CC:-cc} -Iold $cflags -o interface/scheduler_youngest.so scheduler_youngest.c
expect 2 "type 'sched_policy' differs; module 'issue' was built with version" "$heddle" check \
	--plugin divider.so --plugin interface/scheduler_youngest.so --plugin memory_banks.so core.json
expect 2 "expected 'scheduler_youngest' built with that, too: cc -DHD_MAX_WARPS=128u" "$heddle" check --set warps.slots=128 \
	--plugin ./scheduler_youngest.so --set scheduler.module=scheduler_youngest volta_sm.json
cp divider.so other.so
refused other.so "plug-in 'other.so' has no 'hd_module_other'; expected the descriptor of its module there"
spoilt undefined "$init no_such_function();/"
refused undefined/divider.so 'undefined symbol: no_such_function'
mkdir -p twice && cp divider.so twice/
# shellcheck disable=SC2086
expect 2 "two modules are named 'divider': one is in plug-in 'divider.so', the other in plug-in 'twice/divider.so'" \
	"$heddle" check $all --plugin twice/divider.so core.json
# shellcheck disable=SC2086
expect 0 'no mistakes' "$heddle" check $all --plugin ./divider.so core.json
mkdir -p builtin && sed 's/hd_module_divider/hd_module_cache/; s/"divider"/"cache"/' divider.c >builtin/cache.c
# shellcheck disable=SC2086
${CC:-cc} $cflags -o builtin/cache.so builtin/cache.c
expect 2 "two modules are named 'cache': one is built in, the other in plug-in 'builtin/cache.so'" \
	"$heddle" modules --plugin builtin/cache.so
mkdir -p text empty folder/divider.so
echo 'no machine code' >text/divider.so
: >empty/divider.so
refused text/divider.so "plug-in 'text/divider.so' cannot be loaded"
refused empty/divider.so "plug-in 'empty/divider.so' cannot be loaded"
refused folder/divider.so "plug-in 'folder/divider.so' cannot be loaded"
refused none/divider.so "plug-in 'none/divider.so' cannot be loaded"
refused divider.c "plug-in 'divider.c' is not named like a module; expected NAME.so"
spoilt doc 's/\.doc = "iterative.*/.doc = "",/'
refused doc/divider.so 'has no doc'
# what would take the place of something else: in the state, in the statistics, in the pool of another
spoilt overlaps 's/AT(steps)/.offset = offsetof(struct state, in) + 8/'
refused overlaps/divider.so "parameter 'steps' and port 'in' overlap in the state: 4 bytes at offset "
spoilt group 's/AT(busy), /&.total = "issue", /'
refused group/divider.so "statistic 'busy' adds to 'issue', and 'single' of module 'issue' to 'issue.single'; expected that"
spoilt reserved 's/AT(busy), /&.total = "status.x", /'
refused reserved/divider.so "statistic 'busy' adds to 'status.x', but the statistics of a run have 'status' already"
spoilt module 's/\.name = "busy"/.name = "module"/'
refused module/divider.so "a statistic is named 'module', which each instance has in the statistics"
spoilt larger "$init static struct hd_type t; t = hd_type_inst; t.record += 8; hd_pool(ctx, \&t);/"
refused larger/divider.so "instance 'divider': the records of type 'inst' have "
spoilt bare "$init static const struct hd_type t = { \"bare\", 4, 1, 0, 0, 0 }; hd_pool(ctx, \&t);/"
refused bare/divider.so "instance 'divider': a record of type 'bare' has 0 bytes; expected from 4 to 65536"
for table in instances issue; do
	spoilt rows "/^static uint64_t eval/,/^}/s/^	uint64_t now.*/& hd_row(st->ctx, \"$table\", \&(struct hd_cell){ \"a\", NULL, 1 }, 1);/"
	expect 2 "divider: cycle 1: adds a row to table '$table', " "$heddle" run -q --plugin rows/divider.so \
		--plugin scheduler_youngest.so --plugin memory_banks.so core.json "$traces/tiny/kernelslist.g"
done
# a dump with events without fields, and records of a type without fields, can be read
spoilt silent_records "s/\.init = init/.init = init, .events = (const struct hd_event[]){ { \"tick\", \"a tick\" }, { 0 } }/
/^static uint64_t eval/,/^}/s/^	uint64_t now.*/& hd_emit(st->ctx, 0, 0);/
$init static const struct hd_type t = { \"bare\", 4, 1, 16, 0, 0 }; hd_pool(ctx, \&t);/"
expect 0 '' "$heddle" run -q --plugin silent_records/divider.so --plugin scheduler_youngest.so \
	--plugin memory_banks.so --dump silent.hdump core.json "$traces/tiny/kernelslist.g"
expect 0 'divider.tick' "$heddle" dump silent.hdump
for to in text csv sqlite perfetto; do
	expect 0 '' "$heddle" dump --to=$to -o silent.$to silent.hdump
done

# ---- crashes: in a copy of the process, never in the program itself ----
crash='*(volatile int *)8 = 0;'
spoilt null "$init $crash/"
refused null/divider.so "core.json:22:18: error: instance 'divider': module 'divider' (null/divider.so) crashed with signal 11 (Segmentation fault) in 'init'"
spoilt abort "$init __builtin_trap();/"
refused abort/divider.so "(abort/divider.so) crashed with signal "
spoilt leaves "1i #include <stdlib.h>
$init exit(3);/"
refused leaves/divider.so "ended the program with status 3 in 'init'"
spoilt deep "$init return deep(\&(int){1});/
s/^static int init/static int deep(volatile int *p) { int a[9999]; a[0] = *p; return deep(a) + a[1]; }\n&/" -O0
refused deep/divider.so "crashed with signal 11 (Segmentation fault) in 'init'"
spoilt start "s/\.init = init/.init = init, .start = start/
s/^static int init/static int start(void *s) { $crash return 0; }\n&/"
# shellcheck disable=SC2086
expect 2 "in 'start'" "$heddle" run --plugin start/divider.so --plugin scheduler_youngest.so \
	--plugin memory_banks.so core.json "$traces/tiny/kernelslist.g"
spoilt fini "s/\.init = init/.init = init, .fini = fini/
s/^static int init/static void fini(void *s) { $crash }\n&/"
refused fini/divider.so "in 'fini'"
spoilt silent "$init return -1;/"
refused silent/divider.so "instance 'divider': 'init' of module 'divider' failed without a message"

# ---- callbacks that never return ----
HEDDLE_PLUGIN_SECONDS=1
export HEDDLE_PLUGIN_SECONDS
spoilt hangs "$init for (volatile int i = 0;; i++);/"
refused hangs/divider.so "core.json:22:18: error: instance 'divider': module 'divider' (hangs/divider.so) did not return within 1 s (HEDDLE_PLUGIN_SECONDS sets the limit) in 'init'"
spoilt waits "1i #include <unistd.h>
s/\.init = init/.init = init, .start = start/
s/^static int init/static int start(void *s) { for (;;) pause(); return 0; }\n&/"
# shellcheck disable=SC2086
expect 2 "(waits/divider.so) did not return within 1 s" "$heddle" run --plugin waits/divider.so \
	--plugin scheduler_youngest.so --plugin memory_banks.so core.json "$traces/tiny/kernelslist.g"
grep -q "in 'start'" err || fail "not reported: in 'start'"
spoilt stays "s/^static int init/__attribute__((constructor)) static void c(void) { for (volatile int i = 0;; i++); }\n&/"
refused stays/divider.so "plug-in 'stays/divider.so' did not return within 1 s (HEDDLE_PLUGIN_SECONDS sets the limit) while it was loaded"
unset HEDDLE_PLUGIN_SECONDS

# ---- crashes in the middle of a run: plug-in, instance, cycle ----
# dies NAME END STATEMENT: in eval of the unit that finds something in slot 2: root[2]
dies()
{
	mkdir "$1"
	awk -v b="if (slots >> 2 & 1) { $3 }" 'NR == 1 {
			print "#include <stdint.h>\n#include <stdlib.h>\n#include <string.h>"
			print "static int deep(volatile int *p) { int a[9999]; a[0] = *p; return deep(a) + a[1]; }"
		}
		/^static uint64_t eval/ { inside = 1 }
		inside && /^$/ { print b; inside = 0 }
		{ print }' divider.c >"$1/divider.c"
	for o in -O0 -O2; do
		# shellcheck disable=SC2086
		${CC:-cc} $o $cflags -o "$1/divider.so" "$1/divider.c" || fail "cc: $1"
		expect 1 "heddle: error: root[2]: cycle " "$heddle" run -q --plugin "$1/divider.so" \
			--dump left.hdump --stats left.json --stuck-after=1 \
			other_core.json "$traces/gather/kernelslist.g"
		grep -qF ": module 'divider' ($1/divider.so) $2" err ||
			{ fail "$1 $o: not reported"; cat err; }
		test "$(wc -l <err)" -eq 1 || { fail "$1 $o: more than a line"; cat err; }
		ls left* 2>/dev/null && fail "$1 $o: something unfinished is left"
	done
}
dies writes_null 'crashed with signal 11 (Segmentation fault)' '*(volatile int *)8 = 0;'
dies divides 'crashed with signal 8 (Floating point exception)' 'static volatile int z; z = 5 / z;'
dies aborts 'crashed with signal 6 (Aborted)' 'abort();'
dies calls_null 'crashed with signal 11 (Segmentation fault)' 'void (*volatile f)(void) = NULL; f();'
dies too_deep 'crashed with signal 11 (Segmentation fault)' 'return deep(&(int){1});'
dies exits 'ended the program' 'exit(0);'
dies hangs_on 'did not return for 1 s of processor time' \
	'extern int creat(const char *, unsigned); for (volatile int i = creat("hanging", 0600);; i++);'
dies in_libc 'crashed with signal 11 (Segmentation fault)' 'void *volatile p = (void *)16; memcpy(p, st, sizeof *st);'
# the second interrupt does not wait for a plug-in that does not return; the first waits until it is there
rm -f hanging
"$heddle" run -q --plugin hangs_on/divider.so --stuck-after=0 other_core.json \
	"$traces/gather/kernelslist.g" 2>err &
pid=$!
until_true test -e hanging
interrupted()
{
	kill -INT $pid
	! kill -0 $pid
}
until_true interrupted
wait $pid
test $? -eq 1 || fail "the second interrupt: exit status"
grep -q "divider.so) did not return before the second interrupt" err ||
	{ fail "the second interrupt: not reported"; cat err; }

# ---- a time that is over, counted as edges to come, is never: the run does not leap behind the last cycle ----
cat >pair.json <<'END'
{ "heddle": 1, "clocks": { "core": { "mhz": 1000 } }, "instances": { "late": { "module": "late" } }, "links": [] }
END
for n in 2 3 99; do
	cat >late.c <<END
#include <heddle/module.h>
struct state { struct hd_ctx *ctx; };
static int init(void *s, struct hd_ctx *ctx) { ((struct state *)s)->ctx = ctx; return 0; }
static uint64_t eval(void *s) { return hd_now(((struct state *)s)->ctx) < 9 ? HD_NEXT : UINT64_C(0) - $n; }
const struct hd_module hd_module_late = { .abi = HD_ABI, .size = sizeof(struct hd_module), .name = "late",
	.doc = "late", .state_size = sizeof(struct state), .init = init, .eval = eval };
END
	# shellcheck disable=SC2086
	${CC:-cc} $cflags -o late.so late.c || fail "cc: late"
	expect 0 '' "$heddle" run -q --plugin late.so --stats late.json pair.json
	test "$(stats 's["cycles"]' late.json)" -le 11 || fail "late: $(stats 's["cycles"]' late.json) cycles"
done

# ---- in callbacks outside of the run loop: end, fini, skipped and checkpoint are watched as well ----
# late CALLBACK PARAMETERS STATEMENT WHAT OPTION...: WHAT is reported when root's callback comes to STATEMENT
late()
{
	mkdir "late_$1"
	sed "s/\.init = init/.init = init, .$1 = late/; s/^	\.checkpoint = checkpoint,//
s/^const struct hd_module/static void late($2) { (void)s; $3 }\n&/" divider.c >"late_$1/divider.c"
	# shellcheck disable=SC2086
	${CC:-cc} $cflags -o "late_$1/divider.so" "late_$1/divider.c" || fail "cc: late_$1"
	plugin=late_$1/divider.so what=$4
	shift 4
	expect 1 'heddle: error: ' timeout -s KILL 60 "$heddle" run -q --plugin "$plugin" --stuck-after=1 \
		--stats left.json --dump left.hdump "$@" other_core.json "$traces/tiny/kernelslist.g"
	grep -qE "^heddle: error: (root.*: )?cycle [0-9]+: .*module 'divider' \($plugin\) $what" err ||
		{ fail "$plugin: not reported"; cat err; }
	rm -f left.json left.hdump
}
late end 'void *s' '__builtin_trap();' 'crashed with signal'
late end_observation 'void *s' 'for (volatile int i = 0;; i++);' 'did not return for 1 s'
late skipped 'void *s, uint64_t n' '(void)n; __builtin_trap();' 'crashed with signal'
late checkpoint 'void *s, struct hd_checkpoint *k' '(void)k; __builtin_trap();' 'crashed with signal' --save-at 5 left.state
test ! -e left.state || fail "a state is left of a module that crashed"
late fini 'void *s' 'if (hd_now(((struct state *)s)->ctx) + 1 > 5) __builtin_trap();' 'crashed with signal'

# in a call from another instance, which is being evaluated
mkdir called
sed '/^static void issued/,/^}/s/^{/{ if (nth < 2) __builtin_trap();/' scheduler_youngest.c \
	>called/scheduler_youngest.c
# shellcheck disable=SC2086
${CC:-cc} $cflags -o called/scheduler_youngest.so called/scheduler_youngest.c
expect 1 "heddle: error: policy: cycle " "$heddle" run -q --plugin divider.so \
	--plugin called/scheduler_youngest.so --plugin memory_banks.so core.json \
	"$traces/tiny/kernelslist.g"
grep -qF "module 'scheduler_youngest' (called/scheduler_youngest.so) crashed with signal" err ||
	{ fail "a crash in a call: not reported"; cat err; }

# ---- records that are never released: the run fails, with figures and a dump ----
mkdir leaks
sed '/^static uint64_t eval/,/^}/s/^	if (!st->inst && slots) {/&\
		for (int i = 0; i < 40000; i++) hd_alloc(st->ctx, st->pool);\
		if (hd_pool_next(st->pool) >= HD_POOL_MAX) __builtin_trap();/' divider.c >leaks/divider.c
# shellcheck disable=SC2086
${CC:-cc} $cflags -o leaks/divider.so leaks/divider.c || fail "cc: leaks"
expect 1 ": more than 262142 records of type 'inst' are in use; expected that each is released" \
	"$heddle" run -q --stats leaks.json --dump leaks.hdd --plugin leaks/divider.so other_core.json \
	"$traces/gather/kernelslist.g"
grep -q '^heddle: error: root\[[0-9]\]: cycle [0-9]*: more than' err || { fail "leaks: instance and cycle"; cat err; }
test "$(wc -l <err)" -eq 1 || { fail "leaks: more than a line"; cat err; }
test "$(figure leaks.json status)" = failed || { fail "leaks: no statistics"; cat leaks.json; }
"$heddle" dump leaks.hdd >out || fail "leaks: no dump"

spoilt constructor "s/^static int init/__attribute__((constructor)) static void c(void) { $crash }\n&/"
refused constructor/divider.so "plug-in 'constructor/divider.so' crashed with signal 11 (Segmentation fault) while it was loaded"
spoilt pointer 's/\.init = init/.init = init, .events = (void *)8/'
refused pointer/divider.so "plug-in 'pointer/divider.so' crashed with signal 11 (Segmentation fault) while it was loaded"
# a stale plug-in runs nothing here, not even a constructor
spoilt stale "s/HD_ABI/HD_ABI + 1/; 1i #include <stdio.h>
s/^static int init/__attribute__((constructor)) static void c(void) { puts(\"code ran\"); fflush(stdout); }\n&/"
refused stale/divider.so 'was built against heddle module ABI'

# ---- all of them at once ----
mkdir many
cp abi/divider.so many/
cp text/divider.so many/text.so
cp null/divider.so many/other.so
expect 2 'module ABI' env HEDDLE_MODULE_PATH=many "$heddle" check core.json
grep -q "no 'hd_module_other'" err && grep -q "many/text.so' cannot be loaded" err || fail "not all at once"
cd "$tmp" || exit 99
done_testing
