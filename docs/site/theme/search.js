/* search.js - finds pages that have all words of the query, as they are written
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The index, searchIndex, is a script, so that the site works from a folder as well. */
(function () {
	"use strict";
	var MOST = 30, AROUND = 60;
	var query = document.getElementById("query"), found = document.getElementById("found");
	var base = document.body.dataset.base;

	function add(parent, kind, text) {
		var e = document.createElement(kind);
		e.textContent = text;
		parent.appendChild(e);
		return e;
	}

	/* 0: it lacks a word; a title counts more than a text, the whole query more than its words. */
	function score(doc, words, whole) {
		var title = doc.title.toLowerCase(), text = doc.text.toLowerCase(), n = 0;
		for (var i = 0; i < words.length; i++) {
			if (title.indexOf(words[i]) >= 0)
				n += 10;
			else if (text.indexOf(words[i]) >= 0)
				n += 1;
			else
				return 0;
		}
		return n + (title === whole ? 50 : 0) + (title.indexOf(whole) >= 0 ? 20 : text.indexOf(whole) >= 0 ? 5 : 0);
	}

	function search() {
		var whole = query.value.trim().toLowerCase(), words = whole.split(/\s+/).filter(Boolean), hits = [];
		found.textContent = "";
		found.hidden = words.length === 0;
		if (found.hidden)
			return;
		searchIndex.docs.forEach(function (doc, i) {
			var n = score(doc, words, whole);
			if (n > 0)
				hits.push({ doc: doc, n: n, i: i });
		});
		/* a page is a hit by itself only if none of its sections is one */
		hits = hits.filter(function (hit) {
			return hit.doc.location.indexOf("#") >= 0 || !hits.some(function (other) {
				return other.doc.location.indexOf(hit.doc.location + "#") === 0;
			});
		});
		hits.sort(function (a, b) { return b.n - a.n || a.i - b.i; });
		add(found, "h2", hits.length === 0 ? "Nothing found" : hits.length + " found");
		hits.slice(0, MOST).forEach(function (hit) {
			var text = hit.doc.text, lower = text.toLowerCase();
			var at = Math.max(lower.indexOf(whole), lower.indexOf(words[0]), 0);
			var entry = add(found, "p", ""), link = add(entry, "a", hit.doc.title);
			link.href = base + "/" + hit.doc.location;
			add(entry, "small", " " + text.slice(Math.max(at - AROUND, 0), at + AROUND) + " …");
		});
	}

	query.value = new URLSearchParams(location.search).get("q") || "";
	query.addEventListener("input", search);
	query.form.addEventListener("submit", function (e) { e.preventDefault(); search(); });
	search();
}());
