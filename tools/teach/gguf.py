"""A reader of GGUF files: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md. Tensors come out as float32."""

import math
import pathlib
import struct

import numpy as np

NUMBERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
TEXT, LIST = 8, 9
# Numbers and bytes of a block, for each type of tensor.
BLOCKS = {0: (1, 4), 1: (1, 2), 2: (32, 18), 3: (32, 20), 8: (32, 34), 14: (256, 210)}


def halves(raw):
    return np.ascontiguousarray(raw).view(np.float16).astype(np.float32)


def nibbles(raw):
    """Sixteen bytes hold the first sixteen numbers in their low halves, the others in their high ones."""
    return np.concatenate([raw & 15, raw >> 4], axis=1).astype(np.float32)


def q6_k(rows):
    """Blocks of 256 numbers of six bits: four low ones, two high ones, and a scale of eight bits for every sixteen."""
    low, high = rows[:, :128].reshape(-1, 2, 2, 32), rows[:, 128:192].reshape(-1, 2, 32)
    parts = []
    for half in (0, 1):
        for part in range(4):
            nibble = low[:, half, part % 2] >> (4 * (part // 2)) & 15
            parts.append((nibble | (high[:, half] >> (2 * part) & 3) << 4).astype(np.float32) - 32)
    numbers = np.concatenate(parts, axis=1)
    scales = rows[:, 192:208].view(np.int8).astype(np.float32).repeat(16, axis=1)
    return numbers * scales * halves(rows[:, 208:210])


def dequantised(raw, kind):
    rows = raw.reshape(-1, BLOCKS[kind][1])
    if kind == 0:
        return raw.view(np.float32)
    if kind == 1:
        return halves(raw)
    if kind == 2:
        return (nibbles(rows[:, 2:]) - 8) * halves(rows[:, :2])
    if kind == 3:
        return nibbles(rows[:, 4:]) * halves(rows[:, :2]) + halves(rows[:, 2:4])
    if kind == 8:
        return rows[:, 2:].view(np.int8).astype(np.float32) * halves(rows[:, :2])
    return q6_k(rows)


class Reader:
    def __init__(self, path):
        self.raw, self.at = pathlib.Path(path).read_bytes(), 4
        if self.raw[:4] != b"GGUF":
            raise ValueError(f"{path} is not a GGUF file")
        self.version, tensors, fields = self.number("I"), self.number("Q"), self.number("Q")
        self.fields = {self.text(): self.value(self.number("I")) for _ in range(fields)}
        infos = [self.info() for _ in range(tensors)]
        step = self.fields.get("general.alignment", 32)
        start = (self.at + step - 1) // step * step
        self.tensors = {name: self.tensor(start + offset, shape, kind) for name, shape, kind, offset in infos}

    def number(self, form):
        (value,) = struct.unpack_from("<" + form, self.raw, self.at)
        self.at += struct.calcsize("<" + form)
        return value

    def text(self):
        length = self.number("Q")
        self.at += length
        return self.raw[self.at - length : self.at].decode()

    def value(self, kind):
        if kind == TEXT:
            return self.text()
        if kind == LIST:
            of, count = self.number("I"), self.number("Q")
            return [self.value(of) for _ in range(count)]
        return self.number(NUMBERS[kind])

    def info(self):
        name = self.text()
        shape = [self.number("Q") for _ in range(self.number("I"))]
        return name, shape[::-1], self.number("I"), self.number("Q")

    def tensor(self, start, shape, kind):
        if kind not in BLOCKS:
            raise ValueError(f"tensors of type {kind} are not read")
        numbers, size = BLOCKS[kind]
        count = math.prod(shape)
        raw = np.frombuffer(self.raw, np.uint8, count // numbers * size, start)
        return dequantised(raw, kind).reshape(shape)
