#!/bin/sh
# kept.sh - files that fuzzing found or began with, and pieces of them, are read without a crash
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"
# shellcheck disable=SC2046,SC2012 # names without blanks

"$src/tests/fuzz/pack.sh" -x corpus || fail 'the corpora cannot be unpacked'
cp "$src"/tests/dump/versions/* corpus/dump/
cp "$src"/tests/trace/sass/small.cubin corpus/sass/

# read_by HARNESS FILE...: it reads them, and prints nothing unless it is one that complains about its input
read_by()
{
	name=$1
	shift
	try env srcdir="$src" "$build/tests/fuzz/fuzz_$name" "$@"
	test "$status" -eq 0 || { fail "fuzz_$name: exit status $status"; cat err; }
	case $name in
	dump | import | record) ;;
	*) test ! -s err || { fail "fuzz_$name printed:"; cat err; } ;;
	esac
}

# What a long run of a fuzzer has covered, in few files, has their hashes as names.
with_a_name()
{
	find "corpus/$1" -type f -name '*[!0-9a-f]*'
}

# ---- the corpora, and what else a harness reads ----
: >unchanged
read_by checkpoint corpus/checkpoint/* corpus/hasm/* # the same bytes name changes
# whole simulations
read_by core $(ls corpus/core/* | sample 4) $(with_a_name set)
read_by dump corpus/dump/*
read_by exec corpus/exec/* "$src/tests/trace/sass/small.cubin"
read_by hasm corpus/hasm/* "$src"/traces/samples/hasm/*.hasm "$src/tests/trace/hasm_mistakes.txt"
read_by import unchanged corpus/import/*
read_by listing corpus/listing/* $(with_a_name set)
read_by lsp corpus/lsp/*
read_by monitor corpus/monitor/*
read_by netlist corpus/netlist/* "$src"/tests/netlist/cases/*.json "$src"/netlists/*.json
read_by packed corpus/packed/*
read_by record unchanged corpus/record/*
read_by sass corpus/sass/* "$src"/tests/trace/sass/*
read_by set corpus/set/*
read_by study corpus/study/*
read_by tables corpus/tables/*
read_by toys $(ls corpus/toys/* | sample 4) $(with_a_name set)
read_by trace corpus/trace/* "$src/traces/samples/tiny/kernel-1.traceg"
read_by web corpus/web/*

# ---- pieces of those with a name ----
for name in dump exec hasm import lsp netlist packed sass study tables trace web; do
	set --
	for f in $(with_a_name $name); do
		size=$(wc -c <"$f")
		for i in 1 2 3 4 5 6 7 8 9; do
			head -c $((size * i / 10)) "$f" >"$(basename "$f").$i"
			set -- "$@" "$(basename "$f").$i"
		done
	done
	read_by $name "$@"
done
done_testing
