/* study_points.js - the list of heddle correlate as a study: what was measured is a figure of its points
 * SPDX-License-Identifier: BSD-2-Clause
 */
function studyOfPoints(d) {
	const all = d.points,
		simulators = Object.keys(d.summary.others);
	const dim = (name, parameter, of) => {
		const v = all.map(of),
			values = [...new Set(v)];
		return { name, parameter, values, v: v.map(x => values.indexOf(x)) };
	};
	const figure = (kind, path, unit, doc, of) => ({ kind, path, unit, doc, list: all.map(p => of(p) ?? null) });
	/* instructions of one launch, as the cycles are */
	const instructions = p => p.warp_instructions && p.warp_instructions / (p.launch === 'mean' ? p.launches : 1);
	const shares = new Map(all.flatMap(p => Object.entries(p.rates || {}).flatMap(([t, v]) => Object.keys(v).map(of => [`${t}: ${of}`, [t, of]]))));
	return {
		heddle: d.heddle,
		study: { name: d.name, doc: d.doc, points: all.length },
		point: all.map((p, i) => i + 1),
		dims: [
			dim('name', false, p => p.name),
			dim('class', false, p => p.class ?? ''),
			dim('netlist', true, () => d.netlist),
			...Object.entries(d.set).map(([path, v]) => dim(path, true, () => JSON.stringify(v))),
		],
		status: dim('', false, p => (p.failed === undefined ? 'finished' : 'failed')),
		messages: Object.fromEntries(all.map((p, i) => [i + 1, p.failed]).filter(m => m[1] !== undefined)),
		statistics: [
			figure('run', 'cycles', 'cycles', 'simulated', p => p.simulated),
			figure('run', 'measured', 'cycles', 'of the hardware', p => p.hardware),
			...simulators.map(s => figure('run', s, 'cycles', 'by another simulator', p => p.others[s])),
			figure('run', 'error', '', 'simulated cycles / measured ones - 1', p => p.error),
			figure('run', 'launches', 'launches', 'that count', p => p.launches),
			figure('run', 'launch_cycles', 'cycles', 'in front of first blocks', p => p.launch_cycles),
			figure('run', 'thread_blocks', 'CTAs', 'of these launches', p => p.thread_blocks),
			figure('run', 'warp_instructions', 'warp instructions', 'of these launches, or of one for a mean', instructions),
			figure('run', 'issued', '', 'share of the issue slots that issued', p => p.issued),
			...[...shares].map(([name, [t, of]]) => figure('rate', name, '', 'share of the time', p => p.rates?.[t]?.[of])),
		],
		kernels: { names: [], point: [], kernel: [], name: [], cycles: [] },
		csv: [],
		simulators: ['cycles', ...simulators],
		pages: all.map(p => p.page),
	};
}
