#!/bin/sh
# made.sh - the netlists that the build has read are the same as read in a run
# SPDX-License-Identifier: BSD-2-Clause
#
# A file with one more newline is parsed, one with the bytes of the build is not (kernel/base/json_made.c).
. "${srcdir:-.}/tests/lib.sh"

for d in made parsed; do
	cp -r "$src/netlists" $d
	chmod -R u+w $d
done
for f in parsed/*.json parsed/*/*.json; do
	echo >>"$f"
done
n=0
for f in made/*.json made/ablations/*.json; do
	f=${f#made/}
	# Those that are parts of others have errors, with places.
	(cd made && "$heddle" flatten "$f") >made.out 2>&1
	(cd parsed && "$heddle" flatten "$f") >parsed.out 2>&1
	cmp -s made.out parsed.out || fail "$f is another netlist if it is parsed"
	n=$((n + 1))
done
test $n -ge 20 || fail "only $n netlists were compared"

# A change of as many bytes counts.
sed -i 's/"max_ctas": 32/"max_ctas": 16/' made/volta_sm.json
cmp -s made/volta_sm.json "$src/netlists/volta_sm.json" && fail 'volta_sm.json was not changed'
"$heddle" flatten made/volta_sm.json >changed.out
"$heddle" flatten "$src/netlists/volta_sm.json" >shipped.out
cmp -s changed.out shipped.out && fail 'the change is not used'
done_testing
