/* Syntax tree to terms: calls of builtins, functions and constructors. */
#include "standalone/model.h"

#include <string.h>

/* ---- operations ---- */

Term *call_term(Translator *t, Routine *routine, Term *const *args, uint32_t count, const Type *type)
{
    Term *call = new_term(t, TERM_CALL, type, args, count);
    call->routine = routine;
    return call;
}

static Term *new_op(Translator *t, const Op *op, Term **args, uint32_t count, const Type *type, const Node *at)
{
    REFUSE_IF(t, at, !type, "the type of this is not known");
    Term *term = new_term(t, TERM_OP, type, args, count);
    term->op = op;
    c_type(t, type); /* it may have to be declared */
    return term;
}

Term *construct_term(Translator *t, Term **args, uint32_t count, const Type *type, const Node *at)
{
    return new_op(t, &construct_op, args, count, type, at);
}

static bool is_signed(const Type *type)
{
    return type->kind == TYPE_INT8 || type->kind == TYPE_INT16 || type->kind == TYPE_INT32 || type->kind == TYPE_INT64;
}

/* Integers are divided as C divides them, unless `//` rounds down. */
static const char *division_name(const Translator *t, const char *name, const Type *type)
{
    bool rounds_down = is_signed(type) && t->unit->dialect->division_rounds_down;
    return !rounds_down && !type_is_float(type) && strcmp(name, "floordiv") == 0 ? "div" : name;
}

Term *op_term(Translator *t, const char *name, Term **args, uint32_t count, const Type *type, const Node *at)
{
    enum { MOST = 4 }; /* arguments of an operation */
    const Type *types[MOST];
    REFUSE_IF(t, at, !name, "this operator is not translated");
    for (uint32_t i = 0; i < count && i < MOST; i++)
        types[i] = args[i]->type;
    name = count ? division_name(t, name, types[0]) : name;
    const Op *op = count <= MOST ? op_find(t->library, name, types, count) : NULL;
    if (op && op->text[0] != '@')
        return new_op(t, op, args, count, type, at);
    name = op ? op->text + 1 : name;
    Routine *routine = library_routine(t, name, args, count);
    REFUSE_IF(t, at, !routine, "wp.%s() is not translated for these arguments", name);
    return call_term(t, routine, args, count, type);
}

/* ---- arguments ---- */

static void give(Translator *t, TermList *given, Term *term)
{
    ARENA_PUSH(t->arena, given->items, given->count, given->cap) = term;
}

static const Node *keyword_value(const Node *call, const char *name)
{
    for (uint32_t i = 0; i < call->call.keywords.count; i++) {
        const Node *keyword = call->call.keywords.items[i];
        if (keyword->keyword.name && name_is(keyword->keyword.name, name))
            return keyword->keyword.value;
    }
    return NULL;
}

const Node *argument(const Node *call, uint32_t place, const char *name)
{
    return place < call->call.args.count ? call->call.args.items[place] : keyword_value(call, name);
}

static void check_count(Translator *t, const Node *node)
{
    REFUSE_IF(t, node, node->call.args.count + node->call.keywords.count > MAX_ARGS, "too many arguments");
}

/* *v: its parts. */
static void give_unpacked(Translator *t, const Node *node, TermList *given)
{
    Term *parts = find_parts(t, node->wrap.value), *whole = parts ? NULL : to_term(t, node->wrap.value);
    REFUSE_IF(t, node, whole && (!type_is_composite(whole->type) || whole->type->kind == TYPE_MAT),
              "this cannot be unpacked");
    for (uint32_t i = 0; i < (whole ? type_parts(whole->type) : parts->count); i++)
        give(t, given, whole ? part_term(t, whole, i) : parts->args[i]);
}

/* The values in the order of the builtin's parameters; those that are left out at the end are dropped. */
static TermList builtin_args(Translator *t, const Node *node, const Builtin *builtin)
{
    TermList given = {0};
    check_count(t, node);
    bool variadic = builtin->flags & BUILTIN_VARIADIC;
    uint32_t positional = node->call.args.count;
    for (uint32_t i = 0; i < positional; i++) {
        if (node->call.args.items[i]->kind == NODE_STARRED)
            give_unpacked(t, node->call.args.items[i], &given);
        else if (variadic || i >= builtin->param_count || !builtin->params[i].is_dtype)
            give(t, &given, to_term(t, node->call.args.items[i]));
    }
    for (uint32_t i = positional; !variadic && i < builtin->param_count; i++) {
        const BuiltinParam *param = &builtin->params[i];
        const Node *value = keyword_value(node, param->name);
        if (param->is_dtype)
            continue;
        if (value)
            give(t, &given, to_term(t, value));
        else if (param->default_kind == DEFAULT_INT || param->default_kind == DEFAULT_UINT)
            give(t, &given, int_term(t, (int64_t)param->default_value));
        else if (param->default_kind == DEFAULT_FLOAT)
            give(t, &given, real_term(t, type_scalar(TYPE_FLOAT32), param->default_value));
    }
    return given;
}

/* ---- constructors ---- */

Term *zero_term(Translator *t, const Type *type)
{
    return literal_term(t, type, zero_text(t, type).text);
}

Term *convert_term(Translator *t, Term *value, const Type *type, const Node *at)
{
    if (types_equal(value->type, type))
        return value;
    return op_term(t, type->kind == TYPE_BOOL ? "to_bool" : "convert", &value, 1, type, at);
}

/* A number, or one with a minus in front. */
static bool literal_value(const Node *node, Number *out)
{
    bool is_negative = node->kind == NODE_UNARY_OP && node->unary_op.op == OP_U_SUB;
    const Node *number = is_negative ? node->unary_op.operand : node;
    if (number->kind != NODE_CONSTANT || number->constant.kind > CONSTANT_FLOAT)
        return false;
    bool is_bool = number->constant.kind == CONSTANT_BOOL;
    *out = (Number){.is_int = number->constant.kind != CONSTANT_FLOAT,
                    .integer = is_bool ? number->constant.truth : constant_integer(number),
                    .real = number->constant.kind == CONSTANT_FLOAT ? number->constant.real : 0};
    if (is_negative) {
        out->integer = -out->integer;
        out->real = -out->real;
    }
    return true;
}

/* float(x), wp.int64(x), … */
static Term *lower_conversion(Translator *t, const Node *node, const Type *type)
{
    const Node *arg = node->call.args.count       ? node->call.args.items[0]
                      : node->call.keywords.count ? node->call.keywords.items[0]->keyword.value
                                                  : NULL;
    Number number;
    if (!arg)
        return zero_term(t, type);
    if (literal_value(arg, &number) && (type->kind == TYPE_FLOAT32 || type->kind == TYPE_FLOAT64 || number.is_int))
        return value_term(t, value_scalar(t->arena, type, number), type, node);
    /* A constant that is made double has all its digits: its name stands for a float. */
    const Value *known = type->kind == TYPE_FLOAT64 ? static_value(t, arg) : NULL;
    if (known && known->kind == VALUE_FLOAT)
        return value_term(t, known, type, node);
    Term *value = to_term(t, arg);
    REFUSE_IF(t, node, !value->type || type_is_composite(value->type) || value->type->kind == TYPE_ARRAY,
              "this conversion is not translated");
    return convert_term(t, value, type, node);
}

/* What may be written several times. */
static Term *simple(Translator *t, Term *term)
{
    bool leaf = term->kind == TERM_VAR || term->kind == TERM_LITERAL || term->kind == TERM_ELEMENT;
    return leaf ? term : hoist(t, term, "value");
}

/* A vector, matrix or rotation of parts that are there, or of numbers. */
static Term *gather(Translator *t, const Node *at, Form form, const TermList *given, const Type *type)
{
    uint32_t count = type_parts(type), cols = type->composite.cols;
    Term **parts = ARENA_ARRAY(t->arena, Term *, count), **from = given->items;
    for (uint32_t i = 0; i < given->count; i++)
        from[i] = simple(t, from[i]);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t row = i / cols, col = i % cols;
        bool is_diagonal = (row < 3) == (col < 3);
        switch (form) {
        case FORM_ROWS: parts[i] = part_term(t, from[row], col); break;
        case FORM_COLUMNS: parts[i] = part_term(t, from[col], row); break;
        case FORM_TOP: parts[i] = part_term(t, from[0], i); break;
        case FORM_BOTTOM: parts[i] = part_term(t, from[0], i + 3); break;
        case FORM_ADJOINT: /* R above, S below it, R below on the right */
            parts[i] = !is_diagonal && row < 3 ? zero_term(t, type->composite.dtype)
                                               : part_term(t, from[!is_diagonal], row % 3 * 3 + col % 3);
            break;
        default: parts[i] = real_term(t, type->composite.dtype, i + 1 == count); /* no rotation */
        }
    }
    return construct_term(t, parts, count, type, at);
}

static Term *lower_composite(Translator *t, const Node *node, const Builtin *builtin, const Type *type)
{
    uint32_t parts = type_parts(type), total = 0;
    const Type *dtype = type->composite.dtype;
    Term **all = ARENA_ARRAY(t->arena, Term *, parts);
    TermList given = builtin_args(t, node, builtin);
    for (int i = 0; i < 2 && type->kind == TYPE_TRANSFORM && given.count == (uint32_t)i; i++) {
        const Node *named = keyword_value(node, i ? "q" : "p");
        if (named)
            give(t, &given, to_term(t, named));
    }
    if (!given.count)
        return construct_term(t, NULL, 0, type, node);
    bool is_filled = given.count == 1 && !type_is_composite(given.items[0]->type) && type->kind != TYPE_QUAT;
    if (type->kind == TYPE_MAT && given.count > 1 && given.items[0]->type->kind == TYPE_VEC)
        return gather(t, node, FORM_COLUMNS, &given, type);
    if (is_filled && parts > 1)
        given.items[0] = simple(t, convert_term(t, given.items[0], dtype, node));
    for (uint32_t i = 0; is_filled && i < parts; i++)
        all[total++] = given.items[0];
    for (uint32_t i = 0; !is_filled && i < given.count; i++) {
        Term *arg = given.items[i];
        uint32_t width = type_parts(arg->type);
        REFUSE_IF(t, node, total + width > parts, "this constructor is not translated");
        if (width > 1)
            arg = simple(t, arg);
        for (uint32_t k = 0; k < width; k++)
            all[total++] = convert_term(t, type_is_composite(arg->type) ? part_term(t, arg, k) : arg, dtype, node);
    }
    for (bool rotates = type->kind != TYPE_TRANSFORM || total != 3; !rotates && total < 7; total++) /* no rotation */
        all[total] = real_term(t, dtype, total == 6);
    REFUSE_IF(t, node, total != parts, "this constructor is not translated");
    return construct_term(t, all, parts, type, node);
}

static Term *lower_struct(Translator *t, const Node *node, const Type *type)
{
    const StructDecl *decl = type->decl;
    check_count(t, node);
    uint32_t given = node->call.args.count + node->call.keywords.count;
    REFUSE_IF(t, node, given && given != decl->field_count, "a struct is made from some of its fields");
    Term **args = ARENA_ARRAY(t->arena, Term *, decl->field_count);
    for (uint32_t i = 0; i < decl->field_count; i++) {
        const Node *value = argument(node, i, decl->fields[i].name->text);
        REFUSE_IF(t, node, strip(decl->fields[i].type)->kind == TYPE_ARRAY || (given && !value),
                  "a struct with arrays is made in the kernel");
        args[i] = given ? to_term(t, value) : NULL;
    }
    return construct_term(t, args, given, type, node);
}

/* ---- atomics ---- */

void lower_atomic(Translator *t, const Node *node, Var *result)
{
    const Builtin *builtin = info_at(t, node)->builtin;
    const Atomic *atomic = find_atomic(builtin->name + strlen("atomic_"));
    TermList given = builtin_args(t, node, builtin);
    uint32_t values = atomic->kind == ATOMIC_CAS ? 2 : 1, indices = given.count - 1 - values;
    const Type *type = given.count > 1 + values ? given.items[0]->type : NULL;
    REFUSE_IF(t, node, !type || type->kind != TYPE_ARRAY || type->array.ndim != indices,
              "this atomic is not translated");
    Term *read[] = {given.items[given.count - 1], given.items[given.count - 2]};
    Step *step = new_step(t, STEP_ATOMIC, read, values);
    step->place = element_term(t, given.items[0], given.items + 1, indices, strip(type->array.dtype));
    step->atomic = atomic;
    if (!result)
        return;
    result->stores++;
    add_set(t, step, result);
}

/* ---- calls of functions ---- */

static Term *lower_function(Translator *t, const Node *node, Func *func)
{
    check_count(t, node);
    for (uint32_t i = 0; i < node->call.args.count; i++)
        REFUSE_IF(t, node, node->call.args.items[i]->kind == NODE_STARRED, "unpacked arguments of a function");
    Term **args = ARENA_ARRAY(t->arena, Term *, func->code.param_count);
    uint32_t count = 0;
    for (uint32_t i = 0; i < func->code.param_count; i++) {
        const Param *param = &func->code.params[i];
        if (param->type->kind == TYPE_FUNCTION)
            continue;
        const Node *value = argument(node, i, param->name->text);
        REFUSE_IF(t, node, !value && !param->default_value, "the argument '%s' is missing", param->name->text);
        args[count++] = value ? to_term(t, value) : value_term(t, param->default_value, strip(param->type), node);
    }
    return call_term(t, routine_of_func(t, func, node), args, count, info_at(t, node)->type);
}

/* ---- builtins that are no operations like the others ---- */

static Term *lower_len(Translator *t, const Node *node, Term *value)
{
    REFUSE_IF(t, node, !value->type, "len() of several values is not translated");
    if (value->type->kind == TYPE_ARRAY)
        return size_term(t, value, 0);
    REFUSE_IF(t, node, !type_is_composite(value->type), "len() of this is not translated");
    return int_term(t, type_length(value->type));
}

Form form_of(Translator *t, const Node *node)
{
    const Builtin *builtin = node->kind == NODE_CALL ? info_at(t, node)->builtin : NULL;
    const Word *word = builtin ? find_word(t->library, builtin->name) : NULL;
    return word ? word->form : FORM_OPERATION;
}

static void change_state(Translator *t, const Node *node, Term *term)
{
    if (term->args[0]->kind == TERM_OP) /* wp.randf(wp.rand_init(seed)) */
        term->args[0] = hoist(t, term->args[0], "state");
    REFUSE_IF(t, node, term->args[0]->kind != TERM_VAR, "the state of a random number is not a variable");
    term->args[0]->var->stores++;
}

/* Random numbers change their state: each is drawn in a statement of its own. */
static Term *draw_term(Translator *t, const Node *node, Term *term)
{
    if (!op_draws(term))
        return term;
    change_state(t, node, term);
    return t->direct == node ? term : hoist(t, term, "drawn");
}

static bool is_fixed(const Term *term)
{
    bool fixed = term->kind == TERM_LITERAL || term->kind == TERM_OP;
    for (uint32_t i = 0; fixed && i < term->count; i++)
        fixed = is_fixed(term->args[i]);
    return fixed;
}

/* wp.randf(state, low, high) where the limits may have gradients: (high - low) * drawn + low. */
static Term *draw_between(Translator *t, const Node *node, Term **args)
{
    const Type *type = type_scalar(TYPE_FLOAT32);
    Term *low = args[1], *high = args[2];
    if (low->kind == TERM_OP && low->args[0]->kind != TERM_VAR)
        low = hoist(t, low, "value");
    Term *drawn = op_term(t, "randf", args, 1, type, node);
    change_state(t, node, drawn);
    drawn = hoist(t, drawn, "drawn");
    Term *span = op_term(t, "sub", (Term *[]){high, low}, 2, type, node);
    Term *part = op_term(t, "mul", (Term *[]){span, drawn}, 2, type, node);
    return op_term(t, "add", (Term *[]){part, low}, 2, type, node);
}

static Term *lower_draw(Translator *t, const Node *node, const Builtin *builtin, Term **args, uint32_t count)
{
    bool between = strcmp(builtin->name, "randf") == 0 && count == 3 && !(is_fixed(args[1]) && is_fixed(args[2]));
    if (between)
        return draw_between(t, node, args);
    return draw_term(t, node, op_term(t, builtin->name, args, count, info_at(t, node)->type, node));
}

/* wp.cast(x, type): the same bits. */
static Term *lower_cast(Translator *t, const Node *node, const Type *type)
{
    Term *value = to_term(t, node->call.args.items[0]);
    TypeKind from = value->type->kind, to = type->kind;
    if (from == to)
        return value;
    if (from == TYPE_FLOAT32 && (to == TYPE_INT32 || to == TYPE_UINT32))
        return op_term(t, "cast_to_int", &value, 1, type, node);
    if (to == TYPE_FLOAT32 && (from == TYPE_INT32 || from == TYPE_UINT32))
        return op_term(t, "cast_to_float", &value, 1, type, node);
    REFUSE_IF(t, node, !type_is_int(value->type) || !type_is_int(type), "this cast is not translated");
    return convert_term(t, value, type, node);
}

/* name = wp.zeros(shape, dtype): an array of the thread's own is a vector or matrix of that size, all of whose parts have gradients. */
static Term *lower_zeros(Translator *t, const Node *node, const Type *type)
{
    enum { LARGEST = 4096 };
    const Type *dtype = type && type->kind == TYPE_ARRAY ? strip(type->array.dtype) : NULL;
    TypeKind kind = dtype ? dtype->kind : TYPE_ANY;
    REFUSE_IF(t, node, kind != TYPE_FLOAT32 && kind != TYPE_FLOAT64 && kind != TYPE_INT32 && kind != TYPE_UINT32,
              "a local array of this type is not translated");
    const uint32_t *shape = type->array.shape;
    REFUSE_IF(t, node, type->array.ndim > 2 || (uint64_t)shape[0] * (type->array.ndim > 1 ? shape[1] : 1) > LARGEST,
              "a local array of this size is not translated");
    REFUSE_IF(t, node, t->direct != node, "a local array without a name");
    return construct_term(t, NULL, 0,
                          type->array.ndim == 1 ? type_vec(t->unit->types, shape[0], dtype)
                                                : type_mat(t->unit->types, shape[0], shape[1], dtype),
                          node);
}

static Term *lower_builtin(Translator *t, const Node *node, const ExprInfo *info)
{
    const Type *type = info->type;
    Form form = form_of(t, node);
    if (form == FORM_CONVERSION && type && (type_is_scalar(type) || type->kind == TYPE_BOOL) &&
        info->builtin->param_count <= 1)
        return lower_conversion(t, node, type);
    if (form == FORM_CONSTRUCTOR && type && type_is_composite(type))
        return lower_composite(t, node, info->builtin, type);
    if (form == FORM_ZEROS)
        return lower_zeros(t, node, type);
    if (form == FORM_CAST && type)
        return lower_cast(t, node, type);
    if (form == FORM_THREAD)
        return coordinate_term(t, 0);
    if (form == FORM_IDENTITY && type)
        return type->kind == TYPE_MAT ? op_term(t, "identity", NULL, 0, type, node)
                                      : gather(t, node, form, &(TermList){0}, type);
    if (form == FORM_ATOMIC) {
        Var *result = new_var(t, NULL, type, "before");
        lower_atomic(t, node, result);
        return var_term(t, result);
    }
    const Node *first = node->call.args.count ? node->call.args.items[0] : node;
    Term *tuple = form == FORM_LENGTH && first->kind == NODE_NAME ? tuple_of(t, first) : NULL;
    if (tuple)
        return int_term(t, tuple->count);
    TermList given = builtin_args(t, node, info->builtin);
    Term **args = given.items;
    switch (form) {
    case FORM_LENGTH: return lower_len(t, node, args[0]);
    case FORM_COPY: return args[0];
    case FORM_WHERE: return new_term(t, TERM_CHOICE, args[1]->type, args, 3);
    case FORM_SELECT: return new_term(t, TERM_CHOICE, args[2]->type, (Term *[]){args[0], args[2], args[1]}, 3);
    case FORM_TOP:
    case FORM_BOTTOM:
    case FORM_ADJOINT:
    case FORM_ROWS:
    case FORM_COLUMNS: return gather(t, node, form, &given, type);
    default: return lower_draw(t, node, info->builtin, args, given.count);
    }
}

Term *call_to_term(Translator *t, const Node *node)
{
    const ExprInfo *info = info_at(t, node);
    const Code *code = t->current->source->code;
    const StaticValue *known = code_static(code, node);
    if (known)
        return value_term(t, known->value, NULL, node);
    uint32_t deferred = 0;
    for (uint32_t i = 0; i < code->deferred_count; i++)
        deferred += code->deferred[i].call == node;
    REFUSE_IF(t, node, deferred > 1, "wp.static() depends on the turn of a loop");
    if (info->func)
        return lower_function(t, node, info->func);
    if (info->known && value_is_constant(info->known) && !info->builtin)
        return value_term(t, info->known, NULL, node); /* wp.static() */
    if (info->builtin)
        return lower_builtin(t, node, info);
    if (info->type && info->type->kind == TYPE_STRUCT)
        return lower_struct(t, node, info->type);
    refuse(t, node, "this call is not translated");
}
