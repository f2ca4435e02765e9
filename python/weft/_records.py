"""Types of records for type checkers: dicts with these keys. docs/reference/records.md describes them."""

from typing import Any, Dict, List, Optional, TypedDict


class Value(TypedDict):
    """One scalar, one array, or one field of a struct, before or after a launch."""

    name: str
    field: Optional[str]
    type: str
    shape: List[int]
    floats: Optional[List[float]]
    ints: Optional[List[int]]
    tolerance: Optional[float]


class Launch(TypedDict):
    """A small launch with inputs, outputs and gradients."""

    dim: List[int]
    inputs: List[Value]
    outputs: List[Value]
    output_gradients: Optional[List[Value]]
    gradients: Optional[List[Value]]


class Argument(TypedDict):
    """A parameter of a kernel, or a field of a struct, and the range of its numbers."""

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
    """A pair of a data set. Which keys it has depends on the options of the set; with details=False, those of the details are missing."""

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
