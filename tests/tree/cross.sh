#!/bin/sh
# cross.sh - no file of the build is made by a program of the build, so that a cross build works
# SPDX-License-Identifier: BSD-2-Clause
#
# A rule that runs a program has to depend on it, as PROGRAM$(EXEEXT).  `make drawing`, `make site` and `make vscode` are not part of a build.
. "${srcdir:-.}/tests/lib.sh"

(cd "$src" && find . -name '*.am' ! -path './tests/*' ! -path './build*' -exec grep -Hn 'EXEEXT\|FOR_BUILD' {} +) |
	grep -v ':\(drawing\|site\|vscode\): heddle\$(EXEEXT)$' >runs
test ! -s runs || fail "a rule runs a program of the build: $(cat runs)"
done_testing
