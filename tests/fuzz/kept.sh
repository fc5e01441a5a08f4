#!/bin/sh
# kept.sh - files that fuzzing found or began with, and pieces of them, are read without a crash
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"

corpus=$src/tests/fuzz/corpus

# What a long run of a fuzzer has covered, in few files, has their hashes as names.
kept()
{
	case ${1##*/} in *[!0-9a-f]*) return 1 ;; esac
}

expect 0 '' "$build/tests/fuzz/netlist_files" "$corpus"/netlist/* "$src"/tests/netlist/cases/*.json \
	"$src"/netlists/*.json
expect 0 '' "$build/tests/fuzz/trace_files" "$corpus"/trace/* "$src/traces/samples/tiny/kernel-1.traceg"
expect 0 '' "$build/tests/fuzz/hasm_files" "$corpus"/hasm/* "$src"/traces/samples/hasm/*.hasm \
	"$src/tests/trace/hasm_mistakes.txt"
expect 0 '' "$build/tests/fuzz/sass_files" "$corpus"/sass/* "$src"/tests/trace/sass/*
expect 0 '' "$build/tests/fuzz/checkpoint_files" "$corpus"/checkpoint/* "$corpus"/hasm/* # the same bytes name changes
expect 0 '' "$build/tests/fuzz/web_files" "$corpus"/web/*
expect 0 '' "$build/tests/fuzz/set_files" "$corpus"/set/*
set -- # of those with a name, which serve for others, too
for f in "$corpus"/set/*; do
	kept "$f" || set -- "$@" "$f"
done
expect 0 '' env srcdir="$src" "$build/tests/fuzz/core_files" "$corpus"/core/* "$@"
expect 0 '' "$build/tests/fuzz/toys_files" "$corpus"/toys/* "$@"
expect 0 '' env srcdir="$src" "$build/tests/fuzz/listing_files" "$corpus"/listing/* "$@"
expect 0 '' env srcdir="$src" "$build/tests/fuzz/study_files" "$corpus"/study/*
expect 0 '' env srcdir="$src" "$build/tests/fuzz/packed_files" "$corpus"/packed/*
expect 0 '' env srcdir="$src" "$build/tests/fuzz/monitor_files" "$corpus"/monitor/*
: >unchanged
for name in import record; do # which complain
	try env srcdir="$src" "$build/tests/fuzz/${name}_files" unchanged "$corpus/$name"/*
	test "$status" -eq 0 || { fail "$name: the corpus"; cat err; }
done
try "$build/tests/fuzz/dump_files" "$corpus"/dump/* # which complains
test "$status" -eq 0 || { fail "dumps of the corpus"; cat err; }
# Pieces of those with a name.
for f in "$corpus"/netlist/* "$corpus"/trace/* "$corpus"/hasm/* "$corpus"/sass/* \
	"$corpus"/web/* "$corpus"/dump/* "$corpus"/import/* "$corpus"/packed/* "$corpus"/study/*; do
	! kept "$f" || continue
	size=$(wc -c <"$f")
	for i in 1 2 3 4 5 6 7 8 9; do
		head -c $((size * i / 10)) "$f" >"$(basename "$f").$i"
	done
	case $f in
	*/hasm/*) expect 0 '' "$build/tests/fuzz/hasm_files" "$(basename "$f")".? ;;
	*/sass/*) expect 0 '' "$build/tests/fuzz/sass_files" "$(basename "$f")".? ;;
	*/web/*) expect 0 '' "$build/tests/fuzz/web_files" "$(basename "$f")".? ;;
	*/netlist/*) expect 0 '' "$build/tests/fuzz/netlist_files" "$(basename "$f")".? ;;
	*/study/*) expect 0 '' env srcdir="$src" "$build/tests/fuzz/study_files" "$(basename "$f")".? ;;
	*/packed/*) expect 0 '' env srcdir="$src" "$build/tests/fuzz/packed_files" "$(basename "$f")".? ;;
	*/import/*) # which complains
		try env srcdir="$src" "$build/tests/fuzz/import_files" "$(basename "$f")".?
		test "$status" -eq 0 || { fail "pieces of $f"; cat err; }
		;;
	*/dump/*) # which complains
		try "$build/tests/fuzz/dump_files" "$(basename "$f")".?
		test "$status" -eq 0 || { fail "pieces of $f"; cat err; }
		;;
	*) expect 0 '' "$build/tests/fuzz/trace_files" "$(basename "$f")".? ;;
	esac
done
done_testing
