"""Air, water, sun and snow, from the textbook."""

import numpy as np

SIGMA = 5.670374e-8


def saturation_pressure(t):
    return 6.112 * np.exp(17.62 - 17.62 * 243.12 / (243.12 + t))


def vapor_from_humidity(rh, sat):
    return np.prod([rh, sat])


def dew_point_of(e):
    # where the saturation pressure is e, by bisection
    low, high = -100.0, 150.0
    for _ in range(80):
        mid = (low + high) / 2
        low, high = (mid, high) if saturation_pressure(mid) < e else (low, mid)
    return mid


def potential_temperature(t, p):
    return t / (p / 1000) ** 0.2857


def barometric_pressure(p0, h, scale):
    return p0 / np.exp(h / scale)


def lapse_temperature(t0, h, lapse, top):
    return np.interp(h, [0, top], [t0, t0 - lapse * top])


def log_wind_speed(u, z, z0):
    return max(u / 0.4 * (np.log(z) - np.log(z0)), 0)


def power_law_wind(u, z, ref, alpha):
    return u * np.exp(alpha * np.log(z / ref))


def turbine_power(v, cut_in, rated, cut_out, top):
    if not cut_in <= v < cut_out:
        return 0.0
    return top * np.interp(v**3, [cut_in**3, rated**3], [0, 1])


def solar_declination(day):
    return 0.40928 * np.sin(np.radians(360 * (284 + day) / 365))


def solar_elevation_sine(lat, dec, hour):
    zenith = np.array([np.cos(lat), 0, np.sin(lat)])
    sun = np.array([np.cos(dec) * np.cos(hour), np.cos(dec) * np.sin(hour), np.sin(dec)])
    return max(zenith @ sun, 0)


def planet_temperature(sun, a):
    return ((1 - a) * sun / (4 * SIGMA)) ** 0.25


def carbon_forcing(c, c0):
    return 5.35 * (np.log(c) - np.log(c0))


def ice_albedo(t, cold, warm, ice, sea):
    return np.interp(t, [cold, warm], [ice, sea])


def snow_melt(t, base, factor):
    return factor * (t - base) if t > base else 0.0


def storm_runoff(rain, s):
    return max(rain - 0.2 * s, 0) ** 2 / (rain + 0.8 * s)


def wind_chill(t, v):
    if t > 10 or v < 4.8:
        return t
    return np.dot([13.12, 0.6215, -11.37, 0.3965], [1, t, v**0.16, t * v**0.16])


def coriolis_parameter(lat):
    return 2 * (2 * np.pi / 23.93447) * np.sin(lat)


coriolis_parameter.tolerance = 1e-5


def seawater_density(rho0, t, t_ref, s, s_ref, a, b):
    return rho0 - rho0 * a * (t - t_ref) + rho0 * b * (s - s_ref)


def dalton_evaporation(u, sat, e, c):
    return c * u * (sat - e) if sat > e else 0.0


def bucket_moisture(level, rain, loss, cap):
    return sorted([0.0, level + rain - loss, cap])[1]
