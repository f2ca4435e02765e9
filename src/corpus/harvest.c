/* Data sets of kernels that people wrote.
 *
 * First every file is compiled in place. Each kernel is written as a text of its own (front/gather.h): a find, one
 * line of JSON. Then each find is compiled by itself. It becomes a candidate only if that gives the name and texts of
 * the original, byte for byte. A launch is searched as by `weft check`; the rest is as for any candidate. */
#include "base/array.h"
#include "base/tally.h"
#include "check/advice.h"
#include "check/usual.h"
#include "corpus/arguments.h"
#include "corpus/classify.h"
#include "corpus/provenance.h"
#include "corpus/shard.h"
#include "corpus/stored.h"
#include "front/gather.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <xxhash.h>

struct Harvest {
    CorpusOptions options;
    Weft *weft;
    Text lines; /* the finds, each with a NUL behind it */
    size_t *starts, start_count, start_cap, next;
    HarvestCounts counts;
    Tallies reasons, licenses;
    Provenance provenance; /* of the folder below */
    char folder[1024];
    char license[80], shown[1024]; /* of the file at hand: its licence, its path in the project */
    bool failed;
};

/* ---- counting ---- */

void harvest_reasons(Harvest *harvest, Text *out)
{
    tally_lines(&harvest->reasons, out);
}

void harvest_licenses(Harvest *harvest, Text *out)
{
    tally_lines(&harvest->licenses, out);
}

const HarvestCounts *harvest_counts(const Harvest *harvest)
{
    return &harvest->counts;
}

/* ---- finding ---- */

Harvest *harvest_new(const CorpusOptions *options)
{
    Harvest *harvest = calloc(1, sizeof *harvest);
    if (!harvest)
        return NULL;
    harvest->options = *options;
    harvest->weft = weft_new(options->warp);
    if (harvest->weft)
        return harvest;
    harvest_free(harvest);
    return NULL;
}

void harvest_free(Harvest *harvest)
{
    if (!harvest)
        return;
    weft_free(harvest->weft);
    text_free(&harvest->lines);
    free(harvest->starts);
    tally_free(&harvest->reasons);
    tally_free(&harvest->licenses);
    free(harvest);
}

/* Hashes the texts that must be the same. */
static uint64_t hash_texts(const Compiled *compiled)
{
    uint64_t hash = XXH3_64bits(compiled->module->name, strlen(compiled->module->name));
    for (int device = 0; device < DEVICE_COUNT; device++) {
        const EmitText *texts = &compiled->texts[device];
        const Text *parts[] = {&texts->prelude, &texts->forward, &texts->backward};
        for (int i = 0; i < 3; i++)
            hash = XXH3_64bits_withSeed(parts[i]->len ? parts[i]->data : "", parts[i]->len, hash);
    }
    return hash;
}

/* The first paragraph of its docstring, or the words of its name: "integrate_bodies" is "Integrate bodies." */
static void put_description(const Code *code, Text *out)
{
    const NodeList *body = &code->def->function.body;
    const Node *first = body->count && body->items[0]->kind == NODE_EXPR ? body->items[0]->expr.value : NULL;
    const bool has_text = first && first->kind == NODE_CONSTANT && first->constant.kind == CONSTANT_STR;
    const char *text = has_text ? first->constant.text : code->def->function.name->text;
    size_t len = has_text ? first->constant.len : code->def->function.name->len, start = out->len;
    bool gap = false;
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)text[i];
        bool space = isspace(c) || (!has_text && c == '_');
        if (has_text && c == '\n' && i + 1 < len && text[i + 1] == '\n' && out->len > start)
            break;
        if (space || c == 0) {
            gap = out->len > start;
            continue;
        }
        if (gap)
            text_char(out, ' ');
        gap = false;
        text_char(out, out->len == start && !has_text ? (char)toupper(c) : (char)c);
    }
    if (out->len > start && out->data[out->len - 1] != '.')
        text_char(out, '.');
}

static void put_instruction(const Code *code, const Text *description, Text *out)
{
    text_format(out, "Write the Warp kernel `%s(", code->def->function.name->text);
    for (uint32_t i = 0; i < code->param_count; i++) {
        text_format(out, "%s%s: ", i ? ", " : "", code->params[i].name->text);
        type_repr(type_canonical(code->params[i].type), out);
    }
    text_lit(out, ")`. ");
    text_add(out, description->data, description->len);
}

static void add_find(Harvest *harvest, const Compiled *compiled, const Text *source)
{
    const Code *code = compiled->module->kernel->code;
    Text description = text_in(compiled->unit->arena), instruction = text_in(compiled->unit->arena);
    JsonWriter json = {.out = &harvest->lines};
    put_description(code, &description);
    put_instruction(code, &description, &instruction);
    if (!ARRAY_ROOM(harvest->starts, harvest->start_count, harvest->start_cap)) {
        harvest->failed = true;
        return;
    }
    harvest->starts[harvest->start_count++] = harvest->lines.len;
    json_open(&json, NULL, '{');
    json_add_string(&json, "kernel_name", code->def->function.name->text);
    json_add_string(&json, "category", category_name(classify(compiled->module)));
    json_add_string_n(&json, "description", description.data, description.len);
    json_add_string_n(&json, "instruction", instruction.data, instruction.len);
    json_add_string_n(&json, "source", source->data, source->len);
    json_add_string(&json, "texts",
                    arena_format(compiled->unit->arena, "%016llx", (unsigned long long)hash_texts(compiled)));
    json_add_string(&json, "project", harvest->provenance.project);
    json_add_string(&json, "file", harvest->shown);
    json_add_uint(&json, "line", source_position(code->scope->file->source, code->source_start).line);
    json_add_string(&json, "revision", harvest->provenance.revision);
    json_add_string(&json, "license", harvest->license);
    json_close(&json, '}');
    text_char(&harvest->lines, '\0');
    harvest->failed |= harvest->lines.failed;
}

/* Finds the provenance of the file that defines a kernel; another file may create it. */
static void find_provenance(Harvest *harvest, const Source *source)
{
    char *absolute = realpath(source->path, NULL);
    const char *at = absolute ? absolute : source->path, *slash = strrchr(at, '/');
    size_t folder = slash ? (size_t)(slash - at) : 0;
    if (folder >= sizeof harvest->folder || strlen(harvest->folder) != folder ||
        memcmp(harvest->folder, at, folder) != 0 || !harvest->provenance.project[0]) {
        provenance_find(&harvest->provenance, at);
        snprintf(harvest->folder, sizeof harvest->folder, "%.*s", (int)folder, at);
    }
    size_t root = strlen(harvest->provenance.root);
    bool below = strncmp(at, harvest->provenance.root, root) == 0 && at[root] == '/';
    license_of_text(&harvest->provenance, source->text, source->len, harvest->license, sizeof harvest->license);
    snprintf(harvest->shown, sizeof harvest->shown, "%s", below ? at + root + 1 : source->path);
    free(absolute);
}

static bool visit_found(const Compiled *compiled, void *user)
{
    Harvest *harvest = user;
    Text source = text_in(compiled->unit->arena);
    const char *why = gather(compiled->unit, compiled->module->kernel->kernel, &source);
    harvest->counts.kernels++;
    if (why) {
        harvest->failed |=
            !tally_add_message(&harvest->reasons, arena_format(compiled->unit->arena, "no excerpt: %s", why));
        return !harvest->failed;
    }
    harvest->counts.gathered++;
    find_provenance(harvest, compiled->module->kernel->code->scope->file->source);
    harvest->failed |= !tally_add(&harvest->licenses, harvest->license, 1);
    add_find(harvest, compiled, &source);
    return !harvest->failed;
}

static void visit_refused(const WeftError *error, void *user)
{
    Harvest *harvest = user;
    if (!error->kernel)
        return;
    harvest->counts.kernels++;
    harvest->counts.refused++;
    harvest->failed |= !tally_add_message(&harvest->reasons, error->message);
}

bool harvest_file(Harvest *harvest, const char *path, const char *text, size_t len, WeftFiles *files)
{
    PipelineOptions options = pipeline_options();
    options.weft.cuda = options.weft.cpu = true;
    options.weft.source = false;
    options.weft.files = files;
    harvest->counts.files++;
    bool done =
        pipeline_compile(harvest->weft, &(Source){path, text, len}, &options,
                         &(PipelineVisitor){.compiled = visit_found, .refused = visit_refused, .user = harvest});
    return done && !harvest->failed;
}

/* ---- making records ---- */

typedef struct Proof {
    StoredWorker *worker;
    const char *texts; /* the hash that they must have */
    bool same, seek_launch;
} Proof;

static bool is_valid_launch(const CheckLaunch *given, void *user)
{
    const Compiled *compiled = *(const Compiled **)user;
    for (uint32_t i = 0; i < given->arg_count; i++)
        if (given->args[i].symmetric || given->args[i].definite)
            return false; /* of which a description says nothing */
    CheckLaunch launch = usual_launch(given, compiled, 0, 0);
    CheckOptions options = {.draws = 1, .max_steps = 1 << 18, .threads = CHECK_SPREAD};
    CheckResult result;
    check_kernel(compiled->unit, compiled->module, &launch, &options, &result);
    return result.failure == CHECK_OK;
}

static bool prove(const Compiled *compiled, void *user)
{
    Proof *proof = user;
    Text *out = &proof->worker->launch;
    char texts[24];
    snprintf(texts, sizeof texts, "%016llx", (unsigned long long)hash_texts(compiled));
    proof->same = strcmp(texts, proof->texts) == 0;
    if (!proof->same)
        return false;
    const CheckLaunch nothing = {0};
    CheckLaunch launch = usual_launch(&nothing, compiled, 0, 0), found;
    out->len = 0;
    write_launch_description(compiled, &launch, false, out);
    if (!proof->seek_launch)
        return false;
    CheckOptions options = {.threads = CHECK_SPREAD, .max_steps = 1 << 20};
    CheckResult result;
    check_kernel(compiled->unit, compiled->module, &launch, &options, &result);
    bool is_valid = result.failure == CHECK_OK;
    if (result.failure == CHECK_FINDING && !result.reverse_finding &&
        advise(compiled, &nothing, &result.finding, is_valid_launch, &compiled, &found)) {
        launch = usual_launch(&found, compiled, 0, 0);
        is_valid = true;
    }
    if (is_valid) {
        out->len = 0;
        write_launch_description(compiled, &launch, true, out);
    }
    return false;
}

/* False: out of memory. */
static bool make_harvested(StoredWorker *worker, uint64_t index, const char *line, size_t len, Candidate *candidate,
                           Text *out)
{
    json_t *find = json_read(line, len);
    int category = category_named(json_member_string(find, "category"));
    const char *revision = json_member_string(find, "revision");
    SynthSample sample = {.category = (CategoryId)category,
                          .kernel_name = json_member_string(find, "kernel_name"),
                          .description = json_member_string(find, "description"),
                          .instruction = json_member_string(find, "instruction"),
                          .source = json_member_string(find, "source"),
                          .plan = EMPTY_PLAN,
                          .plan_len = strlen(EMPTY_PLAN)};
    Origin origin = {.project = json_member_string(find, "project"),
                     .file = json_member_string(find, "file"),
                     .license = json_member_string(find, "license"),
                     .revision = *revision ? revision : NULL,
                     .line = (uint64_t)json_integer_value(json_object_get(find, "line"))};
    Proof proof = {.worker = worker, .texts = json_member_string(find, "texts"), .seek_launch = true};
    sample.source_len = strlen(sample.source);
    *candidate = (Candidate){.index = index, .start = out->len, .reason = REASON_TEXT};
    bool done = find && category != CATEGORY_COUNT &&
                stored_compile(worker, &sample, &(PipelineVisitor){.compiled = prove, .user = &proof});
    if (done && proof.same) {
        stored_use_launch(worker, &sample);
        done = candidate_of_sample(worker->maker, &sample, &origin, index, NULL, candidate, out);
    }
    json_decref(find);
    return done && !out->failed;
}

static const char *next_find(void *user, size_t *len, CorpusError *error)
{
    Harvest *harvest = user;
    (void)error;
    if (harvest->next == harvest->start_count)
        return NULL;
    const char *line = harvest->lines.data + harvest->starts[harvest->next++];
    *len = strlen(line);
    return line;
}

CorpusOutcome corpus_harvest(Harvest *harvest, const char *dir, const CorpusRun *run, CorpusError *error)
{
    CorpusOptions options = harvest->options;
    StoredSources sources = {.user = harvest, .from = "what was found", .next = next_find, .make = make_harvested};
    options.stored = options.harvested = true;
    options.count = harvest->start_count;
    snprintf(options.origin, sizeof options.origin, "%016llx",
             (unsigned long long)XXH3_64bits(harvest->lines.len ? harvest->lines.data : "", harvest->lines.len));
    if (!options.count) {
        corpus_fail(error, "there is no kernel that could be a record");
        return CORPUS_FAILED;
    }
    harvest->next = 0;
    return stored_run(&sources, dir, &options, run, error);
}
