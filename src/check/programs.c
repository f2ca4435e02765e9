/* Both evaluators of a kernel, prepared once for all checks of it. */
#include "check/check_impl.h"

struct CheckPrograms {
    Unit *unit;
    const IrModule *module;
    AstProgram *ast;
    TreeProgram *tree[2]; /* in the kernel's own types, and in double */
};

CheckPrograms *check_programs_new(Unit *unit, const IrModule *module)
{
    CheckPrograms *programs = ARENA_NEW(unit->building, CheckPrograms);
    programs->unit = unit;
    programs->module = module;
    return programs;
}

AstProgram *syntax_tree_program(CheckPrograms *programs)
{
    if (!programs->ast)
        programs->ast = ast_program(programs->unit, programs->module->kernel->kernel);
    return programs->ast;
}

TreeProgram *region_tree_program(CheckPrograms *programs, bool in_double, Finding *finding)
{
    TreeProgram **program = &programs->tree[in_double];
    if (!*program)
        *program = tree_compile(programs->unit->building, programs->module, in_double, finding);
    return *program;
}
