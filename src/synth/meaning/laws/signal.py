"""Windows, filters, modulation and spectra."""


@law("signal", "a value of a sine wave")
def sine_wave(a: amplitude, f: frequency, t: time_value, phi: phase) -> signal:
    return a * wp.sin(2.0 * wp.pi * f * t + phi)


@law("signal", "a value of a square wave")
def square_wave(a: amplitude, f: frequency, t: time_value) -> signal:
    x = f * t
    if x - wp.floor(x) < 0.5:
        return a
    return -a


@law("signal", "a value of a triangle wave")
def triangle_wave(a: amplitude, f: frequency, t: time_value) -> signal:
    x = f * t
    s = x - wp.floor(x)
    return a * (4.0 * wp.abs(s - 0.5) - 1.0)


@law("signal", "a value of a chirp whose frequency rises evenly")
def chirp_wave(a: amplitude, f0: frequency, rate: chirp_rate, t: time_value) -> signal:
    return a * wp.sin(2.0 * wp.pi * (f0 * t + 0.5 * rate * t * t))


@law("signal", "a point of the Hann window")
def hann_window(u: ratio) -> window_weight:
    return 0.5 - 0.5 * wp.cos(2.0 * wp.pi * u)


@law("signal", "a point of the Hamming window")
def hamming_window(u: ratio) -> window_weight:
    return 0.54 - 0.46 * wp.cos(2.0 * wp.pi * u)


@law("signal", "a point of the Blackman window")
def blackman_window(u: ratio) -> window_weight:
    t = 2.0 * wp.pi * u
    return 0.42 - 0.5 * wp.cos(t) + 0.08 * wp.cos(2.0 * t)


@law("signal", "a point of the Welch window")
def welch_window(u: ratio) -> window_weight:
    x = 2.0 * u - 1.0
    return 1.0 - x * x


@law("signal", "a sample weighted by a window")
def windowed_sample(x: signal, w: window_weight) -> signal:
    return x * w


@law("signal", "the normalised sine cardinal")
def sinc_value(x: sample_offset) -> filter_weight:
    if wp.abs(x) < 0.0001:
        return 1.0
    px = wp.pi * x
    return wp.sin(px) / px


@law("signal", "a first-order low-pass step")
def low_pass_step(x: signal, y: filter_state, alpha: smoothing_alpha) -> filtered_value:
    return y + alpha * (x - y)


@law("signal", "the smoothing of a first-order low-pass from its cut-off")
def low_pass_alpha(cutoff: cutoff_frequency, dt: time_step) -> smoothing_alpha:
    rc = 1.0 / (2.0 * wp.pi * cutoff)
    return dt / (rc + dt)


@law("signal", "the gain of a first-order low-pass at a frequency")
def low_pass_gain(f: frequency, fc: cutoff_frequency) -> gain:
    s = f / fc
    return 1.0 / wp.sqrt(1.0 + s * s)


@law("signal", "the gain of a Butterworth filter of an order")
def butterworth_gain(f: frequency, fc: cutoff_frequency, order: filter_order) -> gain:
    return 1.0 / wp.sqrt(1.0 + wp.pow(f / fc, 2.0 * float(order)))


@law("signal", "one output of a biquad section")
def biquad_output(x: sample_history, y: output_history, b: feedforward, a: feedback) -> filtered_value:
    return wp.dot(b, x) - a[0] * y[0] - a[1] * y[1]


@law("signal", "a value limited by a soft knee")
def soft_clip(x: signal) -> signal:
    return wp.tanh(x)


@law("signal", "a value limited by the cubic soft clipper")
def cubic_clip(x: signal) -> signal:
    if x > 1.0:
        return 2.0 / 3.0
    if x < -1.0:
        return -2.0 / 3.0
    return x - x * x * x / 3.0


@law("signal", "a value shrunk towards zero")
def shrink_value(x: signal, level: shrink_level) -> signal:
    if x > level:
        return x - level
    if x < -level:
        return x + level
    return 0.0


@law("signal", "a value rounded to a number of levels")
def quantize_value(x: signal, step: quantum_step) -> signal:
    return step * wp.floor(x / step + 0.5)


@law("signal", "the power of a complex spectrum value")
def spectral_power(z: spectrum_value) -> power_density:
    return wp.dot(z, z)


@law("signal", "the phase of a complex spectrum value")
def spectral_phase(z: spectrum_value) -> phase:
    return wp.atan2(z[1], z[0])


@law("signal", "the product of two complex values")
def complex_product(a: spectrum_value, b: spectrum_value) -> spectrum_value:
    return wp.vec2(a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0])


@law("signal", "a complex value turned by a phase")
def rotate_phasor(z: spectrum_value, phi: phase) -> spectrum_value:
    c = wp.cos(phi)
    s = wp.sin(phi)
    return wp.vec2(z[0] * c - z[1] * s, z[0] * s + z[1] * c)


@law("signal", "a value between two samples by cubic Hermite interpolation")
def hermite_sample(y0: intensity, y1: intensity, y2: intensity, y3: intensity, t: ratio) -> intensity:
    c0 = y1
    c1 = 0.5 * (y2 - y0)
    c2 = y0 - 2.5 * y1 + 2.0 * y2 - 0.5 * y3
    c3 = 0.5 * (y3 - y0) + 1.5 * (y1 - y2)
    return ((c3 * t + c2) * t + c1) * t + c0


@law("signal", "the vertex of a parabola through a peak and its neighbours, in samples from the peak", needs=(2.0 * mid - left - right > 0.05,))
def parabolic_peak(left: signal, mid: signal, right: signal) -> sample_offset:
    return 0.5 * (left - right) / (left - 2.0 * mid + right)


@law("signal", "the Doppler shift of a moving source", needs=(c > v,))
def doppler_frequency(f: frequency, v: slow_speed, c: wave_speed) -> frequency:
    return f * c / (c - v)


@law("signal", "the power of noise in a band, in decibels over a level")
def decibel_level(p: power_density, ref: reference_power) -> decibel_ratio:
    return 10.0 * wp.log10(p / ref)


@law("signal", "the correlation of two zero-mean signals from their sums")
def normalized_correlation(sxy: cross_sum, sxx: square_sum, syy: square_sum) -> correlation:
    return sxy / wp.sqrt(sxx * syy)


@law("signal", "Teager's energy of three samples")
def teager_energy(left: signal, mid: signal, right: signal) -> power_density:
    return mid * mid - left * right
