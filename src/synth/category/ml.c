/* Activations, normalisation, losses, attention rows, layers, optimiser steps. */
#include "synth/make.h"

typedef struct Choice {
    const char *spoken;
    Expr value;
} Choice;

static Choice activation(Synth *s, Expr x)
{
    switch (below(s, 10)) {
    case 0: return (Choice){"ReLU", Q(s, "wp.max(_0, 0.0)", x)};
    case 1:
        return (Choice){"leaky ReLU", where(s, Q(s, "_0 > 0.0", x), x,
                                            Q(s, "_0 * _1", setting(s, "slope|leak|negative_slope", 0.01, 0.3), x))};
    case 2: return (Choice){"sigmoid", Q(s, "1.0 / (1.0 + wp.exp(-_0))", with_range(x, -10, 10))};
    case 3: return (Choice){"tanh", Q(s, "wp.tanh(_0)", x)};
    case 4: return (Choice){"SiLU", Q(s, "_0 / (1.0 + wp.exp(-_0))", with_range(x, -10, 10))};
    case 5:
        return (Choice){"GELU", chance(s, 0.5)
                                    ? Q(s, "0.5 * _0 * (1.0 + wp.erf(_0 * 0.70711))", with_range(x, -8, 8))
                                    : Q(s, "0.5 * _0 * (1.0 + wp.tanh(0.79788 * (_0 + 0.044715 * _0 * _0 * _0)))",
                                        with_range(x, -8, 8))};
    case 6: return (Choice){"softplus", Q(s, "wp.log(1.0 + wp.exp(_0))", with_range(x, -10, 10))};
    case 7:
        return (Choice){
            "ELU", where(s, Q(s, "_0 > 0.0", x), x,
                         Q(s, "_0 * (wp.exp(wp.min(_1, 0.0)) - 1.0)", setting(s, "alpha|elu_alpha", 0.5, 1.5), x))};
    case 8: return (Choice){"hard sigmoid", Q(s, "wp.clamp(_0 * 0.2 + 0.5, 0.0, 1.0)", x)};
    default: return (Choice){"softsign", Q(s, "_0 / (1.0 + wp.abs(_0))", x)};
    }
}

/* Bounded by hand: with_range() above only holds where the input is small enough. */
static Expr small(Synth *s, Expr x)
{
    return x.range.low < -8 || x.range.high > 8 ? Q(s, "wp.clamp(_0, -8.0, 8.0)", x) : x;
}

static void elementwise(Synth *s)
{
    launch_grid(s, 1 + below(s, 3), "i");
    Expr x = let_always(s, "x|z|pre|v", per_thread(s, "x|inputs|pre_activation|logits", "float", -3, 3));
    if (chance(s, 0.5))
        x = let_always(
            s, "z|biased|shifted",
            Q(s, "_0 + _1", x,
              chance(s, 0.5) ? per_thread(s, "bias|offsets", "float", -1, 1) : setting(s, "bias|shift", -1, 1)));
    if (chance(s, 0.4))
        x = let_always(s, "scaled|zs", Q(s, "_0 * _1", x, setting(s, "scale|temperature|gain", 0.25, 1.5)));
    Choice act = activation(s, small(s, x));
    comment(s, "activation");
    Expr y = let_always(s, "y|act|h|activated", act.value);
    if (chance(s, 0.3))
        y = let_always(s, "dropped|masked", Q(s, "_0 * _1", y, per_thread(s, "mask|keep|dropout_mask", "float", 0, 1)));
    if (chance(s, 0.35))
        y = let_always(s, "residual|skip_sum",
                       Q(s, "_0 + _1", y, per_thread(s, "skip|shortcut|residual_in", "float", -2, 2)));
    if (chance(s, 0.35)) {
        Choice gate = activation(s, per_thread(s, "gates|gate_in", "float", -3, 3));
        y = let_always(s, "gated|mixed", Q(s, "_0 * _1", y, gate.value));
    }
    extra_statements(s, 2);
    output(s, "y|out|activations|outputs", embellish(s, y));
    s->kernel_stem = PICK(s, "activate", "apply_activation", "pointwise_layer", "fused_activation");
    s->entity = "unit";
    say(s, "applies the %s activation", act.spoken);
}

static void dense_layer(Synth *s)
{
    uint32_t shape[2] = {(uint32_t)between(s, 6, 20), (uint32_t)between(s, 6, 20)}, width = (uint32_t)between(s, 4, 16);
    const char *names[2] = {PICK(s, "b|n|row|sample"), PICK(s, "o|j|unit|col")};
    launch(s, 2, shape, names);
    uint32_t xs[2] = {shape[0], width}, ws[2] = {shape[1], width}, wt[2] = {width, shape[1]};
    bool turned = chance(s, 0.4);
    Expr x = array_in(s, "x|inputs|features", s->style.real, 2, xs, -1, 1),
         w = array_in(s, "w|weights|kernel_w", s->style.real, 2, turned ? wt : ws, -1, 1);
    Expr acc = let_mutable(s, "acc|z|total",
                           chance(s, 0.5) ? zero(s, s->style.real)
                                          : at(s, input(s, "bias|b_vec|biases", "float", shape[1], -1, 1), s->tid[1]));
    bool fixed = chance(s, 0.75);
    Expr k = fixed ? for_count(s, "k|i|f", width)
                   : for_begin(s, "k|i|f", (Expr){0}, size_param(s, "width|in_features|fan_in", width), 1);
    Expr wk = turned ? Q(s, "_0[_1, _2]", w, k, s->tid[1]) : Q(s, "_0[_1, _2]", w, s->tid[1], k),
         xk = Q(s, "_0[_1, _2]", x, s->tid[0], k);
    accumulate(s, acc, OP_ADD, chance(s, 0.5) ? Q(s, "_0 * _1", wk, xk) : Q(s, "_1 * _0", wk, xk));
    block_end(s);
    Expr z = again(s, acc);
    Choice act = {"no", z};
    if (fixed || chance(s, 0.1))
        act = activation(s, small(s, z));
    output(s, "y|outputs|hidden",
           embellish(s, chance(s, 0.5) && act.value.type ? let_always(s, "y_val|h", act.value) : act.value));
    s->kernel_stem = PICK(s, "dense_layer", "linear_forward", "fully_connected", "matmul_bias");
    s->entity = "output unit";
    say(s, "computes a dense layer with %s activation", act.spoken);
}

/* ---- rows: normalisation, softmax, attention ---- */

typedef struct Row {
    Expr data, width;
    uint32_t n;
    bool fixed;
} Row;

static Row row_of(Synth *s, const char *names, double low, double high)
{
    Row row = {.n = (uint32_t)between(s, 3, 16), .fixed = chance(s, 0.8)};
    uint32_t shape[2] = {s->shape[0], row.n};
    row.data = array_in(s, names, s->style.real, 2, shape, low, high);
    row.width = row.fixed ? integer(s, row.n) : size_param(s, "width|num_classes|dim_k|cols", row.n);
    if (row.fixed && chance(s, 0.5))
        row.width = module_constant(s, "width|num_classes|row_len|features", type_scalar(TYPE_INT32), row.n);
    return row;
}

static Expr row_loop(Synth *s, Row *row, Expr *value)
{
    Expr k = for_begin(s, "k|j|c|f", (Expr){0}, row->width, 1);
    *value = Q(s, "_0[_1, _2]", row->data, s->tid[0], k);
    return k;
}

static void normalise_row(Synth *s)
{
    launch_1d(s, "row|tid|n|sample");
    Row row = row_of(s, "x|inputs|rows|activations", -2, 2);
    bool rms = chance(s, 0.35);
    Expr v, mean = {0};
    if (!rms) {
        Expr sum = let_mutable(s, "mean|mu|total", zero(s, s->style.real));
        row_loop(s, &row, &v);
        bool early = chance(s, 0.5); /* divided within the loop, or after it */
        accumulate(s, sum, OP_ADD, early ? Q(s, "_0 / _1", v, real(s, row.n)) : v);
        block_end(s);
        mean = early ? again(s, sum)
                     : let_always(s, "avg|center|mean_val", Q(s, "_0 / _1", again(s, sum), real(s, row.n)));
    }
    Expr var = let_mutable(s, "var|variance|sq_sum", zero(s, s->style.real));
    row_loop(s, &row, &v);
    Expr d = rms ? let(s, "v|val", v) : let_always(s, "d|diff|dev", Q(s, "_0 - _1", v, mean));
    accumulate(s, var, OP_ADD, square_of(s, d));
    block_end(s);
    Expr eps = setting(s, "eps|epsilon", 0.001, 0.01);
    comment(s, "normalise by the spread");
    Expr inv = let_always(s, "inv_std|rstd|scale_r",
                          Q(s, "1.0 / wp.sqrt(_0 / _1 + _2)", with_range(again(s, var), 0, 1e9), real(s, row.n), eps));
    Expr k = row_loop(s, &row, &v);
    Expr y = rms ? Q(s, "_0 * _1", v, inv) : Q(s, "(_0 - _1) * _2", v, mean, inv);
    if (chance(s, 0.6)) {
        Expr gamma = input(s, "gamma|gain|weight", "float", row.n, 0.5, 1.5);
        y = Q(s, "_0 * _1[_2]", y, gamma, k);
        if (chance(s, 0.6))
            y = Q(s, "_0 + _1[_2]", y, input(s, "beta|shift|bias", "float", row.n, -1, 1), k);
    }
    uint32_t shape[2] = {s->shape[0], row.n};
    Expr out = array_out(s, "y|normalized|out", s->style.real, 2, shape), index[2] = {s->tid[0], k};
    store(s, out, index, 2, y);
    block_end(s);
    s->kernel_stem = rms ? PICK(s, "rms_norm", "root_mean_square_norm")
                         : PICK(s, "layer_norm", "normalize_rows", "standardize_rows");
    s->entity = "row";
    say(s, "normalises %u features by %s", row.n, rms ? "their root mean square" : "mean and standard deviation");
}

/* The largest of a row, by wp.max or by comparison. */
static Expr row_max(Synth *s, Row *row)
{
    Expr v, best = let_carried(s, "top|peak|max_val", Q(s, "_0[_1, 0]", row->data, s->tid[0]), row->data.range.low,
                               row->data.range.high);
    Expr first = integer(s, 1), k = for_begin(s, "k|j|c", first, row->width, 1);
    v = Q(s, "_0[_1, _2]", row->data, s->tid[0], k);
    if (chance(s, 0.8)) {
        assign(s, best, Q(s, "wp.max(_0, _1)", again(s, best), v));
    } else {
        if_begin(s, compare(s, OP_GT, v, again(s, best)));
        assign(s, best, v);
        block_end(s);
    }
    block_end(s);
    return again(s, best);
}

static void softmax_row(Synth *s)
{
    launch_1d(s, "row|tid|n|sample");
    Row row = row_of(s, "logits|scores|x", -3, 3);
    Expr v, top = chance(s, 0.7) ? row_max(s, &row) : (Expr){0};
    Expr inv_t = chance(s, 0.4) ? setting(s, "inv_temperature|sharpness", 0.25, 1) : (Expr){0};
    Expr sum = let_mutable(s, "denom|total|z", zero(s, s->style.real));
    row_loop(s, &row, &v);
    Expr z = top.type ? Q(s, "_0 - _1", v, top) : v;
    if (inv_t.type)
        z = Q(s, "(_0) * _1", z, inv_t);
    Expr ez = let(s, "ez|weight_k|expd", Q(s, "wp.exp(_0)", z));
    accumulate(s, sum, OP_ADD, ez);
    block_end(s);
    sum = with_range(again(s, sum), 1e-6, 1e9);
    sum.range.low = 1e-4;
    uint32_t shape[2] = {s->shape[0], row.n};
    const char *what;
    uint32_t choice = below(s, 4);
    if (choice == 0) { /* cross entropy */
        Expr label =
            let_always(s, "label|target|cls",
                       at(s, array_in(s, "labels|targets|classes", type_scalar(TYPE_INT32), 1, s->shape, 0, row.n - 1),
                          s->tid[0]));
        Expr chosen = Q(s, "_0[_1, _2]", row.data, s->tid[0], label);
        Expr loss = top.type && !inv_t.type ? Q(s, "wp.log(_0) + _1 - _2", sum, top, chosen)
                                            : Q(s, "wp.log(_0) - _1", sum, chosen);
        loss = let_always(s, "nll|loss_i|ce", loss);
        if (chance(s, 0.5))
            output_sum(s, "loss|total_loss", chance(s, 0.5) ? loss : Q(s, "_0 / _1", loss, real(s, s->shape[0])));
        else
            output(s, "losses|loss_out", embellish(s, loss));
        what = "computes the cross-entropy of a row of logits";
    } else if (choice == 1) { /* attention */
        Expr values = array_in(s, "values|v_mat|tokens", s->style.real, 2, shape, -1, 1),
             mixed = let_mutable(s, "mixed|context|attended", zero(s, s->style.real));
        Expr k = row_loop(s, &row, &v);
        z = top.type ? Q(s, "_0 - _1", v, top) : v;
        accumulate(s, mixed, OP_ADD, Q(s, "wp.exp(_0) / _1 * _2[_3, _4]", z, sum, values, s->tid[0], k));
        block_end(s);
        output(s, "context_out|attended_out|out", embellish(s, again(s, mixed)));
        what = "mixes values by softmax attention weights";
    } else {
        Expr k = row_loop(s, &row, &v);
        z = top.type ? Q(s, "_0 - _1", v, top) : v;
        if (inv_t.type)
            z = Q(s, "(_0) * _1", z, inv_t);
        Expr out = array_out(s, "probs|weights_out|y", s->style.real, 2, shape), index[2] = {s->tid[0], k};
        store(s, out, index, 2, choice == 2 ? Q(s, "wp.exp(_0) / _1", z, sum) : Q(s, "_0 - wp.log(_1)", z, sum));
        block_end(s);
        what = choice == 2 ? "turns a row of scores into softmax probabilities"
                           : "turns a row of scores into log-probabilities";
    }
    s->kernel_stem = PICK(s, "softmax_rows", "row_softmax", "score_rows", "attention_row");
    s->entity = "row";
    say(s, "%s", what);
}

/* ---- losses and optimisers ---- */

static void loss(Synth *s)
{
    launch_grid(s, 1 + (chance(s, 0.3) ? 1u : 0u), "i");
    Expr p = let(s, "p|pred|yhat", per_thread(s, "predictions|pred|outputs", "float", -2, 2)),
         t = let(s, "t|target|y_true", per_thread(s, "targets|labels|truth", "float", -2, 2));
    comment(s, "prediction error");
    Expr d = let_always(s, "err|d|diff|residual", Q(s, "_0 - _1", p, t)), value;
    const char *what;
    switch (below(s, 6)) {
    case 0:
        value = square_of(s, d);
        what = "squared error";
        break;
    case 1:
        value = Q(s, "wp.abs(_0)", d);
        what = "absolute error";
        break;
    case 2: {
        Expr delta = setting(s, "delta|huber_delta", 0.25, 1.5), a = let_always(s, "a|abs_err", Q(s, "wp.abs(_0)", d));
        if (chance(s, 0.5)) {
            value =
                where(s, Q(s, "_0 < _1", a, delta), Q(s, "0.5 * _0 * _0", d), Q(s, "_0 * (_1 - 0.5 * _0)", delta, a));
        } else {
            Expr v = let_mutable(s, "value|l_i", Q(s, "0.5 * _0 * _0", d));
            if_begin(s, Q(s, "_0 > _1", a, delta));
            assign(s, v, Q(s, "_0 * (_1 - 0.5 * _0)", delta, a));
            block_end(s);
            value = again(s, v);
        }
        what = "Huber loss";
        break;
    }
    case 3:
        value = Q(s, "wp.log(wp.cosh(wp.clamp(_0, -4.0, 4.0)))", d);
        what = "log-cosh loss";
        break;
    case 4:
        value = Q(s, "wp.max(1.0 - _0 * wp.sign(_1), 0.0)", p, t);
        what = "hinge loss";
        break;
    default:
        value = Q(s, "wp.sqrt(_0 * _0 + _1)", d, real(s, nice_number(s, 0.01, 0.1)));
        what = "Charbonnier loss";
        break;
    }
    if (chance(s, 0.4))
        value = let_always(s, "weighted|w_loss",
                           Q(s, "_0 * _1", value, per_thread(s, "sample_weight|weights|importance", "float", 0.1, 2)));
    if (chance(s, 0.3))
        value = Q(s, "_0 + _1 * _2 * _2", value, setting(s, "l2|weight_decay|reg", 0.001, 0.1), p);
    value = let_always(s, "loss_i|item_loss|l_val", value);
    extra_statements(s, 2);
    if (chance(s, 0.5))
        output(s, "losses|per_item|loss_out", embellish(s, value));
    else
        output_sum(s, "loss|total_loss|loss_sum",
                   chance(s, 0.5) ? value : Q(s, "_0 * _1", value, setting(s, "inv_count|norm_factor", 0.01, 0.1)));
    s->kernel_stem = PICK(s, "loss_terms", "weighted_loss", "regression_loss", "item_losses");
    s->entity = "sample";
    say(s, "computes the %s of predictions against targets", what);
}

static void optimiser(Synth *s)
{
    launch_1d(s, "tid|i|p_id");
    Expr w = let(s, "w|theta|param", per_thread(s, "params|weights|theta_in", "float", -1, 1)),
         g = let(s, "g|grad|dw", per_thread(s, "grads|gradients|dw_in", "float", -1, 1));
    Expr lr = scalar_param(s, "lr|learning_rate|step_size", s->style.real, 0.001, 0.1), step;
    const char *what;
    if (chance(s, 0.3))
        g = let_always(s, "g_clip|clipped", Q(s, "wp.clamp(_0, -_1, _1)", g, setting(s, "clip|max_grad", 0.25, 0.9)));
    if (chance(s, 0.3))
        g = let_always(s, "g_reg|decayed", Q(s, "_0 + _1 * _2", g, setting(s, "weight_decay|l2", 0.001, 0.1), w));
    uint32_t kind = below(s, 5);
    if (kind == 0) {
        step = Q(s, "_0 * _1", lr, g);
        what = "plain gradient descent";
    } else if (kind == 1) {
        comment(s, "running average of the gradient");
        Expr m = let_always(s, "m|vel|mom",
                            Q(s, "_0 * _1 + _2", setting(s, "momentum|beta", 0.8, 0.95),
                              per_thread(s, "momenta|velocity|m_in", "float", -1, 1), g));
        output(s, "momenta_out|velocity_out|m_out", m);
        step = chance(s, 0.5) ? Q(s, "_0 * _1", lr, m) : Q(s, "_0 * (_1 + _2 * _3)", lr, g, real(s, 0.9), m);
        what = "momentum";
    } else {
        Expr b1 = setting(s, "beta1|b1", 0.85, 0.95), b2 = setting(s, "beta2|b2|rho", 0.95, 0.999),
             eps = real(s, chance(s, 0.5) ? 1e-4 : 1e-3);
        comment(s, "running average of its square");
        Expr v = let_always(s, "v|sq|second",
                            Q(s, "_0 * _1 + (1.0 - _0) * _2 * _2", b2,
                              per_thread(s, "second_moment|v_in|sq_avg", "float", 0.01, 1), g));
        v = with_range(v, 1e-4, 1e3);
        output(s, "second_out|v_out|sq_out", v);
        Expr m = g;
        what = "RMSProp";
        if (kind > 2) {
            m = let_always(
                s, "m|first|avg_g",
                Q(s, "_0 * _1 + (1.0 - _0) * _2", b1, per_thread(s, "first_moment|m_in|avg", "float", -1, 1), g));
            output(s, "first_out|m_out|avg_out", m);
            what = "Adam";
            if (chance(s, 0.5)) {
                Expr t = setting(s, "t_step|bias_power", 1, 5);
                m = let_always(s, "m_hat|mh", Q(s, "_0 / (1.0 - wp.pow(_1, _2))", m, real(s, 0.9), t));
                v = let_always(s, "v_hat|vh", Q(s, "_0 / (1.0 - wp.pow(_1, _2))", v, real(s, 0.95), t));
            }
        }
        v.range.low = v.range.low > 1e-5 ? v.range.low : 1e-5;
        step = chance(s, 0.6) ? Q(s, "_0 * _1 / (wp.sqrt(_2) + _3)", lr, m, v, eps)
                              : Q(s, "_0 * _1 / wp.sqrt(_2 + _3)", lr, m, v, eps);
    }
    comment(s, "gradient step");
    Expr next = let_always(s, "w_new|updated|next_w",
                           Q(s, "_0 - _1", w, chance(s, 0.5) ? let_always(s, "step_w|update|delta_w", step) : step));
    extra_statements(s, 2);
    output(s, "params_out|weights_out|theta_out", chance(s, 0.2) ? Q(s, "wp.clamp(_0, -0.9, 0.9)", next) : next);
    s->kernel_stem = PICK(s, "optimizer_step", "update_params", "gradient_step", "apply_gradients");
    s->entity = "parameter";
    say(s, "updates a parameter by %s", what);
}

void make_ml(Synth *s)
{
    static void (*const makers[])(Synth *) = {elementwise, dense_layer, normalise_row, softmax_row, loss, optimiser};
    static const unsigned weights[] = {18, 12, 14, 20, 18, 18};
    makers[rng_weighted(&s->rng, weights, 6)](s);
    extra_statements(s, 3);
}
