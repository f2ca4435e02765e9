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

/* prelude + forward + backward is the module. */
typedef struct EmitText {
    Text prelude, forward, backward;
    /* Where unit->keep_lines asks for them; of backward texts: of the reverse pass. Of the prelude: of functions in the main file. */
    EmitMarks prelude_marks, forward_marks, backward_marks;
} EmitText;

void emit_text_free(EmitText *text);
void emit_text_clear(EmitText *text);

/* `backward` false leaves the backward pass out even where the kernel has one. */
void emit_module(const IrModule *module, bool backward, Device device, EmitText *out);

/* What a C++ or CUDA file needs before the module to compile against Warp's headers: our own words. */
const char *emit_preamble(const Dialect *dialect, Device device);

#endif
