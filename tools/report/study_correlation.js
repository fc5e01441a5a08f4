/* study_correlation.js - cycles against those of a reference: error, Pearson's r, kernel by kernel
 * SPDX-License-Identifier: BSD-2-Clause
 */
const pearson = pairs => {
	const n = pairs.length,
		a = sumOf(pairs.map(q => q[0])) / n,
		b = sumOf(pairs.map(q => q[1])) / n;
	let ab = 0,
		aa = 0,
		bb = 0;
	for (const [x, y] of pairs) {
		ab += (x - a) * (y - b);
		aa += (x - a) ** 2;
		bb += (y - b) ** 2;
	}
	return aa && bb ? ab / Math.sqrt(aa * bb) : null;
};

/* Cycles of kernels beside a column of a table whose rows are for kernels. */
function kernelPairs(name) {
	const t = csv.find(o => o.kernel >= 0 && o.header.some((h, k) => h === name && !o.keys[k] && k !== o.kernel));
	const k = data.kernels,
		selected = new Set(state.selected),
		at = t.header.indexOf(name);
	const keyed = t.keys.map((q, n) => [q, n]).filter(q => q[0]);
	const rows = new Map(t.rows.map(row => [[...keyed.map(([, n]) => row[n].trim()), row[t.kernel].trim()].join('\0'), row]));
	const out = [];
	k.point.forEach((i, n) => {
		if (!selected.has(i) || k.cycles[n] === null) return;
		const key = keyed.map(([q]) => q.of(i)).join('\0') + (keyed.length ? '\0' : '');
		const row = rows.get(key + k.kernel[n]) || rows.get(key + k.names[k.name[n]]);
		const want = row ? Number(row[at]) : NaN;
		if (want > 0 && k.cycles[n] > 0) out.push({ i, kernel: `kernel ${k.kernel[n]} ${k.names[k.name[n]]}`, want, have: k.cycles[n] });
	});
	return out;
}

function drawCorrelation() {
	const c = { name: null, f: mainFigure, by: firstDim(d => d.name === 'netlist', d => d.name === 'trace', () => true) };
	const tools = el('div', { class: 'tools' }),
		results = el('div', {}),
		worst = el('div', {});
	function pairs() {
		if (!c.name) return [];
		if (csvNames(true).includes(c.name)) return kernelPairs(c.name);
		const want = csvColumn(c.name),
			have = c.f.values();
		return state.selected.filter(i => want[i] > 0 && have[i] > 0).map(i => ({ i, kernel: '', want: want[i], have: have[i] }));
	}
	const error = q => (q.have - q.want) / q.want;
	const label = q => pointName(q.i) + (q.kernel ? ', ' + q.kernel : '');
	function draw(p) {
		const all = pairs();
		const [low, high] = extent(all.flatMap(q => [q.want, q.have]));
		const x = logarithmic(Math.max(low, 1e-9) * 0.9, high * 1.1, p.left + 4, p.w - p.right),
			y = logarithmic(Math.max(low, 1e-9) * 0.9, high * 1.1, p.bottom, p.top);
		if (all.length) {
			yAxis(p, y, c.f.name + ' simulated');
			xAxis(p, x, `${c.name} of the reference`);
			p.g.append(svg('line', { class: 'even', x1: x(low), y1: y(low), x2: x(high), y2: y(high) }));
		}
		for (const m of thin(all.map(q => ({ x: x(q.want), y: y(q.have), q })))) {
			const j = c.by ? c.by.v[m.q.i] : 0;
			p.g.append(shape(j, m.x, m.y, 4, { style: { fill: seriesColour(j), fillOpacity: '.7' } }));
			p.marks.push({ x: m.x, y: m.y, text: [label(m.q) + (m.count > 1 ? ` and ${m.count - 1} others here` : ''), `simulated ${exact(m.q.have)}, reference ${exact(m.q.want)}, error ${num(100 * error(m.q), 1)} %`] });
		}
		if (c.by) for (const j of valuesIn(c.by, all.map(q => q.i))) p.legend.push({ colour: seriesColour(j), name: textAt(c.by, j) });
		p.note = all.length ? 'On the line both are equal.' : 'No row of a table fits a selected point.';
		const r = pearson(all.map(q => [q.want, q.have]));
		results.replaceChildren();
		worst.replaceChildren();
		if (!all.length) return;
		results.append(
			el(
				'div',
				{ class: 'tiles' },
				tile(num(all.length), csvNames(true).includes(c.name) ? 'kernels' : 'points', 'pairs'),
				tile(r === null ? '\u2013' : r.toFixed(4), "Pearson's r", 'pearson'),
				tile(num((100 * sumOf(all.map(q => Math.abs(error(q))))) / all.length, 2) + ' %', 'mean absolute error', 'error'),
				tile(num((100 * sumOf(all.map(error))) / all.length, 2) + ' %', 'mean error', 'bias')
			)
		);
		worst.append(
			el('h3', {}, 'Largest errors'),
			table({
				caption: 'Largest errors',
				rows: all,
				sort: 3,
				limit: 10,
				columns: [
					{ name: 'Point', class: 'name', get: label },
					{ name: 'Simulated', number: true, get: q => q.have, show: q => round4(q.have) },
					{ name: 'Reference', number: true, get: q => q.want, show: q => round4(q.want) },
					{ name: 'Error', number: true, get: q => Math.abs(error(q)), show: q => num(100 * error(q), 2) + '\u00a0%' },
				],
			}).node
		);
	}
	const view = plot({
		name: 'correlation',
		title: 'Simulated cycles against a reference',
		height: 380,
		draw,
		rows: () => [[...varied.map(d => d.name), 'kernel', 'reference', 'simulated', 'error'], ...pairs().map(q => [...varied.map(d => d.at(q.i) ?? ''), q.kernel, q.want, q.have, error(q)])],
	});
	const set = setter(c, view);
	/* tables were added */
	function again() {
		const all = [...csvNames(true), ...csvNames(false)];
		if (!all.includes(c.name)) c.name = all.find(n => n === 'cycles') || all[0] || null;
		view.node.hidden = !all.length;
		tools.replaceChildren(
			all.length ? choice('Reference', all.map(n => [n, n]), c.name, set('name')) : '',
			all.length ? figureChoice('of points, against', c.f, set('f')) : '',
			all.length ? dimChoice('colour', varied, c.by, set('by'), '(one)') : ''
		);
		view.again();
	}
	add('correlation', tools, results, view.node, worst);
	again();
	return again;
}
