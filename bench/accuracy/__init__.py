"""Scripts that ask networks, and what they share; each finds the others by this folder."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent))
