/* study_expr.js - costs as expressions of parameters, and tables of comma-separated values
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * expression(text) gives a function of a point, or throws an Error whose message is for the reader.
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

/* ---- expressions ---- */

const FUNCTIONS = { min: Math.min, max: Math.max, sqrt: Math.sqrt, log2: Math.log2, abs: Math.abs };
const TOKEN = /\s*(?:(\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+)|`([^`]*)`|([A-Za-z_]\w*(?:\[(?:\d+|\*)\]|\.\w+)*)|([-+*/^(),]))/y;

function tokens(text) {
	const out = [];
	TOKEN.lastIndex = 0;
	while (TOKEN.lastIndex < text.trimEnd().length) {
		const at = TOKEN.lastIndex,
			m = TOKEN.exec(text);
		if (!m) throw new Error(`'${text.slice(at).trim()}' is not understood`);
		out.push(
			m[1] !== undefined ? { number: Number(m[1]) } : m[4] !== undefined ? { sign: m[4] } : { name: m[2] ?? m[3] }
		);
	}
	return out;
}

/* A parameter, a column of a table, or a figure; as a function of the point. */
function named(name) {
	const d = dimOf(name);
	if (d)
		return i => {
			const v = d.at(i);
			return typeof v === 'number' ? v : typeof v === 'boolean' ? +v : null;
		};
	const values = csvColumn(name) || (figureOf(name) && figureOf(name).values());
	if (values) return i => values[i];
	const known = [...varied.filter(isNumeric).map(d => d.name), ...csvNames(false)];
	throw new Error(`'${name}' is unknown; there are ${known.join(', ') || 'no parameters with numbers'}, and figures such as cycles`);
}

function expression(text) {
	const t = tokens(text);
	let at = 0;
	const sign = s => t[at] && t[at].sign === s && ++at;
	const need = s => {
		if (!sign(s)) throw new Error(`expected '${s}'` + (t[at] ? ` before '${t[at].sign ?? t[at].name ?? t[at].number}'` : ' at the end'));
	};
	const both = (a, b, f) => i => {
		const x = a(i),
			y = b(i);
		return x === null || y === null ? null : f(x, y);
	};
	function atom() {
		const k = t[at++];
		if (k === undefined) throw new Error('expected a number or a name at the end');
		if (k.number !== undefined) return () => k.number;
		if (k.sign === '(') {
			const inner = sum();
			need(')');
			return inner;
		}
		if (k.sign === '-') {
			const inner = power();
			return both(inner, inner, x => -x);
		}
		if (k.sign !== undefined) throw new Error(`expected a number or a name, not '${k.sign}'`);
		if (Object.hasOwn(FUNCTIONS, k.name) && sign('(')) {
			const f = FUNCTIONS[k.name],
				given = [sum()];
			while (sign(',')) given.push(sum());
			need(')');
			return i => {
				const v = given.map(g => g(i));
				return v.includes(null) ? null : f(...v);
			};
		}
		return named(k.name);
	}
	function power() {
		const a = atom();
		return sign('^') ? both(a, power(), Math.pow) : a;
	}
	function product() {
		let a = power();
		for (;;) {
			if (sign('*')) a = both(a, power(), (x, y) => x * y);
			else if (sign('/')) a = both(a, power(), (x, y) => (y === 0 ? null : x / y));
			else return a;
		}
	}
	function sum() {
		let a = product();
		for (;;) {
			if (sign('+')) a = both(a, product(), (x, y) => x + y);
			else if (sign('-')) a = both(a, product(), (x, y) => x - y);
			else return a;
		}
	}
	const all = sum();
	if (at < t.length) throw new Error(`expected an operator before '${t[at].sign ?? t[at].name ?? t[at].number}'`);
	return all;
}
