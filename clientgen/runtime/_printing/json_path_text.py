"""JSONPath templates, evaluated as `kubectl get -o jsonpath=...` does.

k8s.io/client-go: util/jsonpath.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen import _jsonpath

from .go_texts import go_text
from .object_json import tree_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .object_json import Objects

_CHARACTERS_OF_A_VALUE: Final = 64


def json_path(objects: Objects, template: str) -> str:
    r"""Return the text that `kubectl get -o jsonpath=TEMPLATE` prints.

        json_path(pods, '{range .items[*]}{.metadata.name}{"\t"}{.status.phase}{"\n"}{end}')

    Several values of a path are separated by spaces. Objects and lists are printed as JSON. A field
    that is missing prints nothing. Unlike in kubectl, a template without braces is a path, `{.}` is
    the whole object, filters compare whole numbers with fractions, and `{range}` needs its `{end}`.

    Args:
        objects: an object, a list as the server sends it, or several objects. As in kubectl,
            several objects are the `items` of a list.
        template: text with paths in braces, in the dialect of kubectl: fields, `[0]`, `[-1]`,
            `[1:3]`, `[*]`, `['a','b']`, `..name`, filters such as `[?(@.type=="Ready")]`, quoted
            text, and `{range}...{end}`.

    Raises:
        ValueError: the template cannot be read or does not fit the objects: an index is out of
            bounds, or types cannot be compared. The message tells the position.
        TypeError: `objects` are not objects.
    """
    nodes = _jsonpath.parse_template(template if "{" in template else f"{{{template}}}")
    try:
        return "".join(_texts(nodes, tree_of(objects), _jsonpath.Budget()))
    except RecursionError:
        raise ValueError("the objects are nested too deeply to be printed") from None


def json_path_values(objects: Objects, path: str) -> list[Any]:
    """List the values that a path selects: `json_path_values(pod, ".spec.containers[*].image")`.

    The values are JSON: strings, numbers, booleans, None, lists and dicts. A missing field selects
    no value.

    Args:
        objects: as for `json_path`.
        path: one path, with or without braces and the leading dot.

    Raises:
        ValueError: as `json_path`.
        TypeError: `objects` are not objects.
    """
    steps = _jsonpath.parse(_jsonpath.relaxed(path))
    return _jsonpath.run(steps, tree_of(objects), _jsonpath.Budget())


def _texts(nodes: Sequence[_jsonpath.Node], value: Any, budget: _jsonpath.Budget) -> Iterator[str]:
    for node in nodes:
        budget.spend(1)
        if isinstance(node, _jsonpath.Text):
            budget.spend(len(node.text) // _CHARACTERS_OF_A_VALUE)
            yield node.text
            continue
        found = _jsonpath.run(node.steps, value, budget)
        if isinstance(node, _jsonpath.Range):
            for each in found:
                yield from _texts(node.body, each, budget)
        else:
            text = " ".join([go_text(each, null="null") for each in found])
            budget.spend(len(text) // _CHARACTERS_OF_A_VALUE)
            yield text
