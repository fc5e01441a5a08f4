/* model.h - shared by the files that draw a picture: boxes, lines, frames, and where they are
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TOOLS_GRAPH_MODEL_H
#define TOOLS_GRAPH_MODEL_H

#include "picture.h"
#include "base/xalloc.h"

#define NONE UINT32_MAX

struct instance {
	char *path, *module;
	char *clock;              /* or NULL */
	bool called;              /* it has no process of its own */
	uint32_t parent;          /* length of the path without its last name: 6 of "sm[0].sp[2]" */
	int64_t index;            /* the last one, or -1 */
};

struct hd_picture {
	char *name, *doc;
	struct instance *instances;
	struct hd_picture_link *links; /* their strings are in `words` */
	size_t ninstances, capinstances, nlinks, caplinks;
	json_t *words;            /* each string once */
};

/* ---- what is drawn -------------------------------------------------------------------------- */

struct box {
	char *name;               /* "sm[0..79].sp[0..3]" */
	char *key;                /* what its instances have in common: "sm[].sp[]" and the module */
	const struct instance *first;
	uint32_t count;
	uint32_t frame, part;     /* the smallest part, or NONE */
	bool aside;               /* no line ends there */
	uint32_t rank;            /* column */
	uint32_t left, right;     /* ends of lines at its sides */
	double x, y, w, h;        /* aside: y in its item, until that has a place */
};

struct line {
	uint32_t from, to;        /* boxes, in the direction of the work */
	const struct hd_picture_link *link; /* one of them */
	uint32_t count;
	bool turned;              /* the work goes from the provider to the user */
	bool back;                /* against the flow */
	bool mutual;              /* a request or its answer: others lead the other way */
	bool quiet;               /* the line above it has the same label */
	uint32_t first_bend, nbends; /* in the columns between, from left to right */
	uint32_t lane;            /* item, or NONE */
	double y0, y1;            /* at `from` and at `to` */
	uint32_t track0, track1;  /* of a lane: place of its vertical parts in their gaps */
};

struct part {
	char *name;               /* "[0..3]": of one kind, in each netlist with such parts */
	uint32_t parent;          /* the part that it is in, or NONE */
	uint32_t frame;
};

struct frame {
	char *key, *name;
	uint32_t parent;          /* NONE: the whole */
	uint32_t count;
	bool alike;               /* of a part */
	uint32_t depth, height;   /* frames around it, in it */
	uint32_t first, last;     /* columns; first > last: there are none */
	uint32_t item, chips;     /* of the frame, and of the instances aside that stand in it */
	double x, y, w, h;
	uint32_t nchips;
	uint32_t *items, nitems;  /* from top to bottom */
	uint32_t first_turn, last_turn; /* of those in it */
};

/* What takes room in columns. */
struct item {
	enum { ITEM_BOX, ITEM_BEND, ITEM_LANE, ITEM_FRAME, ITEM_CHIPS } kind;
	uint32_t number;          /* of the box, line or frame */
	uint32_t frame, first, last;
	double h, y, goal;        /* y: of its upper side, in its frame */
	double weight;            /* of the lines that pull it */
	double at;                /* of its middle, in the picture */
	uint32_t place;           /* in the order of the column, for those of one column */
	uint32_t turn;            /* in the order of all */
};

struct drawing {
	const struct hd_picture *p;
	const struct hd_picture_options *o;
	struct box *boxes;
	struct line *lines;
	struct frame *frames;     /* frames[0]: the whole */
	struct item *items;
	struct part *parts;
	uint32_t *part_of;        /* by instance: the smallest, or NONE */
	uint32_t nparts;
	size_t capparts;
	uint32_t nboxes, nlines, nframes, nitems, ncolumns;
	size_t caplines, capframes, capitems;
	uint32_t *box_of;         /* by instance */
	uint32_t *box_item;       /* by box */
	double *column_x, *column_w; /* ncolumns + 1 */
	double w, h, top;
};

#define ROW_GAP 12.0
#define FRAME_HEAD 20.0
#define FRAME_PAD 10.0

/* core_parts.c: which elements of arrays are parts of the core. */
void hd__picture_parts(struct drawing *d);
/* boxes.c: boxes and lines of the instances and links; those of different parts are apart. */
void hd__picture_boxes(struct drawing *d);
/* What the elements of an array have in common; the caller frees it. */
char *hd__picture_key(const struct instance *in);
bool hd__picture_is_drawn(const struct drawing *d, const struct hd_picture_link *l);
/* frames.c: the frames around them. */
void hd__picture_frames(struct drawing *d);
/* flow.c: which lines lead against the flow, and the column of each box. */
void hd__picture_flow(struct drawing *d);
/* columns.c: items, and the places of columns. */
void hd__picture_columns(struct drawing *d);
double hd__picture_text_width(const char *s, double size);
/* The text at a channel, "8 deep", in buf; "" for calls. */
const char *hd__picture_label(const struct line *l, char *buf, size_t size);
bool hd__picture_same_label(const struct line *a, const struct line *b);
/* The innermost frame that both are in. */
uint32_t hd__picture_common_frame(const struct drawing *d, uint32_t a, uint32_t b);
/* Orders items from top to bottom, with few crossings (box_order.c). */
void hd__picture_order(struct drawing *d);
/* Finds how far down each item is (box_place.c). */
void hd__picture_place(struct drawing *d);
/* One step of hd__picture_place(): items move towards those that they are joined to.  With `sort` they may pass
 * others. */
void hd__picture_settle(struct drawing *d, bool sort);
/* svg.c */
void hd__picture_write(const struct drawing *d, FILE *out);
void hd__picture_put_text(const char *s, FILE *out);
/* dot.c; nothing needs to have a place, flow.c has been called. */
void hd__picture_write_dot(const struct drawing *d, FILE *out);

/* Is the column within the frame? */
static inline bool has_column(const struct frame *f, uint32_t c)
{
	return f->first <= c && c <= f->last;
}

/* The items at the ends of piece k of a line, which lies between two columns: k = 0 .. nbends. */
static inline uint32_t piece_left(const struct drawing *d, const struct line *l, uint32_t k)
{
	return k == 0 ? d->box_item[l->back ? l->to : l->from] : l->first_bend + k - 1;
}

static inline uint32_t piece_right(const struct drawing *d, const struct line *l, uint32_t k)
{
	return k == l->nbends ? d->box_item[l->back ? l->from : l->to] : l->first_bend + k;
}

/* Does it run from column to column, not in a lane or back into its box? */
static inline bool has_pieces(const struct line *l)
{
	return l->lane == NONE && l->from != l->to;
}

#endif
