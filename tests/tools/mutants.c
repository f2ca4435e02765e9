/* Seeded faults: are they caught?
 *
 *     mutants COUNT [SEED]
 *
 * Takes invented kernels that pass every check, plants one fault in the region tree (operands swapped, an adjoint dropped,
 * another index, a bound off by one, an atomic lost, a sign turned, a store of another value), and checks them again. A
 * fault that changes nothing, on many more inputs and all threads than a check uses, is not counted. */
#include "base/rng.h"
#include "check/check.h"
#include "eval/tree/eval.h"
#include "pipeline.h"
#include "synth/synth.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum Fault {
    FAULT_SWAP,
    FAULT_ADJOINT,
    FAULT_INDEX,
    FAULT_BOUND,
    FAULT_ATOMIC,
    FAULT_OPERATOR,
    FAULT_VALUE,
    FAULT_COUNT
} Fault;
static const char *const fault_names[] = {"operands swapped", "adjoint dropped",  "another index", "bound off by one",
                                          "atomic lost",      "another operator", "another value"};

typedef struct State {
    const SynthSample *sample;
    uint64_t index;
    Rng rng;
    long long planted[FAULT_COUNT], effective[FAULT_COUNT], caught[FAULT_COUNT], missed;
    long long wanted, done;
} State;

/* ---- finding places ---- */

typedef struct Places {
    IrNode *items[4096];
    uint32_t count;
} Places;

static bool is_call(const IrNode *node, const char *name)
{
    return node->kind == IR_CALL && node->call->builtin && strcmp(node->call->builtin->name, name) == 0;
}

static bool fits(const IrNode *node, Fault fault)
{
    if (node->kind != IR_CALL)
        return false;
    const IrCall *call = node->call;
    bool two =
        call->builtin && call->arg_count >= 2 && call->args[0].kind == OPERAND_VAR && call->args[1].kind == OPERAND_VAR;
    switch (fault) {
    case FAULT_SWAP:
        return two &&
               types_equal(type_strip_reference(call->args[0].var->type),
                           type_strip_reference(call->args[1].var->type)) &&
               !is_call(node, "assign") && type_is_value(type_strip_reference(call->args[0].var->type));
    case FAULT_ADJOINT: return call->reverse;
    case FAULT_INDEX:
        return (is_call(node, "address") || is_call(node, "array_store")) && call->args[1].kind == OPERAND_VAR;
    case FAULT_BOUND: return is_call(node, "range");
    case FAULT_ATOMIC: return is_call(node, "atomic_add") || is_call(node, "atomic_sub");
    case FAULT_OPERATOR: return is_call(node, "add") || is_call(node, "sub");
    case FAULT_VALUE: return is_call(node, "array_store");
    default: return false;
    }
}

static void collect(IrRegion *region, Fault fault, Places *places)
{
    for (uint32_t i = 0; i < region->count; i++) {
        IrNode *node = region->items[i];
        if (fits(node, fault) && places->count < 4096)
            places->items[places->count++] = node;
        if (node->kind == IR_IF)
            collect(&node->if_node->body, fault, places);
        if (node->kind == IR_FOR)
            collect(&node->for_node->body, fault, places);
        if (node->kind == IR_WHILE)
            collect(&node->while_node->body, fault, places);
    }
}

/* A constant, or another variable of the same type made before, to stand in for `var`. */
static IrVar *substitute(State *state, const IrModule *module, const IrVar *var)
{
    IrVar *found[256];
    uint32_t count = 0;
    for (uint32_t i = 0; i < module->kernel->vars.count && count < 256; i++) {
        IrVar *other = module->kernel->vars.items[i];
        bool before = other->constant || (!var->label && other->index < var->index);
        if (other != var && before && types_equal(other->type, var->type) && other->type->kind != TYPE_REF)
            found[count++] = other;
    }
    return count ? found[rng_below(&state->rng, count)] : NULL;
}

static const Builtin *overload_like(const Unit *unit, const char *name, const Builtin *builtin)
{
    const BuiltinSet *set = builtin_find(unit->builtins, name, strlen(name));
    for (uint32_t i = 0; set && i < set->count; i++)
        if (set->overloads[i]->param_count == builtin->param_count &&
            set->overloads[i]->params[0].type->kind == builtin->params[0].type->kind &&
            (set->overloads[i]->params[0].type->kind != TYPE_ARRAY ||
             set->overloads[i]->params[0].type->array.cls == builtin->params[0].type->array.cls))
            return set->overloads[i];
    return NULL;
}

static bool plant(State *state, const Compiled *compiled, IrNode *node, Fault fault)
{
    IrCall *call = node->call;
    IrVar *other;
    const Builtin *builtin;
    switch (fault) {
    case FAULT_SWAP: {
        IrOperand swap = call->args[0], adj = call->adj_args[0];
        call->args[0] = call->args[1];
        call->args[1] = swap;
        call->adj_args[0] = call->adj_args[1];
        call->adj_args[1] = adj;
        return true;
    }
    case FAULT_ADJOINT: call->reverse = false; return true;
    case FAULT_INDEX:
    case FAULT_BOUND: {
        uint32_t at = fault == FAULT_BOUND ? call->arg_count - 1 : 1;
        if (call->args[at].kind != OPERAND_VAR || !(other = substitute(state, compiled->module, call->args[at].var)))
            return false;
        call->args[at].var = call->adj_args[at].var = other;
        return true;
    }
    case FAULT_ATOMIC:
        builtin = overload_like(compiled->unit, "array_store", call->builtin);
        if (!builtin)
            return false;
        call->builtin = builtin;
        call->output_count = 0;
        return true;
    case FAULT_OPERATOR:
        builtin = overload_like(compiled->unit, is_call(node, "add") ? "sub" : "add", call->builtin);
        if (!builtin)
            return false;
        call->builtin = builtin;
        return true;
    default: {
        uint32_t at = call->arg_count - 1;
        if (call->args[at].kind != OPERAND_VAR || !(other = substitute(state, compiled->module, call->args[at].var)))
            return false;
        call->args[at].var = call->adj_args[at].var = other;
        return true;
    }
    }
}

/* ---- does it change anything? ---- */

enum { TRIALS = 6 };

typedef struct Outcome {
    Launch *launches[TRIALS];
    bool ran[TRIALS];
} Outcome;

static void ones(LaunchValue *value, Unit *unit)
{
    for (uint32_t i = 0; i < value->field_count; i++)
        ones(&value->fields[i], unit);
    if (value->type->kind != TYPE_ARRAY || !value->width || !type_is_float(value->cell_types[0]))
        return;
    value->gradients = ARENA_ARRAY(unit->arena, double, value->count * value->width);
    for (size_t i = 0; i < value->count * value->width; i++)
        value->gradients[i] = 1.0 + 0.01 * (double)(i % 17);
}

static void run_all(const Compiled *compiled, const CheckLaunch *description, Outcome *outcome)
{
    Finding finding = {0};
    TreeProgram *program = tree_compile(compiled->unit->arena, compiled->module, true, &finding);
    memset(outcome, 0, sizeof *outcome);
    for (int i = 0; program && i < TRIALS; i++) {
        const char *why;
        Launch *launch = check_make_launch(compiled->unit, compiled->module, description, 1000 + (uint64_t)i, &why);
        if (!launch)
            return;
        TreeRun run = {0};
        outcome->ran[i] = tree_execute(program, launch, &run);
        for (uint32_t k = 0; k < launch->arg_count; k++)
            ones(&launch->args[k], compiled->unit);
        run = (TreeRun){.backward = true};
        if (outcome->ran[i] && compiled->module->enable_backward)
            outcome->ran[i] = tree_execute(program, launch, &run);
        outcome->launches[i] = launch;
    }
}

static bool close_to(double a, double b)
{
    return a == b || (isnan(a) && isnan(b)) || fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b));
}

static bool same_value(const LaunchValue *a, const LaunchValue *b)
{
    for (uint32_t i = 0; i < a->field_count; i++)
        if (!same_value(&a->fields[i], &b->fields[i]))
            return false;
    for (size_t i = 0; !a->field_count && i < a->count * a->width; i++) {
        bool real = type_is_float(a->cell_types[i % a->width]);
        if (real ? !close_to(a->cells[i].real, b->cells[i].real) : a->cells[i].integer != b->cells[i].integer)
            return false;
        if (a->gradients && !close_to(a->gradients[i], b->gradients[i]))
            return false;
    }
    return true;
}

static bool same_outcome(const Outcome *a, const Outcome *b)
{
    for (int i = 0; i < TRIALS; i++) {
        if (a->ran[i] != b->ran[i])
            return false;
        if (!a->ran[i])
            continue;
        for (uint32_t k = 0; k < a->launches[i]->arg_count; k++)
            if (!same_value(&a->launches[i]->args[k], &b->launches[i]->args[k]))
                return false;
    }
    return true;
}

/* ---- one kernel ---- */

static void show_missed(const State *state, const Compiled *compiled, const IrNode *place, Fault fault)
{
    const char *line = compiled->unit->main->source->text + place->source;
    printf("missed: %s of %s in sample %llu, %s: %.*s\n", fault_names[fault],
           place->call->builtin ? place->call->builtin->name : "a function", (unsigned long long)state->index,
           state->sample->kernel_name, (int)strcspn(line, "\n"), line);
}

static bool try_fault(const Compiled *compiled, void *user)
{
    State *state = user;
    CheckLaunch description;
    CheckOptions options = {.seed = 7, .filters = true, .threads = CHECK_SPREAD};
    CheckResult before, after;
    if (check_launch_read(compiled->unit->arena, state->sample->launch, state->sample->launch_len, &description))
        return false;
    check_kernel(compiled->unit, compiled->module, &description, &options, &before);
    if (before.failure != CHECK_OK || before.gradient != GRADIENT_PASS)
        return true;
    Fault fault = (Fault)rng_below(&state->rng, FAULT_COUNT);
    static Places places;
    places.count = 0;
    collect(&compiled->module->kernel->body, fault, &places);
    if (!places.count)
        return true;
    Outcome healthy, ill;
    run_all(compiled, &description, &healthy);
    IrNode *place = places.items[rng_below(&state->rng, places.count)];
    if (!plant(state, compiled, place, fault))
        return true;
    run_all(compiled, &description, &ill);
    state->done++;
    state->planted[fault]++;
    if (same_outcome(&healthy, &ill))
        return true;
    state->effective[fault]++;
    check_kernel(compiled->unit, compiled->module, &description, &options, &after);
    bool caught = after.failure != CHECK_OK || after.gradient != GRADIENT_PASS;
    state->caught[fault] += caught;
    if (!caught) {
        state->missed++;
        show_missed(state, compiled, place, fault);
    }
    return true;
}

int main(int argc, char **argv)
{
    static State state;
    state.wanted = argc > 1 ? atoll(argv[1]) : 1000;
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    SynthContext *context = synth_new(NULL);
    Weft *weft = weft_new(NULL);
    CategoryWeights weights = category_default_weights();
    Text source;
    text_init(&source);
    for (uint64_t i = 0; context && weft && state.done < state.wanted; i++) {
        SynthSample sample;
        if (!synth_sample(context, seed, i, &weights, &sample))
            return 1;
        state.sample = &sample;
        state.index = i;
        state.rng = rng_at(seed, i, 99);
        source.len = 0;
        synth_add_module(&sample, &source);
        PipelineOptions options = pipeline_options();
        options.weft.cuda = options.weft.cpu = false;
        if (!pipeline_compile(weft, &(Source){"synth.py", source.data, source.len}, &options,
                              &(PipelineVisitor){.compiled = try_fault, .user = &state}))
            return 1;
    }
    long long effective = 0, caught = 0;
    for (int i = 0; i < FAULT_COUNT; i++) {
        printf("%-18s %5lld planted, %5lld change the function, %5lld caught\n", fault_names[i], state.planted[i],
               state.effective[i], state.caught[i]);
        effective += state.effective[i];
        caught += state.caught[i];
    }
    printf("%lld faults change the function, %lld caught: %.2f %%\n", effective, caught,
           effective ? 100.0 * (double)caught / (double)effective : 0);
    text_free(&source);
    synth_free(context);
    weft_free(weft);
    return effective && (double)caught >= 0.995 * (double)effective ? 0 : 1;
}
