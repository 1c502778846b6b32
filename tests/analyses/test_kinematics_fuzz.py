"""Random models, many of them odd, through holding_load and inverse_dynamics: right answers or errors in four parts, nothing else.

Freedoms that the error names as undriven are driven, until the model moves or is refused; where it moves, the three ways agree.
"""

from __future__ import annotations

import re
import warnings

import pytest
from errors.checks import check_parts
from errors.fuzz import Fuzz, nonsense

import dalembert as da
from tests.soak import share


def driven(m):
    """Efforts, with a driver for each freedom that is named."""
    for k in range(6):
        try:
            return da.inverse_dynamics(m, [0.0, 0.01, 0.3])
        except da.ModelError as error:
            if "not driven" not in error.found:
                raise
            for i, name in enumerate(re.findall(r"'([^']+)'", error.found.split("not driven:")[1])):
                measure = m[name]
                drawn = float(da.compile(m, extra=(measure,)).builder.drawing.drawn_value(measure))
                m.drive(f"drive {k} {i}", measure, f"{drawn!r} + 0.3*t")
    return None


@pytest.mark.parametrize("first", range(0, share(120, 60), 60))
def test_random_models(first):
    moved = held = refused = 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", da.AuditWarning)
        for number in range(40_000 + first, 40_060 + first):
            fuzz = Fuzz(number)
            m = fuzz.build()
            if m is None:
                continue
            names = list(m.measure_names())
            unknown = [fuzz.r.choice(names)] if names and fuzz.r.random() < 0.8 else nonsense(fuzz.r, m)
            for ask in (lambda m=m, unknown=unknown: da.holding_load(m, unknown), lambda m=m: driven(m)):
                try:
                    found = ask()
                except da.DalembertError as error:
                    check_parts(error)
                    refused += 1
                    continue
                except BaseException as error:
                    raise AssertionError(f"Fuzz({number}): {type(error).__name__}: {error}") from error
                repr(found)
                if hasattr(found, "drivers"):
                    assert found.spread < 1e-7, number
                    moved += 1
                elif found is not None:
                    held += 1
    assert moved > 5 and held > 3 and refused > 20, (moved, held, refused)
