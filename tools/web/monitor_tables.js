/* monitor_tables.js - the tables of the monitor's page; all text of a run is set as text
 * SPDX-License-Identifier: BSD-2-Clause
 */
'use strict';

const MOST_ROWS = 200;
const grouped = n => Math.round(n).toLocaleString('en-US');
const percent = x => (100 * x).toFixed(1) + ' %';

function element(name, className, text) {
	const e = document.createElement(name);
	if (className)
		e.className = className;
	if (text !== undefined)
		e.textContent = text;
	return e;
}

function meter(share, full) {
	const m = element('span', 'meter'), bar = element('i', full ? 'full' : '');
	bar.style.width = 100 * Math.min(1, Math.max(0, share)) + '%';
	m.append(bar);
	return m;
}

/* Rows of texts and elements, or functions that make them; a heading that begins with "#" is of numbers. */
function table(headings, rows, none) {
	if (rows.length === 0)
		return element('p', 'empty', none);
	const scroll = element('div', 'scroll'), t = element('table'), head = element('tr'), body = element('tbody'),
		top = element('thead');
	for (const h of headings) {
		const th = element('th', h[0] === '#' ? 'number' : '', h.replace('#', ''));
		th.scope = 'col';
		head.append(th);
	}
	for (const made of rows.slice(0, MOST_ROWS)) {
		const row = typeof made === 'function' ? made() : made, tr = element('tr');
		row.forEach((cell, i) => {
			const td = element('td', headings[i][0] === '#' ? 'number' : i === 0 ? 'name' : '');
			td.append(cell ?? '');
			tr.append(td);
		});
		body.append(tr);
	}
	top.append(head);
	t.append(top, body);
	scroll.append(t);
	if (rows.length > MOST_ROWS)
		scroll.append(element('p', 'empty', 'and ' + grouped(rows.length - MOST_ROWS) + ' more'));
	return scroll;
}

function addTo(groups, key, one) {
	if (groups.has(key))
		groups.get(key).push(one);
	else
		groups.set(key, [one]);
}

/* "issue[0].out", "issue[1].out" -> "issue[*].out x2" */
function folded(names) {
	const groups = new Map();
	for (const n of new Set(names)) {
		const key = n.replace(/\[\d+\]/g, '[*]');
		addTo(groups, key, n);
	}
	return [...groups].map(([key, all]) => all.length > 1 ? key + ' x' + all.length : all[0]).join(', ');
}

function waitsTable(update) {
	const groups = new Map();
	for (const w of update.waits ?? []) {
		const key = [w.to, w.behind, w.why].join('\n');
		addTo(groups, key, w);
	}
	const rows = [...groups.values()].map(all => [folded(all.map(w => w.from)), folded(all.map(w => w.buffer)),
		all[0].behind ? all[0].to + ' waits for ' + all[0].behind : all[0].to, all[0].why ?? '']);
	const t = table(['Port', 'has no room in', 'for this instance takes nothing', 'because'], rows, 'No port waits for room.'),
		more = (update.waiting ?? 0) - (update.waits ?? []).length;
	if (more > 0)
		t.append(element('p', 'empty', 'and ' + grouped(more) + ' more ports'));
	return t;
}

function buffersTable(buffers, update, rate, filter, filled) {
	const rows = [];
	buffers.forEach((b, i) => {
		const n = update.inside[i];
		if ((filter && !b.name.includes(filter)) || (filled && n === 0))
			return;
		rows.push(() => [b.name, grouped(n), b.capacity ? grouped(b.capacity) : '', b.capacity ? meter(n / b.capacity, n >= b.capacity) : '',
			b.unit, b.from ? rate(i).toFixed(3) : '', b.from ? folded(b.from.map(instanceOf)) : 'inside']);
	});
	return table(['Buffer', '#inside', '#of', '', 'of what', '#put a cycle', 'by'], rows, 'No buffer is shown.');
}

const sum = o => Object.values(o).reduce((a, b) => a + b, 0);

/* Shares: of issue slots, and of each kind of units; now, and in the whole run. */
function useTables(update, before) {
	const parts = [];
	for (const [name, all] of Object.entries(update.totals)) {
		if (typeof all !== 'object' || name !== 'issue')
			continue;
		const now = update.delta[name], moved = sum(now);
		parts.push(element('h3', '', name), table(['', '#now', '', '#run'], Object.keys(all).map(key =>
			[key, moved ? percent(now[key] / moved) : '', meter(moved ? now[key] / moved : 0), percent(all[key] / (sum(all) || 1))]), ''));
	}
	for (const [heading, group] of Object.entries(update.rates)) {
		const rows = Object.entries(group).map(([name, r]) => {
			const old = before?.rates[heading]?.[name], edges = r.edges - (old?.edges ?? 0);
			return { name: name + (r.count > 1 ? ' x' + r.count : ''), run: r.edges ? r.sum / r.edges : 0,
				now: edges > 0 ? (r.sum - (old?.sum ?? 0)) / edges : 0 };
		}).sort((a, b) => b.now - a.now || b.run - a.run);
		parts.push(element('h3', '', heading), table(['', '#now', '', '#run'],
			rows.map(r => [r.name, percent(r.now), meter(r.now), percent(r.run)]), ''));
	}
	return parts;
}

/* The figures of the run, "a.b" for those in groups. */
function figuresTable(update, ratios) {
	const rows = [], cycles = update.totals.cycles || 1, moved = update.delta.cycles;
	const add = (o, delta, head) => {
		for (const [key, v] of Object.entries(o))
			if (typeof v === 'object')
				add(v, delta[key] ?? {}, key + '.');
			else
				rows.push([head + key, Number.isInteger(v) ? grouped(v) : v.toFixed(4), ratios[head + key] && key !== 'cycles'
					? ratios[head + key] + ' ' + (v / cycles).toFixed(3) : '',
				Number.isInteger(v) && moved > 0 ? ((delta[key] ?? 0) / moved).toFixed(3) : '']);
	};
	add(update.totals, update.delta, '');
	return table(['Figure', '#run', '#', '#now, a cycle'], rows, '');
}

function sentence(lines) {
	const ul = element('ul');
	for (const l of lines)
		ul.append(element('li', '', l));
	return ul;
}

function deadlockNotice(deadlock, cycle) {
	const parts = [element('h2', '', 'Deadlock at cycle ' + grouped(cycle)),
		element('p', '', 'Nothing has happened since cycle ' + grouped(deadlock.since) + '.')], steps = deadlock.circle;
	if (steps.length > 0) {
		parts.push(element('p', 'circle', 'These instances wait in a circle, each for room at the next: ' +
			steps.slice(0, 40).map(s => s.from).join(', ') + (steps.length > 40 ? ' and ' + (steps.length - 40) + ' more' : '') +
			', and the last for ' + steps[0].from + '. Each is full until the next one takes something, so none moves.'));
	} else if (deadlock.withheld.length > 0) {
		parts.push(element('p', '', 'The others wait for these:'), sentence(deadlock.withheld.map(l => l.path + ' ' + l.text)));
	}
	const all = element('details');
	all.append(element('summary', '', 'What is pending (' + deadlock.pending.length + ')'),
		sentence(deadlock.pending.slice(0, MOST_ROWS).map(l => l.path + ': ' + l.text)));
	parts.push(all);
	return parts;
}
