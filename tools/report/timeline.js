/* timeline.js - the warp timeline: reads the rows, draws them on a canvas, finds segments
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The bytes of a row are described in docs/report.md.  After reading, a row is a list of segments
 * without gaps: begin cycle, state, instruction (the one issued or waited with, -1: none) and, if
 * it was issued, how long it took.
 */
const ISSUE = 0,
	ISSUE_SAME = 1;

/* The numbers that a part of the data holds as bytes: 7 bits a byte, the lowest first. */
function bytesOf(text) {
	const bytes = Uint8Array.from(atob(text), c => c.charCodeAt(0));
	let i = 0;
	const number = () => {
		let v = 0,
			factor = 1,
			b;
		do {
			b = bytes[i++];
			v += (b & 127) * factor;
			factor *= 128;
		} while (b > 127);
		return v;
	};
	return {
		more: () => i < bytes.length,
		byte: () => bytes[i++],
		number,
		/* 0, -1, 1, -2 ... are 0, 1, 2, 3 */
		signed: () => {
			const z = number();
			return z % 2 ? -(z + 1) / 2 : z / 2;
		},
	};
}

function readRow(text, from, states) {
	const { more, byte, number, signed } = bytesOf(text),
		begin = [],
		state = [],
		code = [],
		took = [];
	let at = from,
		last = 0,
		open = 0;

	while (more()) {
		const s = byte();
		begin.push(at);
		state.push(Math.min(s, states - 1));
		if (s <= ISSUE_SAME) {
			last += signed();
			code.push(last);
			took.push(number());
			for (; open < code.length; open++) code[open] = last;
			at += s === ISSUE ? 1 : 0;
		} else {
			code.push(-1);
			took.push(0);
			at += number();
		}
	}
	begin.push(at);
	return {
		begin: Float64Array.from(begin),
		state: Uint8Array.from(state),
		code: Int32Array.from(code),
		took: Uint32Array.from(took),
		n: state.length,
	};
}

/* The segment that holds the cycle. */
function segmentAt(row, cycle) {
	let low = 0,
		high = row.n;
	while (high - low > 1) {
		const mid = (low + high) >> 1;
		if (row.begin[mid] <= cycle) low = mid;
		else high = mid;
	}
	return low;
}

const stateLabels = {
	issue: 'issues',
	'issue, and another': 'issues two',
	absent: 'no warp here',
	'idle.fetch': 'waits for fetch and decode',
	'idle.exit': 'has ended, waits for outstanding instructions',
	buffered: 'in the instruction buffer, not considered',
	turn: 'could issue, another warp was chosen',
	'lane.operation': 'the tensor units work on a product of the warpgroup',
	'lane.starved': 'they wait for operands',
	'lane.phase': 'a phase of an mbarrier',
	ready: 'ready, waits for room at its unit or for its turn',
};

/* Waits for registers are named after the kind of writer, others after their mark. */
function stateLabel(run, state) {
	const [reason, unit] = state.split('|');
	const doc = run.timeline.docs[run.timeline.states.indexOf(state)] || reason;
	return (
		(stateLabels[reason] || (reason.startsWith('scoreboard.') ? 'waits for ' : '') + doc) +
		(unit ? ': ' + unit : '')
	);
}

function codeText(run, code) {
	const p = run.pcs[run.pc_of_code[code]];
	return p ? hex(p.pc) + '  ' + p.text : '?';
}

/* ---- drawing ---- */

/* Calls paint(x, width, shares) for a row between two cycles: the states that a pixel shows, each with
 * its share of the time.  Equal pixels with one state are one. */
function paintRow(row, x0, x1, width, states, paint) {
	const scale = width / (x1 - x0),
		share = new Float64Array(states);
	let pixel = 0,
		runState = -1,
		runFrom = 0;

	const end = () => {
		if (runState >= 0) paint(runFrom, Math.min(width, pixel) - runFrom, [[runState, 1]]);
		runState = -1;
	};
	const flush = () => {
		let total = 0,
			only = -1,
			several = false;
		for (let s = 0; s < states; s++) {
			if (!(share[s] > 0)) continue;
			total += share[s];
			several = several || only >= 0;
			only = s;
		}
		if (several) {
			const mix = [];
			for (let s = 0; s < states; s++) if (share[s] > 0) mix.push([s, share[s] / total]);
			end();
			paint(pixel, 1, mix);
		} else if (only !== runState) {
			end();
			runState = only;
			runFrom = pixel;
		}
		share.fill(0);
		pixel++;
	};
	for (let i = segmentAt(row, x0); i < row.n && row.begin[i] < x1; i++) {
		let from = Math.max(0, (row.begin[i] - x0) * scale);
		const to = Math.min(width, (row.begin[i + 1] - x0) * scale);
		while (pixel < Math.floor(from)) flush();
		while (to >= pixel + 1) {
			share[row.state[i]] += pixel + 1 - from;
			flush();
			from = pixel;
		}
		share[row.state[i]] += Math.max(0, to - from);
	}
	if (pixel < width) flush();
	end();
}

/* States of one pixel from top to bottom, each as high as its share. */
function paintShares(c, colours, x, y, width, height, shares) {
	let top = y;
	for (const [s, share] of shares) {
		c.fillStyle = colours[s];
		c.fillRect(x, top, width, height * share);
		top += height * share;
	}
}

/* Opcodes on segments that are wide enough. */
function paintNames(run, row, c, y, height, scale, colours) {
	c.font = Math.min(11, height - 1) + 'px ui-monospace, "DejaVu Sans Mono", monospace';
	for (let i = segmentAt(row, view.x0); i < row.n && row.begin[i] < view.x1; i++) {
		const from = Math.max(view.x0, row.begin[i]),
			to = Math.min(view.x1, row.begin[i + 1]);
		const room = (to - from) * scale - 4;
		if (room < 30 || row.code[i] < 0) continue;
		const name = codeText(run, row.code[i]).split(/\s+/)[1] || '';
		c.fillStyle = colours.text[row.state[i]];
		if (c.measureText(name).width <= room)
			c.fillText(name, LEFT + (from - view.x0) * scale + 2, y + height / 2 + 0.5);
	}
}

/* Black or white, whichever is readable on the colour. */
function onColour(rgb, plain) {
	const m = rgb.match(/[\d.]+/g);
	if (!m || (m[3] !== undefined && +m[3] === 0)) return plain;
	return 0.299 * m[0] + 0.587 * m[1] + 0.114 * m[2] > 140 ? '#111' : '#fff';
}

function resolve(names, colourOf = stateColour) {
	const probe = el('span', { style: { display: 'none' } });
	document.body.append(probe);
	const ink = getComputedStyle(document.body).color;
	const line = getComputedStyle(document.body).getPropertyValue('--mark');
	const rgb = names.map(n => {
		probe.style.color = '';
		probe.style.color = colourOf(n);
		return colourOf(n) === 'var(--absent)' ? 'rgba(0, 0, 0, 0)' : getComputedStyle(probe).color;
	});
	probe.remove();
	return { rgb, ink, line, text: rgb.map(c => onColour(c, ink)) };
}

function drawTimeline(t) {
	const { canvas, run, rows } = t,
		c = canvas.getContext('2d'),
		dense = devicePixelRatio || 1;
	const w = Math.max(240, Math.floor(t.node.clientWidth)),
		h = rows.length * t.pitch + BOTTOM;
	const inner = w - LEFT - RIGHT,
		scale = inner / (view.x1 - view.x0),
		[first, last, colours, painted] = warpPainter(t);

	canvas.width = Math.round(w * dense);
	canvas.height = Math.round(h * dense);
	canvas.style.height = h + 'px';
	c.setTransform(dense, 0, 0, dense, 0, 0);
	c.textBaseline = 'middle';
	const from = Math.max(view.x0, first),
		to = Math.min(view.x1, last);
	const left = (from - view.x0) * scale,
		width = Math.round((to - from) * scale);
	rows.forEach((row, i) => {
		const y = i * t.pitch;
		if (to > from)
			painted(row, from, to, width, (x, n, shares) =>
				paintShares(c, colours.rgb, LEFT + left + x, y, n, t.pitch - 1, shares)
			);
		if (!t.stages && scale >= 1 && t.pitch >= 10) paintNames(run, row, c, y, t.pitch - 1, scale, t.colours);
		const begins = row.core && !row.lane && (i === 0 || rows[i - 1].core !== row.core);
		if (begins || row.lane || t.pitch >= 12 || row.warp % 4 === 0) {
			c.font = '10.5px system-ui, sans-serif';
			c.textAlign = 'right';
			c.fillStyle = t.colours.ink;
			c.fillText(begins ? row.core : row.lane || row.warp, LEFT - 6, y + t.pitch / 2, LEFT - 8);
			c.textAlign = 'left';
		}
	});
	c.font = '11.5px system-ui, sans-serif';
	c.textAlign = 'center';
	for (const v of ticks(view.x0, view.x1, inner / 110)) {
		const x = LEFT + (v - view.x0) * scale;
		c.fillStyle = t.colours.line;
		c.fillRect(x, h - BOTTOM, 1, 4);
		c.fillStyle = t.colours.ink;
		c.fillText(num(v), Math.max(LEFT + 4, Math.min(x, w - 25)), h - 8);
	}
	c.textAlign = 'left';
	t.shape = { w, h, scale };
	canvas.dataset.from = view.x0;
	canvas.dataset.to = view.x1;
}

/* The chosen warp, and the cursor. */
function drawCursor(t) {
	const { w, h, scale } = t.shape,
		c = t.over.getContext('2d'),
		dense = devicePixelRatio || 1;

	t.over.width = Math.round(w * dense);
	t.over.height = Math.round(h * dense);
	t.over.style.height = h + 'px';
	c.setTransform(dense, 0, 0, dense, 0, 0);
	c.strokeStyle = t.colours.ink;
	if (t.row !== null) c.strokeRect(LEFT - 0.5, t.row * t.pitch - 0.5, w - LEFT - RIGHT + 1, t.pitch);
	if (view.cursor !== null && view.cursor >= view.x0 && view.cursor < view.x1) {
		c.fillStyle = t.colours.ink;
		c.fillRect(Math.round(LEFT + (view.cursor - view.x0) * scale), 0, 1, h - BOTTOM);
	}
}
