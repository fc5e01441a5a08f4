/* extension.js - starts heddle lsp for JSON files; those that are no netlists it leaves alone
 * SPDX-License-Identifier: BSD-2-Clause
 */
'use strict';
const vscode = require('vscode');
const { LanguageClient } = require('vscode-languageclient/node');

let client;

exports.activate = () => {
	const settings = vscode.workspace.getConfiguration('heddle');
	const command = settings.get('path', 'heddle');
	const args = ['lsp', ...settings.get('plugins', []).map(file => `--plugin=${file}`)];
	client = new LanguageClient('heddle', 'heddle', { command, args }, { documentSelector: [{ language: 'json' }, { language: 'jsonc' }] });
	return client.start();
};

exports.deactivate = () => client && client.stop();
