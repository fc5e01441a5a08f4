#!/bin/sh
# site.sh - the documentation as a site: every link leads to a page or an anchor, nothing is fetched, the search finds
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"
needs python3
command -v mkdocs >/dev/null || $python -c 'import mkdocs' 2>err || { echo 'SKIP: there is no mkdocs'; exit 77; }
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE
expect 0 '' $python "$src/docs/site/stage.py" "$src" "$heddle" work site
$python "$src/tests/program/site_links.py" site >out 2>&1 || { fail 'links:'; cat out; }
for page in index.html docs/python.html modules/scheduler_gto.html; do
	test -f "site/$page" || fail "no page $page"
done
(cd "$src" && echo docs/*.md | tr ' ' '\n') | while read -r page; do
	grep -q ": $page\$" "$src/docs/site/mkdocs.yml" || echo "$page"
done >left_out
test ! -s left_out || fail "pages without a place in the navigation: $(xargs <left_out)"
for part in Start Guides Reference 'How it works'; do
	grep -q "<summary>$part</summary>" site/docs/netlist.html || fail "no part $part"
done
grep -rl '```' site --include='*.html' >out && { fail 'blocks of code that are not shown as such:'; cat out; }

browser=$(command -v chromium || command -v chromium-browser)
if test -z "$browser"; then
	echo 'the search is not tried: there is no chromium'
	done_testing
fi
# ---- colours follow the reader's system ----
cat >site/colour.html <<'END'
<html><head><link rel="stylesheet" href="site.css"></head><body><p id="found"></p>
<script>document.getElementById("found").textContent = getComputedStyle(document.body).backgroundColor</script></body></html>
END
for dark in 0 1; do
	timeout 120 "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$tmp/profile" --blink-settings=preferredColorScheme=$dark \
		--dump-dom "file://$tmp/site/colour.html" >page 2>err
	sed -n 's/.*<p id="found">\(.*\)<\/p>.*/\1/p' page >colour$dark
done
test "$(cat colour1)" = 'rgb(255, 255, 255)' || fail "a page that is not white: $(cat colour1)"
test "$(tr -dc '0-9 ' <colour0 | awk 'NF == 3 { print ($1 + $2 + $3 < 200) }')" = 1 || fail "a page that is not dark: $(cat colour0)"
# has QUERY TITLE: the page shows a link with that title
has()
{
	timeout 120 "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$tmp/profile" --virtual-time-budget=3000 \
		--dump-dom "file://$tmp/site/docs/sm.html?q=$1" >page 2>err
	tr -d '\n' <page | grep -o '<section id="found".*</section>' | grep -q ">$2</a>"
}
finds() { has "$@" || fail "the search for '$1' lacks '$2'"; }
finds bank+conflict 'shared_banks'
finds --set 'Paths, and --set'
finds scheduler_gto 'scheduler_gto'
has nothing_is_named_so.* 'scheduler_gto' && fail 'the search finds what is not there'
done_testing
