"""Pitch, loudness, envelopes and rooms, from the textbook."""

import numpy as np


def note_frequency(note):
    return 440 * np.exp((note - 69) * np.log(2) / 12)


def pitch_cents(a, b):
    return 100 * (12 * np.log(b / a) / np.log(2))


def hertz_to_mel(f):
    return 2595 * np.log((700 + f) / 700) / np.log(10)


def mel_to_hertz(m):
    return 700 * np.expm1(m / 2595 * np.log(10))


def hertz_to_bark(f):
    return 26.81 / (1 + 1960 / f) - 0.53


def decibels_to_gain(level):
    return np.exp(level * np.log(10) / 20)


def gain_to_decibels(g):
    return 10 * np.log10(g**2)


def compressor_reduction(level, threshold, ratio):
    out = threshold + (level - threshold) / ratio if level > threshold else level
    return out - level


def soft_knee_level(level, threshold, ratio, knee):
    if level <= threshold - knee / 2:
        return level
    if level >= threshold + knee / 2:
        return threshold + (level - threshold) / ratio
    return level + (1 / ratio - 1) * (level - threshold + knee / 2) ** 2 / (2 * knee)


def note_envelope(t, attack, decay, sustain):
    return np.interp(t, [0, attack, attack + decay], [0, 1, sustain])


def decay_per_sample(tau, rate):
    return 10 ** (-3 / (tau * rate))


decay_per_sample.tolerance = 1e-6


def sabine_reverberation(vol, area):
    return vol / area * 0.161


def envelope_follower(x, env, up, down):
    a = up if abs(x) > env else down
    return a * abs(x) + (1 - a) * env


def pan_left_gain(pan):
    return np.sin((1 - pan) * np.pi / 2)


def mu_law_encode(x):
    return np.sign(x) * np.log1p(255 * abs(x)) / np.log1p(255)


def mu_law_decode(y):
    return np.sign(y) * (256 ** abs(y) - 1) / 255


def add_sound_levels(a, b):
    high, low = max(a, b), min(a, b)
    return high + 10 * np.log10(1 + 10 ** ((low - high) / 10))


def delayed_sample(near, far, frac):
    return np.interp(frac, [0, 1], [near, far])


def a_weighting_factor(f):
    return 12194**2 * f**4 / ((f**2 + 20.6**2) * np.sqrt((f**2 + 107.7**2) * (f**2 + 737.9**2)) * (f**2 + 12194**2))
