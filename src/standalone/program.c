/* A whole translation: every routine lowered and printed, then put together. */
#include "standalone/model.h"

#include <string.h>

enum { DEFAULT_TURNS = 64 };

/* ---- signatures ---- */

typedef struct Signature {
    Text *out;
    size_t margin, column; /* of the first parameter; of the current one */
    size_t start;          /* of the current one in the text */
} Signature;

static char *put_piece(char *to, Piece piece)
{
    return put_bytes(to, piece.text, piece.length);
}

/* A parameter is written: it gets a line of its own where the current one would be too long. */
static void end_param(Signature *s, char mark)
{
    enum { WIDTH = 110 };
    Text *out = s->out;
    *text_room(out, 2) = mark; /* and a blank */
    out->len++;
    size_t length = out->len - s->start - (mark == ')');
    if (s->column + length > WIDTH && s->column > s->margin) {
        size_t more = s->margin; /* a line end in place of the blank before it, and the margin */
        text_reserve(out, more + 1);
        memmove(out->data + s->start + more, out->data + s->start, length + (mark == ')'));
        out->data[s->start - 1] = '\n';
        memset(out->data + s->start, ' ', more);
        out->len += more;
        s->column = s->margin;
    }
    s->column += length;
    if (mark == ')')
        return;
    out->data[out->len++] = ' ';
    s->column++;
    s->start = out->len;
}

static void add_param(Signature *s, Piece type, Piece between, Piece name, Piece behind)
{
    if (s->out->len > s->start)
        end_param(s, ',');
    char *to = text_room(s->out, (size_t)type.length + between.length + name.length + behind.length);
    to = put_piece(to, type);
    to = put_piece(to, between);
    to = put_piece(to, name);
    text_end(s->out, put_piece(to, behind));
}

static void add_array_param(Translator *t, Signature *s, const Var *var, bool adjoint)
{
    static const char *const sizes[] = {"_dim0", "_dim1", "_dim2", "_dim3"};
    Piece type = c_type(t, strip(var->type->array.dtype)), element = type;
    if (!var->is_written && !var->is_updated)
        element = GLUE(t, TIGHT_COMMA, LIT("const "), type);
    add_param(s, element, LIT(" *"), var->label, LIT(""));
    for (uint32_t dim = 0; dim < var->type->array.ndim; dim++)
        if (var->dim_used[dim])
            add_param(s, LIT("int"), LIT(" "), var->label,
                      var->type->array.ndim == 1 ? LIT("_size") : piece_of(sizes[dim]));
    if (adjoint && var->adjoint_used)
        add_param(s, type, LIT(" *adj_"), var->label, LIT(""));
}

static void add_adjoint_params(Translator *t, Signature *s, const Routine *routine)
{
    if (routine->result_struct)
        add_param(s, piece_of(routine->result_struct), LIT(" "), LIT("adj_return"), LIT(""));
    else if (routine->result_count)
        add_param(s, c_type(t, routine->results[0]), LIT(" "), LIT("adj_return"), LIT(""));
    for (uint32_t i = 0; i < routine->param_count; i++) {
        const Var *var = routine->params[i];
        if (var->type->kind != TYPE_ARRAY && is_float_type(var->type))
            add_param(s, c_type(t, var->type), LIT(" &adj_"), var->label, LIT(""));
    }
}

/* The rest of a signature whose start is the last line of the text. */
static void add_params(Translator *t, Text *out, size_t margin, const Routine *routine, bool adjoint)
{
    static const char *const names[] = {"threads_x", "threads_y", "threads_z", "threads_w"};
    Signature s = {.out = out, .margin = margin, .column = margin, .start = out->len};
    for (uint32_t i = 0; i < routine->param_count; i++) {
        const Var *var = routine->params[i];
        if (var->type->kind == TYPE_ARRAY) {
            add_array_param(t, &s, var, adjoint);
            continue;
        }
        add_param(&s, c_type(t, var->type), LIT(" "), var->label, LIT(""));
        if (routine->is_kernel && adjoint && var->type->kind == TYPE_STRUCT && is_float_type(var->type))
            add_param(&s, c_type(t, var->type), LIT(" adj_"), var->label, LIT(""));
    }
    uint32_t ndim = routine->is_kernel ? routine->source->kernel_dim : 0;
    for (uint32_t i = 0; i < ndim; i++)
        add_param(&s, LIT("int"), LIT(" "), ndim == 1 ? LIT("threads") : piece_of(names[i]), LIT(""));
    if (!routine->is_kernel && adjoint)
        add_adjoint_params(t, &s, routine);
    end_param(&s, ')');
    text_char(out, '\n');
}

/* ---- bodies ---- */

static bool is_thread(const Term *term)
{
    return term->kind == TERM_LITERAL && strcmp(term->text, "thread") == 0;
}

/* The number of the thread, under the kernel's own name for it where it has one. */
static void print_prologue(Translator *t)
{
    static const char *const products[] = {"threads", "threads_x * threads_y", "threads_x * threads_y * threads_z",
                                           "threads_x * threads_y * threads_z * threads_w"};
    LINE(t, LINE_PLAIN, LIT("int "), t->thread, LIT(" = blockIdx.x * blockDim.x + threadIdx.x;"));
    LINE(t, LINE_PLAIN, LIT("if ("), t->thread, LIT(" >= "), piece_of(products[t->current->source->kernel_dim - 1]),
         LIT(")"));
    LINE(t, LINE_PLAIN, LIT("    return;"));
}

/* The prologue has declared it. */
static void drop_thread_step(Translator *t, Routine *routine)
{
    const Step *first = routine->body.count ? routine->body.items[0] : NULL;
    if (!routine->is_kernel || !first || first->kind != STEP_ASSIGN || first->place->kind != TERM_VAR ||
        !is_thread(first->value) || first->place->var->stores != 1)
        return;
    t->thread = first->place->var->label;
    first->place->var->is_param = true; /* declared */
    routine->body.items++;
    routine->body.count--;
    routine->body.cap = routine->body.count;
}

/* `reverse`: the block whose reverse pass is printed; NULL: the forward body is. */
static void print_body(Translator *t, Routine *routine, const Block *reverse)
{
    start_body(t, reverse ? &t->reverse : &t->forward);
    t->indent = 1;
    t->temporaries = 0;
    t->names.count = 0;
    t->gradients = 0;
    t->needed = 0;
    t->locals = routine->vars.count;
    t->backward = reverse != NULL;
    if (routine->is_kernel)
        print_prologue(t);
    if (reverse) {
        look_for_gradient_names(t);
        print_backward(t, reverse);
    } else
        print_block(t, &routine->body);
    tidy(t);
}

/* ---- routines ---- */

static void declare_result(Translator *t, const Routine *routine)
{
    if (!routine->result_struct)
        return;
    Text text;
    text_init_in(&text, t->arena);
    text_format(&text, "struct %s {\n", routine->result_struct);
    for (uint32_t i = 0; i < routine->result_count; i++)
        text_format(&text, "    %s value%u;\n", c_type(t, routine->results[i]).text, i);
    text_lit(&text, "};\n");
    new_need(t, &t->types, routine->result_struct, text_cstr(&text), text.len);
}

static bool wants_adjoint(const Routine *routine)
{
    if (routine->is_kernel)
        return true;
    for (uint32_t i = 0; i < routine->param_count; i++)
        if (is_float_type(routine->params[i]->type))
            return true;
    return false;
}

static bool has_float16(const Type *type)
{
    type = type_canonical(type);
    if (type->kind == TYPE_ARRAY)
        return has_float16(type->array.dtype);
    if (type->kind != TYPE_STRUCT)
        return type_scalar_of(type)->kind == TYPE_FLOAT16;
    for (uint32_t i = 0; i < type->decl->field_count; i++)
        if (has_float16(type->decl->fields[i].type))
            return true;
    return false;
}

static void forget_needs(NeedList *list, uint32_t count)
{
    while (list->count > count)
        list->items[--list->count]->mark = 0;
}

/* False: it cannot be made; the routine says why. What was asked for on the way is forgotten. */
static bool try_backward(Translator *t, Routine *routine)
{
    jmp_buf outer;
    uint32_t types = t->types.count, helpers = t->helpers.count;
    memcpy(&outer, &t->refused, sizeof outer);
    volatile bool done = false;
    if (!setjmp(t->refused)) {
        if (routine->source->func && routine->source->func->custom_grad)
            refuse(t, NULL, "it has a gradient of its own");
        for (uint32_t i = 0; i < routine->param_count; i++)
            if (has_float16(routine->params[i]->type))
                refuse(t, NULL, "gradients of float16 are not accumulated");
        print_body(t, routine, normalize(t, routine));
        routine->adjoint = arena_join(t->arena, routine->is_kernel ? routine->name : "adj_",
                                      routine->is_kernel ? "_backward" : routine->name);
        done = true;
    } else {
        routine->no_adjoint = t->reason;
        forget_needs(&t->types, types);
        forget_needs(&t->helpers, helpers);
        for (uint32_t i = 0; i < routine->vars.count; i++)
            routine->vars.items[i]->adjoint_used = false;
    }
    memcpy(&t->refused, &outer, sizeof outer);
    return done;
}

static void add_comment(Text *out, const char *comment)
{
    if (!comment)
        return;
    while (*comment == '\n' || *comment == ' ')
        comment++;
    while (*comment) {
        const char *end = strchr(comment, '\n');
        size_t length = end ? (size_t)(end - comment) : strlen(comment), kept = length;
        const char *start = comment;
        while (start < comment + kept && *start == ' ')
            start++;
        bool last = !end || strspn(end, " \n") == strlen(end);
        if (kept || !last)
            text_format(out, "// %.*s\n", (int)(comment + kept - start), start);
        if (last)
            break;
        comment += length + 1;
    }
}

static Text *new_text(Translator *t, size_t room)
{
    Text *text = ARENA_NEW(t->arena, Text);
    text_init_in(text, t->arena);
    text_reserve(text, room);
    return text;
}

static Text *function_text(Translator *t, const Routine *routine, const Body *body, bool backward)
{
    enum { USUAL_HEAD = 512 };
    Text *text = new_text(t, 64 * (size_t)body->count + USUAL_HEAD);
    if (!backward)
        add_comment(text, routine->comment);
    const char *result = backward || !routine->result_count ? "void"
                         : routine->result_struct           ? routine->result_struct
                                                            : c_type(t, routine->results[0]).text;
    size_t start = text->len;
    text_str(text, routine->is_kernel ? "__global__ " : "__device__ inline ");
    text_str(text, result);
    text_char(text, ' ');
    text_str(text, backward ? routine->adjoint : routine->name);
    text_char(text, '(');
    add_params(t, text, text->len - start, routine, backward);
    text_lit(text, "{\n");
    write_lines(body, text);
    text_lit(text, "}\n");
    return text;
}

/* The signatures come last: they hold what the bodies ask for. */
static void print_routine(Translator *t, Routine *routine, bool backward)
{
    t->current = routine;
    t->thread = LIT("thread");
    find_activity(t, routine);
    declare_result(t, routine);
    drop_thread_step(t, routine);
    find_homes(t, routine, &routine->body);
    print_body(t, routine, NULL);
    bool has_reverse = backward && wants_adjoint(routine) && try_backward(t, routine);
    routine->text = function_text(t, routine, &t->forward, false);
    if (has_reverse)
        routine->adjoint_text = function_text(t, routine, &t->reverse, true);
}

/* Callees first: they were lowered before their callers. */
static void print_from(Translator *t, Routine *routine, bool backward)
{
    if (!routine)
        return;
    print_from(t, routine->next, backward);
    if (routine->source)
        print_routine(t, routine, backward);
}

bool translate_all(Translator *t, bool backward)
{
    if (!t->turns)
        t->turns = DEFAULT_TURNS;
    if (setjmp(t->refused))
        return false;
    renew_marks(t);
    t->has_comments = memchr(t->unit->main->source->text, '#', t->unit->main->source->len) != NULL;
    t->kernel_name = global_name(t, t->module->kernel->kernel->key->text);
    t->function_names = ARENA_ARRAY(t->arena, const char *, t->module->function_count);
    for (uint32_t i = 0; i < t->module->function_count; i++)
        t->function_names[i] = global_name(t, t->module->functions[i]->func->key->text);
    t->kernel = lower_routine(t, t->module->kernel);
    print_from(t, t->routines, backward);
    return true;
}

/* ---- the text ---- */

static void add_constants(Text *out, const NeedList *list)
{
    bool any = false;
    for (uint32_t i = 0; i < list->count; i++)
        if (list->items[i]->is_used) {
            text_add(out, list->items[i]->text, list->items[i]->length);
            any = true;
        }
    text_str(out, any ? "\n" : "");
}

static void add_needs(Text *out, const NeedList *list, const char *between)
{
    for (uint32_t i = 0; i < list->count; i++) {
        text_add(out, list->items[i]->text, list->items[i]->length);
        text_str(out, between);
    }
}

static void add_text(Text *out, const Text *text)
{
    text_add(out, text->data, text->len);
    text_char(out, '\n');
}

static void add_routines(Text *out, const Routine *routine)
{
    if (!routine)
        return;
    add_routines(out, routine->next);
    if (routine->text)
        add_text(out, routine->text);
    if (routine->adjoint_text && (routine->adjoint_called || routine->is_kernel))
        add_text(out, routine->adjoint_text);
}

static size_t needs_length(const NeedList *list)
{
    size_t length = 0;
    for (uint32_t i = 0; i < list->count; i++)
        length += list->items[i]->length + 1;
    return length;
}

static size_t program_length(const Translator *t)
{
    size_t length = needs_length(&t->types) + needs_length(&t->constants) + needs_length(&t->helpers) + 2;
    for (const Routine *routine = t->routines; routine; routine = routine->next)
        length +=
            (routine->text ? routine->text->len : 0) + (routine->adjoint_text ? routine->adjoint_text->len : 0) + 2;
    return length;
}

void print_routines(Translator *t, Text *out)
{
    text_reserve(out, program_length(t));
    add_needs(out, &t->types, "\n");
    add_constants(out, &t->constants);
    add_needs(out, &t->helpers, "\n");
    add_routines(out, t->routines);
}

bool standalone_translate(Unit *unit, const IrModule *module, StandaloneLibrary *library, StandaloneText *out)
{
    Translator *t = ARENA_NEW(unit->arena, Translator);
    t->unit = unit;
    t->arena = unit->arena;
    t->module = module;
    t->library = library;
    *out = (StandaloneText){0};
    if (!translate_all(t, true)) {
        out->reason = t->reason;
        out->offset = t->at ? t->at->start : module->kernel->code->def->start;
        return false;
    }
    Text text;
    text_init_in(&text, unit->arena);
    print_routines(t, &text);
    out->device = text_cstr(&text);
    out->has_backward = t->kernel->adjoint_text != NULL;
    out->reason = t->kernel->no_adjoint;
    return true;
}
