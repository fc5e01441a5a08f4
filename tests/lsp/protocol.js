/* protocol.js - heddle lsp with a client of the package vscode-languageserver-protocol: HEDDLE NETLIST
 * SPDX-License-Identifier: BSD-2-Clause
 */
'use strict';
const assert = require('assert');
const fs = require('fs');
const { spawn } = require('child_process');
const { pathToFileURL } = require('url');
const p = require('vscode-languageserver-protocol/node');

const [program, netlist] = process.argv.slice(2);
const server = spawn(program, ['lsp'], { stdio: ['pipe', 'pipe', 'inherit'] });
const client = p.createProtocolConnection(new p.StreamMessageReader(server.stdout), new p.StreamMessageWriter(server.stdin));
const uri = pathToFileURL(netlist).href;
let version = 0;

/* The next list of mistakes. */
function mistakes() {
	return new Promise(resolve => {
		const waiting = client.onNotification(p.PublishDiagnosticsNotification.type, shown => {
			waiting.dispose();
			resolve(shown.diagnostics);
		});
	});
}

async function change(text) {
	const shown = mistakes();
	if (version === 0)
		await client.sendNotification(p.DidOpenTextDocumentNotification.type, { textDocument: { uri, languageId: 'json', version: ++version, text } });
	else
		await client.sendNotification(p.DidChangeTextDocumentNotification.type, { textDocument: { uri, version: ++version }, contentChanges: [{ text }] });
	return shown;
}

/* The request at the sign | of the text. */
async function at(type, text) {
	const before = text.slice(0, text.indexOf('|')).split('\n');
	await change(text.replace('|', ''));
	return client.sendRequest(type, { textDocument: { uri }, position: { line: before.length - 1, character: before[before.length - 1].length } });
}

async function main() {
	const text = fs.readFileSync(netlist, 'utf8');
	client.listen();
	const { capabilities } = await client.sendRequest(p.InitializeRequest.type, { processId: process.pid, rootUri: null, capabilities: {} });
	assert(capabilities.completionProvider && capabilities.hoverProvider && capabilities.definitionProvider);
	assert.strictEqual(capabilities.textDocumentSync.change, p.TextDocumentSyncKind.Full);
	await client.sendNotification(p.InitializedNotification.type, {});

	assert.deepStrictEqual(await change(text), []);
	const wrong = await change(text.replace('"memory_perfect"', '"memory_perfekt"'));
	assert.strictEqual(wrong.length, 1);
	assert.strictEqual(wrong[0].severity, p.DiagnosticSeverity.Error);
	assert(/did you mean 'memory_perfect'/.test(wrong[0].message), wrong[0].message);

	const items = await at(p.CompletionRequest.type, text.replace('"memory_perfect"', '"mem|"'));
	const item = items.find(i => i.label === 'memory_fixed');
	assert(item && p.TextEdit.is(item.textEdit) && item.textEdit.newText === 'memory_fixed', JSON.stringify(item));
	const hover = await at(p.HoverRequest.type, text.replace('"max_ctas"', '"max_|ctas"'));
	assert(p.Hover.is(hover) && /integer/.test(hover.contents.value), JSON.stringify(hover));
	const place = await at(p.DefinitionRequest.type, text.replace('"load_store.request"', '"load_|store.request"'));
	assert(p.Location.is(place) && /\/sm\.json$/.test(place.uri), JSON.stringify(place));
	await assert.rejects(client.sendRequest('heddle/nothing', {}), error => error.code === p.ErrorCodes.MethodNotFound);

	await client.sendRequest(p.ShutdownRequest.type);
	const ended = new Promise(resolve => server.on('exit', resolve));
	await client.sendNotification(p.ExitNotification.type);
	assert.strictEqual(await ended, 0);
	client.dispose();
}

main().catch(error => {
	console.error(error);
	server.kill();
	process.exit(1);
});
