/* cudart_register.c - what code made by nvcc registers when a program begins: fatbins, kernels, variables
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Code is loaded when the program first uses something of it.
 */
#include "cudart.h"
#include "cudart_record.h"
#include "base/int_map.h"
#include "base/xalloc.h"

struct variable {
	const void *host;
	const char *name;
	void **managed; /* the host's pointer to it, or NULL */
	struct cuda_module *module;
	struct variable *next;
};

/* A fatbin of the program: the handle that nvcc's code has. */
struct cuda_module {
	const void *code;
	struct hd_exec_image *image;
	int error; /* of loading it */
	bool gone; /* with the library that has had it */
	struct cuda_module *next;
};

static struct {
	struct cuda_module *modules, **end;
	struct hd_int_map functions, variables; /* by address of the host's: struct cuda_function, struct variable */
	struct variable *first;
} known = { .end = &known.modules };

/* ---- code ---- */

/* A fatbin says itself how long it is, as does a cubin, whose section headers come last. */
static size_t bytes_of(const unsigned char *code)
{
	uint64_t at;
	uint16_t size, n;

	if (memcmp(code, "\177ELF", 4) != 0)
		return hd__exec_fatbin_bytes(code);
	memcpy(&at, code + 40, sizeof at);
	memcpy(&size, code + 58, sizeof size);
	memcpy(&n, code + 60, sizeof n);
	return at + (size_t)size * n;
}

/* Programs have the addresses of their managed variables. */
static void tell_managed(const struct cuda_module *m)
{
	uint64_t at, bytes;

	for (struct variable *v = known.first; v; v = v->next)
		if (v->module == m && v->managed && hd__exec_symbol(m->image, v->name, &at, &bytes))
			*v->managed = (void *)(uintptr_t)at;
}

/* Can this GPU execute the first code of the program?  Then that is loaded.  True if the program has none. */
static bool fits(uint32_t sm)
{
	struct cuda_module *m = known.modules;
	struct hd_exec *x = hd__cuda_machine();
	char *why = NULL;

	while (m && m->gone)
		m = m->next;
	if (!m || !x)
		return true;
	m->image = hd__exec_load(x, m->code, bytes_of(m->code), sm, "the program's code", &why);
	free(why);
	if (m->image)
		tell_managed(m);
	return m->image != NULL;
}

/* ---- the GPU ---- */

static const struct cuda_gpu *chosen;

static const struct cuda_gpu *choose(void)
{
	const char *name = getenv("HEDDLE_GPU"), *suits = getenv(CUDA_SUITS);
	const struct cuda_gpu *wanted = suits ? hd__gpu_by_name(suits) : NULL;
	const struct cuda_gpu *g = name ? hd__gpu_by_name(name) : NULL;

	if (name && !g) {
		char *names = hd__gpu_names();

		fprintf(stderr, "heddle: HEDDLE_GPU: there is no GPU '%s' here; expected one of %s\n", name, names);
		free(names);
		exit(2);
	}
	if (!g && wanted && fits(wanted->sm))
		g = wanted;
	for (const struct cuda_gpu *i = hd__gpus; i->name && !g; i++)
		if (fits(i->sm))
			g = i;
	return g ? g : hd__gpus;
}

const struct cuda_gpu *hd__cuda_gpu(void)
{
	if (!chosen)
		chosen = choose();
	return chosen;
}

struct hd_exec_image *hd__cuda_image(const void *code, int *error)
{
	const struct cuda_fatbin_wrapper *w = code;
	struct hd_exec *x = hd__cuda_machine();
	struct hd_exec_image *image;
	char *why = NULL;
	size_t n;

	*error = CUDA_INITIALIZATION;
	if (!x)
		return NULL;
	if (w->magic == CUDA_FATBIN_WRAPPER)
		code = w->data;
	n = bytes_of(code);
	*error = CUDA_INVALID_KERNEL_IMAGE;
	if (n == 0)
		return NULL;
	image = hd__exec_load(x, code, n, hd__cuda_gpu()->sm, "the program's code", &why);
	if (!image)
		fprintf(stderr, "heddle: %s, or name another GPU: HEDDLE_GPU, --gpu\n", why);
	free(why);
	*error = image ? CUDA_SUCCESS : CUDA_NO_KERNEL_IMAGE;
	return image;
}

static int load(struct cuda_module *m)
{
	if (m->image || m->error)
		return m->error;
	m->image = hd__cuda_image(m->code, &m->error);
	if (m->image)
		tell_managed(m);
	return m->error;
}

void hd__cuda_forget_images(void)
{
	uint64_t key, value;
	size_t at = 0;

	for (struct cuda_module *m = known.modules; m; m = m->next)
		m->image = NULL, m->error = CUDA_SUCCESS;
	while (hd__int_map_next(&known.functions, &at, &key, &value))
		if (value)
			((struct cuda_function *)(uintptr_t)value)->kernel = NULL;
}

/* ---- registration ---- */

CUDA_API void **__cudaRegisterFatBinary(const struct cuda_fatbin_wrapper *w)
{
	struct cuda_module *m;

	hd__cuda_enter();
	m = hd__xcalloc(1, sizeof *m);
	m->code = w->data;
	*known.end = m;
	known.end = &m->next;
	hd__cuda_leave(CUDA_SUCCESS);
	return (void **)m;
}

CUDA_API void __cudaRegisterFatBinaryEnd(void **handle)
{
	(void)handle;
}

/* Called when the program ends, and when a library with kernels is closed. */
CUDA_API void __cudaUnregisterFatBinary(void **handle)
{
	struct cuda_module *m = (struct cuda_module *)handle;
	uint64_t key, value;
	size_t at = 0;

	hd__cuda_enter();
	m->gone = true;
	m->error = CUDA_INVALID_DEVICE_FUNCTION;
	while (hd__int_map_next(&known.functions, &at, &key, &value))
		if (value && ((struct cuda_function *)(uintptr_t)value)->module == m)
			*hd__int_map_at(&known.functions, key) = 0;
	hd__cuda_leave(CUDA_SUCCESS);
}

CUDA_API char __cudaInitModule(void **handle)
{
	int error = hd__cuda_enter();

	if (!error)
		error = load((struct cuda_module *)handle);
	hd__cuda_leave(error);
	return error == CUDA_SUCCESS;
}

CUDA_API void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int threads,
                                     void *tid, void *bid, void *block, void *grid, int *warp)
{
	struct cuda_function *f;

	(void)device, (void)threads, (void)tid, (void)bid, (void)block, (void)grid, (void)warp;
	hd__cuda_enter();
	f = hd__cuda_handle(CUDA_KERNEL, sizeof *f);
	*f = (struct cuda_function){ .host = host, .name = name, .module = (struct cuda_module *)handle,
		.carveout = -1 };
	*hd__int_map_at(&known.functions, (uintptr_t)host) = (uintptr_t)f;
	hd__cuda_leave(CUDA_SUCCESS);
}

static void add_variable(void **handle, const void *host, const char *name, void **managed)
{
	struct variable *v;

	hd__cuda_enter();
	v = hd__xcalloc(1, sizeof *v);
	*v = (struct variable){ host, name, managed, (struct cuda_module *)handle, known.first };
	known.first = v;
	*hd__int_map_at(&known.variables, (uintptr_t)host) = (uintptr_t)v;
	hd__cuda_leave(CUDA_SUCCESS);
}

CUDA_API void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int external, size_t size,
                                int constant, int global)
{
	(void)device, (void)external, (void)size, (void)constant, (void)global;
	add_variable(handle, host, name, NULL);
}

CUDA_API void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name, int external,
                                       size_t size, int constant, int global)
{
	(void)device, (void)external, (void)size, (void)constant, (void)global;
	add_variable(handle, host, name, host);
}

CUDA_API void __cudaRegisterHostVar(void **handle, const char *name, char *host, size_t size)
{
	(void)handle, (void)name, (void)host, (void)size; /* the device does not see variables of the host */
}

/* ---- what they are ---- */

struct cuda_function *hd__cuda_function(const void *host, int *error)
{
	struct cuda_function *f = (void *)(uintptr_t)hd__int_map_get(&known.functions, (uintptr_t)host);

	*error = CUDA_INVALID_DEVICE_FUNCTION;
	if (!f && host)
		f = hd__cuda_check(host, CUDA_KERNEL); /* a handle rather than a function of the host */
	if (!f)
		return NULL;
	if (!f->kernel && f->module) {
		*error = load(f->module);
		if (*error)
			return NULL;
		f->kernel = hd__exec_kernel(f->module->image, f->name);
	}
	*error = f->kernel ? CUDA_SUCCESS : CUDA_INVALID_DEVICE_FUNCTION;
	return f->kernel ? f : NULL;
}

int hd__cuda_variable(const void *host, uint64_t *address, uint64_t *bytes)
{
	const struct variable *v = (void *)(uintptr_t)hd__int_map_get(&known.variables, (uintptr_t)host);
	int error = v ? load(v->module) : CUDA_INVALID_SYMBOL;

	if (!error && !hd__exec_symbol(v->module->image, v->name, address, bytes))
		error = CUDA_INVALID_SYMBOL;
	return error;
}
