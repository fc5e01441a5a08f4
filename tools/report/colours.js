/* colours.js - the colour of a reason, the same on every page (colours.css)
 * SPDX-License-Identifier: BSD-2-Clause
 */
const families = ['issued', 'scoreboard', 'stall', 'idle', 'other'];
const familyOf = reason => {
	const group = reason.split('.')[0];
	if (group === 'dependence') return 'scoreboard'; /* the same on a core without one */
	return group === 'single' || group === 'dual' ? 'issued' : families.includes(group) ? group : 'other';
};

/* Of a reason that the table does not have, some shade of its family: always the same one. */
function reasonColour(reason, unit) {
	const shades = { issued: 2, scoreboard: 5, stall: 9, idle: 5, other: 5 };
	const name = (reason + (unit ? '.' + unit : '')).replace(/[^A-Za-z0-9_]/g, '-');
	const family = familyOf(reason);
	const shade = [...name].reduce((n, c) => (n * 31 + c.charCodeAt(0)) % 65521, 7) % shades[family];
	return `var(--r-${name}, var(--${family}-${shade}))`;
}

/* Several causes of one reason are tints of its colour. */
const paler = (colour, n) =>
	n === 0 ? colour : `color-mix(in srgb, ${colour} ${Math.max(25, 100 - 18 * n)}%, var(--card))`;
