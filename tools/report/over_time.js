/* over_time.js - figures over time: issue slots, IPC, units
 * SPDX-License-Identifier: BSD-2-Clause
 */
const MOST_SERIES = 14;
const launchesOf = r => r.launches || [];

/* A series of one run, its numbers divided by `each` and the cycles of the bin. */
const rate = (r, i, v, width, each, colour, name) => ({
	name: name || runName(i),
	colour,
	width,
	cycles: r.cycles,
	v: v.map((n, k) => n / (each * binCycles(r, width, k))),
});
const peak = series => Math.max(1e-9, ...series.flatMap(s => s.v));
const heading = i => (many ? el('h3', {}, runChip(i), runName(i)) : null);
const percent = (v, exact) => num(100 * v, exact ? 1 : 0) + '\u00a0%';

/* A figure of each run, or a text that says why there is none, and a legend of all of them. */
function figuresOfRuns(id, make, entries) {
	const figures = [];
	runs.forEach((r, i) => {
		const f = make(r, i);
		if (typeof f !== 'string') figures.push({ ...f, launches: launchesOf(r) });
		add(id, heading(i), typeof f === 'string' ? empty(f) : figure(figures[figures.length - 1]));
	});
	if (figures.length) add(id, legend(figures, entries));
}

/* ---- issue slots ---- */

/* The largest kinds; the rest of each family is one more. */
function shownKinds() {
	const size = k => Math.max(...k.totals.map((t, i) => t / slotsOf(i)));
	const large = new Set(
		kinds
			.slice()
			.sort((a, b) => size(b) - size(a))
			.filter((k, n) => n < 5 || size(k) > 0.004)
			.slice(0, MOST_SERIES)
	);
	const shown = [];
	for (const family of families) {
		const mine = kinds.filter(k => k.family === family),
			rest = mine.filter(k => !large.has(k));
		shown.push(...mine.filter(k => large.has(k)));
		if (rest.length === 1) shown.push(rest[0]);
		else if (rest.length > 1)
			shown.push({
				label: `${family}: ${rest.length} others`,
				family,
				colour: family === 'stall' ? 'var(--stall-8)' : `var(--${family}-4)`,
				doc: rest.map(k => k.label).join('; '),
				totals: runs.map((r, i) => sumOf(rest.map(k => k.totals[i]))),
				v: runs.map((r, i) => {
					const v = new Array(Math.ceil(r.cycles / r.width)).fill(0);
					rest.forEach(k =>
						(k.v[i] || []).forEach((n, at) => {
							v[at] += n;
						})
					);
					return v;
				}),
			});
	}
	return shown;
}

function drawSlots() {
	const shown = shownKinds();
	const make = (r, i) => {
		if (!(r.slots || []).length) return why(r, 'The dump has no reasons of issue slots');
		return {
			title: 'Issue slots over time, ' + runName(i),
			stacked: true,
			max: 1,
			height: 270,
			unit: '% of issue slots',
			value: percent,
			series: shown
				.filter(k => k.v[i])
				.map(k => rate(r, i, k.v[i], r.width, r.schedulers.length, k.colour, k.label)),
		};
	};
	const entries = shown.map(k => ({
		name: k.label,
		colour: k.colour,
		doc: k.doc,
		share: runs.map((r, i) => pct(k.totals[i], slotsOf(i))).join(' | '),
	}));
	figuresOfRuns('slots', make, entries);
}

/* ---- IPC ---- */

/* Issued instructions by bin; [] without slots and samples. */
function issuedOf(r) {
	const slots = (r.slots || []).filter(s => familyOf(s.reason) === 'issued');
	if (slots.length)
		return [
			slots.reduce(
				(sum, s) => s.v.map((n, k) => (sum[k] || 0) + n * (s.reason === 'dual' ? 2 : 1)),
				[]
			),
			r.width,
		];
	const sampled = r.counters.filter(c => c.adds_to === 'warp_instructions');
	return sampled.length
		? [sampled.reduce((sum, c) => c.v.map((n, k) => (sum[k] || 0) + n), []), r.sample_width]
		: null;
}

/* Lines of all runs in one figure. */
function overlay(id, title, unit, series, value, least = 0) {
	const f = {
		title,
		unit,
		series,
		value,
		max: Math.max(least, peak(series) * 1.05),
		height: 190,
		launches: many ? [] : launchesOf(runs[0]),
	};
	add(id, figure(f), series.length > 1 && legend([f], series));
}

function drawIpc() {
	const series = [];
	runs.forEach((r, i) => {
		const issued = issuedOf(r);
		if (issued)
			series.push({
				...rate(r, i, issued[0], issued[1], 1, `var(--run-${i % 5})`),
				share: ipcOf(r) === null ? null : num(ipcOf(r), 3),
			});
		else
			add(
				'ipc',
				empty(
					(many ? runName(i) + ': ' : '') + why(r, 'The dump has neither issue slots nor samples')
				)
			);
	});
	if (series.length)
		overlay(
			'ipc',
			'Warp instructions per cycle over time',
			'warp instructions per cycle',
			series,
			(v, exact) => num(v, exact ? 3 : 1),
			Math.max(...runs.map(r => (r.schedulers || []).length)) || 1
		);
}

/* ---- units ---- */

const isBusy = c => c.name === 'busy' && c.unit === 'cycles';
const shares = (r, c) => c.total / (c.instances * r.cycles);

function drawUnits() {
	const names = [...new Set(runs.flatMap(r => r.counters.filter(isBusy).map(c => c.of)))];
	const of = (name, i) => runs[i].counters.find(c => isBusy(c) && c.of === name);
	const rows = names.map(name => ({ name, c: runs.map((r, i) => of(name, i)) }));
	if (!runs.some(r => r.cycles && r.counters.some(c => c.total))) {
		add('units', empty(why(runs[0], 'The dump has no samples; use heddle run --dump-sample=N')));
		return;
	}
	if (!rows.length) {
		add('units', empty(why(runs[0], 'This core has no statistic of busy units')));
		return;
	}
	const used = (row, i) => (row.c[i] ? shares(runs[i], row.c[i]) : null);
	const order = rows
		.slice()
		.sort(
			(a, b) =>
				Math.max(...b.c.map((c, i) => used(b, i) || 0)) -
				Math.max(...a.c.map((c, i) => used(a, i) || 0))
		);
	for (const row of order) row.colour = placeColour(row.name);
	const busy = order.filter(row => row.c.some(c => c && c.total)).slice(0, 8);
	const make = (r, i) => {
		const series = busy
			.filter(row => row.c[i])
			.map(row => rate(r, i, row.c[i].v, r.sample_width, row.c[i].instances, row.colour, row.name));
		if (!series.length) return why(r, 'No unit was busy in any sample');
		return { title: 'Busy units over time, ' + runName(i), unit: '% of the cycles busy', series, value: percent, max: 1, height: 190 };
	};
	figuresOfRuns('units', make, busy);
	add(
		'units',
		table({
			caption: 'Busy units',
			rows: order,
			columns: [
				{ name: 'Unit', get: row => row.name, show: row => [chip(row.colour), row.name] },
				{ name: 'Number', number: true, get: row => row.c.find(Boolean).instances },
				...perRun('Busy cycles', 'of all units of this kind', (row, i) => row.c[i] && row.c[i].total),
				...perRun(
					'Busy, %',
					'share of the cycles',
					(row, i) => row.c[i] && 100 * shares(runs[i], row.c[i]),
					v => num(v, 1),
					1
				),
				!many && { name: '', get: row => used(row, 0), show: row => meter(used(row, 0), row.colour) },
			],
		}).node
	);
}

/* ---- power ---- */

/* Counters of energy by group, which is in the place of their meaning: femtojoules per cycle are watts. */
function drawPower() {
	if (!runs.some(r => r.energy)) {
		for (const node of [part('power'), document.querySelector('a[href="#power"]')]) node.hidden = true;
		return;
	}
	const groups = [...new Set(runs.flatMap(r => r.counters.filter(c => c.unit === 'fJ').map(c => c.doc)))];
	const entries = groups.map(name => ({ name, colour: placeColour(name), doc: name }));
	const make = (r, i) => {
		if (!r.energy) return 'The run counted no energy; use heddle run --energy=FILE';
		const series = entries.map(e => {
			const mine = r.counters.filter(c => c.unit === 'fJ' && c.doc === e.name);
			const v = mine.reduce((sum, c) => c.v.map((n, k) => (sum[k] || 0) + n), []);
			return rate(r, i, v, r.sample_width, 1e9 / Math.floor(r.mhz), e.colour, e.name);
		});
		const all = series.reduce((sum, s) => s.v.map((n, k) => (sum[k] || 0) + n), []);
		add('power', el('p', { class: 'note' }, `Table ${r.energy.table}. Its error: ${r.energy.error || 'not known'}.`));
		return {
			title: 'Power over time, ' + runName(i),
			stacked: true,
			max: Math.max(1e-9, ...all) * 1.05,
			height: 220,
			unit: 'W',
			value: (v, exact) => num(v, exact ? 3 : 0),
			series,
		};
	};
	figuresOfRuns('power', make, entries);
}
