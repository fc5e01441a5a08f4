/* svg.c - writes a drawing as SVG
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "model.h"
#include "box_names.h"

static const char style[] =
	".core{--f:var(--core-fill,#e3edf8);--c:var(--core-called,#f6f1e4);--l:var(--core-line,#51606f);"
	"--t:var(--core-text,#16202a);--d:var(--core-dim,#5d6a76);--k:var(--core-link,#2f4c6b);"
	"--q:var(--core-call,#9a7b35);--r:var(--core-frame,#8d99a5);--b:var(--core-back,#fff);"
	"font-family:system-ui,-apple-system,'Segoe UI',Helvetica,Arial,sans-serif;max-width:100%;height:auto}\n"
	"@media(prefers-color-scheme:dark){.core{--f:var(--core-fill,#22384f);--c:var(--core-called,#3b3524);"
	"--l:var(--core-line,#93a4b5);--t:var(--core-text,#edf2f7);--d:var(--core-dim,#a9b5c1);"
	"--k:var(--core-link,#8db8e6);--q:var(--core-call,#d2b064);--r:var(--core-frame,#6d7b89);"
	"--b:var(--core-back,#12181f)}}\n"
	".core text{fill:var(--t);font-size:13px}.core .instance rect{fill:var(--f);stroke:var(--l)}"
	".core .called rect{fill:var(--c)}.core .aside text{font-size:11px}.core .module,.core .doc{font-size:10px;"
	"fill:var(--d)}.core .name{font-weight:600}.core .frame rect{fill:none;stroke:var(--r);stroke-dasharray:5 4}"
	".core .frame text{font-size:12px;fill:var(--d)}.core .link{fill:none;stroke:var(--k);stroke-width:1.4}"
	".core .call{stroke:var(--q)}.core .back{opacity:.75}.core .size{font-size:9.5px;fill:var(--d);"
	"paint-order:stroke;stroke:var(--b);stroke-width:3px}.core .title{font-size:17px;font-weight:600}"
	".core .doc{font-size:12px}.core .ground{fill:var(--b)}";

/* At most n bytes. */
static void put_words(FILE *out, const char *s, size_t n)
{
	for (; n > 0 && *s != '\0'; s++, n--) {
		switch (*s) {
		case '&': fputs("&amp;", out); break;
		case '<': fputs("&lt;", out); break;
		case '>': fputs("&gt;", out); break;
		case '"': fputs("&quot;", out); break;
		default:
			if ((unsigned char)*s >= ' ')
				putc(*s, out);
		}
	}
}

void hd__picture_put_text(const char *s, FILE *out)
{
	put_words(out, s, SIZE_MAX);
}

/* ---- frames and boxes ----------------------------------------------------------------------- */

static void put_frame(const struct frame *f, FILE *out)
{
	fputs("<g class=\"frame\" data-path=\"", out);
	hd__picture_put_text(f->name, out);
	fprintf(out, "\" data-count=\"%u\"><title>", f->count);
	if (f->alike)
		fprintf(out, f->count > 1 ? "parts %s: what is in one is linked to nothing in another"
		                          : "part %s: what is in it is linked to nothing in another", f->name);
	else
		hd__picture_put_text(f->name, out);
	fprintf(out, "</title><rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"8\"/>"
	        "<text x=\"%.1f\" y=\"%.1f\">", f->x, f->y, f->w, f->h, f->x + 8, f->y + 14);
	if (!f->alike || f->count == 1)
		hd__picture_put_text(hd__name_last(f->name), out);
	if (hd__name_count(hd__name_last(f->name)) > 1)
		fprintf(out, " \303\227 %u", hd__name_count(hd__name_last(f->name)));
	fputs("</text></g>\n", out);
}

static void open_box(const struct box *b, const char *class, FILE *out)
{
	fprintf(out, "<g class=\"instance%s%s\" data-path=\"", class, b->first->called ? " called" : "");
	hd__picture_put_text(b->name, out);
	fputs("\" data-module=\"", out);
	hd__picture_put_text(b->first->module, out);
	fprintf(out, "\" data-count=\"%u\"><title>", b->count);
	hd__picture_put_text(b->name, out);
	fputs(": module ", out);
	hd__picture_put_text(b->first->module, out);
	if (b->first->called) {
		fputs(", only called", out);
	} else if (b->first->clock) {
		fputs(", clock ", out);
		hd__picture_put_text(b->first->clock, out);
	}
	fputs("</title>", out);
}

/* The name without its own indices, which are in the title: "sp" of "sm[0].sp[0..3]". */
static void put_short_name(const struct box *b, FILE *out)
{
	const char *name = hd__name_last(b->name);

	if (hd__name_count(name) > 1) {
		put_words(out, name, strcspn(name, "["));
		fprintf(out, " \303\227%u", hd__name_count(name));
	} else {
		hd__picture_put_text(name, out);
	}
}

static void put_box(const struct box *b, FILE *out)
{
	double middle = b->x + b->w / 2, y = b->y + b->h / 2;

	open_box(b, "", out);
	if (hd__name_count(hd__name_last(b->name)) > 1) /* a second one behind it */
		fprintf(out, "<path class=\"stack\" d=\"M%.1f %.1fv-4h%.1fv%.1fh-4\" fill=\"none\" "
		        "stroke=\"var(--l)\"/>", b->x + 4, b->y, b->w, b->h);
	fprintf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"%d\"/>", b->x, b->y,
	        b->w, b->h, b->first->called ? 12 : 3);
	fprintf(out, "<text class=\"name\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">", middle, y - 1);
	put_short_name(b, out);
	fprintf(out, "</text><text class=\"module\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">", middle,
	        y + 12);
	hd__picture_put_text(b->first->module, out);
	fputs("</text></g>\n", out);
}

static void put_chip(const struct box *b, FILE *out)
{
	open_box(b, " aside", out);
	fprintf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"10\"/>"
	        "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">", b->x, b->y, b->w, b->h,
	        b->x + b->w / 2, b->y + 14);
	put_short_name(b, out);
	fputs("</text></g>\n", out);
}

/* ---- links ---------------------------------------------------------------------------------- */

static double right_of(const struct drawing *d, uint32_t column)
{
	return d->column_x[column] + d->column_w[column];
}

/* From (x, y) to (x1, y1), leaving and arriving horizontally. */
static void put_curve(FILE *out, double x, double y, double x1, double y1)
{
	if (y - y1 < 0.05 && y1 - y < 0.05)
		fprintf(out, "L%.1f %.1f", x1, y1);
	else
		fprintf(out, "C%.1f %.1f %.1f %.1f %.1f %.1f", (x + x1) / 2, y, (x + x1) / 2, y1, x1, y1);
}

/* Through the gaps between columns, straight across the columns. */
static void put_pieces(const struct drawing *d, const struct line *l, FILE *out)
{
	const struct box *left = &d->boxes[l->back ? l->to : l->from];
	uint32_t c = left->rank;
	double y = l->back ? l->y1 : l->y0, ends = l->back ? l->y0 : l->y1;
	double *at = hd__xcalloc(l->nbends + 2, sizeof *at);

	at[0] = y;
	for (uint32_t k = 0; k < l->nbends; k++)
		at[k + 1] = d->items[l->first_bend + k].at;
	at[l->nbends + 1] = ends;
	if (!l->back) {
		fprintf(out, "M%.1f %.1f", right_of(d, c), y);
		for (uint32_t k = 0; k <= l->nbends; k++, c++) {
			put_curve(out, right_of(d, c), at[k], d->column_x[c + 1], at[k + 1]);
			if (k < l->nbends)
				fprintf(out, "L%.1f %.1f", right_of(d, c + 1), at[k + 1]);
		}
	} else { /* lines back that are longer have lanes */
		fprintf(out, "M%.1f %.1f", d->column_x[c + 1], at[1]);
		put_curve(out, d->column_x[c + 1], at[1], right_of(d, c), at[0]);
	}
	free(at);
}

/* Down to the lane, along it, and up or down to the other box. */
static void put_lane(const struct drawing *d, const struct line *l, FILE *out)
{
	const struct box *from = &d->boxes[l->from], *to = &d->boxes[l->to];
	double x0 = right_of(d, from->rank), x1 = d->column_x[to->rank], y = d->items[l->lane].at, r = 4;
	double v0 = x0 + 9 + 7.0 * l->track0, v1 = x1 - 13 - 7.0 * l->track1;
	double along = v1 > v0 ? r : -r;

	fprintf(out, "M%.1f %.1fL%.1f %.1fC%.1f %.1f %.1f %.1f %.1f %.1f", x0, l->y0, v0 - r, l->y0, v0, l->y0,
	        v0, l->y0, v0, l->y0 + r);
	fprintf(out, "L%.1f %.1fC%.1f %.1f %.1f %.1f %.1f %.1f", v0, y - r, v0, y, v0, y, v0 + along, y);
	fprintf(out, "L%.1f %.1fC%.1f %.1f %.1f %.1f %.1f %.1f", v1 - along, y, v1, y, v1, y, v1, y - r);
	fprintf(out, "L%.1f %.1fC%.1f %.1f %.1f %.1f %.1f %.1f", v1, l->y1 + r, v1, l->y1, v1, l->y1, v1 + r,
	        l->y1);
	fprintf(out, "L%.1f %.1f", x1, l->y1);
}

static void put_ends(const struct drawing *d, const struct line *l, const char *attribute, bool to, FILE *out)
{
	fprintf(out, " %s=\"", attribute);
	hd__picture_put_text(d->boxes[to ? l->to : l->from].name, out);
	putc('.', out);
	hd__picture_put_text(to == l->turned ? l->link->from_port : l->link->to_port, out);
	putc('"', out);
}

static void put_link(const struct drawing *d, const struct line *l, FILE *out)
{
	const struct box *from = &d->boxes[l->from], *to = &d->boxes[l->to];
	bool left = l->back && has_pieces(l); /* it arrives from the right */
	double tip = left || l->from == l->to ? right_of(d, to->rank) : d->column_x[to->rank];
	double side = left || l->from == l->to ? 6 : -6;
	char size[64];

	fprintf(out, "<path class=\"link %s%s\"", l->link->call ? "call" : "channel", l->back ? " back" : "");
	put_ends(d, l, "data-from", false, out);
	put_ends(d, l, "data-to", true, out);
	fprintf(out, " data-count=\"%u\" data-type=\"", l->count);
	hd__picture_put_text(l->link->type, out);
	fputs("\" d=\"", out);
	if (l->from == l->to)
		fprintf(out, "M%.1f %.1fC%.1f %.1f %.1f %.1f %.1f %.1f", tip, l->y0, tip + 22, l->y0, tip + 22,
		        l->y1, tip, l->y1);
	else if (l->lane != NONE)
		put_lane(d, l, out);
	else
		put_pieces(d, l, out);
	fprintf(out, "M%.1f %.1fL%.1f %.1fL%.1f %.1f\"><title>", tip + side, l->y1 - 3.5, tip, l->y1, tip + side,
	        l->y1 + 3.5);
	hd__picture_put_text(l->link->type, out);
	fputs(": ", out);
	hd__picture_put_text(from->name, out);
	fprintf(out, ".%s to ", l->turned ? l->link->to_port : l->link->from_port);
	hd__picture_put_text(to->name, out);
	fprintf(out, ".%s", l->turned ? l->link->from_port : l->link->to_port);
	hd__picture_label(l, size, sizeof size);
	if (l->count > 1)
		fprintf(out, ", %u %s", l->count, l->link->call ? "links" : "channels");
	if (size[0] != '\0')
		fprintf(out, l->count > 1 ? ", each %s" : ", %s", size);
	fputs("</title></path>\n", out);
}

static void put_label(const struct drawing *d, const struct line *l, FILE *out)
{
	bool left = l->back && has_pieces(l);
	const struct box *b = &d->boxes[l->from];
	char size[64];

	if (l->quiet || hd__picture_label(l, size, sizeof size)[0] == '\0')
		return;
	fprintf(out, "<text class=\"size\" x=\"%.1f\" y=\"%.1f\"%s>%s</text>\n",
	        left ? b->x - 4 : b->x + b->w + 4, l->y0 - 3, left ? " text-anchor=\"end\"" : "", size);
}

/* ---- all of it ------------------------------------------------------------------------------ */

/* Breaks the description into lines below the name.  Returns the height of both. */
static double put_heading(const struct drawing *d, double width, FILE *out)
{
	const char *s = d->p->doc ? d->p->doc : "";
	double y = 38;

	if (d->o->bare)
		return 0;
	fputs("<text class=\"title\" x=\"12\" y=\"22\">", out);
	hd__picture_put_text(d->p->name, out);
	fputs("</text>\n", out);
	while (*s != '\0') {
		size_t n = 0, word = 0;

		for (; s[n] != '\0' && (n * 6.1 < width - 24 || word == 0); n++)
			if (s[n] == ' ')
				word = n;
		n = s[n] == '\0' || word == 0 ? n : word;
		fprintf(out, "<text class=\"doc\" x=\"12\" y=\"%.0f\">", y);
		put_words(out, s, n);
		fputs("</text>\n", out);
		s += n;
		s += strspn(s, " ");
		y += 15;
	}
	return y;
}

void hd__picture_write(const struct drawing *d, FILE *out)
{
	double w = d->w + 4 < 420 ? 420 : d->w + 4;
	char *heading = NULL;
	size_t size;
	FILE *f = hd__xcheck(open_memstream(&heading, &size));
	double top = put_heading(d, w, f);

	fclose(f);
	fprintf(out, "<svg class=\"core\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 %.0f %.0f %.0f\" "
	        "width=\"%.0f\" height=\"%.0f\" role=\"img\"><title>", -top, w, d->h + top + 12, w, d->h + top + 12);
	hd__picture_put_text(d->p->name, out);
	fprintf(out, "</title><style>%s</style>\n", style);
	fprintf(out, "<rect class=\"ground\" y=\"%.0f\" width=\"%.0f\" height=\"%.0f\"/>\n", -top, w,
	        d->h + top + 12);
	fprintf(out, "<g transform=\"translate(0 %.0f)\">\n%s</g>\n", -top, heading ? heading : "");
	free(heading);
	for (uint32_t i = 1; i < d->nframes; i++)
		if (d->frames[i].first != NONE)
			put_frame(&d->frames[i], out);
	for (uint32_t i = 0; i < d->nlines; i++)
		put_link(d, &d->lines[i], out);
	for (uint32_t i = 0; i < d->nboxes; i++)
		(d->boxes[i].aside ? put_chip : put_box)(&d->boxes[i], out);
	for (uint32_t i = 0; i < d->nlines; i++)
		put_label(d, &d->lines[i], out);
	fputs("</svg>\n", out);
}
