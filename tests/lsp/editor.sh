#!/bin/sh
# editor.sh - heddle lsp: mistakes, completion, hover and definitions as an editor asks for them; damaged messages
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"
needs python3
expect 2 'unexpected argument' "$heddle" lsp netlist.json
mkdir work
(cd work && exec $python -W error::ResourceWarning "$src/tests/lsp/editor.py" "$heddle" "$src/netlists" -q) >out 2>&1 || { fail 'the server:'; cat out; }

# ---- the extension for VS Code has what it names ----
env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL ${MAKE:-make} -C "$build" vscode >make.log 2>&1 || { tail make.log; fail 'make vscode'; }
cat >extension.py <<'END'
import json, os, sys
folder = sys.argv[1]
package = json.load(open(os.path.join(folder, "package.json")))
for named in [package["main"], *(one["url"] for one in package["contributes"]["jsonValidation"])]:
    assert os.path.getsize(os.path.join(folder, named)) > 100, named
assert "instance" in json.load(open(os.path.join(folder, "netlist.schema.json")))["definitions"]
print(package["version"])
END
expect 0 "$("$heddle" --version | sed 's/heddle \([^ ]*\).*/\1/')" $python extension.py "$build/vscode"
done_testing
