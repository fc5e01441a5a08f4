/* study_plot.js - the frame of a figure: scales, axes, marks with a tooltip, downloads
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * plot({ name, title, height, draw, rows }): draw(p) puts elements into p.g, with marks for the pointer
 * and the keys in p.marks; rows() is [header, ...rows] for the download.  Figures are drawn when they are
 * scrolled into view, and again when the selection or their choices change.
 */
const round4 = v => (Math.abs(v) >= 1e5 || v === Math.round(v) ? num(v) : String(Number(v.toPrecision(4))));
/* As it is, for the pointer. */
const exact = v => (Number.isInteger(v) ? num(v) : String(v));

/* ---- scales ---- */

const linear = (from, to, a, b) => {
	const span = to - from || 1;
	const f = v => a + ((v - from) / span) * (b - a);
	f.ticks = most => ticks(from, from + span, most);
	return f;
};
const logarithmic = (from, to, a, b) => {
	const lo = Math.log10(from),
		span = Math.log10(to) - lo || 1;
	const f = v => a + ((Math.log10(v) - lo) / span) * (b - a);
	f.ticks = most => {
		const out = [];
		for (let e = Math.floor(lo); e <= Math.ceil(lo + span); e++)
			for (const k of span < 1.5 ? [1, 2, 3, 5, 7] : span < 4 ? [1, 2, 5] : [1])
				if (k * 10 ** e >= from * 0.999 && k * 10 ** e <= to * 1.001) out.push(k * 10 ** e);
		return out.length > most ? out.filter((v, i) => i % Math.ceil(out.length / most) === 0) : out;
	};
	return f;
};
/* For values that are powers of two, which are its ticks. */
const binary = (from, to, a, b) => {
	const f = logarithmic(from, to, a, b);
	f.ticks = most => {
		const out = [];
		for (let v = from; v <= to; v *= 2) out.push(v);
		return out.filter((v, i) => i % Math.max(1, Math.ceil(out.length / most)) === 0);
	};
	return f;
};
const arePowers = values => values.length > 2 && values.every(v => v > 0 && Number.isInteger(Math.log2(v)));
/* Places of names beside each other. */
const band = (count, a, b) => {
	const f = j => a + ((j + 0.5) / count) * (b - a);
	f.width = Math.abs(b - a) / count;
	return f;
};

/* ---- axes ---- */

const shorten = (text, most) => (text.length <= most ? text : text.slice(0, Math.max(1, most - 1)) + '\u2026');

function yAxis(p, y, title, show = round4) {
	for (const v of y.ticks(p.h / 38))
		p.g.append(
			svg('line', { class: 'grid', x1: p.left, x2: p.w - p.right, y1: y(v), y2: y(v) }),
			svg('text', { x: p.left - 6, y: y(v) + 4, 'text-anchor': 'end' }, show(v))
		);
	p.g.append(svg('text', { x: p.left, y: 11 }, title));
}
function xAxis(p, x, title, show = round4) {
	for (const v of x.ticks((p.w - p.left) / 90))
		p.g.append(
			svg('line', { class: 'axis', x1: x(v), x2: x(v), y1: p.bottom, y2: p.bottom + 4 }),
			svg('text', { x: x(v), y: p.bottom + 16, 'text-anchor': 'middle' }, show(v))
		);
	baseLine(p, title);
}
function baseLine(p, title) {
	p.g.append(
		svg('line', { class: 'axis', x1: p.left, x2: p.w - p.right, y1: p.bottom, y2: p.bottom }),
		svg('text', { x: (p.left + p.w - p.right) / 2, y: p.h - 3, 'text-anchor': 'middle' }, title)
	);
}
/* Names below their places; some are left out where there is no room. */
function names(p, x, texts, title) {
	const longest = Math.max(...texts.map(t => Math.min(t.length, 24)), 1);
	const each = Math.max(1, Math.ceil((longest * 6.6 + 10) / x.width));
	const room = Math.floor((each * x.width - 6) / 6.4);
	texts.forEach((t, j) => {
		if (j % each === 0)
			p.g.append(svg('text', { x: x(j), y: p.bottom + 16, 'text-anchor': 'middle' }, shorten(t, Math.max(3, room)), svg('title', {}, t)));
	});
	baseLine(p, title);
}

/* ---- marks ---- */

const SHAPES = [
	r => `M${-r} 0a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0Z`,
	r => `M${-r} ${-r}H${r}V${r}H${-r}Z`,
	r => `M0 ${-1.25 * r}L${1.15 * r} ${r}H${-1.15 * r}Z`,
	r => `M0 ${-1.35 * r}L${1.35 * r} 0L0 ${1.35 * r}L${-1.35 * r} 0Z`,
];
const shape = (j, x, y, r, attributes) =>
	svg('path', { d: SHAPES[Math.max(0, j) % SHAPES.length](r), transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})`, ...attributes });

/* One mark for each cell of two pixels: ten thousand points are no more than what can be seen. */
function thin(marks) {
	const seen = new Map();
	for (const m of marks) {
		const key = Math.round(m.x / 2) * 65536 + Math.round(m.y / 2) + (m.keep ? 0.5 : 0);
		if (seen.has(key)) seen.get(key).count++;
		else seen.set(key, { ...m, count: 1 });
	}
	return [...seen.values()];
}

/* ---- the frame ---- */

function plot(f) {
	const node = el('figure', { class: 'figure', id: 'plot-' + f.name });
	const picture = svg('svg', { class: 'plot', tabindex: '0', role: 'img', 'aria-label': f.title });
	const over = svg('g', {}),
		list = el('ul', { class: 'legend' }),
		note = el('p', { class: 'note' }),
		found = el('ol', { class: 'found' });
	let w = 0,
		seen = false,
		stale = true,
		marks = [],
		at = -1;

	function draw() {
		stale = false;
		at = -1;
		w = Math.max(240, Math.floor(node.clientWidth));
		const h = f.height || 300;
		const p = { w, h, left: 70, right: 14, top: 20, bottom: h - 36, g: svg('g', {}), marks: [], legend: [], note: '', found: [] };
		f.draw(p);
		marks = p.marks;
		picture.setAttribute('viewBox', `0 0 ${w} ${h}`);
		picture.style.height = h + 'px';
		over.replaceChildren();
		picture.replaceChildren(p.g, over);
		list.replaceChildren(...p.legend.map(e => el('li', {}, el('span', { class: 'plain' }, chip(e.colour), e.name))));
		note.textContent = p.note;
		note.hidden = !p.note;
		found.replaceChildren(...p.found.map(t => el('li', {}, t)));
		found.hidden = !p.found.length;
	}
	const point = (m, clientX, clientY) => {
		if (!m) {
			over.replaceChildren();
			tip();
			return;
		}
		over.replaceChildren(svg('circle', { class: 'cursor', cx: m.x, cy: m.y, r: 7, fill: 'none' }));
		tip(clientX, clientY, ...[m.text].flat().map(t => el('p', {}, t)));
	};
	picture.addEventListener('pointermove', e => {
		const box = picture.getBoundingClientRect(),
			x = ((e.clientX - box.left) * w) / box.width,
			y = e.clientY - box.top;
		let best = null,
			least = 30 * 30;
		for (const m of marks) {
			const inside = m.box && x >= m.box[0] && x <= m.box[2] && y >= m.box[1] && y <= m.box[3];
			const d = inside ? 0 : m.box ? Infinity : (m.x - x) ** 2 + (m.y - y) ** 2;
			if (d < least) {
				least = d;
				best = m;
			}
		}
		point(best, e.clientX, e.clientY);
	});
	picture.addEventListener('pointerleave', () => point(null));
	picture.addEventListener('blur', () => point(null));
	picture.addEventListener('keydown', e => {
		const step = { ArrowRight: 1, ArrowLeft: -1, Home: -Infinity, End: Infinity }[e.key];
		if (e.key === 'Escape') point(null);
		if (step === undefined || !marks.length || e.ctrlKey || e.metaKey || e.altKey) return;
		at = Math.min(marks.length - 1, Math.max(0, at + step));
		const box = picture.getBoundingClientRect();
		point(marks[at], box.left + (marks[at].x * box.width) / w, box.top + marks[at].y);
		e.preventDefault();
	});
	const again = () => {
		stale = true;
		if (seen) draw();
	};
	node.append(
		picture,
		list,
		note,
		found,
		downloads(
			f.title,
			() => {
				if (stale) draw();
				return svgText(picture, f.title);
			},
			f.rows,
			f.name
		)
	);
	state.listeners.push(again);
	new ResizeObserver(() => {
		if (seen && Math.floor(node.clientWidth) !== w) draw();
	}).observe(node);
	whenSeen(node, now => {
		seen = now;
		if (seen && stale) draw();
	});
	return { node, again };
}

/* ---- choices ---- */

/* set(name) takes a choice of the figure, which is drawn again. */
const setter = (c, figure) => name => v => {
	c[name] = v;
	figure.again();
};

/* A list to choose from; options: [value, text] or { group, options }. */
function choice(label, options, value, on) {
	const one = ([v, text]) => el('option', { value: v }, text);
	const box = el(
		'select',
		{ onchange: () => on(box.value) },
		options.map(o => (o.group ? el('optgroup', { label: o.group }, o.options.map(one)) : one(o)))
	);
	box.value = value;
	return el('label', {}, label, box);
}
const dimChoice = (label, list, chosen, on, none) =>
	choice(
		label,
		[...(none ? [['', none]] : []), ...list.map(d => [d.name, d.name])],
		chosen ? chosen.name : '',
		v => on(dimOf(v) || null)
	);
function figureChoice(label, chosen, on) {
	const groups = [
		['figures of the run', 'run'],
		['statistics of instances', 'instance'],
		['queues', 'queue'],
		['clocks', 'clock'],
	].map(([group, kind]) => ({
		group,
		options: shown.filter(f => f.kind === kind).map(f => [String(figures.indexOf(f)), f.name]),
	}));
	return choice(label, groups.filter(g => g.options.length), String(figures.indexOf(chosen)), v => on(figures[v]));
}
const meanChoice = (chosen, on) =>
	choice(
		'several points as',
		Object.keys(MEANS).map(w => [w, w]),
		chosen,
		on
	);
