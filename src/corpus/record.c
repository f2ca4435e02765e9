/* Records: the promised fields in the promised order. */
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

/* The lines that are told are those of the first device. */
static void add_devices(Text *out, const CorpusOptions *options, const Compiled *compiled, Candidate *candidate)
{
    Candidate second = *candidate;
    candidate->forward_lines = candidate->backward_lines = 0;
    if (options->device & DEVICE_SET_CUDA)
        add_device(out, "cuda", compiled->cuda, candidate);
    if (options->device & DEVICE_SET_CPU)
        add_device(out, "cpp", compiled->cpp, options->device & DEVICE_SET_CUDA ? &second : candidate);
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
    static const char *const devices[] = {"", "cuda", "cpu", "both"};
    text_lit(out, "\"metadata\": {\"device\": \"");
    text_str(out, devices[options->device]);
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
    text_str(out, weft_find_warp(NULL));
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

/* Behind `key`, which has quotes of its own and so cannot stand inside a JSON text; NULL: not there. */
static const char *behind(const char *line, size_t len, const char *key)
{
    const char *at = memmem(line, len, key, strlen(key));
    return at ? at + strlen(key) : NULL;
}

const char *record_tail(const char *line, size_t len)
{
    static const char key[] = ", \"has_backward\": ";
    const char *last = NULL;
    for (const char *at = line; (at = memmem(at, len - (size_t)(at - line), key, sizeof key - 1)); at++)
        last = at;
    return last;
}

bool scan_record(const char *line, size_t len, Candidate *candidate)
{
    *candidate = (Candidate){0};
    const char *end = line + len;
    const char *rest = behind(line, len, ", \"kernel_name\": ");
    const char *category = behind(line, len, ", \"category\": \"");
    const char *metadata = behind(line, len, ", \"metadata\": {");
    if (!rest || !category || !metadata || line[0] != '{')
        return false;
    candidate->start = (size_t)(rest - line) - strlen("\"kernel_name\": ");
    candidate->len = len - candidate->start;
    candidate->category = CATEGORY_COUNT;
    for (int i = 0; i < CATEGORY_COUNT; i++) {
        size_t name_len = strlen(category_name((CategoryId)i));
        if ((size_t)(end - category) > name_len && memcmp(category, category_name((CategoryId)i), name_len) == 0 &&
            category[name_len] == '"')
            candidate->category = (CategoryId)i;
    }
    const char *index = behind(metadata, (size_t)(end - metadata), ", \"index\": ");
    const char *tail = record_tail(metadata, (size_t)(end - metadata)); /* from here on, no name is a user's */
    if (!tail)
        return false;
    size_t left = (size_t)(end - tail);
    const char *backward = behind(tail, left, ", \"has_backward\": ");
    const char *forward_lines = behind(tail, left, ", \"forward_lines\": ");
    const char *backward_lines = behind(tail, left, ", \"backward_lines\": ");
    const char *structure = behind(tail, left, ", \"structure_hash\": \"");
    const char *masked = behind(tail, left, ", \"masked_hash\": \"");
    const char *forward = behind(tail, left, ", \"verified\": {\"forward\": \"");
    const char *gradient = behind(tail, left, "\", \"gradient\": \"");
    if (candidate->category == CATEGORY_COUNT || !index || !backward || !forward_lines || !backward_lines ||
        !structure || !masked || !forward || !gradient || end - masked < MASKED_HEX || end - structure < SHAPE_HEX)
        return false;
    char hex[MASKED_HEX + 1] = "";
    memcpy(hex, structure + SHAPE_HEX - MASKED_HEX, MASKED_HEX);
    candidate->structure = strtoull(hex, NULL, 16);
    memcpy(hex, masked, MASKED_HEX);
    candidate->masked = strtoull(hex, NULL, 16);
    candidate->index = strtoull(index, NULL, 10);
    candidate->has_backward = *backward == 't';
    candidate->forward_lines = (uint32_t)strtoul(forward_lines, NULL, 10);
    candidate->backward_lines = (uint32_t)strtoul(backward_lines, NULL, 10);
    candidate->is_checked = *forward == 'p';
    candidate->gradient = *gradient == 'p' ? GRADIENT_PASS : *gradient == 'm' ? GRADIENT_MISMATCH : GRADIENT_NONE;
    return true;
}
