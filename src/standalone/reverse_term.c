/* The reverse pass of one expression: what is added to the adjoints of the things in it. */
#include "standalone/model.h"

#include <string.h>

enum { LONG_SEED = 60 };

static bool is_given(const Translator *t, Piece name)
{
    for (uint32_t k = 0; k < t->current->vars.count; k++) {
        Piece known = t->current->vars.items[k]->label;
        if (known.length == name.length && memcmp(known.text, name.text, name.length) == 0)
            return true;
    }
    for (uint32_t k = 0; k < t->names.count; k++) {
        Piece known = t->names.items[k];
        if (known.length == name.length && memcmp(known.text, name.text, name.length) == 0)
            return true;
    }
    return false;
}

static Piece as_local(Translator *t, Piece name)
{
    name.tight = TIGHT_NAME;
    name.uses = name_set(t, t->locals++);
    name.is_plain = true;
    return name;
}

/* The stem itself, or with a number. */
Piece fresh_name(Translator *t, Piece stem)
{
    Piece name = stem;
    for (uint32_t i = 1; is_given(t, name); i++)
        name = GLUE(t, TIGHT_NAME, stem, piece_int(t, i));
    ARENA_PUSH(t->arena, t->names.items, t->names.count, t->names.cap) = name;
    return as_local(t, name);
}

static bool is_like_gradient(Piece name)
{
    return name.text[0] == 'g' && name.text[1] >= '0' && name.text[1] <= '9';
}

/* Other names that are given are never like those of gradients. */
void look_for_gradient_names(Translator *t)
{
    t->gradients_are_taken = false;
    for (uint32_t i = 0; i < t->current->vars.count; i++)
        t->gradients_are_taken |= is_like_gradient(t->current->vars.items[i]->label);
}

/* g1, g2, … */
Piece fresh_gradient(Translator *t)
{
    Piece name;
    do {
        char *text = arena_take(t->arena, 2 + UINT_ROOM), *end = put_uint(put_lit(text, "g"), ++t->gradients);
        *end = '\0';
        name = PIECE(text, end - text, TIGHT_NAME);
    } while (t->gradients_are_taken && is_given(t, name));
    return as_local(t, name);
}

/* The seed under a name, where it would be written several times. */
static Piece named_seed(Translator *t, Piece seed, const Type *type)
{
    if (seed.is_plain)
        return seed;
    Piece name = fresh_gradient(t);
    declare_line(t, c_type(t, type), name, seed, LIT(""));
    return name;
}

/* ---- places ---- */

static void add_to_struct(Translator *t, Piece place, Piece seed, const Type *type, bool shared);

static void add_to(Translator *t, Piece place, Piece seed, const Type *type, bool shared)
{
    if (type->kind == TYPE_STRUCT) {
        add_to_struct(t, place, named_seed(t, seed, type), type, shared);
        return;
    }
    bool composite = type_is_composite(type);
    if (composite)
        use_helper_row(t, shared ? t->library->atomic_add : t->library->accumulate, type, NULL);
    if (shared) {
        LINE(t, LINE_PLAIN, composite ? LIT("atomic_add(&") : LIT("atomicAdd(&"), place, LIT(", "), seed, LIT(");"));
        return;
    }
    if (!composite && seed.negated)
        set_line(t, place, "-=", *seed.negated, LIT(""));
    else
        set_line(t, place, "+=", seed, LIT(""));
}

static void add_to_struct(Translator *t, Piece place, Piece seed, const Type *type, bool shared)
{
    for (uint32_t i = 0; i < type->decl->field_count; i++) {
        const Type *field = strip(type->decl->fields[i].type);
        Piece label = piece_of(struct_names(t, type->decl)->fields[i]);
        if (field->kind == TYPE_ARRAY || !is_float_type(field))
            continue;
        Piece dotted = GLUE(t, TIGHT_PRIMARY, LIT("."), label);
        add_to(t, part_of(t, place, dotted), part_of(t, seed, dotted), field, shared);
    }
}

static bool is_place(const Term *term)
{
    while (term->kind == TERM_COMPONENT || term->kind == TERM_FIELD)
        term = term->args[0];
    return term->kind == TERM_VAR || term->kind == TERM_ELEMENT;
}

/* A part of a value that is computed: the other parts get nothing. */
static void propagate_part(Translator *t, const Term *term, Piece seed)
{
    const Term *base = term->args[0];
    Piece name = fresh_gradient(t);
    declare_line(t, c_type(t, base->type), name, LIT("{}"), LIT(""));
    Var whole = {.text = name.text, .label = name, .type = base->type};
    Term root = {.kind = TERM_VAR, .type = base->type, .var = &whole}, part = *term;
    Term *args[3] = {&root, term->count > 1 ? term->args[1] : NULL, term->count > 2 ? term->args[2] : NULL};
    part.args = args;
    part.printed = (Piece){0};
    set_line(t, place_text(t, &part, false), "=", seed, LIT(""));
    propagate(t, base, name);
}

/* ---- operations ---- */

static void propagate_construct(Translator *t, const Term *term, Piece seed)
{
    seed = named_seed(t, seed, term->type);
    for (uint32_t i = 0; i < term->count; i++) {
        if (!term_is_active(term->args[i]))
            continue;
        if (term->type->kind == TYPE_STRUCT)
            propagate(
                t, term->args[i],
                part_of(t, seed,
                        GLUE(t, TIGHT_PRIMARY, LIT("."), piece_of(struct_names(t, term->type->decl)->fields[i]))));
        else
            propagate(t, term->args[i], part_of(t, seed, component_text(t, term->type, i)));
    }
}

static void propagate_op(Translator *t, const Term *term, Piece seed)
{
    const Op *op = term->op;
    Piece args[4];
    uint32_t flows = 0;
    if (op->is_construct) {
        propagate_construct(t, term, seed);
        return;
    }
    for (uint32_t i = 0; i < term->count; i++) {
        if (term->args[i]->type->kind != TYPE_ARRAY)
            args[i] = print_term(t, term->args[i]);
        flows += i < 3 && has_text(&op->adjoint[i]) && term_is_active(term->args[i]);
    }
    if (!flows)
        return;
    if (flows > 1 || seed.length > LONG_SEED)
        seed = named_seed(t, seed, term->type);
    if (!term->printed.text)
        use_helpers(t, &op->uses, term);
    use_helpers(t, &op->adjoint_uses, term);
    for (uint32_t i = 0; i < term->count && i < 3; i++) {
        if (!has_text(&op->adjoint[i]) || !term_is_active(term->args[i]))
            continue;
        if (op->adjoint[i].seeds > 1)
            seed = named_seed(t, seed, term->type);
        propagate(t, term->args[i], expand(t, op, &op->adjoint[i], term, args, &seed));
    }
}

static void propagate_choice(Translator *t, const Term *term, Piece seed)
{
    bool yes = term_is_active(term->args[1]), no = term_is_active(term->args[2]);
    Piece condition = print_term(t, term->args[0]);
    seed = named_seed(t, seed, term->type);
    if_line(t, LINE_IF, yes ? condition : opposite(t, condition));
    t->indent++;
    propagate(t, term->args[yes ? 1 : 2], seed);
    t->indent--;
    if (yes && no) {
        LINE(t, LINE_ELSE, LIT(""));
        t->indent++;
        propagate(t, term->args[2], seed);
        t->indent--;
    }
    close_block(t);
}

/* ---- calls of functions ---- */

static Piece comma_before(Translator *t, Piece before, Piece last)
{
    return before.length ? GLUE(t, TIGHT_COMMA, before, LIT(", "), last) : last;
}

/* adj_f(arguments, adjoint of the result, adjoints of the arguments) */
void propagate_call(Translator *t, const Term *term, Piece seed)
{
    const Routine *routine = term->routine;
    Piece names[64] = {{0}};
    if (!routine->adjoint)
        refuse(t, NULL, "the function '%s' has no gradient: %s", routine->name,
               routine->no_adjoint ? routine->no_adjoint : "it is not differentiable");
    ((Routine *)routine)->adjoint_called = true;
    if (routine->entry)
        use_library_adjoint(t, routine);
    Piece args = print_call_args(t, term, true);
    if (seed.length)
        args = comma_before(t, args, seed);
    for (uint32_t i = 0; i < term->count && i < 64; i++) {
        const Term *arg = term->args[i];
        if (arg->type->kind == TYPE_ARRAY || !is_float_type(arg->type))
            continue;
        bool direct = arg->kind == TERM_VAR && (arg->var->active || (arg->var->is_param && holds_arrays(arg->type)));
        if (!direct && holds_arrays(arg->type))
            refuse(t, NULL, "a part of a struct with arrays is passed to '%s'", routine->name);
        if (!direct) {
            names[i] = fresh_gradient(t);
            declare_line(t, c_type(t, arg->type), names[i], start_text(t, arg->type), LIT(""));
        }
        args = comma_before(t, args, direct ? place_text(t, arg, true) : names[i]);
    }
    LINE(t, LINE_PLAIN, piece_of(routine->adjoint), LIT("("), args, LIT(");"));
    for (uint32_t i = 0; i < term->count && i < 64; i++)
        if (names[i].length && term_is_active(term->args[i]))
            propagate(t, term->args[i], names[i]);
}

/* ---- all terms ---- */

void propagate(Translator *t, const Term *term, Piece seed)
{
    if (!term_is_active(term))
        return;
    switch (term->kind) {
    case TERM_VAR:
    case TERM_ELEMENT:
    case TERM_FIELD:
    case TERM_COMPONENT:
        if (is_place(term))
            add_to(t, place_text(t, term, true), seed, term->type, array_root(term) != NULL);
        else
            propagate_part(t, term, seed);
        break;
    case TERM_OP: propagate_op(t, term, seed); break;
    case TERM_CHOICE: propagate_choice(t, term, seed); break;
    case TERM_CALL: propagate_call(t, term, seed); break;
    default: break;
    }
}
