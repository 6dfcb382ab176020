"""What type checkers say of models; every ignore below is an error both checkers must find.

mypy (strict warns of an unused ignore) and pyright (told so in the next line) prove it; at run time
the same lines are tests.
"""

# pyright: reportUnnecessaryTypeIgnoreComment=true

from __future__ import annotations

from typing import Any

import pytest

from clientgen.runtime._models import model_codec
from clientgen.runtime._models.meta_v1 import LabelSelector, ObjectMeta
from tests.runtime.sample_models import (
    Container,
    Deployment,
    DeploymentSpec,
    Pod,
    PodList,
    PodSpec,
    PodTemplateSpec,
    Secret,
)


def _pod() -> Pod:
    return Pod(
        metadata=ObjectMeta(name="web-0", labels={"app": "web"}),
        spec=PodSpec(containers=[Container(name="app", image="web:1")]),
    )


def test_a_missing_required_argument_is_an_error() -> None:
    with pytest.raises(TypeError, match=r"^Container needs 'name'$"):
        Container()  # type: ignore[call-arg]


def test_an_unknown_keyword_is_an_error() -> None:
    with pytest.raises(TypeError, match=r"'nmae'; did you mean 'name'\?$"):
        Container(name="app", nmae="app")  # type: ignore[call-arg]


def test_an_argument_of_another_type_is_an_error() -> None:
    Container(name=5)  # type: ignore[arg-type]


def test_arguments_are_keywords_only() -> None:
    with pytest.raises(TypeError, match="Container takes its fields as keyword arguments, such as"):
        Container("app")  # type: ignore[call-arg, arg-type]


def test_assigning_another_type_is_an_error() -> None:
    _pod().spec.node_name = 5  # type: ignore[assignment]


def test_an_attribute_that_does_not_exist_is_an_error() -> None:
    with pytest.raises(AttributeError):
        _pod().spec.nodeName  # type: ignore[attr-defined] # noqa: B018


def test_reading_needs_no_asserts() -> None:
    pod = _pod()
    deploy = Deployment(
        spec=DeploymentSpec(
            selector=LabelSelector(match_labels={"app": "web"}),
            template=PodTemplateSpec(spec=pod.spec),
        )
    )
    app: str | None = pod.metadata.labels.get("app")
    names: list[str] = [container.name for container in pod.spec.containers]
    phase: str | None = pod.status.phase
    image: str | None = deploy.spec.template.spec.containers[0].image
    assert pod.metadata.name.startswith("web")
    assert (app, names, phase, image) == ("web", ["app"], None, "web:1")


def test_what_is_decoded_has_the_type_it_was_asked_for() -> None:
    pod: Pod = model_codec.decode(model_codec.encode(_pod()), Pod)
    copied: Pod = model_codec.deep_copy(pod)
    page: PodList = model_codec.decode_list(b'{"items": [{}]}', PodList)
    names: list[str] = [each.metadata.name for each in page]
    plain: dict[str, Any] = model_codec.to_dict(copied)
    back: Pod = model_codec.from_dict(Pod, plain)
    assert back == pod
    assert names == [""]


def test_a_new_value_of_an_enum_is_no_error() -> None:
    container = Container(name="app", image_pull_policy="Sometimes")
    container.image_pull_policy = "Always"


def test_the_class_keyword_for_sensitive_fields_is_known() -> None:
    class Token(Secret, sensitive=("data", "string_data", "type")):
        pass

    assert "tell" not in repr(Token(type="tell"))
