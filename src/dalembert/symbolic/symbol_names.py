"""Names of symbols as they are typeset: Greek letters, indices, dots for rates, δ for variations."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

_VARIATION = "δ"  # first letter of the names of variations
GREEK = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "zeta": "ζ", "eta": "η", "theta": "θ", "iota": "ι", "kappa": "κ",
    "lambda": "λ", "lam": "λ", "mu": "μ", "nu": "ν", "xi": "ξ", "pi": "π", "rho": "ρ", "sigma": "σ", "tau": "τ", "upsilon": "υ", "phi": "φ",
    "varphi": "φ", "chi": "χ", "psi": "ψ", "omega": "ω", "Gamma": "Γ", "Delta": "Δ", "Theta": "Θ", "Lambda": "Λ", "Xi": "Ξ", "Pi": "Π",
    "Sigma": "Σ", "Upsilon": "Υ", "Phi": "Φ", "Psi": "Ψ", "Omega": "Ω",
}  # fmt: skip
_SPELLED = {letter: name for name, letter in GREEK.items()}  # names that are written with Greek letters themselves
# as mechanics writes them, and as ε and φ look in MathML
_COMMANDS = {"lam": "lambda", "phi": "varphi", "epsilon": "varepsilon"}


@dataclass(frozen=True)
class SymbolName:
    """A name taken apart: lam_O_x'' is a letter with the indices O and x and two dots."""

    base: str
    index: tuple[SymbolName, ...] = ()
    dots: int = 0
    varied: bool = False

    @property
    def letter(self) -> str:
        """Letter as a character, Greek where the name spells one."""
        return GREEK.get(self.base, self.base).replace("*", "∗")

    def latex(self) -> str:
        r"""LaTeX: \ddot\lambda_{O,x}; a name of several letters is set as one word."""
        greek = self.base in GREEK
        made = "\\" + _COMMANDS.get(self.base, self.base) if greek else self.base
        if self.base.endswith("*"):  # F*, the inertia forces of Kane
            made = f"{self.base[:-1]}^{{*}}"
        elif not greek and len(self.base) > 1 and not self.base.isdigit():
            made = rf"\mathit{{{made}}}"
        if self.dots:
            command = f"\\{'d' * self.dots}ot"
            made = f"{command}{made}" if greek else f"{command} {made}" if len(made) == 1 else f"{command}{{{made}}}"
        if self.index:
            made += f"_{{{','.join(x._as_index() for x in self.index)}}}"
        return rf"\delta {made}" if self.varied else made

    def _as_index(self) -> str:
        return self.latex() if self.base in GREEK or self.index else self.base


def read_symbol(name: str) -> SymbolName:
    """Take a name apart: p_theta1' is p with the index theta (with the index 1) and a dot."""
    bare = name.rstrip("'")
    varied = bare.startswith(_VARIATION) and len(bare) > 1
    # wx_bar, w_bar_z: angular velocities as the equations of mechanisms name them; @w as headings do
    bare = re.sub(r"^@w", "omega", bare[varied:])
    bare = re.sub(r"^w([xyz])_(?=\w)", r"omega_\1_", bare)
    bare = re.sub(r"^w_(\w+_[xyz])$", r"omega_\1", bare)
    # the rows of a pin are its components: lam_O_gap_x is lambda with O and x
    bare = re.sub(r"^(lam_\w+)_gap(_[xyz])$", r"\1\2", bare)
    first, *rest = [x for x in bare.split("_") if x] or [bare]
    made = _numbered(first)
    index = (*made.index, *_indices(rest))
    return replace(made, index=index, dots=len(name) - len(name.rstrip("'")), varied=varied)


def _indices(words: list[str]) -> tuple[SymbolName, ...]:
    """Indices; what follows a Greek one belongs to it: p_theta_A is the momentum of theta_A."""
    if not words:
        return ()
    here, rest = _numbered(words[0]), _indices(words[1:])
    return (replace(here, index=here.index + rest),) if here.base in GREEK else (here, *rest)


def _numbered(word: str) -> SymbolName:
    """A letter or word with a number behind it: theta1; longer words with numbers in them stay as they are."""
    found = re.fullmatch(r"([^\W\d_]+)(\d+)", word)
    letters, index = (found[1], (SymbolName(found[2]),)) if found else (word, ())
    return SymbolName(_SPELLED.get(letters, letters), index)
