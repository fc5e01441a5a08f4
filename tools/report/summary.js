/* summary.js - columns of runs, the runs, their main figures, the kernels
 * SPDX-License-Identifier: BSD-2-Clause
 */
/* Columns of one number for each run, and the differences of the others from the first.  With many
 * columns, leave the differences out. */
const plainly = v => num(v);
function perRun(name, title, get, show = plainly, digits = 0, differences = true) {
	const out = runs.map((r, i) => ({
		name: many ? name + ' ' + letter(i) : name,
		title,
		number: true,
		get: row => get(row, i),
		show: row => {
			const v = get(row, i);
			return v === undefined || v === null ? '\u2013' : show(v, row, i);
		},
	}));
	for (let i = 1; differences && i < runs.length; i++)
		out.push({
			name: runs.length > 2 ? `\u0394 ${letter(i)}\u2212A` : '\u0394 B\u2212A',
			title: 'difference from A',
			number: true,
			class: 'delta',
			get: row => (get(row, i) ?? 0) - (get(row, 0) ?? 0),
			show: row => delta(get(row, 0), get(row, i), digits),
		});
	return out;
}

const ipcOf = r => (r.cycles && r.warp_instructions !== undefined ? r.warp_instructions / r.cycles : null);
const residentOf = r => (r.resident ? r.resident.warp_cycles / r.cycles : null);
const familySum = (i, family) => sumOf(kinds.filter(k => k.family === family).map(k => k.totals[i]));

/* The longest common folder is left out. */
const shortInput = s => (s || '').split('/').slice(-2).join('/');

function endText(r) {
	if (r.status === undefined) return 'cut short: the dump has no end';
	return r.status;
}

function aboutRun(r, i) {
	const pairs = [
		['Core', r.core],
		['Input', shortInput(r.input), r.input],
		['Ended', endText(r)],
		['Clock', r.mhz ? num(r.mhz) + ' MHz' : '\u2013'],
		['Sampled every', r.sample ? num(r.sample) + ' cycles' : 'not sampled'],
		['Filter', r.filter && r.filter.length ? r.filter.join(', ') : null],
		['Dump', r.file],
	];
	return el(
		'dl',
		{ class: 'about' },
		many && el('div', {}, runChip(i), el('b', {}, runName(i))),
		pairs
			.filter(p => p[1])
			.map(([name, value, title]) =>
				el('div', {}, el('dt', {}, name), el('dd', { title: title || null }, value))
			)
	);
}

/* Of the run of a plan: the page has what was measured, of some kernels; this is about all of them. */
function estimateText(r) {
	const e = r.estimate, range = v => ('low' in v ? ` (95 %: ${num(v.low)} to ${num(v.high)})` : ' (no interval)');
	if (!e || !e.kernels || !e.cycles) return null;
	const n = e.figures && e.figures.warp_instructions;
	return el(
		'p',
		{ class: 'empty warning estimate' },
		`A plan chose ${num(e.kernels.simulated)} of ${num(e.kernels.all)} kernels. All figures of this page are measured, of these kernels alone. `,
		el('b', {}, 'Estimated'),
		` for all: ${num(e.cycles.estimate)} cycles${range(e.cycles)}`,
		n ? `, ${num(n.estimate)} warp instructions` : '',
		e.kernels.in_part ? `. Of ${num(e.kernels.in_part)} of them blocks were left out, when the rate was stable` : '',
		'.'
	);
}

function tiles(r) {
	const slots = slotsOf(0);
	return el(
		'div',
		{ class: 'tiles' },
		tile(num(r.cycles), (r.estimate ? 'measured ' : '') + 'cycles' + (r.mhz ? `, ${mean(r.cycles / r.mhz)} \u00b5s` : '')),
		ipcOf(r) !== null && tile(num(ipcOf(r), 3), 'warp instructions per cycle'),
		r.warp_instructions !== undefined && tile(num(r.warp_instructions), 'warp instructions'),
		kinds.length > 0 && tile(pct(familySum(0, 'issued'), slots), 'of the issue slots issued'),
		residentOf(r) !== null &&
			tile(
				num(residentOf(r), 1),
				'warps resident, mean' + (r.warp_slots ? ` (${r.warp_slots} slots)` : '')
			),
		r.warp_instructions &&
			r.thread_instructions !== undefined &&
			tile(num(r.thread_instructions / r.warp_instructions, 1), 'lanes active, mean (of 32)'),
		r.synthetic_control > 0 && tile(num(r.synthetic_control), 'with synthetic control words')
	);
}

/* The main findings, as text. */
function findings(r, i) {
	const list = [],
		slots = slotsOf(i);
	const lost = kinds
		.filter(k => k.family !== 'issued')
		.sort((a, b) => b.totals[i] - a.totals[i])
		.slice(0, 3);
	for (const k of lost)
		if (k.totals[i] / slots >= 0.01)
			list.push(
				el(
					'li',
					{},
					el('b', {}, pct(k.totals[i], slots)),
					ofSlots(i),
					': ',
					chip(k.colour),
					k.label,
					' \u2013 ',
					plainDoc(k.doc)
				)
			);
	const worst = (r.pcs || []).slice().sort((a, b) => b.waiting - a.waiting)[0];
	if (worst && worst.waiting)
		list.push(
			el(
				'li',
				{},
				el('b', {}, pct(worst.waiting, slots)),
				ofSlots(i),
				' were lost waiting with ',
				el('span', { class: 'code' }, hex(worst.pc) + ' ' + worst.text),
				' of ',
				el(
					'span',
					{ class: 'code', title: r.kernels[worst.kernel] },
					shortName(r.kernels[worst.kernel])
				),
				worst.reasons.length ? ': ' + kindLabel(r.slots[worst.reasons[0][0]]) : null
			)
		);
	return list.length ? el('ul', { class: 'found' }, list) : null;
}

function summaryTable() {
	const rows = [
		['Cycles', r => r.cycles, 0],
		runs.some(r => r.estimate) && ['Cycles, estimated of all kernels', r => (r.estimate ? r.estimate.cycles.estimate : r.cycles), 0],
		['Warp instructions', r => r.warp_instructions, 0],
		['Warp instructions per cycle', ipcOf, 3],
		['Thread instructions', r => r.thread_instructions, 0],
		['Thread blocks', r => r.thread_blocks, 0],
		runs.some(r => r.synthetic_control) && ['With synthetic control words', r => r.synthetic_control || 0, 0],
		['Slots issued, %', (r, i) => (100 * familySum(i, 'issued')) / slotsOf(i), 1],
		['Slots lost to scoreboard, %', (r, i) => (100 * familySum(i, 'scoreboard')) / slotsOf(i), 1],
		['Slots lost to stall, %', (r, i) => (100 * familySum(i, 'stall')) / slotsOf(i), 1],
		['Slots idle, %', (r, i) => (100 * familySum(i, 'idle')) / slotsOf(i), 1],
		['Warps resident, mean', residentOf, 1],
	].filter(row => row).map(([name, get, digits]) => ({ name, get, digits }));
	const value = (row, i) => row.get(runs[i], i);
	const round = (row, i) =>
		value(row, i) === null || value(row, i) === undefined ? null : +value(row, i).toFixed(row.digits);
	const columns = [
		{ name: '', get: r => r.name },
		...runs.map((run, i) => ({
			name: runName(i),
			number: true,
			get: r => value(r, i),
			show: r => (round(r, i) === null ? '\u2013' : num(round(r, i), r.digits)),
		})),
		...runs
			.slice(1)
			.map((run, k) => ({
				name: `\u0394 ${letter(k + 1)}\u2212A`,
				number: true,
				class: 'delta',
				get: () => 0,
				show: r => delta(round(r, 0), round(r, k + 1), r.digits),
			})),
	];
	return table({ caption: 'The runs side by side', columns, rows, fixed: true }).node;
}

function drawSummary() {
	runs.forEach((r, i) => add('summary', aboutRun(r, i)));
	for (const [i, r] of runs.entries()) {
		if (r.damage)
			add(
				'summary',
				empty(
					runName(i) +
						': the dump is not complete: ' +
						r.damage +
						'. The part before that is shown.',
					'warning'
				)
			);
		if (r.filter && r.filter.length)
			add(
				'summary',
				empty(
					runName(i) +
						': the dump was filtered (' +
						r.filter.join(', ') +
						'); other rows are missing below, so sums may be smaller than the statistics.',
					'warning'
				)
			);
	}
	runs.forEach((r, i) => {
		const text = estimateText(r);
		if (text) add('summary', many && el('h3', {}, runChip(i), runName(i)), text);
	});
	runs.forEach((r, i) => {
		const text = limitText(r);
		if (text) add('summary', many && el('h3', {}, runChip(i), 'What limits ' + runName(i)), text);
	});
	add(
		'summary',
		many ? summaryTable() : runs[0].cycles ? tiles(runs[0]) : empty('The dump has nothing of the run.')
	);
	runs.forEach((r, i) => {
		const found = findings(r, i);
		if (found)
			add('summary', many && el('h3', {}, runChip(i), 'Findings in ' + runName(i)), found);
	});
}

/* ---- kernels ---- */

const size3 = (l, what) =>
	[l[what + '_x'], l[what + '_y'], l[what + '_z']]
		.filter((v, i) => v !== undefined && (i === 0 || v > 1))
		.join('\u00d7') || '\u2013';
const kernelIpc = l =>
	l && l.counted && l.counted.cycles ? l.counted.warp_instructions / l.counted.cycles : null;

function drawKernels() {
	const launches = new Map();
	runs.forEach((r, i) =>
		(r.launches || []).forEach(l => {
			const key = l.id + ' ' + l.by;
			if (!launches.has(key)) launches.set(key, { launch: l.launch, by: l.by, name: l.name, l: [] });
			const row = launches.get(key);
			row.l[i] = l;
			if (row.name !== l.name)
				row.name = row.l
					.filter(Boolean)
					.map((x, at) => letter(at) + ': ' + x.name)
					.join(' ');
		})
	);
	const rows = [...launches.values()];
	if (!rows.length) {
		add('kernels', empty(why(runs[0], 'No dump has the launches of kernels')));
		return;
	}
	const first = row => row.l.find(Boolean);
	const overlap = rows.some(row => row.l.some(l => l && l.counted && l.counted.stream !== undefined));
	const counted = name => (row, i) => (row.l[i] && row.l[i].counted ? row.l[i].counted[name] : null);
	add(
		'kernels',
		table({
			caption: 'Kernels',
			limit: 20,
			rows,
			columns: [
				{ name: '#', title: 'launch', number: true, get: r => r.launch },
				{
					name: 'Kernel',
					class: 'name code',
					get: r => r.name,
					show: r => (many ? el('span', { title: r.name }, shortName(r.name)) : r.name),
				},
				rows.some(r => r.by) && { name: 'By', title: 'dispatcher', get: r => r.by },
				overlap && { name: 'Stream', number: true, get: r => (first(r).counted || {}).stream },
				{ name: 'Grid', title: 'CTAs', get: r => size3(first(r), 'grid') },
				{ name: 'Block', title: 'threads', get: r => size3(first(r), 'block') },
				{ name: 'Registers', title: 'per thread', number: true, get: r => first(r).registers },
				{ name: 'Shared', title: 'bytes per CTA', number: true, get: r => first(r).shared },
				...perRun('Cycles', overlap ? 'from the launch to the end: kernels overlap' : 'cycles of the launch', counted('cycles')),
				...perRun(
					'Instructions',
					'warp instructions',
					counted('warp_instructions'),
					plainly,
					0,
					false
				),
				...perRun(
					'IPC',
					'warp instructions per cycle',
					(r, i) => kernelIpc(r.l[i]),
					v => num(v, 3),
					3,
					false
				),
			],
		}).node
	);
	runs.forEach((r, i) => {
		if (r.launches_left_out)
			add(
				'kernels',
				el('p', { class: 'note' }, many && runChip(i), `The first ${r.launches.length} launches; ${r.launches_left_out} later ones are not listed.`)
			);
	});
}
