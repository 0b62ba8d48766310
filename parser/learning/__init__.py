"""Training of the network: turns pairs into training examples, and runs the training loop.

Its modules are imported one by one: the package alone imports no torch.
"""

import os

# must be set before torch is imported: waiting threads sleep, since busy waiting would use up the whole machine
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
