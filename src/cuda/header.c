/* weft_math.cuh, which texts include: only the definitions that a text asks for are read, when it asks. A function template is read
 * once for the types of each call, as a compiler does; its parameters stand for types and numbers meanwhile. The templates of types
 * (vec, mat, composite, …) are known here. */
#include "cuda/syntax.h"
#include "weft_math_cuh.h"

typedef enum PartKind { PART_TEMPLATE, PART_FUNCTION, PART_STRUCT, PART_ALIAS } PartKind;

typedef struct HeaderPart { /* a definition */
    PartKind kind;
    const char *text, *end;
    Token *tokens; /* once they were asked for */
    uint32_t token_count;
    bool is_read; /* all but templates are read once */
    struct HeaderPart *next;
} HeaderPart;

/* ---- finding definitions ---- */

static bool starts(const char *at, const char *word)
{
    return strncmp(at, word, strlen(word)) == 0;
}

static void add_part(CudaText *t, PartKind kind, const char *name, size_t length, const char *text, const char *end)
{
    HeaderPart *part = ARENA_NEW(t->arena, HeaderPart);
    Meaning *known = meaning_of(t, name_of(&t->names, name, length));
    *part = (HeaderPart){.kind = kind, .text = text, .end = end, .next = known->header};
    known->header = part;
}

static const char *end_behind(const char *at, const char *what)
{
    const char *found = strstr(at, what);
    return found ? found + strlen(what) : at + strlen(at);
}

/* template <…> in a line of its own, then the function. */
static const char *add_function(CudaText *t, const char *text)
{
    const char *line = strchr(text, '\n') + 1, *open = strchr(line, '('), *name = open;
    const char *end = end_behind(open, "\n}");
    while (name[-1] != ' ' && name[-1] != '*' && name[-1] != '&')
        name--;
    const char *sign = open - 1; /* operator*: the sign belongs to the name */
    while (strchr("+-*/%&|^~<>=", *sign))
        sign--;
    if (sign + 1 - strlen("operator") >= line && starts(sign + 1 - strlen("operator"), "operator"))
        name = sign + 1 - strlen("operator");
    add_part(t, starts(text, "template <int = 0>") ? PART_FUNCTION : PART_TEMPLATE, name, (size_t)(open - name), text,
             end);
    return end;
}

void attach_header(CudaText *t)
{
    const char *at = (const char *)weft_math_cuh;
    for (t->has_header = true; at && *at; at = strchr(at, '\n'), at += at != NULL) {
        const char *line_end = *at == 't' ? strchr(at, '\n') : NULL;
        if (line_end && starts(at, "template <") && starts(line_end + 1, "__device__ inline "))
            at = add_function(t, at);
        else if (*at == 's' && starts(at, "struct ")) {
            const char *name = at + strlen("struct "), *end = end_behind(at, "\n};");
            add_part(t, PART_STRUCT, name, strcspn(name, " "), name, end);
            at = end;
        } else if (*at == 'u' && starts(at, "using ")) {
            const char *name = at + strlen("using ");
            add_part(t, PART_ALIAS, name, strcspn(name, " "), name, end_behind(at, ";"));
        }
    }
}

/* ---- reading one of them ---- */

typedef struct Reading { /* what the reading of a definition in the middle of another leaves as it was */
    Token *tokens;
    uint32_t token_count, token_cap, at, local_count, local_cap, depth;
    Variable **locals;
    CudaFunction *current;
    bool is_half_closed;
} Reading;

static Reading enter_part(CudaText *t, HeaderPart *part)
{
    Reading outer = {.tokens = t->tokens,
                     .token_count = t->token_count,
                     .token_cap = t->token_cap,
                     .at = t->at,
                     .local_count = t->local_count,
                     .local_cap = t->local_cap,
                     .depth = t->depth,
                     .locals = t->locals,
                     .current = t->current,
                     .is_half_closed = t->is_half_closed};
    enum { DEEPEST_PARTS = 40 };
    if (++t->in_header > DEEPEST_PARTS)
        cannot(t, "functions of weft_math.cuh are nested too deeply");
    if (!part->tokens) {
        read_part_tokens(t, part->text, part->end);
        part->tokens = t->tokens;
        part->token_count = t->token_count;
    }
    t->tokens = part->tokens;
    t->token_count = t->token_cap = part->token_count;
    t->at = t->local_count = t->local_cap = t->depth = 0;
    t->locals = NULL;
    t->is_half_closed = false;
    return outer;
}

static void leave_part(CudaText *t, const Reading *outer)
{
    t->tokens = outer->tokens;
    t->token_count = outer->token_count;
    t->token_cap = outer->token_cap;
    t->at = outer->at;
    t->local_count = outer->local_count;
    t->local_cap = outer->local_cap;
    t->depth = outer->depth;
    t->locals = outer->locals;
    t->current = outer->current;
    t->is_half_closed = outer->is_half_closed;
    t->in_header--;
}

/* The name of a type of the header: its definition is read. */
const CudaType *named_type(CudaText *t, Name name)
{
    Meaning *known = meaning_of(t, name);
    HeaderPart *part = known->header;
    if (known->type || !part || (part->kind != PART_STRUCT && part->kind != PART_ALIAS) || part->is_read)
        return known->type;
    part->is_read = true;
    Reading outer = enter_part(t, part);
    if (part->kind == PART_STRUCT)
        read_struct(t);
    else
        read_alias(t);
    leave_part(t, &outer);
    return meaning_of(t, name)->type;
}

/* ---- templates of types ---- */

static bool is_local(const CudaText *t, Name name)
{
    for (uint32_t i = 0; i < t->local_count; i++)
        if (t->locals[i]->name == name)
            return true;
    return false;
}

bool at_template_type(CudaText *t)
{
    const Token *token = cuda_token(t);
    return t->has_header && token->word >= WORD_VEC && token->word <= WORD_SAME && token[1].sign == '<' &&
           !is_local(t, token->name);
}

/* The end of a list in < and >, which may be the first half of >>. */
static void close_list(CudaText *t)
{
    if (!at_sign(t, SIGN2('>', '>')))
        expect_sign(t, '>');
    else if ((t->is_half_closed = !t->is_half_closed) == false)
        t->at++;
}

const Node *read_part_count(CudaText *t)
{
    expect_sign(t, '<');
    const CudaType *type = read_type(t);
    close_list(t);
    if (!type->shape)
        cannot(t, "part_count of a type that has no parts");
    return number_node(t, CUDA_I32, type->cells);
}

static uint32_t read_count(CudaText *t)
{
    enum { MOST = 1 << 16 };
    const Node *count = read_primary(t);
    if (count->op != ON_NUMBER || is_real(count->type) || count->number.whole < 1 || count->number.whole > MOST)
        cannot(t, "the size of a vector or matrix is not known");
    return (uint32_t)count->number.whole;
}

/* composite<T>, scalar_of<T>, number<T>, same<T>; NULL: the type is not one of those. */
static const CudaType *type_trait(Word word, const CudaType *type)
{
    switch (word) {
    case WORD_COMPOSITE: return type->shape ? type : NULL;
    case WORD_SCALAR_OF: return type->shape ? type->scalar : NULL;
    case WORD_NUMBER: return is_scalar(type) && type->kind != CUDA_BOOL ? type : NULL;
    default: return type;
    }
}

const CudaType *read_template_type(CudaText *t)
{
    Word word = cuda_token(t)->word;
    t->at += 2;
    const CudaType *type = at_template_type(t) ? read_template_type(t) : read_type(t);
    if (!type)
        return NULL;
    uint32_t rows = word == WORD_QUAT ? 4 : word == WORD_TRANSFORM ? 7 : 1, cols = 1;
    if (word >= WORD_COMPOSITE)
        type = type_trait(word, type);
    else if (!is_scalar(type))
        cannot(t, "a vector or matrix is not one of numbers");
    if (word == WORD_VEC || word == WORD_MAT) {
        expect_sign(t, ',');
        rows = read_count(t);
    }
    if (word == WORD_MAT) {
        expect_sign(t, ',');
        cols = read_count(t);
    }
    close_list(t);
    return word >= WORD_COMPOSITE ? type : shape_of(t, word, type, rows, cols);
}

/* component(a, i): the cell with that number, whatever its name is. */
Node *component_node(CudaText *t, const Node *base, const Node *index)
{
    Node *parts = new_node(t, ON_FIELD, array_of(t, base->type->scalar, base->type->cells));
    parts->a = base;
    /* nodes live in the arena, and this one is new */
    return (Node *)(uintptr_t)index_node(t, parts, index);
}

/* ---- templates of functions ---- */

enum { MOST_PARAMS = 6 };
typedef struct Binding { /* of a template's parameter */
    Name name;           /* NULL: it only asks for a type, `class = composite<T>` */
    bool is_count;
    uint32_t asked_at; /* where that type stands */
    const CudaType *type;
    const Node *count;
    Meaning kept;
} Binding;

typedef struct Deduction {
    CudaText *t;
    Binding items[MOST_PARAMS];
    uint32_t count;
} Deduction;

/* To the comma or bracket behind a parameter. */
static void skip_pattern(CudaText *t)
{
    uint32_t depth = 0;
    for (; cuda_token(t)->kind != CT_END; t->at++) {
        bool closes_two = at_sign(t, SIGN2('>', '>'));
        if (!depth && (at_sign(t, ',') || at_sign(t, ')') || at_sign(t, '>')))
            return;
        if (depth == 1 && closes_two) { /* and the list around it */
            t->is_half_closed = true;
            return;
        }
        depth += at_sign(t, '<') || at_sign(t, '(');
        depth -= at_sign(t, '>') || at_sign(t, ')') || closes_two;
        depth -= closes_two;
    }
}

/* template <class T, int N, class = composite<T>> */
static void read_template_params(Deduction *d)
{
    CudaText *t = d->t;
    expect_sign(t, '<');
    do {
        Binding *binding = &d->items[d->count++];
        *binding = (Binding){.is_count = at_word(t, WORD_INT)};
        t->at++;
        if (cuda_token(t)->kind == CT_NAME)
            binding->name = next_name(t);
        else {
            expect_sign(t, '=');
            binding->asked_at = t->at;
            skip_pattern(t);
        }
    } while (d->count < MOST_PARAMS && take_sign(t, ','));
    close_list(t);
    take_word(t, WORD_DEVICE);
    take_word(t, WORD_INLINE);
}

static Binding *find_binding(Deduction *d, Name name)
{
    for (uint32_t i = 0; i < d->count; i++)
        if (name && d->items[i].name == name)
            return &d->items[i];
    return NULL;
}

static bool bind_type(Binding *binding, const CudaType *type)
{
    if (!binding->type)
        binding->type = type;
    return binding->type == type;
}

static bool match_count(Deduction *d, uint32_t count)
{
    CudaText *t = d->t;
    expect_sign(t, ',');
    Binding *binding = find_binding(d, cuda_token(t)->name);
    if (!binding)
        return read_count(t) == count;
    t->at++;
    if (!binding->count)
        binding->count = number_node(t, CUDA_I32, count);
    return binding->count->number.whole == count;
}

/* mat<S, 3, N>, quat<S>: what the parameters in it are follows from the type. */
static bool match_shape(Deduction *d, const CudaType *type)
{
    CudaText *t = d->t;
    Word word = cuda_token(t)->word;
    if (type->shape != word)
        return false;
    t->at += 2;
    Binding *scalar = find_binding(d, cuda_token(t)->name);
    bool fits = scalar && bind_type(scalar, type->scalar);
    t->at++;
    return fits && (word != WORD_MAT || (match_count(d, type->rows) && match_count(d, type->cols)));
}

/* Binds the parameters that follow from one argument; false: it cannot be one. */
static bool match_argument(Deduction *d, const Node *arg)
{
    CudaText *t = d->t;
    uint32_t start = t->at;
    const CudaType *type = arg->type;
    take_word(t, WORD_CONST);
    Binding *binding = find_binding(d, cuda_token(t)->name);
    uint32_t behind = t->at + 1;
    bool fits = true, is_pointer = binding && t->tokens[behind].sign == '*';
    if (is_pointer && type->kind != CUDA_POINTER)
        return false;
    if (binding && t->tokens[behind].sign == '(') /* an array: save() is known here */
        return false;
    if (binding && type->kind != CUDA_LIST)
        fits = bind_type(binding, is_pointer ? type->of : type);
    else if (at_word(t, WORD_MAT) || at_word(t, WORD_QUAT) || at_word(t, WORD_TRANSFORM))
        fits = type->kind == CUDA_LIST || match_shape(d, type);
    t->at = start;
    skip_pattern(t);
    return fits;
}

static bool are_bound(const Deduction *d)
{
    for (uint32_t i = 0; i < d->count; i++)
        if (d->items[i].name && !d->items[i].type && !d->items[i].count)
            return false;
    return true;
}

static void put_bindings(Deduction *d)
{
    for (uint32_t i = 0; i < d->count; i++) {
        Binding *binding = &d->items[i];
        if (!binding->name)
            continue;
        Meaning *meaning = meaning_of(d->t, binding->name);
        binding->kept = *meaning;
        meaning->type = binding->type;
        meaning->constant = binding->count;
    }
}

static void remove_bindings(Deduction *d)
{
    for (uint32_t i = 0; i < d->count; i++) {
        Binding *binding = &d->items[i];
        if (!binding->name)
            continue;
        Meaning *meaning = meaning_of(d->t, binding->name);
        meaning->type = binding->kept.type;
        meaning->constant = binding->kept.constant;
    }
}

/* From the first parameter on. */
static bool match_arguments(Deduction *d, const Node **args, uint32_t count)
{
    CudaText *t = d->t;
    for (uint32_t i = 0; i < count; i++) {
        if (at_sign(t, ')') || !match_argument(d, args[i]))
            return false;
        take_sign(t, ',');
    }
    return at_sign(t, ')') && are_bound(d);
}

/* A type that may depend on the template's parameters; NULL: there is none for these. */
static const CudaType *read_bound_type(CudaText *t)
{
    take_word(t, WORD_CONST);
    const CudaType *type = at_template_type(t) ? read_template_type(t) : read_type(t);
    return type ? read_pointers(t, type) : NULL;
}

/* With the parameters known: does the template ask for anything that the types do not have, and do the arguments fit? */
static bool are_types_right(Deduction *d, uint32_t first, const Node **args, uint32_t count, const CudaType **types)
{
    CudaText *t = d->t;
    for (uint32_t i = 0; i < d->count; i++) {
        t->at = d->items[i].asked_at;
        if (!d->items[i].name && !read_bound_type(t))
            return false;
        t->is_half_closed = false;
    }
    t->at = first;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t start = t->at;
        types[i] = read_bound_type(t);
        if (!types[i] || conversion(args[i]->type, types[i]) == 2)
            return false;
        t->at = start;
        skip_pattern(t);
        take_sign(t, ',');
    }
    return true;
}

/* One that was made for these types before; NULL: there is none. */
static CudaFunction *known_instance(CudaText *t, Name name, const HeaderPart *part, const CudaType *result,
                                    const CudaType **types, uint32_t count)
{
    for (CudaFunction *f = meaning_of(t, name)->functions; f; f = f->next) {
        bool same = f->part == part && f->result == result && f->param_count == count;
        for (uint32_t i = 0; same && i < count; i++)
            same = f->params[i]->type == types[i];
        if (same)
            return f;
    }
    return NULL;
}

enum { MOST_FUNCTION_PARAMS = 64 };

/* The function of the template for these arguments; NULL: it is not for them. */
static CudaFunction *make_instance(CudaText *t, Name name, HeaderPart *part, const CudaType *given, const Node **args,
                                   uint32_t count)
{
    Reading outer = enter_part(t, part);
    Deduction d = {.t = t};
    const CudaType *types[MOST_FUNCTION_PARAMS];
    CudaFunction *function = NULL;
    t->at++; /* template */
    read_template_params(&d);
    uint32_t result_at = t->at;
    while (!take_sign(t, '('))
        t->at++;
    uint32_t first = t->at;
    if (given)
        d.items[0].type = given;
    if (match_arguments(&d, args, count)) {
        put_bindings(&d);
        bool fits = are_types_right(&d, first, args, count, types);
        t->at = result_at;
        const CudaType *result = fits ? read_bound_type(t) : NULL;
        if (result)
            function = known_instance(t, name, part, result, types, count);
        t->at = result_at;
        if (result && !function) {
            function = read_function(t, false);
            function->part = part;
        }
        remove_bindings(&d);
    }
    leave_part(t, &outer);
    return function;
}

static void read_plain_function(CudaText *t, HeaderPart *part)
{
    part->is_read = true;
    Reading outer = enter_part(t, part);
    while (!take_word(t, WORD_DEVICE))
        t->at++;
    take_word(t, WORD_INLINE);
    read_function(t, false)->part = part;
    leave_part(t, &outer);
}

/* CUDA's own functions of numbers are better known than those of the header with their names, which are for other types. */
static bool is_of_numbers(const Node **args, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const CudaType *type = args[i]->type;
        if (type->shape || (type->kind == CUDA_POINTER && type->of->shape))
            return false;
    }
    return true;
}

bool has_header_function(CudaText *t, Name name)
{
    const HeaderPart *part = meaning_of(t, name)->header;
    return part && part->kind <= PART_FUNCTION;
}

CudaFunction *header_function(CudaText *t, Name name, const CudaType *given, const Node **args, uint32_t count)
{
    Meaning *known = meaning_of(t, name);
    HeaderPart *parts = known->header;
    CudaFunction *function = NULL;
    uint32_t cost;
    if (!parts || count > MOST_FUNCTION_PARAMS || known->word == WORD_COMPONENT ||
        (known->builtin && is_of_numbers(args, count)))
        return NULL;
    bool any = false;
    for (HeaderPart *part = parts; part; part = part->next)
        if (part->kind == PART_FUNCTION && !part->is_read) {
            read_plain_function(t, part);
            any = true;
        }
    if (any && (function = choose(t, name, args, count, &cost)) && cost == 0)
        return function;
    for (HeaderPart *part = parts; part; part = part->next) {
        CudaFunction *made = part->kind == PART_TEMPLATE ? make_instance(t, name, part, given, args, count) : NULL;
        if (made)
            return made;
    }
    return function;
}
