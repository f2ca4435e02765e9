/* Records: the columns of columns.def, in their order. */
#include "base/choice.h"
#include "base/json.h"
#include "corpus/candidate.h"
#include "corpus/columns.h"
#include "corpus/line_map.h"
#include "corpus/shard.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <xxhash.h>

const char *record_prefix(const CorpusOptions *options)
{
    return options->device & DEVICE_SET_CUDA ? "cuda" : "cpu";
}

#define ROW_HEAD "{\"row\": "
#define SPLIT_HEAD ", \"split\": \""

void write_record_head(uint64_t row, Split split, Text *out)
{
    text_lit(out, ROW_HEAD);
    text_uint(out, row);
    text_lit(out, SPLIT_HEAD);
    text_str(out, split_name(split));
    text_lit(out, "\", ");
}

size_t read_record_head(const char *line, size_t len, uint64_t *row, Split *split)
{
    char again[100];
    size_t digits = strlen(ROW_HEAD);
    if (len < digits + 3 || memcmp(line, ROW_HEAD, digits) != 0 || !isdigit((unsigned char)line[digits]))
        return 0;
    *row = strtoull(line + digits, NULL, 10);
    for (int i = 0; i < SPLIT_COUNT; i++) {
        size_t whole = (size_t)snprintf(again, sizeof again, ROW_HEAD "%llu" SPLIT_HEAD "%s\", ",
                                        (unsigned long long)*row, split_name((Split)i));
        if (len < whole || memcmp(line, again, whole) != 0)
            continue;
        if (split)
            *split = (Split)i;
        return whole;
    }
    return 0;
}

/* ---- columns ---- */

typedef struct RecordWriter {
    const RecordParts *parts;
    Candidate *candidate;
    Text *out;
} RecordWriter;

static void put_string(RecordWriter *w, const char *text)
{
    text_json_string(w->out, text, strlen(text));
}

static void put_null(RecordWriter *w)
{
    text_lit(w->out, "null");
}

/* Versions, options and text: what makes this record another one than any other of the same seed and index. */
static void write_id(RecordWriter *w)
{
    const CorpusOptions *options = w->parts->options;
    const SynthSample *sample = w->parts->sample;
    char facts[200];
    int len = snprintf(facts, sizeof facts, "%d %s %s %u %d %d %d %d %u %s", RECORD_FORMAT, weft_version(),
                       options->warp, options->device, options->backward, options->readable, options->verify,
                       (int)options->gradients, options->launches, options->hidden);
    uint64_t hash = XXH3_64bits_withSeed(sample->source, sample->source_len, XXH3_64bits(facts, (size_t)len));
    text_format(w->out, "\"%llu-%llu-%016llx\"", (unsigned long long)options->seed, (unsigned long long)w->parts->index,
                (unsigned long long)hash);
}

static void write_format_version(RecordWriter *w)
{
    text_uint(w->out, RECORD_FORMAT);
}

static void write_kernel_name(RecordWriter *w)
{
    put_string(w, w->parts->sample->kernel_name);
}

static void write_mangled_name(RecordWriter *w)
{
    put_string(w, w->parts->compiled->module->name);
}

static void write_category(RecordWriter *w)
{
    put_string(w, category_name(w->parts->sample->category));
}

static void put_string_or_null(RecordWriter *w, const char *text)
{
    if (text)
        put_string(w, text);
    else
        put_null(w);
}

static void write_difficulty(RecordWriter *w)
{
    put_string_or_null(w, w->parts->sample->difficulty);
}

static void write_algorithm(RecordWriter *w)
{
    put_string_or_null(w, w->parts->sample->algorithm);
}

static void write_description(RecordWriter *w)
{
    put_string(w, w->parts->sample->description);
}

static void write_instruction(RecordWriter *w)
{
    put_string(w, w->parts->sample->instruction);
}

static void write_python_source(RecordWriter *w)
{
    static const char import[] = "\"import warp as wp\\n\\n\\n";
    text_add(w->out, import, strlen(import) - 1);
    size_t last = w->out->len; /* of the import, where a string would have its quote */
    text_json_string(w->out, w->parts->sample->source, w->parts->sample->source_len);
    if (!w->out->failed)
        w->out->data[last] = 'n';
}

static bool has_device(const RecordWriter *w, Device device)
{
    return w->parts->options->device & (device == DEVICE_CUDA ? DEVICE_SET_CUDA : DEVICE_SET_CPU);
}

/* Lines are counted, and mapped, in the texts of this one. */
static Device first_device(const RecordWriter *w)
{
    return has_device(w, DEVICE_CUDA) ? DEVICE_CUDA : DEVICE_CPU;
}

/* Returns how many lines the text has. */
static uint32_t put_text(RecordWriter *w, const Text *text)
{
    size_t lines = text_json_string(w->out, text->data, text->len);
    bool open_end = text->len && text->data[text->len - 1] != '\n';
    return (uint32_t)lines + open_end;
}

static void put_includes(RecordWriter *w, Device device)
{
    if (!has_device(w, device)) {
        put_null(w);
        return;
    }
    Text preamble = text_in(w->parts->compiled->unit->arena);
    emit_preamble(w->parts->compiled->unit->dialect, device, synth_block(w->parts->sample), &preamble);
    put_text(w, &preamble);
}

static void put_helpers(RecordWriter *w, Device device)
{
    if (has_device(w, device))
        put_text(w, &w->parts->compiled->texts[device].prelude);
    else
        put_null(w);
}

static void put_forward(RecordWriter *w, Device device)
{
    if (!has_device(w, device)) {
        put_null(w);
        return;
    }
    uint32_t lines = put_text(w, &w->parts->compiled->texts[device].forward);
    if (device == first_device(w))
        w->candidate->forward_lines = lines;
}

static void put_backward(RecordWriter *w, Device device)
{
    if (!has_device(w, device) || !w->candidate->has_backward) {
        put_null(w);
        return;
    }
    uint32_t lines = put_text(w, &w->parts->compiled->texts[device].backward);
    if (device == first_device(w))
        w->candidate->backward_lines = lines;
}

static void write_cuda_includes(RecordWriter *w)
{
    put_includes(w, DEVICE_CUDA);
}

static void write_cuda_helpers(RecordWriter *w)
{
    put_helpers(w, DEVICE_CUDA);
}

static void write_cuda_forward(RecordWriter *w)
{
    put_forward(w, DEVICE_CUDA);
}

static void write_cuda_backward(RecordWriter *w)
{
    put_backward(w, DEVICE_CUDA);
}

static void write_python_tokens(RecordWriter *w)
{
    text_uint(w->out, w->candidate->texts[0].tokens);
}

static void write_cuda_forward_tokens(RecordWriter *w)
{
    text_uint(w->out, w->candidate->texts[1].tokens);
}

static void write_cuda_backward_tokens(RecordWriter *w)
{
    text_uint(w->out, w->candidate->texts[2].tokens);
}

static void write_cuda_readable_tokens(RecordWriter *w)
{
    text_uint(w->out, w->candidate->texts[3].tokens);
}

static void write_cpp_forward_tokens(RecordWriter *w)
{
    text_uint(w->out, w->candidate->texts[4].tokens);
}

static void write_cpp_backward_tokens(RecordWriter *w)
{
    text_uint(w->out, w->candidate->texts[5].tokens);
}

static void write_cuda_readable(RecordWriter *w)
{
    put_string_or_null(w, w->parts->readable->text);
}

static void write_cpp_includes(RecordWriter *w)
{
    put_includes(w, DEVICE_CPU);
}

static void write_cpp_helpers(RecordWriter *w)
{
    put_helpers(w, DEVICE_CPU);
}

static void write_cpp_forward(RecordWriter *w)
{
    put_forward(w, DEVICE_CPU);
}

static void write_cpp_backward(RecordWriter *w)
{
    put_backward(w, DEVICE_CPU);
}

static void write_line_map(RecordWriter *w)
{
    Device device = first_device(w);
    const Compiled *compiled = w->parts->compiled;
    line_map_write(compiled, device, w->candidate->has_backward, w->out);
}

static void write_launch_dim(RecordWriter *w)
{
    synth_add_dim(w->parts->sample, w->out);
}

static void write_block_dim(RecordWriter *w)
{
    synth_add_block(w->parts->sample, w->out);
}

static void write_arguments(RecordWriter *w)
{
    synth_add_arguments(w->parts->sample, w->out);
}

static void write_launches(RecordWriter *w)
{
    if (w->parts->launches->len)
        text_add(w->out, w->parts->launches->data, w->parts->launches->len);
    else
        put_null(w);
}

static void write_device(RecordWriter *w)
{
    text_char(w->out, '"');
    text_choice(w->out, DEVICE_WORDS, w->parts->options->device - 1);
    text_char(w->out, '"');
}

static void write_seed(RecordWriter *w)
{
    text_uint(w->out, w->parts->options->seed);
}

static void write_index(RecordWriter *w)
{
    text_uint(w->out, w->parts->index);
}

static void write_has_backward(RecordWriter *w)
{
    text_str(w->out, w->candidate->has_backward ? "true" : "false");
}

static void write_forward_lines(RecordWriter *w)
{
    text_uint(w->out, w->candidate->forward_lines);
}

static void write_backward_lines(RecordWriter *w)
{
    text_uint(w->out, w->candidate->backward_lines);
}

static void write_structure_hash(RecordWriter *w)
{
    put_string(w, w->parts->shape->structure_hex);
}

static void write_masked_structure_hash(RecordWriter *w)
{
    put_string(w, w->parts->shape->masked_hex);
}

static bool was_run(const RecordWriter *w)
{
    return w->parts->verdict && w->parts->verdict->forward_pass;
}

static void write_forward_verdict(RecordWriter *w)
{
    put_string(w, was_run(w) ? "pass" : "unchecked");
}

/* Whoever trains on a record need not look at its other verdicts. */
static void write_verified(RecordWriter *w)
{
    bool wrong = w->candidate->has_backward && w->parts->verdict && w->parts->verdict->gradient == GRADIENT_MISMATCH;
    text_str(w->out, was_run(w) && !wrong ? "true" : "false");
}

const char *gradient_column_word(bool was_run, GradientVerdict verdict)
{
    return !was_run ? "unchecked" : verdict == GRADIENT_NONE ? "no_gradient" : gradient_verdict_name(verdict);
}

static void put_gradient_verdict(RecordWriter *w, GradientVerdict verdict)
{
    put_string(w, gradient_column_word(was_run(w), verdict));
}

static void write_gradient_verdict(RecordWriter *w)
{
    put_gradient_verdict(w, w->parts->verdict ? w->parts->verdict->gradient : GRADIENT_NONE);
}

static void write_gradient_error(RecordWriter *w)
{
    const KnownVerdict *verdict = w->parts->verdict;
    if (!verdict || verdict->gradient == GRADIENT_NONE || !isfinite(verdict->gradient_error))
        put_null(w);
    else
        text_rounded_float(w->out, verdict->gradient_error, 3);
}

static void write_output_gradient_verdict(RecordWriter *w)
{
    put_gradient_verdict(w, w->parts->verdict ? w->parts->verdict->prior : GRADIENT_NONE);
}

static void write_readable_verdict(RecordWriter *w)
{
    put_string(w, readable_verdict_name(w->candidate->readable));
}

static void write_readable_backward(RecordWriter *w)
{
    text_str(w->out, w->candidate->readable_backward ? "true" : "false");
}

static void write_readable_reason(RecordWriter *w)
{
    put_string_or_null(w, w->parts->readable->reason);
}

static void write_plan(RecordWriter *w)
{
    text_add(w->out, w->parts->sample->plan, w->parts->sample->plan_len);
}

static void write_warp_version(RecordWriter *w)
{
    put_string(w, w->parts->options->warp);
}

static void write_weft_version(RecordWriter *w)
{
    put_string(w, weft_version());
}

static void write_license(RecordWriter *w)
{
    put_string(w, w->parts->origin ? w->parts->origin->license : RECORD_LICENSE);
}

static void write_project(RecordWriter *w)
{
    put_string_or_null(w, w->parts->origin ? w->parts->origin->project : NULL);
}

static void write_file(RecordWriter *w)
{
    put_string_or_null(w, w->parts->origin ? w->parts->origin->file : NULL);
}

static void write_line(RecordWriter *w)
{
    if (w->parts->origin)
        text_uint(w->out, w->parts->origin->line);
    else
        put_null(w);
}

static void write_revision(RecordWriter *w)
{
    put_string_or_null(w, w->parts->origin ? w->parts->origin->revision : NULL);
}

static void write_not_run(RecordWriter *w)
{
    put_string_or_null(w, w->parts->not_run ? reason_name(w->parts->not_run) : NULL);
}

static void write_generation_time_ms(RecordWriter *w)
{
    text_python_float(w->out, round(w->parts->milliseconds * 1000) / 1000);
}

/* ---- the whole ---- */

bool keeps_backward(const CorpusOptions *options, const Compiled *compiled, const KnownVerdict *verdict)
{
    bool mismatch = verdict && verdict->gradient == GRADIENT_MISMATCH;
    return compiled->has_backward && !(mismatch && options->gradients == GRADIENTS_PROVEN);
}

static void write_row(RecordWriter *w) /* the head has it */
{
    (void)w;
}

static void write_split(RecordWriter *w) /* likewise */
{
    (void)w;
}

/* False: some text must be looked at as it was written. */
static bool measure_parts(const RecordWriter *w, TextSize sizes[MEASURED_COLUMNS])
{
    const SynthSample *sample = w->parts->sample;
    const char *readable = w->parts->readable->text;
    bool fine = measure_text(sample->source, sample->source_len, &sizes[0]);
    sizes[0].bytes += strlen(SOURCE_IMPORT);
    sizes[0].tokens += SOURCE_IMPORT_TOKENS;
    for (int device = 0; device < 2; device++) {
        const EmitText *text = &w->parts->compiled->texts[device ? DEVICE_CPU : DEVICE_CUDA];
        bool forward = has_device(w, device ? DEVICE_CPU : DEVICE_CUDA),
             backward = forward && w->candidate->has_backward;
        TextSize *to = &sizes[device ? 4 : 1];
        fine &= measure_text(text->forward.data, forward ? text->forward.len : 0, &to[0]) &&
                measure_text(text->backward.data, backward ? text->backward.len : 0, &to[1]);
    }
    return measure_text(readable, readable ? strlen(readable) : 0, &sizes[3]) && fine;
}

void write_record(const RecordParts *parts, Candidate *candidate, Text *out)
{
    static const struct {
        const char *key;
        size_t len;
        void (*write)(RecordWriter *w);
    } columns[COLUMN_COUNT] = {
#define COLUMN(name, kind, nullable, when, about)                                                                      \
    [COLUMN_##name] = {", \"" #name "\": ", sizeof(", \"" #name "\": ") - 1, write_##name},
#include "corpus/columns.def"
#undef COLUMN
    };
    RecordWriter writer = {parts, candidate, out};
    candidate->has_backward = keeps_backward(parts->options, parts->compiled, parts->verdict);
    candidate->forward_lines = candidate->backward_lines = 0;
    candidate->readable = parts->readable->verdict;
    candidate->readable_backward = parts->readable->has_backward;
    size_t start = out->len;
    for (int i = COLUMN_id; i < COLUMN_COUNT; i++) {
        size_t comma = i == COLUMN_id ? 2 : 0; /* the head ends with one */
        if (!has_column(parts->options, (ColumnId)i))
            continue;
        if (i == COLUMN_python_tokens && !out->failed && !measure_parts(&writer, candidate->texts))
            measure_texts(out->data + start, out->len - start, candidate->texts);
        text_add(out, columns[i].key + comma, columns[i].len - comma);
        columns[i].write(&writer);
    }
    text_char(out, '}');
}

/* ---- reading facts back ---- */

static uint64_t uint_of(const json_t *object, const char *name, bool *fine)
{
    const json_t *value = json_object_get(object, name);
    *fine &= json_is_integer(value) && json_integer_value(value) >= 0;
    return *fine ? (uint64_t)json_integer_value(value) : 0;
}

/* The last 64 bits of a hash. */
static uint64_t hash_of(const json_t *object, const char *name, size_t digits, bool *fine)
{
    const char *hex = json_member_string(object, name);
    *fine &= strlen(hex) == digits && strspn(hex, "0123456789abcdef") == digits;
    return *fine ? strtoull(hex + digits - MASKED_HEX, NULL, 16) : 0;
}

GradientVerdict gradient_verdict_of(const json_t *record, const char *name)
{
    const char *word = json_member_string(record, name);
    for (int i = GRADIENT_NONE; i <= GRADIENT_MISMATCH; i++)
        if (strcmp(word, gradient_verdict_name((GradientVerdict)i)) == 0)
            return (GradientVerdict)i;
    return GRADIENT_NONE;
}

bool candidate_of_json(const json_t *record, const char *line, size_t len, Candidate *candidate)
{
    static const char first[] = "\"id\": \"";
    uint64_t row;
    size_t start = read_record_head(line, len, &row, NULL);
    int category = category_named(json_member_string(record, "category"));
    const char *gradient = json_member_string(record, "gradient_verdict");
    ReadableVerdict readable = readable_verdict_named(json_member_string(record, "readable_verdict"));
    bool fine = start && category != CATEGORY_COUNT && json_is_boolean(json_object_get(record, "has_backward")) &&
                json_is_boolean(json_object_get(record, "readable_backward")) && readable != READABLE_COUNT &&
                *gradient && len > start + strlen(first) && memcmp(line + start, first, strlen(first)) == 0;
    *candidate = (Candidate){.index = uint_of(record, "index", &fine),
                             .category = (CategoryId)category,
                             .structure = hash_of(record, "structure_hash", SHAPE_HEX, &fine),
                             .masked = hash_of(record, "masked_structure_hash", MASKED_HEX, &fine),
                             .forward_lines = (uint32_t)uint_of(record, "forward_lines", &fine),
                             .backward_lines = (uint32_t)uint_of(record, "backward_lines", &fine),
                             .has_backward = json_is_true(json_object_get(record, "has_backward")),
                             .is_checked = strcmp(json_member_string(record, "forward_verdict"), "pass") == 0,
                             .gradient = gradient_verdict_of(record, "gradient_verdict"),
                             .readable = readable,
                             .readable_backward = json_is_true(json_object_get(record, "readable_backward")),
                             .start = start,
                             .len = len - start};
    measure_texts(line, len, candidate->texts);
    return fine;
}

bool grams_of_json(const json_t *record, GramSet *grams)
{
    const char *source = record_source(record);
    return grams_of_source(grams, source, strlen(source));
}

bool read_candidate(const char *line, size_t len, Candidate *candidate, GramSet *grams)
{
    static const char *const members[] = {CANDIDATE_MEMBERS, NULL}, *const with_source[] = {CANDIDATE_MEMBERS,
                                                                                            "python_source", NULL};
    json_t *record = json_read_members(line, len, grams ? with_source : members);
    bool fine = record && candidate_of_json(record, line, len, candidate) && (!grams || grams_of_json(record, grams));
    json_decref(record);
    return fine;
}
