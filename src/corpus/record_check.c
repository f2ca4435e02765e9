/* One record: is it what its own text says, and what its seed and index give? */
#include "base/json.h"
#include "base/rng.h"
#include "corpus/details.h"
#include "corpus/validate.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* A record that is being checked. */
typedef struct Check {
    RecordChecker *checker;
    const CorpusOptions *options; /* the checker's */
    const char *line;
    size_t len;
    json_t *record;
    bool backward;
    RecordVerdict *verdict;
} Check;

static void problem(Check *check, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void problem(Check *check, const char *format, ...)
{
    RecordVerdict *verdict = check->verdict;
    va_list args;
    va_start(args, format);
    if (!verdict->problem_count++)
        vsnprintf(verdict->first_problem, sizeof verdict->first_problem, format, args);
    va_end(args);
}

/* ---- generated text ---- */

static bool is_balanced(const char *text)
{
    int braces = 0, parens = 0;
    for (; *text; text++) {
        braces += (*text == '{') - (*text == '}');
        parens += (*text == '(') - (*text == ')');
        if (braces < 0 || parens < 0)
            return false;
    }
    return braces == 0 && parens == 0;
}

static void check_cuda(Check *check, const char *field, const char *suffix)
{
    const char *text = json_member_string(check->record, field),
               *name = json_member_string(check->record, "kernel_name");
    char signature[400];
    if (!strstr(text, "extern \"C\" __global__ void "))
        problem(check, "%s: no kernel signature", field);
    snprintf(signature, sizeof signature, "%s_", name);
    if (!strstr(text, signature) || !strstr(text, suffix))
        problem(check, "%s: it is not the text of %s", field, name);
    if (!strstr(text, "blockDim.x") || !strstr(text, "threadIdx.x"))
        problem(check, "%s: no thread index", field);
    bool harvested = *json_member_string(check->record, "project"); /* which may ask for none */
    if (!harvested && (!strstr(text, "gridDim.x") || !strstr(text, "for (")))
        problem(check, "%s: no grid-stride loop", field);
    if (!is_balanced(text))
        problem(check, "%s: brackets are not balanced", field);
}

/* Do the texts, the preamble and the launch speak of blocks of one size? */
static void check_block(Check *check)
{
    static const struct {
        const char *field;
        bool is_cuda;
    } preambles[] = {{"cuda_includes", true}, {"cpp_includes", false}};
    json_int_t given = json_integer_value(json_object_get(check->record, "block_dim"));
    for (size_t i = 0; i < sizeof preambles / sizeof *preambles; i++) {
        const char *text = json_string_value(json_object_get(check->record, preambles[i].field));
        long long wanted = !preambles[i].is_cuda ? 1 : given ? given : WEFT_BLOCK_DIM, said = 0;
        if (!text)
            continue;
        if (sscanf(text, "#define WP_TILE_BLOCK_DIM %lld\n", &said) != 1)
            problem(check, "%s: it does not begin with the size of a block", preambles[i].field);
        else if (said != wanted)
            problem(check, "%s: it is for blocks of %lld threads, but 'block_dim' asks for %lld", preambles[i].field,
                    said, wanted);
    }
}

/* ---- the record made again ---- */

/* Members that follow from the version of weft: they may differ in a record of another version. */
static bool is_of_version(const char *name)
{
    return strcmp(name, "id") == 0 || strcmp(name, "weft_version") == 0;
}

/* The first member that differs; NULL: none does. */
static const char *differing_member(const json_t *before, json_t *now, bool same_version)
{
    const char *key;
    json_t *item;
    json_object_foreach(now, key, item) if (!json_equal(json_object_get(before, key), item) &&
                                            (same_version || !is_of_version(key))) return key;
    return NULL;
}

static void name_difference(Check *check, const char *again, size_t len, bool timed)
{
    bool same_version = check->checker->same_version;
    Text whole;
    text_init(&whole);
    text_char(&whole, '{');
    text_add(&whole, again, len);
    text_str(&whole, timed ? "null}" : "");
    json_t *now = whole.failed ? NULL : json_read(whole.data, whole.len);
    text_free(&whole);
    const char *name = now ? differing_member(check->record, now, same_version) : NULL;
    if (name)
        problem(check, "'%s' does not match python_source", name);
    else if (same_version)
        problem(check, "the record is not written as weft writes it");
    json_decref(now);
}

/* The record's data on its sample. */
typedef struct Parts {
    SynthSample sample;
    Text launch, plan;
    Origin origin; /* without a project: it was not harvested */
    KnownVerdict known;
    uint64_t index;
} Parts;

static void read_launch(const Check *check, Parts *parts)
{
    Text *launch = &parts->launch;
    size_t arguments = check_launch_write(check->record, launch);
    parts->sample.launch = text_cstr(launch);
    parts->sample.launch_len = launch->len;
    parts->sample.arguments = parts->sample.launch + (launch->failed ? 0 : arguments);
}

static bool read_parts(Check *check, Parts *parts)
{
    SynthSample *sample = &parts->sample;
    const json_t *record = check->record, *error = json_object_get(record, "gradient_error");
    const char *not_run = json_member_string(record, "not_run");
    *parts = (Parts){.index = check->verdict->candidate.index};
    *sample = (SynthSample){.category = check->verdict->candidate.category,
                            .kernel_name = json_member_string(record, "kernel_name"),
                            .description = json_member_string(record, "description"),
                            .instruction = json_member_string(record, "instruction"),
                            .difficulty = json_string_value(json_object_get(record, "difficulty")),
                            .algorithm = json_string_value(json_object_get(record, "algorithm")),
                            .source = record_source(record)};
    sample->source_len = strlen(sample->source);
    read_launch(check, parts);
    json_write(json_object_get(record, "plan"), &parts->plan);
    sample->plan = text_cstr(&parts->plan);
    sample->plan_len = parts->plan.len;
    parts->known =
        (KnownVerdict){.forward_pass = strcmp(json_member_string(record, "forward_verdict"), "pass") == 0,
                       .gradient = gradient_verdict_of(record, "gradient_verdict"),
                       .prior = gradient_verdict_of(record, "output_gradient_verdict"),
                       .gradient_error = json_is_number(error) ? json_number_value(error) : (double)INFINITY};
    parts->known.not_run = reason_of_name(not_run, strlen(not_run));
    parts->known.not_run = parts->known.not_run == REASON_COUNT ? REASON_NONE : parts->known.not_run;
    parts->origin = (Origin){.project = json_string_value(json_object_get(record, "project")),
                             .file = json_member_string(record, "file"),
                             .license = json_member_string(record, "license"),
                             .revision = json_string_value(json_object_get(record, "revision")),
                             .line = (uint64_t)json_integer_value(json_object_get(record, "line"))};
    if (!parts->launch.failed && !parts->plan.failed)
        return true;
    problem(check, "out of memory");
    return false;
}

static bool same_text(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "") == 0;
}

/* Is it the sample of its index? */
static void check_origin(Check *check, const Parts *parts)
{
    SynthSample origin;
    const SynthSample *sample = &parts->sample;
    if (!maker_sample(check->checker->maker, parts->index, &origin)) {
        problem(check, "out of memory");
        return;
    }
    const struct {
        const char *field;
        bool same;
    } comparisons[] = {
        {"category", origin.category == sample->category},
        {"kernel_name", same_text(origin.kernel_name, sample->kernel_name)},
        {"description", same_text(origin.description, sample->description)},
        {"python_source", same_text(origin.source, sample->source)},
        {"arguments", same_text(origin.arguments, sample->arguments)},
        {"block_dim", synth_same_block(&origin, sample)},
        {"launch_dim", same_text(origin.launch, sample->launch)},
        {"instruction", same_text(origin.instruction, sample->instruction)},
        {"difficulty", same_text(origin.difficulty, sample->difficulty)},
        {"algorithm", same_text(origin.algorithm, sample->algorithm)},
        {"plan", origin.plan_len == sample->plan_len && memcmp(origin.plan, sample->plan, origin.plan_len) == 0},
    };
    const char *differs = NULL;
    for (size_t i = 0; !differs && i < sizeof comparisons / sizeof *comparisons; i++)
        if (!comparisons[i].same)
            differs = comparisons[i].field;
    if (differs)
        problem(check, "'%s' differs from sample %llu of the seed", differs, (unsigned long long)parts->index);
}

/* How many bytes at the end of the line --timing has added; 0: it is not written as weft writes it. */
static size_t timing_length(const Check *check)
{
    Text tail;
    text_init(&tail);
    text_python_float(&tail, json_number_value(json_object_get(check->record, "generation_time_ms")));
    text_char(&tail, '}');
    size_t len = tail.len;
    bool fits = !tail.failed && len < check->len && memcmp(check->line + check->len - len, tail.data, len) == 0;
    text_free(&tail);
    return fits ? len : 0;
}

/* Is the record what was made again? Its set may have columns that those of its own source lack, and a time. */
static void compare_with(Check *check, Text *made, const Candidate *again)
{
    const CorpusOptions *options = &check->checker->manifest->options;
    const char *now = made->data + again->start;
    size_t now_len = again->len, len = check->verdict->candidate.len;
    const char *line = check->line + check->verdict->candidate.start;
    Text fitted;
    text_init(&fitted);
    if (options->merged || options->timing) {
        ColumnList columns;
        columns_of(options, PART_WHOLE, columns);
        record_fit(now, now_len, columns, &fitted);
        now = text_cstr(&fitted);
        now_len = fitted.len;
    }
    if (options->timing) {
        size_t time = timing_length(check);
        if (!time)
            problem(check, "'generation_time_ms' is not as weft writes it");
        len -= time;
        now_len -= strlen("null}");
    }
    if (now_len != len || memcmp(now, line, len) != 0)
        name_difference(check, now, now_len, options->timing);
    text_free(&fitted);
}

static void check_made_again(Check *check, const Parts *parts, bool sampled)
{
    Candidate again;
    Text *text = &check->checker->scratch;
    bool recheck = sampled && check->options->verify;
    text->len = 0;
    if (!candidate_of_sample(check->checker->maker, &parts->sample, parts->origin.project ? &parts->origin : NULL,
                             parts->index, recheck ? NULL : &parts->known, &again, text)) {
        problem(check, "out of memory");
        return;
    }
    check->verdict->verdict_checked = recheck;
    if (again.reason) {
        problem(check, "python_source no longer passes: %s", reason_name(again.reason));
        return;
    }
    check->verdict->gram_count = again.gram_count;
    check->verdict->grams = text->data + again.start + again.len;
    compare_with(check, text, &again);
}

/* Does the record say the same about itself as the manifest says about all? */
static void check_versions(Check *check)
{
    const Manifest *manifest = check->checker->manifest;
    const char *weft = json_member_string(check->record, "weft_version");
    const char *warp = json_member_string(check->record, "warp_version");
    if (strcmp(weft, manifest->weft_version) != 0)
        problem(check, "weft_version '%s' is not that of the manifest", weft);
    if (strcmp(warp, manifest->warp_version) != 0)
        problem(check, "warp_version '%s' is not that of the manifest", warp);
    bool excused = *json_member_string(check->record, "project") && *json_member_string(check->record, "not_run");
    if (!excused && strcmp(json_member_string(check->record, "forward_verdict"),
                           manifest->options.verify ? "pass" : "unchecked") != 0)
        problem(check,
                manifest->options.verify ? "it was not verified" : "it was verified, but other records were not");
}

/* Whoever validates a set looks at the same ones. */
static bool is_sampled(const Check *check)
{
    enum { STREAM_SAMPLE = 9 };
    Rng rng = rng_at(check->options->seed, check->verdict->candidate.index, STREAM_SAMPLE);
    return rng_unit(&rng) * 100 < check->checker->sample;
}

static void check_contents(Check *check)
{
    char wrong[FINDING_SIZE];
    ColumnList columns;
    columns_of(&check->checker->manifest->options, PART_WHOLE, columns);
    if (!columns_hold(columns, check->record, wrong, sizeof wrong)) {
        problem(check, "column %s", wrong);
        return;
    }
    check_versions(check);
    if (json_is_string(json_object_get(check->record, "project")) != check->options->harvested)
        problem(check, check->options->harvested ? "'project' is missing: it was harvested"
                                                 : "it has a 'project', but was not harvested");
    if (check->options->device & DEVICE_SET_CUDA) {
        check_cuda(check, "cuda_forward", "_cuda_kernel_forward");
        if (check->backward)
            check_cuda(check, "cuda_backward", "_cuda_kernel_backward");
    }
    check_block(check);
    Parts parts;
    if (read_parts(check, &parts)) {
        check_made_again(check, &parts, is_sampled(check));
        if (check->checker->invents && !check->options->stored)
            check_origin(check, &parts);
    }
    text_free(&parts.launch);
    text_free(&parts.plan);
}

bool record_checker_use(RecordChecker *checker, uint32_t source)
{
    const Manifest *manifest = checker->manifest;
    if (checker->maker && checker->source == source)
        return true;
    maker_free(checker->maker);
    checker->source = source;
    checker->options = manifest->source_count ? manifest->sources[source].options : manifest->options;
    checker->options.timing = false;
    memcpy(checker->options.splits, manifest->options.splits, sizeof checker->options.splits);
    checker->maker = maker_new(&checker->options);
    return checker->maker;
}

void record_checker_free(RecordChecker *checker)
{
    maker_free(checker->maker);
    text_free(&checker->scratch);
}

void check_record(RecordChecker *checker, const char *line, size_t len, RecordVerdict *verdict)
{
    *verdict = (RecordVerdict){.id = "?"};
    unsigned long long row; /* also where the rest of the head is wrong */
    if (sscanf(line, "{\"row\": %llu", &row) == 1)
        snprintf(verdict->id, sizeof verdict->id, "row %llu", row);
    read_record_head(line, len, &verdict->number, &verdict->split);
    Check check = {.checker = checker, .options = &checker->options, .line = line, .len = len, .verdict = verdict};
    check.record = json_read(line, len);
    check.backward = json_is_true(json_object_get(check.record, "has_backward"));
    if (!check.record)
        problem(&check, "it is not JSON");
    else if (!candidate_of_json(check.record, line, len, &verdict->candidate))
        problem(&check, "not a weft record: promised columns are missing");
    else if (!record_checker_use(checker, manifest_source_of(checker->manifest, verdict->number)))
        problem(&check, "out of memory");
    else {
        verdict->has_candidate = true;
        check_contents(&check);
    }
    json_decref(check.record);
}
