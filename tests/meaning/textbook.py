"""Small helpers of the references, on numpy alone."""

import numpy as np


def norm(v):
    return float(np.sqrt(np.sum(np.square(v))))


def hat(v):
    return np.asarray(v) / norm(v)


def cross(a, b):
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def plane_cross(a, b):
    """The turn from a to b in the plane; np.cross is for vectors of three components."""
    a, b = np.asarray(a), np.asarray(b)
    return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]


def rotation_matrix(q):
    x, y, z, w = q
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def tolerance(relative):
    """Marks a reference that a law only approaches: iterations, fitted polynomials."""
    def mark(function):
        function.tolerance = relative
        return function
    return mark


def reference(function):
    """Marks the reference of a scene of the same name."""
    function.is_reference = True
    return function
