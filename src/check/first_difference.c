/* Where the two evaluators part: the first thread, the first element, and the statement that made the first difference.
 *
 * The threads of a launch are run one at a time by both, each keeping a journal. Of the first thread after which anything
 * differs, the statement is the first whose value the syntax tree has and the region tree has not: neither among the results
 * of that statement's own operations nor, for a value that was only read or passed on, anywhere else. */
#include "check/check_impl.h"

#include <math.h>

enum { JOURNAL_LENGTH = 1 << 14 };

/* ---- elements ---- */

typedef struct Search {
    Arena *arena;
    double tolerance;
    CheckDifference *out;
} Search;

static const char *element_name(Arena *arena, const char *name, const LaunchValue *value, size_t cell)
{
    Text text;
    text_init_in(&text, arena);
    text_str(&text, name);
    size_t element = cell / value->width, rest = value->count;
    for (uint32_t i = 0; i < value->ndim; i++) {
        rest /= value->shape[i];
        text_format(&text, "%s%zu", i ? ", " : "[", element / rest);
        element %= rest;
    }
    text_str(&text, value->ndim ? "]" : "");
    if (value->width > 1)
        text_format(&text, "[%zu]", cell % value->width);
    return text_cstr(&text);
}

static bool find_element(Search *search, const char *name, const LaunchValue *a, const LaunchValue *b)
{
    for (uint32_t i = 0; i < a->field_count; i++) {
        const char *field =
            arena_join(search->arena, arena_join(search->arena, name, "."), a->type->decl->fields[i].name->text);
        if (find_element(search, field, &a->fields[i], &b->fields[i]))
            return true;
    }
    double scale = array_scale(a);
    for (size_t i = 0; a->type->kind == TYPE_ARRAY && i < a->count * a->width; i++) {
        if (cell_difference(a, b, i, scale) <= search->tolerance) /* NaN is none */
            continue;
        bool is_real = type_is_float(a->cell_types[i % a->width]);
        search->out->element = element_name(search->arena, name, a, i);
        search->out->syntax_tree = is_real ? a->cells[i].real : (double)a->cells[i].integer;
        search->out->region_tree = is_real ? b->cells[i].real : (double)b->cells[i].integer;
        return true;
    }
    return false;
}

/* ---- statements ---- */

static bool is_same(const JournalEntry *a, Cell b)
{
    if (!a->is_real)
        return a->value.integer == b.integer;
    return a->value.real == b.real || (isnan(a->value.real) && isnan(b.real)) ||
           fabs(a->value.real - b.real) <= 1e-7 * fmax(fabs(a->value.real), 1e-12);
}

static bool holds(const LaunchValue *value, const JournalEntry *entry)
{
    for (uint32_t i = 0; i < value->field_count; i++)
        if (holds(&value->fields[i], entry))
            return true;
    for (size_t i = 0; i < value->count * value->width; i++)
        if (type_is_float(value->cell_types[i % value->width]) == entry->is_real && is_same(entry, value->cells[i]))
            return true;
    return false;
}

static bool is_an_input(const Launch *launch, const JournalEntry *entry)
{
    for (uint32_t i = 0; i < launch->arg_count; i++)
        if (holds(&launch->args[i], entry))
            return true;
    return false;
}

/* Does the region tree have this value? A statement without operations of its own only gives a name to something. */
static bool is_known(const Journal *tree, const JournalEntry *entry, const Launch *before)
{
    bool has_own = false;
    for (uint32_t i = 0; i < tree->count; i++) {
        const JournalEntry *other = &tree->items[i];
        bool own = other->source == entry->source;
        if (other->is_real != entry->is_real)
            continue;
        has_own |= own;
        if ((own || entry->is_real) && is_same(entry, other->value))
            return true;
    }
    return !has_own || is_an_input(before, entry);
}

static void find_statement(const Journal *ast, const Journal *tree, const Launch *before, CheckDifference *out)
{
    for (uint32_t i = 0; i < ast->count && !out->has_statement; i++)
        if (!is_known(tree, &ast->items[i], before)) {
            out->has_statement = true;
            out->offset = ast->items[i].source;
        }
}

/* ---- threads ---- */

static Journal new_journal(Arena *arena)
{
    return (Journal){.items = ARENA_ARRAY(arena, JournalEntry, JOURNAL_LENGTH), .cap = JOURNAL_LENGTH};
}

bool locate_difference(const Evaluators *evaluators, const Launch *start, double tolerance, CheckDifference *out)
{
    Arena *arena = evaluators->unit->building;
    Launch *left = launch_copy(arena, start), *right = launch_copy(arena, start), *before = launch_copy(arena, start);
    Journal ast = new_journal(arena), tree = new_journal(arena);
    uint64_t count = launch_running(start);
    *out = (CheckDifference){0};
    for (uint64_t i = 0; i < count; i++) {
        uint32_t thread = start->threads ? start->threads[i] : (uint32_t)i;
        PathSum trails[2] = {0};
        AstRun ast_run = {.in_double = evaluators->in_double,
                          .max_steps = evaluators->max_steps,
                          .path_sum = &trails[0],
                          .journal = &ast};
        TreeRun tree_run = {.max_steps = evaluators->max_tree_steps, .path_sum = &trails[1], .journal = &tree};
        launch_restore(before, left);
        ast.count = tree.count = 0;
        left->threads = right->threads = &thread;
        left->thread_count = right->thread_count = 1;
        if (!ast_program_run(evaluators->ast, left, &ast_run) || !tree_execute(evaluators->tree, right, &tree_run))
            return false;
        if (check_difference(left, right) <= tolerance && path_difference(&trails[0], &trails[1]) <= tolerance)
            continue;
        launch_thread(left, 0, out->thread);
        const Code *code = evaluators->code;
        Search search = {arena, tolerance, out};
        for (uint32_t k = 0; k < left->arg_count; k++)
            if (find_element(&search, code->params[k].name->text, &left->args[k], &right->args[k]))
                break;
        find_statement(&ast, &tree, before, out);
        out->is_located = true;
        return true;
    }
    return false;
}
