/* tools.js - the runs, their kinds of issue slots, the time window that all figures share
 * SPDX-License-Identifier: BSD-2-Clause
 */
const data = JSON.parse(document.getElementById('data').textContent);
const runs = data.runs;
const many = runs.length > 1;
const longest = Math.max(1, ...runs.map(r => r.cycles));

/* ---- runs ---- */

const letter = i => String.fromCharCode(65 + i);
const runName = i => (many ? letter(i) + ' \u00b7 ' + runs[i].file.replace(/\.hdump$/, '') : runs[i].core);
const runChip = i => (many ? chip(`var(--run-${i % 5})`) : null);

/* Warps are numbered in each core separately. */
const warpName = w => w.lane || (w.core ? w.core + ' ' : '') + 'warp ' + w.warp;

/* Cycles that bin i of a run covers; the last one is shorter. */
const binCycles = (run, width, i) => Math.max(1, Math.min(width, run.cycles - i * width));

/* Of a filtered dump, shares refer to its rows. */
const ofSlots = i => ' of the slots' + (runs[i].filter && runs[i].filter.length ? ' in the dump' : '');

/* Why a part of a run is empty; `what` names the missing data. */
function why(run, what) {
	const reasons = [];
	if (run.filter && run.filter.length) reasons.push('the dump was filtered (' + run.filter.join(', ') + ')');
	if (run.damage) reasons.push('the dump is not complete: ' + run.damage);
	return what + (reasons.length ? '; ' + reasons.join('; ') : '') + '.';
}

/* ---- kinds of issue slots, of all runs ---- */

const kindKey = s => s.reason + '|' + s.unit + '|' + s.cause;
const kindLabel = k => k.reason + (k.unit ? ' ' + k.unit : '') + (k.cause ? ' (' + k.cause + ')' : '');

const kinds = (() => {
	const all = new Map();
	runs.forEach((run, i) =>
		(run.slots || []).forEach(s => {
			const key = kindKey(s);
			if (!all.has(key))
				all.set(key, {
					...s,
					key,
					label: kindLabel(s),
					family: familyOf(s.reason),
					totals: runs.map(() => 0),
					v: runs.map(() => null),
				});
			all.get(key).totals[i] = s.total;
			all.get(key).v[i] = s.v;
		})
	);
	const list = [...all.values()].filter(k => Math.max(...k.totals) > 0);
	const most = k => Math.max(...k.totals.map((t, i) => t / slotsOf(i)));
	list.sort((a, b) => families.indexOf(a.family) - families.indexOf(b.family) || most(b) - most(a));
	for (const k of list) {
		const alike = list.filter(o => o.reason === k.reason && o.unit === k.unit);
		k.colour = paler(reasonColour(k.reason, k.unit), alike.indexOf(k));
	}
	return list;
})();

/* "see unit and cause" is left out where these are shown beside it */
const plainDoc = doc => doc.replace(/, see unit and cause$/, '');

/* The name in a mangled one, if no other kernel has the same. */
const shortName = (() => {
	const plain = name => {
		const m = name.match(/^_ZN?K?(?=\d)/),
			words = [];
		let rest = m ? name.slice(m[0].length) : '';
		for (
			let n = parseInt(rest, 10);
			n > 0 && n < rest.length;
			n = m[0].includes('N') ? parseInt(rest, 10) : 0
		) {
			rest = rest.slice(String(n).length);
			words.push(rest.slice(0, n));
			rest = rest.slice(n);
		}
		return words.length ? words.join('::') : name;
	};
	const all = new Set(runs.flatMap(r => r.kernels || [])),
		count = {};
	all.forEach(name => {
		count[plain(name)] = (count[plain(name)] || 0) + 1;
	});
	return name => (count[plain(name)] === 1 ? plain(name) : name);
})();

/* A file and line of the source without the folder. */
const baseName = source => source.slice(source.lastIndexOf('/') + 1);

/* All slots of run i with a known reason. */
function slotsOf(i) {
	return sumOf((runs[i].slots || []).map(s => s.total)) || 1;
}

/* Lanes of events that are not of the tensor units have the colours of the modules. */
const laneColours = { 'lane.copy': placeColour('tma'), 'lane.phase': placeColour('mbarrier') };

/* The colour of a state of the warp timeline: that of the same reason. */
function stateColour(state) {
	const fixed = {
		issue: 'var(--issued-0)',
		'issue, and another': 'var(--issued-0)',
		absent: 'var(--absent)',
		turn: 'var(--turn)',
		buffered: 'var(--buffered)',
		'lane.nothing': 'var(--absent)',
		'lane.starved': 'var(--stall-0)',
	};
	if (fixed[state]) return fixed[state];
	const [reason, unit] = state.split('|');
	if (reason.startsWith('lane.')) return paler(laneColours[reason] || 'var(--busy)', unit ? 3 : 0);
	return reason === 'ready' ? reasonColour('stall.full', unit) : reasonColour(reason, unit);
}

/* ---- the window ---- */

/* listeners redraw; pointers follow the cursor only */
const view = { x0: 0, x1: longest, cursor: null, listeners: [], pointers: [], due: null };
const whole = () => view.x0 === 0 && view.x1 === longest;

/* Once per frame, however much has changed. */
function later(what) {
	if (view.due === null)
		requestAnimationFrame(() => {
			const all = view.due === 'listeners';
			view.due = null;
			if (all) view.listeners.forEach(f => f());
			view.pointers.forEach(f => f());
		});
	if (view.due !== 'listeners') view.due = what;
}
const changed = () => later('listeners');
const pointed = () => later('pointers');

/* At least 16 cycles, nothing outside the run. */
function setView(x0, x1) {
	const length = Math.min(longest, Math.max(Math.min(16, longest), x1 - x0));
	view.x0 = Math.round(Math.min(Math.max(0, x0), longest - length));
	view.x1 = Math.round(view.x0 + length);
	changed();
}

const zoom = (factor, at = (view.x0 + view.x1) / 2) =>
	setView(at - (at - view.x0) * factor, at + (view.x1 - at) * factor);
const pan = share => {
	const length = view.x1 - view.x0;
	setView(view.x0 + share * length, view.x1 + share * length);
};

/* Keys of all figures. */
const viewKeys = {
	'+': () => zoom(0.5, view.cursor ?? undefined),
	'-': () => zoom(2, view.cursor ?? undefined),
	ArrowLeft: () => pan(-0.1),
	ArrowRight: () => pan(0.1),
	PageUp: () => pan(-1),
	PageDown: () => pan(1),
	Home: () => setView(0, view.x1 - view.x0),
	End: () => setView(longest - (view.x1 - view.x0), longest),
	0: () => setView(0, longest),
};
viewKeys['='] = viewKeys['+'];
viewKeys._ = viewKeys['-'];

function viewKey(e) {
	if (e.ctrlKey || e.metaKey || e.altKey || !viewKeys[e.key]) return;
	viewKeys[e.key]();
	e.preventDefault();
}
