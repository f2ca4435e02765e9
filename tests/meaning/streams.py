"""The stream of random numbers that the language prescribes, from its published hash."""

import numpy as np


class Stream:
    """Uniform numbers of one thread."""

    def __init__(self, seed, offset):
        self.state = self.mixed((int(seed) + self.mixed(int(offset))) & 0xFFFFFFFF)

    @staticmethod
    def mixed(state):
        b = (state * 747796405 + 2891336453) & 0xFFFFFFFF
        c = (((b >> ((b >> 28) + 4)) ^ b) * 277803737) & 0xFFFFFFFF
        return (c >> 22) ^ c

    def word(self):
        self.state = self.mixed(self.state)
        return self.state

    def unit(self):
        return (self.word() >> 8) / 2.0**24

    def wait(self, rate):
        return -np.log(1 - self.unit()) / rate
