/* A CUDA driver whose card does nothing: memory is the host's, launches are accepted and forgotten.
 *
 * For testing what weft gpu makes of a card that computes nothing, and of one that is lost: with FAKE_LOST=N, the N-th
 * wait of a process and all later ones fail as after an illegal access. Built as libcuda.so.1. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SUCCESS = 0, INVALID_VALUE = 1, ILLEGAL_ADDRESS = 700 };

static int waits, is_lost, allocations;
static pid_t started; /* by this process: a real driver does not work in a child of one that has started it */

static int result(void)
{
    return is_lost ? ILLEGAL_ADDRESS : SUCCESS;
}

int cuInit(unsigned flags)
{
    if (started && started != getpid())
        return 3;
    started = getpid();
    return flags ? INVALID_VALUE : getenv("FAKE_NONE") ? 100 : SUCCESS;
}

/* NVRTC asks for this when it compiles for a card. */
int cuGetExportTable(const void **table, const void *id)
{
    (void)id;
    *table = NULL;
    return INVALID_VALUE;
}

int cuDriverGetVersion(int *version)
{
    *version = 13000;
    return SUCCESS;
}

int cuDeviceGetCount(int *count)
{
    *count = 1;
    return SUCCESS;
}

int cuDeviceGet(int *device, int ordinal)
{
    *device = ordinal;
    return SUCCESS;
}

int cuDeviceGetName(char *name, int size, int device)
{
    (void)device;
    snprintf(name, (size_t)size, "card that does nothing");
    return SUCCESS;
}

int cuDeviceGetAttribute(int *value, int attribute, int device)
{
    (void)device;
    *value = attribute == 75 ? 9 : attribute == 76 ? 0 : 1;
    return SUCCESS;
}

int cuDevicePrimaryCtxRetain(void **context, int device)
{
    static char only;
    (void)device;
    *context = &only;
    return SUCCESS;
}

int cuDevicePrimaryCtxRelease_v2(int device)
{
    (void)device;
    if (allocations && !is_lost)
        fprintf(stderr, "fake driver: %d allocations are left\n", allocations);
    return SUCCESS;
}

int cuCtxSetCurrent(void *context)
{
    return context ? result() : INVALID_VALUE;
}

int cuCtxSynchronize(void)
{
    const char *lost = getenv("FAKE_LOST");
    if (lost && ++waits >= atoi(lost))
        is_lost = 1;
    return result();
}

int cuMemGetInfo_v2(size_t *left, size_t *total)
{
    *left = *total = (size_t)1 << 34;
    return SUCCESS;
}

int cuMemAlloc_v2(unsigned long long *address, size_t size)
{
    if (!size)
        return INVALID_VALUE;
    *address = (unsigned long long)(size_t)malloc(size);
    allocations++;
    return result();
}

int cuMemFree_v2(unsigned long long address)
{
    free((void *)(size_t)address);
    allocations--;
    return result();
}

int cuMemcpyHtoD_v2(unsigned long long to, const void *from, size_t size)
{
    memcpy((void *)(size_t)to, from, size);
    return result();
}

int cuMemcpyDtoH_v2(void *to, unsigned long long from, size_t size)
{
    memcpy(to, (void *)(size_t)from, size);
    return result();
}

int cuMemcpyDtoD_v2(unsigned long long to, unsigned long long from, size_t size)
{
    memmove((void *)(size_t)to, (void *)(size_t)from, size);
    return result();
}

int cuModuleLoadData(void **module, const void *image)
{
    if (memcmp(image, "\177ELF", 4) != 0) /* a CUBIN is one */
        return 200;
    *module = (void *)(size_t)image;
    return result();
}

int cuModuleUnload(void *module)
{
    (void)module;
    return result();
}

int cuModuleGetFunction(void **function, void *module, const char *name)
{
    (void)module;
    *function = (void *)(size_t)strdup(name);
    return result();
}

int cuFuncGetAttribute(int *value, int attribute, void *function)
{
    (void)function;
    *value = attribute == 0 ? 128 : attribute == 4 ? 40 : 0;
    return SUCCESS;
}

int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                   unsigned shared, void *stream, void **params, void **extra)
{
    (void)function, (void)shared, (void)stream, (void)extra;
    return !gx || gy != 1 || gz != 1 || bx != 128 || by != 1 || bz != 1 || !params || !params[0] ? INVALID_VALUE
                                                                                                 : result();
}

int cuEventCreate(void **event, unsigned flags)
{
    static char only;
    (void)flags;
    *event = &only;
    return SUCCESS;
}

int cuEventRecord(void *event, void *stream)
{
    (void)event, (void)stream;
    return SUCCESS;
}

int cuEventSynchronize(void *event)
{
    (void)event;
    return SUCCESS;
}

int cuEventElapsedTime(float *milliseconds, void *start, void *end)
{
    (void)start, (void)end;
    *milliseconds = 0.25f;
    return SUCCESS;
}

int cuEventDestroy_v2(void *event)
{
    (void)event;
    return SUCCESS;
}

int cuGetErrorName(int error, const char **name)
{
    *name = error == ILLEGAL_ADDRESS ? "CUDA_ERROR_ILLEGAL_ADDRESS"
            : error == 100           ? "CUDA_ERROR_NO_DEVICE"
                                     : "CUDA_ERROR";
    return SUCCESS;
}

int cuGetErrorString(int error, const char **text)
{
    *text = error == ILLEGAL_ADDRESS ? "an illegal memory access was encountered"
            : error == 100           ? "no CUDA-capable device is detected"
                                     : "some error";
    return SUCCESS;
}
