/* pipeline.js - instructions by cycle and stage, and the path of one of them
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The bytes are described in docs/report.md.
 */
const PIPE_ROWS = 40,
	PIPE_ROW = 16,
	PIPE_LEFT = 250;

/* All instructions: { warp, code, begin, end, path, cycles, args }. */
function readWays(ways) {
	const { more, number, signed } = bytesOf(ways.bytes),
		out = [];
	let code = 0,
		begin = ways.from;
	while (more()) {
		const warp = number();
		code += signed();
		begin += number();
		const path = ways.paths[number()],
			cycles = [],
			args = [];
		for (const p of path) {
			cycles.push(number());
			args.push(ways.places[p].arg ? number() : null);
		}
		out.push({ warp, code, begin, end: begin + sumOf(cycles), path, cycles, args });
	}
	return out;
}

const bareName = name => name.replace(/\[\d+\]/g, '');
const stageColour = place => placeColour(place.name, place.waits);
/* "sp[0]" is S, "sp[0].in" in front of it s; a wait has the first letter of what it waits for. */
function stageLetter(place) {
	const name = place.name.includes(':') ? place.name.split(':')[1] : bareName(place.name).replace(place.inside ? '' : /\.\w+$/, '').split('.').pop();
	return place.inside ? name[0].toUpperCase() : name[0].toLowerCase();
}

/* The instructions that are somewhere in the window, in the order in which they begin. */
function pipeRows(t) {
	const fits = t.mine.filter(l => l.begin < t.to && l.end > t.from && (t.warp === '' || l.warp === Number(t.warp)));
	return fits.slice(0, PIPE_ROWS);
}

function drawPipeRow(t, l, k, cell, y) {
	const run = t.run,
		ways = run.ways;
	const g = svg(
		'g',
		{ class: 'row' + (t.chosen === l ? ' chosen' : ''), 'data-row': k },
		svg('rect', { class: 'back', x: 0, y, width: t.w, height: PIPE_ROW }),
		svg('text', { x: 2, y: y + 12, class: 'mono' }, 'w' + ways.warps[l.warp].warp),
		svg('text', { x: 36, y: y + 12, class: 'mono ink' }, codeText(run, l.code).slice(0, 28))
	);
	let at = l.begin;
	l.path.forEach((p, i) => {
		const from = Math.max(at, t.from),
			to = Math.min(at + l.cycles[i], t.to),
			place = ways.places[p];
		at += l.cycles[i];
		if (to <= from) return;
		const x = PIPE_LEFT + (from - t.from) * cell;
		g.append(
			svg(
				'rect',
				{ class: 'stage' + (place.inside ? '' : ' waits'), x: x.toFixed(1), y: y + 1, width: ((to - from) * cell).toFixed(1), height: PIPE_ROW - 2, style: { fill: stageColour(place) } },
				svg('title', {}, `${place.name}, ${num(l.cycles[i])} cycles`)
			),
			cell >= 7 && svg('text', { class: 'letter', x: x + 2, y: y + 12 }, stageLetter(place))
		);
	});
	return g;
}

function drawPipe(t) {
	t.w = Math.max(560, Math.floor(t.node.clientWidth));
	const room = t.w - PIPE_LEFT - 8,
		last = t.run.ways.to;
	const first = t.mine.find(l => l.end > view.x0); /* nothing may happen at first */
	t.from = Math.min(Math.max(view.x0, first ? first.begin : 0), Math.max(view.x0, view.x1 - 16), Math.max(t.run.ways.from, last - 16));
	t.to = Math.min(t.from + Math.min(Math.max(16, view.x1 - view.x0), Math.floor(room / 8)), Math.max(last, t.from + 16));
	const cell = room / (t.to - t.from),
		rows = pipeRows(t),
		height = rows.length * PIPE_ROW + 26;
	t.rows = rows;
	const ruler = ticks(t.from, t.to, room / 90)
		.filter(c => c < t.to)
		.map(c => svg('text', { x: PIPE_LEFT + (c - t.from) * cell, y: 12 }, num(c)));
	const lines = ticks(t.from, t.to, room / 90).map(c => svg('line', { class: 'grid', x1: PIPE_LEFT + (c - t.from) * cell, x2: PIPE_LEFT + (c - t.from) * cell, y1: 16, y2: height }));
	t.picture.replaceChildren(
		svg('text', { x: 2, y: 12, class: 'shown' }, (t.core ? t.core + ', ' : '') + 'cycle'),
		...ruler,
		...rows.map((l, k) => drawPipeRow(t, l, k, cell, 18 + k * PIPE_ROW)),
		...lines
	);
	t.picture.setAttribute('viewBox', `0 0 ${t.w} ${height}`);
	t.picture.style.height = height + 'px';
	t.picture.style.width = t.w + 'px';
	t.note.textContent =
		(rows.length ? '' : (t.core || 'The core') + ' has no instruction in this window. ') +
		(rows.length < PIPE_ROWS ? '' : `The first ${PIPE_ROWS} instructions of this window. `) +
		(view.x0 > last || view.x1 < t.run.ways.from ? 'The page has no single instructions of this window. ' : '') +
		(last < t.run.cycles || t.run.ways.from > 0 ? `The page has the ways of the instructions that began in the cycles ${num(t.run.ways.from)} to ${num(last)}; --window=FROM-TO has others.` : '');
}

/* Warps are numbered in each core, so the figure has the instructions of one. */
function chooseCore(t, core) {
	t.core = core;
	t.warp = '';
	t.chosen = null;
	t.mine = t.all && t.all.filter(l => t.run.ways.warps[l.warp].core === core);
	t.warps.replaceChildren(
		el('option', { value: '' }, 'all warps'),
		...t.run.ways.warps
			.map((w, k) => [w, k])
			.filter(([w]) => w.core === core)
			.sort((a, b) => a[0].warp - b[0].warp)
			.map(([w, k]) => el('option', { value: k }, warpName(w)))
	);
}

/* Registers have names, and so have dependence counters behind them (docs/dump-format.md). */
function waitName(stay) {
	if (stay.place.arg !== 'register') return `${stay.place.arg} ${stay.arg}`;
	return stay.arg >= 1024 ? `SB${stay.arg - 1024}` : `R${stay.arg}`;
}

/* The table of one instruction: where it was, how long, and why. */
function drawWay(t) {
	const l = t.chosen;
	if (!l) {
		t.way.replaceChildren();
		return;
	}
	const ways = t.run.ways;
	let at = l.begin;
	const rows = l.path.map((p, i) => {
		const row = { place: ways.places[p], begin: at, cycles: l.cycles[i], arg: l.args[i] };
		at += l.cycles[i];
		return row;
	});
	const title = `${warpName(ways.warps[l.warp])}: ${codeText(t.run, l.code)}`;
	t.way.replaceChildren(
		el('h3', {}, 'The way of ', el('span', { class: 'code' }, title), `, cycles ${num(l.begin)} to ${num(l.end)}`),
		table({
			caption: 'The way of ' + title,
			fixed: true,
			rows,
			columns: [
				{ name: 'Place', class: 'code', get: s => s.place.name, show: s => [chip(stageColour(s.place)), s.place.name] },
				{ name: 'From cycle', number: true, get: s => s.begin },
				{ name: 'Cycles', number: true, get: s => s.cycles },
				{ name: 'What', class: 'name', get: s => s.place.doc + (s.arg !== null ? `: ${waitName(s)}` : '') },
			],
		}).node
	);
}

function listenPipe(t) {
	const choose = l => {
		t.chosen = l;
		drawPipe(t);
		drawWay(t);
	};
	t.picture.addEventListener('click', e => {
		const row = e.target.closest('[data-row]');
		if (row) choose(t.rows[Number(row.dataset.row)]);
	});
	t.picture.addEventListener('keydown', e => {
		const step = { ArrowDown: 1, ArrowUp: -1 }[e.key];
		if (e.key === 'Escape') choose(null);
		if (e.key === 'ArrowLeft' || e.key === 'ArrowRight') {
			const by = Math.ceil((t.to - t.from) / 2) * (e.key === 'ArrowLeft' ? -1 : 1);
			e.preventDefault();
			setView(t.from + by, t.to + by);
		} else if (!step) viewKey(e);
		if (!step || !t.rows.length) return;
		e.preventDefault();
		choose(t.rows[Math.min(t.rows.length - 1, Math.max(0, t.rows.indexOf(t.chosen) + step))]);
	});
}

function pipeCsv(t) {
	const ways = t.run.ways,
		out = [['core', 'warp', 'pc', 'instruction', 'place', 'begin', 'cycles', 'arg']];
	for (const l of t.rows) {
		const p = t.run.pcs[t.run.pc_of_code[l.code]];
		let at = l.begin;
		l.path.forEach((place, i) => {
			out.push([ways.warps[l.warp].core, ways.warps[l.warp].warp, p ? hex(p.pc) : '', p ? p.text : '', ways.places[place].name, at, l.cycles[i], l.args[i]]);
			at += l.cycles[i];
		});
	}
	return out;
}

function pipeline(r, i) {
	const title = 'The pipeline, ' + runName(i);
	const t = {
		run: r,
		all: null,
		mine: null,
		rows: [],
		core: '',
		warp: '',
		chosen: null,
		w: 0,
		picture: svg('svg', { class: 'program pipeline', tabindex: '0', role: 'img', 'aria-label': title + '. Up and down choose an instruction, left and right move.' }),
		way: el('div', {}),
		note: el('p', { class: 'note' }),
	};
	t.node = el('div', { class: 'figure scroll' }, t.picture);
	t.warps = el('select', {
		'aria-label': 'Only this warp',
		onchange: e => {
			t.warp = e.target.value;
			drawPipe(t);
		},
	});
	const cores = [...new Set(r.ways.warps.map(w => w.core))].sort((a, b) => a.localeCompare(b, 'en', { numeric: true })),
		chooser =
			cores.length > 1 &&
			el(
				'select',
				{
					'aria-label': 'The instructions of this SM',
					onchange: e => {
						chooseCore(t, e.target.value);
						drawPipe(t);
						drawWay(t);
					},
				},
				cores.map(core => el('option', { value: core, selected: core === r.ways.warps[0].core }, core || 'no core'))
			);
	let seen = false;
	const again = () => {
		if (!seen) return;
		if (!t.all) {
			t.all = readWays(r.ways);
			chooseCore(t, t.core);
		}
		drawPipe(t);
	};
	const alone = () => {
		seen = true;
		again();
		return svgText(t.picture, title);
	};
	add(
		'pipeline',
		heading(i),
		el('div', { class: 'tools' }, chooser && el('label', {}, 'SM', chooser), el('label', {}, 'Warp', t.warps)),
		el(
			'div',
			{},
			t.node,
			downloads(title, alone, () => {
				alone();
				return pipeCsv(t);
			})
		),
		t.note,
		t.way
	);
	chooseCore(t, r.ways.warps[0].core); /* of the first instruction */
	listenPipe(t);
	view.listeners.push(again);
	new ResizeObserver(() => {
		if (Math.max(560, Math.floor(t.node.clientWidth)) !== t.w) again();
	}).observe(t.node);
	/* read when it is scrolled into view */
	t.node.style.minHeight = '200px';
	whenSeen(t.node, now => {
		if (seen || !now) return;
		seen = true;
		again();
	});
}

function drawPipelines() {
	runs.forEach((r, i) => {
		if (r.ways) pipeline(r, i);
		else add('pipeline', heading(i), empty(why(r, 'The dump has no instructions')));
	});
}
