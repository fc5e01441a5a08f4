/* table.js - tables that sort and filter, by mouse and keyboard
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * table({ caption, columns, rows, sort, down, limit }): a column is { name, title, number, get, show }; get
 * returns the sort key, show the text of the cell, csv its text in a file if that is not the key.
 */
function table(t) {
	const columns = t.columns.filter(Boolean);
	const body = el('tbody', {});
	const state = { by: t.sort ?? -1, down: t.down ?? true, filter: () => true, all: false };
	const more = el('button', { type: 'button' });

	const heads = columns.map((c, i) => {
		const sort = () => {
			state.down = state.by === i ? !state.down : !!c.number;
			state.by = i;
			draw();
		};
		return el(
			'th',
			{
				scope: 'col',
				class: (c.number ? 'n' : '') + (t.fixed ? ' plain' : '') + (c.name.length > 14 ? ' longer' : c.name.length > 9 ? ' long' : ''),
				title: c.title || null,
			},
			t.fixed || !c.name ? c.name : el('button', { type: 'button', onclick: sort }, c.name)
		);
	});

	function compare(a, b) {
		const c = columns[state.by],
			x = c.get(a),
			y = c.get(b);
		const gap = (x === undefined || x === null) - (y === undefined || y === null);
		const order = gap || (c.number ? x - y : String(x).localeCompare(String(y)));
		return gap ? gap : state.down ? -order : order;
	}

	function chosen() {
		const rows = t.rows.filter(state.filter);
		if (state.by < 0) return rows;
		return rows
			.map((r, i) => [r, i])
			.sort((a, b) => compare(a[0], b[0]) || a[1] - b[1])
			.map(p => p[0]);
	}

	/* Columns without a name are bars. */
	function csvRows() {
		const named = columns.filter((c, i) => c.name || i === 0);
		return [named.map(c => c.name), ...chosen().map(r => named.map(c => (c.csv || c.get)(r)))];
	}

	function draw() {
		let rows = chosen();
		const found = rows.length;
		if (t.limit && !state.all) rows = rows.slice(0, t.limit);
		heads.forEach((h, i) =>
			h.setAttribute('aria-sort', i !== state.by ? 'none' : state.down ? 'descending' : 'ascending')
		);
		body.replaceChildren(
			...rows.map(r =>
				el(
					'tr',
					{},
					columns.map(c => {
						const v = c.show ? c.show(r) : c.get(r);
						const text = v === undefined || v === null ? '\u2013' : c.number && typeof v === 'number' ? num(v) : v;
						/* on a small screen a cell shows two lines, its title the rest */
						const cell = c.number ? text : el('div', { class: 'cell' }, text);
						return el(
							'td',
							{
								class: (c.number ? 'n ' : '') + (c.class || ''),
								title: !c.number && cell.textContent.length > 40 && !cell.querySelector('[title]') ? cell.textContent : null,
							},
							cell
						);
					})
				)
			)
		);
		if (!rows.length) body.append(el('tr', {}, el('td', { colspan: columns.length }, 'nothing fits')));
		more.hidden = !t.limit || found <= t.limit;
		more.textContent = state.all ? `Show the first ${t.limit}` : `Show all ${num(found)}`;
	}

	more.addEventListener('click', () => {
		state.all = !state.all;
		draw();
	});
	draw();
	const node = el(
		'div',
		{},
		el(
			'div',
			{ class: 'scroll', tabindex: '0', role: 'region', 'aria-label': t.caption },
			el(
				'table',
				{ class: 'data', 'aria-label': t.caption },
				el('thead', {}, el('tr', {}, heads)),
				body
			)
		),
		el('div', { class: 'below' }, more, downloads(t.caption, null, csvRows))
	);
	return {
		node,
		filter: f => {
			state.filter = f;
			draw();
		},
	};
}

const meter = (share, colour) =>
	el(
		'span',
		{ class: 'meter', 'aria-hidden': 'true' },
		el('i', { style: { width: (100 * Math.min(1, share)).toFixed(2) + '%', background: colour } })
	);
