#!/bin/sh
# links.sh - commands that write into a folder never leave it: each name there is a link once
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"

mkdir in
cp "$src/netlists/tutorial.json" in/core.json
cp -R "$src/traces/samples/tiny" in/tiny
chmod -R u+w in
cat >in/study.json <<'END'
{ "study": 1, "netlists": ["core.json"], "traces": ["tiny/kernelslist.g"], "set": { "ibuffer.entries": [2, 4] } }
END
printf 'kernel k block=32\n\tEXIT\n' >in/k.hasm
printf 'kernel k block=32\n\tEXIT\nkernel l block=32\n\tEXIT\n' >in/two.hasm
"$heddle" run -q in/core.json in/tiny/kernelslist.g --dump in/dump --stats in/stats.json || fail 'no run'
# Slurm's commands
mkdir bin
printf '#!/bin/sh\necho 7\n' >bin/sbatch
printf '#!/bin/sh\n' >bin/squeue
chmod +x bin/sbatch bin/squeue
PATH=$tmp/bin:$PATH

# prepare: files outside that no command may touch; seen: these as a text
prepare()
{
	rm -rf outside made
	mkdir outside
	for mine in mine.csv mine.json kernel-9.traceg; do echo "cycle,instance $mine" >outside/$mine; done
	cp -R whole made
}
seen()
{
	ls outside
	cat outside/*
}
tried=0
# attack COMMAND...: it makes the folder `made`.  Each name in it is then a link: to a file or folder, to nothing.
# Whether the command succeeds does not matter, but it ends, and nothing outside is changed.
attack()
{
	rm -rf made whole
	try "$@"
	test "$status" -eq 0 || { fail "$*: exit status $status"; cat err; return; }
	rm -rf whole
	mv made whole
	find whole -mindepth 1 | sed 's|^whole/||' | sort >names
	# what is there for a moment only
	case $* in
	*sweep*) printf '%s\n' tmp slurm lock slurm.json slurm.sh traces.cache results.sqlite results.sqlite-journal \
		netlists/core.json >>names ;;
	esac
	sort -u -o names names
	while read -r name; do
		to=mine.csv
		test ! -d "whole/$name" || to=.
		for to in $to new; do
			prepare
			seen >before
			rm -rf "made/$name"
			mkdir -p "$(dirname "made/$name")"
			ln -s "$tmp/outside/$to" "made/$name"
			timeout 60 "$@" >out.text 2>err </dev/null
			status=$?
			test $status -le 2 || { fail "$*: $name is a link to $to: exit status $status"; cat err; }
			seen | diff before - || fail "$*: $name is a link to $to, which was followed"
			tried=$((tried + 1))
		done
	done <names
}
attack "$heddle" sweep in/study.json -o made --quiet
cat >afresh <<END
find made/points -type f -delete 2>/dev/null
exec "$heddle" "\$@"
END
attack sh afresh sweep in/study.json -o made --quiet --points 1
attack "$heddle" sweep in/study.json -o made --quiet --slurm
attack "$heddle" dump in/dump --to csv -o made
attack "$heddle" trace assemble in/k.hasm -o made
attack "$heddle" new-module links -o made
echo "$tried links"
test $tried -ge 90 || fail "only $tried links"

# A fifo in such a folder is not waited for.
"$heddle" sweep in/study.json -o fifos --quiet || fail 'no sweep'
find fifos -type f | while read -r name; do
	rm -rf again
	cp -R fifos again
	rm "again/${name#fifos/}"
	mkfifo "again/${name#fifos/}"
	timeout 60 "$heddle" sweep in/study.json -o again --quiet >/dev/null 2>err || test $? -le 2 ||
		echo "$name: a fifo is waited for"
done >waits
mkdir in/own
cp "$src"/netlists/opcodes/*.json in/own
mkfifo in/own/more.json
sed 's/"ibuffer.entries": .*2, 4./"trace.opcodes": "in\/own"/' in/study.json >in/own.json
timeout 60 "$heddle" sweep in/own.json -o own --quiet || echo 'a fifo in a folder of opcodes is waited for' >>waits
test ! -s waits || { fail 'fifos in a folder of results'; cat waits; }

# The folder itself may be a link: that is the user's.
mkdir elsewhere
ln -s elsewhere here
expect 0 '' "$heddle" sweep in/study.json -o here --quiet
test -s elsewhere/results.sqlite || fail 'a folder that a link leads to is not used'

# A folder of outputs is of one dump: tables of an older one that the new one has not go, other files stay.
expect 0 '' "$heddle" dump in/dump --to csv -o tables
cp -R tables alone
mv tables/inst.csv tables/older.csv
echo 'a,b' >tables/mine.csv
echo text >tables/notes
expect 0 '' "$heddle" dump in/dump --to csv -o tables
test "$(cat tables/mine.csv tables/notes)" = 'a,b
text' || fail 'files of other programs are gone'
rm tables/mine.csv tables/notes
diff -r alone tables || fail 'tables of an older dump stay'
(cd alone && cp inst.csv older.csv && expect 0 '' "$heddle" dump ../in/dump --to csv -o . && test ! -e older.csv) ||
	fail 'the working directory keeps tables of an older dump'
expect 0 '' "$heddle" trace assemble in/two.hasm -o kernels
expect 0 '' "$heddle" trace assemble in/k.hasm -o kernels
expect 0 '' "$heddle" trace assemble in/k.hasm -o short
diff -r kernels short || fail 'kernels of an older trace stay'

# ---- two that begin in a new folder at once ----
for round in 1 2 3 4 5 6 7 8 9 10; do
	rm -rf both
	for point in 1 2; do
		"$heddle" sweep in/study.json -o both --points $point --quiet >printed.$point 2>&1 ||
			echo "status $?" >>printed.$point &
	done
	wait
	cat printed.1 printed.2 >printed
	test ! -s printed || { fail "two sweeps in one new folder, round $round"; cat printed; }
done
done_testing
