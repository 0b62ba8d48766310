"""The network in numpy: its layers, its decoder, its folder on the disk."""
