/* Prints the syntax tree of Python files as JSON, one line per file, for the comparison with CPython's parser.
 *
 *   ast_json FILE…            {"path": …, "errors": [[start, end, message]…], "tree": node}
 *   ast_json --unparse FILE…  the same for the tree of the unparsed text, which is added as "text"
 *
 * A node is [kind, start, end, attributes, children]. */
#include "base/diag.h"
#include "front/parser.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct Writer {
    Text *out;
    bool comma;
} Writer;

static void write_string(Writer *writer, const char *key, const char *bytes, size_t len)
{
    if (writer->comma)
        text_char(writer->out, ',');
    writer->comma = true;
    text_json_string(writer->out, key, strlen(key));
    text_char(writer->out, ':');
    text_json_string(writer->out, bytes, len);
}

static void write_name(Writer *writer, const char *key, Name name)
{
    if (name)
        write_string(writer, key, name->text, name->len);
}

static void write_number(Writer *writer, const char *key, uint64_t value)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%" PRIu64, value);
    write_string(writer, key, digits, strlen(digits));
}

static void write_flag(Writer *writer, const char *key, bool value)
{
    if (value)
        write_string(writer, key, "1", 1);
}

static void write_op(Writer *writer, OpKind op)
{
    write_string(writer, "op", op_class_name(op), strlen(op_class_name(op)));
}

/* Bytes as hex: they need not be UTF-8. */
static void write_hex(Writer *writer, const char *key, const char *bytes, size_t len)
{
    Text hex;
    text_init(&hex);
    for (size_t i = 0; i < len; i++)
        text_format(&hex, "%02x", (unsigned char)bytes[i]);
    write_string(writer, key, text_cstr(&hex), hex.len);
    text_free(&hex);
}

static void write_constant(Writer *writer, const Node *node)
{
    static const char *const kinds[] = {"None", "Ellipsis", "bool", "int", "float", "complex", "str", "bytes"};
    write_string(writer, "type", kinds[node->constant.kind], strlen(kinds[node->constant.kind]));
    char digits[64];
    switch (node->constant.kind) {
    case CONSTANT_BOOL: write_flag(writer, "value", node->constant.truth); break;
    case CONSTANT_INT:
        snprintf(digits, sizeof digits, "%016" PRIx64 "%016" PRIx64, (uint64_t)(constant_integer(node) >> 64),
                 (uint64_t)constant_integer(node));
        write_string(writer, "value", digits, strlen(digits));
        break;
    case CONSTANT_FLOAT:
    case CONSTANT_COMPLEX:
        snprintf(digits, sizeof digits, "%.17g", node->constant.real);
        write_string(writer, "value", digits, strlen(digits));
        break;
    case CONSTANT_STR:
    case CONSTANT_BYTES: write_hex(writer, "value", node->constant.text, node->constant.len); break;
    default: break;
    }
}

static void write_presence(Writer *writer, const char *key, const NodeList *list)
{
    Text flags;
    text_init(&flags);
    for (uint32_t i = 0; i < list->count; i++)
        text_char(&flags, list->items[i] ? '1' : '0');
    write_string(writer, key, text_cstr(&flags), flags.len);
    text_free(&flags);
}

static void write_pattern(Writer *writer, const Node *node)
{
    static const char *const kinds[] = {"MatchValue", "MatchSingleton", "MatchSequence", "MatchMapping",
                                        "MatchClass", "MatchStar",      "MatchAs",       "MatchOr"};
    write_string(writer, "pattern", kinds[node->pattern.kind], strlen(kinds[node->pattern.kind]));
    write_name(writer, "name", node->pattern.name);
    for (uint32_t i = 0; i < node->pattern.keyword_count; i++)
        write_name(writer, "keyword", node->pattern.keywords[i]);
}

/* What a node holds besides its children, and, where it is not plain, which children are there. */
static void write_attributes(Writer *writer, const Node *node)
{
    switch (node->kind) {
    case NODE_FUNCTION_DEF:
    case NODE_ASYNC_FUNCTION_DEF:
        write_name(writer, "name", node->function.name);
        write_number(writer, "body", node->function.body.count);
        write_number(writer, "decorators", node->function.decorators.count);
        write_number(writer, "first_line", node->function.first_line);
        write_number(writer, "def_start", node->function.def_start);
        break;
    case NODE_CLASS_DEF:
        write_name(writer, "name", node->class_def.name);
        write_number(writer, "bases", node->class_def.bases.count);
        write_number(writer, "decorators", node->class_def.decorators.count);
        write_number(writer, "first_line", node->class_def.first_line);
        break;
    case NODE_AUG_ASSIGN: write_op(writer, node->aug_assign.op); break;
    case NODE_ANN_ASSIGN: write_flag(writer, "simple", node->ann_assign.simple); break;
    case NODE_FOR:
    case NODE_ASYNC_FOR: write_number(writer, "body", node->for_loop.body.count); break;
    case NODE_WHILE: write_number(writer, "body", node->while_loop.body.count); break;
    case NODE_IF: write_number(writer, "body", node->if_stmt.body.count); break;
    case NODE_WITH:
    case NODE_ASYNC_WITH: write_number(writer, "items", node->with.items.count); break;
    case NODE_TRY:
    case NODE_TRY_STAR:
        write_number(writer, "body", node->try_stmt.body.count);
        write_number(writer, "handlers", node->try_stmt.handlers.count);
        write_number(writer, "orelse", node->try_stmt.orelse.count);
        break;
    case NODE_IMPORT_FROM:
        write_name(writer, "module", node->import_from.module);
        write_number(writer, "level", node->import_from.level);
        break;
    case NODE_ALIAS:
        write_name(writer, "name", node->alias.name);
        write_name(writer, "asname", node->alias.asname);
        break;
    case NODE_GLOBAL:
    case NODE_NONLOCAL:
        for (uint32_t i = 0; i < node->names.count; i++)
            write_name(writer, "name", node->names.items[i]);
        break;
    case NODE_TYPE_ALIAS: write_name(writer, "name", node->type_alias.name); break;
    case NODE_EXCEPT_HANDLER:
        write_name(writer, "name", node->handler.name);
        write_flag(writer, "typed", node->handler.type != NULL);
        break;
    case NODE_MATCH_CASE: write_flag(writer, "guard", node->match_case.guard != NULL); break;
    case NODE_PATTERN: write_pattern(writer, node); break;
    case NODE_BOOL_OP: write_op(writer, node->bool_op.op); break;
    case NODE_BIN_OP: write_op(writer, node->bin_op.op); break;
    case NODE_UNARY_OP: write_op(writer, node->unary_op.op); break;
    case NODE_DICT: write_presence(writer, "keys", &node->dict.keys); break;
    case NODE_COMPARE:
        for (uint32_t i = 0; i < node->compare.comparators.count; i++)
            write_op(writer, node->compare.ops[i]);
        break;
    case NODE_CALL: write_number(writer, "args", node->call.args.count); break;
    case NODE_KEYWORD: write_name(writer, "name", node->keyword.name); break;
    case NODE_FORMATTED_VALUE:
        if (node->formatted_value.conversion)
            write_string(writer, "conversion", &node->formatted_value.conversion, 1);
        break;
    case NODE_CONSTANT: write_constant(writer, node); break;
    case NODE_ATTRIBUTE: write_name(writer, "attr", node->attribute.attr); break;
    case NODE_SLICE:
        write_flag(writer, "lower", node->slice.lower != NULL);
        write_flag(writer, "upper", node->slice.upper != NULL);
        write_flag(writer, "step", node->slice.step != NULL);
        break;
    case NODE_NAME:
        write_name(writer, "id", node->name.id);
        write_flag(writer, "store", node->name.store);
        break;
    case NODE_ARGUMENTS:
        write_number(writer, "posonly", node->arguments.posonly.count);
        write_number(writer, "args", node->arguments.args.count);
        write_flag(writer, "vararg", node->arguments.vararg != NULL);
        write_number(writer, "kwonly", node->arguments.kwonly.count);
        write_presence(writer, "kw_defaults", &node->arguments.kw_defaults);
        write_flag(writer, "kwarg", node->arguments.kwarg != NULL);
        break;
    case NODE_ARG: write_name(writer, "name", node->arg.name); break;
    case NODE_COMPREHENSION: write_flag(writer, "async", node->comprehension.is_async); break;
    default: break;
    }
}

static void write_node(const Node *node, void *user)
{
    Writer *writer = user;
    Text *out = writer->out;
    if (writer->comma)
        text_char(out, ',');
    text_format(out, "[\"%s\",%u,%u,{", node_kind_name(node->kind), node->start, node->end);
    Writer inner = {out, false};
    write_attributes(&inner, node);
    text_lit(out, "},[");
    inner.comma = false;
    node_children(node, write_node, &inner);
    text_lit(out, "]]");
    writer->comma = true;
}

static void write_errors(Text *out, const DiagList *diags)
{
    text_char(out, '[');
    for (const Diag *diag = diags->first; diag; diag = diag->next) {
        text_format(out, "[%u,%u,", diag->offset, diag->offset + diag->length);
        text_json_string(out, diag->message, strlen(diag->message));
        text_str(out, diag->next ? "]," : "]");
    }
    text_char(out, ']');
}

static void read_all(const char *path, Text *out)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        exit(2);
    }
    char buffer[65536];
    for (size_t got; (got = fread(buffer, 1, sizeof buffer, file)) > 0;)
        text_add(out, buffer, got);
    fclose(file);
}

static void print_file(const char *path, bool unparsed)
{
    Arena arena;
    NameTable names;
    Text text, again, out;
    text_init(&text);
    text_init(&again);
    text_init(&out);
    arena_init(&arena);
    names_init(&names, &arena);
    read_all(path, &text);
    Source source = {path, text_cstr(&text), text.len};
    DiagList diags;
    diags_init(&diags, &arena);
    Node *tree = parse_module(&arena, &names, &source, &diags);
    if (unparsed && !diags.count) {
        unparse(tree, &again);
        source = (Source){path, text_cstr(&again), again.len};
        tree = parse_module(&arena, &names, &source, &diags);
    }
    text_lit(&out, "{\"path\":");
    text_json_string(&out, path, strlen(path));
    text_lit(&out, ",\"errors\":");
    write_errors(&out, &diags);
    if (unparsed) {
        text_lit(&out, ",\"text\":");
        text_json_string(&out, again.data, again.len);
    }
    text_lit(&out, ",\"tree\":");
    write_node(tree, &(Writer){&out, false});
    text_lit(&out, "}\n");
    fwrite(out.data, 1, out.len, stdout);
    text_free(&out);
    text_free(&again);
    text_free(&text);
    arena_free(&arena);
}

int main(int argc, char **argv)
{
    bool unparsed = argc > 1 && strcmp(argv[1], "--unparse") == 0;
    for (int i = unparsed ? 2 : 1; i < argc; i++)
        print_file(argv[i], unparsed);
    return 0;
}
