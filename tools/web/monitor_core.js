/* monitor_core.js - the picture of the core: which box is which instance, and what it does
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A box or a link of the picture may stand for many: "sp[0..3]" is sp[0] to sp[3], "sp[0,2]" those two.
 */
'use strict';

/* Does the path fit the name in the picture? */
function fitter(name) {
	const ranges = [],
		text = name.replace(/[.*+?^${}()|\\[\]]/g, '\\$&').replace(/\\\[(\d+)\\\.\\\.(\d+)\\\]/g, (_, a, b) => {
			ranges.push([+a, +b]);
			return '\\[(\\d+)\\]';
		}).replace(/\\\[(\d+(?:,\d+)+)\\\]/g, (_, list) => '\\[(?:' + list.replace(/,/g, '|') + ')\\]'),
		form = new RegExp('^' + text + '$');
	return path => {
		const found = form.exec(path);
		return found !== null && ranges.every(([a, b], i) => +found[i + 1] >= a && +found[i + 1] <= b);
	};
}

const instanceOf = port => port.slice(0, port.lastIndexOf('.'));

const SMALLEST = 0.6; // of the size in which it is drawn

class Core {
	constructor(place, choose) {
		this.place = place;
		this.choose = choose;
		this.boxes = [];
		this.links = [];
		this.found = new Map(); // path of an instance -> its box, or null
	}

	draw(text, missing) {
		const parsed = text && new DOMParser().parseFromString(text, 'image/svg+xml').documentElement;
		if (!parsed || parsed.localName !== 'svg') {
			const p = document.createElement('p');
			p.className = 'empty';
			p.textContent = 'There is no picture: ' + (missing ?? 'it cannot be read') + '.';
			this.place.replaceChildren(p);
			return;
		}
		this.svg = document.importNode(parsed, true);
		this.place.replaceChildren(this.svg);
		/* as wide as the page, but neither larger than drawn nor too small to read */
		const width = this.svg.viewBox.baseVal.width;
		this.svg.style.width = 'min(' + width + 'px, max(100%, ' + SMALLEST * width + 'px))';
		for (const g of this.svg.querySelectorAll('g.instance')) {
			const box = { element: g, path: g.dataset.path, fits: fitter(g.dataset.path), count: +g.dataset.count || 1 };
			this.boxes.push(box);
			g.setAttribute('tabindex', '0');
			g.setAttribute('role', 'button');
			g.setAttribute('aria-label', box.path + (g.dataset.module ? ', ' + g.dataset.module : ''));
			g.addEventListener('click', () => this.choose(box.path));
			g.addEventListener('keydown', e => {
				if (e.key === 'Enter' || e.key === ' ') {
					e.preventDefault();
					this.choose(box.path);
				}
			});
		}
		for (const path of this.svg.querySelectorAll('path.link'))
			this.links.push({
				element: path, from: fitter(path.dataset.from), to: fitter(path.dataset.to), buffers: [],
				source: fitter(instanceOf(path.dataset.from)), sink: fitter(instanceOf(path.dataset.to)),
			});
	}

	/* Which links are which buffers; there is a label for each that has some. */
	label(buffers) {
		this.writers = buffers.map(b => this.boxesAt(b.from));
		this.readers = buffers.map(b => this.boxesAt(b.to ?? [b.name]));
		buffers.forEach((b, i) => {
			if (!b.from)
				return;
			for (const l of this.links)
				if (b.from.some(l.from) && b.to.some(l.to))
					l.buffers.push(i);
		});
		for (const l of this.links.filter(one => one.buffers.length > 0)) {
			const middle = l.element.getPointAtLength(l.element.getTotalLength() / 2);
			l.text = document.createElementNS('http://www.w3.org/2000/svg', 'text');
			l.text.setAttribute('class', 'fill empty');
			l.text.setAttribute('x', middle.x);
			l.text.setAttribute('y', middle.y + 3);
			this.svg.append(l.text);
		}
	}

	boxOf(path) {
		if (!this.found.has(path))
			this.found.set(path, this.boxes.find(b => b.fits(path)) ?? null);
		return this.found.get(path);
	}

	mark(path, state) {
		this.boxOf(path)?.states.add(state);
	}

	/* The boxes at these ports, if they are of one array: which one of several put or took is not known. */
	boxesAt(ports) {
		const paths = (ports ?? []).map(instanceOf);
		if (new Set(paths.map(p => p.replace(/\[\d+\]/g, ''))).size !== 1)
			return [];
		return [...new Set(paths.map(p => this.boxOf(p)).filter(box => box !== null))];
	}

	/* Shows an update, in which `moved[i]` says whether something was put into buffer i. */
	show(buffers, update, moved) {
		if (!this.svg)
			return;
		for (const b of this.boxes)
			b.states = new Set();
		buffers.forEach((b, i) => {
			if (moved[i])
				this.writers[i].concat(this.readers[i]).forEach(box => box.states.add('busy'));
			if (update.inside[i] > 0)
				this.readers[i].forEach(box => box.states.add('holds'));
		});
		for (const w of update.waits ?? [])
			this.mark(instanceOf(w.from), 'waits');
		for (const b of this.boxes) {
			const state = ['waits', 'busy', 'holds'].find(one => b.states.has(one)) ?? 'idle';
			for (const one of ['waits', 'busy', 'holds', 'idle'])
				b.element.classList.toggle(one, one === state);
		}
		for (const l of this.links.filter(one => one.text))
			this.showLink(l, buffers, update.inside);
	}

	showLink(link, buffers, inside) {
		const n = link.buffers.reduce((sum, i) => sum + inside[i], 0),
			room = link.buffers.reduce((sum, i) => sum + (buffers[i].capacity ?? 0), 0),
			full = link.buffers.some(i => inside[i] > 0 && inside[i] >= buffers[i].capacity);
		link.text.textContent = n + '/' + room;
		link.text.classList.toggle('empty', n === 0);
		link.element.classList.toggle('some', n > 0);
		link.element.classList.toggle('full', full);
	}

	/* The circle of a deadlock, or the instances that the others wait for. */
	showDeadlock(deadlock) {
		for (const step of deadlock.circle) {
			this.boxOf(step.from)?.element.classList.add('dead');
			for (const l of this.links)
				if (l.buffers.length > 0 && l.source(step.from) && l.sink(step.to)) {
					l.element.classList.add('dead');
					this.svg.append(l.element, l.text); // above the others
				}
		}
		for (const one of deadlock.circle.length > 0 ? [] : deadlock.withheld)
			this.boxOf(one.path)?.element.classList.add('dead');
	}

	showChosen(path) {
		for (const b of this.boxes) {
			b.element.classList.toggle('chosen', b.path === path);
			b.element.setAttribute('aria-pressed', String(b.path === path));
		}
	}
}
