#!/bin/sh
# protocol.sh - heddle lsp with a client of other people's: the package vscode-languageserver-protocol of npm
# SPDX-License-Identifier: BSD-2-Clause
#
# NODE_PATH names the folder of the package: npm install --prefix FOLDER vscode-languageserver-protocol
. "${srcdir:-.}/tests/lib.sh"
needs node
node -e 'require("vscode-languageserver-protocol/node")' 2>err || {
	echo 'SKIP: node finds no vscode-languageserver-protocol; NODE_PATH may name the folder of packages'
	exit 77
}
cp "$src/netlists/volta_sm.json" .
expect 0 '' timeout 300 node "$src/tests/lsp/protocol.js" "$heddle" "$tmp/volta_sm.json"
done_testing
