/* study_figures.js - a figure against one parameter and against two, and the uses of the issue slots
 * SPDX-License-Identifier: BSD-2-Clause
 */
const MOST_SERIES = 12;

/* The values of a dim that selected points have, in their order. */
const valuesIn = (d, list) => {
	const have = new Set(list.map(i => d.v[i]));
	return [...d.order, -1].filter(j => have.has(j));
};
const textAt = (d, j) => (j < 0 ? '\u2013' : d.text[j]);
const firstDim = (...tests) => {
	for (const t of tests) {
		const d = varied.find(t);
		if (d) return d;
	}
	return null;
};
const extent = (values, zero) => {
	const v = values.filter(x => x !== null);
	if (!v.length) return [0, 1];
	const low = Math.min(...v, zero ? 0 : Infinity),
		high = Math.max(...v);
	return low === high ? [Math.min(0, low), high || 1] : [low, high];
};
const unitText = f => f.name + (f.unit && f.unit !== f.name ? ', ' + f.unit : '');

/* A mean of fewer points than others, whose runs did not finish, cannot be compared with them. */
const FEWER = 'Hollow: of fewer points than the others, as some have no value. ';
const fewer = (n, most) => (n < most ? [`${n} of ${most} points have a value`] : []);

/* ---- one parameter ---- */

function drawSeries() {
	const c = {
		x: firstDim(d => d.parameter && isNumeric(d), d => d.parameter, d => d.name === 'trace', () => true),
		by: null,
		f: mainFigure,
		way: 'geometric mean',
		bars: false,
	};
	if (!c.x) return;
	c.by = firstDim(d => d !== c.x && d.name === 'netlist', d => d !== c.x && d.name === 'design', d => d !== c.x && d.parameter, d => d !== c.x);
	c.bars = !isNumeric(c.x);

	/* by series: { j, v: value for each x } */
	function sums() {
		const xs = valuesIn(c.x, state.selected),
			values = c.f.values();
		const groups = groupBy(state.selected, i => (c.by ? c.by.v[i] : 0));
		const series = (c.by ? valuesIn(c.by, state.selected) : [0]).map(j => {
			const at = groupBy(groups.get(j) || [], i => c.x.v[i]);
			const lists = xs.map(x => at.get(x) || []);
			return {
				j,
				name: c.by ? textAt(c.by, j) : c.f.name,
				v: lists.map(list => together(list, values, c.way)),
				count: lists.map(list => known(list, values).length),
			};
		});
		return { xs, series, most: Math.max(0, ...series.flatMap(s => s.count)) };
	}

	function draw(p) {
		const { xs, series, most } = sums(),
			visible = series.slice(0, MOST_SERIES);
		const all = visible.flatMap(s => s.v);
		const partial = visible.some(s => s.v.some((v, k) => v !== null && s.count[k] < most));
		const [low, high] = extent(all, c.bars);
		const y = linear(low, high + (high - low) * 0.04, p.bottom, p.top);
		const even = isNumeric(c.x) && !c.bars && xs.length > 1;
		const at = xs.map(j => c.x.values[j]);
		const scale = even ? (arePowers(at) ? binary : linear)(Math.min(...at), Math.max(...at), p.left + 12, p.w - p.right - 12) : band(xs.length, p.left, p.w - p.right);
		const place = k => (even ? scale(at[k]) : scale(k));
		yAxis(p, y, unitText(c.f));
		if (even) xAxis(p, scale, c.x.name);
		else names(p, scale, xs.map(j => textAt(c.x, j)), c.x.name);
		visible.forEach((s, n) => {
			const colour = seriesColour(c.by ? s.j : 0);
			if (c.by) p.legend.push({ colour, name: s.name });
			const text = k => [`${c.x.name} ${textAt(c.x, xs[k])}` + (c.by ? `, ${c.by.name} ${s.name}` : ''), `${c.f.name} ${exact(s.v[k])}`, ...fewer(s.count[k], most)];
			const hollow = k => (s.count[k] < most ? { fill: 'var(--card)', stroke: colour } : { fill: colour });
			if (c.bars) {
				const wide = (scale.width * 0.8) / visible.length;
				s.v.forEach((v, k) => {
					if (v === null) return;
					const left = scale(k) - scale.width * 0.4 + n * wide;
					p.g.append(svg('rect', { x: left, y: y(v), width: Math.max(0.5, wide - 1), height: Math.max(0, y(Math.max(0, low)) - y(v)), style: hollow(k) }));
					p.marks.push({ x: left + wide / 2, y: y(v), box: [left, y(v), left + wide, p.bottom], text: text(k) });
				});
				return;
			}
			const there = s.v.map((v, k) => [place(k), v, k]).filter(q => q[1] !== null);
			p.g.append(svg('path', { class: 'line', d: there.length ? 'M' + there.map(q => q[0].toFixed(1) + ' ' + y(q[1]).toFixed(1)).join('L') : '', style: { stroke: colour } }));
			for (const [px, v, k] of there) {
				if (there.length <= 200) p.g.append(shape(s.j, px, y(v), 3, { style: hollow(k) }));
				p.marks.push({ x: px, y: y(v), text: text(k) });
			}
		});
		p.note = partial ? FEWER : '';
		if (series.length > MOST_SERIES)
			p.note += `The first ${MOST_SERIES} of ${series.length} values of ${c.by.name}; the download has all.`;
	}
	const view = plot({
		name: 'parameter',
		title: 'A figure against a parameter',
		height: 320,
		draw,
		rows: () => {
			const { xs, series } = sums();
			return [[c.x.name, ...series.map(s => s.name)], ...xs.map((j, k) => [c.x.values[j] ?? '', ...series.map(s => s.v[k])])];
		},
	});
	const set = setter(c, view);
	add(
		'parameter',
		el(
			'div',
			{ class: 'tools' },
			figureChoice('Figure', c.f, set('f')),
			dimChoice('against', varied, c.x, set('x')),
			dimChoice('for each', varied, c.by, set('by'), '(all together)'),
			meanChoice(c.way, set('way')),
			choice('as', [['lines', 'lines'], ['bars', 'bars']], c.bars ? 'bars' : 'lines', v => set('bars')(v === 'bars'))
		),
		view.node
	);
}

/* ---- two parameters ---- */

function drawHeat() {
	const c = { x: firstDim(d => d.parameter && isNumeric(d), d => d.parameter, () => true), y: null, f: mainFigure, way: 'geometric mean' };
	c.y = firstDim(d => d !== c.x && d.parameter, d => d !== c.x && d.name === 'netlist', d => d !== c.x);
	if (!c.x || !c.y) {
		add('heat', empty('The points differ in one thing only.'));
		return;
	}
	function cells() {
		const xs = valuesIn(c.x, state.selected),
			ys = valuesIn(c.y, state.selected),
			values = c.f.values();
		const groups = groupBy(state.selected, i => c.x.v[i] + '|' + c.y.v[i]);
		const lists = ys.map(b => xs.map(a => groups.get(a + '|' + b) || []));
		const count = lists.map(row => row.map(list => known(list, values).length));
		return { xs, ys, count, most: Math.max(0, ...count.flat()), v: lists.map(row => row.map(list => together(list, values, c.way))) };
	}
	function draw(p) {
		const { xs, ys, v, count, most } = cells();
		const [low, high] = extent(v.flat());
		const wide = Math.min(200, Math.max(...ys.map(j => textAt(c.y, j).length)) * 7 + 16);
		p.left = Math.max(70, wide);
		const x = band(xs.length, p.left, p.w - p.right),
			y = band(ys.length, p.bottom, p.top);
		names(p, x, xs.map(j => textAt(c.x, j)), c.x.name);
		const each = Math.max(1, Math.ceil(14 / y.width));
		ys.forEach((j, b) => {
			if (b % each === 0) p.g.append(svg('text', { x: p.left - 6, y: y(b) + 4, 'text-anchor': 'end' }, shorten(textAt(c.y, j), 28)));
		});
		p.g.append(svg('text', { x: 4, y: 11 }, c.y.name));
		v.forEach((row, b) =>
			row.forEach((value, a) => {
				const box = [x(a) - x.width / 2, y(b) - y.width / 2, x(a) + x.width / 2, y(b) + y.width / 2];
				if (value === null) return;
				const share = high > low ? (value - low) / (high - low) : 0.5;
				const part = count[b][a] < most;
				p.g.append(svg('rect', { class: part ? 'cell part' : 'cell', x: box[0] + 0.5, y: box[1] + 0.5, width: Math.max(0.5, x.width - 1), height: Math.max(0.5, y.width - 1), style: { fill: 'var(--run-0)', fillOpacity: String(0.08 + 0.92 * share) } }));
				if (x.width > round4(value).length * 7 + 4 && y.width > 15)
					p.g.append(svg('text', { class: share > 0.5 ? 'on' : 'ink', x: x(a), y: y(b) + 4, 'text-anchor': 'middle' }, round4(value)));
				p.marks.push({ x: x(a), y: y(b), box, text: [`${c.x.name} ${textAt(c.x, xs[a])}, ${c.y.name} ${textAt(c.y, ys[b])}`, `${c.f.name} ${exact(value)}`, ...fewer(count[b][a], most)] });
			})
		);
		const partial = v.some((row, b) => row.some((value, a) => value !== null && count[b][a] < most));
		p.note = (partial ? 'Dashed: of fewer points than the others, as some have no value. ' : '') + `${unitText(c.f)}, from ${round4(low)} to ${round4(high)}: the stronger the colour, the more.`;
	}
	const view = plot({
		name: 'heat',
		title: 'A figure against two parameters',
		height: 340,
		draw,
		rows: () => {
			const { xs, ys, v } = cells();
			return [[c.y.name + ' \\ ' + c.x.name, ...xs.map(j => textAt(c.x, j))], ...ys.map((j, b) => [textAt(c.y, j), ...v[b]])];
		},
	});
	const set = setter(c, view);
	add(
		'heat',
		el('div', { class: 'tools' }, figureChoice('Figure', c.f, set('f')), dimChoice('across', varied, c.x, set('x')), dimChoice('up', varied, c.y, set('y')), meanChoice(c.way, set('way'))),
		view.node
	);
}

/* ---- issue slots ---- */

/* What slots were used for: { label, reason, tint, values }, groups of reasons, reasons, or what stands behind these.
 * A cause has the reason with the longest name that fits, and its reason keeps the slots whose cause is not known. */
function usesOfSlots() {
	const under = (prefix, kept) => figures.filter(f => f.kind === 'run' && f.path.startsWith(prefix) && kept(f));
	const whole = prefix => f => ({ label: f.path.slice(prefix.length), reason: f.path.slice(prefix.length), tint: 0, values: f.values });
	const total = u => sumOf(u.values().map(v => v || 0));
	const groups = under('issue.', f => f.path.split('.').length === 2).map(whole('issue.'));
	const reasons = under('reasons.', () => true).map(whole('reasons.'));
	const behind = new Map(reasons.map(r => [r.reason, []]));
	for (const f of under('causes.', () => true)) {
		const name = f.path.slice('causes.'.length);
		let reason = name;
		do reason = reason.slice(0, Math.max(0, reason.lastIndexOf('.')));
		while (reason && !behind.has(reason));
		if (reason) behind.get(reason).push({ label: reason + ': ' + name.slice(reason.length + 1), reason, values: f.values });
	}
	const causes = reasons.flatMap(r => {
		const list = behind.get(r.reason).sort((a, b) => total(b) - total(a)),
			known = i => sumOf(list.map(u => u.values()[i] || 0));
		list.forEach((u, n) => (u.tint = n + 1));
		return [{ ...r, values: () => r.values().map((v, i) => (v === null ? null : v - known(i))) }, ...list];
	});
	const family = u => families.indexOf(familyOf(u.reason));
	const sorted = list => [...list].sort((a, b) => family(a) - family(b));
	return { groups: sorted(groups), reasons: sorted(reasons), causes: sorted(causes) };
}

function drawReasons() {
	const uses = usesOfSlots(),
		fine = uses.reasons.length > 0;
	const c = { x: firstDim(d => d.parameter, d => d.name === 'netlist', () => true), how: 'share', depth: fine ? 'reasons' : 'groups' };
	if (!uses.groups.length || !c.x) {
		add('reasons', empty(uses.groups.length ? 'There is one point only.' : 'The results have no issue slots.'));
		return;
	}
	const colour = u => paler(reasonColour(u.reason), u.tint);
	/* for each x the sum of each use over its points */
	function sums() {
		const order = uses[c.depth],
			xs = valuesIn(c.x, state.selected),
			groups = groupBy(state.selected, i => c.x.v[i]),
			work = figureOf('warp_instructions');
		const v = xs.map(j => {
			const list = groups.get(j),
				each = order.map(u => together(list, u.values(), 'sum') || 0);
			const whole = c.how === 'share' ? sumOf(each) / 100 : c.how === 'instruction' && work ? together(list, work.values(), 'sum') : 1;
			return each.map(n => (whole ? n / whole : 0));
		});
		return { xs, v, order };
	}
	const units = { share: '% of the issue slots', slots: 'issue slots', instruction: 'issue slots per warp instruction' };
	function draw(p) {
		const { xs, v, order } = sums();
		const most = Math.max(...v.map(sumOf), 0) || 1;
		const y = linear(0, c.how === 'share' ? 100 : most * 1.04, p.bottom, p.top),
			x = band(xs.length, p.left, p.w - p.right);
		yAxis(p, y, units[c.how]);
		names(p, x, xs.map(j => textAt(c.x, j)), c.x.name);
		xs.forEach((j, k) => {
			let from = 0;
			order.forEach((u, n) => {
				const to = from + v[k][n];
				if (to > from) {
					const box = [x(k) - x.width * 0.42, y(to), x(k) + x.width * 0.42, y(from)];
					p.g.append(svg('rect', { x: box[0], y: box[1], width: box[2] - box[0], height: box[3] - box[1], style: { fill: colour(u) } }));
					p.marks.push({ x: x(k), y: (box[1] + box[3]) / 2, box, text: [`${c.x.name} ${textAt(c.x, j)}`, `${u.label} ${exact(v[k][n])} ${units[c.how]}`] });
				}
				from = to;
			});
		});
		const least = c.depth === 'groups' ? 0 : 0.01;
		order.forEach((u, n) => {
			if (v.some(row => row[n] > least * sumOf(row))) p.legend.push({ colour: colour(u), name: u.label });
		});
		p.note = least ? 'What never has 1 % is in the bars and in the download, but not listed above.' : '';
	}
	const view = plot({
		name: 'reasons',
		title: 'Where the issue slots went',
		height: 320,
		draw,
		rows: () => {
			const { xs, v, order } = sums();
			return [[c.x.name, ...order.map(u => u.label)], ...xs.map((j, k) => [textAt(c.x, j), ...v[k]])];
		},
	});
	const set = setter(c, view);
	add(
		'reasons',
		el(
			'div',
			{ class: 'tools' },
			dimChoice('across', varied, c.x, set('x')),
			fine && choice('down to', [['groups', 'groups'], ['reasons', 'reasons'], ['causes', 'causes']], c.depth, set('depth')),
			choice('as', [['share', 'shares'], ['slots', 'slots'], ['instruction', 'slots per warp instruction']], c.how, set('how'))
		),
		view.node
	);
}
