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
	return pairs.length > 2 && aa && bb ? ab / Math.sqrt(aa * bb) : null;
};

/* How far `have` is from `want`, in pairs: n, r, the mean and the median of the errors' magnitudes, their mean. */
function accuracy(pairs) {
	const errors = pairs.map(q => (q.have - q.want) / q.want),
		sizes = errors.map(Math.abs).sort((a, b) => a - b),
		n = pairs.length;
	return {
		n,
		r: pearson(pairs.map(q => [q.want, q.have])),
		error: sumOf(sizes) / n,
		median: (sizes[(n - 1) >> 1] + sizes[n >> 1]) / 2,
		bias: sumOf(errors) / n,
	};
}

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
	const c = { name: null, f: mainFigure, by: data.simulators ? firstDim(d => d.name === 'class') : firstDim(d => d.name === 'netlist', d => d.name === 'trace', () => true) };
	const tools = el('div', { class: 'tools' }),
		results = el('div', {}),
		worst = el('div', {});
	const ofKernels = () => csvNames(true).includes(c.name);
	function pairs(f = c.f) {
		if (!c.name) return [];
		if (ofKernels()) return kernelPairs(c.name);
		const want = csvColumn(c.name) || figureOf(c.name).values(),
			have = f.values();
		return state.selected.filter(i => want[i] > 0 && have[i] > 0).map(i => ({ i, kernel: '', want: want[i], have: have[i] }));
	}
	const error = q => (q.have - q.want) / q.want;
	const label = q => pointName(q.i) + (q.kernel ? ', ' + q.kernel : '');
	const linked = q => (data.pages?.[q.i] ? el('a', { href: data.pages[q.i] }, label(q)) : label(q));
	const percent = v => num(100 * v, 2) + ' %',
		rText = r => (r === null ? '\u2013' : r.toFixed(4));
	/* of all, by colour, and of other simulators */
	function accuracies(all, whole) {
		const by = c.by ? valuesIn(c.by, all.map(q => q.i)).map(j => [textAt(c.by, j), accuracy(all.filter(q => c.by.v[q.i] === j))]) : [];
		const others = (data.simulators || []).map(figureOf).filter(f => f !== c.f);
		const rows = [['all', whole], ...(by.length > 1 ? by : []), ...others.map(f => [f.name, accuracy(pairs(f))])].filter(r => r[1].n);
		if (rows.length < 2) return '';
		return table({
			caption: 'Accuracy',
			rows,
			columns: [
				{ name: '', class: 'name', get: r => r[0] },
				{ name: 'Pairs', number: true, get: r => r[1].n },
				{ name: 'Mean absolute', number: true, get: r => r[1].error, show: r => percent(r[1].error) },
				{ name: 'Median absolute', number: true, get: r => r[1].median, show: r => percent(r[1].median) },
				{ name: 'Mean', number: true, get: r => r[1].bias, show: r => percent(r[1].bias) },
				{ name: 'r', number: true, get: r => r[1].r, show: r => rText(r[1].r) },
			],
		}).node;
	}
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
			p.marks.push({ x: m.x, y: m.y, text: [label(m.q) + (m.count > 1 ? ` and ${m.count - 1} others here` : ''), `simulated ${exact(m.q.have)}, reference ${exact(m.q.want)}, error ${percent(error(m.q))}`] });
		}
		if (c.by) for (const j of valuesIn(c.by, all.map(q => q.i))) p.legend.push({ colour: seriesColour(j), name: textAt(c.by, j) });
		p.note = all.length ? 'On the line both are equal.' : 'No row of a table fits a selected point.';
		results.replaceChildren();
		worst.replaceChildren();
		if (!all.length) return;
		const whole = accuracy(all);
		results.append(
			el(
				'div',
				{ class: 'tiles' },
				tile(num(all.length), ofKernels() ? 'kernels' : 'points', 'pairs'),
				tile(rText(whole.r), "Pearson's r", 'pearson'),
				tile(percent(whole.error), 'mean absolute error', 'error'),
				tile(percent(whole.median), 'median of absolute errors', 'median'),
				tile(percent(whole.bias), 'mean error', 'bias')
			)
		);
		worst.append(accuracies(all, whole));
		worst.append(
			el('h3', {}, 'Largest errors'),
			table({
				caption: 'Largest errors',
				rows: all,
				sort: 3,
				limit: data.simulators ? 30 : 10,
				columns: [
					{ name: 'Point', class: 'name', get: label, show: linked },
					{ name: 'Simulated', number: true, get: q => q.have, show: q => round4(q.have) },
					{ name: 'Reference', number: true, get: q => q.want, show: q => round4(q.want) },
					{ name: 'Error', number: true, get: q => Math.abs(error(q)), show: q => percent(error(q)) },
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
		const all = [...(data.simulators ? ['measured'] : []), ...csvNames(true), ...csvNames(false)];
		if (!all.includes(c.name)) c.name = all.find(n => n === 'cycles' || n === 'measured') || all[0] || null;
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
