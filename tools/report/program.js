/* program.js - the program in order: what each instruction lost, blocks, loops, who waits for whom
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Blocks and loops are those that the warps went through: where a warp goes from one instruction to
 * another one than the next, a block ends and another begins.
 */
const PROGRAM_ROW = 18,
	MOST_LOOPS = 6,
	MOST_ARROWS = 24,
	MOST_INSTRUCTIONS = 1500;

/* The instructions of a kernel, in the order of their addresses; numbers of others become rows. */
function programOf(r, kernel) {
	const rows = r.pcs
		.map((p, i) => ({ ...p, number: i }))
		.filter(p => p.kernel === kernel)
		.sort((a, b) => a.pc - b.pc || a.number - b.number);
	const at = new Map(rows.map((p, i) => [p.number, i]));
	for (const p of rows) {
		p.to = (p.next || []).filter(([t]) => at.has(t)).map(([t, n]) => [at.get(t), n]);
		p.from = (p.awaits || []).filter(([t]) => at.has(t)).map(([t, n]) => [at.get(t), n]);
	}
	return rows;
}

/* Numbers the blocks; returns the loops, { from, to, times }: the way back from row `to`. */
function blocksOf(rows) {
	const first = new Set([0]),
		loops = [];
	rows.forEach((p, i) => {
		if (sumOf(p.to.map(x => x[1])) < p.issued) first.add(i + 1); /* some went nowhere: they ended */
		for (const [t, n] of p.to) {
			if (t === i + 1 || t === 0) continue; /* the first row: another warp begins */
			first.add(t);
			first.add(i + 1);
			if (t <= i) loops.push({ from: t, to: i, times: n });
		}
	});
	let block = -1;
	rows.forEach((p, i) => {
		p.leads = first.has(i);
		block += p.leads ? 1 : 0;
		p.block = block;
	});
	/* inner loops are drawn further right */
	loops.sort((a, b) => b.to - b.from - (a.to - a.from) || a.from - b.from);
	loops.forEach((l, k) => {
		const outer = loops.slice(0, k).filter(o => o.from <= l.to && o.to >= l.from);
		l.level = Math.max(-1, ...outer.map(o => o.level)) + 1;
	});
	return loops.filter(l => l.level < MOST_LOOPS);
}

const kindOf = (r, number) => kinds.find(k => k.key === kindKey(r.slots[number]));

/* The reasons of an instruction, with what is in no reason that the page has. */
function lossesOf(r, p) {
	const list = p.reasons.map(([k, n]) => ({ n, colour: kindOf(r, k).colour, label: kindOf(r, k).label }));
	const rest = p.waiting - sumOf(p.reasons.map(x => x[1]));
	return rest > 0 ? [...list, { n: rest, colour: 'var(--mark)', label: 'other reasons' }] : list;
}

function programTip(r, i, rows, p) {
	const line = (a, b) => el('tr', {}, el('td', {}, a), el('td', {}, b));
	return [
		el('p', { class: 'code' }, hex(p.pc) + ' ' + p.text),
		p.source && el('p', {}, p.source),
		el('p', {}, `block ${p.block}, issued ${num(p.issued)} times`),
		el(
			'table',
			{},
			lossesOf(r, p).map(l => line([chip(l.colour), l.label], num(l.n))),
			p.from.map(([t, n]) => line(`waits for ${hex(rows[t].pc)} ${rows[t].text.split(/\s+/)[0]}`, num(n)))
		),
	];
}

/* Brackets of loops, left of the addresses. */
function drawLoops(loops, x0) {
	return loops.map(l => {
		const x = x0 + 7 * l.level,
			top = l.from * PROGRAM_ROW + 6,
			bottom = (l.to + 1) * PROGRAM_ROW - 5;
		return svg(
			'g',
			{ class: 'loop' },
			svg('title', {}, `${num(l.times)} times back to the first instruction`),
			svg('path', { d: `M${x + 6} ${bottom}H${x}V${top}H${x + 6}m-3 -3l3 3l-3 3`, fill: 'none' })
		);
	});
}

/* An arc from the row that waits to the one that computes; wider, the more slots. */
function arrow(x, room, from, to, n, most) {
	const y0 = from * PROGRAM_ROW + PROGRAM_ROW / 2,
		y1 = to * PROGRAM_ROW + PROGRAM_ROW / 2,
		out = Math.min(room, 12 + 5 * Math.sqrt(Math.abs(from - to)));
	return svg(
		'g',
		{ class: 'awaits', 'data-from': from, 'data-to': to },
		svg('title', {}, `${num(n)} slots`),
		svg('path', {
			d: `M${x} ${y0}C${x + out} ${y0} ${x + out} ${y1} ${x + 4} ${y1}`,
			fill: 'none',
			'stroke-width': (1 + (3 * n) / most).toFixed(1),
		}),
		svg('path', { d: `M${x + 1} ${y1}l6 -3.5v7z`, class: 'head' })
	);
}

function drawProgram(state) {
	const { r, i, picture, rows, loops } = state,
		w = Math.max(560, Math.floor(state.node.clientWidth));
	const depth = Math.max(0, ...loops.map(l => l.level + 1)),
		left = 34 + 7 * depth,
		arrows = 70;
	const narrow = w < 800,
		textEnd = left + 62 + (w - left) * (narrow ? 0.36 : 0.4),
		barX = textEnd + 70,
		barEnd = w - arrows - 54,
		most = Math.max(1, ...rows.map(p => p.waiting));
	const room = Math.floor((textEnd - left - 62) / 7.4),
		g = svg('g', {});
	rows.forEach((p, k) => {
		const y = k * PROGRAM_ROW,
			text = p.text.length > room ? p.text.slice(0, room - 1) + '\u2026' : p.text;
		let x = barX;
		g.append(
			svg(
				'g',
				{ class: 'row' + (state.row === k ? ' chosen' : ''), 'data-row': k },
				svg('rect', { class: p.block % 2 ? 'back odd' : 'back', x: 0, y, width: w, height: PROGRAM_ROW }),
				p.leads && svg('line', { class: 'grid', x1: 0, x2: w, y1: y, y2: y }),
				p.leads && svg('text', { x: 2, y: y + 13 }, 'B' + p.block),
				svg('text', { x: left + 48, y: y + 13, class: 'mono', 'text-anchor': 'end' }, hex(p.pc)),
				svg('text', { x: left + 58, y: y + 13, class: 'mono ink' }, text),
				svg('text', { x: textEnd + 58, y: y + 13, 'text-anchor': 'end' }, num(p.issued)),
				lossesOf(r, p).map(l => {
					const width = ((barEnd - barX) * l.n) / most,
						at = x;
					x += width;
					return svg('rect', { class: 'loss', x: at.toFixed(1), y: y + 4, width: Math.max(0.4, width).toFixed(1), height: 10, style: { fill: l.colour } });
				}),
				p.waiting / slotsOf(i) >= 0.0005 && svg('text', { x: x + 4, y: y + 13 }, pct(p.waiting, slotsOf(i)))
			)
		);
	});
	const all = rows.flatMap((p, k) => p.from.map(([t, n]) => [k, t, n])).sort((a, b) => b[2] - a[2]);
	const shown = all.filter(([from, to], k) => k < MOST_ARROWS || from === state.row || to === state.row);
	picture.replaceChildren(
		g,
		...drawLoops(loops, 26),
		...shown.map(([from, to, n]) => {
			const a = arrow(w - arrows, arrows - 12, from, to, n, all[0][2]);
			if (state.row !== null && from !== state.row && to !== state.row) a.classList.add('faint');
			return a;
		})
	);
	picture.setAttribute('viewBox', `0 0 ${w} ${rows.length * PROGRAM_ROW + 2}`);
	picture.style.height = rows.length * PROGRAM_ROW + 2 + 'px';
	picture.style.width = w + 'px';
	state.w = w;
}

function programRows(state) {
	return [
		['pc', 'instruction', 'block', 'issued', 'slots lost waiting', 'waited mostly for', 'instructions that it waited for', 'source'],
		...state.rows.map(p => [hex(p.pc), p.text, p.block, p.issued, p.waiting, lossesOf(state.r, p).map(l => l.label + ' ' + l.n).join('; '), p.from.map(([t, n]) => hex(state.rows[t].pc) + ' ' + n).join('; '), p.source || '']),
	];
}

function listenProgram(state) {
	const rowAt = e => {
		const row = e.target.closest('[data-row]');
		return row ? Number(row.dataset.row) : null;
	};
	const choose = k => {
		state.row = k;
		drawProgram(state);
	};
	state.picture.addEventListener('pointermove', e => {
		const k = rowAt(e);
		if (k === null) tip();
		else tip(e.clientX, e.clientY, ...programTip(state.r, state.i, state.rows, state.rows[k]));
	});
	state.picture.addEventListener('pointerleave', () => tip());
	state.picture.addEventListener('click', e => choose(rowAt(e) === state.row ? null : rowAt(e)));
	state.picture.addEventListener('keydown', e => {
		const step = { ArrowDown: 1, ArrowUp: -1 }[e.key];
		if (e.key === 'Escape') choose(null);
		if (!step) return;
		e.preventDefault();
		choose(Math.min(state.rows.length - 1, Math.max(0, (state.row ?? -1) + step)));
		const box = state.picture.getBoundingClientRect();
		tip(box.left + 300, Math.max(0, box.top + state.row * PROGRAM_ROW), ...programTip(state.r, state.i, state.rows, state.rows[state.row]));
	});
}

function program(r, i) {
	const title = 'The program, ' + runName(i),
		names = r.kernels.map((n, k) => [n, k]).filter(([, k]) => r.pcs.some(p => p.kernel === k));
	const lost = k => sumOf(r.pcs.filter(p => p.kernel === k).map(p => p.waiting));
	names.sort((a, b) => lost(b[1]) - lost(a[1]));
	const picture = svg('svg', { class: 'program', tabindex: '0', role: 'img', 'aria-label': title + '. Up and down choose an instruction.' });
	const node = el('div', { class: 'figure scroll' }, picture),
		note = el('p', { class: 'note' });
	const state = { r, i, picture, node, row: null, w: 0, rows: [], loops: [] };
	const show = kernel => {
		const all = programOf(r, kernel);
		state.row = null;
		state.loops = blocksOf(all);
		state.rows = all.slice(0, MOST_INSTRUCTIONS);
		state.loops = state.loops.filter(l => l.to < state.rows.length);
		note.textContent = all.length > state.rows.length ? `The first ${num(state.rows.length)} of ${num(all.length)} instructions.` : '';
		note.hidden = !note.textContent;
		drawProgram(state);
	};
	const choose =
		names.length > 1 &&
		el('div', { class: 'tools' }, el('label', {}, 'Kernel', el('select', { 'aria-label': 'Kernel of the program', onchange: e => show(Number(e.target.value)) }, names.map(([n, k]) => el('option', { value: k }, shortName(n))))));
	new ResizeObserver(() => {
		if (Math.max(560, Math.floor(node.clientWidth)) !== state.w) drawProgram(state);
	}).observe(node);
	listenProgram(state);
	add('program', heading(i), choose, el('div', {}, node, downloads(title, () => svgText(picture, title), () => programRows(state))), note);
	show(names[0][1]);
}

function drawPrograms() {
	runs.forEach((r, i) => {
		if ((r.pcs || []).some(p => p.issued || p.waiting)) program(r, i);
		else add('program', heading(i), empty(why(r, 'The dump has no instructions and no reasons of issue slots')));
	});
}
