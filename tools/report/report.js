/* report.js - the buttons of the time window, the warps, and the order of parts
 * SPDX-License-Identifier: BSD-2-Clause
 */
function startWindow() {
	const text = el('output', { 'aria-live': 'off' });
	const button = (name, label, action) =>
		el('button', { type: 'button', 'aria-label': label, title: label, onclick: action }, name);
	add(
		'window',
		text,
		el(
			'span',
			{ class: 'keys' },
			button('\u2212', 'zoom out', () => zoom(2)),
			button('+', 'zoom in', () => zoom(0.5)),
			button('\u2190', 'earlier', () => pan(-0.25)),
			button('\u2192', 'later', () => pan(0.25)),
			button('All', 'the whole run', () => setView(0, longest))
		),
		el('span', {}, 'Drag across a figure to zoom; all figures follow.')
	);
	const show = () => {
		text.textContent =
			`Cycles ${num(view.x0)} \u2013 ${num(view.x1)}` +
			(whole() ? ' (all)' : ` (${num(view.x1 - view.x0)})`);
	};
	view.listeners.push(show);
	show();
}

/* The next window has as many cycles after those of the warp timelines; at the end, from the first. */
function nextWindow(r) {
	const { from, to } = r.timeline;
	return to < r.cycles ? `${to}-${Math.min(r.cycles, 2 * to - from)}` : `0-${to - from}`;
}

function drawWarps() {
	const states = new Map();
	runs.forEach((r, i) => {
		add('timeline', heading(i));
		if (!r.timeline || !r.timeline.rows.length) {
			add('timeline', empty(why(r, 'The dump has no instructions')));
			return;
		}
		if (r.timeline.from > 0 || r.timeline.to < r.cycles)
			add(
				'timeline',
				empty(
					`Shows the cycles ${num(r.timeline.from)} to ${num(r.timeline.to)} of ${num(r.cycles)}. ` +
						`The page of the next ones: heddle report ${r.file} --window=${nextWindow(r)}; ` +
						'--detail=N shows more at once. The figures above are of all cycles.',
					'warning'
				)
			);
		const t = timeline(r, 'What every warp did, ' + runName(i));
		add('timeline', t.choose, el('div', {}, t.node, t.files), t.inspect);
		r.timeline.states.forEach(name => states.set(name, stateLabel(r, name)));
		if (r.timeline.from > 0) setView(r.timeline.from, r.timeline.to);
		t.draw();
	});
	states.delete('absent');
	states.delete('lane.nothing');
	states.delete('issue, and another');
	if (states.size)
		add(
			'timeline',
			el(
				'ul',
				{ class: 'legend' },
				[...states].map(([name, label]) =>
					el('li', {}, el('span', { class: 'plain' }, chip(stateColour(name)), label))
				)
			)
		);
}

startTheme();
startWindow();
drawSummary();
drawCore();
drawKernels();
drawSlots();
drawIpc();
drawUnits();
drawPower();
drawOccupancy();
drawBanks();
drawMemory();
drawPcs();
drawPrograms();
drawTree();
drawPipelines();
drawWarps();
add(
	'about',
	'Written by heddle ' +
		data.heddle +
		'. Cycles are periods of the first clock of the netlist, from 0. See heddle-report(1).'
);
changed();
document.documentElement.dataset.ready = 'yes';
