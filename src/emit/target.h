/* Private to the emitter: what differs between CUDA and C++. */
#ifndef WEFT_EMIT_TARGET_H
#define WEFT_EMIT_TARGET_H

#include "emit/walk.h"

typedef struct Target {
    const char *function_prefix; /* before the result type of a function, after `static` and the hint */
    uint32_t kernel_margin;      /* spaces before a line of a kernel's body */
    const char *preamble;        /* behind its first line */
    const char *(*leave)(const IrModule *module); /* the statement with which a thread leaves the kernel */
    /* Everything before the first line of the body, and after the last. */
    void (*open_kernel)(const IrModule *module, bool backward, Text *out);
    void (*close_kernel)(const IrModule *module, Text *out);
    void (*argument_struct)(const IrModule *module, Text *out);             /* NULL: none */
    void (*entry_points)(const IrModule *module, bool backward, Text *out); /* NULL: none */
} Target;

/* What Warp's headers expect to be defined around generated code, behind the size of a block. */
#define PREAMBLE(thread) PREAMBLE_WITH(thread, "wp::tid(" thread ", dim)")
#define PREAMBLE_WITH(thread, one_index)                                                                               \
    "#define WP_NO_CRT\n"                                                                                              \
    "#include \"builtin.h\"\n"                                                                                         \
    "#include \"deterministic.h\"\n"                                                                                   \
    "#define float(x) cast_float(x)\n"                                                                                 \
    "#define adj_float(x, adj_x, adj_ret) adj_cast_float(x, adj_x, adj_ret)\n"                                         \
    "#define int(x) cast_int(x)\n"                                                                                     \
    "#define adj_int(x, adj_x, adj_ret) adj_cast_int(x, adj_x, adj_ret)\n"                                             \
    "#define builtin_tid1d() " one_index "\n"                                                                          \
    "#define builtin_tid2d(x, y) wp::tid(x, y, " thread ", dim)\n"                                                     \
    "#define builtin_tid3d(x, y, z) wp::tid(x, y, z, " thread ", dim)\n"                                               \
    "#define builtin_tid4d(x, y, z, w) wp::tid(x, y, z, w, " thread ", dim)\n"                                         \
    "#define builtin_block_dim() wp::block_dim()\n"

extern const Target target_cuda, target_cpp;
/* Where the dialect has task templates; where kernels have options of their own that are macros. */
extern const char cpp_task_preamble[], cuda_options_preamble[];

/* ---- what two devices have in common (copy.c) ---- */
bool can_copy(const EmitText *other, const IrModule *module, const Target *target);
void copy_functions(const EmitText *other, const Target *target, Text *out);
/* The lines of a kernel. */
void copy_body(const EmitText *other, const Text *text, EmitBody body, const IrModule *module, const Target *target,
               Text *out);

/* ---- structs ---- */
bool accumulates(const Type *type); /* is a field of this type added to? (module.c) */
/* Structs that are elements of tiles (tile_struct.c). */
bool is_struct_of_tiles(const IrModule *module, const StructDecl *decl);
void put_struct_differences(const StructDecl *decl, Text *out);
void put_struct_tile_functions(const StructDecl *decl, Text *out);

#endif
