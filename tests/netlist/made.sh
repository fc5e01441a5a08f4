#!/bin/sh
# made.sh - the netlists that the build has read are the same as read in a run
# SPDX-License-Identifier: BSD-2-Clause
#
# A file with one more newline is read, one with the bytes of the build is not (kernel/netlist/made.c).
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

# Messages have the places of the text.
for d in made parsed; do
	(cd $d && "$heddle" run pascal_sm.json volta_sm.json) >$d.out 2>&1
done
cmp -s made.out parsed.out || fail 'a message is another one if the netlist is parsed'
grep -q '^volta_sm.json:[0-9]*:[0-9]*: error: .* (extended by pascal_sm.json)$' made.out || fail "no place: $(cat made.out)"

# A netlist that is extended may be another one than that of the build.
cp made/pascal_sm.json parsed/pascal_sm.json
for d in made parsed; do
	sed -i 's/"max_ctas": 32/"max_ctas": 16/' $d/volta_sm.json
	(cd $d && "$heddle" flatten pascal_sm.json) >$d.out 2>&1
done
cmp -s made.out parsed.out || fail 'pascal_sm.json is another netlist if what it extends is parsed'
cp "$src/netlists/volta_sm.json" made

# A change of as many bytes counts.
sed -i 's/"max_ctas": 32/"max_ctas": 16/' made/volta_sm.json
cmp -s made/volta_sm.json "$src/netlists/volta_sm.json" && fail 'volta_sm.json was not changed'
"$heddle" flatten made/volta_sm.json >changed.out
"$heddle" flatten "$src/netlists/volta_sm.json" >shipped.out
cmp -s changed.out shipped.out && fail 'the change is not used'
done_testing
