/* Which threads are run, where not all are. */
#include "check/check_impl.h"

enum { OUT_OF_TURN = 24 }; /* so many threads of a list, at its head, may come up again */

void add_thread(ThreadList *list, uint32_t max, uint64_t thread)
{
    for (uint32_t i = 0; i < list->count && i < OUT_OF_TURN; i++)
        if (list->items[i] == thread)
            return;
    if (list->count < max)
        list->items[list->count++] = (uint32_t)thread;
}

static uint64_t thread_at(const Launch *launch, const uint32_t index[4])
{
    uint64_t thread = 0;
    for (uint32_t i = 0; i < launch->ndim && i < 4; i++)
        thread = thread * launch->dim[i] + index[i];
    return thread;
}

/* Threads with a coordinate that the kernel names: `if tid == 36`. */
static void add_named_threads(ThreadList *list, uint32_t max, const Launch *launch, const IrModule *module)
{
    const IrVarList *vars = &module->kernel->vars;
    for (uint32_t i = 0; i < vars->count; i++) {
        Number number;
        const Value *constant = vars->items[i]->constant;
        if (!constant || vars->items[i]->type->kind != TYPE_INT32 || !value_as_number(constant, true, &number) ||
            !number.is_int)
            continue;
        for (uint32_t k = 0; k < launch->ndim && k < 4; k++) {
            uint32_t index[4];
            for (uint32_t d = 0; d < 4; d++)
                index[d] = launch->dim[d] / 2;
            if (number.integer < 0 || number.integer >= launch->dim[k])
                continue;
            index[k] = (uint32_t)number.integer;
            add_thread(list, max, thread_at(launch, index));
        }
    }
}

/* A launch that has a thread where the other has a block; without blocks, the same. */
static Launch launch_of_blocks(const Launch *launch)
{
    Launch blocks = *launch;
    if (launch->block_dim > 1) {
        blocks.ndim = 1;
        blocks.dim[0] = (uint32_t)(launch_size(launch) / launch->block_dim);
        blocks.block_dim = 1;
    }
    return blocks;
}

ThreadList whole_blocks(Arena *arena, const Launch *launch, const ThreadList *list)
{
    uint32_t lanes = launch->block_dim > 1 ? launch->block_dim : 1;
    if (lanes == 1)
        return *list;
    ThreadList whole = {.items = ARENA_ARRAY(arena, uint32_t, list->count * lanes)};
    for (uint32_t i = 0; i < list->count; i++)
        for (uint32_t lane = 0; lane < lanes; lane++)
            whole.items[whole.count++] = list->items[i] / lanes * lanes + lane;
    return whole;
}

/* Blocks become their first threads, and then whole. */
static ThreadList expand(Arena *arena, const Launch *launch, ThreadList blocks)
{
    for (uint32_t i = 0; launch->block_dim > 1 && i < blocks.count; i++)
        blocks.items[i] *= launch->block_dim;
    return whole_blocks(arena, launch, &blocks);
}

static ThreadList spread(Arena *arena, const Launch *launch, const IrModule *module, uint32_t max)
{
    /* About the golden section: neighbours are met late. */
    uint64_t size = launch_size(launch), step = launch_step(size, size * 618 / 1000);
    ThreadList list = {.items = ARENA_ARRAY(arena, uint32_t, max)};
    if (!size)
        return list;
    add_thread(&list, max, step % size);
    add_thread(&list, max, 0);
    add_thread(&list, max, size - 1);
    add_named_threads(&list, OUT_OF_TURN, launch, module);
    for (uint64_t i = 2; i <= size && list.count < max; i++)
        add_thread(&list, max, i * step % size);
    return list;
}

ThreadList spread_threads(Arena *arena, const Launch *launch, const IrModule *module, uint32_t max)
{
    Launch blocks = launch_of_blocks(launch);
    return expand(arena, launch, spread(arena, &blocks, module, max));
}

static ThreadList neighbours(Arena *arena, const Launch *launch, uint32_t max)
{
    uint64_t size = launch_size(launch), middle = size / 2, side = max / 3;
    ThreadList list = {.items = ARENA_ARRAY(arena, uint32_t, max)};
    if (size <= max) {
        for (uint64_t i = 0; i < size; i++)
            list.items[list.count++] = (uint32_t)i;
        return list;
    }
    for (uint64_t i = 0; i < side; i++)
        list.items[list.count++] = (uint32_t)(middle - side / 2 + i);
    for (uint64_t i = 0; i < side; i++)
        list.items[list.count++] = (uint32_t)i;
    for (uint64_t i = 0; i < side; i++)
        list.items[list.count++] = (uint32_t)(size - side + i);
    return list;
}

ThreadList neighbouring_threads(Arena *arena, const Launch *launch, uint32_t max)
{
    Launch blocks = launch_of_blocks(launch);
    return expand(arena, launch, neighbours(arena, &blocks, max));
}

void use_threads(Launch *launch, const ThreadList *list)
{
    launch->threads = list ? list->items : NULL;
    launch->thread_count = list ? list->count : 0;
}
