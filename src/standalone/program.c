/* A whole translation: every routine lowered and printed, then put together. */
#include "standalone/model.h"

#include <ctype.h>
#include <string.h>

/* ---- signatures ---- */

const char *thread_name(const Translator *t, uint32_t dim)
{
    static const char *const names[] = {"threads_x", "threads_y", "threads_z", "threads_w"};
    return t->current->source->kernel_dim == 1 ? "threads" : names[dim];
}

const char *thread_count(Translator *t, uint32_t from)
{
    const char *text = thread_name(t, from);
    for (uint32_t i = from + 1; i < t->current->source->kernel_dim; i++)
        text = arena_format(t->arena, "%s * %s", text, thread_name(t, i));
    return text;
}

#define ADD_PARAM(t, list, ...)                                                                                        \
    ARENA_PUSH((t)->arena, (list)->items, (list)->count, (list)->cap) = arena_format((t)->arena, __VA_ARGS__)

static void add_array_param(Translator *t, TextList *list, Var *var, bool adjoint)
{
    const char *type = c_type(t, strip(var->type->array.dtype)).text;
    ADD_PARAM(t, list, "%s%s *%s", var->is_written || var->is_updated ? "" : "const ", type, var->text);
    for (uint32_t dim = 0; dim < var->type->array.ndim; dim++)
        if (var->dim_used[dim] && var->type->array.ndim == 1)
            ADD_PARAM(t, list, "int %s_size", var->text);
        else if (var->dim_used[dim])
            ADD_PARAM(t, list, "int %s_dim%u", var->text, dim);
    if (adjoint && var->adjoint_used)
        ADD_PARAM(t, list, "%s *adj_%s", type, var->text);
}

static void add_adjoint_params(Translator *t, TextList *list, Routine *routine)
{
    if (routine->result_count)
        ADD_PARAM(t, list, "%s adj_return",
                  routine->result_struct ? routine->result_struct : c_type(t, routine->results[0]).text);
    for (uint32_t i = 0; i < routine->param_count; i++) {
        Var *var = routine->params[i];
        if (var->type->kind != TYPE_ARRAY && is_float_type(var->type))
            ADD_PARAM(t, list, "%s &adj_%s", c_type(t, var->type).text, var->text);
    }
}

static TextList params_of(Translator *t, Routine *routine, bool adjoint)
{
    TextList list = {0};
    for (uint32_t i = 0; i < routine->param_count; i++) {
        Var *var = routine->params[i];
        if (var->type->kind == TYPE_ARRAY) {
            add_array_param(t, &list, var, adjoint);
            continue;
        }
        ADD_PARAM(t, &list, "%s %s", c_type(t, var->type).text, var->text);
        if (routine->is_kernel && adjoint && var->type->kind == TYPE_STRUCT && is_float_type(var->type))
            ADD_PARAM(t, &list, "%s adj_%s", c_type(t, var->type).text, var->text);
    }
    for (uint32_t i = 1; routine->is_kernel && i < t->block_dims; i++)
        ADD_PARAM(t, &list, "int %s", block_count_name(i));
    for (uint32_t i = 0; routine->is_kernel && !t->lanes && i < routine->source->kernel_dim; i++)
        ADD_PARAM(t, &list, "int %s", thread_name(t, i));
    if (!routine->is_kernel && adjoint)
        add_adjoint_params(t, &list, routine);
    return list;
}

/* The rest of a signature whose start ends at the column `margin`: a parameter that does not fit starts another line. */
static void write_params(Text *out, size_t margin, const TextList *list)
{
    enum { WIDTH = 110 };
    size_t column = margin;
    for (uint32_t i = 0; i < list->count; i++) {
        bool is_last = i + 1 == list->count;
        size_t length = strlen(list->items[i]) + !is_last;
        if (column + length > WIDTH && column > margin) {
            text_char(out, '\n');
            text_pad(out, ' ', margin);
            column = margin;
        } else if (i)
            text_char(out, ' ');
        text_str(out, list->items[i]);
        text_str(out, is_last ? "" : ",");
        column += length + !is_last;
    }
    text_lit(out, ")\n");
}

/* ---- bodies ---- */

/* The number of the thread, under the kernel's own name for it where it has one. */
static void print_prologue(Translator *t)
{
    LINE(t, "int @ = blockIdx.x * blockDim.x + threadIdx.x;", t->thread);
    LINE(t, "if (@ >= @)", t->thread, piece_of(thread_count(t, 0)));
    put_line(t, LINE_PLAIN, LIT("    return;"));
}

/* The prologue has declared it. */
static void drop_thread_step(Translator *t, Routine *routine)
{
    Step *first = routine->body.count ? routine->body.items[0] : NULL;
    if (!routine->is_kernel || !first || first->kind != STEP_ASSIGN || first->place->kind != TERM_VAR ||
        first->values[0]->kind != TERM_LITERAL || strcmp(first->values[0]->text, "thread") != 0 ||
        first->place->var->stores != 1)
        return;
    t->thread = first->place->var->label;
    first->place->var->is_param = true; /* declared */
    routine->body.items++;
    routine->body.cap = --routine->body.count;
}

/* `reverse`: the block whose reverse pass is printed; NULL: the forward body is. */
static void print_body(Translator *t, Routine *routine, Block *reverse)
{
    t->body = reverse ? &t->reverse : &t->forward;
    t->body->count = 0;
    t->indent = 1;
    t->names = t->stems = (HashTable){0};
    t->needed = NULL;
    t->locals = routine->vars.count;
    t->backward = reverse != NULL;
    t->shared.count = 0;
    if (routine->is_kernel && !t->lanes)
        print_prologue(t);
    if (reverse)
        print_backward(t, reverse);
    else
        print_block(t, &routine->body);
    tidy(t);
}

/* ---- routines ---- */

static void declare_result(Translator *t, Routine *routine)
{
    const char *text = "";
    if (!routine->result_struct)
        return;
    for (uint32_t i = 0; i < routine->result_count; i++)
        text = arena_format(t->arena, "%s    %s value%u;\n", text, c_type(t, routine->results[i]).text, i);
    add_need(t->arena, &t->types, routine->result_struct,
             arena_format(t->arena, "struct %s {\n%s};\n", routine->result_struct, text));
}

static bool wants_adjoint(Routine *routine)
{
    for (uint32_t i = 0; i < routine->param_count; i++)
        if (is_float_type(routine->params[i]->type))
            return true;
    return routine->is_kernel;
}

static bool is_float16(const Type *scalar)
{
    return scalar->kind == TYPE_FLOAT16;
}

static void print_adjoint(Translator *t, Routine *routine)
{
    REFUSE_IF(t, NULL, routine->source->func && routine->source->func->custom_grad, "it has a gradient of its own");
    for (uint32_t i = 0; i < routine->param_count; i++)
        REFUSE_IF(t, NULL, any_scalar(routine->params[i]->type, is_float16),
                  "gradients of float16 are not accumulated");
    Block *steps = normalize(t, routine);
    REFUSE_IF(t, NULL, routine->is_kernel && (!steps->active || !routine->writes_floats), "nothing is differentiable");
    print_body(t, routine, steps);
    routine->adjoint_head = tile_declarations(t, routine, &t->reverse, true);
    routine->adjoint = arena_join(t->arena, routine->is_kernel ? routine->name : "adj_",
                                  routine->is_kernel ? "_backward" : routine->name);
}

/* False: it cannot be made; the routine says why. What was asked for on the way is forgotten. */
static bool try_backward(Translator *t, Routine *routine)
{
    jmp_buf outer;
    uint32_t types = t->types.count, helpers = t->helpers.count;
    memcpy(&outer, &t->refused, sizeof outer);
    if (!setjmp(t->refused))
        print_adjoint(t, routine);
    else {
        routine->no_adjoint = t->reason;
        t->types.count = types;
        t->helpers.count = helpers;
        for (uint32_t i = 0; i < routine->vars.count; i++)
            routine->vars.items[i]->adjoint_used = false;
    }
    memcpy(&t->refused, &outer, sizeof outer);
    return routine->adjoint;
}

static const char *function_text(Translator *t, Routine *routine, const Body *body, bool backward)
{
    Text text = text_in(t->arena);
    if (!backward)
        text_str(&text, routine->comment);
    const char *result = backward || !routine->result_count ? "void"
                         : routine->result_struct           ? routine->result_struct
                                                            : c_type(t, routine->results[0]).text;
    size_t start = text.len;
    text_format(&text, "%s %s %s(", routine->is_kernel ? "__global__" : "__device__ inline", result,
                backward ? routine->adjoint : routine->name);
    TextList params = params_of(t, routine, backward);
    write_params(&text, text.len - start, &params);
    text_lit(&text, "{\n");
    text_str(&text, backward ? routine->adjoint_head : routine->head);
    write_lines(body, &text);
    text_lit(&text, "}\n");
    return text_cstr(&text);
}

/* The signatures come last: they hold what the bodies ask for. */
static void print_routine(Translator *t, Routine *routine)
{
    t->current = routine;
    t->thread = LIT("thread");
    settle_tiles(t, routine);
    find_activity(t, routine);
    declare_result(t, routine);
    drop_thread_step(t, routine);
    find_homes(t, routine, &routine->body);
    print_body(t, routine, NULL);
    routine->head = tile_declarations(t, routine, &t->forward, false);
    bool has_reverse = !t->forward_only && wants_adjoint(routine) && try_backward(t, routine);
    routine->text = function_text(t, routine, &t->forward, false);
    if (has_reverse)
        routine->adjoint_text = function_text(t, routine, &t->reverse, true);
}

Translator *new_translator(Unit *unit, const IrModule *module, StandaloneLibrary *library)
{
    Translator *t = ARENA_NEW(unit->arena, Translator);
    t->unit = unit;
    t->arena = unit->arena;
    t->module = module;
    t->library = library;
    t->turns = FEWEST_SAVED;
    return t;
}

void set_blocks(Translator *t, const uint32_t *dim, uint32_t ndim, uint32_t lanes)
{
    if (!t->module->uses_tiles)
        return;
    t->lanes = lanes ? lanes : 1;
    if (t->lanes == 1)
        t->block_dims = ndim;
    else if (ndim > 1 && dim[ndim - 1] == t->lanes)
        t->block_dims = ndim - 1;
}

/* In library.py, what follows two underscores tells overloads apart, as their parameters do in C++. */
static const char *name_of_function(Translator *t, const char *name)
{
    const char *tail = t->library->loading ? strstr(name, "__") : NULL;
    return tail ? arena_strndup(t->arena, name, (size_t)(tail - name)) : name;
}

bool translate_all(Translator *t)
{
    if (setjmp(t->refused))
        return false;
    t->kernel_name = global_name(t, t->module->kernel->kernel->key->text);
    t->function_names = ARENA_ARRAY(t->arena, const char *, t->module->function_count);
    for (uint32_t i = 0; i < t->module->function_count; i++)
        t->function_names[i] = global_name(t, name_of_function(t, t->module->functions[i]->func->key->text));
    for (uint32_t i = t->module->function_count; i-- > 0;) /* of several with one Func, the first */
        table_add(&t->functions, t->arena, t->module->functions[i]->func)->number = i;
    t->kernel = lower_routine(t, t->module->kernel);
    for (uint32_t i = 0; i < t->routines.count; i++) /* callees first: they were lowered before their callers */
        if (t->routines.items[i]->source)
            print_routine(t, t->routines.items[i]);
    return true;
}

/* ---- the text ---- */

static void add_with_line_end(Text *out, const char *text)
{
    text_str(out, text);
    text_char(out, '\n');
}

static void add_needs(Text *out, const NeedList *list)
{
    for (uint32_t i = 0; i < list->count; i++)
        add_with_line_end(out, list->items[i]->text);
}

static void add_routines(Text *out, const RoutineList *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        const Routine *routine = list->items[i];
        if (routine->text)
            add_with_line_end(out, routine->text);
        if (routine->adjoint_text && (routine->adjoint_called || routine->is_kernel))
            add_with_line_end(out, routine->adjoint_text);
    }
}

void print_routines(Translator *t, Text *out)
{
    bool any = false;
    add_needs(out, &t->types);
    for (uint32_t i = 0; i < t->constants.count; i++) {
        text_str(out, t->constants.items[i]->is_used ? t->constants.items[i]->text : "");
        any |= t->constants.items[i]->is_used;
    }
    text_str(out, any ? "\n" : "");
    add_needs(out, &t->helpers);
    add_routines(out, &t->routines);
}

/* ---- a text of its own ---- */

static uint32_t turns_of_arg(Translator *t, const ArgIndex *given, const Type *type, const char *path, uint32_t turns)
{
    const CheckArg *arg = arg_at(given, path);
    for (uint32_t i = 0; type->kind == TYPE_STRUCT && i < type->decl->field_count; i++)
        turns = turns_of_arg(t, given, strip(type->decl->fields[i].type),
                             arena_format(t->arena, "%s.%s", path, type->decl->fields[i].name->text), turns);
    for (uint32_t d = 0; arg && d < arg->ndim; d++)
        turns = arg->shape[d] > turns ? arg->shape[d] : turns;
    double most = !arg || type->kind != TYPE_INT32 ? 0 : arg->has_value ? arg->value : arg->has_range ? arg->high : 0;
    return most > turns && most <= MOST_SAVED ? (uint32_t)most : turns;
}

/* How many turns a loop may have whose bounds are not known now: as many as anything in the launch has elements. */
static uint32_t turns_of_description(Translator *t, const CheckLaunch *launch)
{
    uint32_t turns = FEWEST_SAVED;
    const ArgIndex given = launch ? check_index_args(t->arena, launch) : (ArgIndex){0};
    for (uint32_t i = 0; launch && i < t->module->kernel->code->param_count; i++) {
        const Param *param = &t->module->kernel->code->params[i];
        turns = turns_of_arg(t, &given, strip(param->type), param->name->text, turns);
    }
    return turns > MOST_SAVED ? MOST_SAVED : turns;
}

bool standalone_translate(Unit *unit, const IrModule *module, StandaloneLibrary *library, const CheckLaunch *launch,
                          bool backward, StandaloneText *out)
{
    Translator *t = new_translator(unit, module, library);
    *out = (StandaloneText){0};
    t->turns = turns_of_description(t, launch);
    if (launch)
        set_blocks(t, launch->dim, launch->ndim, launch->block_dim);
    else
        set_blocks(t, (const uint32_t[]){1, unit->block_dim}, 2, unit->block_dim);
    t->forward_only = !backward;
    if (!translate_all(t)) {
        out->reason = t->reason;
        out->offset = t->offset;
        return false;
    }
    Text device = text_in(unit->arena), text = text_in(unit->arena);
    print_routines(t, &device);
    device.len--; /* the last line ends there */
    text_lit(&text, "#include \"weft_math.cuh\"\n\n");
    text_add(&text, device.data, device.len);
    out->device = text_cstr(&text);
    out->has_backward = t->kernel->adjoint_text != NULL;
    out->reason = t->kernel->no_adjoint;
    return true;
}
