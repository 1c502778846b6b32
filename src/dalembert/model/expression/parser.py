"""Text to expression tree: our own tokens and grammar, never `eval`.

    expression = or; or = and {"or" and}; and = not {"and" not}; not = "not" not | comparison
    comparison = sum [("<" | "<=" | ">" | ">=" | "==" | "!=") sum]
    sum = product {("+" | "-") product}; product = signed {("*" | "/") signed}
    signed = ("-" | "+") signed | power; power = atom [("**" | "^") signed]
    atom = number [unit] | name | function "(" expression {"," expression} ")"
         | table {"'"} "(" expression ")" | "(" expression ")"
    unit = "mm", "N m", "m/s", "m/s^2": names of units directly after a number; a "/" goes on with the unit where no blanks are around it

An expression may come in a file from anybody, so its length, its number of nodes and its nesting are limited, and every
literal is a float: `9**9**9` is three floats, never an enormous whole number.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping

from ...errors import ExpressionError, nearest, shown
from ..units import UNITS, parse_unit
from .catalogue import COMPARISONS, CONSTANTS, FUNCTIONS, KEYWORDS, RESERVED
from .checks import plain_number
from .printing import BINDING
from .splines import Spline
from .sympy_bridge import from_sympy, is_sympy
from .tokens import HINTS, Source, Token
from .tree import Call, Expr, Name, Number, symbol

MAX_LENGTH = 2000  # characters
MAX_NODES = 500
MAX_DEPTH = 60  # nested brackets, signs, powers: each costs a few frames of Python's stack


def parse(
    text: str, known: Iterable[str] | None = None, tables: Mapping[str, Spline] | None = None, asked: str = ""
) -> Expr:
    """Read an expression.

    Parameters
    ----------
    text
        The expression, as in "2*pi*t" or "if_(O.angle > 0, k*O.angle, 0)".
    known
        The names it may use, `t` included when it is one of them; `rate(x)` needs "x" or "rate(x)".  None allows any.
    tables
        Splines by name, called like functions: "cam(t)", and their derivatives "cam'(t)", "cam''(t)".
    asked
        What the expression belongs to, for messages: "driver 'motor'".

    Raises
    ------
    ExpressionError
        With the text and a mark under the position.
    """
    try:
        return _Parser(text, known, tables, asked).parse()
    except ExpressionError:
        # a name with blanks may stand alone
        if known is not None and text.strip() in known:
            return Name.of_measure(text.strip())
        raise


def as_expression(
    x: object, known: Iterable[str] | None = None, tables: Mapping[str, Spline] | None = None, asked: str = ""
) -> Expr:
    """Make an expression of a text, a finite number, a spline (of t) or an expression; arguments as in `parse`."""
    if isinstance(x, str):
        return parse(x, known, tables, asked)
    if isinstance(x, Spline):
        x = x(Name("t"))
    if isinstance(x, Expr):
        _check_known(x, known, asked)
        return x
    number = plain_number(x)
    if number is not None and math.isfinite(number):
        return Number(number)
    if number is None and is_sympy(x):
        made = from_sympy(x, asked)
        _check_known(made, known, asked)
        return made
    raise ExpressionError(
        asked or "an expression",
        f"{shown(x)} of type {type(x).__name__}",
        "an expression is a text, a finite number, a parameter or a formula of them",
        "give one of these" if number is None else "give a finite number",
    )


def _check_known(expr: Expr, known: Iterable[str] | None, asked: str) -> None:
    if known is None:
        return
    # a collection may answer `in` faster than by a list of all it holds
    names = known if isinstance(known, Collection) else list(known)
    for name in sorted(expr.names):
        if not _is_known(name, names):
            raise ExpressionError(asked or f"the expression {expr}", f"the name {name!r}", *_unknown(name, names))


# what results call the loads of joints
LOADS = ("force", "torque", "normal", "reaction", "reactions", "effort", "multiplier", "multipliers", "friction")


def _unknown(name: str, known: Iterable[str]) -> tuple[str, str]:
    """Why a name cannot stand here, and what to do."""
    if name.removesuffix(")").rpartition(".")[2] in LOADS and "." in name:
        return (
            "loads of joints follow from the accelerations, and these from the laws: a law cannot use them yet",
            "give the load as an expression of what causes it (a weight, a spring), or as a table from a first run, m.table('N', run.t, "
            f"run[{name.partition('.')[0]!r}].force[:, 1]) and then abs(N(t)); friction that follows the load of its joint is m.friction",
        )
    names = list(known)
    # measures have a dot in their names: where none is known, only constants are
    if "t" not in names and not any("." in other for other in names) and (name == "t" or "." in name):
        what = "the time" if name == "t" else "a measure"
        law = "force='(100 + 10*t)*(l - 0.5)' of a spring, m.actuator, m.force, m.field or m.drive"
        return (
            f"this value is a constant: it is made of numbers and parameters, and cannot change with {what}",
            f"give a number or a parameter; what changes is written as a law, such as {law}",
        )
    if name in HINTS:
        return "nothing has this name here", HINTS[name]
    if not names:
        return (
            "nothing has this name here",
            f"give numbers, or make a parameter of this name: m.parameter({name!r}, 1.0)",
        )
    return "nothing has this name here", nearest(name, names)


def _is_known(name: str, known: Iterable[str]) -> bool:
    return name in known or (name.startswith("rate(") and name[5:-1] in known)


class _Parser:
    """One text on its way to a tree: binding powers (Pratt), one function per kind of atom."""

    def __init__(self, text: str, known: Iterable[str] | None, tables: Mapping[str, Spline] | None, asked: str) -> None:
        self.source = Source(text, asked)
        # a collection may answer `in` faster than by a list of all it holds
        self.known = known if known is None or isinstance(known, Collection) else list(known)
        # names of a model bring its tables with them
        self.tables = {**getattr(known, "tables", {}), **(tables or {})}
        self.nodes = self.depth = self.index = 0
        self.tokens: list[Token] = []

    def parse(self) -> Expr:
        self._check_input()
        self.tokens = self.source.tokens()
        if self.here.kind == "end":
            raise self._error(
                self.here, "nothing", "an expression needs at least a number or a name", "write one, as in 2*pi*t"
            )
        tree = self._expression(0)
        if self.here.kind != "end":
            raise self._left_over(self.here)
        return tree

    # ---- tokens ------------------------------------------------------------------------------------------------------

    def _check_input(self) -> None:
        text, asked = self.source.text, self.source.asked
        if not isinstance(text, str):
            raise ExpressionError(
                asked, f"{text!r} of type {type(text).__name__}",
                "only text can be read", "give a text, or use as_expression for numbers",
            )  # fmt: skip
        if len(text) > MAX_LENGTH:
            raise ExpressionError(
                asked, f"{len(text)} characters",
                f"an expression has at most {MAX_LENGTH}", "split it: name parts as measures, or make a spline of a table",
            )  # fmt: skip
        for name in self.tables:
            if name in RESERVED:
                raise ExpressionError(
                    asked, f"a table named {name!r}", "this word has a meaning of its own", "rename the table"
                )

    @property
    def here(self) -> Token:
        return self.tokens[self.index]

    def _next(self) -> Token:
        token = self.here
        self.index += token.kind != "end"
        return token

    def _comes(self, text: str) -> bool:
        return self.here.kind == "operator" and self.here.text == text

    # ---- grammar -----------------------------------------------------------------------------------------------------

    def _expression(self, least: int) -> Expr:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise self._error(
                self.here, f"more than {MAX_DEPTH} levels of nesting",
                "brackets, signs or powers are nested too deeply", "remove superfluous brackets, or split the expression",
            )  # fmt: skip
        left = self._prefix(least)
        compared = False
        while (binding := self._binding()) is not None and binding >= least:
            token = self._next()
            if compared and token.text in COMPARISONS:
                found = f"a second comparison {token.text!r}"
                raise self._error(token, found, "comparisons do not chain", "write a < b and b < c")
            compared = compared or token.text in COMPARISONS
            # the exponent may carry a sign and groups to the right; everything else groups to the left
            power = token.text in ("**", "^")
            right = self._expression(BINDING["neg"] if power else binding + 1)
            left = self._made(Call("**" if power else token.text, (left, right)), token)
        self.depth -= 1
        return left

    def _binding(self) -> int | None:
        token = self.here
        if token.kind == "operator" or (token.kind == "name" and token.text in ("and", "or")):
            return BINDING.get("**" if token.text == "^" else token.text)
        return None

    def _prefix(self, least: int) -> Expr:
        token = self._next()
        if token.kind == "number":
            return self._number(token)
        if token.kind == "operator" and token.text == "(":
            inside = self._expression(0)
            self._close(token)
            return inside
        if token.kind == "operator" and token.text in "+-":
            return self._signed(token)
        if token.kind == "name" and token.text == "not":
            return self._not(token, least)
        if token.kind == "name" and token.text not in KEYWORDS:
            return self._named(token)
        if token.kind == "quoted":
            return self._quoted(token)
        raise self._unexpected(token)

    def _number(self, token: Token, sign: float = 1.0) -> Expr:
        value, unit = sign * float(token.text), self._unit()
        if unit:
            value = sign * parse_unit(unit).number(token.text)
        if not math.isfinite(value):
            raise self._error(token, token.text, "the largest number is about 1.8e308", "give a smaller number")
        written = f"{'-' if sign < 0 else ''}{token.text} {unit}" if unit else ""
        return self._made(Number(value, unit, written), token)

    def _unit(self) -> str:
        """Text of the unit that follows a number; empty where none does."""
        text = ""
        while self.here.kind == "name" and self.here.text in UNITS:
            text += (" " if text and not text.endswith("/") else "") + self._next().text + self._power_of_unit()
            slash, after = self.here, self.tokens[min(self.index + 1, len(self.tokens) - 1)]
            # "10 mm/t" is divided by the time, not by tonnes
            if slash.text != "/" or not self._joined(slash, after) or after.text not in UNITS or after.text == "t":
                continue
            if self.known is not None and after.text in self.known:
                why = f"{after.text!r} is a unit and a name of this model"
                do = f"write blanks, … / {after.text}, for the name, or rename it"
                raise self._error(after, f"'{text}/{after.text}'", why, do)
            self._next()
            text += "/"
        return text

    def _power_of_unit(self) -> str:
        """Power directly after the name of a unit, "^2"; empty where none is."""
        sign, number = self.here, self.tokens[min(self.index + 1, len(self.tokens) - 1)]
        if sign.kind != "operator" or sign.text not in ("^", "**"):
            return ""
        if not self._joined(sign, number) or number.text not in ("2", "3", "4", "5", "6"):
            why = "after a unit it is not clear whether the unit or the whole quantity is meant"
            raise self._error(
                sign, f"the power {sign.text}", why, "write m^2 without blanks for a unit, (2 m)**n for a quantity"
            )
        self._next()
        return f"^{self._next().text}"

    def _joined(self, sign: Token, after: Token) -> bool:
        return not self.source.text[sign.at - 1].isspace() and after.at == sign.at + len(sign.text)

    def _signed(self, token: Token) -> Expr:
        following = self.tokens[min(self.index + 1, len(self.tokens) - 1)]
        if token.text == "-" and self.here.kind == "number" and following.text not in ("**", "^"):
            return self._number(self._next(), -1.0)  # -2 is a number, but -2**2 is -(2**2)
        inside = self._expression(BINDING["neg"])
        return inside if token.text == "+" else self._made(Call("neg", (inside,)), token)

    def _not(self, token: Token, least: int) -> Expr:
        if least > BINDING["not"]:
            raise self._error(token, "not after an operator", "not binds less tightly than arithmetic", "write (not …)")
        return self._made(Call("not", (self._expression(BINDING["not"]),)), token)

    def _named(self, token: Token) -> Expr:
        name = token.text
        if name in self.tables:
            return self._table(token)
        if self._comes("("):
            return self._call(token)
        if name in CONSTANTS:
            return self._made(Number(CONSTANTS[name]), token)
        if name in FUNCTIONS:
            raise self._error(
                token, f"{name!r} without arguments", "it is a function",
                f"write {FUNCTIONS[name].signature(name)}; something of that name stands between backticks, `{name}`",
            )  # fmt: skip
        if self.known is not None and name not in self.known:
            raise self._error(token, f"the name {name!r}", *_unknown(name, self.known))
        return self._made(Name(name), token)

    def _quoted(self, token: Token) -> Expr:
        if self.known is not None and token.name not in self.known:
            raise self._error(token, f"the name {token.name!r}", *_unknown(token.name, self.known))
        return self._made(Name.of_measure(token.name), token)

    def _table(self, token: Token) -> Expr:
        order = len(self._next().text) if self.here.kind == "prime" else 0
        if order > 3:
            raise self._error(
                token, f"derivative of order {order}", "a cubic has derivatives up to order 3", "use fewer '"
            )
        if not self._comes("("):
            raise self._error(
                token, f"the table {token.text!r} without argument", "it is a function", f"write {token.text}(t)"
            )
        args = self._arguments()
        if len(args) != 1:
            raise self._error(token, f"{len(args)} arguments", "a table has one argument", f"write {token.text}(t)")
        return self._made(self.tables[token.text].named(token.text)(args[0], order), token)

    def _call(self, token: Token) -> Expr:
        name = token.text
        if name not in FUNCTIONS:
            raise self._error(
                token, f"the function {name!r}",
                "there is no such function", nearest(name, [*self.tables, *FUNCTIONS], 40),
            )  # fmt: skip
        if name == "rate":
            return self._rate(token)
        args = self._arguments()
        if not FUNCTIONS[name].accepts(len(args)):
            raise self._error(
                token, f"{name} with {len(args)} argument" + "s" * (len(args) != 1),
                "that is the wrong number of arguments", f"write {FUNCTIONS[name].signature(name)}",
            )  # fmt: skip
        return self._made(Call(name, args), token)

    def _rate(self, token: Token) -> Expr:
        """`rate(name)`: the argument is a name, not an expression."""
        self._next()
        inside = self._next()
        plain = inside.kind == "quoted" or (
            inside.kind == "name" and inside.text not in RESERVED and inside.text != "t"
        )
        if not plain or not self._comes(")"):
            raise self._error(
                inside, "something else than the name of a measure",
                "only a named measure has a rate", "write rate(O.angle)",
            )  # fmt: skip
        self._next()
        node = Call("rate", (Name.of_measure(inside.name),))
        name = str(symbol(node))
        if self.known is not None and not _is_known(name, self.known):
            raise self._error(inside, f"the name {inside.name!r}", *_unknown(inside.name, self.known))
        return self._made(node, token)

    def _arguments(self) -> list[Expr]:
        opening = self._next()
        if self._comes(")"):
            self._next()
            return []
        args = [self._expression(0)]
        while self._comes(","):
            self._next()
            args.append(self._expression(0))
        self._close(opening)
        return args

    def _close(self, opening: Token) -> None:
        if self._comes(")"):
            self._next()
        elif self.here.kind == "end":
            raise self._error(opening, "a bracket that is never closed", "every ( needs its )", "add the missing )")
        else:
            raise self._left_over(self.here)

    def _made(self, node: Expr, token: Token) -> Expr:
        self.nodes += 1
        if self.nodes > MAX_NODES:
            raise self._error(
                token, f"more than {MAX_NODES} numbers, names and operations",
                "the expression is too large", "split it: name parts as measures, or make a spline of a table",
            )  # fmt: skip
        return node

    # ---- messages ----------------------------------------------------------------------------------------------------

    def _unexpected(self, token: Token) -> ExpressionError:
        if token.kind == "end":
            return self._error(
                token, "the end of the text", "a number, a name or ( should follow", "complete or shorten it"
            )
        if token.kind == "prime":
            return self._prime(token)
        if token.text == "*" and self.index > 1 and self.tokens[self.index - 2].text in ("**", "*"):
            return self._error(
                token, "'*' after '*'", "an operator needs a value on both sides", "write ** for a power"
            )
        if token.text == "/" and self.index > 1 and self.tokens[self.index - 2].text == "/":
            return self._error(token, "'//'", "there is no whole-number division", "write floor(a/b)")
        return self._error(
            token,
            f"{token.text!r} where a value should be",
            "an operator needs a value on both sides",
            "complete or remove it",
        )

    def _prime(self, token: Token) -> ExpressionError:
        """Error of a prime that marks no table: th' is written rate(th)."""
        before = self.tokens[max(self.tokens.index(token) - 1, 0)]
        if before.kind != "name" or token.at != before.at + len(before.text):
            return self.source.bad_character(token.at)
        rates = before.text
        for _ in token.text:
            rates = f"rate({rates})"
        do = f"write {rates}" if len(token.text) == 1 else "a law may use rates, but no accelerations"
        return self._error(
            token, f"{before.text}{token.text}", "a prime marks the derivative of a table, as in cam'(t)", do
        )

    def _left_over(self, token: Token) -> ExpressionError:
        if token.text == ")":
            return self._error(token, "a bracket that was never opened", "every ) needs its (", "remove it or add a (")
        if token.text == ",":
            return self._error(token, "a comma", "commas separate the arguments of a function", "use a point in 0.5")
        if token.kind == "prime":
            return self._prime(token)
        return self._error(
            token,
            f"{token.text!r} directly after a value",
            "an operator is missing between them, or it is no unit",
            "write * for a product, or a unit directly after a number, as in 40 mm + r",
        )

    def _error(self, token: Token, found: str, why: str, do: str) -> ExpressionError:
        return self.source.error(token, found, why, do)
