/* inspect.js - pointer and keys on the warp timeline, and details of a cycle
 * SPDX-License-Identifier: BSD-2-Clause
 */

/* The state of a row in a cycle, as elements. */
function describe(t, row, cycle) {
	if (t.stages) return describeStages(t, row, cycle).flat(2).filter(Boolean);
	const run = t.run,
		i = segmentAt(row, cycle),
		s = row.state[i];
	const inside = cycle >= run.timeline.from && cycle < run.timeline.to;
	const head = el('p', {}, el('b', {}, warpName(row)), ', cycle ' + num(cycle));

	if (!inside) return [head, el('p', {}, 'outside the cycles of this timeline')];
	const length = row.begin[i + 1] - row.begin[i];
	const what = el(
		'p',
		{},
		chip(stateColour(run.timeline.states[s])),
		stateLabel(run, run.timeline.states[s]),
		s > ISSUE_SAME ? `, ${num(length)} cycle${length === 1 ? '' : 's'}` : null
	);
	if (row.code[i] < 0) return [head, what];
	const text = el('p', { class: 'code' }, codeText(run, row.code[i]));
	const after =
		s <= ISSUE_SAME
			? el(
					'p',
					{},
					row.took[i] ? `done ${num(row.took[i])} cycles later` : 'not done when the run ended'
				)
			: null;
	return [head, what, text, after].filter(Boolean);
}

function select(t, row, cycle) {
	t.row = row;
	view.cursor = cycle;
	t.inspect.replaceChildren(...describe(t, t.rows[row], cycle));
	pointed();
}

/* The next instruction that the chosen warp issued, or the previous one. */
function nextIssue(t, step) {
	const row = t.rows[t.row ?? 0],
		cycle = view.cursor ?? view.x0;
	let i = segmentAt(row, cycle) + (view.cursor === null && step > 0 ? 0 : step);
	while (i >= 0 && i < row.n && row.state[i] > ISSUE_SAME) i += step;
	if (i < 0 || i >= row.n) return;
	const at = row.begin[i];
	if (at < view.x0 || at >= view.x1) setView(at - (view.x1 - view.x0) / 2, at + (view.x1 - view.x0) / 2);
	select(t, t.row ?? 0, at);
}

function timelineKey(t, e) {
	const cycle = view.cursor ?? Math.floor((view.x0 + view.x1) / 2);
	const keys = {
		ArrowUp: () => select(t, Math.max(0, (t.row ?? 0) - 1), cycle),
		ArrowDown: () => select(t, Math.min(t.rows.length - 1, (t.row ?? -1) + 1), cycle),
		n: () => nextIssue(t, 1),
		p: () => nextIssue(t, -1),
	};
	if (e.key === 'Escape') {
		t.row = null;
		view.cursor = null;
		tip();
		pointed();
	} else if (keys[e.key]) {
		keys[e.key]();
		e.preventDefault();
	} else viewKey(e);
}

function timelinePointer(t) {
	const canvas = t.canvas;
	let drag = null;
	const cycleAt = e => {
		const x = e.clientX - canvas.getBoundingClientRect().left;
		return Math.min(view.x1 - 1, Math.max(view.x0, view.x0 + (x - LEFT) / t.shape.scale));
	};
	const rowAt = e => Math.floor((e.clientY - canvas.getBoundingClientRect().top) / t.pitch);

	canvas.addEventListener('pointerdown', e => {
		if (e.button !== 0) return;
		canvas.setPointerCapture(e.pointerId);
		drag = { x: e.clientX, x0: view.x0, x1: view.x1, moved: false };
		canvas.focus({ preventScroll: true });
	});
	canvas.addEventListener('pointermove', e => {
		if (drag && (drag.moved || Math.abs(e.clientX - drag.x) > 3)) {
			const by = (drag.x - e.clientX) / t.shape.scale;
			drag.moved = true;
			tip();
			if (drag.x0 + by >= 0 && drag.x1 + by <= longest) setView(drag.x0 + by, drag.x1 + by);
			return;
		}
		const row = rowAt(e);
		view.cursor = Math.floor(cycleAt(e));
		if (row >= 0 && row < t.rows.length)
			tip(e.clientX, e.clientY, ...describe(t, t.rows[row], view.cursor));
		else tip();
		pointed();
	});
	canvas.addEventListener('pointerup', e => {
		const row = rowAt(e);
		if (drag && !drag.moved && row >= 0 && row < t.rows.length) select(t, row, Math.floor(cycleAt(e)));
		drag = null;
	});
	canvas.addEventListener('pointerleave', () => {
		tip();
		pointed();
	});
	canvas.addEventListener('dblclick', e => zoom(0.25, cycleAt(e)));
	/* the page must scroll on its way past */
	canvas.addEventListener(
		'wheel',
		e => {
			if (document.activeElement !== canvas && !e.ctrlKey) return;
			e.preventDefault();
			if (Math.abs(e.deltaX) > Math.abs(e.deltaY)) pan(Math.sign(e.deltaX) * 0.08);
			else zoom(e.deltaY > 0 ? 1.25 : 0.8, cycleAt(e));
		},
		{ passive: false }
	);
	canvas.addEventListener('keydown', e => timelineKey(t, e));
}

/* Rows of one core, or of all if they are few enough to be drawn. */
const MOST_ROWS = 256;
function coreChooser(t) {
	const cores = [...new Set(t.all.map(row => row.core))];
	if (cores.length < 2) return null;
	const all = t.all.length <= MOST_ROWS;
	const choose = el(
		'select',
		{ 'aria-label': 'Only the warps of this core' },
		all && el('option', { value: '*' }, 'all cores'),
		cores.map(core => el('option', { value: core }, core || 'no core'))
	);
	const apply = () => {
		t.rows = t.all.filter(row => choose.value === '*' || row.core === choose.value);
		t.row = null;
	};
	choose.addEventListener('change', () => {
		apply();
		t.draw();
	});
	apply();
	return el('div', { class: 'tools' }, el('label', {}, 'Core', choose));
}

function timeline(run, title) {
	const lanes = (run.timeline.lanes || []).sort((a, b) => a.lane.localeCompare(b.lane, 'en', { numeric: true }));
	const rows = [...run.timeline.rows, ...lanes].map(r => ({
		...readRow(r.bytes, run.timeline.from, run.timeline.states.length),
		core: r.core,
		warp: r.warp,
		lane: r.lane,
	}));
	const layer = { position: 'absolute', left: '0', top: '0', pointerEvents: 'none' };
	const t = {
		run,
		all: rows,
		rows,
		row: null,
		stages: null,
		pitch: rows.length > 40 ? 10 : rows.length > 16 ? 12 : 16,
		canvas: el('canvas', {
			tabindex: '0',
			role: 'img',
			'aria-label':
				title +
				'. Plus and minus zoom, arrow keys move and choose a warp, n and p step through its instructions.',
		}),
		over: el('canvas', { style: layer, 'aria-hidden': 'true' }),
		inspect: el(
			'div',
			{ class: 'inspect', role: 'status', 'aria-live': 'polite' },
			'Choose a warp to see its instructions here.'
		),
		shape: { w: 0, h: 0, scale: 1 },
	};
	t.node = el('div', { class: 'warps' }, t.canvas, t.over);
	t.choose = [coreChooser(t), modeChooser(t)];
	t.files = downloads(title, () => warpSvg(t, title), () => warpRows(t));
	t.colours = resolve(run.timeline.states);
	t.draw = () => {
		drawTimeline(t);
		drawCursor(t);
	};
	view.listeners.push(t.draw);
	view.pointers.push(() => drawCursor(t));
	new ResizeObserver(() => {
		if (Math.floor(t.node.clientWidth) !== t.shape.w) t.draw();
	}).observe(t.node);
	document.addEventListener('theme', () => {
		t.colours = resolve(run.timeline.states);
		stageResolve(t);
		t.draw();
	});
	timelinePointer(t);
	return t;
}
