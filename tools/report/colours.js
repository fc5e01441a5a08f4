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

/* Places of instructions: hue, saturation, lightness, by the last name of the instance and the mark.  Green computes, brown
 * and red are memory, blue reads operands; what waits in front of a place is paler. */
const placeTable = {
	collector: [202, 100, 36], allocate: [202, 70, 52], control: [215, 45, 62], 'decode:buffered': [45, 30, 72],
	sp: [164, 100, 31], fma: [164, 100, 31], int: [152, 45, 56], alu: [152, 45, 56], half: [140, 60, 40],
	dp: [100, 60, 30], fp64: [100, 60, 30], sfu: [75, 65, 42], tensor: [185, 80, 24], branch: [60, 45, 35],
	uniform: [130, 30, 70], texture: [180, 35, 62], results: [260, 30, 72], writeback: [260, 40, 60],
	load_store: [24, 90, 42], 'load_store:shared': [16, 75, 64], 'load_store:memory': [8, 60, 36],
	memory_queue: [340, 50, 62], gmma: [185, 80, 24], mbarrier: [280, 35, 55], tma: [8, 60, 36],
};

/* A place that the table does not have: always the same one. */
function placeHash(key) {
	const n = [...key].reduce((h, c) => (h * 31 + c.charCodeAt(0)) % 1000003, 7);
	return [n % 360, 30 + (n % 7) * 8, 34 + (n % 5) * 8];
}

/* The colour of a wait is that of the reason of the same name. */
function waitColour(mark) {
	if (mark === 'register' || mark === 'counter') return 'var(--scoreboard-0)';
	if (mark === 'ready') return 'var(--stall-0)';
	const style = getComputedStyle(document.documentElement);
	const group = ['idle', 'stall', 'scoreboard', 'dependence'].find(g => style.getPropertyValue(`--r-${g}-${mark}`));
	return group ? `var(--r-${group}-${mark})` : null;
}

/* The colour of a place, the same on every page and for each instance of an array; waits: a channel in front of it. */
function placeColour(name, waits) {
	const [where, mark] = name.replace(/\[[^\]]*\]/g, '').split(':'),
		path = where.split('.');
	if (mark && waitColour(mark)) return waitColour(mark);
	if (waits) path.pop();
	const key = path.pop() + (mark ? ':' + mark : ''),
		[h, s, l] = placeTable[key] || placeHash(key);
	return waits ? `hsl(${h} ${Math.round(s * 0.7)}% ${Math.min(84, l + 24)}%)` : `hsl(${h} ${s}% ${l}%)`;
}

/* Several causes of one reason are tints of its colour. */
const paler = (colour, n) =>
	n === 0 ? colour : `color-mix(in srgb, ${colour} ${Math.max(25, 100 - 18 * n)}%, var(--card))`;
