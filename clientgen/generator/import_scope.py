"""The names of one file. A name that is used is imported.

Templates ask for names (`use`, `use_from`, `use_beside`); the scope of the file remembers each and
writes the import block afterwards, so no import list is ever computed twice.
"""

from __future__ import annotations

from collections.abc import Mapping

from clientgen.generator.ir import META_MODULE
from clientgen.generator.layout import from_import, import_order, module_order, section
from clientgen.generator.literals import identifier, module_name
from clientgen.generator.plan import FilePlan, Symbol
from clientgen.generator.unasync import protect, release, sync_name

KNOWN_NAMES: Mapping[str, str] = {
    **dict.fromkeys(
        ("Literal", "MicroTime", "Model", "NO_RAW", "Raw", "Time", "auto", "constant", "field"),
        META_MODULE,
    ),
    **dict.fromkeys(
        ("UNSET_ZERO", "UnsetDict", "UnsetList"),
        META_MODULE,
    ),
    **dict.fromkeys(("ModelList", "ObjectMeta", "Status", "Unstructured"), META_MODULE),
    **dict.fromkeys(("ApplyPatch", "JsonPatch", "MergePatch", "Patch"), "clientgen.runtime"),
    **dict.fromkeys(
        (
            "AsyncClientsetBase",
            "AsyncExecStream",
            "AsyncGroupVersionClient",
            "AsyncGroupVersionInformers",
            "AsyncLines",
            "AsyncLogTail",
            "AsyncPortForward",
            "AsyncProxy",
            "AsyncResourceClient",
            "AsyncRest",
            "AsyncSharedInformer",
            "AsyncSubresource",
            "AsyncWaitingClient",
            "AsyncWaitingCollection",
            "AsyncWatch",
        ),
        "clientgen.runtime.aio",
    ),
    **dict.fromkeys(
        (
            "ApplyOptions",
            "ClientOptions",
            "CopyOptions",
            "CopyResult",
            "DefaultT",
            "DeleteCollectionOptions",
            "DeleteOptions",
            "EachOptions",
            "EditOptions",
            "ExecOptions",
            "ExecResult",
            "ExecStreamOptions",
            "GetOptions",
            "ListOptions",
            "LogOptions",
            "PatchOptions",
            "TailOptions",
            "WatchOptions",
            "WriteOptions",
        ),
        "clientgen.runtime",
    ),
    **dict.fromkeys(("ScopeOptions", "SelectorOptions"), "clientgen.runtime"),
    **dict.fromkeys(("ClusterLister", "NamespaceLister", "NamespacedLister"), "clientgen.runtime"),
    "SelectableField": "clientgen.runtime",
    **dict.fromkeys(("Quantities", "Quantity"), META_MODULE),
    "Resource": "clientgen.runtime",
    **dict.fromkeys(("AsyncIterator", "Callable", "Mapping", "Sequence"), "collections.abc"),
    **dict.fromkeys(
        ("Any", "Self", "TYPE_CHECKING", "TypeAlias", "TypedDict", "Unpack", "overload"), "typing"
    ),
    **dict.fromkeys(("PartOf", "View", "ViewMeta"), "clientgen.runtime.views"),
    **dict.fromkeys(("UNSET", "UnsetType"), "msgspec"),
    "datetime": "datetime",
    "PathLike": "os",
    "TracebackType": "types",
}


def twin_of(path: str) -> str:
    """The synchronous twin that is derived from a file; "" if there is none."""
    folder, slash, name = path.rpartition("/")
    twin = name.removeprefix("async_")
    return "" if twin == name else folder + slash + twin


class Scope:
    """The definitions and imports of a file, and their names.

    Every name passes through `identifier` once. Names are marked only in files from which a twin is
    derived.
    """

    def __init__(self, file: FilePlan) -> None:
        self._has_twin = bool(twin_of(file.path))
        self._package = "." + file.path.replace("/", ".").rpartition(".py")[0]
        self._package = self._package.rpartition(".")[0]
        self._module = "." + file.path.removesuffix(".py").replace("/", ".")
        last = self._module.rpartition(".")[2]
        self._late = frozenset(f".{folder.replace('/', '.')}.{last}" for folder in file.late)
        self._taken = {form for name in file.defines for form in self._forms(identifier(name))}
        self._imported: dict[Symbol, str] = {}
        self._lazy: dict[Symbol, str] = {}

    def same_in_sync(self, words: str) -> str:
        """Mark names and words of the API, so that the synchronous twin keeps them."""
        return protect(words) if self._has_twin else words

    def module(self, module: str) -> str:
        """Return a module of the package, whose last word alone differs between the flavours."""
        folders, _, last = module_name(module).rpartition(".")
        return f"{self.same_in_sync(folders)}.{last}"

    def ref(self, symbol: Symbol) -> str:
        """The name of a symbol in this file; imported from now on."""
        if symbol.module == self._module:
            return symbol.name
        known = self._imported.get(symbol) or self._lazy.get(symbol)
        if known is None:
            known = self._free(symbol)
            self._imported[symbol] = known
        return known

    def ref_in_annotations(self, symbol: Symbol) -> str:
        """The name of a symbol that only annotations use; only type checkers import it."""
        known = self._imported.get(symbol) or self._lazy.get(symbol)
        if known is None:
            self.ref(Symbol("typing", "TYPE_CHECKING"))
            known = self._free(symbol)
            self._lazy[symbol] = known
        return known

    def _free(self, symbol: Symbol) -> str:
        """A name that means nothing else in this file, nor in its synchronous twin."""
        name = symbol.name
        identifier(release(name))
        module_name(release(symbol.module))
        if self._is_taken(name):
            owner = (
                "runtime" if symbol.module.startswith("clientgen.") else symbol.module.strip(".")
            )
            name = f"{owner.split('.')[0]}_{release(name)}"
        while self._is_taken(name):
            name += "_"
        self._taken |= self._forms(name)
        return name

    def _is_taken(self, name: str) -> bool:
        return not self._taken.isdisjoint(self._forms(name))

    def _forms(self, name: str) -> set[str]:
        """Return the names that it has here and, if there is one, in the twin."""
        return {release(name), sync_name(name)} if self._has_twin else {name}

    def use_in_annotations(self, module: str, name: str) -> str:
        """A name that annotations use and code imports where it is needed."""
        self.ref(Symbol("typing", "TYPE_CHECKING"))
        self._lazy[Symbol(module, identifier(name))] = name
        return name

    def lazy_imports(self) -> str:
        """Return the imports that only type checkers run."""
        return self._block(self._by_module(self._lazy), indent=4)

    def use(self, name: str) -> str:
        """A name of the runtime or the standard library, one of `KNOWN_NAMES`."""
        return self.ref(Symbol(KNOWN_NAMES[name], name))

    def use_from(self, module: str, name: str) -> str:
        """A name of any other module."""
        return self.ref(Symbol(module, name))

    def use_beside(self, module: str, name: str) -> str:
        """A name of another module of the same package."""
        return self.ref(Symbol(f"{self._package}.{module}", self.same_in_sync(name)))

    def imports(self) -> str:
        """The import block, in isort's order: standard library, runtime, this package."""
        return self._block(self._sorted(late=False))

    def late_imports(self) -> str:
        """Imports from modules that import this one back; by then its classes exist."""
        return self._block(self._sorted(late=True))

    def _sorted(self, *, late: bool) -> list[tuple[str, list[str]]]:
        return self._by_module(
            {
                symbol: local
                for symbol, local in self._imported.items()
                if (symbol.module in self._late) is late
            }
        )

    def _by_module(self, imported: Mapping[Symbol, str]) -> list[tuple[str, list[str]]]:
        by_module: dict[str, list[str]] = {}
        for symbol, local in imported.items():
            module = self._relative(symbol.module)
            text = symbol.name if symbol.name == local else f"{symbol.name} as {local}"
            by_module.setdefault(module, []).append(text)
        return [
            (module, sorted(by_module[module], key=import_order))
            for module in sorted(by_module, key=module_order)
        ]

    def _relative(self, module: str) -> str:
        """`.core.v1.models` as seen from this file's package, `.apps.v1`."""
        if not module.startswith("."):
            return module
        here, there = self._package.strip(".").split("."), module.strip(".").split(".")
        here = [part for part in here if part]
        common = 0
        while common < min(len(here), len(there) - 1) and here[common] == there[common]:
            common += 1
        *folders, last = there[common:]
        return "." * (len(here) - common + 1) + ".".join([*map(self.same_in_sync, folders), last])

    def _block(self, modules: list[tuple[str, list[str]]], indent: int = 0) -> str:
        lines: list[str] = []
        before = -1
        for module, names in modules:
            if lines and section(module) != before:
                lines.append("")
            before = section(module)
            lines.append(from_import(module, names, indent))
        return "\n".join(lines)
