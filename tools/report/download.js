/* download.js - pictures as SVG files, tables as comma-separated values
 * SPDX-License-Identifier: BSD-2-Clause
 */
function download(name, type, text) {
	const a = el('a', { href: URL.createObjectURL(new Blob([text], { type })), download: name });
	a.click();
	setTimeout(() => URL.revokeObjectURL(a.href), 10000);
}

const csvField = v => {
	const s = v === null || v === undefined ? '' : String(v);
	return /[",\n\r]/.test(s) ? '"' + s.replace(/"/g, '""') + '"' : s;
};
const csvText = rows => rows.map(r => r.map(csvField).join(',')).join('\n') + '\n';

/* "Issue slots over time, volta_sm" is issue_slots_over_time_volta_sm */
const fileName = title => title.toLowerCase().replace(/[^a-z0-9]+/g, '_').replace(/^_|_$/g, '');

/* The colour behind a figure. */
const background = () => getComputedStyle(document.querySelector('section')).backgroundColor;

/* The picture alone: every style that it has from the page becomes its own. */
function svgText(picture, title) {
	const copy = picture.cloneNode(true),
		from = [...picture.querySelectorAll('*')],
		style = ['fill', 'fill-opacity', 'stroke', 'stroke-width', 'stroke-dasharray', 'stroke-linejoin', 'opacity', 'font-size', 'font-family', 'font-weight', 'text-anchor'];
	const box = picture.viewBox.baseVal;
	[...copy.querySelectorAll('*')].forEach((node, i) => {
		const now = getComputedStyle(from[i]);
		node.removeAttribute('class');
		node.removeAttribute('style');
		for (const s of style) if (now.getPropertyValue(s)) node.setAttribute(s, now.getPropertyValue(s));
	});
	copy.querySelectorAll('style').forEach(node => node.remove());
	for (const name of ['class', 'style', 'tabindex', 'role', 'aria-label']) copy.removeAttribute(name);
	copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
	copy.setAttribute('width', box.width);
	copy.setAttribute('height', box.height);
	copy.prepend(
		svg('title', {}, title),
		svg('rect', { x: box.x, y: box.y, width: box.width, height: box.height, fill: background() })
	);
	return new XMLSerializer().serializeToString(copy) + '\n';
}

/* Buttons below a figure or a table; picture and rows are functions, or null. */
function downloads(title, picture, rows, file = fileName(title)) {
	const button = (label, what) =>
		el('button', { type: 'button', onclick: what, title: `${title}: download as ${label}`, 'aria-label': `${title}: download as ${label}` }, label);
	return el(
		'div',
		{ class: 'tools downloads' },
		picture && button('SVG', () => download(file + '.svg', 'image/svg+xml', picture())),
		rows && button('CSV', () => download(file + '.csv', 'text/csv', csvText(rows())))
	);
}
