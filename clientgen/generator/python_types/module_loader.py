"""Finds the user's modules as Python would, and imports them.

The folder of the configuration and its `src` come first, as they would for a program started there.
Nothing stays behind: not in `sys.path`, and no module of another folder under the same name.
"""

from __future__ import annotations

import contextlib
import importlib
import sys
import traceback
from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from clientgen._problems import Problem, Problems
from clientgen.generator.package_manifest import digest

# Modules of the user's that were imported here: their file, the digest of what was in it, and how
# messages call it.
_imported: dict[str, tuple[Path, str, str]] = {}


@dataclass(frozen=True, slots=True)
class ModuleLocation:
    """The location of a module: its source (None without `__init__.py`) and its folders."""

    file: Path | None
    folders: tuple[Path, ...] = ()


@contextlib.contextmanager
def searching(root: Path, paths: Sequence[Path] = ()) -> Generator[None, None, None]:
    """Put the folder of the configuration and its `src` in front of the search path.

    Args:
        root: the folder of the configuration.
        paths: further folders, behind those: where packages are generated.
    """
    before = list(sys.path)
    first = [folder.resolve() for folder in (root, root / "src", *paths)]
    sys.path[:0] = map(str, dict.fromkeys(first))
    importlib.invalidate_caches()
    try:
        yield
    finally:
        sys.path[:] = before


def find(name: str) -> ModuleLocation | None:
    """Find a module without executing anything; inside `searching` only."""
    top, *parts = name.split(".")
    location = _find_top(top)
    for part in parts:
        location = _find_in(location.folders, part) if location else None
    return location


def _find_top(name: str) -> ModuleLocation | None:
    """Ask Python's finders, so that editable installs are found too."""
    for finder in sys.meta_path:
        spec = finder.find_spec(name, None, None)
        if spec is not None:
            folders = tuple(map(Path, spec.submodule_search_locations or ()))
            source = spec.origin if spec.has_location else None
            return ModuleLocation(Path(source) if source else None, folders)
    return None


def _find_in(folders: Iterable[Path], name: str) -> ModuleLocation | None:
    """Find a module of a package; finders would import the package for that."""
    plain: list[Path] = []
    for folder in folders:
        inner = folder / name
        if (inner / "__init__.py").is_file():
            return ModuleLocation(inner / "__init__.py", (inner,))
        if (folder / f"{name}.py").is_file():
            return ModuleLocation(folder / f"{name}.py")
        if inner.is_dir():
            plain.append(inner)
    return ModuleLocation(None, tuple(plain)) if plain else None


def shown(file: Path, root: Path) -> str:
    """Return a file's path for messages, relative to the directory of the configuration."""
    home = root.resolve()
    return str(root / file.relative_to(home)) if file.is_relative_to(home) else str(file)


def label(name: str) -> str:
    """Return the name of an imported module for messages: its file, if that is the user's."""
    record = _imported.get(name)
    return record[2] if record else name


def missing(name: str, root: Path, where: str) -> Problem:
    """The report of a module that is not there.

    Args:
        name: as it was written.
        root: the folder of the configuration.
        where: who asks for it.
    """
    hint = f"clientgen looks for it in {root}, in {root / 'src'} and on Python's path"
    if name.endswith(".py"):
        hint = f"write it as in an import statement: {name.removesuffix('.py')}"
    return Problem(where, f"there is no module {name!r} with Python source", hint)


def import_module_at(
    name: str, location: ModuleLocation, root: Path, problems: Problems
) -> ModuleType | None:
    """Import a module, or report why it cannot be imported. Inside `searching` only.

    What it prints goes to standard error, and no byte code is written beside it.
    """
    _forget_stale(name.partition(".")[0])
    before = set(sys.modules)
    compiled, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        with contextlib.redirect_stdout(sys.stderr):
            module = importlib.import_module(name)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - the user's code may raise anything
        problems.extend([_failure(name, error, location, root)])
        return None
    finally:
        sys.dont_write_bytecode = compiled
        _remember(before, root)
    file = getattr(module, "__file__", None)
    if location.file is None or file is None or Path(file).resolve() != location.file.resolve():
        what = f"the name {name!r} is taken: Python loads another module of that name"
        problems.add(shown(location.file or Path(name), root), what, "give the module another name")
        return None
    return module


def _remember(before: set[str], root: Path) -> None:
    """Note what was imported from the user's folder."""
    home = root.resolve()
    for name in sys.modules.keys() - before:
        file = getattr(sys.modules[name], "__file__", None)
        if file and Path(file).resolve().is_relative_to(home) and Path(file).is_file():
            data = Path(file).read_bytes()
            _imported[name] = (Path(file), digest(data), shown(Path(file), root))


def _forget_stale(top: str) -> None:
    """Drop modules whose file is another one now or has changed, and all of their package."""
    candidates = {name for name in sys.modules if name.partition(".")[0] == top} | _imported.keys()
    stale = {name.partition(".")[0] for name in candidates if _is_stale(name)}
    stale -= {*sys.stdlib_module_names, "clientgen"}  # this program stands on these
    for name in list(sys.modules):
        if name.partition(".")[0] in stale:
            del sys.modules[name]
            _imported.pop(name, None)


def _is_stale(name: str) -> bool:
    module = sys.modules.get(name)
    if module is None:
        return False
    location = find(name)
    file = getattr(module, "__file__", None)
    if location is None or file is None or location.file is None:
        folders = tuple(map(Path, getattr(module, "__path__", ())))
        return location is None or location.file is not None or folders != location.folders
    record = _imported.get(name)
    changed = record is not None and record[1] != digest(location.file.read_bytes())
    return changed or location.file.resolve() != Path(file).resolve()


def _failure(name: str, error: BaseException, location: ModuleLocation, root: Path) -> Problem:
    """Say what was raised, at the line of the user's that led to it."""
    if isinstance(error, SyntaxError) and error.filename:
        where = f"{shown(Path(error.filename), root)}:{error.lineno}"
        return Problem(where, f"this is not Python: {error.msg}")
    message = str(error).partition("\n")[0]
    what = f"importing {name!r} raises {type(error).__name__}{': ' if message else ''}{message}"
    return Problem(_place(error, location, root), what, _advice(error, root))


def _advice(error: BaseException, root: Path) -> str:
    if isinstance(error, ModuleNotFoundError) and error.name:
        name = error.name.partition(".")[0]
        hint = f"install {name!r}, or put it in {root} or {root / 'src'}"
        return f"{hint}; if it is generated from these types, they cannot import it"
    if isinstance(error, TypeError) and "clientgen.runtime.models" in str(error):
        return ""  # a Model was declared wrongly: the error says how to declare it
    return "clientgen imports modules of types, so they should only define classes"


def _place(error: BaseException, location: ModuleLocation, root: Path) -> str:
    """The innermost line of the user's: of the module, else of a file beside it."""
    frames = [(f.filename, f.lineno) for f in traceback.extract_tb(error.__traceback__)]
    folder = str(root.resolve())
    own_frames = [
        (file, line)
        for file, line in frames
        if file.startswith(folder) and "site-packages" not in file and not _is_ours(file)
    ]
    own = [(file, line) for file, line in frames if file == str(location.file)]
    file, line = (own_frames or own or [(str(location.file), 1)])[-1]
    return f"{shown(Path(file), root)}:{line}"


def _is_ours(file: str) -> bool:
    return Path(file).is_relative_to(Path(__file__).parents[2])
