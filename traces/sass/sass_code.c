/* sass_code.c - functions and their instructions
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "sass.h"

struct sass_function *hd__sass_function(struct sass_code *code, const char *file, const char *name,
                                        size_t length, uint32_t sm)
{
	struct sass_function *f;

	code->v = hd__xgrow(code->v, code->n, &code->cap, sizeof *code->v);
	f = &code->v[code->n++];
	*f = (struct sass_function){ .name = hd__xstrndup(name, length), .file = file, .sm = sm };
	return f;
}

struct sass_inst *hd__sass_inst(struct sass_function *f, uint32_t pc)
{
	struct sass_inst *i;

	f->v = hd__xgrow(f->v, f->n, &f->cap, sizeof *f->v);
	i = &f->v[f->n++];
	*i = (struct sass_inst){ .pc = pc };
	return i;
}

void hd__sass_free(struct sass_code *code)
{
	for (size_t i = 0; i < code->n; i++) {
		struct sass_function *f = &code->v[i];

		for (size_t j = 0; j < f->n; j++) {
			free(f->v[j].text);
			free(f->v[j].wrong);
		}
		free(f->v);
		free(f->name);
	}
	free(code->v);
	*code = (struct sass_code){ 0 };
}
