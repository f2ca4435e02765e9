#include "check/cause.h"
#include "check/check_impl.h"

static AstOmission omission_of(Pattern pattern)
{
    switch (pattern) {
    case PATTERN_FRACTION: return OMIT_FRACTION;
    case PATTERN_MODULUS: return OMIT_DIVISOR;
    default: return OMIT_NOTHING;
    }
}

bool cause_can_be_tried(Pattern pattern)
{
    return omission_of(pattern) != OMIT_NOTHING;
}

/* Is the gradient of Warp the true one without these derivatives? */
static bool is_gradient_without(Unit *unit, const IrModule *module, const CheckLaunch *description, uint64_t seed,
                                AstOmission omits)
{
    enum { STREAM_CAUSE = 15 };
    static const double same = 1e-6;
    const char *why;
    Finding finding;
    bool has_priors;
    Launch *start = check_make_launch(unit, module, description, seed, &why);
    TreeProgram *tree = start ? tree_compile(unit->building, module, true, &finding) : NULL;
    if (!tree)
        return false;
    Launch *forward = launch_copy(unit->building, start), *backward = launch_copy(unit->building, start);
    Directions *directions = directions_new(
        unit->building, argument_movements(unit->building, module->kernel->code, description, &has_priors));
    AstRun exact = {.in_double = true, .omits = omits};
    TreeRun run = {0};
    hold_priors(directions, true);
    set_tangents(directions, forward, rng_at(seed, 0, STREAM_CAUSE));
    if (!ast_program_run(ast_program(unit, module->kernel->kernel), forward, &exact) ||
        !tree_execute(tree, backward, &run) || !set_cotangents(directions, start, backward))
        return false;
    run = (TreeRun){.backward = true};
    return tree_execute(tree, backward, &run) && dot_products(directions, forward, backward).error <= same;
}

bool cause_explains(Unit *unit, const IrModule *module, const CheckLaunch *description, uint64_t seed, Pattern pattern)
{
    unsigned own = omission_of(pattern), others = OMIT_ALL & ~own;
    if (is_gradient_without(unit, module, description, seed, (AstOmission)own))
        return true;
    return is_gradient_without(unit, module, description, seed, OMIT_ALL) &&
           !is_gradient_without(unit, module, description, seed, (AstOmission)others);
}
