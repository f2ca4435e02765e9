"""Bits of whole numbers, one by one."""


def spread_bits(v):
    return sum((v >> i & 1) << 3 * i for i in range(10))
