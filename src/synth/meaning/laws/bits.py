"""Bits of whole numbers."""


@law("bits", "the lowest ten bits of a number, two zero bits between each two of them", title="spread_bits|expand_bits|part_by_two", function=True)
def spread_bits(v: bits) -> bits:
    v = (v | (v << wp.uint32(16))) & wp.uint32(0x030000FF)
    v = (v | (v << wp.uint32(8))) & wp.uint32(0x0300F00F)
    v = (v | (v << wp.uint32(4))) & wp.uint32(0x030C30C3)
    v = (v | (v << wp.uint32(2))) & wp.uint32(0x09249249)
    return v
