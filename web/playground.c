/* The playground's door into weft: what the page calls in WebAssembly.
 *
 * A call takes its texts from one buffer that the page fills (web_room) and leaves one answer in JSON (web_answer, web_answer_length),
 * which lives until the next call. The same kernels give the same texts and verdicts as `weft extract` and `weft check`: it is the same code. */
#include "check_kernel.h"
#include "report_json.h"

#include "emit/line_map.h"
#include "standalone/standalone.h"
#include "synth/synth.h"

#include <emscripten/emscripten.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What web_compile is asked for. */
enum { ASK_CUDA = 1, ASK_CPP = 2, ASK_TREE = 4, ASK_READABLE = 8, ASK_VERDICT = 16 };

/* Tables of one version of Warp, made when it is first asked for, until another one is. */
static struct {
    const char *warp;
    Weft *weft;
    StandaloneLibrary *library;
    SynthContext *synth;
} version;

static Text input, answer;

enum { MEMORY = 512 << 20 };
static const char path[] = "kernels.py";

EMSCRIPTEN_KEEPALIVE char *web_room(size_t size)
{
    input.len = 0;
    return text_reserve(&input, size + 1) ? input.data : NULL;
}

EMSCRIPTEN_KEEPALIVE const char *web_answer(void)
{
    return answer.failed ? "" : answer.data;
}

EMSCRIPTEN_KEEPALIVE size_t web_answer_length(void)
{
    return answer.failed ? 0 : answer.len;
}

static bool use_version(const char *warp)
{
    const char *found = weft_find_warp(warp);
    if (version.weft && found == version.warp)
        return true;
    weft_free(version.weft);
    standalone_library_free(version.library);
    synth_free(version.synth);
    memset(&version, 0, sizeof version);
    version.warp = found;
    version.weft = found ? weft_new(found) : NULL;
    return version.weft != NULL;
}

/* ---- what the page can choose from ---- */

EMSCRIPTEN_KEEPALIVE void web_about(void)
{
    answer.len = 0;
    JsonWriter json = {.out = &answer};
    json_open(&json, NULL, '{');
    json_add_string(&json, "weft", weft_version());
    json_open(&json, "warp", '[');
    for (size_t i = 0; weft_warp_at(i); i++)
        json_add_string(&json, NULL, weft_warp_at(i));
    json_close(&json, ']');
    json_open(&json, "categories", '[');
    for (int i = 0; i < CATEGORY_COUNT; i++) {
        json_open(&json, NULL, '{');
        json_add_string(&json, "name", category_name((CategoryId)i));
        json_add_string(&json, "summary", category_summary((CategoryId)i));
        json_close(&json, '}');
    }
    json_close(&json, ']');
    json_close(&json, '}');
}

/* ---- kernels ---- */

typedef struct Visit {
    JsonWriter json;
    unsigned asked;
    KernelCheck check;
    Text errors; /* members of the list of errors, with commas between */
} Visit;

static void add_part(JsonWriter *json, const char *field, const char *part, const Text *text)
{
    char name[32];
    snprintf(name, sizeof name, "%s_%s", field, part);
    json_add_string_n(json, name, text->data ? text->data : "", text->len);
}

/* The lines as a flat list of numbers: part, line of the source, first and last line of the text. */
static void add_texts(JsonWriter *json, const Compiled *compiled, Device device, const char *field)
{
    const EmitText *text = &compiled->texts[device];
    LineMap map = line_map(text, compiled->unit->main->source, true, compiled->unit->arena);
    char name[32];
    add_part(json, field, "prelude", &text->prelude);
    add_part(json, field, "forward", &text->forward);
    add_part(json, field, "backward", &text->backward);
    snprintf(name, sizeof name, "%s_lines", field);
    json_open(json, name, '[');
    for (uint32_t i = 0; i < map.count; i++) {
        json_add_uint(json, NULL, map.items[i].part);
        json_add_uint(json, NULL, map.items[i].source_line);
        json_add_uint(json, NULL, map.items[i].first_line);
        json_add_uint(json, NULL, map.items[i].last_line);
    }
    json_close(json, ']');
}

static void add_tree(JsonWriter *json, const Compiled *compiled)
{
    Text text = text_in(compiled->unit->arena);
    ir_dump(compiled->module, &text);
    json_add_string_n(json, "tree", text.data, text.len);
}

static void add_readable(JsonWriter *json, const Compiled *compiled)
{
    StandaloneText text = {0};
    if (!version.library)
        version.library = standalone_library_new(version.warp);
    bool done =
        version.library && standalone_translate(compiled->unit, compiled->module, version.library, NULL, true, &text);
    json_open(json, "readable", '{');
    if (done)
        json_add_string(json, "text", text.device);
    if (text.reason)
        json_add_string(json, "reason", text.reason);
    if (text.reason && !done)
        json_add_uint(json, "line", source_position(compiled->unit->main->source, text.offset).line);
    json_close(json, '}');
}

static void add_verdict(Visit *visit, const Compiled *compiled)
{
    KernelReport *report = judge_kernel(&visit->check, compiled);
    Text text = text_in(compiled->unit->arena);
    report->path = path;
    write_report_json(report, &text);
    json_add_verbatim(&visit->json, "verdict", text.data, text.len);
}

static bool visit_kernel(const Compiled *compiled, void *user)
{
    Visit *visit = user;
    JsonWriter *json = &visit->json;
    const Code *code = compiled->module->kernel->code;
    const Source *source = code->scope->file->source;
    json_open(json, NULL, '{');
    json_kernel(json, NULL, compiled->module->kernel->kernel->key->text, compiled->module->name);
    json_add_uint(json, "line", source_position(source, code->def->start).line);
    json_add_uint(json, "last_line", source_position(source, code->def->end).line);
    json_add_bool(json, "has_backward", compiled->has_backward);
    if (visit->asked & ASK_CUDA)
        add_texts(json, compiled, DEVICE_CUDA, "cuda");
    if (visit->asked & ASK_CPP)
        add_texts(json, compiled, DEVICE_CPU, "cpp");
    if (visit->asked & ASK_TREE)
        add_tree(json, compiled);
    if (visit->asked & ASK_READABLE)
        add_readable(json, compiled);
    if (visit->asked & ASK_VERDICT)
        add_verdict(visit, compiled);
    json_close(json, '}');
    return true;
}

static void visit_refusal(const WeftError *error, void *user)
{
    Visit *visit = user;
    if (visit->errors.len)
        text_lit(&visit->errors, ", ");
    write_refusal_json(error->path, error, &visit->errors);
}

/* The buffer holds the version, a NUL, and the source of that length. False: no such version, or out of memory. */
EMSCRIPTEN_KEEPALIVE bool web_compile(size_t length, unsigned asked)
{
    size_t head = strlen(input.data) + 1;
    Visit visit = {.json = {.out = &answer},
                   .asked = asked,
                   .check = {.options = {.seed = 1, .locate = true, .max_steps = MOST_STEPS}}};
    PipelineOptions options = pipeline_options();
    Arena attempts;
    answer.len = 0;
    if (!use_version(input.data))
        return false;
    arena_init(&attempts);
    attempts.limit = MEMORY / 4;
    visit.check.attempts = &attempts;
    options.weft.cuda = asked & ASK_CUDA;
    options.weft.cpu = asked & ASK_CPP;
    options.weft.source = false;
    options.weft.memory_limit = MEMORY;
    options.keep_lines = true;
    options.keep_types = asked & ASK_READABLE;
    json_open(&visit.json, NULL, '{');
    json_open(&visit.json, "kernels", '[');
    bool done =
        pipeline_compile(version.weft, &(Source){path, input.data + head, length}, &options,
                         &(PipelineVisitor){.compiled = visit_kernel, .refused = visit_refusal, .user = &visit});
    json_close(&visit.json, ']');
    json_open(&visit.json, "errors", '[');
    text_add(&answer, visit.errors.data ? visit.errors.data : "", visit.errors.len);
    json_close(&visit.json, ']');
    json_close(&visit.json, '}');
    text_free(&visit.errors);
    arena_free(&attempts);
    return done && !answer.failed;
}

/* The buffer holds the version, a NUL, and a category, or nothing for any. */
EMSCRIPTEN_KEEPALIVE bool web_invent(double seed)
{
    CategoryWeights weights = category_default_weights();
    const char *category = input.data + strlen(input.data) + 1;
    SynthSample sample;
    answer.len = 0;
    if (*category && category_weights_read(&weights, category))
        return false;
    if (!use_version(input.data))
        return false;
    if (!version.synth)
        version.synth = synth_new(version.warp);
    if (!version.synth || !synth_sample(version.synth, (uint64_t)seed, 0, &weights, &sample))
        return false;
    Text module = {0};
    synth_add_module(&sample, &module);
    JsonWriter json = {.out = &answer};
    json_open(&json, NULL, '{');
    json_add_string(&json, "kernel_name", sample.kernel_name);
    json_add_string(&json, "category", category_name(sample.category));
    json_add_string(&json, "description", sample.description);
    json_add_string_n(&json, "source", module.data, module.len);
    json_close(&json, '}');
    text_free(&module);
    return !answer.failed;
}
