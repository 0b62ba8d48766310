"""Scripts that measure networks, and their common parts; each script finds the others through this folder."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent))
