"""Compile the kernels ahead of time: `python -m dalembert.warmup`."""

from __future__ import annotations

from .compilation import FAMILIES, ensure_compiled


def main() -> None:
    """Compile everything that is not on disk."""
    for family in FAMILIES:
        seconds = ensure_compiled(family)
        print(f"dalembert: kernels ({family}) {f'compiled in {seconds:.0f} s' if seconds else 'are compiled already'}")


if __name__ == "__main__":
    main()
