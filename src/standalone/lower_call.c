/* Syntax tree to terms: calls of builtins, functions and constructors. */
#include "standalone/model.h"

#include <string.h>

/* ---- operations ---- */

static Term *library_call(Translator *t, const char *name, Term **args, uint32_t count, const Type *type,
                          const Node *at)
{
    const Type *types[MAX_ARGS];
    for (uint32_t i = 0; i < count && i < MAX_ARGS; i++)
        types[i] = args[i]->type;
    Routine *routine = library_routine(t, name, types, count);
    if (!routine)
        refuse(t, at, "wp.%s() is not translated for these arguments", name);
    Term *call = new_term(t, TERM_CALL, type, count);
    call->routine = routine;
    memcpy(call->args, args, count * sizeof *args);
    return call;
}

static Term *new_op(Translator *t, const Op *op, Term **args, uint32_t count, const Type *type, const Node *at)
{
    if (!type)
        refuse(t, at, "the type of this is not known");
    Term *term = new_term(t, TERM_OP, type, count);
    term->op = op;
    for (uint32_t i = 0; i < count; i++)
        term->args[i] = args[i];
    if (type->kind != TYPE_FLOAT32 && type->kind != TYPE_INT32 && type->kind != TYPE_BOOL)
        c_type(t, type); /* it may have to be declared */
    return term;
}

Term *construct_term(Translator *t, Term **args, uint32_t count, const Type *type, const Node *at)
{
    return new_op(t, &construct_op, args, count, type, at);
}

static const OpWord *op_word(const Translator *t, const char *name);

Term *op_term(Translator *t, const char *name, Term **args, uint32_t count, const Type *type, const Node *at)
{
    enum { MOST = 4 }; /* arguments of an operation */
    const Type *types[MOST];
    if (!name)
        refuse(t, at, "this operator is not translated");
    for (uint32_t i = 0; i < count && i < MOST; i++)
        types[i] = args[i]->type;
    const Op *op = count <= MOST ? op_find(t->library, op_word(t, name)->first, types, count) : NULL;
    if (!op || op->routine)
        return library_call(t, op ? op->routine : name, args, count, type, at);
    return new_op(t, op, args, count, type, at);
}

/* ---- arguments ---- */

typedef struct Given {
    Term *args[MAX_ARGS];
    uint32_t count;
} Given;

static const Node *keyword_value(const Node *call, const char *name)
{
    for (uint32_t i = 0; i < call->call.keywords.count; i++) {
        const Node *keyword = call->call.keywords.items[i];
        if (keyword->keyword.name && name_is(keyword->keyword.name, name))
            return keyword->keyword.value;
    }
    return NULL;
}

static void check_plain(Translator *t, const Node *node)
{
    if (node->call.args.count + node->call.keywords.count > MAX_ARGS)
        refuse(t, node, "too many arguments");
}

/* *v: its parts. */
static void add_unpacked(Translator *t, const Node *node, Given *given)
{
    Parts parts;
    const Node *value = node->wrap.value;
    if (!find_parts(t, value, &parts)) {
        Term *whole = to_term(t, value);
        if (!type_is_composite(whole->type) || whole->type->kind == TYPE_MAT)
            refuse(t, node, "this cannot be unpacked");
        parts.count = parts_of(whole->type);
        parts.items = ARENA_ARRAY(t->arena, Term *, parts.count);
        for (uint32_t i = 0; i < parts.count; i++)
            parts.items[i] = part_term(t, whole, i);
    }
    for (uint32_t i = 0; i < parts.count && given->count < MAX_ARGS; i++)
        given->args[given->count++] = parts.items[i];
}

/* The values in the order of the builtin's parameters; those that are left out at the end are dropped. */
static void builtin_args(Translator *t, const Node *node, const Builtin *builtin, Given *given)
{
    check_plain(t, node);
    given->count = 0;
    bool variadic = builtin->flags & BUILTIN_VARIADIC;
    uint32_t positional = node->call.args.count;
    for (uint32_t i = 0; i < positional; i++) {
        if (node->call.args.items[i]->kind == NODE_STARRED)
            add_unpacked(t, node->call.args.items[i], given);
        else if ((variadic || i >= builtin->param_count || !builtin->params[i].is_dtype) && given->count < MAX_ARGS)
            given->args[given->count++] = to_term(t, node->call.args.items[i]);
    }
    for (uint32_t i = positional; !variadic && i < builtin->param_count && i < MAX_ARGS; i++) {
        const BuiltinParam *param = &builtin->params[i];
        const Node *value = keyword_value(node, param->name);
        if (param->is_dtype)
            continue;
        if (value)
            given->args[given->count++] = to_term(t, value);
        else if (param->default_kind == DEFAULT_INT || param->default_kind == DEFAULT_UINT)
            given->args[given->count++] = int_term(t, (int64_t)param->default_value);
        else if (param->default_kind == DEFAULT_FLOAT)
            given->args[given->count++] =
                literal_term(t, type_scalar(TYPE_FLOAT32), number_text(t, param->default_value, TYPE_FLOAT32));
    }
}

/* ---- constructors ---- */

static Term *zero_term(Translator *t, const Type *type)
{
    return literal_term(t, type,
                        type_is_float(type)       ? number_text(t, 0, type->kind)
                        : type->kind == TYPE_BOOL ? "false"
                                                  : "0");
}

static Term *convert_term(Translator *t, Term *value, const Type *type, const Node *at)
{
    if (types_equal(value->type, type))
        return value;
    if (type->kind == TYPE_BOOL)
        return op_term(t, "to_bool", &value, 1, type, at);
    return op_term(t, "convert", &value, 1, type, at);
}

/* float(x), wp.int64(x), … */
static Term *lower_conversion(Translator *t, const Node *node, const Type *type)
{
    const Node *arg = node->call.args.count ? node->call.args.items[0] : NULL;
    if (!arg && node->call.keywords.count)
        arg = node->call.keywords.items[0]->keyword.value;
    if (!arg)
        return zero_term(t, type);
    if (arg->kind == NODE_CONSTANT ||
        (arg->kind == NODE_UNARY_OP && arg->unary_op.operand->kind == NODE_CONSTANT && arg->unary_op.op == OP_U_SUB)) {
        const Node *number = arg->kind == NODE_CONSTANT ? arg : arg->unary_op.operand;
        Number value = {.is_int = number->constant.kind != CONSTANT_FLOAT,
                        .integer =
                            number->constant.kind == CONSTANT_BOOL ? number->constant.truth : number->constant.integer,
                        .real = number->constant.real};
        bool narrow = type->kind == TYPE_FLOAT32 || type->kind == TYPE_FLOAT64 || value.is_int;
        if (arg != number) {
            value.integer = -value.integer;
            value.real = -value.real;
        }
        if (narrow && number->constant.kind <= CONSTANT_FLOAT)
            return value_term(t, value_scalar(t->arena, type, value), type, node);
    }
    Term *value = to_term(t, arg);
    if (!value->type || type_is_composite(value->type) || value->type->kind == TYPE_ARRAY)
        refuse(t, node, "this conversion is not translated");
    return convert_term(t, value, type, node);
}

static Term *simple(Translator *t, Term *term)
{
    bool leaf = term->kind == TERM_VAR || term->kind == TERM_LITERAL || term->kind == TERM_ELEMENT;
    return leaf ? term : hoist(t, term, "value");
}

static Term *from_lines(Translator *t, const Given *given, const Type *type, bool columns, const Node *at)
{
    uint32_t rows = type->composite.rows, cols = type->composite.cols;
    Term **parts = ARENA_ARRAY(t->arena, Term *, rows * cols);
    Term *lines[MAX_ARGS];
    for (uint32_t i = 0; i < given->count; i++)
        lines[i] = simple(t, given->args[i]);
    for (uint32_t i = 0; i < rows * cols; i++) {
        uint32_t row = i / cols, col = i % cols;
        parts[i] = part_term(t, lines[columns ? col : row], columns ? row : col);
    }
    return construct_term(t, parts, rows * cols, type, at);
}

static Term *filled(Translator *t, Term *value, const Type *type, const Node *at)
{
    uint32_t parts = type->composite.rows * type->composite.cols;
    Term **args = ARENA_ARRAY(t->arena, Term *, parts);
    value = parts > 1 ? simple(t, convert_term(t, value, type->composite.dtype, at)) : value;
    for (uint32_t i = 0; i < parts; i++)
        args[i] = value;
    return construct_term(t, args, parts, type, at);
}

static Term *lower_composite(Translator *t, const Node *node, const Builtin *builtin, const Type *type)
{
    Given given;
    uint32_t parts = type->composite.rows * type->composite.cols, total = 0;
    const Type *dtype = type->composite.dtype;
    Term **all = ARENA_ARRAY(t->arena, Term *, parts);
    builtin_args(t, node, builtin, &given);
    if (type->kind == TYPE_TRANSFORM && !given.count) {
        const Node *p = keyword_value(node, "p"), *q = keyword_value(node, "q");
        if (p)
            given.args[given.count++] = to_term(t, p);
        if (q)
            given.args[given.count++] = to_term(t, q);
    }
    if (!given.count)
        return construct_term(t, NULL, 0, type, node);
    if (given.count == 1 && !type_is_composite(given.args[0]->type) && type->kind != TYPE_QUAT)
        return filled(t, given.args[0], type, node);
    if (type->kind == TYPE_MAT && given.count > 1 && given.args[0]->type->kind == TYPE_VEC)
        return from_lines(t, &given, type, true, node);
    for (uint32_t i = 0; i < given.count; i++) {
        Term *arg = given.args[i];
        uint32_t width = type_is_composite(arg->type) ? parts_of(arg->type) : 1;
        if (total + width > parts)
            refuse(t, node, "this constructor is not translated");
        if (width > 1)
            arg = simple(t, arg);
        for (uint32_t k = 0; k < width; k++)
            all[total++] = convert_term(t, type_is_composite(arg->type) ? part_term(t, arg, k) : arg, dtype, node);
    }
    if (type->kind == TYPE_TRANSFORM && total == 3) { /* no rotation */
        for (; total < 6; total++)
            all[total] = zero_term(t, dtype);
        all[total++] = literal_term(t, dtype, number_text(t, 1, dtype->kind));
    }
    if (total != parts)
        refuse(t, node, "this constructor is not translated");
    return construct_term(t, all, parts, type, node);
}

static Term *lower_struct(Translator *t, const Node *node, const Type *type)
{
    const StructDecl *decl = type->decl;
    check_plain(t, node);
    uint32_t given = node->call.args.count + node->call.keywords.count;
    if (given && given != decl->field_count)
        refuse(t, node, "a struct is made from some of its fields");
    Term **args = ARENA_ARRAY(t->arena, Term *, decl->field_count);
    for (uint32_t i = 0; given && i < decl->field_count; i++) {
        const Type *field = strip(decl->fields[i].type);
        const Node *value =
            i < node->call.args.count ? node->call.args.items[i] : keyword_value(node, decl->fields[i].name->text);
        if (!value || field->kind == TYPE_ARRAY)
            refuse(t, node, "a struct with arrays is made in the kernel");
        args[i] = to_term(t, value);
    }
    for (uint32_t i = 0; i < decl->field_count; i++)
        if (strip(decl->fields[i].type)->kind == TYPE_ARRAY)
            refuse(t, node, "a struct with arrays is made in the kernel");
    return construct_term(t, args, given, type, node);
}

/* ---- atomics ---- */

void lower_atomic(Translator *t, const Node *node, const char *operation, Var *result)
{
    Given given;
    builtin_args(t, node, fact_at(t, node)->builtin, &given);
    bool swap = strcmp(operation, "cas") == 0;
    uint32_t values = swap ? 2 : 1;
    Term *array = given.count ? given.args[0] : NULL;
    if (!array || array->type->kind != TYPE_ARRAY || given.count < 2 + values ||
        array->type->array.ndim != given.count - 1 - values)
        refuse(t, node, "this atomic is not translated");
    uint32_t have = array->kind == TERM_VIEW ? array->count - 1 : 0, indices = given.count - 1 - values;
    Term *place = new_term(t, TERM_ELEMENT, strip(array->type->array.dtype), 1 + have + indices);
    place->args[0] = have ? array->args[0] : array;
    for (uint32_t i = 0; i < have; i++)
        place->args[1 + i] = array->args[1 + i];
    memcpy(place->args + 1 + have, given.args + 1, indices * sizeof *given.args);
    Step *step = new_step(t, STEP_ATOMIC);
    step->place = place;
    step->value = given.args[given.count - 1];
    step->compare = swap ? given.args[given.count - 2] : NULL;
    step->atomic = operation;
    step->var = result;
}

/* ---- calls of functions ---- */

static Term *default_arg(Translator *t, const Param *param, const Node *node)
{
    if (!param->default_value)
        refuse(t, node, "the argument '%s' is missing", param->name->text);
    return value_term(t, param->default_value, strip(param->type), node);
}

static Term *lower_function(Translator *t, const Node *node, Func *func)
{
    check_plain(t, node);
    for (uint32_t i = 0; i < node->call.args.count; i++)
        if (node->call.args.items[i]->kind == NODE_STARRED)
            refuse(t, node, "unpacked arguments of a function");
    Term *call = new_term(t, TERM_CALL, fact_at(t, node)->type, func->code.param_count);
    call->count = 0;
    for (uint32_t i = 0; i < func->code.param_count; i++) {
        const Param *param = &func->code.params[i];
        if (param->type->kind == TYPE_FUNCTION)
            continue;
        const Node *value =
            i < node->call.args.count ? node->call.args.items[i] : keyword_value(node, param->name->text);
        call->args[call->count++] = value ? to_term(t, value) : default_arg(t, param, node);
    }
    call->routine = routine_of_func(t, func, node);
    return call;
}

/* ---- builtins that are no operations ---- */

static Term *lower_len(Translator *t, const Node *node, Term *value)
{
    if (value->type->kind == TYPE_ARRAY) {
        Term *term = new_term(t, TERM_SHAPE, type_scalar(TYPE_INT32), 1);
        term->args[0] = value;
        return term;
    }
    if (!type_is_composite(value->type))
        refuse(t, node, "len() of this is not translated");
    return int_term(t, type_length(value->type));
}

static Term *spatial_part(Translator *t, Term *value, bool bottom, const Node *at)
{
    const Type *type = type_vec(t->unit->types, 3, value->type->composite.dtype);
    value = simple(t, value);
    Term *parts[3];
    for (uint32_t i = 0; i < 3; i++)
        parts[i] = part_term(t, value, i + (bottom ? 3 : 0));
    return construct_term(t, parts, 3, type, at);
}

/* The matrix of six rows that is made of two of three: R above, S below it, R below on the right. */
static Term *spatial_adjoint(Translator *t, const Given *given, const Type *type, const Node *at)
{
    Term *parts[36], *r = simple(t, given->args[0]), *s = simple(t, given->args[1]);
    for (uint32_t i = 0; i < 36; i++) {
        uint32_t row = i / 6, col = i % 6, inner = row % 3 * 3 + col % 3;
        bool diagonal = (row < 3) == (col < 3);
        parts[i] = diagonal  ? part_term(t, r, inner)
                   : row < 3 ? zero_term(t, type->composite.dtype)
                             : part_term(t, s, inner);
    }
    return construct_term(t, parts, 36, type, at);
}

static Term *choice_term(Translator *t, Term *condition, Term *yes, Term *no)
{
    Term *term = new_term(t, TERM_CHOICE, yes->type, 3);
    term->args[0] = condition;
    term->args[1] = yes;
    term->args[2] = no;
    return term;
}

static Term *identity_term(Translator *t, const Type *type, const Node *at)
{
    uint32_t parts = parts_of(type);
    if (type->kind == TYPE_MAT)
        return op_term(t, "identity", NULL, 0, type, at);
    Term **args = ARENA_ARRAY(t->arena, Term *, parts);
    for (uint32_t i = 0; i < parts; i++)
        args[i] = literal_term(t, type->composite.dtype, number_text(t, i + 1 == parts, type->composite.dtype->kind));
    return construct_term(t, args, parts, type, at);
}

/* Builtins that are no operations like the others. */
static const struct {
    const char *name;
    Form form;
} forms[] = {
    {"float", FORM_CONVERSION},
    {"int", FORM_CONVERSION},
    {"bool", FORM_CONVERSION},
    {"int8", FORM_CONVERSION},
    {"uint8", FORM_CONVERSION},
    {"int16", FORM_CONVERSION},
    {"uint16", FORM_CONVERSION},
    {"int32", FORM_CONVERSION},
    {"uint32", FORM_CONVERSION},
    {"int64", FORM_CONVERSION},
    {"uint64", FORM_CONVERSION},
    {"float16", FORM_CONVERSION},
    {"float32", FORM_CONVERSION},
    {"float64", FORM_CONVERSION},
    {"vector", FORM_CONSTRUCTOR},
    {"matrix", FORM_CONSTRUCTOR},
    {"quaternion", FORM_CONSTRUCTOR},
    {"transformation", FORM_CONSTRUCTOR},
    {"spatial_vector", FORM_CONSTRUCTOR},
    {"identity", FORM_IDENTITY},
    {"quat_identity", FORM_IDENTITY},
    {"transform_identity", FORM_IDENTITY},
    {"cast", FORM_CAST},
    {"tid", FORM_THREAD},
    {"len", FORM_LENGTH},
    {"copy", FORM_COPY},
    {"where", FORM_WHERE},
    {"select", FORM_SELECT},
    {"spatial_top", FORM_TOP},
    {"spatial_bottom", FORM_BOTTOM},
    {"spatial_adjoint", FORM_ADJOINT},
    {"matrix_from_rows", FORM_ROWS},
    {"matrix_from_cols", FORM_COLUMNS},
    {"print", FORM_MESSAGE},
    {"printf", FORM_MESSAGE},
    {"expect_eq", FORM_MESSAGE},
    {"expect_neq", FORM_MESSAGE},
    {"expect_near", FORM_MESSAGE},
    {"breakpoint", FORM_MESSAGE},
};

void index_forms(RowTable *table)
{
    for (uint32_t i = 0; i < sizeof forms / sizeof *forms; i++)
        rows_add(table, forms[i].name, strlen(forms[i].name), i);
}

static Form find_form(const StandaloneLibrary *library, const char *name)
{
    const RowTable *table = &library->forms;
    for (uint32_t i = rows_first(table, name, strlen(name)); i != NO_ROW; i = table->next[i])
        if (strcmp(forms[i].name, name) == 0)
            return forms[i].form;
    return strncmp(name, "atomic_", 7) == 0           ? FORM_ATOMIC
           : strncmp(name, "transform_set_", 14) == 0 ? FORM_SETTER
                                                      : FORM_OPERATION;
}

static const OpWord *op_word(const Translator *t, const char *name)
{
    uint64_t hash = (uintptr_t)name * 0x9e3779b97f4a7c15u;
    OpWord *word = &t->library->op_words[(hash >> 32) % WORD_SLOTS];
    if (word->name != name)
        *word = (OpWord){name, (uint8_t)find_form(t->library, name), (uint8_t)op_first(t->library, name)};
    return word;
}

Form form_of(const Translator *t, const NodeFact *fact)
{
    return fact->builtin ? op_word(t, fact->builtin->name)->form : FORM_OPERATION;
}

/* NULL: an operation like the others. */
static Term *lower_special(Translator *t, const Node *node, Form form, const Type *type, Given *given)
{
    switch (form) {
    case FORM_LENGTH: return given->count == 1 ? lower_len(t, node, given->args[0]) : NULL;
    case FORM_COPY: return given->count == 1 ? given->args[0] : NULL;
    case FORM_WHERE: return given->count == 3 ? choice_term(t, given->args[0], given->args[1], given->args[2]) : NULL;
    case FORM_SELECT: return given->count == 3 ? choice_term(t, given->args[0], given->args[2], given->args[1]) : NULL;
    case FORM_TOP:
    case FORM_BOTTOM: return spatial_part(t, given->args[0], form == FORM_BOTTOM, node);
    case FORM_ADJOINT: return given->count == 2 ? spatial_adjoint(t, given, type, node) : NULL;
    case FORM_ROWS:
    case FORM_COLUMNS: return from_lines(t, given, type, form == FORM_COLUMNS, node);
    default: return NULL;
    }
}

/* Random numbers change their state: each is drawn in a statement of its own. */
static Term *draw_term(Translator *t, const Node *node, Term *term)
{
    if (term->kind != TERM_OP || !term->op->changes_first)
        return term;
    if (term->args[0]->kind == TERM_OP) /* wp.randf(wp.rand_init(seed)) */
        term->args[0] = hoist(t, term->args[0], "state");
    if (term->args[0]->kind != TERM_VAR)
        refuse(t, node, "the state of a random number is no variable");
    term->args[0]->var->stores++;
    return t->direct == node ? term : hoist(t, term, "drawn");
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
    if (!type_is_int(value->type) || !type_is_int(type))
        refuse(t, node, "this cast is not translated");
    return convert_term(t, value, type, node);
}

static Term *lower_builtin(Translator *t, const Node *node, const NodeFact *fact)
{
    const char *name = fact->builtin->name;
    const Type *type = fact->type;
    Form form = form_of(t, fact);
    if (form == FORM_CONVERSION && type && type->kind <= TYPE_HANDLE && type_is_value(type) &&
        fact->builtin->param_count <= 1)
        return lower_conversion(t, node, type);
    if (form == FORM_CONSTRUCTOR && type && type_is_composite(type))
        return lower_composite(t, node, fact->builtin, type);
    if (form == FORM_IDENTITY && type)
        return identity_term(t, type, node);
    if (form == FORM_CAST && type)
        return lower_cast(t, node, type);
    if (form == FORM_THREAD)
        return coordinate_term(t, 0);
    if (form == FORM_ATOMIC) {
        Var *result = temporary_var(t, "before", type);
        result->stores++;
        lower_atomic(t, node, name + strlen("atomic_"), result);
        return var_term(t, result);
    }
    const Tuple *tuple = form == FORM_LENGTH && node->call.args.count ? tuple_of(t, node->call.args.items[0]) : NULL;
    if (tuple)
        return int_term(t, tuple->count);
    Given given;
    builtin_args(t, node, fact->builtin, &given);
    Term *special = lower_special(t, node, form, type, &given);
    if (special)
        return special;
    return draw_term(t, node, op_term(t, name, given.args, given.count, type, node));
}

Term *call_to_term(Translator *t, const Node *node, uint32_t expected)
{
    const NodeFact *fact = fact_at(t, node);
    const Code *code = t->current->source->code;
    (void)expected;
    for (uint32_t i = 0; i < code->static_count; i++) /* wp.static() */
        if (code->statics[i].call == node)
            return value_term(t, code->statics[i].value, NULL, node);
    for (uint32_t i = 0; i < code->deferred_count; i++)
        for (uint32_t k = 0; k < i; k++)
            if (code->deferred[i].call == node && code->deferred[k].call == node)
                refuse(t, node, "wp.static() depends on the turn of a loop");
    if (fact->func)
        return lower_function(t, node, fact->func);
    if (fact->known && value_is_constant(fact->known) && !fact->builtin)
        return value_term(t, fact->known, NULL, node); /* wp.static() */
    if (fact->builtin)
        return lower_builtin(t, node, fact);
    if (fact->type && fact->type->kind == TYPE_STRUCT)
        return lower_struct(t, node, fact->type);
    refuse(t, node, "this call is not translated");
}
