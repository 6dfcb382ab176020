"""YAML texts to nodes, and where things stand in them.

The tag of a scalar only tells whether it is plain; `yaml_scalars` decides which value it is.
libyaml parses where it is installed: it is several times faster.
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
    """The documents of a text, one after another.

    Args:
        text: what to read; bytes may have a byte order mark.
        pure: whether PyYAML parses: libyaml has other words and other columns for what is wrong.

    Raises:
        yaml.YAMLError: from the first one on that is none.
        RecursionError: there is no end to its nesting.
    """
    _check_depth(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))
    loader = _loader(pure=pure)(text)
    try:
        while loader.check_node():
            yield loader.get_node()
    finally:
        loader.dispose()


def _check_depth(data: bytes) -> None:
    """Refuse what is nested so deeply that libyaml's composer would run out of stack.

    What opens a level is counted first, since hardly any document has so much of it.
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
    """The line and the column that an error speaks of, from 1; None if it does not say."""
    mark = getattr(error, "problem_mark", None)
    return mark and (mark.line + 1, mark.column + 1)


def is_merge(key: yaml.Node) -> bool:
    """Tell whether a key is `<<`, which brings what another object holds."""
    return key.value == _MERGE and key.tag == PLAIN


def merged(value: yaml.Node) -> list[yaml.Node]:
    """Return the mappings of a merge key; of several, earlier ones win."""
    return value.value if isinstance(value, yaml.SequenceNode) else [value]


def line_of(node: yaml.Node, path: Sequence[str | int]) -> int:
    """The line in which something stands, from 1; of the innermost that is there, if it is not.

    Args:
        node: the document, or what the path starts from.
        path: keys and indices that lead to it.
    """
    line: int = node.start_mark.line
    for step in path:
        child = _member(node, str(step))
        if child is None:
            break
        line, node = child
    return line + 1


def _member(node: yaml.Node, step: str) -> tuple[int, yaml.Node] | None:
    """In which line a member begins, by its key or with the item, and what it is."""
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
