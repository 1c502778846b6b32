"""Benchmarks of dalembert against yardsticks and other packages: `make bench`, or `python -m benchmarks.run`.

Everything runs on one core.  The thread counts are set here, before anything imports numpy.
"""

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[_name] = "1"
