/* theme.js - light or dark: as the system is, until the button is used
 * SPDX-License-Identifier: BSD-2-Clause
 */
function startTheme() {
	const button = part('theme'),
		system = matchMedia('(prefers-color-scheme: dark)');
	let chosen = null;
	const apply = () => {
		const dark = chosen ?? system.matches;
		document.documentElement.dataset.theme = dark ? 'dark' : 'light';
		button.textContent = dark ? 'Light' : 'Dark';
		button.setAttribute('aria-label', dark ? 'Change to light colours' : 'Change to dark colours');
		document.dispatchEvent(new Event('theme'));
	};
	button.addEventListener('click', () => {
		chosen = !(chosen ?? system.matches);
		apply();
	});
	system.addEventListener('change', apply);
	apply();
}
