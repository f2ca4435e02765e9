"""Scenes that chain laws: an argument in the wrong place gives another formula."""

import numpy as np
from textbook import reference


@reference
def gaussian_beam_radius_to_malus_intensity(s):
    radius = s.waist * np.sqrt(1 + (s.distance_from_waist / s.rayleigh_range) ** 2)
    beam = s.peak_intensity * np.exp(-2 * (s.off_axis / radius) ** 2)
    return {"intensity_out": beam * np.cos(s.polariser_angle) ** 2, "beam_radius": radius}


@reference
def mass_from_density_to_damped_oscillation(s):
    mass = s.density * s.volume
    omega = np.sqrt(s.stiffness / mass)
    # x'' + 2 zeta omega x' + omega^2 x = 0 with x(0) = a, x'(0) = 0, by its two roots
    root = omega * np.emath.sqrt(s.damping_ratio**2 - 1)
    fast, slow = -s.damping_ratio * omega - root, -s.damping_ratio * omega + root
    x = s.amplitude * (slow * np.exp(fast * s.times) - fast * np.exp(slow * s.times)) / (slow - fast)
    near = np.abs(s.damping_ratio - 1) < 0.002
    critical = s.amplitude * (1 + omega * s.times) * np.exp(-omega * s.times)
    return {"displacement": np.where(near, critical, x.real), "mass_of_block": mass, "natural_frequency_of": omega}
