#include "corpus/candidate.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/rng.h"
#include "check/io.h"
#include "corpus/losers.h"
#include "corpus/manifest.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { STREAM_CHECK = 1u << 20, STREAM_IO, MEMORY_LIMIT = 96 << 20 };

struct Maker {
    CorpusOptions options;
    Weft *weft;
    StandaloneLibrary *library;
    SynthContext *synth;
    Text source;
    GramSet grams;
    Arena scratch; /* of maker_key */
};

uint64_t candidate_index(const CorpusOptions *options, uint64_t ordinal)
{
    if (!options->piece_count)
        return ordinal;
    return (ordinal / PIECE_BLOCK * options->piece_count + options->piece) * PIECE_BLOCK + ordinal % PIECE_BLOCK;
}

uint64_t candidate_key(const CorpusOptions *options, const Candidate *candidate)
{
    return options->dedup == DEDUP_MASKED ? candidate->masked : candidate->structure;
}

int category_named(const char *name)
{
    int i = 0;
    while (i < CATEGORY_COUNT && strcmp(category_name((CategoryId)i), name) != 0)
        i++;
    return i;
}

const char *reason_name(unsigned reason)
{
    static const char *const own[] = {
        "",         "refused",        "launch",       "gradient-mismatch", "duplicate", "no-launches",
        "too-long", "between-splits", "text-differs", "too-large"};
    if (reason < REASON_FAILURE)
        return own[reason];
    if (reason < REASON_FINDING)
        return check_failure_name((CheckFailure)(reason - REASON_FAILURE));
    return finding_name((FindingKind)(reason - REASON_FINDING));
}

unsigned reason_of_name(const char *name, size_t len)
{
    unsigned reason = REASON_REFUSED;
    while (reason < REASON_COUNT && (strlen(reason_name(reason)) != len || memcmp(reason_name(reason), name, len) != 0))
        reason++;
    return reason;
}

Maker *maker_new(const CorpusOptions *options)
{
    Maker *maker = calloc(1, sizeof *maker);
    if (!maker)
        return NULL;
    maker->options = *options;
    arena_init(&maker->scratch);
    maker->weft = weft_new(options->warp);
    maker->synth = generator_context(options->warp);
    maker->library = options->readable ? standalone_library_new(options->warp) : NULL;
    if (!maker->weft || !maker->synth || (options->readable && !maker->library)) {
        maker_free(maker);
        return NULL;
    }
    return maker;
}

void maker_free(Maker *maker)
{
    if (!maker)
        return;
    weft_free(maker->weft);
    standalone_library_free(maker->library);
    synth_free(maker->synth);
    text_free(&maker->source);
    gram_set_free(&maker->grams);
    arena_free(&maker->scratch);
    free(maker);
}

bool maker_sample(Maker *maker, uint64_t index, SynthSample *sample)
{
    return synth_sample(maker->synth, maker->options.seed, index, &maker->options.weights, sample);
}

bool maker_key(Maker *maker, uint64_t index, uint64_t *key)
{
    SynthSample sample;
    jmp_buf failure;
    if (!maker_sample(maker, index, &sample))
        return false;
    arena_reset(&maker->scratch);
    if (setjmp(failure)) {
        maker->scratch.on_failure = NULL;
        return false;
    }
    maker->scratch.on_failure = &failure;
    Shape shape = shape_of_source(&maker->scratch, sample.source, sample.source_len);
    maker->scratch.on_failure = NULL;
    *key = maker->options.dedup == DEDUP_MASKED ? shape.masked : shape.structure;
    return true;
}

typedef struct Visit {
    const CorpusOptions *options;
    StandaloneLibrary *library;
    const SynthSample *sample;
    const Origin *origin;
    const KnownVerdict *known;
    Candidate *candidate;
    Text *out;
    double started;
    CheckPrograms *programs; /* of the kernel */
    CheckLaunch launch;      /* of the sample */
    bool is_launch_read, is_launch_wrong;
} Visit;

/* NULL: it cannot be read. */
static const CheckLaunch *launch_of(const Compiled *compiled, Visit *visit)
{
    if (!visit->is_launch_read)
        visit->is_launch_wrong =
            check_launch_read(compiled->unit->arena, visit->sample->launch, visit->sample->launch_len, &visit->launch);
    visit->is_launch_read = true;
    return visit->is_launch_wrong ? NULL : &visit->launch;
}

static bool is_drawn_integer(const CheckLaunch *launch, const char *name, const Type *type)
{
    const CheckArg *arg = check_find_arg(launch, name);
    return (type_is_int(type) || type->kind == TYPE_BOOL) && arg && arg->has_range && arg->low < arg->high;
}

/* Is there a number, such as a mode, that may choose what the kernel does? */
static bool has_choice(const Compiled *compiled, const CheckLaunch *launch)
{
    const Code *code = compiled->module->kernel->code;
    for (uint32_t i = 0; i < code->param_count; i++) {
        const Type *type = type_canonical(code->params[i].type);
        const char *name = code->params[i].name->text;
        if (is_drawn_integer(launch, name, type))
            return true;
        for (uint32_t k = 0; type->kind == TYPE_STRUCT && k < type->decl->field_count; k++) {
            const StructField *field = &type->decl->fields[k];
            if (is_drawn_integer(launch, arena_format(compiled->unit->arena, "%s.%s", name, field->name->text),
                                 type_canonical(field->type)))
                return true;
        }
    }
    return false;
}

/* A gradient may be right on some inputs and wrong on others where a number chooses a branch, or earlier array
 * contents decide. There, as many inputs are tried as by `weft check`, until one is wrong. Elsewhere inputs hardly
 * ever differ, and each costs a quarter of the time. */
static void try_further_inputs(const Compiled *compiled, const CheckLaunch *launch, const CheckOptions *options,
                               CheckResult *result)
{
    enum { INPUTS_TRIED = 4 };
    if (result->failure != CHECK_OK || result->gradient != GRADIENT_PASS ||
        !(result->prior == GRADIENT_MISMATCH || has_choice(compiled, launch)))
        return;
    for (uint64_t draw = 1; draw < INPUTS_TRIED && result->gradient == GRADIENT_PASS; draw++) {
        CheckOptions others = *options;
        CheckResult other;
        others.seed += draw;
        check_kernel(compiled->unit, compiled->module, launch, &others, &other);
        if (other.failure == CHECK_OK && other.gradient == GRADIENT_MISMATCH)
            *result = other;
    }
}

/* The reason for throwing the kernel away, or REASON_NONE and its verdict. */
static unsigned check(const Compiled *compiled, Visit *visit, KnownVerdict *verdict)
{
    const CheckLaunch *launch = launch_of(compiled, visit);
    if (!launch)
        return REASON_LAUNCH;
    Rng rng = rng_at(visit->options->seed, visit->candidate->index, STREAM_CHECK);
    CheckOptions options = {
        .programs = visit->programs, .seed = rng_next(&rng), .filters = !visit->origin, .threads = CHECK_SPREAD};
    CheckResult result;
    memset(&result, 0, sizeof result);
    check_kernel(compiled->unit, compiled->module, launch, &options, &result);
    try_further_inputs(compiled, launch, &options, &result);
    if (result.failure == CHECK_FINDING && result.finding.kind == FINDING_UNSUPPORTED)
        return REASON_FAILURE + CHECK_UNSUPPORTED; /* one name for both */
    if (result.failure == CHECK_FINDING)
        return REASON_FINDING + (unsigned)result.finding.kind;
    if (result.failure != CHECK_OK)
        return REASON_FAILURE + (unsigned)result.failure;
    *verdict = (KnownVerdict){.forward_pass = true,
                              .gradient = result.gradient,
                              .prior = result.prior,
                              .gradient_error = result.gradient_error};
    if (result.gradient == GRADIENT_MISMATCH && visit->options->gradients == GRADIENTS_SKIP && compiled->has_backward)
        return REASON_GRADIENT;
    return REASON_NONE;
}

/* Bytes of generated text for one device, of inputs and results in a record, and of what stands before it in its line. */
enum { MOST_TEXT = 600000, MOST_LAUNCHES = 300000, MOST_HEAD = 100 };

static bool is_too_long(const Compiled *compiled)
{
    const EmitText *cuda = &compiled->texts[DEVICE_CUDA], *cpp = &compiled->texts[DEVICE_CPU];
    return cuda->forward.len + cuda->backward.len > MOST_TEXT || cpp->forward.len + cpp->backward.len > MOST_TEXT;
}

/* Launches that are drawn from this seed. */
static bool draw_launches(const Compiled *compiled, const Visit *visit, const CheckLaunch *launch,
                          const KnownVerdict *verdict, uint64_t seed, Text *out)
{
    const CorpusOptions *asked = visit->options;
    Rng rng = rng_at(seed, visit->candidate->index, STREAM_IO);
    IoOptions options = {.programs = visit->programs,
                         .seed = rng_next(&rng),
                         .launches = asked->launches,
                         .backward = keeps_backward(asked, compiled, verdict),
                         .wants_slope = verdict->gradient == GRADIENT_PASS,
                         .choose = true,
                         .most_bytes = MOST_LAUNCHES};
    out->len = 0;
    return check_write_launches(compiled->unit, compiled->module, launch, &options, out) && out->len <= MOST_LAUNCHES;
}

/* The launches of a record; REASON_NONE: they are in `out`. A hidden key does not affect which records are kept:
 * `open` gets the launches that are drawn without it. */
static unsigned run_launches(const Compiled *compiled, Visit *visit, const KnownVerdict *verdict, Text *out, Text *open)
{
    enum { HIDDEN_TRIES = 8 };
    const CorpusOptions *asked = visit->options;
    const CheckLaunch *launch = launch_of(compiled, visit);
    if (!launch)
        return REASON_LAUNCH;
    if (!draw_launches(compiled, visit, launch, verdict, asked->seed, out))
        return REASON_IO;
    text_add(open, out->data, out->len);
    for (uint64_t i = 0; asked->has_hidden_seed && i < HIDDEN_TRIES; i++)
        if (draw_launches(compiled, visit, launch, verdict, asked->hidden_seed + i, out))
            return REASON_NONE;
    if (asked->has_hidden_seed) { /* none is as good as the open ones, which are not hidden */
        out->len = 0;
        text_lit(out, "[]");
    }
    return REASON_NONE;
}

/* The readable CUDA of a record. */
static Readable make_readable(const Compiled *compiled, Visit *visit, const KnownVerdict *verdict, const Text *launches)
{
    if (!visit->options->readable)
        return (Readable){.verdict = READABLE_NONE};
    const CheckLaunch *launch = launch_of(compiled, visit);
    if (!launch)
        return (Readable){.verdict = READABLE_REFUSED, .reason = "its launch cannot be read"};
    bool judge = verdict->gradient == GRADIENT_PASS && verdict->prior != GRADIENT_MISMATCH;
    Readable readable = readable_translate(compiled, visit->library, launch, true);
    if (!launches->len || readable_check(compiled, launches, judge, &readable))
        return readable;
    const char *why = readable.reason; /* then the forward kernel alone */
    readable = readable_translate(compiled, visit->library, launch, false);
    readable_check(compiled, launches, judge, &readable);
    readable.reason = readable.text ? why : readable.reason;
    return readable;
}

/* The shape of the sample alone, without the one line before it. */
static Shape shape_of_kernel(const Unit *unit)
{
    uint32_t first = 0;
    while (unit->main->tokens.items[first].kind != TOKEN_NEWLINE)
        first++;
    return shape_of_tokens(unit->arena, unit->main->source->text, &unit->main->tokens, first + 1);
}

/* Keeps a harvested kernel that cannot be run: returns the reason, and clears it in *reason. */
static unsigned excuse(const Visit *visit, unsigned *reason)
{
    unsigned why = visit->origin && *reason != REASON_GRADIENT ? *reason : REASON_NONE;
    *reason -= why;
    return why;
}

static bool visit_kernel(const Compiled *compiled, void *user)
{
    Visit *visit = user;
    Candidate *candidate = visit->candidate;
    KnownVerdict verdict = {0};
    bool checked = visit->known ? visit->known->forward_pass : visit->options->verify;
    unsigned not_run = REASON_NONE;
    visit->programs = check_programs_new(compiled->unit, compiled->module);
    candidate->reason = is_too_long(compiled) ? REASON_LONG : REASON_NONE;
    if (visit->known) {
        verdict = *visit->known;
        not_run = checked ? REASON_NONE : verdict.not_run;
    } else if (checked && !candidate->reason) {
        candidate->reason = check(compiled, visit, &verdict);
        not_run = excuse(visit, &candidate->reason);
        checked = !not_run;
    }
    Text launches = text_in(compiled->unit->arena), open = text_in(compiled->unit->arena);
    if (!candidate->reason && !not_run && visit->options->launches) {
        candidate->reason = run_launches(compiled, visit, &verdict, &launches, &open);
        not_run = excuse(visit, &candidate->reason);
        launches.len = not_run ? 0 : launches.len;
    }
    if (candidate->reason)
        return false;
    Shape shape = shape_of_kernel(compiled->unit);
    candidate->structure = shape.structure;
    candidate->masked = shape.masked;
    candidate->is_checked = checked;
    candidate->gradient = verdict.gradient;
    Readable readable = make_readable(compiled, visit, &verdict, &open);
    RecordParts parts = {.options = visit->options,
                         .sample = visit->sample,
                         .origin = visit->origin,
                         .index = candidate->index,
                         .compiled = compiled,
                         .shape = &shape,
                         .verdict = checked ? &verdict : NULL,
                         .not_run = not_run,
                         .readable = &readable,
                         .launches = &launches,
                         .milliseconds = visit->options->timing ? clock_seconds() * 1e3 - visit->started : 0};
    write_record(&parts, candidate, visit->out);
    if (visit->out->len - candidate->start > LIMIT_RECORD_BYTES - MOST_HEAD)
        candidate->reason = REASON_LONG; /* no reader would take it */
    return false;
}

/* Which split it belongs to depends on them. */
static bool add_grams(Maker *maker, const Visit *visit)
{
    const CorpusOptions *options = &maker->options;
    Candidate *candidate = visit->candidate;
    if (candidate->reason || !has_splits(options))
        return true;
    if (!grams_of_source(&maker->grams, visit->sample->source, visit->sample->source_len))
        return false;
    candidate->gram_count = maker->grams.count;
    text_add(visit->out, (const char *)maker->grams.items, maker->grams.count * sizeof *maker->grams.items);
    return true;
}

static bool compile_sample(Maker *maker, Visit *visit)
{
    const SynthSample *sample = visit->sample;
    Candidate *candidate = visit->candidate;
    maker->source.len = 0;
    synth_add_module(sample, &maker->source);
    if (maker->source.failed)
        return false;
    PipelineOptions options = pipeline_options();
    options.weft.cuda = maker->options.device & DEVICE_SET_CUDA;
    options.weft.cpu = maker->options.device & DEVICE_SET_CPU;
    options.weft.backward = maker->options.backward;
    options.weft.block_dim = synth_block(sample);
    options.weft.source = false;
    options.keep_tokens = true;
    options.keep_lines = true;
    options.keep_types = maker->options.readable;
    options.weft.memory_limit = MEMORY_LIMIT;
    candidate->category = sample->category;
    candidate->reason = REASON_REFUSED; /* unless a kernel comes out of it */
    candidate->start = visit->out->len;
    bool done = pipeline_compile(maker->weft, &(Source){"synth.py", maker->source.data, maker->source.len}, &options,
                                 &(PipelineVisitor){.compiled = visit_kernel, .user = visit});
    if (candidate->reason)
        visit->out->len = candidate->start;
    candidate->len = visit->out->len - candidate->start;
    if (!candidate->reason && !candidate->len)
        candidate->reason = REASON_MEMORY; /* which ran out on the way */
    return done && add_grams(maker, visit);
}

bool candidate_of_sample(Maker *maker, const SynthSample *sample, const Origin *origin, uint64_t index,
                         const KnownVerdict *known, Candidate *candidate, Text *out)
{
    *candidate = (Candidate){.index = index};
    Visit visit = {.options = &maker->options,
                   .library = maker->library,
                   .sample = sample,
                   .origin = origin,
                   .known = known,
                   .candidate = candidate,
                   .out = out,
                   .started = maker->options.timing ? clock_seconds() * 1e3 : 0};
    return compile_sample(maker, &visit);
}

bool make_candidate(Maker *maker, uint64_t index, Candidate *candidate, Text *out)
{
    SynthSample sample;
    *candidate = (Candidate){.index = index};
    const LoserMap *losers = maker->options.losers;
    if (losers && loser_map_covers(losers, index, index + 1) && is_loser(losers, index)) {
        candidate->reason = REASON_DUPLICATE;
        return true;
    }
    Visit visit = {.options = &maker->options,
                   .library = maker->library,
                   .sample = &sample,
                   .candidate = candidate,
                   .out = out,
                   .started = maker->options.timing ? clock_seconds() * 1e3 : 0};
    return maker_sample(maker, index, &sample) && compile_sample(maker, &visit);
}
