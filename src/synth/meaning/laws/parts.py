"""Parts of single scenes, which nothing else would call: tested with their scenes."""


@law("parts", "the objective of a leaf, its squared gradient sum over its regularised curvature", private=True, function=True, title="leaf_score|leaf_objective|node_score")
def leaf_objective(g: gradient_sum, h: hessian_sum, lam: regularizer) -> split_gain:
    return g * g / (h + lam)


@law("parts", "the best output of a leaf", private=True, title="leaf_weight|leaf_output")
def leaf_weight(g: gradient_sum, h: hessian_sum, lam: regularizer) -> value:
    return -g / (h + lam)


@law("parts", "the value at a cell face by fifth-order weighted essentially non-oscillatory reconstruction", private=True, function=True, title="weno5|weno_face|reconstruct_weno5")
def weno5_face(a: scalar_density, b: scalar_density, c: scalar_density, d: scalar_density, e: scalar_density) -> scalar_density:
    names(s0="s0|beta0|is0", s1="s1|beta1|is1", s2="s2|beta2|is2", w0="w0|alpha0|a0", w1="w1|alpha1|a1", w2="w2|alpha2|a2", q0="q0|p0|v0", q1="q1|p1|v1", q2="q2|p2|v2")
    note("smoothness of the three candidate stencils|smoothness indicators")
    s0 = 13.0 / 12.0 * (a - 2.0 * b + c) * (a - 2.0 * b + c) + 0.25 * (a - 4.0 * b + 3.0 * c) * (a - 4.0 * b + 3.0 * c)
    s1 = 13.0 / 12.0 * (b - 2.0 * c + d) * (b - 2.0 * c + d) + 0.25 * (b - d) * (b - d)
    s2 = 13.0 / 12.0 * (c - 2.0 * d + e) * (c - 2.0 * d + e) + 0.25 * (3.0 * c - 4.0 * d + e) * (3.0 * c - 4.0 * d + e)
    w0 = 0.1 / ((s0 + 1.0e-6) * (s0 + 1.0e-6))
    w1 = 0.6 / ((s1 + 1.0e-6) * (s1 + 1.0e-6))
    w2 = 0.3 / ((s2 + 1.0e-6) * (s2 + 1.0e-6))
    q0 = (2.0 * a - 7.0 * b + 11.0 * c) / 6.0
    q1 = (-b + 5.0 * c + 2.0 * d) / 6.0
    q2 = (2.0 * c + 5.0 * d - e) / 6.0
    return (w0 * q0 + w1 * q1 + w2 * q2) / (w0 + w1 + w2)


@law("parts", "the step of a direction of the nine-velocity lattice", private=True, function=True, title="lattice_offset|d2q9_direction|discrete_velocity")
def lattice_offset(k: index_value) -> (index_value, index_value):
    if k == 0:
        return 0, 0
    if k == 1:
        return 1, 0
    if k == 2:
        return 0, 1
    if k == 3:
        return -1, 0
    if k == 4:
        return 0, -1
    if k == 5:
        return 1, 1
    if k == 6:
        return -1, 1
    if k == 7:
        return -1, -1
    return 1, -1


@law("parts", "the direction opposite to one of the nine-velocity lattice", private=True, function=True, title="opposite_direction|bounce_index|reverse_link")
def opposite_link(k: index_value) -> index_value:
    if k == 0:
        return 0
    if k < 5:
        return (k + 1) % 4 + 1
    return (k - 3) % 4 + 5


@law("parts", "the arrival time at a cell from the smaller neighbours along both axes", private=True, function=True, title="eikonal_solve|godunov_update|local_solver")
def eikonal_solve(a: arrival_time, b: arrival_time, f: slowness) -> travel_time:
    names(lo="lo|first|tmin", d="d|gap|diff")
    lo = wp.min(a, b)
    d = wp.abs(a - b)
    note("one-sided when the other neighbour is too late|only one axis contributes")
    if d >= f:
        return lo + f
    return 0.5 * (a + b + wp.sqrt(2.0 * f * f - d * d))


@law("parts", "the flux of mass, momentum and energy in an ideal gas", private=True, function=True, title="euler_flux|gas_flux|physical_flux")
def gas_flux(u: conserved_state, gamma: heat_capacity) -> conserved_state:
    names(v="v|vel|speed", p="p|press|pr")
    v = u[1] / u[0]
    p = (gamma - 1.0) * (u[2] - 0.5 * u[1] * v)
    return wp.vec3(u[1], u[1] * v + p, v * (u[2] + p))


@law("parts", "the speed and the speed of sound of a gas state", private=True, function=True, title="gas_speeds|sound_and_speed|wave_speeds")
def gas_speeds(u: conserved_state, gamma: heat_capacity) -> (value, positive_value):
    names(v="v|vel|speed", p="p|press|pr")
    v = u[1] / u[0]
    p = wp.max((gamma - 1.0) * (u[2] - 0.5 * u[1] * v), 1.0e-4)
    return v, wp.sqrt(gamma * p / u[0])


@law("parts", "the quadratic spline weight of a node at a distance in cells", private=True, function=True, title="quadratic_weight|bspline2|spline_weight")
def spline2_weight(x: value) -> weight:
    names(a="a|dist|ax")
    a = wp.abs(x)
    if a < 0.5:
        return 0.75 - a * a
    if a < 1.5:
        return 0.5 * (1.5 - a) * (1.5 - a)
    return 0.0


@law("parts", "twice the signed area of a triangle, positive when its corners turn left", private=True, title="edge_function|orient2d|cross_2d")
def edge_function(a: pixel_xy, b: pixel_xy, c: pixel_xy) -> value:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


@law("parts", "the scrambled slot of a key in a table whose size is a power of two", private=True, function=True, title="hash_slot|mix_key|slot_id")
def hash_slot(k: hash_key) -> index_value:
    names(h="h|mixed|code")
    h = wp.uint32(k) * wp.uint32(2654435761)
    h = h ^ (h >> wp.uint32(15))
    return int(h & wp.uint32(63))


@law("parts", "the second invariant of the deviator and the mean of a stress", private=True, function=True, title="stress_invariants|j2_and_mean|deviator_and_mean")
def stress_invariants(s: deviator_stress) -> (positive_value, value):
    names(p="p|mean|hyd", d="d|dev|s_dev")
    p = wp.trace(s) / 3.0
    d = s - wp.identity(n=3, dtype=float) * p
    return 0.5 * wp.ddot(d, d), p


@law("parts", "the microfacet distribution of Trowbridge and Reitz", private=True, function=True, title="ggx_distribution|ggx_d|trowbridge_reitz")
def ggx_term(c: ratio, a: roughness) -> positive_value:
    names(a2="a2|alpha_sq|asq", t="t|den|base")
    a2 = a * a
    t = c * c * (a2 - 1.0) + 1.0
    return a2 / (wp.pi * t * t)


@law("parts", "the share of light that is reflected at grazing and at steep angles, by Schlick", private=True, title="schlick|fresnel_schlick|fresnel_term")
def schlick_term(c: ratio, f0: ratio) -> ratio:
    return f0 + (1.0 - f0) * wp.pow(1.0 - c, 5.0)


@law("parts", "the index of a table entry with the rule for what lies beyond its ends", private=True, function=True, title="wrap_index|resolve_index|address_mode")
def wrap_index(k: index_value, n: count_value, mode: kind_value) -> index_value:
    names(m="m|r|folded")
    if mode == 0:
        return wp.clamp(k, 0, n - 1)
    if mode == 1:
        return (k % n + n) % n
    m = (k % (2 * n) + 2 * n) % (2 * n)
    if m >= n:
        return 2 * n - 1 - m
    return m


@law("parts", "the windowed sinc of Lanczos with three lobes", private=True, function=True, title="lanczos3|lanczos_weight|windowed_sinc")
def lanczos3_tap(x: value) -> weight:
    names(p="p|px|arg")
    if wp.abs(x) < 1.0e-4:
        return 1.0
    if wp.abs(x) >= 3.0:
        return 0.0
    p = wp.pi * x
    return 3.0 * wp.sin(p) * wp.sin(p / 3.0) / (p * p)


@law("parts", "the four weights of the uniform cubic B-spline and their slopes", private=True, function=True, title="bspline_basis|cubic_basis|basis_and_slopes")
def bspline_basis(t: ratio) -> (vector4, vector4):
    names(s="s|u|rest")
    s = 1.0 - t
    return wp.vec4(s * s * s / 6.0, (3.0 * t * t * t - 6.0 * t * t + 4.0) / 6.0, (3.0 * s * s * s - 6.0 * s * s + 4.0) / 6.0, t * t * t / 6.0), wp.vec4(-0.5 * s * s, 0.5 * t * (3.0 * t - 4.0), -0.5 * s * (3.0 * s - 4.0), 0.5 * t * t)


@law("parts", "the overlap of two boxes as a share of what they cover together", private=True, function=True, title="box_iou|overlap_ratio|intersection_over_union")
def box_iou(a: box_corners, b: box_corners) -> ratio:
    names(w="w|dx|wide", h="h|dy|tall", inter="inter|common|both", total="total|covered|joint")
    w = wp.min(a[2], b[2]) - wp.max(a[0], b[0])
    h = wp.min(a[3], b[3]) - wp.max(a[1], b[1])
    if w <= 0.0 or h <= 0.0:
        return 0.0
    inter = w * h
    total = (a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - inter
    return inter / total


@law("parts", "the number of bits in which a received symbol differs from what the encoder would send", private=True, function=True, title="branch_metric|hamming_branch|bit_distance")
def branch_metric(state: index_value, bit: flag, symbol: code_symbol) -> count_value:
    names(a="a|reg|shifted", first="first|g0|out_a", second="second|g1|out_b", d="d|diff|wrong")
    note("generators seven and five, octal")
    a = (bit << 2) | state
    first = (a ^ (a >> 1) ^ (a >> 2)) & 1
    second = (a ^ (a >> 2)) & 1
    d = symbol ^ (2 * first + second)
    return (d & 1) + (d >> 1)


@law("parts", "the opening and closing rate of the sodium activation gate", private=True, function=True, title="rates_m|sodium_gate_rates|activation_rates")
def sodium_gate_rates(v: membrane_voltage) -> (gate_rate, gate_rate):
    names(d="d|dv|x", a="a|alpha|opening")
    d = v + 40.0
    a = float(1.0)
    note("the quotient tends to one where both vanish|removable singularity")
    if wp.abs(d) > 1.0e-4:
        a = 0.1 * d / (1.0 - wp.exp(-d / 10.0))
    return a, 4.0 * wp.exp(-(v + 65.0) / 18.0)


@law("parts", "the opening and closing rate of the sodium inactivation gate", private=True, function=True, title="rates_h|inactivation_rates|sodium_block_rates")
def sodium_block_rates(v: membrane_voltage) -> (gate_rate, gate_rate):
    return 0.07 * wp.exp(-(v + 65.0) / 20.0), 1.0 / (1.0 + wp.exp(-(v + 35.0) / 10.0))


@law("parts", "the opening and closing rate of the potassium gate", private=True, function=True, title="rates_n|potassium_gate_rates|delayed_rectifier_rates")
def potassium_gate_rates(v: membrane_voltage) -> (gate_rate, gate_rate):
    names(d="d|dv|x", a="a|alpha|opening")
    d = v + 55.0
    a = float(0.1)
    if wp.abs(d) > 1.0e-4:
        a = 0.01 * d / (1.0 - wp.exp(-d / 10.0))
    return a, 0.125 * wp.exp(-(v + 65.0) / 80.0)


@law("parts", "the price of a European call and its sensitivity to the volatility", private=True, function=True, title="call_and_vega|bs_call_vega|price_and_vega")
def call_and_vega(s: price, k: strike, r: interest_rate, t: maturity, vol: volatility) -> (option_price, value):
    names(w="w|sd|root", d1="d1|da|dp", d2="d2|db|dm", df="df|disc|discount_k")
    w = vol * wp.sqrt(t)
    d1 = (wp.log(s / k) + (r + 0.5 * vol * vol) * t) / w
    d2 = d1 - w
    df = k * wp.exp(-r * t)
    return 0.5 * s * wp.erfc(-d1 / wp.sqrt(2.0)) - 0.5 * df * wp.erfc(-d2 / wp.sqrt(2.0)), s * wp.sqrt(t / (2.0 * wp.pi)) * wp.exp(-0.5 * d1 * d1)


@law("parts", "a channel of linear light in the code of the sRGB standard", private=True, function=True, title="linear_to_srgb|encode_srgb")
def encode_srgb(v: ratio) -> ratio:
    names(v="v|c")
    if v <= 0.0031308:
        return 12.92 * v
    return 1.055 * wp.pow(v, 1.0 / 2.4) - 0.055


@law("parts", "linear light from a coded channel of the sRGB standard", private=True, function=True, title="srgb_to_linear|decode_srgb")
def decode_srgb(v: ratio) -> ratio:
    names(v="v|c")
    if v <= 0.04045:
        return v / 12.92
    return wp.pow((v + 0.055) / 1.055, 2.4)


@law("parts", "the hue angle of a pair of opponent colours in degrees, from zero to a full turn", private=True, function=True, title="hue_degrees|hue_angle|opponent_hue")
def hue_degrees(a: value, b: value) -> value:
    names(h="h|ang|deg")
    h = wp.degrees(wp.atan2(b, a))
    if h < 0.0:
        h = h + 360.0
    return h


@law("parts", "the refraction-free height of the sun and the length of the day", private=True, function=True, title="sun_height_and_day|solar_geometry|sun_and_daylength")
def sun_height_and_day(lat: angle, dec: angle, ha: angle) -> (angle, clock_hour):
    names(s="s|sin_h|height_s", c="c|cos_w|sunset_c")
    s = wp.sin(lat) * wp.sin(dec) + wp.cos(lat) * wp.cos(dec) * wp.cos(ha)
    c = wp.clamp(-wp.tan(lat) * wp.tan(dec), -1.0, 1.0)
    return wp.asin(wp.clamp(s, -1.0, 1.0)), 24.0 / wp.pi * wp.acos(c)
