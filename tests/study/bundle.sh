#!/bin/sh
# bundle.sh - heddle bundle: what is packed repeats the study in an empty folder, byte for byte; what is missing is named
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"
needs tar xz cmp
HEDDLE_CFLAGS=-I$src/include
export HEDDLE_CFLAGS

# ---- a study with a netlist of its own, one of heddle's, a plug-in and its header, relative and absolute names ----
mkdir -p home/work/netlists home/real/traces home/plugins
ln -s real/traces home/traces
cp -r "$src/traces/samples/gather" "$src/traces/samples/hist" home/traces/
cp "$src/examples/fu_serial.c" home/plugins/
echo '/* here.h - nothing */' >home/plugins/here.h
sed -i '1,/^#include/s|^#include|#include "here.h"\n#include|' home/plugins/fu_serial.c
${CC:-cc} -O2 -fPIC -shared "$HEDDLE_CFLAGS" -o home/plugins/fu_serial.so home/plugins/fu_serial.c || fail 'the plug-in cannot be built'
cat >home/work/netlists/serial.json <<'END'
{ "heddle": 1, "name": "serial", "extends": "volta_sm.json", "remove": { "links": [{ "from": "sfu.bus" }] },
  "set": { "sfu.module": "fu_serial", "sfu.params": { "lanes": 4, "cycles": 2 } } }
END
mkdir home/work/tables
echo '{ "heddle_energy": 1, "name": "mine", "extends": "base.json", "volts": 0.9 }' >home/work/tables/mine.json
echo '{ "heddle_energy": 1, "events": [{ "module": "regfile", "pj": { "reads": { "RFP": 80 } } }] }' >home/work/tables/base.json
cat >home/work/study.json <<END
{ "study": 1, "name": "both", "energy": "tables/mine.json", "netlists": ["netlists/serial.json", "volta_sm.json"], "set": { "sub_cores": [2, 4] },
  "traces": ["../traces/gather/kernelslist.g", "$tmp/home/traces/h*/kernelslist.g"] }
END
echo '{}' >home/work/plan.json
sweep()
{
	"$heddle" sweep -q -p home/plugins/fu_serial.so -o results "$@" home/work/study.json
}
bundle()
{
	"$heddle" bundle -p home/plugins/fu_serial.so --with home/work/plan.json -o "$1" home/work/study.json --results results
}
expect 2 'expected --results FOLDER' "$heddle" bundle -o a.tar.xz home/work/study.json
expect 2 'expected --output' "$heddle" bundle home/work/study.json
expect 0 '' sweep --points 1-3
expect 2 '5 of 8 points have no result' bundle a.tar.xz
expect 0 '' sweep
expect 0 '' bundle a.tar.xz
expect 0 '' bundle b.tar.xz
cmp a.tar.xz b.tar.xz || fail 'two bundles of one study differ'

# ---- what is in it ----
expect 0 '' tar tJf a.tar.xz
sort out >names
for name in run.sh results.csv results/results.sqlite results/points.json XXH128SUMS; do
	grep -qx "$name" names || fail "there is no $name"
done
for name in work/study.json work/plan.json work/netlists/serial.json netlists/volta_sm.json netlists/sm.json work/tables/mine.json work/tables/base.json \
	real/traces/gather/kernelslist.g \
	real/traces/hist/kernelslist.g plugins/fu_serial.c plugins/here.h; do
	grep -q "^files/.*$name\$" names || fail "there is no file $name"
done
grep -E '\.so$|a100|/heddle$|^/|\.\.' names && fail 'files that are not needed'
sort -u names | cmp - names || fail 'names that stand twice'

# ---- as others do, in an empty folder: HEDDLE_DATA_PATH of this test and its files are gone ----
mkdir away other
mv home away/
tar xJf a.tar.xz -C other
cd other || exit 99
if command -v xxh128sum >/dev/null; then
	expect 0 '' xxh128sum --quiet -c XXH128SUMS
fi
try env -u HEDDLE_DATA_PATH HEDDLE="$heddle" ./run.sh
test "$status" -eq 0 || { fail 'run.sh:'; cat out err; }
grep -qx 'the results are the same, byte for byte' out || { fail 'run.sh:'; cat out err; }
cmp results/results.sqlite again/results.sqlite || fail "another database"

# ---- other results: of another table, of one point alone, of a damaged bundle ----
differs()
{
	expect 1 "$1" env -u HEDDLE_DATA_PATH PATH="$2$PATH" HEDDLE="$heddle" ./run.sh
	grep -q 'are the same' out && fail 'what differs is called the same'
}
mkdir no_sums # a program that finds nothing wrong, as where there is none
printf '#!/bin/sh\n' >no_sums/xxh128sum && chmod +x no_sums/xxh128sum
cp results.csv was
sed -i '2s/finished/Finished/' results.csv
differs 'results.csv again.csv differ' "$PWD/no_sums:"
cp was results.csv
point=$(find results/points -name '*.json' | sort | head -n 1)
cp "$point" was
sed -i '2,$s/"cycles": *[0-9]/&9/' "$point"
cmp -s "$point" was && fail 'a point without cycles'
differs 'points.sums again.sums differ' "$PWD/no_sums:"
! command -v xxh128sum >/dev/null || differs 'FAILED' ''
cd .. || exit 99

# ---- a table of energies that comes with heddle ----
cat >energy.json <<END
{ "study": 1, "netlists": ["volta_sm.json"], "energy": "accelwattch_volta_icache.json",
  "traces": ["$src/traces/samples/gather/kernelslist.g"] }
END
expect 0 '' "$heddle" sweep -q -o energy energy.json
expect 0 '' "$heddle" bundle -o energy.tar.xz energy.json --results energy
rm -rf other && mkdir other && tar xJf energy.tar.xz -C other
find other -name 'accelwattch_volta*.json' | grep -c . | grep -qx 2 || fail 'the table and what it extends'
expect 0 'byte for byte' env -u HEDDLE_DATA_PATH HEDDLE="$heddle" other/run.sh

# ---- what is missing is named, and nothing is written ----
mv away/home .
rm -f c.tar.xz
mv home/plugins/fu_serial.c .
expect 2 "no source of the plug-in 'home/plugins/fu_serial.so'" bundle c.tar.xz
expect 0 '' "$heddle" bundle -p home/plugins/fu_serial.so --source fu_serial.c -o d.tar.xz home/work/study.json --results results
expect 2 "'nowhere.c': it is not there" "$heddle" bundle -p home/plugins/fu_serial.so --source fu_serial.c --source nowhere.c -o c.tar.xz home/work/study.json --results results
mv fu_serial.c home/plugins/
expect 2 "no plug-in has the source 'home/plugins/here.h'" "$heddle" bundle -p home/plugins/fu_serial.so --source home/plugins/here.h -o c.tar.xz home/work/study.json --results results
test ! -c /dev/full || expect 1 'No space left' bundle /dev/full
expect 2 "'home/work/nothing'" "$heddle" bundle -p home/plugins/fu_serial.so --with home/work/nothing -o c.tar.xz home/work/study.json --results results
mv home/traces/gather home/traces/gone
expect 2 "gather" bundle c.tar.xz
ln -s gone home/traces/gather
expect 2 'a symbolic link of another name leads to' bundle c.tar.xz
rm home/traces/gather && mv home/traces/gone home/traces/gather
point=$(find results/points -name '*.json' | head -n 1)
mv "$point" .
expect 2 '1 of 8 points' bundle c.tar.xz
mv "${point##*/}" results/points/
mv results/results.sqlite .
expect 0 '' bundle e.tar.xz # it is made of the points
expect 2 'cannot read' "$heddle" bundle -o c.tar.xz nowhere.json --results results
expect 2 'nowhere' "$heddle" bundle -p home/plugins/fu_serial.so -o c.tar.xz home/work/study.json --results nowhere
expect 1 'nowhere' "$heddle" bundle -p home/plugins/fu_serial.so -o nowhere/c.tar.xz home/work/study.json --results results
test ! -e c.tar.xz || fail 'a bundle of what is missing'

# ---- an imported netlist: the files that it is made of, of a folder that is a link and of one by itself ----
mkdir -p imports/study
mkdir imports/core
cat "$src/tests/import/volta.config" "$src/tests/import/gpu.config" | grep -vE '^-(trace_|specialized_|network_mode)' >imports/core/gpgpusim.config
printf '%s\n' '-network_mode 1' '-inter_config_file router.icnt' >>imports/core/gpgpusim.config
grep -hE '^-(trace_|specialized_)' "$src/tests/import/volta.config" >imports/core/trace.config
cp "$src/tests/import/router.icnt" imports/core/
ln -s ../core imports/study/linked
cat >imports/study/study.json <<END
{ "study": 1, "traces": ["$src/traces/samples/hist/kernelslist.g"], "set": { "watchdog": [90000, 100000] },
  "netlists": [{ "import": "linked", "name": "whole" },
               { "import": ["../core/gpgpusim.config", "$tmp/imports/core/trace.config"], "one_sm": true, "name": "one" }] }
END
expect 0 '' "$heddle" sweep -q -o imported imports/study/study.json
expect 0 '' "$heddle" bundle -o imported.tar.xz imports/study/study.json --results imported
mkdir third
tar xJf imported.tar.xz -C third
mv imports away/
expect 0 'the results are the same' env -u HEDDLE_DATA_PATH HEDDLE="$heddle" third/run.sh
expect 2 'cannot read' "$heddle" bundle -o c.tar.xz away/imports/study/nothing.json --results imported
rm away/imports/core/trace.config
expect 2 "linked: there is no file 'trace.config'" "$heddle" bundle -o c.tar.xz away/imports/study/study.json --results imported
done_testing
