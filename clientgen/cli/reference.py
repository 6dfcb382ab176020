"""What `explain` and `docs` read: a package, or sources from which one could be generated."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from clientgen._problems import ClientgenError, Problem, Problems
from clientgen.cli.extra import require_generator
from clientgen.generator.config_file import find, read
from clientgen.generator.configuration import Flags, load, load_sources

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clientgen.generator.configuration import PackageConfig
    from clientgen.reference.package_reader import Api

_DEFAULT = "kubeapi"
_SOURCES = ("specs", "crds", "types", "cluster")
_UNNAMED = "api"


def opened(flags: Flags, *, with_used: bool) -> Api:
    """Return the API that the flags name.

    With sources, it is what would be generated from them. Otherwise it is that of a package on the
    disk: the one that is named, those of the config, or kubeapi.

    Args:
        flags: what the command line says.
        with_used: whether names are looked for in the packages that it uses, too.

    Raises:
        ClientgenError: a source cannot be read, or there is no such package.
    """
    from clientgen.reference.sources import installed  # only now: it reads the generator's modules

    if has_source(flags):
        return _generated(flags)
    _check_no_other(flags)
    configs = _configured(flags)
    paths = _paths(configs)
    if flags.package is not None:
        return installed([flags.package], paths, "--package", with_used=with_used)
    names = [config.package for config in configs] or [_DEFAULT]
    where = str(configs[0].where("package")) if configs else "--package"
    return installed(names, paths, where, with_used=with_used)


def has_source(flags: Flags) -> bool:
    """Return whether the flags name a source to generate from."""
    return any(getattr(flags, name) for name in _SOURCES)


def _generated(flags: Flags) -> Api:
    require_generator()
    from clientgen.generator.package_builder import preview  # without the extra it fails
    from clientgen.reference.package_reader import PackageText
    from clientgen.reference.sources import generated, names_of_crds

    (config,) = load_sources(flags)
    config = replace(config, package=flags.package or _UNNAMED)
    found = preview(config)
    text = PackageText(config.package, found.manifest, found.read)
    return generated(text, config.paths, names_of_crds(config.crds, config.root))


def _check_no_other(flags: Flags) -> None:
    """Refuse flags that say what to generate, if there is nothing to generate from.

    Raises:
        ClientgenError: there is such a flag.
    """
    without = replace(flags, package=None, output=None, config=None)
    names = dict.fromkeys(flag for flag, _ in without.words())
    if names:
        what = f"{', '.join(names)}: there is no source to generate from"
        hint = "add --spec, --crd, --types or --cluster"
        raise ClientgenError([Problem("flags", what, hint)])


def _configured(flags: Flags) -> Sequence[PackageConfig]:
    """The packages of the config; none if there is no config."""
    problems = Problems()
    table = read(flags.config, problems) if flags.config else find(Path(), problems)
    problems.raise_if_any()
    return load(Flags(config=flags.config)) if table is not None else ()


def _paths(configs: Sequence[PackageConfig]) -> list[Path]:
    """The folders to look for packages in, before those of Python."""
    paths = [path for config in configs for path in (config.output, *config.paths)]
    here = Path().absolute()
    return list(dict.fromkeys([*(path.absolute() for path in paths), here, here / "src"]))
