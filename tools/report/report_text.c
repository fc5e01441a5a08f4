/* report_text.c - text of a dump as JSON
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "report.h"

json_t *report_text(const char *s)
{
	json_t *j = json_string(s ? s : "");

	return j ? j : json_string("?"); /* not UTF-8 */
}
