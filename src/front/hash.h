/* The names of kernels and structs, which end in Warp's hash of them. */
#ifndef WEFT_FRONT_HASH_H
#define WEFT_FRONT_HASH_H

#include "front/unit.h"

/* The full name of a kernel that was built. NULL: Warp's own hash of it is not stable (an error was added). */
const char *kernel_name(Unit *unit, const Kernel *kernel);
/* Sets hash and native_name from key and fields. */
void name_struct(Unit *unit, StructDecl *decl);

/* The bytes that Warp hashes for a constant (hash_value.c). False: Warp cannot hash it. */
bool put_hashed_value(const Value *value, Text *out);

#endif
