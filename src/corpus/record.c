/* Records: the promised fields in the promised order. */
#include "base/choice.h"
#include "base/json.h"
#include "corpus/candidate.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

const char *record_prefix(const CorpusOptions *options)
{
    return options->device & DEVICE_SET_CUDA ? "cuda" : "cpu";
}

void write_record_id(const CorpusOptions *options, uint64_t number, Text *out)
{
    uint64_t smallest = 1000000; /* number of seven digits */
    text_lit(out, "{\"id\": \"");
    text_str(out, record_prefix(options));
    text_char(out, '_');
    for (; number < smallest && smallest > 1; smallest /= 10)
        text_char(out, '0');
    text_uint(out, number);
    text_lit(out, "\", ");
}

bool read_record_id(const CorpusOptions *options, const char *line, size_t len, uint64_t *number)
{
    char head[64], again[64];
    int stem = snprintf(head, sizeof head, "{\"id\": \"%s_", record_prefix(options));
    if (len < (size_t)stem + 7 || memcmp(line, head, (size_t)stem) != 0 || !isdigit((unsigned char)line[stem]))
        return false;
    *number = strtoull(line + stem, NULL, 10);
    int whole = snprintf(again, sizeof again, "%s%07llu\", ", head, (unsigned long long)*number);
    return len >= (size_t)whole && memcmp(line, again, (size_t)whole) == 0;
}

/* Returns how many lines the text has. */
static uint32_t add_text_field(Text *out, const char *device, const char *part, const Text *text)
{
    text_lit(out, "\"");
    text_str(out, device);
    text_char(out, '_');
    text_str(out, part);
    text_lit(out, "\": ");
    size_t lines = text_json_string(out, text->data, text->len);
    text_lit(out, ", ");
    bool open_end = text->len && text->data[text->len - 1] != '\n';
    return (uint32_t)lines + open_end;
}

static void add_device(Text *out, const char *device, const EmitText *text, Candidate *candidate)
{
    if (text->prelude.len)
        add_text_field(out, device, "prelude", &text->prelude);
    candidate->forward_lines = add_text_field(out, device, "forward", &text->forward);
    if (candidate->has_backward)
        candidate->backward_lines = add_text_field(out, device, "backward", &text->backward);
}

/* Lines are counted in the text of the first device. */
static void add_devices(Text *out, const CorpusOptions *options, const Compiled *compiled, Candidate *candidate)
{
    Candidate second = *candidate;
    candidate->forward_lines = candidate->backward_lines = 0;
    if (options->device & DEVICE_SET_CUDA)
        add_device(out, "cuda", &compiled->texts[DEVICE_CUDA], candidate);
    if (options->device & DEVICE_SET_CPU)
        add_device(out, "cpp", &compiled->texts[DEVICE_CPU], options->device & DEVICE_SET_CUDA ? &second : candidate);
}

static void add_verdict(Text *out, const KnownVerdict *verdict)
{
    text_lit(out, ", \"verified\": {\"forward\": \"");
    text_str(out, verdict && verdict->forward_pass ? "pass" : "none");
    text_lit(out, "\", \"gradient\": \"");
    text_str(out, gradient_verdict_name(verdict ? verdict->gradient : GRADIENT_NONE));
    text_lit(out, "\", \"gradient_error\": ");
    if (!verdict || verdict->gradient == GRADIENT_NONE || !isfinite(verdict->gradient_error))
        text_lit(out, "null");
    else
        text_format(out, "%.3g", verdict->gradient_error);
    text_char(out, '}');
}

bool keeps_backward(const CorpusOptions *options, const Compiled *compiled, const KnownVerdict *verdict)
{
    bool mismatch = verdict && verdict->gradient == GRADIENT_MISMATCH;
    return compiled->has_backward && !(mismatch && options->gradients == GRADIENTS_PROVEN);
}

void write_record(const RecordParts *parts, Candidate *candidate, Text *out)
{
    const CorpusOptions *options = parts->options;
    const SynthSample *sample = parts->sample;
    const Compiled *compiled = parts->compiled;
    candidate->has_backward = keeps_backward(options, compiled, parts->verdict);
    text_lit(out, "\"kernel_name\": ");
    text_json_string(out, sample->kernel_name, strlen(sample->kernel_name));
    text_lit(out, ", \"category\": \"");
    text_str(out, category_name(sample->category));
    text_lit(out, "\", \"python_source\": ");
    text_json_string(out, sample->source, sample->source_len);
    text_lit(out, ", ");
    add_devices(out, options, compiled, candidate);
    text_lit(out, "\"metadata\": {\"device\": \"");
    text_choice(out, DEVICE_WORDS, options->device - 1);
    text_lit(out, "\", \"description\": ");
    text_json_string(out, sample->description, strlen(sample->description));
    text_lit(out, ", \"seed\": ");
    text_uint(out, options->seed);
    text_lit(out, ", \"index\": ");
    text_uint(out, parts->index);
    synth_add_arguments(sample, out);
    text_lit(out, ", \"has_backward\": ");
    text_str(out, candidate->has_backward ? "true" : "false");
    text_lit(out, ", \"forward_lines\": ");
    text_uint(out, candidate->forward_lines);
    text_lit(out, ", \"backward_lines\": ");
    text_uint(out, candidate->backward_lines);
    text_lit(out, ", \"structure_hash\": \"");
    text_str(out, parts->shape->structure_hex);
    text_lit(out, "\", \"masked_hash\": \"");
    text_str(out, parts->shape->masked_hex);
    text_lit(out, "\", \"warp_version\": \"");
    text_str(out, options->warp);
    text_lit(out, "\", \"weft_version\": \"");
    text_str(out, weft_version());
    text_char(out, '"');
    add_verdict(out, parts->verdict);
    if (options->with_io) {
        text_lit(out, ", \"io\": ");
        text_add(out, parts->io->data, parts->io->len);
    }
    if (options->timing)
        text_format(out, ", \"generation_time_ms\": %.3f", parts->milliseconds);
    text_lit(out, "}}");
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

bool candidate_of_json(const json_t *record, const char *line, size_t len, Candidate *candidate)
{
    static const char first[] = "\"kernel_name\": ";
    const json_t *metadata = json_object_get(record, "metadata"), *verified = json_object_get(metadata, "verified");
    const char *gradient = json_member_string(verified, "gradient");
    size_t start = strlen("{\"id\": \"\", ") + strlen(json_member_string(record, "id"));
    int category = category_named(json_member_string(record, "category"));
    bool fine = category != CATEGORY_COUNT && json_is_boolean(json_object_get(metadata, "has_backward")) && *gradient &&
                len > start + strlen(first) && memcmp(line + start, first, strlen(first)) == 0;
    *candidate = (Candidate){.index = uint_of(metadata, "index", &fine),
                             .category = (CategoryId)category,
                             .structure = hash_of(metadata, "structure_hash", SHAPE_HEX, &fine),
                             .masked = hash_of(metadata, "masked_hash", MASKED_HEX, &fine),
                             .forward_lines = (uint32_t)uint_of(metadata, "forward_lines", &fine),
                             .backward_lines = (uint32_t)uint_of(metadata, "backward_lines", &fine),
                             .has_backward = json_is_true(json_object_get(metadata, "has_backward")),
                             .is_checked = strcmp(json_member_string(verified, "forward"), "pass") == 0,
                             .start = start,
                             .len = len - start};
    for (int i = GRADIENT_NONE; i <= GRADIENT_MISMATCH; i++)
        if (strcmp(gradient, gradient_verdict_name((GradientVerdict)i)) == 0)
            candidate->gradient = (GradientVerdict)i;
    return fine;
}

bool read_candidate(const char *line, size_t len, Candidate *candidate)
{
    static const char *const members[] = {CANDIDATE_MEMBERS, NULL};
    json_t *record = json_read_members(line, len, members);
    bool fine = record && candidate_of_json(record, line, len, candidate);
    json_decref(record);
    return fine;
}
