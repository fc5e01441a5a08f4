/* warp_stages.js - the warp timeline by stage: where the instructions of a warp are; its files
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * From the ways of single instructions, so of the cycles in which the page has them.
 */

/* Instructions by row, and the places that they have. */
function stagesOf(t) {
	const ways = t.run.ways,
		places = new Map(ways.places.map(p => [bareName(p.name), { ...p, name: bareName(p.name) }])),
		names = [...places.keys()],
		of = ways.places.map(p => names.indexOf(bareName(p.name)));
	const key = w => w.core + ' ' + w.warp,
		lists = new Map();
	for (const l of readWays(ways)) {
		const k = key(ways.warps[l.warp]);
		if (!lists.has(k)) lists.set(k, []);
		lists.get(k).push(l);
	}
	return { names, places: [...places.values()], of, list: row => lists.get(key(row)) || [], from: ways.from, to: ways.to };
}

/* As paintRow(), but shares are of the instructions that the warp has in flight. */
function paintStages(stages, row, x0, x1, width, paint) {
	const scale = width / (x1 - x0),
		n = stages.names.length,
		share = new Float32Array(width * n);
	for (const l of stages.list(row)) {
		if (l.begin >= x1) break; /* in the order in which they begin */
		if (l.end <= x0) continue;
		let at = l.begin;
		l.path.forEach((p, i) => {
			const a = Math.max(0, (at - x0) * scale),
				b = Math.min(width, (at + l.cycles[i] - x0) * scale);
			at += l.cycles[i];
			for (let x = Math.floor(a); x < b; x++) share[x * n + stages.of[p]] += Math.min(b, x + 1) - Math.max(a, x);
		});
	}
	for (let x = 0; x < width; x++) {
		const mine = share.subarray(x * n, x * n + n),
			total = mine.reduce((p, q) => p + q, 0),
			mix = [];
		if (!total) continue;
		for (let s = 0; s < n; s++) if (mine[s] > 0) mix.push([s, mine[s] / total]);
		paint(x, 1, mix);
	}
}

/* What a row shows: [from, to, colours, paint(row, from, to, width, f)]. */
function warpPainter(t) {
	if (t.stages)
		return [t.stages.from, t.stages.to, t.stageColours, (row, a, b, width, f) => paintStages(t.stages, row, a, b, width, f)];
	const { from, to, states } = t.run.timeline;
	return [from, to, t.colours, (row, a, b, width, f) => paintRow(row, a, b, width, states.length, f)];
}

const stageResolve = t => {
	t.stageColours = t.stages ? resolve(t.stages.places, stageColour) : null;
};

function modeChooser(t) {
	if (!t.run.ways) return null;
	const legendOf = el('ul', { class: 'legend', hidden: '' });
	const choose = el(
		'select',
		{
			'aria-label': 'What the rows show',
			onchange: e => {
				t.stages = e.target.value === 'stages' ? stagesOf(t) : null;
				stageResolve(t);
				legendOf.hidden = !t.stages;
				if (t.stages)
					legendOf.replaceChildren(...t.stages.places.map(p => el('li', {}, el('span', { class: 'plain' }, chip(stageColour(p)), prettyPlace(p.name, p.waits)))));
				t.draw();
			},
		},
		el('option', { value: 'waits' }, 'what the next instruction waits for'),
		el('option', { value: 'stages' }, 'where the instructions are')
	);
	return el('div', {}, el('div', { class: 'tools' }, el('label', {}, 'Rows show', choose)), legendOf);
}

/* ---- files ---- */

/* Columns of the picture as SVG; its elements have colours of their own, for there are many. */
const WARP_COLUMNS = 400;

function warpSvg(t, title) {
	const [first, last, colours, painted] = warpPainter(t),
		from = Math.max(view.x0, first),
		to = Math.max(from + 1, Math.min(view.x1, last)),
		w = LEFT + 2 * WARP_COLUMNS + RIGHT,
		h = t.rows.length * t.pitch + BOTTOM;
	const picture = svg('svg', { viewBox: `0 0 ${w} ${h}` });
	t.rows.forEach((row, i) => {
		picture.append(svg('text', { x: LEFT - 6, y: (i + 0.8) * t.pitch, 'text-anchor': 'end', 'font-size': 10, fill: colours.ink }, warpName(row)));
		painted(row, from, to, WARP_COLUMNS, (x, n, shares) => {
			let top = i * t.pitch;
			for (const [s, share] of shares) {
				const height = (t.pitch - 1) * share;
				picture.append(svg('rect', { x: LEFT + 2 * x, y: top.toFixed(2), width: 2 * n, height: height.toFixed(2), fill: colours.rgb[s] }));
				top += height;
			}
		});
	});
	for (const v of ticks(from, to, 8))
		picture.append(svg('text', { x: LEFT + ((v - from) / (to - from)) * 2 * WARP_COLUMNS, y: h - 6, 'font-size': 11, 'text-anchor': 'middle', fill: colours.ink }, num(v)));
	picture.setAttribute('width', w);
	picture.setAttribute('height', h);
	picture.setAttribute('font-family', 'sans-serif');
	picture.prepend(svg('title', {}, title), svg('rect', { width: w, height: h, fill: background() }));
	return new XMLSerializer().serializeToString(picture) + '\n';
}

/* The segments of the window. */
function warpRows(t) {
	const run = t.run,
		out = [['core', 'warp', 'begin', 'end', 'state', 'pc', 'instruction']];
	for (const row of t.rows)
		for (let i = segmentAt(row, view.x0); i < row.n && row.begin[i] < view.x1; i++) {
			const p = row.code[i] >= 0 ? run.pcs[run.pc_of_code[row.code[i]]] : null;
			out.push([row.core, row.warp, row.begin[i], row.begin[i + 1], run.timeline.states[row.state[i]], p ? hex(p.pc) : '', p ? p.text : '']);
		}
	return out;
}
