#!/bin/sh
# words.sh - sources, messages and pages use the words of the field, and are spelt right
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"
needs python3

words=$src/tests/tree/words.py
python3 "$words" "$src" >found || { fail "words that are not used here:"; cat found; }

grep -nE "^[*][*] |^[*]{3}[^*]+[*]{2}[^*]" "$src"/*.md "$src"/*/*.md "$src/NEWS" &&
	fail "a list or emphasis with an asterisk too many"

# ---- it sees what it is for ----
mkdir -p tree/kernel
cat >tree/kernel/a.c <<'END'
/* a.c - what is wrong */
/* What nobody needs; it is
 * no link, and what was said
 * gets rid of all. There is no
 * link, and it is no longer one. It wants
 * whoever asks, is told all, anew. */
int hd_error(const char *where, const char *fmt, ...) HD_PRINTF(2, 3);
hd_error(f("(", ')'), "Expected a "
	"link.\n", 1);
hd_error(w, "EXIT is not a link", "Not this.");
argp_error(state, "'%s' is too much", arg);
struct hd_param p = { .doc = "The number of links" };
fprintf(stderr, "heddle: error: No link\n");
/* as read(), for writers. */
/* and so on, */
END
printf '%0126d\n' 0 >>tree/kernel/a.c
echo '/* c.c - another */' >tree/kernel/b.c
cat >expected <<'END'
kernel/a.c:2: 'is no link': expected "X is not a Y"
kernel/a.c:2: 'nobody': expected the subject by its name: all processes, no process, an instance
kernel/a.c:3: 'said': expected recorded, logged, named, printed
kernel/a.c:4: 'gets rid of': expected what it does: drops, removes, sends on
kernel/a.c:5: 'wants': expected what it does or has: needs, has, reads, is notified of
kernel/a.c:6: 'anew': expected simpler words: more simply, again
kernel/a.c:6: 'is told': expected what it does or has: needs, has, reads, is notified of
kernel/a.c:6: 'whoever': expected the subject by its name: all processes, no process, an instance
kernel/a.c:8: a message begins with an upper-case word: "Expected a link."
kernel/a.c:8: a message ends with a full stop: "Expected a link."
kernel/a.c:11: a message has 'is too much': expected "unexpected argument 'x'"
kernel/a.c:12: a message begins with an upper-case word: "The number of links"
kernel/a.c:13: a message begins with an upper-case word: "No link"
kernel/a.c:14: a comment goes on from another, 'as read(': expected a sentence with its subject
kernel/a.c:15: a comment goes on from another, 'and ': expected a sentence with its subject
kernel/a.c:16: 126 columns; expected at most 120
kernel/b.c:1: expected a first line '/* b.c - what it is'
17 places in 2 files
END
python3 "$words" tree >out && fail "no exit status for words that are not used"
cmp -s out expected || { fail "words.py:"; diff expected out; }

# ---- sentences of the pages ----
python3 "$src/tests/tree/sentences.py" "$src" >out || { fail 'sentences:'; cat out; }
pages=tree/docs
mkdir $pages
{ printf '%031d' 0 | sed 's/0/word /g'; echo '.'; } >$pages/a.md
printf '# Head\n\nA sentence that has exactly twelve words or more, and stands in two pages.\n' | tee $pages/b.md >$pages/c.md
echo 'This is short.' | tee tree/README.md >tree/CONTRIBUTING.md
python3 "$src/tests/tree/sentences.py" tree >out && fail 'no exit status for long sentences'
test "$(grep -c '/a.md: 31.0 words a sentence\|/c.md: stands in .*/b.md, too' out)" = 2 || { fail 'sentences.py:'; cat out; }

# ---- spelling; names in the source, and slips that tests are about ----
if ! command -v codespell >/dev/null; then
	echo "no codespell: spelling is not checked"
	done_testing
fi
cd "$src" || exit 99
codespell --ignore-words-list=statics,nd,bu,laod,cahce,widht,isue,mape \
	--skip='*.xz,*.traceg,*.png,*.svg,*.csv,tests/fuzz/corpus,tests/invalid,tests/netlist/cases' \
	README.md NEWS CONTRIBUTING.md quickstart .ci docs examples include kernel modules netlists tests tools \
	traces >"$tmp/spelling" 2>&1 || { fail "spelling:"; cat "$tmp/spelling"; }
done_testing
