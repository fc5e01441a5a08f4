#!/bin/sh
# plumbing.sh - make bench: groups, arithmetic, verdicts and failures, with programs that print figures made up
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"

mkdir -p bin files oracle/real/bfs-volta
: >oracle/real/bfs-volta/kernelslist.g
TMPDIR=$tmp/files
PATH=$tmp/bin:$PATH
export TMPDIR PATH

# heddle: 1000 warp instructions in 2000 SM cycles, 4000 for a whole GPU
cat >bin/heddle <<'END'
#!/bin/sh
case "$*" in
'run --help') echo "  --lockstep --check-modules $OPTIONS" ;;
'trace pack -o '*) : >"$4" ;;
'trace record --launches '*) : >"$6" ;;
*--fail*) exit 1 ;;
*--summary*gv100*) echo '{ "warp_instructions": 1000, "instances": { "a": { "slot_cycles": 192000 },
	"b": { "slot_cycles": 64000 }, "c": { "accesses": 7 } } }' ;;
*--summary*) echo '{ "warp_instructions": 1000, "instances": { "w": { "slot_cycles": 128000 } } }' ;;
esac
exit $STATUS
END
# callgrind: a start is 1,200,000 instructions, a run 3,000,000 packed and 3,350,000 as text, and more with a dump
cat >bin/valgrind <<'END'
#!/bin/sh
test "$VALGRIND" = no && exit 127
first=$(echo "$*" | sed -n 's/.*--callgrind-out-file=\([^ ]*\).*/\1-01/p')
case "$*" in
*--toggle-collect*) n=180000 ;;
*--max-cycles=1\ *) n=1200000 ;;
*--dump*) n=9900000; echo "totals: 3400000" >"$first" ;;
*.hpack*) n=3000000; echo "totals: 3000000" >"$first" ;;
*) n=3350000 ;;
esac
echo "==1== Collected : $n"
END
cat >bin/ring <<'END'
#!/bin/sh
printf '%s\n' 'ns 5.0' 'plain 0.5' 'us_per_us 460' 'evals_per_token 1.0' 'checksum 00000001'
END
cat >bin/sections <<'END'
#!/bin/sh
printf '%s\n' 'threads_2 0.56' 'threads_4 0.36' 'threads_8 0.27' 'threads_16 0.23'
END
cat >bin/systemc <<'END'
#!/bin/sh
printf '%s\n' 'ns 20.0' 'us_per_us 9200' "checksum 0000000$CHECKSUM"
END
chmod +x bin/*
OPTIONS= STATUS=0 VALGRIND=yes CHECKSUM=1
export OPTIONS STATUS VALGRIND CHECKSUM

bench()
{
	oracle=$1
	shift
	"$build/tests/bench/bench" bin/heddle bin/ring bin/sections bin/systemc "$src/netlists/volta_sm.json" "$src/traces/samples" "$oracle" "$@"
}

# row TEXT: a line of the table is that, with one blank in place of several
row()
{
	sed -e 's/  */ /g' -e 's/ $//' out | grep -qxF -e "$1" || { fail "there is no line '$1'"; cat out; }
}

# ---- groups ----
expect 0 'ring ' bench - help
expect 2 "there is no group 'rign'; 'help' prints the groups" bench - ring rign
expect 2 'usage: bench HEDDLE' "$build/tests/bench/bench" bin/heddle
expect 0 '' bench - ring
for group in START 'ONE SM' LOADING 'CONTROL' '80 SMs' 'A DUMP' STUDIES; do
	grep -q "^$group" out && fail "the group '$group' was measured, too"
done

# ---- verdicts, and the peer beside them ----
row 'ring of 256 FIFOs, all busy ns/evaluation 5.000 <= 6.000 met SystemC sc_fifo 20.00, x 4.00'
row 'ring of 4096 registers, all busy ns/evaluation 5.000 <= 3.500 MISSED SystemC sc_signal 20.00, x 4.00'
row 'ring of 4096 FIFOs, 1 % busy ns/evaluation 5.000 <= 9.000 met SystemC sc_event 20.00, x 4.00'
row '3 clocks, 256 stages each, 8 % busy us/sim. us 460.0 <= 450.0 MISSED SystemC sc_event 9200, x 20.00'
row '3 limits missed'

# ---- arithmetic: per warp instruction, per SM cycle, without the start ----
expect 0 '' bench oracle one start dump
row 'matmul-shared-pascal not measured: the trace is not here'
row 'bfs-volta: simulation alone /warp inst. 1800 <= 1940 met'
row 'bfs-volta: reading its text /warp inst. 350.0 <= 400.0 met of these liblzma 180'
row 'volta_sm.json 10^6 inst. 1.200 <= 4.000 met'
row 'bfs-volta: simulating thread /warp inst. 400.0 <= 450.0 met'
expect 0 '' bench oracle gpu threads
row 'bfs-volta: lock step inst./SM cycle 450.0 <= 1170 met one SM 900.0, x 2.00'
row 'bfs-volta: running ahead inst./SM cycle 450.0 <= 1170 met one SM 900.0, x 2.00'
grep -Eq 'gemm-hopper: speed +warp i./CPU s' out || fail 'no speed of a whole H100'
grep -q 'two threads' out && fail 'threads were measured without such an option'
OPTIONS=--threads=N
expect 0 '' bench oracle threads
grep -Eq 'bfs-volta: threads_4, replayed +x of one +0.36|there is one processor' out || { fail 'replayed:'; cat out; }
grep -Eq 'bfs-volta: two threads against one|there is one processor' out || { fail 'threads:'; cat out; }

# ---- what is not here; traces of the tree have no limits ----
expect 0 '' bench - one
row 'bfs-volta not measured: the trace is not here'
row 'reduce: simulation alone /warp inst. 1800'
row '0 limits missed'
VALGRIND=no
expect 0 '' bench oracle one
row 'bfs-volta: simulation alone not measured: there is no valgrind'

# ---- failures ----
CHECKSUM=2
expect 1 'something FAILED' bench - ring
row 'ring of 256 FIFOs, all busy: checksums differ: 00000001, SystemC 00000002'
STATUS=3
expect 1 'something FAILED' bench oracle gpu
test -z "$(ls files)" || fail "files are left: $(ls files)"
done_testing
