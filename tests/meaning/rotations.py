"""Rotations as matrices, for references of scenes that have them as quaternions."""

import numpy as np
from textbook import norm, rotation_matrix


def skew(w):
    return np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])


def rotation_about(w):
    """Rodrigues' formula."""
    angle = norm(w)
    if angle < 1e-9:
        return np.eye(3) + skew(w)
    k = skew(np.asarray(w) / angle)
    return np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * k @ k


def rotation_vector(r):
    angle = np.arccos(np.clip((np.trace(r) - 1) / 2, -1, 1))
    if angle < 1e-7:
        return np.array([r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]]) / 2
    return angle / (2 * np.sin(angle)) * np.array([r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]])


def quaternion(r):
    """x, y, z, w as the dominant eigenvector of Bar-Itzhack's matrix."""
    k = np.array([[r[0, 0] - r[1, 1] - r[2, 2], r[1, 0] + r[0, 1], r[2, 0] + r[0, 2], r[2, 1] - r[1, 2]],
                  [r[1, 0] + r[0, 1], r[1, 1] - r[0, 0] - r[2, 2], r[2, 1] + r[1, 2], r[0, 2] - r[2, 0]],
                  [r[2, 0] + r[0, 2], r[2, 1] + r[1, 2], r[2, 2] - r[0, 0] - r[1, 1], r[1, 0] - r[0, 1]],
                  [r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1], np.trace(r)]])
    return np.linalg.eigh(k)[1][:, -1]


def signed_like(s, role, rotations):
    """Quaternions of matrices, with the signs of those that came out: both signs are the same rotation."""
    if not s.has(role):
        return None
    got = np.asarray(s.role(role, s.after))[..., -4:]
    want = np.array([quaternion(r) for r in rotations])
    return want * np.where(np.sum(got * want, -1, keepdims=True) < 0, -1.0, 1.0)


def poses_like(s, role, poses):
    want = signed_like(s, role, [m[:3, :3] for m in poses])
    return None if want is None else np.hstack([[m[:3, 3] for m in poses], want])


def pose_matrix(p):
    m = np.eye(4)
    m[:3, :3], m[:3, 3] = rotation_matrix(p[3:]), p[:3]
    return m
