/* costs.js - lost slots by instruction, by reason, by scheduler; check of the sums
 * SPDX-License-Identifier: BSD-2-Clause
 */

/* ---- instructions ---- */

function pcRows() {
	const rows = new Map();
	runs.forEach((r, i) =>
		(r.pcs || []).forEach(p => {
			const kernel = r.kernels[p.kernel],
				key = kernel + ' ' + p.pc + ' ' + p.text;
			if (!rows.has(key))
				rows.set(key, { kernel, pc: p.pc, text: p.text, opclass: p.class, source: p.source || '', p: [] });
			rows.get(key).p[i] = p;
		})
	);
	return [...rows.values()].filter(row => row.p.some(p => p.issued || p.waiting));
}

function mainReason(row) {
	const i = row.p.findIndex(p => p && p.reasons.length);
	if (i < 0) return '\u2013';
	const p = row.p[i],
		r = runs[i];
	const all = p.reasons.map(([k, n]) => kindLabel(r.slots[k]) + ': ' + num(n)).join('\n');
	const known = kinds.find(k => k.key === kindKey(r.slots[p.reasons[0][0]]));
	return el(
		'span',
		{ title: all },
		known && chip(known.colour),
		kindLabel(r.slots[p.reasons[0][0]]),
		p.reasons.length > 1 && el('span', { class: 'delta' }, ' ' + pct(p.reasons[0][1], p.waiting))
	);
}

function drawPcs() {
	const rows = pcRows();
	if (!rows.length) {
		add(
			'pcs',
			empty(why(runs[0], 'The dump has no instructions and no reasons of issue slots'))
		);
		return;
	}
	const lines = rows.some(row => row.source);
	const value = name => (row, i) => (row.p[i] ? row.p[i][name] : 0);
	const share = row => (100 * row.p[0].waiting) / slotsOf(0);
	const t = table({
		caption: 'Costliest instructions',
		limit: 20,
		rows,
		sort: (lines ? 4 : 3) + runs.length,
		down: true,
		columns: [
			{
				name: 'Kernel',
				class: 'code',
				get: row => row.kernel,
				show: row => el('span', { title: row.kernel }, shortName(row.kernel)),
			},
			{
				name: 'PC',
				number: true,
				get: row => row.pc,
				show: row => el('span', { class: 'code' }, hex(row.pc)),
			},
			{ name: 'Instruction', class: 'name code', get: row => row.text },
			lines && {
				name: 'Source',
				class: 'name code',
				get: row => row.source,
				show: row => el('span', { title: row.source }, baseName(row.source)),
			},
			...perRun('Issued', 'times issued', value('issued'), plainly, 0, false),
			...perRun('Lost waiting', 'slots lost while it was next', value('waiting')),
			!many && { name: '% of slots', number: true, get: share, show: row => num(share(row), 1) },
			...perRun(
				'Lost awaiting it',
				'slots that others lost waiting for its result',
				value('awaited'),
				plainly,
				0,
				false
			),
			!many && {
				name: 'Lanes',
				title: 'mean active lanes',
				number: true,
				get: row => (row.p[0].issued ? row.p[0].lanes / row.p[0].issued : 0),
				show: row => (row.p[0].issued ? num(row.p[0].lanes / row.p[0].issued, 1) : '\u2013'),
			},
			{
				name: 'Waited mostly for',
				class: 'name',
				get: row => (row.p.find(p => p && p.reasons.length) ? 1 : 0),
				show: mainReason,
				csv: row => mainReason(row).textContent ?? mainReason(row),
			},
		],
	});
	const search = el('input', {
		type: 'search',
		placeholder: 'LDG, 0x1a0, FFMA \u2026',
		'aria-label': 'Only instructions with this text',
	});
	const names = [...new Set(rows.map(row => row.kernel))];
	const choose = el(
		'select',
		{ 'aria-label': 'Only this kernel' },
		el('option', { value: '' }, 'all kernels'),
		names.map(n => el('option', { value: n }, shortName(n)))
	);
	const apply = () =>
		t.filter(
			row =>
				(!choose.value || row.kernel === choose.value) &&
				(hex(row.pc) + ' ' + row.text + ' ' + row.opclass + ' ' + row.source)
					.toLowerCase()
					.includes(search.value.trim().toLowerCase())
		);
	search.addEventListener('input', apply);
	choose.addEventListener('change', apply);
	add(
		'pcs',
		el(
			'div',
			{ class: 'tools' },
			el('label', {}, 'Filter', search),
			names.length > 1 && el('label', {}, 'Kernel', choose)
		),
		t.node
	);
}

/* ---- the tree ---- */

/* Rows of the tree, parents first: every dotted word, then the unit, then the cause. */
function treeRows() {
	const nodes = new Map([
		['', { depth: 0, name: 'all slots', key: '', sums: runs.map(() => 0), doc: '', kids: 0 }],
	]);
	for (const k of kinds) {
		const path = [
			...k.reason.split('.'),
			...(k.unit || k.cause ? [k.unit || 'no unit'] : []),
			...(k.cause ? [k.cause] : []),
		];
		path.unshift('');
		path.forEach((name, depth) => {
			const key = path
				.slice(0, depth + 1)
				.join('|')
				.slice(depth ? 1 : 0);
			const id = depth ? key : '';
			if (!nodes.has(id)) {
				const words = k.reason.split('.').length;
				nodes.set(id, {
					depth,
					name,
					key: id,
					colour: k.colour,
					family: k.family,
					sums: runs.map(() => 0),
					doc: depth === words ? k.doc : depth === path.length - 1 ? k.cause_doc : '',
				});
			}
			k.totals.forEach((n, i) => {
				nodes.get(id).sums[i] += n;
			});
		});
	}
	const kids = parent =>
		[...nodes.values()].filter(
			n =>
				n.key &&
				n.depth === parent.depth + 1 &&
				(parent.depth === 0 || n.key.startsWith(parent.key + '|'))
		);
	const order = (node, out) => {
		out.push(node);
		kids(node)
			.sort(
				(a, b) =>
					families.indexOf(a.family) - families.indexOf(b.family) ||
					Math.max(...b.sums) - Math.max(...a.sums)
			)
			.forEach(n => order(n, out));
		return out;
	};
	return order(nodes.get(''), []);
}

function drawTree() {
	if (!kinds.length) {
		add('tree', empty(why(runs[0], 'The dump has no reasons of issue slots')));
		return;
	}
	const share = (row, i) => (100 * row.sums[i]) / slotsOf(i);
	add(
		'tree',
		table({
			caption: 'Stall tree',
			fixed: true,
			rows: treeRows(),
			columns: [
				{
					name: 'Reason',
					get: row => row.name,
					show: row =>
						el(
							'span',
							{
								class: 'level',
								style: {
									paddingLeft: row.depth * 1.3 + 'em',
									fontWeight: row.depth < 2 ? '600' : '400',
								},
							},
							row.depth > 0 && chip(row.colour),
							row.name
						),
				},
				...perRun('Slots', '', (row, i) => row.sums[i]),
				...perRun('%', 'of all slots', share, v => num(v, 1), 1, false),
				!many && { name: '', get: () => 0, show: row => meter(share(row, 0) / 100, row.colour || 'var(--mark)') },
				{ name: 'Meaning', class: 'name', get: row => plainDoc(row.doc) },
			],
		}).node
	);
	runs.forEach((r, i) => drawSums(r, i));
	runs.forEach((r, i) => drawSchedulers(r, i));
	drawBlamed();
}

/* ---- do the sums equal the counters? ---- */

function drawSums(r, i) {
	if (!(r.sums || []).length) {
		add(
			'tree',
			el('h3', {}, 'Do the sums equal the statistics?', many && ' ' + runName(i)),
			empty(why(r, 'The dump has no end, so there are no statistics to compare with'))
		);
		return;
	}
	const verdict = s =>
		s.slots + s.empty === s.counted
			? el('span', { class: 'yes' }, '\u2713 equal')
			: el(
					'span',
					{ class: 'no' },
					'\u2717 differ' + (r.filter.length || r.damage ? ', see the warning above' : '')
				);
	add(
		'tree',
		el('h3', {}, 'Do the sums equal the statistics?', many && ' ' + runName(i)),
		table({
			caption: 'Sums and statistics, ' + runName(i),
			fixed: true,
			rows: r.sums,
			columns: [
				{ name: 'Group', get: s => s.group },
				{ name: 'Sum of slots in the dump', number: true, get: s => s.slots },
				{
					name: 'Issued without active lanes',
					title: 'the statistics count these as a stall as well',
					number: true,
					get: s => s.empty,
				},
				{ name: 'Statistics of the run', number: true, get: s => s.counted },
				{ name: 'Equal', get: s => s.slots + s.empty === s.counted, show: verdict },
			],
		}).node
	);
}

function drawSchedulers(r, i) {
	if (!(r.schedulers || []).length) return;
	const sum = (s, family) => sumOf(s.sums.filter((n, k) => familyOf(r.slots[k].reason) === family));
	const all = s => sumOf(s.sums);
	add(
		'tree',
		el('h3', {}, 'By scheduler', many && ' ' + runName(i)),
		table({
			caption: 'By scheduler, ' + runName(i),
			rows: r.schedulers,
			limit: 16,
			columns: [
				{ name: 'Scheduler', get: s => s.name },
				{ name: 'Slots', number: true, get: all },
				...families
					.filter(f => kinds.some(k => k.family === f))
					.map(f => ({
						name: f + ', %',
						number: true,
						get: s => (100 * sum(s, f)) / all(s),
						show: s => num((100 * sum(s, f)) / all(s), 1),
					})),
			],
		}).node
	);
}

/* Slots lost by warp; a hardware slot, whatever warps were in it. */
function drawBlamed() {
	const rows = new Map();
	runs.forEach((r, i) =>
		(r.warps || []).forEach(w => {
			const name = warpName(w);
			if (!rows.has(name))
				rows.set(name, {
					core: w.core,
					warp: w.warp,
					sums: runs.map(() => null),
					issued: runs.map(() => null),
				});
			rows.get(name).sums[i] = w.sums;
		})
	);
	runs.forEach((r, i) =>
		(r.timeline ? r.timeline.rows : []).forEach(w => {
			if (rows.has(warpName(w))) rows.get(warpName(w)).issued[i] = w.issued;
		})
	);
	if (!rows.size) return;
	const severalCores = [...rows.values()].some(row => row.core);
	const lost = (row, i) => (row.sums[i] ? sumOf(row.sums[i]) : null);
	const most = row => {
		const i = row.sums.findIndex(Boolean),
			k = row.sums[i].indexOf(Math.max(...row.sums[i]));
		const known = kinds.find(one => one.key === kindKey(runs[i].slots[k]));
		return el(
			'span',
			{},
			known && chip(known.colour),
			kindLabel(runs[i].slots[k]),
			el('span', { class: 'delta' }, ' ' + pct(row.sums[i][k], lost(row, i)))
		);
	};
	add(
		'tree',
		el('h3', {}, 'By warp'),
		table({
			caption: 'By warp',
			limit: 10,
			sort: (severalCores ? 2 : 1) + runs.length,
			down: true,
			rows: [...rows.values()],
			columns: [
				severalCores && { name: 'Core', get: row => row.core },
				{ name: 'Warp slot', number: true, get: row => row.warp },
				...perRun('Instructions issued', '', (row, i) => row.issued[i], plainly, 0, false),
				...perRun('Slots lost', 'while it was the oldest waiting warp', lost),
				{ name: 'Mostly', class: 'name', get: row => most(row).textContent, show: most },
			],
		}).node
	);
}
