/* web_run.h - the run behind the page
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TOOLS_WEB_WEB_RUN_H
#define TOOLS_WEB_WEB_RUN_H

#include "web.h"

/* Connects.  Returns false after printing an error. */
bool hd__web_run_open(struct hd_web *w, const char *path);
/* Notifies the pages that there are no further news. */
void hd__web_run_ended(struct hd_web *w, const char *end, const char *message);
void hd__web_run_close(struct hd_web *w);

#endif
