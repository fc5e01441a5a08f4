/* memory.js - the levels of the memory, what flows between them, and the loads that cost most
 * SPDX-License-Identifier: BSD-2-Clause
 */
const SECTOR = 32; /* bytes of a request */

const hits = c => c.hits / Math.max(1, c.accesses);
const bytes = n => (n >= 1e6 ? num(n / 1e6, 1) + ' MB' : n >= 1e3 ? num(n / 1e3, 1) + ' KB' : num(n) + ' B');

/* Seconds that the run took, from a clock of it. */
function seconds(r) {
	const clock = Object.values(r.memory.clocks || {})[0];
	return clock ? clock.edges / (clock.mhz * 1e6) : 0;
}

/* What the boxes and the arrows between them say, from the SMs to the memory. */
function memoryLevels(r) {
	const levels = [{ name: 'SM', lines: [num(r.warp_instructions || 0) + ' instructions'], flow: '' }];
	r.memory.copies.filter(c => c.commands).forEach(c => levels[0].lines.push(c.name.replace(/^.*\./, '').toUpperCase() + ' ' + bytes(c.loaded + c.stored)));
	r.memory.remote.filter(d => d.packets).forEach(d => levels[0].lines.push(d.name.replace(/^.*\./, '').toUpperCase() + ' ' + bytes(d.bytes)));
	r.memory.caches.forEach(c => {
		const writes = c.writes || 0;
		levels.push({
			name: c.name.replace(/^.*\./, '').replace('[*]', '').toUpperCase() + (c.count > 1 ? ' \u00d7' + c.count : ''),
			title: c.name,
			lines: [num(100 * hits(c), 1) + ' % hits', num(c.reserved_hits) + ' pending hits'],
			flow: num(c.accesses - writes) + ' reads\n' + num(writes) + ' writes\n' + bytes(c.accesses * SECTOR),
		});
	});
	r.memory.channels.forEach(d =>
		levels.push({
			name: 'DRAM' + (d.count > 1 ? ' \u00d7' + d.count : ''),
			title: d.name,
			lines: [pct(d.bus_busy, d.ticks) + ' of the peak', pct(d.row_hits, d.assigned) + ' row hits'],
			flow: bytes(d.bytes_read) + ' read\n' + bytes(d.bytes_written) + ' written',
		})
	);
	return levels;
}

function memoryChart(r, label) {
	const levels = memoryLevels(r),
		step = 240,
		width = 140,
		height = 96;
	const node = svg('svg', {
		viewBox: `0 0 ${(levels.length - 1) * step + width + 4} ${height + 4}`,
		role: 'img',
		'aria-label': label,
		class: 'memory',
		style: { maxWidth: (levels.length - 1) * step + width + 'px', width: '100%' },
	});
	const text = (x, y, line, bold) =>
		svg(
			'text',
			{ x, y, 'text-anchor': 'middle', 'font-size': 12, 'font-weight': bold ? 'bold' : 'normal', fill: 'currentColor' },
			line
		);
	levels.forEach((l, i) => {
		const x = i * step + 2;
		node.append(
			svg(
				'g',
				{ class: 'level' },
				l.title && svg('title', {}, l.title),
				svg('rect', { x, y: 2, width, height, rx: 6, fill: 'none', stroke: 'currentColor' }),
				text(x + width / 2, 28, l.name, true),
				l.lines.map((line, k) => text(x + width / 2, 52 + 18 * k, line))
			)
		);
		if (i === 0) return;
		node.append(
			svg(
				'g',
				{ class: 'flow' },
				svg('path', {
					d: `M${x - step + width + 4} 74 L${x - 4} 74 m-8 -5 l8 5 l-8 5`,
					fill: 'none',
					stroke: 'currentColor',
				}),
				l.flow.split('\n').map((line, k) => text(x - (step - width) / 2, 22 + 18 * k, line))
			)
		);
	});
	return node;
}

const count = (name, get, title) => ({ name, title, number: true, get });
const amount = (name, get, title) => ({ name, title, number: true, get, show: x => bytes(get(x)) });
const array = name => ({ name, class: 'code', get: x => x.name + (x.count > 1 ? ' \u00d7' + x.count : '') });

function cacheTable(r) {
	return table({
		caption: 'Caches',
		fixed: true,
		rows: r.memory.caches,
		columns: [
			{ name: 'Cache', class: 'code', get: c => c.name },
			count('Accesses', c => c.accesses),
			{ name: 'Hits', number: true, get: hits, show: c => pct(c.hits, c.accesses) },
			{ name: 'Pending', title: 'hits on sectors that are on their way', number: true, get: c => c.reserved_hits, show: c => pct(c.reserved_hits, c.accesses) },
			{ name: 'Sector misses', number: true, get: c => c.sector_misses, show: c => pct(c.sector_misses, c.accesses) },
			{ name: 'Misses', number: true, get: c => c.misses, show: c => pct(c.misses, c.accesses) },
			count('Refused', c => c.reservation_fails, 'attempts, each retry counted'),
			count('No way', c => c.fails_ways),
			count('Miss queue full', c => c.fails_miss_queue),
			count('No entry', c => c.fails_mshr_entries),
			count('Entry full', c => c.fails_mshr_merge),
		],
	}).node;
}

function channelTable(r) {
	const time = seconds(r);
	const rate = n => (time ? num(n / time / 1e9, 2) : '\u2013');
	return table({
		caption: 'Memory channels',
		fixed: true,
		rows: r.memory.channels,
		columns: [
			array('Channels'),
			amount('Read', d => d.bytes_read),
			amount('Written', d => d.bytes_written),
			{ name: 'GB/s', number: true, get: d => d.bytes_read, show: d => rate(d.bytes_read + d.bytes_written), csv: d => rate(d.bytes_read + d.bytes_written) },
			{ name: 'Of the peak', number: true, get: d => d.bus_busy / d.ticks, show: d => pct(d.bus_busy, d.ticks) },
			{ name: 'Row hits', number: true, get: d => d.row_hits / d.assigned, show: d => pct(d.row_hits, d.assigned) },
			count('Activates', d => d.activates),
		],
	}).node;
}

function copyTable(r) {
	return table({
		caption: 'Bulk copies between memory and shared memory',
		fixed: true,
		rows: r.memory.copies,
		columns: [
			array('Unit'),
			count('Copies', c => c.commands),
			amount('Loaded', c => c.loaded),
			amount('Stored', c => c.stored),
			count('Requests', c => c.requests),
			{ name: 'Cycles each', title: 'from the command until it reports', number: true, get: c => c.lifetime / Math.max(1, c.completed), show: c => mean(c.lifetime / Math.max(1, c.completed)) },
			count('Descriptors read', c => c.descriptor_misses),
		],
	}).node;
}

function remoteTable(r) {
	return table({
		caption: 'Shared memory of other thread blocks of a cluster',
		fixed: true,
		rows: r.memory.remote,
		columns: [
			array('Unit'),
			count('Loads', d => d.loads),
			count('Stores', d => d.stores),
			count('Atomics', d => d.atomics),
			amount('Copied', d => d.copied, 'that bulk copies sent'),
			count('Packets', d => d.packets),
			amount('Served', d => d.bytes, 'read or written for others'),
		],
	}).node;
}

function queueTable(r) {
	return table({
		caption: 'Queues',
		fixed: true,
		rows: r.memory.queues.filter(q => q.most > 0),
		columns: [
			array('Queue'),
			{ name: 'Mean', number: true, get: q => q.mean / q.count, show: q => mean(q.mean / q.count) },
			count('Most', q => q.most),
			{ name: 'Room', number: true, get: q => q.capacity },
		],
	}).node;
}

/* By place the slots that others lost while they waited for this load. */
function places(r, p) {
	const by = new Map();
	p.held.forEach(([k, n]) => {
		const place = r.slots[k].reason.split('.')[2] || r.slots[k].reason.split('.')[1];
		by.set(place, (by.get(place) || 0) + n);
	});
	return [...by].sort((a, b) => b[1] - a[1]);
}

function loadTable(r) {
	const rows = (r.pcs || []).filter(p => p.load && p.issued);
	if (!rows.length) return null;
	return table({
		caption: 'Loads that cost most',
		limit: 15,
		rows,
		sort: 5,
		down: true,
		columns: [
			{ name: 'Kernel', class: 'code', get: p => r.kernels[p.kernel], show: p => shortName(r.kernels[p.kernel]) },
			{ name: 'PC', number: true, get: p => p.pc, show: p => el('span', { class: 'code' }, hex(p.pc)) },
			{ name: 'Load', class: 'name code', get: p => p.text },
			count('Issued', p => p.issued),
			{ name: 'Latency', title: 'mean cycles from issue to end', number: true, get: p => p.cycles / (p.ended || 1), show: p => (p.ended ? num(p.cycles / p.ended, 1) : '\u2013') },
			count('Latency \u00d7 issued', p => p.cycles, 'cycles'),
			count('Slots lost for it', p => p.awaited),
			{
				name: 'Where it was meanwhile',
				class: 'name',
				get: p => p.awaited,
				show: p => places(r, p).map(([place, n]) => place + ' ' + pct(n, p.awaited)).join(', ') || '\u2013',
				csv: p => places(r, p).map(([place, n]) => place + ' ' + n).join('; '),
			},
		],
	}).node;
}

function drawMemory() {
	runs.forEach((r, i) => {
		add('memory', heading(i));
		if (!r.memory.caches.length && !r.memory.channels.length) {
			add('memory', empty('The netlist has no cache and no memory channel'));
			return;
		}
		const title = 'Levels of the memory, ' + runName(i),
			chart = memoryChart(r, title);
		add('memory', chart, downloads(title, () => svgText(chart, title), null));
		if (r.memory.caches.length) add('memory', cacheTable(r));
		if (r.memory.channels.length) add('memory', channelTable(r));
		if (r.memory.copies.some(c => c.commands)) add('memory', copyTable(r));
		if (r.memory.remote.some(d => d.packets)) add('memory', remoteTable(r));
		if (r.memory.queues.some(q => q.most > 0)) add('memory', queueTable(r));
		add('memory', loadTable(r));
	});
}
