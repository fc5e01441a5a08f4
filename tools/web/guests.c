/* guests.c - connections that have not shown the token: few at a time, the oldest of which has to go
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * However many connect, and however slowly they send, a browser that has the token gets a place.
 */
#include "web.h"

#define STRANGERS 256u

struct hd_guest {
	struct hd_http *http;
	struct hd_guest *next, *prev; /* only of strangers */
	bool stranger;
	MHD_socket fd;
};

static void unlink_guest(struct hd_guest *g)
{
	struct hd_http *h = g->http;

	if (!g->stranger)
		return;
	if (g->prev)
		g->prev->next = g->next;
	else
		h->guests = g->next;
	if (g->next)
		g->next->prev = g->prev;
	g->stranger = false;
	h->nguests--;
}

/* The server finds its connection closed, and ends it. */
static void turn_away(struct hd_guest *g)
{
	shutdown(g->fd, SHUT_RDWR);
	unlink_guest(g);
}

static struct hd_guest *guest_new(struct hd_http *h, MHD_socket fd)
{
	struct hd_guest *g = hd__xcalloc(1, sizeof *g), *last = h->guests;

	g->http = h;
	g->fd = fd;
	g->stranger = true;
	while (last && last->next)
		last = last->next;
	g->prev = last;
	if (last)
		last->next = g;
	else
		h->guests = g;
	h->nguests++;
	return g;
}

void hd__guest_came_or_went(void *web, struct MHD_Connection *c, void **place,
                            enum MHD_ConnectionNotificationCode what)
{
	struct hd_http *h = &((struct hd_web *)web)->http;
	const union MHD_ConnectionInfo *info;

	if (what == MHD_CONNECTION_NOTIFY_CLOSED) {
		if (*place)
			unlink_guest(*place);
		free(*place);
		*place = NULL;
		return;
	}
	info = MHD_get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD);
	if (!info)
		return;
	if (h->nguests >= STRANGERS)
		turn_away(h->guests);
	*place = guest_new(h, info->connect_fd);
}

void hd__guest_admitted(struct MHD_Connection *c)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(c, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

	if (info && info->socket_context)
		unlink_guest(info->socket_context);
}
