/* Shared by quick.c and quick_adjoint.c: where the operands of quick forms are. */
#ifndef WEFT_EVAL_TREE_QUICK_H
#define WEFT_EVAL_TREE_QUICK_H

#include "eval/tree/code.h"

#include <string.h>

#define OUT (m->frame + op->at[0])
#define IN(i) (m->frame + op->at[1 + (i)])

/* The end of a quick form: goes on with the operation that comes `count` later. Where a compiler makes a jump of a call that
 * stands last, forms follow each other without coming back; elsewhere run_ops() calls the next. It saves two thirds of what it takes to
 * get from one operation to the next. No compiler has to make the jump (gcc does not at -O1 and -Og): tree_finish_ops() sees to it that
 * a form comes back at least once in 2,000, so that calls do not pile up. */
#if defined(__has_feature)
#define HAS_FEATURE(name) __has_feature(name)
#else
#define HAS_FEATURE(name) 0
#endif
#if defined(__OPTIMIZE__) && (defined(__x86_64__) || defined(__aarch64__)) && !defined(__SANITIZE_ADDRESS__) &&        \
    !defined(__SANITIZE_THREAD__) && !HAS_FEATURE(address_sanitizer) && !HAS_FEATURE(thread_sanitizer) &&              \
    !HAS_FEATURE(memory_sanitizer)
#define GO_ON(count) op[count].quick(m, op + (count))
#else
#define GO_ON(count) leave(m, op + (count), op + (count))
#endif

/* `behind` is what stands behind the last operation that has run, `next` what follows. */
static inline void leave(Machine *m, const Op *behind, const Op *next)
{
    m->behind = behind;
    m->next = next;
}

/* False: one of them is behind a reference, or there are too many. */
static inline bool place(Op *op)
{
    enum { ROOM = sizeof op->at / sizeof *op->at - 1 };
    if (op->out_count > 1 || op->arg_count > ROOM)
        return false;
    op->at[0] = op->out_count ? op->outs[0].value : 0;
    bool direct = op->at[0] >= 0;
    for (uint32_t i = 0; i < op->arg_count; i++) {
        op->at[1 + i] = op->args[i].value;
        direct &= op->args[i].value >= 0;
    }
    return direct;
}

static inline bool all_single(const Op *op)
{
    bool single = !op->out_count || op->outs[0].cells == 1;
    for (uint32_t i = 0; i < op->arg_count; i++)
        single &= op->args[i].cells == 1;
    return single;
}

static inline bool is_truth(const TreeArg *arg)
{
    return arg->type->kind == TYPE_BOOL || type_is_int(arg->type);
}

static inline CellKind kind_of(const TreeArg *arg)
{
    return (CellKind)arg->layout->kinds[0];
}

/* Cells that may be pointers, and may be the same ones. Most are vectors of three, for which a call would take longer than all else. */
static inline void copy_cells(Cell *to, const Cell *from, uint32_t count)
{
    Cell few[3];
    if (count == sizeof few / sizeof *few) {
        memcpy(few, from, sizeof few);
        memcpy(to, few, sizeof few);
    } else
        memmove(to, from, count * sizeof *to);
}

/* Values that are copied as they are: a local array holds its own address. */
static inline bool is_plain(const TreeArg *arg)
{
    return arg->layout && !arg->layout->fixed;
}

#endif
