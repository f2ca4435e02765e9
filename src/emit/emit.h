/* The region tree as text: exactly what Warp writes, comments aside.
 *
 * walk.c goes through the tree in three ways (forward, replay, reverse); module.c puts functions, structs and the
 * kernel around that; cuda.c and cpp.c hold only what differs between the two targets. */
#ifndef WEFT_EMIT_EMIT_H
#define WEFT_EMIT_EMIT_H

#include "ir/ir.h"

typedef enum Device { DEVICE_CUDA, DEVICE_CPU, DEVICE_COUNT } Device; /* in the order of WeftDevice */

/* From byte `at` on, a text is of the statement at byte `source` of the file; NO_STATEMENT: of none. */
typedef struct EmitMark {
    uint32_t source;
    size_t at;
} EmitMark;
#define NO_STATEMENT UINT32_MAX

typedef struct EmitMarks {
    EmitMark *items; /* in the unit's arena */
    uint32_t count, cap;
} EmitMarks;

/* Where a text has what the other device has, too: emit_module copies that. */
typedef struct EmitBody {
    size_t start, end; /* of the lines of a kernel */
} EmitBody;

typedef struct EmitLayout {
    const IrModule *module;      /* NULL: nothing of it can be copied */
    uint32_t margin;             /* of the kernels' lines */
    const char *leave;           /* in the kernels, a line of its own */
    const char *function_prefix; /* at these places of the prelude */
    size_t *prefixes, functions_end;
    uint32_t prefix_count, prefix_cap;
    EmitBody forward, backward;
} EmitLayout;

/* prelude + forward + backward is the module. */
typedef struct EmitText {
    Text prelude, forward, backward;
    EmitLayout layout;
    /* Where unit->keep_lines asks for them; of backward texts: of the reverse pass. Of the prelude: of functions in the main file. */
    EmitMarks prelude_marks, forward_marks, backward_marks;
} EmitText;

void emit_text_free(EmitText *text);
void emit_text_clear(EmitText *text);
void emit_text_init_in(EmitText *text, Arena *arena); /* as text_init_in */

/* `backward` false leaves the backward pass out even where the kernel has one. `other`: the text of another device, to copy from. */
void emit_module(const IrModule *module, bool backward, Device device, const EmitText *other, EmitText *out);

/* What a C++ or CUDA file needs before the module to compile against Warp's headers: our own words. `block_dim`: threads of a
 * block of a GPU; 0: WEFT_BLOCK_DIM. On the CPU it is 1. */
void emit_preamble(const Dialect *dialect, Device device, uint32_t block_dim, Text *out);

#endif
