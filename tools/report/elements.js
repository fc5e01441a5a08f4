/* elements.js - elements, numbers as text, the tooltip: what every page needs
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Text of a dump or of a study goes into a page as text only, never as markup.
 */
function fill(node, attributes, children) {
	for (const [name, value] of Object.entries(attributes || {})) {
		if (value === null || value === undefined || value === false) continue;
		if (name === 'style') Object.assign(node.style, value);
		else if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
		else node.setAttribute(name, value);
	}
	for (const c of children.flat(Infinity)) if (c !== null && c !== undefined && c !== false) node.append(c);
	return node;
}

const el = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
const svg = (tag, attributes, ...children) =>
	fill(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);
const part = id => document.getElementById(id);
const add = (id, ...children) => part(id).append(...children.flat(Infinity).filter(Boolean));

/* ---- numbers ---- */

const num = (n, digits = 0) =>
	n.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
const pct = (part, whole) => (whole ? num((100 * part) / whole, 1) + '\u00a0%' : '\u2013');
const hex = n => '0x' + n.toString(16);
/* Three significant digits are enough for a mean. */
const mean = x =>
	x === 0 ? '0' : Math.abs(x) >= 100 ? num(x) : num(x, Math.abs(x) >= 10 ? 1 : Math.abs(x) >= 0.1 ? 2 : 4);

function delta(a, b, digits = 0) {
	if (a === undefined || b === undefined || a === null || b === null) return '\u2013';
	if (a === b) return '=';
	const sign = b > a ? '+' : '\u2212';
	const share = a ? ' (' + sign + num((100 * Math.abs(b - a)) / Math.abs(a), 1) + ' %)' : '';
	return sign + num(Math.abs(b - a), digits) + share;
}

const chip = colour => el('span', { class: 'chip', style: { background: colour }, 'aria-hidden': 'true' });
const sumOf = v => v.reduce((a, b) => a + b, 0);
const tile = (value, name, id) => el('div', { class: 'tile' }, el('b', { id }, value), el('span', {}, name));
const empty = (text, kind) => el('p', { class: 'empty' + (kind ? ' ' + kind : '') }, text);

/* Calls on(true) when the element comes near the screen, and on(false) when it leaves: what is elsewhere need not be
 * drawn. */
const whenSeen = (node, on) => new IntersectionObserver(e => on(e[e.length - 1].isIntersecting), { rootMargin: '100px' }).observe(node);

/* ---- the tooltip ---- */

function tip(x, y, ...content) {
	const t = part('tip');
	if (!content.length) {
		t.hidden = true;
		return;
	}
	t.replaceChildren(...content.flat(Infinity).filter(Boolean));
	t.hidden = false;
	const w = t.offsetWidth,
		h = t.offsetHeight;
	t.style.left = Math.max(4, x + 16 + w > innerWidth ? x - w - 12 : x + 16) + 'px';
	t.style.top = Math.max(4, Math.min(y + 14, innerHeight - h - 6)) + 'px';
}

/* Round distances of ticks: 1, 2 or 5 times a power of ten. */
function ticks(from, to, most) {
	const raw = (to - from) / Math.max(1, most),
		power = 10 ** Math.floor(Math.log10(raw));
	const step = [1, 2, 5, 10].map(k => k * power).find(s => s >= raw * 0.999);
	const out = [];
	for (let i = Math.ceil(from / step - 1e-9); i * step <= to * (1 + 1e-9); i++)
		out.push(i * step + 0); /* no minus zero */
	return out;
}
