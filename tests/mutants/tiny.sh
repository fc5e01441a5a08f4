#!/bin/sh
# tiny.sh - mutants.py on a tree of two files: what is killed, what is the same code, what survives
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"
needs python3

mkdir tree
cat >tree/limit.c <<'C'
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
cat >tree/main.c <<'C'
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
printf '#!/bin/sh\nsed "s|@|$(dirname "$0")|" "$(dirname "$0")/Makefile.in" >Makefile\n' >tree/configure
chmod +x tree/configure
cat >tree/Makefile.in <<'MAKE'
all check: limit
limit.o: @/limit.c
	cc -O1 -c -o limit.o @/limit.c
limit: limit.o @/main.c
	cc -O1 -o limit limit.o @/main.c
check-TESTS:
	./$(TESTS)
MAKE
mutants()
{
	try $python "$src/tests/mutants/mutants.py" --source tree limit.c 100 limit
}

# `>=` in the first function calls same() once more, which no test can see; in the second - 0 is
# the same code, and + 1 is not; without the assignment the limit is not kept
cp -R tree before
mutants
printf '%s\n' 'survived: limit.c:6' '  - if (n > most)' '  + if (n >= most)' '2 killed, 1 survived, 1 same code' >expected
test "$status" -eq 1 && cmp -s expected out || { fail "exit status $status"; cat out err; }
diff -r before tree || fail 'the tree was changed'
# a test that sees the difference kills it
sed -e 's/return n;/return n + 2;/' -e 's/limit(6, 5) == 5/limit(5, 5) == 5 \&\& limit(6, 5) == 7/' before/main.c >tree/main.c
mutants
echo '3 killed, 0 survived, 1 same code' >expected
test "$status" -eq 0 && cmp -s expected out || { fail "exit status $status"; cat out err; }
# a test that fails without a change kills nothing
sed 's/return !/return /' before/main.c >tree/main.c
mutants
grep -q 'a test fails without a change' err && test "$status" -eq 1 || fail 'a test that always fails was good enough'
done_testing
