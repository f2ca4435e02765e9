#include "check_report.h"
#include "files.h"
#include "report.h"
#include "terminal.h"

#include "check/advice.h"
#include "ir/tile_shared.h"

#include <math.h>
#include <string.h>

/* A place in the source with a message and a hint (NULL: none), as errors are shown. */
static void print_at(const KernelReport *report, const Source *source, uint32_t offset, const char *message,
                     const char *hint)
{
    DiagList list;
    Text shown;
    text_init_in(&shown, report->compiled->unit->building);
    diags_init(&list, report->compiled->unit->building);
    Diag *diag = diag_add(&list, source, DIAG_ERROR, offset, offset + 1, "%s", message);
    diag->hint = hint;
    diag_show(diag, &shown);
    SourcePosition at = source_position(source, offset);
    WeftError error = {
        .message = message, .hint = hint, .line = at.line, .column = at.column, .shown = text_cstr(&shown)};
    print_refusal(report->out, source->path, &error);
}

static void print_place(const KernelReport *report, uint32_t offset, const char *message, const char *hint)
{
    print_at(report, report->compiled->module->kernel->code->scope->file->source, offset, message, hint);
}

static const char *thread_text(const Compiled *compiled, const uint32_t thread[4])
{
    Text text;
    text_init_in(&text, compiled->unit->building);
    for (uint32_t i = 0; i < compiled->module->kernel->kernel_dim; i++)
        text_format(&text, "%s%u", i ? "," : "", thread[i]);
    return text_cstr(&text);
}

/* "an index is out of bounds: index 8 of 8 elements" */
static const char *finding_text(const KernelReport *report, const Finding *finding)
{
    const char *phrase = finding_phrase(finding->kind);
    bool says_more = finding->message && strcmp(finding->message, phrase) != 0;
    return arena_format(report->compiled->unit->building, "%s%s%s", phrase, says_more ? ": " : "",
                        says_more ? finding->message : "");
}

/* Which launch was judged, and why not the usual one. */
static void print_instead(const KernelReport *report)
{
    const Finding *finding = &report->first->finding;
    const Source *source = report->compiled->module->kernel->code->scope->file->source;
    if (report->first != report->result && !report->driven)
        tell(report->out, "    launched with %s; with the usual arguments, %s (line %u)\n", report->advice,
             finding_text(report, finding), source_position(source, finding->offset).line);
}

/* The launch that was judged because it takes what the usual one does not. */
static void print_driven(const KernelReport *report)
{
    if (report->driven)
        tell(report->out, "    launched with %s, which takes a branch that the usual launch does not\n",
             launch_flags(report));
}

static void print_missing(const KernelReport *report)
{
    for (uint32_t i = 0; i < report->missing_count; i++)
        tell(report->out, "    not checked: %s\n", missing_text(report, &report->missing[i]));
}

/* Where it happens, what it is, and which flags would make the launch valid. */
static void print_finding(const KernelReport *report)
{
    const CheckResult *result = report->result;
    const Finding *finding = &result->finding;
    Arena *arena = report->compiled->unit->building;
    if (finding->kind == FINDING_NONE || finding->kind == FINDING_GRADIENT_UNDEFINED) /* the pattern says it */
        return;
    if (result->failure == CHECK_UNSET || result->failure == CHECK_CHANGED) {
        print_place(report, finding->offset, finding->message, "copy the constant into a variable first, and use that");
        return;
    }
    if (finding->kind == FINDING_TOO_MUCH_MEMORY) {
        print_place(report, finding->offset, finding_text(report, finding), general_advice(finding));
        return;
    }
    const char *message =
        arena_format(arena, "%s (%s pass, thread %s)", finding_text(report, finding),
                     result->reverse_finding ? "backward" : "forward", thread_text(report->compiled, finding->thread));
    const char *hint = NULL;
    if (report->advice && report->first == result)
        hint = arena_format(arena, "with %s the launch is valid", report->advice);
    else if (!result->reverse_finding)
        hint = general_advice(finding);
    print_place(report, finding->offset, message, hint);
}

/* Why a kernel's gradient was not looked at. */
static const char *failure_phrase(const CheckResult *result)
{
    switch (result->failure) {
    case CHECK_FINDING:
        return result->finding.kind == FINDING_TOO_MUCH_MEMORY ? "this launch is too large"
                                                               : "this launch is not valid";
    case CHECK_DISAGREE: return "weft's two evaluators disagree about its values, which is a bug of weft";
    case CHECK_UNSUPPORTED: return "weft cannot run it";
    case CHECK_UNSET:
        return "Warp's own code reads a variable that it did not set, a defect of Warp: its values are not defined";
    case CHECK_CHANGED:
        return "Warp's own code changes a constant, a defect of Warp: its values are not those of the kernel";
    case CHECK_UNSTABLE: return "rounding alone decides its values: inputs moved in their last digits give other ones";
    default: return check_failure_name(result->failure);
    }
}

const char *no_verdict_text(const KernelReport *report, SourcePosition *at)
{
    const CheckResult *result = report->result;
    const Code *code = report->compiled->module->kernel->code;
    bool has_finding = result->finding.kind != FINDING_NONE;
    *at = source_position(code->scope->file->source, has_finding ? result->finding.offset : code->def->start);
    return arena_format(report->compiled->unit->building, "%s: not checked: %s%s%s",
                        report->compiled->module->kernel->kernel->key->text,
                        result->failure == CHECK_OK ? "its backward pass is not valid" : failure_phrase(result),
                        has_finding ? ": " : "", has_finding ? finding_text(report, &result->finding) : "");
}

static void print_verdict(const KernelReport *report)
{
    const CheckResult *result = report->result;
    bool wrong = result->failure == CHECK_OK && result->gradient == GRADIENT_MISMATCH;
    Style style = wrong || result->failure != CHECK_OK ? STYLE_BAD : STYLE_GOOD;
    const char *begin = style_begin(report->out, style), *end = style_end(report->out, style);
    char name[600];
    snprintf(name, sizeof name, "%s%s%s", report->several_files ? report->path : "", report->several_files ? ": " : "",
             report->compiled->module->kernel->kernel->key->text);
    if (result->failure != CHECK_OK)
        tell(report->out, "%s: %snot checked%s: %s\n", name, begin, end, failure_phrase(result));
    else if (result->gradient == GRADIENT_NONE)
        tell(report->out, "%s: forward agrees; there is no gradient to check\n", name);
    else if (!wrong && report->missing_count)
        tell(report->out,
             "%s: forward agrees; Warp's gradient is %sright%s on %u launch%s (error %.1e), but not all of it ran\n",
             name, begin, end, report->launches, report->launches == 1 ? "" : "es", result->gradient_error);
    else if (!wrong)
        tell(report->out, "%s: forward agrees; Warp's gradient is %sright%s (error %.1e)\n", name, begin, end,
             result->gradient_error);
    else if (isfinite(result->gradient_error))
        tell(report->out, "%s: forward agrees; Warp's gradient is %sWRONG%s: %.9g where %.9g is true\n", name, begin,
             end, result->warp_dot, result->true_dot);
    else if (result->finding.kind == FINDING_GRADIENT_UNDEFINED)
        tell(report->out, "%s: forward agrees; Warp's gradient is %sUNDEFINED%s: not finite where %.9g is true (%s)\n",
             name, begin, end, result->true_dot, result->finding.message);
    else
        tell(report->out, "%s: forward agrees; Warp's gradient is %sWRONG%s: its backward pass is not defined\n", name,
             begin, end);
}

/* Where the evaluators part, in words. */
static void print_difference(const KernelReport *report)
{
    const CheckDifference *difference = &report->result->difference;
    const Compiled *compiled = report->compiled;
    if (!difference->is_located)
        return;
    Text text;
    text_init_in(&text, compiled->unit->building);
    text_format(&text, "in thread %s", thread_text(compiled, difference->thread));
    if (difference->element)
        text_format(&text, ", %s is %.9g from the syntax tree, %.9g from the region tree", difference->element,
                    difference->syntax_tree, difference->region_tree);
    else
        text_str(&text, ", the syntax tree and the region tree go different ways to the same results");
    if (!difference->has_statement) {
        tell(report->out, "    %s\n", text_cstr(&text));
        return;
    }
    text_str(&text, "; this statement makes the first difference");
    print_place(report, difference->offset, text_cstr(&text), NULL);
}

static void print_example(const KernelReport *report)
{
    const Example *example = report->example;
    if (!example->found)
        return;
    tell(report->out, "    smallest example found (%s): %.*s\n", example_flags(report), (int)example->inputs.len,
         example->inputs.data);
    char warp[80] = "Warp's backward pass is not defined";
    if (isfinite(example->entry.warp))
        snprintf(warp, sizeof warp, "Warp has %.9g", example->entry.warp);
    tell(report->out, "    there d %s / d %s is %.9g, but %s\n", example->entry.output, example->entry.input,
         example->entry.exact, warp);
}

/* The pattern, at its place, and how to write it instead. */
static void print_why(const KernelReport *report)
{
    PatternText text = pattern_text(report->why.pattern);
    if (report->result->gradient == GRADIENT_MISMATCH)
        print_at(report, report->why.code->scope->file->source, report->why.offset, wrong_gradient_text(report),
                 text.rewrite);
}

/* More shared memory than a card has. */
static void print_shared(const KernelReport *report)
{
    SharedBytes shared = ir_shared_bytes(report->compiled->module);
    bool backward = report->compiled->module->enable_backward;
    uint64_t most = backward ? shared.backward : shared.forward;
    if (most <= SHARED_MOST)
        return;
    const Code *code = report->compiled->module->kernel->code;
    const char *message =
        arena_format(report->compiled->unit->building,
                     "the tiles of a block take %llu bytes of shared memory%s; an H200 has %u, and Warp refuses a "
                     "launch that asks for more",
                     (unsigned long long)most, backward ? " with their gradients" : "", (unsigned)SHARED_MOST);
    print_at(report, code->scope->file->source, code->def->start, message,
             "use smaller tiles, or enable_backward=False");
}

void print_report(const KernelReport *report)
{
    print_verdict(report);
    print_instead(report);
    print_driven(report);
    print_missing(report);
    print_finding(report);
    print_shared(report);
    print_difference(report);
    print_why(report);
    print_example(report);
}
