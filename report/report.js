/* report.js - the theme, the time window's buttons, the warps, and everything in its order
 * SPDX-License-Identifier: BSD-2-Clause
 */
function startTheme() {
	const button = part('theme'), system = matchMedia('(prefers-color-scheme: dark)');
	let chosen = null;
	const apply = () => {
		const dark = chosen ?? system.matches;
		document.documentElement.dataset.theme = dark ? 'dark' : 'light';
		button.textContent = dark ? 'Light' : 'Dark';
		button.setAttribute('aria-label', dark ? 'Change to light colours' : 'Change to dark colours');
		document.dispatchEvent(new Event('theme'));
	};
	button.addEventListener('click', () => {
		chosen = !(chosen ?? system.matches);
		apply();
	});
	system.addEventListener('change', apply);
	apply();
}

function startWindow() {
	const text = el('output', { 'aria-live': 'off' });
	const button = (name, label, action) => el('button', { type: 'button', 'aria-label': label, title: label, onclick: action }, name);
	add('window', text, el('span', { class: 'keys' }, button('\u2212', 'zoom out', () => zoom(2)), button('+', 'zoom in', () => zoom(0.5)),
		button('\u2190', 'earlier', () => pan(-0.25)), button('\u2192', 'later', () => pan(0.25)), button('All', 'the whole run', () => setView(0, longest))),
	el('span', {}, 'Drag across a figure to zoom; all figures follow.'));
	const show = () => { text.textContent = `Cycles ${num(view.x0)} \u2013 ${num(view.x1)}` + (whole() ? ' (all)' : ` (${num(view.x1 - view.x0)})`); };
	view.listeners.push(show);
	show();
}

function drawWarps() {
	runs.forEach((r, i) => {
		add('timeline', heading(i));
		if (!r.timeline || !r.timeline.rows.length) {
			add('timeline', empty(why(r, 'The dump holds no lives of instructions')));
			return;
		}
		if (r.timeline.from > 0 || r.timeline.to < r.cycles)
			add('timeline', empty(`Holds the cycles ${num(r.timeline.from)} to ${num(r.timeline.to)} of ${num(r.cycles)}, as many as agreed; `
				+ 'heddle report --window=FROM-TO or --detail=N chooses others.', 'warning'));
		const t = timeline(r, 'What every warp did, ' + runName(i));
		const states = r.timeline.states.map((name, k) => ({ name, k })).filter(s => s.k !== ISSUE_SAME && s.name !== 'absent');
		add('timeline', t.node, el('ul', { class: 'legend' }, states.map(s => el('li', {}, el('button', { type: 'button', tabindex: '-1', disabled: '' },
			chip(stateColour(s.name)), stateLabel(r, s.name))))), t.inspect);
		if (r.timeline.from > 0)
			setView(r.timeline.from, r.timeline.to);
		t.draw();
	});
}

startTheme();
startWindow();
drawSummary();
drawKernels();
drawSlots();
drawIpc();
drawUnits();
drawOccupancy();
drawBanks();
drawPcs();
drawTree();
drawWarps();
add('about', 'Written by heddle ' + data.heddle + '. Cycles are periods of the first clock of the netlist, from 0. See heddle-report(1).');
changed();
document.documentElement.dataset.ready = 'yes';
