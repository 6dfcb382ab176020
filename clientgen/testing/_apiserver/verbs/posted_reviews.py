"""Reviews of access, and tokens: posted objects that are answered at once.

Facts: docs/internals/kubernetes-semantics.md, 1.10.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import access
from ..requests.request_bodies import body_resource
from .posted_object import PostedObject

if TYPE_CHECKING:
    from ..requests.request_info import RequestInfo
    from ..responses.answers import Answer
    from ..responses.rendering import Rendering
    from ..storage.cluster_state import ClusterState


def issue_token(cluster: ClusterState, info: RequestInfo, shown: Rendering) -> Answer:
    """POST to `serviceaccounts/token`."""
    posted = PostedObject(cluster, info, body_resource(cluster, info))
    posted.check_namespace()
    posted.own()
    posted.admit()
    value = cluster.tokens.issue(info.namespace, info.name, posted.value, cluster)
    return posted.answer(shown, value)


def answer_review(cluster: ClusterState, info: RequestInfo, shown: Rendering) -> Answer:
    """POST of one of `access.REVIEWS`."""
    posted = PostedObject(cluster, info, info.resource)
    posted.own()
    posted.admit()
    asked = posted.view.titled(posted.value)
    value = access.review(info.resource, asked, info.request.caller, cluster, cluster.tokens)
    return posted.answer(shown, value)
