/* Structs, constants, functions and their statements. */
#include "cuda/code.h"

static Variable *add_local(CudaText *t, Name name, const CudaType *type, bool is_reference)
{
    Variable *local = ARENA_NEW(t->arena, Variable);
    *local = (Variable){.name = name, .type = type, .is_reference = is_reference};
    ARENA_PUSH(t->arena, t->locals, t->local_count, t->local_cap) = local;
    return local;
}

/* ---- statements ---- */

static Statement *read_statement(CudaText *t);

static Statement *new_statement(CudaText *t, StatementKind kind)
{
    Statement *statement = ARENA_NEW(t->arena, Statement);
    statement->kind = kind;
    return statement;
}

/* [3][4] behind a name. */
static const CudaType *read_sizes(CudaText *t, const CudaType *type, bool *open)
{
    *open = false;
    if (!take_sign(t, '['))
        return type;
    if (take_sign(t, ']')) {
        *open = true;
        return type;
    }
    const Node *size = read_expression(t);
    expect_sign(t, ']');
    if (size->op != ON_NUMBER || is_real(size->type) || size->number.whole < 1)
        cannot(t, "the size of an array is not a number");
    bool inner;
    return array_of(t, read_sizes(t, type, &inner), (uint32_t)size->number.whole);
}

/* One variable of a declaration. */
static Statement *read_variable(CudaText *t, const CudaType *base)
{
    bool open;
    const CudaType *type = read_pointers(t, base);
    Name name = next_name(t);
    type = read_sizes(t, type, &open);
    const Node *value = NULL;
    if (take_sign(t, '='))
        value = read_initializer(t);
    if (open && (!value || value->op != ON_LIST || !value->count))
        cannot(t, "the size of the array '%s' is not known", name->text);
    if (open)
        type = array_of(t, type, value->count);
    Statement *statement = new_statement(t, DO_DECLARE);
    statement->value = value ? convert_to(t, value, type) : NULL;
    statement->variable = add_local(t, name, type, false); /* its name is known from here on */
    return statement;
}

static Statement *read_declaration(CudaText *t)
{
    Statement *block = new_statement(t, DO_BLOCK), **last = &block->body;
    const CudaType *base = read_type(t);
    block->is_group = true;
    do {
        *last = read_variable(t, base);
        last = &(*last)->next;
    } while (take_sign(t, ','));
    expect_sign(t, ';');
    return block;
}

static Statement *read_simple(CudaText *t)
{
    if (take_sign(t, ';'))
        return new_statement(t, DO_NOTHING);
    if (at_type(t) && !(t->tokens[t->at + 1].kind == CT_SIGN && t->tokens[t->at + 1].sign == '{'))
        return read_declaration(t);
    Statement *statement = new_statement(t, DO_VALUE);
    statement->value = read_expression(t);
    expect_sign(t, ';');
    return statement;
}

static const Node *read_condition(CudaText *t)
{
    return convert_to(t, read_expression(t), &t->scalars[CUDA_BOOL]);
}

/* The loops of weft_math.cuh over the parts of a value: `for (int i = 0; i < 3; ++i)`, with one statement. Turns that are written
 * out need no index at run time. False: the loop is something else, and nothing was read. */
static bool read_turns(CudaText *t, Name *name, int64_t *from, int64_t *to)
{
    enum { MOST_TURNS = 16 };
    uint32_t start = t->at;
    const Node *first = NULL, *last = NULL;
    if (take_sign(t, '(') && take_word(t, WORD_INT)) {
        *name = next_name(t);
        first = take_sign(t, '=') ? read_primary(t) : NULL;
        bool goes_on = first && take_sign(t, ';') && cuda_token(t)->name == *name && ++t->at && take_sign(t, '<');
        last = goes_on ? read_primary(t) : NULL;
    }
    bool fits = last && first->op == ON_NUMBER && last->op == ON_NUMBER && take_sign(t, ';') &&
                take_sign(t, SIGN2('+', '+')) && ++t->at && take_sign(t, ')') && !at_sign(t, '{');
    if (fits) {
        *from = first->number.whole;
        *to = last->number.whole;
        fits = *to > *from && *to - *from <= MOST_TURNS;
    }
    t->at = fits ? t->at : start;
    return fits;
}

static Statement *read_written_out(CudaText *t, Name name, int64_t from, int64_t to)
{
    uint32_t body = t->at;
    Statement *block = new_statement(t, DO_BLOCK), **last = &block->body;
    block->is_group = true;
    Variable *turn = add_local(t, name, &t->scalars[CUDA_I32], false);
    for (int64_t i = from; i < to; i++) {
        t->at = body;
        turn->constant = number_node(t, CUDA_I32, i);
        *last = read_statement(t);
        last = &(*last)->next;
    }
    t->local_count--;
    return block;
}

static Statement *read_for(CudaText *t)
{
    Name name;
    int64_t from, to;
    if (t->in_header && read_turns(t, &name, &from, &to))
        return read_written_out(t, name, from, to);
    uint32_t locals = t->local_count;
    Statement *loop = new_statement(t, DO_LOOP);
    expect_sign(t, '(');
    loop->otherwise = read_simple(t);
    if (!at_sign(t, ';'))
        loop->value = read_condition(t);
    expect_sign(t, ';');
    if (!at_sign(t, ')'))
        loop->step = read_expression(t);
    while (take_sign(t, ','))
        cannot(t, "a loop has several steps");
    expect_sign(t, ')');
    loop->body = read_statement(t);
    t->local_count = locals;
    return loop;
}

static Statement *read_if(CudaText *t)
{
    Statement *statement = new_statement(t, DO_IF);
    expect_sign(t, '(');
    statement->value = read_condition(t);
    expect_sign(t, ')');
    statement->body = read_statement(t);
    if (take_word(t, WORD_ELSE))
        statement->otherwise = read_statement(t);
    return statement;
}

static Statement *read_while(CudaText *t, bool body_first)
{
    Statement *loop = new_statement(t, DO_LOOP);
    loop->body_first = body_first;
    if (body_first) {
        loop->body = read_statement(t);
        if (!take_word(t, WORD_WHILE))
            cannot(t, "a loop has no end");
    }
    expect_sign(t, '(');
    loop->value = read_condition(t);
    expect_sign(t, ')');
    if (body_first)
        expect_sign(t, ';');
    else
        loop->body = read_statement(t);
    return loop;
}

static Statement *read_return(CudaText *t)
{
    Statement *statement = new_statement(t, DO_RETURN);
    if (!at_sign(t, ';'))
        statement->value = read_initializer(t);
    if (statement->value && !t->current->gives_reference)
        statement->value = convert_to(t, statement->value, t->current->result);
    expect_sign(t, ';');
    return statement;
}

static Statement *read_block(CudaText *t)
{
    uint32_t locals = t->local_count;
    Statement *block = new_statement(t, DO_BLOCK), **last = &block->body;
    expect_sign(t, '{');
    while (!take_sign(t, '}')) {
        *last = read_statement(t);
        last = &(*last)->next;
    }
    t->local_count = locals;
    return block;
}

static Statement *read_jump(CudaText *t, StatementKind kind)
{
    expect_sign(t, ';');
    return new_statement(t, kind);
}

static Statement *read_statement(CudaText *t)
{
    Statement *statement;
    enter_text(t);
    if (at_sign(t, '{'))
        statement = read_block(t);
    else if (take_word(t, WORD_IF))
        statement = read_if(t);
    else if (take_word(t, WORD_FOR))
        statement = read_for(t);
    else if (take_word(t, WORD_WHILE))
        statement = read_while(t, false);
    else if (take_word(t, WORD_DO))
        statement = read_while(t, true);
    else if (take_word(t, WORD_RETURN))
        statement = read_return(t);
    else if (take_word(t, WORD_BREAK))
        statement = read_jump(t, DO_BREAK);
    else if (take_word(t, WORD_CONTINUE))
        statement = read_jump(t, DO_CONTINUE);
    else
        statement = read_simple(t);
    t->depth--;
    return statement;
}

/* ---- what stands outside of functions ---- */

void read_struct(CudaText *t)
{
    CudaType *type = ARENA_NEW(t->arena, CudaType);
    Name name = next_name(t);
    type->kind = CUDA_STRUCT;
    expect_sign(t, '{');
    while (!take_sign(t, '}')) {
        const CudaType *base = read_type(t);
        do {
            bool open;
            const CudaType *field = read_pointers(t, base);
            Name field_name = next_name(t);
            add_field(t, type, field_name, read_sizes(t, field, &open));
        } while (take_sign(t, ','));
        expect_sign(t, ';');
    }
    expect_sign(t, ';');
    finish_struct(type);
    meaning_of(t, name)->type = type;
}

static void read_parameters(CudaText *t, CudaFunction *function)
{
    expect_sign(t, '(');
    while (!take_sign(t, ')')) {
        const CudaType *type = read_pointers(t, read_type(t));
        bool is_reference = take_sign(t, '&');
        Name name = cuda_token(t)->kind == CT_NAME ? next_name(t) : NULL;
        function->has_pointers |= type->has_pointers;
        ARENA_PUSH(t->arena, function->params, function->param_count, function->param_cap) =
            add_local(t, name, type, is_reference);
        if (!at_sign(t, ')'))
            expect_sign(t, ',');
    }
}

/* The name of a function; of an operator: "operator+". */
static Name read_function_name(CudaText *t)
{
    if (!take_word(t, WORD_OPERATOR))
        return next_name(t);
    const Token *sign = cuda_token(t);
    if (sign->kind != CT_SIGN)
        cannot(t, "an operator is expected before '%.20s'", sign->text);
    t->at++;
    const char *name = arena_format(t->arena, "operator%.*s", (int)sign->length, sign->text);
    return name_of(&t->names, name, strlen(name));
}

/* Which parameters the function hands to atomic extrema: the backward kernel looks at their results. */
static void note_extremes(CudaText *t, CudaFunction *function, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i + 4 < to; i++) {
        const Token *token = &t->tokens[i];
        if (token->kind != CT_NAME || !meaning_of(t, token->name)->is_extreme || token[2].sign != '&')
            continue;
        for (uint32_t p = 0; p < function->param_count && p < 32; p++)
            if (function->params[p]->name && token[3].name == function->params[p]->name)
                function->extremes |= 1u << p;
    }
}

CudaFunction *read_function(CudaText *t, bool is_kernel)
{
    CudaFunction *function = ARENA_NEW(t->arena, CudaFunction);
    t->current = function;
    t->local_count = t->depth = 0;
    function->is_kernel = is_kernel;
    function->result = read_pointers(t, read_type(t));
    function->gives_reference = take_sign(t, '&');
    if (function->gives_reference)
        function->result = pointer_to(t, function->result);
    function->name = read_function_name(t);
    read_parameters(t, function);
    Meaning *known = meaning_of(t, function->name);
    function->next = known->functions;
    if (!is_kernel) /* which nothing calls */
        known->functions = function;
    uint32_t from = t->at;
    function->body = read_block(t);
    note_extremes(t, function, from, t->at);
    if (is_kernel && function->result->kind != CUDA_VOID)
        cannot(t, "a kernel has a result");
    if (is_kernel && t->kernels[0] && t->kernels[1])
        cannot(t, "there are more than two kernels");
    if (is_kernel)
        t->kernels[t->kernels[0] != NULL] = function;
    return function;
}

/* using NAME = TYPE; */
void read_alias(CudaText *t)
{
    Name name = next_name(t);
    expect_sign(t, '=');
    const CudaType *type = read_type(t);
    meaning_of(t, name)->type = type;
    expect_sign(t, ';');
}

static void read_constant(CudaText *t)
{
    const CudaType *type = read_type(t);
    Name name = next_name(t);
    expect_sign(t, '=');
    t->local_count = 0;
    const Node *value = convert_to(t, read_initializer(t), type);
    meaning_of(t, name)->constant = value;
    expect_sign(t, ';');
}

void read_declarations(CudaText *t)
{
    while (cuda_token(t)->kind != CT_END)
        if (take_word(t, WORD_STRUCT))
            read_struct(t);
        else if (take_word(t, WORD_USING))
            read_alias(t);
        else if (take_word(t, WORD_TEMPLATE)) { /* save, lower_bound: known here */
            while (!at_sign(t, '{') && cuda_token(t)->kind != CT_END)
                t->at++;
            skip_braces(t);
        } else if (take_word(t, WORD_GLOBAL))
            read_function(t, true);
        else if (take_word(t, WORD_DEVICE)) {
            take_word(t, WORD_INLINE);
            read_function(t, false);
        } else if (at_word(t, WORD_CONSTEXPR))
            read_constant(t);
        else
            cannot(t, "'%.20s' is not understood", cuda_token(t)->text);
}

/* ---- all of it ---- */

CudaText *cuda_read(Arena *arena, const char *text, const char **why)
{
    CudaText *t = ARENA_NEW(arena, CudaText);
    t->arena = arena;
    if (setjmp(t->failed)) {
        *why = t->why;
        return NULL;
    }
    names_init(&t->names, arena);
    names_reserve(&t->names, 500); /* few texts have more */
    define_words(t);
    define_types(t);
    define_builtins(t);
    read_tokens(t, text);
    read_declarations(t);
    if (!t->kernels[0])
        cannot(t, "there is no kernel");
    for (uint32_t i = 0; i < 2 && t->kernels[i]; i++)
        t->kernels[i]->code = generate_code(t, t->kernels[i]);
    return t;
}

const CudaFunction *cuda_forward(const CudaText *text)
{
    return text->kernels[0];
}

const CudaFunction *cuda_backward(const CudaText *text)
{
    return text->kernels[1];
}

const char *cuda_name(const CudaFunction *function)
{
    return function->name->text;
}
