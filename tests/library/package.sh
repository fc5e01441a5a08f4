#!/bin/sh
# package.sh - the Python package before it is installed, with each Python from 3.9 on that is here; its types, notebooks
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"
needs python3
! grep -q enable-sanitizers "$build/config.log" || { echo 'SKIP: the interpreter has no sanitizers'; exit 77; }
unset LIBHEDDLE HEDDLE LD_LIBRARY_PATH
if ! test "$build" -ef "$src/build"; then # the package finds a build of that name only
	LIBHEDDLE=$build/.libs/libheddle.so.0 HEDDLE=$heddle
	export LIBHEDDLE HEDDLE
fi
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE

tested=" "
for p in $python python3 python3.9 python3.10 python3.11 python3.12 python3.13; do
	version=$($p -c 'import sys; print("%d.%d" % sys.version_info[:2] if sys.version_info >= (3, 9) else "")' 2>err) || continue
	case $tested in *" $version "*) continue ;; esac
	tested="$tested$version "
	rm -rf "$tmp/here"
	mkdir "$tmp/here"
	(cd "$tmp/here" && exec $p -W error::ResourceWarning "$src/tests/library/package.py" "$src" "$build" -q) >out 2>&1 ||
		{ fail "Python $version:"; cat out; }
done
echo "Python:$tested"
test "$tested" != ' ' || { echo 'SKIP: there is no Python 3.9 or later'; exit 77; }

# ---- notebooks, as a person runs them ----
if $python -c 'import ipykernel, nbconvert' 2>err; then
	mkdir notebooks
	cp "$src/examples/notebooks/"*.ipynb notebooks # they run in their folder
	for n in compose program search; do
		(cd notebooks && PYTHONPATH=$src/python${PYTHONPATH:+:$PYTHONPATH} LIBHEDDLE=$build/.libs/libheddle.so.0 HEDDLE=$heddle \
			$python -m nbconvert --to notebook --execute --inplace $n.ipynb) >out 2>&1 ||
			{ fail "$n.ipynb:"; cat out; }
		grep -q '"image/svg+xml"\|"text/html"' notebooks/$n.ipynb || fail "$n.ipynb shows nothing"
	done
else
	echo 'no notebooks are run: there is no nbconvert with ipykernel'
fi

if $python -c 'import mypy' 2>err; then
	cp -r "$src/python" package
	(cd package && $python -m mypy heddle) >out 2>&1 || { fail 'types:'; cat out; }
fi
done_testing
