/* monitor.js - the monitor's page: asks for news of the run, shows them, and passes on what is pressed
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * One request for news is under way at any time, and is answered when there are some.  A page that is not
 * visible asks for the run's pauses and its end only.
 */
'use strict';

const part = id => document.getElementById(id);
const RETRY = 1500; // ms
const page = { run: null, core: null, update: null, before: null, version: 0, chosen: null, ended: false, last: null };

/* ---- requests ---- */

async function ask(what) {
	const reply = await fetch('do', { method: 'POST', body: JSON.stringify(what), cache: 'no-store' });
	return reply.json();
}

/* Shows what became of it, if it was refused. */
async function act(what) {
	const note = part('answer');
	try {
		const o = await ask(what);
		note.textContent = o.ok ? '' : o.error;
		note.classList.toggle('wrong', !o.ok);
	} catch {
		note.textContent = 'there is no answer';
		note.classList.add('wrong');
	}
}

/* ---- showing ---- */

function showHead(update) {
	const state = part('state'), word = page.ended ? update.end ?? page.last.end : page.last.silent ? 'no answer' : update.state;
	state.textContent = word === 'left' ? 'monitor ended' : word;
	state.dataset.state = word;
	part('cycle').textContent = grouped(update.cycle);
	part('rate').textContent = grouped(update.rate / 1000) + ' kcycle/s';
	part('share').hidden = update.share === undefined;
	part('share').value = update.share ?? 0;
	part('left').textContent = update.left > 0 ? 'about ' + grouped(update.left) + ' s left' : '';
	document.title = word + ', cycle ' + grouped(update.cycle) + ' - heddle';
	const running = update.state === 'running', over = page.ended;
	part('pause').disabled = !running || over;
	part('resume').disabled = running || over;
	part('step').disabled = part('until').disabled = over;
	part('dump').disabled = over || update.recording === undefined;
	part('dump').setAttribute('aria-pressed', String(update.recording === true));
	part('dump').textContent = update.recording === undefined ? 'No dump' : update.recording ? 'Recording' : 'Record to the dump';
	part('dump').title = update.recording === undefined ? 'The run was not started with --dump' : 'Key d';
}

/* Payloads that were put into the buffer for each cycle since the update before. */
function rate(i) {
	const cycles = page.before ? page.update.cycle - page.before.cycle : 0;
	return cycles > 0 ? ((page.update.passed[i] - page.before.passed[i]) >>> 0) / cycles : 0;
}

function showBuffers() {
	const u = page.update;
	if (!u?.inside || !page.run.buffers) {
		part('buffers').replaceChildren(element('p', 'empty', page.run?.no_buffers ?? 'There is nothing to show.'));
		return;
	}
	part('buffers').replaceChildren(buffersTable(page.run.buffers, u, rate, part('filter').value.trim(), part('filled').checked));
}

function showNotice(state) {
	const parts = [];
	if (state.update.deadlock)
		parts.push(...deadlockNotice(state.update.deadlock, state.update.cycle));
	if (state.end === 'lost')
		parts.push(element('h2', '', 'The run is gone'), element('p', '', state.message ?? 'The connection was closed.'));
	else if (state.end === 'left')
		parts.push(element('h2', '', 'The monitor was ended'), element('p', '', 'The run goes on, or stays paused.'));
	else if (state.end && !state.update.deadlock)
		parts.push(element('h2', '', 'The run has ended: ' + state.update.end),
			element('p', '', 'This is its last state. Statistics are written.'));
	else if (state.silent)
		parts.push(element('p', '', 'The run does not answer. It may have been suspended.'));
	part('notice').hidden = parts.length === 0;
	if (part('notice').textContent !== parts.map(p => p.textContent).join(''))
		part('notice').replaceChildren(...parts);
}

function show(state) {
	const u = state.update;
	page.last = state;
	page.ended = state.end !== undefined;
	if (!page.update || u.cycle !== page.update.cycle) {
		page.before = page.update;
	}
	page.update = u;
	showHead(u);
	showNotice(state);
	if (u.deadlock?.circle.length > 0 && !part('each').disabled && !part('each').checked) {
		part('each').checked = true; // a circle is one of single instances
		drawCore();
	} else {
		showCore(u);
	}
	document.querySelector('.key.dead').hidden = !u.deadlock;
	part('waits').replaceChildren(waitsTable(u));
	part('use').replaceChildren(...useTables(u, page.before));
	part('figures').replaceChildren(figuresTable(u, page.run.hello.ratios));
	showBuffers();
	showChosen();
	document.documentElement.dataset.cycle = u.cycle;
	document.documentElement.dataset.ready = 'yes';
}

/* The picture, of arrays or of each instance, with the present state. */
function drawCore() {
	const given = part('each').checked ? page.run.each : page.run.picture;
	page.core = new Core(part('picture'), choose);
	page.core.draw(given.svg, given.error);
	if (page.run.buffers && page.core.svg)
		page.core.label(page.run.buffers);
	if (page.last)
		showCore(page.last.update);
}

function showCore(u) {
	if (u.inside && page.run.buffers)
		page.core.show(page.run.buffers, u, page.run.buffers.map((b, i) => b.from !== undefined && rate(i) > 0));
	if (u.deadlock)
		page.core.showDeadlock(u.deadlock);
	page.core.showChosen(page.chosen);
}

/* ---- one instance ---- */

let asking = false;

/* Counters of the elements of an array are added up; shares are not. */
function addedUp(instances) {
	const all = new Map();
	for (const counters of Object.values(instances))
		for (const [name, v] of Object.entries(counters))
			if (Number.isInteger(v))
				all.set(name, (all.get(name) ?? 0) + v);
	return all;
}

async function showChosen() {
	if (!page.chosen || asking || page.ended)
		return;
	const path = page.chosen, select = path.replace(/\[\d+\.\.\d+\]/g, '[*]'), cycle = page.update.cycle;
	asking = true;
	try {
		const [counters, pending] = await Promise.all([ask({ request: 'counters', select }), ask({ request: 'pending', select })]);
		if (path !== page.chosen)
			return;
		const now = addedUp(counters.instances ?? {}), old = page.counters?.path === path ? page.counters : null,
			cycles = old ? counters.cycle - old.cycle : 0, parts = [];
		parts.push(element('h3', '', 'Pending'), pending.pending?.length > 0
			? sentence(pending.pending.slice(0, 40).map(l => l.path + ': ' + l.text)) : element('p', 'empty', 'Nothing.'));
		parts.push(element('h3', '', 'Counters'), table(['', '#run', '#now, a cycle'], [...now].map(([name, v]) =>
			[name, grouped(v), cycles > 0 ? ((v - (old.now.get(name) ?? 0)) / cycles).toFixed(3) : '']), 'It has none.'));
		part('about').replaceChildren(...parts);
		if (!old || cycles > 0)
			page.counters = { path, now, cycle: counters.cycle };
	} catch {
		/* the next state shows that the run is gone */
	} finally {
		asking = false;
	}
	if (path !== page.chosen || cycle !== page.update.cycle)
		showChosen();
}

function choose(path) {
	page.chosen = path;
	part('chosen').textContent = path;
	part('hint').hidden = true;
	page.core.showChosen(path);
	showChosen();
}

/* ---- news ---- */

const sleep = ms => new Promise(done => setTimeout(done, ms));
let cut = null; // ends the request under way

function gone(text) {
	page.ended = true;
	if (page.update)
		showHead(page.update);
	part('state').textContent = 'gone';
	part('notice').replaceChildren(element('h2', '', 'There is no monitor at this address any more'), element('p', '', text));
	part('notice').hidden = false;
	document.documentElement.dataset.ready = 'yes';
}

async function follow() {
	for (let failed = 0; !page.ended;) {
		cut = new AbortController();
		try {
			const reply = await fetch('state?since=' + page.version + (document.hidden ? '&quiet=1' : ''),
				{ cache: 'no-store', signal: cut.signal });
			if (reply.status === 403)
				return gone('Another monitor has taken its place; its address has another token.');
			const state = await reply.json();
			failed = 0;
			if (!reply.ok)
				await sleep(RETRY);
			else if (state.version !== page.version) {
				page.version = state.version;
				show(state);
			}
		} catch (e) {
			if (e.name !== 'AbortError' && ++failed === 3)
				return gone('The run or its monitor has ended. What is shown is the last that arrived.');
			if (e.name !== 'AbortError')
				await sleep(RETRY);
		}
	}
}

/* ---- start ---- */

function step(cycles) {
	act({ request: 'step', cycles });
}

function runUntil() {
	const cycle = part('goal').valueAsNumber;
	if (cycle > 0)
		act({ request: 'until', cycle });
	else
		part('goal').focus();
}

function startControls() {
	const press = { p: 'pause', r: 'resume', s: 'step', d: 'dump' };
	part('pause').addEventListener('click', () => act({ request: 'pause' }));
	part('resume').addEventListener('click', () => act({ request: 'resume' }));
	part('step').addEventListener('click', () => step(Math.max(1, part('cycles').valueAsNumber || 1)));
	part('until').addEventListener('click', runUntil);
	part('dump').addEventListener('click', () => act({ request: 'dump', on: page.update.recording !== true }));
	for (const [field, button] of [['goal', 'until'], ['cycles', 'step']])
		part(field).addEventListener('keydown', e => {
			if (e.key === 'Enter')
				part(button).click();
		});
	part('filter').addEventListener('input', showBuffers);
	part('filled').addEventListener('change', showBuffers);
	document.addEventListener('keydown', e => {
		if (e.key === 'Escape')
			document.activeElement?.blur();
		if (e.ctrlKey || e.altKey || e.metaKey || e.target.matches('input'))
			return;
		if (press[e.key])
			part(press[e.key]).click();
		else if (e.key === 'S' && !page.ended)
			step(1000);
		else if (e.key === 'u') {
			e.preventDefault();
			part('goal').focus();
		}
	});
	document.addEventListener('visibilitychange', () => cut?.abort());
}

async function start() {
	startTheme();
	startControls();
	try {
		page.run = await (await fetch('run', { cache: 'no-store' })).json();
	} catch {
		return gone('It has ended.');
	}
	part('netlist').textContent = page.run.hello.netlist;
	part('input').textContent = page.run.hello.input;
	part('each').disabled = !page.run.each.svg;
	part('each').addEventListener('change', drawCore);
	drawCore();
	return follow();
}

start();
