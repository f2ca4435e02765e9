/* One launch of a kernel: its dimensions and its arguments.
 *
 * Both evaluators take this and write results back into it. It is all that they share. */
#ifndef WEFT_EVAL_LAUNCH_H
#define WEFT_EVAL_LAUNCH_H

#include "front/unit.h"

#include <math.h>

/* One scalar of any type: `real` for floats, `integer` for integers and bools (uint64 as its bits). */
typedef union Cell {
    double real;
    int64_t integer;
} Cell;

typedef struct LaunchValue LaunchValue;

/* A scalar, vector, matrix, quaternion or transform is `width` cells, row by row; a struct has one LaunchValue per field;
 * an array has shape[0]*…*shape[ndim-1] elements of `width` cells each (a struct element: its value fields one after
 * the other, in declaration order; arrays of structs that hold arrays are not supported). */
struct LaunchValue {
    const Type *type;        /* canonical */
    uint32_t width;          /* cells of the value, or of one element */
    const Type **cell_types; /* scalar type of each of these cells */
    uint32_t ndim, shape[4]; /* arrays */
    size_t count;            /* elements of an array; 1 otherwise */
    uint32_t symmetric;      /* of so many rows are its matrices, which are and stay symmetric; 0: nothing is known */
    Cell *cells;             /* count * width */
    double *tangents;        /* as many, or NULL: input direction in, output direction out */
    double *gradients;       /* as many, or NULL: adjoint in and out */
    LaunchValue *fields;     /* structs */
    uint32_t field_count;
};

typedef struct Launch {
    uint32_t dim[4], ndim;   /* ndim as the kernel's; missing dimensions are 1 */
    uint32_t coordinates;    /* of these dimensions, so many number what wp.tid() gives; 0: all do */
    uint32_t block_dim;      /* so many threads in a row are a block, which shares tiles; 0: one */
    const uint32_t *threads; /* only these run, in this order, counted with the last dimension fastest; NULL: all */
    uint32_t thread_count;   /* of `threads` */
    LaunchValue *args;       /* in the order of the kernel's parameters */
    uint32_t arg_count;
} Launch;

/* When a run may end before its last thread: after the one that takes it past `steps`, but not before `threads`. */
typedef struct RunBudget {
    uint64_t steps; /* 0: no end */
    uint32_t threads;
} RunBudget;

/* Sums over what a run met on its way: the elements of arrays that it named, and the numbers that it compared or took the
 * smaller of. Runs of the same threads must have the same, also where the results happen to be equal. */
typedef struct PathSum {
    uint64_t elements;
    double numbers;
    bool has_nan; /* one of the numbers was none */
} PathSum;

static inline void path_sum_element(PathSum *path_sum, uint64_t first_cell)
{
    uint64_t mixed = (first_cell + 1) * 0x9e3779b97f4a7c15u;
    path_sum->elements += mixed ^ mixed >> 29;
}

/* Large ones count as 1, so that they do not drown the others. */
static inline void path_sum_numbers(PathSum *path_sum, double left, double right)
{
    double size = fabs(left) + fabs(right) + 1;
    if (size < 1e12) {
        path_sum->numbers += (left - 0.7 * right) / size;
        return;
    }
    path_sum->numbers += 1;
    path_sum->has_nan |= size != size;
}

/* What a run computed, in order, each number with the statement that it belongs to: to find out where two runs part.
 * When it is full, the rest is left out. */
typedef struct JournalEntry {
    uint32_t source; /* byte offset of the statement */
    bool is_real;
    Cell value;
} JournalEntry;

typedef struct Journal {
    JournalEntry *items;
    uint32_t count, cap;
} Journal;

static inline void journal_add(Journal *journal, uint32_t source, bool is_real, Cell value)
{
    if (journal->count < journal->cap)
        journal->items[journal->count++] = (JournalEntry){source, is_real, value};
}

/* What went wrong at run time. Strict: a kernel that only works by luck is reported. */
typedef enum FindingKind {
#define FINDING(kind, name) FINDING_##kind,
#include "eval/finding.def"
#undef FINDING
} FindingKind;

typedef struct Finding {
    FindingKind kind;
    uint32_t offset; /* in the source */
    const char *message;
    uint32_t thread[4];
} Finding;

const char *finding_name(FindingKind kind); /* "out-of-bounds", … */

uint32_t launch_cells_of(const Type *type); /* of a value without arrays, structs included */
/* Lays out an argument of the given type (arrays: with this shape) in the arena, all zero. False: not supported. */
bool launch_value_init(Unit *unit, LaunchValue *value, const Type *type, const uint32_t *shape);
/* Copies everything; for running twice from the same start. */
Launch *launch_copy(Arena *arena, const Launch *launch);
/* Takes over the values, and the choice of threads, of a launch with the same layout. */
void launch_restore(Launch *launch, const Launch *from);
/* Calls it for every argument, of a struct for every field, of two launches with the same layout. */
typedef void LaunchVisitor(LaunchValue *a, LaunchValue *b, void *user);
void launch_visit(const Launch *a, const Launch *b, LaunchVisitor *visit, void *user);
void launch_visit_value(LaunchValue *a, LaunchValue *b, LaunchVisitor *visit, void *user);
static inline size_t launch_cell_count(const LaunchValue *value)
{
    return value->count * value->width;
}
/* Of symmetric matrices, the one of two cells that stands above the diagonal; otherwise the cell itself. */
static inline size_t launch_cell_above(const LaunchValue *value, size_t cell)
{
    size_t rows = value->symmetric, row = rows ? cell % value->width / rows : 0, column = rows ? cell % rows : 0;
    return row > column ? cell - row * rows - column + column * rows + row : cell;
}
static inline bool launch_cell_is_real(const LaunchValue *value, size_t cell)
{
    return type_is_float(value->cell_types[cell % value->width]);
}
/* How many threads it has; those that run are fewer where there is a choice. */
uint64_t launch_size(const Launch *launch);
static inline uint64_t launch_running(const Launch *launch)
{
    return launch->threads ? launch->thread_count : launch_size(launch);
}
/* A step through `count` threads, around the end, that meets them all: `step`, or the next larger one that does. */
uint64_t launch_step(uint64_t count, uint64_t step);
/* The coordinates of the i-th of the threads that run. */
void launch_thread(const Launch *launch, uint64_t i, uint32_t index[4]);

#endif
