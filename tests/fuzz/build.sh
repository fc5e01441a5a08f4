#!/bin/bash
# build.sh - builds the fuzzers, called as OSS-Fuzz calls it
# SPDX-License-Identifier: BSD-2-Clause
#
# Environment: CC, CFLAGS and LIB_FUZZING_ENGINE as there, WORK a folder to build in, OUT where the fuzzers and
# their corpora go.  Without them: clang, the address and the undefined-behaviour sanitizer, whose findings
# end the fuzzer; a folder of its own in TMPDIR; `make fuzz` gives its own build folder.
set -eu
source=$(cd "$(dirname "$0")/../.." && pwd)
: "${CC:=clang}" "${LIB_FUZZING_ENGINE:=-fsanitize=fuzzer}"
: "${CFLAGS:=-O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined}"
: "${WORK:=$(mktemp -d)}" "${OUT:=$WORK}"
unset MAKEFLAGS MFLAGS MAKELEVEL

cd "$source"
test -x configure || autoreconf --install --force
mkdir -p "$WORK" "$OUT"
cd "$WORK"
test -f config.status || "$source/configure" --quiet --disable-shared CC="$CC" CFLAGS="$CFLAGS"
# libFuzzer has the main program, and is not to guess hashes
make -j"$(getconf _NPROCESSORS_ONLN)" --no-print-directory fuzzers LDFLAGS="$LIB_FUZZING_ENGINE" \
	CFLAGS="$CFLAGS -DHD_LIBFUZZER -DFUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION"
"$source/tests/fuzz/pack.sh" -x corpus
for folder in corpus/*; do
	name=fuzz_${folder##*/}
	cp "tests/fuzz/$name" "$OUT"
	! command -v zip >/dev/null || zip -jqr "$OUT/${name}_seed_corpus.zip" "$folder"
done
