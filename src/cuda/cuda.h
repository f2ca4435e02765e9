/* CUDA as `weft standalone` writes it, read as text and run in this process: what a record holds is tried as it stands, by
 * something that knows nothing of how it was made.
 *
 * The reader knows the part of C++ that such texts need: structs, overloaded functions and operators, references, pointers,
 * arrays, loops, and CUDA's functions of numbers and atomics. A kernel is made into flat code once, and run thread after thread.
 * Everything else, and every access outside of an array, is refused with a reason. Numbers are rounded to their own types; or, run
 * as `wide`, a float is a double, so that derivatives can be compared to more digits than a float has. */
#ifndef WEFT_CUDA_CUDA_H
#define WEFT_CUDA_CUDA_H

#include "base/arena.h"

#include <stdint.h>

typedef struct CudaText CudaText;
typedef struct CudaFunction CudaFunction;

/* Everything lives in the arena. NULL: it cannot be read, and *why says why. */
CudaText *cuda_read(Arena *arena, const char *text, const char **why);
/* The first and second __global__ function; NULL: there is none. */
const CudaFunction *cuda_forward(const CudaText *text);
const CudaFunction *cuda_backward(const CudaText *text);
const char *cuda_name(const CudaFunction *function);

/* ---- launches as records have them: the column `launches` ---- */

typedef struct CudaRow {      /* an argument, or a field of one */
    const char *name, *field; /* field NULL: none */
    uint32_t shape[8], ndim;
    size_t count;
    const double *reals;   /* the numbers; of whole ones, */
    const int64_t *wholes; /* also these; otherwise NULL */
    double tolerance;
} CudaRow;

typedef struct CudaRows {
    CudaRow *items;
    uint32_t count, cap;
    bool are_there; /* and not null */
} CudaRows;

typedef struct CudaExample {
    uint32_t dim[4], ndim;
    uint32_t block_dim; /* threads of a block that share tiles; 0: it has none, or does not say */
    CudaRows inputs, outputs, cotangents, gradients;
} CudaExample;

typedef struct CudaExamples {
    CudaExample *items;
    uint32_t count, cap;
} CudaExamples;

/* False: it is not such a column. */
bool cuda_read_examples(Arena *arena, const char *json, size_t length, CudaExamples *examples);
/* Likewise, but only the first launch has numbers in its gradients and cotangents: a third of all are there. */
bool cuda_read_first_gradients(Arena *arena, const char *json, size_t length, CudaExamples *examples);

/* ---- a launch ---- */

/* An array argument, or an array in a struct argument. A cell is a number in it; those of an element stand together. */
typedef struct CudaArray {
    const char *name, *field;                 /* field: of a struct argument; NULL */
    size_t elements, cells;                   /* cells of an element */
    union CudaNumber *data, *start, *adjoint; /* start: as it was before any kernel ran */
    bool has_adjoint;                         /* the backward kernel takes it */
    bool keeps_result;                        /* the backward kernel starts from what the forward kernel has left */
    const struct CudaType *element;
    const uint8_t *kinds;   /* of the cells of an element */
    const char *fields[32]; /* of elements that are structs; and at which cell each begins */
    uint32_t field_start[33], field_count;
} CudaArray;

typedef struct CudaLaunch {
    uint32_t dim[4];
    bool wide;
    CudaArray *arrays;
    uint32_t array_count, array_cap;
    union CudaNumber *forward, *backward; /* the cells of the arguments; backward NULL: no such kernel */
    uint64_t threads;
} CudaLaunch;

/* NULL: the example does not fit the kernels. */
CudaLaunch *cuda_launch(CudaText *text, const CudaExample *example, bool wide, const char **why);
double cuda_cell(const CudaArray *array, size_t cell, bool adjoint);
void cuda_set_adjoint(const CudaLaunch *launch, CudaArray *array, size_t cell, double value);
/* Before the backward kernel: as before the launch, but for what must hold the results. */
void cuda_rewind(CudaLaunch *launch);
bool cuda_run(CudaText *text, const CudaFunction *function, const CudaLaunch *launch, const char **why);

/* Are these the rows of `outputs`, and is every other array as it was? And the rows of `gradients`, but for
 * arrays with cotangents: Warp adds to those, and the readable kernel clears them where it overwrites? */
bool cuda_outputs_agree(Arena *arena, const CudaLaunch *launch, const CudaRows *rows, const char **why);
bool cuda_gradients_agree(Arena *arena, const CudaLaunch *launch, const CudaExample *example, const char **why);
/* Puts the rows of `cotangents` into the adjoints. False: there is no such array. */
bool cuda_set_cotangents(const CudaLaunch *launch, const CudaRows *rows);

/* ---- the same for a compiled kernel ---- */

typedef struct CudaPacked {
    void **args;   /* as a compiler lays them out: where each lies */
    char **arrays; /* and the arrays that they lead to */
} CudaPacked;
CudaPacked *cuda_pack(CudaText *text, const CudaFunction *function, const CudaLaunch *launch);
/* How many bytes a parameter takes; 0: the kernel has fewer. */
size_t cuda_param_size(const CudaFunction *function, uint32_t param);
/* The bytes of an array, or of its gradient; NULL: the kernel does not take it. And how many there are. */
char *cuda_packed_array(const CudaPacked *packed, uint32_t array, bool adjoint);
size_t cuda_array_size(const CudaArray *array);
/* What the compiled kernel has left in the arrays comes back. */
void cuda_unpack(const CudaPacked *packed, CudaLaunch *launch);

#endif
