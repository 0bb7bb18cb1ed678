"""The inputs of an ONNX graph: a column each, with its type and name, and the numbers that it becomes."""

from typing import TYPE_CHECKING, Any

import numpy as np

from proset.convert.formula import ProsetFormula, SetCoverFormula
from proset.encoding import Category, text_of

if TYPE_CHECKING:
    from onnx import ModelProto

OPSET = 18  # onnxruntime 1.14 and later
OUTPUTS = (
    "label",
    "probabilities",
    "prototype_rows",
    "prototype_shares",
    "start_shares",
    "attributions",
    "base_values",
)


def node(kind: str, *inputs: Any, **settings: Any) -> Any:
    """An operator of ONNX."""
    from skl2onnx.algebra import onnx_ops

    return getattr(onnx_ops, f"Onnx{kind}")(*inputs, op_version=OPSET, **settings)


def types_of_columns(
    what: ProsetFormula | SetCoverFormula, initial_types: list[tuple[str, Any]] | None
) -> list[tuple[str, Any]]:
    """Names and types of the inputs of a classifier of categories; ValueError if the given ones do not fit."""
    from skl2onnx.common.data_types import FloatTensorType, Int64TensorType, StringTensorType

    names = what.feature_names
    if initial_types is None:
        types = [StringTensorType if _is_text(levels) else FloatTensorType for levels in what.categories]
        initial_types = [(name, of_column([None, 1])) for name, of_column in zip(names, types, strict=True)]
    elif len(initial_types) != len(names):
        raise ValueError(f"initial_types: {len(initial_types)} are not allowed, must be {len(names)}, one a column")
    for (name, of_input), levels, column in zip(initial_types, what.categories, names, strict=True):
        if name in ("", *OUTPUTS):
            raise ValueError(
                f"initial_types: the name {name!r}, by default that of the column, is not allowed, must be none of "
                f"'', {', '.join(map(repr, OUTPUTS[:-1]))} and {OUTPUTS[-1]!r}"
            )
        if isinstance(of_input, StringTensorType) != _is_text(levels):
            raise ValueError(
                f"initial_types: {type(of_input).__name__} of {name!r} is not allowed, must be "
                f"{'StringTensorType' if _is_text(levels) else 'a type of numbers'}, as column {column!r} in fit"
            )
        keys = [level for level in levels or () if level is not None]
        if levels and None in levels and "" in keys:
            raise ValueError(
                f"model: column {column!r} with the category '' besides missing values is not allowed, '' stands for "
                "both; make one of them before fit"
            )
        is_coarse = not isinstance(of_input, StringTensorType | Int64TensorType)
        if is_coarse and len(np.unique(np.array(keys, dtype=np.float32))) < len(keys):
            raise ValueError(
                f"model: column {column!r} with categories such as {keys[-1]!r} is not allowed, some are equal in "
                "single precision; make text of them before fit, or an Int64TensorType in initial_types"
            )
    return initial_types


def name_inputs(graph: "ModelProto", names: list[str]) -> None:
    """Gives inputs the names of columns, of which skl2onnx leaves letters, digits and _."""
    named = {given.name: name for given, name in zip(graph.graph.input, names, strict=True)}
    for given in graph.graph.input:
        given.name = named[given.name]
    for node in graph.graph.node:
        node.input[:] = [named.get(name, name) for name in node.input]


def _is_text(levels: tuple[Category, ...] | None) -> bool:
    return any(isinstance(level, str) for level in levels or ())


def feature(what: ProsetFormula | SetCoverFormula, a: int, column: Any) -> Any:
    """A number, or that of a category among the levels, in double precision, shape (N, 1)."""
    from onnx import TensorProto
    from skl2onnx.algebra.onnx_ops import OnnxLabelEncoder
    from skl2onnx.common.data_types import Int64TensorType

    levels = what.levels[a]
    if levels is None:
        return node("Cast", column, to=TensorProto.DOUBLE)
    numbers: dict[Any, float] = {level: float(number) for number, level in enumerate(levels)}
    beyond = np.nan if what.ordered[a] else float(len(levels))
    gap = numbers.pop(None, beyond)
    known: dict[Any, float]
    if _is_text(levels):
        kind, known = "strings", {"": gap} | {text_of(level): number for level, number in numbers.items()}
    elif isinstance(column.type, Int64TensorType):
        kind, known = "int64s", {int(level): number for level, number in numbers.items() if level == int(level)}
    else:
        kind, known = "floats", {float(level): number for level, number in numbers.items()}
        column = node("Cast", column, to=TensorProto.FLOAT)
        known = known or {0.0: beyond}  # LabelEncoder wants one
    settings = {f"keys_{kind}": list(known), "values_floats": list(known.values())}
    code = OnnxLabelEncoder(column, default_float=beyond, **settings, op_version=2)
    if kind == "floats":
        code = node("Where", node("IsNaN", column), np.array([gap], dtype=np.float32), code)
    return node("Cast", code, to=TensorProto.DOUBLE)
