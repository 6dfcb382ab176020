"""The finalizers of a namespace's spec, which `finalize` alone writes (fact sheet 1.6)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import Cause, invalid_value
from clientgen._apimachinery.name_syntax import qualified_name_problems
from clientgen._apimachinery.optional_parts import part, texts

from .validating import checks_change

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__: list[str] = []

_STANDARD: Final = ("kubernetes", "orphan", "foregroundDeletion")


@checks_change("", "namespaces", part="finalize")
def _finalizer_causes(new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
    del old
    for index, name in enumerate(texts(part(new, "spec"), "finalizers")):
        field = f"spec.finalizers[{index}]"
        problems = qualified_name_problems(name)
        yield from (invalid_value(field, name, problem) for problem in problems)
        if not problems and "/" not in name and name not in _STANDARD:
            why = "name is neither a standard finalizer name nor is it fully qualified"
            yield invalid_value(field, name, why)
