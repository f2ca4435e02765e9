/* The pieces of the vendor's library that a call of linear algebra or of a Fourier transform is given (tile_library.c). */
#ifndef WEFT_IR_TILE_LIBRARY_H
#define WEFT_IR_TILE_LIBRARY_H

#include "ir/tile_impl.h"

/* Does the library make this part of the module? Otherwise zeros stand for its code. */
bool library_makes(RuleCall *call, LibraryPart part);
/* Is there code for reverse passes? The module says that, not the kernel. */
bool library_differentiates(const RuleCall *call);

/* Instead of code. */
void pass_no_code(RuleCall *call, Dispatch *out, uint32_t count);

typedef struct LibraryTile {
    const Type *type;
    bool is_parameter; /* of a function: where its memory begins is not known */
} LibraryTile;

/* a, b and the result: three pieces, or zeros where the strides of one are no distances of rows. */
void pass_product_code(RuleCall *call, Dispatch *out, const LibraryTile *tiles, bool tf32);
void pass_factor_code(RuleCall *call, Dispatch *out, const Type *tile, bool upper);
void pass_factored_system_code(RuleCall *call, Dispatch *out, const Type *matrix, const Type *right, bool upper);
void pass_triangular_code(RuleCall *call, Dispatch *out, const Type *matrix, const Type *right, bool upper,
                          bool has_adjoint);
/* The code of both directions; bytes of shared memory that they take. */
uint32_t pass_transform_code(RuleCall *call, Dispatch *out, const Type *tile, bool inverse);

#endif
