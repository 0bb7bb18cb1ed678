"""A fitted classifier as an ONNX graph, by skl2onnx and converters for the classifiers of this package."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.feature_selection import SelectorMixin
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, Normalizer, RobustScaler, StandardScaler

from proset.attributions import _shapley_weights
from proset.base_model import FLOOR
from proset.classifier import ProsetClassifier
from proset.convert.attributions import background_of, base_values, check_top, exponents
from proset.convert.formula import ProsetFormula, SetCoverFormula, formula, is_constant, take_apart
from proset.convert.onnx_inputs import OPSET, feature, name_inputs, node, types_of_columns
from proset.model import MAX_ABS

if TYPE_CHECKING:
    from onnx import ModelProto

MOST_FEATURES = 10  # of attributions, as an array of all sets, background rows, prototypes and classes exists
MOST_ENTRIES = 10**7
IN_DOUBLE = (StandardScaler, MinMaxScaler, MaxAbsScaler, RobustScaler, PCA, TruncatedSVD, Normalizer, SelectorMixin)
FAR = 1e5  # an exponent whose factor is 0, but not infinite: times 0 it has to be 0


def to_onnx(
    model: Any, initial_types: list[tuple[str, Any]] | None = None, explain: int | None = None, background: Any = None
) -> "ModelProto":
    """An ONNX graph that predicts, and may say why.

    Its outputs are `label`, shape (N,), and for a ProsetClassifier `probabilities`, shape (N, K), in the order of
    `classes_`, as `skl2onnx.to_onnx` with the option `zipmap=False` returns them for classifiers of scikit-learn.
    Labels are strings or int64; booleans become 0 and 1. NaN is a missing number. `explain` and `background` add
    outputs after these. They have the type of the probabilities, except rows, which are int64.

    Parameters
    ----------
    model : ProsetClassifier or SetCoverClassifier, or a Pipeline, FrozenEstimator or search that ends in one
        Fitted. The steps before it may be any that skl2onnx converts: scalers, imputers, PCA, ColumnTransformer and so
        on. The metric of a SetCoverClassifier has to be Euclidean, squared Euclidean or city block, and its prototypes
        complete numbers. A base model may be any that skl2onnx converts, but not "prefit"; trees compare in single
        precision there, so that a value at a threshold may fall to the other side. With categories, a base and steps
        before the classifier are not allowed.
    initial_types : list of (str, type of skl2onnx.common.data_types), optional
        Names and types of the inputs, as in `skl2onnx.to_onnx`. By default there is one input, `X`, of type float32
        and shape (N, D), and probabilities are float32; they are float64 with a DoubleTensorType. The classifier
        computes in double precision. By default, so do scalers, PCA and selections that come after all other steps.
        A classifier of categories has an input for each column, by its name, of shape (N, 1): strings for text, where
        "" is missing; float32 for numbers, and for booleans and categories that are numbers, where NaN is missing.
        You may choose other names, in the order of the columns, and other types except for text: BooleanTensorType,
        Int64TensorType, DoubleTensorType. A category that the model does not know differs from all others; if it is
        ordered, it counts as missing.
    explain : int >= 1, optional
        Adds `prototype_rows` and `prototype_shares`, both of shape (N, min(explain, J)) with J prototypes: those with
        the largest shares of the prediction, by their rows in the training data; and `start_shares`, (N, K), the shares
        of the class prior or of the base model. Not for a SetCoverClassifier.
    background : array-like or frame, shape (M, D), optional
        Adds `attributions`, (N, D, K), of the features that the classifier sees, and `base_values`, (K,), as for
        `to_c`. The rows are written into the graph. At most 10 active features, A, and 1,000 rows; 2**A * M * K * J may
        be up to 10**7 for J prototypes. A run needs an array of N * 2**A * M * K numbers.

    Returns
    -------
    onnx.ModelProto
        `.SerializeToString()` is what a file and onnxruntime take.

    Raises
    ------
    ImportError
        If skl2onnx is not installed: `pip install 'proset-study[onnx]'`.
    sklearn.exceptions.NotFittedError
        If the model is not fitted.
    ValueError
        If the classifier, its metric or a step before it cannot be converted, `initial_types` do not fit the table, or
        `explain` or `background` is not as described.

    Examples
    --------
    >>> from onnxruntime import InferenceSession
    >>> from proset import ProsetClassifier, to_onnx
    >>> X = [[-1.2], [-1.1], [-1.0], [-0.9], [-0.8], [0.8], [0.9], [1.0], [1.1], [1.2]]
    >>> model = ProsetClassifier(random_state=0).fit(X, ["left"] * 5 + ["right"] * 5)
    >>> session = InferenceSession(to_onnx(model).SerializeToString())
    >>> label, probabilities = session.run(None, {"X": np.array([[-1.0], [1.0]], dtype=np.float32)})
    >>> label.tolist(), probabilities.round(1).tolist()
    (['left', 'right'], [[1.0, 0.0], [0.0, 1.0]])
    """
    try:
        import skl2onnx
        from skl2onnx.common.data_types import DoubleTensorType, FloatTensorType, Int64TensorType, StringTensorType
        from skl2onnx.sklapi import CastTransformer
    except ImportError as error:
        raise ImportError("to_onnx needs skl2onnx: pip install 'proset-study[onnx]'") from error

    steps, classifier = take_apart(model)
    if not classifier._encoding.are_numbers and not isinstance(classifier, ProsetClassifier):
        raise ValueError("model: a SetCoverClassifier of categories is not allowed; to_c and to_javascript write it")
    if getattr(classifier, "_fitted_base", lambda: None)() is not None and not classifier._encoding.are_numbers:
        raise ValueError(f"base: {classifier._base_name()} is not allowed for a table with categories")
    if isinstance(getattr(classifier, "base_", None), str):
        raise ValueError("base: 'prefit' is not allowed, a graph needs the base model itself")
    base = getattr(classifier, "base_", None)
    base = None if base is None or is_constant(base) else base
    what = formula(classifier, with_base=base is None)
    if explain is not None:
        check_top("explain", explain, what)
    compared = None
    if background is not None:
        most = MOST_ENTRIES // (max(len(what.labels), 1) * len(what.classes))
        compared = background_of(what, model, background, MOST_FEATURES, most)
    if isinstance(what, SetCoverFormula) and np.isnan(what.prototypes).any():
        raise ValueError(
            "model: a SetCoverClassifier with a prototype in which a number is missing is not allowed; to_c and "
            "to_javascript write it"
        )
    kind, probability_type = type(classifier), FloatTensorType
    label_type = StringTensorType if what.classes.dtype.kind in "OU" else Int64TensorType
    if what.is_mixed:
        initial_types = types_of_columns(what, initial_types)
    if initial_types is None:
        n_features = getattr(steps[0][1] if steps else classifier, "n_features_in_", None)
        initial_types = [("X", FloatTensorType([None, n_features]))]
        # After the last step that skl2onnx or onnxruntime has for single precision only.
        first = max((i + 1 for i, (_, step) in enumerate(steps) if not isinstance(step, IN_DOUBLE)), default=0)
        steps.insert(first, ("to double precision", CastTransformer(dtype=np.float64)))
    elif any(isinstance(of_input, DoubleTensorType) for _, of_input in initial_types):
        probability_type = DoubleTensorType

    def parse(scope: Any, model: Any, inputs: list[Any], custom_parsers: Any = None) -> list[Any]:
        # Of our own: for skl2onnx all classifiers have probabilities, and a map for each sample if not told otherwise.
        operator = scope.declare_local_operator(what.kind, model)
        operator.inputs = inputs
        operator.outputs.append(scope.declare_local_variable("label", label_type([None])))
        if isinstance(what, ProsetFormula):
            n_classes, n_listed = len(what.classes), min(explain or 0, len(what.labels)) or None
            shapes: dict[str, list[int | None]] = {"probabilities": [None, n_classes]}
            if explain is not None:
                shapes |= {"prototype_rows": [None, n_listed], "prototype_shares": [None, n_listed]}
                shapes["start_shares"] = [None, n_classes]
            if compared is not None:
                shapes |= {"attributions": [None, len(what.feature_names), n_classes], "base_values": [n_classes]}
            for name, shape in shapes.items():
                of_numbers = Int64TensorType if name == "prototype_rows" else probability_type
                operator.outputs.append(scope.declare_local_variable(name, of_numbers(shape)))
        return operator.outputs

    def convert(scope: Any, operator: Any, container: Any) -> None:
        names = {output.raw_name: output.full_name for output in operator.outputs}
        of_base = None if base is None else (base, np.eye(len(what.classes))[np.isin(what.classes, base.classes_)])
        for operation in _nodes(
            what, operator.inputs, names, probability_type is DoubleTensorType, of_base, explain, compared
        ):
            operation.add_to(scope, container)

    try:
        graph: ModelProto = skl2onnx.convert_sklearn(
            Pipeline([*steps, ("classifier", classifier)]),
            name=what.kind,
            initial_types=initial_types,
            target_opset=OPSET,
            custom_parsers={kind: parse},
            custom_shape_calculators={kind: lambda operator: None},  # the parser has said it
            custom_conversion_functions={kind: convert},
        )
    except RuntimeError as error:
        if not (steps and str(error)):
            raise
        raise ValueError(f"model: a step is not allowed, skl2onnx says: {str(error).splitlines()[0]}") from error
    if what.is_mixed:
        name_inputs(graph, [name for name, _ in initial_types])
    return graph


def _nodes(
    what: ProsetFormula | SetCoverFormula,
    inputs: list[Any],
    names: dict[str, str],
    double: bool,
    base: tuple[Any, np.ndarray] | None,
    explain: int | None,
    background: np.ndarray | None,
) -> list[Any]:
    """The nodes of the outputs, by their names in the graph, computed in double precision.

    With a base model its classes among all, shape (K_base, K).
    """
    from onnx import TensorProto
    from skl2onnx.algebra.complex_functions import onnx_cdist

    others: list[Any] = []
    X = inputs[0]
    if what.is_mixed:
        Z = node("Concat", *(feature(what, a, inputs[d]) for a, d in enumerate(what.used)), axis=1)
    else:
        Z = node("Gather", node("Cast", X, to=TensorProto.DOUBLE), what.used, axis=1)
    if isinstance(what, SetCoverFormula):
        # Without a prototype, one of the majority class.
        prototypes, labels = (
            (what.prototypes, what.labels) if len(what.labels) else (np.zeros((1, len(what.used))), [what.majority])
        )
        # A missing number is as far from all prototypes: what another in its place adds is taken off again.
        missing, centre = node("IsNaN", Z), prototypes.mean(axis=0)
        is_block = what.metric == "cityblock"
        part = {"metric": "cityblock" if is_block else "sqeuclidean", "dtype": np.float64, "op_version": OPSET}
        distances = onnx_cdist(node("Where", missing, centre, Z), prototypes, **part)
        added = np.abs(prototypes - centre) if is_block else (prototypes - centre) ** 2
        distances = node("Sub", distances, node("MatMul", node("Cast", missing, to=TensorProto.DOUBLE), added.T))
        if what.metric == "euclidean":
            distances = node("Sqrt", node("Max", distances, np.zeros(1)))
        code = node("Gather", np.array(labels, dtype=np.int64), node("ArgMin", distances, axis=1, keepdims=0))
    else:
        # Squares are expanded: terms of size s^2 leave an error of about 1e-16 s^2 in the exponent.
        there = ~np.isnan(what.prototypes)
        centre = np.where(there, what.prototypes, 0.0).sum(axis=0) / np.maximum(there.sum(axis=0), 1)
        Z = node("Sub", node("Clip", Z, np.array(-MAX_ABS), np.array(MAX_ABS)), centre)
        numbers, categories = np.flatnonzero(what.category == 0), np.flatnonzero(what.category)
        x = node("Gather", Z, numbers, axis=1)
        missing = node("IsNaN", x)
        present = node("Cast", node("Not", missing), to=TensorProto.DOUBLE)
        x = node("Where", missing, np.zeros(1), x)
        if base is None:
            some = Z if not len(numbers) else present  # whatever has a row for each sample, and no NaN
            no_sums = node("MatMul", some, np.zeros((len(numbers) or len(what.used), len(what.classes))))
            sums = node("Add", no_sums, what.class_prior)
        else:
            by_base = node("Cast", _probabilities(base[0], X), to=TensorProto.DOUBLE)
            aligned = node("MatMul", by_base, base[1])
            floored = node("Max", aligned, np.array([FLOOR]))
            sums = node("Div", floored, node("ReduceSum", floored, np.array([1])))
        start, terms = sums, []
        for b, v in enumerate(what.feature_weights):
            rows = np.flatnonzero(what.batch == b)
            C = what.prototypes[rows] - centre
            weights = what.prototype_weights[rows, None] * np.eye(len(what.classes))[what.labels[rows]]
            # Of numbers p_c (p_x x^2 + (1 - p_x) h) - 2 x c + p_x (p_c c^2 + (1 - p_c) h), see compiled/kernel.h.
            c, p = np.nan_to_num(C[:, numbers]) * v[numbers], ~np.isnan(C[:, numbers]) * 1.0
            h, scaled = what.gaps[b, numbers], node("Mul", x, v[numbers])
            of_x = node("Where", missing, h, node("Mul", scaled, scaled))
            of_c = np.where(p > 0, c**2, h)
            both = node("Add", node("MatMul", of_x, p.T), node("MatMul", present, of_c.T))
            # Not of `scaled`: onnxruntime would take a single weight into the product, in single precision.
            distances = node("Sub", both, node("MatMul", x, 2.0 * (c * v[numbers]).T))
            for a in categories:
                z = node("Gather", Z, np.array([a]), axis=1)
                differ = node("Cast", node("Not", node("Equal", z, C[None, :, a])), to=TensorProto.DOUBLE)
                distances = node("Add", distances, node("Mul", differ, np.array([(v[a] * what.category[a]) ** 2])))
            kernel = node("Exp", node("Mul", node("Max", distances, np.zeros(1)), np.array([-0.5])))
            sums = node("Add", sums, node("MatMul", kernel, weights))
            terms.append(node("Mul", kernel, what.prototype_weights[rows]))
        total = node("ReduceSum", sums, np.array([1]))
        said = {"probabilities": node("Div", sums, total)}
        code = node("ArgMax", said["probabilities"], axis=1, keepdims=0)
        if what.cost_matrix is not None:
            code = node("ArgMin", node("MatMul", said["probabilities"], what.cost_matrix), axis=1, keepdims=0)
        if explain is not None:
            if terms:
                shares = node("Div", node("Concat", *terms, axis=1), total)
                largest = node("TopK", shares, np.array([min(explain, len(what.rows))]), axis=1)
                listed, places = largest[0], largest[1]
            else:
                listed = places = node("Slice", start, *np.array([[0], [0], [1]]))
            rows = node("Gather", np.append(what.rows, 0), node("Cast", places, to=TensorProto.INT64))
            said |= {"prototype_rows": rows, "prototype_shares": listed, "start_shares": node("Div", start, total)}
        if background is not None:
            said["attributions"] = _attributions(what, Z, background, centre)
            said["base_values"] = node("Identity", base_values(what, background))
        kinds = dict.fromkeys(said, TensorProto.DOUBLE if double else TensorProto.FLOAT)
        kinds |= {"prototype_rows": TensorProto.INT64}
        others += [node("Cast", values, to=kinds[name], output_names=[names[name]]) for name, values in said.items()]
    if what.classes.dtype.kind == "u" and what.classes[-1] > np.iinfo(np.int64).max:
        raise ValueError(f"model: class {what.classes[-1]} is not allowed, ONNX has integers up to 2**63 - 1")
    classes = what.classes.astype(str if what.classes.dtype.kind in "OU" else np.int64)
    return [node("Gather", classes, code, output_names=[names["label"]]), *others]


def _attributions(what: ProsetFormula, Z: Any, background: np.ndarray, centre: np.ndarray) -> Any:
    """Shape (N, D, K), of samples whose features have had `centre` taken off."""
    from onnx import TensorProto

    def factors(sets: np.ndarray, of_features: Any) -> Any:
        return node("Exp", node("Mul", node("MatMul", sets, of_features), np.array([-0.5])))

    if not len(what.labels):  # one without weight stands in for none
        nothing, none = np.zeros((1, len(what.used))), np.zeros(1, dtype=int)
        what = replace(what, prototypes=nothing, feature_weights=nothing, gaps=nothing)
        what = replace(what, labels=none, batch=none, prototype_weights=none)
    n_used, n_classes, n_features = len(what.used), len(what.classes), len(what.feature_names)
    n_sets, (n_rows, _), n_prototypes = 2**n_used, background.shape, len(what.labels)
    inside = (np.arange(n_sets)[:, None] >> np.arange(n_used)) % 2.0

    x, c = node("Unsqueeze", Z, np.array([2])), (what.prototypes - centre).T
    v, gap = what.feature_weights[what.batch].T, what.gaps[what.batch].T
    apart = node("Mul", node("Sub", x, np.nan_to_num(c)), v)
    known = node("Where", np.isnan(c), gap, node("Mul", apart, apart))
    of_numbers = node("Where", node("IsNaN", x), np.where(np.isnan(c), 0.0, gap), known)
    differ = node("Cast", node("Not", node("Equal", x, c)), to=TensorProto.DOUBLE)
    of_categories = node("Mul", differ, (v * what.category[:, None]) ** 2)
    of_x = node("Where", what.category[:, None] > 0.0, of_categories, of_numbers)
    # As one matrix: onnxruntime refuses to multiply an array of no samples.
    of_x = node("Transpose", node("Min", of_x, np.array([FAR])), perm=[1, 0, 2])
    of_x = factors(inside, node("Reshape", of_x, np.array([n_used, -1])))
    of_x = node("Reshape", of_x, np.array([n_sets, -1, n_prototypes]))

    of_rows = np.minimum(exponents(what, background), FAR).transpose(1, 0, 2).reshape(n_used, -1)
    of_rows = node("Reshape", factors(1.0 - inside, of_rows), np.array([n_sets, n_rows, n_prototypes, 1]))
    of_rows = node("Mul", of_rows, what.prototype_weights[:, None] * np.eye(n_classes)[what.labels])
    of_rows = node("Transpose", of_rows, perm=[0, 2, 1, 3])
    of_rows = node("Reshape", of_rows, np.array([n_sets, n_prototypes, n_rows * n_classes]))

    q = node("Reshape", node("MatMul", of_x, of_rows), np.array([n_sets, -1, n_rows, n_classes]))
    q = node("Add", q, what.class_prior)
    mean = node("ReduceMean", node("Div", q, node("ReduceSum", q, np.array([3]))), np.array([2]), keepdims=0)
    weights = np.zeros((n_features, n_sets))
    weights[what.used] = _shapley_weights(n_used)
    values = node("MatMul", weights, node("Reshape", mean, np.array([n_sets, -1])))
    values = node("Reshape", values, np.array([n_features, -1, n_classes]))
    return node("Transpose", values, perm=[1, 0, 2])


def _probabilities(base: Any, X: Any) -> Any:
    """The output of a base model, step by step."""
    from skl2onnx.algebra.onnx_operator import OnnxSubEstimator

    if isinstance(base, FrozenEstimator):
        return _probabilities(base.estimator, X)
    if isinstance(base, Pipeline):
        for _, step in base.steps[:-1]:
            if step not in (None, "passthrough"):
                X = OnnxSubEstimator(step, X, op_version=OPSET)
        return _probabilities(base.steps[-1][1], X)
    return OnnxSubEstimator(base, X, op_version=OPSET, options={"zipmap": False})[1]
