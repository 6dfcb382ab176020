"""What a server says about itself and about the caller."""

from __future__ import annotations

from collections.abc import Mapping, Sequence  # noqa: TC003 - msgspec looks it up here

from msgspec import Struct
from msgspec import field as msgspec_field


class VersionInfo(Struct, frozen=True, kw_only=True, rename="camel"):
    """The version of a server: `k.version()`, as in `kubectl version`.

    Attributes:
        git_version: The version, such as `v1.36.0`.
        major: The first number, such as `1`.
        minor: The second number, such as `36`; some vendors add a `+`.
        git_commit: The commit.
        git_tree_state: `clean`, or `dirty` for a commit with changes.
        build_date: The time of the build.
        go_version: The version of Go.
        compiler: The compiler.
        platform: The operating system and the architecture, such as `linux/amd64`.
        emulation_major, emulation_minor: The version that the server emulates; empty if it does not
            say so.
        min_compatibility_major, min_compatibility_minor: The oldest version with which the server
            is compatible; empty if it does not say so.
    """

    git_version: str
    major: str = ""
    minor: str = ""
    git_commit: str = ""
    git_tree_state: str = ""
    build_date: str = ""
    go_version: str = ""
    compiler: str = ""
    platform: str = ""
    emulation_major: str = ""
    emulation_minor: str = ""
    min_compatibility_major: str = ""
    min_compatibility_minor: str = ""


class UserInfo(Struct, frozen=True, kw_only=True):
    """A user as the server sees it: `k.whoami()`, as `kubectl auth whoami`.

    Attributes:
        username: The name.
        uid: The identifier; empty if the server has none.
        groups: The groups.
        extra: More that the authenticator knows.
    """

    username: str
    uid: str = ""
    groups: Sequence[str] = ()
    extra: Mapping[str, Sequence[str]] = {}


class ResourceRule(Struct, frozen=True, kw_only=True, rename="camel"):
    """Verbs that are allowed on resources. `*` means all.

    Attributes:
        verbs: The verbs, such as `get`.
        api_groups: The groups; empty text is the core group.
        resources: The resources, such as `pods` and `pods/log`.
        resource_names: The names of the objects; empty if all names are allowed.
    """

    verbs: Sequence[str] = ()
    api_groups: Sequence[str] = ()
    resources: Sequence[str] = ()
    resource_names: Sequence[str] = ()


class NonResourceRule(Struct, frozen=True, kw_only=True, rename="camel"):
    """Verbs that are allowed on paths. `*` means all.

    Attributes:
        verbs: The verbs, such as `get`.
        non_resource_urls: The paths, such as `/healthz`.
    """

    verbs: Sequence[str] = ()
    non_resource_urls: Sequence[str] = msgspec_field(name="nonResourceURLs", default=())


class AccessRules(Struct, frozen=True, kw_only=True, rename="camel"):
    """All that the caller may do in a namespace, as `kubectl auth can-i --list`.

    Attributes:
        resource_rules: What is allowed on resources, in any order and perhaps several times.
        non_resource_rules: What is allowed on paths.
        incomplete: Whether more may be allowed, because an authorizer cannot list its rules.
        evaluation_error: Why the rules are incomplete; empty if they are not.
    """

    resource_rules: Sequence[ResourceRule] = ()
    non_resource_rules: Sequence[NonResourceRule] = ()
    incomplete: bool = False
    evaluation_error: str = ""
