/* A CUDA driver whose card does nothing: memory is the host's, launches are accepted and forgotten.
 *
 * For testing what weft makes of a card that computes nothing, and of one that is lost: with FAKE_LOST=N, the N-th
 * wait of a process and all later ones fail as after an illegal access. Processes of weft score get no environment: for them, the card
 * is lost with an image that has a kernel `fault` in it, and one that has `endless` never ends. Built as libcuda.so.1. */
#include <elf.h>
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
    const Elf64_Ehdr *head = image; /* the caller's memory is not to be relied upon */
    size_t size = head->e_shoff + head->e_shnum * sizeof(Elf64_Shdr);
    const Elf64_Shdr *sections = (const Elf64_Shdr *)(const void *)((const char *)image + head->e_shoff);
    for (unsigned i = 0; i < head->e_shnum; i++)
        if (sections[i].sh_type != SHT_NOBITS && sections[i].sh_offset + sections[i].sh_size > size)
            size = sections[i].sh_offset + sections[i].sh_size;
    *module = memcpy(malloc(size), image, size);
    return result();
}

int cuModuleUnload(void *module)
{
    (void)module;
    return result();
}

typedef struct Function {
    const char *image;
    char name[400];
} Function;

int cuModuleGetFunction(void **function, void *module, const char *name)
{
    Function *found = malloc(sizeof *found);
    found->image = module;
    snprintf(found->name, sizeof found->name, "%s", name);
    *function = found;
    return result();
}

static const unsigned char *find_section(const char *image, const char *wanted, size_t *size)
{
    const Elf64_Ehdr *head = (const Elf64_Ehdr *)(const void *)image;
    const Elf64_Shdr *sections = (const Elf64_Shdr *)(const void *)(image + head->e_shoff);
    const char *names = image + sections[head->e_shstrndx].sh_offset;
    for (unsigned i = 0; i < head->e_shnum; i++)
        if (strcmp(names + sections[i].sh_name, wanted) == 0) {
            *size = sections[i].sh_size;
            return (const unsigned char *)image + sections[i].sh_offset;
        }
    return NULL;
}

/* Where the image says what a kernel's parameters are: the section .nv.info.NAME. */
static const unsigned char *find_info(const Function *function, size_t *size)
{
    char wanted[500];
    snprintf(wanted, sizeof wanted, ".nv.info.%s", function->name);
    return find_section(function->image, wanted, size);
}

int cuFuncGetParamInfo(void *function, size_t index, size_t *offset, size_t *bytes)
{
    enum { PARAMETER = 0x17, WITH_SIZE = 4 };
    size_t size = 0;
    const unsigned char *info = find_info(function, &size);
    for (size_t at = 0; info && at + 4 <= size;) {
        unsigned short length = (unsigned short)(info[at + 2] | info[at + 3] << 8);
        unsigned words[3];
        if (info[at] == WITH_SIZE && info[at + 1] == PARAMETER && length == sizeof words) {
            memcpy(words, info + at + 4, sizeof words);
            if ((words[1] & 0xffff) == index) {
                *offset = words[1] >> 16;
                *bytes = words[2] >> 18;
                return SUCCESS;
            }
        }
        at += 4 + (info[at] == WITH_SIZE ? length : 0u);
    }
    return INVALID_VALUE;
}

int cuFuncSetAttribute(void *function, int attribute, int value)
{
    (void)function, (void)attribute, (void)value;
    return SUCCESS;
}

static int never_ends;

int cuStreamQuery(void *stream)
{
    (void)stream;
    return never_ends ? 600 : result();
}

int cuMemsetD8_v2(unsigned long long to, unsigned char value, size_t size)
{
    memset((void *)(size_t)to, value, size);
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
    const char *image = ((Function *)function)->image;
    size_t size;
    (void)shared, (void)stream, (void)extra;
    is_lost |= find_section(image, ".text.fault", &size) != NULL;
    never_ends |= find_section(image, ".text.endless", &size) != NULL;
    return !gx || gy != 1 || gz != 1 || !bx || bx > 256 || by != 1 || bz != 1 || !params || !params[0] ? INVALID_VALUE
                                                                                                       : SUCCESS;
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
