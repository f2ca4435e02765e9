from typing import Any, Iterable, List, Literal, Optional, Tuple

__version__: str
warp_versions: Tuple[str, ...]

Device = Literal["cuda", "cpu", "both"]

class Error(Exception):
    kind: str
    message: str
    hint: Optional[str]
    path: Optional[str]
    line: Optional[int]
    column: Optional[int]
    kernel: Optional[str]
    shown: str
    def __init__(
        self,
        message: str,
        *,
        hint: Optional[str] = ...,
        path: Optional[str] = ...,
        line: Optional[int] = ...,
        column: Optional[int] = ...,
        kernel: Optional[str] = ...,
        shown: Optional[str] = ...,
    ) -> None: ...

class Refused(Error): ...
class CompileError(Error): ...

class Extraction(List[dict[str, Any]]):
    refused: List[Error]
    def __init__(self, kernels: Iterable[dict[str, Any]] = ..., refused: Iterable[Error] = ...) -> None: ...

def extract_ir(
    kernel: Any, device: Device = ..., backward: bool = ..., *, name: Optional[str] = ..., warp: Optional[str] = ...
) -> dict[str, Any]: ...
def extract_module(
    module: Any, device: Device = ..., backward: bool = ..., *, warp: Optional[str] = ...
) -> Extraction: ...
def preamble(device: Literal["cuda", "cpu"] = ..., *, warp: Optional[str] = ...) -> str: ...
