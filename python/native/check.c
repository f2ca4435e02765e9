/* Runs a kernel of a running program on the program's own data, with both evaluators. */
#include "native.h"

#include "check/check.h"
#include "eval/ast/eval.h"

#include <stdio.h>

/* An argument, or a field of one: ("s.field", shape or None, cells before, cells after the launch or None), cells as bytes. */
typedef struct Given {
    const char *path, *before, *after;
    size_t before_size, after_size;
} Given;

typedef struct Check {
    World *world;
    CheckLaunch description;
    Given *given;
    uint32_t given_count;
    CheckOptions options;
    bool is_after; /* what is filled in at the moment: the cells after the launch */
    char why[300]; /* why the data do not fit; "": they do */
    bool is_done;
    CheckResult result;
    uint32_t line;
    double output_error; /* NaN: not compared */
    char message[600];
    char element[200];
} Check;

/* ---- the data ---- */

static const Given *find_given(const Check *check, const char *path)
{
    for (uint32_t i = 0; i < check->given_count; i++)
        if (strcmp(check->given[i].path, path) == 0)
            return &check->given[i];
    return NULL;
}

static void fill_value(Check *check, LaunchValue *value, const char *path)
{
    for (uint32_t i = 0; i < value->field_count; i++) {
        char inner[300];
        snprintf(inner, sizeof inner, "%s.%s", path, value->type->decl->fields[i].name->text);
        fill_value(check, &value->fields[i], inner);
    }
    if (value->field_count)
        return;
    const Given *given = find_given(check, path);
    const char *cells = !given ? NULL : check->is_after ? given->after : given->before;
    size_t size = !given ? 0 : check->is_after ? given->after_size : given->before_size;
    if (check->is_after && given && !cells) /* the launch does not change it */
        return;
    if (cells && size == launch_cell_count(value) * sizeof(Cell))
        memcpy(value->cells, cells, size);
    else if (!*check->why)
        snprintf(check->why, sizeof check->why, "the data of '%s' do not fit its type", path);
}

typedef struct Filling {
    Check *check;
    const Code *code;
} Filling;

static void fill(Launch *launch, void *user)
{
    const Filling *filling = user;
    for (uint32_t i = 0; i < launch->arg_count; i++)
        fill_value(filling->check, &launch->args[i], filling->code->params[i].name->text);
}

/* ---- running ---- */

static bool has_after(const Check *check)
{
    for (uint32_t i = 0; i < check->given_count; i++)
        if (check->given[i].after)
            return true;
    return false;
}

/* What the kernel computes in its own types, compared with what the program has after the launch. */
static void compare_outputs(Check *check, Unit *unit, const IrModule *module, Filling *filling)
{
    const char *why;
    Launch *mine = check_make_launch(unit, module, &check->description, 0, &why);
    if (!mine)
        return;
    fill(mine, filling);
    Launch *theirs = launch_copy(unit->arena, mine);
    check->is_after = true;
    fill(theirs, filling);
    check->is_after = false;
    AstRun run = {.max_steps = check->options.max_steps};
    if (ast_run(unit, module->kernel->kernel, mine, &run))
        check->output_error = check_difference(mine, theirs);
}

static void note_place(Check *check, const IrModule *module)
{
    const CheckResult *result = &check->result;
    const Source *source = module->kernel->code->scope->file->source;
    uint32_t offset = result->finding.message            ? result->finding.offset
                      : result->difference.has_statement ? result->difference.offset
                                                         : module->kernel->code->def->function.def_start;
    if (offset < module->kernel->code->source_start) /* of the kernel as a whole */
        offset = module->kernel->code->def->function.def_start;
    check->line = source_position(source, offset).line;
    if (result->finding.message)
        snprintf(check->message, sizeof check->message, "%s", result->finding.message);
    if (result->difference.element)
        snprintf(check->element, sizeof check->element, "%s", result->difference.element);
}

static bool check_compiled(const Compiled *compiled, void *user)
{
    Check *check = user;
    Filling filling = {check, compiled->module->kernel->code};
    check->options.fill = fill;
    check->options.user = &filling;
    check_kernel(compiled->unit, compiled->module, &check->description, &check->options, &check->result);
    check->is_done = true;
    note_place(check, compiled->module);
    if (!*check->why && has_after(check) && !check->options.threads)
        compare_outputs(check, compiled->unit, compiled->module, &filling);
    return false;
}

/* ---- arguments and answers ---- */

static bool read_shape(PyObject *shape, uint32_t *ndim, uint32_t out[4])
{
    Py_ssize_t size = shape == Py_None ? 0 : PyTuple_Size(shape);
    if (size < 0 || size > 4)
        return false;
    for (Py_ssize_t i = 0; i < size; i++) {
        unsigned long extent = PyLong_AsUnsignedLong(PyTuple_GetItem(shape, i));
        if (PyErr_Occurred() || !extent || extent > UINT32_MAX)
            return false;
        out[i] = (uint32_t)extent;
    }
    *ndim = (uint32_t)size;
    return true;
}

/* `tuple` stays alive as long as the check does, and so do its bytes. */
static bool read_given(Arena *arena, PyObject *tuple, Given *given, CheckArg *arg)
{
    const char *path;
    PyObject *shape;
    Py_ssize_t before, after;
    if (!PyArg_ParseTuple(tuple, "sOy#z#", &path, &shape, &given->before, &before, &given->after, &after))
        return false;
    given->path = arena_strndup(arena, path, strlen(path));
    given->before_size = (size_t)before;
    given->after_size = (size_t)after;
    arg->name = given->path;
    return read_shape(shape, &arg->ndim, arg->shape);
}

static bool read_check(Arena *arena, PyObject *arguments, PyObject *dim, Check *check)
{
    Py_ssize_t count = PyList_Size(arguments);
    if (count < 0 || !read_shape(dim, &check->description.ndim, check->description.dim))
        return false;
    check->given = ARENA_ARRAY(arena, Given, count);
    check->description.args = ARENA_ARRAY(arena, CheckArg, count);
    check->given_count = check->description.arg_count = (uint32_t)count;
    for (Py_ssize_t i = 0; i < count; i++)
        if (!read_given(arena, PyList_GetItem(arguments, i), &check->given[i], &check->description.args[i]))
            return false;
    return true;
}

static PyObject *describe_check(const Check *check)
{
    const CheckResult *result = &check->result;
    return Py_BuildValue("{s:s,s:s,s:s,s:d,s:d,s:d,s:d,s:d,s:s,s:s,s:I,s:O,s:s,s:d,s:d}", "failure",
                         check_failure_name(result->failure), "gradient", gradient_verdict_name(result->gradient),
                         "prior", gradient_verdict_name(result->prior), "forward_error", result->forward_error,
                         "gradient_error", result->gradient_error, "true_value", result->true_dot, "warp_value",
                         result->warp_dot, "output_error", check->output_error, "finding",
                         finding_name(result->finding.kind), "message", check->message, "line", check->line,
                         "in_reverse", result->reverse_finding ? Py_True : Py_False, "element", check->element,
                         "syntax_tree", result->difference.syntax_tree, "region_tree", result->difference.region_tree);
}

/* NULL: an exception is set. */
static PyObject *run_check(Weft *weft, Check *check)
{
    PipelineOptions options = pipeline_options();
    Text errors = {0};
    options.weft.cuda = options.weft.cpu = options.weft.source = false;
    options.skip_hash = true;
    const PipelineVisitor visitor = {.compiled = check_compiled, .user = check, .errors = &errors};
    bool enough;
    Py_BEGIN_ALLOW_THREADS enough = pipeline_visit_world(weft, check->world, &options, &visitor);
    Py_END_ALLOW_THREADS PyObject *answer = NULL;
    if (!enough)
        PyErr_NoMemory();
    else if (!check->is_done)
        answer = PyUnicode_DecodeUTF8(text_cstr(&errors), (Py_ssize_t)errors.len, "surrogateescape");
    else if (*check->why)
        answer = PyUnicode_FromString(check->why);
    else
        answer = describe_check(check);
    text_free(&errors);
    return answer;
}

PyObject *check_world(Weft *weft, PyObject *args)
{
    PyObject *objects, *arguments, *dim;
    unsigned kernel, threads;
    unsigned long long seed, steps;
    Arena arena;
    Check check = {.output_error = Py_HUGE_VAL - Py_HUGE_VAL};
    if (!PyArg_ParseTuple(args, "OIO!O!IKK", &objects, &kernel, &PyList_Type, &arguments, &PyTuple_Type, &dim, &threads,
                          &seed, &steps))
        return NULL;
    check.options = (CheckOptions){.seed = seed, .draws = 1, .threads = threads, .locate = true, .max_steps = steps};
    jmp_buf failure;
    arena_init(&arena);
    arena.on_failure = &failure;
    if (setjmp(failure)) {
        arena_free(&arena);
        return PyErr_NoMemory();
    }
    PyObject *answer = NULL;
    if (!read_check(&arena, arguments, dim, &check)) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_ValueError, "an array has no elements, or more than four dimensions");
    } else if ((check.world = read_world(&arena, objects, kernel)))
        answer = run_check(weft, &check);
    arena_free(&arena);
    return answer;
}
