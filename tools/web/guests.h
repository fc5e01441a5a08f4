/* guests.h - connections of browsers, and of those that are not let in
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TOOLS_WEB_GUESTS_H
#define TOOLS_WEB_GUESTS_H

#include "web.h"

/* Called by the server for each new connection, and for each that has ended. */
void hd__guest_came_or_went(void *web, struct MHD_Connection *c, void **place,
                            enum MHD_ConnectionNotificationCode what);
/* The connection has shown the token. */
void hd__guest_admitted(struct MHD_Connection *c);

#endif
