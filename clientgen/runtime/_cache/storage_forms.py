"""The forms of storage that users choose by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, TypeVar

from .._models.unstructured import Object
from .storage import storage_for

if TYPE_CHECKING:
    from .._models.meta_v1 import ModelList
    from .compressed import CompressedStorage
    from .storage import Storage

T = TypeVar("T", bound=Object)

StorageForm: TypeAlias = Literal["full", "compressed"]
"""How a cache keeps objects: decoded, or compressed until they are read."""

_FORMS: Final = ("full", "compressed")


def storage_of(model: type[T], list_model: type[ModelList[T]], form: StorageForm) -> Storage[T]:
    """Return the storage of a form for the objects of a class.

    Raises:
        ImportError: `form` is "compressed", and zstd is missing.
        TypeError: The class is a Table.
        ValueError: `form` does not exist, or does not fit the class.
    """
    check_form(form)
    storage = storage_for(model, list_model)
    if form == "full":
        return storage
    if not storage.is_compressible:
        raise ValueError(
            f"storage='compressed' is for whole objects: a cache of {model.__name__} is small"
            " without it; leave it out"
        )
    return _compressed_storage()(storage)


def form_for(
    model: type[Any], list_model: type[ModelList[Any]], default: StorageForm
) -> StorageForm:
    """Return the default form if it fits the objects of a class, and "full" otherwise."""
    return default if storage_for(model, list_model).is_compressible else "full"


def check_form(form: StorageForm) -> None:
    """Check that a form exists, and that its libraries are installed.

    Raises:
        ImportError: `form` is "compressed", and zstd is missing.
        ValueError: `form` does not exist.
    """
    if form not in _FORMS:
        raise ValueError(f"storage={form!r} does not exist: write 'full' or 'compressed'")
    if form == "compressed":
        _compressed_storage()


def _compressed_storage() -> type[CompressedStorage[Any]]:
    from .compressed import CompressedStorage  # needs an extra

    return CompressedStorage
