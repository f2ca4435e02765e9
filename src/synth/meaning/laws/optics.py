"""Rays, lenses, interference and absorption of light."""


@law("optics", "the cosine of the refracted angle by Snell's law, zero where all light is reflected")
def refracted_cosine(cos_in: cosine, eta: index_ratio) -> cosine:
    sin2 = eta * eta * (1.0 - cos_in * cos_in)
    if sin2 >= 1.0:
        return 0.0
    return wp.sqrt(1.0 - sin2)


@law("optics", "the mirror direction of an incoming ray")
def mirror_direction(d: direction, n: normal) -> direction:
    return d - 2.0 * wp.dot(d, n) * n


@law("optics", "the direction of a refracted ray, or of the mirrored one where all light is reflected")
def refract_direction(d: direction, n: normal, eta: index_ratio) -> direction:
    facing = n
    cos_in = -wp.dot(d, n)
    if cos_in < 0.0:
        facing = -n
        cos_in = -cos_in
    k = 1.0 - eta * eta * (1.0 - cos_in * cos_in)
    if k < 0.0:
        return d + 2.0 * cos_in * facing
    return eta * d + (eta * cos_in - wp.sqrt(k)) * facing


@law("optics", "the reflectance at normal incidence")
def normal_reflectance(n1: refractive_index, n2: refractive_index) -> reflectance:
    r = (n1 - n2) / (n1 + n2)
    return r * r


@law("optics", "the reflectance of unpolarised light at a surface by Fresnel's equations")
def fresnel_reflectance(cos_in: cosine, eta: index_ratio) -> reflectance:
    sin2 = eta * eta * (1.0 - cos_in * cos_in)
    if sin2 >= 1.0:
        return 1.0
    cos_out = wp.sqrt(1.0 - sin2)
    parallel = (cos_in - eta * cos_out) / (cos_in + eta * cos_out)
    across = (eta * cos_in - cos_out) / (eta * cos_in + cos_out)
    return 0.5 * (parallel * parallel + across * across)


@law("optics", "the reflectance by Schlick's approximation")
def schlick_reflectance(cos_in: cosine, f0: base_reflectance) -> reflectance:
    m = wp.clamp(1.0 - cos_in, 0.0, 1.0)
    m2 = m * m
    return f0 + (1.0 - f0) * m2 * m2 * m


@law("optics", "the refractive index of a glass at a wavelength by Cauchy's formula")
def cauchy_index(lam: wavelength, a: cauchy_offset, b: dispersion) -> refractive_index:
    return a + b / (lam * lam)


@law("optics", "the share of light that passes an absorbing layer, by Beer and Lambert")
def beer_lambert(mu: absorption, depth: path_length) -> transmittance:
    return wp.exp(-mu * depth)


@law("optics", "the optical depth of a layer")
def optical_depth_of(mu: absorption, depth: path_length) -> optical_depth:
    return mu * depth


@law("optics", "the transmittance that belongs to an optical depth")
def transmittance_of_depth(tau: optical_depth) -> transmittance:
    return wp.exp(-tau)


@law("optics", "the irradiance of a point light on a surface")
def point_irradiance(intensity: radiant_intensity, cos_in: cosine, r: distance) -> irradiance:
    return intensity * wp.max(cos_in, 0.0) / (r * r)


@law("optics", "the angle at which all light is reflected", needs=(eta > 1.0,))
def critical_angle(eta: index_ratio) -> angle:
    return wp.asin(1.0 / eta)


@law("optics", "Brewster's angle")
def brewster_angle(n1: refractive_index, n2: refractive_index) -> angle:
    return wp.atan(n2 / n1)


@law("optics", "the light behind a polariser, by Malus")
def malus_intensity(i0: light_intensity, theta: angle) -> light_intensity:
    c = wp.cos(theta)
    return i0 * c * c


@law("optics", "the focal length of a thin lens from its two radii", needs=(wp.abs(1.0 / ra - 1.0 / rb) > 0.05,))
def lensmaker_focal_length(n: refractive_index, ra: curvature_radius, rb: curvature_radius) -> signed_focal_length:
    return 1.0 / ((n - 1.0) * (1.0 / ra - 1.0 / rb))


@law("optics", "where a thin lens puts the image of an object")
def image_distance_of(f: focal_length, d: object_distance) -> image_distance:
    return f * d / (d - f)


@law("optics", "the magnification of a thin lens, negative for a turned image")
def lens_magnification(image: image_distance, d: object_distance) -> magnification:
    return -image / d


@law("optics", "the diameter of the blur disc of a point out of focus")
def circle_of_confusion(aperture: aperture_diameter, f: small_focal_length, focus: focus_distance, d: object_distance) -> blur_diameter:
    return aperture * f * wp.abs(d - focus) / (d * (focus - f))


@law("optics", "the intensity behind two narrow slits, relative to one of them alone")
def two_slit_intensity(spacing: slit_spacing, lam: wavelength, theta: small_angle) -> relative_intensity:
    half = wp.pi * spacing * wp.sin(theta) / lam
    c = wp.cos(half)
    return 4.0 * c * c


@law("optics", "the diffraction of one slit, relative to its centre")
def single_slit_intensity(width: slit_width, lam: wavelength, theta: small_angle) -> relative_intensity:
    b = wp.pi * width * wp.sin(theta) / lam
    if wp.abs(b) < 0.001:
        return 1.0
    s = wp.sin(b) / b
    return s * s


@law("optics", "the angle of a grating's maximum of an order")
def grating_angle(order: diffraction_order, lam: wavelength, spacing: grating_period) -> angle:
    return wp.asin(float(order) * lam / spacing)


@law("optics", "the radius of a Gaussian beam at a distance from its waist")
def gaussian_beam_radius(w0: beam_waist, z: axial_distance, zr: rayleigh_range) -> beam_radius:
    s = z / zr
    return w0 * wp.sqrt(1.0 + s * s)


@law("optics", "the intensity of a Gaussian beam off its axis")
def gaussian_beam_intensity(i0: light_intensity, r: beam_radius, w: beam_radius) -> light_intensity:
    return i0 * wp.exp(-2.0 * r * r / (w * w))


@law("optics", "the phase function of Henyey and Greenstein")
def henyey_greenstein(cos_theta: signed_cosine, g: anisotropy) -> phase_value:
    g2 = g * g
    base = 1.0 + g2 - 2.0 * g * cos_theta
    return (1.0 - g2) / (4.0 * wp.pi * base * wp.sqrt(base))


@law("optics", "the phase function of Rayleigh scattering")
def rayleigh_phase(cos_theta: signed_cosine) -> phase_value:
    return 3.0 / (16.0 * wp.pi) * (1.0 + cos_theta * cos_theta)
