"""How the network learns: pairs made into training examples, and the loop over them.

Its modules are imported one by one: the package alone imports no torch.
"""

import os

# before torch is imported: threads that wait for one another sleep, for on a busy machine they would take all of it
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
