/* How authors write kernels with tiles: where tiles are kept, how shapes and offsets are given, what has a name. */
#include "synth/meaning/style.h"

#include <string.h>

enum { MAX_STARTS = 4 };

/* Where a tile begins that the block's own indices say: row * TILE. */
typedef struct Start {
    const Node *value;
    uint32_t symbol;
} Start;

typedef struct TileStyle {
    Draft *d;
    double shared;   /* that a tile that is loaded is kept in shared memory by name */
    bool registers;  /* that others are said to be in registers */
    bool positional; /* shape and offset without their names */
    bool tuples;     /* (TILE,) for one dimension */
    bool rows;       /* rows of arrays are loaded as tiles of one row */
    bool unchecked;  /* bounds_check=False, where no tile reaches over an end */
    double named;    /* that a start has a name */
    Start starts[MAX_STARTS];
    uint32_t start_count;
} TileStyle;

static Node **keyword_of(Node *call, const char *name)
{
    for (uint32_t i = 0; i < call->call.keywords.count; i++)
        if (strcmp(call->call.keywords.items[i]->keyword.name->text, name) == 0)
            return &call->call.keywords.items[i]->keyword.value;
    return NULL;
}

static void add_keyword(Draft *d, Node *call, const char *name, Node *value)
{
    draft_push(d, &call->call.keywords, draft_keyword(d, name, value));
}

/* ---- starts of tiles ---- */

static bool is_of_block(const Draft *d, const Node *node)
{
    for (uint32_t i = 0; i < d->dims; i++)
        if (node->kind == NODE_NAME && node->fact == d->tid[i] + 1)
            return true;
    return false;
}

/* row * TILE */
static bool is_start(const Draft *d, const Node *node)
{
    return node->kind == NODE_BIN_OP && node->bin_op.op == OP_MULT && is_of_block(d, node->bin_op.left) &&
           draft_is_simple(node->bin_op.right);
}

static void name_start(TileStyle *style, Node **place, uint32_t axis, uint32_t axes)
{
    static const char *const names[] = {"start|base|first|begin", "row0|row_start|top|r0", "col0|col_start|left|c0"};
    Draft *d = style->d;
    if (!is_start(d, *place))
        return;
    for (uint32_t i = 0; i < style->start_count; i++)
        if (is_same(style->starts[i].value, *place)) {
            *place = draft_name(d, style->starts[i].symbol);
            return;
        }
    if (style->start_count == MAX_STARTS)
        return;
    Start *start = &style->starts[style->start_count++];
    start->symbol = symbol_new(d, SYMBOL_LOCAL, SCOPE_KERNEL, names[axes < 2 ? 0 : axis % 2 + 1]);
    d->symbols[start->symbol].column = (d->salt >> 5) + 1;
    start->value = *place;
    *place = draft_name(d, start->symbol);
}

static void name_starts(TileStyle *style, Node *offset, Node **place)
{
    if (offset->kind != NODE_TUPLE) {
        name_start(style, place, 0, 1);
        return;
    }
    uint32_t axes = offset->sequence.elts.count;
    for (uint32_t i = 0; i < axes; i++)
        name_start(style, &offset->sequence.elts.items[i], i, axes);
}

/* Behind wp.tid(). */
static void define_starts(TileStyle *style)
{
    Draft *d = style->d;
    NodeList list = {0};
    for (uint32_t i = 0; i < style->start_count; i++) {
        Node *target = draft_name(d, style->starts[i].symbol);
        target->name.store = true;
        draft_push(d, &list, draft_assign(d, target, draft_copy(d, style->starts[i].value)));
    }
    uint32_t at = 0;
    while (at < d->body.count && !is_thread_statement(d->body.items[at]))
        at++;
    draft_insert(d, &d->body, at + 1, &list);
}

/* ---- calls ---- */

static void make_tuple(Draft *d, Node **place)
{
    if (!place || (*place)->kind == NODE_TUPLE)
        return;
    Node *tuple = draft_new(d, NODE_TUPLE);
    draft_push(d, &tuple->sequence.elts, *place);
    *place = tuple;
}

/* shape= and offset= become arguments by their place, as far as they come first. */
static void drop_keywords(Draft *d, Node *call)
{
    NodeList *keywords = &call->call.keywords;
    uint32_t moved = 0;
    for (; moved < keywords->count; moved++) {
        const char *name = keywords->items[moved]->keyword.name->text;
        if (strcmp(name, "shape") != 0 && strcmp(name, "offset") != 0)
            break;
        draft_push(d, &call->call.args, keywords->items[moved]->keyword.value);
    }
    for (uint32_t i = moved; i < keywords->count; i++)
        keywords->items[i - moved] = keywords->items[i];
    keywords->count -= moved;
}

/* x[row] is a row of an array of two dimensions: a tile of one row, squeezed. */
static void load_as_row(TileStyle *style, Node **place, Node **shape)
{
    Draft *d = style->d;
    Node *load = *place, *array = load->call.args.items[0];
    if (!style->rows || !shape || (*shape)->kind == NODE_TUPLE || array->kind != NODE_SUBSCRIPT ||
        keyword_of(load, "offset"))
        return;
    Node *lengths = draft_new(d, NODE_TUPLE), *offsets = draft_new(d, NODE_TUPLE);
    draft_push(d, &lengths->sequence.elts, draft_int(d, 1));
    draft_push(d, &lengths->sequence.elts, *shape);
    draft_push(d, &offsets->sequence.elts, array->subscript.slice);
    draft_push(d, &offsets->sequence.elts, draft_int(d, 0));
    *shape = lengths;
    load->call.args.items[0] = array->subscript.value;
    add_keyword(d, load, "offset", offsets);
    *place = draft_call(d, draft_wp(d, "tile_squeeze"), &load, 1);
}

static bool is_moved(const Node *node)
{
    return is_wp_call(node, "tile_load") || is_wp_call(node, "tile_store") || is_wp_call(node, "tile_atomic_add");
}

static void style_call(Node **place, void *user)
{
    TileStyle *style = user;
    Draft *d = style->d;
    Node *node = *place;
    draft_slots(node, style_call, user);
    bool loads = is_wp_call(node, "tile_load");
    bool makes =
        loads || is_wp_call(node, "tile_zeros") || is_wp_call(node, "tile_full") || is_wp_call(node, "tile_ones");
    if (!makes && !is_moved(node))
        return;
    Node **shape = keyword_of(node, "shape"), **offset = keyword_of(node, "offset");
    if (loads) {
        load_as_row(style, place, shape);
        offset = keyword_of(node, "offset");
        shape = keyword_of(node, "shape");
    }
    if (offset && is_moved(node) && perhaps(d, style->named))
        name_starts(style, *offset, offset);
    if (style->tuples) {
        make_tuple(d, shape);
        make_tuple(d, offset);
    }
    if (style->positional && (!loads || !offset || shape))
        drop_keywords(d, node);
    if (makes && !keyword_of(node, "storage")) {
        if (perhaps(d, style->shared))
            add_keyword(d, node, "storage", draft_string(d, "shared"));
        else if (style->registers)
            add_keyword(d, node, "storage", draft_string(d, "register"));
    }
    if (style->unchecked && is_moved(node) && offset)
        add_keyword(d, node, "bounds_check", draft_word(d, "False"));
}

/* ---- names of tiles ---- */

/* x = …, and the next statement mentions it once and is the only one that does: it is written there. */
static void inline_tiles(Draft *d, double share)
{
    Usage usage = usage_of(d, &d->body);
    NodeList list = {0};
    for (uint32_t i = 0; i < d->body.count; i++) {
        Node *node = d->body.items[i], *next = i + 1 < d->body.count ? d->body.items[i + 1] : NULL;
        uint32_t symbol = is_plain_assignment(node) ? assigned_symbol(node) : 0;
        bool single = symbol && symbol < usage.count && usage.loads[symbol] == 1 && usage.stores[symbol] == 1;
        bool straight = next && (next->kind == NODE_EXPR || is_plain_assignment(next));
        if (single && straight && !is_thread_statement(node) && draft_uses(next, symbol) == 1 && perhaps(d, share))
            d->symbols[symbol].value = node->assign.value;
        else
            draft_push(d, &list, node);
    }
    d->body = list;
}

static void write_inlined(Node **place, void *user)
{
    Draft *d = user;
    Node *node = *place;
    if (node->kind == NODE_NAME && node->fact && !node->name.store && d->symbols[node->fact - 1].kind == SYMBOL_LOCAL &&
        d->symbols[node->fact - 1].value) {
        *place = d->symbols[node->fact - 1].value;
        write_inlined(place, user);
        return;
    }
    draft_slots(node, write_inlined, user);
}

static bool is_ragged(const Draft *d)
{
    for (uint32_t i = 0; i < d->item_count; i++)
        if (d->items[i].cut)
            return true;
    return false;
}

void style_tiles(Draft *d)
{
    static const double shared[] = {0, 0, 0, 0.5, 1};
    TileStyle style = {.d = d};
    style.shared = shared[rng_below(&d->rng, 5)];
    style.registers = perhaps(d, 0.06);
    style.positional = perhaps(d, 0.3);
    style.tuples = perhaps(d, 0.4);
    style.rows = perhaps(d, 0.3);
    style.unchecked = !is_ragged(d) && perhaps(d, 0.12);
    style.named = perhaps(d, 0.45) ? 1 : 0;
    style_functions(d);
    inline_tiles(d, perhaps(d, 0.5) ? 0.6 : 0.1);
    for (uint32_t i = 0; i < d->body.count; i++)
        write_inlined(&d->body.items[i], d);
    for (uint32_t i = 0; i < d->body.count; i++)
        style_call(&d->body.items[i], &style);
    define_starts(&style);
    add_blank_lines(d);
}
