/* The reverse pass of one expression: what is added to the adjoints of the things in it. */
#include "standalone/model.h"

#include <string.h>

enum { LONG_SEED = 60 };

/* Names are only ever added, so that a search goes on where the last one of the same stem ended: a body may have thousands. */
Piece fresh_name(Translator *t, const char *stem, uint32_t first)
{
    const TableSlot *known = find_text(&t->stems, stem);
    uint32_t next = known ? known->number : first;
    const char *name;
    do
        name = next ? arena_format(t->arena, "%s%u", stem, next) : stem;
    while (next++, find_text(&t->names, name) || is_var_name(t->current, name));
    add_text(t->arena, &t->stems, stem)->number = next;
    add_text(t->arena, &t->names, name);
    return (Piece){.text = name, .tight = TIGHT_NAME, .uses = one_bit(t, t->locals++), .is_plain = true};
}

/* g1, g2, … */
Piece fresh_gradient(Translator *t)
{
    return fresh_name(t, "g", 1);
}

/* The seed under a name, where it would be written several times. */
static Piece named_seed(Translator *t, Piece seed, const Type *type)
{
    if (seed.is_plain)
        return seed;
    Piece name = fresh_gradient(t);
    declare_line(t, c_type(t, type).text, name, seed);
    return name;
}

/* ---- places ---- */

static void add_to(Translator *t, Piece place, Piece seed, const Type *type, bool shared)
{
    bool composite = type_is_composite(type);
    if (type->kind == TYPE_STRUCT) {
        seed = named_seed(t, seed, type);
        for (uint32_t i = 0; i < type->decl->field_count; i++) {
            const Type *field = strip(type->decl->fields[i].type);
            const char *name = struct_names(t, type->decl)->fields[i];
            if (field->kind != TYPE_ARRAY && is_float_type(field))
                add_to(t, field_of(t, place, name), field_of(t, seed, name), field, shared);
        }
        return;
    }
    if (shared)
        LINE(t, composite ? "atomic_add(&@, @);" : "atomicAdd(&@, @);", place, seed);
    else if (!composite && seed.negated)
        set_line(t, place, "-=", *seed.negated);
    else
        set_line(t, place, "+=", seed);
}

static bool is_place(Term *term)
{
    while (term->kind == TERM_COMPONENT || term->kind == TERM_FIELD)
        term = term->args[0];
    return term->kind == TERM_VAR || term->kind == TERM_ELEMENT || term->kind == TERM_CELL;
}

/* A part of a value that is computed: the other parts get nothing. */
static void propagate_part(Translator *t, Term *term, Piece seed)
{
    Term *base = term->args[0];
    Piece name = fresh_gradient(t);
    declare_line(t, c_type(t, base->type).text, name, LIT("{}"));
    Var whole = {.text = name.text, .label = name, .type = base->type};
    Term root = {.kind = TERM_VAR, .type = base->type, .var = &whole}, part = *term;
    Term *args[3] = {&root, term->count > 1 ? term->args[1] : NULL, term->count > 2 ? term->args[2] : NULL};
    part.args = args;
    part.printed = (Piece){0};
    set_line(t, place_text(t, &part, false), "=", seed);
    propagate(t, base, name);
}

/* ---- operations ---- */

static void propagate_construct(Translator *t, Term *term, Piece seed)
{
    seed = named_seed(t, seed, term->type);
    for (uint32_t i = 0; i < term->count; i++) {
        if (!term->args[i]->active)
            continue;
        Piece part = term->type->kind == TYPE_STRUCT ? field_of(t, seed, struct_names(t, term->type->decl)->fields[i])
                                                     : part_of(t, seed, component_text(t, term->type, i));
        propagate(t, term->args[i], part);
    }
}

static uint32_t count_seeds(const char *text)
{
    uint32_t count = 0;
    for (const char *at = text; (at = strstr(at, "$g")); at++)
        count++;
    return count;
}

static void propagate_op(Translator *t, Term *term, Piece seed)
{
    const Op *op = term->op;
    Piece args[4];
    uint32_t flows = 0;
    if (op == &construct_op) {
        propagate_construct(t, term, seed);
        return;
    }
    for (uint32_t i = 0; i < term->count; i++) {
        if (term->args[i]->type->kind != TYPE_ARRAY)
            args[i] = print_term(t, term->args[i]);
        flows += i < 3 && op->adjoint[i] && term->args[i]->active;
    }
    if (!flows)
        return;
    if (flows > 1 || strlen(seed.text) > LONG_SEED)
        seed = named_seed(t, seed, term->type);
    use_section(t, op->name);
    for (uint32_t i = 0; i < term->count && i < 3; i++) {
        if (!op->adjoint[i] || !term->args[i]->active)
            continue;
        if (count_seeds(op->adjoint[i]) > 1)
            seed = named_seed(t, seed, term->type);
        propagate(t, term->args[i], expand(t, op->adjoint[i], term, args, &seed));
    }
}

static void propagate_choice(Translator *t, Term *term, Piece seed)
{
    bool yes = term->args[1]->active, no = term->args[2]->active;
    Piece condition = print_term(t, term->args[0]);
    seed = named_seed(t, seed, term->type);
    put_line(t, LINE_IF, yes ? condition : JOIN(t, "!@", condition));
    propagate(t, term->args[yes ? 1 : 2], seed);
    if (yes && no) {
        put_line(t, LINE_ELSE, LIT(""));
        propagate(t, term->args[2], seed);
    }
    put_line(t, LINE_CLOSE, LIT(""));
}

/* ---- calls of functions ---- */

/* adj_f(arguments, adjoint of the result, adjoints of the arguments) */
void propagate_call(Translator *t, Term *term, Piece seed)
{
    Routine *routine = term->routine;
    Piece names[MAX_ARGS] = {{0}};
    REFUSE_IF(t, NULL, !routine->adjoint, "the function '%s' has no gradient: %s", routine->name,
              routine->no_adjoint ? routine->no_adjoint : "it is not differentiable");
    routine->adjoint_called = true;
    if (routine->signature)
        use_library_adjoint(t, routine);
    Piece args = print_call_args(t, term, true);
    if (seed.text)
        args = add_item(t, args, seed);
    for (uint32_t i = 0; i < term->count && i < MAX_ARGS; i++) {
        Term *arg = term->args[i];
        if (arg->type->kind == TYPE_ARRAY || !is_float_type(arg->type))
            continue;
        bool direct = arg->kind == TERM_VAR && (arg->var->active || (arg->var->is_param && holds_arrays(arg->type)));
        REFUSE_IF(t, NULL, !direct && holds_arrays(arg->type), "a part of a struct with arrays is passed to '%s'",
                  routine->name);
        if (!direct) {
            names[i] = fresh_gradient(t);
            declare_zero(t, arg->type, names[i]);
        }
        args = add_item(t, args, direct ? place_text(t, arg, true) : names[i]);
    }
    LINE(t, "@(@);", piece_of(routine->adjoint), args);
    for (uint32_t i = 0; i < term->count && i < MAX_ARGS; i++)
        if (names[i].text)
            propagate(t, term->args[i], names[i]);
}

/* ---- all terms ---- */

void propagate(Translator *t, Term *term, Piece seed)
{
    if (!term->active)
        return;
    if (is_place(term)) {
        const Term *cell = cell_root(term);
        add_to(t, place_text(t, term, true), seed, term->type, cell ? !cell->is_own : array_root(term) != NULL);
    } else if (term->kind == TERM_OP)
        propagate_op(t, term, seed);
    else if (term->kind == TERM_CHOICE)
        propagate_choice(t, term, seed);
    else if (term->kind == TERM_CALL)
        propagate_call(t, term, seed);
    else if (term->kind == TERM_FIELD || term->kind == TERM_COMPONENT)
        propagate_part(t, term, seed);
}
