/* The syntax tree: Python's own node kinds, fields and field order.
 *
 * Names and order follow Python's `ast` module, because Warp's kernel hash depends on
 * the order of a breadth-first walk over those fields (see node_children). Positions are
 * byte offsets into the source; `end` is exclusive. A parenthesised expression has the
 * positions of what is inside, a tuple in parentheses includes them: as in Python. */
#ifndef WEFT_FRONT_AST_H
#define WEFT_FRONT_AST_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/name.h"
#include "base/text.h"

typedef enum NodeKind {
#define NODE(kind, ...) NODE_##kind,
#include "front/node.def"
#undef NODE
    NODE_KIND_COUNT
} NodeKind;

typedef enum OpKind {
#define OP(kind, python_class, symbol, precedence, builtin) OP_##kind,
#include "lang/op.def"
#undef OP
    OP_KIND_COUNT
} OpKind;

typedef enum ConstantKind {
    CONSTANT_NONE,
    CONSTANT_ELLIPSIS,
    CONSTANT_BOOL,
    CONSTANT_INT,
    CONSTANT_FLOAT,
    CONSTANT_COMPLEX, /* the imaginary part is in `real` */
    CONSTANT_STR,     /* decoded, UTF-8 (a lone surrogate as its three bytes) */
    CONSTANT_BYTES
} ConstantKind;

/* The kinds of a NODE_PATTERN of a match statement, with what `parts` holds, in Python's field order. */
typedef enum PatternKind {
    PATTERN_VALUE,     /* the expression */
    PATTERN_SINGLETON, /* None, True or False, as a constant (in Python no child) */
    PATTERN_SEQUENCE,  /* patterns */
    PATTERN_MAPPING,   /* the keys, then as many patterns; `name`: of **rest, or NULL */
    PATTERN_CLASS,     /* the class, positional patterns, then one pattern for each of `keywords` */
    PATTERN_STAR,      /* nothing; `name` NULL: `*_` */
    PATTERN_AS,        /* the pattern, or nothing; `name` NULL: `_` */
    PATTERN_OR         /* the alternatives */
} PatternKind;

typedef __int128 BigInt; /* Python integers as far as weft carries them */

/* A node has memory for its own members alone: node_sizes says how much. So it is copied by node_copy(), not assigned, and never
 * becomes one of another kind that has more. (With room for the largest in each, a syntax tree took 2.3 times the memory.) */
typedef struct Node Node;
typedef struct NodeList {
    Node **items;
    uint32_t count, cap;
} NodeList;

struct Node {
    NodeKind kind;
    uint32_t start, end;
    uint32_t fact; /* for whoever makes a tree: synth numbers names and choices with it; the parser leaves it 0 */
    union {
        struct {
            NodeList body;
            NodeList decorated; /* all functions below it that have decorators: no children of its own */
        } module;
        struct { /* also NODE_ASYNC_FUNCTION_DEF */
            Name name;
            Node *params; /* NODE_ARGUMENTS */
            NodeList body, decorators;
            Node *returns;       /* or NULL */
            uint32_t def_start;  /* of `def`: the node itself starts there, decorators come before */
            uint32_t first_line; /* offset of the line of the first decorator, or of `def` */
        } function;
        struct {
            Name name;
            NodeList bases, keywords, body, decorators;
            uint32_t first_line;
        } class_def;
        struct {
            Node *value;
        } ret; /* RETURN, or NULL */
        struct {
            NodeList targets;
        } del; /* DELETE */
        struct {
            NodeList targets;
            Node *value;
        } assign; /* ASSIGN */
        struct {
            Node *target, *value;
            OpKind op;
        } aug_assign;
        struct {
            Node *target, *annotation, *value;
            bool simple;
        } ann_assign; /* value may be NULL */
        struct {
            Node *target, *iter;
            NodeList body, orelse;
        } for_loop; /* FOR, ASYNC_FOR */
        struct {
            Node *test;
            NodeList body, orelse;
        } while_loop; /* WHILE */
        struct {
            Node *test;
            NodeList body, orelse;
        } if_stmt; /* IF; elif is an IF alone in orelse */
        struct {
            NodeList items, body;
        } with; /* WITH, ASYNC_WITH: NODE_WITH_ITEM */
        struct {
            Node *context, *vars;
        } with_item;
        struct {
            Node *subject;
            NodeList cases;
        } match; /* NODE_MATCH_CASE */
        struct {
            Node *pattern, *guard;
            NodeList body;
        } match_case; /* pattern: NODE_PATTERN */
        struct {      /* see PatternKind */
            PatternKind kind;
            uint32_t keyword_count;
            Name name, *keywords;
            NodeList parts;
        } pattern;
        struct {
            Node *exc, *cause;
        } raise;
        struct {
            NodeList body, handlers, orelse, finalbody;
        } try_stmt; /* TRY, TRY_STAR: NODE_EXCEPT_HANDLER */
        struct {
            Node *type;
            Name name;
            NodeList body;
        } handler;
        struct {
            Node *test, *message;
        } assert_stmt;
        struct {
            NodeList names;
        } import; /* NODE_ALIAS */
        struct {
            Name module;
            NodeList names;
            uint32_t level;
        } import_from; /* module NULL: `from . import x` */
        struct {
            Name name, asname;
        } alias; /* name "*" for a star; asname or NULL */
        struct {
            Name *items;
            uint32_t count;
        } names; /* GLOBAL, NONLOCAL */
        struct {
            Node *value;
        } expr; /* EXPR (a statement) */
        struct {
            Name name;
            Node *value;
        } type_alias; /* `type X = …` */

        struct {
            OpKind op;
            NodeList values;
        } bool_op;
        struct {
            Node *target, *value;
        } named_expr;
        struct {
            OpKind op;
            Node *left, *right;
        } bin_op;
        struct {
            OpKind op;
            Node *operand;
        } unary_op;
        struct {
            Node *params, *body;
        } lambda;
        struct {
            Node *test, *body, *orelse;
        } if_exp;
        struct {
            NodeList keys, values;
        } dict; /* keys[i] NULL for `**x` */
        struct {
            NodeList elts;
        } sequence; /* SET, LIST, TUPLE */
        struct {
            Node *elt, *value;
            NodeList generators;
        } comp; /* LIST_, SET_, DICT_COMP, GENERATOR_EXP; value only for dict */
        struct {
            Node *target, *iter;
            NodeList ifs;
            bool is_async;
        } comprehension;
        struct {
            Node *value;
        } wrap; /* AWAIT, YIELD (or NULL), YIELD_FROM, STARRED */
        struct {
            Node *left;
            OpKind *ops;
            NodeList comparators;
        } compare; /* as many ops as comparators */
        struct {
            Node *func;
            NodeList args, keywords;
        } call; /* NODE_KEYWORD */
        struct {
            Name name;
            Node *value;
        } keyword; /* name NULL for `**x` */
        struct {
            NodeList values;
        } joined_str; /* strings and NODE_FORMATTED_VALUE */
        struct {
            Node *value, *format_spec;
            char conversion;
        } formatted_value; /* conversion 0, 's', 'r' or 'a' */
        struct {
            ConstantKind kind : 8;
            bool is_long; /* INT: does it need more than 64 bits? */
            uint32_t len; /* of STR and BYTES */
            union {
                bool truth;
                int64_t shorter; /* INT: read by constant_integer(), written by constant_set_integer() */
                const BigInt *longer;
                double real;
                const char *text; /* STR and BYTES */
            };
        } constant;
        struct {
            Node *value;
            Name attr;
            uint32_t attr_start;
        } attribute;
        struct {
            Node *value, *slice;
        } subscript;
        struct {
            Node *lower, *upper, *step;
        } slice; /* each may be NULL */
        struct {
            Name id;
            bool store;
        } name; /* store: also for del */

        struct {
            NodeList posonly, args;
            Node *vararg;
            NodeList kwonly, kw_defaults; /* kw_defaults[i] NULL: none */
            Node *kwarg;
            NodeList defaults; /* of the last posonly+args */
        } arguments;
        struct {
            Name name;
            Node *annotation;
        } arg; /* annotation may be NULL */
    };
};

/* The number of a CONSTANT_INT; 0 for any other kind. A module may have millions of them, of which hardly one needs the room of a BigInt. */
static inline BigInt constant_integer(const Node *node)
{
    if (node->constant.kind != CONSTANT_INT)
        return 0;
    return node->constant.is_long ? *node->constant.longer : node->constant.shorter;
}
void constant_set_integer(Arena *arena, Node *node, BigInt integer);

extern const uint8_t node_sizes[NODE_KIND_COUNT]; /* in bytes; multiples of what a Node is aligned to */
Node *node_copy(Arena *arena, const Node *node);  /* its children are those of the node itself */

/* Every child in the order of Python's `_fields`, operators and contexts left out. NULL children are skipped. */
typedef void NodeVisitor(const Node *child, void *user);
typedef void NodeEditor(Node *child, void *user);
void node_children(const Node *node, NodeVisitor *visit, void *user);
void node_edit_children(Node *node, NodeEditor *edit, void *user); /* the same for those who may change them */

/* Where a node keeps a child, or a list of them. Offset 0 (the kind itself) ends a row. */
typedef struct ChildField {
    uint16_t offset;
    bool is_list;
} ChildField;
enum { MAX_CHILD_FIELDS = 8 };
extern const ChildField node_child_fields[NODE_KIND_COUNT][MAX_CHILD_FIELDS];

typedef struct ChildList {
    Node *const *items; /* NULL where there is none */
    uint32_t count;
} ChildList;
static inline ChildList node_child_list(const Node *node, const ChildField *field)
{
    const char *place = (const char *)node + field->offset;
    const NodeList *list = (const NodeList *)(const void *)place;
    return field->is_list ? (ChildList){list->items, list->count} : (ChildList){(Node *const *)(const void *)place, 1};
}

/* As node_children, for walks that much depends on: `visit` becomes a part of the loop. */
static inline void node_each_child(const Node *node, NodeVisitor *visit, void *user)
{
    for (const ChildField *field = node_child_fields[node->kind]; field->offset; field++) {
        ChildList list = node_child_list(node, field);
        for (uint32_t i = 0; i < list.count; i++)
            if (list.items[i])
                visit(list.items[i], user);
    }
}

const char *node_kind_name(NodeKind kind);  /* as Python's ast module calls it: "BinOp" */
const char *op_symbol(OpKind op);           /* "+", "not in" */
const char *op_builtin(OpKind op);          /* the builtin behind it: "add"; NULL: none */
const char *node_kind_words(NodeKind kind); /* for messages: "an f-string", "a 'try' statement" */
const char *op_class_name(OpKind op);       /* "Add" */
char node_family(NodeKind kind);            /* 's': statement, 'e': expression, 'h': helper, as in node.def */
static inline bool is_statement(const Node *node)
{
    return node_family(node->kind) == 's';
}

/* The dotted path of a Name/Attribute chain (`wp.types.vector`): number of parts, 0 if it is no such chain. */
uint32_t node_path(const Node *node, Name *parts, uint32_t max_parts);

/* A readable dump: one node per line, indented, with its position. */
void ast_dump(const Node *node, const Source *source, Text *out);

/* Python text for a tree; parsing it again gives the same tree. Parentheses only where needed. */
void unparse(const Node *node, Text *out);
void unparse_readable(const Node *node, Text *out); /* with parentheses that nobody needs but the reader */

#endif
