/* Syntax tree to terms: names, constants, operators, attributes, subscripts. */
#include "standalone/model.h"

#include <string.h>

enum { MAX_NESTING = 150, MAX_PATH = 12, SMALL = 1 << 30 /* integers whose values the translation looks at */ };

/* ---- terms ---- */

Term *new_term(Translator *t, TermKind kind, const Type *type, uint32_t count)
{
    Term *term = arena_alloc(t->arena, sizeof *term + count * sizeof *term->args);
    term->kind = kind;
    term->type = type;
    term->args = count ? (Term **)(term + 1) : NULL;
    term->count = count;
    return term;
}

static Term *literal_of(Translator *t, const Type *type, Piece text)
{
    Term *term = new_term(t, TERM_LITERAL, type, 0);
    term->text = text.text;
    term->printed = text;
    if (text.text[0] == '-')
        term->printed.tight = TIGHT_SIGN;
    return term;
}

Term *literal_term(Translator *t, const Type *type, const char *text)
{
    return literal_of(t, type, piece_of(text));
}

Term *thread_term(Translator *t)
{
    Term *term = new_term(t, TERM_LITERAL, type_scalar(TYPE_INT32), 0);
    term->text = "thread"; /* which may get another name: it is printed later */
    return term;
}

Term *coordinate_term(Translator *t, uint32_t dim)
{
    static const char *const texts[3][4] = {
        {"thread / threads_y", "thread % threads_y"},
        {"thread / (threads_y * threads_z)", "thread / threads_z % threads_y", "thread % threads_z"},
        {"thread / (threads_y * threads_z * threads_w)", "thread / (threads_z * threads_w) % threads_y",
         "thread / threads_w % threads_z", "thread % threads_w"},
    };
    uint32_t ndim = t->current->source->kernel_dim;
    if (ndim < 2)
        return thread_term(t);
    Term *term = literal_term(t, type_scalar(TYPE_INT32), texts[ndim - 2][dim]);
    term->printed.tight = TIGHT_PRODUCT;
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
    return with_number(literal_of(t, type_scalar(TYPE_INT32), piece_int(t, value)), value);
}

Term *var_term(Translator *t, Var *var)
{
    if (var->term)
        return var->term;
    Term *term = new_term(t, TERM_VAR, var->type, 0);
    term->var = var;
    term->printed = var->label;
    return var->term = term;
}

/* ---- constants ---- */

static Term *number_term(Translator *t, const Type *type, Number number)
{
    if (type_is_float(type))
        return literal_term(t, type, number_text(t, number.is_int ? (double)number.integer : number.real, type->kind));
    if (type->kind == TYPE_BOOL)
        return literal_term(t, type, (number.is_int ? number.integer != 0 : number.real != 0) ? "true" : "false");
    if (type->kind == TYPE_INT32 && number.is_int && number.integer >= 0 && number.integer <= INT32_MAX)
        return int_term(t, (int64_t)number.integer);
    BigInt integer = wrap_to_type(number.is_int ? number.integer : truncate_real(number.real), type->kind);
    Text text;
    text_init_in(&text, t->arena);
    if (type->kind == TYPE_INT64 && integer == (BigInt)INT64_MIN)
        text_str(&text, "INT64_MIN");
    else if (type->kind == TYPE_INT32 && integer == (BigInt)INT32_MIN)
        text_str(&text, "INT32_MIN");
    else {
        text_bigint(&text, integer);
        text_str(&text, type->kind == TYPE_UINT32                                ? "u"
                        : type->kind == TYPE_INT64                               ? "ll"
                        : type->kind == TYPE_UINT64 || type->kind == TYPE_HANDLE ? "ull"
                                                                                 : "");
    }
    bool fits = integer > -(BigInt)SMALL && integer < (BigInt)SMALL;
    return with_number(literal_term(t, type, text_cstr(&text)), fits ? (int64_t)integer : SMALL);
}

static Term *composite_term(Translator *t, const Value *value, const Node *at)
{
    const Type *type = type_canonical(value->composite.type);
    Term **args = ARENA_ARRAY(t->arena, Term *, value->composite.count);
    for (uint32_t i = 0; i < value->composite.count; i++)
        args[i] = number_term(t, type->composite.dtype, value->composite.elements[i]);
    return construct_term(t, args, value->composite.count, type, at);
}

Term *value_term(Translator *t, const Value *value, const Type *wanted, const Node *at)
{
    Number number;
    if (value->kind == VALUE_COMPOSITE)
        return composite_term(t, value, at);
    const Type *type = wanted ? wanted : value_variable_type(value);
    if (!type || !value_as_number(value, true, &number))
        refuse(t, at, "%s is not translated", value_kind_name(value->kind));
    return number_term(t, type_canonical(type), number);
}

const Value *static_value(Translator *t, const Node *node)
{
    Name path[MAX_PATH];
    uint32_t count = node_path(node, path, MAX_PATH);
    bool missing = false;
    if (!count || is_local(t, path[0]))
        return NULL;
    const Value *value =
        resolve_path(t->unit, reference_scope(t->current->source->code, path[0]), path, count, &missing);
    return missing ? NULL : value;
}

/* A constant of the file keeps its name. */
static Term *named_constant(Translator *t, const Value *value, const Node *node)
{
    Term *literal = value_term(t, value, NULL, node);
    if (literal->kind != TERM_LITERAL || node->kind != NODE_NAME || literal->type->kind == TYPE_FLOAT16)
        return literal;
    const char *name = node->name.id->text, *type = c_type(t, literal->type).text;
    if (!is_ascii(name, strlen(name)))
        return literal;
    Need *need = find_need(&t->constants, name);
    const char *given = need ? need->name : global_name(t, name);
    const char *text = arena_format(t->arena, "constexpr %s %s = %s;\n", type, given, literal->text);
    if (need && strcmp(need->text, text) != 0)
        return literal; /* of another scope */
    Term *named = new_term(t, TERM_LITERAL, literal->type, 0);
    named->text = given;
    named->number = literal->number;
    named->has_number = literal->has_number;
    named->constant = new_need(t, &t->constants, name, text, strlen(text));
    named->constant->name = given;
    return named;
}

/* ---- operators ---- */

static const char *op_builtin(OpKind op)
{
    static const char *const builtins[] = {
#define OP(kind, python, symbol, precedence, builtin) builtin,
#include "lang/op.def"
#undef OP
    };
    return builtins[op];
}

static Term *user_call(Translator *t, const Node *node, Func *func, Term **args, uint32_t count)
{
    Term *call = new_term(t, TERM_CALL, fact_at(t, node)->type, count);
    call->routine = routine_of_func(t, func, node);
    memcpy(call->args, args, count * sizeof *args);
    return call;
}

static Term *lower_binary(Translator *t, const Node *node)
{
    const NodeFact *fact = fact_at(t, node);
    Term *args[2] = {to_term(t, node->bin_op.left)};
    args[1] = to_term(t, node->bin_op.right);
    if (fact->func)
        return user_call(t, node, fact->func, args, 2);
    return op_term(t, op_builtin(node->bin_op.op), args, 2, fact->type, node);
}

static Term *lower_unary(Translator *t, const Node *node)
{
    const NodeFact *fact = fact_at(t, node);
    Term *operand = to_term(t, node->unary_op.operand);
    if (node->unary_op.op == OP_U_SUB && operand->kind == TERM_LITERAL && operand->text[0] >= '0' &&
        operand->text[0] <= '9') {
        Term *literal = literal_term(t, operand->type, arena_join(t->arena, "-", operand->text));
        return operand->has_number ? with_number(literal, -operand->number) : literal;
    }
    const Type *type = node->unary_op.op == OP_NOT ? type_scalar(TYPE_BOOL) : fact->type ? fact->type : operand->type;
    return op_term(t, op_builtin(node->unary_op.op), &operand, 1, type, node);
}

static Term *lower_compare(Translator *t, const Node *node)
{
    Term *left = to_term(t, node->compare.left), *all = NULL;
    const Type *type = type_scalar(TYPE_BOOL);
    for (uint32_t i = 0; i < node->compare.comparators.count; i++) {
        Term *right = to_term(t, node->compare.comparators.items[i]);
        Term *pair[] = {left, right};
        Term *test = op_term(t, op_builtin(node->compare.ops[i]), pair, 2, type, node);
        Term *both[] = {all, test};
        all = all ? op_term(t, "&&", both, 2, type, node) : test;
        left = right;
    }
    return all;
}

/* What the second condition changes is changed only if the first does not decide. */
static Term *decide_in_turn(Translator *t, const Node *node, Term **pair, const Block *steps, bool is_or)
{
    Term *holds = hoist(t, pair[0], "holds"), *other = var_term(t, holds->var);
    Step *step = new_step(t, STEP_IF);
    step->value = is_or ? op_term(t, "unot", &other, 1, type_scalar(TYPE_BOOL), node) : other;
    step->body = *steps;
    Block *outer = t->block;
    t->block = &step->body;
    Step *second = new_step(t, STEP_ASSIGN);
    second->place = var_term(t, holds->var);
    second->value = pair[1];
    holds->var->stores++;
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
    bool known = false;
    const Value *constant = fact_at(t, node->if_exp.test)->known;
    bool truth = constant && value_is_true(constant, &known);
    if (known)
        return to_term(t, truth ? node->if_exp.body : node->if_exp.orelse);
    Term *choice = new_term(t, TERM_CHOICE, NULL, 3);
    choice->args[0] = to_term(t, node->if_exp.test);
    uint32_t steps = t->block->count;
    choice->args[1] = to_term(t, node->if_exp.body);
    choice->args[2] = to_term(t, node->if_exp.orelse);
    if (t->block->count != steps)
        refuse(t, node, "a choice that changes something");
    choice->type = choice->args[1]->type;
    return choice;
}

/* ---- parts ---- */

static Term *component_term(Translator *t, Term *base, uint32_t part, const Type *type)
{
    Term *term = new_term(t, TERM_COMPONENT, type, 1);
    term->args[0] = base;
    term->part = part;
    term->keeps_part = true;
    return term;
}

static Term *transform_part(Translator *t, Term *base, const Node *node)
{
    const Type *dtype = base->type->composite.dtype;
    bool p = name_is(node->attribute.attr, "p");
    Term *term = new_term(t, TERM_FIELD, p ? type_vec(t->unit->types, 3, dtype) : type_quat(t->unit->types, dtype), 1);
    term->args[0] = base;
    term->text = p ? "p" : "q";
    return term;
}

static Term *field_term(Translator *t, Term *base, const Node *node)
{
    const StructDecl *decl = base->type->decl;
    for (uint32_t i = 0; i < decl->field_count; i++)
        if (decl->fields[i].name == node->attribute.attr) {
            Term *term = new_term(t, TERM_FIELD, strip(decl->fields[i].type), 1);
            term->args[0] = base;
            term->text = struct_names(t, decl)->fields[i];
            return term;
        }
    refuse(t, node, "the struct has no field '%s'", node->attribute.attr->text);
}

static Term *lower_attribute(Translator *t, const Node *node)
{
    const Value *value = static_value(t, node);
    if (value)
        return named_constant(t, value, node);
    const NodeFact *fact = fact_at(t, node);
    Term *base = to_term(t, node->attribute.value);
    Name attr = node->attribute.attr;
    if (fact->known && (name_is(attr, "length") || base->kind == TERM_LITERAL))
        return value_term(t, fact->known, NULL, node);
    const Type *type = base->type;
    if ((type->kind == TYPE_VEC || type->kind == TYPE_QUAT) && attr->len == 1) {
        const char *found = strchr("xyzw", attr->text[0]);
        if (found && (uint32_t)(found - "xyzw") < type->composite.rows)
            return component_term(t, base, (uint32_t)(strchr("xyzw", attr->text[0]) - "xyzw"), type->composite.dtype);
    }
    if (type->kind == TYPE_TRANSFORM && (name_is(attr, "p") || name_is(attr, "q")))
        return transform_part(t, base, node);
    if (type->kind == TYPE_STRUCT)
        return field_term(t, base, node);
    refuse(t, node, "the attribute '%s' is not translated", attr->text);
}

/* ---- subscripts ---- */

static bool small_number(const Term *term, int64_t *value)
{
    *value = term->number;
    return term->has_number;
}

/* A negative number counts from the end. */
static Term *from_end(Translator *t, Term *array, uint32_t dim, Term *index, const Node *at)
{
    int64_t number;
    if (!small_number(index, &number) || number >= 0)
        return index;
    Term *size = new_term(t, TERM_SHAPE, type_scalar(TYPE_INT32), 1);
    size->args[0] = array;
    size->part = dim;
    Term *args[] = {size, int_term(t, -number)};
    return op_term(t, "sub", args, 2, type_scalar(TYPE_INT32), at);
}

static Term *index_array(Translator *t, Term *array, Term **indices, uint32_t count, const Node *at)
{
    const Type *type = array->type;
    uint32_t have = array->kind == TERM_VIEW ? array->count - 1 : 0;
    if (count > type->array.ndim)
        refuse(t, at, "too many indices");
    bool element = count == type->array.ndim;
    const Type *result = element ? strip(type->array.dtype)
                                 : type_array(t->unit->types, ARRAY_PLAIN, type->array.dtype, type->array.ndim - count);
    Term *term = new_term(t, element ? TERM_ELEMENT : TERM_VIEW, result, 1 + have + count);
    term->args[0] = array->kind == TERM_VIEW ? array->args[0] : array;
    for (uint32_t i = 0; i < have; i++)
        term->args[1 + i] = array->args[1 + i];
    for (uint32_t i = 0; i < count; i++)
        term->args[1 + have + i] = from_end(t, term->args[0], have + i, indices[i], at);
    return term;
}

static Term *index_matrix(Translator *t, Term *base, Term **indices, uint32_t count, const Node *at)
{
    const Type *type = base->type;
    uint32_t rows = type->composite.rows, cols = type->composite.cols;
    int64_t row, col;
    if (count == 1) { /* a row */
        Term *args[] = {base, indices[0]};
        if (small_number(indices[0], &row) && row < 0)
            args[1] = int_term(t, row + rows);
        return op_term(t, "row", args, 2, type_vec(t->unit->types, cols, type->composite.dtype), at);
    }
    if (count != 2)
        refuse(t, at, "too many indices");
    if (small_number(indices[0], &row) && small_number(indices[1], &col)) {
        row += row < 0 ? rows : 0;
        col += col < 0 ? cols : 0;
        return component_term(t, base, (uint32_t)(row * cols + col), type->composite.dtype);
    }
    Term *term = new_term(t, TERM_COMPONENT, type->composite.dtype, 3);
    term->args[0] = base;
    term->args[1] = indices[0];
    term->args[2] = indices[1];
    return term;
}

static Term *index_value(Translator *t, Term *base, Term **indices, uint32_t count, const Node *at)
{
    const Type *type = base->type;
    int64_t number;
    if (base->kind == TERM_OP && base->op && strcmp(base->op->name, "row") == 0) { /* m[i][j] */
        Term *pair[] = {base->args[1], indices[0]};
        return index_matrix(t, base->args[0], pair, 2, at);
    }
    if (type->kind == TYPE_MAT)
        return index_matrix(t, base, indices, count, at);
    if (count != 1)
        refuse(t, at, "too many indices");
    if (small_number(indices[0], &number))
        return component_term(t, base, (uint32_t)(number < 0 ? number + type->composite.rows : number),
                              type->composite.dtype);
    Term *term = new_term(t, TERM_COMPONENT, type->composite.dtype, 2);
    term->args[0] = base;
    term->args[1] = indices[0];
    return term;
}

/* ---- several parts at once: slices of vectors and matrices, rows ---- */

static bool bound_of(Translator *t, const Node *node, int64_t length, int64_t otherwise, int64_t low, int64_t high,
                     int64_t *out)
{
    *out = otherwise;
    if (!node)
        return true;
    if (!small_number(to_term(t, node), out))
        return false;
    *out += *out < 0 ? length : 0;
    *out = *out < low ? low : *out > high ? high : *out;
    return true;
}

/* The numbers that an index or slice selects; 0: not known now. */
static uint32_t selected(Translator *t, const Node *node, int64_t length, uint32_t *out)
{
    int64_t start, stop, step = 1;
    if (node->kind != NODE_SLICE) {
        Term *index = to_term(t, node);
        if (!small_number(index, &start))
            return 0;
        out[0] = (uint32_t)(start < 0 ? start + length : start);
        return out[0] < length;
    }
    if (node->slice.step && (!small_number(to_term(t, node->slice.step), &step) || step == 0))
        return 0;
    bool up = step > 0;
    if (!bound_of(t, node->slice.lower, length, up ? 0 : length - 1, up ? 0 : -1, up ? length : length - 1, &start) ||
        !bound_of(t, node->slice.upper, length, up ? length : -1, up ? 0 : -1, up ? length : length - 1, &stop))
        return 0;
    uint32_t count = 0;
    for (int64_t i = start; up ? i < stop : i > stop; i += step)
        out[count++] = (uint32_t)i;
    return count;
}

Term *part_term(Translator *t, Term *whole, uint32_t part)
{
    return component_term(t, whole, part, whole->type->composite.dtype);
}

bool find_parts(Translator *t, const Node *node, Parts *out)
{
    enum { LONGEST = 64 };
    if (node->kind != NODE_SUBSCRIPT)
        return false;
    const Node *whole = node->subscript.value, *slice = node->subscript.slice;
    const Var *var = whole->kind == NODE_NAME ? find_var(t, whole->name.id, NULL) : NULL;
    if (var && var->type && var->type->kind == TYPE_ARRAY)
        return false; /* as most are */
    const Node *const *indices = slice->kind == NODE_TUPLE ? (const Node *const *)slice->sequence.elts.items : &slice;
    uint32_t count = slice->kind == NODE_TUPLE ? slice->sequence.elts.count : 1;
    bool slices = false;
    for (uint32_t i = 0; i < count; i++)
        slices |= indices[i]->kind == NODE_SLICE;
    Term *base = to_term(t, whole);
    const Type *type = base->type;
    if (!type_is_composite(type) || count > 2 || (!slices && (type->kind != TYPE_MAT || count != 1)) ||
        type->composite.rows > LONGEST || type->composite.cols > LONGEST || type->kind == TYPE_TRANSFORM)
        return false;
    uint32_t rows[LONGEST], cols[LONGEST], row_count = selected(t, indices[0], type->composite.rows, rows);
    uint32_t col_count = type->kind == TYPE_MAT ? type->composite.cols : 1;
    for (uint32_t i = 0; i < col_count; i++)
        cols[i] = i;
    if (count == 2)
        col_count = selected(t, indices[1], type->composite.cols, cols);
    if (!row_count || !col_count)
        return false;
    bool flat =
        type->kind != TYPE_MAT || indices[0]->kind != NODE_SLICE || (count == 2 && indices[1]->kind != NODE_SLICE);
    out->count = row_count * col_count;
    out->items = ARENA_ARRAY(t->arena, Term *, out->count);
    for (uint32_t i = 0; i < out->count; i++)
        out->items[i] = part_term(
            t, base, rows[i / col_count] * (type->kind == TYPE_MAT ? type->composite.cols : 1) + cols[i % col_count]);
    out->type = flat ? type_vec(t->unit->types, out->count, type->composite.dtype)
                     : type_mat(t->unit->types, row_count, col_count, type->composite.dtype);
    return true;
}

static bool has_slice(const Node *slice)
{
    if (slice->kind == NODE_SLICE)
        return true;
    for (uint32_t i = 0; slice->kind == NODE_TUPLE && i < slice->sequence.elts.count; i++)
        if (slice->sequence.elts.items[i]->kind == NODE_SLICE)
            return true;
    return false;
}

/* array.shape[k] */
static Term *shape_term(Translator *t, const Node *node)
{
    const Node *base = node->subscript.value;
    if (base->kind != NODE_ATTRIBUTE || !name_is(base->attribute.attr, "shape") || static_value(t, base))
        return NULL;
    Term *array = to_term(t, base->attribute.value), *index = to_term(t, node->subscript.slice);
    int64_t dim;
    if (!array->type || array->type->kind != TYPE_ARRAY || !small_number(index, &dim))
        return NULL;
    dim += dim < 0 ? array->type->array.ndim : 0;
    if (dim < 0 || dim >= array->type->array.ndim)
        refuse(t, node, "the array has no such dimension");
    Term *term = new_term(t, TERM_SHAPE, type_scalar(TYPE_INT32), 1);
    term->args[0] = array;
    term->part = (uint32_t)dim;
    return term;
}

/* ---- names of several values ---- */

const Tuple *tuple_of(const Translator *t, const Node *node)
{
    for (const Tuple *tuple = node->kind == NODE_NAME ? t->tuples : NULL; tuple; tuple = tuple->next)
        if (tuple->name == node->name.id)
            return tuple;
    return NULL;
}

bool define_tuple(Translator *t, Name name, const Node *value)
{
    bool is_shape = value->kind == NODE_ATTRIBUTE && name_is(value->attribute.attr, "shape") && !static_value(t, value);
    if (value->kind != NODE_TUPLE && !is_shape)
        return false;
    Term *array = is_shape ? to_term(t, value->attribute.value) : NULL;
    if (array && array->type->kind != TYPE_ARRAY)
        return false;
    Tuple *tuple = ARENA_NEW(t->arena, Tuple);
    tuple->name = name;
    tuple->count = array ? array->type->array.ndim : value->sequence.elts.count;
    tuple->items = ARENA_ARRAY(t->arena, Term *, tuple->count);
    for (uint32_t i = 0; i < tuple->count; i++) {
        if (array) {
            tuple->items[i] = new_term(t, TERM_SHAPE, type_scalar(TYPE_INT32), 1);
            tuple->items[i]->args[0] = array;
            tuple->items[i]->part = i;
        } else
            tuple->items[i] = hoist(t, to_term(t, value->sequence.elts.items[i]), name->text);
    }
    tuple->next = t->tuples;
    t->tuples = tuple;
    return true;
}

static Term *lower_subscript(Translator *t, const Node *node)
{
    Term *shape = shape_term(t, node);
    if (shape)
        return shape;
    const Tuple *tuple = tuple_of(t, node->subscript.value);
    int64_t which;
    if (tuple && small_number(to_term(t, node->subscript.slice), &which)) {
        which += which < 0 ? tuple->count : 0;
        if (which < 0 || which >= tuple->count)
            refuse(t, node, "there is no such value");
        return tuple->items[which];
    }
    const Node *slice = node->subscript.slice;
    Parts parts;
    if (has_slice(slice) && find_parts(t, node, &parts))
        return construct_term(t, parts.items, parts.count, parts.type, node);
    Term *base = to_term(t, node->subscript.value), *indices[8];
    uint32_t count = slice->kind == NODE_TUPLE ? slice->sequence.elts.count : 1;
    if (count > 8)
        refuse(t, node, "too many indices");
    for (uint32_t i = 0; i < count; i++) {
        const Node *index = slice->kind == NODE_TUPLE ? slice->sequence.elts.items[i] : slice;
        if (index->kind == NODE_SLICE)
            refuse(t, index, "slices are not translated");
        indices[i] = to_term(t, index);
        if (!indices[i]->type || !type_is_int(indices[i]->type))
            refuse(t, index, "an index that is no integer");
    }
    if (base->type->kind == TYPE_ARRAY)
        return index_array(t, base, indices, count, node);
    if (!type_is_composite(base->type))
        refuse(t, node, "this has no elements");
    return index_value(t, base, indices, count, node);
}

/* ---- all expressions ---- */

static Term *lower_name(Translator *t, const Node *node)
{
    Var *var = find_var(t, node->name.id, NULL);
    if (var)
        return var->alias ? var->alias : var_term(t, var);
    const Value *value = static_value(t, node);
    if (!value)
        refuse(t, node, "'%s' is not translated", node->name.id->text);
    return named_constant(t, value, node);
}

static Term *lower_constant(Translator *t, const Node *node)
{
    Number number = {.is_int = true};
    switch (node->constant.kind) {
    case CONSTANT_BOOL: return literal_term(t, type_scalar(TYPE_BOOL), node->constant.truth ? "true" : "false");
    case CONSTANT_INT: number.integer = node->constant.integer; return number_term(t, type_scalar(TYPE_INT32), number);
    case CONSTANT_FLOAT:
        number = (Number){.real = node->constant.real};
        return number_term(t, type_scalar(TYPE_FLOAT32), number);
    default: refuse(t, node, "this constant is not translated");
    }
}

static Term *lower_any(Translator *t, const Node *node)
{
    switch (node->kind) {
    case NODE_NAME: return lower_name(t, node);
    case NODE_CONSTANT: return lower_constant(t, node);
    case NODE_ATTRIBUTE: return lower_attribute(t, node);
    case NODE_SUBSCRIPT: return lower_subscript(t, node);
    case NODE_CALL: return call_to_term(t, node, 0);
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
    if (++t->nesting > MAX_NESTING)
        refuse(t, node, "the code is nested too deeply");
    Term *term = lower_any(t, node);
    t->nesting--;
    return term;
}
