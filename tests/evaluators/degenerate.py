"""Triangles without area and in one plane, and Poisson numbers of large rates: what is decided by a rule, not by the values."""

# check: --range=0,1000
import warp as wp


@wp.func
def lattice(state: wp.uint32, k: int):
    own = state + wp.uint32(7919 * k)
    return wp.vec3(float(wp.randi(own, 0, 3)), float(wp.randi(own, 0, 3)), float(wp.randi(own, 0, 3)))


# Corners on a line, or all in one point; what they meet is any triangle.
@wp.kernel
def triangles_without_area(seeds: wp.array(dtype=int), met: wp.array(dtype=int)):
    i = wp.tid()
    bits = int(0)
    for k in range(30):
        state = wp.rand_init(seeds[i] + k, i)
        a = lattice(state, 1)
        d = lattice(state, 2) - lattice(state, 3)
        b0 = lattice(state, 4)
        b1 = lattice(state, 5)
        b2 = lattice(state, 6)
        bits = bits * 2 + wp.intersect_tri_tri(a, a + d, a - d, b0, b1, b2)
    met[i] = bits


@wp.kernel
def two_without_area(seeds: wp.array(dtype=int), met: wp.array(dtype=int)):
    i = wp.tid()
    bits = int(0)
    for k in range(30):
        state = wp.rand_init(seeds[i] + k, i)
        a = lattice(state, 1)
        d = lattice(state, 2) - lattice(state, 3)
        b = lattice(state, 4)
        e = lattice(state, 5) - lattice(state, 6)
        bits = bits * 2 + wp.intersect_tri_tri(a, a + d, a - d, b, b + e, b - e)
    met[i] = bits


# In planes whose normals have components of the same size.
@wp.kernel
def triangles_in_one_plane(seeds: wp.array(dtype=int), met: wp.array(dtype=int)):
    i = wp.tid()
    bits = int(0)
    for k in range(30):
        state = wp.rand_init(seeds[i] + k, i)
        o = lattice(state, 0)
        e = wp.vec3(1.0, -1.0, 0.0)
        f = wp.vec3(0.0, 1.0, -1.0)
        if k % 3 == 0:
            e = wp.vec3(0.0, 1.0, 0.0)
            f = wp.vec3(1.0, 0.0, -1.0)
        if k % 3 == 1:
            e = wp.vec3(0.0, 0.0, 1.0)
            f = wp.vec3(-1.0, 1.0, 0.0)
        p = lattice(state, 1)
        q = lattice(state, 2)
        r = lattice(state, 3)
        s = lattice(state, 4)
        bits = bits * 2 + wp.intersect_tri_tri(
            o + e * p[0] + f * p[1], o + e * p[2] + f * q[0], o + e * q[1] + f * q[2],
            o + e * r[0] + f * r[1], o + e * r[2] + f * s[0], o + e * s[1] + f * s[2])
    met[i] = bits


# From some thousands on, the rounding of the series for the logarithm of a factorial decides which number is taken.
@wp.kernel
def large_rates(seeds: wp.array(dtype=int), sums: wp.array2d(dtype=wp.uint32)):
    i = wp.tid()
    rate = float(10.0)
    for k in range(5):
        state = wp.rand_init(seeds[i], k)
        total = wp.uint32(0)
        for n in range(300):
            total += wp.poisson(state, rate) * wp.uint32(n + 1)
        sums[i, k] = total
        rate = rate * 10.0
