"""Views: classes with some fields of a kind.

Nothing else is decoded or kept.

::

    class PlaceSpec(PartOf[PodSpec]):
        node_name: str | None

    class PodPlace(View[Pod]):
        spec: PlaceSpec

    for place in k.core_v1.pods().view(PodPlace).list():
        print(place.metadata.name, place.spec.node_name)

Kinds without a class have views by paths: `view_of(["spec.size"])`.
"""

from __future__ import annotations

from ._models.path_views import view_of
from ._models.views import PartOf, View, ViewMeta

__all__ = ["PartOf", "View", "ViewMeta", "view_of"]
