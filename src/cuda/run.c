/* Runs a kernel, thread after thread. */
#include "cuda/impl.h"

#include <math.h>

enum { STACK_SIZE = 1 << 19, MOST_RANGES = 160, MOST_STEPS = 30000000 };

typedef struct Range {
    char *from, *to;
} Range;

struct Run {
    char *frame, *top, *end; /* of the function that runs; free room behind it */
    char *result;            /* where a struct result goes */
    Number value;            /* any other */
    int64_t thread;
    uint64_t steps;
    Range ranges[MOST_RANGES]; /* what pointers may lead to */
    uint32_t range_count;
    const char *why;
    jmp_buf failed;
};

void end_run(Run *run, const char *why)
{
    run->why = why;
    longjmp(run->failed, 1);
}

char *checked_place(Run *run, char *place, size_t size)
{
    for (uint32_t i = 0; i < run->range_count; i++)
        if (place >= run->ranges[i].from && place + size <= run->ranges[i].to)
            return place;
    end_run(run, "an access is outside of all arrays");
}

/* ---- numbers ---- */

static Number convert(Run *run, Number number, const CudaType *from, const CudaType *to)
{
    if (from->kind == CUDA_POINTER) {
        if (to->kind == CUDA_BOOL)
            number.whole = number.place != NULL;
        return number;
    }
    if (is_real(from) && !is_real(to)) {
        double real = number.real;
        if (to->kind == CUDA_BOOL)
            number.whole = real != 0;
        else if (!(real > -9.3e18 && real < 1.85e19))
            end_run(run, "a number is too large for a whole one");
        else
            number.whole = real >= 9.2e18 ? (int64_t)(uint64_t)real : (int64_t)real;
    } else if (!is_real(from) && is_real(to))
        number.real = from->kind == CUDA_U64 ? (double)(uint64_t)number.whole
                      : is_single(to)        ? (double)(float)number.whole
                                             : (double)number.whole;
    return wrap_number(to, number);
}

static Number divide(Run *run, const CudaType *type, uint32_t sign, Number a, Number b)
{
    bool is_unsigned = type->kind == CUDA_U32 || type->kind == CUDA_U64;
    if (!b.whole)
        end_run(run, "a whole number is divided by zero");
    if (is_unsigned)
        a.whole =
            (int64_t)(sign == '/' ? (uint64_t)a.whole / (uint64_t)b.whole : (uint64_t)a.whole % (uint64_t)b.whole);
    else if (b.whole == -1)
        a.whole = sign == '/' ? (int64_t)(0 - (uint64_t)a.whole) : 0;
    else
        a.whole = sign == '/' ? a.whole / b.whole : a.whole % b.whole;
    return a;
}

static Number compute(Run *run, const CudaType *type, uint32_t sign, Number a, Number b)
{
    uint64_t x = (uint64_t)a.whole, y = (uint64_t)b.whole;
    if (is_real(type)) {
        switch (sign) {
        case '+': a.real += b.real; break;
        case '-': a.real -= b.real; break;
        case '*': a.real *= b.real; break;
        default: a.real /= b.real; break;
        }
        return wrap_number(type, a);
    }
    switch (sign) {
    case '+': a.whole = (int64_t)(x + y); break;
    case '-': a.whole = (int64_t)(x - y); break;
    case '*': a.whole = (int64_t)(x * y); break;
    case '/':
    case '%': a = divide(run, type, sign, a, b); break;
    case '&': a.whole = (int64_t)(x & y); break;
    case '|': a.whole = (int64_t)(x | y); break;
    case '^': a.whole = (int64_t)(x ^ y); break;
    case SIGN2('<', '<'): a.whole = (int64_t)(x << (y & (type->size * 8 - 1))); break;
    default: /* >> */
        y &= type->size * 8 - 1;
        a.whole = type->kind == CUDA_U64 ? (int64_t)(x >> y) : a.whole >> y;
        break;
    }
    return wrap_number(type, a);
}

static bool compare(const CudaType *type, uint32_t sign, Number a, Number b)
{
    bool less, equal;
    if (is_real(type)) {
        less = a.real < b.real;
        equal = a.real == b.real;
        if (isnan(a.real) || isnan(b.real))
            return sign == SIGN2('!', '=');
    } else {
        less = type->kind == CUDA_U64 ? (uint64_t)a.whole < (uint64_t)b.whole : a.whole < b.whole;
        equal = a.whole == b.whole;
    }
    switch (sign) {
    case '<': return less;
    case '>': return !less && !equal;
    case SIGN2('<', '='): return less || equal;
    case SIGN2('>', '='): return !less;
    case SIGN2('=', '='): return equal;
    default: return !equal;
    }
}

/* ---- expressions ---- */

static void put(Run *run, const CudaType *type, char *place, const Node *value)
{
    if (is_scalar(type) || type->kind == CUDA_POINTER)
        put_number(type, place, run_value(run, value));
    else
        memmove(place, run_place(run, value), type->size);
}

static char *push_frame(Run *run, const CudaFunction *function)
{
    char *frame = run->top;
    size_t size = (function->frame + 15u) & ~15u;
    if (size > (size_t)(run->end - run->top))
        end_run(run, "calls are nested too deeply");
    memset(frame, 0, size);
    run->top += size;
    return frame;
}

typedef enum Flow { FLOW_ON, FLOW_BREAK, FLOW_CONTINUE, FLOW_RETURN } Flow;
static Flow run_one(Run *run, const CudaFunction *function, const Statement *statement);
static Flow run_block(Run *run, const CudaFunction *function, const Statement *first);

static void run_call(Run *run, const Node *node, char *result)
{
    const CudaFunction *function = node->function;
    char *frame = push_frame(run, function), *own = run->frame, *own_result = run->result;
    for (uint32_t i = 0; i < node->count; i++) {
        const Parameter *param = &function->params[i];
        if (param->is_reference) {
            char *place = run_place(run, node->args[i]);
            memcpy(frame + param->offset, &place, sizeof place);
        } else
            put(run, param->type, frame + param->offset, node->args[i]);
    }
    run->frame = frame;
    run->result = result;
    run_block(run, function, function->body);
    run->frame = own;
    run->result = own_result;
    run->top = frame;
}

char *run_place(Run *run, const Node *node)
{
    char *place;
    int64_t index;
    switch (node->op) {
    case ON_LOCAL: return run->frame + node->offset;
    case ON_REFERENCE: memcpy(&place, run->frame + node->offset, sizeof place); return place;
    case ON_FIELD: return run_place(run, node->a) + node->offset;
    case ON_DEREF: return checked_place(run, run_value(run, node->a).place, node->type->size);
    case ON_INDEX:
        place = run_place(run, node->a);
        index = run_value(run, node->b).whole;
        if (index < 0 || index >= node->a->type->count)
            end_run(run, "an index is outside of its array");
        return place + index * node->type->size;
    case ON_STEP:
        place = run_value(run, node->a).place;
        index = run_value(run, node->b).whole;
        if (index < -(1ll << 32) || index > 1ll << 32)
            end_run(run, "an index is outside of its array");
        return checked_place(run, place + index * (int64_t)node->type->size, node->type->size);
    case ON_BRACES:
        place = run->frame + node->offset;
        memset(place, 0, node->type->size);
        for (uint32_t i = 0; i < node->count; i++)
            put(run, node->inits[i].value->type, place + node->inits[i].offset, node->inits[i].value);
        return place;
    case ON_CALL:
        place = run->frame + node->offset;
        run_call(run, node, place);
        return place;
    case ON_CHOICE: return run_place(run, run_value(run, node->a).whole ? node->b : node->c);
    case ON_ASSIGN: place = run_place(run, node->b); return memmove(run_place(run, node->a), place, node->type->size);
    default: end_run(run, "something has no place");
    }
}

static Number run_change(Run *run, const Node *node)
{
    char *place = run_place(run, node->a);
    const CudaType *type = node->type, *wide = node->b->type;
    Number value = run_value(run, node->b), old = number_at(type, place);
    Number now = convert(run, compute(run, wide, node->sign, convert(run, old, type, wide), value), wide, type);
    put_number(type, place, now);
    return node->is_post ? old : now;
}

Number run_value(Run *run, const Node *node)
{
    Number number = {0};
    if (++run->steps > MOST_STEPS)
        end_run(run, "it takes too many steps");
    switch (node->op) {
    case ON_NUMBER: return node->number;
    case ON_LOCAL: return number_at(node->type, run->frame + node->offset);
    case ON_REFERENCE:
    case ON_FIELD:
    case ON_DEREF:
    case ON_INDEX:
    case ON_STEP: return number_at(node->type, run_place(run, node));
    case ON_CALL: run_call(run, node, NULL); return run->value;
    case ON_THREAD: number.whole = run->thread; return number;
    case ON_ADDRESS: number.place = run_place(run, node->a); return number;
    case ON_CONVERT: return convert(run, run_value(run, node->a), node->a->type, node->type);
    case ON_NEGATE:
        number = run_value(run, node->a);
        if (is_real(node->type))
            number.real = -number.real;
        else
            number.whole = (int64_t)(0 - (uint64_t)number.whole);
        return wrap_number(node->type, number);
    case ON_NOT: number.whole = !run_value(run, node->a).whole; return number;
    case ON_INVERT: number.whole = ~run_value(run, node->a).whole; return wrap_number(node->type, number);
    case ON_BINARY:
        number = run_value(run, node->a);
        return compute(run, node->type, node->sign, number, run_value(run, node->b));
    case ON_COMPARE:
        number = run_value(run, node->a);
        number.whole = compare(node->a->type, node->sign, number, run_value(run, node->b));
        return number;
    case ON_AND: number.whole = run_value(run, node->a).whole && run_value(run, node->b).whole; return number;
    case ON_OR: number.whole = run_value(run, node->a).whole || run_value(run, node->b).whole; return number;
    case ON_CHOICE: return run_value(run, run_value(run, node->a).whole ? node->b : node->c);
    case ON_ASSIGN:
        if (!is_scalar(node->type) && node->type->kind != CUDA_POINTER) {
            run_place(run, node);
            return number;
        }
        number = run_value(run, node->b);
        put_number(node->type, run_place(run, node->a), number);
        return number;
    case ON_CHANGE: return run_change(run, node);
    case ON_BUILTIN: return run_builtin(run, node);
    case ON_BRACES:
    case ON_LIST: break;
    }
    end_run(run, "something has no value");
}

/* ---- statements ---- */

static void run_for_effect(Run *run, const Node *node)
{
    if (node->type->kind == CUDA_STRUCT || node->type->kind == CUDA_ARRAY)
        run_place(run, node);
    else
        run_value(run, node);
}

static Flow run_loop(Run *run, const CudaFunction *function, const Statement *loop)
{
    if (loop->otherwise)
        run_one(run, function, loop->otherwise);
    for (bool first = loop->body_first;; first = false) {
        if (!first && loop->value && !run_value(run, loop->value).whole)
            return FLOW_ON;
        Flow flow = run_block(run, function, loop->body);
        if (flow == FLOW_BREAK)
            return FLOW_ON;
        if (flow == FLOW_RETURN)
            return flow;
        if (loop->step)
            run_for_effect(run, loop->step);
        if (++run->steps > MOST_STEPS)
            end_run(run, "it takes too many steps");
    }
}

static Flow run_one(Run *run, const CudaFunction *function, const Statement *statement)
{
    switch (statement->kind) {
    case DO_NOTHING: break;
    case DO_VALUE: run_for_effect(run, statement->value); break;
    case DO_BLOCK: return run_block(run, function, statement->body);
    case DO_IF:
        if (run_value(run, statement->value).whole)
            return run_one(run, function, statement->body);
        return statement->otherwise ? run_one(run, function, statement->otherwise) : FLOW_ON;
    case DO_LOOP: return run_loop(run, function, statement);
    case DO_BREAK: return FLOW_BREAK;
    case DO_CONTINUE: return FLOW_CONTINUE;
    case DO_RETURN:
        if (statement->value && function->result->kind == CUDA_STRUCT)
            memmove(run->result, run_place(run, statement->value), function->result->size);
        else if (statement->value && function->gives_reference)
            run->value.place = run_place(run, statement->value);
        else if (statement->value)
            run->value = run_value(run, statement->value);
        return FLOW_RETURN;
    }
    return FLOW_ON;
}

static Flow run_block(Run *run, const CudaFunction *function, const Statement *first)
{
    for (; first; first = first->next) {
        Flow flow = run_one(run, function, first);
        if (flow != FLOW_ON)
            return flow;
    }
    return FLOW_ON;
}

/* ---- a launch ---- */

static void add_range(Run *run, char *from, size_t size)
{
    if (run->range_count == MOST_RANGES)
        end_run(run, "there are too many arrays");
    run->ranges[run->range_count++] = (Range){from, from + size};
}

bool cuda_run(CudaText *text, const CudaFunction *function, const CudaLaunch *launch, const char **why)
{
    Run *run = ARENA_NEW(text->arena, Run);
    void **args = function == text->kernels[0] ? launch->forward : launch->backward;
    char *stack = text->stack = text->stack ? text->stack : arena_take(text->arena, STACK_SIZE);
    run->end = stack + STACK_SIZE;
    if (setjmp(run->failed)) {
        *why = run->why;
        return false;
    }
    for (uint32_t i = 0; i < launch->array_count; i++) {
        add_range(run, launch->arrays[i].data, launch->arrays[i].bytes);
        add_range(run, launch->arrays[i].adjoint, launch->arrays[i].bytes);
    }
    add_range(run, stack, STACK_SIZE);
    for (uint64_t thread = 0; thread < launch->threads; thread++) {
        run->top = stack;
        run->frame = push_frame(run, function);
        run->thread = (int64_t)thread;
        for (uint32_t i = 0; i < function->param_count; i++)
            memcpy(run->frame + function->params[i].offset, args[i], function->params[i].type->size);
        run_block(run, function, function->body);
    }
    return true;
}
