"""Statements of a kernel."""

from __future__ import annotations

import ast
from typing import Any

from .expressions import Expressions
from .values import LLVM, Fields, Known, Number, Tuple, Value, general, join, type_of
from .writing import SIZE, MoreGeneralError


class Statements(Expressions):
    """Statements, one after the other."""

    result: Any
    once: set[str]  # names that are given a value in one place: what is known of them stays known

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
