"""Light on surfaces, colour, cameras and blending."""


@law("graphics", "the light of a matte surface by Lambert")
def lambert_shading(base: albedo, cos_in: cosine) -> colour:
    return base * (wp.max(cos_in, 0.0) / wp.pi)


@law("graphics", "the highlight of a shiny surface by Phong")
def phong_highlight(view: direction, reflected: direction, shininess: shininess) -> highlight:
    c = wp.max(wp.dot(view, reflected), 0.0)
    return wp.pow(c, shininess)


@law("graphics", "the direction halfway between two others", needs=(wp.length(a + b) > 0.1,))
def half_vector(a: direction, b: direction) -> direction:
    return wp.normalize(a + b)


@law("graphics", "the share of microfacets that face a direction, by Trowbridge and Reitz (GGX)")
def ggx_distribution(cos_h: cosine, alpha: ggx_alpha) -> microfacet_density:
    a2 = alpha * alpha
    d = cos_h * cos_h * (a2 - 1.0) + 1.0
    return a2 / (wp.pi * d * d)


@law("graphics", "the width of the microfacet slopes from the roughness of an artist")
def alpha_from_roughness(roughness: roughness) -> ggx_alpha:
    return wp.max(roughness * roughness, 0.001)


@law("graphics", "the light that microfacets do not shade, by Smith for GGX, for one direction")
def smith_masking(cos_v: cosine, alpha: ggx_alpha) -> masking:
    a2 = alpha * alpha
    root = wp.sqrt(a2 + (1.0 - a2) * cos_v * cos_v)
    return 2.0 * cos_v / (cos_v + root)


@law("graphics", "the specular reflection of Cook and Torrance")
def cook_torrance(d: microfacet_density, f: reflectance, g: masking, cos_l: cosine, cos_v: cosine) -> specular:
    return d * f * g / (4.0 * cos_l * cos_v)


@law("graphics", "the brightness of a linear colour by Rec. 709")
def rec709_luminance(c: colour) -> luminance:
    return constant("LUMA|LUMA_WEIGHTS|REC709|LUMINANCE_WEIGHTS", wp.vec3(0.2126, 0.7152, 0.0722)).x * c[0] + constant("LUMA|LUMA_WEIGHTS|REC709|LUMINANCE_WEIGHTS", wp.vec3(0.2126, 0.7152, 0.0722)).y * c[1] + constant("LUMA|LUMA_WEIGHTS|REC709|LUMINANCE_WEIGHTS", wp.vec3(0.2126, 0.7152, 0.0722)).z * c[2] if allows(constant_parts) and maybe(0.4) else 0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2]


@law("graphics", "one channel encoded for sRGB")
def srgb_encode(x: linear_value) -> encoded_value:
    if x <= 0.0031308:
        return 12.92 * x
    return 1.055 * wp.pow(x, 1.0 / 2.4) - 0.055


@law("graphics", "one sRGB channel made linear")
def srgb_decode(x: encoded_value) -> linear_value:
    if x <= 0.04045:
        return x / 12.92
    return wp.pow((x + 0.055) / 1.055, 2.4)


@law("graphics", "a bright value compressed by Reinhard's curve")
def reinhard_tonemap(x: luminance) -> linear_value:
    return x / (1.0 + x)


@law("graphics", "a bright value compressed by Reinhard's curve with a white point")
def extended_reinhard_tonemap(x: luminance, white: white_point) -> linear_value:
    return x * (1.0 + x / (white * white)) / (1.0 + x)


@law("graphics", "a bright value compressed by the filmic curve of Hable, before white scaling")
def hable_curve(x: luminance) -> linear_value:
    shoulder = x * (0.15 * x + 0.05) + 0.004
    toe = x * (0.15 * x + 0.5) + 0.06
    return shoulder / toe - 0.02 / 0.3


@law("graphics", "a bright value compressed by an exponential exposure")
def exposure_tonemap(x: luminance, exposure: exposure) -> linear_value:
    return 1.0 - wp.exp(-exposure * x)


@law("graphics", "a colour made brighter by stops")
def expose_color(c: colour, stops: exposure_stops) -> colour:
    return c * wp.pow(2.0, stops)


@law("graphics", "a colour moved towards or away from its grey")
def adjust_saturation(c: colour, amount: saturation) -> colour:
    grey = constant("LUMA|LUMA_WEIGHTS|REC709|LUMINANCE_WEIGHTS", wp.vec3(0.2126, 0.7152, 0.0722)).x * c[0] + constant("LUMA|LUMA_WEIGHTS|REC709|LUMINANCE_WEIGHTS", wp.vec3(0.2126, 0.7152, 0.0722)).y * c[1] + constant("LUMA|LUMA_WEIGHTS|REC709|LUMINANCE_WEIGHTS", wp.vec3(0.2126, 0.7152, 0.0722)).z * c[2] if allows(constant_parts) and maybe(0.4) else 0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2]
    base = wp.vec3(grey, grey, grey)
    return base + (c - base) * amount


@law("graphics", "a value spread around the middle")
def adjust_contrast(x: encoded_value, amount: contrast) -> encoded_value:
    return wp.clamp((x - 0.5) * amount + 0.5, 0.0, 1.0)


@law("graphics", "a colour of given hue, saturation and value")
def hsv_to_rgb(hue: hue, s: ratio, v: brightness) -> colour:
    h = (hue - wp.floor(hue)) * 6.0
    i = int(wp.floor(h))
    f = h - float(i)
    p = v * (1.0 - s)
    q = v * (1.0 - s * f)
    t = v * (1.0 - s * (1.0 - f))
    if i == 0:
        return wp.vec3(v, t, p)
    if i == 1:
        return wp.vec3(q, v, p)
    if i == 2:
        return wp.vec3(p, v, t)
    if i == 3:
        return wp.vec3(p, q, v)
    if i == 4:
        return wp.vec3(t, p, v)
    return wp.vec3(v, p, q)


@law("graphics", "the saturation of a colour in the HSV model")
def hsv_saturation(c: colour) -> ratio:
    top = wp.max(c[0], wp.max(c[1], c[2]))
    low = wp.min(c[0], wp.min(c[1], c[2]))
    if top <= 0.0:
        return 0.0
    return (top - low) / top


@law("graphics", "one colour laid over another by its opacity")
def blend_over(front: colour, alpha: opacity, back: colour) -> colour:
    return front * alpha + back * (1.0 - alpha)


@law("graphics", "the opacity of two layers")
def stacked_opacity(a: opacity, b: opacity) -> opacity:
    return a + b * (1.0 - a)


@law("graphics", "one channel lightened by the screen mode")
def screen_blend(a: encoded_value, b: encoded_value) -> encoded_value:
    return 1.0 - (1.0 - a) * (1.0 - b)


@law("graphics", "one channel by the overlay mode")
def overlay_blend(base: encoded_value, top: encoded_value) -> encoded_value:
    if base < 0.5:
        return 2.0 * base * top
    return 1.0 - 2.0 * (1.0 - base) * (1.0 - top)


@law("graphics", "the share of fog between the eye and a point")
def exponential_fog(d: distance, density: fog_density) -> ratio:
    return 1.0 - wp.exp(-density * d)


@law("graphics", "a light's falloff that reaches zero at its range")
def windowed_falloff(d: distance, reach: distance) -> attenuation:
    s = d / reach
    s2 = s * s
    window = wp.clamp(1.0 - s2 * s2, 0.0, 1.0)
    return window * window / (d * d + 1.0)


@law("graphics", "the edge of a spot light's cone", needs=(inner > outer,))
def spot_falloff(cos_theta: signed_cosine, inner: inner_cosine, outer: inner_cosine) -> attenuation:
    x = wp.clamp((cos_theta - outer) / (inner - outer), 0.0, 1.0)
    return x * x * (3.0 - 2.0 * x)


@law("graphics", "where a pinhole camera sees a point")
def pinhole_project(x: camera_point, f: focal_pixels, center: principal_point) -> pixel_coordinate:
    return wp.vec2(f * x[0] / x[2] + center[0], f * x[1] / x[2] + center[1])


@law("graphics", "the point that a pixel of known depth shows")
def unproject_pixel(p: pixel_coordinate, depth: depth, f: focal_pixels, center: principal_point) -> camera_point:
    return wp.vec3((p[0] - center[0]) * depth / f, (p[1] - center[1]) * depth / f, depth)


@law("graphics", "the depth that a stereo camera sees")
def stereo_depth(f: focal_pixels, baseline: baseline, disparity: disparity) -> depth:
    return f * baseline / disparity


@law("graphics", "a point of the image plane after radial lens distortion")
def radial_distortion(p: point2, k1: distortion_first, k2: distortion_second) -> point2:
    r2 = wp.dot(p, p)
    return p * (1.0 + r2 * (k1 + k2 * r2))


@law("graphics", "a depth buffer value turned into a distance")
def linearize_depth(z: depth_value, near: near_plane, far: far_plane) -> depth:
    return near * far / (far - z * (far - near))


@law("graphics", "the light gathered over a step through a glowing medium")
def emission_step(sigma: absorption, glow: emission, step: step_length) -> luminance:
    if sigma < 0.0001:
        return glow * step
    return glow * (1.0 - wp.exp(-sigma * step)) / sigma


@law("graphics", "the dark corner of a photograph")
def vignette(p: point2, strength: vignette_strength) -> attenuation:
    return 1.0 / (1.0 + strength * wp.dot(p, p))


@law("graphics", "the quintic fade of gradient noise")
def quintic_fade(t: ratio) -> ratio:
    return t * t * t * (t * (t * 6.0 - 15.0) + 10.0)


@law("graphics", "the opacity of a volume step from its density")
def step_opacity(sigma: absorption, step: step_length) -> opacity:
    return 1.0 - wp.exp(-sigma * step)


@law("graphics", "the weight of sampling one way by the balance heuristic")
def balance_heuristic(a: sampling_density, b: sampling_density) -> sample_weight:
    return a / (a + b)


@law("graphics", "the weight of sampling one way by the power heuristic")
def power_heuristic(a: sampling_density, b: sampling_density) -> sample_weight:
    return a * a / (a * a + b * b)


@law("graphics", "a direction of the upper half sphere with a cosine distribution, from two random numbers")
def cosine_hemisphere(u: unit_sample, v: unit_sample) -> direction:
    r = wp.sqrt(u)
    phi = 2.0 * wp.pi * v
    return wp.vec3(r * wp.cos(phi), r * wp.sin(phi), wp.sqrt(wp.max(1.0 - u, 0.0)))
