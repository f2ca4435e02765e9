"""Scripts as tutorials have them: arrays below the kernels have the names of their parameters."""

import math

import numpy as np
import warp as wp

wp.init()

n = 64


@wp.func
def wave(x: float):
    return wp.sin(x)


@wp.kernel
def sample(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = wave(x[i]) / float(n)


@wp.kernel
def blend(a: wp.array(dtype=float), b: wp.array(dtype=float), grid: wp.array2d(dtype=float), seeds: wp.array(dtype=wp.vec3)):
    i = wp.tid()
    a[i] = b[i] + grid[i, 0] + seeds[i][0]


@wp.kernel
def loss(out: wp.array(dtype=float), target: wp.array(dtype=float), weights: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(out, 0, weights[i] * (out[i] - target[i]))


@wp.kernel
def constant_counts(values: wp.array(dtype=float), n: int):
    i = wp.tid()
    if i < n:
        values[i] = 0.0


@wp.kernel
def loops(values: wp.array(dtype=float), timer: int, tape: float):
    s = float(0.0)
    for rng in range(timer):
        s += tape
    values[wp.tid()] = s


x = wp.array([1.0, 2.0], dtype=float)
y = wp.zeros(2, dtype=float)
a, b = wp.zeros(n), wp.from_numpy(np.linspace(0.0, 2.0 * np.pi, n), dtype=float)
grid = wp.full((n, n), 1.0)
rng = np.random.default_rng(7)
seeds = rng.random((n, 3)).astype(np.float32) * 2.0 - 1.0
weights = -np.ones(n) * math.pi
target = np.zeros((n, n))[1:].T
out = wp.zeros_like(x)
values = out.numpy()
with wp.ScopedTimer("times", print=False) as timer, wp.Tape() as tape:
    wp.launch(sample, dim=2, inputs=[x], outputs=[y], device="cpu")
