#include "gpu/machine_cuda.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { THREADS_A_BLOCK = 256, MAX_ARGS = 256, MAX_BLOCKS = 1 << 30, USUAL_SHARED = 48 * 1024 };

static CudaMachine *cuda_of(Machine *machine)
{
    return (CudaMachine *)machine;
}

static bool check(CudaMachine *cuda, int result, const char *call, GpuError *error)
{
    return card_check(cuda->card, result, call, error);
}

static bool cuda_alloc(Machine *machine, size_t size, uint64_t *address, GpuError *error)
{
    CudaAddress found = 0;
    bool done = check(cuda_of(machine), cuda_of(machine)->card->driver.alloc(&found, size), "cuMemAlloc", error);
    *address = done ? found : 0;
    return done;
}

static void cuda_release(Machine *machine, uint64_t address)
{
    if (!machine->is_lost)
        cuda_of(machine)->card->driver.release(address);
}

static bool cuda_write(Machine *machine, uint64_t to, const void *from, size_t size, GpuError *error)
{
    return check(cuda_of(machine), cuda_of(machine)->card->driver.to_device(to, from, size), "cuMemcpyHtoD", error);
}

static bool cuda_read(Machine *machine, void *to, uint64_t from, size_t size, GpuError *error)
{
    return check(cuda_of(machine), cuda_of(machine)->card->driver.to_host(to, from, size), "cuMemcpyDtoH", error);
}

static bool cuda_copy(Machine *machine, uint64_t to, uint64_t from, size_t size, GpuError *error)
{
    return check(cuda_of(machine), cuda_of(machine)->card->driver.on_device(to, from, size), "cuMemcpyDtoD", error);
}

/* A kernel may be bound to fewer threads a block, or to clusters of blocks. The emitted loop takes any grid. */
static void shape_of_grid(const Driver *driver, CudaFunction function, uint64_t threads, uint64_t *blocks,
                          unsigned *block)
{
    int most = 0, width = 0;
    *block = THREADS_A_BLOCK;
    if (driver->function_attribute(&most, FUNCTION_MOST_THREADS, function) == 0 && most > 0 && most < THREADS_A_BLOCK)
        *block = (unsigned)most;
    *blocks = (threads + *block - 1) / *block;
    if (driver->function_attribute(&width, FUNCTION_CLUSTER_WIDTH, function) == 0 && width > 1)
        *blocks = (*blocks + (unsigned)width - 1) / (unsigned)width * (unsigned)width;
}

static bool cuda_start(Machine *machine, void *function, const PackedLaunch *launch, GpuError *error)
{
    CudaMachine *cuda = cuda_of(machine);
    void *params[2 * MAX_ARGS + 1];
    uint32_t count = 0;
    if (launch->arg_count > MAX_ARGS)
        return gpu_fail(error, "a kernel with more than %d arguments", MAX_ARGS);
    params[count++] = (void *)(uintptr_t)launch->bounds;
    for (uint32_t i = 0; i < launch->arg_count; i++)
        params[count++] = launch->args + launch->offsets[i];
    for (uint32_t i = 0; launch->adjoints && i < launch->arg_count; i++)
        params[count++] = launch->adjoints + launch->offsets[i];
    uint64_t blocks;
    unsigned block;
    const Driver *driver = &cuda->card->driver;
    shape_of_grid(driver, (CudaFunction)function, launch->threads, &blocks, &block);
    if (launch->block) {
        block = launch->block;
        blocks = launch->threads / block;
    }
    if (launch->shared > USUAL_SHARED &&
        !check(cuda, driver->function_set((CudaFunction)function, FUNCTION_DYNAMIC_SHARED, (int)launch->shared),
               "cuFuncSetAttribute", error))
        return false;
    if (blocks > MAX_BLOCKS)
        return gpu_fail(error, "a launch of %llu threads", (unsigned long long)launch->threads);
    return check(
        cuda,
        driver->launch((CudaFunction)function, (unsigned)blocks, 1, 1, block, 1, 1, launch->shared, NULL, params, NULL),
        "cuLaunchKernel", error);
}

static bool cuda_launch(Machine *machine, void *function, const PackedLaunch *launch, GpuError *error)
{
    CudaMachine *cuda = cuda_of(machine);
    if (!cuda_start(machine, function, launch, error))
        return false;
    if (cuda->limit)
        alarm(cuda->limit);
    machine->is_lost = !check(cuda, cuda->card->driver.synchronize(), "the launch", error);
    if (cuda->limit)
        alarm(0);
    return !machine->is_lost;
}

bool machine_cuda_init(CudaMachine *cuda, Card *card, const Build *build, GpuError *error)
{
    *cuda = (CudaMachine){
        .machine = {cuda_alloc, cuda_release, cuda_write, cuda_read, cuda_copy, cuda_start, cuda_launch, false},
        .card = card,
        .build = build,
        .modules = calloc(build->module_count + 1, sizeof(CudaModule))};
    return cuda->modules || gpu_fail(error, "out of memory");
}

void machine_cuda_free(CudaMachine *cuda)
{
    for (uint32_t i = 0; cuda->modules && !cuda->machine.is_lost && i < cuda->build->module_count; i++)
        if (cuda->modules[i])
            cuda->card->driver.module_unload(cuda->modules[i]);
    free(cuda->modules);
    cuda->modules = NULL;
}

bool machine_cuda_find(CudaMachine *cuda, const Sample *sample, DeviceKernel *kernel, GpuError *error)
{
    const Driver *driver = &cuda->card->driver;
    int32_t module = sample->module[BUILD_CUDA];
    CudaFunction functions[2] = {NULL, NULL};
    static const char *const passes[] = {"forward", "backward"};
    char name[600];
    if (!check(cuda, driver->context_set(cuda->card->context), "cuCtxSetCurrent", error))
        return false;
    if (!cuda->modules[module] &&
        !check(cuda, driver->module_load(&cuda->modules[module], cuda->build->modules[module].image),
               "cuModuleLoadData", error))
        return false;
    for (int pass = 0; pass < (sample->text[BUILD_CUDA].backward ? 2 : 1); pass++) {
        snprintf(name, sizeof name, "%s_cuda_kernel_%s", sample->name, passes[pass]);
        if (!check(cuda, driver->module_function(&functions[pass], cuda->modules[module], name), "cuModuleGetFunction",
                   error))
            return false;
        driver->function_attribute(&kernel->registers[pass], FUNCTION_REGISTERS, functions[pass]);
        driver->function_attribute(&kernel->local_bytes[pass], FUNCTION_LOCAL_BYTES, functions[pass]);
    }
    kernel->forward = functions[0];
    kernel->backward = functions[1];
    return true;
}
