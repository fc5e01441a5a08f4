#!/bin/sh
# contract.sh - the headers that a module is written against: size, words, alone and from C++
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"

include=$src/include/heddle

# ---- module.h stays short ----
lines=$(wc -l <"$include/module.h")
test "$lines" -le 220 || fail "module.h has $lines lines; expected at most 220"

# ---- the contract is one of modules, not of GPUs ----
words='warps?|ctas?|lanes?|scoreboards?|sass|opcodes?|gpus?|sms?|grids?|cuda'
grep -HniE "(^|[^a-z])($words)([^a-z]|\$)" "$include"/*.h && fail "the contract has a word of GPUs"

# ---- each header says itself what it needs ----
for f in "$include"/*.h "$include"/*/*.h; do
	printf '#include <heddle/%s>\nint main(void) { return 0; }\n' "${f#"$include"/}" >one.c
	${CC:-cc} -std=c11 -Wall -Wextra -Wpedantic -Werror -I"$src/include" -fsyntax-only one.c ||
		fail "$f cannot be included alone"
done
# in_cpp OPTION...: compiles the program there
in_cpp()
{
	! command -v "${CXX:-c++}" >/dev/null || ${CXX:-c++} -Wall -Werror "$@" -I"$src/include" -fsyntax-only one.cpp
}
for f in "$include"/*.h "$include"/*/*.h; do
	printf '#include <heddle/%s>\nint main() { return 0; }\n' "${f#"$include"/}" >one.cpp
	case ${f#"$include"/} in */*) extra=-Wno-extra ;; *) extra=-Wextra ;; esac
	in_cpp "$extra" || fail "$f cannot be included from C++"
done
cat >one.cpp <<'END'
#include <heddle/module.h>
struct state { struct hd_pool *pool; uint32_t inside; uint64_t done; };
void all(struct hd_ctx *ctx, state *st, hd_checkpoint *k)
{
	hd_emit(ctx, 0, st->inside, 2);
	HD_SAVED(k, st->done);
	HD_SAVED_FROM(k, st, inside, done);
	hd_mark(ctx, st->pool, 1, 0, 0);
}
END
in_cpp -Wextra || fail "the macros of the contract cannot be used in C++"

# ---- modules move payloads through the functions of channel.h ----
modules=$(find "$src/modules" "$src/examples" "$src/tools/cli/skeletons" -name '*.[ch]' | sort)
# shellcheck disable=SC2086
grep -nE '(->|\.)ch\b|HD_CHAN_|struct hd_chan\b' $modules &&
	fail "a module reaches behind the functions of channel.h"

# ---- and change shared state through the functions of warps.h ----
fields=$(sed -n '/^struct hd_warps {/,/^}/s/^\t[a-z_][a-z_0-9 ]*[ *]\([a-z_, ]*\)[;[].*/\1/p' \
	"$include/gpu/warps.h" | tr -d ' ' | tr ',\n' '||' | sed 's/|$//')
case $fields in *'|retired|exited|'*'|in_pipeline|'*) ;; *) fail "fields of struct hd_warps: $fields" ;; esac
# shellcheck disable=SC2046,SC2086
grep -nE "\\b(w|warps)->($fields)(\\[[^]]*\\])* *([-+|&^]?=[^=]|\\+\\+|--)|(\\+\\+|--)[a-z_>-]*\\b(w|warps)->($fields)\\b" \
	$(grep -lE '<heddle/gpu/(warps|scoreboard|sync)\.h>' $modules | grep -v '/warps\.c$') &&
	fail "a module writes a field of struct hd_warps itself"

# ---- a failing run does not end the process ----
grep -nE '(^|[^_])\bexit\(' "$src"/kernel/*.[ch] "$src"/modules/*.c "$src"/modules/*/*.[ch] &&
	fail "a source that runs in a simulation exits"
done_testing
