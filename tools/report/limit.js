/* limit.js - what limits a run, in plain words, and what would follow from it
 * SPDX-License-Identifier: BSD-2-Clause
 */
const limitCode = text => el('code', {}, text);
/* "sp[*]" is one of an array. */
const anyOf = name => (/\[\*\]/.test(name) ? ['one of ', limitCode(name)] : [limitCode(name)]);

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
			'.',
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

/* What the change would do: an estimate, and the bound that holds in any case. */
function limitSuggestion(r, l) {
	const v = l.lever;
	if (!v) return el('p', {}, 'No single parameter follows from this as a remedy.');
	const by = v.by ? ['for which ', anyOf(v.by), ' is busy then'] : 'in which instructions are issued';
	if (!v.set)
		return el('p', {}, 'A unit that ', v.what, ` would save at most ${pct(r.cycles - v.estimate, r.cycles)} by this estimate: no change is suggested.`);
	const command = `--set '${v.set}'`;
	const copy = el('button', { type: 'button', 'aria-label': 'Copy the option' }, 'Copy');
	copy.addEventListener('click', () => navigator.clipboard && navigator.clipboard.writeText(command));
	return el(
		'p',
		{},
		`One that ${v.what}: `,
		limitCode(command),
		' ',
		navigator.clipboard ? copy : null,
		' ',
		el('span', { class: 'estimate' }, 'estimate'),
		` up to ${pct(r.cycles - v.estimate, r.cycles)} fewer cycles (${num(v.estimate)} rather than ${num(r.cycles)}), if all of the ${pct(v.slots, l.of)} of the slots that it can win are used; in no case fewer than ${num(v.least)}, `,
		by,
		'. Only a run tells.'
	);
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
