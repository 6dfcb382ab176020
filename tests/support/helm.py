"""The part of Helm's templates that `clientgen init` uses, for machines without Helm.

It knows values by path, `default`, `print`, `toYaml | nindent`, `if`, `else` and `end`, and the
dashes that trim whitespace. Anything else is an error.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

ACTION = re.compile(r"(\s*)\{\{(-?)\s*(.*?)\s*(-?)\}\}(\s*)", re.DOTALL)
TERM = re.compile(r'\(.*?\)|"[^"]*"|\S+')


def rendered(chart: Path, release: str, namespace: str, **changed: Any) -> list[dict[str, Any]]:
    """The objects of a chart; `changed` are values by path, with `__` for dots."""
    values = yaml.safe_load((chart / "values.yaml").read_text())
    for path, value in changed.items():
        *parents, last = path.split("__")
        at = values
        for parent in parents:
            at = at[parent]
        at[last] = value
    about = yaml.safe_load((chart / "Chart.yaml").read_text())
    scope = {
        "Values": values,
        "Chart": {"Name": about["name"], "AppVersion": about["appVersion"]},
        "Release": {"Name": release, "Namespace": namespace},
    }
    texts = [_text(path.read_text(), scope) for path in sorted((chart / "templates").iterdir())]
    return [each for text in texts for each in yaml.safe_load_all(text) if each]


def _text(template: str, scope: dict[str, Any]) -> str:
    made: list[str] = []
    shown = [True]
    for piece in _pieces(template):
        if isinstance(piece, str):
            made.append(piece if all(shown) else "")
            continue
        word, *rest = piece
        if word == "if":
            shown.append(bool(_value(" ".join(rest), scope)))
        elif word == "else":
            shown[-1] = not shown[-1]
        elif word == "end":
            shown.pop()
        elif all(shown):
            made.append(_value(" ".join(piece), scope, text=True))
    assert shown == [True]
    return "".join(made)


def _pieces(template: str) -> Iterator[str | list[str]]:
    done = 0
    trimmed = False
    for match in ACTION.finditer(template):
        before, left, action, right, after = match.groups()
        yield template[done : match.start()].lstrip() if trimmed else template[done : match.start()]
        yield "" if left else before
        yield TERM.findall(action)
        done, trimmed = match.end() - len(after), bool(right)
    yield template[done:]


def _value(pipeline: str, scope: dict[str, Any], *, text: bool = False) -> Any:
    first, *filters = pipeline.split(" | ")
    value = _call(TERM.findall(first), scope)
    for each in filters:
        name, argument = TERM.findall(each)
        if name == "default":
            value = value or _call([argument], scope)
        else:
            assert name == "nindent"
            indent = " " * int(argument)
            value = "".join(f"\n{indent}{line}" for line in value.rstrip().splitlines())
    return str(value) if text else value


def _call(terms: list[str], scope: dict[str, Any]) -> Any:
    word, *arguments = terms
    if word.startswith("("):
        return _call(TERM.findall(word[1:-1]), scope)
    if word == "print":
        return "".join(str(_call([each], scope)) for each in arguments)
    if word == "toYaml":
        return yaml.safe_dump(_call(arguments, scope))
    assert not arguments, terms
    if word.startswith('"'):
        return word[1:-1]
    assert word.startswith("."), word
    at: Any = scope
    for name in word[1:].split("."):
        at = at[name]  # Helm would read a missing value as nothing; here it is an error
    return at
