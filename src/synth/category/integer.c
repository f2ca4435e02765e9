/* Bit tricks, hashing, index arithmetic. */
#include "synth/random.h"

static Expr uint_literal(Synth *s, double value)
{
    return literal(s, type_scalar(TYPE_UINT32), value);
}

/* Mixing rounds that stay below 2^32: what is multiplied is masked first. */
static void hash_rounds(Synth *s)
{
    Expr h = let_always(s, "h|key|code", per_thread(s, "keys|codes|ids", "uint32", 0, 65535));
    int rounds = between(s, 1, 4);
    for (int i = 0; i < rounds; i++) {
        switch (below(s, 4)) {
        case 0: h = Q(s, "_0 ^ (_0 >> _1)", h, uint_literal(s, between(s, 3, 9))); break;
        case 1:
            h = Q(s, "(_0 & _1) * _2", h, uint_literal(s, 65535), uint_literal(s, between(s, 100, 9999) * 2 + 1));
            break;
        case 2:
            h = Q(s, "_0 ^ ((_0 & _1) << _2)", h, uint_literal(s, 16383), uint_literal(s, between(s, 3, 12)));
            break;
        default:
            h = Q(s, "(_0 & _1) + _2", h, uint_literal(s, 1048575), uint_literal(s, between(s, 1000, 99999)));
            break;
        }
        h = let_always(s, "h1|mixed|stirred|folded|h2", h);
    }
    uint32_t buckets = 1u << between(s, 3, 6);
    Expr slot = let_always(s, "bucket|slot|home", Q(s, "int(_0 & _1)", h, uint_literal(s, buckets - 1)));
    const char *what;
    if (chance(s, 0.5)) {
        Expr counts =
            array_param(s, ROLE_ATOMIC, "counts|bucket_counts|occupancy", type_scalar(TYPE_INT32), 1, &buckets, 0, 0);
        atomic(s, "atomic_add", counts, &slot, 1, integer(s, 1));
        what = "counts keys by hash bucket";
    } else {
        output(s, "slots|hashes|buckets", slot);
        what = "maps a key to a hash bucket";
    }
    say(s, "%s after %d mixing rounds", what, rounds);
}

static void count_bits(Synth *s)
{
    Expr x = let_carried(s, "x|bits|word_x",
                         let_always(s, "word_in|value", per_thread(s, "words|masks|flags", "int", 0, 65535)), 0, 65535);
    Expr n = let_mutable(s, "n|ones|set_bits", zero(s, type_scalar(TYPE_INT32)));
    uint32_t kind = below(s, 3);
    const char *what;
    if (kind == 0) {
        for_count(s, "k|bit|pos", 16);
        accumulate(s, n, OP_ADD, Q(s, "_0 & 1", again(s, x)));
        assign(s, x, Q(s, "_0 >> 1", again(s, x)));
        block_end(s);
        what = "counts the set bits of a word";
    } else if (kind == 1) {
        while_begin(s, Q(s, "_0 > 0", again(s, x)), 17);
        if_begin(s, Q(s, "_0 % 2 == 1", again(s, x)));
        accumulate(s, n, OP_ADD, integer(s, 1));
        block_end(s);
        assign(s, x, Q(s, "_0 // 2", again(s, x)));
        block_end(s);
        what = "counts the odd halvings of a word";
    } else {
        while_begin(s, Q(s, "_0 > 1", again(s, x)), 17);
        assign(s, x, Q(s, "_0 >> 1", again(s, x)));
        accumulate(s, n, OP_ADD, integer(s, 1));
        block_end(s);
        what = "finds the highest set bit of a word";
    }
    Expr result = again(s, n);
    if (chance(s, 0.5)) {
        Expr limit = size_param(s, "limit|min_bits|cutoff", (uint32_t)between(s, 2, 8));
        result = let_always(s, "verdict|kept", where(s, compare(s, OP_GT, result, limit), result, integer(s, -1)));
    }
    output(s, "counts|bits_out|levels", result);
    say(s, "%s", what);
}

/* Interleaving, unpacking, and going from flat to grid indices and back. */
static void index_maths(Synth *s)
{
    const char *what;
    switch (below(s, 4)) {
    case 0: {
        Expr x = let_always(s, "x|cx|gx", per_thread(s, "cells_x|xs|coord_x", "int", 0, 255)),
             y = let_always(s, "y|cy|gy", per_thread(s, "cells_y|ys|coord_y", "int", 0, 255));
        Expr code = let_mutable(s, "code|morton|z_order", zero(s, type_scalar(TYPE_INT32)));
        Expr k = for_count(s, "k|bit|level", 8);
        Expr bits = Q(s, "((_0 >> _1) & 1) + 2 * ((_2 >> _1) & 1)", x, k, y);
        accumulate(s, code, OP_ADD, Q(s, "(_0) << (2 * _1)", bits, k));
        block_end(s);
        output(s, "codes|morton_out|keys", again(s, code));
        what = "interleaves two coordinates into a Morton code";
        break;
    }
    case 1: {
        Expr packed = let_always(s, "rgb|packed|word_v", per_thread(s, "pixels|packed_in|words", "int", 0, 16777215));
        Expr r = let_always(s, "r|hi_part", Q(s, "(_0 >> 16) & 255", packed)),
             g = let_always(s, "g|mid_part", Q(s, "(_0 >> 8) & 255", packed)),
             b = let_always(s, "b|lo_part", Q(s, "_0 & 255", packed));
        Expr grey = let_always(s, "luma|grey|avg",
                               chance(s, 0.5) ? Q(s, "(_0 * 77 + _1 * 151 + _2 * 28) >> 8", r, g, b)
                                              : Q(s, "(_0 + _1 + _2) // 3", r, g, b));
        if (chance(s, 0.5))
            output(s, "repacked|out_words", Q(s, "(_0 << 16) | (_0 << 8) | _0", with_range(grey, 0, 255)));
        output(s, "levels|grey_out", grey);
        what = "unpacks a colour word and averages its channels";
        break;
    }
    case 2: {
        uint32_t w = (uint32_t)between(s, 4, 8);
        Expr width = size_param(s, "width|cols|nx", w), i = s->tid[0];
        Expr row = let_always(s, "row|y|r_id", Q(s, "_0 // _1", i, width)),
             col = let_always(s, "col|x|c_id", Q(s, "_0 % _1", i, width));
        Expr parity = let_always(s, "parity|checker|tile_id", Q(s, "(_0 + _1) % 2", row, col));
        Expr v = per_thread(s, "values|weights_in|levels_in", "int", 0, 50);
        output(s, "board|coded|out_ids",
               where(s, Q(s, "_0 == 0", parity), v, Q(s, "_0 + _1 * _2", row, col, integer(s, between(s, 2, 9)))));
        what = "marks cells of a checkerboard by row and column";
        break;
    }
    default: {
        Expr a = let_carried(s, "a|m|big",
                             let_always(s, "first|p_in", per_thread(s, "left_ids|numerators", "int", 1, 200)), 0, 400);
        Expr b =
            let_carried(s, "b|n_val|little",
                        let_always(s, "second|q_in", per_thread(s, "right_ids|denominators", "int", 1, 200)), 0, 400);
        Expr steps = let_mutable(s, "steps|rounds|iters", zero(s, type_scalar(TYPE_INT32)));
        while_begin(s, Q(s, "_0 > 0", again(s, b)), 20);
        refine(s, b, 1, 400);
        Expr r = let_always(s, "r|rem|left", Q(s, "_0 % _1", again(s, a), again(s, b)));
        assign(s, a, again(s, b));
        s->vars[b.var - 1].range = (Range){0, 400};
        assign(s, b, r);
        accumulate(s, steps, OP_ADD, integer(s, 1));
        block_end(s);
        output(s, "gcd_out|divisors", again(s, a));
        output(s, "steps_out|rounds_out", again(s, steps));
        what = "runs Euclid's algorithm and counts its steps";
    }
    }
    say(s, "%s", what);
}

/* Cells of a grid: coordinates as integer vectors, folded into one number. */
static void cell_keys(Synth *s)
{
    bool flat = chance(s, 0.4);
    Expr h = setting(s, "inv_cell|inv_size|resolution", 0.5, 2), cell, key;
    Expr p = let_always(s, "p|pos|x", per_thread(s, "points|positions|samples", flat ? "vec2" : "vec3", 0, 8));
    if (flat)
        cell = Q(s, "wp.vec2i(int(_0[0] * _1), int(_0[1] * _1))", p, h);
    else
        cell = Q(s, "wp.vec3i(int(_0[0] * _1), int(_0[1] * _1), int(_0[2] * _1))", p, h);
    cell = let_always(s, "cell|c|ijk", cell);
    if (flat)
        key = Q(s, "_0[0] * _1 + _0[1]", cell, integer(s, between(s, 17, 64)));
    else
        key = Q(s, "(_0[2] * _1 + _0[1]) * _1 + _0[0]", cell, integer(s, between(s, 17, 64)));
    key = let_always(s, "key|cell_id|flat_id", key);
    if (chance(s, 0.4)) {
        const char *wide = PICK(s, "int64", "uint64");
        Expr big = cast(s, type_of(s, wide), key);
        output(s, "keys64|sort_keys|wide_keys",
               binary(s, OP_ADD, binary(s, OP_MULT, big, literal(s, big.type, 1024)), cast(s, big.type, s->tid[0])));
    } else {
        output(s, "keys|cell_ids|bins_out", key);
    }
    if (chance(s, 0.5))
        output(s, "cells|coords_out|ijk_out", cell);
    say(s, "computes the grid cell of a point and its key");
}

/* One of the atomics that only integers have. */
static void integer_atomics(Synth *s)
{
    uint32_t groups = (uint32_t)between(s, 4, 24);
    Expr g = let_always(s, "g|group|word_id", per_thread(s, "groups|group_ids|owners", "int", 0, groups - 1));
    Expr bit =
        let_always(s, "bit|flag_bit|mask_v", Q(s, "1 << _0", per_thread(s, "bit_ids|flags_in|kinds", "int", 0, 15)));
    const char *function = PICK(s, "atomic_or", "atomic_and", "atomic_xor", "atomic_max", "atomic_min", "atomic_exch");
    Expr out = array_param(s, ROLE_ATOMIC, "masks|group_flags|bit_sets", type_scalar(TYPE_INT32), 1, &groups, 0, 0);
    if (chance(s, 0.5))
        bit = let_always(s, "wide|spread_bits", Q(s, "_0 | (_0 << 1)", bit));
    if (chance(s, 0.4)) {
        Expr active = per_thread(s, "active|enabled|alive", "int", 0, 1);
        if_begin(s, Q(s, "_0 == 1", active));
        atomic(s, function, out, &g, 1, bit);
        block_end(s);
    } else {
        atomic(s, function, out, &g, 1, bit);
    }
    say(s, "merges flag bits of a group with %s", function);
}

void make_integer(Synth *s)
{
    uint32_t choice = below(s, 100);
    if (choice < 44) {
        make_generic(s);
        return;
    }
    launch_1d(s, "i|tid|idx");
    if (choice < 58)
        hash_rounds(s);
    else if (choice < 68)
        count_bits(s);
    else if (choice < 78)
        index_maths(s);
    else if (choice < 90)
        cell_keys(s);
    else
        integer_atomics(s);
    extra_statements(s, 9);
    s->kernel_stem = PICK(s, "encode", "bit_pass", "index_pass", "hash_keys", "pack_codes", "label_pass");
    s->entity = "entry";
}
