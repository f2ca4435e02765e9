/* Options of modules: the file's own, and those of modules that kernels name. */
#include "front/static_impl.h"

#include <string.h>

static void set_library_part(ModuleOptions *options, LibraryPart part, bool on)
{
    options->library_off = (options->library_off & ~(1u << part)) | (on ? 0 : 1u << part);
}

static void set_module_option(Unit *unit, ModuleOptions *options, const Value *key, const Value *value)
{
    bool known, truth = value_is_true(value, &known);
    BigInt integer = 0;
    if (key->kind != VALUE_STR) {
        options->unsupported = "a module option that is not known";
        return;
    }
    const char *name = arena_strndup(unit->arena, key->str.text, key->str.len);
    if (value->kind == VALUE_UNKNOWN) {
        options->unsupported = arena_format(unit->arena, "the module option '%s', whose value is not known,", name);
        return;
    }
    if (strcmp(name, "enable_backward") == 0)
        options->enable_backward = truth;
    else if (strcmp(name, "max_unroll") == 0 && value_as_int(value, &integer) && integer > -2147483648LL &&
             integer < 2147483648LL)
        options->max_unroll = (int64_t)integer;
    else if (strcmp(name, "default_grid_stride") == 0)
        options->default_grid_stride = value->kind == VALUE_NONE || truth;
    else if (strcmp(name, "strip_hash") == 0)
        options->strip_hash = truth;
    else if (strcmp(name, "enable_mathdx_gemm") == 0)
        set_library_part(options, LIBRARY_PRODUCTS, truth);
    else if (strcmp(name, "enable_mathdx_solver") == 0)
        set_library_part(options, LIBRARY_SOLVERS, truth);
    else if (strcmp(name, "enable_mathdx_fft") == 0)
        set_library_part(options, LIBRARY_TRANSFORMS, truth);
    else if (strcmp(name, "mode") == 0 || strcmp(name, "lineinfo") == 0 || strcmp(name, "deterministic") == 0 ||
             strcmp(name, "max_unroll") == 0) {
        bool release =
            value->kind == VALUE_NONE || value->kind == VALUE_STR
                ? value->kind == VALUE_NONE || (value->str.len == 7 && !memcmp(value->str.text, "release", 7))
                : !truth;
        if (!release)
            options->unsupported = arena_format(unit->arena, "the module option '%s'", name);
    }
}

void set_module_options(Unit *unit, ModuleOptions *options, const Value *dict)
{
    if (!dict || dict->kind != VALUE_DICT || dict->dict.unsure) {
        options->unsupported = "a module option that is not known";
        return;
    }
    for (uint32_t i = 0; i < dict->dict.count; i++)
        set_module_option(unit, options, dict->dict.keys[i], dict->dict.values[i]);
}

const Value *unknown_module_option(const Unit *unit, const Value *dict)
{
    static const char *const names[] = {"block_dim",
                                        "compile_time_trace",
                                        "cpu_compiler_flags",
                                        "cuda_output",
                                        "default_grid_stride",
                                        "deterministic",
                                        "deterministic_max_records",
                                        "enable_backward",
                                        "enable_mathdx_fft",
                                        "enable_mathdx_gemm",
                                        "enable_mathdx_solver",
                                        "fast_math",
                                        "fuse_fp",
                                        "lineinfo",
                                        "max_unroll",
                                        "mode",
                                        "optimization_level",
                                        "strip_hash",
                                        "extra_build_options"};
    size_t count = sizeof names / sizeof *names - !unit->dialect->more_kernel_options;
    for (uint32_t i = 0; dict->kind == VALUE_DICT && i < dict->dict.count; i++) {
        const Value *key = dict->dict.keys[i];
        bool known = key->kind != VALUE_STR; /* then it is refused elsewhere */
        for (size_t k = 0; !known && k < count; k++)
            known = strlen(names[k]) == key->str.len && memcmp(names[k], key->str.text, key->str.len) == 0;
        if (!known)
            return key;
    }
    return NULL;
}

void note_statics(ModuleOptions *options, const Code *code)
{
    options->built_first |= code->has_deferred_statics;
    options->perhaps_built_first |= code->has_unknown_statics;
}

ModuleOptions *module_named_by(Unit *unit, File *file, const Value *name)
{
    if (!name || name->kind == VALUE_NONE)
        return &file->options;
    if (name->kind == VALUE_KERNEL)
        return name->kernel->module;
    if (name->kind != VALUE_STR) { /* another file's, perhaps */
        file->options.unsupported = "an option of a module that is not known";
        return &file->options;
    }
    if (file->module_name && strlen(file->module_name) == name->str.len &&
        !memcmp(file->module_name, name->str.text, name->str.len))
        return &file->options;
    for (uint32_t i = 0; i < file->named_count; i++) {
        const Value *other = file->named[i].name;
        if (other->str.len == name->str.len && memcmp(other->str.text, name->str.text, name->str.len) == 0)
            return file->named[i].options;
    }
    NamedModule *added = &ARENA_PUSH(unit->arena, file->named, file->named_count, file->named_cap);
    *added = (NamedModule){name, ARENA_NEW(unit->arena, ModuleOptions)};
    *added->options = unit->config;
    return added->options;
}

/* wp.get_module("name").options["key"] = value: a module is known by its name. */
bool assign_module_option(Unit *unit, const Node *target, const Value *value, const Scope *scope)
{
    const Node *options = target->kind == NODE_SUBSCRIPT ? target->subscript.value : NULL;
    if (!options || options->kind != NODE_ATTRIBUTE || !name_is(options->attribute.attr, "options"))
        return false;
    const Value *module = static_eval(unit, options->attribute.value, scope);
    if (module->kind != VALUE_STR && !(module->kind == VALUE_KERNEL && module->is_module))
        return false;
    scope->file->module_made = true;
    set_module_option(unit, module_named_by(unit, scope->file, module),
                      static_eval(unit, target->subscript.slice, scope), value);
    return true;
}
