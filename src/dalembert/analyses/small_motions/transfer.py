"""From inputs to outputs of small motions: state space and transfer functions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...errors import MethodError, SingularError, shown


@dataclass(frozen=True, eq=False)
class StateSpace:
    """x' = A x + B u, z = C x + D u with x = (y, y'), auxiliary states behind them; unpacks as A, B, C, D."""

    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]

    def __iter__(self) -> Iterator[np.ndarray]:
        return iter((self.A, self.B, self.C, self.D))

    def __repr__(self) -> str:
        ends = ", ".join(self.inputs) or "no inputs", ", ".join(self.outputs) or "no outputs"
        return f"<state space: {len(self.A)} states, from {ends[0]} to {ends[1]}>"

    def driven_by(self, inputs: dict[int, tuple[str, int]]) -> StateSpace:
        """The same with entries of x that nothing moves (`m.input`) as inputs: name and entry by the place among the inputs; B has their columns of A."""
        b, d, names = self.B, self.D, list(self.inputs)
        for place, (name, k) in sorted(inputs.items()):
            b, d = np.insert(b, place, self.A[:, k], axis=1), np.insert(d, place, self.C[:, k], axis=1)
            names.insert(place, name)
        left = np.setdiff1d(np.arange(len(self.A)), [k for _, k in inputs.values()])
        return StateSpace(self.A[np.ix_(left, left)], b[left], self.C[:, left], d, tuple(names), self.outputs)


@dataclass(frozen=True, eq=False)
class Transfer:
    """Transfer function H(s) from an input to an output; call it with s, or `response(omega)` for H(i omega)."""

    input: str
    output: str
    A: np.ndarray = field(repr=False)
    B: np.ndarray = field(repr=False)
    C: np.ndarray = field(repr=False)
    D: float = field(repr=False)
    poles: np.ndarray = field(repr=False)
    _blur: np.ndarray = field(repr=False)

    def __call__(self, s: Any) -> Any:
        """H(s) for a complex number or an array of them."""
        points = self._read("s", s, complex)
        values = np.empty(points.size, dtype=complex)
        for k, x in enumerate(points.ravel()):
            near = np.abs(x - self.poles) <= self._blur
            values[k] = self._beside(x, near) if near.any() else self._value(x)
        return complex(values[0]) if points.ndim == 0 else values.reshape(points.shape)

    def _value(self, s: complex) -> complex:
        return complex(self.C @ np.linalg.solve(s * np.eye(len(self.A)) - self.A, self.B) + self.D)

    def _beside(self, s: complex, near: np.ndarray) -> complex:
        """H(s) at an eigenvalue: from a circle around it, c_0 = H(s) and the powers -1 and -2 of a pole, none if it takes no part."""
        away = np.abs(s - self.poles[~near])
        radius = 0.1 * float(np.min(away, initial=np.inf))
        radius = radius if np.isfinite(radius) else 1.0 + abs(s)
        circle = radius * np.exp(2j * np.pi * np.arange(16) / 16)
        around = np.array([self._value(s + z) for z in circle])
        unit = circle / radius
        if abs(np.mean(around * unit)) + abs(np.mean(around * unit**2)) > 1e-6 * np.mean(np.abs(around)):
            raise SingularError(
                f"transfer function from {self.input!r} to {self.output!r}",
                f"s = {s:.6g} 1/s is a pole, as far as can be told",
                "the response to this input grows without bound (a free motion, or a resonance without damping)",
                "take another frequency, or add a spring or damper",
            )
        return complex(np.mean(around))

    def response(self, omega: Any) -> Any:
        """H(i omega) at angular frequencies [rad/s]."""
        return self(1j * self._read("omega", omega, float))

    def _read(self, name: str, given: Any, kind: type) -> np.ndarray:
        try:
            points: np.ndarray = np.asarray(given, dtype=kind)
        except (TypeError, ValueError):
            points = np.array(np.nan)
        if not np.isfinite(points).all():
            asked = f"transfer function from {self.input!r} to {self.output!r}"
            found, why = f"{name} = {shown(given)}", "a finite number or an array of them is needed"
            raise MethodError(asked, found, why, f"give for example {name}=np.linspace(0, 10, 101)")
        return points

    def __repr__(self) -> str:
        return f"<transfer function from {self.input} to {self.output}, {len(self.A)} states>"
