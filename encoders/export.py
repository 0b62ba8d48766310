"""Modules of torch as graphs of ONNX, in whose files the weights are left out; see `graph`."""

from __future__ import annotations

import copy
import io
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from ..data.packages import needs
from .graph import WEIGHTS, offsets

__all__ = ["exported"]

_OPSET = 20
"""The first version of ONNX that has GELU as one operation."""

_DOMAIN = "com.microsoft"
"""Of the operations that onnxruntime has of its own."""


@torch.no_grad()
def exported(
    module: nn.Module, inputs: Mapping[str, Tensor], outputs: Sequence[str], sizes: Mapping[str, Any]
) -> bytes:
    """Return a module as a graph.

    Args:
        module: what computes; the graph names its weights as ``state_dict`` does.
        inputs: by name, of any size.
        outputs: names of what it returns.
        sizes: of inputs and outputs the axes whose size may be another one, by number, each with a name.

    Raises:
        InputError: the package onnx is not installed.
    """
    with needs("onnx", "querent[train]"):
        import onnx

    made = copy.deepcopy(module).eval()
    for weight in made.parameters():
        nn.init.normal_(weight)  # the exporter makes one weight of those that are equal, as norms are before training
    file: Any = io.BytesIO()
    told: dict[str, Any] = {"input_names": list(inputs), "output_names": list(outputs), "dynamic_axes": dict(sizes)}
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore"
        )  # the exporter that traces is the old one; the new one takes twenty times as long
        torch.onnx.export(
            made, tuple(inputs.values()), file, dynamo=False, do_constant_folding=False, opset_version=_OPSET, **told
        )
    model = onnx.load_from_string(file.getvalue())
    _fuse(model.graph)
    model.opset_import.add(domain=_DOMAIN, version=1)
    _leave_out(model.graph, {name: value.numpy() for name, value in module.state_dict().items()})
    return model.SerializeToString()


def _fuse(graph: Any) -> None:
    """Let onnxruntime multiply by the transposes of weights in place of making them, which takes time and memory."""
    weights = {one.name for one in graph.initializer}
    turned = {n.output[0]: n for n in graph.node if n.op_type == "Transpose" and n.input[0] in weights}
    for node in graph.node:
        if node.op_type == "MatMul" and node.input[1] in turned:
            node.input[1] = turned[node.input[1]].input[0]
            node.op_type, node.domain = "FusedMatMul", _DOMAIN
            node.attribute.add(name="transB", type=2, i=1)
    for node in turned.values():
        graph.node.remove(node)


def _leave_out(graph: Any, arrays: Mapping[str, Any]) -> None:
    """Say for each weight where it begins in `WEIGHTS`, in place of its numbers."""
    from onnx import TensorProto

    starts = offsets(arrays)
    for one in graph.initializer:
        if one.name in starts:
            one.ClearField("raw_data")
            one.data_location = TensorProto.EXTERNAL
            places = {"location": WEIGHTS, "offset": starts[one.name], "length": arrays[one.name].nbytes}
            for key, value in places.items():
                one.external_data.add(key=key, value=str(value))
