/* The table of operations, and how its texts are filled in. */
#include "standalone/model.h"

#include <string.h>

static const Op rows[] = {
#define OP(name, kinds, text, first, second, third) {name, kinds, text, {first, second, third}},
#include "standalone/op.def"
#undef OP
};
enum { ROW_COUNT = sizeof rows / sizeof *rows };

static const struct {
    const char *name;
    Form form;
} forms[] = {
#define FORM(name, form) {name, FORM_##form},
#include "standalone/form.def"
#undef FORM
};

static const Atomic atomics[] = {
#define ATOMIC(name, function, kind) {name, function, ATOMIC_##kind},
#include "standalone/form.def"
#undef ATOMIC
};

bool is_sum(const Atomic *atomic)
{
    return atomic->kind == ATOMIC_ADD || atomic->kind == ATOMIC_SUB;
}

const Atomic *find_atomic(const char *name)
{
    const Atomic *atomic = atomics;
    while (strcmp(atomic->name, name) != 0)
        atomic++;
    return atomic;
}

/* A constructor is an operation on any number of arguments. */
const Op construct_op = {.name = "construct", .text = ""};

void read_ops(StandaloneLibrary *library)
{
    for (uint32_t i = 0; i < ROW_COUNT; i++) {
        note_called(library, rows[i].text);
        for (int k = 0; k < 3; k++)
            note_called(library, rows[i].adjoint[k]);
        Word *word = word_of(library, rows[i].name, strlen(rows[i].name));
        word->op = word->op ? word->op : &rows[i];
    }
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        word_of(library, forms[i].name, strlen(forms[i].name))->form = forms[i].form;
}

/* ---- finding a row ---- */

static bool kind_fits(char kind, const Type *type)
{
    switch (kind) {
    case '?': return true;
    case 'f': return type_is_float(type);
    case 'i': return type_is_int(type) || type->kind == TYPE_HANDLE;
    case 's': return type_is_scalar(type) || type->kind == TYPE_HANDLE;
    case 'b': return type->kind == TYPE_BOOL;
    case 'v': return type->kind == TYPE_VEC;
    case 'V': return type->kind == TYPE_VEC && type_is_float(type->composite.dtype);
    case 'm': return type->kind == TYPE_MAT;
    case 'q': return type->kind == TYPE_QUAT;
    case 't': return type->kind == TYPE_TRANSFORM;
    case 'c': return type_is_composite(type);
    case 'C': return type_is_composite(type) && type_is_float(type->composite.dtype);
    case 'a': return type->kind == TYPE_ARRAY;
    default: return false;
    }
}

static bool op_fits(const Op *op, const Type *const *types, uint32_t count)
{
    const char *at = op->kinds;
    for (uint32_t i = 0; i < count; i++) {
        char kind = *at;
        if (!kind || !types[i] || !kind_fits(kind, types[i]))
            return false;
        if (*++at >= '1' && *at <= '9') { /* a length */
            uint32_t length = (uint32_t)(*at++ - '0');
            if (types[i]->composite.rows != length || (kind == 'm' && types[i]->composite.cols != length))
                return false;
        }
        at += *at == ' ';
    }
    return !*at;
}

const Op *op_find(const StandaloneLibrary *library, const char *name, const Type *const *types, uint32_t count)
{
    const Word *word = find_word(library, name);
    for (const Op *op = word ? word->op : NULL; op && op < rows + ROW_COUNT; op++)
        if (strcmp(op->name, name) == 0 && op_fits(op, types, count))
            return op;
    return NULL;
}

/* ---- texts ---- */

uint32_t mentioned_args(const char *text)
{
    uint32_t args = 0;
    for (const char *at = text; at && (at = strchr(at, '$')); at++)
        args |= at[1] == 'r' ? UINT32_MAX : at[1] >= '0' && at[1] <= '9' ? 1u << (at[1] - '0') : 0;
    return args;
}

/* ---- filling in ---- */

static const char *float_suffix(Term *term)
{
    const Type *type = type_scalar_of(term->type);
    if (term->count && term->args[0]->type->kind != TYPE_ARRAY && type_is_float(type_scalar_of(term->args[0]->type)))
        type = type_scalar_of(term->args[0]->type);
    return type->kind == TYPE_FLOAT64 ? "" : "f";
}

/* What a slot stands for; `slot` is behind the dollar sign, and is moved behind the slot. */
static Piece slot_piece(Translator *t, const char **slot, Term *term, const Piece *args, const Piece *seed)
{
    char kind = *(*slot)++;
    switch (kind) {
    case 'g': return *seed;
    case 'r': return print_term(t, term);
    case 'F': return piece_of(float_suffix(term));
    case 'T': return c_type(t, term->type);
    case 'A': return c_type(t, term->args[0]->type);
    case 's': return array_size(t, term->args[*(*slot)++ - '0'], 0); /* number of elements */
    default: return args[kind - '0'];
    }
}

Piece expand(Translator *t, const char *text, Term *term, const Piece *args, const Piece *seed)
{
    enum { MOST = 16 }; /* slots */
    bool draws = text[0] == '&', is_negative = text[0] == '-';
    const char *only = text + is_negative;
    if (only[0] == '$' && (only[1] == 'g' || only[1] == '0') && !only[2]) {
        Piece piece = only[1] == 'g' ? *seed : args[0];
        return is_negative ? negative(t, piece) : piece;
    }
    Text format = text_in(t->arena);
    Piece pieces[MOST];
    uint32_t count = 0;
    for (const char *at = text + draws; *at;) {
        if (*at != '$')
            text_char(&format, *at++);
        else if (count < MOST) {
            at++;
            text_char(&format, '@');
            pieces[count++] = slot_piece(t, &at, term, args, seed);
        }
    }
    Piece whole = join_pieces(t, text_cstr(&format), pieces);
    whole.has_effect |= draws && !seed;
    return whole;
}
