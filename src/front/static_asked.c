/* Calls that the caller asks for: `--call "make(4, wp.float32)"`. They are made when the module level of a file has run, as a program would that
 * imports it. */
#include "front/parser.h"
#include "front/static_impl.h"

#include <string.h>

static void refuse_call(Unit *unit, const AskedCall *call, DiagKind kind, const char *message)
{
    diag_add(&unit->diags, &call->source, kind, 0, (uint32_t)call->source.len, "%s", message);
}

/* Does the value have kernels, or is it one of other results that are of no use here? */
static bool is_known(const Value *value)
{
    return value->kind != VALUE_UNKNOWN && value->kind != VALUE_NONE;
}

static void make_call(Unit *unit, const AskedCall *call, uint32_t number)
{
    DiagList errors;
    diags_init(&errors, unit->arena);
    const Node *node = parse_expression(unit->arena, unit->names, &call->source, &errors);
    if (errors.count || !node) {
        refuse_call(unit, call, DIAG_ERROR, errors.count ? errors.first->message : "this is not an expression");
        return;
    }
    Scope *globals = unit->main->globals, *scope = scope_new(unit, globals, "");
    if (!scope_find(scope, name_cstr(unit->names, "wp")))
        scope_bind(unit, scope, name_cstr(unit->names, "wp"), value_known_module(unit->arena, known_module("warp")));
    allow_file_steps(unit, unit->main->source);
    unit->running = unit->main;
    DiagList before, found;
    diags_move(&before, &unit->diags);
    const Value *value = static_eval(unit, node, scope);
    diags_move(&found, &unit->diags);
    diags_move(&unit->diags, &before);
    if (found.count) { /* whose places are not those of a file */
        refuse_call(unit, call, found.first->kind, found.first->message);
        return;
    }
    if (!is_known(value))
        refuse_call(unit, call, value->kind == VALUE_UNKNOWN && value->wrong ? DIAG_ERROR : DIAG_UNSUPPORTED,
                    value->kind == VALUE_UNKNOWN ? value->reason : "the call makes no kernel");
    else /* under a name that no program has */
        scope_bind(unit, globals, name_cstr(unit->names, arena_format(unit->arena, "<call %u>", number)), value);
}

void run_asked_calls(Unit *unit)
{
    for (uint32_t i = 0; unit->files && unit->main->parsed && i < unit->files->call_count; i++) {
        const AskedCall *call = &unit->files->calls[i];
        if (scope_find_here(unit->main->globals, call->name))
            make_call(unit, call, i);
        else if (call->must_be)
            refuse_call(unit, call, DIAG_ERROR,
                        arena_format(unit->arena, "the file does not define '%s'", call->name->text));
    }
}
