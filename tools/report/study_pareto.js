/* study_pareto.js - cycles against cost: which designs no other one beats in both
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A design is everything that points differ in except the trace; its figure is that of all its traces.
 * The cost is a parameter, a column of a table or a figure.
 */
const costNames = () => [...varied.filter(d => d.parameter && isNumeric(d)).map(d => d.name), ...csvNames(false), ...shown.map(f => f.name)];

/* The cost of each point, or null; null: nothing has that name. */
function costOf(name) {
	const d = dimOf(name),
		f = figureOf(name);
	return d ? points.map(d.at) : csvColumn(name) || (f ? f.values() : null);
}

function drawPareto() {
	const among = varied.filter(d => d.name !== 'trace');
	const c = { f: mainFigure, way: 'geometric mean', by: firstDim(d => d.name === 'netlist', d => d.name === 'design'), cost: data.cost };
	if (!among.length) {
		add('pareto', empty('All points have the same design.'));
		return;
	}
	/* designs with both numbers and with as many points as any other one, the cheapest first */
	function designs() {
		const costs = costOf(c.cost) || [],
			values = c.f.values(),
			groups = [...groupBy(state.selected, i => among.map(d => d.v[i]).join('|')).values()];
		const most = Math.max(0, ...groups.map(g => g.filter(i => values[i] !== null).length));
		const out = [];
		for (const g of groups) {
			const full = g.filter(i => values[i] !== null).length === most;
			const value = full ? together(g, values, c.way) : null,
				cost = costs[g[0]];
			if (value !== null && typeof cost === 'number') out.push({ i: g[0], value, cost, front: false });
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
		const x = (arePowers(all.map(o => o.cost)) ? binary : linear)(x0, x1, p.left + 10, p.w - p.right - 10),
			y = linear(y0, y1, p.bottom - 6, p.top + 4);
		yAxis(p, y, `${unitText(c.f)}; less is better`);
		xAxis(p, x, 'cost: ' + c.cost);
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
			p.marks.push({ x: m.x, y: m.y, text: [pointName(m.o.i, among) + (m.count > 1 ? ` and ${m.count - 1} others here` : ''), `${c.f.name} ${exact(m.o.value)}, cost ${exact(m.o.cost)}` + (m.o.front ? ', on the front' : '')] });
		/* the front: a number at each mark, and the list of them below */
		front.forEach((o, k) => p.g.append(svg('text', { class: 'ink', x: x(o.cost) + 7, y: y(o.value) - 6 }, String(k + 1))));
		p.found = front.map(o => `${pointName(o.i, among)}: ${c.f.name} ${round4(o.value)}, cost ${round4(o.cost)}`);
		if (c.by) for (const j of valuesIn(c.by, all.map(o => o.i))) p.legend.push({ colour: seriesColour(j), name: textAt(c.by, j) });
		p.note = all.length ? `${num(front.length)} of ${num(all.length)} designs are on the front: no other one costs less or as much and is better.` : costOf(c.cost) ? 'No design has both numbers.' : `No parameter, column of a table or figure is named '${c.cost}'.`;
	}
	const view = plot({
		name: 'pareto',
		title: 'Cycles against cost',
		height: 340,
		draw,
		rows: () => [[...among.map(d => d.name), 'cost', c.f.name, 'front'], ...designs().map(o => [...among.map(d => d.at(o.i) ?? ''), o.cost, o.value, o.front ? 1 : 0])],
	});
	const set = setter(c, view);
	const tools = el('div', { class: 'tools' });
	/* tables were added */
	function again() {
		const names = costNames();
		if (!c.cost) c.cost = names[0];
		tools.replaceChildren(
			choice('Cost', names.map(n => [n, n]), c.cost, set('cost')),
			figureChoice('against', c.f, set('f')),
			choice('of all traces as', Object.keys(MEANS).map(w => [w, w]), c.way, set('way')),
			dimChoice('colour', among, c.by, set('by'), '(one)')
		);
		view.again();
	}
	add('pareto', tools, view.node);
	again();
	return again;
}
