/* correlate.js - the page of programs against hardware
 * SPDX-License-Identifier: BSD-2-Clause
 */
const data = JSON.parse(part('data').textContent);
const state = { listeners: [] };
const CLASSES = ['compute', 'L1', 'L2', 'DRAM', 'latency', 'launch'];
const classColour = c => `var(--run-${Math.max(0, CLASSES.indexOf(c)) % 5})`;

const ran = data.points.filter(p => p.failed === undefined);
const pairs = ran.filter(p => p.error !== undefined);
const failed = data.points.filter(p => p.failed !== undefined);
const simulators = Object.keys(data.summary.others);
const percent = (v, digits = 1) => (v === undefined || v === null ? '–' : num(100 * v, digits) + ' %');
const otherError = (p, name) => (p.hardware > 0 && p.others[name] > 0 ? p.others[name] / p.hardware - 1 : null);

/* ---- links: a point leads to its report, in this page or beside it ---- */

const anchor = p => 'report-' + data.points.indexOf(p);
const link = p => el('a', { href: '#' + anchor(p) }, p.name);

/* ---- summary ---- */

function summary() {
	const s = data.summary.all;
	add(
		'summary',
		data.doc ? el('p', { class: 'note' }, data.doc) : '',
		el(
			'div',
			{ class: 'tiles' },
			tile(num(s.points), 'points, measured and simulated', 'pairs'),
			tile(percent(s.mape), 'mean absolute error (MAPE)', 'mape'),
			tile(percent(s.median), 'median of absolute errors', 'median'),
			tile(percent(s.mean), 'mean error', 'bias'),
			tile(s.r === undefined ? '–' : s.r.toFixed(4), "Pearson's r", 'pearson')
		),
		el(
			'dl',
			{ class: 'about' },
			el('div', {}, el('dt', {}, 'Netlist'), el('dd', {}, data.netlist)),
			Object.entries(data.set).map(([path, v]) => el('div', {}, el('dt', {}, path), el('dd', {}, JSON.stringify(v)))),
			ran.length > pairs.length ? el('div', {}, el('dt', {}, 'Not measured'), el('dd', {}, num(ran.length - pairs.length))) : ''
		),
		failed.length
			? [
					el('h3', {}, `${num(failed.length)} without cycles, which do not count`),
					table({
						caption: 'Points without cycles',
						rows: failed,
						limit: 20,
						columns: [
							{ name: 'Point', class: 'name', get: p => p.name },
							{ name: 'Reason', class: 'name', get: p => p.failed },
						],
					}).node,
				]
			: ''
	);
	if (simulators.length)
		add(
			'summary',
			el('h3', {}, 'Other simulators, on the points for which they have cycles'),
			summaries('Simulators', [['heddle', data.summary.all], ...simulators.map(n => [n, data.summary.others[n]])])
		);
}

const summaries = (caption, rows) =>
	table({
		caption,
		rows,
		columns: [
			{ name: '', class: 'name', get: r => r[0] },
			{ name: 'Points', number: true, get: r => r[1].points },
			{ name: 'MAPE', number: true, get: r => r[1].mape, show: r => percent(r[1].mape) },
			{ name: 'Median', number: true, get: r => r[1].median, show: r => percent(r[1].median) },
			{ name: 'Mean', number: true, get: r => r[1].mean, show: r => percent(r[1].mean) },
			{ name: 'r', number: true, get: r => r[1].r, show: r => (r[1].r === undefined ? '–' : r[1].r.toFixed(4)) },
		],
	}).node;

/* ---- the scatter ---- */

/* What is drawn: heddle, or another simulator. */
const shown = { by: 'heddle' };
const cyclesBy = (p, by) => (by === 'heddle' ? p.simulated : p.others[by]);

function scatter() {
	const rows = () => pairs.filter(p => cyclesBy(p, shown.by) > 0);
	const view = plot({
		name: 'scatter',
		title: 'Simulated against measured cycles',
		height: 440,
		draw(p) {
			const all = rows().flatMap(q => [q.hardware, cyclesBy(q, shown.by)]);
			if (!all.length) {
				p.note = 'No point is both measured and simulated.';
				return;
			}
			const low = Math.min(...all) * 0.8,
				high = Math.max(...all) * 1.25;
			const x = logarithmic(low, high, p.left + 4, p.w - p.right),
				y = logarithmic(low, high, p.bottom, p.top);
			yAxis(p, y, `${shown.by}: cycles`);
			xAxis(p, x, 'measured cycles');
			p.g.append(svg('line', { class: 'even', x1: x(low), y1: y(low), x2: x(high), y2: y(high) }));
			for (const q of rows()) {
				const j = Math.max(0, CLASSES.indexOf(q.class)),
					have = cyclesBy(q, shown.by);
				p.g.append(
					svg(
						'a',
						{ href: '#' + anchor(q), 'aria-label': q.name },
						shape(j, x(q.hardware), y(have), 4.5, { style: { fill: classColour(q.class), fillOpacity: '.75' } })
					)
				);
				p.marks.push({
					x: x(q.hardware),
					y: y(have),
					text: [q.name, `${shown.by} ${exact(have)}, measured ${exact(q.hardware)}, error ${percent(have / q.hardware - 1)}`],
				});
			}
			for (const c of CLASSES) if (rows().some(q => q.class === c)) p.legend.push({ colour: classColour(c), name: c });
		},
		rows: () => [
			['name', 'class', 'measured', 'simulated', 'error', ...simulators],
			...pairs.map(q => [q.name, q.class, q.hardware, q.simulated, q.error, ...simulators.map(n => q.others[n])]),
		],
	});
	add(
		'scatter',
		simulators.length
			? el('div', { class: 'tools' }, choice('Simulator', ['heddle', ...simulators].map(n => [n, n]), shown.by, setter(shown, view)('by')))
			: '',
		view.node
	);
}

/* ---- sorted errors ---- */

function errors() {
	const rows = [...pairs].sort((a, b) => Math.abs(b.error) - Math.abs(a.error));
	const bar = q =>
		el(
			'span',
			{ class: 'meter', 'aria-hidden': 'true' },
			el('i', { style: { width: (100 * Math.min(1, Math.abs(q.error))).toFixed(1) + '%', background: classColour(q.class) } })
		);
	add(
		'errors',
		table({
			caption: 'Errors',
			rows,
			limit: 30,
			columns: [
				{ name: 'Point', class: 'name', get: q => q.name, show: link },
				{ name: 'Class', get: q => q.class },
				{ name: 'Error', number: true, get: q => Math.abs(q.error), show: q => percent(q.error), csv: q => q.error },
				{ name: '', get: q => Math.abs(q.error), show: bar },
				...simulators.map(n => ({ name: n, number: true, get: q => otherError(q, n), show: q => percent(otherError(q, n)) })),
			],
		}).node
	);
}

/* ---- all points, and what each did ---- */

/* "mean": the cycles are those of one launch, and instructions those of all. */
const ipc = p => p.warp_instructions / (p.simulated * (p.launch === 'mean' ? p.launches : 1));

function points() {
	add(
		'points',
		table({
			caption: 'Points',
			rows: ran,
			limit: 100,
			columns: [
				{ name: 'Point', class: 'name', get: p => p.name, show: link },
				{ name: 'Class', get: p => p.class },
				{ name: 'Measured', number: true, get: p => p.hardware, show: p => (p.hardware ? round4(p.hardware) : '–') },
				{ name: 'Simulated', number: true, get: p => p.simulated, show: p => round4(p.simulated) },
				{ name: 'Error', number: true, get: p => p.error, show: p => percent(p.error) },
				{ name: 'Launches', number: true, get: p => p.launches },
				{ name: 'Blocks', number: true, get: p => p.thread_blocks },
				{ name: 'Warp instructions', number: true, get: p => p.warp_instructions },
				{ name: 'IPC', number: true, get: ipc, show: p => mean(ipc(p)) },
			],
		}).node
	);
}

/* The shares of a table, the largest first. */
const shares = (p, name) =>
	Object.entries((p.rates || {})[name] || {})
		.filter(([, v]) => v > 0)
		.sort((a, b) => b[1] - a[1]);

function report(p) {
	const rows = Object.keys(p.rates || {}).flatMap(t => shares(p, t).map(([instance, v]) => ({ t, instance, v })));
	return el(
		'div',
		{ id: anchor(p) },
		el('h3', {}, p.name),
		el(
			'p',
			{ class: 'note' },
			[
				`${round4(p.simulated)} cycles simulated`,
				p.hardware ? `${round4(p.hardware)} measured, error ${percent(p.error)}` : 'not measured',
				`${p.class}${p.class_given ? ', as the list says' : ''}`,
				`${num(p.launches)} launch${p.launches === 1 ? '' : 'es'}, ${round4(p.launch_cycles)} cycles in front of first blocks`,
				p.issued === undefined ? '' : `${percent(p.issued)} of the issue slots issued`,
			]
				.filter(Boolean)
				.join('; ') + '. ',
			p.page ? el('a', { href: p.page }, 'Report of the run') : ''
		),
		table({
			caption: 'What was busy: ' + p.name,
			rows,
			limit: 8,
			columns: [
				{ name: 'Share', class: 'name', get: r => r.t },
				{ name: 'Instances', class: 'name', get: r => r.instance },
				{ name: '%', number: true, get: r => r.v, show: r => percent(r.v) },
				{ name: '', get: r => r.v, show: r => meter(r.v, 'var(--accent)') },
			],
		}).node
	);
}

/* Hundreds of tables are made when they come into view. */
function reports() {
	for (const p of ran) {
		const place = el('div', { id: anchor(p), style: { minHeight: '6rem' } }, el('h3', {}, p.name));
		const fill = now => {
			if (!now || place.dataset.made) return;
			place.dataset.made = '1';
			place.removeAttribute('id');
			place.replaceChildren(report(p));
		};
		add('reports', place);
		whenSeen(place, fill);
	}
}

function footer() {
	add('about', 'Written by heddle ' + data.heddle + '. See heddle-correlate(1) and docs/hardware.md.');
}

startTheme();
summary();
scatter();
errors();
add('classes', summaries('Classes', Object.entries(data.summary.classes)));
points();
reports();
footer();
