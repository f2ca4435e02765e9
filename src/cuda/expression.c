/* Expressions with their types: conversions, overloads, braces. */
#include "cuda/syntax.h"

#include <math.h>
#include <stdlib.h>

Node *new_node(CudaText *t, NodeOp op, const CudaType *type)
{
    Node *node = ARENA_NEW(t->arena, Node);
    node->op = op;
    node->type = type;
    return node;
}

static const Node *node_of(CudaText *t, NodeOp op, const CudaType *type, const Node *a, const Node *b)
{
    Node *node = new_node(t, op, type);
    node->a = a;
    node->b = b;
    return node;
}

static bool is_place(const Node *node)
{
    return node->op <= ON_STEP;
}

void note_change(const Node *place)
{
    while (place->op == ON_FIELD || place->op == ON_INDEX)
        place = place->a;
    if (place->op == ON_VARIABLE)
        place->variable->is_changed = true;
}

Node *number_node(CudaText *t, CudaKind kind, int64_t whole)
{
    Node *node = new_node(t, ON_NUMBER, &t->scalars[kind]);
    node->number.whole = node->wide.whole = whole;
    return node;
}

static Node *real_node(CudaText *t, CudaKind kind, double value)
{
    Node *node = new_node(t, ON_NUMBER, &t->scalars[kind]);
    node->number.real = kind == CUDA_F32 ? (double)(float)value : value;
    node->wide.real = value;
    return node;
}

/* ---- conversions ---- */

const CudaType *common_type(CudaText *t, const CudaType *a, const CudaType *b)
{
    CudaKind kind = a->kind > b->kind ? a->kind : b->kind; /* they are in the order of their ranks */
    return &t->scalars[kind < CUDA_I32 ? CUDA_I32 : kind];
}

typedef struct Filling { /* braces that are being filled */
    Node *braces;
    uint32_t cap;
} Filling;

static void add_init(CudaText *t, Filling *filling, uint32_t cell, const Node *value)
{
    ARENA_PUSH(t->arena, filling->braces->inits, filling->braces->count, filling->cap) = (Init){cell, value};
}

static void fill_parts(CudaText *t, Filling *filling, const CudaType *type, uint32_t cell, const Node *list,
                       uint32_t *at);

/* The items from *at on, as far as the type has room: braces around its parts may be left out. */
static void fill(CudaText *t, Filling *filling, const CudaType *type, uint32_t cell, const Node *list, uint32_t *at)
{
    const Node *item = list->args[*at];
    if (item->op == ON_LIST || !is_aggregate(type) || item->type == type) {
        add_init(t, filling, cell, convert_to(t, item, type));
        ++*at;
    } else
        fill_parts(t, filling, type, cell, list, at);
}

static void fill_parts(CudaText *t, Filling *filling, const CudaType *type, uint32_t cell, const Node *list,
                       uint32_t *at)
{
    for (uint32_t i = 0; type->kind == CUDA_ARRAY && i < type->count && *at < list->count; i++)
        fill(t, filling, type->of, cell + i * type->of->cells, list, at);
    for (uint32_t i = 0; i < type->field_count && *at < list->count; i++)
        fill(t, filling, type->fields[i].type, cell + type->fields[i].cell, list, at);
}

static const Node *braces_of(CudaText *t, const Node *list, const CudaType *type)
{
    if (is_scalar(type)) {
        if (list->count > 1)
            cannot(t, "a number has several values");
        return convert_to(t, list->count ? list->args[0] : number_node(t, CUDA_I32, 0), type);
    }
    Filling filling = {.braces = new_node(t, ON_BRACES, type)};
    uint32_t at = 0;
    fill_parts(t, &filling, type, 0, list, &at);
    if (at != list->count)
        cannot(t, "there are more values in braces than parts");
    return filling.braces;
}

uint32_t conversion(const CudaType *from, const CudaType *to)
{
    if (from == to)
        return 0;
    if (from->kind == CUDA_LIST)
        return to->kind == CUDA_POINTER ? 2 : 1;
    return is_scalar(from) && is_scalar(to) ? 1 : 2;
}

const Node *convert_to(CudaText *t, const Node *node, const CudaType *type)
{
    if (node->type == type)
        return node;
    if (node->op == ON_LIST)
        return braces_of(t, node, type);
    if (node->type->kind == CUDA_POINTER && type->kind == CUDA_BOOL)
        return node_of(t, ON_CONVERT, type, node, NULL);
    if (conversion(node->type, type) == 2)
        cannot(t, "a type cannot be converted");
    if (node->op != ON_NUMBER || (is_real(node->type) && !is_real(type)))
        return node_of(t, ON_CONVERT, type, node, NULL);
    if (!is_real(type)) /* numbers are converted at once */
        return number_node(t, type->kind, wrap_whole(type->kind, node->number.whole));
    if (!is_real(node->type))
        return real_node(t, type->kind,
                         node->type->kind == CUDA_U64 ? (double)(uint64_t)node->number.whole
                                                      : (double)node->number.whole);
    Node *number = real_node(t, type->kind, node->number.real);
    number->wide = node->wide;
    return number;
}

/* ---- calls ---- */

/* *best_cost: 0 where every argument has the type of its parameter. */
CudaFunction *choose(CudaText *t, Name name, const Node **args, uint32_t count, uint32_t *best_cost)
{
    CudaFunction *best = NULL;
    *best_cost = UINT32_MAX;
    for (CudaFunction *f = meaning_of(t, name)->functions; f; f = f->next) {
        uint32_t cost = 0;
        for (uint32_t i = 0; f->param_count == count && i < count && cost < 1000; i++) {
            uint32_t step = conversion(args[i]->type, f->params[i]->type);
            bool fits = step != 2 && !(f->params[i]->is_reference && (step || !is_place(args[i])));
            cost += fits ? step : 1000;
        }
        bool is_better = cost < *best_cost || (cost == *best_cost && best->part && !f->part); /* than a template */
        if (f->param_count == count && cost < 1000 && is_better) {
            best = f;
            *best_cost = cost;
        }
    }
    return best;
}

/* A function of the text or of weft_math.cuh; `given`: the type in f<TYPE>(…), or NULL. NULL: there is none. */
static CudaFunction *find_function(CudaText *t, Name name, const CudaType *given, const Node **args, uint32_t count)
{
    uint32_t cost;
    CudaFunction *function = given ? NULL : choose(t, name, args, count, &cost);
    CudaFunction *shared = function && cost == 0 ? NULL : header_function(t, name, given, args, count);
    return shared ? shared : function;
}

/* NULL: no function takes these. */
static const Node *call_node(CudaText *t, Name name, const CudaType *given, const Node **args, uint32_t count)
{
    CudaFunction *function = find_function(t, name, given, args, count);
    if (!function)
        return NULL;
    Node *call = new_node(t, ON_CALL, function->result);
    call->function = function;
    call->count = count;
    call->args = ARENA_ARRAY(t->arena, const Node *, count);
    for (uint32_t i = 0; i < count; i++) {
        call->args[i] = function->params[i]->is_reference ? args[i] : convert_to(t, args[i], function->params[i]->type);
        if (function->params[i]->is_reference)
            note_change(args[i]);
    }
    return function->gives_reference ? node_of(t, ON_DEREF, function->result->of, call, NULL) : call;
}

static const Node *operator_call(CudaText *t, uint32_t sign, const Node **args, uint32_t count)
{
    char name[16] = "operator";
    size_t length = strlen(name);
    for (; sign; sign >>= 8)
        name[length++] = (char)sign;
    const Node *call = call_node(t, name_of(&t->names, name, length), NULL, args, count);
    if (!call)
        cannot(t, "%s is not defined for these types", name);
    return call;
}

enum { MOST_ARGS = 64 };

static uint32_t read_args(CudaText *t, const Node **args, uint32_t closing)
{
    uint32_t count = 0;
    while (!take_sign(t, closing)) {
        if (count == MOST_ARGS)
            cannot(t, "there are too many values in a list");
        args[count++] = read_initializer(t);
        if (!at_sign(t, closing))
            expect_sign(t, ',');
    }
    return count;
}

static const Node *list_node(CudaText *t, const Node **args, uint32_t count)
{
    Node *list = new_node(t, ON_LIST, &t->list);
    list->count = count;
    list->args = ARENA_ARRAY(t->arena, const Node *, count + 1);
    memcpy(list->args, args, count * sizeof *args);
    return list;
}

static const Node *read_list(CudaText *t)
{
    const Node *args[MOST_ARGS];
    enter_text(t);
    expect_sign(t, '{');
    uint32_t count = read_args(t, args, '}');
    t->depth--;
    return list_node(t, args, count);
}

const Node *read_initializer(CudaText *t)
{
    return at_sign(t, '{') ? read_list(t) : read_expression(t);
}

static const Node *read_call(CudaText *t, Name name, const CudaType *given)
{
    const Node *args[MOST_ARGS];
    uint32_t count = read_args(t, args, ')');
    const Node *call = call_node(t, name, given, args, count);
    if (call)
        return call;
    if (t->has_header && meaning_of(t, name)->word == WORD_COMPONENT && count == 2 && args[0]->type->shape)
        return component_node(t, args[0], args[1]);
    if (strncmp(name->text, "make_", 5) == 0) { /* make_float3(x, y, z) */
        const CudaType *type = named_type(t, name_of(&t->names, name->text + 5, name->len - 5));
        if (type)
            return convert_to(t, list_node(t, args, count), type);
    }
    if (!meaning_of(t, name)->builtin)
        cannot(t, "'%s' is not known for these types", name->text);
    return builtin_call(t, meaning_of(t, name)->builtin, args, count);
}

/* ---- primaries ---- */

static const Node *read_number(CudaText *t)
{
    const Token *at = &t->tokens[t->at++];
    const char *end = at->text + at->length;
    char digits[80];
    if (at->length >= sizeof digits)
        cannot(t, "a number is too long");
    memcpy(digits, at->text, at->length);
    digits[at->length] = 0;
    bool hex = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
    if (!hex && strpbrk(digits, ".eE")) {
        bool single = end[-1] == 'f';
        return real_node(t, single ? CUDA_F32 : CUDA_F64, strtod(digits, NULL));
    }
    uint64_t value = strtoull(digits, NULL, hex ? 16 : 10);
    bool is_unsigned = strpbrk(digits, "uU"), is_long = strpbrk(digits, "lL");
    CudaKind kind = is_long || value > UINT32_MAX || (value > INT32_MAX && !is_unsigned && !hex) ? CUDA_I64 : CUDA_I32;
    if (is_unsigned || (hex && kind == CUDA_I32 && value > INT32_MAX) || value > INT64_MAX)
        kind++;
    return number_node(t, kind, wrap_whole(kind, (int64_t)value));
}

static const Node *read_thread(CudaText *t, Word word)
{
    expect_sign(t, '.');
    if (!name_is(next_name(t), "x"))
        cannot(t, "a thread has more than one number");
    if (word == WORD_BLOCK_INDEX)
        return node_of(t, ON_THREAD, &t->scalars[CUDA_U32], NULL, NULL);
    return number_node(t, CUDA_U32, word == WORD_BLOCK_SIZE);
}

static const Node *read_sizeof(CudaText *t)
{
    expect_sign(t, '(');
    const CudaType *type = read_pointers(t, read_type(t));
    expect_sign(t, ')');
    return number_node(t, CUDA_U64, type->size);
}

static const Node *read_name(CudaText *t)
{
    Word word = cuda_token(t)->word;
    if (at_template_type(t)) {
        const CudaType *type = read_type(t);
        return convert_to(t, read_list(t), type);
    }
    Name name = next_name(t);
    for (uint32_t i = t->local_count; i-- > 0;)
        if (t->locals[i]->name == name) {
            if (t->locals[i]->constant)
                return t->locals[i]->constant;
            Node *node = new_node(t, ON_VARIABLE, t->locals[i]->type);
            node->variable = t->locals[i];
            return node;
        }
    Meaning *known = meaning_of(t, name);
    if (known->constant)
        return known->constant;
    if (at_sign(t, '{') && named_type(t, name))
        return convert_to(t, read_list(t), named_type(t, name));
    switch (word) {
    case WORD_TRUE:
    case WORD_FALSE: return number_node(t, CUDA_BOOL, word == WORD_TRUE);
    case WORD_INFINITY: return real_node(t, CUDA_F32, (double)INFINITY);
    case WORD_NAN: return real_node(t, CUDA_F32, (double)NAN);
    case WORD_BLOCK_INDEX:
    case WORD_BLOCK_SIZE:
    case WORD_THREAD_INDEX: return read_thread(t, word);
    case WORD_SIZEOF: return read_sizeof(t);
    case WORD_PART_COUNT:
        if (t->has_header && at_sign(t, '<'))
            return read_part_count(t);
        break;
    default: break;
    }
    const CudaType *given = NULL;
    if (at_sign(t, '<') && has_header_function(t, name)) { /* identity<mat33f>() */
        t->at++;
        given = read_type(t);
        expect_sign(t, '>');
    }
    if (take_sign(t, '('))
        return read_call(t, name, given);
    cannot(t, "'%s' is not known", name->text);
}

const Node *read_primary(CudaText *t)
{
    if (cuda_token(t)->kind == CT_NUMBER)
        return read_number(t);
    if (cuda_token(t)->kind == CT_TEXT) { /* for printf, which prints nothing here */
        t->at++;
        return number_node(t, CUDA_I32, 0);
    }
    if (take_sign(t, '(')) {
        const Node *inner = read_expression(t);
        expect_sign(t, ')');
        return inner;
    }
    return read_name(t);
}

static const Node *field_node(CudaText *t, const Node *base, Name name)
{
    for (uint32_t i = 0; base->type->kind == CUDA_STRUCT && i < base->type->field_count; i++)
        if (base->type->fields[i].name == name) {
            Node *node = new_node(t, ON_FIELD, base->type->fields[i].type);
            node->a = base;
            node->cell = base->type->fields[i].cell;
            return node;
        }
    cannot(t, "there is no field '%s'", name->text);
}

const Node *index_node(CudaText *t, const Node *base, const Node *index)
{
    bool is_array = base->type->kind == CUDA_ARRAY;
    if (!is_array && base->type->kind != CUDA_POINTER)
        cannot(t, "something is indexed that is not an array");
    return node_of(t, is_array ? ON_INDEX : ON_STEP, base->type->of, base, convert_to(t, index, &t->scalars[CUDA_I64]));
}

/* place `sign` value; NULL: 1. */
static const Node *change_node(CudaText *t, const Node *place, uint32_t sign, const Node *value, bool is_post)
{
    if (!is_place(place) || !is_scalar(place->type))
        cannot(t, "something is changed that is not a variable");
    note_change(place);
    value = value ? value : number_node(t, CUDA_I32, 1);
    if (!is_scalar(value->type))
        cannot(t, "something is changed by what is not a number");
    bool shift = sign == SIGN2('<', '<') || sign == SIGN2('>', '>');
    const CudaType *type = shift ? common_type(t, place->type, place->type) : common_type(t, place->type, value->type);
    Node *node = new_node(t, ON_CHANGE, place->type);
    if ((is_real(type) && !strchr("+-*/", (int)sign)) || (shift && is_real(value->type)))
        cannot(t, "an operator is for whole numbers");
    node->a = place;
    node->b = convert_to(t, value, type);
    node->sign = sign;
    node->is_post = is_post;
    return node;
}

static const Node *read_postfix(CudaText *t)
{
    const Node *node = read_primary(t);
    for (;;) {
        if (take_sign(t, '.'))
            node = field_node(t, node, next_name(t));
        else if (take_sign(t, SIGN2('-', '>'))) {
            if (node->type->kind != CUDA_POINTER)
                cannot(t, "-> is used on something that is not a pointer");
            node = field_node(t, node_of(t, ON_DEREF, node->type->of, node, NULL), next_name(t));
        } else if (take_sign(t, '[')) {
            const Node *index = read_expression(t);
            expect_sign(t, ']');
            node = index_node(t, node, index);
        } else if (take_sign(t, SIGN2('+', '+')))
            node = change_node(t, node, '+', NULL, true);
        else if (take_sign(t, SIGN2('-', '-')))
            node = change_node(t, node, '-', NULL, true);
        else
            return node;
    }
}

/* ---- operators ---- */

static const Node *read_unary(CudaText *t);

static const Node *read_cast(CudaText *t)
{
    const CudaType *type = read_pointers(t, read_type(t));
    expect_sign(t, ')');
    const Node *value = read_unary(t);
    if (type->kind == CUDA_POINTER && value->type->kind == CUDA_POINTER) {
        const CudaType *to = type->of, *from = value->type->of;
        if (to == from)
            return value;
        if (!is_scalar(to) || !is_scalar(from) || to->size != from->size)
            cannot(t, "a pointer becomes one to something of another size");
        const CudaType *seen = stored_as(t, to, from->stored ? from->stored : from->kind);
        return node_of(t, ON_CONVERT, pointer_to(t, seen), value, NULL);
    }
    if (is_scalar(type) && is_scalar(value->type))
        return node_of(t, ON_CONVERT, type, value, NULL);
    return convert_to(t, value, type);
}

static const Node *arithmetic(CudaText *t, NodeOp op, const Node *a)
{
    if (!is_scalar(a->type))
        cannot(t, "an operator has no number");
    if (op == ON_INVERT && is_real(a->type))
        cannot(t, "an operator is for whole numbers");
    const CudaType *type = op == ON_NOT ? &t->scalars[CUDA_BOOL] : common_type(t, a->type, a->type);
    return node_of(t, op, type, convert_to(t, a, type), NULL);
}

static const Node *read_signed(CudaText *t, uint32_t sign)
{
    const Node *a = read_unary(t);
    if (a->type->kind == CUDA_STRUCT && sign != '&' && sign != '*')
        return operator_call(t, sign, &a, 1);
    switch (sign) {
    case '-': return arithmetic(t, ON_NEGATE, a);
    case '+': return arithmetic(t, ON_CONVERT, a);
    case '~': return arithmetic(t, ON_INVERT, a);
    case '!':
        return a->type->kind == CUDA_POINTER
                   ? node_of(t, ON_NOT, &t->scalars[CUDA_BOOL], convert_to(t, a, &t->scalars[CUDA_BOOL]), NULL)
                   : arithmetic(t, ON_NOT, a);
    case '&':
        if (!is_place(a))
            cannot(t, "something has no address");
        note_change(a);
        return node_of(t, ON_ADDRESS, pointer_to(t, a->type), a, NULL);
    default:
        if (a->type->kind != CUDA_POINTER)
            cannot(t, "something is no pointer");
        return node_of(t, ON_DEREF, a->type->of, a, NULL);
    }
}

static const Node *read_unary(CudaText *t)
{
    static const uint32_t signs[] = {'-', '+', '~', '!', '&', '*'};
    const Node *node = NULL;
    enter_text(t);
    for (size_t i = 0; !node && cuda_token(t)->sign && i < sizeof signs / sizeof *signs; i++)
        if (take_sign(t, signs[i]))
            node = read_signed(t, signs[i]);
    if (!node && take_sign(t, SIGN2('+', '+')))
        node = change_node(t, read_unary(t), '+', NULL, false);
    if (!node && take_sign(t, SIGN2('-', '-')))
        node = change_node(t, read_unary(t), '-', NULL, false);
    if (!node && at_sign(t, '(')) {
        t->at++;
        if (at_type(t) &&
            !(t->tokens[t->at + 1].kind == CT_SIGN && t->tokens[t->at + 1].sign == '{')) /* not (float3{…}) */
            node = read_cast(t);
        else
            t->at--;
    }
    node = node ? node : read_postfix(t);
    t->depth--;
    return node;
}

static int precedence(const Token *token)
{
    switch (token->sign) {
    case SIGN2('|', '|'): return 1;
    case SIGN2('&', '&'): return 2;
    case '|': return 3;
    case '^': return 4;
    case '&': return 5;
    case SIGN2('=', '='):
    case SIGN2('!', '='): return 6;
    case '<':
    case '>':
    case SIGN2('<', '='):
    case SIGN2('>', '='): return 7;
    case SIGN2('<', '<'):
    case SIGN2('>', '>'): return 8;
    case '+':
    case '-': return 9;
    case '*':
    case '/':
    case '%': return 10;
    default: return 0;
    }
}

static const Node *binary_node(CudaText *t, uint32_t sign, int level, const Node *a, const Node *b)
{
    const CudaType *truth = &t->scalars[CUDA_BOOL];
    if (level <= 2)
        return node_of(t, level == 1 ? ON_OR : ON_AND, truth, convert_to(t, a, truth), convert_to(t, b, truth));
    if (a->type->kind == CUDA_STRUCT || b->type->kind == CUDA_STRUCT)
        return operator_call(t, sign, (const Node *[]){a, b}, 2);
    if (!is_scalar(a->type) || !is_scalar(b->type))
        cannot(t, "an operator has no numbers");
    bool shift = level == 8;
    const CudaType *type = shift ? common_type(t, a->type, a->type) : common_type(t, a->type, b->type);
    Node *node =
        new_node(t, level == 6 || level == 7 ? ON_COMPARE : ON_BINARY, level == 6 || level == 7 ? truth : type);
    if ((is_real(type) && (level < 6 || shift || sign == '%')) || (shift && is_real(b->type)))
        cannot(t, "an operator is for whole numbers");
    node->sign = sign;
    node->a = convert_to(t, a, type);
    node->b = convert_to(t, b, shift ? common_type(t, b->type, b->type) : type);
    return node;
}

static const Node *read_binary(CudaText *t, int least)
{
    const Node *left = read_unary(t);
    for (int level; (level = precedence(cuda_token(t))) >= least && level;) {
        uint32_t sign = t->tokens[t->at++].sign;
        left = binary_node(t, sign, level, left, read_binary(t, level + 1));
    }
    return left;
}

static const Node *read_choice(CudaText *t)
{
    const Node *condition = read_binary(t, 1);
    if (!take_sign(t, '?'))
        return condition;
    const Node *yes = read_expression(t);
    expect_sign(t, ':');
    const Node *no = read_expression(t);
    const CudaType *type = yes->type == no->type                         ? yes->type
                           : is_scalar(yes->type) && is_scalar(no->type) ? common_type(t, yes->type, no->type)
                                                                         : NULL;
    if (!type)
        cannot(t, "a choice has two types");
    Node *node = new_node(t, ON_CHOICE, type);
    node->a = convert_to(t, condition, &t->scalars[CUDA_BOOL]);
    node->b = convert_to(t, yes, type);
    node->c = convert_to(t, no, type);
    return node;
}

/* The operator of +=, <<= and their kin; 0: it is none of them. */
static uint32_t changing_sign(const Token *token)
{
    if (token->kind != CT_SIGN || token->length < 2 || token->text[token->length - 1] != '=' || precedence(token))
        return 0;
    return token->length == 2 ? (uint32_t)token->text[0] : SIGN2(token->text[0], token->text[1]);
}

static const Node *read_assignment(CudaText *t)
{
    const Node *left = read_choice(t);
    if (take_sign(t, '=')) {
        if (!is_place(left))
            cannot(t, "something is set that is not a variable");
        note_change(left);
        return node_of(t, ON_ASSIGN, left->type, left, convert_to(t, read_initializer(t), left->type));
    }
    uint32_t sign = changing_sign(cuda_token(t));
    if (!sign)
        return left;
    uint32_t whole = t->tokens[t->at++].sign;
    const Node *right = read_expression(t);
    if (left->type->kind == CUDA_STRUCT)
        return operator_call(t, whole, (const Node *[]){left, right}, 2);
    return change_node(t, left, sign, right, false);
}

const Node *read_expression(CudaText *t)
{
    enter_text(t);
    const Node *node = read_assignment(t);
    t->depth--;
    return node;
}
