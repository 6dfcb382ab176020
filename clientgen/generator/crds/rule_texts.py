"""Texts in rules: their methods, f-strings and patterns."""

from __future__ import annotations

import ast
from enum import Enum

from clientgen.generator.crds.rule_frames import Frame, size_of
from clientgen.generator.crds.rule_loops import Loops
from clientgen.generator.crds.rule_patterns import PatternError, re2
from clientgen.generator.crds.rule_sources import (
    constant_named,
)
from clientgen.generator.crds.rule_values import (
    ATOM,
    MAX_REQUEST,
    SUM,
    TERNARY,
    Bool,
    Found,
    Int,
    List,
    Str,
    Value,
    boolean,
    joined,
    quoted,
)


class Texts(Loops):
    """Translates what is done with texts."""

    def _formatted(self, frame: Frame, node: ast.JoinedStr) -> Value:
        parts = [self._part(frame, part) for part in node.values]
        if not parts:
            return self._literal(frame, node, "")
        if len(parts) == 1:
            return parts[0]
        if any("string(" in part.text for part in parts):
            return self._with_format(parts)
        return Value(Str(), " + ".join(part.at(SUM + 1) for part in parts), SUM)

    def _with_format(self, parts: list[Value]) -> Value:
        """Return a text with integers: servers know the cost of `format`, not of `+`."""
        template, values = "", list[str]()
        for part in parts:
            if isinstance(part.constant, str):
                template += part.constant.replace("%", "%%")
            else:
                template += "%s"
                values.append(part.text)
        return Value(Str(), f"{quoted(template)}.format([{', '.join(values)}])")

    def _part(self, frame: Frame, node: ast.expr) -> Value:
        if isinstance(node, ast.FormattedValue):
            if node.conversion not in (-1, ord("s")) or node.format_spec is not None:
                raise self._refused(
                    frame, node, "formats cannot be translated", "leave out ! and :"
                )
            return self._as_text(frame, node.value)
        return self._present(frame, node)

    def _as_text(self, frame: Frame, node: ast.expr) -> Value:
        value = self._whole_value(frame, node, self._any(frame, node), sized=True)
        if isinstance(value.constant, Enum):
            raise self._refused(frame, node, "the text of an enumeration depends on Python")
        if type(value.constant) is int:
            return self._literal(frame, node, str(value.constant))
        if isinstance(value.type, Int):
            return Value(Str(20), f"string({value.text})")
        if isinstance(value.type, Bool):
            return Value(Str(5), f'{value.at(TERNARY + 1)} ? "True" : "False"', TERNARY)
        if not isinstance(value.type, Str):
            raise self._refused(frame, node, f"the text of {value.type.name} differs in CEL")
        return value

    def _str(self, frame: Frame, node: ast.Call) -> Value:
        (argument,) = self._arguments(frame, node, 1)
        return self._as_text(frame, argument)

    def _of_text(self, frame: Frame, node: ast.Call, base: Value, method: str) -> Value:
        self._spend(size_of(base.type) / 10)
        text = base.at(ATOM)
        match method:
            case "startswith" | "endswith":
                (argument,) = self._arguments(frame, node, 1)
                name = "startsWith" if method == "startswith" else "endsWith"
                ends = argument.elts if isinstance(argument, ast.Tuple) else [argument]
                parts = [self._text(frame, each) for each in ends]
                return joined([boolean(f"{text}.{name}({part.text})") for part in parts], by="||")
            case "split":
                (argument,) = self._arguments(frame, node, 1)
                by = self._literal_text(frame, argument)
                length = size_of(base.type)
                size = None if length >= MAX_REQUEST else length + 1
                return Value(List(Str(), size), f"{text}.split({quoted(by)})")
            case "replace":
                old, new = self._arguments(frame, node, 2)
                before = quoted(self._literal_text(frame, old))
                return Value(Str(), f"{text}.replace({before}, {self._text(frame, new).text})")
            case _:
                hint = "rules know startswith, endswith, split, replace, `in`, len and re"
                raise self._refused(frame, node, f"`{method}` of a text cannot be translated", hint)

    def _text(self, frame: Frame, node: ast.expr) -> Value:
        value = self._present(frame, node)
        if not isinstance(value.type, Str):
            raise self._refused(frame, node, f"it must be a text, not {value.type.name}")
        return value

    def _literal_text(self, frame: Frame, node: ast.expr) -> str:
        value = self._text(frame, node)
        if type(value.constant) is not str or not value.constant:
            raise self._refused(frame, node, "it must be a constant that is not empty")
        return value.constant

    def _fullmatch(self, frame: Frame, node: ast.Call) -> Value:
        return self._of_module_re(frame, node, "fullmatch")

    def _match(self, frame: Frame, node: ast.Call) -> Value:
        return self._of_module_re(frame, node, "match")

    def _search(self, frame: Frame, node: ast.Call) -> Value:
        return self._of_module_re(frame, node, "search")

    def _of_module_re(self, frame: Frame, node: ast.Call, how: str) -> Value:
        pattern, subject, *flags = self._arguments(frame, node, 2, 3)
        try:
            flag = constant_named(frame.source, flags[0]) if flags else 0
        except LookupError:
            flag = None
        if not isinstance(flag, int):
            raise self._refused(frame, node, "the flags must be a constant", "write re.ASCII")
        return self._found(frame, node, how, self._literal_text(frame, pattern), int(flag), subject)

    def _found(  # noqa: PLR0917 - a call with all its parts
        self, frame: Frame, node: ast.AST, how: str, pattern: str, flags: int, subject: ast.expr
    ) -> Value:
        try:
            written = re2(pattern, flags)
        except PatternError as error:
            raise self._refused(frame, node, str(error), error.hint) from None
        forms = {"fullmatch": "^(?:{})$", "match": "^(?:{})", "search": "{}"}
        if how not in forms:
            raise self._refused(frame, node, f"`{how}` of a pattern cannot be translated")
        value = self._text(frame, subject)
        self._spend((1 + size_of(value.type) / 10) * (1 + len(written) / 4))
        whole = forms[how].format(written)
        return Value(Found(), f"{value.at(ATOM)}.matches({quoted(whole)})")
