"""Charges, circuits, fields and waves, in units where the constants are moderate."""


@law("electromagnetics", "the force between two charges, repulsive for equal signs")
def coulomb_force(qa: charge, qb: charge, xa: position, xb: position, k: coulomb_constant) -> force:
    d = xa - xb
    r2 = wp.dot(d, d)
    return k * qa * qb / (r2 * wp.sqrt(r2)) * d


@law("electromagnetics", "the electric field of a point charge")
def point_charge_field(q: charge, x: position, source: position, k: coulomb_constant) -> electric_field:
    d = x - source
    r = wp.length(d)
    return k * q / (r * r * r) * d


@law("electromagnetics", "the electric potential of a point charge")
def point_charge_potential(q: charge, r: distance, k: coulomb_constant) -> potential:
    return k * q / r


@law("electromagnetics", "the potential of a screened charge")
def screened_potential(q: charge, r: distance, screening: screening_length, k: coulomb_constant) -> potential:
    return k * q / r * wp.exp(-r / screening)


@law("electromagnetics", "the force of electric and magnetic fields on a moving charge")
def lorentz_force(q: charge, v: velocity, e: electric_field, b: magnetic_field) -> force:
    return q * (e + wp.cross(v, b))


@law("electromagnetics", "the energy of a charge in a potential")
def charge_energy(q: charge, phi: potential) -> energy:
    return q * phi


@law("electromagnetics", "the radius of a charge's circle in a magnetic field", needs=(wp.abs(q) > 0.01,))
def gyration_radius(m: mass, v: speed, q: charge, b: field_strength) -> radius:
    return m * v / (wp.abs(q) * b)


@law("electromagnetics", "the field of a dipole")
def dipole_field(moment: dipole_moment, r: separation) -> magnetic_field:
    d = wp.length(r)
    u = r / d
    return (3.0 * wp.dot(moment, u) * u - moment) / (d * d * d)


@law("electromagnetics", "the torque of a field on a dipole")
def dipole_torque(moment: dipole_moment, b: magnetic_field) -> torque:
    return wp.cross(moment, b)


@law("electromagnetics", "the energy of a dipole in a field")
def dipole_energy(moment: dipole_moment, b: magnetic_field) -> energy:
    return -wp.dot(moment, b)


@law("electromagnetics", "the flow of electromagnetic energy by Poynting")
def poynting_vector(e: electric_field, b: magnetic_field, mu: magnetic_permeability) -> energy_flux:
    return wp.cross(e, b) / mu


@law("electromagnetics", "the energy density of a field")
def field_energy_density(e: electric_field, b: magnetic_field, eps: permittivity, mu: magnetic_permeability) -> energy_density:
    return 0.5 * (eps * wp.dot(e, e) + wp.dot(b, b) / mu)


@law("electromagnetics", "the current through a resistor by Ohm's law")
def ohm_current(u: voltage, r: resistance) -> current:
    return u / r


@law("electromagnetics", "the voltage across a resistor")
def ohm_voltage(i: current, r: resistance) -> voltage:
    return i * r


@law("electromagnetics", "the heat that a resistor gives off in a unit of time")
def joule_power(i: current, r: resistance) -> power:
    return i * i * r


@law("electromagnetics", "two resistors side by side")
def parallel_resistance(ra: resistance, rb: resistance) -> resistance:
    return ra * rb / (ra + rb)


@law("electromagnetics", "the voltage of a divider at its middle")
def voltage_divider(u: voltage, ra: resistance, rb: resistance) -> voltage:
    return u * rb / (ra + rb)


@law("electromagnetics", "the voltage of a capacitor that charges through a resistor")
def capacitor_charging(u: voltage, r: resistance, c: capacitance, t: time_value) -> voltage:
    return u * (1.0 - wp.exp(-t / (r * c)))


@law("electromagnetics", "the energy stored in a capacitor")
def capacitor_energy(c: capacitance, u: voltage) -> energy:
    return 0.5 * c * u * u


@law("electromagnetics", "the resonance frequency of a coil and a capacitor")
def resonance_frequency(ind: inductance, c: capacitance) -> frequency:
    return 1.0 / (2.0 * wp.pi * wp.sqrt(ind * c))


@law("electromagnetics", "the size of the impedance of a series circuit")
def series_impedance(r: resistance, ind: inductance, c: capacitance, w: angular_frequency) -> impedance:
    reactance = w * ind - 1.0 / (w * c)
    return wp.sqrt(r * r + reactance * reactance)


@law("electromagnetics", "the current of a diode by Shockley's equation, with the exponent limited")
def diode_current(sat: saturation_current, u: diode_voltage, vt: thermal_voltage) -> current:
    x = wp.min(u / vt, 10.0)
    return sat * (wp.exp(x) - 1.0)


@law("electromagnetics", "the drain current of a transistor in its three regions")
def mosfet_current(vgs: gate_voltage, vds: drain_voltage, vth: threshold_voltage, k: transconductance) -> current:
    drive = vgs - vth
    if drive <= 0.0:
        return 0.0
    if vds < drive:
        return k * (drive - 0.5 * vds) * vds
    return 0.5 * k * drive * drive


@law("electromagnetics", "the field inside a long coil")
def solenoid_field(mu: magnetic_permeability, turns: turns_per_length, i: current) -> axial_field:
    return mu * turns * i


@law("electromagnetics", "the field around a straight wire")
def wire_field(mu: magnetic_permeability, i: current, r: distance) -> axial_field:
    return mu * i / (2.0 * wp.pi * r)


@law("electromagnetics", "the depth to which a wave enters a conductor")
def skin_depth(sigma: electric_conductivity, w: angular_frequency, mu: magnetic_permeability) -> distance:
    return wp.sqrt(2.0 / (sigma * w * mu))


@law("electromagnetics", "the new velocity of a charge by Boris' method")
def boris_push(v: velocity, e: electric_field, b: magnetic_field, q: charge, m: mass, dt: time_step) -> velocity:
    half = 0.5 * q * dt / m
    v_minus = v + half * e
    t = half * b
    v_prime = v_minus + wp.cross(v_minus, t)
    s = t * (2.0 / (1.0 + wp.dot(t, t)))
    v_plus = v_minus + wp.cross(v_prime, s)
    return v_plus + half * e


@law("electromagnetics", "the electric field of a travelling wave along its axis")
def plane_wave_field(e0: amplitude, k: wave_number, x: axial_position, w: angular_frequency, t: time_value) -> axial_field:
    return e0 * wp.cos(k * x - w * t)


@law("electromagnetics", "the part of a signal that comes back from a mismatched line")
def reflection_coefficient(load: resistance, line: resistance) -> reflection_factor:
    return (load - line) / (load + line)
