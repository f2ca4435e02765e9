/* The table of operations, and how its texts are filled in. */
#include "standalone/model.h"

#include <string.h>

typedef struct OpRow {
    const char *name, *kinds, *text, *adjoint[3], *uses, *adjoint_uses;
} OpRow;

static const OpRow rows[] = {
#define OP(name, kinds, text, first, second, third, uses, adjoint_uses)                                                \
    {name, kinds, text, {first, second, third}, uses, adjoint_uses},
#include "standalone/op.def"
#undef OP
};
enum { ROW_COUNT = sizeof rows / sizeof *rows };

/* A constructor is an operation on any number of arguments. */
const Op construct_op = {.name = "construct", .is_construct = true};

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
static const char *read_kind(const char *at, ArgKind *out)
{
    char kind = *at++;
    for (TypeKind i = 0; i <= TYPE_ANY_SCALAR; i++)
        if (kind_fits(kind, &(Type){.kind = i}))
            out->kinds |= (uint64_t)1 << i;
    out->is_float = kind == 'V' || kind == 'C';
    out->is_square = kind == 'm';
    if (*at >= '1' && *at <= '9')
        out->length = (uint32_t)(*at++ - '0');
    return at + strspn(at, " ");
}

static bool arg_fits(const ArgKind *arg, const Type *type)
{
    if (!type || !(arg->kinds >> type->kind & 1) || (arg->is_float && !type_is_float(type->composite.dtype)))
        return false;
    return !arg->length ||
           (type->composite.rows == arg->length && (!arg->is_square || type->composite.cols == arg->length));
}

/* ---- rows by name ---- */

static uint32_t slot_of(const char *name, size_t length)
{
    uint32_t hash = 0;
    for (size_t i = 0; i < length; i++)
        hash = hash * 31 + (unsigned char)name[i];
    return (hash ^ hash >> 9) % ROW_SLOTS;
}

void rows_init(RowTable *table)
{
    memset(table, NO_ROW, sizeof *table);
}

void rows_add(RowTable *table, const char *name, size_t length, uint32_t row)
{
    uint8_t *last = &table->first[slot_of(name, length)];
    while (*last != NO_ROW)
        last = &table->next[*last];
    *last = (uint8_t)row;
}

uint32_t rows_first(const RowTable *table, const char *name, size_t length)
{
    return table->first[slot_of(name, length)];
}

uint32_t op_first(const StandaloneLibrary *library, const char *name)
{
    for (uint32_t i = rows_first(&library->op_rows, name, strlen(name)); i != NO_ROW; i = library->op_rows.next[i])
        if (strcmp(rows[i].name, name) == 0)
            return i;
    return NO_ROW;
}

const Op *op_find(const StandaloneLibrary *library, uint32_t first, const Type *const *types, uint32_t count)
{
    for (uint32_t i = first; i != NO_ROW; i = library->next_op[i]) {
        const Op *op = &library->ops[i];
        bool fits = op->arg_count == count;
        for (uint32_t k = 0; fits && k < count; k++)
            fits = arg_fits(&op->args[k], types[k]);
        if (fits)
            return op;
    }
    return NULL;
}

/* ---- texts ---- */

/* How tightly what stands left or right of an operator must bind. */
static Tight operand_tight(const char *at, bool right)
{
    switch (*at) {
    case '*':
    case '/':
    case '%': return right ? TIGHT_SIGN : TIGHT_PRODUCT;
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
    if (tight == TIGHT_PRIMARY && text[0] == '-')
        return TIGHT_SIGN;
    if (tight == TIGHT_PRIMARY && (strchr("!~", text[0]) || (text[0] == '(' && text[1] == '$')))
        return TIGHT_UNARY;
    return tight;
}

/* ---- reading the table ---- */

static void read_pattern(Arena *arena, const char *text, Pattern *out)
{
    if (!text)
        return;
    const char *only = text + (text[0] == '-');
    if (only[0] == '$' && only[1] && !only[2] && strchr("g0", only[1])) {
        out->alone = only[1];
        out->is_negative = only > text;
    }
    uint32_t cap = 0;
    for (const char *at = text; *at;) {
        PatternPart *part = &ARENA_PUSH(arena, out->parts, out->count, cap);
        const char *slot = strchr(at, '$');
        *part = (PatternPart){.text = at, .length = (uint32_t)(slot ? (size_t)(slot - at) : strlen(at))};
        if (!slot)
            break;
        part->slot = slot[1] >= '0' && slot[1] <= '9' ? '0' : slot[1];
        part->which = (uint32_t)(slot[part->slot == 's' ? 2 : 1] - '0');
        part->wanted = slot_tight(text, slot, slot + 2);
        out->seeds += part->slot == 'g';
        out->mentions |= part->slot == '0' ? 1u << part->which : part->slot == 'r' ? ~0u : 0;
        at = slot + (part->slot == 's' ? 3 : 2);
    }
    out->tight = text_tight(text);
}

static const char *read_choice(const char *at, char *type, bool *turned)
{
    *type = *at++;
    *turned = *at == 't';
    return at + *turned;
}

static void read_uses(StandaloneLibrary *library, const char *text, HelperUses *out)
{
    uint32_t cap = 0;
    while (text && *text) {
        HelperUse *use = &ARENA_PUSH(&library->arena, out->items, out->count, cap);
        size_t length = strcspn(text, ": ");
        *use = (HelperUse){.row = helper_row(library, text, length)};
        text += length;
        if (*text == ':')
            text = read_choice(text + 1, &use->type, &use->type_turned);
        if (*text == ',')
            text = read_choice(text + 1, &use->second, &use->second_turned);
        text += strspn(text, " ");
    }
}

void read_ops(StandaloneLibrary *library)
{
    _Static_assert(sizeof rows / sizeof *rows <= MAX_ROWS, "a larger RowTable is needed");
    library->ops = ARENA_ARRAY(&library->arena, Op, ROW_COUNT);
    for (uint32_t i = 0; i < ROW_COUNT; i++) {
        const OpRow *row = &rows[i];
        Op *op = &library->ops[i];
        uint32_t same = op_first(library, row->name);
        while (same != NO_ROW && library->next_op[same] != NO_ROW)
            same = library->next_op[same];
        if (same == NO_ROW)
            rows_add(&library->op_rows, row->name, strlen(row->name), i);
        else
            library->next_op[same] = (uint8_t)i;
        library->next_op[i] = NO_ROW;
        op->name = row->name;
        note_called(library, row->text);
        for (int k = 0; k < 3; k++)
            note_called(library, row->adjoint[k]);
        for (const char *at = row->kinds; *at;)
            at = read_kind(at, &op->args[op->arg_count++]);
        op->changes_first = row->text[0] == '&';
        if (row->text[0] == '@')
            op->routine = row->text + 1;
        op->is_or = strcmp(row->text, "$0 || $1") == 0;
        op->is_convert = strcmp(row->name, "convert") == 0;
        read_pattern(&library->arena, row->text + op->changes_first, &op->text);
        for (int k = 0; k < 3; k++)
            read_pattern(&library->arena, row->adjoint[k], &op->adjoint[k]);
        read_uses(library, row->uses, &op->uses);
        read_uses(library, row->adjoint_uses, &op->adjoint_uses);
    }
}

/* ---- helpers of an operation ---- */

static const Type *chosen_type(Translator *t, char choice, bool turned, const Term *term)
{
    if (!choice)
        return NULL;
    const Type *type = choice == 'r' ? term->type : term->args[choice - '0']->type;
    return turned ? type_mat(t->unit->types, type->composite.cols, type->composite.rows, type->composite.dtype) : type;
}

void use_helpers(Translator *t, const HelperUses *uses, const Term *term)
{
    for (uint32_t i = 0; i < uses->count; i++) {
        const HelperUse *use = &uses->items[i];
        use_helper_row(t, use->row, chosen_type(t, use->type, use->type_turned, term),
                       chosen_type(t, use->second, use->second_turned, term));
    }
}

/* ---- filling in ---- */

static Piece float_suffix(const Term *term)
{
    const Type *type = term->count && term->args[0]->type->kind != TYPE_ARRAY ? type_scalar_of(term->args[0]->type)
                                                                              : type_scalar_of(term->type);
    if (!type_is_float(type))
        type = type_scalar_of(term->type);
    return type->kind == TYPE_FLOAT64 ? LIT("") : LIT("f");
}

static Piece slot_piece(Translator *t, const PatternPart *part, const Term *term, const Piece *args, const Piece *seed)
{
    switch (part->slot) {
    case '0': return args[part->which];
    case 'g': return *seed;
    case 'r': return print_term(t, term);
    case 'F': return float_suffix(term);
    case 'T': return c_type(t, term->type);
    case 'A': return c_type(t, term->args[0]->type);
    case 's': return array_size(t, term->args[part->which], 0); /* number of elements */
    default: return LIT("");
    }
}

Piece expand(Translator *t, const Op *op, const Pattern *pattern, const Term *term, const Piece *args,
             const Piece *seed)
{
    enum { MOST_SLOTS = 20 };
    Piece parts[2 * MOST_SLOTS];
    uint32_t count = 0;
    if (pattern->alone) {
        Piece only = pattern->alone == 'g' ? *seed : args[0];
        return pattern->is_negative ? negative(t, only) : only;
    }
    for (uint32_t i = 0; i < pattern->count && i < MOST_SLOTS; i++) {
        const PatternPart *part = &pattern->parts[i];
        if (part->length)
            parts[count++] = PIECE(part->text, part->length, TIGHT_PRIMARY);
        if (!part->slot)
            continue;
        Piece piece = slot_piece(t, part, term, args, seed);
        Tight wanted = part->wanted;
        if (op->is_or && part->which == 0 && piece.tight == TIGHT_OR)
            wanted = TIGHT_OR; /* but `and` in `or` has parentheses: compilers ask for them */
        parts[count++] = fit(t, piece, wanted);
    }
    Piece whole = glue(t, pattern->tight, parts, count);
    whole.has_effect |= op->changes_first && !seed;
    return whole;
}
