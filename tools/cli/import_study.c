/* import_study.c - the netlist of an Accel-Sim configuration that a study names
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "cmd.h"
#include "tools/import/import.h"
#include "tools/study/study.h"
#include "tools/study/study_folder.h"

static void import_files(struct hd_import *im, const struct study *s, const json_t *files)
{
	size_t n = json_is_array(files) ? json_array_size(files) : 1;

	for (size_t i = 0; i < n; i++) {
		const json_t *name = json_is_array(files) ? json_array_get(files, i) : files;
		char *path = study_below(s->folder, json_string_value(name));

		hd__import_file(im, path);
		free(path);
	}
}

bool hd__import_of_study(const struct study *s, struct study_netlist *n, const struct study_folder *f, json_t *read)
{
	char *name = hd__format("netlists/%s.json", n->name);
	struct hd_import im;
	const char *option;
	json_t *value, *root;
	bool ok;

	hd__import_init(&im);
	im.one_sm = n->one_sm;
	import_files(&im, s, n->import);
	json_object_foreach(n->options, option, value)
		hd__import_set(&im, option, json_string_value(value));
	hd__import_complete(&im);
	root = im.errors ? NULL : hd__import_netlist(&im, n->name);
	ok = root && !im.errors && study_folder_write(f, name, root, JSON_INDENT(1));
	n->file = study_folder_name(f, name);
	for (size_t i = 0; read && i < im.nfiles; i++)
		json_array_append_new(read, json_string(im.files[i]));
	json_decref(root);
	hd__import_free(&im);
	free(name);
	return ok;
}
