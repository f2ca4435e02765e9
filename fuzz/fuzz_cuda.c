/* Readable CUDA as records hold it: read, made into code and run on the launches behind it, whatever stands there. Steps, memory and
 * depth are bounded; nothing may be written outside of what the launch has. */
#include "cuda/cuda.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void run_example(CudaText *text, const CudaExample *example, bool wide, Arena *arena)
{
    const char *why;
    CudaLaunch *launch = cuda_launch(text, example, wide, &why);
    if (!launch)
        return;
    cuda_run(text, cuda_forward(text), launch, &why);
    cuda_outputs_agree(arena, launch, &example->outputs, &why);
    cuda_set_cotangents(launch, &example->cotangents);
    cuda_rewind(launch);
    if (cuda_backward(text))
        cuda_run(text, cuda_backward(text), launch, &why);
    cuda_gradients_agree(arena, launch, example, &why);
    cuda_unpack(cuda_pack(text, cuda_forward(text), launch), launch);
}

/* The text ends at the line `#launches`; the JSON of the column comes behind it. */
static void read_and_run(Arena *arena, char *text, size_t size)
{
    enum { MOST_EXAMPLES = 3 };
    static const char mark[] = "\n#launches ";
    const char *why;
    CudaExamples examples = {0};
    char *launches = strstr(text, mark);
    if (launches) {
        *launches = 0;
        launches += strlen(mark);
        if (!cuda_read_examples(arena, launches, size - (size_t)(launches - text), &examples))
            examples.count = 0;
    }
    CudaText *cuda = cuda_read(arena, text, &why);
    for (uint32_t i = 0; cuda && i < examples.count && i < MOST_EXAMPLES; i++)
        for (int wide = 0; wide < 2; wide++)
            run_example(cuda, &examples.items[i], wide, arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static Arena arena;
    jmp_buf failure;
    char *text = malloc(size + 1);
    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    arena.limit = 512 << 20;
    arena.on_failure = &failure;
    if (!setjmp(failure))
        read_and_run(&arena, text, size);
    arena_reset(&arena);
    free(text);
    return 0;
}
