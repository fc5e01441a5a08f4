/* stage_view.js - every unit and every buffer over time: how many instructions were in it
 * SPDX-License-Identifier: BSD-2-Clause
 */
const STAGE_ROW = 26,
	STAGE_LEFT = 190,
	STAGE_RIGHT = 56;

/* The rows: elements of arrays by themselves, or together. */
function stageRows(r, each) {
	const list = each ? r.units || [] : r.places || [];
	return list.map(p => {
		const v = p.v.map((n, k) => n / binCycles(r, r.width, k));
		return { ...p, v, most: Math.max(...v), label: prettyPlace(p.name, p.waits), colour: placeColour(p.name, p.waits), width: r.width, cycles: r.cycles };
	});
}

function drawStageRow(t, row, k, x) {
	const y0 = (k + 1) * STAGE_ROW,
		y = v => y0 - 3 - (v / row.most) * (STAGE_ROW - 7),
		zeros = new Array(row.v.length).fill(0);
	return svg(
		'g',
		{},
		svg('line', { class: 'grid', x1: STAGE_LEFT, x2: t.w - STAGE_RIGHT, y1: y0 - 3, y2: y0 - 3 }),
		svg('text', { x: STAGE_LEFT - 6, y: y0 - 7, 'text-anchor': 'end' }, row.label.length > 30 ? '\u2026' + row.label.slice(-29) : row.label),
		svg('path', { class: 'area', d: areaPath(row, x, y, null, zeros), style: { fill: row.colour } }),
		svg('text', { x: t.w - STAGE_RIGHT + 6, y: y0 - 7 }, mean(row.most))
	);
}

function drawStageView(t) {
	t.w = Math.max(420, Math.floor(t.node.clientWidth));
	const room = t.w - STAGE_LEFT - STAGE_RIGHT,
		x = c => STAGE_LEFT + ((c - view.x0) / (view.x1 - view.x0)) * room,
		height = t.rows.length * STAGE_ROW + 26;
	t.cycle = px => view.x0 + ((px - STAGE_LEFT) / room) * (view.x1 - view.x0);
	t.picture.replaceChildren(
		...t.rows.map((row, k) => drawStageRow(t, row, k, x)),
		...ticks(view.x0, view.x1, room / 110).map(c => svg('text', { x: x(c), y: height - 6, 'text-anchor': x(c) > t.w - 40 ? 'end' : 'middle' }, num(c))),
		svg('text', { x: t.w - STAGE_RIGHT + 6, y: height - 6 }, 'most')
	);
	t.picture.setAttribute('viewBox', `0 0 ${t.w} ${height}`);
	t.picture.style.height = height + 'px';
	t.picture.style.width = t.w + 'px';
}

function stageTip(t, e) {
	const box = t.picture.getBoundingClientRect(),
		row = t.rows[Math.floor((e.clientY - box.top) / STAGE_ROW)],
		cycle = Math.floor(t.cycle(e.clientX - box.left));
	if (!row || cycle < view.x0 || cycle >= view.x1) return tip();
	const bin = Math.floor(cycle / row.width),
		end = Math.min(row.cycles, (bin + 1) * row.width);
	tip(
		e.clientX,
		e.clientY,
		el('p', {}, chip(row.colour), el('b', {}, row.label)),
		el('p', {}, row.doc),
		el('p', {}, `cycles ${num(bin * row.width)} to ${num(end)}: ${mean(row.v[bin] || 0)} instructions, mean; most of the run: ${mean(row.most)}`)
	);
}

function stageView(r, i) {
	const title = 'Every unit and buffer over time, ' + runName(i);
	const t = { run: r, rows: stageRows(r, false), w: 0, cycle: () => 0, picture: svg('svg', { class: 'program stageview', tabindex: '0', role: 'img', 'aria-label': title + '. Plus and minus zoom, arrow keys move.' }) };
	t.node = el('div', { class: 'figure scroll' }, t.picture);
	const choose =
		r.units &&
		r.units.length > t.rows.length &&
		el(
			'select',
			{
				'aria-label': 'What has a row',
				onchange: e => {
					t.rows = stageRows(r, e.target.value === 'each');
					drawStageView(t);
				},
			},
			el('option', { value: 'array' }, 'each array'),
			el('option', { value: 'each' }, 'each element')
		);
	const rows = () => [['place', 'begin', 'end', 'instructions'], ...t.rows.flatMap(p => p.v.map((v, k) => [p.name, k * p.width, Math.min(p.cycles, (k + 1) * p.width), v]))];
	add('occupancy', heading(i), choose ? el('div', { class: 'tools' }, el('label', {}, 'A row for', choose)) : null, el('div', {}, t.node, downloads(title, () => svgText(t.picture, title), rows)));
	t.picture.addEventListener('pointermove', e => stageTip(t, e));
	t.picture.addEventListener('pointerleave', () => tip());
	t.picture.addEventListener('keydown', viewKey);
	view.listeners.push(() => drawStageView(t));
	new ResizeObserver(() => {
		if (Math.max(420, Math.floor(t.node.clientWidth)) !== t.w) drawStageView(t);
	}).observe(t.node);
	drawStageView(t);
}

function drawStageViews() {
	if (!runs.some(r => (r.places || []).length)) return;
	add(
		'occupancy',
		el('h3', {}, 'Every unit and buffer over time'),
		el('p', { class: 'note' }, 'Mean number of instructions, in the order of the netlist; each row has a scale of its own, up to the number at the right.')
	);
	runs.forEach((r, i) => {
		if ((r.places || []).length) stageView(r, i);
	});
}
