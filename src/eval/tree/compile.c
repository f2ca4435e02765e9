/* From region trees to programs: frames, labels, functions. */
#include "eval/tree/tape.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void tree_refuse(Compiler *c, const char *format, ...)
{
    *c->finding = (Finding){.kind = FINDING_UNSUPPORTED, .offset = c->source};
    va_list list;
    va_start(list, format);
    c->finding->message = arena_format_list(c->arena, format, list);
    va_end(list);
    longjmp(*c->on_failure, 1);
}

void tree_refuse_constant(Compiler *c, const IrVar *var)
{
    if (var->constant)
        tree_refuse(c, "a change of a constant: Warp writes it, but as C++ and CUDA it does not compile");
}

/* ---- one layout per type ---- */

static const TreeLayout *find_layout(Compiler *c, const Type *type)
{
    TableSlot *slot = table_add(&c->program->layouts, c->arena, type);
    if (slot->item)
        return slot->item;
    TreeLayout *layout = tree_layout(c->arena, type, c->program->in_double);
    if (!layout) {
        Text text;
        text_init_in(&text, c->arena);
        type_repr(type, &text);
        tree_refuse(c, "values of type %s", text_cstr(&text));
    }
    return slot->item = layout;
}

const TreeLayout *tree_layout_of(Compiler *c, const Type *type)
{
    enum { RECENT = sizeof c->program->recent / sizeof *c->program->recent };
    KnownLayout *known = &c->program->recent[hash_address(type) % RECENT];
    if (known->type != type)
        *known = (KnownLayout){type, find_layout(c, type)};
    return known->layout;
}

/* ---- frames ---- */

static uint32_t allocate(Compiler *c, uint32_t cells)
{
    enum { MAX_FRAME = 1 << 24 };
    uint32_t at = c->cells;
    if (cells > MAX_FRAME - c->cells)
        tree_refuse(c, "a function with so many variables");
    c->cells += cells;
    return at;
}

uint32_t tree_temporary(Compiler *c, uint32_t cells)
{
    return allocate(c, cells);
}

static int32_t allocate_value(Compiler *c, const Type *type)
{
    const TreeLayout *layout = tree_layout_of(c, type);
    uint32_t at = allocate(c, layout->cells);
    TreeCode *code = c->code;
    if (layout->fixed)
        ARENA_PUSH(c->arena, code->fixed, code->fixed_count, code->fixed_cap) = (FixedSlot){at, layout};
    return (int32_t)at;
}

static int32_t allocate_reference(Compiler *c)
{
    return ~(int32_t)allocate(c, REF_CELLS);
}

static void place_params(Compiler *c)
{
    const IrFunction *function = c->function;
    TreeCode *code = c->code;
    uint32_t count = function->params.count;
    uint32_t inputs = code->kind == CODE_CUSTOM_REVERSE ? function->func->custom_reverse_inputs : count;
    code->params = ARENA_ARRAY(c->arena, int32_t, count + 1);
    code->param_adjoints = ARENA_ARRAY(c->arena, int32_t, count + 1);
    code->param_layouts = ARENA_ARRAY(c->arena, const TreeLayout *, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        const Type *type = function->params.items[i]->type;
        if (type->kind == TYPE_FUNCTION)
            continue;
        bool by_reference = i >= inputs && type->kind != TYPE_REF;
        code->param_layouts[i] = tree_layout_of(c, type);
        code->params[i] = by_reference ? allocate_reference(c) : allocate_value(c, type);
        if (is_forward(code->kind) || i >= inputs)
            continue;
        code->param_adjoints[i] =
            function->is_kernel ? allocate_value(c, type_strip_reference(type)) : allocate_reference(c);
    }
}

static void place_results(Compiler *c)
{
    const IrFunction *function = c->function;
    TreeCode *code = c->code;
    code->result_count = function->returns ? function->return_count : 0;
    code->results = ARENA_ARRAY(c->arena, int32_t, code->result_count + 1);
    code->adj_results = ARENA_ARRAY(c->arena, int32_t, code->result_count + 1);
    for (uint32_t i = 0; i < code->result_count; i++) {
        code->results[i] = allocate_reference(c);
        if (code->kind == CODE_REVERSE)
            code->adj_results[i] = allocate_reference(c);
    }
}

/* The statement whose call gives the variable its value; 0: none does. */
static uint32_t made_at(const IrRegion *region, const IrVar *var)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < region->count && !at; i++) {
        const IrNode *node = region->items[i];
        for (uint32_t k = 0; node->kind == IR_CALL && k < node->call->output_count; k++)
            at = node->call->outputs[k] == var ? node->source : at;
        if (node->kind == IR_IF)
            at = made_at(&node->if_node->body, var);
        else if (node->kind == IR_FOR)
            at = made_at(&node->for_node->body, var);
        else if (node->kind == IR_WHILE)
            at = made_at(&node->while_node->body, var);
    }
    return at;
}

static void place_vars(Compiler *c)
{
    const IrVarList *vars = &c->function->vars;
    c->vars = tree_args(c, vars->count);
    for (uint32_t i = 0; i < vars->count; i++) {
        const Type *type = vars->items[i]->type;
        if (type->kind == TYPE_NATIVE && c->function->is_kernel && !tree_native_cells(type)) /* it is refused */
            c->source = made_at(&c->function->body, vars->items[i]);
        if (type->kind != TYPE_FUNCTION)
            c->vars[i].value = allocate_value(c, type);
        if (type->kind != TYPE_FUNCTION && type->kind != TYPE_REF) {
            const TreeLayout *layout = tree_layout_of(c, type);
            c->vars[i].type = type;
            c->vars[i].layout = layout;
            c->vars[i].cells = layout->cells;
        }
        if (type->kind == TYPE_TILE || type->kind == TYPE_TILE_STACK)
            tree_place_tile(c, type, (uint32_t)c->vars[i].value);
    }
    for (uint32_t i = 0; c->code->kind == CODE_REVERSE && i < vars->count; i++)
        if (vars->items[i]->type->kind != TYPE_FUNCTION)
            c->vars[i].adjoint = allocate_value(c, type_strip_reference(vars->items[i]->type));
}

static void fill_image(Compiler *c)
{
    const IrVarList *vars = &c->function->vars;
    Cell *image = ARENA_ARRAY(c->arena, Cell, c->cells + 1);
    for (uint32_t i = 0; i < vars->count; i++) {
        const IrVar *var = vars->items[i];
        if (var->constant && !tree_constant(var->constant, var->type, c->program->in_double, image + c->vars[i].value))
            tree_refuse(c, "a constant of this kind");
    }
    c->code->image = image;
    c->code->cells = c->cells;
    tree_fill_tile_images(c->code);
}

/* ---- operations and labels ---- */

Op *tree_emit(Compiler *c, TreeFn run)
{
    if (c->op_count == c->op_cap) {
        /* A function has about as many operations as variables, its reverse pass twice as many. */
        uint32_t guess = c->function->vars.count * (c->code->kind == CODE_REVERSE ? 2 : 1) + 1;
        c->op_cap = c->op_cap ? c->op_cap * 2 : guess;
        c->ops = arena_grow_raw(c->arena, c->ops, c->op_count * sizeof *c->ops, c->op_cap * sizeof *c->ops);
    }
    Op *op = &c->ops[c->op_count++];
    *op = (Op){.run = run, .source = c->source};
    return op;
}

void tree_place_label(Compiler *c, LabelKind kind, uint32_t number)
{
    ARENA_PUSH(c->arena, c->labels, c->label_count, c->label_cap) = (Label){kind, number, c->op_count};
}

void tree_emit_jump(Compiler *c, Op *op, LabelKind kind, uint32_t number)
{
    ARENA_PUSH(c->arena, c->jumps, c->jump_count, c->jump_cap) = (Jump){kind, number, (uint32_t)(op - c->ops)};
}

static void resolve_jumps(Compiler *c)
{
    uint32_t end = 0;
    for (uint32_t i = 0; i < c->label_count; i++)
        end = c->labels[i].number < end ? end : c->labels[i].number + 1;
    size_t size = (size_t)LABEL_KINDS * end * sizeof(const Label *);
    const Label **first = arena_alloc(c->arena, size); /* by kind and number */
    for (uint32_t i = c->label_count; i-- > 0;)
        first[c->labels[i].kind * end + c->labels[i].number] = &c->labels[i];
    for (uint32_t i = 0; i < c->jump_count; i++) {
        const Jump *jump = &c->jumps[i];
        const Label *label = jump->number < end ? first[jump->kind * end + jump->number] : NULL;
        if (!label)
            tree_refuse(c, "a jump to a place that the reverse pass does not have");
        c->ops[jump->from].target = c->ops + label->at;
    }
    arena_resize_last(c->arena, first, size, 0);
}

/* ---- functions ---- */

static void index_functions(TreeProgram *program)
{
    const IrModule *module = program->module;
    for (uint32_t i = module->function_count; i-- > 0;) /* of several, the first counts */
        if (module->functions[i]->func)
            table_add(&program->functions, program->arena, module->functions[i]->func)->number = i;
}

const IrFunction *tree_function_of(Compiler *c, const Func *func)
{
    TreeProgram *program = c->program;
    if (!program->functions.count)
        index_functions(program);
    const TableSlot *known = program->functions.count ? table_find(&program->functions, func) : NULL;
    if (known)
        return program->module->functions[known->number];
    tree_refuse(c, "a call of '%s', which was not built", func->key->text);
}

static bool has_reverse_body(const Compiler *c, const IrFunction *function)
{
    if (function->is_kernel || tree_tape_derives(c, function))
        return true;
    const Func *func = function->func;
    bool wanted = (c->program->module->options->enable_backward && func->used_by_backward) || func->force_adjoint;
    return wanted && !func->uses_grad;
}

static void compile_body(Compiler *c)
{
    static const IrRegion nothing;
    const IrFunction *function = c->function;
    if (c->code->kind == CODE_RECORDED)
        tree_tape_record_body(c);
    if (c->code->kind != CODE_REVERSE)
        tree_walk_forward(c, &function->body);
    else if (has_reverse_body(c, function) && !tree_tape_region(c, function, &nothing, &function->body)) {
        tree_walk_replay(c, &function->body);
        tree_walk_reverse(c, &function->body);
    }
    tree_emit(c, tree_op_halt);
    resolve_jumps(c);
    tree_note_unset(c);
    uint8_t *marks = ARENA_ARRAY(c->arena, uint8_t, c->op_count);
    tree_finish_ops(c->ops, c->op_count, marks);
    arena_resize_last(c->arena, marks, c->op_count, 0);
}

static void compile_code(Compiler *c)
{
    if (c->function->func && c->function->func->is_snippet)
        tree_refuse(c, "a native function");
    place_params(c);
    place_results(c);
    place_vars(c);
    compile_body(c);
    fill_image(c);
    c->code->ops = c->ops;
    c->code->op_count = c->op_count;
    c->code->stack += c->cells; /* until now: the deepest of what is called */
}

TreeCode *tree_code_for(Compiler *c, const IrFunction *function, CodeKind kind)
{
    TableSlot *same = table_add(&c->program->codes, c->arena, function);
    for (TreeCode *code = same->item; code; code = code->next)
        if (code->kind == kind) {
            if (code->is_compiling)
                tree_refuse(c, "a function that calls itself");
            return code;
        }
    TreeCode *code = ARENA_NEW(c->arena, TreeCode);
    code->function = function;
    code->kind = kind;
    code->next = same->item;
    code->is_compiling = true;
    same->item = code;
    Compiler inner = {.program = c->program,
                      .arena = c->arena,
                      .code = code,
                      .function = function,
                      .source = c->source,
                      .finding = c->finding,
                      .on_failure = c->on_failure};
    compile_code(&inner);
    code->is_compiling = false;
    return code;
}

/* ---- programs ---- */

typedef struct Attempt { /* kept out of the registers that longjmp forgets */
    TreeProgram *program;
    TreeCode *code;
    Finding *finding;
} Attempt;

static TreeCode *compile_kernel(TreeProgram *program, CodeKind kind, Finding *finding)
{
    jmp_buf failure;
    Attempt *attempt = ARENA_NEW(program->arena, Attempt);
    attempt->program = program;
    attempt->finding = finding;
    if (setjmp(failure))
        return NULL;
    Compiler compiler = {.program = program, .arena = program->arena, .finding = finding, .on_failure = &failure};
    attempt->code = tree_code_for(&compiler, program->module->kernel, kind);
    return attempt->code;
}

static void reserve_stack(TreeProgram *program, const TreeCode *code)
{
    if (!code || code->stack <= program->stack_cells)
        return;
    program->stack_cells = code->stack;
    program->stack = ARENA_ARRAY(program->arena, Cell, code->stack + 1);
}

static TreeProgram *compile_program(Arena *arena, const IrModule *module, bool in_double, TreeTape *tape,
                                    Finding *finding)
{
    *finding = (Finding){0};
    TreeProgram *program = ARENA_NEW(arena, TreeProgram);
    program->arena = arena;
    program->module = module;
    program->in_double = in_double;
    program->tape = tape;
    program->forward = compile_kernel(program, tape ? CODE_RECORDED : CODE_FORWARD, finding);
    if (!program->forward)
        return NULL;
    reserve_stack(program, program->forward);
    return program;
}

TreeProgram *tree_compile(Arena *arena, const IrModule *module, bool in_double, Finding *finding)
{
    return compile_program(arena, module, in_double, NULL, finding);
}

/* The reverse pass at once: it says what the forward pass must keep. */
TreeProgram *tree_compile_repaired(Arena *arena, const IrModule *module, bool in_double, const TreeRepairs *repairs,
                                   Finding *finding)
{
    if (module->uses_tiles) {
        *finding = (Finding){.kind = FINDING_UNSUPPORTED, .message = "repairs of a kernel with tiles"};
        return NULL;
    }
    TreeProgram *program = compile_program(arena, module, in_double, tree_tape_new(arena, repairs), finding);
    if (program && !tree_reverse_code(program)) {
        *finding = program->no_reverse;
        return NULL;
    }
    return program;
}

const TreeCode *tree_reverse_code(TreeProgram *program)
{
    if (!program->reverse_tried) {
        program->reverse_tried = true;
        if (program->module->enable_backward)
            program->reverse = compile_kernel(program, CODE_REVERSE, &program->no_reverse);
        else
            program->no_reverse = (Finding){.kind = FINDING_UNSUPPORTED, .message = "the kernel has no backward pass"};
        reserve_stack(program, program->reverse);
    }
    return program->reverse;
}
