#include "front/ast.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* ---- the children of every kind of node ---- */

#define ONE(member)                                                                                                    \
    {                                                                                                                  \
        offsetof(Node, member), false                                                                                  \
    }
#define LIST(member)                                                                                                   \
    {                                                                                                                  \
        offsetof(Node, member), true                                                                                   \
    }
#define NONE                                                                                                           \
    {                                                                                                                  \
        0                                                                                                              \
    }
const ChildField node_child_fields[NODE_KIND_COUNT][MAX_CHILD_FIELDS] = {
#define NODE(kind, member, spelling, family, words, ...) {__VA_ARGS__},
#include "front/node.def"
#undef NODE
};
#undef ONE
#undef LIST
#undef NONE

/* ---- memory ---- */

#define NODE_SIZE(member)                                                                                              \
    ((offsetof(Node, member) + sizeof((Node *)NULL)->member + _Alignof(Node) - 1) / _Alignof(Node) * _Alignof(Node))
const uint8_t node_sizes[NODE_KIND_COUNT] = {
#define NODE(kind, member, ...) NODE_SIZE(member),
#include "front/node.def"
#undef NODE
};
#undef NODE_SIZE
_Static_assert(sizeof(Node) <= UINT8_MAX, "the size of a node must fit into node_sizes");

Node *node_copy(Arena *arena, const Node *node)
{
    size_t size = node_sizes[node->kind];
    return memcpy(arena_take(arena, size), node, size);
}

void constant_set_integer(Arena *arena, Node *node, BigInt integer)
{
    node->constant.is_long = integer != (int64_t)integer;
    if (!node->constant.is_long) {
        node->constant.shorter = (int64_t)integer;
        return;
    }
    BigInt *longer = arena_take(arena, sizeof *longer);
    *longer = integer;
    node->constant.longer = longer;
}

/* ---- walks ---- */

void node_children(const Node *node, NodeVisitor *visit, void *user)
{
    node_each_child(node, visit, user);
}

void node_edit_children(Node *node, NodeEditor *edit, void *user)
{
    for (const ChildField *field = node_child_fields[node->kind]; field->offset; field++) {
        ChildList list = node_child_list(node, field);
        for (uint32_t i = 0; i < list.count; i++)
            if (list.items[i])
                edit(list.items[i], user);
    }
}

/* ---- names ---- */

const char *op_symbol(OpKind op)
{
    static const char *const symbols[] = {
#define OP(kind, python, symbol, precedence, builtin) symbol,
#include "lang/op.def"
#undef OP
    };
    return symbols[op];
}

const char *op_builtin(OpKind op)
{
    static const char *const builtins[] = {
#define OP(kind, python, symbol, precedence, builtin) builtin,
#include "lang/op.def"
#undef OP
    };
    return builtins[op];
}

const char *node_kind_words(NodeKind kind)
{
    static const char *const words[] = {
#define NODE(kind, member, spelling, family, words, ...) words,
#include "front/node.def"
#undef NODE
    };
    return words[kind] ? words[kind] : node_kind_name(kind);
}

char node_family(NodeKind kind)
{
    static const char families[NODE_KIND_COUNT] = {
#define NODE(kind, member, spelling, family, ...) [NODE_##kind] = family,
#include "front/node.def"
#undef NODE
    };
    return families[kind];
}

const char *node_kind_name(NodeKind kind)
{
    static const char *const names[NODE_KIND_COUNT] = {
#define NODE(kind, member, spelling, ...) [NODE_##kind] = spelling,
#include "front/node.def"
#undef NODE
    };
    return kind < NODE_KIND_COUNT ? names[kind] : "?";
}

const char *op_class_name(OpKind op)
{
    static const char *const names[OP_KIND_COUNT] = {
#define OP(kind, python_class, symbol, precedence, builtin) [OP_##kind] = python_class,
#include "lang/op.def"
#undef OP
    };
    return op < OP_KIND_COUNT ? names[op] : "?";
}

uint32_t node_path(const Node *node, Name *parts, uint32_t max_parts)
{
    uint32_t count = 1;
    const Node *root = node;
    for (; root->kind == NODE_ATTRIBUTE; root = root->attribute.value)
        count++;
    if (root->kind != NODE_NAME || count > max_parts)
        return 0;
    for (uint32_t i = count - 1; i > 0; i--, node = node->attribute.value)
        parts[i] = node->attribute.attr;
    parts[0] = root->name.id;
    return count;
}

/* ---- the dump ---- */

typedef struct Dump {
    const Source *source;
    Text lines; /* the offset of each line's start, as uint32_t */
    Text *out;
    uint32_t depth;
} Dump;

static void add_line(Dump *dump, uint32_t start)
{
    text_add(&dump->lines, (const char *)&start, sizeof start);
}

static void find_lines(Dump *dump)
{
    const char *text = dump->source->text;
    add_line(dump, 0);
    for (uint32_t i = 0; i < dump->source->len; i++)
        if (text[i] == '\n' || (text[i] == '\r' && !(i + 1 < dump->source->len && text[i + 1] == '\n')))
            add_line(dump, i + 1);
}

/* `line:column`, the line from 1, the column in bytes from 0: as Python's ast has them. */
static void dump_position(Dump *dump, uint32_t offset)
{
    uint32_t low = 0, high = (uint32_t)(dump->lines.len / sizeof(uint32_t)), start = 0;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        memcpy(&start, dump->lines.data + middle * sizeof start, sizeof start);
        if (start <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    memcpy(&start, dump->lines.data + (low - 1) * sizeof start, sizeof start);
    text_uint(dump->out, low);
    text_char(dump->out, ':');
    text_uint(dump->out, offset - start);
}

static void dump_name(Dump *dump, Name name)
{
    if (!name)
        return;
    text_char(dump->out, ' ');
    text_add(dump->out, name->text, name->len);
}

static void dump_constant(Dump *dump, const Node *node)
{
    Text *out = dump->out;
    text_char(out, ' ');
    switch (node->constant.kind) {
    case CONSTANT_NONE: text_lit(out, "None"); break;
    case CONSTANT_ELLIPSIS: text_lit(out, "..."); break;
    case CONSTANT_BOOL: text_str(out, node->constant.truth ? "True" : "False"); break;
    case CONSTANT_COMPLEX: text_python_float(out, node->constant.real), text_char(out, 'j'); break;
    case CONSTANT_FLOAT: text_python_float(out, node->constant.real); break;
    case CONSTANT_INT: unparse(node, out); break;
    case CONSTANT_BYTES: text_char(out, 'b'); /* fall through */
    case CONSTANT_STR: text_json_string(out, node->constant.text, node->constant.len); break;
    }
}

static void dump_pattern(Dump *dump, const Node *node)
{
    static const char *const kinds[] = {
        [PATTERN_VALUE] = " value",
        [PATTERN_SINGLETON] = " singleton",
        [PATTERN_SEQUENCE] = " sequence",
        [PATTERN_MAPPING] = " mapping",
        [PATTERN_CLASS] = " class",
        [PATTERN_STAR] = " star",
        [PATTERN_AS] = " as",
        [PATTERN_OR] = " or",
    };
    text_str(dump->out, kinds[node->pattern.kind]);
    dump_name(dump, node->pattern.name);
    for (uint32_t i = 0; i < node->pattern.keyword_count; i++)
        dump_name(dump, node->pattern.keywords[i]);
}

/* What a node holds besides its children. */
static void dump_attributes(Dump *dump, const Node *node)
{
    Text *out = dump->out;
    OpKind op = OP_KIND_COUNT;
    switch (node->kind) {
    case NODE_FUNCTION_DEF:
    case NODE_ASYNC_FUNCTION_DEF: dump_name(dump, node->function.name); break;
    case NODE_CLASS_DEF: dump_name(dump, node->class_def.name); break;
    case NODE_NAME:
        dump_name(dump, node->name.id);
        text_str(out, node->name.store ? " store" : "");
        break;
    case NODE_ATTRIBUTE: dump_name(dump, node->attribute.attr); break;
    case NODE_ARG: dump_name(dump, node->arg.name); break;
    case NODE_KEYWORD: dump_name(dump, node->keyword.name); break;
    case NODE_ALIAS:
        dump_name(dump, node->alias.name);
        dump_name(dump, node->alias.asname);
        break;
    case NODE_IMPORT_FROM:
        text_pad(out, '.', node->import_from.level);
        dump_name(dump, node->import_from.module);
        break;
    case NODE_EXCEPT_HANDLER: dump_name(dump, node->handler.name); break;
    case NODE_TYPE_ALIAS: dump_name(dump, node->type_alias.name); break;
    case NODE_PATTERN: dump_pattern(dump, node); break;
    case NODE_FORMATTED_VALUE:
        if (node->formatted_value.conversion)
            text_char(out, ' ');
        text_add(out, &node->formatted_value.conversion, node->formatted_value.conversion ? 1 : 0);
        break;
    case NODE_SLICE:
        text_str(out, node->slice.lower ? " lower" : "");
        text_str(out, node->slice.upper ? " upper" : "");
        text_str(out, node->slice.step ? " step" : "");
        break;
    case NODE_GLOBAL:
    case NODE_NONLOCAL:
        for (uint32_t i = 0; i < node->names.count; i++)
            dump_name(dump, node->names.items[i]);
        break;
    case NODE_CONSTANT: dump_constant(dump, node); break;
    case NODE_BIN_OP: op = node->bin_op.op; break;
    case NODE_UNARY_OP: op = node->unary_op.op; break;
    case NODE_BOOL_OP: op = node->bool_op.op; break;
    case NODE_AUG_ASSIGN: op = node->aug_assign.op; break;
    case NODE_COMPARE:
        for (uint32_t i = 0; i < node->compare.comparators.count; i++) {
            text_char(out, ' ');
            text_str(out, op_class_name(node->compare.ops[i]));
        }
        break;
    default: break;
    }
    if (op != OP_KIND_COUNT) {
        text_char(out, ' ');
        text_str(out, op_class_name(op));
    }
}

static void dump_node(const Node *node, void *user)
{
    Dump *dump = user;
    text_pad(dump->out, ' ', 2 * (size_t)dump->depth);
    text_str(dump->out, node_kind_name(node->kind));
    dump_attributes(dump, node);
    text_lit(dump->out, "  ");
    dump_position(dump, node->start);
    text_char(dump->out, '-');
    dump_position(dump, node->end);
    text_char(dump->out, '\n');
    dump->depth++;
    node_children(node, dump_node, dump);
    dump->depth--;
}

void ast_dump(const Node *node, const Source *source, Text *out)
{
    Dump dump = {.source = source, .out = out};
    text_init(&dump.lines);
    text_reserve(out, 1);
    find_lines(&dump);
    dump_node(node, &dump);
    text_free(&dump.lines);
}
