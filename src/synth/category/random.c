/* Random numbers: Monte Carlo sums, sampling, walks, noise. */
#include "synth/make.h"

static Expr start_state(Synth *s)
{
    Expr seed = scalar_param(s, "seed|rng_seed|random_seed", type_scalar(TYPE_INT32), 0, 1000), i = s->tid[0];
    if (s->dims == 2)
        i = let(s, "flat|offset|linear", Q(s, "_0 * _1 + _2", s->tid[0], integer(s, s->shape[1]), s->tid[1]));
    return let_always(s, "state|rng|rng_state",
                      chance(s, 0.75) ? Q(s, "wp.rand_init(_0, _1)", seed, i) : Q(s, "wp.rand_init(_0 + _1)", seed, i));
}

static Expr uniform(Synth *s, Expr state)
{
    switch (below(s, 4)) {
    case 0: return Q(s, "wp.randf(_0, _1, _2)", state, real(s, 0), real(s, nice_number(s, 0.5, 2)));
    case 1: return Q(s, "wp.randf(_0, _1, _2)", state, real(s, -1), real(s, 1));
    default: return Q(s, "wp.randf(_0)", state);
    }
}

static void monte_carlo(Synth *s)
{
    Expr state = start_state(s);
    uint32_t n = (uint32_t)between(s, 4, 32);
    Expr count = size_param(s, "samples|num_samples|trials", n), what_sum;
    uint32_t kind = below(s, 3);
    const Type *type = kind == 0 ? type_scalar(TYPE_INT32) : s->style.real;
    what_sum = let_mutable(s, kind == 0 ? "hits|inside|accepted" : "acc|total|estimate", zero(s, type));
    for_begin(s, "k|trial|n_s", (Expr){0}, count, 1);
    const char *what;
    if (kind == 0) {
        Expr x = let_always(s, "x|u|px", uniform(s, state)), y = let_always(s, "y|v|py", uniform(s, state));
        Expr inside = chance(s, 0.5) ? Q(s, "_0 * _0 + _1 * _1 < _2", x, y, real(s, nice_number(s, 0.5, 1)))
                                     : Q(s, "_0 < _1 * _1", y, x);
        if_begin(s, inside);
        accumulate(s, what_sum, OP_ADD, integer(s, 1));
        block_end(s);
        what = "counts random points that fall inside a region";
    } else {
        Expr u = let_always(s, "u|sample|x", uniform(s, state)), f;
        switch (below(s, 5)) {
        case 0: f = Q(s, "wp.exp(-_0 * _0)", u); break;
        case 1: f = Q(s, "wp.sin(_0 * _1)", u, setting(s, "freq|omega", 0.5, 4)); break;
        case 2: f = Q(s, "wp.sqrt(1.0 + _0 * _0)", u); break;
        case 3: f = Q(s, "_0 / (1.0 + wp.abs(_0))", u); break;
        default: f = Q(s, "_0 * _0 * (3.0 - 2.0 * _0)", u); break;
        }
        if (kind == 2)
            f = Q(s, "_0 * _1", let(s, "f_val|value", f), Q(s, "1.0 + 0.1 * wp.randn(_0)", state));
        accumulate(s, what_sum, OP_ADD, chance(s, 0.5) ? let_always(s, "fx|term|contrib", f) : f);
        what = "estimates an integral by random sampling";
    }
    block_end(s);
    Expr total = again(s, what_sum);
    if (kind == 0 && chance(s, 0.5))
        output_sum(s, "hit_count|total_hits", total);
    else
        output(s, "estimates|results|out",
               kind ? Q(s, "_0 / _1", total, real(s, n)) : Q(s, "float(_0) / _1", total, real(s, n)));
    say(s, "%s in %u trials", what, n);
}

static void random_walk(Synth *s)
{
    Expr state = start_state(s);
    bool flat = chance(s, 0.3);
    const Type *type = type_of(s, flat ? "vec2" : "vec3");
    Expr p = let_mutable(s, "p|pos|walker",
                         chance(s, 0.5) ? per_thread(s, "starts|origins|positions", flat ? "vec2" : "vec3", -1, 1)
                                        : zero(s, type));
    Expr size = setting(s, "step_size|stride|sigma", 0.01, 0.3);
    for_begin(s, "k|step_id|hop", (Expr){0}, size_param(s, "steps|num_steps|hops", (uint32_t)between(s, 4, 24)), 1);
    Expr dir = flat ? (chance(s, 0.5) ? Q(s, "wp.sample_unit_ring(_0)", state) : Q(s, "wp.sample_unit_disk(_0)", state))
                    : (chance(s, 0.5)   ? Q(s, "wp.sample_unit_sphere_surface(_0)", state)
                       : chance(s, 0.5) ? Q(s, "wp.sample_unit_sphere(_0)", state)
                                        : Q(s, "wp.sample_unit_cube(_0)", state));
    dir = let(s, "dir|hop_dir|d", dir);
    if (chance(s, 0.3) && !flat)
        dir = let_always(s, "biased|pushed",
                         Q(s, "_0 + _1", dir, scalar_param(s, "drift|wind|bias_dir", type, -0.5, 0.5)));
    accumulate(s, p, OP_ADD, Q(s, "_0 * _1", dir, size));
    block_end(s);
    Expr end = again(s, p);
    if (chance(s, 0.4))
        output(s, "ranges|travel|reach", Q(s, "wp.length(_0)", end));
    output(s, "ends|final_positions|endpoints", end);
    say(s, "follows a random walk");
}

static void sample_shapes(Synth *s)
{
    Expr state = start_state(s);
    Expr p;
    const char *what;
    switch (below(s, 6)) {
    case 0:
        p = Q(s, "wp.sample_unit_hemisphere_surface(_0)", state);
        what = "hemisphere directions";
        break;
    case 1:
        p = Q(s, "wp.sample_unit_hemisphere(_0)", state);
        what = "points in a hemisphere";
        break;
    case 2:
        p = Q(s, "wp.sample_unit_sphere(_0)", state);
        what = "points in a ball";
        break;
    case 3:
        p = Q(s, "wp.sample_unit_cube(_0)", state);
        what = "points in a cube";
        break;
    case 4: {
        Expr uv = let_always(s, "uv|bary|st", Q(s, "wp.sample_triangle(_0)", state));
        Expr a = per_thread(s, "corner_a|v0", "vec3", -1, 1), b = per_thread(s, "corner_b|v1", "vec3", -1, 1),
             c = per_thread(s, "corner_c|v2", "vec3", -1, 1);
        p = Q(s, "_0 * _3[0] + _1 * _3[1] + _2 * (1.0 - _3[0] - _3[1])", a, b, c, uv);
        what = "points on a triangle";
        break;
    }
    default: {
        Expr uv = let_always(s, "uv|square_p|st",
                             chance(s, 0.5) ? Q(s, "wp.sample_unit_square(_0)", state)
                                            : Q(s, "wp.sample_unit_disk(_0)", state));
        p = Q(s, "wp.vec3(_0[0], _1, _0[1])", uv, uniform(s, state));
        what = "points on a jittered patch";
    }
    }
    comment(s, "place the sample");
    p = let_always(s, "p|offset|sample_p", p);
    if (chance(s, 0.6))
        p = let_always(s, "moved|world_p|placed",
                       Q(s, "_0 * _1 + _2", p, setting(s, "radius|size|spread", 0.1, 2),
                         per_thread(s, "centers|origins|seeds_pos", "vec3", -2, 2)));
    if (chance(s, 0.4))
        output(s, "weights_out|pdf|shade",
               chance(s, 0.5) ? Q(s, "wp.max(wp.dot(_0, _1), 0.0)", p,
                                  scalar_param(s, "light_dir|axis_dir", type_of(s, "vec3"), -1, 1))
                              : Q(s, "wp.exp(-wp.min(wp.length_sq(_0), 9.0))", p));
    output(s, "points_out|samples_out|offsets", embellish(s, p));
    say(s, "draws random %s", what);
}

static void noise_field(Synth *s)
{
    Expr seed = scalar_param(s, "seed|noise_seed", type_scalar(TYPE_INT32), 0, 1000),
         state = let_always(s, "state|noise_state", Q(s, "wp.rand_init(_0)", seed));
    Expr p = let_always(s, "p|coord|pos", per_thread(s, "points|coords|positions", "vec3", -3, 3)),
         freq = setting(s, "frequency|scale|freq", 0.5, 3);
    Expr q = let(s, "q|scaled_p|sp", Q(s, "_0 * _1", p, freq)), value;
    const char *what;
    switch (below(s, 6)) {
    case 0: {
        uint32_t octaves = (uint32_t)between(s, 2, 6);
        Expr total = let_mutable(s, "total|height|fbm", zero(s, s->style.real)),
             amp = let_carried(s, "amp|gain_k", literal(s, s->style.real, 1), 0, 1),
             f = let_carried(s, "f_k|octave_f", literal(s, s->style.real, 1), 0, 300);
        for_count(s, "k|octave|layer", octaves);
        accumulate(s, total, OP_ADD, Q(s, "_0 * wp.noise(_1, _2 * _3)", again(s, amp), state, q, again(s, f)));
        assign(s, amp, Q(s, "_0 * 0.5", again(s, amp)));
        assign(s, f, Q(s, "wp.min(_0 * 2.0, 256.0)", again(s, f)));
        block_end(s);
        value = again(s, total);
        what = "fractal noise";
        break;
    }
    case 1:
        value = Q(s, "wp.noise(_0, wp.vec2(_1[0], _1[2]))", state, q);
        what = "planar noise";
        break;
    case 2:
        value = Q(s, "wp.pnoise(_0, _1, 4, 4, 4)", state, q);
        what = "periodic noise";
        break;
    case 3:
        value = Q(s, "wp.noise(_0, wp.vec4(_1[0], _1[1], _1[2], _2))", state, q, setting(s, "time|t_now", 0, 4));
        what = "time-varying noise";
        break;
    case 4:
        value = Q(s, "wp.length(wp.curlnoise(_0, _1))", state, q);
        what = "the size of curl noise";
        break;
    default:
        value = chance(s, 0.5) ? Q(s, "wp.noise(_0, _1[0])", state, q)
                               : Q(s, "wp.pnoise(_0, wp.vec2(_1[0], _1[1]), 8, 8)", state, q);
        what = "one- or two-dimensional noise";
        break;
    }
    comment(s, "noise at this place");
    value = let_always(s, "n|noise_v|value", value);
    if (chance(s, 0.4))
        value =
            let_always(s, "ridged|shaped",
                       chance(s, 0.5) ? Q(s, "1.0 - wp.abs(_0)", value) : Q(s, "wp.smoothstep(-0.5, 0.5, _0)", value));
    if (chance(s, 0.3))
        output(s, "flow|warped",
               Q(s, "_0 + wp.curlnoise(_1, _2) * _3", p, state, q, setting(s, "strength|warp", 0.01, 0.2)));
    output(s, "noise_out|heights|field", embellish(s, value));
    say(s, "evaluates %s", what);
}

static void distributions(Synth *s)
{
    Expr state = start_state(s), value;
    const char *what;
    switch (below(s, 8)) {
    case 6: {
        uint32_t n = (uint32_t)between(s, 4, 16);
        Expr cdf = input(s, "cdf|cumulative|weights_cdf", "float", n, 0, 1);
        for (uint32_t i = 0; i < s->array_count; i++)
            if (s->arrays[i] == cdf.array)
                s->arrays[i]->sorted = true;
        Expr k = let_always(s, "k|bucket|choice_id",
                            Q(s, "wp.min(wp.sample_cdf(_0, _1), _2)", state, cdf, integer(s, n - 1)));
        value = Q(s, "_0[_1]", input(s, "payoffs|levels|table", "float", n, -2, 2), k);
        what = "an entry by its cumulative probability";
        break;
    }
    case 7: {
        Expr r = let_always(s, "r|bits_r|raw",
                            Q(s, "wp.randu(_0, _1, _2)", state, literal(s, type_scalar(TYPE_UINT32), 1),
                              literal(s, type_scalar(TYPE_UINT32), between(s, 8, 64))));
        value = Q(s, "float(_0) * _1", r, per_thread(s, "units|sizes", "float", 0.1, 2));
        what = "a random whole multiple";
        break;
    }
    case 0: {
        Expr mean = per_thread(s, "means|mu", "float", -1, 1), sd = per_thread(s, "sigmas|std", "float", 0.1, 1);
        value = Q(s, "_0 + _1 * wp.randn(_2)", mean, sd, state);
        what = "a normal deviate";
        break;
    }
    case 1: {
        Expr u = let_always(s, "u|xi", Q(s, "wp.randf(_0, _1, _2)", state, real(s, 0.001), real(s, 0.999)));
        value = Q(s, "-wp.log(_0) / _1", u, per_thread(s, "rates|lambdas", "float", 0.5, 3));
        what = "an exponential deviate";
        break;
    }
    case 2: {
        Expr k = let_always(s, "k|face|roll", Q(s, "wp.randi(_0, 0, _1)", state, integer(s, between(s, 4, 12))));
        value = Q(s, "float(_0) * _1", k, per_thread(s, "prizes|payoff", "float", 0.1, 2));
        what = "the payoff of a die";
        break;
    }
    case 3: {
        Expr events =
            let_always(s, "events|arrivals", Q(s, "wp.poisson(_0, _1)", state, setting(s, "lam|mean_events", 1, 6)));
        value = Q(s, "float(_0) * _1", events, per_thread(s, "sizes|claim_size", "float", 0.1, 2));
        what = "a compound Poisson amount";
        break;
    }
    case 4: {
        Expr u = let_always(s, "u|threshold_u", Q(s, "wp.randf(_0)", state)),
             p = per_thread(s, "probabilities|accept_prob", "float", 0.1, 0.9);
        Expr proposed = per_thread(s, "proposals|candidate", "float", -2, 2),
             current = per_thread(s, "current|state_in", "float", -2, 2);
        value = where(s, Q(s, "_0 < _1", u, p), proposed, current);
        what = "a Metropolis choice";
        break;
    }
    default: {
        Expr a = let_always(s, "a|u1", Q(s, "wp.randf(_0, _1, _2)", state, real(s, 0.001), real(s, 1))),
             b = let_always(s, "b|u2", Q(s, "wp.randf(_0)", state));
        value = Q(s, "wp.sqrt(-2.0 * wp.log(_0) + 0.001) * wp.cos(6.28318 * _1)", a, b);
        what = "a Box-Muller deviate";
    }
    }
    if (s->style.real->kind != TYPE_FLOAT32)
        give_up(s, "only of single precision");
    comment(s, "final draw");
    value = let_always(s, "value|draw|sample_v", value);
    if (chance(s, 0.4))
        value = let_always(s, "clipped|bounded", Q(s, "wp.clamp(_0, -0.9, 0.9)", value));
    output(s, "draws|samples|out", embellish(s, value));
    say(s, "draws %s", what);
}

void make_random(Synth *s)
{
    static void (*const makers[])(Synth *) = {monte_carlo, random_walk, sample_shapes, noise_field, distributions};
    static const unsigned weights[] = {20, 14, 16, 20, 24};
    s->style.real = type_scalar(TYPE_FLOAT32); /* the generators know one precision */
    if (chance(s, 0.8))
        launch_1d(s, "tid|i|walker_id");
    else
        launch_grid(s, 2, "i");
    makers[rng_weighted(&s->rng, weights, 5)](s);
    extra_statements(s, 5);
    s->kernel_stem = PICK(s, "sample", "monte_carlo", "draw_samples", "random_field", "stochastic", "noise_pass");
    s->entity = "sample";
}
