#!/bin/sh
# @NAME@_test.sh - builds @NAME@ as a plug-in and runs it on bundled traces
# SPDX-License-Identifier: BSD-2-Clause
#
# Without an installed heddle: HEDDLE=.../heddle HEDDLE_CFLAGS=-I.../include TRACES=.../traces/samples
set -eu
cd "$(dirname "$0")"
heddle=${HEDDLE:-heddle}

# installed VARIABLE OPTION: what pkg-config prints for an installed heddle
installed()
{
	pkg-config "$2" heddle 2>/dev/null && return
	echo "$0: pkg-config finds no installed heddle; expected $1, see the head of this file" >&2
	return 2
}
command -v "$heddle" >/dev/null || { echo "$0: there is no program '$heddle'; expected HEDDLE, see the head of this file" >&2; exit 2; }
cflags=${HEDDLE_CFLAGS:-$(installed HEDDLE_CFLAGS --cflags)}
traces=${TRACES:-$(installed TRACES --variable=tracedir)}
test -d "$traces" || { echo "$0: '$traces' is not a folder of traces; expected TRACES, see the head of this file" >&2; exit 2; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
plugin=$tmp/@NAME@.so

# shellcheck disable=SC2086 # a list of words
${CC:-cc} -std=c11 -O2 -Wall -Wextra -fPIC -shared $cflags -o "$plugin" @NAME@.c
"$heddle" modules --plugin "$plugin" @NAME@ >/dev/null
"$heddle" check --plugin "$plugin" @NAME@.json

# run FILE OPTION...: writes the statistics of one run
run()
{
	file=$1
	shift
	"$heddle" run -q --plugin "$plugin" --stats "$tmp/$file" "$@" @NAME@.json \
		"$traces/$trace/kernelslist.g"
}

for trace in tiny vecadd gather hist; do
	run stats.json
	# room before a put, sizes, slots, records, wake-ups: docs/modules.md has a table of mistakes
	run other.json --check-modules
	cmp "$tmp/stats.json" "$tmp/other.json"
	# neither the order in which instances are evaluated nor sleep may show in the figures
	for seed in 1 2 3; do
		run other.json --shuffle $seed
		cmp "$tmp/stats.json" "$tmp/other.json"
	done
	run other.json --no-sleep
	cmp "$tmp/stats.json" "$tmp/other.json"
	# a run that goes on from a file: what 'checkpoint' leaves out shows in the figures
	run other.json --save-at 50 "$tmp/state"
	run other.json --load "$tmp/state"
	cmp "$tmp/stats.json" "$tmp/other.json"
done
echo "@NAME@: passed"
