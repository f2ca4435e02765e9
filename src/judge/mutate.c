#include "judge/mutate.h"

#include "corpus/columns.h"
#include "corpus/launch_rows.h"
#include "eval/tree/eval.h"

#include <stdio.h>

enum { MOST_TRIES = 24, MUTANT_STEPS = 2000000 };

typedef struct Mutating {
    Workshop *second;
    const json_t *record;
    MutantForm form;
    uint32_t changes; /* that are wanted */
    Rng rng;
    Mutant *out;
    bool made;
    json_t *launches;
} Mutating;

/* ---- is it wrong? ---- */

/* Text in CUDA: run by the interpreter. It must run, and differ. */
static bool cuda_differs(Trial *trial, const Step *steps, uint32_t count, const char *text, Mutant *out)
{
    const char *why = NULL;
    Trial own = *trial;
    own.text = cuda_read(trial->arena, text, &why);
    for (uint32_t i = 0; own.text && i < count; i++) {
        Step step = steps[i];
        const CudaFunction *function = step.backward ? cuda_backward(own.text) : cuda_forward(own.text);
        step.cuda = cuda_launch(own.text, step.example, false, &why);
        if (!step.cuda || !function)
            return false;
        if (step.backward && !trial_prepare_gradient(&own, &step, step.cuda))
            return false;
        if (!cuda_run(own.text, function, step.cuda, &why))
            return false;
        bool agrees = step.backward ? trial_gradient_agrees(&own, &step)
                                    : cuda_outputs_agree(own.arena, step.cuda, &step.example->outputs, &own.why);
        if (!agrees) {
            snprintf(out->difference, sizeof out->difference, "%s: %s", step.label, own.why);
            return true;
        }
    }
    return false;
}

typedef struct PythonProof {
    const json_t *launches;
    Mutant *out;
    bool differs;
} PythonProof;

/* Text in Python: compiled and run by the evaluator of the region tree. */
static bool run_python(const Compiled *compiled, void *user)
{
    PythonProof *proof = user;
    Finding finding;
    CudaExamples examples;
    TreeProgram *program = tree_compile(compiled->unit->arena, compiled->module, false, &finding);
    if (!program || !trial_read(compiled->unit->arena, proof->launches, &examples))
        return false;
    for (uint32_t i = 0; i < examples.count && !proof->differs; i++) {
        const char *why;
        char difference[240];
        TreeRun run = {.max_steps = MUTANT_STEPS};
        Launch *launch = launch_of_rows(compiled, &examples.items[i], &why);
        Launch *start = launch ? launch_copy(compiled->unit->arena, launch) : NULL;
        if (!launch || !tree_execute(program, launch, &run))
            return false;
        if (python_launch_agrees(start, launch, json_array_get(proof->launches, i), difference, sizeof difference))
            continue;
        proof->differs = true;
        snprintf(proof->out->difference, sizeof proof->out->difference, "launch %u: %s", i + 1, difference);
    }
    return false;
}

static bool python_differs(Mutating *mutating, const char *text)
{
    PythonProof proof = {.launches = trial_stored_launches(mutating->record), .out = mutating->out};
    Text source;
    text_init(&source);
    text_lit(&source, "import warp as wp\n\n\n");
    text_str(&source, text);
    PipelineOptions options = pipeline_options();
    options.weft.cuda = options.weft.cpu = options.weft.source = options.weft.backward = false;
    options.weft.kernel = json_member_string(mutating->record, "kernel_name");
    options.weft.block_dim = (uint32_t)json_integer_value(json_object_get(mutating->record, "block_dim"));
    if (!source.failed)
        pipeline_compile(mutating->second->weft, &(Source){"mutant.py", source.data, source.len}, &options,
                         &(PipelineVisitor){.compiled = run_python, .user = &proof});
    text_free(&source);
    json_decref((json_t *)(uintptr_t)proof.launches);
    return proof.differs;
}

/* ---- trying changes ---- */

/* One change to the text, which may have others. */
static bool try_changes(Mutating *mutating, Trial *trial, const Step *steps, uint32_t count, const char *text)
{
    bool made = false;
    SiteList sites = {0};
    Span part;
    if (!mutable_part(text, json_member_string(mutating->record, "kernel_name"), mutating->form, &part))
        return false;
    find_sites(trial->arena, part, mutating->form, &sites);
    for (uint32_t tries = 0; sites.count && tries < MOST_TRIES && !made; tries++) {
        uint32_t chosen = rng_below(&mutating->rng, sites.count);
        apply_site(text, part, &sites.items[chosen], mutating->out);
        sites.items[chosen] = sites.items[--sites.count];
        const char *mutated = text_cstr(&mutating->out->text);
        made = mutating->form == MUTANT_PYTHON ? python_differs(mutating, mutated)
                                               : cuda_differs(trial, steps, count, mutated, mutating->out);
    }
    return made;
}

static void make_changes(Mutating *mutating, Trial *trial, const char *text)
{
    mutating->made = try_changes(mutating, trial, trial->steps, trial->count, text);
    for (uint32_t i = 1; mutating->made && i < mutating->changes; i++) {
        const char *before = arena_strndup(trial->arena, mutating->out->text.data, mutating->out->text.len);
        if (try_changes(mutating, trial, trial->steps, trial->count, before))
            continue;
        mutating->out->text.len = 0;
        text_str(&mutating->out->text, before);
    }
}

/* The calls that tell it apart: of the kernel that is changed, on the record's own launches. */
static bool visit(const Compiled *compiled, const CheckLaunch *description, void *user)
{
    Mutating *mutating = user;
    Trial *trial = ARENA_NEW(compiled->unit->arena, Trial);
    const char *text = mutating->form == MUTANT_PYTHON ? record_source(mutating->record)
                                                       : json_member_string(mutating->record, "cuda_readable");
    (void)description;
    *trial = (Trial){.compiled = compiled, .arena = compiled->unit->arena};
    trial->stored = UINT32_MAX;
    if (mutating->form != MUTANT_PYTHON) {
        trial->forward = mutating->form == MUTANT_CUDA;
        trial->backward = mutating->form == MUTANT_GRADIENT;
        trial->text = cuda_read(trial->arena, text, &trial->why);
        if (!trial->text ||
            !trial_read(trial->arena, json_object_get(mutating->record, "launches"), &trial->launches) ||
            !trial_plan(trial))
            return true;
    }
    make_changes(mutating, trial, text);
    return true;
}

bool mutant_make(Workshop *workshop, Workshop *second, const json_t *record, MutantForm form, uint32_t changes, Rng rng,
                 Mutant *out)
{
    Mutating mutating = {.second = second, .record = record, .form = form, .changes = changes, .rng = rng, .out = out};
    *out = (Mutant){.line = 0};
    workshop_visit(workshop, record, visit, &mutating);
    return mutating.made && !out->text.failed;
}
