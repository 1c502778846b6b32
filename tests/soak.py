"""How much of the random tests is run: a tenth with every change, all of it with `make soak`, which sets DALEMBERT_SOAK=1.

Seeds are the same every time, and the tenth is part of the whole.
"""

from __future__ import annotations

import os

SOAK = os.environ.get("DALEMBERT_SOAK", "0") not in ("", "0")


def share(whole: int, part: int | None = None) -> int:
    """How many of `whole` random cases to run: all of them in a soak, else `part`, by default every tenth."""
    return whole if SOAK else part or -(-whole // 10)
