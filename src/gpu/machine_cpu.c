#include "gpu/machine.h"

#include <stdlib.h>
#include <string.h>

enum { GUARD_SIZE = 64, GUARD_BYTE = 0xA5 };

/* In front of an array's first guard: how long the array is. */
typedef struct Block {
    size_t size;
    size_t unused; /* keeps what follows aligned */
} Block;

static unsigned char *bytes_at(uint64_t address)
{
    return (unsigned char *)(uintptr_t)address;
}

static bool cpu_alloc(Machine *machine, size_t size, uint64_t *address, GpuError *error)
{
    (void)machine;
    unsigned char *block = malloc(sizeof(Block) + 2 * GUARD_SIZE + size);
    if (!block)
        return gpu_fail(error, "out of memory");
    memcpy(block, &(Block){size, 0}, sizeof(Block));
    memset(block + sizeof(Block), GUARD_BYTE, 2 * GUARD_SIZE + size);
    *address = (uint64_t)(uintptr_t)(block + sizeof(Block) + GUARD_SIZE);
    return true;
}

static void cpu_release(Machine *machine, uint64_t address)
{
    (void)machine;
    if (address)
        free(bytes_at(address) - GUARD_SIZE - sizeof(Block));
}

static bool cpu_write(Machine *machine, uint64_t to, const void *from, size_t size, GpuError *error)
{
    (void)machine, (void)error;
    memcpy(bytes_at(to), from, size);
    return true;
}

static bool cpu_read(Machine *machine, void *to, uint64_t from, size_t size, GpuError *error)
{
    (void)machine;
    const unsigned char *data = bytes_at(from);
    Block block;
    memcpy(&block, data - GUARD_SIZE - sizeof block, sizeof block);
    for (size_t i = 0; i < GUARD_SIZE; i++)
        if (data[-1 - (ptrdiff_t)i] != GUARD_BYTE || data[block.size + i] != GUARD_BYTE)
            return gpu_fail(error, "it writes outside of an array");
    memcpy(to, data, size);
    return true;
}

static bool cpu_copy(Machine *machine, uint64_t to, uint64_t from, size_t size, GpuError *error)
{
    (void)machine, (void)error;
    memcpy(bytes_at(to), bytes_at(from), size);
    return true;
}

static bool cpu_launch(Machine *machine, void *function, const PackedLaunch *launch, GpuError *error)
{
    (void)machine, (void)error;
    void (*forward)(const void *bounds, void *args);
    void (*backward)(const void *bounds, void *args, void *adjoints);
    memcpy(&forward, &function, sizeof function);
    memcpy(&backward, &function, sizeof function);
    if (launch->adjoints)
        backward(launch->bounds, launch->args, launch->adjoints);
    else
        forward(launch->bounds, launch->args);
    return true;
}

Machine *machine_cpu(void)
{
    static Machine cpu = {cpu_alloc, cpu_release, cpu_write, cpu_read, cpu_copy, cpu_launch, cpu_launch, false};
    return &cpu;
}
