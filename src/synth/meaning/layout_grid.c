/* Grids without a second axis: threads that are counted through, arrays that hold row after row, strides. */
#include "synth/meaning/style.h"

/* How long a row of the grid is. */
static Node *row_length(Draft *d)
{
    uint32_t number = d->entities[0] == d->entities[1];
    Count *count = count_of(d, d->entities[1], number);
    if (!count->symbol)
        count->symbol = count_symbol(d, d->entities[1], number);
    return draft_name(d, count->symbol);
}

static uint32_t thread_statement(const Draft *d)
{
    uint32_t at = 0;
    while (at < d->body.count && !is_thread_statement(d->body.items[at]))
        at++;
    return at;
}

static Node *store_to(Draft *d, uint32_t symbol)
{
    Node *name = draft_name(d, symbol);
    name->name.store = true;
    return name;
}

/* ---- threads ---- */

/* t = wp.tid(), i = t // width, j = t % width */
void flatten_launch(Draft *d)
{
    uint32_t at = thread_statement(d);
    if (d->dims != 2 || d->padded || at == d->body.count || !perhaps(d, d->habits.flat_launch))
        return;
    d->flat_thread = symbol_new(d, SYMBOL_LOCAL, SCOPE_KERNEL, "tid|t|idx|thread_id|gid|linear");
    Node *statement = d->body.items[at];
    statement->assign.targets.items[0] = store_to(d, d->flat_thread);
    NodeList more = {0};
    draft_push(d, &more,
               draft_assign(d, store_to(d, d->tid[0]),
                            draft_binary(d, OP_FLOOR_DIV, draft_name(d, d->flat_thread), row_length(d))));
    Node *column = draft_binary(d, OP_MOD, draft_name(d, d->flat_thread), row_length(d));
    if (perhaps(d, 0.3))
        column = draft_binary(d, OP_SUB, draft_name(d, d->flat_thread),
                              draft_binary(d, OP_MULT, draft_name(d, d->tid[0]), row_length(d)));
    draft_push(d, &more, draft_assign(d, store_to(d, d->tid[1]), column));
    draft_insert(d, &d->body, at + 1, &more);
    d->launch_dims = 1;
    d->dim[0] *= d->dim[1];
}

/* ---- arrays ---- */

static bool is_grid_array(Draft *d, const Item *item)
{
    const Part *part = &item->part;
    return item->present && item->form == FORM_ARGUMENT && part->axis_count == 2 && part->kind == PART_EACH &&
           part->axes[0].entity == d->entities[0] && part->axes[1].entity == d->entities[1] &&
           part->axes[0].number == 0 && !part->axes[0].more && !part->axes[1].more && is_only_indexed(d, item->symbol);
}

typedef struct Rows {
    Draft *d;
    const Item *item;
    uint32_t own; /* the symbol of the thread's own place; 0: nobody asked */
} Rows;

static bool is_own(const Draft *d, const Node *slice)
{
    return slice->sequence.elts.items[0]->fact == d->tid[0] + 1 && slice->sequence.elts.items[1]->fact == d->tid[1] + 1;
}

/* u[i, j] as u[i * width + j] */
static void rewrite_element(Node **place, void *user)
{
    Rows *rows = user;
    Draft *d = rows->d;
    Node *node = *place;
    draft_slots(node, rewrite_element, user);
    if (node->kind != NODE_SUBSCRIPT || node->subscript.value->kind != NODE_NAME ||
        node->subscript.value->fact != rows->item->symbol + 1)
        return;
    Node *slice = node->subscript.slice;
    if (is_own(d, slice)) {
        if (!rows->own)
            rows->own = d->flat_thread ? d->flat_thread
                                       : symbol_new(d, SYMBOL_LOCAL, SCOPE_KERNEL, "idx|index|at|linear|cell_id|here");
        node->subscript.slice = draft_name(d, rows->own);
        return;
    }
    Node *row = draft_binary(d, OP_MULT, slice->sequence.elts.items[0], row_length(d));
    node->subscript.slice = draft_binary(d, OP_ADD, row, slice->sequence.elts.items[1]);
}

static bool has_pairs_only(const Draft *d, const Item *item);

/* All arrays of the grid alike. */
void lay_out_grid(Draft *d)
{
    if (d->dims != 2 || !perhaps(d, d->flat_thread ? 0.7 : d->habits.flat_grids))
        return;
    Rows rows = {.d = d};
    for (uint32_t i = 0; i < d->item_count; i++) {
        Item *item = &d->items[i];
        if (!is_grid_array(d, item) || !has_pairs_only(d, item))
            continue;
        rows.item = item;
        for (uint32_t k = 0; k < d->body.count; k++)
            rewrite_element(&d->body.items[k], &rows);
        item->form = FORM_ROWS;
        item->grid[0] = item->shape[0];
        item->grid[1] = item->shape[1];
        item->shape[0] *= item->shape[1];
        item->ndim = 1;
    }
    if (!rows.own || rows.own == d->flat_thread)
        return;
    Node *first = draft_binary(d, OP_MULT, draft_name(d, d->tid[0]), row_length(d));
    NodeList one = {0};
    draft_push(d, &one,
               draft_assign(d, store_to(d, rows.own), draft_binary(d, OP_ADD, first, draft_name(d, d->tid[1]))));
    draft_insert(d, &d->body, thread_statement(d) + 1, &one);
}

typedef struct Pairs {
    uint32_t fact;
    bool all;
} Pairs;

static void look_at_pair(Node **place, void *user)
{
    Pairs *pairs = user;
    const Node *node = *place;
    if (node->kind == NODE_SUBSCRIPT && node->subscript.value->kind == NODE_NAME &&
        node->subscript.value->fact == pairs->fact)
        pairs->all &= node->subscript.slice->kind == NODE_TUPLE && node->subscript.slice->sequence.elts.count == 2;
    draft_slots(*place, look_at_pair, user);
}

/* Is every index of it a row and a column? */
static bool has_pairs_only(const Draft *d, const Item *item)
{
    Pairs pairs = {item->symbol + 1, true};
    for (uint32_t i = 0; i < d->body.count; i++)
        look_at_pair(&d->body.items[i], &pairs);
    return pairs.all;
}

/* ---- strides ---- */

typedef struct Ends {
    uint32_t returns, loops;
} Ends;

static void count_ends(Node **place, void *user)
{
    Ends *ends = user;
    ends->returns += (*place)->kind == NODE_RETURN;
    ends->loops += (*place)->kind == NODE_FOR || (*place)->kind == NODE_WHILE;
    draft_slots(*place, count_ends, user);
}

static bool is_plain_guard(const Node *node)
{
    return node->kind == NODE_IF && node->if_stmt.body.count == 1 && !node->if_stmt.orelse.count &&
           node->if_stmt.body.items[0]->kind == NODE_RETURN;
}

/* Fewer threads than elements: for i in range(wp.tid(), n, stride). A guard goes on with the next element. */
void stride_threads(Draft *d)
{
    static const uint16_t widths[] = {16, 32, 32, 48, 64};
    uint32_t at = thread_statement(d), guards = 0;
    Count *count = count_of(d, d->entities[0], 0);
    if (d->dims != 1 || d->padded || at == d->body.count || !count->symbol || !count->is_argument ||
        d->constant_count == MAX_DRAFT_CONSTANTS || !perhaps(d, d->habits.strides))
        return;
    Ends ends = {0};
    for (uint32_t i = 0; i < d->body.count; i++) {
        count_ends(&d->body.items[i], &ends);
        guards += is_plain_guard(d->body.items[i]);
    }
    if (ends.loops || ends.returns != guards || at)
        return;
    uint32_t width = widths[rng_below(&d->rng, sizeof widths / sizeof *widths)];
    uint32_t thread = symbol_new(d, SYMBOL_LOCAL, SCOPE_KERNEL, "tid|thread|start|first|t");
    uint32_t stride = symbol_new(d, SYMBOL_CONSTANT, SCOPE_MODULE, "STRIDE|NUM_THREADS|GRID_STRIDE|TOTAL_THREADS");
    d->constants[d->constant_count++] = (DraftConstant){stride, draft_int(d, width), 0};
    Node *loop = draft_new(d, NODE_FOR);
    Node *args[] = {draft_name(d, thread), draft_name(d, count->symbol), draft_name(d, stride)};
    loop->for_loop.target = store_to(d, d->tid[0]);
    loop->for_loop.iter = draft_call(d, draft_word(d, "range"), args, 3);
    for (uint32_t i = 1; i < d->body.count; i++) {
        Node *node = d->body.items[i];
        if (is_plain_guard(node))
            node->if_stmt.body.items[0] = draft_new(d, NODE_CONTINUE);
        draft_push(d, &loop->for_loop.body, node);
    }
    d->body.items[0]->assign.targets.items[0] = store_to(d, thread);
    d->body.count = 1;
    draft_push(d, &d->body, loop);
    d->dim[0] = width;
    d->strided = true;
}
