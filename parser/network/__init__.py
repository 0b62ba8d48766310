"""The network for inference, as ONNX graphs, and its folder on the disk."""
