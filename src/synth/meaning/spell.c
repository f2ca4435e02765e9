/* How this author spells types. */
#include "synth/meaning/draft.h"

#include <string.h>

bool type_is_integer(const char *type)
{
    return strncmp(type, "int", 3) == 0 || strncmp(type, "uint", 4) == 0 || strcmp(type, "bool") == 0 ||
           (strncmp(type, "vec", 3) == 0 && type[4] == 'i');
}

/* vec3, mat33, quat, transform, spatial_vector: of floats, unless a letter says otherwise. */
static bool takes_suffix(const char *type)
{
    return (strncmp(type, "vec", 3) == 0 && !type[4]) || strncmp(type, "mat", 3) == 0 || strcmp(type, "quat") == 0 ||
           strcmp(type, "transform") == 0 || strncmp(type, "spatial_", 8) == 0;
}

static bool is_python_type(const char *type)
{
    return strcmp(type, "float") == 0 || strcmp(type, "int") == 0 || strcmp(type, "bool") == 0;
}

Node *spell_type(Draft *d, const char *type)
{
    if ((type[0] >= 'A' && type[0] <= 'Z') || type[0] == '_') /* a struct of the module */
        return draft_word(d, type);
    if (!d->habits.wp_scalars)
        return is_python_type(type) ? draft_word(d, type) : draft_wp(d, type);
    if (strcmp(type, "bool") == 0)
        return draft_wp(d, type);
    if (is_python_type(type))
        return spell_wp_type(d, arena_join(d->arena, type, "32"));
    return spell_wp_type(d, takes_suffix(type) ? arena_join(d->arena, type, "f") : type);
}

/* wp.array(dtype=T), wp.array2d(dtype=T), wp.array(dtype=T, ndim=2), wp.array[T] */
Node *spell_array(Draft *d, Node *dtype, uint32_t ndim)
{
    unsigned style = d->habits.array_style;
    static const char *const sizes[] = {"array", "array1d", "array2d", "array3d", "array4d"};
    const char *sized = sizes[ndim];
    if (style == 2)
        return draft_subscript(d, draft_wp(d, ndim == 1 ? "array" : sized), dtype);
    bool named = ndim > 1 ? style != 3 : style == 1;
    Node *node = draft_call(d, draft_wp(d, named ? sized : "array"), NULL, 0);
    draft_push(d, &node->call.keywords, draft_keyword(d, "dtype", dtype));
    if (style == 3 && ndim > 1)
        draft_push(d, &node->call.keywords, draft_keyword(d, "ndim", draft_int(d, ndim)));
    return node;
}

Node *spell_annotation(Draft *d, const char *type, uint32_t ndim)
{
    Node *dtype = spell_type(d, type);
    return ndim ? spell_array(d, dtype, ndim) : dtype;
}

const char *type_repr_of(Draft *d, const char *type, uint32_t ndim)
{
    const char *repr = strcmp(type, "float") == 0            ? "float32"
                       : strcmp(type, "int") == 0            ? "int32"
                       : strcmp(type, "spatial_vector") == 0 ? "vector(length=6, dtype=float32)"
                       : strcmp(type, "spatial_matrix") == 0 ? "matrix(shape=(6, 6), dtype=float32)"
                       : takes_suffix(type)                  ? arena_join(d->arena, type, "f")
                                                             : type;
    static const char *const arrays[] = {
        "", "array(ndim=1, dtype=", "array(ndim=2, dtype=", "array(ndim=3, dtype=", "array(ndim=4, dtype="};
    return ndim ? arena_join(d->arena, arrays[ndim], arena_join(d->arena, repr, ")")) : repr;
}
