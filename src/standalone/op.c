/* The table of operations, and how its texts are filled in. */
#include "standalone/model.h"

#include <string.h>

static const OpRow rows[] = {
#define OP(name, pattern, text, first, second, third, uses, adjoint_uses)                                              \
    {name, pattern, text, {first, second, third, NULL}, uses, adjoint_uses},
#include "standalone/op.def"
#undef OP
};

bool op_changes_first(const OpRow *op)
{
    return op->text && op->text[0] == '&';
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
    case 'v':
    case 'V': return type->kind == TYPE_VEC;
    case 'm': return type->kind == TYPE_MAT;
    case 'q': return type->kind == TYPE_QUAT;
    case 't': return type->kind == TYPE_TRANSFORM;
    case 'c':
    case 'C': return type_is_composite(type);
    case 'a': return type->kind == TYPE_ARRAY;
    default: return false;
    }
}

/* One word of a pattern: a kind and perhaps a length. */
static bool word_fits(const char **pattern, const Type *type)
{
    char kind = *(*pattern)++;
    bool fits = type && kind_fits(kind, type);
    if ((kind == 'V' || kind == 'C') && fits)
        fits = type_is_float(type->composite.dtype);
    if (**pattern >= '1' && **pattern <= '9') {
        uint32_t length = (uint32_t)(*(*pattern)++ - '0');
        fits = fits && type->composite.rows == length && (kind != 'm' || type->composite.cols == length);
    }
    while (**pattern == ' ')
        (*pattern)++;
    return fits;
}

/* ---- rows by name ---- */

static uint32_t slot_of(const char *name)
{
    uint32_t hash = 0;
    while (*name)
        hash = hash * 31 + (unsigned char)*name++;
    return (hash ^ hash >> 9) % ROW_SLOTS;
}

void rows_init(RowTable *table)
{
    memset(table, NO_ROW, sizeof *table);
}

void rows_add(RowTable *table, const char *name, uint32_t row)
{
    uint8_t *last = &table->first[slot_of(name)];
    while (*last != NO_ROW)
        last = &table->next[*last];
    *last = (uint8_t)row;
}

uint32_t rows_first(const RowTable *table, const char *name)
{
    return table->first[slot_of(name)];
}

void index_ops(RowTable *table)
{
    _Static_assert(sizeof rows / sizeof *rows <= MAX_ROWS, "a larger RowTable is needed");
    for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++)
        rows_add(table, rows[i].name, i);
}

const OpRow *op_find(const RowTable *table, const char *name, const Type *const *types, uint32_t count)
{
    for (uint32_t i = rows_first(table, name); i != NO_ROW; i = table->next[i]) {
        if (strcmp(rows[i].name, name) != 0)
            continue;
        const char *pattern = rows[i].pattern;
        bool fits = true;
        uint32_t k = 0;
        for (; fits && k < count && *pattern; k++)
            fits = word_fits(&pattern, types[k]);
        if (fits && k == count && !*pattern)
            return &rows[i];
    }
    return NULL;
}

/* ---- helpers of a row ---- */

static const Type *chosen_type(Translator *t, const char **at, const Term *term)
{
    const Type *type = **at == 'r' ? term->type : term->args[**at - '0']->type;
    (*at)++;
    if (**at == 't') {
        (*at)++;
        type = type_mat(t->unit->types, type->composite.cols, type->composite.rows, type->composite.dtype);
    }
    return type;
}

static bool is_known_use(Translator *t, const char *uses, const Term *term)
{
    KnownUse use = {
        uses, {term->type, term->count ? term->args[0]->type : NULL, term->count > 1 ? term->args[1]->type : NULL}};
    for (uint32_t i = 0; i < t->used_count; i++)
        if (memcmp(&t->used[i], &use, sizeof use) == 0)
            return true;
    if (t->used_count < sizeof t->used / sizeof *t->used)
        t->used[t->used_count++] = use;
    return false;
}

void use_helpers(Translator *t, const char *uses, const Term *term)
{
    if (!uses || is_known_use(t, uses, term))
        return;
    while (uses && *uses) {
        size_t length = strcspn(uses, ": ");
        const char *name = arena_strndup(t->arena, uses, length);
        const Type *type = NULL, *second = NULL;
        uses += length;
        if (*uses == ':') {
            uses++;
            type = chosen_type(t, &uses, term);
            if (*uses == ',') {
                uses++;
                second = chosen_type(t, &uses, term);
            }
        }
        use_helper(t, name, type, second);
        while (*uses == ' ')
            uses++;
    }
}

/* ---- texts ---- */

/* How tightly what stands left or right of an operator must bind. */
static Tight operand_tight(const char *at, bool right)
{
    switch (*at) {
    case '*':
    case '/':
    case '%': return right ? TIGHT_UNARY : TIGHT_PRODUCT;
    case '+': return right ? TIGHT_PRODUCT : TIGHT_SUM;
    case '-': return right ? TIGHT_PRODUCT : TIGHT_SUM;
    case '<':
    case '>':
    case '=':
    case '!': return right && *at == '!' ? TIGHT_UNARY : TIGHT_SUM;
    case '&': return right ? (at[-1] == '&' ? TIGHT_EQUAL : TIGHT_UNARY) : at[1] == '&' ? TIGHT_AND : TIGHT_UNARY;
    case '|': return right ? (at[-1] == '|' ? TIGHT_BIT_OR : TIGHT_UNARY) : at[1] == '|' ? TIGHT_BIT_OR : TIGHT_UNARY;
    case '^': return TIGHT_UNARY;
    case '?': return right ? TIGHT_OR : TIGHT_OR;
    case ':': return TIGHT_OR;
    case '.':
    case '[': return right ? TIGHT_COMMA : TIGHT_PRIMARY;
    default: return TIGHT_COMMA;
    }
}

static bool is_shift(const char *at, bool right)
{
    return (at[0] == '<' || at[0] == '>') && (right ? at[-1] == at[0] : at[1] == at[0]);
}

static Tight slot_tight(const char *start, const char *slot, const char *behind)
{
    const char *left = slot - 1, *next = behind;
    while (left >= start && *left == ' ')
        left--;
    while (*next == ' ')
        next++;
    Tight tight = TIGHT_COMMA;
    if (left >= start) {
        bool unary = *left == '-' && (left == start || left[-1] == '(' || left[-1] == ' ');
        bool is_cast = *left == ')';
        unary = unary && slot == left + 1;
        tight = unary || is_cast || *left == '~' ? TIGHT_UNARY
                : is_shift(left, true)           ? TIGHT_UNARY
                                                 : operand_tight(left, true);
    }
    if (*next) {
        Tight other = is_shift(next, false) ? TIGHT_UNARY : operand_tight(next, false);
        tight = other > tight ? other : tight;
    }
    return tight;
}

/* How tightly a whole text binds: by its loosest operator outside of brackets. */
static Tight text_tight(const char *text)
{
    Tight tight = TIGHT_PRIMARY;
    int depth = 0;
    for (const char *at = text; *at; at++) {
        Tight found = TIGHT_PRIMARY;
        depth += *at == '(' || *at == '[' || *at == '{';
        depth -= *at == ')' || *at == ']' || *at == '}';
        if (depth || at[0] != ' ' || !at[1])
            continue;
        switch (at[1]) {
        case '?': found = TIGHT_CHOICE; break;
        case '+':
        case '-': found = TIGHT_SUM; break;
        case '*':
        case '/':
        case '%': found = TIGHT_PRODUCT; break;
        case '<':
        case '>': found = at[2] == at[1] ? TIGHT_SHIFT : TIGHT_LESS; break;
        case '=':
        case '!': found = TIGHT_EQUAL; break;
        case '&': found = at[2] == '&' ? TIGHT_AND : TIGHT_BIT_AND; break;
        case '|': found = at[2] == '|' ? TIGHT_OR : TIGHT_BIT_OR; break;
        case '^': found = TIGHT_BIT_XOR; break;
        default: break;
        }
        tight = found < tight ? found : tight;
    }
    if (tight == TIGHT_PRIMARY && (strchr("-!~", text[0]) || (text[0] == '(' && text[1] == '$')))
        tight = TIGHT_UNARY;
    return tight;
}

static const char *float_suffix(const Term *term)
{
    const Type *type = term->count && term->args[0]->type->kind != TYPE_ARRAY ? type_scalar_of(term->args[0]->type)
                                                                              : type_scalar_of(term->type);
    if (!type_is_float(type))
        type = type_scalar_of(term->type);
    return type->kind == TYPE_FLOAT64 ? "" : "f";
}

/* A sign behind a sign would be another operator. */
static void add_piece(Translator *t, Text *out, Piece piece, Tight wanted)
{
    const char *text = fit(t, piece, wanted);
    bool signs = out->len && out->data[out->len - 1] == '-' && text[0] == '-';
    text_str(out, signs ? "(" : "");
    text_str(out, text);
    text_str(out, signs ? ")" : "");
}

Piece expand(Translator *t, const char *pattern, const Term *term, const Piece *args, const Piece *seed)
{
    Text out;
    text_init_in(&out, t->arena);
    pattern += *pattern == '&';
    if (pattern[0] == '$' && pattern[1] && !pattern[2] && strchr("g0", pattern[1]))
        return pattern[1] == 'g' ? *seed : args[0];
    bool is_or = same_text(pattern, "$0 || $1");
    for (const char *at = pattern; *at;) {
        if (*at != '$') {
            text_char(&out, *at++);
            continue;
        }
        char what = at[1];
        const char *behind = at + 2;
        Tight wanted = slot_tight(pattern, at, behind);
        if (is_or && what == '0' && args[0].tight == TIGHT_OR)
            wanted = TIGHT_OR; /* but `and` in `or` has parentheses: compilers ask for them */
        if (what >= '0' && what <= '9')
            add_piece(t, &out, args[what - '0'], wanted);
        else if (what == 'g')
            add_piece(t, &out, *seed, wanted);
        else if (what == 'r')
            add_piece(t, &out, print_term(t, term), wanted);
        else if (what == 'F')
            text_str(&out, float_suffix(term));
        else if (what == 'T')
            text_str(&out, c_type(t, term->type));
        else if (what == 'A')
            text_str(&out, c_type(t, term->args[0]->type));
        else if (what == 's') { /* number of elements of an array */
            text_str(&out, array_size(t, term->args[*behind - '0'], 0));
            behind++;
        }
        at = behind;
    }
    return (Piece){text_cstr(&out), text_tight(pattern)};
}
