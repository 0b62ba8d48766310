"""The network that answers, as graphs of ONNX, and its folder on the disk."""
