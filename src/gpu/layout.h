/* Values as the compiled code has them in memory: C++ layout of scalars, vectors, structs and array descriptors. */
#ifndef WEFT_GPU_LAYOUT_H
#define WEFT_GPU_LAYOUT_H

#include "eval/launch.h"

enum { ARRAY_DESCRIPTOR_SIZE = 56, BOUNDS_MAX_SIZE = 32 };

size_t layout_size(const Type *type); /* arrays: of their descriptor */
size_t layout_align(const Type *type);

/* Cells of one value to its bytes, and back; both return how many cells that were. */
uint32_t layout_put(const Type *type, const Cell *cells, unsigned char *to);
uint32_t layout_get(const Type *type, const unsigned char *from, Cell *cells);

/* The descriptor of an array; `data` and `grad` are addresses where the kernel runs. */
void layout_put_array(const LaunchValue *array, uint64_t data, uint64_t grad, unsigned char *to);

/* The launch bounds of so many dimensions; returns their size. */
size_t layout_put_bounds(const Launch *launch, unsigned char to[BOUNDS_MAX_SIZE]);
uint64_t launch_thread_count(const Launch *launch);

#endif
