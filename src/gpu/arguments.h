/* The arguments of a launch on a device: arrays and their gradients copied there, everything packed as the kernel takes
 * it, results fetched back. */
#ifndef WEFT_GPU_ARGUMENTS_H
#define WEFT_GPU_ARGUMENTS_H

#include "gpu/machine.h"

typedef struct DeviceArray {
    uint64_t data, grad; /* grad 0: it has no gradient */
    size_t size;
} DeviceArray;

typedef struct Arguments {
    Machine *machine;
    Arena *arena;
    const Launch *launch;
    PackedLaunch packed;
    size_t *offsets;
    DeviceArray *arrays; /* in the order in which they are met */
    uint32_t array_count, next_array;
    unsigned char *scratch; /* as large as the largest array */
} Arguments;

/* Copies the launch to the device; arrays whose value has `gradients` get a gradient there. What it needs besides comes
 * from the arena. On failure everything is released already. */
bool arguments_make(Arguments *arguments, Arena *arena, Machine *machine, const Launch *launch, GpuError *error);
/* The same for a launch whose arrays are larger than the values at hand: `launch` has shapes and counts, `content` the
 * cells, which are repeated. No gradients. For measuring. */
bool arguments_make_tiled(Arguments *arguments, Arena *arena, Machine *machine, const Launch *launch,
                          const Launch *content, GpuError *error);
/* For kernels with tiles: the threads of a block, and its bytes of shared memory. Before a launch. */
void arguments_set_block(Arguments *arguments, unsigned block, unsigned shared);
/* Runs the kernel and waits for it. */
bool arguments_launch(Arguments *arguments, void *function, bool backward, GpuError *error);
/* Arrays and gradients as they are now, into a copy of the launch. */
bool arguments_fetch(Arguments *arguments, Launch *into, GpuError *error);
void arguments_release(Arguments *arguments);

#endif
