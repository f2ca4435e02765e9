"""Conduction, convection, radiation and phase change."""


@law("heat", "the heat stored in a mass above a reference temperature")
def stored_heat(m: mass, c: heat_capacity, t: temperature, t_ref: reference_temperature) -> thermal_energy:
    return m * c * (t - t_ref)


@law("heat", "the temperature of a mass from its stored heat")
def temperature_from_heat(q: thermal_energy, m: mass, c: heat_capacity, t_ref: reference_temperature) -> temperature:
    return t_ref + q / (m * c)


@law("heat", "the heat flux through a wall by Fourier")
def conductive_flux(k: conductivity, hot: temperature, cold: ambient_temperature, d: thickness) -> heat_flux:
    return k * (hot - cold) / d


@law("heat", "the heat flux from a surface to a moving fluid, by Newton's law of cooling")
def newton_cooling_flux(h: convection_coefficient, surface: temperature, fluid: ambient_temperature) -> heat_flux:
    return h * (surface - fluid)


@law("heat", "the net heat flux radiated by a grey surface to its surroundings")
def radiative_flux(eps: emissivity, surface: temperature, around: ambient_temperature) -> heat_flux:
    s2 = surface * surface
    a2 = around * around
    return eps * 5.670374e-8 * (s2 * s2 - a2 * a2)


@law("heat", "the heat that passes an area in a unit of time")
def heat_rate_through(q: heat_flux, a: area) -> heat_rate:
    return q * a


@law("heat", "how fast a mass warms under a flow of heat", private=True)
def warming_rate(rate: heat_rate, m: mass, c: heat_capacity) -> temperature_rate:
    return rate / (m * c)


@law("heat", "the temperature after a step of warming")
def advance_temperature(t: temperature, rate: temperature_rate, dt: time_step) -> temperature:
    return t + rate * dt


@law("heat", "the temperature of a cooling body after a time, by Newton's law")
def newton_cooling(t0: temperature, around: ambient_temperature, k: rate_constant, t: time_value) -> temperature:
    return around + (t0 - around) * wp.exp(-k * t)


@law("heat", "the thermal diffusivity")
def thermal_diffusivity(k: conductivity, rho: density, c: heat_capacity) -> diffusivity:
    return k / (rho * c)


@law("heat", "the Fourier number of a step on a grid")
def fourier_number(alpha: diffusivity, dt: time_step, dx: cell_size) -> diffusion_number:
    return alpha * dt / (dx * dx)


@law("heat", "the resistance of a layer against heat")
def layer_resistance(d: thickness, k: conductivity, a: area) -> thermal_resistance:
    return d / (k * a)


@law("heat", "the flow of heat through a resistance")
def heat_through_resistance(hot: temperature, cold: ambient_temperature, r: thermal_resistance) -> heat_rate:
    return (hot - cold) / r


@law("heat", "the Biot number of a body in a fluid")
def biot_number(h: convection_coefficient, span: length, k: conductivity) -> biot:
    return h * span / k


@law("heat", "the common temperature of two masses brought together")
def mixing_temperature(ma: mass, ca: heat_capacity, ta: temperature, mb: mass, cb: heat_capacity, tb: temperature) -> temperature:
    wa = ma * ca
    wb = mb * cb
    return (wa * ta + wb * tb) / (wa + wb)


@law("heat", "the liquid share of a melting material between solidus and liquidus")
def melt_fraction(t: temperature, solidus: solidus_temperature, liquidus: liquidus_temperature) -> ratio:
    return wp.clamp((t - solidus) / (liquidus - solidus), 0.0, 1.0)


@law("heat", "the heat taken up by melting a share of a mass")
def latent_heat_of_melting(m: mass, share: ratio, latent: latent_heat) -> thermal_energy:
    return m * share * latent


@law("heat", "the conductivity of a fibre composite across its layers, the harmonic mean")
def series_conductivity(ka: conductivity, kb: conductivity, share: ratio) -> conductivity:
    return 1.0 / (share / ka + (1.0 - share) / kb)


@law("heat", "the conductivity on the face between two cells, their harmonic mean")
def face_conductivity(ka: conductivity, kb: conductivity) -> conductivity:
    return 2.0 * ka * kb / (ka + kb)


@law("heat", "the logarithmic mean temperature difference of a heat exchanger; for nearly equal differences their mean")
def log_mean_difference(da: temperature_difference, db: temperature_difference) -> temperature_difference:
    if wp.abs(da - db) < 0.01:
        return 0.5 * (da + db)
    return (da - db) / wp.log(da / db)


@law("heat", "the efficiency of a Carnot engine between two reservoirs")
def carnot_efficiency(hot: temperature, cold: cold_temperature) -> efficiency:
    return 1.0 - cold / hot


@law("heat", "the density of an ideal gas, in kilograms per cubic metre from kilopascals")
def ideal_gas_density(p: gas_pressure, t: temperature, r: gas_constant) -> density:
    return p / (r * t)


@law("heat", "the length of a heated rod")
def thermal_expansion(span: length, alpha: expansion_coefficient, t: temperature, t_ref: reference_temperature) -> length:
    return span * (1.0 + alpha * (t - t_ref))


@law("heat", "the temperature along a cooling fin with an adiabatic tip")
def fin_temperature(base: temperature, around: ambient_temperature, m: fin_parameter, x: fin_position, span: length) -> temperature:
    return around + (base - around) * wp.cosh(m * (span - x)) / wp.cosh(m * span)


@law("heat", "the wavelength of the strongest thermal radiation in micrometres, by Wien")
def wien_wavelength(t: temperature) -> thermal_wavelength:
    return 2897.772 / t


@law("heat", "the gas mixture's adiabatic temperature after a compression")
def adiabatic_temperature(t: temperature, ratio: compression_ratio, gamma: adiabatic_index) -> temperature:
    return t * wp.pow(ratio, gamma - 1.0)
