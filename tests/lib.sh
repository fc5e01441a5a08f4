# lib.sh - shared by the shell tests
# SPDX-License-Identifier: BSD-2-Clause
#
# Expects srcdir and top_builddir as set by `make check`.  Sets $src and $heddle to absolute names,
# changes to an empty folder $tmp, and defines the functions below.

src=$(cd "${srcdir:-.}" && pwd)
build=$(cd "${top_builddir:-.}" && pwd)
heddle=$build/heddle
failures=0
tmp=$(mktemp -d "${TMPDIR:-/tmp}/heddle-test.XXXXXX") || exit 99
# However a test ends, one with failures has neither passed nor been skipped; $tmp.failed has those of subshells as well.
at_exit() { :; }
trap 'status=$?; at_exit; cd / && chmod -R u+w "$tmp" && rm -rf "$tmp"
	test -e "$tmp.failed" || exit $status
	rm -f "$tmp.failed"
	case $status in 0 | 77) exit 1 ;; *) exit $status ;; esac' EXIT
trap 'exit 99' HUP INT TERM
cd "$tmp" || exit 99
unset HEDDLE_MODULE_PATH
HEDDLE_DATA_PATH=$src/netlists # rather than those that may be installed
LC_ALL=C
export HEDDLE_DATA_PATH LC_ALL

fail()
{
	echo "FAIL: $*"
	failures=$((failures + 1))
	: >"$tmp.failed"
}

# Runs a command with `out` and `err` as its output; $status is its exit status.
try()
{
	status=0
	"$@" >out 2>err || status=$?
}

# expect STATUS TEXT COMMAND...: the exit status is that, and TEXT is in stderr or stdout; without
# TEXT stderr is empty, but for the word that code of a later GPU gets: the bundled traces run on every core.
expect()
{
	want=$1
	text=$2
	shift 2
	try "$@"
	if test "$status" -ne "$want"; then
		fail "$*: exit status $status, expected $want"
		cat err
	fi
	if test -z "$text"; then
		test ! -s err || ! grep -v ' has code of binary version ' err >/dev/null || { fail "$*: printed:"; cat err; }
	elif ! cat err out | grep -F -e "$text" >/dev/null; then
		fail "$*: expected '$text', got:"
		cat err
	fi
}

# until_true COMMAND...: it succeeds, however slow the machine; after ten minutes that is a failure
until_true()
{
	tries=6000
	until "$@" >/dev/null 2>&1; do
		tries=$((tries - 1))
		test $tries -gt 0 || { fail "never: $*"; return 1; }
		sleep 0.1
	done
}

# needs PROGRAM...: without one of them the test is skipped
needs()
{
	for program; do
		command -v "$program" >/dev/null || { echo "SKIP: there is no $program"; exit 77; }
	done
}

# peaks N M COMMAND...: the memory that $peak measures of the command, with N and with M for @, in KiB in $least and $most
peaks()
{
	sizes="$1 $2" least=
	shift 2
	for n in $sizes; do
		command=
		for word; do
			command="$command '$(echo "$word" | sed "s|@|$n|g")'"
		done
		eval "\"\$peak\" run $command" >kib 2>err || return
		test -n "$least" && most=$(cat kib) || least=$(cat kib)
	done
}

# sample N: of the lines of standard input every Nth, from the first on; with HEDDLE_ALL all
sample()
{
	awk -v n="${HEDDLE_ALL:+1}" -v few="$1" '(NR - 1) % (n ? n : few) == 0'
}

# stats EXPRESSION FILE...: the value of a Python expression of statistics (stats.py); the interpreter of the system is
# asked, since one that a script chooses takes five times as long to start
python=/usr/bin/python3
test -x $python || python=python3
stats()
{
	$python -I -S "$src/tests/stats.py" "$@"
}

# figure FILE NAME: the first statistic of that name
figure()
{
	stats "first('$2')" "$1"
}

# any_order FILE ARGUMENT...: a run with statistics to FILE; they are the same awake, and in another order of evaluation
any_order()
{
	statistics=$1
	shift
	expect 0 '' "$heddle" run -q --stats "$statistics" "$@"
	for how in --no-sleep --shuffle=1 '--shuffle=2 --no-sleep'; do
		# shellcheck disable=SC2086 # several words
		expect 0 '' "$heddle" run -q $how --stats other.order "$@"
		cmp -s "$statistics" other.order || fail "$how: other statistics of $*"
	done
}

# plug_in SOURCE FILE [FLAG...]: compiles a module for the program
plug_in()
{
	plugged=$1 shared=$2
	shift 2
	${CC:-cc} -std=c11 -O1 -fPIC -shared "$@" -I"$src/include" -o "$shared" "$plugged" || fail "$plugged cannot be built"
}

done_testing()
{
	test "$failures" -eq 0 || { echo "$failures failures"; exit 1; }
	exit 0
}
