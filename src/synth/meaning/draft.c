/* One sample of a scene, from the first choice to the text. */
#include "synth/meaning/draft.h"

#include "synth/context.h"
#include "synth/meaning/carry.h"
#include "synth/meaning/flow.h"
#include "synth/meaning/style.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

void give_up_draft(Draft *d, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    d->failure = arena_format_list(d->arena, format, args);
    va_end(args);
    longjmp(*d->given_up, 1);
}

/* ---- the passes, in order ---- */

/* What moves statements of threads around would not do for those of blocks. */
static void make_tiled(Draft *d, SynthSample *sample)
{
    add_guard(d);
    write_laws(d);
    drop_unused(d);
    choose_tiles(d);
    choose_sizes(d);
    choose_launch(d);
    lay_out_data(d);
    style_tiles(d);
    name_symbols(d);
    finish_draft(d, sample);
}

static void make(Draft *d, SynthSample *sample)
{
    d->habits = random_habits(d);
    d->salt = rng_below(&d->rng, 1u << 30);
    d->style = random_name_style(d);
    choose_scene(d);
    if (d->scene->is_tiled) {
        make_tiled(d, sample);
        return;
    }
    compose_scenes(d);
    prune_unused(d, &d->body); /* what nothing depends on is not shared and has no source */
    share_data(d);
    spread_worlds(d);
    make_masks_optional(d);
    make_flags_bits(d);
    make_flags_bool(d);
    extend_plan(d);
    treat_results(d);
    choose_sources(d);
    use_second_arrays(d);
    add_guard(d);
    write_laws(d);
    prune_unused(d, &d->body);
    drop_unused(d);
    name_repeats(d);
    tidy_values(d, &d->body);
    infer_vectors(d);
    write_out_vectors(d);
    name_extents(d);
    fix_counts(d);
    choose_sizes(d);
    choose_launch(d);
    flatten_launch(d);
    lay_out_data(d);
    unroll_states(d);
    outline_sums(d);
    outline_functions(d);
    stride_threads(d);
    apply_style(d);
    name_symbols(d);
    finish_draft(d, sample);
}

bool meaning_sample(SynthContext *context, Scene *scene, Rng rng, SynthSample *sample)
{
    jmp_buf given_up;
    if (!scene_load(context->meaning, scene)) {
        snprintf(context->refusal, sizeof context->refusal, "%s", context->meaning->message);
        return false;
    }
    arena_reset(&context->work);
    Draft *d = arena_take(&context->work, sizeof *d);
    memset(d, 0, offsetof(Draft, castings));
    d->context = context;
    d->meaning = context->meaning;
    d->scene = scene;
    d->arena = &context->work;
    d->category = sample->category;
    d->rng = rng;
    d->given_up = &given_up;
    d->scope_count = SCOPE_FIRST_FUNCTION;
    names_init(&d->names, d->arena);
    if (setjmp(given_up)) {
        snprintf(context->refusal, sizeof context->refusal, "scene %s: %s", scene->name->text,
                 d->failure ? d->failure : "unknown");
        return false;
    }
    make(d, sample);
    return true;
}
