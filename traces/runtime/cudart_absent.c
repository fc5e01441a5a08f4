/* cudart_absent.c - functions of the runtime library that are not there: each says so once
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Their names are exported, so that a program that calls one of them on some path only can run.
 */
#include "cudart.h"
#include "base/xalloc.h"

int hd__cuda_absent(const char *what)
{
	static const char **told;
	static size_t n;
	size_t i = 0;

	hd__cuda_enter();
	while (i < n && strcmp(told[i], what) != 0)
		i++;
	if (i == n) {
		fprintf(stderr, "heddle: %s: not supported by heddle's CUDA runtime\n", what);
		told = hd__xappend((void *)told, n, sizeof *told);
		told[n++] = what;
	}
	return hd__cuda_leave(CUDA_NOT_SUPPORTED);
}

#define ABSENT(name) \
	CUDA_API int name(void) \
	{ \
		return hd__cuda_absent(#name); \
	}

/* ---- mipmapped and sparse arrays ---- */

ABSENT(cudaArrayGetMemoryRequirements)
ABSENT(cudaArrayGetPlane)
ABSENT(cudaArrayGetSparseProperties)
ABSENT(cudaDeviceGetTexture1DLinearMaxWidth)
ABSENT(cudaExternalMemoryGetMappedMipmappedArray)
ABSENT(cudaFreeMipmappedArray)
ABSENT(cudaGetMipmappedArrayLevel)
ABSENT(cudaGetTextureObjectResourceViewDesc)
ABSENT(cudaMallocMipmappedArray)
ABSENT(cudaMemcpyArrayToArray)
ABSENT(cudaMemcpyArrayToArray_ptds)
ABSENT(cudaMipmappedArrayGetMemoryRequirements)
ABSENT(cudaMipmappedArrayGetSparseProperties)

/* ---- graphics ---- */

ABSENT(cudaEGLStreamConsumerAcquireFrame)
ABSENT(cudaEGLStreamConsumerConnect)
ABSENT(cudaEGLStreamConsumerConnectWithFlags)
ABSENT(cudaEGLStreamConsumerDisconnect)
ABSENT(cudaEGLStreamConsumerReleaseFrame)
ABSENT(cudaEGLStreamProducerConnect)
ABSENT(cudaEGLStreamProducerDisconnect)
ABSENT(cudaEGLStreamProducerPresentFrame)
ABSENT(cudaEGLStreamProducerReturnFrame)
ABSENT(cudaEventCreateFromEGLSync)
ABSENT(cudaGLGetDevices)
ABSENT(cudaGLMapBufferObject)
ABSENT(cudaGLMapBufferObjectAsync)
ABSENT(cudaGLRegisterBufferObject)
ABSENT(cudaGLSetBufferObjectMapFlags)
ABSENT(cudaGLSetGLDevice)
ABSENT(cudaGLUnmapBufferObject)
ABSENT(cudaGLUnmapBufferObjectAsync)
ABSENT(cudaGLUnregisterBufferObject)
ABSENT(cudaGraphicsEGLRegisterImage)
ABSENT(cudaGraphicsGLRegisterBuffer)
ABSENT(cudaGraphicsGLRegisterImage)
ABSENT(cudaGraphicsMapResources)
ABSENT(cudaGraphicsResourceGetMappedEglFrame)
ABSENT(cudaGraphicsResourceGetMappedMipmappedArray)
ABSENT(cudaGraphicsResourceGetMappedPointer)
ABSENT(cudaGraphicsResourceSetMapFlags)
ABSENT(cudaGraphicsSubResourceGetMappedArray)
ABSENT(cudaGraphicsUnmapResources)
ABSENT(cudaGraphicsUnregisterResource)
ABSENT(cudaGraphicsVDPAURegisterOutputSurface)
ABSENT(cudaGraphicsVDPAURegisterVideoSurface)
ABSENT(cudaVDPAUGetDevice)
ABSENT(cudaVDPAUSetVDPAUDevice)

/* ---- graphs ---- */

ABSENT(cudaGraphAddExternalSemaphoresSignalNode)
ABSENT(cudaGraphAddExternalSemaphoresWaitNode)
ABSENT(cudaGraphAddMemcpyNodeFromSymbol)
ABSENT(cudaGraphAddMemcpyNodeToSymbol)
ABSENT(cudaGraphAddNode)
ABSENT(cudaGraphAddNode_v2)
ABSENT(cudaGraphChildGraphNodeGetGraph)
ABSENT(cudaGraphConditionalHandleCreate)
ABSENT(cudaGraphDebugDotPrint)
ABSENT(cudaGraphEventRecordNodeGetEvent)
ABSENT(cudaGraphEventRecordNodeSetEvent)
ABSENT(cudaGraphEventWaitNodeGetEvent)
ABSENT(cudaGraphEventWaitNodeSetEvent)
ABSENT(cudaGraphExecChildGraphNodeSetParams)
ABSENT(cudaGraphExecEventRecordNodeSetEvent)
ABSENT(cudaGraphExecEventWaitNodeSetEvent)
ABSENT(cudaGraphExecExternalSemaphoresSignalNodeSetParams)
ABSENT(cudaGraphExecExternalSemaphoresWaitNodeSetParams)
ABSENT(cudaGraphExecGetFlags)
ABSENT(cudaGraphExecMemcpyNodeSetParams)
ABSENT(cudaGraphExecMemcpyNodeSetParamsFromSymbol)
ABSENT(cudaGraphExecMemcpyNodeSetParamsToSymbol)
ABSENT(cudaGraphExecNodeSetParams)
ABSENT(cudaGraphExternalSemaphoresSignalNodeGetParams)
ABSENT(cudaGraphExternalSemaphoresSignalNodeSetParams)
ABSENT(cudaGraphExternalSemaphoresWaitNodeGetParams)
ABSENT(cudaGraphExternalSemaphoresWaitNodeSetParams)
ABSENT(cudaGraphGetEdges)
ABSENT(cudaGraphGetEdges_v2)
ABSENT(cudaGraphHostNodeGetParams)
ABSENT(cudaGraphInstantiateWithParams)
ABSENT(cudaGraphInstantiateWithParams_ptsz)
ABSENT(cudaGraphKernelNodeCopyAttributes)
ABSENT(cudaGraphKernelNodeGetAttribute)
ABSENT(cudaGraphKernelNodeGetParams)
ABSENT(cudaGraphKernelNodeSetAttribute)
ABSENT(cudaGraphMemAllocNodeGetParams)
ABSENT(cudaGraphMemFreeNodeGetParams)
ABSENT(cudaGraphMemcpyNodeGetParams)
ABSENT(cudaGraphMemcpyNodeSetParamsFromSymbol)
ABSENT(cudaGraphMemcpyNodeSetParamsToSymbol)
ABSENT(cudaGraphMemsetNodeGetParams)
ABSENT(cudaGraphNodeFindInClone)
ABSENT(cudaGraphNodeGetDependencies)
ABSENT(cudaGraphNodeGetDependencies_v2)
ABSENT(cudaGraphNodeGetDependentNodes)
ABSENT(cudaGraphNodeGetDependentNodes_v2)
ABSENT(cudaGraphNodeGetEnabled)
ABSENT(cudaGraphNodeSetParams)
ABSENT(cudaGraphReleaseUserObject)
ABSENT(cudaGraphRemoveDependencies)
ABSENT(cudaGraphRemoveDependencies_v2)
ABSENT(cudaGraphRetainUserObject)
ABSENT(cudaStreamBeginCaptureToGraph)
ABSENT(cudaStreamBeginCaptureToGraph_ptsz)
ABSENT(cudaStreamUpdateCaptureDependencies)
ABSENT(cudaStreamUpdateCaptureDependencies_ptsz)
ABSENT(cudaStreamUpdateCaptureDependencies_v2)
ABSENT(cudaStreamUpdateCaptureDependencies_v2_ptsz)
ABSENT(cudaUserObjectCreate)
ABSENT(cudaUserObjectRelease)
ABSENT(cudaUserObjectRetain)

/* ---- memory and semaphores of other processes and devices, pools ---- */

ABSENT(cudaDestroyExternalMemory)
ABSENT(cudaDestroyExternalSemaphore)
ABSENT(cudaExternalMemoryGetMappedBuffer)
ABSENT(cudaImportExternalMemory)
ABSENT(cudaImportExternalSemaphore)
ABSENT(cudaIpcCloseMemHandle)
ABSENT(cudaIpcGetEventHandle)
ABSENT(cudaIpcGetMemHandle)
ABSENT(cudaIpcOpenEventHandle)
ABSENT(cudaIpcOpenMemHandle)
ABSENT(cudaMemGetDefaultMemPool)
ABSENT(cudaMemGetMemPool)
ABSENT(cudaMemPoolExportPointer)
ABSENT(cudaMemPoolExportToShareableHandle)
ABSENT(cudaMemPoolGetAccess)
ABSENT(cudaMemPoolImportFromShareableHandle)
ABSENT(cudaMemPoolImportPointer)
ABSENT(cudaMemSetMemPool)
ABSENT(cudaMemcpy3DPeer)
ABSENT(cudaMemcpy3DPeerAsync)
ABSENT(cudaMemcpy3DPeerAsync_ptsz)
ABSENT(cudaMemcpy3DPeer_ptds)
ABSENT(cudaSignalExternalSemaphoresAsync)
ABSENT(cudaSignalExternalSemaphoresAsync_ptsz)
ABSENT(cudaSignalExternalSemaphoresAsync_v2)
ABSENT(cudaSignalExternalSemaphoresAsync_v2_ptsz)
ABSENT(cudaWaitExternalSemaphoresAsync)
ABSENT(cudaWaitExternalSemaphoresAsync_ptsz)
ABSENT(cudaWaitExternalSemaphoresAsync_v2)
ABSENT(cudaWaitExternalSemaphoresAsync_v2_ptsz)

/* ---- other memory ---- */

ABSENT(cudaLogsDumpToMemory)
ABSENT(cudaMemDiscardAndPrefetchBatchAsync)
ABSENT(cudaMemDiscardAndPrefetchBatchAsync_ptsz)
ABSENT(cudaMemDiscardBatchAsync)
ABSENT(cudaMemDiscardBatchAsync_ptsz)
ABSENT(cudaMemPrefetchBatchAsync)
ABSENT(cudaMemPrefetchBatchAsync_ptsz)
ABSENT(cudaMemRangeGetAttribute)
ABSENT(cudaMemRangeGetAttributes)
ABSENT(cudaMemcpy3DBatchAsync)
ABSENT(cudaMemcpy3DBatchAsync_ptsz)
ABSENT(cudaMemcpyBatchAsync)
ABSENT(cudaMemcpyBatchAsync_ptsz)

/* ---- others ---- */

ABSENT(__cudaGetProcAddress)
ABSENT(__cudaRegisterUnifiedTable)
ABSENT(cudaDeviceFlushGPUDirectRDMAWrites)
ABSENT(cudaDeviceGetHostAtomicCapabilities)
ABSENT(cudaDeviceGetNvSciSyncAttributes)
ABSENT(cudaDeviceGetP2PAtomicCapabilities)
ABSENT(cudaDeviceGetP2PAttribute)
ABSENT(cudaDeviceRegisterAsyncNotification)
ABSENT(cudaDeviceUnregisterAsyncNotification)
ABSENT(cudaGetExportTable)
ABSENT(cudaKernelSetAttributeForDevice)
ABSENT(cudaLaunchCooperativeKernelMultiDevice)
ABSENT(cudaLibraryGetUnifiedFunction)
ABSENT(cudaLibraryLoadFromFile)
ABSENT(cudaLogsCurrent)
ABSENT(cudaLogsDumpToFile)
ABSENT(cudaLogsRegisterCallback)
ABSENT(cudaLogsUnregisterCallback)
ABSENT(cudaStreamCopyAttributes)
ABSENT(cudaStreamCopyAttributes_ptsz)
ABSENT(cudaStreamGetAttribute)
ABSENT(cudaStreamGetAttribute_ptsz)
