"""What a command line names as MODULE:ATTRIBUTE."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

from clientgen._problems import ClientgenError, Problem, Problems

_TARGET: Final = re.compile(r"([A-Za-z_][\w.]*):([A-Za-z_][\w.]*)")


def loaded(target: str, example: str) -> Any:
    """Import a module, and return what is named of it.

    Modules are looked for in this directory, in `src`, and on Python's path.

    Raises:
        ClientgenError: There is no such thing. The message shows the example.
    """
    from clientgen.generator.python_types import module_loader  # other commands do not need it

    match = _TARGET.fullmatch(target)
    if match is None:
        hint = f"write it as in `{example}`"
        raise ClientgenError([Problem(target, "this is not MODULE:ATTRIBUTE", hint)])
    module_name, attribute = match.groups()
    root, problems = Path(), Problems()
    with module_loader.searching(root):
        location = module_loader.find(module_name)
        if location is None or location.file is None:
            raise ClientgenError([module_loader.missing(module_name, root, target)])
        found: Any = module_loader.import_module_at(module_name, location, root, problems)
        problems.raise_if_any()
    for part in attribute.split("."):
        found = getattr(found, part, None)
    if found is None:
        raise ClientgenError([Problem(target, f"the module has no attribute {attribute!r}")])
    return found


def called(target: str, function: Any, *arguments: object, hint: str) -> Any:
    """Call what was loaded.

    Raises:
        ClientgenError: It raises something.
    """
    try:
        return function(*arguments)
    except Exception as error:
        what = f"calling it raises {type(error).__name__}: {error}"
        raise ClientgenError([Problem(target, what, hint)]) from error
