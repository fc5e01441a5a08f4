#!/bin/sh
# tiny.sh - mutants.py on a tree of two files: what is killed, what is equivalent, what survives
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"
needs python3

mkdir tree tree/src
cat >tree/src/limit.c <<'C'
int same(int);

/* A number, at most that. */
int limit(int n, int most)
{
	if (n > most)
		n = same(most);
	return n;
}

int as_it_is(int n)
{
	return n + 0;
}
C
cat >tree/src/main.c <<'C'
int limit(int, int), as_it_is(int);

int same(int n)
{
	return n;
}

int main(void)
{
	return !(limit(3, 5) == 3 && limit(6, 5) == 5 && as_it_is(2) == 2);
}
C
cat >tree/plan.json <<'JSON'
{
	"build": [
		"mkdir -p src; $CC -O1 -c -o src/limit.o ../src/src/limit.c && $CC -O1 -c -o src/main.o ../src/src/main.c",
		"$CC -o check src/limit.o src/main.o"
	],
	"silent": "printf",
	"groups": { "all": { "files": ["src/limit.c"], "tests": { "": ["check"] } } }
}
JSON
mutants()
{
	try python3 "$src/tests/mutants/mutants.py" --plan tree/plan.json "$@" tree all 100
}

# score STATUS TEXT: of the last call
score()
{
	test "$status" -eq "$1" || { fail "exit status $status, expected $1"; cat out err; }
	grep -F "$2" out >/dev/null || { fail "expected '$2', got:"; cat out err; }
}

mutants --list
test "$(grep -c '^tree\|^src/limit.c' out)" -eq 4 || { fail 'other changes than four:'; cat out; }

# `>=` in the first function calls same() once more, which no test can see; in the second - 0 is
# the same code, and + 1 is not; without the assignment the limit is not kept
cp -R tree before
mutants --log log
score 1 'all: 3 mutants of 4, 2 killed (66.7 %), 0 equivalent, 1 unexplained; not counted: 1'
grep -A2 '^survived: src/limit.c:6 limit$' out | tail -2 >change
printf '  - if (n > most)\n  + if (n >= most)\n' | cmp -s - change || { fail 'another survivor'; cat out; }
diff -r before tree || fail 'the tree was changed'

# with a reason it is explained; what is in the log is not played again
printf 'src/limit.c limit\n- if (n > most)\n+ if (n >= most)\nthe limit of itself is itself\n' >tree/equivalent.txt
cp log first
mutants --log log
score 0 'all: 3 mutants of 4, 2 killed (66.7 %), 1 equivalent, 0 unexplained; not counted: 1'
cmp -s log first || fail 'mutants of the log were played again'
mutants --log log --again
test "$(wc -l <log)" -eq 5 || { fail 'not the survivor alone was played again'; cat log; }

# a test that sees the difference kills it, and the entry of a line that was edited is reported
sed -e 's/return n;/return n + 2;/' -e 's/limit(6, 5) == 5/limit(5, 5) == 5 \&\& limit(6, 5) == 7/' \
	before/src/main.c >tree/src/main.c
mutants
score 0 'all: 3 mutants of 4, 3 killed (100.0 %), 0 equivalent, 0 unexplained; not counted: 1'
sed 's/n > most/n > most + 0/' before/src/limit.c >tree/src/limit.c
mutants
score 1 'equivalent.txt: no such line or change: src/limit.c|limit|1|if (n > most)|if (n >= most)'

# a test that fails without a change kills nothing
sed 's/return !/return /' before/src/main.c >tree/src/main.c
mutants
test "$status" -ne 0 || fail 'a test that always fails was good enough'
grep -F 'left out, for without a change it failed: check' out >/dev/null || { fail 'not left out'; cat out err; }

# a program that is run by another, which looks for it where it stands itself
mkdir beside
cat >beside/part.c <<'C'
int part(void)
{
	return 0;
}
C
echo 'int part(void); int main(void) { return part(); }' >beside/worker.c
cat >beside/starter.c <<'C'
#include <libgen.h>
#include <stdio.h>
#include <unistd.h>

int main(void)
{
	char self[4096] = "", path[5000];

	if (readlink("/proc/self/exe", self, sizeof self - 1) < 0)
		return 1;
	snprintf(path, sizeof path, "%s/worker", dirname(self));
	execl(path, path, (char *)0);
	return 1;
}
C
echo 'exec ./starter' >beside/run.sh
cat >beside/plan.json <<'JSON'
{
	"build": [
		"for f in part worker starter; do $CC -O1 -D_GNU_SOURCE -c -o $f.o ../src/$f.c; done",
		"$CC -o starter starter.o && $CC -o worker worker.o part.o"
	],
	"silent": "printf",
	"groups": { "all": { "files": ["part.c"], "tests": { "": ["sh run.sh"] } } }
}
JSON
try python3 "$src/tests/mutants/mutants.py" --plan beside/plan.json beside all 100
score 0 'all: 1 mutants of 1, 1 killed (100.0 %), 0 equivalent, 0 unexplained; not counted: 0'
done_testing
