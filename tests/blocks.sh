# blocks.sh - runs the commands of a page; after lib.sh
# SPDX-License-Identifier: BSD-2-Clause
#
# A block of ```sh is run; if a block of ```text follows directly, that is its output, in
# which a line "..." stands for any lines.  A block without one must succeed.

# blocks_of PAGE...: the blocks as files in the folder blocks/
blocks_of()
{
	mkdir -p blocks
	awk '
		/^```sh$/ { n++; into = sprintf("blocks/%03d.sh", n); printf "" >into; last = n; next }
		/^```text$/ && last { into = sprintf("blocks/%03d.text", last); printf "" >into; last = 0; next }
		/^```$/ { into = ""; next }
		into { print >into; next }
		/./ { last = 0 }
	' "$@"
	ls blocks/*.sh >/dev/null || fail "no commands in $*"
}

# matches EXPECTED OUTPUT: "..." stands for any lines; how far a sweep has come is printed on slow
# machines only
matches()
{
	awk 'NR == FNR { want[++n] = $0; next }
		/^heddle: [0-9]+ of [0-9]+ points/ { next }
		{ got[++m] = $0 }
		function fits(i, j,    k) {
			if (i > n) return j > m
			if (want[i] == "...") {
				for (k = j; k <= m + 1; k++) if (fits(i + 1, k)) return 1
				return 0
			}
			return j <= m && want[i] == got[j] && fits(i + 1, j + 1)
		}
		END { exit !fits(1, 1) }' "$1" "$2"
}

# run_blocks: the files of blocks_of, which are in the folder above
run_blocks()
{
	for b in ../blocks/*.sh; do
		status=0
		sh "$b" >../out 2>&1 || status=$?
		if test -f "${b%.sh}.text"; then
			matches "${b%.sh}.text" ../out || { fail "$(cat "$b")"; cat ../out; }
		elif test "$status" -ne 0; then
			fail "$(cat "$b")"
			cat ../out
		fi
	done
}
