/* figure.js - numbers over time as one SVG: stacked steps, or lines
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * figure({ title, label, series, stacked, max, value, unit, launches }): series are
 * { name, colour, width, cycles, v }, v by bin of `width` cycles.  All figures show the same window
 * of cycles and the same cursor.
 */
const LEFT = 52,
	RIGHT = 10,
	TOP = 16,
	BOTTOM = 22;

const visible = s => {
	const first = Math.max(0, Math.floor(view.x0 / s.width));
	return [first, Math.min(s.v.length, Math.ceil(view.x1 / s.width))];
};

/* Points of a step curve; base: its lower edge, by bin. */
function steps(s, x, y, base) {
	const [from, to] = visible(s),
		top = [];
	for (let i = from; i < to; i++) {
		const h = y((base ? base[i] : 0) + s.v[i]);
		const a = x(Math.max(view.x0, i * s.width)),
			b = x(Math.min(view.x1, s.cycles, (i + 1) * s.width));
		top.push(a.toFixed(1) + ',' + h.toFixed(1), b.toFixed(1) + ',' + h.toFixed(1));
	}
	return top;
}

function areaPath(s, x, y, base, below) {
	const up = steps(s, x, y, base),
		down = steps({ ...s, v: below }, x, y, null).reverse();
	return up.length ? 'M' + up.join('L') + 'L' + down.join('L') + 'Z' : '';
}

function drawSeries(f, x, y) {
	const g = svg('g', {});
	const below = f.stacked ? [] : null;
	for (const s of f.series) {
		let d;
		if (f.stacked) {
			while (below.length < s.v.length) below.push(0);
			const base = below.slice();
			d = areaPath(s, x, y, base, base);
			s.v.forEach((v, i) => {
				below[i] += v;
			});
		} else {
			const points = steps(s, x, y, null);
			d = points.length ? 'M' + points.join('L') : '';
		}
		const faint = f.chosen && f.chosen !== s.name ? ' faint' : '';
		g.append(
			svg(
				'path',
				f.stacked
					? { d, class: 'area' + faint, style: { fill: s.colour } }
					: { d, class: 'line' + faint, style: { stroke: s.colour } }
			)
		);
	}
	return g;
}

function drawAxes(f, w, h, x, y) {
	const g = svg('g', {});
	for (const v of ticks(0, f.max, h / 38)) {
		g.append(
			svg('line', { class: 'grid', x1: LEFT, x2: w - RIGHT, y1: y(v), y2: y(v) }),
			svg('text', { x: LEFT - 6, y: y(v) + 4, 'text-anchor': 'end' }, f.value(v))
		);
	}
	for (const c of ticks(view.x0, view.x1, (w - LEFT) / 110))
		g.append(
			svg('line', { class: 'axis', x1: x(c), x2: x(c), y1: h - BOTTOM, y2: h - BOTTOM + 4 }),
			svg(
				'text',
				{
					x: x(c),
					y: h - 5,
					'text-anchor': x(c) > w - 40 ? 'end' : x(c) < LEFT + 20 ? 'start' : 'middle',
				},
				num(c)
			)
		);
	g.append(
		svg('line', { class: 'axis', x1: LEFT, x2: w - RIGHT, y1: h - BOTTOM, y2: h - BOTTOM }),
		svg('text', { x: LEFT - 6, y: h - 5, 'text-anchor': 'end' }, 'cycle'),
		svg('text', { x: LEFT, y: 10 }, f.unit)
	);
	return g;
}

/* Where kernels begin; numbers as long as there is room for them. */
function drawLaunches(f, w, h, x) {
	const g = svg('g', {});
	let free = -1;
	for (const l of f.launches || []) {
		if (l.begin === undefined || l.begin < view.x0 || l.begin >= view.x1) continue;
		g.append(
			svg('line', { class: 'launch', x1: x(l.begin), x2: x(l.begin), y1: TOP - 4, y2: h - BOTTOM })
		);
		if (x(l.begin) > free && x(l.begin) > LEFT + 170 && x(l.begin) < w - 24) {
			g.append(svg('text', { x: x(l.begin) + 3, y: 10 }, '#' + l.launch, svg('title', {}, l.name + (l.by ? ', ' + l.by : ''))));
			free = x(l.begin) + 30;
		}
	}
	return g;
}

/* The tooltip of a cycle. */
function readings(f, cycle) {
	const rows = [];
	for (const s of f.series) {
		const i = Math.floor(cycle / s.width);
		if (i < s.v.length && s.v[i] > 0) rows.push([s, s.v[i]]);
	}
	if (f.stacked) rows.reverse();
	const s = f.series[0],
		bin = Math.floor(cycle / s.width);
	return [
		el(
			'p',
			{},
			el(
				'b',
				{},
				'cycles ' + num(bin * s.width) + '\u2013' + num(Math.min(s.cycles, (bin + 1) * s.width) - 1)
			)
		),
		rows.length
			? el(
					'table',
					{},
					rows.map(([r, v]) =>
						el('tr', {}, el('td', {}, chip(r.colour), r.name), el('td', {}, f.value(v, true)))
					)
				)
			: el('p', {}, 'nothing'),
	];
}

/* Pointer and keys: the cursor, a window chosen by dragging, zooming by keys. */
function listen(f, picture, cycleAt) {
	let drag = null;
	picture.addEventListener('pointerdown', e => {
		if (e.button === 0) {
			picture.setPointerCapture(e.pointerId);
			drag = { cycle: cycleAt(e), x: e.clientX };
		}
	});
	picture.addEventListener('pointermove', e => {
		view.cursor = Math.floor(cycleAt(e));
		if (drag && (f.brush || Math.abs(e.clientX - drag.x) > 4)) f.brush = [drag.cycle, cycleAt(e)];
		tip(e.clientX, e.clientY, ...readings(f, view.cursor));
		pointed();
	});
	picture.addEventListener('pointerup', () => {
		const brush = f.brush;
		drag = f.brush = null;
		if (brush) setView(Math.min(...brush), Math.max(...brush));
	});
	picture.addEventListener('pointerleave', () => {
		tip();
		view.cursor = null;
		pointed();
	});
	picture.addEventListener('dblclick', () => setView(0, longest));
	picture.addEventListener('keydown', e => {
		viewKey(e);
		if (e.key === 'Escape') tip();
	});
}

/* A row for each bin of the run. */
function figureRows(f) {
	const fine = f.series.reduce((a, s) => (s.width < a.width ? s : a)),
		out = [['cycle', ...f.series.map(s => s.name)]];
	for (let i = 0; i * fine.width < Math.max(...f.series.map(s => s.cycles)); i++)
		out.push([i * fine.width, ...f.series.map(s => s.v[Math.floor((i * fine.width) / s.width)])]);
	return out;
}

function figure(f) {
	const node = el('figure', { class: 'figure' });
	const picture = svg('svg', { class: 'plot', tabindex: '0', role: 'img', 'aria-label': f.title });
	const over = svg('g', {});
	const height = f.height || 210,
		bottom = height - BOTTOM;
	let w = 0,
		seen = true,
		stale = true;
	const x = c => LEFT + ((c - view.x0) / (view.x1 - view.x0)) * (w - LEFT - RIGHT);
	const y = v => bottom - Math.min(1.02, v / f.max) * (bottom - TOP);

	function draw() {
		stale = false;
		w = Math.max(240, Math.floor(node.clientWidth));
		picture.setAttribute('viewBox', `0 0 ${w} ${height}`);
		picture.style.height = height + 'px';
		const axes = drawAxes(f, w, height, x, y),
			curves = drawSeries(f, x, y);
		picture.replaceChildren(axes, curves, drawLaunches(f, w, height, x), over);
	}
	f.draw = () => {
		stale = true;
		if (seen) draw();
	};
	function point() {
		const at = view.cursor,
			marks = [];
		if (!seen) return;
		if (at !== null && at >= view.x0 && at <= view.x1)
			marks.push(svg('line', { class: 'cursor', x1: x(at), x2: x(at), y1: TOP, y2: bottom }));
		if (f.brush)
			marks.push(
				svg('rect', {
					class: 'brush',
					y: TOP,
					height: bottom - TOP,
					x: x(Math.min(...f.brush)),
					width: Math.abs(x(f.brush[1]) - x(f.brush[0])),
				})
			);
		over.replaceChildren(...marks);
	}
	const pictureAlone = () => {
		draw();
		return svgText(picture, f.title);
	};
	node.append(picture, downloads(f.title, pictureAlone, () => figureRows(f)));
	listen(f, picture, e => {
		const box = picture.getBoundingClientRect();
		const share = (((e.clientX - box.left) * w) / box.width - LEFT) / (w - LEFT - RIGHT);
		return Math.min(view.x1 - 1, Math.max(view.x0, view.x0 + share * (view.x1 - view.x0)));
	});
	view.listeners.push(f.draw);
	view.pointers.push(point);
	new ResizeObserver(() => {
		if (Math.floor(node.clientWidth) !== w) draw();
	}).observe(node);
	whenSeen(node, now => {
		seen = now;
		if (seen && stale) draw();
	});
	return node;
}

/* Names of series, which highlight a series in all of the figures. */
function legend(figures, entries) {
	const list = el('ul', { class: 'legend' });
	const choose = name => {
		for (const f of figures) {
			f.chosen = name;
			f.draw();
		}
	};
	let kept = null;
	for (const e of entries) {
		const b = el(
			'button',
			{ type: 'button', 'aria-pressed': 'false', title: e.doc || null },
			chip(e.colour),
			e.name,
			e.share && el('span', { class: 'share' }, e.share)
		);
		b.addEventListener('click', () => {
			kept = kept === e.name ? null : e.name;
			list.querySelectorAll('button').forEach(o =>
				o.setAttribute('aria-pressed', String(o === b && kept !== null))
			);
			choose(kept);
		});
		b.addEventListener('pointerenter', () => choose(e.name));
		b.addEventListener('pointerleave', () => choose(kept));
		list.append(el('li', {}, b));
	}
	return list;
}
