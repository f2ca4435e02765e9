from typing import Any, Optional, Tuple

VERSION: str
WARP_VERSIONS: Tuple[str, ...]

def compile(
    source: bytes, path: str, kernel: Optional[str], cuda: bool, cpu: bool, backward: bool, warp: Optional[str]
) -> Tuple[list[dict[str, Any]], list[dict[str, Any]]]: ...
def preamble(cuda: bool, warp: Optional[str]) -> str: ...
def find_warp(version: Optional[str]) -> Optional[str]: ...
