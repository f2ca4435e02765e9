#include "corpus/validate.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static void problem(Examined *examined, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (!examined->problem_count++)
        vsnprintf(examined->first_problem, sizeof examined->first_problem, format, args);
    va_end(args);
}

/* ---- schema ---- */

typedef struct Field {
    const char *name;
    char type; /* s text, n number, b boolean, a array, o object, t number or null */
    char when; /* 0 always, c cuda, p cpu; C, P: their backward texts; 1, 2: their preludes, if any; m: with timing;
                  i: with io; s: of kernels that come from a scene */
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
    {"launch", 'o', 0},        {"instruction", 's', 's'},  {"difficulty", 's', 's'},
    {"algorithm", 's', 's'},   {"plan", 'o', 's'},         {"has_backward", 'b', 0},
    {"forward_lines", 'n', 0}, {"backward_lines", 'n', 0}, {"structure_hash", 's', 0},
    {"masked_hash", 's', 0},   {"warp_version", 's', 0},   {"weft_version", 's', 0},
    {"verified", 'o', 0},      {"io", 'o', 'i'},           {"generation_time_ms", 'n', 'm'},
};
static const Field verified_fields[] = {{"forward", 's', 0}, {"gradient", 's', 0}, {"gradient_error", 't', 0}};

static bool has_type(const cJSON *value, char type)
{
    switch (type) {
    case 's': return cJSON_IsString(value);
    case 'n': return cJSON_IsNumber(value);
    case 'b': return cJSON_IsBool(value);
    case 'a': return cJSON_IsArray(value);
    case 'o': return cJSON_IsObject(value);
    default: return cJSON_IsNumber(value) || cJSON_IsNull(value);
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
    case 's': return -1;
    case '1': return cuda ? -1 : 0;
    case '2': return cpu ? -1 : 0;
    case 'm': return options->timing;
    case 'i': return options->with_io;
    default: return 1;
    }
}

static void check_fields(Examined *examined, const cJSON *object, const Field *fields, size_t count,
                         const CorpusOptions *options, bool backward)
{
    const cJSON *at = object ? object->child : NULL;
    for (size_t i = 0; i < count; i++) {
        int expected = is_expected(fields[i].when, options, backward);
        bool here = at && strcmp(at->string, fields[i].name) == 0;
        if (!here && expected == 1) {
            problem(examined, "field '%s' is missing or not in its place", fields[i].name);
            return;
        }
        if (!here)
            continue;
        if (expected == 0)
            problem(examined, "field '%s' does not belong here", fields[i].name);
        if (!has_type(at, fields[i].type))
            problem(examined, "field '%s' has another type", fields[i].name);
        at = at->next;
    }
    if (at)
        problem(examined, "field '%s' is not known", at->string);
}

static const char *string_of(const cJSON *object, const char *name)
{
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(object, name);
    return cJSON_IsString(value) ? value->valuestring : "";
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

static void check_cuda(Examined *examined, const char *text, const char *name, const char *suffix, const char *field)
{
    char signature[400];
    if (!strstr(text, "extern \"C\" __global__ void "))
        problem(examined, "%s: no kernel signature", field);
    snprintf(signature, sizeof signature, "%s_", name);
    if (!strstr(text, signature) || !strstr(text, suffix))
        problem(examined, "%s: it is not the text of %s", field, name);
    if (!strstr(text, "blockDim.x") || !strstr(text, "threadIdx.x"))
        problem(examined, "%s: no thread index", field);
    if (!strstr(text, "gridDim.x") || !strstr(text, "for ("))
        problem(examined, "%s: no grid-stride loop", field);
    if (!is_balanced(text))
        problem(examined, "%s: brackets are not balanced", field);
}

/* ---- the record made again ---- */

static bool same_items(const cJSON *before, const cJSON *now, const char **name)
{
    for (const cJSON *item = now ? now->child : NULL; item; item = item->next) {
        const cJSON *old = cJSON_GetObjectItemCaseSensitive(before, item->string);
        *name = item->string;
        if (!old)
            return false;
        if (strcmp(item->string, "metadata") == 0 || strcmp(item->string, "verified") == 0) {
            if (!same_items(old, item, name))
                return false;
        } else if (!cJSON_Compare(old, item, true))
            return false;
    }
    return true;
}

static void name_difference(Examined *examined, const cJSON *record, Text *again, size_t start, bool same_version)
{
    const char *name = NULL;
    Text whole;
    text_init(&whole);
    text_char(&whole, '{');
    text_add(&whole, again->data + start, again->len - start);
    cJSON *now = whole.failed ? NULL : cJSON_ParseWithLength(whole.data, whole.len);
    text_free(&whole);
    bool same = same_items(record, now, &name);
    if (!same && !(!same_version && strcmp(name, "weft_version") == 0))
        problem(examined, "'%s' is not what python_source gives", name);
    else if (same_version)
        problem(examined, "the record is not written as weft writes it");
    cJSON_Delete(now);
}

typedef struct Parts {
    SynthSample sample;
    const char *names[64], *types[64];
    KnownVerdict known;
    uint64_t index;
} Parts;

/* What records of scenes say behind the launch, whose length ends before it; `end` is where the rest of the record
   begins. Keys have quotes of their own and so cannot stand inside a JSON text. */
static bool read_scene(const cJSON *metadata, const char *end, SynthSample *sample)
{
    static const char first[] = ", \"instruction\": ", last[] = ", \"plan\": ";
    const char *stop = memmem(sample->launch, sample->launch_len, first, sizeof first - 1);
    const char *plan = memmem(sample->launch, sample->launch_len, last, sizeof last - 1);
    if (!stop && !plan)
        return true;
    if (!stop || !plan || plan < stop)
        return false;
    sample->launch_len = (size_t)(stop - sample->launch);
    sample->plan = plan + sizeof last - 1;
    sample->plan_len = (size_t)(end - sample->plan);
    sample->scene = string_of(cJSON_GetObjectItemCaseSensitive(metadata, "plan"), "scene");
    sample->instruction = string_of(metadata, "instruction");
    sample->difficulty = string_of(metadata, "difficulty");
    sample->algorithm = string_of(metadata, "algorithm");
    return true;
}

/* What the record says about its sample; the launch as it stands in the line. */
static bool read_parts(Examined *examined, const cJSON *record, const char *line, size_t len, Parts *parts)
{
    const cJSON *metadata = cJSON_GetObjectItemCaseSensitive(record, "metadata");
    const cJSON *verified = cJSON_GetObjectItemCaseSensitive(metadata, "verified");
    SynthSample *sample = &parts->sample;
    int category = category_named(string_of(record, "category"));
    if (category == CATEGORY_COUNT) {
        problem(examined, "category '%s' is not known", string_of(record, "category"));
        return false;
    }
    static const char before[] = "}, \"launch\": {";
    const char *launch = memmem(line, len, before, sizeof before - 1);
    const char *end = record_tail(line, len);
    if (!launch || !end || end < launch + sizeof before - 2) {
        problem(examined, "'launch' is not in its place");
        return false;
    }
    launch += sizeof before - 2; /* at its bracket */
    const cJSON *name, *type = cJSON_GetObjectItemCaseSensitive(metadata, "arg_types")->child;
    uint32_t count = 0;
    cJSON_ArrayForEach(name, cJSON_GetObjectItemCaseSensitive(metadata, "arg_names"))
    {
        if (count == 64 || !type || !cJSON_IsString(name) || !cJSON_IsString(type) ||
            strcmp(type->string, name->valuestring) != 0) {
            problem(examined, "arg_names and arg_types are not of the same arguments");
            return false;
        }
        parts->names[count] = name->valuestring;
        parts->types[count++] = type->valuestring;
        type = type->next;
    }
    if (type)
        problem(examined, "arg_types has more than arg_names");
    *sample = (SynthSample){.category = (CategoryId)category,
                            .kernel_name = string_of(record, "kernel_name"),
                            .description = string_of(metadata, "description"),
                            .source = string_of(record, "python_source"),
                            .launch = launch,
                            .launch_len = (size_t)(end - launch),
                            .arg_count = count,
                            .arg_names = parts->names,
                            .arg_types = parts->types};
    sample->source_len = strlen(sample->source);
    if (!read_scene(metadata, end, sample)) {
        problem(examined, "'plan' is not in its place");
        return false;
    }
    const cJSON *error = cJSON_GetObjectItemCaseSensitive(verified, "gradient_error");
    const char *gradient = string_of(verified, "gradient"), *forward = string_of(verified, "forward");
    parts->known = (KnownVerdict){.forward_pass = strcmp(forward, "pass") == 0,
                                  .gradient_error = cJSON_IsNumber(error) ? error->valuedouble : (double)INFINITY};
    for (int verdict = GRADIENT_NONE; verdict <= GRADIENT_MISMATCH; verdict++)
        if (strcmp(gradient, gradient_verdict_name((GradientVerdict)verdict)) == 0)
            parts->known.gradient = (GradientVerdict)verdict;
    parts->index = examined->candidate.index;
    return true;
}

static void check_origin(Examined *examined, Maker *maker, const Parts *parts)
{
    SynthSample origin;
    const SynthSample *sample = &parts->sample;
    const char *differs = NULL;
    if (!maker_sample(maker, parts->index, &origin)) {
        problem(examined, "out of memory");
        return;
    }
    if (origin.category != sample->category)
        differs = "category";
    else if (strcmp(origin.kernel_name, sample->kernel_name) != 0)
        differs = "kernel_name";
    else if (strcmp(origin.description, sample->description) != 0)
        differs = "description";
    else if (origin.source_len != sample->source_len || memcmp(origin.source, sample->source, sample->source_len) != 0)
        differs = "python_source";
    else if (origin.launch_len != sample->launch_len || memcmp(origin.launch, sample->launch, sample->launch_len) != 0)
        differs = "launch";
    else if (!origin.scene != !sample->scene)
        differs = "plan";
    else if (origin.scene && strcmp(origin.instruction, sample->instruction) != 0)
        differs = "instruction";
    else if (origin.scene && strcmp(origin.difficulty, sample->difficulty) != 0)
        differs = "difficulty";
    else if (origin.scene && strcmp(origin.algorithm, sample->algorithm) != 0)
        differs = "algorithm";
    else if (origin.scene &&
             (origin.plan_len != sample->plan_len || memcmp(origin.plan, sample->plan, origin.plan_len) != 0))
        differs = "plan";
    else if (origin.arg_count != sample->arg_count)
        differs = "arg_names";
    for (uint32_t i = 0; !differs && i < origin.arg_count; i++)
        if (strcmp(origin.arg_names[i], sample->arg_names[i]) != 0)
            differs = "arg_names";
        else if (strcmp(origin.arg_types[i], sample->arg_types[i]) != 0)
            differs = "arg_types";
    if (differs)
        problem(examined, "'%s' is not what sample %llu of the seed has", differs, (unsigned long long)parts->index);
}

/* ", \"generation_time_ms\": 0.123}}": what --timing adds. */
static bool is_timing(const char *at, const char *end)
{
    static const char key[] = ", \"generation_time_ms\": ";
    double value;
    int used = 0;
    char again[80];
    if (!at || sscanf(at + sizeof key - 1, "%lf%n", &value, &used) != 1)
        return false;
    int len = snprintf(again, sizeof again, "%s%.3f}}", key, value);
    return len == end - at && memcmp(at, again, (size_t)len) == 0;
}

static void check_made_again(Examined *examined, Maker *maker, const CorpusOptions *options, const cJSON *record,
                             const char *line, size_t len, const Parts *parts, bool sampled, bool same_version,
                             Text *scratch)
{
    Candidate again;
    bool recheck = sampled && options->verify;
    scratch->len = 0;
    if (!candidate_of_sample(maker, &parts->sample, parts->index, recheck ? NULL : &parts->known, &again, scratch)) {
        problem(examined, "out of memory");
        return;
    }
    examined->verdict_checked = recheck;
    if (again.reason) {
        problem(examined, "python_source does not pass any more: %s", reason_name(again.reason));
        return;
    }
    size_t rest = len - examined->candidate.start, compared = rest;
    if (options->timing) {
        static const char timing[] = ", \"generation_time_ms\": ";
        const char *at = memmem(line, len, timing, sizeof timing - 1);
        if (!is_timing(at, line + len)) {
            problem(examined, "'generation_time_ms' is not as weft writes it");
            return;
        }
        compared = (size_t)(at - line) - examined->candidate.start;
    }
    bool length_fits = options->timing ? again.len == compared + 2 : again.len == rest;
    if (!length_fits || memcmp(scratch->data + again.start, line + examined->candidate.start, compared) != 0)
        name_difference(examined, record, scratch, again.start, same_version);
}

/* Does the record say the same about itself as the manifest says about all? */
static void check_versions(Examined *examined, const Manifest *manifest, const cJSON *metadata, const cJSON *verified)
{
    if (strcmp(string_of(metadata, "weft_version"), manifest->weft_version) != 0)
        problem(examined, "weft_version '%s' is not that of the manifest", string_of(metadata, "weft_version"));
    if (strcmp(string_of(metadata, "warp_version"), manifest->warp_version) != 0)
        problem(examined, "warp_version '%s' is not that of the manifest", string_of(metadata, "warp_version"));
    if (strcmp(string_of(verified, "forward"), manifest->options.verify ? "pass" : "none") != 0)
        problem(examined, manifest->options.verify ? "it was not verified" : "it was verified, but others were not");
}

static void check_contents(Examined *examined, Maker *maker, const Manifest *manifest, const cJSON *record,
                           const char *line, size_t len, bool sampled, bool same_version, Text *scratch)
{
    const CorpusOptions *options = &manifest->options;
    const cJSON *metadata = cJSON_GetObjectItemCaseSensitive(record, "metadata");
    const cJSON *verified = cJSON_GetObjectItemCaseSensitive(metadata, "verified");
    bool backward = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(metadata, "has_backward"));
    check_fields(examined, record, record_fields, sizeof record_fields / sizeof *record_fields, options, backward);
    check_fields(examined, metadata, metadata_fields, sizeof metadata_fields / sizeof *metadata_fields, options,
                 backward);
    check_fields(examined, verified, verified_fields, sizeof verified_fields / sizeof *verified_fields, options,
                 backward);
    if (examined->problem_count)
        return;
    snprintf(examined->id, sizeof examined->id, "%s", string_of(record, "id"));
    if (!read_record_id(options, line, len, &examined->number) ||
        examined->candidate.start != strlen(examined->id) + 11)
        problem(examined, "id '%s' is not one of this data set", examined->id);
    check_versions(examined, manifest, metadata, verified);
    if (options->device & DEVICE_SET_CUDA) {
        check_cuda(examined, string_of(record, "cuda_forward"), string_of(record, "kernel_name"),
                   "_cuda_kernel_forward", "cuda_forward");
        if (backward)
            check_cuda(examined, string_of(record, "cuda_backward"), string_of(record, "kernel_name"),
                       "_cuda_kernel_backward", "cuda_backward");
    }
    Parts parts;
    if (!read_parts(examined, record, line, len, &parts))
        return;
    check_made_again(examined, maker, options, record, line, len, &parts, sampled, same_version, scratch);
    if (same_version)
        check_origin(examined, maker, &parts);
}

void examine_record(Maker *maker, const Manifest *manifest, char *line, size_t len, bool sampled, bool same_version,
                    Text *scratch, Examined *examined)
{
    *examined = (Examined){.id = "?"};
    if (read_record_id(&manifest->options, line, len, &examined->number))
        snprintf(examined->id, sizeof examined->id, "%s_%07llu", record_prefix(&manifest->options),
                 (unsigned long long)examined->number);
    const char *end = NULL;
    cJSON *record = strlen(line) == len ? cJSON_ParseWithOpts(line, &end, true) : NULL;
    if (!record)
        problem(examined, "it is not JSON");
    else if (!scan_record(line, len, &examined->candidate))
        problem(examined, "it is not a record of weft: promised fields are missing");
    else {
        examined->has_candidate = true;
        check_contents(examined, maker, manifest, record, line, len, sampled, same_version, scratch);
    }
    cJSON_Delete(record);
}
