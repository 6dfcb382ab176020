"""The words of the `+genclient` grammar: verbs, tags, and what the markers of one type come to.

They are those of Kubernetes' client-gen. `genclient_markers` reads them; `overrides` compares them
with what an API offers.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, get_args

from clientgen.generator.ir import Verb

if TYPE_CHECKING:
    from collections.abc import Mapping

# client-gen: the verbs it knows, in the order it emits them.
SUPPORTED_VERBS: tuple[Verb, ...] = get_args(Verb)
READONLY_VERBS = ("get", "list", "watch")
STATUS_VERBS = ("updateStatus", "applyStatus")
# client-gen refuses delete, deleteCollection and watch in `method=`; there is no reason to.
METHOD_VERBS = tuple(verb for verb in SUPPORTED_VERBS if verb not in STATUS_VERBS)


class Tag:
    """The spelling of each tag, without its plus sign."""

    GENCLIENT = "genclient"
    NON_NAMESPACED = "genclient:nonNamespaced"
    NO_VERBS = "genclient:noVerbs"
    ONLY_VERBS = "genclient:onlyVerbs"
    SKIP_VERBS = "genclient:skipVerbs"
    READONLY = "genclient:readonly"
    NO_STATUS = "genclient:noStatus"
    METHOD = "genclient:method"
    RESOURCE_NAME = "resourceName"
    GROUP_NAME = "groupName"
    GROUP_GO_NAME = "groupGoName"

    FLAGS = (GENCLIENT, NON_NAMESPACED, NO_VERBS, READONLY, NO_STATUS)
    VERB_LISTS = (ONLY_VERBS, SKIP_VERBS)
    NAMES = (RESOURCE_NAME, GROUP_NAME, GROUP_GO_NAME)
    TYPE = (*FLAGS, *VERB_LISTS, METHOD)
    # Which of Go's generators a package wants at all; `false` opts out.
    SWITCHES = (
        "k8s:client-gen",
        "k8s:lister-gen",
        "k8s:informer-gen",
        "k8s:applyconfiguration-gen",
    )


@dataclass(frozen=True, slots=True)
class MarkerLine:
    """One line that starts with `+`, and where it stands."""

    text: str
    where: str


@dataclass(frozen=True, slots=True)
class GenclientMethod:
    """A method beside the verbs; types are as written, see `split_type`."""

    name: str
    verb: str
    subresource: str | None = None
    input: str | None = None
    result: str | None = None
    where: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Genclient:
    """The markers of one type; their positions are not compared."""

    generate: bool = False
    non_namespaced: bool = False
    no_verbs: bool = False
    only_verbs: tuple[str, ...] = ()
    skip_verbs: tuple[str, ...] = ()
    readonly: bool = False
    no_status: bool = False
    methods: tuple[GenclientMethod, ...] = ()
    resource_name: str | None = None
    group_name: str | None = None
    group_go_name: str | None = None
    # Of client, lister, informer and applyconfiguration those with `+k8s:<name>-gen=false`.
    disabled: frozenset[str] = frozenset()
    places: Mapping[str, str] = field(default_factory=dict[str, str], compare=False)

    def where(self, *tags: str) -> str:
        """The place of the first of these tags that was said; "" if none was."""
        return next((self.places[tag] for tag in tags if tag in self.places), "")


def split_type(text: str) -> tuple[str, str]:
    """Split `k8s.io/api/autoscaling/v1.Scale` into package and name; a bare name has no package."""
    package, _, name = text.rpartition(".")
    return package, name
