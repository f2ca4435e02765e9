/* How a kernel is to be launched, as a record describes it. */
#include "check/check.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static Arena arena;
    jmp_buf failure;
    CheckLaunch launch;
    memset(&launch, 0, sizeof launch);
    arena.limit = 64 << 20;
    arena.on_failure = &failure;
    if (!setjmp(failure))
        check_launch_read(&arena, (const char *)data, size, &launch);
    arena_reset(&arena);
    return 0;
}
