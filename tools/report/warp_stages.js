/* warp_stages.js - the warp timeline by stage: where the instructions of a warp are; its files
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * From the paths of single instructions in the cycles of which the page has them, elsewhere from shares by bins,
 * which docs/report.md describes.
 */

/* The bins of a row: each a list of [place, share]; equal ones that follow each other are one list. */
function readStages(text, bins) {
	const { more, number } = bytesOf(text),
		out = [];
	while (more()) {
		const times = Math.min(number(), bins - out.length),
			mix = [];
		let total = 0;
		for (let n = number(); n > 0; n--) {
			mix.push([number(), number()]);
			total += mix[mix.length - 1][1];
		}
		for (const one of mix) one[1] /= total;
		for (let k = 0; k < times; k++) out.push(mix);
	}
	return out;
}

/* Instructions by row, shares by row, and the places that they have. */
function stagesOf(t) {
	const { ways, stages } = t.run,
		key = w => w.core + ' ' + w.warp,
		number = new Map(stages.places.map((p, k) => [p.name, k])),
		of = ways.places.map(p => number.get(bareName(p.name))),
		lists = new Map(),
		texts = new Map(stages.rows.map(row => [key(row), row.bytes])),
		bins = new Map(),
		used = new Set((t.run.places || []).map(p => p.name));
	for (const l of readWays(ways)) {
		const k = key(ways.warps[l.warp]);
		if (!lists.has(k)) lists.set(k, []);
		lists.get(k).push(l);
	}
	return {
		run: t.run,
		places: stages.places,
		shown: stages.places.filter(p => used.has(p.name)),
		of,
		width: stages.width,
		from: ways.from,
		to: ways.to,
		list: row => lists.get(key(row)) || [],
		/* read when it is drawn first */
		bins: row => {
			const k = key(row);
			if (!bins.has(k)) bins.set(k, readStages(texts.get(k) || '', stages.bins));
			return bins.get(k);
		},
	};
}

/* Paints as paintRow() does, from the bins. */
function paintBins(stages, row, x0, x1, width, paint) {
	const bins = stages.bins(row),
		each = (x1 - x0) / width,
		sums = new Float64Array(stages.places.length);
	for (let x = 0; x < width; ) {
		const from = Math.floor((x0 + x * each) / stages.width),
			to = Math.max(from + 1, Math.ceil((x0 + (x + 1) * each) / stages.width)),
			/* pixels of one bin are painted at once */
			n = to > from + 1 ? 1 : Math.max(1, Math.min(width - x, Math.floor(((from + 1) * stages.width - x0) / each) - x)),
			mix = [];
		let total = 0;
		sums.fill(0);
		for (let b = from; b < to && b < bins.length; b++)
			for (const [s, share] of bins[b]) {
				sums[s] += share;
				total += share;
			}
		for (let s = 0; s < sums.length; s++) if (sums[s]) mix.push([s, sums[s] / total]);
		if (total) paint(x, n, mix);
		x += n;
	}
}

/* Paints from the paths of the instructions that the warp has in flight. */
function paintWays(stages, row, x0, x1, width, paint) {
	const scale = width / (x1 - x0),
		n = stages.places.length,
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

/* Are the paths of all instructions of these cycles in the page? */
const waysHave = (stages, x0, x1) => x0 >= stages.from && x1 <= stages.to;

const paintStages = (stages, row, x0, x1, width, paint) => (waysHave(stages, x0, x1) ? paintWays : paintBins)(stages, row, x0, x1, width, paint);

/* Where the instructions of a row are in a cycle, as elements. */
function describeStages(t, row, cycle) {
	const stages = t.stages,
		head = el('p', {}, el('b', {}, warpName(row)), ', cycle ' + num(cycle)),
		line = (p, text) => el('p', {}, chip(stageColour(p)), prettyPlace(p.name, p.waits), ': ', text);
	if (waysHave(stages, cycle, cycle + 1)) {
		const here = stages.list(row).filter(l => l.begin <= cycle && l.end > cycle);
		const lines = here.slice(0, 8).map(l => {
			let at = l.begin,
				i = 0;
			while (at + l.cycles[i] <= cycle) at += l.cycles[i++];
			return line(stages.places[stages.of[l.path[i]]], [el('span', { class: 'code' }, codeText(t.run, l.code)), `, for ${num(l.cycles[i])} cycle${l.cycles[i] === 1 ? '' : 's'}`]);
		});
		return [head, here.length ? lines : el('p', {}, 'no instruction in flight'), here.length > 8 ? el('p', {}, `and ${here.length - 8} more`) : null];
	}
	const bin = Math.floor(cycle / stages.width),
		mix = (stages.bins(row)[bin] || []).slice().sort((a, b) => b[1] - a[1]);
	return [
		head,
		el('p', {}, `from cycle ${num(bin * stages.width)} to ${num((bin + 1) * stages.width)}, of the instructions in flight:`),
		mix.length ? mix.map(([s, share]) => line(stages.places[s], pct(share, 1))) : el('p', {}, 'none'),
	];
}

/* What a row shows: [from, to, colours, paint(row, from, to, width, f)]. */
function warpPainter(t) {
	if (t.stages)
		return [0, t.run.cycles, t.stageColours, (row, a, b, width, f) => paintStages(t.stages, row, a, b, width, f)];
	const { from, to, states } = t.run.timeline;
	return [from, to, t.colours, (row, a, b, width, f) => paintRow(row, a, b, width, states.length, f)];
}

const stageResolve = t => {
	t.stageColours = t.stages ? resolve(t.stages.places, stageColour) : null;
};

function modeChooser(t) {
	if (!t.run.ways || !t.run.stages) return null;
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
					legendOf.replaceChildren(...t.stages.shown.map(p => el('li', {}, el('span', { class: 'plain' }, chip(stageColour(p)), prettyPlace(p.name, p.waits)))));
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
			out.push([row.core, row.lane || row.warp, row.begin[i], row.begin[i + 1], run.timeline.states[row.state[i]], p ? hex(p.pc) : '', p ? p.text : '']);
		}
	return out;
}
