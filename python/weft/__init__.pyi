import os
from contextlib import AbstractContextManager
from typing import Any, Callable, Dict, Iterable, Iterator, List, Literal, Optional, Sequence, Tuple, TypedDict, Union, overload

__version__: str
cuda_header: str
warp_versions: Tuple[str, ...]

_Device = Literal["cuda", "cpu", "both"]

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
        hint: Optional[str] = None,
        path: Optional[str] = None,
        line: Optional[int] = None,
        column: Optional[int] = None,
        kernel: Optional[str] = None,
        shown: Optional[str] = None,
    ) -> None: ...

class Refused(Error): ...
class CompileError(Error): ...

class Extraction(List[dict[str, Any]]):
    refused: List[Error]
    def __init__(self, kernels: Iterable[dict[str, Any]] = (), refused: Iterable[Error] = ()) -> None: ...

def extract_ir(
    kernel: Any, device: _Device = "cuda", backward: bool = True, *, name: Optional[str] = None, warp: Optional[str] = None
) -> dict[str, Any]: ...
def extract_module(
    module: Any, device: _Device = "cuda", backward: bool = True, *, warp: Optional[str] = None
) -> Extraction: ...
def preamble(device: Literal["cuda", "cpu"] = "cuda", *, block_dim: int = 256, warp: Optional[str] = None) -> str: ...

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
    finding: Optional[str]
    pattern: Optional[str]
    hint: Optional[str]
    why: str
    def __init__(self, kernel: str, path: str, answer: Union[str, dict[str, Any]]) -> None: ...
    @property
    def ok(self) -> bool: ...
    def to_dict(self) -> dict[str, Any]: ...
    def _repr_html_(self) -> str: ...

class _Row:
    kernel: str
    path: str
    line: int
    dim: Tuple[int, ...]
    launches: int
    captured: int
    verdicts: List[Verdict]
    why: str
    @property
    def worst(self) -> Optional[Verdict]: ...
    @property
    def said(self) -> Tuple[str, str, str]: ...
    def to_dict(self) -> dict[str, Any]: ...

class Report:
    rows: dict[Any, _Row]
    def __init__(self) -> None: ...
    def __iter__(self) -> Iterator[_Row]: ...
    def __len__(self) -> int: ...
    @property
    def mismatches(self) -> List[Verdict]: ...
    def to_json(self) -> str: ...
    def to_sarif(self) -> str: ...
    def _repr_html_(self) -> str: ...

class Mismatch(Exception):
    verdict: Verdict
    def __init__(self, verdict: Verdict) -> None: ...

@overload
def check(
    kernel: "os.PathLike[str]",
    inputs: Iterable[Any] = (),
    dim: Union[int, Sequence[int], None] = None,
    *,
    outputs: Iterable[Any] = (),
    seed: int = 0,
    threads: int = 4096,
) -> List[Verdict]: ...
@overload
def check(
    kernel: Any,
    inputs: Iterable[Any] = (),
    dim: Union[int, Sequence[int], None] = None,
    *,
    outputs: Iterable[Any] = (),
    seed: int = 0,
    threads: int = 4096,
) -> Verdict: ...
def watch(
    *,
    raise_on: Optional[Literal["mismatch"]] = None,
    per_kernel: int = 1,
    threads: int = 4096,
    seed: int = 0,
    report: Optional[Report] = None,
) -> AbstractContextManager[Report]: ...

class Installed:
    by_weft: int
    by_warp: int
    reasons: dict[str, int]
    def __init__(self) -> None: ...
    def __enter__(self) -> "Installed": ...
    def __exit__(self, *error: Any) -> None: ...

def install() -> Installed: ...
def uninstall() -> Optional[Installed]: ...

class Value(TypedDict):
    name: str
    field: Optional[str]
    type: str
    shape: List[int]
    floats: Optional[List[float]]
    ints: Optional[List[int]]
    tolerance: Optional[float]

class Launch(TypedDict):
    dim: List[int]
    inputs: List[Value]
    outputs: List[Value]
    output_gradients: Optional[List[Value]]
    gradients: Optional[List[Value]]

class Argument(TypedDict):
    name: str
    field: Optional[str]
    type: str
    shape: Optional[List[int]]
    low: Optional[float]
    high: Optional[float]
    value: Optional[float]
    sorted: bool
    role: str
    quantity: Optional[str]

class Record(TypedDict, total=False):
    row: int
    split: str
    id: str
    kernel_name: str
    category: str
    difficulty: Optional[str]
    instruction: str
    python_source: str
    cuda_forward: str
    cuda_backward: Optional[str]
    cuda_readable: Optional[str]
    cpp_forward: str
    cpp_backward: Optional[str]
    python_tokens: int
    cuda_forward_tokens: int
    cuda_backward_tokens: int
    cuda_readable_tokens: int
    cpp_forward_tokens: int
    cpp_backward_tokens: int
    verified: bool
    forward_verdict: str
    gradient_verdict: str
    output_gradient_verdict: str
    readable_verdict: str
    license: str
    format_version: int
    mangled_name: str
    algorithm: Optional[str]
    description: str
    cuda_includes: str
    cuda_helpers: str
    cpp_includes: str
    cpp_helpers: str
    line_map: List[Dict[str, Any]]
    launch_dim: List[int]
    block_dim: Optional[int]
    arguments: List[Argument]
    launches: Optional[List[Launch]]
    device: str
    seed: int
    index: int
    has_backward: bool
    forward_lines: int
    backward_lines: int
    structure_hash: str
    masked_structure_hash: str
    gradient_error: Optional[float]
    readable_backward: bool
    readable_reason: Optional[str]
    plan: Dict[str, Any]
    warp_version: str
    weft_version: str
    project: Optional[str]
    file: Optional[str]
    line: Optional[int]
    revision: Optional[str]
    not_run: Optional[str]
    generation_time_ms: float

class Records(Iterator[Record]):
    def __init__(self, open_stream: Callable[[], Any], count: Union[int, Callable[[], int], None] = None) -> None: ...
    def __next__(self) -> Record: ...
    def __len__(self) -> int: ...
    def __bool__(self) -> bool: ...
    def _repr_html_(self) -> str: ...
    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: ...
    def place(self) -> bytes: ...

def produce(
    n: Optional[int] = None,
    seed: int = 0,
    categories: Union[str, Iterable[str], dict[str, int], None] = None,
    verify: bool = True,
    *,
    device: _Device = "cuda",
    backward: bool = True,
    readable: bool = True,
    launches: Optional[int] = None,
    hidden_key: Any = None,
    gradients: Literal["proven", "marked", "skip"] = "proven",
    dedup: Literal["structure", "masked"] = "structure",
    piece: Optional[Tuple[int, int]] = None,
    place: Optional[bytes] = None,
    jobs: int = 0,
    warp: Optional[str] = None,
) -> Records: ...
def load(folder: Any, split: Optional[Literal["train", "validation", "test"]] = None, *, details: bool = True) -> Records: ...

def score(
    task: Union[dict[str, Any], Sequence[dict[str, Any]]],
    answer: Union[str, Sequence[str]],
    *,
    set: Any,
    hidden_key: Any = None,
    gpu: bool = False,
    timing: bool = True,
    jobs: Optional[int] = None,
    compile_time: Optional[int] = None,
    run_time: Optional[int] = None,
    memory: Optional[int] = None,
    batch: Optional[int] = None,
    warp_include: Any = None,
    cuda: Any = None,
) -> Any: ...
