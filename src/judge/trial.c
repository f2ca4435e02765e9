/* Launches that answers are tried on. */
#include "judge/referee.h"

#include "base/rng.h"
#include "check/io.h"
#include "corpus/launch_rows.h"
#include "eval/ast/eval.h"

#include <math.h>
#include <stdio.h>

enum { HIDDEN_SIZES = 4 };

/* A launch of that size, appended; false: the kernel is not defined on such small arrays. */
static bool add_hidden(const Compiled *compiled, const CheckLaunch *description, uint64_t seed, uint32_t size,
                       json_t *list)
{
    IoOptions options = {.seed = seed, .launches = 1, .choose = true, .most_bytes = 300000, .size = size};
    Text text;
    text_init(&text);
    bool made = check_write_launches(compiled->unit, compiled->module, description, &options, &text) && !text.failed;
    json_t *drawn = made ? json_read(text.data, text.len) : NULL;
    json_array_extend(list, drawn);
    bool added = json_array_size(drawn) > 0;
    json_decref(drawn);
    text_free(&text);
    return added;
}

/* Warp counts indices below zero from the end; a text in CUDA need not: such launches tell nothing about it. */
static bool counts_from_the_end(const Compiled *compiled, const CudaExample *example)
{
    const char *why;
    AstRun run = {.front_only = true};
    Launch *launch = launch_of_rows(compiled, example, &why);
    AstProgram *program = launch ? ast_program(compiled->unit, compiled->module->kernel->kernel) : NULL;
    return !program || !ast_program_run(program, launch, &run);
}

static void drop_unfit(const Compiled *compiled, json_t *drawn)
{
    CudaExamples examples;
    if (!trial_read(compiled->unit->arena, drawn, &examples))
        return;
    for (size_t i = json_array_size(drawn); i-- > 0;)
        if (i >= examples.count || counts_from_the_end(compiled, &examples.items[i]))
            json_array_remove(drawn, i);
}

static void add_all_hidden(const Compiled *compiled, const CheckLaunch *description, uint64_t seed, json_t *list)
{
    Rng rng = rng_at(seed, 0, 0);
    const uint32_t sizes[HIDDEN_SIZES] = {1, 2 * rng_below(&rng, 6) + 5, 2 * rng_below(&rng, 16) + 17,
                                          2 * rng_below(&rng, 15) + 4};
    bool any = false;
    for (int i = 0; i < HIDDEN_SIZES; i++)
        any |= add_hidden(compiled, description, rng_next(&rng), sizes[i], list);
    if (!any) /* then at least other inputs */
        add_hidden(compiled, description, rng_next(&rng), 0, list);
}

/* No thread at all: nothing may change. */
static void add_empty(const json_t *like, json_t *list)
{
    json_t *empty = json_copy((json_t *)(uintptr_t)like);
    json_object_set_new(empty, "dim", json_pack("[i]", 0));
    json_object_set_new(empty, "outputs", json_array());
    json_array_append_new(list, empty);
}

/* Each launch says how many threads share tiles, as its record does. */
static void give_blocks(const json_t *record, json_t *list)
{
    json_t *block = json_object_get(record, "block_dim");
    for (size_t i = 0; json_is_integer(block) && i < json_array_size(list); i++)
        json_object_set(json_array_get(list, i), "block_dim", block);
}

json_t *trial_stored_launches(const json_t *record)
{
    const json_t *stored = json_object_get(record, "launches");
    json_t *list = json_array();
    for (size_t i = 0; i < json_array_size(stored); i++)
        json_array_append_new(list, json_copy(json_array_get(stored, i)));
    give_blocks(record, list);
    return list;
}

static double largest_of(const json_t *numbers)
{
    double largest = 0;
    size_t i;
    json_t *number;
    json_array_foreach(numbers, i, number) largest = fmax(largest, fabs(json_number_value(number)));
    return isfinite(largest) ? largest : 0;
}

/* Rounding alone moves an array by more than a share of its largest number: the launch shows few mistakes. */
bool trial_is_vague(const json_t *launch)
{
    const double usual = 0.01, of_few_digits = 0.05;
    size_t i;
    json_t *row;
    json_array_foreach(json_object_get(launch, "outputs"), i, row)
    {
        bool is_short = strcmp(json_member_string(row, "type"), "bfloat16") == 0;
        double most = (is_short ? of_few_digits : usual) * largest_of(json_object_get(row, "floats"));
        if (json_number_value(json_object_get(row, "tolerance")) > most && most > 0)
            return true;
    }
    return false;
}

/* Without vague launches, unless no others are there. The number of stored ones that are left. */
static uint32_t drop_vague(json_t *list, uint32_t stored)
{
    size_t clear = 0;
    for (size_t i = 0; i < json_array_size(list); i++)
        clear += !trial_is_vague(json_array_get(list, i));
    for (size_t i = json_array_size(list); clear && i-- > 0;)
        if (trial_is_vague(json_array_get(list, i))) {
            json_array_remove(list, i);
            stored -= i < stored;
        }
    return stored;
}

json_t *trial_launches(const Compiled *compiled, const CheckLaunch *description, const json_t *record,
                       const RefereeOptions *options, uint32_t *stored)
{
    json_t *list = trial_stored_launches(record);
    *stored = (uint32_t)json_array_size(list);
    if (options->hidden) {
        json_t *drawn = json_array();
        add_all_hidden(compiled, description, secret_seed(options->hidden, json_member_string(record, "id")), drawn);
        give_blocks(record, drawn);
        drop_unfit(compiled, drawn);
        json_array_extend(list, drawn);
        json_decref(drawn);
    }
    *stored = drop_vague(list, *stored);
    add_empty(json_array_get(list, 0), list);
    return list;
}

/* How far apart the numbers of both runs are, as a share of the largest of their array; infinite where integers differ. */
static double apart_share(Launch *plain, Launch *moved)
{
    LaunchValue *ours[MOST_TRIAL_ARRAYS], *theirs[MOST_TRIAL_ARRAYS];
    uint32_t count = launch_arrays(plain, ours, MOST_TRIAL_ARRAYS);
    double share = 0;
    launch_arrays(moved, theirs, MOST_TRIAL_ARRAYS);
    for (uint32_t i = 0; i < count; i++) {
        double apart = 0, scale = 0;
        for (size_t c = 0; c < launch_cell_count(ours[i]); c++) {
            bool is_real = launch_cell_is_real(ours[i], c);
            if (!is_real && ours[i]->cells[c].integer != theirs[i]->cells[c].integer)
                return INFINITY;
            apart = fmax(apart, is_real ? fabs(ours[i]->cells[c].real - theirs[i]->cells[c].real) : 0);
            scale = fmax(scale, is_real ? fabs(ours[i]->cells[c].real) : 0);
        }
        share = fmax(share, scale > 0 ? apart / scale : 0);
    }
    return share;
}

/* The effect of a card on a launch: different rounding of functions, and another order of threads. */
typedef struct Unrest {
    double share; /* by which results move */
    bool decides; /* it leads elsewhere: the launch tells nothing on a card */
} Unrest;

static const double MOST_UNREST = 2e-4; /* more is a decision that hangs on rounding */

static void run_moved(AstProgram *program, Launch *plain, Launch *moved, uint32_t noise, Unrest *unrest)
{
    AstRun run = {.noise = noise};
    double apart = ast_program_run(program, moved, &run) ? apart_share(plain, moved) : INFINITY;
    unrest->decides |= !(apart <= MOST_UNREST);
    unrest->share = apart <= MOST_UNREST ? fmax(unrest->share, apart) : unrest->share;
}

static Unrest find_unrest(const Compiled *compiled, const CudaExample *example)
{
    enum { FEWEST_TRIES = 4, MOST_TRIES = 24, ALL_TRIES = 256, WARP = 32 };
    Arena *arena = compiled->unit->arena;
    Unrest unrest = {0, false};
    const char *why;
    uint32_t threads = 1;
    for (uint32_t d = 0; d < example->ndim; d++)
        threads *= (uint32_t)example->dim[d];
    Launch *plain = threads ? launch_of_rows(compiled, example, &why) : NULL;
    Launch *start = plain ? launch_copy(arena, plain) : NULL;
    AstProgram *program = start ? ast_program(compiled->unit, compiled->module->kernel->kernel) : NULL;
    if (!program || !ast_program_run(program, plain, &(AstRun){.noise = 0}))
        return unrest;
    uint32_t tries = ALL_TRIES / threads; /* many threads show much in one run */
    tries = tries < FEWEST_TRIES ? FEWEST_TRIES : tries > MOST_TRIES ? MOST_TRIES : tries;
    for (uint32_t noise = 1; noise <= tries; noise++)
        run_moved(program, plain, launch_copy(arena, start), noise, &unrest);
    if (threads > WARP) { /* those of a warp take turns in their order */
        uint32_t *order = ARENA_ARRAY(arena, uint32_t, threads);
        Launch *moved = launch_copy(arena, start);
        for (uint32_t i = 0; i < threads; i++)
            order[i] = threads - 1 - i;
        moved->threads = order;
        moved->thread_count = threads;
        run_moved(program, plain, moved, 0, &unrest);
    }
    return unrest;
}

/* Tolerances `times` as large, and on top a share of the largest number. */
static void widen(json_t *launch, double times, double share)
{
    size_t k;
    json_t *row;
    json_array_foreach(json_object_get(launch, "outputs"), k, row)
    {
        json_t *tolerance = json_object_get(row, "tolerance");
        double size = largest_of(json_object_get(row, "floats"));
        if (json_is_number(tolerance))
            json_object_set_new(row, "tolerance", json_real(times * json_number_value(tolerance) + share * size));
    }
}

/* Moved inputs are a sample of what rounding does: where it counts most, another order of operations moves a result by a little more. */
void trial_fit_to_cpu(json_t *launches)
{
    const double slack = 2;
    for (size_t i = 0; i < json_array_size(launches); i++)
        widen(json_array_get(launches, i), slack, 0);
}

/* Functions of a card (sine, exponential) are off by up to a few units in the last place, those of the evaluators by
 * half. The parts of the tolerance grow by that factor. Moved inputs do not show all of it: 1 - exp(-x) of a small x
 * is all rounding. */
uint32_t trial_fit_to_card(const Compiled *compiled, json_t *launches, uint32_t stored)
{
    const double card_slack = 4, unrest_slack = 4;
    CudaExamples examples;
    if (!trial_read(compiled->unit->arena, launches, &examples))
        return stored;
    size_t kept = 0, count = json_array_size(launches);
    bool *decides = ARENA_ARRAY(compiled->unit->arena, bool, count + 1);
    for (size_t i = 0; i < count && i < examples.count; i++) {
        Unrest unrest = find_unrest(compiled, &examples.items[i]);
        widen(json_array_get(launches, i), card_slack, unrest_slack * unrest.share);
        decides[i] = unrest.decides;
        kept += !unrest.decides && examples.items[i].dim[0];
    }
    for (size_t i = count; kept && i-- > 0;) /* where none would be left, all stay */
        if (decides[i]) {
            json_array_remove(launches, i);
            stored -= i < stored;
        }
    return stored;
}

bool trial_read(Arena *arena, const json_t *list, CudaExamples *examples)
{
    Text text = text_in(arena);
    json_write(list, &text);
    return cuda_read_examples(arena, text.data, text.len, examples);
}

const char *trial_label(Arena *arena, const CudaExamples *list, uint32_t stored, uint32_t index)
{
    const CudaExample *example = &list->items[index];
    unsigned long long threads = 1;
    for (uint32_t d = 0; d < example->ndim; d++)
        threads *= example->dim[d];
    bool hidden = index >= stored;
    if (!threads)
        return "the launch without threads";
    return arena_format(arena, "%slaunch %u (%llu threads)", hidden ? "hidden " : "",
                        hidden ? index - stored + 1 : index + 1, threads);
}

/* ---- as bytes ---- */

/* A buffer for every array that the kernel takes, and for every gradient. */
static void list_buffers(const CudaLaunch *cuda, const CudaPacked *packed, JobLaunch *job)
{
    for (uint32_t i = 0; i < 2 * cuda->array_count; i++) {
        const char *bytes = cuda_packed_array(packed, i / 2, i % 2);
        if (bytes)
            job->buffers[job->buffer_count++] = (JobBuffer){bytes, cuda_array_size(&cuda->arrays[i / 2])};
    }
}

/* Pointers among the bytes of a parameter are found by what they point to: addresses of this process, which no number in it has. */
void trial_find_pointers(Arena *arena, const JobLaunch *job, JobParam *param)
{
    param->pointers = ARENA_ARRAY(arena, JobPointer, param->size / sizeof(void *) + 1);
    for (uint32_t at = 0; at + sizeof(void *) <= param->size; at += sizeof(void *)) {
        const char *pointer;
        memcpy(&pointer, param->bytes + at, sizeof pointer);
        for (uint32_t i = 0; i < job->buffer_count; i++)
            if (pointer == job->buffers[i].bytes)
                param->pointers[param->pointer_count++] = (JobPointer){at, i};
    }
}

CudaPacked *trial_pack(Trial *trial, const CudaLaunch *cuda, JobLaunch *job, bool backward)
{
    const CudaFunction *function = backward ? cuda_backward(trial->text) : cuda_forward(trial->text);
    CudaPacked *packed = cuda_pack(trial->text, function, cuda);
    *job = (JobLaunch){.entry = backward, .threads = (uint32_t)cuda->threads, .block = 32};
    job->buffers = ARENA_ARRAY(trial->arena, JobBuffer, 2 * cuda->array_count + 1);
    list_buffers(cuda, packed, job);
    while (cuda_param_size(function, job->param_count))
        job->param_count++;
    job->params = ARENA_ARRAY(trial->arena, JobParam, job->param_count + 1);
    for (uint32_t i = 0; i < job->param_count; i++) {
        job->params[i] = (JobParam){.bytes = packed->args[i], .size = (uint32_t)cuda_param_size(function, i)};
        trial_find_pointers(trial->arena, job, &job->params[i]);
    }
    return packed;
}

void trial_unpack(const Step *step, const JobLaunch *job, const char *bytes)
{
    uint32_t buffer = 0;
    for (uint32_t i = 0; i < 2 * step->cuda->array_count; i++) {
        char *place = cuda_packed_array(step->packed, i / 2, i % 2);
        if (!place)
            continue;
        memcpy(place, bytes, job->buffers[buffer].size);
        bytes += job->buffers[buffer++].size;
    }
    cuda_unpack(step->packed, step->cuda);
}
