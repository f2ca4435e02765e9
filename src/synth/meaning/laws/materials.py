"""Stress, strain, plasticity, beams and fatigue."""


@law("materials", "the stress of an elastic bar by Hooke")
def hooke_stress(e: youngs_modulus, eps: axial_strain) -> axial_stress:
    return e * eps


@law("materials", "the strain of a bar from its lengths")
def engineering_strain(span: length, rest: rest_length) -> axial_strain:
    return (span - rest) / rest


@law("materials", "the logarithmic strain of a bar")
def true_strain(span: length, rest: rest_length) -> axial_strain:
    return wp.log(span / rest)


@law("materials", "the energy stored in an elastic material")
def strain_energy_density(s: axial_stress, eps: axial_strain) -> energy_density:
    return 0.5 * s * eps


@law("materials", "the shear modulus of an isotropic material")
def shear_modulus_of(e: youngs_modulus, nu: poisson_ratio) -> lame_mu:
    return e / (2.0 * (1.0 + nu))


@law("materials", "the bulk modulus of an isotropic material")
def bulk_modulus_of(e: youngs_modulus, nu: poisson_ratio) -> bulk_modulus:
    return e / (3.0 * (1.0 - 2.0 * nu))


@law("materials", "Lame's first parameter")
def lame_first_parameter(e: youngs_modulus, nu: poisson_ratio) -> lame_lambda:
    return e * nu / ((1.0 + nu) * (1.0 - 2.0 * nu))


@law("materials", "the Green strain of a deformation")
def green_strain(f: deformation_gradient) -> strain:
    return 0.5 * (wp.transpose(f) @ f - wp.mat33(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0))


@law("materials", "the stress of an isotropic linear material")
def linear_elastic_stress(eps: strain, lam: lame_lambda, mu: lame_mu) -> stress:
    t = wp.trace(eps)
    pressure_part = wp.mat33(t, 0.0, 0.0, 0.0, t, 0.0, 0.0, 0.0, t)
    return lam * pressure_part + 2.0 * mu * eps


@law("materials", "the energy density of Saint Venant and Kirchhoff's material")
def stvk_energy(eps: strain, lam: lame_lambda, mu: lame_mu) -> energy_density:
    t = wp.trace(eps)
    return 0.5 * lam * t * t + mu * wp.ddot(eps, eps)


@law("materials", "the energy density of a neo-Hookean material", needs=(wp.determinant(f) > 0.1,))
def neo_hookean_energy(f: deformation_gradient, lam: lame_lambda, mu: lame_mu) -> energy_density:
    j = wp.determinant(f)
    log_j = wp.log(j)
    return 0.5 * mu * (wp.ddot(f, f) - 3.0) - mu * log_j + 0.5 * lam * log_j * log_j


@law("materials", "the pressure in a stress tensor, positive in compression")
def mean_pressure(s: stress) -> pressure:
    return -wp.trace(s) / 3.0


@law("materials", "the equivalent stress of von Mises in the plane")
def plane_von_mises(sx: axial_stress, sy: axial_stress, t: shear_stress) -> equivalent_stress:
    return wp.sqrt(wp.max(sx * sx - sx * sy + sy * sy + 3.0 * t * t, 0.0))


@law("materials", "the equivalent stress of von Mises")
def von_mises_stress(s: symmetric_stress, t: shear_stresses) -> equivalent_stress:
    a = s[0] - s[1]
    b = s[1] - s[2]
    c = s[2] - s[0]
    return wp.sqrt(0.5 * (a * a + b * b + c * c) + 3.0 * wp.dot(t, t))


@law("materials", "the largest principal stress in the plane")
def first_principal_stress(sx: axial_stress, sy: axial_stress, t: shear_stress) -> axial_stress:
    mean = 0.5 * (sx + sy)
    d = 0.5 * (sx - sy)
    return mean + wp.sqrt(d * d + t * t)


@law("materials", "how far a stress is beyond yield, zero inside")
def yield_excess(s: equivalent_stress, limit: yield_stress) -> overstress:
    return wp.max(s - limit, 0.0)


@law("materials", "the stress of a bar that flows at its yield stress")
def perfectly_plastic_stress(e: youngs_modulus, eps: axial_strain, limit: yield_stress) -> axial_stress:
    return wp.clamp(e * eps, -limit, limit)


@law("materials", "the stress of a bar with linear hardening")
def bilinear_stress(e: youngs_modulus, eps: axial_strain, limit: yield_stress, h: hardening_modulus) -> axial_stress:
    trial = e * eps
    if wp.abs(trial) <= limit:
        return trial
    yield_strain = limit / e
    return wp.sign(trial) * (limit + h * (wp.abs(eps) - yield_strain))


@law("materials", "the flow stress by Johnson and Cook, without heat")
def johnson_cook_stress(a: yield_stress, b: hardening_modulus, eps: plastic_strain, n: hardening_exponent, c: rate_sensitivity, rate: relative_strain_rate) -> equivalent_stress:
    return (a + b * wp.pow(eps, n)) * (1.0 + c * wp.log(rate))


@law("materials", "the plastic strain by Ramberg and Osgood added to the elastic one")
def ramberg_osgood_strain(s: equivalent_stress, e: youngs_modulus, limit: yield_stress, n: ramberg_exponent) -> axial_strain:
    return s / e + 0.002 * wp.pow(s / limit, n)


@law("materials", "the damage of a brittle material that softens linearly")
def linear_softening_damage(eps: equivalent_strain, start: damage_onset, last: failure_strain) -> damage_variable:
    if eps <= start:
        return 0.0
    if eps >= last:
        return 1.0
    return last * (eps - start) / (eps * (last - start))


@law("materials", "the stress of a damaged material")
def damaged_stress(d: damage_variable, s: axial_stress) -> axial_stress:
    return (1.0 - d) * s


@law("materials", "the number of cycles to failure by Basquin")
def basquin_cycles(amp: stress_amplitude, strength: fatigue_strength, b: fatigue_exponent) -> cycles:
    return 0.5 * wp.pow(amp / strength, 1.0 / b)


@law("materials", "the amplitude of a stress cycle corrected for its mean by Goodman")
def goodman_amplitude(amp: stress_amplitude, mean: mean_stress, ultimate: ultimate_stress) -> stress_amplitude:
    return amp / (1.0 - mean / ultimate)


@law("materials", "how fast a crack grows per cycle by Paris")
def paris_growth(c: paris_constant, dk: stress_intensity, m: paris_exponent) -> crack_growth:
    return c * wp.pow(dk, m)


@law("materials", "the stress intensity at a crack tip")
def crack_stress_intensity(shape: shape_factor, s: stress_amplitude, a: crack_length) -> stress_intensity:
    return shape * s * wp.sqrt(wp.pi * a)


@law("materials", "the bending of a cantilever's end")
def cantilever_deflection(load: point_load, span: length, e: youngs_modulus, i: second_moment_of_area) -> deflection:
    return load * span * span * span / (3.0 * e * i)


@law("materials", "the second moment of a rectangular section")
def rectangle_second_moment(b: section_width, h: section_height) -> second_moment_of_area:
    return b * h * h * h / 12.0


@law("materials", "the stress of a bent beam at a fibre")
def bending_stress(m: bending_moment, y: fibre_distance, i: second_moment_of_area) -> axial_stress:
    return m * y / i


@law("materials", "the load at which a column buckles by Euler")
def euler_buckling_load(e: youngs_modulus, i: second_moment_of_area, span: length, k: end_factor) -> point_load:
    reach = k * span
    return wp.pi * wp.pi * e * i / (reach * reach)


@law("materials", "the creep strain of a hot material by Norton")
def norton_creep(a: creep_constant, s: equivalent_stress, n: creep_exponent, t: time_value) -> axial_strain:
    return a * wp.pow(s, n) * t


@law("materials", "the stress of Maxwell's material under a held strain")
def maxwell_relaxation(e: youngs_modulus, eps: axial_strain, t: time_value, tau: decay_time) -> axial_stress:
    return e * eps * wp.exp(-t / tau)


@law("materials", "the stress of Kelvin and Voigt's material")
def kelvin_voigt_stress(e: youngs_modulus, eps: axial_strain, eta: damping, rate: strain_rate) -> axial_stress:
    return e * eps + eta * rate


@law("materials", "the modulus of a fibre composite along the fibres")
def rule_of_mixtures(ef: fiber_modulus, em: matrix_modulus, share: ratio) -> youngs_modulus:
    return share * ef + (1.0 - share) * em


@law("materials", "the modulus of a porous material by Gibson and Ashby")
def foam_modulus(e: youngs_modulus, relative: relative_density) -> youngs_modulus:
    return e * relative * relative


@law("materials", "the share of transformed metal by Avrami")
def avrami_fraction(k: rate_constant, t: time_value, n: avrami_exponent) -> ratio:
    return 1.0 - wp.exp(-k * wp.pow(t, n))


@law("materials", "the yield stress of fine grains by Hall and Petch")
def hall_petch_yield(base: yield_stress, k: grain_factor, d: grain_size) -> yield_stress:
    return base + k / wp.sqrt(d)


@law("materials", "the friction angle's limit on shear by Mohr and Coulomb")
def mohr_coulomb_limit(c: cohesion, normal_stress: compressive_stress, phi: friction_angle) -> shear_limit:
    return c + normal_stress * wp.tan(phi)


@law("materials", "the nodal weights of a point in a linear tetrahedron, from three of its coordinates")
def tetrahedron_shape(r: natural_coordinates) -> shape_values:
    return wp.vec4(1.0 - r[0] - r[1] - r[2], r[0], r[1], r[2])


@law("materials", "the shape function of a corner of a bilinear square")
def bilinear_shape(xi: natural_x, eta: natural_y, corner: corner_signs) -> shape_value:
    return 0.25 * (1.0 + xi * corner[0]) * (1.0 + eta * corner[1])
