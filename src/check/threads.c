/* Which threads are run, where not all are. */
#include "check/check_impl.h"

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* A step that meets every thread, and neighbours late: about the golden section of the launch. */
static uint64_t spreading_step(uint64_t size)
{
    uint64_t step = size * 618 / 1000;
    while (step < 1 || common_divisor(step, size) != 1)
        step++;
    return step;
}

void add_thread(ThreadList *list, uint32_t max, uint64_t thread)
{
    for (uint32_t i = 0; i < list->count && i < 16; i++) /* only the first are taken out of turn */
        if (list->items[i] == thread)
            return;
    if (list->count < max)
        list->items[list->count++] = (uint32_t)thread;
}

ThreadList spread_threads(Arena *arena, const Launch *launch, uint32_t max)
{
    uint64_t size = launch_size(launch), step = spreading_step(size ? size : 1);
    ThreadList list = {.items = ARENA_ARRAY(arena, uint32_t, max)};
    if (!size)
        return list;
    add_thread(&list, max, step % size);
    add_thread(&list, max, 0);
    add_thread(&list, max, size - 1);
    for (uint64_t i = 2; i <= size && list.count < max; i++)
        add_thread(&list, max, i * step % size);
    return list;
}

ThreadList neighbouring_threads(Arena *arena, const Launch *launch, uint32_t max)
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

void use_threads(Launch *launch, const ThreadList *list)
{
    launch->threads = list ? list->items : NULL;
    launch->thread_count = list ? list->count : 0;
}
