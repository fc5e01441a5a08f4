#!/bin/sh
# site.sh - the documentation as a site: every link leads to a page or an anchor, nothing is fetched, the search finds
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"
needs python3
$python -c 'import mkdocs' 2>err || { echo 'SKIP: there is no mkdocs'; exit 77; }
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE
expect 0 '' $python "$src/docs/site/stage.py" "$src" "$heddle" work site
$python "$src/tests/program/site_links.py" site >out 2>&1 || { fail 'links:'; cat out; }
for page in index.html docs/python.html modules/scheduler_gto.html; do
	test -f "site/$page" || fail "no page $page"
done
for part in Start Guides Reference 'How it works'; do
	grep -q "<summary>$part</summary>" site/docs/netlist.html || fail "no part $part"
done
grep -rl '```' site --include='*.html' >out && { fail 'blocks of code that are not shown as such:'; cat out; }

browser=$(command -v chromium || command -v chromium-browser)
if test -z "$browser"; then
	echo 'the search is not tried: there is no chromium'
	done_testing
fi
# finds QUERY TITLE: the page shows a link with that title
finds()
{
	timeout 120 "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$tmp/profile" --virtual-time-budget=3000 \
		--dump-dom "file://$tmp/site/docs/sm.html?q=$1" >page 2>err
	tr -d '\n' <page | grep -o '<section id="found".*</section>' | grep -q ">$2</a>" || fail "the search for '$1' lacks '$2'"
}
finds bank+conflict 'shared_banks'
finds --set 'Paths, and --set'
finds scheduler_gto 'scheduler_gto'
finds nothing_is_named_so.* 'scheduler_gto' >out
grep -q lacks out && failures=$((failures - 1)) || fail 'the search finds what is not there'
done_testing
