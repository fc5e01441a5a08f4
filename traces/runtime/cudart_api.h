/* cudart_api.h - functions of CUDA's runtime library, for the driver library and tests
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TRACES_RUNTIME_CUDART_API_H
#define TRACES_RUNTIME_CUDART_API_H

#include "cudart_abi.h"

void **__cudaRegisterFatBinary(const struct cuda_fatbin_wrapper *w);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
char __cudaInitModule(void **handle);
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int threads, void *tid,
                            void *bid, void *block, void *grid, int *warp);
void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int external, size_t size,
                       int constant, int global);
void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name, int external, size_t size,
                              int constant, int global);
unsigned __cudaPushCallConfiguration(struct cuda_dim3 grid, struct cuda_dim3 block, size_t shared, void *stream);
int __cudaPopCallConfiguration(struct cuda_dim3 *grid, struct cuda_dim3 *block, size_t *shared, void **stream);
int __cudaGetKernel(void **kernel, const void *host);
int __cudaLaunchKernel(const void *kernel, struct cuda_dim3 grid, struct cuda_dim3 block, void **args, size_t shared,
                       void *stream);
int cudaLaunchKernel(const void *function, struct cuda_dim3 grid, struct cuda_dim3 block, void **args, size_t shared,
                     void *stream);
int cudaLaunchKernelExC(const struct cuda_launch_config *c, const void *function, void **args);
int cudaLaunchCooperativeKernel(const void *function, struct cuda_dim3 grid, struct cuda_dim3 block, void **args,
                                size_t shared, void *stream);
int cudaFuncGetAttributes(struct cuda_func_attributes *a, const void *function);
int cudaFuncSetAttribute(const void *function, int attribute, int value);
int cudaOccupancyMaxActiveClusters(int *clusters, const void *function, const struct cuda_launch_config *c);
int cudaOccupancyMaxPotentialClusterSize(int *size, const void *function, const struct cuda_launch_config *c);
int cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function, int threads, size_t dynamic);

int cudaMalloc(void **to, size_t bytes);
int cudaMallocHost(void **to, size_t bytes);
int cudaMallocManaged(void **to, size_t bytes, unsigned flags);
int cudaMallocPitch(void **to, size_t *pitch, size_t width, size_t height);
int cudaMalloc3D(struct cuda_pitched *to, struct cuda_extent e);
int cudaFree(void *p);
int cudaHostAlloc(void **to, size_t bytes, unsigned flags);
int cudaHostGetDevicePointer(void **to, void *p, unsigned flags);
int cudaMallocAsync(void **to, size_t bytes, void *stream);
int cudaFreeAsync(void *p, void *stream);
int cudaHostRegister(void *p, size_t bytes, unsigned flags);
int cudaHostUnregister(void *p);
int cudaMemcpy(void *to, const void *from, size_t bytes, int direction);
int cudaMemcpyAsync(void *to, const void *from, size_t bytes, int direction, void *stream);
int cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                 int direction);
int cudaMemcpy3D(const struct cuda_copy_3d *c);
int cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes, size_t offset, int direction);
int cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset, int direction);
int cudaGetSymbolAddress(void **to, const void *symbol);
int cudaGetSymbolSize(size_t *to, const void *symbol);
int cudaMemset(void *to, int value, size_t bytes);
int cudaMemset2DAsync(void *to, size_t pitch, int value, size_t width, size_t height, void *stream);
int cudaMemset2D(void *to, size_t pitch, int value, size_t width, size_t height);
int cudaMemGetInfo(size_t *unused, size_t *total);
int cudaPointerGetAttributes(struct cuda_pointer_attributes *to, const void *p);
int cudaCreateTextureObject(uint64_t *to, const struct cuda_resource *r, const struct cuda_texture_desc *d,
                            const void *view);
int cudaCreateSurfaceObject(uint64_t *to, const struct cuda_resource *r);
int cudaGetTextureObjectResourceDesc(struct cuda_resource *to, uint64_t handle);
int cudaGetSurfaceObjectResourceDesc(struct cuda_resource *to, uint64_t handle);
int cudaMallocMipmappedArray(void **array, const void *description, struct cuda_extent e, unsigned levels,
                             unsigned flags);

int cudaStreamCreate(void **to);
int cudaStreamCreateWithPriority(void **to, unsigned flags, int priority);
int cudaStreamDestroy(void *stream);
int cudaStreamQuery(void *stream);
int cudaStreamSynchronize(void *stream);
int cudaStreamWaitEvent(void *stream, void *event, unsigned flags);
int cudaStreamBeginCapture(void *stream, int mode);
int cudaStreamEndCapture(void *stream, void **graph);
int cudaStreamGetCaptureInfo(void *stream, int *status, unsigned long long *id, void **graph,
                             const void **dependencies, const void **edges, size_t *n);
int cudaLaunchHostFunc(void *stream, void (*call)(void *), void *arg);
int cudaEventCreate(void **to);
int cudaEventCreateWithFlags(void **to, unsigned flags);
int cudaEventQuery(void *event);
int cudaEventDestroy(void *event);
int cudaEventRecord(void *event, void *stream);
int cudaEventElapsedTime(float *ms, void *from, void *to);

int cudaGraphCreate(void **to, unsigned flags);
int cudaGraphDestroy(void *graph);
int cudaGraphGetNodes(void *graph, void **nodes, size_t *n);
int cudaGraphAddKernelNode(void **to, void *graph, void *const *after, size_t n, const struct cuda_kernel_node *p);
int cudaGraphAddMemAllocNode(void **to, void *graph, void *const *after, size_t n, struct cuda_alloc_node *p);
int cudaDeviceGetGraphMemAttribute(int device, int attribute, uint64_t *value);
int cudaGraphAddMemsetNode(void **to, void *graph, void *const *after, size_t n, const struct cuda_memset_node *p);
int cudaGraphAddMemcpyNode1D(void **to, void *graph, void *const *after, size_t n, void *dst, const void *src,
                             size_t bytes, int direction);
int cudaGraphAddDependencies(void *graph, void *const *from, void *const *to, const void *edges, size_t n);
int cudaGraphInstantiate(void **to, void *graph, unsigned long long flags);
int cudaGraphExecKernelNodeSetParams(void *exec, void *node, const struct cuda_kernel_node *p);
int cudaGraphExecDestroy(void *exec);
int cudaGraphLaunch(void *exec, void *stream);

int cudaLibraryLoadData(void **to, const void *code, void *jit, void **jit_values, unsigned njit, void *options,
                        void **values, unsigned noptions);
int cudaLibraryUnload(void *library);
int cudaLibraryGetKernel(void **kernel, void *library, const char *name);
int cudaLibraryGetGlobal(void **to, size_t *bytes, void *library, const char *name);
int cudaFuncGetParamInfo(const void *function, size_t i, size_t *offset, size_t *bytes);
int cudaFuncGetName(const char **name, const void *function);

int cudaGetDeviceCount(int *n);
int cudaSetDevice(int device);
int cudaGetDeviceProperties(struct cuda_device_prop *p, int device);
int cudaDeviceGetPCIBusId(char *to, int n, int device);
int cudaDeviceGetLimit(size_t *value, int limit);
int cudaDeviceSetLimit(int limit, size_t value);
int cudaDeviceCanAccessPeer(int *can, int device, int peer);
int cudaDeviceGetAttribute(int *to, int attribute, int device);
int cudaDeviceSetCacheConfig(int value);
int cudaDeviceGetCacheConfig(int *value);
int cudaDeviceSynchronize(void);
int cudaDeviceReset(void);
int cudaRuntimeGetVersion(int *to);
int cudaGetLastError(void);
int cudaPeekAtLastError(void);
const char *cudaGetErrorName(int error);
const char *cudaGetErrorString(int error);

#endif
