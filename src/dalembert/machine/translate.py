"""Kernels as LLVM text.

A kernel is a Python function on numbers and arrays: assignments, `if`, `while`, `for` over ranges, calls of other kernels and of `math`.  Each is
translated once for every combination of types of its arguments; types of variables follow from what is put into them.  Nothing is allocated,
nothing counts references, nothing can raise: what is left is arithmetic, which LLVM optimises as it would that of C.

    indices     are never negative, but for constants: x[-1]; arrays are contiguous; a slice is a view and lies inside
    conditions  are decided here where both sides are known: branches for other types or sizes are not translated
    numbers     double or 64-bit integer; integer and double make double; `/` makes a double; floor is a double
    results     several values as a tuple
"""

from __future__ import annotations

import ast
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

from .expressions import INTRINSIC, SIZE, SPECIAL, Expressions, MoreGeneralError, NotAKernelError
from .values import LLVM, Fields, Known, Number, Tuple, Type, Value, general, join, kinds, parts, rebuild, type_of

# reassociation and fused operations are welcome; infinity and NaN keep their meaning
FAST = "reassoc nsz arcp contract "
# how kernels are marked (see `kernels/compiler.py`)
INLINED, EXACT = "inlined", "exact"
# memory of doubles, of integers, of fields, and records, which do not change: none of them overlap
_METADATA = """
!0 = !{!"dalembert"}
!1 = !{!"number", !0}
!2 = !{!"integer", !0}
!3 = !{!1, !1, i64 0}
!4 = !{!2, !2, i64 0}
!5 = !{}
!6 = !{!"field", !0}
!7 = !{!6, !6, i64 0}
"""


class Statements(Expressions):
    """One kernel for given types of its arguments: statements, one after the other."""

    def __init__(self, module: Module, function: Any, types: tuple[Type, ...], name: str) -> None:
        super().__init__()
        self.module, self.kernel, self.argument_types, self.name = module, function, types, name
        self.definition = _definition(function)
        self.names = [x.arg for x in self.definition.args.args]
        given = Counter(
            [
                *self.names,
                *(x.id for x in ast.walk(self.definition) if isinstance(x, ast.Name) and isinstance(x.ctx, ast.Store)),
            ]
        )
        self.once = {name for name, times in given.items() if times == 1}
        self.flags = "" if EXACT in getattr(function, "__marks__", ()) else FAST
        self.result: Type | None = None
        cells = function.__closure__ or ()
        self.free = dict(zip(function.__code__.co_freevars, (c.cell_contents for c in cells)))

    def translated(self) -> tuple[str, Type | None]:
        while True:
            self.begin_writing()
            try:
                given = self._begin()
                for statement in self.definition.body:
                    self._statement(statement)
                return self._whole(given), self.result
            except MoreGeneralError:
                continue

    def _begin(self) -> list[str]:
        """Arguments into their variables; returns how they are declared."""
        given = []
        for name, kind in zip(self.names, self.argument_types):
            if kind[0] == "known":
                self.known[name] = Known(kind[1])
                continue
            refs = [f"%{name}.{k}" for k in range(len(kinds(kind)))]
            given += [f"{k} {ref}" for k, ref in zip(kinds(kind), refs)]
            self.assign(name, rebuild(kind, refs))
        return given

    def _whole(self, given: list[str]) -> str:
        if self.open:
            self.emit("br label %exit")
        kind, text = "void", "ret void"
        self.label("exit")
        if self.result is not None:
            value, types = self.load("return value", self.result), kinds(self.result)
            refs = parts(value)
            kind = types[0] if len(types) == 1 else "{" + ", ".join(types) + "}"
            whole = refs[0] if len(types) == 1 else "poison"
            if len(types) != 1:
                for k, (t, ref) in enumerate(zip(types, refs)):
                    whole = self.new(f"insertvalue {kind} {whole}, {t} {ref}, {k}")
            text = f"ret {kind} {whole}"
        self.emit(text)
        inline = " alwaysinline" if INLINED in getattr(self.kernel, "__marks__", ()) else ""
        head = f"define internal {kind} @{self.name}({', '.join(given)}) nounwind{inline} {{"
        return "\n".join([head, "entry:", *self.heads, *self.lines, "}"])

    def _statement(self, node: ast.stmt) -> None:
        if not self.open:
            return  # after return, break or continue
        getattr(self, f"_do_{type(node).__name__}", self.unknown)(node)

    def _block(self, statements: list[ast.stmt]) -> None:
        for statement in statements:
            self._statement(statement)

    def _do_Pass(self, node: ast.Pass) -> None:
        pass

    def _do_Expr(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant):
            self.value(node.value)

    def _do_Assign(self, node: ast.Assign) -> None:
        value = self.value(node.value)
        for target in node.targets:
            self._put(target, value)

    def _do_AugAssign(self, node: ast.AugAssign) -> None:
        if isinstance(node.target, ast.Name):
            found = self._operation(node, node.op, self._read_name(node.target), self.value(node.value))
            self.assign(node.target.id, found)
            return
        if isinstance(node.target, ast.Attribute):
            self._put(node.target, self._operation(node, node.op, self.value(node.target), self.value(node.value)))
            return
        array, place = self._element(node.target)
        before = self.loaded(array.item, place)
        self.store(array.item, place, self._operation(node, node.op, before, self.value(node.value)))

    def _put(self, target: ast.expr, value: Value) -> None:
        if isinstance(target, ast.Name):
            if isinstance(value, Known) and target.id in self.once:
                self.known[target.id] = value
            else:
                self.assign(target.id, value)
        elif isinstance(target, ast.Tuple):
            if not isinstance(value, Tuple) or len(value.items) != len(target.elts):
                raise self.fail(target, "as many values as names are needed")
            for one, item in zip(target.elts, value.items):
                self._put(one, item)
        elif isinstance(target, ast.Subscript):
            array, place = self._element(target)
            self.store(array.item, place, value)
        elif isinstance(target, ast.Attribute):
            whole = self.value(target.value)
            if not isinstance(whole, Fields):
                raise self.fail(target, "only numbers of a structure can be written by name")
            kind, place = self._named(target, whole)
            self.emit(f"store {LLVM[kind]} {self.number(value, kind)}, ptr {place}, align {SIZE}, !tbaa !7")
        else:
            self.unknown(target)

    def _do_Return(self, node: ast.Return) -> None:
        if node.value is not None:
            self._return(self.value(node.value))
        self.go("exit")

    def _return(self, value: Value) -> None:
        kind = general(type_of(value))
        both = kind if self.result is None else join(self.result, kind)
        if self.result is not None and both != self.result:
            self.result = self.types["return value"] = both
            raise MoreGeneralError
        self.result = both
        self.assign("return value", value)

    def _do_If(self, node: ast.If) -> None:
        condition = self.truth(self.value(node.test))
        if isinstance(condition, bool):
            self._block(node.body if condition else node.orelse)
            return
        yes, no, after = self.fresh("then"), self.fresh("else"), self.fresh("after")
        self.branch(condition, yes, no if node.orelse else after)
        self.label(yes)
        self._block(node.body)
        self.go(after)
        if node.orelse:
            self.label(no)
            self._block(node.orelse)
            self.go(after)
        self.label(after)

    def _do_While(self, node: ast.While) -> None:
        again, body, after = self.fresh("while"), self.fresh("body"), self.fresh("after")
        self.go(again)
        self.label(again)
        condition = self.truth(self.value(node.test))
        self.branch(str(condition).lower(), body, after)
        self.label(body)
        self._loop_body(node.body, again, after)
        self.go(again)
        self.label(after)

    def _loop_body(self, statements: list[ast.stmt], again: str, after: str) -> None:
        self.loops.append((again, after))
        self._block(statements)
        self.loops.pop()

    def _do_Break(self, node: ast.Break) -> None:
        self.go(self.loops[-1][1])

    def _do_Continue(self, node: ast.Continue) -> None:
        self.go(self.loops[-1][0])

    def _do_For(self, node: ast.For) -> None:
        if isinstance(node.iter, ast.Tuple):
            after = self.fresh("after")
            for item in node.iter.elts:
                again = self.fresh("next")
                self._put(node.target, self.value(item))
                self._loop_body(node.body, again, after)
                self.go(again)
                self.label(again)
            self.go(after)
            self.label(after)
            return
        if not (isinstance(node.iter, ast.Call) and self.value(node.iter.func) == Known(range)):
            raise self.fail(node, "a loop goes over a range or a written tuple")
        bounds = [self.value(x) for x in node.iter.args]
        step = bounds[2] if len(bounds) == 3 else Known(1)
        if not isinstance(step, Known):
            raise self.fail(node, "the step of a range is a constant")
        first, last = (Known(0), bounds[0]) if len(bounds) == 1 else (bounds[0], bounds[1])
        end, counter = self.number(last, "i"), self.fresh("%n")
        self.heads.append(f"  {counter} = alloca i64")
        self.emit(f"store i64 {self.number(first, 'i')}, ptr {counter}")
        test, body, again, after = (self.fresh(x) for x in ("for", "body", "next", "after"))
        self.go(test)
        self.label(test)
        now = self.new(f"load i64, ptr {counter}")
        inside = self.new(f"icmp {'slt' if step.value > 0 else 'sgt'} i64 {now}, {end}")
        self.branch(inside, body, after)
        self.label(body)
        self._put(node.target, Number("i", now))
        self._loop_body(node.body, again, after)
        self.go(again)
        self.label(again)
        now = self.new(f"load i64, ptr {counter}")
        self.emit(f"store i64 {self.new(f'add nsw i64 {now}, {step.value}')}, ptr {counter}")
        self.go(test)
        self.label(after)


class Module:
    """LLVM text of kernels and of all that they call."""

    def __init__(self, decided: dict[tuple[str, int | str], int] | None = None) -> None:
        # elements of arrays, by name and place, that are the same in every call
        self.decided = decided or {}
        self._known: dict[tuple[Any, tuple[Type, ...]], tuple[str, Type | None]] = {}
        self._declared: set[str] = set()
        self._functions: list[str] = []

    def function(self, function: Any, types: tuple[Type, ...]) -> tuple[str, Type | None]:
        """Name and type of the result of a kernel for arguments of these types; None where there is no result."""
        key = (function, types)
        if key not in self._known:
            name = f"{function.__name__}.{len(self._known)}"
            self._known[key] = (name, None)  # a kernel does not call itself
            text, result = Statements(self, function, types, name).translated()
            self._functions.append(text)
            self._known[key] = (name, result)
        return self._known[key]

    def declare(self, name: str, count: int) -> str:
        """A function of doubles that LLVM or the mathematics library has."""
        full = f"{INTRINSIC[name]}.f64" if name in INTRINSIC else name
        self._declared.add(f"declare double @{full}({', '.join(['double'] * count)}) nounwind willreturn memory(none)")
        return full

    def external(self, name: str, result: str, *arguments: str) -> str:
        """A function that the process provides, which may read all memory."""
        self._declared.add(f"declare {result} @{name}({', '.join(arguments)}) nounwind")
        return name

    def add(self, text: str) -> None:
        """A function that is written already."""
        self._functions.append(text)

    def text(self) -> str:
        """The whole."""
        return "\n".join([*sorted(self._declared), *self._functions, _METADATA])


@cache
def _file(name: str) -> dict[int, ast.FunctionDef]:
    found = {}
    for node in ast.walk(ast.parse(Path(name).read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef):
            found[node.decorator_list[0].lineno if node.decorator_list else node.lineno] = node
    return found


def _definition(function: Any) -> ast.FunctionDef:
    text = getattr(function, "__text__", None)
    if text is not None:
        return ast.parse(text).body[0]  # type: ignore[return-value]
    return _file(function.__code__.co_filename)[function.__code__.co_firstlineno]


__all__ = ["EXACT", "FAST", "INLINED", "SPECIAL", "Module", "NotAKernelError"]
