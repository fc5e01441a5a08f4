/* cudart_errors.c - names and texts of errors, and the last one
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "cudart.h"

static const struct {
	int number;
	const char *name, *text;
} errors[] = {
	{ CUDA_SUCCESS, "cudaSuccess", "no error" },
	{ CUDA_INVALID_VALUE, "cudaErrorInvalidValue", "invalid argument" },
	{ CUDA_MEMORY_ALLOCATION, "cudaErrorMemoryAllocation", "out of memory" },
	{ CUDA_INITIALIZATION, "cudaErrorInitializationError", "initialization error" },
	{ CUDA_INVALID_CONFIGURATION, "cudaErrorInvalidConfiguration", "invalid configuration argument" },
	{ CUDA_INVALID_PITCH, "cudaErrorInvalidPitchValue", "invalid pitch argument" },
	{ CUDA_INVALID_SYMBOL, "cudaErrorInvalidSymbol", "invalid device symbol" },
	{ CUDA_INVALID_MEMCPY_DIRECTION, "cudaErrorInvalidMemcpyDirection", "invalid copy direction for memcpy" },
	{ CUDA_MISSING_CONFIGURATION, "cudaErrorMissingConfiguration", "__global__ function call is not configured" },
	{ CUDA_INVALID_DEVICE_FUNCTION, "cudaErrorInvalidDeviceFunction", "invalid device function" },
	{ CUDA_NO_DEVICE, "cudaErrorNoDevice", "no CUDA-capable device is detected" },
	{ CUDA_INVALID_DEVICE, "cudaErrorInvalidDevice", "invalid device ordinal" },
	{ CUDA_INVALID_KERNEL_IMAGE, "cudaErrorInvalidKernelImage", "device kernel image is invalid" },
	{ CUDA_NO_KERNEL_IMAGE, "cudaErrorNoKernelImageForDevice",
	  "no kernel image is available for execution on the device" },
	{ CUDA_UNSUPPORTED_LIMIT, "cudaErrorUnsupportedLimit", "limit is not supported on this architecture" },
	{ CUDA_PEER_ACCESS_UNSUPPORTED, "cudaErrorPeerAccessUnsupported",
	  "peer access is not supported between these two devices" },
	{ CUDA_FILE_NOT_FOUND, "cudaErrorFileNotFound", "file not found" },
	{ CUDA_INVALID_HANDLE, "cudaErrorInvalidResourceHandle", "invalid resource handle" },
	{ CUDA_ILLEGAL_STATE, "cudaErrorIllegalState", "the operation cannot be performed in the present state" },
	{ CUDA_SYMBOL_NOT_FOUND, "cudaErrorSymbolNotFound", "named symbol not found" },
	{ 600, "cudaErrorNotReady", "device not ready" },
	{ CUDA_ILLEGAL_ADDRESS, "cudaErrorIllegalAddress", "an illegal memory access was encountered" },
	{ CUDA_LAUNCH_OUT_OF_RESOURCES, "cudaErrorLaunchOutOfResources", "too many resources requested for launch" },
	{ CUDA_LAUNCH_TIMEOUT, "cudaErrorLaunchTimeout", "the launch timed out and was terminated" },
	{ 704, "cudaErrorPeerAccessAlreadyEnabled", "peer access is already enabled" },
	{ CUDA_PEER_ACCESS_NOT_ENABLED, "cudaErrorPeerAccessNotEnabled", "peer access has not been enabled" },
	{ CUDA_ASSERT, "cudaErrorAssert", "device-side assert triggered" },
	{ CUDA_HOST_ALREADY_REGISTERED, "cudaErrorHostMemoryAlreadyRegistered",
	  "part or all of the requested memory range is already mapped" },
	{ CUDA_HOST_NOT_REGISTERED, "cudaErrorHostMemoryNotRegistered",
	  "pointer does not correspond to a registered memory region" },
	{ 715, "cudaErrorIllegalInstruction", "an illegal instruction was encountered" },
	{ 716, "cudaErrorMisalignedAddress", "misaligned address" },
	{ CUDA_INVALID_PC, "cudaErrorInvalidPc", "invalid program counter" },
	{ CUDA_LAUNCH_FAILURE, "cudaErrorLaunchFailure", "unspecified launch failure" },
	{ CUDA_COOPERATIVE_TOO_LARGE, "cudaErrorCooperativeLaunchTooLarge", "too many blocks in cooperative launch" },
	{ 800, "cudaErrorNotPermitted", "operation not permitted" },
	{ CUDA_NOT_SUPPORTED, "cudaErrorNotSupported", "operation not supported" },
	{ CUDA_CAPTURE_UNSUPPORTED, "cudaErrorStreamCaptureUnsupported",
	  "operation not permitted when stream is capturing" },
	{ CUDA_CAPTURE_INVALIDATED, "cudaErrorStreamCaptureInvalidated",
	  "operation failed due to a previous error during capture" },
	{ CUDA_CAPTURE_UNMATCHED, "cudaErrorStreamCaptureUnmatched", "capture was not initiated in this stream" },
	{ CUDA_CAPTURE_IMPLICIT, "cudaErrorStreamCaptureImplicit",
	  "operation would make the legacy stream depend on a capturing blocking stream" },
	{ CUDA_GRAPH_UPDATE_FAILURE, "cudaErrorGraphExecUpdateFailure",
	  "the graph update was not performed because it included changes which violated constraints" },
	{ CUDA_INVALID_CLUSTER, "cudaErrorInvalidClusterSize", "the cluster size is invalid" },
	{ CUDA_UNKNOWN, "cudaErrorUnknown", "unknown error" },
};

static size_t find(int number)
{
	size_t i = 0;

	while (i < sizeof errors / sizeof *errors && errors[i].number != number)
		i++;
	return i;
}

CUDA_API const char *cudaGetErrorName(int error)
{
	size_t i = find(error);

	return i < sizeof errors / sizeof *errors ? errors[i].name : "unrecognized error code";
}

CUDA_API const char *cudaGetErrorString(int error)
{
	size_t i = find(error);

	return i < sizeof errors / sizeof *errors ? errors[i].text : "unrecognized error code";
}

/* An error of a kernel is there before a call has returned it. */
static int last_error(bool forget)
{
	int broken = hd__cuda_enter();

	hd__cuda_leave(broken);
	return hd__cuda_last(forget);
}

CUDA_API int cudaGetLastError(void)
{
	return last_error(true);
}

CUDA_API int cudaPeekAtLastError(void)
{
	return last_error(false);
}
