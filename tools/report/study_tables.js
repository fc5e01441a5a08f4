/* study_tables.js - tables of comma-separated values: costs of points and references
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A column of a table that has the name of something that points differ in says for which points a
 * row is; "kernel" for which kernel, by its number or name.  The other columns are values.
 */
const csv = []; /* { name, header, keys, kernel, rows } */

/* RFC 4180: fields may be quoted, and then hold commas, quotes and ends of lines. */
function readCsv(text) {
	const rows = [];
	let row = [],
		field = '',
		quoted = false;
	const s = text.replace(/^\ufeff/, '').replace(/\r\n?/g, '\n');
	const endRow = () => {
		row.push(field);
		if (row.length > 1 || row[0] !== '') rows.push(row);
		row = [];
		field = '';
	};
	for (let i = 0; i < s.length; i++) {
		const c = s[i];
		if (quoted) {
			if (c !== '"') field += c;
			else if (s[i + 1] === '"') field += s[++i];
			else quoted = false;
		} else if (c === '"' && field === '') quoted = true;
		else if (c === ',') {
			row.push(field);
			field = '';
		} else if (c === '\n') endRow();
		else field += c;
	}
	endRow();
	return rows;
}

/* Throws if no row could belong to a point. */
function addCsv(name, text) {
	const [header = [], ...rows] = readCsv(text);
	const titles = header.map(h => h.trim());
	const keys = titles.map(h => dimOf(h) || (h === 'point' ? { of: i => String(data.point[i]) } : null));
	const kernel = titles.indexOf('kernel');
	if (keys.every(k => !k) && kernel < 0)
		throw new Error(
			`${name}: no column is named ${dims.map(d => "'" + d.name + "'").join(', ')}, 'point' or 'kernel', ` +
				'so it is not known which points the rows are for'
		);
	csv.push({ name, header: titles, keys, kernel, rows });
}

/* An empty field of a key stands for any value. */
const fits = (t, row, i) => t.keys.every((k, c) => !k || !row[c] || row[c].trim() === k.of(i));

/* Names of the columns of values. */
const csvNames = kernels =>
	csv
		.filter(t => (t.kernel >= 0) === kernels)
		.flatMap(t => t.header.filter((h, c) => h && !t.keys[c] && c !== t.kernel));

/* The value of a column for every point; the last row that fits wins. */
function csvColumn(name) {
	const t = csv.find(o => o.kernel < 0 && o.header.some((h, c) => h === name && !o.keys[c]));
	if (!t) return null;
	const at = t.header.indexOf(name);
	const exact = t.rows.every(row => t.keys.every((k, c) => !k || row[c]));
	const keyed = t.keys.map((k, c) => [k, c]).filter(p => p[0]);
	const found = new Map(exact ? t.rows.map(row => [keyed.map(([, c]) => row[c].trim()).join('\0'), row]) : []);
	return points.map(i => {
		const row = exact ? found.get(keyed.map(([k]) => k.of(i)).join('\0')) : t.rows.filter(r => fits(t, r, i)).pop();
		const v = row && row[at] !== undefined && row[at].trim() !== '' ? Number(row[at]) : NaN;
		return Number.isFinite(v) ? v : null;
	});
}
