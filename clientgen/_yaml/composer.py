"""Converts YAML texts to nodes, and finds the lines of values.

The tag of a scalar only shows whether the scalar is plain; `yaml_scalars` decides its value.
libyaml parses if it is installed, because it is several times faster.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final

import yaml

from .yaml_scalars import key_text, plain_value

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

TAG: Final = "tag:yaml.org,2002:"
PLAIN: Final = "?"
_STR: Final = f"{TAG}str"
_MERGE: Final = "<<"
_MAX_DEPTH: Final = 10_000


@cache
def _loader(*, pure: bool = False) -> Any:
    base = yaml.SafeLoader if pure else getattr(yaml, "CSafeLoader", yaml.SafeLoader)

    def resolve(_self: Any, kind: Any, _value: Any, implicit: Any) -> str:
        return PLAIN if kind is yaml.ScalarNode and implicit[0] else _STR

    return type("_Loader", (base,), {"resolve": resolve})


def compose(text: str | bytes, *, pure: bool = False) -> Iterator[yaml.Node]:
    """Yield the documents of a text.

    Args:
        text: the text; bytes may have a byte order mark.
        pure: parse with PyYAML. The messages and columns of its errors differ from those of
            libyaml.

    Raises:
        yaml.YAMLError: the text is not YAML. The documents before the error are yielded first.
        RecursionError: the text is nested too deeply.
    """
    _check_depth(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))
    loader = _loader(pure=pure)(text)
    try:
        while loader.check_node():
            yield loader.get_node()
    finally:
        loader.dispose()


def _check_depth(data: bytes) -> None:
    """Refuse a text that is nested so deeply that libyaml's composer would exceed its stack.

    Characters that may open a level are counted first: few documents have so many.
    """
    widest = max(map(len, data.splitlines()), default=0)
    in_block = min(2 * widest, data.count(b"-") + data.count(b"?"))
    if data.count(b"[") + data.count(b"{") + in_block < _MAX_DEPTH:
        return
    depth = 0
    for event in yaml.parse(data, Loader=_loader()):
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if depth > _MAX_DEPTH:
            raise RecursionError


def place(error: yaml.YAMLError) -> tuple[int, int] | None:
    """Return the line and the column of an error, from 1; None if the error has no position."""
    mark = getattr(error, "problem_mark", None)
    return mark and (mark.line + 1, mark.column + 1)


def is_merge(key: yaml.Node) -> bool:
    """Return whether a key is `<<`, which merges the members of another object."""
    return key.value == _MERGE and key.tag == PLAIN


def merged(value: yaml.Node) -> list[yaml.Node]:
    """Return the mappings of a merge key. Members of earlier mappings take precedence."""
    return value.value if isinstance(value, yaml.SequenceNode) else [value]


def line_of(node: yaml.Node, path: Sequence[str | int]) -> int:
    """Return the line of a value, from 1; or of the innermost existing value on its path.

    Args:
        node: the document, or the value where the path starts.
        path: the keys and indices that lead to the value.
    """
    line: int = node.start_mark.line
    for step in path:
        child = _member(node, str(step))
        if child is None:
            break
        line, node = child
    return line + 1


def _member(node: yaml.Node, step: str) -> tuple[int, yaml.Node] | None:
    """Return the line in which a member begins, and the member."""
    if isinstance(node, yaml.SequenceNode):
        items: list[yaml.Node] = node.value
        at = int(step) if step.isdecimal() else len(items)
        return (items[at].start_mark.line, items[at]) if at < len(items) else None
    if not isinstance(node, yaml.MappingNode):
        return None
    brought: list[yaml.Node] = []
    for key, value in reversed(node.value):
        if is_merge(key):
            brought += merged(value)
        elif _is_key(key, step):
            return key.start_mark.line, value
    return next((member for merged_node in brought if (member := _member(merged_node, step))), None)


def _is_key(node: yaml.Node, step: str) -> bool:
    if not isinstance(node, yaml.ScalarNode):
        return False
    return node.value == step or (node.tag == PLAIN and key_text(plain_value(node.value)) == step)
