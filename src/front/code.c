/* The source text of a definition, as Warp hashes it, and the wp.static() calls in it. */
#include "front/static_impl.h"

#include <endian.h>
#include <string.h>

/* ---- source text ---- */

typedef struct Lines { /* a cursor over physical lines; \r\n and \r end a line, too */
    const char *text;
    size_t len;
    bool has_carriage; /* \r occurs at all: most files need not look for it */
} Lines;

static size_t line_end(Lines lines, size_t at) /* offset of the terminator, or len */
{
    const char *newline = memchr(lines.text + at, '\n', lines.len - at);
    size_t end = newline ? (size_t)(newline - lines.text) : lines.len;
    const char *carriage = lines.has_carriage ? memchr(lines.text + at, '\r', end - at) : NULL;
    return carriage ? (size_t)(carriage - lines.text) : end;
}

static size_t behind_end(Lines lines, size_t at) /* of the line that ends here */
{
    if (at + 1 < lines.len && lines.text[at] == '\r' && lines.text[at + 1] == '\n')
        return at + 2;
    return at < lines.len ? at + 1 : at;
}

static size_t next_line(Lines lines, size_t at)
{
    return behind_end(lines, line_end(lines, at));
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\f' || c == '\v';
}

static size_t indentation(Lines lines, size_t at)
{
    size_t i = at;
    for (uint64_t word; lines.len - i >= sizeof word; i += sizeof word) { /* most of it is blanks */
        memcpy(&word, lines.text + i, sizeof word);
        word = le64toh(word) ^ 0x2020202020202020u;
        if (word) {
            i += (size_t)__builtin_ctzll(word) / 8;
            break;
        }
    }
    while (i < lines.len && is_space(lines.text[i]))
        i++;
    return i - at;
}

static bool is_blank(Lines lines, size_t at)
{
    at += indentation(lines, at);
    return at == lines.len || lines.text[at] == '\n' || (lines.has_carriage && lines.text[at] == '\r');
}

/* The definition's last line, then comments that are indented more than it. */
static size_t definition_end(Lines lines, size_t start, size_t node_end)
{
    size_t base = indentation(lines, start);
    size_t end = next_line(lines, node_end), kept = end;
    while (end < lines.len) {
        if (!is_blank(lines, end) && indentation(lines, end) <= base)
            break;
        bool blank = is_blank(lines, end);
        end = next_line(lines, end);
        if (!blank)
            kept = end;
    }
    return kept;
}

static size_t common_margin(Lines lines, size_t start, size_t end)
{
    size_t margin = indentation(lines, start);
    for (size_t at = start; margin && at < end; at = next_line(lines, at)) {
        if (is_blank(lines, at))
            continue;
        if (lines.len - at >= margin && memcmp(lines.text + at, lines.text + start, margin) == 0)
            continue;
        size_t same = 0;
        while (same < margin && lines.text[at + same] == lines.text[start + same])
            same++;
        margin = same;
    }
    return margin;
}

/* Is the text of these lines what is hashed? Blanks alone on a line are not. */
static bool stands_as_written(Lines lines, size_t start, size_t end)
{
    if (lines.has_carriage || end == start || lines.text[end - 1] != '\n')
        return false;
    for (size_t at = start, stop; at < end; at = stop + 1) {
        stop = line_end(lines, at);
        if (stop > at && is_space(lines.text[stop - 1]) && is_blank(lines, at))
            return false;
    }
    return true;
}

static void find_source(Unit *unit, Code *code)
{
    const File *file = code->scope->file;
    Lines lines = {file->source->text, file->source->len, file->has_carriage};
    size_t start = code->def->function.first_line;
    size_t end = definition_end(lines, start, code->def->end);
    size_t margin = common_margin(lines, start, end);
    code->source_start = (uint32_t)start;
    code->margin = (uint32_t)margin;
    if (!margin && stands_as_written(lines, start, end)) {
        code->source = lines.text + start;
        code->source_len = (uint32_t)(end - start);
        return;
    }
    char *out = arena_take(unit->arena, end - start + 2), *to = out;
    for (size_t at = start, stop; at < end; at = behind_end(lines, stop)) {
        stop = line_end(lines, at);
        if (!is_blank(lines, at)) {
            memcpy(to, lines.text + at + margin, stop - at - margin);
            to += stop - at - margin;
        }
        *to++ = '\n';
    }
    code->source = out;
    code->source_len = (uint32_t)(to - out);
}

void code_segment(const Code *code, uint32_t start, uint32_t end, Text *out)
{
    const File *file = code->scope->file;
    Lines lines = {file->source->text, end, file->has_carriage};
    for (size_t at = start; at < end;) {
        size_t stop = line_end(lines, at), next = next_line(lines, at);
        text_add(out, lines.text + at, stop - at);
        if (stop < end)
            text_char(out, '\n');
        size_t skip = 0;
        while (skip < code->margin && next + skip < end && is_space(lines.text[next + skip]))
            skip++;
        at = next + skip;
    }
}

const Node *static_argument(const Node *call)
{
    return call->call.args.count == 1 && !call->call.keywords.count ? call->call.args.items[0] : NULL;
}

void static_code(const Code *code, const Node *argument, Text *out)
{
    size_t from = out->len;
    code_segment(code, argument->start, argument->end, out);
    size_t to = from;
    bool several = memchr(out->data + from, '\n', out->len - from) != NULL;
    for (size_t i = from; i < out->len; i++)
        if (out->data[i] != '\n')
            out->data[to++] = out->data[i];
    while (several && to > from && is_space(out->data[to - 1]))
        to--;
    out->len = to;
}

/* ---- wp.static() ---- */

const Value *static_call_value(Unit *unit, const Node *call, const Scope *scope)
{
    const Node *argument = static_argument(call);
    if (!argument)
        return value_wrong(unit->arena, "wp.static() takes one expression, without a keyword");
    const Value *value = static_eval(unit, argument, scope);
    if (value->kind == VALUE_ENUM_MEMBER)
        return value_int(unit->arena, value->member.value);
    const Value *trouble = value->kind == VALUE_STRUCT ? instance_trouble(value) : NULL;
    return trouble ? trouble : value;
}

typedef struct StaticWalk {
    Unit *unit;
    Code *code;
    Scope *scope;        /* the definition's, with its parameters as types */
    Name loop_names[32]; /* of the loops around the current node */
    uint32_t loop_count;
} StaticWalk;

static bool is_static_call(StaticWalk *walk, const Node *node)
{
    Name parts[8];
    bool missing;
    uint32_t count = node_path(node->call.func, parts, 8);
    for (uint32_t i = 0; count && i < walk->code->param_count; i++)
        if (walk->code->params[i].name == parts[0])
            return false;
    return count &&
           value_is_intrinsic(resolve_path(walk->unit, walk->code->scope, parts, count, &missing),
                              INTRINSIC_WP_STATIC) &&
           !missing;
}

static void find_loop_name(const Node *node, void *user)
{
    StaticWalk *walk = user;
    if (!walk->code) /* found already */
        return;
    if (node->kind == NODE_NAME)
        for (uint32_t i = 0; i < walk->loop_count; i++)
            if (walk->loop_names[i] == node->name.id) {
                walk->code = NULL;
                return;
            }
    node_children(node, find_loop_name, user);
}

static bool uses_loop_name(const StaticWalk *walk, const Node *argument)
{
    StaticWalk search = *walk;
    find_loop_name(argument, &search);
    return !search.code;
}

static void record_static(StaticWalk *walk, const Node *call, const Value *value)
{
    Unit *unit = walk->unit;
    Code *code = walk->code;
    unit->scratch.len = 0;
    static_code(code, static_argument(call), &unit->scratch);
    StaticValue *entry = &ARENA_PUSH(unit->arena, code->statics, code->static_count, code->static_cap);
    table_add(&code->static_places, unit->arena, call)->number = code->static_count - 1;
    entry->call = call;
    entry->value = value;
    entry->code = arena_strndup(unit->arena, unit->scratch.data, unit->scratch.len);
    entry->code_len = (uint32_t)unit->scratch.len;
}

const StaticValue *code_static(const Code *code, const Node *node)
{
    const TableSlot *slot = code->static_places.count ? table_find(&code->static_places, node) : NULL;
    return slot ? &code->statics[slot->number] : NULL;
}

/* The value that the program itself says the call has. */
static const Value *told_value(StaticWalk *walk, const Node *argument)
{
    Unit *unit = walk->unit;
    const Code *code = walk->code;
    unit->scratch.len = 0;
    if (code->told_count)
        static_code(code, argument, &unit->scratch);
    for (uint32_t i = 0; i < code->told_count; i++)
        if (code->told[i].code_len == unit->scratch.len &&
            memcmp(code->told[i].code, unit->scratch.data, unit->scratch.len) == 0)
            return code->told[i].value;
    return NULL;
}

static void visit_static(const Node *node, void *user)
{
    StaticWalk *walk = user;
    bool loop = node->kind == NODE_FOR && node->for_loop.target->kind == NODE_NAME && walk->loop_count < 32;
    if (loop)
        walk->loop_names[walk->loop_count++] = node->for_loop.target->name.id;
    if (node->kind == NODE_CALL && is_static_call(walk, node)) {
        const Node *argument = static_argument(node);
        const Value *told = argument ? told_value(walk, argument) : NULL;
        if (told) {
            record_static(walk, node, told);
            return;
        }
        if (!argument || walk->code->statics_told || uses_loop_name(walk, argument))
            walk->code->has_deferred_statics = true;
        else {
            const Value *value = static_call_value(walk->unit, node, walk->scope);
            if (value->kind != VALUE_UNKNOWN) {
                record_static(walk, node, value);
                return;
            }
            walk->code->has_deferred_statics = true;
            walk->code->has_unknown_statics |= !value->wrong;
        }
    }
    node_children(node, visit_static, user);
    if (loop)
        walk->loop_count--;
}

void code_resolve_statics(Unit *unit, Code *code)
{
    static const char word[] = "static";
    if (!names_may_have(unit->names, WATCH_STATIC) || !memmem(code->source, code->source_len, word, sizeof word - 1))
        return;
    StaticWalk walk = {.unit = unit, .code = code, .scope = scope_new(unit, code->scope, "")};
    for (uint32_t i = 0; i < code->param_count; i++)
        scope_bind(unit, walk.scope, code->params[i].name, value_of_variable(unit->arena, code->params[i].type));
    visit_static(code->def, &walk);
}

void code_finish(Unit *unit, Code *code)
{
    find_source(unit, code);
    code_resolve_statics(unit, code);
}

/* ---- names ---- */

typedef struct NameSearch {
    Name name;           /* NULL: any name of the scopes */
    const Scope *scopes; /* of the functions around */
    bool stored, used;
} NameSearch;

/* Has a function around a definition the name? */
static bool is_enclosed(const Scope *scope, Name name)
{
    for (; scope->parent; scope = scope->parent)
        if (scope_find_here(scope, name))
            return true;
    return false;
}

static void find_name(const Node *node, void *user)
{
    NameSearch *search = user;
    if (node->kind == NODE_NAME &&
        (search->name ? node->name.id == search->name : is_enclosed(search->scopes, node->name.id))) {
        search->used = true;
        search->stored |= node->name.store;
    }
    if (!search->stored)
        node_children(node, find_name, user);
}

static void find_in_body(const Code *code, NameSearch *search)
{
    for (uint32_t i = 0; i < code->def->function.body.count && !search->stored; i++)
        find_name(code->def->function.body.items[i], search);
}

bool binds_outer_name(const Code *code)
{
    NameSearch search = {.scopes = code->scope};
    find_in_body(code, &search);
    return search.stored;
}

/* A function has of those around it what its body names; decorators and annotations are evaluated outside of it. */
const Scope *reference_scope(const Code *code, Name name)
{
    const Scope *module = code->scope;
    if (!module->parent)
        return module;
    while (module->parent)
        module = module->parent;
    for (uint32_t i = 0; i < code->param_count; i++)
        if (code->params[i].name == name)
            return module;
    if (code->binds_no_outer)
        return code->scope;
    NameSearch search = {.name = name};
    find_in_body(code, &search);
    return search.stored || !search.used ? module : code->scope;
}

uint32_t place_in_kernel(const Code *kernel, const Code *code, uint32_t offset)
{
    return code->scope->file == kernel->scope->file ? offset : kernel->def->start;
}
