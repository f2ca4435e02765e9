from enum import IntEnum, IntFlag

from .constants import HIDDEN as _hidden


class Kind(IntEnum):
    EMPTY = 0
    WALL = 1
    WATER = 2


class Bits(IntFlag):
    ACTIVE = 1
    MOVED = 4


class Limits:
    most = _hidden
    least = -1
