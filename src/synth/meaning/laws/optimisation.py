"""Root finding, line search, barriers and test functions."""


@law("optimisation", "the square root by eight steps of Newton's method")
def newton_sqrt(a: positive_value) -> root_value:
    x = float(1.0)
    if a > 1.0:
        x = a
    for i in range(8):
        x = 0.5 * (x + a / x)
    return x


@law("optimisation", "the eccentric anomaly by Newton's method on Kepler's equation")
def solve_kepler(mean: mean_anomaly, e: eccentricity) -> eccentric_anomaly:
    x = mean + e * wp.sin(mean)
    for i in range(6):
        f = x - e * wp.sin(x) - mean
        x = x - f / (1.0 - e * wp.cos(x))
    return x


@law("optimisation", "the inverse of a number by Newton's method, without division")
def newton_reciprocal(a: near_one_value) -> root_value:
    x = float(1.0)
    for i in range(8):
        x = x * (2.0 - a * x)
    return x


@law("optimisation", "the smaller root of a quadratic equation, or zero where there is none")
def smaller_root(a: quadratic_coefficient, b: linear_coefficient, c: constant_coefficient) -> root_value:
    disc = b * b - 4.0 * a * c
    if disc < 0.0:
        return 0.0
    return (-b - wp.sqrt(disc)) / (2.0 * a)


@law("optimisation", "the value of Rosenbrock's function")
def rosenbrock_value(p: point2) -> objective:
    a = 1.0 - p[0]
    b = p[1] - p[0] * p[0]
    return a * a + 100.0 * b * b


@law("optimisation", "the gradient of Rosenbrock's function")
def rosenbrock_gradient(p: point2) -> plane_gradient:
    b = p[1] - p[0] * p[0]
    return wp.vec2(-2.0 * (1.0 - p[0]) - 400.0 * p[0] * b, 200.0 * b)


@law("optimisation", "the value of Himmelblau's function")
def himmelblau_value(p: point2) -> objective:
    a = p[0] * p[0] + p[1] - 11.0
    b = p[0] + p[1] * p[1] - 7.0
    return a * a + b * b


@law("optimisation", "a term of Rastrigin's function")
def rastrigin_term(x: axis_value) -> objective:
    return x * x - 10.0 * wp.cos(2.0 * wp.pi * x) + 10.0


@law("optimisation", "the logarithmic barrier of a gap that must stay positive")
def log_barrier(gap: constraint_gap, mu: barrier_weight) -> penalty:
    return -mu * wp.log(gap)


@law("optimisation", "the quadratic penalty of a violated constraint")
def quadratic_penalty(c: constraint_value, rho: penalty_weight) -> penalty:
    v = wp.max(c, 0.0)
    return 0.5 * rho * v * v


@law("optimisation", "the smooth barrier of incremental contact, zero beyond its reach")
def contact_barrier(d: gap_distance, reach: barrier_reach, kappa: stiffness) -> penalty:
    if d >= reach:
        return 0.0
    gap = d - reach
    return -kappa * gap * gap * wp.log(d / reach)


@law("optimisation", "a multiplier after a step of the augmented Lagrangian")
def multiplier_update(lam: multiplier, c: constraint_value, rho: penalty_weight) -> multiplier:
    return wp.max(lam + rho * c, 0.0)


@law("optimisation", "the proximal step of the absolute value")
def proximal_l1(x: parameter, t: shrink_level) -> parameter:
    return wp.sign(x) * wp.max(wp.abs(x) - t, 0.0)


@law("optimisation", "the smallest value a step must reach, by Armijo")
def armijo_bound(f: objective, slope: directional_slope, step: step_size, c: armijo_factor) -> objective:
    return f + c * step * slope


@law("optimisation", "the step of Barzilai and Borwein from two sums", needs=(wp.abs(sy) > 0.05,))
def barzilai_borwein_step(ss: square_sum, sy: cross_sum) -> step_size:
    return wp.abs(ss / sy)


@law("optimisation", "the direction factor of conjugate gradients by Fletcher and Reeves")
def fletcher_reeves(new: square_sum, old: square_sum) -> direction_factor:
    return new / old


@law("optimisation", "the minimum of a parabola through three points of equal spacing, as an offset in steps", needs=(left + right - 2.0 * mid > 0.05,))
def parabola_minimum(left: field_value, mid: field_value, right: field_value) -> sample_offset:
    return 0.5 * (left - right) / (left - 2.0 * mid + right)


@law("optimisation", "a residual's damped step by Levenberg and Marquardt for one parameter")
def levenberg_step(jtr: gradient, jtj: square_sum, damp: damping_term) -> parameter_step:
    return -jtr / (jtj + damp)


@law("optimisation", "the temperature of simulated annealing after a number of steps")
def annealing_temperature(t0: initial_temperature, cool: decay, step: steps_value) -> thermal_energy_scale:
    return t0 * wp.pow(cool, float(step))


@law("optimisation", "a particle swarm's velocity after a step")
def swarm_velocity(v: axial_velocity, x: axis_value, own: axis_value, shared: axis_value, w: inertia_weight, ca: attraction, cb: attraction) -> axial_velocity:
    return w * v + ca * (own - x) + cb * (shared - x)


@law("optimisation", "a value between table entries on an even grid, held at both ends")
def table_of_four(x: table_position, values: table_values) -> table_result:
    t = wp.clamp(x, 0.0, 3.0)
    i = wp.min(int(wp.floor(t)), 2)
    f = t - float(i)
    return values[i] * (1.0 - f) + values[i + 1] * f


@law("optimisation", "a cubic polynomial by Horner's rule")
def cubic_polynomial(c: cubic_coefficients, x: axis_value) -> polynomial_value:
    return ((c[3] * x + c[2]) * x + c[1]) * x + c[0]


@law("optimisation", "the Chebyshev sum of four terms by Clenshaw")
def chebyshev_sum(c: cubic_coefficients, x: unit_coordinate) -> polynomial_value:
    b1 = float(0.0)
    b2 = float(0.0)
    for i in range(3):
        b0 = 2.0 * x * b1 - b2 + c[3 - i]
        b2 = b1
        b1 = b0
    return x * b1 - b2 + c[0]


@law("optimisation", "the smallest of three values, smoothly, by the logarithm of a sum")
def soft_minimum(a: axis_value, b: axis_value, c: axis_value, sharp: sharpness) -> axis_value:
    low = wp.min(a, wp.min(b, c))
    total = wp.exp(-sharp * (a - low)) + wp.exp(-sharp * (b - low)) + wp.exp(-sharp * (c - low))
    return low - wp.log(total) / sharp
