/* Atomic updates: totals, histograms, scattered sums, tickets, bounds. */
#include "synth/random.h"

/* A ticket from a counter says where a kept item goes. */
static void compaction(Synth *s)
{
    Expr v = let_always(s, "v|value|score", per_thread(s, "values|scores|weights_in", "float", -2, 2));
    Expr limit = setting(s, "threshold|cutoff|min_score", -0.5, 1);
    uint32_t one = 1, capacity = s->shape[0];
    if_begin(s, compare(s, OP_GT, v, limit));
    Expr counter = array_param(s, ROLE_ATOMIC, "counter|num_kept|tickets", type_scalar(TYPE_INT32), 1, &one, 0, 0);
    Node *args[3] = {counter.node, node_constant_int(s, 0), node_constant_int(s, 1)};
    Expr ticket = {.node = node_call(s, node_wp(s, "atomic_add"), args, 3),
                   .type = type_scalar(TYPE_INT32),
                   .range = {0, capacity - 1}};
    Expr slot = let_always(s, "slot|ticket|dst", ticket);
    Expr kept =
        array_param(s, ROLE_OUTPUT, "kept_ids|compacted|survivors", type_scalar(TYPE_INT32), 1, &capacity, 0, 0);
    store(s, kept, &slot, 1, s->tid[0]);
    block_end(s);
    say(s, "appends the indices of entries above a threshold to a compact list");
}

static void bounds(Synth *s)
{
    Expr p = let_always(s, "p|pos|x", per_thread(s, "points|positions|vertices", "vec3", -4, 4));
    if (chance(s, 0.5))
        p = let_always(s, "moved|world_p",
                       Q(s, "_0 + _1", p, scalar_param(s, "offset|origin", type_of(s, "vec3"), -1, 1)));
    uint32_t three = 3, one = 1;
    if (chance(s, 0.5)) {
        Expr low = array_param(s, ROLE_ATOMIC, "lower|box_min|bounds_lo", type_of(s, "vec3"), 1, &one, 0, 0),
             high = array_param(s, ROLE_ATOMIC, "upper|box_max|bounds_hi", type_of(s, "vec3"), 1, &one, 0, 0),
             first = integer(s, 0);
        atomic(s, "atomic_min", low, &first, 1, p);
        atomic(s, "atomic_max", high, &first, 1, p);
    } else {
        Expr low = array_param(s, ROLE_ATOMIC, "lower|box_min|bounds_lo", s->style.real, 1, &three, 0, 0),
             high = array_param(s, ROLE_ATOMIC, "upper|box_max|bounds_hi", s->style.real, 1, &three, 0, 0);
        for (uint32_t axis = 0; axis < 3; axis++) {
            Expr i = integer(s, axis);
            atomic(s, "atomic_min", low, &i, 1, component(s, p, axis));
            atomic(s, "atomic_max", high, &i, 1, component(s, p, axis));
        }
    }
    say(s, "grows a bounding box around all points");
}

static void deposit(Synth *s)
{
    uint32_t n = (uint32_t)between(s, 8, 32);
    bool flat = chance(s, 0.5);
    Expr x = let_always(s, "x|pos_x|px", per_thread(s, "positions|xs|coords", "float", 0, n - 1)),
         m = let(s, "m|w|mass_i", per_thread(s, "masses|weights_in|charge", "float", 0.1, 2));
    Expr cell = let_always(s, "cell|i0|base", Q(s, "int(wp.floor(_0))", x));
    cell = let_always(s, "left_id|c0|home", Q(s, "wp.min(_0, _1)", cell, integer(s, n - 2)));
    Expr f = let_always(s, "f|frac_x|t", Q(s, "_0 - float(_1)", x, cell));
    if (flat) {
        Expr grid = array_param(s, ROLE_ATOMIC, "grid|density|deposit", s->style.real, 1, &n, 0, 0),
             next = Q(s, "_0 + 1", cell);
        atomic(s, "atomic_add", grid, &cell, 1, Q(s, "_0 * (1.0 - _1)", m, f));
        atomic(s, "atomic_add", grid, &next, 1, Q(s, "_0 * _1", m, f));
    } else {
        uint32_t both_axes[2] = {n, (uint32_t)between(s, 2, 8)};
        Expr layer =
            let_always(s, "layer|species|kind", per_thread(s, "layers|species_ids|kinds", "int", 0, both_axes[1] - 1));
        Expr grid = array_param(s, ROLE_ATOMIC, "grid|density|deposit", s->style.real, 2, both_axes, 0, 0);
        Expr low[2] = {cell, layer}, high[2] = {Q(s, "_0 + 1", cell), layer};
        atomic(s, "atomic_add", grid, low, 2, Q(s, "_0 * (1.0 - _1)", m, f));
        atomic(s, "atomic_add", grid, high, 2, Q(s, "_0 * _1", m, f));
    }
    say(s, "deposits mass on the two nearest grid cells with linear weights");
}

/* Flags and owners: exchanges whose old value nobody needs. */
static void claims(Synth *s)
{
    uint32_t n = (uint32_t)between(s, 8, 32);
    Expr cell = index_of(s, "cell_ids|targets|bins", "cell|dst|bin_id", n);
    Expr owners = array_param(s, ROLE_ATOMIC, "owners|claims|locks", type_scalar(TYPE_INT32), 1, &n, 0, 0);
    Expr score = let_always(s, "score|priority_v|rank_v", per_thread(s, "priorities|scores|ranks", "int", 0, 100));
    if (chance(s, 0.5)) {
        Node *args[4] = {owners.node, cell.node, node_constant_int(s, 0), Q(s, "_0 + 1", s->tid[0]).node};
        Node *value = node_call(s, node_wp(s, "atomic_cas"), args, 4);
        Expr old = let_always(s, "old|previous|before",
                              (Expr){.node = value, .type = type_scalar(TYPE_INT32), .range = {0, 300}});
        output(s, "won|claimed|success", where(s, Q(s, "_0 == 0", old), score, integer(s, -1)));
        say(s, "tries to claim a cell and records whether it was free");
    } else {
        atomic(s, PICK(s, "atomic_max", "atomic_min", "atomic_exch", "atomic_or"), owners, &cell, 1, score);
        say(s, "merges priorities per cell");
    }
}

void make_atomic(Synth *s)
{
    uint32_t choice = below(s, 100);
    if (choice < 64) {
        make_generic(s);
        for (uint32_t i = 0; i < s->array_count; i++)
            if (s->arrays[i]->role == ROLE_ATOMIC)
                return;
        give_up(s, "no atomic was made");
    }
    launch_1d(s, "i|tid|idx");
    if (choice < 70)
        compaction(s);
    else if (choice < 78)
        bounds(s);
    else if (choice < 92)
        deposit(s);
    else
        claims(s);
    extra_statements(s, 8);
    s->kernel_stem = PICK(s, "scatter", "accumulate_cells", "atomic_pass", "collect", "deposit", "merge_updates");
    s->entity = choice >= 70 && choice < 78 ? "" : "item";
}
