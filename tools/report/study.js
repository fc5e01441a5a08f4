/* study.js - the study, the selection, the table of points, and the order of parts
 * SPDX-License-Identifier: BSD-2-Clause
 */
function drawAbout() {
	const counts = data.status.values.map((s, j) => [valueText(s), data.status.v.filter(v => v === j).length]);
	const finished = (counts.find(c => c[0] === 'finished') || [0, 0])[1];
	const total = Number(data.study.points) || points.length;
	add(
		'summary',
		data.study.doc ? el('p', { class: 'note' }, data.study.doc) : null,
		el(
			'div',
			{ class: 'tiles' },
			tile(num(points.length), total > points.length ? `points of ${num(total)}` : 'points'),
			tile(num(finished), 'finished'),
			...varied.map(d => tile(num(d.values.length), d.parameter ? 'values of ' + d.name : d.name + (d.name.endsWith('s') ? 'es' : 's')))
		),
		counts.length > 1
			? el('ul', { class: 'found' }, counts.map(([name, n]) => el('li', {}, `${num(n)} ${name}`)))
			: null,
		data.few ? empty('With so many points the page has the figures of the run only; results.sqlite has all statistics.', 'warning') : null
	);
	const fixed = dims.filter(d => d.parameter && !varied.includes(d));
	if (fixed.length)
		add('summary', el('dl', { class: 'about' }, fixed.map(d => el('div', {}, el('dt', {}, d.name), el('dd', {}, d.text[0])))));
}

/* What all figures show. */
function drawSelection() {
	const count = el('output', { id: 'selected', 'aria-live': 'polite' });
	const boxes = varied.map(d =>
		choice(d.name, [['', 'all'], ...d.order.map(j => [String(j), d.text[j]])], '', v => select(d, v === '' ? null : Number(v)))
	);
	const show = () => {
		count.textContent = `${num(state.selected.length)} of ${num(points.length)} points`;
	};
	add(
		'window',
		el('span', {}, 'Show'),
		boxes,
		el(
			'button',
			{
				type: 'button',
				onclick: () => {
					boxes.forEach(b => (b.querySelector('select').value = ''));
					state.chosen.clear();
					state.selected = points;
					changed();
				},
			},
			'All'
		),
		count
	);
	state.listeners.push(show);
	show();
}

function drawPoints() {
	const c = { f: figures.find(f => f !== mainFigure && f.name === (data.simulators ? 'measured' : 'IPC')) || shown.find(f => f !== mainFigure) || mainFigure, words: '' };
	const box = el('div', {}),
		search = el('input', { type: 'search', id: 'find', placeholder: 'points that contain \u2026', 'aria-label': 'Find points' });
	const words = new Map(); /* texts are made when something is first looked for */
	const textOf = i => {
		if (!words.has(i)) words.set(i, [...varied.map(d => d.of(i)), data.status.values[data.status.v[i]]].join(' ').toLowerCase());
		return words.get(i);
	};
	let view = null,
		chosen = new Set(points);
	const listed = i => chosen.has(i) && c.words.split(/\s+/).every(w => !w || textOf(i).includes(w));
	const message = i => data.messages[String(data.point[i])];
	const figureColumn = f => ({ name: f.name, title: f.doc || unitText(f), number: true, get: i => f.values()[i] ?? null, show: i => (f.values()[i] === null || f.values()[i] === undefined ? null : round4(f.values()[i])) });
	function make() {
		view = table({
			caption: 'Points',
			rows: points,
			limit: 25,
			columns: [
				{ name: 'point', number: true, get: i => data.point[i] },
				...varied.map(d => ({ name: d.name, number: isNumeric(d), get: i => d.at(i), show: i => d.of(i) })),
				{ name: 'status', get: i => valueText(data.status.values[data.status.v[i]]), show: i => el('span', { title: message(i) || null }, valueText(data.status.values[data.status.v[i]]) + (message(i) ? ' \u2026' : '')) },
				figureColumn(mainFigure),
				c.f !== mainFigure && figureColumn(c.f),
			],
		});
		view.filter(listed);
		box.replaceChildren(view.node);
	}
	let due = 0;
	search.addEventListener('input', () => {
		c.words = search.value.toLowerCase();
		clearTimeout(due);
		due = setTimeout(() => view.filter(listed), 60);
	});
	add(
		'points',
		el(
			'div',
			{ class: 'tools' },
			search,
			figureChoice('Figure', c.f, f => {
				c.f = f;
				make();
			})
		),
		box
	);
	state.listeners.push(() => {
		chosen = new Set(state.selected);
		view.filter(listed);
	});
	make();
}

/* Tables of costs and references, from the command line or from a file of the reader. */
function startTables(again) {
	const wrong = el('p', { class: 'empty warning', role: 'alert', hidden: '' });
	const take = (name, text) => {
		wrong.hidden = true;
		try {
			addCsv(name, text);
		} catch (e) {
			wrong.textContent = e.message + '.';
			wrong.hidden = false;
		}
		again.forEach(f => f && f());
	};
	const file = el('input', { type: 'file', id: 'csv', accept: '.csv,text/csv' });
	file.addEventListener('change', async () => {
		for (const f of file.files) take(f.name, await f.text());
	});
	add('tables', el('div', { class: 'tools' }, el('label', {}, 'Table', file)), wrong);
	data.csv.forEach(t => take(t.name, t.text));
}

/* The shares of the time in which units and memories were in use. */
function drawBusy() {
	const rates = shown.filter(f => f.kind === 'rate'),
		box = el('div', {});
	if (!rates.length) {
		leaveOut('busy');
		return;
	}
	const draw = () => {
		const rows = rates.map(f => ({ f, v: together(state.selected, f.values(), 'mean') })).filter(r => r.v > 0);
		box.replaceChildren(
			table({
				caption: 'What was busy',
				rows: rows.sort((a, b) => b.v - a.v),
				limit: 12,
				columns: [
					{ name: 'Share of the time', class: 'name', get: r => r.f.name },
					{ name: '%', number: true, get: r => r.v, show: r => num(100 * r.v, 1) + '\u00a0%' },
					{ name: '', get: r => r.v, show: r => meter(r.v, 'var(--accent)') },
				],
			}).node
		);
	};
	state.listeners.push(draw);
	add('busy', box);
	draw();
}

/* A part of the page that would say nothing. */
function leaveOut(id) {
	part(id).remove();
	document.querySelector(`nav a[href="#${id}"]`)?.remove();
}

startTheme();
drawAbout();
drawSelection();
drawPoints();
drawSeries();
if (data.simulators) {
	['heat', 'speedup', 'reasons', 'pareto'].forEach(leaveOut);
	part('summary').after(part('correlation'), part('busy'));
} else {
	drawHeat();
	drawSpeedup();
	drawReasons();
}
startTables([data.simulators ? null : drawPareto(), drawCorrelation()]);
drawBusy();
add('about', `Written by heddle ${data.heddle}. See ${data.simulators ? 'heddle-correlate(1) and docs/hardware.md' : 'heddle-report(1) and docs/studies.md'}.`);
document.documentElement.dataset.ready = 'yes';
