/* The reverse pass of one expression: what is added to the adjoints of the things in it. */
#include "standalone/model.h"

#include <string.h>

enum { LONG_SEED = 60 };

static bool is_given(const Translator *t, const char *name)
{
    for (uint32_t k = 0; k < t->current->vars.count; k++)
        if (same_text(t->current->vars.items[k]->text, name))
            return true;
    return is_needed(&t->names, name);
}

/* The stem itself, or with a number. */
const char *fresh_name(Translator *t, const char *stem)
{
    const char *name = stem;
    for (uint32_t i = 1; is_given(t, name); i++)
        name = arena_format(t->arena, "%s%u", stem, i);
    need(t, &t->names, name, "");
    return name;
}

/* g1, g2, … */
const char *fresh_gradient(Translator *t)
{
    const char *name;
    do
        name = arena_format(t->arena, "g%u", ++t->gradients);
    while (is_given(t, name));
    return name;
}

bool is_simple(const char *text)
{
    return text[strcspn(text, " (*/+-")] == '\0';
}

/* The seed under a name, where it would be written several times. */
static Piece named_seed(Translator *t, Piece seed, const Type *type)
{
    if (is_simple(seed.text))
        return seed;
    const char *name = fresh_gradient(t);
    line(t, "%s %s = %s;", c_type(t, type), name, seed.text);
    return (Piece){name, TIGHT_PRIMARY};
}

/* ---- places ---- */

static void add_to_struct(Translator *t, const char *place, const char *seed, const Type *type, bool shared);

static void add_to(Translator *t, const char *place, Piece seed, const Type *type, bool shared)
{
    if (type->kind == TYPE_STRUCT) {
        add_to_struct(t, place, named_seed(t, seed, type).text, type, shared);
        return;
    }
    bool composite = type_is_composite(type);
    if (shared) {
        if (composite)
            use_helper(t, "atomic_add", type, NULL);
        line(t, "%s(&%s, %s);", composite ? "atomic_add" : "atomicAdd", place, seed.text);
        return;
    }
    if (composite)
        use_helper(t, "accumulate", type, NULL);
    if (!composite && seed.text[0] == '-' && is_simple(seed.text + 1))
        line(t, "%s -= %s;", place, seed.text + 1);
    else
        line(t, "%s += %s;", place, seed.text);
}

static void add_to_struct(Translator *t, const char *place, const char *seed, const Type *type, bool shared)
{
    for (uint32_t i = 0; i < type->decl->field_count; i++) {
        const Type *field = strip(type->decl->fields[i].type);
        const char *label = type->decl->fields[i].name->text;
        if (field->kind == TYPE_ARRAY || !is_float_type(field))
            continue;
        Piece part = {arena_format(t->arena, "%s.%s", seed, label), TIGHT_PRIMARY};
        add_to(t, arena_format(t->arena, "%s.%s", place, label), part, field, shared);
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
    const char *name = fresh_gradient(t);
    line(t, "%s %s = {};", c_type(t, base->type), name);
    Var whole = {.text = name, .type = base->type};
    Term root = {.kind = TERM_VAR, .type = base->type, .var = &whole}, part = *term;
    Term *args[3] = {&root, term->count > 1 ? term->args[1] : NULL, term->count > 2 ? term->args[2] : NULL};
    part.args = args;
    part.printed = (Piece){0};
    line(t, "%s = %s;", place_text(t, &part, false), seed.text);
    propagate(t, base, (Piece){name, TIGHT_PRIMARY});
}

/* ---- operations ---- */

static void propagate_construct(Translator *t, const Term *term, Piece seed)
{
    seed = named_seed(t, seed, term->type);
    for (uint32_t i = 0; i < term->count; i++) {
        if (!term_is_active(term->args[i]))
            continue;
        const char *part = term->type->kind == TYPE_STRUCT
                               ? arena_join(t->arena, ".", term->type->decl->fields[i].name->text)
                               : component_text(t, term->type, i);
        propagate(t, term->args[i], (Piece){arena_join(t->arena, seed.text, part), TIGHT_PRIMARY});
    }
}

static void propagate_op(Translator *t, const Term *term, Piece seed)
{
    Piece args[4];
    uint32_t flows = 0;
    if (!term->op->text) {
        propagate_construct(t, term, seed);
        return;
    }
    for (uint32_t i = 0; i < term->count; i++) {
        if (term->args[i]->type->kind != TYPE_ARRAY)
            args[i] = print_term(t, term->args[i]);
        flows += i < 3 && term->op->adjoint[i] && term_is_active(term->args[i]);
    }
    if (!flows)
        return;
    if (flows > 1 || strlen(seed.text) > LONG_SEED)
        seed = named_seed(t, seed, term->type);
    use_helpers(t, term->op->uses, term);
    use_helpers(t, term->op->adjoint_uses, term);
    for (uint32_t i = 0; i < term->count && i < 3; i++) {
        const char *text = term->op->adjoint[i], *first = text ? strstr(text, "$g") : NULL;
        if (!text || !term_is_active(term->args[i]))
            continue;
        if (first && strstr(first + 1, "$g"))
            seed = named_seed(t, seed, term->type);
        propagate(t, term->args[i], expand(t, text, term, args, &seed));
    }
}

static void propagate_choice(Translator *t, const Term *term, Piece seed)
{
    bool yes = term_is_active(term->args[1]), no = term_is_active(term->args[2]);
    const char *condition = term_text(t, term->args[0], TIGHT_COMMA);
    seed = named_seed(t, seed, term->type);
    if (!yes)
        condition = arena_format(t->arena, "!%s", term_text(t, term->args[0], TIGHT_UNARY));
    line(t, "if (%s) {", condition);
    t->indent++;
    propagate(t, term->args[yes ? 1 : 2], seed);
    t->indent--;
    if (yes && no) {
        line(t, "} else {");
        t->indent++;
        propagate(t, term->args[2], seed);
        t->indent--;
    }
    line(t, "}");
}

/* ---- calls of functions ---- */

/* adj_f(arguments, adjoint of the result, adjoints of the arguments) */
void propagate_call(Translator *t, const Term *term, const char *seed)
{
    const Routine *routine = term->routine;
    const char *names[64] = {NULL};
    if (!routine->adjoint)
        refuse(t, NULL, "the function '%s' has no gradient: %s", routine->name,
               routine->no_adjoint ? routine->no_adjoint : "it is not differentiable");
    ((Routine *)routine)->adjoint_called = true;
    if (routine->entry)
        use_library_adjoint(t, routine);
    Text text;
    text_init_in(&text, t->arena);
    text_format(&text, "%s(", routine->adjoint);
    print_call_args(t, term, &text, true);
    if (seed)
        text_format(&text, "%s%s", text.data[text.len - 1] == '(' ? "" : ", ", seed);
    for (uint32_t i = 0; i < term->count && i < 64; i++) {
        const Term *arg = term->args[i];
        if (arg->type->kind == TYPE_ARRAY || !is_float_type(arg->type))
            continue;
        if (holds_arrays(arg->type))
            refuse(t, NULL, "a struct with arrays is passed to '%s'", routine->name);
        bool direct = arg->kind == TERM_VAR && arg->var->active;
        if (!direct) {
            names[i] = fresh_gradient(t);
            line(t, "%s %s = %s;", c_type(t, arg->type), names[i],
                 type_is_float(arg->type) ? zero_text(t, arg->type) : "{}");
        }
        text_format(&text, ", %s", direct ? place_text(t, arg, true) : names[i]);
    }
    line(t, "%s);", text_cstr(&text));
    for (uint32_t i = 0; i < term->count && i < 64; i++)
        if (names[i] && term_is_active(term->args[i]))
            propagate(t, term->args[i], (Piece){names[i], TIGHT_PRIMARY});
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
    case TERM_CALL: propagate_call(t, term, seed.text); break;
    default: break;
    }
}
