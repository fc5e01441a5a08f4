/* core.js - the picture of the core, coloured by how busy each box was, and its figures
 * SPDX-License-Identifier: BSD-2-Clause
 */

/* "sp[0..3]" and "sm[1].sp[0]" without indices, as places and arrays are named */
const plainPath = path => path.replace(/\[[^\]]*\]/g, '');

const coreColour = share => `color-mix(in srgb, var(--busy) ${Math.round(80 * Math.min(1, share))}%, var(--card))`;

/* Boxes of the picture that have figures. */
function coreRows(r, boxes) {
	const busy = new Map((r.busy || []).map(b => [plainPath(b.name), b])),
		places = r.places || [];
	const mean = test => sumOf(places.filter(p => test(p.name)).map(p => p.total)) / r.cycles;
	const seen = new Set();
	return boxes
		.map(node => ({ node, path: node.dataset.path, name: plainPath(node.dataset.path), module: node.dataset.module, count: Number(node.dataset.count) || 1 }))
		.filter(b => !seen.has(b.name) && seen.add(b.name))
		.map(b => ({
			...b,
			busy: busy.has(b.name) ? busy.get(b.name).share : null,
			joules: r.energy && b.name in r.energy.parts ? r.energy.parts[b.name] : null,
			inside: mean(p => p === b.name || p.startsWith(b.name + ':')),
			front: mean(p => p.startsWith(b.name + '.') && !p.slice(b.name.length + 1).includes(':')),
		}));
}

/* The picture comes as text; it becomes nodes of an image, in which nothing runs. */
function corePicture(r, title) {
	const root = new DOMParser().parseFromString(r.picture, 'image/svg+xml').documentElement;
	if (root.tagName !== 'svg') return null;
	const node = document.importNode(root, true);
	node.setAttribute('role', 'img');
	node.setAttribute('aria-label', title);
	node.classList.add('core');
	node.style.setProperty('--full', node.viewBox.baseVal.width + 'px');
	return node;
}

/* The picture as wide as the page, or if too little of it could be seen then in full size, which scrolls. */
const SMALLEST = 1 / 3;

function coreFrame(picture, title) {
	const frame = el('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': title }, picture),
		button = el('button', { type: 'button' });
	const show = whole => {
		frame.classList.toggle('whole', whole);
		button.textContent = whole ? 'Full size' : 'Fit the page';
	};
	button.addEventListener('click', () => show(!frame.classList.contains('whole')));
	show(part('core').clientWidth >= SMALLEST * picture.viewBox.baseVal.width);
	return { frame, button };
}

function coreTable(r, rows, choose) {
	const show = value => (value === null ? '\u2013' : num(100 * value, 1));
	const t = table({
		caption: 'How busy the parts of the core were, ' + r.core,
		rows: rows.filter(b => b.busy !== null || b.joules || b.inside > 0 || b.front > 0),
		limit: 14,
		sort: 2,
		down: true,
		columns: [
			{ name: 'Part', class: 'code', get: b => b.path, show: b => el('span', { onpointerenter: () => choose(b), onpointerleave: () => choose(null) }, b.path) },
			{ name: 'Module', get: b => b.module },
			{ name: 'Busy, %', title: 'of the cycles, the busiest of an array', number: true, get: b => b.busy, show: b => show(b.busy), csv: b => b.busy },
			r.energy && { name: 'Energy, \u00b5J', title: 'of an array together', number: true, get: b => b.joules, show: b => (b.joules === null ? '\u2013' : num(1e6 * b.joules, 2)), csv: b => b.joules },
			{ name: 'Inside', title: 'instructions, mean', number: true, get: b => b.inside, show: b => mean(b.inside) },
			{ name: 'In front', title: 'instructions that waited to be taken, mean', number: true, get: b => b.front, show: b => mean(b.front) },
		],
	});
	return t.node;
}

function drawCore() {
	runs.forEach((r, i) => {
		const title = 'The core, ' + runName(i),
			picture = r.picture ? corePicture(r, title) : null;
		add('core', heading(i));
		if (!picture) {
			add('core', empty(why(r, 'The dump has no links, or too many to be drawn; it was made by an older version')));
			return;
		}
		const boxes = [...picture.querySelectorAll('.instance')],
			rows = coreRows(r, boxes);
		const most = Math.max(...rows.map(b => b.joules || 0));
		const ends = [document.createTextNode(''), document.createTextNode('')];
		const paint = power => {
			for (const node of boxes) {
				const b = rows.find(o => o.name === plainPath(node.dataset.path));
				/* four decades: the leakage of an SM is much more than what any part of it needs */
				const share = !power ? b.busy : b.joules > 0 ? Math.max(0, 1 + Math.log10(b.joules / most) / 4) : null;
				/* the two kinds of box have colours of their own, see tools/graph/picture.h */
				['--f', '--c'].forEach(name => (share === null ? node.style.removeProperty(name) : node.style.setProperty(name, coreColour(share))));
			}
			ends[0].data = power ? `${num(100 * most, 3)} \u00b5J or less` : 'idle';
			ends[1].data = power ? `${num(1e6 * most, 2)} \u00b5J by table ${r.energy.table}` : 'busy all the time';
		};
		for (const node of boxes) {
			const b = rows.find(o => o.name === plainPath(node.dataset.path)),
				text = node.querySelector('title');
			if (text && b.busy !== null) text.textContent += `\nbusy ${num(100 * b.busy, 1)} % of the time`;
			if (text && b.joules) text.textContent += `\n${num(1e6 * b.joules, 3)} \u00b5J`;
		}
		const colour = r.energy && el('button', { type: 'button' }, 'Colour by power');
		let power = false;
		if (colour)
			colour.addEventListener('click', () => {
				power = !power;
				paint(power);
				colour.textContent = power ? 'Colour by use' : 'Colour by power';
			});
		paint(false);
		const { frame, button } = coreFrame(picture, title);
		const choose = b => boxes.forEach(node => node.classList.toggle('faint', !!b && plainPath(node.dataset.path) !== b.name));
		add(
			'core',
			el(
				'div',
				{ class: 'corefigure' },
				frame,
				el(
					'div',
					{ class: 'scale' },
					ends[0],
					el('span', { style: { background: `linear-gradient(to right, ${[0, 0.25, 0.5, 0.75, 1].map(coreColour).join(', ')})` } }),
					ends[1],
					colour,
					button,
					downloads(title, () => svgText(picture, title), null)
				),
				coreTable(r, rows, choose)
			)
		);
	});
}
