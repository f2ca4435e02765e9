/* Data sets of record format 1, written again in the present format.
 *
 * An old record gives its source, description, category and launch description; everything else is made from these as for any
 * candidate. A record whose text is not what weft writes for its source today is refused, comments aside. */
#include "corpus/arguments.h"
#include "corpus/old_set.h"
#include "corpus/stored.h"

#include <stdlib.h>

/* ---- one record ---- */

/* What an old record says about an argument. */
static CheckArg read_about(const json_t *about)
{
    const json_t *range = json_object_get(about, "range"), *value = json_object_get(about, "value");
    const json_t *shape = json_object_get(about, "shape");
    CheckArg said = {.sorted = json_is_true(json_object_get(about, "sorted"))};
    for (; said.ndim < json_array_size(shape) && said.ndim < 4; said.ndim++)
        said.shape[said.ndim] = (uint32_t)json_integer_value(json_array_get(shape, said.ndim));
    said.has_range = json_array_size(range) == 2;
    said.low = json_number_value(json_array_get(range, 0));
    said.high = json_number_value(json_array_get(range, 1));
    said.has_value = json_is_boolean(value) || json_is_number(value);
    said.value = json_is_boolean(value) ? json_is_true(value) : json_number_value(value);
    return said;
}

typedef struct ArgumentList {
    json_t *rows;
    const char *name; /* of the parameter */
    Arena *arena;
    const char *written; /* the role of what the kernel writes */
} ArgumentList;

static bool is_written(const json_t *about)
{
    return json_is_true(json_object_get(about, "output"));
}

/* A struct's fields follow it; of an array of structs, those of its elements. */
static void add_argument(ArgumentList *list, const char *path, const Type *type, const json_t *about)
{
    Text repr = text_in(list->arena);
    type_repr(type_canonical(type), &repr);
    const CheckArg said = read_about(about);
    json_array_append_new(list->rows, argument_row(list->name, path, text_cstr(&repr), &said,
                                                   is_written(about) ? list->written : "input"));
    const json_t *fields = json_object_get(about, "fields");
    type = type_canonical(type);
    type = type->kind == TYPE_ARRAY ? type_canonical(type->array.dtype) : type;
    for (uint32_t i = 0; fields && type->kind == TYPE_STRUCT && i < type->decl->field_count; i++) {
        const char *field = type->decl->fields[i].name->text;
        const char *inner = path ? arena_format(list->arena, "%s.%s", path, field) : field;
        const json_t *inside = json_object_get(fields, field);
        if (inside)
            add_argument(list, inner, type->decl->fields[i].type, inside);
    }
}

enum { MOST_LANES = 1024 };

typedef struct LaunchVisit {
    StoredWorker *worker;
    const json_t *launch;
    unsigned reason; /* against the record */
} LaunchVisit;

static bool write_launch(const Compiled *compiled, void *user)
{
    LaunchVisit *visit = user;
    const Code *code = compiled->module->kernel->code;
    const json_t *args = json_object_get(visit->launch, "args"), *block = json_object_get(visit->launch, "block_dim");
    bool has_block = json_integer_value(block) >= 1 && json_integer_value(block) <= MOST_LANES;
    visit->reason = REASON_LAUNCH;
    if (compiled->module->uses_tiles && !has_block)
        return false; /* of how many threads? */
    Text *out = &visit->worker->launch;
    ArgumentList list = {.rows = json_array(), .arena = compiled->unit->arena};
    const ParamUses *uses = check_param_uses(list.arena, code);
    for (uint32_t i = 0; i < code->param_count; i++) {
        list.name = code->params[i].name->text;
        list.written = check_is_output(uses, &code->params[i]) ? "output" : "inout";
        add_argument(&list, NULL, code->params[i].type, json_object_get(args, list.name));
    }
    out->len = 0;
    text_lit(out, LAUNCH_HEAD);
    json_write(json_object_get(visit->launch, "dim"), out);
    if (compiled->module->uses_tiles)
        text_format(out, LAUNCH_BLOCK "%u", (unsigned)json_integer_value(block));
    text_lit(out, LAUNCH_ARGUMENTS);
    json_write(list.rows, out);
    text_char(out, '}');
    json_decref(list.rows);
    visit->reason = REASON_NONE;
    return false;
}

/* The launch description as records have it now, with types and roles from the compiled kernel. REASON_NONE: done. */
static unsigned convert_launch(StoredWorker *worker, const SynthSample *sample, const json_t *launch)
{
    LaunchVisit visit = {worker, launch, REASON_REFUSED};
    if (!json_is_array(json_object_get(launch, "dim")))
        return REASON_LAUNCH;
    bool done = stored_compile(worker, sample, &(PipelineVisitor){.compiled = write_launch, .user = &visit}) &&
                !worker->launch.failed;
    return done ? visit.reason : REASON_REFUSED;
}

/* The text without comments, and without lines that are empty then. */
static void strip_comments(const char *text, Text *out)
{
    while (*text) {
        size_t start = out->len;
        for (bool quoted = false; *text && *text != '\n'; text++) {
            if (!quoted && text[0] == '/' && text[1] == '/') {
                text += strcspn(text, "\n");
                break;
            }
            quoted ^= *text == '"' && !(quoted && text[-1] == '\\');
            text_char(out, *text);
        }
        while (out->len > start && strchr(" \t\r", out->data[out->len - 1]))
            out->len--;
        if (out->len > start)
            text_char(out, '\n');
        text += *text == '\n';
    }
}

static bool same_but_for_comments(const char *a, const char *b)
{
    Text left, right;
    text_init(&left);
    text_init(&right);
    strip_comments(a, &left);
    strip_comments(b, &right);
    bool same = !left.failed && !right.failed && left.len == right.len &&
                (!left.len || memcmp(left.data, right.data, left.len) == 0);
    text_free(&left);
    text_free(&right);
    return same;
}

/* NULL: every text of the old record is that of the new one; otherwise the column that differs. */
static const char *differing_text(const json_t *old, const char *record, size_t len)
{
    static const char *const columns[] = {
        "cuda_prelude", "cuda_forward", "cuda_backward", "cpp_prelude", "cpp_forward", "cpp_backward", NULL};
    Text whole;
    text_init(&whole);
    text_char(&whole, '{');
    text_add(&whole, record, len);
    json_t *now = whole.failed ? NULL : json_read_members(whole.data, whole.len, columns);
    const char *differs = now ? NULL : "record";
    for (size_t i = 0; !differs && columns[i]; i++) {
        const json_t *before = json_object_get(old, columns[i]), *after = json_object_get(now, columns[i]);
        if (json_is_string(before) && json_is_string(after) &&
            !same_but_for_comments(json_string_value(before), json_string_value(after)))
            differs = columns[i];
    }
    json_decref(now);
    text_free(&whole);
    return differs;
}

/* False: out of memory. A candidate with a reason is refused. */
static bool migrate_record(StoredWorker *worker, uint64_t index, const char *line, size_t len, Candidate *candidate,
                           Text *out)
{
    json_t *old = json_read(line, len);
    const json_t *metadata = json_object_get(old, "metadata");
    int category = category_named(json_member_string(old, "category"));
    const char *description = json_member_string(metadata, "description");
    SynthSample sample = {.category = (CategoryId)category,
                          .kernel_name = json_member_string(old, "kernel_name"),
                          .description = description,
                          .instruction = description,
                          .source = json_member_string(old, "python_source"),
                          .plan = EMPTY_PLAN,
                          .plan_len = strlen(EMPTY_PLAN)};
    sample.source_len = strlen(sample.source);
    *candidate = (Candidate){.index = index, .start = out->len, .reason = REASON_UNREADABLE};
    bool done = true;
    if (old && category != CATEGORY_COUNT && sample.source_len && *sample.kernel_name) {
        candidate->category = (CategoryId)category;
        candidate->reason = convert_launch(worker, &sample, json_object_get(metadata, "launch"));
        if (!candidate->reason) {
            stored_use_launch(worker, &sample);
            done = candidate_of_sample(worker->maker, &sample, NULL, index, NULL, candidate, out);
            if (done && !candidate->reason && differing_text(old, out->data + candidate->start, candidate->len)) {
                candidate->reason = REASON_TEXT;
                out->len = candidate->start;
                candidate->len = candidate->gram_count = 0;
            }
        }
    }
    json_decref(old);
    return done && !out->failed;
}

/* ---- all of them ---- */

static const char *next_record(void *user, size_t *len, CorpusError *error)
{
    return old_set_next(user, len, error);
}

CorpusOutcome corpus_migrate(const char *old_dir, const char *dir, const CorpusRun *run, CorpusError *error)
{
    CorpusOptions options;
    OldSet *old = old_set_open(old_dir, &options, error);
    if (!old)
        return CORPUS_FAILED;
    StoredSources sources = {.user = old, .from = old_dir, .next = next_record, .make = migrate_record};
    CorpusOutcome outcome = stored_run(&sources, dir, &options, run, error);
    old_set_free(old);
    return outcome;
}
