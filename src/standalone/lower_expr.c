/* Syntax tree to terms: names, constants, operators, attributes, subscripts. */
#include "standalone/model.h"

#include <string.h>

enum { MAX_NESTING = 150, MAX_PATH = 12, SMALL = 1 << 30 /* integers whose values the translation looks at */ };

/* ---- terms ---- */

Term *new_term(Translator *t, TermKind kind, const Type *type, Term *const *args, uint32_t count)
{
    Term *term = ARENA_NEW(t->arena, Term);
    term->kind = kind;
    term->type = type;
    term->args = ARENA_ARRAY(t->arena, Term *, count);
    term->count = count;
    for (uint32_t i = 0; i < count; i++)
        term->args[i] = args[i];
    return term;
}

Term *literal_term(Translator *t, const Type *type, const char *text)
{
    Term *term = new_term(t, TERM_LITERAL, type, NULL, 0);
    term->text = text;
    term->printed = piece_of(text);
    if (text[0] == '-')
        term->printed.tight = TIGHT_SIGN;
    return term;
}

Term *coordinate_term(Translator *t, uint32_t dim)
{
    uint32_t ndim = t->current->source->kernel_dim;
    const char *text = "thread";
    if (t->lanes)
        return block_coordinate(t, dim);
    if (dim + 1 < ndim)
        text = arena_format(t->arena, dim + 2 < ndim ? "%s / (%s)" : "%s / %s", text, thread_count(t, dim + 1));
    if (dim)
        text = arena_format(t->arena, "%s %% %s", text, thread_name(t, dim));
    Term *term = literal_term(t, type_scalar(TYPE_INT32), text);
    term->printed.tight = TIGHT_PRODUCT;
    if (ndim < 2)
        term->printed = (Piece){0}; /* it may get another name: it is printed later */
    return term;
}

static Term *with_number(Term *literal, int64_t number)
{
    literal->number = number;
    literal->has_number = number > -SMALL && number < SMALL;
    return literal;
}

Term *int_term(Translator *t, int64_t value)
{
    return with_number(literal_term(t, type_scalar(TYPE_INT32), piece_int(t, value).text), value);
}

Term *real_term(Translator *t, const Type *type, double value)
{
    return literal_term(t, type, number_text(t, value, type->kind));
}

Term *var_term(Translator *t, Var *var)
{
    if (!var->term) {
        var->term = new_term(t, TERM_VAR, var->type, NULL, 0);
        var->term->var = var;
        var->term->printed = var->label;
    }
    return var->term;
}

Term *field_term(Translator *t, Term *base, const char *field, const Type *type)
{
    Term *term = new_term(t, TERM_FIELD, type, &base, 1);
    term->text = field;
    return term;
}

Term *size_term(Translator *t, Term *array, uint32_t dim)
{
    Term *term = new_term(t, TERM_SHAPE, type_scalar(TYPE_INT32), &array, 1);
    term->part = dim;
    return term;
}

Term *part_term(Translator *t, Term *whole, uint32_t part)
{
    Term *term = new_term(t, TERM_COMPONENT, whole->type->composite.dtype, &whole, 1);
    term->part = part;
    term->keeps_part = true;
    return term;
}

/* ---- constants ---- */

static Term *number_term(Translator *t, const Type *type, Number number)
{
    if (type_is_float(type))
        return real_term(t, type, number.is_int ? (double)number.integer : number.real);
    if (type->kind == TYPE_BOOL)
        return literal_term(t, type, (number.is_int ? number.integer != 0 : number.real != 0) ? "true" : "false");
    BigInt integer = wrap_to_type(number.is_int ? number.integer : truncate_real(number.real), type->kind);
    bool is_wide = type->kind == TYPE_INT64, fits = integer > -(BigInt)SMALL && integer < (BigInt)SMALL;
    Text text = text_in(t->arena);
    if ((is_wide && integer == (BigInt)INT64_MIN) || (type->kind == TYPE_INT32 && integer == (BigInt)INT32_MIN))
        text_str(&text, is_wide ? "INT64_MIN" : "INT32_MIN");
    else {
        text_bigint(&text, integer);
        text_str(&text, type->kind == TYPE_UINT32                                ? "u"
                        : is_wide                                                ? "ll"
                        : type->kind == TYPE_UINT64 || type->kind == TYPE_HANDLE ? "ull"
                                                                                 : "");
    }
    return with_number(literal_term(t, type, text_cstr(&text)), fits ? (int64_t)integer : SMALL);
}

Term *value_term(Translator *t, const Value *value, const Type *wanted, const Node *at)
{
    Number number;
    if (value->kind == VALUE_COMPOSITE) {
        const Type *type = type_canonical(value->composite.type);
        Term **args = ARENA_ARRAY(t->arena, Term *, value->composite.count);
        for (uint32_t i = 0; i < value->composite.count; i++)
            args[i] = number_term(t, type->composite.dtype, value->composite.elements[i]);
        return construct_term(t, args, value->composite.count, type, at);
    }
    const Type *type = wanted ? wanted : value_variable_type(value);
    REFUSE_IF(t, at, !type || !value_as_number(value, true, &number), "%s is not translated",
              value_kind_name(value->kind));
    return number_term(t, type_canonical(type), number);
}

const Value *static_value(Translator *t, const Node *node)
{
    Name path[MAX_PATH];
    uint32_t count = node_path(node, path, MAX_PATH);
    bool missing = false;
    if (!count || find_var(t, path[0], NULL))
        return NULL;
    const Value *value =
        resolve_kernel_path(t->unit, reference_scope(t->current->source->code, path[0]), path, count, &missing);
    return missing ? NULL : value;
}

/* A constant of the file keeps its name. */
static Term *named_constant(Translator *t, const Value *value, const Node *node)
{
    Term *literal = value_term(t, value, NULL, node);
    if (literal->kind != TERM_LITERAL || node->kind != NODE_NAME || literal->type->kind == TYPE_FLOAT16)
        return literal;
    const char *name = node->name.id->text, *type = c_type(t, literal->type).text;
    if (!is_ascii(name))
        return literal;
    Need *need = find_need(&t->constants, name);
    const char *given = need ? need->name : global_name(t, name);
    const char *text = arena_format(t->arena, "constexpr %s %s = %s;\n", type, given, literal->text);
    if (need && strcmp(need->text, text) != 0)
        return literal; /* of another scope */
    Term *named = literal_term(t, literal->type, given);
    named->printed = (Piece){0}; /* it is printed later */
    named->number = literal->number;
    named->has_number = literal->has_number;
    named->constant = add_need(t->arena, &t->constants, name, text);
    named->constant->name = given;
    return named;
}

static Term *lower_constant(Translator *t, const Node *node)
{
    switch (node->constant.kind) {
    case CONSTANT_BOOL: return literal_term(t, type_scalar(TYPE_BOOL), node->constant.truth ? "true" : "false");
    case CONSTANT_INT:
        return number_term(t, type_scalar(TYPE_INT32), (Number){.is_int = true, .integer = constant_integer(node)});
    case CONSTANT_FLOAT: return real_term(t, type_scalar(TYPE_FLOAT32), node->constant.real);
    default: refuse(t, node, "this constant is not translated");
    }
}

/* ---- operators ---- */

static Term *lower_binary(Translator *t, const Node *node)
{
    const ExprInfo *info = info_at(t, node);
    Term *args[2] = {to_term(t, node->bin_op.left)};
    args[1] = to_term(t, node->bin_op.right);
    if (info->func)
        return call_term(t, routine_of_func(t, info->func, node), args, 2, info->type);
    return op_term(t, op_builtin(node->bin_op.op), args, 2, info->type, node);
}

static Term *lower_unary(Translator *t, const Node *node)
{
    OpKind op = node->unary_op.op;
    Term *operand = to_term(t, node->unary_op.operand);
    if (op == OP_U_SUB && operand->kind == TERM_LITERAL && operand->text[0] >= '0' && operand->text[0] <= '9') {
        Term *literal = literal_term(t, operand->type, arena_join(t->arena, "-", operand->text));
        return operand->has_number ? with_number(literal, -operand->number) : literal;
    }
    const Type *type = info_at(t, node)->type ? info_at(t, node)->type : operand->type;
    return op_term(t, op_builtin(op), &operand, 1, op == OP_NOT ? type_scalar(TYPE_BOOL) : type, node);
}

static Term *lower_compare(Translator *t, const Node *node)
{
    Term *left = to_term(t, node->compare.left), *all = NULL;
    const Type *type = type_scalar(TYPE_BOOL);
    for (uint32_t i = 0; i < node->compare.comparators.count; i++) {
        Term *right = to_term(t, node->compare.comparators.items[i]);
        Term *test = op_term(t, op_builtin(node->compare.ops[i]), (Term *[]){left, right}, 2, type, node);
        all = all ? op_term(t, "&&", (Term *[]){all, test}, 2, type, node) : test;
        left = right;
    }
    return all;
}

/* What the second condition changes is changed only if the first does not decide. */
static Term *decide_in_turn(Translator *t, const Node *node, Term **pair, Block *steps, bool is_or)
{
    Term *holds = hoist(t, pair[0], "holds");
    Term *asked = is_or ? op_term(t, "unot", &holds, 1, type_scalar(TYPE_BOOL), node) : holds;
    Step *step = new_step(t, STEP_IF, &asked, 1);
    step->body = *steps;
    Block *outer = t->block;
    t->block = &step->body;
    set_to(t, holds, pair[1]);
    t->block = outer;
    return holds;
}

static Term *lower_logic(Translator *t, const Node *node)
{
    const NodeList *values = &node->bool_op.values;
    const char *name = op_builtin(node->bool_op.op);
    Term *all = to_term(t, values->items[0]);
    for (uint32_t i = 1; i < values->count; i++) {
        Block *outer = t->block, steps = {0};
        t->block = &steps;
        Term *pair[] = {all, to_term(t, values->items[i])};
        t->block = outer;
        all = steps.count ? decide_in_turn(t, node, pair, &steps, strcmp(name, "||") == 0)
                          : op_term(t, name, pair, 2, type_scalar(TYPE_BOOL), node);
    }
    return all;
}

static Term *lower_choice(Translator *t, const Node *node)
{
    bool truth;
    if (known_condition(t, node->if_exp.test, &truth))
        return to_term(t, truth ? node->if_exp.body : node->if_exp.orelse);
    Term *args[3] = {to_term(t, node->if_exp.test)};
    uint32_t steps = t->block->count;
    args[1] = to_term(t, node->if_exp.body);
    args[2] = to_term(t, node->if_exp.orelse);
    REFUSE_IF(t, node, t->block->count != steps, "a choice that changes something");
    return new_term(t, TERM_CHOICE, args[1]->type, args, 3);
}

/* ---- parts ---- */

static Term *lower_attribute(Translator *t, const Node *node)
{
    const Value *value = static_value(t, node);
    if (value)
        return named_constant(t, value, node);
    const ExprInfo *info = info_at(t, node);
    Term *base = to_term(t, node->attribute.value);
    Name attr = node->attribute.attr;
    if (info->known && (name_is(attr, "length") || base->kind == TERM_LITERAL))
        return value_term(t, info->known, NULL, node);
    const Type *type = base->type, *dtype = type_is_composite(type) ? type->composite.dtype : NULL;
    const char *letter = attr->len == 1 ? strchr("xyzw", attr->text[0]) : NULL;
    if ((type->kind == TYPE_VEC || type->kind == TYPE_QUAT) && letter && strlen(letter) + type->composite.rows > 4)
        return part_term(t, base, 4 - (uint32_t)strlen(letter));
    if (type->kind == TYPE_TRANSFORM && name_is(attr, "p"))
        return field_term(t, base, "p", type_vec(t->unit->types, 3, dtype));
    if (type->kind == TYPE_TRANSFORM && name_is(attr, "q"))
        return field_term(t, base, "q", type_quat(t->unit->types, dtype));
    REFUSE_IF(t, node, type->kind != TYPE_STRUCT, "the attribute '%s' is not translated", attr->text);
    for (uint32_t i = 0; i < type->decl->field_count; i++)
        if (type->decl->fields[i].name == attr)
            return field_term(t, base, struct_names(t, type->decl)->fields[i], strip(type->decl->fields[i].type));
    refuse(t, node, "the struct has no field '%s'", attr->text);
}

/* ---- subscripts ---- */

/* A number counts from the end where it is negative. False: it is not known now. */
static bool known_index(Term *index, int64_t length, int64_t *out)
{
    *out = index->number + (index->number < 0 ? length : 0);
    return index->has_number;
}

Term *element_term(Translator *t, Term *array, Term *const *indices, uint32_t count, const Type *type)
{
    uint32_t have = array->kind == TERM_VIEW ? array->count - 1 : 0, total = 1 + have + count;
    Term **args = ARENA_ARRAY(t->arena, Term *, total);
    args[0] = have ? array->args[0] : array;
    for (uint32_t i = 1; i < total; i++)
        args[i] = i <= have ? array->args[i] : indices[i - 1 - have];
    return new_term(t, type->kind == TYPE_ARRAY ? TERM_VIEW : TERM_ELEMENT, type, args, total);
}

static Term *index_array(Translator *t, Term *array, Term **indices, uint32_t count, const Node *at)
{
    const Type *type = array->type;
    uint32_t have = array->kind == TERM_VIEW ? array->count - 1 : 0;
    REFUSE_IF(t, at, count > type->array.ndim, "too many indices");
    for (uint32_t i = 0; i < count; i++)
        if (indices[i]->has_number && indices[i]->number < 0) { /* from the end */
            Term *args[] = {size_term(t, have ? array->args[0] : array, have + i), int_term(t, -indices[i]->number)};
            indices[i] = op_term(t, "sub", args, 2, type_scalar(TYPE_INT32), at);
        }
    return element_term(t, array, indices, count,
                        count == type->array.ndim
                            ? strip(type->array.dtype)
                            : type_array(t->unit->types, ARRAY_PLAIN, type->array.dtype, type->array.ndim - count));
}

Term *index_value(Translator *t, Term *base, Term **indices, uint32_t count, const Node *at)
{
    Term *all[] = {base, indices[0], count > 1 ? indices[1] : NULL};
    if (base->kind == TERM_OP && strcmp(base->op->name, "row") == 0) { /* m[i][j] */
        all[0] = base->args[0];
        all[1] = base->args[1];
        all[2] = indices[0];
        count = 2;
    }
    const Type *type = all[0]->type, *dtype = type->composite.dtype;
    bool is_matrix = type->kind == TYPE_MAT;
    int64_t row, col = 0;
    REFUSE_IF(t, at, count > (is_matrix ? 2 : 1), "too many indices");
    bool is_known = known_index(all[1], type->composite.rows, &row);
    if (is_matrix && count == 1) {
        if (is_known && all[1]->number < 0)
            all[1] = int_term(t, row);
        return op_term(t, "row", all, 2, type_vec(t->unit->types, type->composite.cols, dtype), at);
    }
    if (is_known && (!is_matrix || known_index(all[2], type->composite.cols, &col)))
        return part_term(t, all[0], (uint32_t)(row * type->composite.cols + col));
    return new_term(t, TERM_COMPONENT, dtype, all, 1 + count);
}

/* ---- several parts at once: slices of vectors and matrices, rows ---- */

typedef struct Index { /* or several */
    Node *const *items;
    uint32_t count;
    bool has_slice;
} Index;

static Index index_of(const Node *subscript)
{
    const Node *slice = subscript->subscript.slice;
    bool several = slice->kind == NODE_TUPLE;
    Index index = {several ? slice->sequence.elts.items : &subscript->subscript.slice,
                   several ? slice->sequence.elts.count : 1, false};
    for (uint32_t i = 0; i < index.count; i++)
        index.has_slice |= index.items[i]->kind == NODE_SLICE;
    return index;
}

/* A bound of a slice, between low and high. False: it is not known now. */
static bool bound_of(Translator *t, const Node *node, int64_t length, int64_t low, int64_t high, int64_t *out)
{
    if (!node)
        return true;
    if (!known_index(to_term(t, node), length, out))
        return false;
    *out = *out < low ? low : *out > high ? high : *out;
    return true;
}

/* The numbers that an index or slice selects; 0: not known now. */
static uint32_t selected(Translator *t, const Node *node, int64_t length, uint32_t *out)
{
    int64_t start, stop, step = 1;
    if (node->kind != NODE_SLICE) {
        if (!known_index(to_term(t, node), length, &start))
            return 0;
        out[0] = (uint32_t)start;
        return out[0] < length;
    }
    if (node->slice.step && (!known_index(to_term(t, node->slice.step), 0, &step) || step == 0))
        return 0;
    int64_t low = step > 0 ? 0 : -1, high = low + length;
    start = step > 0 ? low : high;
    stop = step > 0 ? high : low;
    if (!bound_of(t, node->slice.lower, length, low, high, &start) ||
        !bound_of(t, node->slice.upper, length, low, high, &stop))
        return 0;
    uint32_t count = 0;
    for (int64_t i = start; step > 0 ? i < stop : i > stop; i += step)
        out[count++] = (uint32_t)i;
    return count;
}

Term *find_parts(Translator *t, const Node *node)
{
    enum { LONGEST = 64 };
    if (node->kind != NODE_SUBSCRIPT)
        return NULL;
    const Node *whole = node->subscript.value;
    Var *var = whole->kind == NODE_NAME ? find_var(t, whole->name.id, NULL) : NULL;
    if (var && var->type && (var->type->kind == TYPE_ARRAY || var->is_local_array))
        return NULL; /* as most are */
    Index index = index_of(node);
    Term *base = to_term(t, whole);
    const Type *type = base->type;
    bool is_matrix = type->kind == TYPE_MAT;
    if (!type_is_composite(type) || index.count > 2 || (!index.has_slice && (!is_matrix || index.count != 1)) ||
        type->composite.rows > LONGEST || type->composite.cols > LONGEST || type->kind == TYPE_TRANSFORM)
        return NULL;
    uint32_t width = is_matrix ? type->composite.cols : 1, rows[LONGEST], cols[LONGEST], col_count = width;
    uint32_t row_count = selected(t, index.items[0], type->composite.rows, rows);
    for (uint32_t i = 0; i < width; i++)
        cols[i] = i;
    if (index.count == 2)
        col_count = selected(t, index.items[1], type->composite.cols, cols);
    uint32_t count = row_count * col_count;
    if (!count)
        return NULL;
    bool flat =
        !is_matrix || index.items[0]->kind != NODE_SLICE || (index.count == 2 && index.items[1]->kind != NODE_SLICE);
    Term **items = ARENA_ARRAY(t->arena, Term *, count);
    for (uint32_t i = 0; i < count; i++)
        items[i] = part_term(t, base, rows[i / col_count] * width + cols[i % col_count]);
    type = flat ? type_vec(t->unit->types, count, type->composite.dtype)
                : type_mat(t->unit->types, row_count, col_count, type->composite.dtype);
    return new_term(t, TERM_TUPLE, type, items, count);
}

/* ---- several values ---- */

/* Of array.shape: the array; NULL: it is something else. */
static Term *array_of_shape(Translator *t, const Node *node)
{
    if (node->kind != NODE_ATTRIBUTE || !name_is(node->attribute.attr, "shape") || static_value(t, node))
        return NULL;
    Term *array = to_term(t, node->attribute.value);
    return array->type && array->type->kind == TYPE_ARRAY ? array : NULL;
}

Term *tuple_of(Translator *t, const Node *node)
{
    Var *var = node->kind == NODE_NAME ? find_var(t, node->name.id, NULL) : NULL;
    Term *array = array_of_shape(t, node);
    if (!array && node->kind != NODE_TUPLE)
        return var && is_tuple(var) ? var->alias : NULL;
    uint32_t count = array ? array->type->array.ndim : node->sequence.elts.count;
    Term **items = ARENA_ARRAY(t->arena, Term *, count);
    for (uint32_t i = 0; i < count; i++)
        items[i] = array ? size_term(t, array, i) : to_term(t, node->sequence.elts.items[i]);
    return new_term(t, TERM_TUPLE, NULL, items, count);
}

/* array.shape[k], or an item of a tuple; NULL: neither. */
static Term *lower_item(Translator *t, const Node *node)
{
    bool is_literal = node->subscript.value->kind == NODE_TUPLE;
    Term *tuple = is_literal ? NULL : tuple_of(t, node->subscript.value);
    int64_t which;
    if (!tuple || !known_index(to_term(t, node->subscript.slice), tuple->count, &which))
        return NULL;
    REFUSE_IF(t, node, which < 0 || which >= tuple->count, "there is no such value");
    return tuple->args[which];
}

static Term *lower_subscript(Translator *t, const Node *node)
{
    enum { MOST = 8 };
    Term *item = lower_item(t, node), *indices[MOST];
    if (item)
        return item;
    Index index = index_of(node);
    Term *parts = index.has_slice ? find_parts(t, node) : NULL;
    if (parts)
        return construct_term(t, parts->args, parts->count, parts->type, node);
    t->indexed = node->subscript.value;
    Term *base = to_term(t, node->subscript.value);
    REFUSE_IF(t, node, index.count > MOST, "too many indices");
    for (uint32_t i = 0; i < index.count; i++) {
        REFUSE_IF(t, index.items[i], index.items[i]->kind == NODE_SLICE, "slices are not translated");
        indices[i] = to_term(t, index.items[i]);
        REFUSE_IF(t, index.items[i], !indices[i]->type || !type_is_int(indices[i]->type),
                  "an index that is not an integer");
    }
    if (base->type->kind == TYPE_ARRAY)
        return index_array(t, base, indices, index.count, node);
    REFUSE_IF(t, node,
              base->kind == TERM_VAR && base->var->is_local_array && base->type->kind == TYPE_MAT && index.count != 2,
              "a row of a local array is used");
    REFUSE_IF(t, node, !type_is_composite(base->type), "this has no elements");
    return index_value(t, base, indices, index.count, node);
}

/* ---- all expressions ---- */

static Term *lower_name(Translator *t, const Node *node)
{
    Var *var = find_var(t, node->name.id, NULL);
    REFUSE_IF(t, node, var && var->is_local_array && t->indexed != node, "a local array is used as a whole");
    if (var && !is_tuple(var))
        return var->alias ? var->alias : var_term(t, var);
    const Value *value = static_value(t, node);
    REFUSE_IF(t, node, !value, "'%s' is not translated", node->name.id->text);
    return named_constant(t, value, node);
}

static Term *lower_any(Translator *t, const Node *node)
{
    Term *of_tile = tile_value(t, node);
    if (of_tile)
        return of_tile;
    REFUSE_IF(t, node, tile_dims(t, node), "this use of a tile is not translated");
    switch (node->kind) {
    case NODE_NAME: return lower_name(t, node);
    case NODE_CONSTANT: return lower_constant(t, node);
    case NODE_ATTRIBUTE: return lower_attribute(t, node);
    case NODE_SUBSCRIPT: return lower_subscript(t, node);
    case NODE_CALL: return call_to_term(t, node);
    case NODE_BIN_OP: return lower_binary(t, node);
    case NODE_UNARY_OP: return lower_unary(t, node);
    case NODE_COMPARE: return lower_compare(t, node);
    case NODE_BOOL_OP: return lower_logic(t, node);
    case NODE_IF_EXP: return lower_choice(t, node);
    default: refuse(t, node, "%s is not translated", node_kind_name(node->kind));
    }
}

Term *to_term(Translator *t, const Node *node)
{
    REFUSE_IF(t, node, ++t->nesting > MAX_NESTING, "the code is nested too deeply");
    Term *term = lower_any(t, node);
    t->nesting--;
    return term;
}
