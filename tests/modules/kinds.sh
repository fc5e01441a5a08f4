#!/bin/sh
# kinds.sh - issue_control: as many kinds of instructions as there may be classes, each of which needs something else
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"

(cd "$src/netlists" && "$heddle" flatten -o "$tmp/flat.json" a100_sm.json) || fail "flatten"

# core N: the first N classes are named, each by another pair of a link and a group of units
core()
{
	awk -v n="$1" '
		function name(i) { return i < known ? was[i] : "C" i }
		function list(from, step, end,  i, s) {
			for (i = from; i < n && i < end; i += step)
				s = s (s ? ", " : "") "\"" name(i) "\""
			return s
		}
		FNR != NR && /"issue\[\*\]\.out"/ {
			for (k = 0; k < 5; k++) {
				link = $0
				sub(/"classes": \[[^]]*\]/, "\"classes\": [" list(k, 5, n) "]", link)
				sub(/,? *$/, "", link)
				print link ","
			}
			next
		}
		FNR == NR {
			if (/"issue\[\*\]\.out"/) {
				sub(/.*"classes": \[/, ""); sub(/\].*/, ""); gsub(/"/, "")
				known = split($0, v, ", ")
				for (i = 0; i < known; i++)
					was[i] = v[i + 1]
			}
			next
		}
		{ print }
		END {
			for (q = 0; q * 5 < n; q++)
				groups = groups (q ? ", " : "") "{\"classes\": [" list(q * 5, 1, q * 5 + 5) "], \"interval\": 2}"
			print "issue.groups=[" groups "]" >"groups"
		}' flat.json flat.json >"core$1.json"
	"$heddle" run -q --stats="run$1" --set="$(cat groups)" "core$1.json" "$src/traces/samples/vecadd/kernelslist.g" 2>err \
		|| { fail "$1 classes"; cat err; }
	stats '{k: v for k, v in s.items() if k != "arrays"}' "run$1" >"stats$1" # arrays tell of the links
}

core 50
core 64
cmp stats50 stats64 || fail "statistics depend on classes that do not occur"
done_testing
