/* Runs the code of a kernel, thread after thread. */
#include "cuda/code.h"

#include <math.h>

enum { MOST_SEGMENTS = 160, MOST_STEPS = 20000000 };

typedef struct Run {
    CudaNumber *frame;
    Segment segments[MOST_SEGMENTS];
    uint32_t segment_count;
    uint64_t steps;
} Run;

static const char OUTSIDE[] = "an access is outside of all arrays";
static const char TOO_LONG[] = "it takes too many steps";
static const char BY_ZERO[] = "a whole number is divided by zero";

/* ---- what operations do that is more than an expression ---- */

/* NULL: these cells are not all in the segment. A sum that is negative is beyond every segment, too. */
static inline CudaNumber *find_cells(const Run *run, int64_t pointer, int64_t index, uint32_t offset, uint32_t count)
{
    uint64_t segment = (uint64_t)pointer >> 32, cell = (uint32_t)pointer + (uint64_t)index + offset;
    if (segment >= run->segment_count)
        return NULL;
    const Segment *found = &run->segments[segment];
    return cell < found->count && count <= found->count - cell ? found->cells + cell : NULL;
}

static bool fits_whole(double real)
{
    return real > -9.2e18 && real < 1.84e19;
}

static int64_t truncated(double real)
{
    return real >= 9.2e18 ? (int64_t)(uint64_t)real : (int64_t)real;
}

static int64_t bits_of_single(double real)
{
    float single = (float)real;
    int32_t bits;
    memcpy(&bits, &single, sizeof bits);
    return bits;
}

static double single_of_bits(int64_t whole)
{
    int32_t bits = (int32_t)whole;
    float single;
    memcpy(&single, &bits, sizeof single);
    return (double)single;
}

static inline double call_one(int32_t builtin, double x)
{
    return cuda_builtins[builtin].one(x);
}

static inline double call_one_f(int32_t builtin, double x)
{
    return (double)cuda_builtins[builtin].one_f((float)x);
}

static inline double call_two(int32_t builtin, double x, double y)
{
    return cuda_builtins[builtin].two(x, y);
}

static inline double call_two_f(int32_t builtin, double x, double y)
{
    return (double)cuda_builtins[builtin].two_f((float)x, (float)y);
}

static bool test_real(int32_t builtin, double value)
{
    switch (cuda_builtins[builtin].name[2]) { /* isnan, isinf, isfinite, signbit */
    case 'n': return isnan(value);
    case 'i': return isinf(value);
    case 'f': return isfinite(value);
    default: return signbit(value);
    }
}

/* ---- a thread ---- */

#define A frame[op->a]
#define B frame[op->b]
#define C frame[op->c]
#define UNSIGNED(cell) ((uint64_t)(cell).whole)
#define single(x) (wide ? (x) : (double)(float)(x))
#define FIND(cells)                                                                                                    \
    CudaNumber *place = find_cells(run, B.whole, C.whole, (uint32_t)op->d, cells);                                     \
    if (!place)                                                                                                        \
    return OUTSIDE
#define GO_ON goto *places[(++op)->code]
#define NEXT(target)                                                                                                   \
    {                                                                                                                  \
        op = ops + (target);                                                                                           \
        goto *places[op->code];                                                                                        \
    }

#define FUNCTION run_own
#define WIDE false
#include "cuda/thread.inc"
#undef FUNCTION
#undef WIDE
#define FUNCTION run_wide
#define WIDE true
#include "cuda/thread.inc"
#undef A
#undef B
#undef C

/* ---- a launch ---- */

static bool add_segment(Run *run, CudaNumber *cells, size_t count)
{
    if (run->segment_count == MOST_SEGMENTS || count > UINT32_MAX)
        return false;
    run->segments[run->segment_count++] = (Segment){cells, count};
    return true;
}

static bool prepare(Run *run, Arena *arena, const Code *code, const CudaLaunch *launch)
{
    CudaNumber *cells = arena_take(arena, (code->constant_count + code->frame + 1) * sizeof *cells);
    run->frame = cells + code->constant_count;
    for (uint32_t i = 0; i < code->constant_count; i++)
        run->frame[-(int64_t)i - 1] = launch->wide ? code->wide[i] : code->constants[i];
    memset(run->frame, 0, code->frame * sizeof *cells);
    bool fits = add_segment(run, NULL, 0) && add_segment(run, run->frame, code->frame);
    for (uint32_t i = 0; fits && i < launch->array_count; i++) {
        const CudaArray *array = &launch->arrays[i];
        fits = add_segment(run, array->data, array->elements * array->cells) &&
               add_segment(run, array->adjoint, array->elements * array->cells);
    }
    return fits;
}

bool cuda_run(CudaText *text, const CudaFunction *function, const CudaLaunch *launch, const char **why)
{
    Run *run = ARENA_NEW(text->arena, Run);
    const Code *code = function->code;
    const CudaNumber *args = function == text->kernels[0] ? launch->forward : launch->backward;
    *why = "there are too many arrays";
    if (!prepare(run, text->arena, code, launch))
        return false;
    *why = NULL;
    for (uint64_t thread = 0; thread < launch->threads && !*why; thread++) {
        memcpy(run->frame, args, code->param_cells * sizeof *args);
        run->frame[code->param_cells].whole = (int64_t)thread;
        run->steps += code->cost;
        *why = run->steps > MOST_STEPS ? TOO_LONG : launch->wide ? run_wide(run, code->ops) : run_own(run, code->ops);
    }
    return !*why;
}
