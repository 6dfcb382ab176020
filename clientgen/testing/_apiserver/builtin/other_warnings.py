"""Warnings about objects other than pods."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clientgen._apimachinery.optional_parts import part

from ..kinds.shared.ip_warnings import quoted
from .warning import warns

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__: list[str] = []


def _annotations(obj: dict[str, Any]) -> dict[str, Any]:
    return part(obj["metadata"], "annotations")


# ------------------------------------------------------------------------------- services


# -------------------------------------------------------------------------------- storage


# ---------------------------------------------------------------------------- small kinds


@warns("resource.k8s.io", "resourceslices")
def _resource_slice(resources: dict[str, Any], old: dict[str, Any] | None) -> Iterator[str]:
    del old
    driver = resources["spec"].get("driver") or ""
    if driver != driver.lower():
        said = f"driver names should be lowercase; {quoted(driver)} contains uppercase characters"
        yield f"spec.driver: {said}"
