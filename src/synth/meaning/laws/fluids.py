"""Laws of fluids and heat."""


@law("fluids", "the poly6 smoothing kernel of particle fluids, zero outside the support", title="poly6|poly6_weight|density_kernel")
def poly6_weight(r: distance, h: smoothing_length) -> weight:
    names(x="x|diff|q")
    x = wp.max(h * h - r * r, 0.0)
    return 315.0 / (64.0 * wp.pi * wp.pow(h, 9.0)) * x * x * x


@law("fluids", "the gradient magnitude of the spiky kernel", title="spiky_gradient|spiky_slope")
def spiky_slope(r: distance, h: smoothing_length) -> weight:
    x = wp.max(h - r, 0.0)
    return -45.0 / (wp.pi * wp.pow(h, 6.0)) * x * x


@law("fluids", "a linear equation of state: pressure from the excess of density", title="pressure_from_density|equation_of_state|state_pressure")
def pressure_from_density(rho: density, k: stiffness, rho0: density) -> pressure:
    return k * wp.max(rho - rho0, 0.0)


@law("fluids", "the dynamic pressure of a flow", title="dynamic_pressure")
def dynamic_pressure(rho: density, v: velocity) -> pressure:
    return 0.5 * rho * wp.dot(v, v)


@law("heat", "Newton's law of cooling: the flux between a surface and its surroundings", title="cooling_flux|convective_flux")
def convective_flux(t: temperature, ambient: temperature, k: conductivity) -> heat_flux:
    return k * (ambient - t)


@law("signal", "a value between two others, by a ratio", title="mix|lerp_value|blend")
def mix_values(a: value, b: value, t: ratio) -> value:
    return a * (1.0 - t) + b * t


@law("graphics", "the relative luminance of a linear colour", title="luminance|luma|brightness")
def luminance(c: colour) -> intensity:
    return wp.dot(c, wp.vec3(0.2126, 0.7152, 0.0722))


@law("statistics", "the logistic function", title="sigmoid|logistic")
def sigmoid(x: logit) -> probability:
    return 1.0 / (1.0 + wp.exp(-x))


@law("geometry", "twice the area of a triangle as a vector along its normal", title="area_vector|triangle_cross")
def area_vector(a: position, b: position, c: position) -> normal:
    return wp.cross(b - a, c - a)


@law("geometry", "the closest point on a segment, as a fraction of its length", title="closest_fraction|segment_param|project_on_segment")
def segment_fraction(p: position, a: position, b: position) -> ratio:
    names(ab="ab|d|axis", denom="denom|len_sq|ab2")
    ab = b - a
    denom = wp.max(wp.dot(ab, ab), 1.0e-9)
    return wp.clamp(wp.dot(p - a, ab) / denom, 0.0, 1.0)
