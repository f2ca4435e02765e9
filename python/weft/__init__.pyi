from contextlib import AbstractContextManager
from typing import Any, Iterable, Iterator, List, Literal, Optional, Sequence, Tuple, Union

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

class Verdict:
    kernel: str
    path: str
    line: Optional[int]
    element: Optional[str]
    forward: Literal["pass", "mismatch", "wrong", "finding", "none"]
    gradient: Literal["pass", "mismatch", "none"]
    prior: Literal["pass", "mismatch", "none"]
    true_value: float
    warp_value: float
    gradient_error: float
    forward_error: float
    output_error: Optional[float]
    why: str
    @property
    def ok(self) -> bool: ...
    def to_dict(self) -> dict[str, Any]: ...

class Report:
    def __init__(self) -> None: ...
    def __iter__(self) -> Iterator[Any]: ...
    def __len__(self) -> int: ...
    @property
    def mismatches(self) -> List[Verdict]: ...
    def to_json(self) -> str: ...
    def to_sarif(self) -> str: ...

class Mismatch(Exception):
    verdict: Verdict

def check(
    kernel: Any,
    inputs: Sequence[Any] = ...,
    dim: Union[int, Sequence[int], None] = ...,
    *,
    outputs: Sequence[Any] = ...,
    seed: int = ...,
    threads: int = ...,
) -> Verdict: ...
def watch(
    *,
    raise_on: Optional[Literal["mismatch"]] = ...,
    per_kernel: int = ...,
    threads: int = ...,
    seed: int = ...,
    report: Optional[Report] = ...,
) -> AbstractContextManager[Report]: ...

class Installed:
    by_weft: int
    by_warp: int
    reasons: dict[str, int]

def install() -> Installed: ...
def uninstall() -> Optional[Installed]: ...

class Records(Iterator[dict[str, Any]]):
    def __next__(self) -> dict[str, Any]: ...
    def __arrow_c_stream__(self, requested_schema: Any = ...) -> Any: ...
    def place(self) -> bytes: ...

def produce(
    n: Optional[int] = ...,
    seed: int = ...,
    categories: Union[str, Iterable[str], dict[str, int], None] = ...,
    verify: bool = ...,
    *,
    device: Device = ...,
    backward: bool = ...,
    readable: bool = ...,
    launches: Optional[int] = ...,
    hidden_seed: Optional[int] = ...,
    gradients: Literal["proven", "marked", "skip"] = ...,
    dedup: Literal["structure", "masked"] = ...,
    piece: Optional[Tuple[int, int]] = ...,
    place: Optional[bytes] = ...,
    jobs: int = ...,
    warp: Optional[str] = ...,
) -> Records: ...
def load(folder: Any, split: Optional[Literal["train", "validation", "test"]] = ...) -> Records: ...

def score(
    task: Union[dict[str, Any], Sequence[dict[str, Any]]],
    answer: Union[str, Sequence[str]],
    *,
    set: Any,
    hidden_seed: Optional[int] = ...,
    gpu: bool = ...,
    timing: bool = ...,
    jobs: Optional[int] = ...,
    compile_time: Optional[int] = ...,
    run_time: Optional[int] = ...,
    memory: Optional[int] = ...,
    batch: Optional[int] = ...,
    warp_include: Any = ...,
    cuda: Any = ...,
) -> Any: ...
