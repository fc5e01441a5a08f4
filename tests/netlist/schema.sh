#!/bin/sh
# schema.sh - heddle schema: netlists are valid, other files are not, plug-ins are in it
# SPDX-License-Identifier: BSD-2-Clause
#
# Needs a validator: Debian's package python3-jsonschema.
. "${srcdir:-.}/tests/lib.sh"

expect 0 '' "$heddle" schema -o schema.json
expect 0 '' "$heddle" schema
cmp out schema.json || fail "-o writes something else"
expect 1 '/nowhere/s: No such file' "$heddle" schema -o /nowhere/s
expect 2 'unexpected argument' "$heddle" schema x

# ---- plug-ins are in it ----
plug_in "$src/examples/divider.c" divider.so
expect 0 '"wide_steps"' "$heddle" schema --plugin divider.so
expect 0 '"wide_steps"' env HEDDLE_MODULE_PATH=. "$heddle" schema
expect 2 "plug-in 'none.so' cannot be loaded" "$heddle" schema --plugin none.so

# ---- a real validator ----
if ! $python -c 'import jsonschema' 2>/dev/null; then
	echo "SKIP: no validator of JSON Schema; apt-get install python3-jsonschema"
	test "$failures" -eq 0 && exit 77
	done_testing
fi
mkdir wrong
$python -W ignore "$src/tests/netlist/schema_check.py" schema.json wrong \
	"$src/netlists/tutorial.json" "$src"/netlists/*.json || fail "the schema"

for f in divider scheduler_youngest memory_banks; do
	plug_in "$src/examples/$f.c" "$f.so"
done
expect 0 '' env HEDDLE_MODULE_PATH=. "$heddle" schema -o example_schema.json
$python -W ignore "$src/tests/netlist/schema_check.py" example_schema.json wrong \
	"$src/netlists/tutorial.json" "$src/examples/core.json" || fail "the schema with plug-ins"

# ---- what the schema refuses, the program refuses: the schema is never stricter ----
for f in wrong/*.json; do
	try "$heddle" check "$f"
	test "$status" -eq 2 || fail "heddle check takes $f, the schema does not"
done
# ---- a netlist may name its schema ----
sed 's/^  "heddle": 1,/  "$schema": "schema.json", &/' "$src/netlists/tutorial.json" >named.json
grep -q schema.json named.json || fail "no schema named"
expect 0 'no mistakes' "$heddle" check named.json
done_testing
