/* occupancy.js - occupancy: warps, CTAs and instructions; bank conflicts
 * SPDX-License-Identifier: BSD-2-Clause
 */

/* ---- occupancy ---- */

/* waits: it is a channel at the port of an instance */
const prettyPlace = (name, waits) =>
	waits ? name.replace(/\.in$/, ', waits in front').replace(/\.(\w+)$/, ', waits at $1') : name.replace(':', ': ');

/* The places of all runs without indices, the fullest first, each with its colour. */
const placeRows = (() => {
	const names = new Map();
	runs.forEach((r, i) =>
		(r.places || []).forEach(p => {
			if (!names.has(p.name))
				names.set(p.name, { name: p.name, waits: p.waits, label: prettyPlace(p.name, p.waits), doc: p.doc, p: [] });
			names.get(p.name).p[i] = p;
		})
	);
	const rows = [...names.values()].filter(row => row.p.some(p => p && p.total)),
		total = row => sumOf(row.p.filter(Boolean).map(p => p.total));
	rows.sort((a, b) => total(b) - total(a));
	for (const row of rows) row.colour = placeColour(row.name, row.waits);
	return rows;
})();

function drawPlaces() {
	const rows = placeRows;
	const series = (r, i) =>
		rows.filter(row => row.p[i]).map(row => rate(r, i, row.p[i].v, r.width, 1, row.colour, row.label));
	const highest = Math.max(
		1,
		...runs
			.map((r, i) => series(r, i))
			.map(all => Math.max(0, ...(all[0] ? all[0].v : []).map((v, k) => sumOf(all.map(s => s.v[k])))))
	);
	add(
		'occupancy',
		el('h3', {}, 'Where instructions were'),
		el(
			'p',
			{ class: 'note' },
			'Mean number of instructions in each place, ' +
				'from the instruction buffer to their end; \u201c:\u201d is what they waited for there.'
		)
	);
	const make = (r, i) => {
		if (!(r.places || []).length) return why(r, 'The dump has no instructions');
		return {
			title: 'Where instructions were over time, ' + runName(i),
			unit: 'instructions',
			stacked: true,
			series: series(r, i),
			max: highest * 1.05,
			height: 230,
			value: (v, exact) => (exact ? mean(v) : num(v)),
		};
	};
	const entries = rows.map(row => ({
		name: row.label,
		colour: row.colour,
		doc: row.doc,
		share: runs.map((r, i) => (row.p[i] ? mean(row.p[i].total / r.cycles) : '0')).join(' | '),
	}));
	figuresOfRuns('occupancy', make, entries);
}

function drawOccupancy() {
	const warps = [],
		ctas = [];
	runs.forEach((r, i) => {
		if (!r.resident) {
			add(
				'occupancy',
				empty((many ? runName(i) + ': ' : '') + why(r, 'The dump has no instructions'))
			);
			return;
		}
		const colour = `var(--run-${i % 5})`;
		warps.push({ ...rate(r, i, r.resident.warps, r.width, 1, colour), share: num(residentOf(r), 1) });
		ctas.push({
			...rate(r, i, r.resident.ctas, r.width, 1000, colour),
			share: num(r.resident.cta_millicycles / 1000 / r.cycles, 2),
		});
	});
	if (warps.length) {
		const two = el('div', { class: 'two' }),
			most = Math.max(0, ...runs.map(r => r.warp_slots || 0));
		const f = [
			['Resident warps', warps, most || peak(warps)],
			['Resident CTAs', ctas, Math.ceil(peak(ctas) * 1.05)],
		].map(([name, series, max]) => ({
			title: name + ' over time',
			unit: name.replace('R', 'r') + (max === most ? `, of ${most} slots` : ''),
			series,
			max: max * 1.02,
			height: 180,
			value: (v, exact) => (exact ? num(v, 1) : num(v, max < 4 ? 1 : 0)),
			launches: many ? [] : launchesOf(runs[0]),
		}));
		f.forEach((one, k) =>
			two.append(el('div', {}, figure(one), many && legend([one], [warps, ctas][k])))
		);
		add('occupancy', two);
	}
	drawPlaces();
	drawStageViews();
}

/* ---- bank conflicts ---- */

/* Counters of that name; and the cycles of a module of banks beyond one for each instruction. */
function conflictsOf(r) {
	const list = r.counters.filter(c => c.name.includes('conflict'));
	for (const c of r.counters.filter(c => c.name === 'cycles' && c.module.includes('bank'))) {
		const n = r.counters.find(o => o.of === c.of && o.name === 'instructions');
		if (n)
			list.push({
				...c,
				name: 'cycles beyond one each',
				doc: c.doc.replace(/;.*/, '') + ', beyond one for each instruction',
				total: Math.max(0, c.total - n.total),
				v: c.v.map((x, k) => Math.max(0, x - n.v[k])),
			});
	}
	return list;
}

function drawBanks() {
	const rows = new Map();
	runs.forEach((r, i) =>
		conflictsOf(r).forEach(c => {
			const name = c.of + ' ' + c.name;
			if (!rows.has(name)) rows.set(name, { name, doc: c.doc, unit: c.unit, c: [] });
			rows.get(name).c[i] = c;
		})
	);
	const all = [...rows.values()].sort(
		(a, b) => sumOf(b.c.map(c => c.total)) - sumOf(a.c.map(c => c.total))
	);
	if (!all.length) {
		add(
			'banks',
			empty(
				runs.some(r => r.sample)
					? why(runs[0], 'No counter of conflicts ever grew')
					: why(runs[0], 'The dump has no samples; use heddle run --dump-sample=N')
			)
		);
		return;
	}
	all.forEach((row, k) => {
		row.colour = `var(--run-${k % 5})`;
	});
	const series = runs.map((r, i) =>
		all
			.filter(row => row.c[i] && row.c[i].total)
			.map(row => rate(r, i, row.c[i].v, r.sample_width, 1, row.colour, row.name))
	);
	const max = Math.max(...series.filter(s => s.length).map(peak), 0.01) * 1.05;
	const make = (r, i) => {
		if (!series[i].length) return why(r, 'No counter of conflicts grew in this run');
		return {
			title: 'Bank conflicts over time, ' + runName(i),
			unit: 'conflicts per cycle',
			series: series[i],
			max,
			height: 180,
			value: mean,
		};
	};
	figuresOfRuns('banks', make, all.filter(row => row.c.some(c => c && c.total)));
	add(
		'banks',
		table({
			caption: 'Bank conflicts',
			rows: all,
			columns: [
				{ name: 'Counter', get: row => row.name, show: row => [chip(row.colour), row.name] },
				...perRun('Total', 'over the run', (row, i) => (row.c[i] ? row.c[i].total : 0)),
				{ name: 'Unit', get: row => row.unit },
				{ name: 'Meaning', class: 'name', get: row => row.doc },
			],
		}).node
	);
}
