/* picture.h - the picture of a core as SVG: boxes, frames, links, laid out from left to right
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A picture is made from a simulation or from the prologue of a dump, or instance by instance, and
 * written as often as needed.  The SVG has a viewBox, no scripts and no outside references, so it may stand
 * in a page as it is:
 *
 *     <svg class="core" viewBox="0 0 W H" ...>
 *       <g class="frame" data-path="sm[0..79]" data-count="80">
 *       <g class="instance" data-path="sp[0..3]" data-module="fu_pipeline" data-count="4">
 *       <path class="link channel" data-from="fetch.fetched" data-to="decode.fetched" data-count="1">
 *
 * Each has a <title>.  A further class of an instance: "called" has no process of its own, "aside" has no
 * link that is drawn; of a link: "channel" or "call", and "back" if it leads against the flow.
 * data-from and data-to follow the work: from the provider of a call if it is obtained there.
 *
 * Colours are variables of CSS that a page may set on the <svg>: --core-fill, --core-called, --core-line,
 * --core-text, --core-dim, --core-link, --core-call, --core-frame, --core-back (behind text).  On single
 * instances these have no effect: a page that colours some sets --f (--c: of those that are called) on them.
 */
#ifndef TOOLS_GRAPH_PICTURE_H
#define TOOLS_GRAPH_PICTURE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct hd_picture;
struct hd_sim;

struct hd_picture_options {
	bool expand;      /* every element of an array, else one box for them all */
	bool all;         /* bookkeeping calls as well */
	const char *only; /* with `all`: those of these types only, "warps,map"; NULL: of all */
	bool bare;        /* without the name and the description above it */
	/* Of hd__picture_dot() alone: */
	bool fold;        /* what is only called stands in the box that calls it first */
	enum { HD_FRAMES_PATH, HD_FRAMES_CLOCK, HD_FRAMES_NONE } frames;
};

/* Both last until the picture is freed. */
struct hd_picture *hd__picture_of_sim(const struct hd_sim *s);
/* NULL if the prologue does not have the links: the dump was made by an older program. */
struct hd_picture *hd__picture_of_dump(const json_t *meta);

/* The same by hand.  All strings are copied; `doc` may be NULL. */
struct hd_picture *hd__picture_new(const char *name, const char *doc);
/* Returns its number.  clock: or NULL; called: it has no process of its own. */
uint32_t hd__picture_instance(struct hd_picture *p, const char *path, const char *module,
                              const char *clock, bool called);

struct hd_picture_link {
	uint32_t from, to;    /* instances: writer and reader of a channel, user and provider of calls */
	const char *from_port, *to_port, *type;
	bool call;
	unsigned work;        /* of calls: HD_WORK_IN, HD_WORK_OUT, or 0: bookkeeping */
	bool returns;         /* HD_WORK_IN, but from further on: results for a register file */
	uint32_t capacity, latency; /* of a channel */
	bool slots, idle;     /* idle: HD_NO_WORK */
};

void hd__picture_link(struct hd_picture *p, const struct hd_picture_link *l);
void hd__picture_svg(const struct hd_picture *p, const struct hd_picture_options *o, FILE *out);
/* The same boxes, lines and frames in graphviz's language. */
void hd__picture_dot(const struct hd_picture *p, const struct hd_picture_options *o, FILE *out);
void hd__picture_free(struct hd_picture *p);

#endif
