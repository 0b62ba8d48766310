"""Modules of torch as graphs of ONNX, in whose files the weights are left out; see `graph`."""

from __future__ import annotations

import copy
import io
import warnings
from collections.abc import Container, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import onnxruntime
import torch
from torch import Tensor, nn

from ..data.packages import needs

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
    return _optimised(model, module.state_dict())


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


def _optimised(model: Any, weights: Container[str]) -> bytes:
    """Return a graph as onnxruntime would change it whenever it is opened, without the numbers of its weights."""
    import onnx

    named = [one for one in model.graph.initializer if one.name in weights]
    for one in named:  # inputs for now, so that nothing is reckoned of them
        model.graph.initializer.remove(one)
        model.graph.input.append(onnx.helper.make_tensor_value_info(one.name, one.data_type, one.dims))
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED  # more is of one machine
    with TemporaryDirectory() as folder:
        options.optimized_model_filepath = str(Path(folder, "optimised.onnx"))
        onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        made = onnx.load(options.optimized_model_filepath)
    for one in named:
        made.graph.input.remove(next(told for told in made.graph.input if told.name == one.name))
        one.ClearField("raw_data")
        one.data_location = onnx.TensorProto.EXTERNAL
        one.external_data.add(key="location", value="elsewhere")
        made.graph.initializer.append(one)
    return made.SerializeToString()
