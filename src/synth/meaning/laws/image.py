"""Pixels, filters, edges and motion in images."""


@law("image", "the grey value of an encoded colour by Rec. 601")
def rec601_gray(c: encoded_color) -> intensity:
    return constant("LUMA|GREY_WEIGHTS|REC601|LUMA_WEIGHTS", wp.vec3(0.299, 0.587, 0.114)).x * c[0] + constant("LUMA|GREY_WEIGHTS|REC601|LUMA_WEIGHTS", wp.vec3(0.299, 0.587, 0.114)).y * c[1] + constant("LUMA|GREY_WEIGHTS|REC601|LUMA_WEIGHTS", wp.vec3(0.299, 0.587, 0.114)).z * c[2] if allows(constant_parts) and maybe(0.4) else 0.299 * c[0] + 0.587 * c[1] + 0.114 * c[2]


@law("image", "the blue difference of an encoded colour")
def chroma_blue(c: encoded_color) -> chroma:
    y = constant("LUMA|GREY_WEIGHTS|REC601|LUMA_WEIGHTS", wp.vec3(0.299, 0.587, 0.114)).x * c[0] + constant("LUMA|GREY_WEIGHTS|REC601|LUMA_WEIGHTS", wp.vec3(0.299, 0.587, 0.114)).y * c[1] + constant("LUMA|GREY_WEIGHTS|REC601|LUMA_WEIGHTS", wp.vec3(0.299, 0.587, 0.114)).z * c[2] if allows(constant_parts) and maybe(0.4, "parts") else 0.299 * c[0] + 0.587 * c[1] + 0.114 * c[2]
    return 0.5 * (c[2] - y) / (1.0 - (constant("LUMA|GREY_WEIGHTS|REC601|LUMA_WEIGHTS", wp.vec3(0.299, 0.587, 0.114)).z if allows(constant_parts) and maybe(0.4, "parts") else 0.114))


@law("image", "the strength of an edge from its two slopes")
def gradient_magnitude(gx: gradient_x, gy: gradient_y) -> edge_strength:
    return wp.sqrt(gx * gx + gy * gy)


@law("image", "the direction across an edge")
def gradient_orientation(gx: gradient_x, gy: gradient_y) -> heading:
    return wp.atan2(gy, gx)


@law("image", "the weight of a neighbour at a distance in a Gaussian blur")
def gaussian_weight(d: pixel_distance, sigma: blur_sigma) -> filter_weight:
    s = d / sigma
    return wp.exp(-0.5 * s * s)


@law("image", "the weight of a neighbour in a bilateral filter, by distance and by likeness")
def bilateral_weight(d: pixel_distance, a: intensity, b: intensity, sigma: blur_sigma, tau: range_sigma) -> filter_weight:
    near = d * d / (2.0 * sigma * sigma)
    diff = a - b
    alike = diff * diff / (2.0 * tau * tau)
    return wp.exp(-near - alike)


@law("image", "the conductance of Perona and Malik's diffusion, small across edges")
def perona_malik_conductance(g: edge_strength, kappa: edge_threshold) -> ratio:
    s = g / kappa
    return 1.0 / (1.0 + s * s)


@law("image", "the value between four pixels")
def bilinear_blend(v00: intensity, v10: intensity, v01: intensity, v11: intensity, fx: ratio, fy: ratio) -> intensity:
    top = v00 * (1.0 - fx) + v10 * fx
    low = v01 * (1.0 - fx) + v11 * fx
    return top * (1.0 - fy) + low * fy


@law("image", "the weight of a sample in bicubic interpolation by Keys, with a = -1/2")
def keys_weight(d: sample_offset) -> filter_weight:
    x = wp.abs(d)
    if x < 1.0:
        return (1.5 * x - 2.5) * x * x + 1.0
    if x < 2.0:
        return ((-0.5 * x + 2.5) * x - 4.0) * x + 2.0
    return 0.0


@law("image", "the weight of a sample by Lanczos with three lobes")
def lanczos_weight(d: sample_offset) -> filter_weight:
    x = wp.abs(d)
    if x < 0.0001:
        return 1.0
    if x >= 3.0:
        return 0.0
    px = wp.pi * x
    return 3.0 * wp.sin(px) * wp.sin(px / 3.0) / (px * px)


@law("image", "the weight of a sample by Mitchell and Netravali, with both parameters one third")
def mitchell_weight(d: sample_offset) -> filter_weight:
    x = wp.abs(d)
    if x < 1.0:
        return ((7.0 * x - 12.0) * x * x + 16.0 / 3.0) / 6.0
    if x < 2.0:
        return (((-7.0 / 3.0 * x + 12.0) * x - 20.0) * x + 32.0 / 3.0) / 6.0
    return 0.0


@law("image", "the corner response of Harris")
def harris_response(ixx: moment_xx, iyy: moment_yy, ixy: moment_xy, k: harris_factor) -> corner_score:
    det = ixx * iyy - ixy * ixy
    tr = ixx + iyy
    return det - k * tr * tr


@law("image", "the corner response of Shi and Tomasi, the smaller eigenvalue")
def shi_tomasi_response(ixx: moment_xx, iyy: moment_yy, ixy: moment_xy) -> corner_score:
    half = 0.5 * (ixx + iyy)
    d = 0.5 * (ixx - iyy)
    return half - wp.sqrt(d * d + ixy * ixy)


@law("image", "the motion along a slope by the brightness constancy", needs=(wp.abs(gx) > 0.05,))
def normal_flow(gx: gradient_x, change: temporal_gradient) -> pixel_motion:
    return -change / gx


@law("image", "the mean squared error in decibels below the peak")
def peak_signal_to_noise(mse: squared_error, peak: peak_level) -> decibel_ratio:
    return 10.0 * wp.log10(peak * peak / mse)


@law("image", "a pixel made black or white by a threshold with soft edge")
def soft_threshold_mask(v: intensity, level: gray_threshold, soft: edge_softness) -> ratio:
    return wp.smoothstep(level - soft, level + soft, v)


@law("image", "a pixel sharpened by what a blur takes away")
def unsharp_mask(v: intensity, blurred: intensity, amount: sharpening) -> intensity:
    return wp.clamp(v + amount * (v - blurred), 0.0, 1.0)


@law("image", "a pixel stretched from a window of levels to the full range")
def window_level(v: intensity, low: window_low, high: window_high) -> intensity:
    return wp.clamp((v - low) / (high - low), 0.0, 1.0)


@law("image", "a pixel raised to a power")
def gamma_correct(v: intensity, gamma: gamma_exponent) -> intensity:
    return wp.pow(v, 1.0 / gamma)


@law("image", "the median of three values")
def median_of_three(a: intensity, b: intensity, c: intensity) -> intensity:
    low = wp.min(a, b)
    high = wp.max(a, b)
    return wp.max(low, wp.min(high, c))


@law("image", "the between-class variance of a threshold, as Otsu maximises it")
def otsu_variance(w: ratio, mean_low: class_mean, mean_high: class_mean) -> variance:
    d = mean_high - mean_low
    return w * (1.0 - w) * d * d


@law("image", "the likeness of two patches by luminance, contrast and structure")
def structural_similarity(ma: patch_mean, mb: patch_mean, va: patch_variance, vb: patch_variance, cov: patch_covariance) -> similarity:
    c1 = 0.0001
    c2 = 0.0009
    return (2.0 * ma * mb + c1) * (2.0 * cov + c2) / ((ma * ma + mb * mb + c1) * (va + vb + c2))


@law("image", "the colour distance of two colours in Lab by CIE76")
def delta_e76(a: lab_color, b: lab_color) -> color_difference:
    return wp.length(a - b)


@law("image", "the curve from relative brightness to lightness of CIE Lab")
def cie_lightness(y: linear_value) -> lightness:
    if y <= 0.008856452:
        return 903.2963 * y
    return 116.0 * wp.pow(y, 1.0 / 3.0) - 16.0
