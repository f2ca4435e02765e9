/* One record: is it what its own text says, and what its seed and index give? */
#include "base/json.h"
#include "base/rng.h"
#include "corpus/validate.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* A record that is being checked. */
typedef struct Check {
    RecordChecker *checker;
    const CorpusOptions *options;
    const char *line;
    size_t len;
    json_t *record, *metadata, *verified;
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

/* ---- schema ---- */

typedef struct Field {
    const char *name;
    char type; /* s text, n number, b boolean, a array, o object, t number or null */
    char when; /* 0 always, c cuda, p cpu; C, P: their backward texts; 1, 2: their preludes, if any; m: with timing;
                  i: with io */
} Field;

static const Field record_fields[] = {
    {"id", 's', 0},
    {"kernel_name", 's', 0},
    {"category", 's', 0},
    {"python_source", 's', 0},
    {"cuda_prelude", 's', '1'},
    {"cuda_forward", 's', 'c'},
    {"cuda_backward", 's', 'C'},
    {"cpp_prelude", 's', '2'},
    {"cpp_forward", 's', 'p'},
    {"cpp_backward", 's', 'P'},
    {"metadata", 'o', 0},
};
static const Field metadata_fields[] = {
    {"device", 's', 0},        {"description", 's', 0},    {"seed", 'n', 0},
    {"index", 'n', 0},         {"arg_names", 'a', 0},      {"arg_types", 'o', 0},
    {"launch", 'o', 0},        {"instruction", 's', 0},    {"difficulty", 's', 0},
    {"algorithm", 's', 0},     {"plan", 'o', 0},           {"has_backward", 'b', 0},
    {"forward_lines", 'n', 0}, {"backward_lines", 'n', 0}, {"structure_hash", 's', 0},
    {"masked_hash", 's', 0},   {"warp_version", 's', 0},   {"weft_version", 's', 0},
    {"verified", 'o', 0},      {"io", 'o', 'i'},           {"generation_time_ms", 'n', 'm'},
};
static const Field verified_fields[] = {{"forward", 's', 0}, {"gradient", 's', 0}, {"gradient_error", 't', 0}};

static bool has_type(const json_t *value, char type)
{
    switch (type) {
    case 's': return json_is_string(value);
    case 'n': return json_is_number(value);
    case 'b': return json_is_boolean(value);
    case 'a': return json_is_array(value);
    case 'o': return json_is_object(value);
    default: return json_is_number(value) || json_is_null(value);
    }
}

/* 1: must be there, 0: must not, -1: may be. */
static int is_expected(char when, const CorpusOptions *options, bool backward)
{
    bool cuda = options->device & DEVICE_SET_CUDA, cpu = options->device & DEVICE_SET_CPU;
    switch (when) {
    case 'c': return cuda;
    case 'p': return cpu;
    case 'C': return cuda && backward;
    case 'P': return cpu && backward;
    case '1': return cuda ? -1 : 0;
    case '2': return cpu ? -1 : 0;
    case 'm': return options->timing;
    case 'i': return options->with_io;
    default: return 1;
    }
}

static void check_fields(Check *check, json_t *object, const Field *fields, size_t count)
{
    void *at = json_object_iter(object);
    for (size_t i = 0; i < count; i++) {
        int expected = is_expected(fields[i].when, check->options, check->backward);
        bool here = at && strcmp(json_object_iter_key(at), fields[i].name) == 0;
        if (!here && expected == 1) {
            problem(check, "field '%s' is missing or not in its place", fields[i].name);
            return;
        }
        if (!here)
            continue;
        if (expected == 0)
            problem(check, "field '%s' does not belong here", fields[i].name);
        if (!has_type(json_object_iter_value(at), fields[i].type))
            problem(check, "field '%s' has another type", fields[i].name);
        at = json_object_iter_next(object, at);
    }
    if (at)
        problem(check, "field '%s' is not known", json_object_iter_key(at));
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
    if (!strstr(text, "gridDim.x") || !strstr(text, "for ("))
        problem(check, "%s: no grid-stride loop", field);
    if (!is_balanced(text))
        problem(check, "%s: brackets are not balanced", field);
}

/* ---- the record made again ---- */

static bool same_items(const json_t *before, json_t *now, const char **name)
{
    const char *key;
    json_t *item;
    json_object_foreach(now, key, item)
    {
        json_t *old = json_object_get(before, key);
        *name = key;
        if (!old)
            return false;
        if (strcmp(key, "metadata") == 0 || strcmp(key, "verified") == 0) {
            if (!same_items(old, item, name))
                return false;
        } else if (!json_equal(old, item))
            return false;
    }
    return true;
}

static void name_difference(Check *check, const Text *again, size_t start)
{
    const char *name = NULL;
    bool same_version = check->checker->same_version;
    Text whole;
    text_init(&whole);
    text_char(&whole, '{');
    text_add(&whole, again->data + start, again->len - start);
    json_t *now = whole.failed ? NULL : json_read(whole.data, whole.len);
    text_free(&whole);
    bool same = same_items(check->record, now, &name);
    if (!same && !(!same_version && strcmp(name, "weft_version") == 0))
        problem(check, "'%s' does not match python_source", name);
    else if (same_version)
        problem(check, "the record is not written as weft writes it");
    json_decref(now);
}

/* What the record says about its sample. */
typedef struct Parts {
    SynthSample sample;
    const char *names[64], *types[64];
    Text launch, plan;
    KnownVerdict known;
    uint64_t index;
} Parts;

static bool read_arguments(Check *check, Parts *parts)
{
    json_t *types = json_object_get(check->metadata, "arg_types"), *name;
    void *type = json_object_iter(types);
    size_t index;
    json_array_foreach(json_object_get(check->metadata, "arg_names"), index, name)
    {
        const char *text = json_string_value(name);
        if (index == 64 || !type || !text || !json_is_string(json_object_iter_value(type)) ||
            strcmp(json_object_iter_key(type), text) != 0) {
            problem(check, "arg_names and arg_types are not of the same arguments");
            return false;
        }
        parts->names[index] = text;
        parts->types[index] = json_string_value(json_object_iter_value(type));
        type = json_object_iter_next(types, type);
        parts->sample.arg_count++;
    }
    if (type)
        problem(check, "arg_types has more than arg_names");
    return true;
}

static void read_scene(Check *check, Parts *parts)
{
    const json_t *plan = json_object_get(check->metadata, "plan");
    SynthSample *sample = &parts->sample;
    json_write(plan, &parts->plan);
    sample->plan = text_cstr(&parts->plan);
    sample->plan_len = parts->plan.len;
    sample->scene = json_member_string(plan, "scene");
    sample->instruction = json_member_string(check->metadata, "instruction");
    sample->difficulty = json_member_string(check->metadata, "difficulty");
    sample->algorithm = json_member_string(check->metadata, "algorithm");
}

static bool read_parts(Check *check, Parts *parts)
{
    SynthSample *sample = &parts->sample;
    int category = category_named(json_member_string(check->record, "category"));
    *parts = (Parts){.index = check->verdict->candidate.index};
    if (category == CATEGORY_COUNT) {
        problem(check, "category '%s' is not known", json_member_string(check->record, "category"));
        return false;
    }
    json_write(json_object_get(check->metadata, "launch"), &parts->launch);
    *sample = (SynthSample){.category = (CategoryId)category,
                            .kernel_name = json_member_string(check->record, "kernel_name"),
                            .description = json_member_string(check->metadata, "description"),
                            .source = json_member_string(check->record, "python_source"),
                            .launch = text_cstr(&parts->launch),
                            .launch_len = parts->launch.len,
                            .arg_names = parts->names,
                            .arg_types = parts->types};
    sample->source_len = strlen(sample->source);
    if (!read_arguments(check, parts))
        return false;
    read_scene(check, parts);
    const json_t *error = json_object_get(check->verified, "gradient_error");
    const char *gradient = json_member_string(check->verified, "gradient");
    parts->known =
        (KnownVerdict){.forward_pass = strcmp(json_member_string(check->verified, "forward"), "pass") == 0,
                       .gradient_error = json_is_number(error) ? json_number_value(error) : (double)INFINITY};
    for (int verdict = GRADIENT_NONE; verdict <= GRADIENT_MISMATCH; verdict++)
        if (strcmp(gradient, gradient_verdict_name((GradientVerdict)verdict)) == 0)
            parts->known.gradient = (GradientVerdict)verdict;
    return true;
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
        {"launch", same_text(origin.launch, sample->launch)},
        {"instruction", same_text(origin.instruction, sample->instruction)},
        {"difficulty", same_text(origin.difficulty, sample->difficulty)},
        {"algorithm", same_text(origin.algorithm, sample->algorithm)},
        {"plan", origin.plan_len == sample->plan_len && memcmp(origin.plan, sample->plan, origin.plan_len) == 0},
        {"arg_names", origin.arg_count == sample->arg_count},
    };
    const char *differs = NULL;
    for (size_t i = 0; !differs && i < sizeof comparisons / sizeof *comparisons; i++)
        if (!comparisons[i].same)
            differs = comparisons[i].field;
    for (uint32_t i = 0; !differs && i < origin.arg_count; i++)
        if (!same_text(origin.arg_names[i], sample->arg_names[i]))
            differs = "arg_names";
        else if (!same_text(origin.arg_types[i], sample->arg_types[i]))
            differs = "arg_types";
    if (differs)
        problem(check, "'%s' differs from sample %llu of the seed", differs, (unsigned long long)parts->index);
}

/* How many bytes at the end of the line --timing has added; 0: it is not written as weft writes it. */
static size_t timing_length(const Check *check)
{
    char tail[80];
    double value = json_number_value(json_object_get(check->metadata, "generation_time_ms"));
    int len = snprintf(tail, sizeof tail, ", \"generation_time_ms\": %.3f}}", value);
    bool fits = len > 0 && (size_t)len < sizeof tail && (size_t)len < check->len;
    return fits && memcmp(check->line + check->len - len, tail, (size_t)len) == 0 ? (size_t)len : 0;
}

static void check_made_again(Check *check, const Parts *parts, bool sampled)
{
    Candidate again;
    Text *text = &check->checker->scratch;
    const Candidate *candidate = &check->verdict->candidate;
    bool recheck = sampled && check->options->verify;
    text->len = 0;
    if (!candidate_of_sample(check->checker->maker, &parts->sample, parts->index, recheck ? NULL : &parts->known,
                             &again, text)) {
        problem(check, "out of memory");
        return;
    }
    check->verdict->verdict_checked = recheck;
    if (again.reason) {
        problem(check, "python_source no longer passes: %s", reason_name(again.reason));
        return;
    }
    size_t timing = check->options->timing ? timing_length(check) : 0, compared = candidate->len;
    if (check->options->timing) {
        if (!timing) {
            problem(check, "'generation_time_ms' is not as weft writes it");
            return;
        }
        compared -= timing;
    }
    if (again.len != compared + (timing ? strlen("}}") : 0) ||
        memcmp(text->data + again.start, check->line + candidate->start, compared) != 0)
        name_difference(check, text, again.start);
}

/* Does the record say the same about itself as the manifest says about all? */
static void check_versions(Check *check)
{
    const Manifest *manifest = check->checker->manifest;
    const char *weft = json_member_string(check->metadata, "weft_version");
    const char *warp = json_member_string(check->metadata, "warp_version");
    if (strcmp(weft, manifest->weft_version) != 0)
        problem(check, "weft_version '%s' is not that of the manifest", weft);
    if (strcmp(warp, manifest->warp_version) != 0)
        problem(check, "warp_version '%s' is not that of the manifest", warp);
    if (strcmp(json_member_string(check->verified, "forward"), manifest->options.verify ? "pass" : "none") != 0)
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
    RecordVerdict *verdict = check->verdict;
    check_fields(check, check->record, record_fields, sizeof record_fields / sizeof *record_fields);
    check_fields(check, check->metadata, metadata_fields, sizeof metadata_fields / sizeof *metadata_fields);
    check_fields(check, check->verified, verified_fields, sizeof verified_fields / sizeof *verified_fields);
    if (verdict->problem_count)
        return;
    snprintf(verdict->id, sizeof verdict->id, "%s", json_member_string(check->record, "id"));
    if (!read_record_id(check->options, check->line, check->len, &verdict->number) ||
        verdict->candidate.start != strlen(verdict->id) + 11)
        problem(check, "id '%s' is not one of this data set", verdict->id);
    check_versions(check);
    if (check->options->device & DEVICE_SET_CUDA) {
        check_cuda(check, "cuda_forward", "_cuda_kernel_forward");
        if (check->backward)
            check_cuda(check, "cuda_backward", "_cuda_kernel_backward");
    }
    Parts parts;
    if (read_parts(check, &parts)) {
        check_made_again(check, &parts, is_sampled(check));
        if (check->checker->same_version)
            check_origin(check, &parts);
    }
    text_free(&parts.launch);
    text_free(&parts.plan);
}

void check_record(RecordChecker *checker, const char *line, size_t len, RecordVerdict *verdict)
{
    const CorpusOptions *options = &checker->manifest->options;
    *verdict = (RecordVerdict){.id = "?"};
    if (read_record_id(options, line, len, &verdict->number))
        snprintf(verdict->id, sizeof verdict->id, "%s_%07llu", record_prefix(options),
                 (unsigned long long)verdict->number);
    Check check = {.checker = checker, .options = options, .line = line, .len = len, .verdict = verdict};
    check.record = json_read(line, len);
    check.metadata = json_object_get(check.record, "metadata");
    check.verified = json_object_get(check.metadata, "verified");
    check.backward = json_is_true(json_object_get(check.metadata, "has_backward"));
    if (!check.record)
        problem(&check, "it is not JSON");
    else if (!candidate_of_json(check.record, line, len, &verdict->candidate))
        problem(&check, "not a weft record: promised fields are missing");
    else {
        verdict->has_candidate = true;
        check_contents(&check);
    }
    json_decref(check.record);
}
