"""Signals, images and fields on grids: filters, transforms, edges, warps."""


@scene("stencil", "nested_loop", "reduction", pixel,
       says="blurs an image with a Gaussian window, clamped at the border and normalised by the weights that were used",
       title="gaussian_blur|blur_image|smooth_image", algorithm="Gaussian blur")
def gaussian_blur(img: each(intensity), sigma: setting(blur_sigma), mask: maybe(each(flag), 0.3), res: out(intensity), detail: maybe(out(signal), 0.4)):
    names(acc="acc|total|s|sum_v", norm="norm|wsum|weight_sum|denom", di="di|dy|oy|u", dj="dj|dx|ox|v", w="w|g|wt|weight_ij", y="y|row_c|yi|ii", x="x|col_c|xi|jj")
    i, j = wp.tid()
    acc = float(0.0)
    norm = float(0.0)
    for di in range(-integer(1, 2, "reach"), integer(1, 2, "reach") + 1):
        for dj in range(-integer(1, 2, "reach"), integer(1, 2, "reach") + 1):
            y = wp.clamp(i + di, 0, count(pixel, 0) - 1)
            x = wp.clamp(j + dj, 0, count(pixel, 1) - 1)
            if present(mask):
                note("masked pixels do not count|skip invalid pixels")
                if mask[y, x] == 0:
                    continue
            w = wp.exp(-float(di * di + dj * dj) / (2.0 * sigma * sigma))
            acc += w * img[y, x]
            norm += w
    if present(mask):
        if norm == 0.0:
            res[i, j] = img[i, j]
            if present(detail):
                detail[i, j] = 0.0
            return
    res[i, j] = acc / norm
    if present(detail):
        note("what the blur took away|high frequencies")
        detail[i, j] = img[i, j] - acc / norm


@scene("stencil", "math", "vector", pixel,
       says="computes the gradient of an image with Sobel's operator, its strength and its direction",
       title="sobel_edges|sobel|edge_gradient", algorithm="Sobel operator", rare=True)
def sobel(img: each(intensity), limit: maybe(setting(edge_threshold), 0.4), mag: out(edge_strength), angle_out: maybe(out(angle), 0.6), edge_out: maybe(out(flag), 0.9)):
    names(gx="gx|dx|sx|grad_x", gy="gy|dy|sy|grad_y", m="m|g|strength|norm_g")
    i, j = wp.tid()
    note("the rim has no full neighbourhood|skip the border")
    if i == 0 or j == 0 or i == count(pixel, 0) - 1 or j == count(pixel, 1) - 1:
        mag[i, j] = 0.0
        if present(angle_out):
            angle_out[i, j] = 0.0
        if present(limit) and present(edge_out):
            edge_out[i, j] = 0
        return
    gx = img[i - 1, j + 1] + 2.0 * img[i, j + 1] + img[i + 1, j + 1] - img[i - 1, j - 1] - 2.0 * img[i, j - 1] - img[i + 1, j - 1]
    gy = img[i + 1, j - 1] + 2.0 * img[i + 1, j] + img[i + 1, j + 1] - img[i - 1, j - 1] - 2.0 * img[i - 1, j] - img[i - 1, j + 1]
    m = wp.sqrt(gx * gx + gy * gy)
    mag[i, j] = m
    if present(angle_out):
        angle_out[i, j] = wp.atan2(gy, gx)
    if present(limit) and present(edge_out):
        if m > limit:
            edge_out[i, j] = 1
        else:
            edge_out[i, j] = 0


@scene("stencil", "physics", "control_flow", cell,
       says="carries a field along a flow by tracing each cell back and interpolating where it came from",
       title="advect_field|semi_lagrangian|advect", algorithm="semi-Lagrangian advection")
def advect(field: each(concentration), vel: each(vector2), dt: setting(time_step, 0.1, 0.4), dx: setting(cell_size), fade: maybe(setting(decay), 0.3), solid: maybe(each(flag), 0.3), res: out(concentration)):
    names(u="u|v|flow|vel_ij", x="x|px|fx|src_x", y="y|py|fy|src_y", i0="i0|ia|x0|il", j0="j0|ja|y0|jl", s="s|tx|wx|ax", t="t|ty|wy|ay", val="val|c|sampled|mixed")
    i, j = wp.tid()
    if present(solid):
        note("obstacles keep what they hold|no transport inside obstacles")
        if solid[i, j] == 1:
            res[i, j] = field[i, j]
            return
    u = vel[i, j]
    note("where the fluid was a step ago|backtrace")
    x = wp.clamp(float(i) - dt * u[0] / dx, 0.0, float(count(cell, 0) - 1))
    y = wp.clamp(float(j) - dt * u[1] / dx, 0.0, float(count(cell, 1) - 1))
    i0 = wp.min(int(x), count(cell, 0) - 2)
    j0 = wp.min(int(y), count(cell, 1) - 2)
    s = x - float(i0)
    t = y - float(j0)
    note("bilinear interpolation")
    val = (1.0 - s) * ((1.0 - t) * field[i0, j0] + t * field[i0, j0 + 1]) + s * ((1.0 - t) * field[i0 + 1, j0] + t * field[i0 + 1, j0 + 1])
    if present(fade):
        val = val * fade
    res[i, j] = val


@scene("stencil", "physics", "nested_loop", cell,
       says="takes one leapfrog step of the wave equation on a membrane with fixed edges",
       title="wave_step|membrane_step|leapfrog_wave", algorithm="leapfrog wave equation")
def wave(now: each(wave_height), before: each(wave_height), c: setting(wave_speed), dt: setting(time_step, 0.02, 0.1), dx: setting(cell_size, 0.4, 1.0), loss_: maybe(setting(ratio, 0.01, 0.1), 0.5), push: maybe(each(amplitude), 0.3), after: out(wave_height), energy_out: maybe(out(energy), 0.3)):
    names(lap="lap|laplace|curv|second", k="k|cfl2|r2|coef", u="u|h|z|center", vel="vel|speed_ij|rate|dz")
    i, j = wp.tid()
    if i == 0 or j == 0 or i == count(cell, 0) - 1 or j == count(cell, 1) - 1:
        note("clamped edge|fixed boundary")
        after[i, j] = 0.0
        if present(energy_out):
            energy_out[i, j] = 0.0
        return
    u = now[i, j]
    lap = now[i - 1, j] + now[i + 1, j] + now[i, j - 1] + now[i, j + 1] - 4.0 * u
    k = c * c * dt * dt / (dx * dx)
    vel = u - before[i, j]
    if present(loss_):
        note("damped motion|friction takes a little each step")
        vel = vel * (1.0 - loss_)
    if present(push):
        after[i, j] = u + vel + k * lap + dt * dt * push[i, j]
    else:
        after[i, j] = u + vel + k * lap
    if present(energy_out):
        energy_out[i, j] = 0.5 * (vel / dt) * (vel / dt)


@scene("nested_loop", "reduction", "math", time_sample,
       says="filters a signal with a finite impulse response, treating what lies before the start as silence",
       title="fir_filter|convolve_signal|apply_fir", algorithm="FIR filter")
def fir(x: each(signal), h: each(filter_weight, filter_tap), g: maybe(setting(gain), 0.4), y: out(signal), clip: maybe(setting(ratio, 0.3, 0.9), 0.4)):
    names(acc="acc|s|out_n|mix", k="k|m|tap|lag")
    n = wp.tid()
    acc = float(0.0)
    for k in range(count(filter_tap)):
        note("samples before the start are zero|causal filter")
        if n - k >= 0:
            acc += h[k] * x[n - k]
    if present(g):
        acc = acc * g
    if present(clip):
        note("limit the output|clip")
        acc = wp.clamp(acc, -clip, clip)
    y[n] = acc


@scene("nested_loop", "math", "vector", bin,
       says="computes one bin of the discrete Fourier transform per thread, with a window if there is one, and its power",
       title="dft_bin|naive_dft|spectrum", algorithm="discrete Fourier transform", rare=True)
def dft(x: each(signal, time_sample), window: maybe(each(window_weight, time_sample), 0.4), spec: out(spectrum_value), power_out: out(power_density)):
    names(re="re|real_part|a|xr", im="im|imag_part|b|xi", phi="phi|angle_n|theta|arg", v="v|s|smp|x_n")
    k = wp.tid()
    re = float(0.0)
    im = float(0.0)
    for n in range(count(time_sample)):
        v = x[n]
        if present(window):
            v = v * window[n]
        phi = -2.0 * wp.pi * float(k * n) / float(count(time_sample))
        re += v * wp.cos(phi)
        im += v * wp.sin(phi)
    spec[k] = wp.vec2(re, im)
    if present(power_out):
        power_out[k] = (re * re + im * im) / float(count(time_sample))


@scene("stencil", "control_flow", "integer", pixel,
       says="removes outliers from an image by the median of each pixel's neighbourhood of three by three",
       title="median_filter|despeckle|median3x3", algorithm="median filter", lossy=True)
def median(img: each(intensity), only: maybe(setting(intensity, 0.05, 0.3), 0.5), res: out(intensity), changed: maybe(add(count_value, 1), 0.4)):
    names(v="v|win|vals|patch", n="n|k|fill|idx_n", t="t|tmp|swap|hold", m="m|mid|med|center_v")
    i, j = wp.tid()
    v = wp.zeros(shape=9, dtype=float)
    n = int(0)
    for di in range(-1, 2):
        for dj in range(-1, 2):
            v[n] = img[wp.clamp(i + di, 0, count(pixel, 0) - 1), wp.clamp(j + dj, 0, count(pixel, 1) - 1)]
            n += 1
    note("a few rounds of selection are enough to find the middle one|partial selection sort")
    for a in range(5):
        for b in range(a + 1, 9):
            if v[b] < v[a]:
                t = v[a]
                v[a] = v[b]
                v[b] = t
    m = v[4]
    if present(only):
        note("only pixels that stick out are replaced|keep what is close to the median")
        if wp.abs(img[i, j] - m) <= only:
            res[i, j] = img[i, j]
            return
    if present(changed):
        wp.atomic_add(changed, 0, 1)
    res[i, j] = m
