"""Docstrings of generated methods say what every option does, in the words of the runtime."""

from __future__ import annotations

import inspect
import pkgutil
import re
from importlib import import_module
from textwrap import dedent
from typing import get_type_hints

import kubeapi
import pytest

from clientgen.generator.option_texts import option_lines, options_of
from clientgen.runtime import aio
from clientgen.runtime._http import call_options as runtime_options

CALLS = [
    *("GetOptions", "ListOptions", "EachOptions", "WatchOptions", "WriteOptions", "EditOptions"),
    *("PatchOptions", "ApplyOptions", "DeleteOptions", "DeleteCollectionOptions", "LogOptions"),
]


@pytest.mark.parametrize("kind", CALLS)
def test_every_option_has_a_sentence(kind: str) -> None:
    typed_dict = getattr(runtime_options, kind)
    assert set(options_of(kind)) == set(get_type_hints(typed_dict))
    assert [*options_of(kind)][-1] == "timeout"
    for text in options_of(kind).values():
        assert re.fullmatch(r"[A-Z][^\n]*[^\"]\.", text)


@pytest.mark.parametrize("kind", CALLS)
def test_the_lines_fit(kind: str) -> None:
    for line in option_lines(kind).splitlines():
        assert len(line) <= 100


def test_generated_methods_list_their_options() -> None:
    found = 0
    for module in pkgutil.walk_packages(kubeapi.__path__, "kubeapi."):
        if not module.name.endswith(".async_clients"):
            continue
        for kind in vars(import_module(module.name)).values():
            if isinstance(kind, type) and issubclass(kind, aio.AsyncResourceClient):
                found += sum(_lists_its_options(method) for method in vars(kind).values())
    assert found > 600


def _lists_its_options(method: object) -> bool:
    options = getattr(method, "__annotations__", {}).get("options", "")
    match = re.fullmatch(r"Unpack\[(\w+)\]", options)
    if match is None:
        return False
    documented = inspect.getdoc(method)
    assert documented is not None
    assert f"Args:\n{dedent(option_lines(match[1]))}" in documented.replace("\n    ", "\n")
    return True
