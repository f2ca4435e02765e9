/* Arithmetic on numbers with tangents, in the type of the kernel.
 *
 * A Math says which type: floats are rounded to it after every operation (never in double mode), integers wrap or,
 * where they are signed, must not overflow. A double carries more than twice the bits of a float32, so computing in
 * double and rounding gives the correctly rounded result of + - * / and sqrt. */
#ifndef WEFT_EVAL_AST_NUMBER_H
#define WEFT_EVAL_AST_NUMBER_H

#include "eval/ast/impl.h"

#include <math.h>

typedef struct Math {
    Evaluator *e;
    TypeKind kind;
    bool is_int; /* or bool */
    bool exact;  /* no rounding */
    uint32_t offset;
} Math;

/* Is this derivative left out, for once? */
static inline bool is_omitted(const Math *m, AstOmission omission)
{
    return m->e->run && (m->e->run->omits & omission);
}

static inline Math math_for(Evaluator *e, const Type *scalar, uint32_t offset)
{
    TypeKind kind = scalar->kind;
    bool is_float = is_float_kind(kind);
    return (Math){e, kind, !is_float, e->in_double || kind == TYPE_FLOAT64, offset};
}

/* For arguments: the type of the first one. */
static inline Math math_of(const Call *call)
{
    return math_for(call->e, type_scalar_of(call->args[0].type), call->x->offset);
}

static inline double round_real(const Math *m, double real)
{
    if (m->exact)
        return real;
    return m->kind == TYPE_FLOAT32 ? (double)(float)real : round_to_type(real, m->kind);
}

void check_real(const Math *m, double result, double a, double b); /* ends the run: a finite number is expected */

/* A result of an operation on a and b: rounded, and finite where they are. */
static inline Dual real_result(const Math *m, double real, double tangent, double a, double b)
{
    real = round_real(m, real);
    if (!isfinite(real))
        check_real(m, real, a, b);
    return (Dual){.real = real, .tangent = tangent};
}

/* What another machine computes: one that contracts products and sums, or has another library. */
double product_elsewhere(const Math *m, double product, double a, double b);
double function_elsewhere(const Math *m, double value);

static inline double product_of(const Math *m, double a, double b)
{
    return m->e->noise ? product_elsewhere(m, a * b, a, b) : a * b;
}

static inline Dual constant_real(const Math *m, double real)
{
    return (Dual){.real = round_real(m, real)};
}

/* ---- real numbers ---- */

static inline Dual add(const Math *m, Dual a, Dual b)
{
    return real_result(m, a.real + b.real, a.tangent + b.tangent, a.real, b.real);
}

static inline Dual sub(const Math *m, Dual a, Dual b)
{
    return real_result(m, a.real - b.real, a.tangent - b.tangent, a.real, b.real);
}

static inline Dual mul(const Math *m, Dual a, Dual b)
{
    return real_result(m, product_of(m, a.real, b.real), a.tangent * b.real + a.real * b.tangent, a.real, b.real);
}

static inline Dual neg(Dual a)
{
    return (Dual){.real = -a.real, .tangent = -a.tangent};
}

/* By a constant. */
static inline Dual scale(const Math *m, double factor, Dual a)
{
    return real_result(m, factor * a.real, factor * a.tangent, a.real, factor);
}

Dual divide_duals(const Math *m, Dual a, Dual b);
Dual square_root(const Math *m, Dual a);

/* f(a) with the derivative there. */
static inline Dual chain(const Math *m, Dual a, double value, double slope)
{
    value = m->e->noise ? function_elsewhere(m, value) : value;
    return real_result(m, value, a.tangent == 0 ? 0 : slope * a.tangent, a.real, a.real);
}

/* ---- numbers of any type ---- */

Dual wrap_signed(const Math *m, bool overflow, int64_t integer);

#define NUMBER_OPERATION(name)                                                                                         \
    static inline Dual number_##name(const Math *m, Dual a, Dual b)                                                    \
    {                                                                                                                  \
        int64_t out;                                                                                                   \
        if (!m->is_int)                                                                                                \
            return name(m, a, b);                                                                                      \
        bool overflow = __builtin_##name##_overflow(a.integer, b.integer, &out);                                       \
        return wrap_signed(m, overflow, out);                                                                          \
    }
NUMBER_OPERATION(add)
NUMBER_OPERATION(sub)
NUMBER_OPERATION(mul)
#undef NUMBER_OPERATION

/* The common case, of one of the types that most numbers are of, where nothing is out of the ordinary. False: it is another. */
static inline bool plain_result(Evaluator *e, const Type *type, OpKind op, const Dual *a, const Dual *b, Datum *out)
{
    Dual result;
    if (type->kind == TYPE_INT32) {
        switch (op) {
        case OP_ADD: result.integer = a->integer + b->integer; break;
        case OP_SUB: result.integer = a->integer - b->integer; break;
        case OP_MULT: result.integer = a->integer * b->integer; break;
        default: return false;
        }
        if (result.integer != (int32_t)result.integer)
            return false;
        result.tangent = 0;
    } else if (type->kind == TYPE_FLOAT32 || type->kind == TYPE_FLOAT64) {
        switch (op) {
        case OP_ADD:
            result.real = a->real + b->real;
            result.tangent = a->tangent + b->tangent;
            break;
        case OP_SUB:
            result.real = a->real - b->real;
            result.tangent = a->tangent - b->tangent;
            break;
        case OP_MULT:
            if (e->noise)
                return false;
            result.real = a->real * b->real;
            result.tangent = a->tangent * b->real + a->real * b->tangent;
            break;
        case OP_DIV:
            if (b->real == 0)
                return false;
            result.real = a->real / b->real;
            result.tangent = (a->tangent - result.real * b->tangent) / b->real;
            break;
        default: return false;
        }
        if (type->kind == TYPE_FLOAT32 && !e->in_double)
            result.real = (double)(float)result.real;
        if (!isfinite(result.real))
            return false;
    } else
        return false;
    *new_scalar(e, type, out) = result;
    return true;
}

Dual number_div(const Math *m, Dual a, Dual b);
Dual number_neg(const Math *m, Dual a);
/* `-x`. Warp takes a scalar from zero, so that zero stays positive; the parts of a vector just change their sign. */
void negate_cells(const Math *m, const Type *type, const Dual *from, uint32_t width, Dual *to);
void invert_cells(TypeKind kind, const Dual *from, uint32_t width, Dual *to); /* `~x` */
Dual number_mod(const Math *m, Dual a, Dual b);
Dual number_floordiv(const Math *m, Dual a, Dual b);
bool number_equal(const Math *m, Dual a, Dual b);
static inline bool is_wide_unsigned(const Math *m)
{
    return m->kind == TYPE_UINT64 || m->kind == TYPE_HANDLE;
}

static inline bool number_less(const Math *m, Dual a, Dual b)
{
    if (!m->is_int)
        return a.real < b.real;
    return is_wide_unsigned(m) ? (uint64_t)a.integer < (uint64_t)b.integer : a.integer < b.integer;
}

/* A number that is not one loses against any other. */
static inline Dual number_min(const Math *m, Dual a, Dual b)
{
    if (!m->is_int)
        return a.real <= b.real || isnan(b.real) ? a : b;
    return number_less(m, a, b) ? a : b;
}

static inline Dual number_max(const Math *m, Dual a, Dual b)
{
    if (!m->is_int)
        return a.real >= b.real || isnan(b.real) ? a : b;
    return number_less(m, b, a) ? a : b;
}

Dual number_bits(const Math *m, OpKind op, Dual a, Dual b); /* & | ^ << >> */
static inline Dual number_zero(void)
{
    return (Dual){0}; /* of floats, too */
}

/* Sum of products, as the native code adds them: first to last. */
Dual number_dot(const Math *m, const Dual *a, const Dual *b, uint32_t count);

/* ---- for builtins ---- */

/* The result, in scratch. */
static inline Dual *result_value(const Call *call, const Type *type, uint32_t width)
{
    return new_datum(call->e, type, width, call->out);
}
static inline void result_scalar(const Call *call, const Type *type, Dual number)
{
    *new_scalar(call->e, type, call->out) = number;
}
_Noreturn void refuse_arguments(const Call *call); /* no such overload here */
static inline void refuse_if(const Call *call, bool condition)
{
    if (condition)
        refuse_arguments(call);
}
/* Tuple of `count` values: out->items are set by the caller with new_value. */
Datum *result_tuple(const Call *call, uint32_t count);
/* The storage behind an argument that the builtin changes. */
Dual *changed_argument(const Call *call, uint32_t i);

static inline bool is_vec(const Datum *d, uint32_t length)
{
    return d->kind == DATUM_VALUE && d->type->kind == TYPE_VEC && (!length || d->type->composite.rows == length);
}
static inline bool is_mat(const Datum *d, uint32_t rows, uint32_t cols)
{
    return d->kind == DATUM_VALUE && d->type->kind == TYPE_MAT && (!rows || d->type->composite.rows == rows) &&
           (!cols || d->type->composite.cols == cols);
}
static inline bool is_kind(const Datum *d, TypeKind kind)
{
    return d->kind == DATUM_VALUE && d->type->kind == kind;
}
static inline bool is_scalar(const Datum *d)
{
    return d->kind == DATUM_VALUE && type_is_single(d->type);
}
static inline uint32_t width_of(const Datum *d)
{
    return type_is_single(d->type) ? 1 : d->type->composite.rows * d->type->composite.cols;
}

/* ---- shared between the files of builtins ---- */
void cross3(const Math *m, const Dual *a, const Dual *b, Dual *out);
Dual length_of(const Math *m, const Dual *a, uint32_t count);
void normalize_cells(const Math *m, const Dual *a, uint32_t count, Dual *out); /* zero stays zero */
void multiply_matrices(const Math *m, const Dual *a, const Dual *b, uint32_t rows, uint32_t inner, uint32_t cols,
                       Dual *out);
void multiply_quats(const Math *m, const Dual *a, const Dual *b, Dual *out);
void multiply_transforms(const Math *m, const Dual *a, const Dual *b, Dual *out);
Dual apply_map(const Math *m, int which, Dual a); /* a scalar function: enum MapKind */
enum MapKind {
#define MAP(kind, result) MAP_##kind,
#include "eval/ast/map.def"
#undef MAP
};
Dual arc_tangent(const Math *m, Dual y, Dual x);
typedef Dual NumberFn(const Math *m, Dual a, Dual b);
NumberFn *number_operator(OpKind op);                                   /* NULL: no such operator */
Dual scalar_function(const Math *m, int which, Dual a, Dual b, Dual c); /* MATH_CLAMP, …: as many as it takes */
Dual signed_function(const Math *m, int which, Dual a);                 /* MATH_ABS, … */
void extreme_cells(const Math *m, int is_max, const Dual *a, const Dual *b, uint32_t width, Dual *out);
Dual dot_of(const Math *m, const Type *type, const Dual *a, const Dual *b); /* of vectors, matrices or quaternions */
void normalize_value(const Math *m, const Type *type, const Dual *a, Dual *out);

#endif
