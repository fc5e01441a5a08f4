/* study_speedup.js - how much faster than one value of something, point by point and on average
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A point is compared with the one that differs from it in nothing but what is compared.
 */
function drawSpeedup() {
	const c = {
		of: firstDim(d => d.name === 'design', d => d.name === 'netlist', d => d.parameter, () => true),
		base: null,
		over: null,
		f: mainFigure,
		more: false,
	};
	if (!c.of) {
		add('speedup', empty('There is one point only.'));
		return;
	}
	c.over = firstDim(d => d !== c.of && d.name === 'trace', d => d !== c.of);
	const box = el('div', { class: 'tools' });

	function pairs() {
		const values = c.f.values(),
			rest = varied.filter(d => d !== c.of);
		const key = i => rest.map(d => d.v[i]).join('|');
		const bases = new Map(state.selected.filter(i => c.of.v[i] === c.base).map(i => [key(i), i]));
		const out = [];
		for (const i of state.selected) {
			const b = bases.get(key(i));
			if (b === undefined || !(values[i] > 0) || !(values[b] > 0)) continue;
			out.push({ i, ratio: c.more ? values[i] / values[b] : values[b] / values[i] });
		}
		return out;
	}
	/* for each compared value: a mean for each value of `over`, and that of all pairs */
	function sums() {
		const all = pairs(),
			of = valuesIn(c.of, all.map(q => q.i)).filter(j => j !== c.base),
			over = c.over ? valuesIn(c.over, all.map(q => q.i)) : [];
		const mean = list => (list.length ? MEANS['geometric mean'](list.map(q => q.ratio)) : null);
		const v = of.map(j => {
			const mine = all.filter(q => c.of.v[q.i] === j),
				at = groupBy(mine, q => (c.over ? c.over.v[q.i] : 0));
			return [...over.map(t => mean(at.get(t) || [])), mean(mine)];
		});
		return { of, over, v, names: [...over.map(t => textAt(c.over, t)), 'geometric mean'] };
	}
	function draw(p) {
		const { of, v, names: texts } = sums(),
			visible = of.slice(0, MOST_SERIES);
		const [, high] = extent([...v.flat(), 1]);
		const y = linear(0, high * 1.05, p.bottom, p.top),
			x = band(texts.length, p.left, p.w - p.right);
		yAxis(p, y, `times as fast as ${c.of.name} ${textAt(c.of, c.base)}, by ${c.f.name}`);
		names(p, x, texts, c.over ? c.over.name : '');
		visible.forEach((j, n) => {
			const wide = (x.width * 0.8) / visible.length;
			p.legend.push({ colour: seriesColour(j), name: textAt(c.of, j) });
			v[n].forEach((ratio, k) => {
				if (ratio === null) return;
				const left = x(k) - x.width * 0.4 + n * wide;
				p.g.append(svg('rect', { x: left, y: y(ratio), width: Math.max(0.5, wide - 1), height: p.bottom - y(ratio), style: { fill: seriesColour(j), fillOpacity: k === texts.length - 1 ? '1' : '.75' } }));
				if (wide > 34) p.g.append(svg('text', { x: left + wide / 2, y: y(ratio) - 3, 'text-anchor': 'middle' }, ratio.toFixed(3)));
				p.marks.push({ x: left + wide / 2, y: y(ratio), box: [left, y(ratio), left + wide, p.bottom], text: [`${c.of.name} ${textAt(c.of, j)}, ${texts[k]}`, exact(ratio)] });
			});
		});
		p.g.append(svg('line', { class: 'even', x1: p.left, x2: p.w - p.right, y1: y(1), y2: y(1) }));
		if (!of.length) p.note = 'No selected point differs from another one in this alone.';
		else if (of.length > MOST_SERIES) p.note = `The first ${MOST_SERIES} of ${of.length} values; the download has all.`;
	}
	const view = plot({
		name: 'speedup',
		title: 'Speed-up',
		height: 320,
		draw,
		rows: () => {
			const { of, v, names: texts } = sums();
			return [[c.of.name, ...texts], ...of.map((j, n) => [textAt(c.of, j), ...v[n]])];
		},
	});
	function choices() {
		const set = setter(c, view);
		/* points that were refused have no results to compare with */
		const values = c.f.values(),
			have = new Set(points.filter(i => values[i] > 0).map(i => c.of.v[i]));
		if (c.base === null || !c.of.order.includes(c.base)) c.base = c.of.order.find(j => have.has(j)) ?? c.of.order[0] ?? -1;
		box.replaceChildren(
			dimChoice('Compare values of', varied, c.of, v => {
				c.of = v;
				c.base = null;
				if (c.over === v) c.over = firstDim(d => d !== v && d.name === 'trace', d => d !== v);
				choices();
				view.again();
			}),
			choice('with', c.of.order.map(j => [String(j), textAt(c.of, j)]), String(c.base), v => set('base')(Number(v))),
			dimChoice('for each', varied.filter(d => d !== c.of), c.over, set('over'), '(all together)'),
			figureChoice('by', c.f, set('f')),
			choice('where', [['less', 'less is faster'], ['more', 'more is faster']], c.more ? 'more' : 'less', v => set('more')(v === 'more'))
		);
	}
	choices();
	add('speedup', box, view.node);
}
