/* Arguments and arrays as a compiler lays them out, for kernels that were compiled. */
#include "cuda/code.h"

typedef struct Packer {
    char **arrays; /* by segment: where its bytes lie; NULL: not yet */
    const CudaLaunch *launch;
    Arena *arena;
} Packer;

static void pack_scalar(CudaKind kind, uint32_t size, const CudaNumber *cell, char *to)
{
    float single = kind == CUDA_F32 ? (float)cell->real : 0;
    if (kind == CUDA_F32)
        memcpy(to, &single, sizeof single);
    else
        memcpy(to, cell, size); /* the first bytes of a whole number are its lowest */
}

static void unpack_scalar(CudaKind kind, uint32_t size, const char *from, CudaNumber *cell)
{
    float single;
    cell->whole = 0;
    if (kind == CUDA_F32) {
        memcpy(&single, from, sizeof single);
        cell->real = (double)single;
    } else
        memcpy(cell, from, size);
    if (kind < CUDA_F32)
        cell->whole = wrap_whole(kind, cell->whole);
}

static char *pack_array(Packer *p, int64_t pointer);

static void pack_value(Packer *p, const CudaType *type, const CudaNumber *cells, char *to)
{
    if (is_scalar(type))
        pack_scalar(type->kind, type->size, cells, to);
    else if (type->kind == CUDA_POINTER) {
        char *array = pack_array(p, cells->whole);
        memcpy(to, &array, sizeof array);
    }
    for (uint32_t i = 0; type->kind == CUDA_ARRAY && i < type->count; i++)
        pack_value(p, type->of, cells + i * type->of->cells, to + i * type->of->size);
    for (uint32_t i = 0; i < type->field_count; i++)
        pack_value(p, type->fields[i].type, cells + type->fields[i].cell, to + type->fields[i].offset);
}

static void unpack_value(const CudaType *type, const char *from, CudaNumber *cells)
{
    if (is_scalar(type))
        unpack_scalar(type->kind, type->size, from, cells);
    for (uint32_t i = 0; type->kind == CUDA_ARRAY && i < type->count; i++)
        unpack_value(type->of, from + i * type->of->size, cells + i * type->of->cells);
    for (uint32_t i = 0; i < type->field_count; i++)
        unpack_value(type->fields[i].type, from + type->fields[i].offset, cells + type->fields[i].cell);
}

/* The array that a pointer of an argument leads to; NULL: to none. */
static char *pack_array(Packer *p, int64_t pointer)
{
    uint32_t segment = (uint32_t)(pointer >> 32), number = (segment - SEGMENT_ARRAYS) / 2;
    if (segment < SEGMENT_ARRAYS || number >= p->launch->array_count)
        return NULL;
    const CudaArray *array = &p->launch->arrays[number];
    const CudaNumber *cells = (segment - SEGMENT_ARRAYS) % 2 ? array->adjoint : array->data;
    if (!p->arrays[segment]) {
        p->arrays[segment] = arena_alloc(p->arena, array->elements * array->element->size);
        for (size_t i = 0; i < array->elements; i++)
            pack_value(p, array->element, cells + i * array->cells, p->arrays[segment] + i * array->element->size);
    }
    return p->arrays[segment];
}

CudaPacked *cuda_pack(CudaText *text, const CudaFunction *function, const CudaLaunch *launch)
{
    const CudaNumber *cells = function == text->kernels[0] ? launch->forward : launch->backward;
    CudaPacked *packed = ARENA_NEW(text->arena, CudaPacked);
    packed->args = ARENA_ARRAY(text->arena, void *, function->param_count + 1);
    packed->arrays = ARENA_ARRAY(text->arena, char *, SEGMENT_ARRAYS + 2 * launch->array_count);
    Packer p = {.arrays = packed->arrays, .launch = launch, .arena = text->arena};
    for (uint32_t i = 0; i < function->param_count; i++) {
        const Variable *param = function->params[i];
        packed->args[i] = arena_alloc(text->arena, param->type->size);
        pack_value(&p, param->type, cells + param->place.slot, packed->args[i]);
    }
    return packed;
}

size_t cuda_param_size(const CudaFunction *function, uint32_t param)
{
    return param < function->param_count ? function->params[param]->type->size : 0;
}

char *cuda_packed_array(const CudaPacked *packed, uint32_t array, bool adjoint)
{
    return packed->arrays[SEGMENT_ARRAYS + 2 * array + adjoint];
}

size_t cuda_array_size(const CudaArray *array)
{
    return array->elements * array->element->size;
}

void cuda_unpack(const CudaPacked *packed, CudaLaunch *launch)
{
    for (uint32_t segment = SEGMENT_ARRAYS; segment < SEGMENT_ARRAYS + 2 * launch->array_count; segment++) {
        const CudaArray *array = &launch->arrays[(segment - SEGMENT_ARRAYS) / 2];
        CudaNumber *cells = (segment - SEGMENT_ARRAYS) % 2 ? array->adjoint : array->data;
        for (size_t i = 0; packed->arrays[segment] && i < array->elements; i++)
            unpack_value(array->element, packed->arrays[segment] + i * array->element->size, cells + i * array->cells);
    }
}
