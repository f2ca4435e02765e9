"""Reactions, equilibria, and the forces between atoms."""


@law("chemistry", "the rate constant of a reaction by Arrhenius, with the activation energy in joules per mole")
def arrhenius_rate(a: rate_prefactor, ea: activation_energy, t: temperature) -> rate_constant:
    return a * wp.exp(-ea / (8.314463 * t))


@law("chemistry", "the factor by which a reaction speeds up for every ten degrees")
def q10_rate(base: rate_constant, q10: q10_factor, t: temperature, t_ref: reference_temperature) -> rate_constant:
    return base * wp.pow(q10, (t - t_ref) / 10.0)


@law("chemistry", "the rate of a first-order reaction")
def first_order_rate(k: rate_constant, c: concentration) -> reaction_rate:
    return k * c


@law("chemistry", "the rate of a second-order reaction")
def second_order_rate(k: rate_constant, ca: concentration, cb: concentration) -> reaction_rate:
    return k * ca * cb


@law("chemistry", "the rate of a reversible reaction")
def reversible_rate(kf: rate_constant, kr: rate_constant, ca: concentration, cb: concentration) -> net_rate:
    return kf * ca - kr * cb


@law("chemistry", "what is left of a substance that decays")
def exponential_decay(c0: concentration, k: rate_constant, t: time_value) -> concentration:
    return c0 * wp.exp(-k * t)


@law("chemistry", "the half-life of a first-order decay")
def decay_half_life(k: rate_constant) -> half_life:
    return wp.log(2.0) / k


@law("chemistry", "what is left after a number of half-lives")
def remaining_amount(c0: concentration, t: time_value, half: half_life) -> concentration:
    return c0 * wp.pow(0.5, t / half)


@law("chemistry", "the amount of the middle substance of a two-step decay", needs=(wp.abs(ka - kb) > 0.05,))
def bateman_middle(c0: concentration, ka: rate_constant, kb: rate_constant, t: time_value) -> concentration:
    return c0 * ka / (kb - ka) * (wp.exp(-ka * t) - wp.exp(-kb * t))


@law("chemistry", "the rate of an enzyme by Michaelis and Menten")
def michaelis_menten(vmax: maximum_rate, km: half_saturation, s: concentration) -> reaction_rate:
    return vmax * s / (km + s)


@law("chemistry", "the rate of an enzyme with a competitive inhibitor")
def competitive_inhibition(vmax: maximum_rate, km: half_saturation, s: concentration, inhibitor: concentration, ki: inhibition_constant) -> reaction_rate:
    apparent = km * (1.0 + inhibitor / ki)
    return vmax * s / (apparent + s)


@law("chemistry", "the rate of an enzyme that too much substrate slows down")
def substrate_inhibition(vmax: maximum_rate, km: half_saturation, s: concentration, ki: inhibition_constant) -> reaction_rate:
    return vmax * s / (km + s + s * s / ki)


@law("chemistry", "the occupied share of binding sites by Hill")
def hill_occupancy(c: concentration, kd: half_saturation, n: hill_coefficient) -> ratio:
    x = wp.pow(c / kd, n)
    return x / (1.0 + x)


@law("chemistry", "the covered share of a surface by Langmuir")
def langmuir_coverage(k: affinity, p: partial_pressure) -> ratio:
    return k * p / (1.0 + k * p)


@law("chemistry", "the adsorbed amount by Freundlich")
def freundlich_loading(k: affinity, c: concentration, n: freundlich_exponent) -> surface_loading:
    return k * wp.pow(c, 1.0 / n)


@law("chemistry", "the acidity of a solution from its hydrogen ions in micromoles per litre")
def ph_value(h: concentration) -> acidity:
    return 6.0 - wp.log10(h)


@law("chemistry", "the acidity of a buffer by Henderson and Hasselbalch")
def buffer_acidity(pka: acid_constant, base: concentration, acid: concentration) -> acidity:
    return pka + wp.log10(base / acid)


@law("chemistry", "the voltage across a membrane in millivolts by Nernst")
def nernst_potential(t: temperature, z: valence, outside: concentration, inside: concentration) -> membrane_voltage:
    thermal = 0.08617333 * t
    return thermal / float(z) * wp.log(outside / inside)


@law("chemistry", "the equilibrium constant from the free energy in kilojoules per mole")
def equilibrium_constant(dg: free_energy, t: temperature) -> equilibrium_ratio:
    return wp.exp(-dg / (0.008314463 * t))


@law("chemistry", "the free energy from enthalpy and entropy, in kilojoules per mole")
def gibbs_energy(dh: enthalpy, ds: entropy, t: temperature) -> free_energy:
    return dh - t * ds


@law("chemistry", "the pressure of a gas in kilopascals, by the ideal gas law for moles per litre")
def ideal_gas_pressure(c: concentration, t: temperature) -> gas_pressure:
    return c * 8.314463 * t


@law("chemistry", "the Lennard-Jones energy of a pair of atoms")
def lennard_jones_energy(r: pair_distance, sigma: atom_diameter, eps: well_depth) -> pair_energy:
    s2 = sigma * sigma / (r * r)
    s6 = s2 * s2 * s2
    return 4.0 * eps * (s6 * s6 - s6)


@law("chemistry", "the Lennard-Jones force along the line of a pair, positive when they repel")
def lennard_jones_force(r: pair_distance, sigma: atom_diameter, eps: well_depth) -> pair_force:
    s2 = sigma * sigma / (r * r)
    s6 = s2 * s2 * s2
    return 24.0 * eps * (2.0 * s6 * s6 - s6) / r


@law("chemistry", "the Lennard-Jones energy cut off and shifted to end at zero")
def shifted_lennard_jones(r: pair_distance, sigma: atom_diameter, eps: well_depth, cut: cutoff_distance) -> pair_energy:
    if r >= cut:
        return 0.0
    s2 = sigma * sigma / (r * r)
    s6 = s2 * s2 * s2
    c2 = sigma * sigma / (cut * cut)
    c6 = c2 * c2 * c2
    return 4.0 * eps * (s6 * s6 - s6 - c6 * c6 + c6)


@law("chemistry", "the energy of a stretched bond by Morse")
def morse_energy(r: pair_distance, r0: bond_length, depth: well_depth, a: bond_steepness) -> pair_energy:
    x = 1.0 - wp.exp(-a * (r - r0))
    return depth * x * x


@law("chemistry", "the energy of a harmonic bond")
def harmonic_bond_energy(r: pair_distance, r0: bond_length, k: stiffness) -> pair_energy:
    d = r - r0
    return 0.5 * k * d * d


@law("chemistry", "the energy of a repulsive pair by Born and Mayer")
def born_mayer_energy(a: well_depth, r: pair_distance, rho: screening_length) -> pair_energy:
    return a * wp.exp(-r / rho)


@law("chemistry", "the energy of a torsion about a bond")
def torsion_energy(v: torsion_barrier, n: periodicity, phi: dihedral_angle, gamma: phase) -> pair_energy:
    return 0.5 * v * (1.0 + wp.cos(float(n) * phi - gamma))


@law("chemistry", "the energy of a bent angle between two bonds")
def angle_bend_energy(k: stiffness, theta: bond_angle, theta0: rest_angle) -> pair_energy:
    d = theta - theta0
    return 0.5 * k * d * d


@law("chemistry", "the smooth switch from one to zero between two distances")
def switching_function(r: pair_distance, inner: inner_cutoff, outer: cutoff_distance) -> ratio:
    if r <= inner:
        return 1.0
    if r >= outer:
        return 0.0
    x = (r - inner) / (outer - inner)
    return 1.0 - x * x * x * (10.0 - x * (15.0 - 6.0 * x))


@law("chemistry", "the rate at which diffusion carries a substance through a layer, by Fick")
def fick_flux(diff: diffusivity, ca: concentration, cb: concentration, d: thickness) -> molar_flux:
    return diff * (ca - cb) / d


@law("chemistry", "the diffusivity of a small sphere by Stokes and Einstein, in reduced units")
def stokes_einstein(kt: thermal_energy_scale, mu: viscosity, r: radius) -> diffusivity:
    return kt / (6.0 * wp.pi * mu * r)


@law("chemistry", "the chance that a trial move is taken by Metropolis")
def metropolis_acceptance(de: energy_change, kt: thermal_energy_scale) -> probability:
    if de <= 0.0:
        return 1.0
    return wp.exp(-de / kt)


@law("chemistry", "the concentration after a step of net production")
def advance_concentration(c: concentration, rate: net_rate, dt: time_step) -> concentration:
    return wp.max(c + rate * dt, 0.0)
