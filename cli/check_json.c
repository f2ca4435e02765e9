#include "check_report.h"
#include "report_json.h"

#include "check/io.h"
#include "ir/tile_shared.h"

#include <math.h>

static void json_finding(JsonWriter *json, const Compiled *compiled, const CheckResult *result, const char *advice)
{
    if (result->finding.kind != FINDING_NONE) {
        SourcePosition at =
            source_position(compiled->module->kernel->code->scope->file->source, result->finding.offset);
        json_open(json, NULL, '{');
        json_add_string(json, "kind", finding_name(result->finding.kind));
        json_add_string(json, "pass", result->reverse_finding ? "backward" : "forward");
        json_add_string(json, "message", result->finding.message ? result->finding.message : "");
        json_add_number(json, "line", at.line);
        if (advice)
            json_add_string(json, "valid_with", advice);
        json_close(json, '}');
    }
}

/* Names the launch that was asked for, and the one that was judged instead. */
static void json_findings(JsonWriter *json, const KernelReport *report)
{
    json_open(json, "findings", '[');
    json_finding(json, report->compiled, report->first, report->advice);
    if (report->result != report->first)
        json_finding(json, report->compiled, report->result, NULL);
    json_close(json, ']');
}

/* Where the evaluators part. */
static void json_difference(JsonWriter *json, const Compiled *compiled, const CheckDifference *difference)
{
    if (!difference->is_located)
        return;
    json_open(json, "difference", '{');
    json_open(json, "thread", '[');
    for (uint32_t i = 0; i < compiled->module->kernel->kernel_dim; i++)
        json_add_number(json, NULL, difference->thread[i]);
    json_close(json, ']');
    if (difference->element) {
        json_add_string(json, "element", difference->element);
        json_add_number(json, "syntax_tree", difference->syntax_tree);
        json_add_number(json, "region_tree", difference->region_tree);
    }
    if (difference->has_statement)
        json_add_number(json, "line",
                        source_position(compiled->module->kernel->code->scope->file->source, difference->offset).line);
    json_close(json, '}');
}

static void json_pattern(JsonWriter *json, const KernelReport *report)
{
    static const char *const known[] = {NULL, "comment", "baseline"};
    if (report->result->gradient != GRADIENT_MISMATCH)
        return;
    PatternText text = pattern_text(report->why.pattern);
    const Source *source = report->why.code->scope->file->source;
    json_open(json, "why", '{');
    json_add_string(json, "pattern", text.name);
    json_add_string(json, "file", source->path);
    json_add_number(json, "line", source_position(source, report->why.offset).line);
    json_add_string(json, "text", text.why);
    json_add_string(json, "rewrite", text.rewrite);
    json_add_bool(json, "tried", report->why_tried);
    if (report->known != KNOWN_NOT)
        json_add_string(json, "known_by", known[report->known]);
    json_close(json, '}');
}

/* On how many launches the verdict stands, and which ways none of them took. */
static void json_coverage(JsonWriter *json, const KernelReport *report)
{
    json_add_uint(json, "launch_count", report->launches);
    json_open(json, "never_taken", '[');
    for (uint32_t i = 0; i < report->missing_count; i++) {
        const MissingWay *way = &report->missing[i];
        const Source *source = way->branch->function->code->scope->file->source;
        json_open(json, NULL, '{');
        json_add_string(json, "file", source->path);
        json_add_number(json, "line", source_position(source, way->branch->source).line);
        json_add_string(json, "way", way->is_loop ? "body" : way->when ? "true" : "false");
        json_close(json, '}');
    }
    json_close(json, ']');
}

void write_report_json(const KernelReport *report, Text *out)
{
    const Compiled *compiled = report->compiled;
    const CheckResult *result = report->result;
    const Example *example = report->example;
    JsonWriter json = {.out = out};
    json_open(&json, NULL, '{');
    json_kernel(&json, report->path, compiled->module->kernel->kernel->key->text, compiled->module->name);
    json_add_string(&json, "kernel", compiled->module->kernel->kernel->key->text);
    json_add_string(&json, "name", compiled->module->name);
    json_add_string(&json, "forward", result->failure == CHECK_OK ? "pass" : check_failure_name(result->failure));
    json_add_string(&json, "gradient", gradient_verdict_name(result->gradient));
    json_add_number(&json, "gradient_error", result->gradient == GRADIENT_NONE ? (double)NAN : result->gradient_error);
    json_add_number(&json, "true_dot", result->true_dot);
    json_add_number(&json, "warp_dot", isfinite(result->gradient_error) ? result->warp_dot : (double)NAN);
    if (compiled->module->uses_tiles) {
        SharedBytes shared = ir_shared_bytes(compiled->module);
        json_open(&json, "shared_bytes", '[');
        json_add_uint(&json, NULL, shared.forward);
        json_add_uint(&json, NULL, shared.backward);
        json_close(&json, ']');
    }
    if (launch_flags(report))
        json_add_string(&json, "launched_with", launch_flags(report));
    json_coverage(&json, report);
    json_findings(&json, report);
    json_difference(&json, compiled, &result->difference);
    if (example->found) {
        json_open(&json, "example", '{');
        json_add_string(&json, "flags", example_flags(report));
        json_add_verbatim(&json, "inputs", example->inputs.data, example->inputs.len);
        json_add_string(&json, "output", example->entry.output);
        json_add_string(&json, "input", example->entry.input);
        json_add_number(&json, "warp", example->entry.warp);
        json_add_number(&json, "true", example->entry.exact);
        json_close(&json, '}');
    }
    json_pattern(&json, report);
    if (report->with_io && report->shown) {
        IoOptions options = {.seed = report->seed, .launches = 1, .backward = compiled->module->enable_backward};
        Text launches;
        text_init_in(&launches, compiled->unit->building);
        bool written = check_write_launches(compiled->unit, compiled->module, report->shown, &options, &launches);
        json_add_verbatim(&json, "launches", written ? launches.data : "null", written ? launches.len : 4);
    }
    json_close(&json, '}');
}
