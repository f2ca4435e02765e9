/* Rows, segments and whole arrays reduced to a number. */
#include "synth/random.h"

/* A loop over what belongs to a thread: a row, a segment of a sorted list, or a strided part. */
static Expr open_loop(Synth *s, Expr *data, Expr *index, uint32_t *count, const char **over)
{
    Word word = theme_word(s, s->style.real);
    uint32_t n = (uint32_t)between(s, 4, 24), size = s->shape[0];
    switch (below(s, 3)) {
    case 0: {
        uint32_t shape[2] = {size, n};
        *data = array_in(s, about(s, word.name, "*s|rows|table|samples"), s->style.real, 2, shape, word.range.low,
                         word.range.high);
        Expr width = chance(s, 0.4) && n <= 16 ? integer(s, n) : size_param(s, "width|cols|row_len", n);
        Expr k = for_begin(s, "k|j|col", (Expr){0}, width, 1);
        index[0] = s->tid[0], index[1] = k, *count = 2, *over = "a row";
        return k;
    }
    case 1: {
        uint32_t bounds = size + 1, items = size * 4;
        Expr offsets =
            array_in(s, "offsets|row_start|segment_start|indptr", type_scalar(TYPE_INT32), 1, &bounds, 0, items);
        for (uint32_t i = 0; i < s->array_count; i++)
            if (s->arrays[i] == offsets.array)
                s->arrays[i]->sorted = true;
        *data = array_in(s, about(s, word.name, "*s|values|entries"), s->style.real, 1, &items, word.range.low,
                         word.range.high);
        Expr start = let_always(s, "start|first|begin", at(s, offsets, s->tid[0])),
             end = let_always(s, "stop|last|end_k", Q(s, "_0[_1 + 1]", offsets, s->tid[0]));
        Expr k = for_begin(s, "k|j|e_id", start, end, 1);
        index[0] = k, *count = 1, *over = "a segment";
        return k;
    }
    default: {
        uint32_t items = size * n;
        *data = array_in(s, about(s, word.name, "*s|data|values"), s->style.real, 1, &items, word.range.low,
                         word.range.high);
        Expr k = for_begin(s, "k|j|m", (Expr){0}, size_param(s, "chunk|block_size|per_thread", n), 1);
        index[0] = let(s, "at_k|pos|flat", Q(s, "_0 * _1 + _2", s->tid[0], integer(s, n), k));
        *count = 1, *over = "a chunk";
        return k;
    }
    }
}

static void fold(Synth *s)
{
    Expr data, index[2];
    uint32_t count;
    const char *over, *what;
    uint32_t kind = below(s, 6);
    Expr total = kind == 4 ? let_mutable(s, "n|hits|passed", zero(s, type_scalar(TYPE_INT32)))
                           : let_mutable(s, "acc|total|s_sum", zero(s, s->style.real));
    Expr second = kind == 3 ? let_mutable(s, "sq|sum_sq|second_m", zero(s, s->style.real)) : (Expr){0};
    Expr weights = kind == 2 ? let_mutable(s, "w_total|mass_sum|norm_w", zero(s, s->style.real)) : (Expr){0};
    Expr k = open_loop(s, &data, index, &count, &over);
    Expr v = let(s, "v|value|item", subscript(s, data, index, count));
    if (!v.type)
        give_up(s, "no such entry");
    if (chance(s, 0.25)) {
        if_begin(s, compare(s, OP_LT, v, literal_within(s, v)));
        jump(s, NODE_CONTINUE);
        block_end(s);
    }
    switch (kind) {
    case 0:
        accumulate(s, total, OP_ADD, v);
        what = "sums";
        break;
    case 1: {
        Expr f = chance(s, 0.5)   ? square_of(s, v)
                 : chance(s, 0.5) ? Q(s, "wp.abs(_0) + 0.1", v)
                                  : Q(s, "wp.sin(_0)", v);
        accumulate(s, total, OP_ADD, f.type ? f : v);
        what = "sums a function of";
        break;
    }
    case 2: {
        Expr w = chance(s, 0.5) ? Q(s, "1.0 / (1.0 + wp.abs(_0))", v.range.low < 0 ? v : Q(s, "_0 - 5.0", v))
                                : Q(s, "1.0 / float(_0 + 1)", k);
        w = let_always(s, "w|weight|wk", w);
        accumulate(s, total, OP_ADD, Q(s, "_0 * _1", w, v));
        accumulate(s, weights, OP_ADD, w);
        what = "takes weighted sums of";
        break;
    }
    case 3:
        accumulate(s, total, OP_ADD, v);
        accumulate(s, second, OP_ADD, square_of(s, v));
        what = "takes first and second moments of";
        break;
    case 4:
        if_begin(s, compare(s, OP_GT, v, literal_within(s, v)));
        accumulate(s, total, OP_ADD, integer(s, 1));
        block_end(s);
        what = "counts the large entries of";
        break;
    default: {
        Expr other =
            array_in(s, "partner|other|rhs|reference", s->style.real, data.array->ndim, data.array->shape, -1, 1);
        accumulate(s, total, OP_ADD, Q(s, "_0 * _1", v, subscript(s, other, index, count)));
        what = "takes the inner product of two entries of";
    }
    }
    block_end(s);
    total = again(s, total);
    if (weights.type)
        output(s, "weights_out|norms|mass_out", again(s, weights));
    if (second.type)
        output(s, "second_out|sum_sq_out|moments", again(s, second));
    if (chance(s, 0.4) && is_real(total.type))
        output_sum(s, "grand_total|total_out|checksum",
                   chance(s, 0.5) ? total : Q(s, "_0 * _1", total, real(s, nice_number(s, 0.1, 0.9))));
    else
        output(s, "row_sums|reduced|sums|out", embellish(s, total));
    say(s, "%s %s", what, over);
}

/* Extremes: unrolled, so that the gradient finds its way back; or an index, which has none. */
static void extreme(Synth *s)
{
    uint32_t n = (uint32_t)between(s, 3, 14), shape[2] = {s->shape[0], n};
    Word word = theme_word(s, s->style.real);
    Expr x = array_in(s, about(s, word.name, "*s|rows|scores|candidates"), s->style.real, 2, shape, word.range.low,
                      word.range.high);
    bool largest = chance(s, 0.6);
    Expr best = let_carried(s, largest ? "best|top|peak" : "low|least|floor_v", Q(s, "_0[_1, 0]", x, s->tid[0]),
                            word.range.low, word.range.high);
    Expr where_is =
        chance(s, 0.5) ? let_carried(s, "arg|best_id|winner", zero(s, type_scalar(TYPE_INT32)), 0, n) : (Expr){0};
    Expr first = integer(s, 1), end = integer(s, n), k = for_begin(s, "k|j|c", first, end, 1);
    Expr v = let(s, "v|cand|score", Q(s, "_0[_1, _2]", x, s->tid[0], k));
    if (where_is.type || chance(s, 0.4)) {
        if_begin(s, compare(s, largest ? OP_GT : OP_LT, v, again(s, best)));
        assign(s, best, v);
        if (where_is.type)
            assign(s, where_is, k);
        block_end(s);
    } else {
        assign(s, best,
               largest ? Q(s, "wp.max(_0, _1)", again(s, best), v) : Q(s, "wp.min(_0, _1)", again(s, best), v));
    }
    block_end(s);
    if (where_is.type)
        output(s, "winners|arg_out|best_ids", again(s, where_is));
    if (!where_is.type || chance(s, 0.6))
        output(s, "extremes|best_out|peaks", embellish(s, again(s, best)));
    say(s, "finds the %s of %u entries%s", largest ? "largest" : "smallest", n,
        where_is.type ? " and where it is" : "");
}

static void search(Synth *s)
{
    uint32_t n = (uint32_t)between(s, 8, 40);
    Expr edges = array_in(s, "edges|bin_edges|breaks|sorted_keys", s->style.real, 1, &n, -2, 2);
    for (uint32_t i = 0; i < s->array_count; i++)
        if (s->arrays[i] == edges.array)
            s->arrays[i]->sorted = true;
    Expr x = let_always(s, "x|query|v", per_thread(s, "queries|values|samples", "float", -2, 2));
    comment(s, "find the interval");
    Expr slot = let_always(s, "slot|bin_id|pos", Q(s, "wp.lower_bound(_0, _1)", edges, x));
    slot = let_always(s, "safe_slot|idx|bin_c", Q(s, "wp.min(_0, _1)", slot, integer(s, n - 1)));
    Expr table = input(s, "table|levels|payload", "float", n, -1, 1);
    comment(s, "table lookup");
    Expr value = let_always(s, "found|level_v|looked_up", at(s, table, slot));
    if (chance(s, 0.5)) {
        Expr counts = array_param(s, ROLE_ATOMIC, "histogram|bin_counts|tally", type_scalar(TYPE_INT32), 1, &n, 0, 0);
        atomic(s, "atomic_add", counts, &slot, 1, integer(s, 1));
    }
    output(s, "results|out|mapped", embellish(s, chance(s, 0.5) ? value : Q(s, "_0 * _1", value, x)));
    say(s, "looks a value up in sorted bins");
}

void make_reduction(Synth *s)
{
    uint32_t choice = below(s, 100);
    if (choice < 25) {
        make_generic(s);
        return;
    }
    launch_1d(s, "i|tid|row");
    if (choice < 70)
        fold(s);
    else if (choice < 88)
        extreme(s);
    else
        search(s);
    extra_statements(s, 6);
    s->kernel_stem = PICK(s, "reduce_rows", "row_reduce", "segment_sums", "summarize", "fold_entries", "collect_stats");
    s->entity = "row";
}
