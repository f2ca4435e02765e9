"""Air, water, sun and snow."""


@law("climate", "the saturation vapour pressure over water in hectopascals, by Magnus, from degrees Celsius")
def saturation_pressure(t: air_temperature) -> vapor_pressure:
    return 6.112 * wp.exp(17.62 * t / (243.12 + t))


@law("climate", "the vapour pressure of humid air")
def vapor_from_humidity(rh: humidity, sat: vapor_pressure) -> vapor_pressure:
    return rh * sat


@law("climate", "the dew point in degrees Celsius from the vapour pressure in hectopascals")
def dew_point_of(e: vapor_pressure) -> dew_point:
    x = wp.log(e / 6.112)
    return 243.12 * x / (17.62 - x)


@law("climate", "the potential temperature")
def potential_temperature(t: temperature, p: air_pressure) -> temperature:
    return t * wp.pow(1000.0 / p, 0.2857)


@law("climate", "the air pressure at a height in an isothermal atmosphere")
def barometric_pressure(p0: air_pressure, h: altitude, scale: scale_height) -> air_pressure:
    return p0 * wp.exp(-h / scale)


@law("climate", "the temperature at a height with an even lapse, held constant above the tropopause")
def lapse_temperature(t0: temperature, h: altitude, lapse: lapse_rate, top: tropopause) -> temperature:
    return t0 - lapse * wp.min(h, top)


@law("climate", "the wind at a height by the logarithmic profile, calm below the roughness length")
def log_wind_speed(u: friction_velocity, z: height, z0: roughness_length) -> speed:
    if z <= z0:
        return 0.0
    return u / 0.4 * wp.log(z / z0)


@law("climate", "the wind at a height by a power law")
def power_law_wind(u: speed, z: height, ref: reference_height, alpha: shear_exponent) -> speed:
    return u * wp.pow(z / ref, alpha)


@law("climate", "the power of a wind turbine between cut-in and rated speed")
def turbine_power(v: wind_speed, cut_in: cut_in_speed, rated: rated_speed, cut_out: cut_out_speed, top: rated_power) -> power:
    if v < cut_in or v >= cut_out:
        return 0.0
    if v >= rated:
        return top
    low3 = cut_in * cut_in * cut_in
    return top * (v * v * v - low3) / (rated * rated * rated - low3)


@law("climate", "the declination of the sun on a day of the year, in radians")
def solar_declination(day: day_of_year) -> declination:
    return 0.40928 * wp.sin(2.0 * wp.pi * (float(day) + 284.0) / 365.0)


@law("climate", "the sine of the sun's height, zero below the horizon")
def solar_elevation_sine(lat: latitude, dec: declination, hour: hour_angle) -> cosine:
    s = wp.sin(lat) * wp.sin(dec) + wp.cos(lat) * wp.cos(dec) * wp.cos(hour)
    return wp.max(s, 0.0)


@law("climate", "the temperature of a planet in balance with its sun, without air")
def planet_temperature(sun: solar_constant, a: surface_albedo) -> temperature:
    absorbed = 0.25 * sun * (1.0 - a)
    return wp.sqrt(wp.sqrt(absorbed / 5.670374e-8))


@law("climate", "the forcing of carbon dioxide in watts per square metre")
def carbon_forcing(c: carbon_level, c0: reference_carbon) -> forcing:
    return 5.35 * wp.log(c / c0)


@law("climate", "the albedo of a surface that freezes between two temperatures")
def ice_albedo(t: temperature, cold: freezing_temperature, warm: melting_temperature, ice: ice_reflectivity, sea: water_reflectivity) -> surface_albedo:
    x = wp.clamp((t - cold) / (warm - cold), 0.0, 1.0)
    return ice + (sea - ice) * x


@law("climate", "the melt of snow on a warm day")
def snow_melt(t: air_temperature, base: melt_threshold, factor: degree_day_factor) -> melt_depth:
    return factor * wp.max(t - base, 0.0)


@law("climate", "the runoff of a storm by the curve number method")
def storm_runoff(rain: rainfall, s: soil_storage) -> runoff:
    start = 0.2 * s
    if rain <= start:
        return 0.0
    x = rain - start
    return x * x / (x + s)


@law("climate", "the wind chill in degrees Celsius from the wind in kilometres per hour; the air's own temperature in calm or warm air")
def wind_chill(t: air_temperature, v: wind_kmh) -> felt_temperature:
    if t > 10.0 or v < 4.8:
        return t
    p = wp.pow(v, 0.16)
    return 13.12 + 0.6215 * t - 11.37 * p + 0.3965 * t * p


@law("climate", "the Coriolis parameter at a latitude, per hour")
def coriolis_parameter(lat: latitude) -> coriolis_rate:
    return 2.0 * 0.2625161 * wp.sin(lat)


@law("climate", "the density of sea water by a linear equation of state")
def seawater_density(rho0: reference_density, t: air_temperature, t_ref: base_temperature, s: salinity, s_ref: reference_salinity, a: thermal_contraction, b: haline_contraction) -> water_density:
    return rho0 * (1.0 - a * (t - t_ref) + b * (s - s_ref))


@law("climate", "the evaporation of open water from wind and dryness")
def dalton_evaporation(u: wind_speed, sat: vapor_pressure, e: vapor_pressure, c: evaporation_coefficient) -> evaporation_rate:
    return c * u * wp.max(sat - e, 0.0)


@law("climate", "the water in a bucket of soil after a day, the excess running off")
def bucket_moisture(level: soil_moisture, rain: rainfall, loss: water_loss, cap: bucket_capacity) -> soil_moisture:
    return wp.clamp(level + rain - loss, 0.0, cap)
