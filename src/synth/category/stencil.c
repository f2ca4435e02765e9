/* Neighbours on 2-D and 3-D grids: what is taken from them, how the boundary is met, what becomes of it. */
#include "synth/make.h"

#include <string.h>

typedef enum Boundary { BOUNDARY_CLAMP, BOUNDARY_WRAP, BOUNDARY_SKIP, BOUNDARY_MIRROR } Boundary;

typedef struct Grid {
    Expr field, size[3];
    Boundary boundary;
    bool named; /* shifted indices get variables */
} Grid;

/* The index of the neighbour `by` steps along an axis. */
static Expr shifted(Synth *s, Grid *grid, uint32_t axis, int by)
{
    Expr i = s->tid[axis], n = grid->size[axis], steps = integer(s, by < 0 ? -by : by);
    if (!by)
        return i;
    switch (grid->boundary) {
    case BOUNDARY_CLAMP:
        return by < 0 ? Q(s, "wp.max(_0 - _1, 0)", i, steps) : Q(s, "wp.min(_0 + _1, _2 - 1)", i, steps, n);
    case BOUNDARY_WRAP: return by < 0 ? Q(s, "(_0 + _2 - _1) % _2", i, steps, n) : Q(s, "(_0 + _1) % _2", i, steps, n);
    case BOUNDARY_MIRROR:
        return by < 0 ? Q(s, "wp.abs(_0 - _1)", i, steps) : Q(s, "wp.clamp(_0 + _1, 0, _2 - 1)", i, steps, n);
    default: return by < 0 ? Q(s, "_0 - _1", i, steps) : Q(s, "_0 + _1", i, steps);
    }
}

static Expr neighbour(Synth *s, Grid *grid, const int *by, const char *names)
{
    Expr index[4];
    for (uint32_t axis = 0; axis < s->dims; axis++) {
        index[axis] = shifted(s, grid, axis, by[axis]);
        if (by[axis] && grid->named && index[axis].type)
            index[axis] = let_always(s,
                                     axis == 0   ? (by[axis] < 0 ? "im|prev_i|i_lo" : "ip|next_i|i_hi")
                                     : axis == 1 ? (by[axis] < 0 ? "jm|prev_j|j_lo" : "jp|next_j|j_hi")
                                                 : (by[axis] < 0 ? "km|prev_k|k_lo" : "kp|next_k|k_hi"),
                                     index[axis]);
    }
    Expr value = subscript(s, grid->field, index, s->dims);
    return names ? let(s, names, value) : value;
}

static const char *side_names(uint32_t axis, int by)
{
    static const char *const low[] = {"left|west|u_im", "down|south|u_jm", "back|u_km"}, *const high[] = {
                                                                                             "right|east|u_ip",
                                                                                             "up|north|u_jp",
                                                                                             "front|u_kp"};
    return by < 0 ? low[axis] : high[axis];
}

static Expr laplacian(Synth *s, Grid *grid, Expr centre)
{
    Expr sum = {0};
    for (uint32_t axis = 0; axis < s->dims; axis++)
        for (int by = -1; by <= 1; by += 2) {
            int offset[4] = {0};
            offset[axis] = by;
            Expr value = neighbour(s, grid, offset, side_names(axis, by));
            sum = sum.type ? Q(s, "_0 + _1", sum, value) : value;
        }
    sum = chance(s, 0.3) ? let_always(s, "ring|neighbors|nbr_sum", sum) : sum;
    return let_always(s, "lap|laplacian|curvature|diffusion",
                      Q(s, "_0 - _1 * _2", sum, real(s, 2.0 * s->dims), centre));
}

/* Weighted neighbours in two unrolled loops. */
static Expr box_sum(Synth *s, Grid *grid, const char **what)
{
    Expr total = let_mutable(s, "acc|total|blurred|filtered", zero(s, grid->field.array->dtype));
    Expr offset[4];
    uint32_t shape[4] = {3, 3, 3};
    bool weighted = chance(s, 0.5);
    Expr weights = weighted
                       ? array_in(s, "weights|kernel_weights|filter_taps|mask", s->style.real, s->dims, shape, -1, 1)
                       : (Expr){0};
    for (uint32_t axis = 0; axis < s->dims; axis++) {
        static const char *const names[] = {"di|dy|a", "dj|dx|b", "dk|dz|c"};
        Expr first = integer(s, -1), last = integer(s, 2);
        offset[axis] = weighted ? for_count(s, names[axis], 3) : for_begin(s, names[axis], first, last, 1);
    }
    Expr index[4];
    for (uint32_t axis = 0; axis < s->dims; axis++) {
        Expr moved =
            weighted ? Q(s, "_0 + _1 - 1", s->tid[axis], offset[axis]) : Q(s, "_0 + _1", s->tid[axis], offset[axis]);
        index[axis] = grid->boundary == BOUNDARY_WRAP   ? Q(s, "(_0 + _1) % _1", moved, grid->size[axis])
                      : grid->boundary == BOUNDARY_SKIP ? moved
                                                        : Q(s, "wp.clamp(_0, 0, _1 - 1)", moved, grid->size[axis]);
        if (chance(s, 0.4))
            index[axis] = let_always(s, axis == 0 ? "ni|yy|ii" : axis == 1 ? "nj|xx|jj" : "nk|zz|kk", index[axis]);
    }
    Expr value = subscript(s, grid->field, index, s->dims);
    if (weighted)
        value = binary(s, OP_MULT, subscript(s, weights, offset, s->dims), value);
    accumulate(s, total, OP_ADD, value);
    for (uint32_t axis = 0; axis < s->dims; axis++)
        block_end(s);
    *what = weighted ? "a weighted sum of the surrounding block" : "the mean of the surrounding block";
    total = again(s, total);
    return weighted ? total : let(s, "mean|average", Q(s, "_0 / _1", total, real(s, s->dims == 2 ? 9 : 27)));
}

static Expr gradient_size(Synth *s, Grid *grid, const char **what)
{
    Expr parts[3], scale = setting(s, "inv_dx|half_inv_h|inv_spacing", 0.5, 4);
    for (uint32_t axis = 0; axis < s->dims; axis++) {
        int up[4] = {0}, down[4] = {0};
        up[axis] = 1;
        down[axis] = -1;
        Expr a = neighbour(s, grid, up, side_names(axis, 1)), b = neighbour(s, grid, down, side_names(axis, -1));
        parts[axis] = let_always(s,
                                 axis == 0   ? "gx|du_dx|slope_x"
                                 : axis == 1 ? "gy|du_dy|slope_y"
                                             : "gz|du_dz|slope_z",
                                 Q(s, "(_0 - _1) * _2", a, b, scale));
    }
    *what = "the magnitude of the central-difference gradient";
    if (chance(s, 0.4)) {
        Expr g =
            let_always(s, "grad|gradient", construct(s, type_vec(s->types, s->dims, s->style.real), parts, s->dims));
        return Q(s, "wp.sqrt(wp.dot(_0, _0) + 1.0e-3)", g);
    }
    Expr sum = square_of(s, parts[0]);
    for (uint32_t axis = 1; axis < s->dims; axis++)
        sum = Q(s, "_0 + _1 * _1", sum, parts[axis]);
    return Q(s, "wp.sqrt(_0 + 1.0e-3)", sum);
}

/* Upwind differences of a field carried by a velocity. */
static Expr advection(Synth *s, Grid *grid, Expr centre, const char **what)
{
    Expr total = {0}, dt = setting(s, "dt|time_step|cfl", 0.01, 0.2);
    for (uint32_t axis = 0; axis < s->dims; axis++) {
        int up[4] = {0}, down[4] = {0};
        up[axis] = 1;
        down[axis] = -1;
        Expr u = let(s,
                     axis == 0   ? "ux|vel_x|u_c"
                     : axis == 1 ? "uy|vel_y|v_c"
                                 : "uz|vel_z|w_c",
                     per_thread(s,
                                axis == 0   ? "u_vel|vx"
                                : axis == 1 ? "v_vel|vy"
                                            : "w_vel|vz",
                                "float", -1, 1));
        Expr low = Q(s, "_0 - _1", centre, neighbour(s, grid, down, side_names(axis, -1))),
             high = Q(s, "_0 - _1", neighbour(s, grid, up, side_names(axis, 1)), centre);
        Expr slope = let_always(s,
                                axis == 0   ? "dx_up|slope_x"
                                : axis == 1 ? "dy_up|slope_y"
                                            : "dz_up|slope_z",
                                where(s, Q(s, "_0 > 0.0", u), low, high));
        Expr term = Q(s, "_0 * _1", u, slope);
        total = total.type ? Q(s, "_0 + _1", total, term) : term;
    }
    *what = "one upwind advection step";
    return Q(s, "_0 - _1 * (_2)", centre, dt, total);
}

static Expr limited(Synth *s, Grid *grid, Expr centre, const char **what)
{
    Expr low = let_mutable(s, "lowest|lo_val|vmin", centre), high = let_mutable(s, "highest|hi_val|vmax", centre);
    for (uint32_t axis = 0; axis < s->dims; axis++)
        for (int by = -1; by <= 1; by += 2) {
            int offset[4] = {0};
            offset[axis] = by;
            Expr value = neighbour(s, grid, offset, side_names(axis, by));
            assign(s, low, Q(s, "wp.min(_0, _1)", again(s, low), value));
            assign(s, high, Q(s, "wp.max(_0, _1)", again(s, high), value));
        }
    low = again(s, low);
    high = again(s, high);
    *what = chance(s, 0.5) ? "the local spread of neighbours" : "the midpoint of the neighbourhood's extremes";
    return strcmp(*what, "the local spread of neighbours") == 0 ? Q(s, "_0 - _1", high, low)
                                                                : Q(s, "0.5 * (_0 + _1)", high, low);
}

void make_stencil(Synth *s)
{
    const char *what = "";
    launch_grid(s, chance(s, 0.72) ? 2 : 3, "i");
    Grid grid = {.boundary = (Boundary)below(s, 4), .named = chance(s, 0.25)};
    Word word = theme_word(s, s->style.real);
    grid.field = array_in(s, about(s, word.name, "u|field|*|cells|grid_in|phi"), s->style.real, s->dims, s->shape,
                          word.range.low, word.range.high);
    for (uint32_t axis = 0; axis < s->dims; axis++)
        grid.size[axis] = chance(s, 0.5) ? extent(s, grid.field, axis)
                                         : size_param(s,
                                                      axis == 0   ? "width|nx|rows"
                                                      : axis == 1 ? "height|ny|cols"
                                                                  : "depth|nz|layers",
                                                      s->shape[axis]);
    for (uint32_t axis = 0; axis < s->dims && chance(s, 0.3); axis++)
        grid.size[axis] = let_always(s,
                                     axis == 0   ? "ni|n_rows|sx"
                                     : axis == 1 ? "nj|n_cols|sy"
                                                 : "nk|n_layers|sz",
                                     grid.size[axis]);
    Expr out = array_out(s, "out|u_next|field_out|result|phi_new", s->style.real, s->dims, s->shape);
    Expr centre = let(s, "c|centre|u_c|here", subscript(s, grid.field, s->tid, s->dims));
    if (grid.boundary == BOUNDARY_SKIP) {
        Expr edge = {0};
        for (uint32_t axis = 0; axis < s->dims; axis++) {
            Expr low = chance(s, 0.5) ? Q(s, "_0 == 0", s->tid[axis]) : Q(s, "_0 < 1", s->tid[axis]);
            Expr high = Q(s, "_0 >= _1 - 1", s->tid[axis], grid.size[axis]);
            edge = edge.type ? both(s, OP_OR, edge, low) : low;
            edge = both(s, OP_OR, edge, high);
        }
        comment(s, "keep the boundary");
        if_begin(s, edge);
        if (chance(s, 0.6))
            store_at_tid(s, out, centre);
        else
            store_at_tid(s, out, real(s, 0));
        return_early(s);
        block_end(s);
        for (uint32_t axis = 0; axis < s->dims; axis++)
            refine(s, s->tid[axis], 1, (double)s->shape[axis] - 2);
    }
    Expr result;
    switch (below(s, 6)) {
    case 0:
    case 1: {
        Expr lap = laplacian(s, &grid, centre), rate = setting(s, "alpha|diffusivity|kappa|rate", 0.01, 0.2);
        result = chance(s, 0.6)
                     ? Q(s, "_0 + _1 * _2", centre, rate, lap)
                     : Q(s, "_0 * (1.0 - _1) + _1 * _2", centre, setting(s, "decay|damping|leak", 0.01, 0.2), lap);
        if (chance(s, 0.4))
            result = Q(s, "_0 + _1 * _2", result, setting(s, "dt|time_step", 0.01, 0.1),
                       per_thread(s, "source|heat_source|forcing", "float", -1, 1));
        if (chance(s, 0.25))
            result = Q(s, "_0 + _1 * _2 * (1.0 - _2)", result, setting(s, "growth|reaction", 0.05, 0.5), centre);
        what = "one explicit diffusion step";
        break;
    }
    case 2: result = box_sum(s, &grid, &what); break;
    case 3: result = gradient_size(s, &grid, &what); break;
    case 4: result = advection(s, &grid, centre, &what); break;
    default: result = limited(s, &grid, centre, &what); break;
    }
    if (chance(s, 0.35))
        extra_statements(s, 3);
    store_at_tid(s, out, embellish(s, result));
    static const char *const boundary[] = {"clamped", "periodic", "fixed", "mirrored"};
    s->entity = "cell";
    s->kernel_stem = PICK(s, "stencil_step", "grid_update", "smooth_field", "filter_grid", "relax_field", "field_pass");
    say(s, "computes %s with %s boundaries", what, boundary[grid.boundary]);
}
