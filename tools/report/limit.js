/* limit.js - what limits a run, in plain words, and what would follow from it
 * SPDX-License-Identifier: BSD-2-Clause
 */
const limitCode = text => el('code', {}, text);
/* "sp[*]" is one of an array. */
const anyOf = name => (/\[\*\]/.test(name) ? ['one of ', limitCode(name)] : [limitCode(name)]);

/* What holds up the queue that a reason is named after. */
function limitBehind(l) {
	if (!l.name) return null;
	if (l.full) return [anyOf(l.name), ' has too few places: nothing behind it is busy for most of the time.'];
	return ['What holds it up is ', anyOf(l.name), `, which is busy ${pct(l.busy, 1)} of the time.`];
}

/* What most slots were lost to. */
function limitSentence(l) {
	const main = l.causes[0],
		all = pct(l.slots, l.of);
	if (!l.instance)
		return [
			el('b', {}, 'Most issue slots were lost waiting: '),
			plainDoc(main.doc),
			l.causes.length > 1 ? ` (${pct(main.slots, l.of)} of the slots), and its like: ` : ': ',
			el('b', {}, all),
			' of the slots, ',
			limitCode(l.group),
			'. ',
			limitBehind(l),
		];
	return [
		el('b', {}, limitCode(l.name || l.group), l.slots >= 0.4 * l.of ? ' limits this run' : ' costs this run most'),
		': ',
		main.doc,
		l.busy !== undefined ? [', and ', l.name.endsWith(']') ? 'the busiest' : 'it', ` is busy ${pct(l.busy, 1)} of the time`] : null,
		'; ',
		el('b', {}, all),
		' of the issue slots were lost because of it.',
	];
}

/* Others that are nearly always busy: no change elsewhere helps. */
function limitOthers(r, l) {
	const full = r.busy.filter(b => b.share >= 0.85 && b.name !== l.name);
	if (!full.length) return null;
	return [
		' Also busy: ',
		full.map((b, i) => [i ? ', ' : null, anyOf(b.name), ` (${pct(b.share, 1)} of the time)`]),
		'. The same work cannot take less time than these need.',
	];
}

const saved = (r, v) => pct(r.cycles - v.estimate, r.cycles);

/* The figures of a change: an estimate, and the bound that holds in any case. */
const limitFigures = (r, l, v) => [
	el('span', { class: 'estimate' }, 'estimate'),
	` up to ${saved(r, v)} fewer cycles (${num(v.estimate)} rather than ${num(r.cycles)}), if all of the ${pct(v.slots, l.of)} of the slots that it can win are used; in no case fewer than ${num(v.least)}, `,
	v.by ? ['for which ', anyOf(v.by), ' is busy then'] : 'in which instructions are issued',
	'. Only a run tells.',
];

function copyButton(label, text) {
	if (!navigator.clipboard) return null;
	return el('button', { type: 'button', 'aria-label': label, onclick: () => navigator.clipboard.writeText(text) }, 'Copy');
}

/* A parameter, as an option. */
function limitLever(r, l) {
	const v = l.lever;
	if (!v.set) return el('p', {}, 'A unit that ', v.what, ` would save at most ${saved(r, v)} by this estimate: no such change is suggested.`);
	const command = `--set '${v.set}'`;
	return el('p', {}, `One that ${v.what}: `, limitCode(command), ' ', copyButton('Copy the option', command), ' ', limitFigures(r, l, v));
}

/* Another instance, as a netlist. */
function limitSecond(r, l) {
	const v = l.second;
	return [
		el(
			'p',
			{},
			'A second ',
			limitCode(l.name),
			v.with.length ? [', with ', v.with.map((w, i) => [i ? ' and ' : null, limitCode(w)]), ' twice as well, for it answers one only'] : null,
			': ',
			limitFigures(r, l, v)
		),
		el('details', {}, el('summary', {}, 'Its netlist'), el('pre', { class: 'code' }, v.netlist), copyButton('Copy the netlist', v.netlist)),
	];
}

function limitSuggestion(r, l) {
	if (!l.lever && !l.second) return el('p', {}, 'No single parameter follows from this as a remedy.');
	return [l.lever && limitLever(r, l), l.second && limitSecond(r, l)];
}

function limitText(r) {
	const l = r.limit;
	if (!l) return null;
	return el(
		'div',
		{ class: 'limit' },
		el('p', {}, limitSentence(l), limitOthers(r, l)),
		l.causes.length > 1
			? el('p', { class: 'causes' }, l.causes.slice(0, 4).map((c, i) => [i ? '; ' : null, el('b', {}, pct(c.slots, l.of)), ' ' + plainDoc(c.doc)]))
			: null,
		limitSuggestion(r, l)
	);
}
