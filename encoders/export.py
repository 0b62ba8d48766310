"""Exports modules of torch as graphs of ONNX without weights; see `graph`."""

import copy
import io
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import onnxruntime
import torch
from torch import Tensor, nn
from torch.onnx import symbolic_helper

from ..data.packages import needs

_OPSET = 20
"""The first version of ONNX that has GELU as one operation."""


class _Fused(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, name: str, like: Sequence[int], attributes: Mapping[str, Any], *inputs: Any) -> Any:
        made = [torch.zeros_like(inputs[one]) for one in like]
        return tuple(made) if len(made) > 1 else made[0]

    @staticmethod
    def symbolic(graph: Any, name: str, like: Sequence[int], attributes: Mapping[str, Any], *inputs: Any) -> Any:
        helper: Any = symbolic_helper
        given = (helper._optional_input_placeholder_tensor(graph) if one is None else one for one in inputs)
        made = graph.op(f"com.microsoft::{name}", *given, outputs=len(like), **attributes)
        for one, other in zip(made if len(like) > 1 else [made], like, strict=True):
            kind = inputs[other].type()
            one.setType(kind.with_sizes([None] * kind.dim()))
        return made


def fused(name: str, *inputs: Tensor | None, like: Sequence[int] = (0,), **attributes: Any) -> Any:
    """Put one of onnxruntime's own operations into a graph: it replaces many of ONNX's, in a fraction of the time.

    Torch computes zeros for it, so a module with such an operation can be exported and not run.

    Args:
        name: of the operation, see ContribOperators.md of onnxruntime.
        inputs: None stands for an optional one.
        like: for each output the place of an input with as many axes.
        attributes: their kinds are the ends of their names, see torch.onnx.
    """
    return _Fused.apply(name, like, attributes, *inputs)


@torch.no_grad()
def exported(
    module: nn.Module, inputs: Mapping[str, tuple[Tensor, Mapping[int, str]]], outputs: Sequence[str]
) -> bytes:
    """Return a module as a graph with onnxruntime's optimisations, which else are made whenever it is opened.

    Args:
        module: the module; the graph names its weights as ``state_dict`` does.
        inputs: examples by name, each with the names of its axes of variable size, by number.
        outputs: the names of the outputs.

    Raises:
        InputError: the package onnx is not installed.
    """
    with needs("onnx", "train"):
        import onnx

    made = copy.deepcopy(module)
    for weight in made.parameters():
        nn.init.normal_(weight)  # the exporter makes one weight of those that are equal, as norms are before training
    file: Any = io.BytesIO()
    options: dict[str, Any] = {"input_names": list(inputs), "output_names": list(outputs)}
    options |= {"dynamic_axes": {name: dict(axes) for name, (_, axes) in inputs.items()}}
    options |= {"export_params": False, "do_constant_folding": False, "opset_version": _OPSET}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the exporter that traces; the new one takes twenty times as long
        torch.onnx.export(made, tuple(one for one, _ in inputs.values()), file, dynamo=False, **options)
    session = onnxruntime.SessionOptions()
    session.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED  # more is of one machine
    with TemporaryDirectory() as folder:
        session.optimized_model_filepath = str(Path(folder, "optimised.onnx"))
        onnxruntime.InferenceSession(file.getvalue(), session, providers=["CPUExecutionProvider"])
        model = onnx.load(session.optimized_model_filepath)
    for one in [one for one in model.graph.input if one.name not in inputs]:
        model.graph.input.remove(one)
        kind = one.type.tensor_type
        weight = model.graph.initializer.add(name=one.name, data_type=kind.elem_type)
        weight.dims.extend(size.dim_value for size in kind.shape.dim)
        weight.data_location = onnx.TensorProto.EXTERNAL
        weight.external_data.add(key="location", value="elsewhere")
    return model.SerializeToString()
