/* bytes.js - reads the numbers that parts of the data hold as bytes: 7 bits a byte, the lowest first
 * SPDX-License-Identifier: BSD-2-Clause
 */
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
