"""The rules of a schema: `x-kubernetes-validations`, checked in definitions and applied to objects.

Kubernetes' "Validation rules": a rule sees its part of the object as `self`; one that looks at
`oldSelf` only applies to updates, where old and new belong together.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import (
    Cause,
    duplicate,
    forbidden_value,
    invalid_value,
    required,
)
from clientgen._json import is_array, is_object

from ..correlation import Pair, old_item
from ..fieldpath import resolve
from ..scalar_validation import NO_FIELD
from .cel_values import typed
from .cost import MAX_COST_PER_CALL, CostBudget, CostLimitExceeded, size_of
from .declarations import declare
from .expressions import BadExpression, EvaluationError, check, cost, evaluate, uses_old_self

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..structure import Structure

_NO_OVERLOAD: Final = "no such overload"
_NO_SIGNATURE: Final = (
    "call arguments did not match a supported operator, function or macro signature"
)
_MAX_MESSAGE_LENGTH: Final = 5 * 1024


class _RuleInput:
    """The input of a rule: a typed value, the one before, and the size of both."""

    def __init__(self, value: Any, old: Any) -> None:
        self.value = value
        self.old = old
        self.has_old = old is not None
        self.size = size_of(value, old)


class _Rule:
    """One rule, ready to run."""

    def __init__(self, raw: dict[str, Any], structure: Structure, *, uses_old: bool) -> None:
        self.text: str = raw["rule"]
        self.uses_old = uses_old
        self.optional = bool(raw.get("optionalOldSelf"))
        self._message = (raw.get("message") or "").strip()
        self._expression: str = raw.get("messageExpression") or ""
        self._reason: str = raw.get("reason") or ""
        self._field = _spelt(raw.get("fieldPath") or "", structure)
        self._shows_value = structure.type not in ("object", "array")

    def applies(self, *, has_old: bool) -> bool:
        """Return whether the rule applies: rules about changes need an old value."""
        return has_old or not self.uses_old or self.optional

    def cost(self, rule_input: _RuleInput) -> float:
        """Return an estimate of the cost of running the rule."""
        return cost(self.text, rule_input.size, optional=self.optional)

    def run(self, rule_input: _RuleInput) -> bool:
        """Return whether the object keeps it."""
        return self._evaluated(self.text, rule_input) is True

    def _evaluated(self, text: str, rule_input: _RuleInput) -> Any:
        optional = self.optional
        return evaluate(
            text, rule_input.value, rule_input.old, has_old=rule_input.has_old, optional=optional
        )

    def cause(self, path: str, value: Any, rule_input: _RuleInput) -> Cause:
        """Return the cause for an object that breaks the rule."""
        detail = self._expressed(rule_input) or self._message
        detail = detail or f"failed rule: {self.text.strip()}"
        if self._field:
            path = f"{path}.{self._field}" if path else self._field
        path = path or NO_FIELD
        if self._reason == "FieldValueForbidden":
            return forbidden_value(path, detail)
        if self._reason == "FieldValueRequired":
            return required(path, detail)
        if self._reason == "FieldValueDuplicate":
            return duplicate(path, value)
        if self._shows_value:
            return invalid_value(path, value, detail)
        return Cause("FieldValueInvalid", f"Invalid value: {detail}", path)

    def error(self, path: str, structure: Structure, why: object) -> Cause:
        """Return the cause for a rule that cannot be run."""
        shown = self._message or self.text.strip()
        text = f"{why} evaluating rule: {shown}"
        if str(why).startswith(_NO_OVERLOAD):
            text = f"'{_NO_OVERLOAD}': {_NO_SIGNATURE} for rule: {shown}"
        return invalid_value(path or NO_FIELD, structure.type, text)

    def refused(self, path: str, structure: Structure, why: CostLimitExceeded) -> Cause:
        """Return the cause for a rule that costs too much to be run."""
        text = f"{why}, no further validation rules will be run"
        if why.is_one_call:
            text = (
                f"'{why}': no further validation rules will be run due to call cost exceeds limit "
                f"for rule: {self._message or self.text.strip()}"
            )
        return invalid_value(path or NO_FIELD, structure.type, text)

    def _expressed(self, rule_input: _RuleInput) -> str:
        text = self._expression
        if not text or cost(text, rule_input.size, optional=self.optional) > MAX_COST_PER_CALL:
            return ""
        try:
            message = self._evaluated(text, rule_input)
        except EvaluationError:
            return ""
        text = message.strip() if isinstance(message, str) else ""
        return "" if "\n" in text or len(text.encode()) > _MAX_MESSAGE_LENGTH else text


def _spelt(path: str, structure: Structure) -> str:
    try:
        return resolve(path, structure)[0] if path else ""
    except ValueError:
        return ""


class RuleTree:
    """The rules of a schema and of everything in it; `RuleTree.of` is None where there are none."""

    def __init__(self, structure: Structure) -> None:
        # Rules of an embedded object may look at its names, kind and apiVersion.
        self._structure = structure.with_meta() if structure.embedded else structure
        self._plain = structure
        self._rules: list[_Rule] | None = None
        self._members = {
            name: tree
            for name, substructure in structure.properties.items()
            if (tree := RuleTree.of(substructure)) is not None
        }
        self._items = RuleTree.of(structure.items)
        self._additional = RuleTree.of(structure.additional)

    @classmethod
    def of(cls, structure: Structure | None) -> RuleTree | None:
        """The rules of a schema, None when it has none."""
        if structure is None:
            return None
        tree = cls(structure)
        inner = tree._members or tree._items or tree._additional
        return tree if inner or structure.rules else None

    def validate(
        self,
        value: Any,
        old: Any,
        path: str = "",
        pair: Pair | None = None,
        parent: Pair | None = None,
        *,
        spent: CostBudget | None = None,
    ) -> list[Cause]:
        """The rules a value breaks.

        Args:
            value: the value, or None, of which nothing is asked.
            old: the value before; None when there was none.
            path: where the value stands.
            pair: both, when this is an update: a rule may stay broken where nothing changed.
            parent: the nearest pair around the value.
            spent: what the rules have cost so far.
        """
        spent = spent or CostBudget()
        if value is None or spent.is_over:
            return []
        causes = self._validate_self(value, old, path, pair if pair is not None else parent, spent)
        for causes_of_part in self._validate_parts(value, old, path, pair, parent, spent=spent):
            causes += causes_of_part
        return causes

    def _validate_self(
        self, value: Any, old: Any, path: str, lenient: Pair | None, spent: CostBudget
    ) -> list[Cause]:
        if not self._plain.rules:
            return []
        rule_input = _RuleInput(
            typed(value, self._structure), None if old is None else self._typed(old)
        )
        causes: list[Cause] = []
        for rule in self._compiled():
            if not rule.applies(has_old=rule_input.has_old):
                continue
            try:
                spent.pay(rule.cost(rule_input))
                if rule.run(rule_input):
                    continue
            except CostLimitExceeded as error:
                return [*causes, rule.refused(path, self._structure, error)]
            except EvaluationError as error:
                causes.append(rule.error(path, self._structure, error))
                continue
            if rule.uses_old or lenient is None or not lenient.unchanged:
                causes.append(rule.cause(path, value, rule_input))
        return causes

    def _typed(self, value: Any) -> Any:
        return typed(value, self._structure)

    def _compiled(self) -> list[_Rule]:
        if self._rules is None:
            declared = declare(self._plain)
            self._rules = [
                _Rule(raw, self._plain, uses_old=_uses_old(raw, declared))
                for raw in self._plain.rules
                if raw.get("rule", "").strip()
            ]
        return self._rules

    def _validate_parts(
        self,
        value: Any,
        old: Any,
        path: str,
        pair: Pair | None,
        parent: Pair | None,
        *,
        spent: CostBudget,
    ) -> Iterator[list[Cause]]:
        around = parent if pair is None else pair
        if is_object(value):
            before = old if is_object(old) else {}
            for name, each in value.items():
                tree = self._members.get(name)
                where = f"{path}.{name}" if path else name
                if tree is None and name not in self._plain.properties:
                    tree, where = self._additional, f"{path}[{name}]"
                if tree is not None:
                    inner = pair.member(name) if pair is not None else None
                    yield tree.validate(each, before.get(name), where, inner, around, spent=spent)
        elif is_array(value) and self._items is not None:
            for at, each in enumerate(value):
                inner = pair.item(at) if pair is not None else None
                previous = old_item(self._plain, old, each)
                where = f"{path}[{at}]"
                yield self._items.validate(each, previous, where, inner, around, spent=spent)


def _uses_old(raw: dict[str, Any], declared: Any) -> bool:
    optional = bool(raw.get("optionalOldSelf"))
    return declared is not None and uses_old_self(raw["rule"], declared, optional=optional)


# ------------------------------------------------------------------------- rules of a definition


def check_rules(structure: Structure, path: str, uncorrelatable: str = "") -> list[Cause]:
    """Check the rules of one schema (not of those within it).

    Args:
        structure: the schema.
        path: where it stands in the definition.
        uncorrelatable: the schema around it in which old and new do not belong together.
    """
    declared = declare(structure)
    field = f"{path}.x-kubernetes-validations"
    if declared is None:
        why = "failed to retrieve type information for x-kubernetes-validations"
        return [Cause("InternalError", f"Internal error: {why}", field)]
    causes: list[Cause] = []
    for at, raw in enumerate(structure.rules):
        if raw.get("rule", "").strip():
            causes += _check_rule(raw, declared, f"{field}[{at}]", uncorrelatable)
    return causes


def _check_rule(raw: dict[str, Any], declared: Any, where: str, uncorrelatable: str) -> list[Cause]:
    causes: list[Cause] = []
    optional = bool(raw.get("optionalOldSelf"))
    try:
        check(raw["rule"], declared, "BOOL", optional=optional)
    except BadExpression as error:
        text = re.sub("^must", "cel expression must", str(error))
        # The server looks no further: neither at the message nor at what the rule uses.
        causes.append(invalid_value(f"{where}.rule", _go_rule(raw), text))
        return [*causes, *_needless_option(raw, where)]
    if raw.get("messageExpression"):
        try:
            check(raw["messageExpression"], declared, "STRING", optional=optional)
        except BadExpression as error:
            text = f"messageExpression {error}"
            causes.append(invalid_value(f"{where}.messageExpression", _go_rule(raw), text))
    if not uses_old_self(raw["rule"], declared, optional=optional):
        causes += _needless_option(raw, where)
    elif uncorrelatable:
        text = (
            "oldSelf cannot be used on the uncorrelatable portion of the schema within "
            f"{uncorrelatable}"
        )
        causes.append(invalid_value(f"{where}.rule", raw["rule"], text))
    return causes


def _needless_option(raw: dict[str, Any], where: str) -> list[Cause]:
    option = raw.get("optionalOldSelf")
    if option is None:
        return []
    text = "may not be set if oldSelf is not used in rule"
    return [invalid_value(f"{where}.optionalOldSelf", option, text)]


def _go_rule(raw: dict[str, Any]) -> dict[str, Any]:
    """The rule as the server shows it: as its Go struct."""
    return {
        "Rule": raw.get("rule", ""),
        "Message": raw.get("message", ""),
        "MessageExpression": raw.get("messageExpression", ""),
        "Reason": raw.get("reason"),
        "FieldPath": raw.get("fieldPath", ""),
        "OptionalOldSelf": raw.get("optionalOldSelf"),
    }
