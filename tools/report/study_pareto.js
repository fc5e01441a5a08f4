/* study_pareto.js - cycles against cost: which designs no other one beats in both
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A design is everything that points differ in except the trace; its figure is that of all its traces.
 */
function drawPareto() {
	const among = varied.filter(d => d.name !== 'trace');
	const first = data.cost || (firstDim(d => d.parameter && isNumeric(d)) || { name: '' }).name;
	const c = { f: mainFigure, way: 'geometric mean', by: firstDim(d => d.name === 'netlist', d => d.name === 'design'), text: first, cost: null };
	if (!among.length) {
		add('pareto', empty('All points have the same design.'));
		return;
	}
	const wrong = el('p', { class: 'empty warning', role: 'alert', hidden: '' });
	function read() {
		wrong.hidden = true;
		c.cost = null;
		if (!c.text.trim()) return;
		try {
			c.cost = expression(c.text);
		} catch (e) {
			wrong.textContent = `Cost: ${e.message}.`;
			wrong.hidden = false;
		}
	}
	/* designs with both numbers and with as many points as any other one, the cheapest first */
	function designs() {
		if (!c.cost) return [];
		const values = c.f.values(),
			groups = [...groupBy(state.selected, i => among.map(d => d.v[i]).join('|')).values()];
		const most = Math.max(0, ...groups.map(g => g.filter(i => values[i] !== null).length));
		const out = [];
		for (const g of groups) {
			const full = g.filter(i => values[i] !== null).length === most;
			const value = full ? together(g, values, c.way) : null,
				cost = c.cost(g[0]);
			if (value !== null && Number.isFinite(cost)) out.push({ i: g[0], value, cost, front: false });
		}
		out.sort((a, b) => a.cost - b.cost || a.value - b.value);
		let best = Infinity;
		for (const o of out)
			if (o.value < best) {
				best = o.value;
				o.front = true;
			}
		return out;
	}
	function draw(p) {
		const all = designs();
		const [x0, x1] = extent(all.map(o => o.cost)),
			[y0, y1] = extent(all.map(o => o.value));
		const x = linear(x0, x1, p.left + 10, p.w - p.right - 10),
			y = linear(y0, y1, p.bottom - 6, p.top + 4);
		yAxis(p, y, `${unitText(c.f)}; less is better`);
		xAxis(p, x, 'cost: ' + c.text);
		const front = all.filter(o => o.front);
		if (front.length)
			p.g.append(svg('path', { class: 'line front', d: front.map((o, k) => (k ? `H${x(o.cost).toFixed(1)}V` : `M${x(o.cost).toFixed(1)} `) + y(o.value).toFixed(1)).join('') + `H${p.w - p.right}`, style: { stroke: 'var(--run-1)' } }));
		const marks = thin(all.map(o => ({ x: x(o.cost), y: y(o.value), o, keep: o.front })));
		/* those on the front are drawn last, and keys visit them first */
		for (const m of [...marks].sort((a, b) => a.o.front - b.o.front)) {
			const j = c.by ? c.by.v[m.o.i] : 0;
			p.g.append(shape(j, m.x, m.y, m.o.front ? 5 : 3, { style: { fill: seriesColour(j), fillOpacity: m.o.front ? '1' : '.45', stroke: m.o.front ? 'var(--ink)' : 'none' } }));
		}
		for (const m of [...marks].sort((a, b) => b.o.front - a.o.front))
			p.marks.push({ x: m.x, y: m.y, text: [pointName(m.o.i, among) + (m.count > 1 ? ` and ${m.count - 1} others here` : ''), `${c.f.name} ${round4(m.o.value)}, cost ${round4(m.o.cost)}` + (m.o.front ? ', on the front' : '')] });
		if (c.by) for (const j of valuesIn(c.by, all.map(o => o.i))) p.legend.push({ colour: seriesColour(j), name: textAt(c.by, j) });
		p.note = all.length ? `${num(front.length)} of ${num(all.length)} designs are on the front: no other one costs less or as much and is better.` : c.cost ? 'No design has both numbers.' : 'Name a cost: an expression of parameters, or the name of a column of a table.';
	}
	const view = plot({
		name: 'pareto',
		title: 'Cycles against cost',
		height: 340,
		draw,
		rows: () => [[...among.map(d => d.name), 'cost', c.f.name, 'front'], ...designs().map(o => [...among.map(d => d.at(o.i) ?? ''), o.cost, o.value, o.front ? 1 : 0])],
	});
	const set = name => v => {
		c[name] = v;
		view.again();
	};
	const box = el('input', { type: 'text', id: 'cost', value: c.text, size: '30', spellcheck: 'false' });
	box.addEventListener('change', () => {
		c.text = box.value;
		read();
		view.again();
	});
	add(
		'pareto',
		el(
			'div',
			{ class: 'tools' },
			el('label', {}, 'Cost', box),
			figureChoice('against', c.f, set('f')),
			choice('of all traces as', Object.keys(WAYS).map(w => [w, w]), c.way, set('way')),
			dimChoice('colour', among, c.by, set('by'), '(one)')
		),
		wrong,
		view.node
	);
	const again = () => {
		read();
		view.again();
	};
	read();
	return again;
}
