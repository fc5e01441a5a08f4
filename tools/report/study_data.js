/* study_data.js - the points of a study: what they differ in, their figures, which are selected
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Points are numbers from 0 here.  The values of a statistic are read when they are first shown.
 */
const read = JSON.parse(part('data').textContent);
const data = read.points ? studyOfPoints(read) : read;
const points = data.point.map((p, i) => i);

/* ---- what points differ in ---- */

const valueText = v => (v === null || v === undefined ? '\u2013' : v === '' ? '(none)' : String(v));
const dims = data.dims.map((d, k) => ({
	...d,
	k,
	text: d.values.map(valueText),
	of: i => (d.v[i] < 0 ? '\u2013' : valueText(d.values[d.v[i]])),
	at: i => (d.v[i] < 0 ? null : d.values[d.v[i]]),
	/* in the order of their values: numbers first, others as they come */
	order: d.values
		.map((v, j) => j)
		.sort((a, b) =>
			typeof d.values[a] === 'number' && typeof d.values[b] === 'number' ? d.values[a] - d.values[b] : a - b
		),
}));
const varied = dims.filter(d => d.values.length > 1 || d.v.some(v => v !== d.v[0]));
const dimOf = name => dims.find(d => d.name === name);
const isNumeric = d => d.values.every(v => typeof v === 'number');
/* A name without the folders of paths that all values share is not worth it: they are texts of the study. */
const pointName = (i, among = dimOf('name') && data.simulators ? [dimOf('name')] : varied) => among.map(d => d.of(i)).join(' \u00b7 ') || 'point ' + data.point[i];

/* Colour and shape of a value, the same in all figures. */
const SERIES = ['run-0', 'run-1', 'run-2', 'run-3', 'run-4', 'other-2', 'idle-2', 'stall-2'];
const seriesColour = j => `var(--${SERIES[Math.max(0, j) % SERIES.length]})`;

/* ---- figures ---- */

const columnCache = new Map();
function column(s) {
	if (s.list) return s.list;
	if (s.column === undefined) return points.map(() => s.all);
	if (!columnCache.has(s.column)) columnCache.set(s.column, JSON.parse(part('c' + s.column).textContent));
	return columnCache.get(s.column);
}

const figures = data.statistics.map(s => ({
	...s,
	name: s.path,
	unit: s.unit || '',
	values: () => column(s),
}));
const figureOf = path => figures.find(f => f.path === path && f.kind === 'run') || figures.find(f => f.path === path);

(() => {
	const a = figureOf('warp_instructions'),
		b = figureOf('cycles');
	if (!a || !b) return;
	let ipc = null;
	figures.unshift({
		kind: 'run',
		path: 'IPC',
		name: 'IPC',
		unit: 'warp instructions per cycle',
		doc: 'warp instructions of the whole run per cycle',
		values: () =>
			(ipc ??= points.map(i => (b.values()[i] ? a.values()[i] / b.values()[i] : null))),
	});
})();
/* Figures that differ between points come first in lists; others say nothing there. */
const shown = figures.filter(f => f.list || f.column !== undefined || f.name === 'IPC');
const mainFigure = figureOf('cycles') || shown[0] || figures[0];

/* ---- the selection ---- */

const state = { chosen: new Map(), selected: points, listeners: [] };

function select(d, value) {
	if (value === null) state.chosen.delete(d);
	else state.chosen.set(d, value);
	state.selected = points.filter(i => [...state.chosen].every(([dim, v]) => dim.v[i] === v));
	changed();
}
const changed = () => state.listeners.forEach(f => f());

/* Selected points by a key. */
function groupBy(list, key) {
	const out = new Map();
	for (const i of list) {
		const k = key(i);
		if (!out.has(k)) out.set(k, []);
		out.get(k).push(i);
	}
	return out;
}

/* ---- several values as one ---- */

const MEANS = {
	'geometric mean': v =>
		v.every(x => x > 0) ? Math.exp(v.reduce((a, x) => a + Math.log(x), 0) / v.length) : null,
	mean: v => v.reduce((a, x) => a + x, 0) / v.length,
	sum: v => v.reduce((a, x) => a + x, 0),
	least: v => Math.min(...v),
	most: v => Math.max(...v),
};
const known = (list, values) => list.filter(i => typeof values[i] === 'number');
/* null: no point has a value, or there is no such mean of them. */
function together(list, values, way) {
	const v = list.map(i => values[i]).filter(x => typeof x === 'number');
	return v.length ? (v.length === 1 ? v[0] : MEANS[way](v)) : null;
}
