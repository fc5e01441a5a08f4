/* picture.c - measures a picture of heddle graph: overlaps, islands, crossings, lines through boxes
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Usage: picture FILE.svg [LEFT RIGHT]...: boxes, by last names, of which LEFT is left of RIGHT.
 * Prints the counts on one line, and what is wrong on standard error.
 * Lines are followed in steps, as a reader's eye does.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEPS 24 /* of a curve */
#define SLACK 0.11 /* numbers in the file are rounded */

struct rect {
	char name[200];
	double x, y, w, h;
	bool aside;
	int island;
};

struct point {
	double x, y;
};

struct line {
	char from[200], to[200];
	int a, b;              /* boxes */
	struct point *v;
	size_t n;
};

static struct rect *boxes, *frames;
static struct line *lines;
static size_t nboxes, nframes, nlines;

static void *room(void *v, size_t n, size_t size)
{
	v = realloc(v, (n + 1) * size);
	if (!v)
		exit(99);
	memset((char *)v + n * size, 0, size);
	return v;
}

/* The value of an attribute, in buf; "" if there is none before the end of the element. */
static char *attribute(const char *s, const char *name, char *buf, size_t size)
{
	const char *end = strchr(s, '>'), *at = strstr(s, name);
	size_t n = 0;

	for (at = at && at < end ? at + strlen(name) : ""; *at && *at != '"' && n + 1 < size; at++)
		buf[n++] = *at;
	buf[n] = '\0';
	return buf;
}

static double number(const char *s, const char *name)
{
	char buf[40];

	return strtod(attribute(s, name, buf, sizeof buf), NULL);
}

static void read_rect(const char *s, struct rect *r)
{
	char buf[100];
	const char *rect = strstr(s, "<rect ");

	attribute(s, "data-path=\"", r->name, sizeof r->name);
	r->aside = strstr(attribute(s, "class=\"", buf, sizeof buf), "aside") != NULL;
	r->x = number(rect, " x=\"");
	r->y = number(rect, " y=\"");
	r->w = number(rect, " width=\"");
	r->h = number(rect, " height=\"");
	if (r->w <= 0 || r->h <= 0 || !r->name[0])
		exit(99);
}

/* ---- lines ---------------------------------------------------------------------------------- */

static void add_point(struct line *l, double x, double y)
{
	l->v = room(l->v, l->n, sizeof *l->v);
	l->v[l->n++] = (struct point){ x, y };
}

/* The path up to the head of the arrow, which begins with a second M. */
static void read_path(const char *d, struct line *l)
{
	double v[6];

	for (size_t moves = 0; *d && *d != '"';) {
		char *end, kind = *d++;
		int n = kind == 'C' ? 6 : 2;

		if ((kind != 'M' && kind != 'L' && kind != 'C') || (kind == 'M' && moves++))
			return;
		for (int i = 0; i < n; i++, d = end)
			v[i] = strtod(d, &end);
		if (kind == 'C') {
			struct point p = l->v[l->n - 1];

			for (int i = 1; i <= STEPS; i++) {
				double t = (double)i / STEPS, u = 1 - t;
				double a = u * u * u, b = 3 * u * u * t, c = 3 * u * t * t, e = t * t * t;

				add_point(l, a * p.x + b * v[0] + c * v[2] + e * v[4],
				          a * p.y + b * v[1] + c * v[3] + e * v[5]);
			}
		} else {
			add_point(l, v[0], v[1]);
		}
	}
}

/* The box whose port it is. */
static int box_of(const char *port)
{
	size_t n = 0;

	for (const char *s = port; *s; s++)
		n = *s == '.' && s[1] != '.' && s[-1] != '.' ? (size_t)(s - port) : n;
	for (size_t i = 0; i < nboxes; i++)
		if (strlen(boxes[i].name) == n && strncmp(boxes[i].name, port, n) == 0)
			return (int)i;
	fprintf(stderr, "a line ends at '%s', which is in no box\n", port);
	exit(1);
}

static void read_picture(const char *text)
{
	for (const char *s = text; (s = strchr(s, '<')); s++) {
		if (strncmp(s, "<g class=\"instance", 18) == 0) {
			boxes = room(boxes, nboxes, sizeof *boxes);
			read_rect(s, &boxes[nboxes++]);
		} else if (strncmp(s, "<g class=\"frame", 15) == 0) {
			frames = room(frames, nframes, sizeof *frames);
			read_rect(s, &frames[nframes++]);
		} else if (strncmp(s, "<path class=\"link", 17) == 0) {
			struct line *l;

			lines = room(lines, nlines, sizeof *lines);
			l = &lines[nlines++];
			attribute(s, "data-from=\"", l->from, sizeof l->from);
			attribute(s, "data-to=\"", l->to, sizeof l->to);
			read_path(strstr(s, " d=\"") + 4, l);
		}
	}
	for (size_t i = 0; i < nlines; i++) {
		lines[i].a = box_of(lines[i].from);
		lines[i].b = box_of(lines[i].to);
	}
}

/* ---- what is wrong -------------------------------------------------------------------------- */

static bool overlap(const struct rect *a, const struct rect *b)
{
	return a->x < b->x + b->w - SLACK && b->x < a->x + a->w - SLACK && a->y < b->y + b->h - SLACK
	       && b->y < a->y + a->h - SLACK;
}

static bool inside(const struct rect *a, const struct rect *b)
{
	return a->x >= b->x && a->y >= b->y && a->x + a->w <= b->x + b->w && a->y + a->h <= b->y + b->h;
}

static unsigned count_overlaps(void)
{
	unsigned n = 0;

	for (size_t i = 0; i < nboxes; i++)
		for (size_t k = 0; k < i; k++)
			if (overlap(&boxes[i], &boxes[k])) {
				fprintf(stderr, "%s overlaps %s\n", boxes[i].name, boxes[k].name);
				n++;
			}
	return n;
}

/* What has a frame's path in front of its own is in it, all else is not; frames contain each other or
 * do not meet.  A frame of elements has no path of its own ("[0..3]"): its boxes are those inside. */
static unsigned count_outside(void)
{
	unsigned n = 0;

	for (size_t f = 0; f < nframes; f++) {
		size_t length = strlen(frames[f].name);

		for (size_t i = 0; i < nboxes; i++) {
			bool belongs = strncmp(boxes[i].name, frames[f].name, length) == 0
			               && boxes[i].name[length] == '.';
			bool in = inside(&boxes[i], &frames[f]);

			if (frames[f].name[0] == '[' ? overlap(&boxes[i], &frames[f]) && !in
			    : belongs ? !in : overlap(&boxes[i], &frames[f])) {
				fprintf(stderr, "%s and the frame %s\n", boxes[i].name, frames[f].name);
				n++;
			}
		}
		for (size_t k = 0; k < f; k++)
			if (overlap(&frames[f], &frames[k]) && !inside(&frames[f], &frames[k])
			    && !inside(&frames[k], &frames[f])) {
				fprintf(stderr, "the frames %s and %s\n", frames[f].name, frames[k].name);
				n++;
			}
	}
	return n;
}

/* Lines that pass under a box, their own included. */
static unsigned count_through(void)
{
	unsigned n = 0;

	for (size_t i = 0; i < nlines; i++)
		for (size_t b = 0; b < nboxes; b++) {
			bool hit = false;

			for (size_t k = 0; k + 1 < lines[i].n && !hit; k++) {
				struct point p = lines[i].v[k], q = lines[i].v[k + 1];

				for (int s = 0; s <= 8; s++) {
					double x = p.x + (q.x - p.x) * s / 8, y = p.y + (q.y - p.y) * s / 8;

					hit |= x > boxes[b].x + SLACK && x < boxes[b].x + boxes[b].w - SLACK
					       && y > boxes[b].y + SLACK && y < boxes[b].y + boxes[b].h - SLACK;
				}
			}
			if (hit) {
				fprintf(stderr, "%s to %s runs through %s\n", lines[i].from, lines[i].to,
				        boxes[b].name);
				n++;
			}
		}
	return n;
}

static unsigned count_islands(void)
{
	unsigned n = 0;

	for (size_t i = 0; i < nboxes; i++)
		boxes[i].island = (int)i;
	for (bool more = true; more;) {
		more = false;
		for (size_t i = 0; i < nlines; i++) {
			struct rect *a = &boxes[lines[i].a], *b = &boxes[lines[i].b];

			if (a->island != b->island) {
				a->island = b->island = a->island < b->island ? a->island : b->island;
				more = true;
			}
		}
	}
	for (size_t i = 0; i < nboxes; i++) {
		bool first = boxes[i].island == (int)i && !boxes[i].aside;

		n += first;
		if (first && n > 1)
			fprintf(stderr, "an island with %s\n", boxes[i].name);
	}
	return n;
}

/* ---- crossings ------------------------------------------------------------------------------ */

static double side(struct point p, struct point q, struct point r)
{
	return (q.x - p.x) * (r.y - p.y) - (q.y - p.y) * (r.x - p.x);
}

static bool cross(struct point p, struct point q, struct point r, struct point s)
{
	return side(p, q, r) * side(p, q, s) < 0 && side(r, s, p) * side(r, s, q) < 0;
}

static unsigned count_crossings(void)
{
	unsigned n = 0;

	for (size_t i = 0; i < nlines; i++)
		for (size_t k = 0; k < i; k++)
			for (size_t a = 0; a + 1 < lines[i].n; a++)
				for (size_t b = 0; b + 1 < lines[k].n; b++)
					n += cross(lines[i].v[a], lines[i].v[a + 1], lines[k].v[b],
					           lines[k].v[b + 1]);
	return n;
}

/* Is it the last name of the path "sm[0].sp[0..3]": "sp"? */
static bool is_last(const char *path, const char *name)
{
	const char *last = path;
	size_t n = strlen(name);

	for (const char *s = path; *s; s++)
		if (*s == '.' && s[1] != '.' && s[-1] != '.')
			last = s + 1;
	return strncmp(last, name, n) == 0 && (last[n] == '\0' || last[n] == '[');
}

static const struct rect *find(const char *name)
{
	for (size_t i = 0; i < nboxes; i++)
		if (is_last(boxes[i].name, name))
			return &boxes[i];
	fprintf(stderr, "there is no box '%s'\n", name);
	exit(1);
}

int main(int argc, char **argv)
{
	static char text[16 << 20];
	FILE *f = argc > 1 ? fopen(argv[1], "r") : NULL;
	unsigned wrong = 0;

	if (!f || fread(text, 1, sizeof text - 1, f) == 0)
		return 99;
	fclose(f);
	read_picture(text);
	printf("boxes %zu lines %zu overlaps %u outside %u through %u islands %u crossings %u\n", nboxes, nlines,
	       count_overlaps(), count_outside(), count_through(), count_islands(), count_crossings());
	for (int i = 2; i + 1 < argc; i += 2) {
		const struct rect *a = find(argv[i]), *b = find(argv[i + 1]);

		if (a->x + a->w > b->x) {
			fprintf(stderr, "%s is not left of %s\n", a->name, b->name);
			wrong++;
		}
	}
	return wrong != 0;
}
