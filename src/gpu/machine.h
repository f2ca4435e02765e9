/* Where compiled kernels run: memory and launches. The CPU and a GPU differ in nothing else, so that what packs
 * arguments and compares results is one code, tested without a GPU. */
#ifndef WEFT_GPU_MACHINE_H
#define WEFT_GPU_MACHINE_H

#include "gpu/layout.h"
#include "gpu/toolchain.h"

typedef struct Machine Machine;

/* One launch: arguments lie in one block, as the fields of a struct would; `offsets` says where each begins. */
typedef struct PackedLaunch {
    uint64_t threads;
    unsigned block;  /* threads of a block, for kernels with tiles; 0: any number */
    unsigned shared; /* bytes of shared memory of a block */
    unsigned char bounds[BOUNDS_MAX_SIZE];
    unsigned char *args, *adjoints; /* adjoints: only for a backward launch */
    const size_t *offsets;
    uint32_t arg_count;
} PackedLaunch;

typedef struct DeviceKernel {
    void *forward, *backward;         /* backward NULL: there is none */
    int registers[2], local_bytes[2]; /* of a thread, where the machine tells */
} DeviceKernel;

struct Machine {
    bool (*alloc)(Machine *machine, size_t size, uint64_t *address, GpuError *error);
    void (*release)(Machine *machine, uint64_t address);
    bool (*write)(Machine *machine, uint64_t to, const void *from, size_t size, GpuError *error);
    bool (*read)(Machine *machine, void *to, uint64_t from, size_t size, GpuError *error);
    bool (*copy)(Machine *machine, uint64_t to, uint64_t from, size_t size, GpuError *error); /* on the machine */
    bool (*start)(Machine *machine, void *function, const PackedLaunch *launch, GpuError *error);
    bool (*launch)(Machine *machine, void *function, const PackedLaunch *launch, GpuError *error); /* and waits */
    bool is_lost; /* nothing more can be run on it */
};

/* The CPU; every array lies between guards, and reading one back fails if something was written there. */
Machine *machine_cpu(void);

#endif
