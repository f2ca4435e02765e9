/* The types of the kernel language.
 *
 * Equal types are one pointer: a table finds what it has made before, and what the table that it goes on from has. A
 * struct's type is that of its declaration. Only tuples, slices and tiles are made anew each time. types_equal() is Warp's own
 * idea of equality, which is wider. */
#ifndef WEFT_LANG_TYPE_H
#define WEFT_LANG_TYPE_H

#include "base/arena.h"
#include "base/name.h"
#include "base/text.h"

typedef enum TypeKind {
/* Scalars. Python's own, PY_INT and PY_FLOAT, become int32 and float32 wherever a variable is made, but keep their spelling inside tuple[...] and wp.ref[...]. */
#define SCALAR(name, family, python, ctype, code, suffix, bytes) TYPE_##name,
#include "lang/scalar.def"
#undef SCALAR
    TYPE_STR,
    TYPE_VEC,
    TYPE_MAT,
    TYPE_QUAT,
    TYPE_TRANSFORM,
    TYPE_ARRAY,
    TYPE_STRUCT,
    TYPE_TUPLE,
    TYPE_REF,
    TYPE_SLICE,
    TYPE_TILE,       /* values that a block of threads holds together */
    TYPE_TILE_STACK, /* a stack that a block of threads shares */
    TYPE_POINTER,    /* array.ptr, before it is read as uint64 */
    TYPE_NATIVE,     /* a type known only by its C++ name: range_t, shape_t, queries, textures */
    TYPE_FUNCTION,   /* the annotation wp.Function */
    /* Generic annotations. */
    TYPE_ANY,
    TYPE_ANY_INT,
    TYPE_ANY_FLOAT,
    TYPE_ANY_SCALAR
} TypeKind;

typedef enum ArrayClass { ARRAY_PLAIN, ARRAY_INDEXED, ARRAY_FABRIC, ARRAY_INDEXED_FABRIC, ARRAY_FIXED } ArrayClass;

enum { TYPE_DIM_ANY = 0 }; /* a generic vector length or matrix dimension */

typedef struct Type Type;
typedef struct StructField {
    Name name;
    const Type *type; /* as declared */
} StructField;

typedef struct StructDecl {
    Name key;
    const char *native_name; /* key_ and 8 hex digits */
    unsigned char hash[32];
    StructField *fields;
    uint32_t field_count;
    HashTable by_name; /* places of fields */
} StructDecl;

/* What a tile's type knows. Several variables may have one such type, and the builder changes where its values are kept when
 * something needs them elsewhere: so there is a new one for each tile that is made, and it is the same for all who share it. */
typedef enum TileStorage { TILE_REGISTER, TILE_SHARED } TileStorage;
enum { TILE_DIMS = 4 };
typedef struct TileType {
    const Type *dtype;
    uint32_t ndim;             /* 0: any shape, in annotations and rows of the builtin table; 1 for a stack */
    uint32_t shape[TILE_DIMS]; /* of a stack: its capacity */
    int32_t strides[TILE_DIMS];
    TileStorage storage;
    bool column_major;    /* the order of the strides that it was made with */
    bool is_view;         /* the memory belongs to another tile */
    bool nameless;        /* its elements have the type of a computed vector, which Warp tells apart from wp.vec2f */
    bool declared_shared; /* an annotation says that it is in shared memory */
} TileType;

/* Types that exist by name only (native.def). */
typedef struct NativeField {
    const char *name; /* NULL ends the list */
    enum { NATIVE_BOOL, NATIVE_INT32, NATIVE_FLOAT32, NATIVE_VEC3, NATIVE_VEC3_ARRAY, NATIVE_INT_ARRAY } type;
} NativeField;

typedef struct NativeType {
    const char *python_name, *native_name, *code; /* code: in signatures and hashes; NULL: none */
    NativeField fields[8];
} NativeType;

struct Type {
    TypeKind kind;
    uint32_t hash;
    uint32_t depth; /* of types within types: 0 for a scalar, 1 for an array of it, … */
    bool shared;    /* one for all units: a simple type, or one of a table that others go on from */
    union {
        struct {
            uint32_t rows, cols;
            const Type *dtype;
        } composite; /* VEC: rows = length, cols = 1; QUAT 4; TRANSFORM 7 */
        struct {
            ArrayClass cls;
            uint32_t ndim;
            const Type *dtype;
            uint32_t shape[4];
        } array; /* ndim 0: Any; shape: fixed arrays */
        StructDecl *decl;
        struct {
            const Type **types;
            uint32_t count;
            bool annotation, ellipsis;
        } tuple;
        const Type *target; /* REF, POINTER */
        const NativeType *native;
        TileType *tile; /* TILE, TILE_STACK; not constant: see there */
    };
};

typedef struct TypeTable TypeTable;
struct TypeTable {
    TypeTable *base; /* those that longer-lived values have, and at last those of the builtin table; NULL: none */
    Arena *arena;
    NameTable *names;
    HashTable index;
};

void types_init(TypeTable *table, TypeTable *base, Arena *arena, NameTable *names);

const Type *type_scalar(TypeKind kind); /* any kind without parts: scalars, str, Any, … */
const Type *type_vec(TypeTable *, uint32_t length, const Type *dtype);
const Type *type_mat(TypeTable *, uint32_t rows, uint32_t cols, const Type *dtype);
const Type *type_quat(TypeTable *, const Type *dtype);
const Type *type_transform(TypeTable *, const Type *dtype);
const Type *type_array(TypeTable *, ArrayClass cls, const Type *dtype, uint32_t ndim);
/* With `float` and `int` left as they are: Warp writes Fabric arrays of them so. */
const Type *type_array_as_given(TypeTable *, ArrayClass cls, const Type *dtype, uint32_t ndim);
const Type *type_fixed_array(TypeTable *, const Type *dtype, uint32_t ndim, const uint32_t *shape);
const Type *type_ref(TypeTable *, const Type *target);
const Type *type_native(TypeTable *, const NativeType *native);
/* A new type each time: Warp compares tuples by identity, and the builder knows more of a tuple or slice than its type. */
typedef enum TupleForm { TUPLE_VALUE, TUPLE_ANNOTATION, TUPLE_REPEATED /* tuple[T, ...] */ } TupleForm;
const Type *type_tuple(TypeTable *, const Type **types, uint32_t count, TupleForm form);
const Type *type_slice(TypeTable *);
/* `strides` NULL: dense, by rows. */
const Type *type_tile(TypeTable *, const Type *dtype, uint32_t ndim, const uint32_t *shape, const int32_t *strides,
                      TileStorage storage);
const Type *type_tile_copy(TypeTable *, const Type *tile); /* as it is now */
const Type *type_tile_stack(TypeTable *, const Type *dtype, uint32_t capacity);
const Type *type_struct(TypeTable *, StructDecl *decl);

/* Native types by their Python name (`range_t`, `BvhQuery`, `Texture2D`, …), or NULL. */
const NativeType *native_type_find(const char *python_name);
/* Of a kind of query, the type of queries whose kind is not known; any other type itself. */
const Type *type_query_parent(TypeTable *, const Type *);
const NativeType *native_types_all(void); /* ends with a NULL python_name */

/* What a kind is; most follows from scalar.def. */
typedef struct KindTraits {
    bool is_single;                   /* one number, truth value or handle: a row of scalar.def */
    bool is_int, is_float, is_narrow; /* narrow: an integer of 8 or 16 bits */
    bool is_composite;                /* vector, matrix, quaternion, transform */
    bool is_generic;                  /* an annotation like Any, without parts */
    uint8_t bytes;                    /* of a single one */
} KindTraits;
extern const KindTraits kind_traits[];

static inline bool type_is_single(const Type *type)
{
    return kind_traits[type->kind].is_single;
}
static inline bool type_is_int(const Type *type)
{
    return kind_traits[type->kind].is_int;
}
static inline bool type_is_narrow(const Type *type)
{
    return kind_traits[type->kind].is_narrow;
}
static inline bool type_is_float(const Type *type)
{
    return kind_traits[type->kind].is_float;
}
static inline bool type_is_composite(const Type *type)
{
    return kind_traits[type->kind].is_composite;
}
static inline bool type_is_tile(const Type *type)
{
    return type->kind == TYPE_TILE;
}
uint32_t type_tile_size(const Type *tile); /* its elements */
bool type_tile_is_dense(const Type *tile); /* its strides are those of a tile of its shape and order */
bool type_is_scalar(const Type *);         /* int or float, not bool */
bool type_is_value(const Type *);          /* scalar, bool or composite */
bool type_is_generic(const Type *);
const Type *type_canonical(const Type *); /* Python's int and float become int32 and float32 */
const Type *type_strip_reference(const Type *);
const Type *type_scalar_of(const Type *); /* of a composite its element, else itself */
uint32_t type_parts(const Type *);        /* of a composite its numbers, of anything else 1 */
uint32_t type_length(const Type *);       /* of a composite: len() */

/* A readable member: struct field, array.shape, query.face. NULL: no such member. */
const Type *type_member(TypeTable *, const Type *, Name name);

/* Equal as Warp compares them: arrays by class and element only, tiles by element only. */
bool types_equal(const Type *a, const Type *b);
/* The same, where generic parts on either side match what they stand for. */
bool types_match(const Type *a, const Type *b);
/* Are values of both declared alike in generated code? Arrays of other dimensions are, and handles and 64-bit integers. */
bool types_have_one_form(const Type *a, const Type *b);
/* Does a concrete argument type fit the annotation of a generic function or kernel? */
bool type_matches_template(const Type *argument, const Type *template_type);

void type_code(const Type *, Text *out); /* for signatures and hashes: "v3f4" */
void type_repr(const Type *, Text *out); /* for people: "vec3f", "array(ndim=1, dtype=float32)" */

#endif
