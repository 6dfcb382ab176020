"""Derives the runtime's typed manifests of meta/v1 from its models.

`python -m clientgen.generator.meta_manifests` writes `clientgen/runtime/manifests.py`; with
`--check` it only says whether the file is as it would be written.
"""

from __future__ import annotations

import sys
from pathlib import Path

import clientgen
from clientgen._problems import Problems
from clientgen.generator.format import format_tree
from clientgen.generator.ir import META_V1, GroupVersionApi, ModelId
from clientgen.generator.plan import FilePlan, Modules, Symbol
from clientgen.generator.plan.manifest_modules import manifest_files
from clientgen.generator.plan.model_classes import model_plans
from clientgen.generator.render import Renderer
from clientgen.generator.sources.used_packages import meta_models

_PATH = "models.py"
_TITLE = "Typed manifests of meta/v1, such as the metadata of all kinds."


class _InOneModule(Modules):
    """The models are those of a module of which this is the manifests."""

    __slots__ = ()

    def manifest(self, model: ModelId) -> Symbol | None:
        """The manifest is in this module, too."""
        symbol = super().manifest(model)
        return Symbol(".manifests", symbol.name) if symbol else None


def source() -> str:
    """The text of the module."""
    models = meta_models()
    modules = _InOneModule(lists=frozenset(model.id for model in models if model.item))
    api = GroupVersionApi(META_V1, models, ())
    plans = model_plans(api, modules, frozenset(), Problems())
    (file,) = manifest_files([FilePlan(_PATH, "", _TITLE, "_models/meta_v1.py", models=plans)])
    rendered = Renderer(modules).render([file])
    return format_tree(rendered)[file.path]


def main(arguments: list[str]) -> int:
    """Write the module, or compare it with what is there."""
    path = Path(clientgen.__file__).with_name("runtime") / "manifests.py"
    if "--check" in arguments:
        return 0 if path.read_text("utf-8") == source() else 1
    path.write_text(source(), "utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
